"""`simulate`: one run, the same for the same seed, and how it ended."""

from __future__ import annotations

from pathlib import Path

import tidegate as tg
from tidegate.language.judge import format_run
from tidegate.language.values import State
from tidegate.language.verdict import Step

from ..conftest import ROOT

LOCK = ROOT / "examples" / "lock.py"


def test_a_run_is_the_same_for_the_same_seed_and_has_as_many_steps_as_asked_for() -> None:
    one, again, other = (tg.simulate(LOCK, seed=seed, steps=20) for seed in (1, 1, 2))
    assert len({format_run(made.model, made.run) for made in (one, again)}) == 1
    assert format_run(one.model, one.run) != format_run(other.model, other.run)
    assert len(one.run.steps) == 20 and not one.ended and one.failure is None and one.violated is None


def test_a_property_that_fails_along_it_is_named_and_the_run_goes_on() -> None:
    found = next(made for seed in range(20) if (made := tg.simulate(f"{LOCK}:careless", seed=seed, steps=30)).violated)
    assert found.violated == "one_inside" and len(found.run.steps) == 30
    assert repr(found).endswith("30 steps, fails: one_inside>")
    assert found.document()["property"]["name"] == "one_inside"
    assert "one_inside" in str(found)


def test_where_nothing_can_happen_it_ends_and_that_is_its_failure(tmp_path: Path) -> None:
    model = tmp_path / "stuck.py"
    model.write_text(
        LOCK.read_text(encoding="utf-8").replace("require(s.place[client] == Place.INSIDE)", "require(False)"),
        encoding="utf-8",
    )
    found = tg.simulate(model)
    assert found.ended and found.failure is not None and found.failure.message == "no action is possible here"
    assert found.document()["kind"] == "deadlock" and len(found.run.steps) == 1


def test_each_step_is_heard_with_the_state_before_it() -> None:
    heard: list[tuple[State, Step]] = []
    made = tg.simulate(LOCK, steps=5, heard=lambda state, step: heard.append((state, step)))
    assert [step for _, step in heard] == list(made.run.steps)
    assert [state for state, _ in heard] == list(made.run.states()[:-1])


def test_faults_are_as_likely_as_asked_for() -> None:
    """Of a model in which they are always possible; 0 is none, 1 is nothing else where there is one."""
    none = tg.simulate("replication", faults=0.0, steps=15)
    kinds = {action.name: action.kind for action in none.model.actions}
    assert all(kinds[step.action] != "fault" for step in none.run.steps)
    some = tg.simulate("replication", faults=1.0, steps=15)
    assert any(kinds[step.action] == "fault" for step in some.run.steps)
