"""Runs that cover all pairs of actions: each is a run of the model, and what none covers is named."""

from __future__ import annotations

from functools import cache

from tidegate.language import judge
from tidegate.real.driving.controllers.plan import MODEL, model_of
from tidegate.real.driving.fitting import DrivenTrace
from tidegate.real.inprocess.covering import BOUNDS, Coverage, covering_runs, pairs_of

MODEL_OF_3_9 = model_of(DrivenTrace(BOUNDS | {"max_epoch": 1}, (), "", "", MODEL), "3.9", ghosts=False)


@cache
def everything() -> Coverage:
    """All pairs, of a model in which every step is taken."""
    return covering_runs(MODEL_OF_3_9, lambda states, steps: True)


def test_pairs_are_of_actions_in_a_row_and_the_first_follows_the_start() -> None:
    assert pairs_of(["vote", "fetch", "fetch"]) == {("", "vote"), ("vote", "fetch"), ("fetch", "fetch")}
    assert pairs_of([]) == set()


def test_every_pair_that_is_covered_is_in_one_of_the_runs_which_the_judge_takes() -> None:
    found = everything()
    assert not found.not_driven and len(found.pairs) > 20
    assert set().union(*(pairs_of([step.action for step in run.steps]) for run in found.runs)) == found.pairs
    actions = {action.name: action for action in MODEL_OF_3_9.actions}
    for run in found.runs:
        for before, step in zip(run.states(), run.steps, strict=False):
            assert judge.attempt(MODEL_OF_3_9, before, actions[step.action], step.arguments) == step.state_after


def test_pairs_of_a_step_that_is_not_taken_are_named_and_no_others() -> None:
    found = covering_runs(MODEL_OF_3_9, lambda states, steps: steps[-1].action != "resign")
    assert found.not_driven == {pair for pair in everything().pairs if "resign" in pair}
    assert found.pairs | found.not_driven == everything().pairs


def test_a_random_run_has_no_pair_that_is_not_covered() -> None:
    state, names = next(judge.initial_states(MODEL_OF_3_9)), list[str]()
    while steps := list(judge.steps(MODEL_OF_3_9, state)):
        step = steps[len(names) * 7 % len(steps)]
        names.append(step.action)
        state = step.state_after
        if len(names) > 40:
            break
    assert pairs_of(names) <= everything().pairs
