"""What cannot happen with a profile: `impossible = {"kafka_3_9": ("zombie_is_obeyed",)}` in a model's file.

A profile that repairs a mistake, or leaves a part of the protocol out, makes some outcome impossible: an action never
happens with it, or a witness is reached in no state, whatever the bounds. Whoever says so is warned of it no more, and
where it does happen the result says that.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from enum import Enum
from types import FunctionType, ModuleType
from typing import Any, TypeAlias, cast

from .constants import Value
from .declare import Mark
from .errors import Diagnostics, suggest_name
from .frontend.source import read_source

Impossible: TypeAlias = tuple[tuple[str, tuple[str, ...]], ...]
"""Profiles by name, each with the names of actions and witnesses that cannot be with it."""
_VARIABLE = "impossible"
_USAGE = 'impossible = {"profile": ("action", "witness")}'


def impossible_outcomes(
    modules: Iterable[ModuleType],
    profiles: Mapping[str, object],
    functions: Iterable[tuple[FunctionType, Mark]],
    diagnostics: Diagnostics,
) -> Impossible:
    """What the modules of a model declare impossible. Notes a profile that there is not, and what is no outcome."""
    outcomes = [function.__name__ for function, mark in functions if mark.role in ("action", "reachable")]
    found: dict[str, tuple[str, ...]] = {}
    for module in modules:
        given: Any = vars(module).get(_VARIABLE, {})
        if not _is_declaration(given):
            _report_impossible(module, "these are no outcomes by the name of a profile", _USAGE, diagnostics)
            continue
        for profile, names in cast("Mapping[str, tuple[str, ...]]", given).items():
            if profile not in profiles:
                _report_impossible(
                    module, f"there is no profile {profile}", suggest_name(profile, profiles), diagnostics
                )
            for name in names:
                if name not in outcomes:
                    message = f"{name}, which is impossible with {profile}, is no action and no @reachable"
                    _report_impossible(module, message, suggest_name(name, outcomes), diagnostics)
            found[profile] = tuple(dict.fromkeys((*found.get(profile, ()), *names)))
    return tuple(found.items())


def _is_declaration(thing: object) -> bool:
    if not isinstance(thing, Mapping):
        return False
    listed = cast("Mapping[object, object]", thing)
    names = [name for part in listed.values() if isinstance(part, tuple) for name in cast("tuple[object, ...]", part)]
    are_tuples = all(isinstance(part, tuple) for part in listed.values())
    return are_tuples and all(isinstance(text, str) for text in (*listed, *names))


def _report_impossible(module: ModuleType, message: str, hint: str, diagnostics: Diagnostics) -> None:
    source = read_source(str(module.__file__))
    node: ast.AST = source.assignments().get(_VARIABLE) or source.tree.body[0]
    diagnostics.add("TG007", source.where(node), message, hint)


def impossible_with(
    impossible: Impossible,
    profile: str | None,
    settings: Iterable[str],
    named_values: Mapping[str, Value],
    values: Mapping[str, Value],
) -> tuple[str, ...]:
    """What is impossible with a profile: nothing where one of its `settings`, or a switch (a bool or an enum), has
    another of the `values` than the profile has by itself, as it is `named_values`. Other integers are bounds."""
    fixed = {name for name, value in named_values.items() if isinstance(value, bool | Enum)} | set(settings)
    if profile is None or any(values[name] != named_values[name] for name in fixed):
        return ()
    return dict(impossible).get(profile, ())
