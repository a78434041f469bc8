"""`tidegate check`: its exits, and what it says of a violation, a deadlock, a bound and an end before the end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ..conftest import Run, RunHere
from ..support.lock_commands import LOCK, counter_in


@pytest.fixture
def counter(tmp_path: Path) -> Any:
    return counter_in(tmp_path)


def test_what_holds_exits_0(tidegate: Run) -> None:
    done = tidegate("check", f"{LOCK}:careful")
    assert done.exit == 0
    assert done.out.startswith("✓ examples/lock.py:careful holds: exhaustive within bounds\n")
    assert "clients=2" in done.out


def test_a_violation_exits_1_with_the_property_in_words_the_steps_and_the_reason(tidegate: Run) -> None:
    done = tidegate("check", f"{LOCK}:careless")
    assert done.exit == 1
    assert "At most one client is inside." in done.out
    assert "  3  A takes the lock and goes in.\n         held: false -> true\n" in done.out
    assert "a == b or s.place[a] != Place.INSIDE or s.place[b] != Place.INSIDE\n    where a = A, b = B" in done.out


def test_a_deadlock_exits_2_and_says_why_nothing_can_happen(tidegate: Run, counter: Any) -> None:
    done = tidegate("check", counter("require(s.value < most)"))
    assert done.exit == 2
    assert "deadlocks" in done.out
    assert "why no step can be taken:" in done.out
    assert "  s.value < most is false" in done.out


def test_a_bound_is_no_deadlock(tidegate: Run, counter: Any) -> None:
    done = tidegate("check", counter("limit(s.value < most)"))
    assert done.exit == 0
    assert "limits that cut" in done.out


def test_what_cannot_be_folded_is_said_to_be_and_why(
    tmp_path: Path, run_here: RunHere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidegate.cli.check._STATES_WORTH_FOLDING", 1)
    for more, note in (
        ("True", "note: the members of Node are alike; --symmetry explores several times fewer states"),
        ("s.at == Node(0)", "note: with --symmetry, Node is not folded: nodes.py:14 names one member"),
    ):
        (tmp_path / "nodes.py").write_text(FOLDED.replace("MORE", more))
        monkeypatch.chdir(tmp_path)
        out = " ".join(run_here("check", "nodes.py", "--no-symmetry")[1].split())
        assert note in out
        assert out.count("--symmetry") == 1


FOLDED = '''"""Nodes."""
from tidegate.language import Domain, action, initial, require, state
class Node(Domain, size=3, symmetric=True):
    """A node."""
@state
class World:
    """One of them."""
    at: Node
@initial
def start(at: Node) -> World:
    return World(at=at)
@action
def move(s: World, to: Node) -> None:
    require(MORE)
    s.at = to
'''


def test_a_missing_witness_beside_what_holds_is_a_warning(tidegate: Run, counter: Any) -> None:
    more = '@reachable\ndef far(s: Counter) -> bool:\n    """It counts to nine."""\n    return s.value == 9\n'
    more += '@invariant\ndef small(s: Counter) -> bool:\n    """It is small."""\n    return s.value < 9\n'
    done = tidegate("check", counter("limit(s.value < most)", more))
    assert done.exit == 0
    assert "missing  far: It counts to nine." in done.out
    assert "\n! never happens: far\n" in done.out


def test_an_action_that_never_happens_is_a_warning_and_its_guard_is_named(tidegate: Run, counter: Any) -> None:
    more = '@action\ndef reset(s: Counter) -> None:\n    """It starts anew."""\n'
    more += "    require(s.value > most)\n    s.value = 0\n"
    done = tidegate("check", counter("limit(s.value < most)", more))
    assert done.exit == 0
    assert "\n! never happens: reset\n" in done.out
    assert "never happened: reset" in done.out
    assert "s.value > most" in done.out


@pytest.mark.parametrize("engine", ["native", "python"])
def test_a_search_out_of_time_exits_5_and_still_reports(tidegate: Run, engine: str) -> None:
    done = tidegate(
        "check", "replication:kip320", "--set", "max_leader_epoch=9", "--time", "0.3", "--engine", engine, "--json"
    )
    report = json.loads(done.out)
    assert (done.exit, report["verdict"], report["outcome"]) == (5, "inconclusive", "none")
    assert report["distinct_states"] > 0
    assert "exhaustive" not in report["assurance"]


def test_a_step_that_breaks_a_range_exits_7_and_names_the_line(tidegate: Run, counter: Any) -> None:
    done = tidegate("check", counter("require(s.value >= 0)"))
    assert done.exit == 7
    assert "counter.py:18" in done.out
    assert "It counts on from 3." in done.out
    assert done.out.rstrip().endswith('--steps "count; count; count; count"'), "the step that breaks it is replayed too"
    again = tidegate("replay", counter("require(s.value >= 0)"), "--steps", "count; count; count; count")
    assert again.exit == 7
    assert again.out in done.out
