"""The rules of a step, checked on the typed form before anything is folded away.

On every path guards come first, then limits, then writes. Nothing that behaviour depends on reads a ghost field: not a
guard, not a limit, not an ordinary assignment, not a condition or loop around one; a local name that a ghost flows into
is a ghost too.
"""

from __future__ import annotations

from collections.abc import Iterable, Set
from dataclasses import replace
from typing import Any

from .. import ir
from ..errors import Diagnostics
from ..where import Where
from .folding import is_never_error
from .traversal import WRITES, direct_parts, traverse_forms

_GUARDS, _LIMITS, _WRITES = 0, 1, 2
_ROLES: dict[type[object], str] = {ir.Require: "a guard", ir.Limit: "a limit", ir.Assert: "an assert"}


def check_order(body: tuple[ir.Statement, ...], diagnostics: Diagnostics) -> None:
    """Every `require` before every `limit`, every `limit` before the first write, on every path."""
    _stage_after(body, _GUARDS, diagnostics)


def _stage_after(body: Iterable[ir.Statement], stage: int, diagnostics: Diagnostics) -> int:
    """The stage that the statements lead to from `stage`: the latest that any path reaches."""
    for statement in body:
        match statement:
            case ir.Require(where=where):
                _check_require(stage, where, diagnostics)
            case ir.Limit(where=where):
                if stage == _WRITES:
                    message = "on some way to here the step has already written, and half a step would be undone"
                    diagnostics.add("TG313", where, message, "all limits after the requires and before the first write")
                stage = max(stage, _LIMITS)
            case ir.If(yes=yes, no=no):
                stage = max(_stage_after(yes, stage, diagnostics), _stage_after(no, stage, diagnostics))
            case ir.For(body=inner):
                stage = _stage_after(inner, _stage_after(inner, stage, Diagnostics()), diagnostics)
            case _ if isinstance(statement, WRITES):
                stage = _WRITES
            case _:
                pass
    return stage


def _check_require(stage: int, where: Where, diagnostics: Diagnostics) -> None:
    if stage == _WRITES:
        message = "on some way to here the step has already written, and half a step would be undone"
        diagnostics.add("TG301", where, message, "all requires first, with the values as they are before the step")
    elif stage == _LIMITS:
        message = "a limit came first, so that what the bounds cut would look like what the protocol forbids"
        diagnostics.add("TG302", where, message, "the limits after the last require")


