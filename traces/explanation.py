"""Why a property is false: the first false conjunct in the author's own words, and the values that make it so.

    return all(o < len(s.log[r]) for r in Replica for o in range(s.high_watermark[r]))

is broken down to `o < len(s.log[r])` with `r = A, o = 0`. The explanation enters `and`, `all`, `not any`, `not`,
the conclusion of `not a or b`, conditional expressions, local names, loops and early returns; at a call of a helper it
stops, and says inside the helper why that is false. It reads the typed form; what an expression is there, `evidence`
evaluates.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ..language import ir
from ..language.immutable import immutable
from ..language.model import Model, Property
from ..language.source import NoSourceError, text_at
from ..language.values import State
from ..language.where import Where
from .abstract import refinement_claim
from .evidence import Environment, SeenValue, StateEvaluation

_MAX_CALL_DEPTH = 8  # calls within calls that an explanation follows


@immutable
class Reason:
    """A condition that is false, as written, the values of the names that it was met with, and, when it is the call of
    a helper, the reason inside the helper. `where` it stands, if that is known."""

    conjunct: str
    witness: Mapping[str, Any]
    because: Reason | None = None
    where: Where | None = None

    def innermost(self) -> Reason:
        """The reason at the end of the chain."""
        return self if self.because is None else self.because.innermost()


def explain_false(
    model: Model, prop: Property, state: State, next_state: State | None = None, *, action: str | None = None
) -> Reason:
    """The reason why `prop` is false of a state, or of the step of an action from `state` to `next_state`.

    Where the property has no typed form, or its text is gone, the whole property is the reason, by its name.
    """
    if prop.form is None:
        return Reason(prop.name, {})
    states = (state,) if next_state is None else (state, next_state)
    if prop.refinement is not None:
        return Reason(refinement_claim(prop.refinement, states, action), {})
    try:
        descent = _Descent(StateEvaluation(model, dict(zip(prop.form.states, states, strict=True))), 0)
        return descent.reason_of_function(prop.form) or Reason(prop.name, {})
    except NoSourceError:  # the file was changed or removed after it was read
        return Reason(prop.name, {})


@immutable
class _LocalNameOrigin:
    """What a local name was made from, and with which names."""

    value: ir.Expr
    names: Environment
    made_from: Mapping[str, _LocalNameOrigin]


@dataclass(slots=True)
class _Descent:
    """One function being walked: the names bound so far, which of them are witnesses, and what locals were made from.
    `want` is the answer that it should have given."""

    reading: StateEvaluation
    depth: int
    want: bool = True
    names: Environment = field(default_factory=dict[str, SeenValue])
    witness: dict[str, Any] = field(default_factory=dict[str, Any])
    made_from: Mapping[str, _LocalNameOrigin] = field(default_factory=dict[str, _LocalNameOrigin])
    branches: list[tuple[ir.Expr, bool]] = field(default_factory=list[tuple[ir.Expr, bool]])

    # --- statements ---------------------------------------------------------------------------------------------------

    def reason_of_function(self, form: ir.Function) -> Reason | None:
        """The reason for what the function returns; None where its `return` depends on nothing."""
        return self.reason_of_block(form.body)

    def reason_of_block(self, body: tuple[ir.Statement, ...]) -> Reason | None:
        """Walks statements in order, until a `return` gives the reason."""
        return next((reason for statement in body if (reason := self.reason_of_statement(statement)) is not None), None)

    def reason_of_statement(self, node: ir.Statement) -> Reason | None:
        """Walks one statement; the reason, where it returns."""
        match node:
            case ir.Return(value=value):
                return self.reason_of_return(value)
            case ir.If(condition=condition, yes=yes, no=no):
                return self.reason_of_branch(condition, yes, no)
            case ir.For(variable=variable, source=source, body=body):
                for item in self.reading.items_of_source(source, self.names):
                    self.bind_variable(variable, item)
                    if (reason := self.reason_of_block(body)) is not None:
                        return reason
                self.unbind_variable(variable)
            case ir.Let(name=name, value=value):
                local = _LocalNameOrigin(value, dict(self.names), self.made_from)
                self.names[name] = self.reading.see_expression(value, self.names)
                self.made_from = {**self.made_from, name: local}
            case _:
                pass
        return None

    def reason_of_branch(
        self, test: ir.Expr, yes: tuple[ir.Statement, ...], no: tuple[ir.Statement, ...]
    ) -> Reason | None:
        """Walks the branch that is taken, remembering why."""
        holds = self.is_true_here(test)
        self.branches.append((test, holds))
        reason = self.reason_of_block(yes if holds else no)
        if reason is None and not (yes and isinstance(yes[-1], ir.Return)):
            self.branches.pop()  # what follows does not depend on the test
        return reason

    def reason_of_return(self, value: ir.Expr) -> Reason | None:
        """The reason for a returned value: for `return False` that of the condition that led there."""
        if not isinstance(value, ir.Const):
            return self.reason_of_expression(value, self.want)
        if not self.branches:
            return None
        test, holds = self.branches[-1]
        return self.reason_of_expression(test, not holds)

    # --- expressions --------------------------------------------------------------------------------------------------

    def reason_of_expression(self, node: ir.Expr, want: bool) -> Reason:
        """Why an expression that should be `want` is not."""
        match node:
            case ir.Not(operand=operand) if _has_own_operands(node, operand):
                return self.reason_of_expression(operand, not want)
            case ir.And(operands=operands) if want and _has_own_operands(node, *operands):
                return self.reason_of_expression(self.first_deciding_operand(operands, False), True)
            case ir.Or(operands=operands) if not want and _has_own_operands(node, *operands):
                return self.reason_of_expression(self.first_deciding_operand(operands, True), False)
            case ir.Or(operands=(*conditions, conclusion)) if all(
                isinstance(expression, ir.Not) for expression in conditions
            ):
                return (
                    self.reason_of_expression(conclusion, True)
                    if _has_own_operands(node, conclusion)
                    else self.reason_in_words_of(node, want)
                )
            case ir.Choice(condition=condition, yes=yes, no=no) if _has_own_operands(node, yes, no):
                return self.reason_of_expression(yes if self.is_true_here(condition) else no, want)
            case ir.Name(name=name) if name in self.made_from:
                return self.reason_of_local(self.made_from[name], want)
            case ir.Quantified(kind="all" | "any" as kind) if (kind == "all") is want:
                return self.reason_of_quantifier(node, want)
            case ir.Call():
                return self.reason_of_call(node, want)
            case _:
                return self.reason_in_words_of(node, want)

    def reason_in_words_of(self, node: ir.Expr, want: bool, because: Reason | None = None) -> Reason:
        """The reason is this expression, in the author's words."""
        text = text_at(node.where)
        if not want:
            is_one = isinstance(node, (ir.Call, ir.Quantified, ir.Name, ir.StateField, ir.RecordField))
            text = f"not {text}" if is_one else f"not ({text})"
        return Reason(text, dict(self.witness), because, node.where)

    def is_true_here(self, node: ir.Expr) -> bool:
        """What a condition is here."""
        return bool(self.reading.see_expression(node, self.names).value)

    def first_deciding_operand(self, operands: tuple[ir.Expr, ...], holding: bool) -> ir.Expr:
        """The first operand that decides."""
        return next(operand for operand in operands if self.is_true_here(operand) is holding)

    def reason_of_local(self, local: _LocalNameOrigin, want: bool) -> Reason:
        """Why a local name is not `want`: what it was made from, with the names of that moment."""
        now = self.names, self.made_from
        self.names, self.made_from = local.names, local.made_from
        try:
            return self.reason_of_expression(local.value, want)
        finally:
            self.names, self.made_from = now

    def reason_of_call(self, node: ir.Call, want: bool) -> Reason:
        """A call is the reason, and inside the helper is why."""
        if self.depth == _MAX_CALL_DEPTH:
            return self.reason_in_words_of(node, want)
        given = [self.reading.see_expression(argument, self.names) for argument in node.arguments]
        names = {name: seen for (name, _), seen in zip(node.function.parameters, given, strict=True)}
        shown = {name: seen.value for name, seen in names.items()}
        inside = _Descent(self.reading, self.depth + 1, want, names, shown)
        return self.reason_in_words_of(node, want, inside.reason_of_function(node.function))

    def reason_of_quantifier(self, node: ir.Quantified, want: bool) -> Reason:
        """`all` that is false, `any` that should be: the first values of its variables for which the body decides."""
        if text_at(node.where).startswith(f"{node.kind}("):
            for _ in self.bind_in_rounds(node.generators):
                if self.is_true_here(node.body) is not want:
                    return self.reason_of_expression(node.body, want)
        return self.reason_in_words_of(node, want)

    def bind_in_rounds(self, generators: tuple[ir.Generator, ...]) -> Iterator[None]:
        """Binds the variables of a comprehension to each of their values in turn."""
        if not generators:
            yield
            return
        first, *others = generators
        for item in self.reading.items_of_source(first.source, self.names):
            self.bind_variable(first.variable, item)
            if all(self.is_true_here(condition) for condition in first.conditions):
                yield from self.bind_in_rounds(tuple(others))
        self.unbind_variable(first.variable)

    def bind_variable(self, name: str, item: SeenValue) -> None:
        """Binds a loop variable."""
        self.names[name] = item
        self.witness[name] = item.value

    def unbind_variable(self, name: str) -> None:
        """Forgets a loop variable: its loop is over."""
        self.names.pop(name, None)
        self.witness.pop(name, None)


def _has_own_operands(node: ir.Expr, *operands: ir.Expr) -> bool:
    """Whether the author wrote the operands of a node, rather than one expression (`a not in b`) that has several."""
    return all(operand.where != node.where for operand in operands)
