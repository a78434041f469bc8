"""Which modules hold a model's text, and what they hold that is marked."""

from __future__ import annotations

import ast
import importlib.util
import re
import sys
from collections.abc import Iterator
from types import FunctionType, ModuleType
from typing import Any, cast, get_origin

from .constants import Constant, ConstantExpression
from .declare import PRIVATE, Mark, is_of_language, mark_of
from .frontend.source import read_source
from .kinds import Domain
from .values import is_unsettled

_MODEL_LOCK = re.compile(re.escape(PRIVATE) + r"\d+_")
"""How the names of the modules begin that were imported with one file of a model."""

_LANGUAGE = __name__.rpartition(".")[0]


def modules_of(module: ModuleType) -> tuple[ModuleType, ...]:
    """The modules that hold a model's text: those that it lists as `modules`, in that order, then the module itself.

    A model of one file lists none. The order is the order of its actions.
    """
    listed: object = vars(module).get("modules", ())
    if not isinstance(listed, tuple):
        return (module,)
    return (*(part for part in cast("tuple[object, ...]", listed) if isinstance(part, ModuleType)), module)


def abstract_modules(*modules: ModuleType) -> tuple[ModuleType, ...]:
    """The modules of the abstract models that these modules claim to refine, in the order of their claims."""
    own = dict.fromkeys(part for module in modules for part in modules_of(module))
    found = [mark.abstract for module in own for _, mark in marked_functions(module)]
    return tuple(dict.fromkeys(part for abstract in found if abstract is not None for part in modules_of(abstract)))


def abstract_modules_transitively(modules: frozenset[ModuleType]) -> Iterator[ModuleType]:
    """Modules of abstract models, and of those that these claim to refine in turn."""
    found = dict.fromkeys(modules)
    waiting = list(modules)
    while waiting:
        new = [above for above in abstract_modules(waiting.pop()) if above not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return iter(found)


def role_of(thing: object) -> str | None:
    """The role that a decorator gave it, if one did."""
    mark = mark_of(thing)
    return None if mark is None else mark.role


def marked_functions(module: ModuleType) -> Iterator[tuple[FunctionType, Mark]]:
    """Marked functions in the order of the module: imported ones stand where they are imported."""
    for thing in dict.fromkeys(function for function in vars(module).values() if isinstance(function, FunctionType)):
        mark = mark_of(thing)
        if mark is not None:
            yield thing, mark


def domains_of(module: ModuleType) -> Iterator[type[Any]]:
    """The domains that a module defines or imports, in its order."""
    for thing in vars(module).values():
        if isinstance(thing, type) and issubclass(thing, Domain) and thing is not Domain:
            yield thing


def text_modules(abstract: frozenset[ModuleType], *roots: ModuleType) -> Iterator[ModuleType]:
    """The modules of a model's text: each of the given ones, followed by those its classes and functions come from. An
    `abstract` model's module is none because it, or its state, is named; what else comes from it belongs to both."""
    seen: dict[str, ModuleType] = {}
    waiting = list(roots)
    while waiting:
        module = waiting.pop(0)
        if module.__name__ in seen or not _may_be_a_model(module) or not _is_model(module):
            continue
        seen[module.__name__] = module
        waiting = [*_neighbours(module, abstract), *waiting]
    return iter(seen.values())


def _neighbours(module: ModuleType, abstract: frozenset[ModuleType]) -> Iterator[ModuleType]:
    yield from (neighbour for neighbour in modules_of(module) if neighbour is not module)
    for thing in vars(module).values():
        if isinstance(thing, ModuleType):
            if thing not in abstract:
                yield thing
        elif isinstance(thing, type) and role_of(thing) == "state" and sys.modules.get(thing.__module__) in abstract:
            continue
        elif isinstance(thing, (type, FunctionType)):
            home = sys.modules.get(thing.__module__)
            if home is not None and home is not module:
                yield home
    yield from _homes_of_values(module)


def _homes_of_values(module: ModuleType) -> Iterator[ModuleType]:
    """The modules from which a module imports what may hold constants and does not know its own module: tables,
    arithmetic, types. Their constants have the names that they have there."""
    private = _MODEL_LOCK.match(module.__name__)
    prefix = private.group() if private else ""
    for node in read_source(str(module.__file__)).tree.body:
        if isinstance(node, ast.ImportFrom) and any(_may_hold_constants(module, imported) for imported in node.names):
            name = importlib.util.resolve_name("." * node.level + (node.module or ""), module.__package__)
            home = sys.modules.get(prefix + name) or sys.modules.get(name)
            if home is not None:
                yield home


def _may_hold_constants(module: ModuleType, alias: ast.alias) -> bool:
    thing = vars(module).get(alias.asname or alias.name)
    return not isinstance(thing, (type, Constant)) and (get_origin(thing) is not None or is_unsettled(thing))


def _may_be_a_model(module: ModuleType) -> bool:
    name = module.__name__
    ours = name == _LANGUAGE or name.startswith(_LANGUAGE + ".")
    return (
        not ours
        and getattr(module, "__file__", None) is not None
        and name.partition(".")[0] not in sys.stdlib_module_names
    )


def _is_model(module: ModuleType) -> bool:
    """Whether a module is text of a model: it holds something of the language, or lies beside the user's file."""
    if module.__name__.startswith(PRIVATE):
        return True
    return len(modules_of(module)) > 1 or any(_is_model_thing(thing) for thing in vars(module).values())


def _is_model_thing(thing: object) -> bool:
    if isinstance(thing, (type, FunctionType)) and (mark_of(thing) is not None or is_of_language(thing)):
        return True
    return isinstance(thing, ConstantExpression) or (
        isinstance(thing, type) and issubclass(thing, Domain) and thing is not Domain
    )
