"""An expression of the model's language over a state, written by whoever looks at a run: `len(log[A])`.

    watched(model, "len(log[A])").value(state)          the same as len(s.log[Replica(0)])

The names of fields, and the labels of members (`A`) where only one domain has them, stand for themselves; `s` is the
state. The front end reads the text as it reads a model's, so that nothing else than the language is evaluated, and
plain Python evaluates it, for so many steps and no more.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any, cast

from .drafts import Shape
from .effort import Effort, EffortExceededError, counted_range
from .errors import AbandonedError, Diagnostics, UsageError
from .frontend.annotations import Types
from .frontend.scope import Program, Scope, StateShape, elaborate_expression
from .frontend.source import Source, globals_of_class
from .immutable import immutable
from .judge import state_shape, to_model_error
from .lanes import domain_members
from .model import Model
from .types import Bool
from .values import ModelError, State, value_text

STATE = "s"
"""The name of the state in what is watched."""
STEPS = 100_000
"""Steps of Python that an expression may take in one state."""
STEPS_TOGETHER = 10_000_000
"""Steps that it may take in all the states of which its values are asked at once."""


@immutable
class WatchedExpression:
    """An expression that was read: its `text` as it was written; `is_condition` where it is true or false."""

    model: Model
    text: str
    run: Callable[[State], Any]
    is_condition: bool

    def value(self, state: State) -> Any:
        """What it is in a state. ModelError where it has no value there, or takes more than `STEPS` steps."""
        return self._value(state, Effort(STEPS))

    def _value(self, state: State, effort: Effort) -> Any:
        allowed = effort.left
        try:
            with effort:
                return self.run(state)
        except EffortExceededError:
            raise ModelError(f"it takes more than {allowed:,} steps of Python") from None
        except Exception as error:
            raise to_model_error(self.model, error) from error

    def value_words(self, state: State) -> str:
        """What it is in a state, as people write it; why it has no value, where it has none."""
        return self._evaluated_words(state, Effort(STEPS))

    def shown_in(self, states: Sequence[State]) -> list[str]:
        """What it is in each state, as people write it. Once `STEPS_TOGETHER` steps are taken, the states after have no
        value."""
        left, texts = STEPS_TOGETHER, list[str]()
        for state in states:
            if left <= 0:
                texts.append(f"no value: the states before took {STEPS_TOGETHER:,} steps of Python")
                continue
            effort = Effort(STEPS)
            texts.append(self._evaluated_words(state, effort))
            left -= STEPS - max(effort.left, 0)
        return texts

    def _evaluated_words(self, state: State, effort: Effort) -> str:
        try:
            return value_text(self._value(state, effort))
        except ModelError as error:
            return f"no value: {error.message}"


def parse_watch(model: Model, text: str) -> WatchedExpression:
    """Reads an expression over the model's state. UsageError, with what is wrong, where it is none."""
    try:
        return _read(model, text)
    except (RecursionError, MemoryError):
        raise UsageError(f"{text[:40]}...: nested too deeply; for example {_example(model)}") from None


def _read(model: Model, text: str) -> WatchedExpression:
    try:
        parsed = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, UnicodeEncodeError) as error:
        shown, reason = (text, error.msg) if isinstance(error, SyntaxError) else (ascii(text), error.reason)
        raise UsageError(f"{shown}: not an expression ({reason}); for example {_example(model)}") from None
    node = ast.fix_missing_locations(_Names(model).visit(parsed))
    form = _check_expression(model, text, node)
    namespace = cast(FunctionType, model.actions[0].run).__globals__ if model.actions else dict(model.namespace)
    function = ast.Lambda(ast.arguments([], [ast.arg(STATE)], None, [], [], None, []), node)
    code = compile(ast.fix_missing_locations(ast.Expression(function)), f"<{text}>", "eval")
    names = {**model.namespace, **namespace, "range": counted_range}
    return WatchedExpression(model, text.strip(), eval(code, names), isinstance(form.type, Bool))


def _example(model: Model) -> str:
    """An expression over the first field."""
    return model.fields[0].name if model.fields else "1"


def _check_expression(model: Model, text: str, node: ast.expr) -> Any:
    """The typed form of an expression. UsageError with the first mistake in it."""
    diagnostics = Diagnostics()
    shape: Shape = state_shape(model)
    fields = {field.name: field.type for field in model.fields}
    ghosts = frozenset(field.name for field in model.fields if field.ghost)
    program = Program(
        Types(model.values, model.open, diagnostics), StateShape(shape.python, fields, ghosts), diagnostics
    )
    written = ast.unparse(node)
    source = Source(f"<{text}>", written)
    scope = Scope(program, source, globals_of_class(shape.python), "property")
    scope.states[STATE] = STATE
    try:
        form = elaborate_expression(scope, cast(ast.Expr, source.tree.body[0]).value)
        if diagnostics.count:
            raise AbandonedError
    except AbandonedError:
        raise UsageError(f"{text}: {diagnostics.first_message() or 'not in the language'}") from None
    return form


class _Names(ast.NodeTransformer):
    """Puts `s.log` for the field `log`, and `Replica(0)` for the member `A`."""

    def __init__(self, model: Model) -> None:
        self.fields = {field.name for field in model.fields}
        self.members: dict[str, list[str]] = {}
        self.bound: list[set[str]] = []
        for identity in model.domains:
            for at, member in enumerate(domain_members(model, identity.python)):
                self.members.setdefault(repr(member), []).append(f"{identity.python.__name__}({at})")

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """A name that the expression binds itself stays."""
        if any(node.id in names for names in self.bound) or node.id == STATE:
            return node
        if node.id in self.fields:
            return ast.Attribute(ast.Name(STATE, ast.Load()), node.id, node.ctx)
        standing_for = self.members.get(node.id, [])
        if len(standing_for) > 1:
            raise UsageError(f"{node.id} is the name of several: write {' or '.join(standing_for)}")
        return ast.parse(standing_for[0], mode="eval").body if standing_for else node

    def _comprehension(self, node: Any) -> Any:
        targets = [part for generator in node.generators for part in ast.walk(generator.target)]
        self.bound.append({part.id for part in targets if isinstance(part, ast.Name)})
        made = self.generic_visit(node)
        self.bound.pop()
        return made

    visit_GeneratorExp = visit_SetComp = visit_ListComp = visit_DictComp = _comprehension
