"""What the elaboration of one function knows: the names it can see, their types, and where to say what is wrong.

The phases call each other through `elaborate_expression` and `elaborate_block`, which look up the handler of a node's
class; each phase registers its own (`@handles_expressions(ast.Compare)`), so that no phase needs to import the others.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import FunctionType, ModuleType
from typing import Any, Literal, TypeVar

from .. import ir
from ..constants import Constant, Value
from ..errors import AbandonedError, Diagnostics, suggest_name
from ..immutable import immutable
from ..types import Record, Type
from ..where import Where
from .annotations import Types
from .source import Source

Role = Literal["initial", "action", "property", "helper", "sentence"]
N = TypeVar("N", bound=ast.AST)


_LANGUAGE = __name__.rpartition(".frontend")[0]


def undefined_name_advice(name: str, known_names: Iterable[str]) -> str:
    """What to write for a name that is nothing here: its import, where it is one of the language."""
    if name in vars(sys.modules[_LANGUAGE])["__all__"]:
        return f"from {_LANGUAGE} import {name}"
    return suggest_name(name, known_names)


@immutable
class Binding:
    """A visible local name: its unique name in the typed form, and its type (None after a mistake in its value).

    A name that stands for a part of something else has that as its `value`: a part of what a loop visits, or what the
    caller of a step helper gave it. A parameter of a step helper may also stand for a `piece` of the state.
    """

    name: str
    type: Type | None
    is_loop_variable: bool = False
    value: ir.Expr | None = None
    piece: CellArgument | None = None


@immutable
class CellArgument:
    """A cell of the state that a step helper was given: where it is written, and the expression that reads it."""

    place: ir.Place
    read: ir.Expr


@immutable
class StateShape:
    """The state class as the front end needs it: its fields' types, in order, and which are ghosts."""

    python: type[Any]
    fields: Mapping[str, Type]
    ghosts: frozenset[str]
    broken: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        """The class's name."""
        return self.python.__name__


@dataclass
class Program:
    """One binding of one model while it is elaborated. `helpers` keeps each helper per argument types and states.

    `calls` are the calls of step helpers that were elaborated, `pieces` the names in them that stand for a piece of
    the state, and `bounds` the model's `@bound` predicates. `own_image` is the state of the model with other values of
    its constants, as a record, while a mapping to it is elaborated: what `replace(s, ...)` makes there.
    """

    types: Types
    shape: StateShape
    diagnostics: Diagnostics
    helpers: dict[Any, ir.Function | None] = field(default_factory=dict[Any, "ir.Function | None"])
    pieces: set[Where] = field(default_factory=set[Where])
    calls: set[Where] = field(default_factory=set[Where])
    stack: list[FunctionType] = field(default_factory=list[FunctionType])
    bounds: tuple[FunctionType, ...] = ()
    own_image: Record | None = None

    @property
    def values(self) -> Mapping[str, Value]:
        """The constants' values."""
        return self.types.values

    def is_open(self, constant: Constant) -> bool:
        """Whether a constant is left open in compiled kernels."""
        return constant.name in self.types.open


class Scope:
    """The names visible at one point of a function. `states` maps its state parameters to the caller's names.

    In a step helper `call` is where it was called. `variables` are the types that a helper's type variables stand for,
    `arguments` the names that keep the arguments of step helpers. `known` are the records of its union that a name
    may be here, where less than all, and what it was bound to when that was asked.
    """

    def __init__(self, program: Program, source: Source, namespace: Mapping[str, Any], role: Role) -> None:
        self.program = program
        self.source = source
        self.namespace = namespace
        self.role: Role = role
        self.states: dict[str, str] = {}
        self.names: dict[str, Binding] = {}
        self.used: set[str] = set()
        self.locals: dict[str, Binding] = {}
        self.changing: frozenset[str] = frozenset()
        self.assigned: frozenset[str] = frozenset()
        self.rebound: frozenset[str] = frozenset()
        self.returns: Type | None = None
        self.returned: list[Type] = []
        self.call: Where | None = None
        self.variables: Mapping[Any, Type] = {}
        self.arguments: set[str] = set()
        self.known: dict[str, tuple[Binding, frozenset[int]]] = {}

    def inner_scope(self) -> Scope:
        """A scope inside this one: sees its names, adds its own."""
        made = Scope(self.program, self.source, self.namespace, self.role)
        made.states, made.used, made.assigned, made.rebound = self.states, self.used, self.assigned, self.rebound
        made.returns, made.returned = self.returns, self.returned
        made.locals, made.changing = self.locals, self.changing
        made.call, made.variables, made.arguments = self.call, self.variables, self.arguments
        made.names, made.known = dict(self.names), dict(self.known)
        return made

    # --- mistakes ----------------------------------------------------------------------------------------------------

    def note_mistake(self, code: str, node: ast.AST, message: str, hint: str = "") -> None:
        """Notes a mistake and goes on."""
        self.program.diagnostics.add(code, self.place_of(node), message, hint)

    def noted_error(self, code: str, node: ast.AST, message: str, hint: str = "") -> AbandonedError:
        """Notes a mistake; the caller raises what this returns, to leave the phrase."""
        self.note_mistake(code, node, message, hint)
        return AbandonedError()

    def place_of(self, node: ast.AST) -> Where:
        """A node's place."""
        return self.source.where(node, self.call)

    # --- names -------------------------------------------------------------------------------------------------------

    def fresh_name(self, name: str) -> str:
        """A name that nothing else in the function has: `name` itself, or `name_2`, ..."""
        unique, count = name, 1
        while unique in self.used:
            count += 1
            unique = f"{name}_{count}"
        self.used.add(unique)
        return unique

    def bind_name(self, name: str, type_: Type | None, *, loop: bool = False) -> Binding:
        """Makes `name` visible under a fresh unique name."""
        self.names[name] = binding = Binding(self.fresh_name(name), type_, loop)
        return binding

    def alias_name(self, name: str, value: ir.Expr) -> None:
        """Makes `name` stand for a part of what a loop visits."""
        self.names[name] = Binding(name, value.type, True, value)

    def records_of(self, name: str) -> frozenset[int] | None:
        """The records of its union that a name may be here, by number; None where all."""
        binding, numbers = self.known.get(name, (None, None))
        return numbers if binding is not None and self.names.get(name) is binding else None

    def state_called(self, node: ast.expr) -> str | None:
        """The state that a name stands for here, by its name in the typed form; None for anything else."""
        if isinstance(node, ast.Name) and node.id not in self.names:
            return self.states.get(node.id)
        return None

    def poison_name(self, name: str) -> None:
        """Keeps a name whose value is wrong, which is noted, from causing more messages."""
        if name not in self.states:
            self.names[name] = Binding(name, None)

    def is_local(self, name: str) -> bool:
        """Whether Python takes `name` for a local name of this function here."""
        return name in self.names or name in self.states or name in self.assigned

    def module_value(self, node: ast.expr) -> Any:
        """The module-level Python value that a (dotted) name stands for; MISSING when it is none, or a local name."""
        if isinstance(node, ast.Name):
            return MISSING if self.is_local(node.id) else self._global_value(node.id)
        if isinstance(node, ast.Attribute):
            owner = self.module_value(node.value)
            if isinstance(owner, ModuleType):
                return getattr(owner, node.attr, MISSING)
        return MISSING

    def _global_value(self, name: str) -> Any:
        found = self.namespace.get(name, MISSING)
        return vars(sys.modules["builtins"]).get(name, MISSING) if found is MISSING else found


