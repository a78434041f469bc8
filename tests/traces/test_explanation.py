"""Why a property is false: the first false conjunct, and the values that make it so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tidegate.language.binding import load
from tidegate.language.judge import initial_states, run_text
from tidegate.language.model import Model
from tidegate.language.values import Set, State, value_text
from tidegate.traces.explanation import explain_false

from ..support.courier import COURIER

PROPERTIES = '''

def empty(s: Town, person: Person) -> bool:
    """A helper."""
    return len(s.shelf[person]) == 0


@invariant
def conjunction(s: Town) -> bool:
    """x"""
    return s.written >= 0 and s.written < 1 and s.written < 0


@invariant
def implication(s: Town) -> bool:
    """x"""
    return not s.written > 0 or s.last is not None


@invariant
def alternatives(s: Town) -> bool:
    """x"""
    return s.written == 0 or s.written == 9


@invariant
def nobody(s: Town) -> bool:
    """x"""
    return not any(p in s.awake and q in s.awake for p in Person for q in Person if p != q)


@invariant
def helper(s: Town) -> bool:
    """x"""
    return all(empty(s, p) for p in Person)


@invariant
def early(s: Town) -> bool:
    """x"""
    if s.written == 0:
        return True
    return s.written > 5


@invariant
def given_up(s: Town) -> bool:
    """x"""
    for p in Person:
        if len(s.shelf[p]) > 0:
            return False
    return True


@invariant
def named(s: Town) -> bool:
    """x"""
    count = len(s.awake)
    enough = count > 2
    return enough


@invariant
def choice(s: Town) -> bool:
    """x"""
    return s.written == 5 if s.office == Office.OPEN else s.written == 6


@invariant
def whole(s: Town) -> bool:
    """x"""
    return any(p in s.awake and s.written > 7 for p in Person)


@invariant
def made_again(s: Town) -> bool:
    """x"""
    fine = s.written >= 0
    fine = fine and s.written > 8
    return fine


@invariant
def on_two_lines(s: Town) -> bool:
    """x"""
    return (
        s.written
        > 6
    )


@invariant
def between(s: Town) -> bool:
    """x"""
    return 3 < s.written < 9 and s.office not in {Office.OPEN}


@transition
def stepwise(before: Town, after: Town) -> bool:
    """x"""
    return all(len(after.shelf[p]) <= len(before.shelf[p]) for p in Person)
'''


@pytest.fixture(scope="module")
def explained_model(tmp_path_factory: pytest.TempPathFactory) -> Model:
    path = tmp_path_factory.mktemp("explained") / "town.py"
    path.write_text(COURIER.read_text() + PROPERTIES)
    return load(path).bind()


@pytest.mark.parametrize(
    ("name", "conjunct", "witness"),
    [
        ("conjunction", "s.written < 1", {}),
        ("implication", "s.last is not None", {}),
        ("alternatives", "s.written == 0 or s.written == 9", {}),
        ("nobody", "not (p in s.awake and q in s.awake)", {"p": "A", "q": "B"}),
        ("early", "s.written > 5", {}),
        ("named", "count > 2", {}),
        ("choice", "s.written == 5", {}),
        ("made_again", "s.written > 8", {}),
        ("on_two_lines", "s.written > 6", {}),
        ("between", "3 < s.written < 9", {}),
        ("whole", "any(p in s.awake and s.written > 7 for p in Person)", {}),
    ],
)
def test_a_false_property_is_broken_down(
    explained_model: Model, name: str, conjunct: str, witness: dict[str, str]
) -> None:
    state = run_text(explained_model, "wake({A, B}); write(A)").states()[-1]
    reason = explain_false(explained_model, {prop.name: prop for prop in explained_model.properties}[name], state)
    assert reason.conjunct == conjunct
    assert {key: value_text(value) for key, value in reason.witness.items()} == witness


def test_a_false_property_is_followed_into_helpers_and_loops(explained_model: Model) -> None:
    states = run_text(explained_model, "wake({A, B}); write(B); deliver(Letter(B, 0))").states()
    properties = {prop.name: prop for prop in explained_model.properties}
    helper = explain_false(explained_model, properties["helper"], states[-1])
    assert (helper.conjunct, value_text(helper.witness["p"])) == ("empty(s, p)", "B")
    assert helper.because is not None
    assert helper.because.conjunct == "len(s.shelf[person]) == 0"
    assert value_text(helper.because.witness["person"]) == "B"
    loop = explain_false(explained_model, properties["given_up"], states[-1])
    assert (loop.conjunct, value_text(loop.witness["p"])) == ("not (len(s.shelf[p]) > 0)", "B")
    step = explain_false(explained_model, properties["stepwise"], states[-2], states[-1])
    assert (step.conjunct, value_text(step.witness["p"])) == ("len(after.shelf[p]) <= len(before.shelf[p])", "B")


def test_what_cannot_be_followed_is_the_property_itself(explained_model: Model) -> None:
    odd = replace(explained_model.properties[0], form=None)
    state = next(initial_states(explained_model))
    assert isinstance(state, State)
    assert explain_false(explained_model, odd, state).conjunct == explained_model.properties[0].name
    assert Set() == state.awake


def test_a_property_whose_text_is_gone_is_the_reason_itself(tmp_path: Path) -> None:
    path = tmp_path / "town.py"
    path.write_text(COURIER.read_text() + PROPERTIES)
    model = load(path).bind()
    path.unlink()
    state = run_text(model, "wake({A, B}); write(A)").states()[-1]
    assert explain_false(model, {prop.name: prop for prop in model.properties}["named"], state).conjunct == "named"
