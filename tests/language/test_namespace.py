"""Binding by rebinding names: an author's functions over bound globals, the module left as it was."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from tidegate.language import is_majority
from tidegate.language.binding import load
from tidegate.language.constants import Constant
from tidegate.language.judge import attempt, initial_states
from tidegate.language.namespace import BoundDomain
from tidegate.language.values import ModelError, Set, State, value_text

from ..conftest import ROOT

COURIER = ROOT / "tests" / "fixtures" / "models" / "courier.py"


@pytest.fixture(scope="module")
def module() -> ModuleType:
    return load(COURIER).module


def bind_namespace(people: int) -> Any:
    return load(COURIER).bind(constants={"people": people}).namespace


def test_constants_domains_and_the_state_have_their_values() -> None:
    names = bind_namespace(3)
    assert names["people"] == 3
    assert isinstance(names["Person"], BoundDomain)
    assert [repr(person) for person in names["Person"]] == ["A", "B", "C"]
    assert len(names["Person"]) == 3
    assert names["Person"](2) in names["Person"]
    assert Set(names["Person"]) == set(names["Person"])
    with pytest.raises(ModelError, match="Person has no member 3"):
        names["Person"](3)


def test_the_module_itself_is_not_touched(module: ModuleType) -> None:
    load(COURIER).bind()
    assert isinstance(module.people, Constant)
    with pytest.raises(TypeError, match="no members until the model is bound"):
        list(module.Person)


def test_one_text_is_bound_twice_without_mixing() -> None:
    definition = load(COURIER)
    small, large = (definition.bind(constants={"people": people}) for people in (1, 4))
    assert [len(next(initial_states(model)).shelf) for model in (small, large)] == [1, 4]
    assert small.namespace["Person"](0) is large.namespace["Person"](0)


def test_a_majority_is_of_the_bound_domain() -> None:
    for people, members, expected in ((3, 2, True), (4, 2, False), (4, 3, True), (4, 0, False)):
        names = bind_namespace(people)
        some = Set(names["Person"].members[:members])
        assert names["is_majority"](some) is expected
    with pytest.raises(TypeError, match="bind the model"):
        is_majority(Set())


def test_code_is_the_authors_own(module: ModuleType) -> None:
    definition = load(COURIER)
    for action in definition.bind().actions:
        original = vars(definition.module)[action.name]
        code, own = action.run.__code__, original.__code__
        assert (code.co_filename, code.co_firstlineno) == (own.co_filename, own.co_firstlineno)
        assert code is own or action.budget is not None
        assert action.run.__globals__ is not original.__globals__
        assert action.run.__doc__ == original.__doc__


DISPLAYS = '''

@action
def line_up(s: Town) -> None:
    """Everyone sends a letter, in order."""
    require(len(s.bag) == 0)
    for p in {p for p in Person if p in s.awake}:
        s.shelf[p].append(Letter(to=p, number=s.written))
        s.written += 1
'''


def test_a_loop_over_a_set_display_meets_members_in_their_order(tmp_path: Path) -> None:
    path = tmp_path / "town.py"
    path.write_text(COURIER.read_text() + DISPLAYS)
    model = load(path).bind(constants={"people": 4, "letters": 4})
    action = model.action("line_up")
    state = attempt(model, list(initial_states(model))[-1], action, {})
    assert isinstance(state, State)
    assert (
        value_text(state.shelf)
        == "{" + ", ".join(f"{p}: [Letter(to={p}, number={n})]" for n, p in enumerate("ABCD")) + "}"
    )
    lines = {line for _, _, line in action.run.__code__.co_lines()}
    assert action.run.__code__.co_filename == str(path)
    assert max(line for line in lines if line) == len(path.read_text().splitlines()), "its lines are the author's"
