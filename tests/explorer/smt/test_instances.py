"""An action with its arguments as terms: when it happens, and which arguments of plain Python a solution stands for."""

from __future__ import annotations

from dataclasses import replace

from tidegate.explorer.smt.encoding import finite_encoding
from tidegate.explorer.smt.instances import Instance
from tidegate.explorer.smt.states import constant_state
from tidegate.explorer.smt.transition import initial_instances, symbolic_instances
from tidegate.language.binding import load
from tidegate.language.judge import initial_states, steps

from ...conftest import ROOT
from ...support.smt import Ground, truth

LOCK = load(ROOT / "examples" / "lock.py").bind()


def ground_instances() -> list[Instance]:
    """The actions with all their arguments, from the first initial state."""
    encoding = finite_encoding(LOCK)
    before = constant_state(LOCK, encoding, next(initial_states(LOCK)))
    return list(symbolic_instances(LOCK, encoding, before, ground=True))


def test_the_arguments_of_an_instance_are_those_of_the_judges_step() -> None:
    """Of what is plainly impossible from a state that is known, nothing is made."""
    made = ground_instances()
    assert all(truth(instance.is_taken) and instance.may_happen for instance in made)
    found = [(instance.action.name, instance.argument_values(Ground())) for instance in made]
    judged = [(step.action, dict(step.arguments)) for step in steps(LOCK, next(initial_states(LOCK)))]
    assert found == judged and len(found) > 1


def test_a_step_happens_where_it_is_valid_and_neither_guard_nor_limit_stops_it() -> None:
    made = ground_instances()[0]
    assert not truth(replace(made, guard=False).is_taken) and not replace(made, guard=False).may_happen
    assert not truth(replace(made, limit=False).is_taken) and not replace(made, limit=False).may_happen
    assert not truth(replace(made, valid=False).is_taken) and replace(made, valid=False).may_happen


def test_a_start_has_the_arguments_of_its_initial_function() -> None:
    (start,) = initial_instances(LOCK, finite_encoding(LOCK))
    assert (start.initial.name, start.argument_values(Ground())) == (LOCK.initials[0].name, {})
