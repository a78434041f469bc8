"""Random commands on real brokers, and `audit --confirm`: what is commanded, what is said, what is written.

Also of: `cluster`, `world`.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

import pytest
from tidegate.api.auditing import parse_requirements
from tidegate.audit.auditing import read_cluster
from tidegate.audit.joining.options import Options
from tidegate.cli.audit import add, run_audit
from tidegate.cli.audit_confirm import confirm_losses
from tidegate.cli.audit_files import assign_scenario_pages, save_audit
from tidegate.cli.verbs import empty_parser
from tidegate.real.driving.nodes.releases import Release
from tidegate.real.driving.nodes.running import NodesError
from tidegate.real.driving.partition import random_commands as random_commands
from tidegate.real.driving.partition.cluster import PartitionCluster
from tidegate.real.driving.partition.random_commands import RandomCommands, Round, run_rounds
from tidegate.real.driving.partition.world import PartitionObservation
from tidegate.reports.confirm import random_rounds_text
from tidegate.reports.text_page import TextFormat

from ....conftest import ROOT, Run, RunHere

STRIMZI = ROOT / "examples" / "clusters" / "strimzi"
RELEASE = Release("3.9.1", Path("jars"), "java")


class Nodes:
    def __init__(self) -> None:
        self.running = {1, 2, 3}


class CommandRecorder:
    """A cluster that notes what is commanded."""

    def __init__(self) -> None:
        self.nodes = Nodes()
        self.did = list[str]()
        self.order: Sequence[int] = (1, 2, 3)
        self.under_way = False

    def observe(self) -> PartitionObservation:
        return PartitionObservation(1, 0, frozenset({1, 2, 3}), frozenset(), frozenset(), {})

    def stopped_brokers(self) -> Sequence[int]:
        return [one for one in (1, 2, 3) if one not in self.nodes.running]

    def kill(self, broker: int) -> None:
        self.nodes.running.remove(broker)

    def start(self, broker: int) -> None:
        assert broker not in self.nodes.running
        self.nodes.running.add(broker)

    def shut_down(self, broker: int, seconds: float) -> bool:
        self.kill(broker)
        return True

    def is_reassigned(self) -> bool:
        return self.under_way

    def set_assignment(self, brokers: Sequence[int]) -> Sequence[int]:
        assert not self.under_way, "another target is no step of the model"
        self.order, self.under_way = brokers, not self.under_way
        return brokers

    def cancel_reassignment(self) -> Sequence[int]:
        self.under_way = False
        return (1, 2, 3)

    def elect_leader(self, kind: int) -> None:
        raise NodesError("no broker answers")

    def __getattr__(self, name: str) -> Any:
        def note(*given: object) -> None:
            self.did.append(f"{name}{given}")

        return note


def commands(seed: int, monkeypatch: pytest.MonkeyPatch, power: bool = False) -> list[str]:
    def wait(seconds: float) -> None:
        assert seconds >= 0

    monkeypatch.setattr(random_commands.time, "sleep", wait)
    world = CommandRecorder()
    acting = RandomCommands(cast(PartitionCluster, world), seed, power)
    for number in range(200):
        acting.run_command(number)
        assert len(world.nodes.running) >= 1
    return acting.did


def test_a_seed_is_its_commands_and_one_broker_always_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    first = commands(1, monkeypatch)
    assert commands(1, monkeypatch) == first
    assert commands(2, monkeypatch) != first
    begins = {said.partition("(")[0].partition(" of ")[0].partition(" to ")[0] for said in first}
    assert begins == {
        "produce", "crash", "start", "shut_down", "elect_preferred", "hold fetches", "let fetches", "hold heartbeats",
        "let heartbeats", "hold AlterPartition", "let AlterPartition",
        "reassign", "cancel: reassign",
    }  # fmt: skip


def test_with_power_one_broker_loses_it_and_no_process_dies(monkeypatch: pytest.MonkeyPatch) -> None:
    did = commands(1, monkeypatch, power=True)
    assert sum(said.startswith("lose_power") for said in did) == 1
    assert not [said for said in did if said.startswith("crash") or "killed" in said]


def test_what_came_of_a_round() -> None:
    fine = Round(1, (), "shown", None, 4, ())
    assert (fine.result, fine.why) == ("fine", None)
    lost = Round(2, ("crash(1)",), "shown", None, 4, (3,))
    assert (lost.result, lost.why) == ("differs", "acknowledged, and gone: 3")
    other = Round(3, (), "not_shown", "moment 2 of 9, at offset 24", 4, ())
    assert (other.result, other.why) == ("differs", "no run of the model shows moment 2 of 9, at offset 24")
    late = Round(4, (), "undecided", "moment 2 of 9, at offset 24: the search has not ended", 4, ())
    assert (late.result, late.why) == (
        "undecided", "its history is undecided: moment 2 of 9, at offset 24: the search has not ended",
    )  # fmt: skip


def test_rounds_take_the_next_seed_and_one_that_did_not_start_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    def round_of(release: Release, elr: bool, seed: int, keep: Path | None, power: bool) -> Round:
        if seed == 8:
            raise NodesError("the brokers did not start within 180 s")
        return Round(seed, ("crash(1)",), "shown", None, 2, (0,) if seed == 9 else ())

    clock = iter(range(100))
    monkeypatch.setattr(random_commands, "run_round", round_of)
    monkeypatch.setattr(random_commands.time, "monotonic", lambda: float(next(clock)))
    rounds = run_rounds(RELEASE, False, 7, 8.0)
    assert [(one["seed"], one["result"]) for one in rounds] == [(7, "fine"), (8, "undecided"), (9, "differs")]
    text = random_rounds_text({"kafka": "3.9.1", "seed": 7, "rounds": rounds}, TextFormat(100))
    assert text == (
        "? seed 8: the brokers did not start within 180 s\n"
        "✗ seed 9: acknowledged, and gone: 0\n"
        "    crash(1)\n"
        "Kafka 3.9.1, 3 rounds from seed 7: 1 fine, 1 differs, 1 undecided; 4 acknowledged records, 1 gone.\n"
    )


def test_a_round_that_differs_is_made_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    """It differs where commands 3 and 17 are among them; one of the smaller rounds does not start."""
    tried = list[Sequence[int]]()

    def round_of(
        release: Release, elr: bool, seed: int, keep: Path | None, power: bool, numbers: Sequence[int] = range(30)
    ) -> Round:
        tried.append(numbers)
        if len(tried) == 2:
            raise NodesError("the brokers did not start within 180 s")
        said = tuple(f"crash({number})" for number in numbers)
        return Round(seed, said, "shown", None, 2, (0,) if {3, 17} <= set(numbers) else ())

    monkeypatch.setattr(random_commands, "run_round", round_of)
    (one,) = run_rounds(RELEASE, False, 7, 0.0, shrink=True)
    assert (len(one["commands"]), one["smaller"]["commands"]) == (30, ["crash(3)", "crash(17)"])
    assert len(tried) <= random_commands.MOST_SMALLER + 1
    text = random_rounds_text({"kafka": "3.9.1", "seed": 7, "rounds": [one]}, TextFormat(100))
    assert "  with 2 commands as well: acknowledged, and gone: 0\n    crash(3)\n    crash(17)\n" in text
    (plain,) = run_rounds(RELEASE, False, 7, 0.0)
    assert plain["smaller"] is None


@pytest.mark.parametrize("after", [0, 3])
def test_what_is_done_by_an_interrupt_is_reported(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """An hour of rounds was lost with it."""

    def round_of(release: Release, elr: bool, seed: int, keep: Path | None, power: bool) -> Round:
        if seed == 7 + after:
            raise KeyboardInterrupt
        return Round(seed, (), "shown", None, 2, ())

    monkeypatch.setattr(random_commands, "run_round", round_of)
    if after == 0:
        with pytest.raises(KeyboardInterrupt):
            run_rounds(RELEASE, False, 7, 3_600.0)
    else:
        assert [one["seed"] for one in run_rounds(RELEASE, False, 7, 3_600.0)] == [7, 8, 9]


def test_commands_that_are_left_out_change_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(random_commands.time, "sleep", lambda seconds: None)  # pyright: ignore

    def draw_commands(numbers: Sequence[int]) -> list[str]:
        world = CommandRecorder()
        acting = RandomCommands(cast(PartitionCluster, world), 5)
        acting.run_command(numbers[0])
        for number in numbers[1:]:
            acting.run_command(number)
        return acting.did

    holds = [
        number for number in range(60) if draw_commands([number])[:1] and draw_commands([number])[0].startswith("hold")
    ]
    assert draw_commands(holds) == [draw_commands([number])[0] for number in holds]
    assert draw_commands(holds[::2]) == draw_commands(holds)[::2]


def test_random_commands_and_traces_are_two_things(run_here: RunHere) -> None:
    for given, why in (
        (["--random", "loss.trace.json"], "--random makes its own commands: give it no TRACE"),
        ([], "give a TRACE, or --random"),
        (["--shrink", "loss.trace.json"], "--shrink is of random commands: give --random too"),
        (["--power", "loss.trace.json"], "--power is of random commands: give --random too"),
    ):
        exit_, text = run_here("confirm", *given)
        assert (exit_, why in text) == (64, True)
    exit_, text = run_here("audit", str(STRIMZI), "--confirm")
    assert (exit_, "give --out DIR too" in text) == (64, True)


@pytest.mark.long
def test_an_audit_confirms_each_different_loss_and_its_repair(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TIDEGATE_CACHE", str(cache))
    made, verbs = empty_parser()
    add(verbs)
    options: argparse.Namespace = made.parse_args(["audit", str(STRIMZI), "--kafka-version", "3.9.1"])
    done = run_audit(
        read_cluster(options.files, Options(kafka_version="3.9.1")), parse_requirements([]), (), options.time, options
    )
    scenarios = assign_scenario_pages(done)
    save_audit(done, scenarios, tmp_path)
    asked = list[tuple[str, str | None, bool]]()

    def confirm(trace: dict[str, Any], *, kafka: str | None, with_repair: bool, report: Any) -> dict[str, Any]:
        asked.append((trace["property"]["name"], kafka, with_repair))
        why = "acknowledged, and still there: record 0" if with_repair else "acknowledged, and gone: record 0"
        return {
            "title": trace["title"], "result": "confirmed", "why": why, "kafka": kafka, "repaired": with_repair,
            "steps": [], "skipped": [], "step": None, "seconds": 1.0,
        }  # fmt: skip

    confirm_losses(done, scenarios, tmp_path, TextFormat(100), quiet=False, confirm=confirm)
    pages = [tmp_path / subject["loss"]["html"] for subject in done.document["subjects"] if subject["loss"]]
    assert len(pages) >= 2
    assert asked == [("acked_durable", "3.9.1", False), ("acked_durable", "3.9.1", True)] * (len(asked) // 2)
    assert len(json.loads((tmp_path / "confirmed.json").read_text(encoding="utf-8"))["results"]) == len(asked)
    assert ElementTree.parse(tmp_path / "confirmed.xml").getroot()[0].get("tests") == str(len(asked))
    for path in pages:
        text = path.read_text(encoding="utf-8")
        assert "Confirmed on Kafka 3.9.1: acknowledged, and gone: record 0." in text
        assert "Confirmed on Kafka 3.9.1 with the repair: acknowledged, and still there: record 0." in text
    assert capsys.readouterr().out.endswith(f"{len(asked)} runs: {len(asked)} confirmed.\n")


@pytest.mark.brokers
@pytest.mark.parametrize("version", ["3.9.1", "4.1.0"])
def test_random_commands_on_real_brokers_are_a_run_of_the_model(tidegate: Run, version: str) -> None:
    done = tidegate("confirm", "--random", "--seed", "1", "--minutes", "1", "--kafka-version", version, "--json")
    document = json.loads(done.out)
    assert done.exit == 0, document
    assert sum(one["acknowledged"] for one in document["rounds"]) > 0
