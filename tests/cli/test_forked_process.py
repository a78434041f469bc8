"""The processes of the gate: one that is killed is one line of the report; an interrupt stops all, and the report is
of what was done.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tidegate.cli.forked_process import fork_command
from tidegate.explorer.commands import CommandResult
from tidegate.gates.checks import GateSettings, check_result
from tidegate.gates.records import read_record_file
from tidegate.reports.exits import Exit, worst_exit

from ..conftest import ROOT

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="/proc tells which process is whose")

ENDLESS = '[[check]]\nset = {{ max_leader_epoch = 9, max_records = {number} }}\nexpect = {{ weak_isr = "holds" }}\n'
HEAD = 'schema = "tidegate.spec/1"\nmodel = "replication"\n'
QUICK = f'[[check]]\nmodel = "{ROOT / "examples" / "lock.py"}"\nexpect = {{ one_inside = "holds" }}\n'

LOOKS, LOOK_SECONDS = 15_000, 0.02
"""Five minutes of looking, after which something hangs, and is not only slow on a busy machine."""

Gate = subprocess.Popen[str]


@pytest.fixture
def gates() -> Iterator[list[Gate]]:
    """The gates that a test started; whatever is left of them ends with it."""
    started: list[Gate] = []
    yield started
    for gate in started:
        if gate.poll() is None:
            gate.kill()
            gate.wait()


def begin(gates: list[Gate], folder: Path, cache: Path, text: str, *options: str) -> Gate:
    (folder / "gate.toml").write_text(HEAD + text)
    command = [
        sys.executable,
        "-m",
        "tidegate",
        "gate",
        str(folder / "gate.toml"),
        "--out",
        str(folder / "out"),
    ]
    begun = subprocess.Popen(
        [*command, *options],
        env={**os.environ, "TIDEGATE_CACHE": str(cache), "PYTHONIOENCODING": "utf-8", "CI": ""},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    gates.append(begun)
    return begun


def child(gate: Gate) -> int:
    """The first check that the gate runs, once it is in a session of its own: what the warm process forked, which has
    by then read all that the gate writes to it."""
    for _ in range(LOOKS):
        assert gate.poll() is None, gate.communicate()
        for warm in children(gate.pid):
            for pid in children(warm):
                with contextlib.suppress(ProcessLookupError):
                    if os.getsid(pid) == pid:
                        return pid
        time.sleep(LOOK_SECONDS)
    raise AssertionError("the gate runs nothing")


def children(pid: int) -> list[int]:
    """The processes that a process started."""
    try:
        return [int(text) for task in Path(f"/proc/{pid}/task").glob("*/children") for text in task.read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def report(folder: Path) -> Any:
    assert (folder / "out" / "junit.xml").is_file()
    assert (folder / "out" / "results.sarif").is_file()
    return json.loads((folder / "out" / "report.json").read_text(encoding="utf-8"))


def test_a_worker_that_is_killed_is_one_entry(gates: list[Gate], tmp_path: Path, cache: Path) -> None:
    gate = begin(gates, tmp_path, cache, ENDLESS.format(number=2) + QUICK, "--workers", "1")
    os.kill(child(gate), signal.SIGKILL)
    out, err = gate.communicate(timeout=600)
    assert gate.returncode == 70, err
    assert "1 broke down, 1 ok of 2 checks" in out
    broken, quick = report(tmp_path)["checks"]
    reported = "the process of this check was ended by SIGKILL; out of memory? --memory and --workers bound it"
    assert (broken["result"], broken["differences"]) == ("broke down", [reported])
    assert quick["result"] == "ok"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_stops_everything_and_reports_what_was_done(
    number: signal.Signals, gates: list[Gate], tmp_path: Path, cache: Path
) -> None:
    text = ENDLESS.format(number=2) + ENDLESS.format(number=3) + ENDLESS.format(number=4)
    gate = begin(gates, tmp_path, cache, text, "--workers", "1")
    running = child(gate)  # from here on there is something to stop, whatever it does by now
    gate.send_signal(number)
    out, err = gate.communicate(timeout=600)
    assert gate.returncode == 5, out + err
    assert "tidegate: interrupted; the report is of what was done" in err
    assert not Path(f"/proc/{running}").exists()
    found = report(tmp_path)
    assert found["interrupted"]
    assert [check["result"] for check in found["checks"]] == ["inconclusive"]
    assert [(skipped["name"], skipped["why"]) for skipped in found["not_run"]] == [
        (f"replication max_leader_epoch=9 max_records={records}", "interrupted") for records in (3, 4)
    ]
    assert "not run: 2 recorded checks, because the gate was interrupted" in out


@pytest.mark.parametrize("forked", [False, True], ids=["while it begins", "while it checks"])
def test_a_signal_to_all_processes_of_a_job_is_no_defect(
    forked: bool, gates: list[Gate], tmp_path: Path, cache: Path
) -> None:
    """So a CI system, or `timeout`, cancels a job. Before there is a check the warm process imports what it needs."""
    gate = begin(gates, tmp_path, cache, ENDLESS.format(number=2) + ENDLESS.format(number=3), "--workers", "1")
    for _ in range(LOOKS):
        if any("forkserver" in line_of(pid) for pid in children(gate.pid)):
            break
        time.sleep(LOOK_SECONDS)
    if forked:
        child(gate)
    family = [pid for warm in children(gate.pid) for pid in (warm, *children(warm))]
    os.killpg(gate.pid, signal.SIGTERM)
    out, err = gate.communicate(timeout=600)
    assert (gate.returncode, "Traceback" in err, "defect" in err) == (5, False, False), out + err
    for _ in range(LOOKS):
        if not any(is_running(pid) for pid in family):
            return
        time.sleep(LOOK_SECONDS)
    raise AssertionError("something goes on after the gate was ended")


def line_of(pid: int) -> str:
    """The command line of a process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return ""