class Ghosts:
    """The ghost rule for one function. `names` are the local names that a ghost flows into."""

    def __init__(self, fields: frozenset[str], diagnostics: Diagnostics) -> None:
        self.fields = fields
        self.diagnostics = diagnostics
        self.names: set[str] = set()
        self._helpers: dict[int, tuple[ir.Function, bool]] = {}

    def check_body(self, body: tuple[ir.Statement, ...]) -> None:
        """Notes every place where behaviour would depend on a ghost."""
        if self.fields:
            self._collect_ghost_names(body, is_of_ghost=False)
            self._check_statements(body, None)

    # --- which names are ghosts --------------------------------------------------------------------------------------

    def _collect_ghost_names(self, body: Iterable[ir.Statement], *, is_of_ghost: bool) -> None:
        """Fills `names`, going round until nothing is added."""
        before = -1
        statements = tuple(body)
        while before != len(self.names):
            before = len(self.names)
            for statement in statements:
                self._collect_from_statement(statement, is_of_ghost)

    def _collect_from_statement(self, statement: ir.Statement, is_of_ghost: bool) -> None:
        match statement:
            case ir.Let(name=name, value=value):
                if is_of_ghost or self.is_reading_ghost(value):
                    self.names.add(name)
            case ir.If(condition=condition, yes=yes, no=no):
                self._collect_ghost_names(yes + no, is_of_ghost=is_of_ghost or self.is_reading_ghost(condition))
            case ir.For(variable=variable, source=source, body=body):
                ghostly = is_of_ghost or self.is_reading_ghost(source)
                if ghostly:
                    self.names.add(variable)
                self._collect_ghost_names(body, is_of_ghost=ghostly)
            case _:
                pass

    def is_reading_ghost(self, form: Any) -> bool:
        """Whether a ghost field or a ghost name is read anywhere in it."""
        return self._first_read(form) is not None

    def _first_read(self, form: Any) -> Where | None:
        """The first place in the function's own text where it reads a ghost; for a helper that does, the call."""
        if isinstance(form, ir.StateField) and form.field in self.fields:
            return form.where
        if isinstance(form, ir.Name) and form.name in self.names:
            return form.where
        if isinstance(form, ir.Call) and self._is_helper_reading_ghost(form):
            return form.where
        for part in direct_parts(form):
            if (found := self._first_read(part)) is not None:
                return found
        return None

    def _is_helper_reading_ghost(self, call: ir.Call) -> bool:
        """Whether a helper reads a ghost field; each helper is looked through once."""
        known = self._helpers.get(id(call.function))
        if known is None:
            forms = (node for form in call.function.body for node in traverse_forms(form))
            reads = any(isinstance(form, ir.StateField) and form.field in self.fields for form in forms)
            known = self._helpers[id(call.function)] = (call.function, reads)
        return known[1]

    # --- where they must not be --------------------------------------------------------------------------------------

    def _check_statements(self, body: Iterable[ir.Statement], enclosing_ghost: str | None) -> None:
        for statement in body:
            self._check_statement(statement, enclosing_ghost)

    def _check_statement(self, statement: ir.Statement, enclosing_ghost: str | None) -> None:
        match statement:
            case ir.Let():
                pass
            case ir.If(condition=condition, yes=yes, no=no):
                self._check_statements(yes + no, "condition" if self.is_reading_ghost(condition) else enclosing_ghost)
            case ir.For(source=source, body=body):
                self._check_statements(body, "loop" if self.is_reading_ghost(source) else enclosing_ghost)
            case _ if isinstance(statement, WRITES) and statement.place.field in self.fields:
                pass
            case _:
                self._forbid_write(statement, enclosing_ghost)

    def _forbid_write(self, statement: ir.Statement, enclosing_ghost: str | None) -> None:
        hint = "only properties, and assignments to ghost fields, read ghosts"
        if enclosing_ghost is not None:
            message = f"whether this happens depends on a ghost, through the {enclosing_ghost} around it"
            self.diagnostics.add("TG303", statement.where, message, hint)
            return
        found = self._first_read(statement)
        if found is not None:
            what = _ROLES.get(type(statement), "an ordinary field")
            self.diagnostics.add("TG303", found, f"{what} would depend on a ghost", hint)


def drop_ghost_writes(body: tuple[ir.Statement, ...], ghosts: Ghosts) -> tuple[ir.Statement, ...]:
    """The statements without writes to ghosts, and without the names, conditions and loops that only serve them."""
    kept: list[ir.Statement] = []
    for statement in body:
        match statement:
            case ir.Let(name=name) if name in ghosts.names:
                continue
            case ir.If(condition=condition, yes=yes, no=no):
                if not ghosts.is_reading_ghost(condition):
                    inner = drop_ghost_writes(yes, ghosts), drop_ghost_writes(no, ghosts)
                    kept.append(ir.If(condition, *inner, statement.where))
            case ir.For(source=source, body=inner):
                if not ghosts.is_reading_ghost(source):
                    made = drop_ghost_writes(inner, ghosts)
                    kept.append(ir.For(statement.variable, statement.type, source, made, statement.where))
            case _ if isinstance(statement, WRITES) and statement.place.field in ghosts.fields:
                continue
            case _:
                kept.append(statement)
    return tuple(kept)


def drop_names(body: tuple[ir.Statement, ...], names: Set[str]) -> tuple[ir.Statement, ...]:
    """The statements without those that bind these names, and without branches in which nothing is done."""
    kept: list[ir.Statement] = []
    for statement in body:
        match statement:
            case ir.Let(name=name) if name in names:
                continue
            case ir.If(condition=condition, yes=(), no=()) if is_never_error(condition):
                continue
            case ir.If(yes=yes, no=no):
                kept.append(replace(statement, yes=drop_names(yes, names), no=drop_names(no, names)))
            case ir.For(body=inner):
                kept.append(replace(statement, body=drop_names(inner, names)))
            case _:
                kept.append(statement)
    return tuple(kept)
