"""Binding by rebinding names: an author's functions over globals in which constants and domains have their values.

A model's text is read once and bound many times. Binding never touches the module: each function is made again from
its own code object over a second set of globals, where

    replicas                  a Constant           is its value
    Replica                   a Domain class       is a `BoundDomain`, which has members
    Partition                 the `@state` class   is its `drafts.Shape`, which makes states
    is_majority               needs a domain       knows how many members there are
    helper                    a function           is rebound in the same way, across modules

so that `pdb`, `print` and tracebacks show the author's own lines. (And what the typed form adds: see `adaptation`.)
"""

from __future__ import annotations

import builtins
import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from types import FunctionType, ModuleType
from typing import Any, Generic, TypeVar, cast

from .adaptation import GLOBALS, KEY, Adaptations, adapt_function, bind_adapted
from .constants import Constant, ConstantExpression, UndefinedValueError, Value
from .containers import ModelError
from .declare import depth_of, is_of_language, mark_of
from .drafts import DeclaredField, Shape
from .errors import UsageError
from .kinds import Domain, DomainMeta, range_of
from .nested_constants import bind_nested, holds_constants
from .orders import previous
from .values import is_majority

D = TypeVar("D", bound="Domain")

_LANGUAGE = __name__.rpartition(".")[0]


class BoundDomain(Generic[D]):
    """A domain whose size is known: `for r in Replica`, `len(Replica)`, `Replica(0)`, `Set(Replica)`, `r in Replica`.

    Members are the same objects in every binding.
    """

    __slots__ = ("members", "python")

    def __init__(self, python: type[D], size: int) -> None:
        self.python = python
        self.members: tuple[D, ...] = tuple(python(index) for index in range(size))

    def __iter__(self) -> Iterator[D]:
        return iter(self.members)

    def __len__(self) -> int:
        return len(self.members)

    def __contains__(self, member: object) -> bool:
        return member in self.members

    def __call__(self, index: int) -> D:
        """The member at `index`; ModelError beyond the size."""
        if not 0 <= index < len(self.members):
            raise ModelError(f"{self!r} has no member {index}")
        return self.members[index]

    def __repr__(self) -> str:
        return self.python.__name__


