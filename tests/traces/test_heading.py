"""The line that replays a run."""

from __future__ import annotations

from typing import Any

from tidegate.language.judge import initial_states
from tidegate.language.verdict import Run
from tidegate.traces.heading import replay_line

from ..support.courier import DEFINITION


def test_the_replay_line_sets_what_differs_from_the_defaults_and_the_profile() -> None:
    def options(**bound: Any) -> str:
        model = DEFINITION.bind(ghosts=False, **bound)
        return replay_line(model, Run(next(initial_states(model)), ())).partition("replay ")[2]

    assert options(name="courier") == 'courier --steps ""'
    assert options(name="courier", constants={"people": 3}) == 'courier --set people=3 --steps ""'
    assert options(name="courier:careful", profile="careful") == 'courier:careful --steps ""'
    assert options(name="courier:careful", profile="careful", constants={"losses": 1}) == (
        'courier:careful --set losses=1 --steps ""'
    )
    assert "--set mistake=range" in options(name="courier", constants={"mistake": "range"})
