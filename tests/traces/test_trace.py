"""The trace document: sentences, differences, truth, and the first false conjunct with its witness."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidegate.language.binding import load
from tidegate.language.judge import initial_states, instances, run_text, steps
from tidegate.language.model import Model
from tidegate.language.steptext import format_step
from tidegate.language.values import ModelError, Set, State, show
from tidegate.language.verdict import Failure, PropertyVerdict, Run, Step
from tidegate.traces.choices import disabled
from tidegate.traces.differences import changes, state_to_json
from tidegate.traces.document import KEYFRAME_EVERY, run_document, trace_document
from tidegate.traces.explanation import why_false
from tidegate.traces.heading import replay_line
from tidegate.traces.sentences import sentence, split_template

from ..conftest import ROOT

COURIER = ROOT / "tests" / "fixtures" / "models" / "courier.py"
DEFINITION = load(COURIER)
MODEL = DEFINITION.bind(name="courier")
SWAPPED = "wake({A}); write(A); write(A); deliver(Letter(A, 1)); deliver(Letter(A, 0))"


def document_of(text: str, model: Model = MODEL) -> dict[str, Any]:
    return run_document(model, run_text(model, text))


# --- sentences --------------------------------------------------------------------------------------------------------


def test_every_step_has_its_sentence_in_the_state_before_it() -> None:
    assert [step["sentence"] for step in document_of(SWAPPED)["steps"]] == [
        "{A} wake up.",
        "Letter 0 is written to A.",
        "Letter 1 is written to A.",
        "A gets letter 1, 0 on the shelf already.",
        "A gets letter 0, 1 on the shelf already.",
    ]


def test_a_template_may_hold_any_expression_and_braces() -> None:
    pieces = list(split_template("{{x}} {d['k'][1:]}, {len({1, 2})}."))
    assert "".join(piece if isinstance(piece, str) else "#" for piece in pieces) == "{x} #, #."
    for wrong in ("{x", "x}", "{}", "{1 +}"):
        with pytest.raises(SyntaxError):
            list(split_template(wrong))


def test_a_sentence_that_cannot_be_filled_in_is_an_error_but_spoils_no_trace() -> None:
    start = next(initial_states(MODEL))
    deliver = MODEL.action("deliver")
    with pytest.raises(ModelError):
        sentence(MODEL, deliver, start, {"letter": None})


def test_a_sentence_that_breaks_says_why_in_the_trace(tmp_path: Path) -> None:
    path = tmp_path / "follower.py"
    text = (COURIER.parent / "follower.py").read_text(encoding="utf-8")
    path.write_text(text.replace("The higher one goes on.", "On from {6 // s.high}."), encoding="utf-8")
    document = run_document(model := load(path).bind(), run_text(model, "lead; lead"))
    first, second = (step["sentence"] for step in document["steps"])
    assert first.startswith("lead (the sentence in its docstring cannot be filled in: ") and "zero" in first
    assert second == "On from 6."


# --- differences ------------------------------------------------------------------------------------------------------


def test_differences_go_as_deep_as_the_types() -> None:
    steps_ = document_of(SWAPPED)["steps"]
    assert [step["changed"] for step in steps_] == [
        ["awake: + A"],
        ["written: 0 -> 1", "bag: + Letter(to=A, number=0)"],
        ["written: 1 -> 2", "bag: + Letter(to=A, number=1)"],
        [
            "bag: - Letter(to=A, number=1)",
            "shelf[A]: + Letter(to=A, number=1) at 0",
            "last: none -> A",
            "arrived: + 1",
        ],
        ["bag: - Letter(to=A, number=0)", "shelf[A]: + Letter(to=A, number=0) at 1", "arrived: + 0"],
    ]
    assert steps_[3]["writes"] == ["bag", "shelf[A]", "last", "arrived"]
    assert steps_[3]["lane"] == "A"
    assert steps_[3]["reads"] == ["bag", "awake"]


def applied(before: dict[str, Any], delta: dict[str, Any]) -> dict[str, Any]:
    """The state after a delta, as a reader of the document makes it (bags and sets as sorted lists)."""
    state = json.loads(json.dumps(before))
    for row in delta.get("~", []):
        *path, last, _old, new = row
        cell(state, path)[last] = new
    for row in reversed(delta.get("-", [])):
        take(state, row[:-1], row[-1])
    for row in delta.get("+", []):
        give(state, row[:-1], row[-1])
    return state


def cell(state: Any, path: list[Any]) -> Any:
    for key in path:
        state = state[key]
    return state


def take(state: Any, path: list[Any], value: Any) -> None:
    if isinstance(path[-1], int):
        assert cell(state, path[:-1]).pop() == value
    else:
        cell(state, path).remove(value)


def give(state: Any, path: list[Any], value: Any) -> None:
    cell(state, path[:-1] if isinstance(path[-1], int) else path).append(value)


def sorted_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: sorted_lists(setting) for name, setting in value.items()}  # pyright: ignore
    return sorted(value, key=json.dumps) if isinstance(value, list) else value  # pyright: ignore


@settings(max_examples=30, deadline=None)
@given(st.randoms(use_true_random=False))
def test_states_are_read_back_from_deltas_and_keyframes(random: Any) -> None:
    state = random.choice(list(initial_states(MODEL)))
    run, taken = Run(state, ()), list[Step]()
    for _ in range(KEYFRAME_EVERY + 3):
        choices = list(steps(MODEL, state))
        if not choices:
            break
        taken.append(random.choice(choices))
        state = taken[-1].after
    run = Run(run.start, tuple(taken))
    states = json.loads(json.dumps(run_document(MODEL, run)["states"]))
    shown: dict[str, Any] = {}
    for at, real in enumerate(run.states()):
        row = states[str(at)]
        shown = row if at % states["keyframe_every"] == 0 else applied(shown, row)
        assert sorted_lists(shown) == sorted_lists(state_to_json(real))


def test_nothing_changes_between_equal_states() -> None:
    for state in initial_states(MODEL):
        assert changes(MODEL.fields, state, state) == []


# --- what a property says ---------------------------------------------------------------------------------------------


def test_a_counterexample_says_what_is_false_of_what() -> None:
    run = run_text(MODEL, SWAPPED)
    verdict = PropertyVerdict("shelves_are_sorted", "invariant", "...", "violated", run)
    document = trace_document(MODEL, verdict, engine="native")
    assert document["property"]["fails"] == {
        "conjunct": "s.shelf[p][i].number < s.shelf[p][j].number",
        "witness": {"p": "A", "i": 0, "j": 1},
        "because": None,
        "where": {"file": "tests/fixtures/models/courier.py", "line": 173, "end_line": 173},
        "step": 5,
        "reads": ["shelf[A]"],
    }
    assert document["truth"] == {
        "shelves_are_sorted": "111110",
        "arrived_is_written": "111111",
        "nothing_is_unwritten": "-11111",
        "most_have_letters": "000000",
    }
    assert document["replay"] == (
        'tidegate replay courier --ghosts --property shelves_are_sorted --steps "wake({A}); write(A); write(A); '
        'deliver(Letter(to=A, number=1)); deliver(Letter(to=A, number=0))"'
    )
    assert (document["schema"], document["engine"], document["budgets"]) == (
        "tidegate.trace/1", "native", {"losses": 1},
    )  # fmt: skip
    assert document["lanes"] == [{"id": "A", "type": "person"}, {"id": "B", "type": "person"}]
    json.dumps(document)


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


def test_a_broken_step_and_a_deadlock_are_reported() -> None:
    model = DEFINITION.bind(constants={"mistake": "range"})
    run = run_text(model, "wake({A}); write(A)")
    person = model.namespace["Person"](0)
    failure = Failure("written: 3 is outside 0..2", "courier.py:1", run, "err", {"person": person})
    document = trace_document(model, failure)
    assert document["property"] is None
    assert document["failure"] == {
        "message": "written: 3 is outside 0..2", "where": "courier.py:1",
        "place": {"file": document["failure"]["place"]["file"], "line": 1, "end_line": 1},
        "action": "err", "args": {"person": "A"},
        "step": "err(A)", "sentence": "A makes a mistake.", "disabled": [],
    }  # fmt: skip
    stuck = trace_document(MODEL, Failure("stuck", "", run_text(MODEL, "wake({A, B})")))["failure"]
    assert {"step": "close", "why": "s.written == letters is false"} in stuck["disabled"]


def test_why_disabled_agrees_with_what_happens() -> None:
    state = run_text(MODEL, SWAPPED).states()[2]
    shown = {row["step"] for row in disabled(MODEL, state)}
    enabled = {format_step(step.action, step.arguments) for step in steps(MODEL, state)}
    assert shown.isdisjoint(enabled)
    assert shown | enabled == {format_step(action.name, given_) for action, given_ in instances(MODEL, state)}


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
def explained(tmp_path_factory: pytest.TempPathFactory) -> Model:
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
def test_a_false_property_is_broken_down(explained: Model, name: str, conjunct: str, witness: dict[str, str]) -> None:
    state = run_text(explained, "wake({A, B}); write(A)").states()[-1]
    reason = why_false(explained, {prop.name: prop for prop in explained.properties}[name], state)
    assert reason.conjunct == conjunct
    assert {key: show(value) for key, value in reason.witness.items()} == witness


def test_a_false_property_is_followed_into_helpers_and_loops(explained: Model) -> None:
    states = run_text(explained, "wake({A, B}); write(B); deliver(Letter(B, 0))").states()
    properties = {prop.name: prop for prop in explained.properties}
    helper = why_false(explained, properties["helper"], states[-1])
    assert (helper.conjunct, show(helper.witness["p"])) == ("empty(s, p)", "B")
    assert helper.because is not None
    assert helper.because.conjunct == "len(s.shelf[person]) == 0"
    assert show(helper.because.witness["person"]) == "B"
    loop = why_false(explained, properties["given_up"], states[-1])
    assert (loop.conjunct, show(loop.witness["p"])) == ("not (len(s.shelf[p]) > 0)", "B")
    step = why_false(explained, properties["stepwise"], states[-2], states[-1])
    assert (step.conjunct, show(step.witness["p"])) == ("len(after.shelf[p]) <= len(before.shelf[p])", "B")


def test_what_cannot_be_followed_is_the_property_itself(explained: Model) -> None:
    odd = replace(explained.properties[0], form=None)
    state = next(initial_states(explained))
    assert isinstance(state, State)
    assert why_false(explained, odd, state).conjunct == explained.properties[0].name
    assert Set() == state.awake


def test_a_property_whose_text_is_gone_is_the_reason_itself(tmp_path: Path) -> None:
    path = tmp_path / "town.py"
    path.write_text(COURIER.read_text() + PROPERTIES)
    model = load(path).bind()
    path.unlink()
    state = run_text(model, "wake({A, B}); write(A)").states()[-1]
    assert why_false(model, {prop.name: prop for prop in model.properties}["named"], state).conjunct == "named"