class Namespace:
    """The bound globals of a model: `values` of its constants, its `@state` class and that class's `fields`.

    `domain_sizes` gives the size of each domain by its name; a domain that is not there has the size its declaration
    says. `adaptations` is what the typed form adds to the text; `images` the shapes that the `@state` classes of
    abstract models stand for, `abstract` what the names in their modules stand for.
    """

    def __init__(
        self,
        values: Mapping[str, Value],
        state_class: type[Any],
        fields: tuple[DeclaredField, ...],
        domain_sizes: Mapping[str, int] | None = None,
        adaptations: Adaptations | None = None,
        images: Mapping[type[Any], Shape] | None = None,
        abstract: Mapping[ModuleType, Mapping[str, Any]] | None = None,
    ) -> None:
        self.values = values
        self.state_class = state_class
        self.shape = Shape(state_class, fields, values, self._bind_thing)
        self._sizes = domain_sizes or {}
        self._images = images or {}
        self._abstract = abstract or {}
        self._adaptations = adaptations or Adaptations()
        self._domains: dict[type[Any], BoundDomain[Any]] = {}
        self._globals: dict[int, dict[str, Any]] = {}
        self._functions: dict[int, FunctionType] = {}
        self._kept: list[object] = []
        self._of_a_model: dict[int, bool] = {}

    def function(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The author's function over bound globals: its own code, its own marks."""
        original = cast(FunctionType, function)
        known = self._functions.get(id(original))
        if known is None:
            made = adapt_function(original, self._adaptations)
            known = bind_adapted(original, made, lambda helper: self.globals_of(helper.__globals__), self._bind_thing)
            depth = depth_of(original)
            if depth is not None:
                known = _to_a_depth(known, self._number(depth))
            self._functions[id(original)] = known
            self._kept.append(original)
        return known

    def globals_of(self, module: str | ModuleType | dict[str, Any]) -> dict[str, Any]:
        """The bound globals of a module, given by its name, itself, or its globals. KeyError when no such module is
        loaded."""
        if isinstance(module, str):
            module = sys.modules[module]
        original: dict[str, Any] = vars(module) if isinstance(module, ModuleType) else module
        known = self._globals.get(id(original))
        if known is None:
            known = self._globals[id(original)] = dict(original)
            self._kept.append(original)
            for name, thing in original.items():
                known[name] = self._bind_thing(thing)
            known.setdefault("next", self._next)
            known |= {**GLOBALS, KEY: self._adaptations}
        return known

    def globals_of_all(self, modules: Iterable[ModuleType]) -> dict[str, Any]:
        """The bound globals of several modules; where two have a name in common, the later module's."""
        return {name: thing for module in modules for name, thing in self.globals_of(module).items()}

    def domain(self, python: type[D]) -> BoundDomain[D]:
        """The bound form of a domain class."""
        known = self._domains.get(python)
        if known is None:
            size = self._sizes.get(python.__name__)
            known = BoundDomain(python, python.domain_size.value(self.values) if size is None else size)
            self._domains[python] = known
        return known

    def _bind_thing(self, thing: Any) -> Any:
        if isinstance(thing, Constant):
            return self.values.get(thing.name, thing.default)
        if isinstance(thing, ConstantExpression):
            return self._number(thing)
        if thing is self.state_class:
            return self.shape
        if isinstance(thing, type) and thing in self._images:
            return self._images[thing]
        if isinstance(thing, DomainMeta) and thing is not Domain:
            return self.domain(cast(Any, thing))
        if thing is is_majority:
            return self._is_majority
        if thing is previous:
            return self._previous
        interval = range_of(thing)
        if interval is not None:
            return range(self._number(interval.lo), self._number(interval.hi) + 1)
        if holds_constants(thing):
            return bind_nested(thing, self._bind_thing)
        if isinstance(thing, FunctionType) and self._is_of_a_model(thing.__globals__):
            return self.function(thing)
        if isinstance(thing, ModuleType) and self._is_of_a_model(vars(thing)):
            return self._module(thing)
        return thing

    def _number(self, expression: ConstantExpression) -> int:
        try:
            return expression.value(self.values)
        except UndefinedValueError as problem:
            raise UsageError(str(problem)) from None

    def _is_of_a_model(self, globals_: dict[str, Any]) -> bool:
        """Whether these are a model's, asked once. What was found on the way is not kept: it may rest on a circle of
        imports that was not closed yet."""
        known = self._of_a_model.get(id(globals_))
        if known is None:
            known = self._of_a_model[id(globals_)] = _is_of_a_model(globals_, {})
            self._kept.append(globals_)
        return known

    def _module(self, module: ModuleType) -> ModuleType:
        bound = ModuleType(module.__name__, module.__doc__)
        bound.__dict__.update(self._abstract[module] if module in self._abstract else self.globals_of(module))
        return bound

    def _next(self, member: Any, *rest: Any) -> Any:
        """The member of an ordered domain after this one, around the ring; else what Python's own `next` says."""
        return self._neighbour(member, 1) if isinstance(member, Domain) else builtins.next(member, *rest)

    def _previous(self, member: Domain) -> Domain:
        return self._neighbour(member, -1)

    def _neighbour(self, member: Domain, step: int) -> Domain:
        members = self.domain(type(member)).members
        return members[(member.index + step) % len(members)]

    def _is_majority(self, subset: Any) -> bool:
        """More than half of the members that the domain of the set has are in it (an empty set is none)."""
        for member in subset:
            size = len(type(member)) if isinstance(member, Enum) else len(self.domain(cast("type[Any]", type(member))))
            return 2 * len(subset) > size
        return False


def _to_a_depth(function: FunctionType, depth: int) -> FunctionType:
    """The function, refusing calls of it that are more than so many deep below the first."""
    level = 0

    @functools.wraps(function)
    def call_to_depth(*values: Any, **named: Any) -> Any:
        nonlocal level
        if level > depth:
            raise ModelError(f"{function.__name__} calls itself more than {depth} deep, which is its bound")
        level += 1
        try:
            return function(*values, **named)
        finally:
            level -= 1

    return cast(FunctionType, call_to_depth)


def _is_of_a_model(globals_: Mapping[str, Any], known_answers: dict[int, bool]) -> bool:
    """Whether the module with these globals holds constants, domains or marked things, itself or through what it
    imports."""
    known = known_answers.get(id(globals_))
    if known is not None:
        return known
    known_answers[id(globals_)] = False
    name = cast(str, globals_.get("__name__", ""))
    if not _may_be_a_model(name):
        return False
    found = any(_concerns_model(thing, known_answers) for thing in list(globals_.values()))
    known_answers[id(globals_)] = found
    return found


def _may_be_a_model(module: str) -> bool:
    ours = module == _LANGUAGE or module.startswith(_LANGUAGE + ".")
    return not ours and module.partition(".")[0] not in sys.stdlib_module_names - {"__main__"}


def _concerns_model(thing: Any, known_answers: dict[int, bool]) -> bool:
    if isinstance(thing, ConstantExpression) or (isinstance(thing, DomainMeta) and thing is not Domain):
        return True
    if isinstance(thing, (type, FunctionType)) and (mark_of(thing) is not None or is_of_language(thing)):
        return True
    if isinstance(thing, FunctionType):
        return _is_of_a_model(thing.__globals__, known_answers)
    return isinstance(thing, ModuleType) and _is_of_a_model(vars(thing), known_answers)