class MissingValue:
    """The class of MISSING."""


MISSING = MissingValue()
"""Nothing at module level has this name."""


# --- handlers --------------------------------------------------------------------------------------------------------

ExpressionHandler = Callable[[Scope, Any, "Type | None"], ir.Expr]
StatementHandler = Callable[[Scope, Any, "list[ir.Statement]"], bool]

_EXPRESSIONS: dict[type[ast.expr], ExpressionHandler] = {}
_STATEMENTS: dict[type[ast.stmt], StatementHandler] = {}

EH = TypeVar("EH", bound=ExpressionHandler)
SH = TypeVar("SH", bound=StatementHandler)


def handles_expressions(*classes: type[ast.expr]) -> Callable[[EH], EH]:
    """Registers the handler of expression nodes: (scope, node, expected type or None) to typed form."""

    def register(handler: EH) -> EH:
        _EXPRESSIONS.update(dict.fromkeys(classes, handler))
        return handler

    return register


def handles_statements(*classes: type[ast.stmt]) -> Callable[[SH], SH]:
    """Registers the handler of statement nodes: appends to the list, returns whether control never goes on after it."""

    def register(handler: SH) -> SH:
        _STATEMENTS.update(dict.fromkeys(classes, handler))
        return handler

    return register


def elaborate_expression(scope: Scope, node: ast.expr, expected_type: Type | None = None) -> ir.Expr:
    """The typed form of an expression. `expected_type` is the type wanted, where known: it gives `None` and `Seq()`
    theirs.

    What comes out may still need `matching.fit_to_type`. Raises AbandonedError after noting a mistake.
    """
    handler = _EXPRESSIONS.get(type(node))
    if handler is None:
        raise scope.noted_error(
            "TG113", node, f"{_KINDS.get(type(node), 'this expression')} is not in the language", "a plain expression"
        )
    return handler(scope, node, expected_type)


_INSTEAD: dict[type[ast.stmt], str] = {
    ast.Delete: ".discard(x) of a Set, .truncate(n) of a Seq, or another value for the field",
    ast.AsyncFor: "a for loop: a step happens at once",
    ast.AsyncWith: "a step happens at once",
    ast.AsyncFunctionDef: "a def at module level",
}
"""What to write for statements that people know from elsewhere."""


def call_arguments(scope: Scope, node: ast.Call, count: int, usage: str, *keywords: str) -> list[ast.expr]:
    """The positional arguments of a call, `count` of them and no keywords but these; TG211 otherwise."""
    odd = [keyword for keyword in node.keywords if keyword.arg not in keywords]
    if len(node.args) != count or odd or any(isinstance(argument, ast.Starred) for argument in node.args):
        raise scope.noted_error("TG211", node, f"{ast.unparse(node.func)} is not called like this", usage)
    return node.args


def elaborate_block(scope: Scope, nodes: list[ast.stmt]) -> tuple[tuple[ir.Statement, ...], bool]:
    """The typed form of statements, and whether control never reaches their end. A mistake ends one statement only."""
    made: list[ir.Statement] = []
    ends = False
    for node in nodes:
        handler = _STATEMENTS.get(type(node))
        if handler is None:
            hint = _INSTEAD.get(type(node), "assignments, if, for, match, assert, require")
            scope.note_mistake("TG114", node, "this statement is not in the language", hint)
            continue
        try:
            ends = handler(scope, node, made) or ends
        except AbandonedError:
            continue
    return tuple(made), ends


_KINDS: dict[type[ast.expr], str] = {
    ast.Yield: "yield",
    ast.YieldFrom: "yield",
    ast.Await: "await",
    ast.Starred: "unpacking",
}
