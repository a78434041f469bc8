"""The longest trace of each action: how deep into the model it still happens, so that people see that a model lives.

Breadth first on the judge: of all shortest runs that end with an action, the longest. Where the model has more states
than are looked at, it is the longest among those, and the answer says so.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from ..language.immutable import immutable
from ..language.judge import initial_states, steps
from ..language.model import Model
from ..language.values import ModelError, State
from ..language.verdict import Run, Step

STATES_MAX = 20_000


@immutable
class LongestRuns:
    """The runs by action; an action that never happened has none. `complete`: every reachable state was looked at."""

    runs: dict[str, Run]
    states: int
    complete: bool


def longest_runs(model: Model, actions: Collection[str], *, states_max: int = STATES_MAX) -> LongestRuns:
    """The longest run of each of these actions within the first `states_max` states, breadth first.

    A step that breaks the model's types ends its branch.
    """
    origins: dict[State, tuple[State, Step] | None] = {state: None for state in initial_states(model)}
    depths = dict.fromkeys(origins, 0)
    ends: dict[str, tuple[State, Step]] = {}
    waiting = list(origins)
    for state in waiting:
        for step in _steps_until_error(model, state):
            if step.action in actions and (step.action not in ends or depths[state] > depths[ends[step.action][0]]):
                ends[step.action] = state, step
            if step.state_after not in origins and len(origins) < states_max:
                origins[step.state_after], depths[step.state_after] = (state, step), depths[state] + 1
                waiting.append(step.state_after)
    runs = {action: _run_ending_with(*ends[action], origins) for action in actions if action in ends}
    return LongestRuns(runs, len(origins), len(origins) < states_max)


def _steps_until_error(model: Model, state: State) -> Iterator[Step]:
    """The steps from a state, up to one that breaks the model's types."""
    try:
        yield from steps(model, state)
    except ModelError:
        return


def _run_ending_with(state: State, last: Step, origins: Mapping[State, tuple[State, Step] | None]) -> Run:
    taken = [last]
    while (origin := origins[state]) is not None:
        state, step = origin
        taken.append(step)
    return Run(state, tuple(reversed(taken)))
