"""Where an engine and plain Python disagree, the message names the line, the step, and the values on both sides."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tidegate.api.models import ModelChoice, bind_model
from tidegate.cli.main import main
from tidegate.explorer import ENGINES
from tidegate.explorer.native import outcome
from tidegate.explorer.native import search as native_search
from tidegate.explorer.native.cells import NativeTruth, PackedValue
from tidegate.explorer.native.frontier import Frontier
from tidegate.explorer.native.statements import Statements
from tidegate.explorer.search import Search
from tidegate.language import ir
from tidegate.language.judge import initial_states
from tidegate.language.model import Model
from tidegate.language.verdict import DisagreementError, Verdict
from tidegate.reports.exits import Exit

TEXT = '''"""A dial."""
from __future__ import annotations
from typing import Annotated
from tidegate.language import Range, action, initial, invariant, require, state, terminal

@state
class Dial:
    """A number."""
    value: Annotated[int, Range(0, 7)]

@initial
def zero() -> Dial:
    return Dial(value=0)

@action
def turn(s: Dial, by: Annotated[int, Range(1, 2)]) -> None:
    """It turns."""
    require(s.value + by < 6)
    s.value = s.value + by

@terminal
def at_the_end(s: Dial) -> bool:
    """It cannot turn."""
    return s.value == 5

@invariant
def is_low(s: Dial) -> bool:
    """It is low."""
    return s.value < 6
'''


@pytest.fixture
def model(tmp_path: Path) -> Model:
    path = tmp_path / "dial.py"
    path.write_text(TEXT)
    return bind_model(ModelChoice(str(path)))


def native(model: Model, **options: Any) -> Verdict:
    return ENGINES["native"](model, Search(**options), None)


def message_of(model: Model, engine: str = "native") -> str:
    with pytest.raises(DisagreementError) as caught:
        ENGINES[engine](model, Search(), None)
    return str(caught.value)


def wrong_constant(monkeypatch: pytest.MonkeyPatch, right: int, wrong: int, op: str) -> None:
    """Compiles `... op right` as `... op wrong`."""
    true = Statements.evaluate

    def evaluate(self: Statements, node: ir.Expr) -> Any:
        """One constant is another."""
        if not (isinstance(node, ir.Compare) and node.op == op and isinstance(node.right, ir.Const)):
            return true(self, node)
        if node.right.number == right:
            other = ir.Const(wrong, node.right.type, node.right.where)
            return true(self, ir.Compare(node.op, node.left, other, node.type, node.where))
        return true(self, node)

    monkeypatch.setattr(Statements, "evaluate", evaluate)


def test_a_start_that_is_none(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    first = next(initial_states(model))
    other = type(first)((6,))
    monkeypatch.setattr(native_search, "initial_states", constant_function([other]))
    said = message_of(model)
    assert "the kernel starts from Dial(value=6): no such state in zero (" in said
    assert "dial.py:12), which in plain Python gives Dial(value=0)" in said


def test_a_run_with_a_step_that_plain_python_does_not_take(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    true = Statements.evaluate

    def evaluate(self: Statements, node: ir.Expr) -> Any:
        """The guard is looser than it says; the invariant is right."""
        if isinstance(node, ir.Compare) and isinstance(node.left, ir.Arithmetic):
            return NativeTruth(node.type, self.compare("<", self.number_of(true(self, node.left)), 7))
        return true(self, node)

    monkeypatch.setattr(Statements, "evaluate", evaluate)
    said = message_of(model)
    assert "no step of plain Python leads from Dial(value=4) to Dial(value=6), which" in said
    assert " the kernel reached by turn (" in said and "dial.py:16); in plain Python:\n  turn(1) (" in said
    assert "leads to Dial(value=5)" in said
    assert "is disabled: s.value + by < 6 is false" in said


def test_a_deadlock_that_is_none(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong_constant(monkeypatch, 6, 3, "<")
    said = message_of(model)
    assert "nothing can happen natively at Dial(value=2), but in plain Python turn(1) (" in said
    assert "dial.py:16) leads to Dial(value=3)" in said


def test_a_deadlock_in_plain_python_alone(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outcome, "is_deadlock", function_of_state(lambda state: state[0] == 5))
    said = message_of(model)
    assert "natively a run may end there: Dial(value=5)\n  in plain Python it is a deadlock: turn(1) (" in said
    assert "dial.py:16) is disabled: s.value + by < 6 is false" in said
    assert "and no run may end there, by at_the_end (" in said and "dial.py:22)" in said


def test_a_step_that_breaks_natively_alone(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    true = Statements.check_type

    def check(self: Statements, type_: Any, value: Any) -> None:
        """What is stored must be less than it need be."""
        true(self, type_, value)
        if not isinstance(value, PackedValue):
            self.fail_if(self.compare(">=", self.number_of(value), 3))

    monkeypatch.setattr(Statements, "check_type", check)
    said = message_of(model)
    assert "a step from Dial(value=1) breaks the model's types natively: turn (" in said
    assert "dial.py:16); in plain Python:\n  turn(1) (" in said and "leads to Dial(value=2)" in said


def test_a_state_that_is_another_one_when_it_is_encoded_again(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    true, calls = Frontier.encode, list[int]()

    def encode(self: Frontier, state: Any) -> tuple[int, ...]:
        """Right for the initial state, and wrong later on."""
        calls.append(1)
        return true(self, state) if len(calls) == 1 else (7,)

    monkeypatch.setattr(Frontier, "encode", encode)
    assert "is another one once it is encoded again: value is " in message_of(model)


def constant_function(value: object) -> Callable[..., Any]:
    """A function that gives the value, whatever it is asked."""

    def run(*_: object) -> object:
        """The value."""
        return value

    return run


def function_of_state(function: Callable[[Any], object]) -> Callable[[Model, Any], object]:
    """A function of a model and a state that looks at the state alone."""

    def run(_: Model, state: Any) -> object:
        """What it says of the state."""
        return function(state)

    return run


def raising(error: Exception) -> Callable[..., None]:
    """A function that raises."""

    def run(*_: Any) -> None:
        """It raises."""
        raise error

    return run


def test_main_says_what_to_report(
    model: Model, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong_constant(monkeypatch, 6, 3, "<")
    assert main(["check", model.files[0], "--no-cache"]) == Exit.INTERNAL
    said = capsys.readouterr().err
    assert "do not trust this result" in said and "Report the command, the model's file and these lines." in said
