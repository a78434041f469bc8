"""What stands in a model's files and would be left out of the model without a word: functions that look like actions or
properties and carry no decorator or an unfinished one, and marked functions of a file from which only other names were
imported."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType

from .declare import is_of_language, mark_of
from .frontend.source import Source, read_source

CALLED_DECORATORS = re.compile(r"(\w+)\(")
"""A name that a text calls."""


def look_alikes(modules: Iterable[ModuleType], state: str) -> Iterator[tuple[Source, ast.FunctionDef]]:
    """Functions at the top level of a file that take the state class first, carry no decorator, and are called
    nowhere."""
    sources = [read_source(str(module.__file__)) for module in modules]
    for source in sources:
        for node in source.tree.body:
            if isinstance(node, ast.FunctionDef) and _looks_marked(node, state) and not _is_used(node, sources):
                yield source, node


def unfinished_decorators(modules: Iterable[ModuleType]) -> Iterator[tuple[Source, ast.FunctionDef]]:
    """Functions at the top level of a file that their decorators took as an argument: their names stand for a decorator
    or for fairness, as of `@leads_to` or `@weak` without parentheses, and no function is left."""
    for module in modules:
        source = read_source(str(module.__file__))
        for node in source.tree.body:
            if isinstance(node, ast.FunctionDef) and node.decorator_list:
                left = vars(module).get(node.name)
                if isinstance(left, bool) or is_of_language(left):
                    yield source, node


def _is_used(function: ast.FunctionDef, sources: Iterable[Source]) -> bool:
    """Whether any other statement at the top level of these files names a function. Only those whose text has the name
    are looked into."""
    return any(
        statement is not function and _names(statement, function.name)
        for source in sources
        for statement in source.statements_by_word.get(function.name, ())
    )


def _looks_marked(node: ast.FunctionDef, state: str) -> bool:
    """Whether a function has an action's or a property's signature, and no decorator. One that returns something else
    answers a question for tests; a leading underscore says that one which returns a bool does so too, and `view`
    draws."""
    first = next(iter(node.args.args), None)
    takes_state = first is not None and first.annotation is not None and _name(first.annotation) == state
    returns = None if node.returns is None else _name(node.returns)
    plain = node.name[0] == "_" or node.name == "view"
    return takes_state and returns in (None, "None", "bool") and not node.decorator_list and not plain


def _name(annotation: ast.expr) -> str:
    return ast.unparse(annotation).strip("'\"")


def _names(statement: ast.stmt, name: str) -> bool:
    """Whether a statement names a function in code, or calls it in a sentence or a view. Its tree is looked through
    only until the name is met: models are long, and this is part of every start."""
    for node in ast.walk(statement):
        match node:
            case ast.Name(id=found) | ast.Attribute(attr=found) if found == name:
                return True
            case ast.Constant(value=str(text)) if name in text and name in CALLED_DECORATORS.findall(text):
                return True
            case _:
                continue
    return False


def half_import_warnings(modules: Iterable[ModuleType], collected_functions: Iterable[FunctionType]) -> Iterator[str]:
    """A sentence for each of the modules that defines marked functions which the model does not have."""
    known = set(collected_functions)
    for module in modules:
        own = [
            variable
            for variable in vars(module).values()
            if isinstance(variable, FunctionType) and _is_of(variable, module)
        ]
        missing = [function for function in own if function not in known]
        if missing:
            names = [f"{function.__name__} (@{mark.role})" for function in missing if (mark := mark_of(function))]
            file = str(module.__file__).rpartition("/")[2]
            verb, them, belong = ("is", "it", "it belongs") if len(names) == 1 else ("are", "them", "they belong")
            yield f"{', '.join(names)} of {file} {verb} not in this model: import {them} by name too, if {belong} to it"


def _is_of(function: FunctionType, module: ModuleType) -> bool:
    """Whether a marked function is defined in a module."""
    return mark_of(function) is not None and function.__module__ == module.__name__