NODE = """\
process.roles=broker,controller
node.id={number}
controller.quorum.voters=1@a:9093,2@b:9093,3@c:9093,4@d:9093,5@e:9093
default.replication.factor=5
offsets.topic.replication.factor=5
"""
"""Of five, whose audit takes far longer than a test waits before it sends a signal."""

LONG: dict[str, list[str]] = {
    "check": ["check", "replication", "--set", "max_leader_epoch=9", "--set", "max_records=5"],
    "prove": ["prove", "raft", "--query-work", "1000"],
    "walk": ["check", "replication", "--engine", "walk", "--time", "600"],
    "audit": ["audit", "nodes", "--kafka-version", "3.9", "--distribution", "apache", "--no-cache"],
}


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("verb", LONG)
def test_a_signal_ends_each_verb_with_what_was_seen(verb: str, number: signal.Signals, tmp_path: Path) -> None:
    (tmp_path / "nodes").mkdir()
    for node in range(1, 6):
        (tmp_path / "nodes" / f"{node}.properties").write_text(NODE.format(number=node), encoding="utf-8")
    environment = {**os.environ, "TIDEGATE_CACHE": str(tmp_path), "PYTHONIOENCODING": "utf-8"}
    run = subprocess.Popen(
        [sys.executable, "-m", "tidegate", *LONG[verb]], env=environment, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True, cwd=tmp_path,
    )  # fmt: skip
    wait_until_it_works(run)
    family = children(run.pid)
    run.send_signal(number)
    _, err = run.communicate(timeout=120)
    assert run.returncode == 5 and "Traceback" not in err, (run.returncode, err)
    for _ in range(LOOKS):
        if not any(is_running(pid) for pid in family):
            return
        time.sleep(LOOK_SECONDS)
    raise AssertionError(f"something of {verb} goes on")


IN_A_TEXT = """\
import os, signal
from tidegate.cli import main

def interrupted(arguments):
    try:
        exec("os.kill(os.getpid(), signal.SIGTERM)\\nwhile True: pass")
    except KeyboardInterrupt:
        return 5

main.main = interrupted
from tidegate.cli.entry import run

run()
"""


