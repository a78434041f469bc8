"""What stands in a model's files and would be left out of the model without a word: functions that look like actions or
properties and carry no decorator, and marked functions of a file from which only other names were imported."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from types import FunctionType, ModuleType

from .declare import mark_of
from .frontend.source import Source, read


def look_alikes(modules: Iterable[ModuleType], state: str) -> Iterator[tuple[Source, ast.FunctionDef]]:
    """Functions at the top level of a file that take the state class first, carry no decorator, and are called
    nowhere."""
    sources = [read(str(each.__file__)) for each in modules]
    for source in sources:
        for node in source.tree.body:
            if not isinstance(node, ast.FunctionDef) or not _looks_marked(node, state):
                continue
            if not any(_mentions(each, node) for other in sources for each in other.tree.body):
                yield source, node


def _looks_marked(node: ast.FunctionDef, state: str) -> bool:
    """Whether a function has an action's or a property's signature, and no decorator. One that returns something else
    answers a question for tests; a leading underscore says that one which returns a bool does so too."""
    first = next(iter(node.args.args), None)
    takes_state = first is not None and first.annotation is not None and _name(first.annotation) == state
    returns = None if node.returns is None else _name(node.returns)
    return takes_state and returns in (None, "None", "bool") and not node.decorator_list and node.name[0] != "_"


def _name(annotation: ast.expr) -> str:
    return ast.unparse(annotation).strip("'\"")


def _mentions(statement: ast.stmt, function: ast.FunctionDef) -> bool:
    """Whether a statement, other than the function itself, names it in code, or calls it in a sentence or a view."""
    if statement is function:
        return False
    name, called = function.name, re.compile(rf"\b{re.escape(function.name)}\(")
    return any(
        (isinstance(each, ast.Name) and each.id == name)
        or (isinstance(each, ast.Attribute) and each.attr == name)
        or (isinstance(each, ast.Constant) and isinstance(each.value, str) and called.search(each.value) is not None)
        for each in ast.walk(statement)
    )


def half_imported(modules: Iterable[ModuleType], collected: Iterable[FunctionType]) -> Iterator[str]:
    """A sentence for each of the modules that defines marked functions which the model does not have."""
    known = set(collected)
    for module in modules:
        own = [each for each in vars(module).values() if isinstance(each, FunctionType) and _is_of(each, module)]
        missing = [each for each in own if each not in known]
        if missing:
            names = ", ".join(f"{each.__name__} (@{mark.role})" for each in missing if (mark := mark_of(each)))
            file = str(module.__file__).rpartition("/")[2]
            yield f"{names} of {file} are not in this model: import them by name too, if they belong to it"


def _is_of(function: FunctionType, module: ModuleType) -> bool:
    """Whether a marked function is defined in a module."""
    return mark_of(function) is not None and function.__module__ == module.__name__
