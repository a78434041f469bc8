"""The abstract action that comes nearest to a step which is none of an abstract model's."""

from __future__ import annotations

from tidegate.language.judge import initial_states
from tidegate.traces.nearest import nearest_action

from ..support.traces import bind_model


def test_the_one_whose_result_differs_least_is_nearest_and_says_in_what() -> None:
    model = bind_model("examples/minute_clock.py", minutes=2, impatient=True)
    (prop,) = [prop for prop in model.properties if prop.refinement is not None]
    assert prop.refinement is not None
    abstract = prop.refinement.abstract
    midnight, _, two, *_ = initial_states(abstract)
    found = nearest_action(prop.refinement, midnight, two, "tick")
    assert found is not None
    assert (found.step, found.guard) == ("advance", None)
    assert [(change.cell, change.value_before, change.value_after) for change in found.changes] == [("hour", 1, 2)]
