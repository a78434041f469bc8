"""Whether a run leads to a counterexample to induction.

Also of: `sampling`.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer.smt import induction
from tidegate.explorer.smt.reach import StatesWithinReach
from tidegate.explorer.smt.sampling import Sample
from tidegate.language.binding import load
from tidegate.reports.document import not_replayed_text

from ...support.induction import ROWS, STEPS, found_in
from .test_induction import Wrong, X


def test_where_no_run_leads_is_said_with_the_states_that_were_looked_at(tmp_path: Path) -> None:
    wrong = Wrong({**X, "y": ("Two", "0")}, {"step": "require(s.y == 2)\ns.bad = True", "up": "s.y = 1 - min(s.y, 1)"})
    _, against = found_in(tmp_path, wrong)
    assert against.reachability == "No run with top=1 leads to that state: all 2 states were looked at."
    said = not_replayed_text({"explored": against.reachability})
    assert said.endswith("all lemmas hold in its first state. " + against.reachability)


def test_where_the_search_ends_early_nothing_is_claimed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidegate.explorer.smt.reach.WORK", 3)
    _, against = found_in(tmp_path, Wrong(ROWS, STEPS))
    assert against.reachability.startswith(
        "Whether a run with top=2 leads to that state is not known: it is none of the"
    )


def test_where_a_run_leads_there_the_whole_run_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random runs find most of these before; here there are none."""
    nothing_met = Sample(1, (), frozenset({"up", "step"}))

    def no_runs(*_: object) -> Sample:
        return nothing_met

    monkeypatch.setattr(induction, "take_sample", no_runs)
    wrong = Wrong({"x": ("Two", "0")}, {"up": "require(s.x < 2)\ns.x += 1", "step": "require(s.x == 2)\ns.bad = True"})
    _, against = found_in(tmp_path, wrong)
    assert (against.reachable, against.reachability) == (True, "")
    assert [step.action for step in against.run.steps] == ["up", "up", "step"]


def test_a_run_to_a_state_has_the_fewest_steps(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(Wrong({"x": ("Two", "0")}, {"up": "require(s.x < 2)\ns.x += 1"}).text(), encoding="utf-8")
    model = load(path).bind()
    reach = StatesWithinReach(model)
    assert (reach.complete, len(reach)) == (True, 3)
    last = max(reach.states_by_distance(), key=lambda state: state.x)
    run = reach.run_to(last)
    assert run is not None and [step.action for step in run.steps] == ["up", "up"]
