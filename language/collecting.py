"""Collects a model from its modules: state, marked functions, constants, domains, profiles."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Mapping
from types import FunctionType, ModuleType
from typing import Any, cast

from .constants import Constant, Value
from .declare import Mark, ghosts_of
from .errors import Diagnostics, suggest_name
from .frontend.source import NestingError, Source, read_source, source_of_class
from .immutable import immutable
from .impossible import Impossible, impossible_outcomes
from .omissions import half_import_warnings, look_alikes, unfinished_decorators
from .syntax_errors import note_unparsed
from .text_modules import (
    abstract_modules,
    abstract_modules_transitively,
    domains_of,
    marked_functions,
    modules_of,
    role_of,
    text_modules,
)
from .where import Where

SHADOWED_NOTE = ("TG009", "TG010")
"""The mistakes that leave a model to be read: two functions of one name, and what would be left out."""
_ROLE = "the decorator of a role: @action, @invariant, @always_eventually(weak(action))"
_UNFINISHED_MARK = {
    role: f"@{role}(then) or @{role}(then, weak(action)), where then is a predicate of the same parameters"
    for role in ("leads_to", "initially_leads_to", "leads_to_always")
}
"""How a decorator is written that does nothing without its parentheses."""


@immutable
class CollectedModel:
    """What a module and its property modules hold. Constants and functions are in source order; `notes` say what its
    files hold besides."""

    constants: Mapping[str, Constant]
    profiles: Mapping[str, Mapping[str, Value]]
    state_class: type[Any]
    functions: tuple[tuple[FunctionType, Mark], ...]
    domains: tuple[type[Any], ...]
    files: tuple[str, ...]
    notes: tuple[str, ...] = ()
    impossible: Impossible = ()


class Collector:
    """Collects from one model module and the modules that hold its further properties."""

    def __init__(self, module: ModuleType, properties: tuple[ModuleType, ...], diagnostics: Diagnostics) -> None:
        self.module, self.properties, self.diagnostics = module, properties, diagnostics
        self.path = str(module.__file__)
        own = frozenset(part for given in (module, *properties) for part in modules_of(given))
        self.abstract = frozenset(abstract_modules(module, *properties)) - own
        self.above = frozenset(abstract_modules_transitively(self.abstract))

    def collect(self) -> CollectedModel:
        """Everything. Raises ModelErrors (TG0xx) with all that is missing. What only stands twice, or would be left
        out, is noted, and keeps no other mistake from being found: whoever collects raises it."""
        modules = self._text_modules()
        for checked in (*modules_of(self.module), *self.properties):
            self._check_names(checked)
        self._check_unfinished(module for module in modules if module not in self.above)
        constants = self._constants_of(modules)
        profiles = self._checked_profiles(constants)
        state_class = self._state_class()
        functions = tuple(self._marked_functions())
        self._check_roles(functions)
        self._check_modules()
        impossible = impossible_outcomes(self._own_modules(modules), profiles, functions, self.diagnostics)
        if state_class is not None and not self.diagnostics.has_other_than(*SHADOWED_NOTE):
            self._check_look_alikes(self._own_modules(modules), state_class.__name__)
        if self.diagnostics.has_other_than(*SHADOWED_NOTE):
            self.diagnostics.raise_if_any()
        assert state_class is not None, "its absence is a diagnostic"
        domains = tuple(dict.fromkeys(domain for module in modules for domain in domains_of(module)))
        files = tuple(
            dict.fromkeys(
                str(module.__file__) for module in (*modules, *abstract_modules(self.module, *self.properties))
            )
        )
        notes = tuple(half_import_warnings(self._own_modules(modules), (function for function, _ in functions)))
        return CollectedModel(constants, profiles, state_class, functions, domains, files, notes, impossible)

    def _own_modules(self, modules: tuple[ModuleType, ...]) -> tuple[ModuleType, ...]:
        """Those of the modules that are of no abstract model."""
        return tuple(module for module in modules if module not in self.above)

    def _text_modules(self) -> tuple[ModuleType, ...]:
        """The modules that a model is made of. Raises ModelErrors where something in them is nested deeper than
        everything that reads a model takes: Python itself takes more."""
        try:
            found = tuple(text_modules(self.abstract, self.module, *self.properties))
            for module in found:
                read_source(str(module.__file__))
        except NestingError as error:
            note_unparsed(error, self.diagnostics)
            self.diagnostics.raise_if_any()
            raise
        return found

    def _check_modules(self) -> None:
        """`modules`, where it lists modules, is a tuple of nothing else: the rest would be left out."""
        listed: object = vars(self.module).get("modules")
        if isinstance(listed, (list, tuple, set, frozenset)):
            things = list(cast("Iterable[object]", listed))
            if any(isinstance(thing, ModuleType) for thing in things) and not (
                isinstance(listed, tuple) and all(isinstance(thing, ModuleType) for thing in things)
            ):
                source = read_source(self.path)
                message = "modules lists a model's files, as a tuple of imported modules"
                self.diagnostics.add(
                    "TG010", source.where(source.assignments()["modules"]), message, "modules = (a, b)"
                )

    def _check_look_alikes(self, modules: tuple[ModuleType, ...], state: str) -> None:
        """A function that takes the state and is neither marked nor called is one whose decorator was forgotten."""
        for source, node in look_alikes(modules, state):
            message = f"{node.name} takes the state, has no decorator, and nothing calls it"
            hint = f"@action, @invariant, @transition, @reachable or @terminal above it; or the name _{node.name}"
            self.diagnostics.add("TG010", _name_place(source, node, "def"), message, hint)

    def _check_unfinished(self, modules: Iterable[ModuleType]) -> None:
        """A function that its decorator took as an argument is no longer in the file."""
        for source, node in unfinished_decorators(modules):
            word = ast.unparse(node.decorator_list[0])
            message = f"@{word} takes {node.name} as its argument, and leaves nothing of it in the model"
            hint = _UNFINISHED_MARK.get(word.rpartition(".")[2], _ROLE)
            self.diagnostics.add("TG010", source.where(node.decorator_list[0]), message, hint)

    def _check_names(self, module: ModuleType) -> None:
        """No function silently replaces another of its name."""
        source = read_source(str(module.__file__))
        seen: set[str] = set()
        for node in source.tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                if node.name in seen:
                    word = "def" if isinstance(node, ast.FunctionDef) else "class"
                    where = _name_place(source, node, word)
                    message = f"this {node.name} replaces the one before it"
                    self.diagnostics.add("TG009", where, message, "a name of its own for each")
                seen.add(node.name)

    def _constants_of(self, modules: tuple[ModuleType, ...]) -> dict[str, Constant]:
        found: dict[str, Constant] = {}
        for module in modules:
            own = read_source(str(module.__file__)).assignments()
            for name, value in vars(module).items():
                if isinstance(value, Constant) and (name in own or not value.name):
                    value.name = name
        for module in modules:
            for value in vars(module).values():
                if isinstance(value, Constant) and found.setdefault(value.name, value) is not value:
                    source = read_source(str(module.__file__))
                    place = source.assignments().get(value.name, source.tree.body[0])
                    message = f"two different constants are called {value.name}"
                    self.diagnostics.add(
                        "TG009", source.where(place), message, "one constant, imported where it is used"
                    )
        return found

    # --- the state and the functions ---------------------------------------------------------------------------------

    def _state_class(self) -> type[Any] | None:
        things = [thing for module in modules_of(self.module) for thing in vars(module).values()]
        marked = [thing for thing in things if isinstance(thing, type) and role_of(thing) == "state"]
        found = [cls for cls in dict.fromkeys(marked) if sys.modules.get(cls.__module__) not in self.abstract]
        for name in [
            cls.__name__ for top in found[:1] for cls in (top, *ghosts_of(top)) if source_of_class(cls) is None
        ]:
            self._note_missing("TG008", f"{name} has no text", "a class written at the top level of a file")
        if not found:
            self._note_missing(
                "TG003", "no class is marked @state", "@state, above the class that holds the state's fields"
            )
        for cls in found[1:]:
            source = read_source(str(sys.modules[cls.__module__].__file__))
            where = _name_place(source, source.classes[cls.__name__], "class")
            message = f"{found[0].__name__} is the state already"
            self.diagnostics.add("TG004", where, message, "one @state class; @record for parts of it")
        return found[0] if found else None

    def _marked_functions(self) -> Iterator[tuple[FunctionType, Mark]]:
        """Marked functions: all of the model's, then the properties of the other modules."""
        seen: set[str] = set()
        own = modules_of(self.module)
        for module in (*own, *self.properties):
            for function, mark in marked_functions(module):
                behaviour = mark.role in ("action", "initial")
                if (behaviour and module not in own) or function.__name__ in seen:
                    continue
                seen.add(function.__name__)
                yield function, mark

    def _check_roles(self, functions: tuple[tuple[FunctionType, Mark], ...]) -> None:
        roles = {mark.role for _, mark in functions}
        if "initial" not in roles:
            self._note_missing(
                "TG005", "no function is marked @initial", "@initial, above a function that returns the first state"
            )
        if "action" not in roles:
            self._note_missing(
                "TG006", "no function is marked @action", "@action, above each function that takes a step"
            )

    def _note_missing(self, code: str, message: str, hint: str) -> None:
        self.diagnostics.add(code, Where(self.path, 1, 0, 1, 1), message, hint)

    # --- profiles ----------------------------------------------------------------------------------------------------

    def _checked_profiles(self, constants: Mapping[str, Constant]) -> Mapping[str, Mapping[str, Value]]:
        given: Any = vars(self.module).get("profiles", {})
        if not _is_profiles(given):
            place, hint = self._profile_place("", ""), 'profiles = {"name": {"constant": value}}'
            self.diagnostics.add("TG007", place, "these are no settings by name", hint)
            return {}
        profiles = cast("Mapping[str, Mapping[str, Value]]", given)
        for profile, settings in profiles.items():
            for name, value in settings.items():
                if name not in constants:
                    message = f"the profile {profile} sets {name}, which is not a constant"
                    self.diagnostics.add(
                        "TG007", self._profile_place(profile, name), message, suggest_name(name, constants)
                    )
                elif not _may_have(constants[name], value):
                    message = f"the profile {profile} sets {name} to {value}, which it cannot be"
                    hint = f"one of {', '.join(str(choice) for choice in constants[name].choices())}"
                    self.diagnostics.add("TG007", self._profile_place(profile, name), message, hint)
        return profiles

    def _profile_place(self, profile: str, name: str) -> Where:
        """Where a profile sets a constant; the whole of `profiles` when that is not written literally."""
        source = read_source(self.path)
        node = source.assignments().get("profiles")
        if node is None:
            return Where(self.path, 1, 0, 1, 1)
        for outer in ast.walk(node):
            if isinstance(outer, ast.Dict):
                for key, value in zip(outer.keys, outer.values, strict=True):
                    if isinstance(key, ast.Constant) and key.value == profile:
                        inner = (
                            constant
                            for constant in ast.walk(value)
                            if isinstance(constant, ast.Constant) and constant.value == name
                        )
                        return source.where(next(inner, key))
        return source.where(node)


def _is_profiles(value: object) -> bool:
    if not isinstance(value, Mapping):
        return False
    return all(isinstance(settings, Mapping) for settings in cast("Mapping[Any, Any]", value).values())


def _may_have(constant: Constant, value: object) -> bool:
    return type(value) is type(constant.default) and value in constant.choices()


def _name_place(source: Source, node: ast.FunctionDef | ast.ClassDef, word: str) -> Where:
    return Where(source.path, node.lineno, node.col_offset, node.lineno, node.col_offset + len(f"{word} {node.name}"))
