"""Kafka does what traces say: `tidegate confirm` with real brokers. Two scenarios are in the long tier, and all with
`-m brokers`; they need Java 17, and Maven for the first run of a release."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from ...cli.test_confirm import save
from ...conftest import ROOT, Run
from ...support.confirming import needs_release
from ...support.partitions import BOTH_LAG, MOVED, OLD, RESTARTED, RESTARTED_3_4, STANDING, trace
from .partition.test_fitting import CONTROLLERS_LOST
from .partition.test_plan import DIRECTORIES, DIRECTORY_LOST, REASSIGNED

GONE = "acknowledged, and gone: record 0"
FENCED = "fence(broker=A, successor=B)"


@pytest.fixture(scope="module")
def jars() -> None:
    """Java, and the jars of the release that is looked at first; the tests are skipped where there are none."""
    needs_release("3.9.1")


@pytest.mark.long
@pytest.mark.usefixtures("jars")
@pytest.mark.parametrize(
    ("steps", "constants"),
    [(MOVED, {"acks": "leader"}), (f"produce(A); crash(A); {FENCED}; learn(B)", {"acks": "leader"})],
    ids=["leader moved", "leader dies"],
)
def test_two_scenarios_of_one_release(tidegate: Run, tmp_path: Path, steps: str, constants: dict[str, Any]) -> None:
    document = trace(steps, **constants)
    done = tidegate("confirm", save(tmp_path / "a.trace.json", document), "--kafka-version", "3.9.1", "--json")
    (found,) = json.loads(done.out)["results"]
    assert (done.exit, found["why"]) == (0, "acknowledged, and gone: record 0"), json.dumps(found, indent=1)


KEEPS_ELR = {**DIRECTORIES, "assignment_keeps_elr": True}
MOVES = {"acks": "leader", "reassignments": 1}
NOT_ENOUGH = "the model of Kafka 3.9.0 loses the record with these settings as well"


@pytest.mark.brokers
@pytest.mark.parametrize(
    ("example", "repaired"),
    [
        ("shipped-defaults", ["the model of Kafka 4.1.0 loses the record with these settings as well"]),  # one copy
        ("strimzi", [NOT_ENOUGH, NOT_ENOUGH]),  # it states 3.9, which has no ELR; and there is one copy of offsets
    ],
)
def test_what_an_audit_finds_happens(tidegate: Run, tmp_path: Path, example: str, repaired: list[str]) -> None:
    tidegate("audit", str(ROOT / "examples" / "clusters" / example), "--out", str(tmp_path), "--confirm")
    results = json.loads((tmp_path / "confirmed.json").read_text("utf-8"))["results"]
    said = json.dumps(results, indent=1)
    assert [found["why"] for found in results if not found["repaired"]] == [GONE] * len(repaired), said
    assert [found["why"] for found in results if found["repaired"]] == repaired, said
    suite = ElementTree.parse(tmp_path / "confirmed.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == (
        str(len(results)),
        "0",
        str(len(repaired)),
    )
    pages = [path.read_text("utf-8") for path in tmp_path.rglob("*.html")]
    assert sum("Confirmed on Kafka" in page for page in pages) >= len(repaired)


@pytest.mark.brokers
@pytest.mark.parametrize(
    ("steps", "constants", "given", "code", "why"),
    [
        (MOVED, {"acks": "leader"}, ["--kafka-version", "3.9.1"], 0, "acknowledged, and gone: record 0"),
        (REASSIGNED, MOVES, ["--kafka-version", "4.1.0"], 0, "acknowledged, and gone: record 0"),
        (REASSIGNED, MOVES, ["--kafka-version", "4.1.0", "--repaired"], 0, "acknowledged, and still there: record 0"),
        (STANDING, {}, ["--kafka-version", "3.9.1"], 0, "acknowledged, and gone: record 0"),
        (STANDING, {}, ["--kafka-version", "4.1.0", "--repaired"], 0, "acknowledged, and still there: record 0"),
        (DIRECTORY_LOST, DIRECTORIES, ["--kafka-version", "4.1.0"], 0, "acknowledged, and gone: record 0"),
        (DIRECTORY_LOST, KEEPS_ELR, ["--kafka-version", "4.3.0"], 0, "acknowledged, and gone: record 0"),
        (BOTH_LAG, {"property_": "acked_durable", "min_isr": 1}, [], 0, "acknowledged, and gone: record 0"),
        (RESTARTED_3_4, OLD, ["--kafka-version", "3.4.1"], 0, "acknowledged, and gone: record 0"),
        (
            RESTARTED,
            {"reject_restarted": False},
            ["--kafka-version", "3.9.1", "--anyway"],
            1,
            "at step 12 the brokers did otherwise; in the end record 0, acknowledged, is still there",
        ),
    ],
    ids=[
        "leader moved",
        "reassigned",
        "reassigned, repaired",
        "last replica standing",
        "repaired",
        "a directory lost",
        "a directory lost, and the ELR kept",
        "min.isr 1",
        "KAFKA-14139",
        "KAFKA-14139 mended",
    ],
)
def test_kafka_does_it(
    tidegate: Run, tmp_path: Path, steps: str, constants: dict[str, Any], given: list[str], code: int, why: str
) -> None:
    done = tidegate("confirm", save(tmp_path / "a.trace.json", trace(steps, **constants)), *given, "--json")
    (found,) = json.loads(done.out)["results"]
    assert (done.exit, found["why"]) == (code, why), json.dumps(found, indent=1)


@pytest.mark.brokers
@pytest.mark.parametrize(
    ("steps", "constants"),
    [
        ("produce(A); shut_down(broker=A, successor=B); learn(B)", {"shutdowns": 1}),
        (
            f"produce(A); lose_disk(A); {FENCED}; restart(broker=A, successor=B); learn(B)",
            {"disk_losses": 1},
        ),
        (
            "produce(A); fence_alive(broker=A, successor=B); learn(B); unfence(broker=A, successor=B); learn(A)",
            {},
        ),
        ("elect_preferred(B); learn(B); produce(A); learn(A)", {}),
        (
            "produce(A); fetch(leader=A, follower=B); propose_shrink(leader=A, follower=C); change_isr(A); learn(A); "
            f"advance_high_watermark(A); crash(A); {FENCED}; crash(B); fence(broker=B, successor=B); "
            "elect_uncleanly(C); learn(C)",
            {"acks": "all", "unclean_elections": 1},
        ),
        (f"produce(A); lose_host(A); {FENCED}; learn(B)", {"host_losses": 1}),
        (CONTROLLERS_LOST, {"controller_losses": 2}),
        (f"produce(A); crash(A); {FENCED}; learn(B)", {"acks": "none"}),
        (f"produce(A); fetch(leader=A, follower=B); produce(A); crash(A); {FENCED}; learn(B)", {"max_records": 2}),
    ],
    ids=[
        "shut down",
        "disk",
        "unfenced",
        "unaware",
        "operator's election",
        "host",
        "controllers",
        "acks 0",
        "one of two records",
    ],
)
def test_kafka_takes_every_kind_of_step(tidegate: Run, tmp_path: Path, steps: str, constants: dict[str, Any]) -> None:
    document = trace(steps, **{"acks": "leader", **constants})
    done = tidegate("confirm", save(tmp_path / "a.trace.json", document), "--kafka-version", "4.1.0", "--json")
    (found,) = json.loads(done.out)["results"]
    assert (done.exit, found["result"]) == (0, "confirmed"), json.dumps(found, indent=1)


@pytest.mark.brokers
@pytest.mark.parametrize("after", [0.0, 3.0, 12.0])
def test_a_command_that_is_killed_leaves_no_broker_and_no_port(tmp_path: Path, after: float) -> None:
    command = [sys.executable, "-m", "tidegate", "confirm", save(tmp_path / "a.trace.json", trace(STANDING)), "--keep"]
    with subprocess.Popen([*command, str(tmp_path / "kept")]) as process:
        while process.poll() is None and not brokers_of(tmp_path):
            time.sleep(0.05)
        time.sleep(after)
        assert brokers_of(tmp_path)
        ports = ports_of(tmp_path / "kept")
        process.send_signal(signal.SIGKILL)
    until = time.monotonic() + 30
    while (left := (brokers_of(tmp_path), list(filter(is_open, ports)))) != ([], []) and time.monotonic() < until:
        time.sleep(0.1)
    assert left == ([], [])
    assert len(ports) >= 4


def ports_of(folder: Path) -> set[int]:
    """The ports that nodes listen on, and those of the gates before them, by the nodes' files."""
    files = (path.read_text("utf-8") for path in folder.glob("*.properties"))
    return {int(port) for text in files for port in re.findall(r"127\.0\.0\.1:(\d+)", text)}


def is_open(port: int) -> bool:
    """Whether somebody listens there."""
    with socket.socket() as tried:
        return tried.connect_ex(("127.0.0.1", port)) == 0


def brokers_of(folder: Path) -> list[str]:
    """The command lines of processes that run with files of a folder."""
    found = list[str]()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = path.read_bytes().decode("utf-8", "replace").replace("\0", " ")
        except (FileNotFoundError, ProcessLookupError):
            continue
        found += [text] if str(folder) in text and "kafka.Kafka" in text else []
    return found