def test_an_interrupt_in_a_text_that_is_executed_has_the_same_exit(tmp_path: Path) -> None:
    """As where a dataclass is made: Python, run with `-m`, ended by SIGINT in the end, although it was caught."""
    (tmp_path / "in_a_text.py").write_text(IN_A_TEXT, encoding="utf-8")
    run = subprocess.run([sys.executable, "-m", "in_a_text"], cwd=tmp_path, timeout=60, capture_output=True, text=True)
    assert (run.returncode, run.stderr) == (5, "")


def wait_until_it_works(run: Gate) -> None:
    """Until a process has imported what it needs, and has used two seconds of a processor."""
    for _ in range(LOOKS):
        assert run.poll() is None, run.communicate()
        used = Path(f"/proc/{run.pid}/stat").read_text().rpartition(")")[2].split()[11:13]
        if sum(map(int, used)) / os.sysconf("SC_CLK_TCK") > 2 or len(children(run.pid)) > 1:
            return
        time.sleep(LOOK_SECONDS)
    raise AssertionError("it does not begin")


def test_a_gate_that_is_killed_leaves_no_process_behind(gates: list[Gate], tmp_path: Path, cache: Path) -> None:
    text = ENDLESS.format(number=2) + ENDLESS.format(number=3)
    gate = begin(gates, tmp_path, cache, text, "--workers", "1")
    family = [child(gate), *children(gate.pid)]
    gate.kill()
    gate.wait()
    for _ in range(LOOKS):
        if not any(is_running(pid) for pid in family):
            return
        time.sleep(LOOK_SECONDS)
    for pid in family:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    raise AssertionError("something goes on after the gate was killed")


def test_what_checks_are_forked_from_has_no_threads(gates: list[Gate], tmp_path: Path, cache: Path) -> None:
    gate = begin(gates, tmp_path, cache, ENDLESS.format(number=2), "--workers", "1")
    running = child(gate)
    warm = next(pid for pid in children(gate.pid) if running in children(pid))
    assert len(list(Path(f"/proc/{warm}/task").iterdir())) == 1
    gate.send_signal(signal.SIGINT)
    gate.communicate(timeout=600)
    assert gate.returncode == 5


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_without_a_fork_server_a_check_is_a_fresh_process(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def methods() -> list[str]:
        return [method]

    monkeypatch.setattr("tidegate.cli.forked_process.get_all_start_methods", methods)
    with fork_command(["models", "qqq"]) as command:
        exit_, out, err = command.wait_for_exit()
    assert (exit_, out) == (64, "")
    assert err.startswith("tidegate: there is no model qqq; known: ")


def is_running(pid: int) -> bool:
    """Whether a process is there, and not only its end, which nobody may have asked for yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


SETTINGS = GateSettings(engine=None, memory=None, time=None, tier="commit", ci=True)


@pytest.mark.parametrize(
    ("exit_", "out", "reported"),
    [
        (-11, '{"schema": "tidegate.check/1"}', "the process of this check was ended by SIGSEGV"),
        (70, '{"schema": "tidegate.check/1"}', "the process of this check ended with 70 and printed nothing"),
        (0, '{"schema": "tidegate.check/1"', "the process of this check ended with 0 and printed nothing"),
        (0, "null", "the process of this check ended with 0 and printed nothing"),
        (0, '{"schema": "else"}', "the process of this check ended with 0 and printed nothing"),
        (0, "", "the process of this check ended with 0 and printed nothing"),
    ],
)
def test_a_check_that_crashes_is_never_green(exit_: int, out: str, reported: str, tmp_path: Path) -> None:
    """Not even one that printed its report first."""
    (tmp_path / "gate.toml").write_text(HEAD + QUICK)
    check = read_record_file(tmp_path / "gate.toml").checks[0]
    result = check_result(check, CommandResult(exit_, out, "", 0.1), SETTINGS)
    assert (result.result, result.exit) == ("broke down", Exit.INTERNAL)
    assert [difference.text for difference in result.differences] == [reported]


def test_what_several_exits_come_to() -> None:
    order = [70, 65, 66, 69, 64, 7, 6, 1, 3, 2, 5, 4, 0]
    assert [int(worst_exit(Exit(code) for code in order[at:])) for at in range(len(order))] == order
