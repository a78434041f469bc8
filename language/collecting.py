"""Collects a model from its module: state, marked functions, constants, domains, profiles. Imports users' files."""

from __future__ import annotations

import ast
import builtins
import importlib.util
import itertools
import linecache
import re
import sys
import threading
import traceback
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, cast, get_origin

from .constants import Constant, ConstantExpression, NoValueYetError, Value
from .declare import PRIVATE, DecoratorError, Mark, ghosts_of, is_of_language, mark_of
from .errors import Diagnostics, UsageError, suggest_name
from .frontend.source import CAPACITY_ADVICE, NestingError, Source, read, source_of_class
from .immutable import immutable
from .impossible import Impossible, impossible_outcomes
from .kinds import Domain
from .omissions import half_import_warnings, look_alikes, unfinished_decorators
from .syntax_errors import note_unparsed, syntax_errors
from .values import is_unsettled
from .where import Where

_numbers = itertools.count(1)
_MODEL_LOCK = re.compile(re.escape(PRIVATE) + r"\d+_")
"""How the names of the modules begin that were imported with one file of a model."""
_LOADING = threading.RLock()
"""Held while a model is imported: the interpreter has one table of modules."""
_IMPORTABLE = "a file that can be imported by itself"
SHADOWED_NOTE = ("TG009", "TG010")
"""The mistakes that leave a model to be read: two functions of one name, and what would be left out."""
_ROLE = "the decorator of a role: @action, @invariant, @always_eventually(weak(action))"
_UNFINISHED_MARK = {
    role: f"@{role}(then) or @{role}(then, weak(action)), where then is a predicate of the same parameters"
    for role in ("leads_to", "initially_leads_to", "leads_to_always")
}
"""How a decorator is written that does nothing without its parentheses."""
_LIVENESS = frozenset({"always", "eventually", "fair", "fairness", "liveness", "temporal", "until"})
_LANGUAGE = __name__.rpartition(".")[0]
_TOP = _LANGUAGE.partition(".")[0]
_FOREIGN = frozenset({_LANGUAGE.partition(".")[0], "__main__", *sys.stdlib_module_names})
"""Packages of which no module belongs to a model's files."""


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


# --- users' files ----------------------------------------------------------------------------------------------------


def import_file(path: Path, diagnostics: Diagnostics) -> ModuleType:
    """Imports a user's file under a private name. Raises ModelErrors when that fails, UsageError without a file."""
    path = path.resolve()
    if not path.is_file() or path.suffix != ".py":
        raise UsageError(f"there is no file {path}" if not path.is_file() else f"{path} is not a .py file")
    linecache.checkcache()
    try:
        read(str(path))
    except SyntaxError as error:
        _note_failure(str(path), error, diagnostics)
    except UnicodeDecodeError as error:
        where = Where(str(path), 1, 0, 1, 1)
        message = f"it is not UTF-8: {error.reason} at byte {error.start}"
        diagnostics.add("TG001", where, message, "a file saved as UTF-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
    diagnostics.raise_if_any()
    return _execute_file(path, diagnostics)


def _execute_file(path: Path, diagnostics: Diagnostics) -> ModuleType:
    number = next(_numbers)
    name = f"{PRIVATE}{number}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None, "a .py file has a loader"
    assert spec.loader is not None, "a .py file has a loader"
    module = importlib.util.module_from_spec(spec)
    with _LOADING, _isolated_imports(path.parent, f"{PRIVATE}{number}_"):
        sys.modules[name] = module
        try:
            spec.loader.exec_module(module)
        except (Exception, SystemExit) as error:  # whatever a user's file raises is shown at the user's line
            del sys.modules[name]
            _note_failure(str(path), error, diagnostics)
            diagnostics.raise_if_any()
    return module


@contextmanager
def _isolated_imports(folder: Path, prefix: str) -> Generator[None, None, None]:
    """While it lasts, what is imported from below a folder is imported afresh, even where something else has imported a
    module of that name; after it, those modules have private names, and the others their own again."""
    shadowed = {top for top in {_top_of(name) for name in sys.modules} if _is_shadowed(top, folder)}
    aside = {name: sys.modules.pop(name) for name in sorted(sys.modules) if _top_of(name) in shadowed}
    before, written = set(sys.modules), sys.dont_write_bytecode
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    sys.dont_write_bytecode = True  # an edit within a second would be taken for the text of before
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.dont_write_bytecode = written
        for name in sorted(set(sys.modules) - before):
            if not name.startswith(PRIVATE) and (_is_in_folder(sys.modules[name], folder) or name in aside):
                _make_private(sys.modules[name], f"{prefix}{name}")
        sys.modules.update(aside)


def _top_of(name: str) -> str:
    """The package that a module belongs to, by its name; of a module in no package, the name itself."""
    return name.partition(".")[0]


def _is_shadowed(top: str, folder: Path) -> bool:
    """Whether a model in this folder that imports this package means a file or a folder of its own."""
    if top in _FOREIGN or top.startswith(PRIVATE):
        return False
    own = folder / top
    return own.with_name(f"{top}.py").is_file() or (own.is_dir() and any(own.glob("**/*.py")))


def _is_in_folder(module: ModuleType, folder: Path) -> bool:
    """Whether a module is a file below a folder, or a package there; what is installed is not a model's."""
    if _top_of(module.__name__) in _FOREIGN:
        return False
    file = getattr(module, "__file__", None)
    places = [Path(place).resolve() for place in ([file] if file else getattr(module, "__path__", ()))]
    below = [place.relative_to(folder) for place in places if place.is_relative_to(folder)]
    return any("site-packages" not in path.parts for path in below)


def _make_private(module: ModuleType, name: str) -> None:
    """Renames a module, so that another model's file of the same name is another module."""
    old = module.__name__
    del sys.modules[old]
    sys.modules[name] = module
    module.__name__ = name
    for thing in vars(module).values():
        if isinstance(thing, (type, FunctionType)) and thing.__module__ == old:
            thing.__module__ = name


def _note_failure(path: str, error: BaseException, diagnostics: Diagnostics) -> None:
    """Notes why a file cannot be read or imported: its own syntax, or what it raised on the way; and the syntax of the
    other files of the model, which would be reported one after the other."""
    broken = {mistake.filename: mistake for mistake in syntax_errors(Path(path))}
    if isinstance(error, SyntaxError) and error.filename == path:
        broken[path] = error
    for mistake in broken.values():
        note_unparsed(mistake, diagnostics)
    deep = isinstance(error, (RecursionError, MemoryError)) and any(
        isinstance(mistake, NestingError) for mistake in broken.values()
    )
    if not deep and (not isinstance(error, SyntaxError) or error.filename not in broken):
        expected = isinstance(error, (NoValueYetError, DecoratorError))
        message = str(error) if expected else f"{type(error).__name__}: {error}"
        instead = error.instead if expected else _import_hint(path, error)
        diagnostics.add("TG002", _failing_place(path, error), message, instead)


def _import_hint(path: str, error: BaseException) -> str:
    """What to write where importing a file failed."""
    import difflib

    name = getattr(error, "name", None)
    if isinstance(error, ModuleNotFoundError):
        near = difflib.get_close_matches(
            str(name), [*_importable_modules(path), _TOP, _LANGUAGE, f"{_TOP}.model.parts"], n=1
        )
        known = "".join(f"; did you mean {close}?" for close in near)
        return f"{name}.py beside the file, or a package {name} that is installed{known}"
    if isinstance(error, ImportError) and isinstance(name, str):
        wanted = getattr(error, "name_from", None) or _missing_name(error)
        if name == _LANGUAGE and hasattr(builtins, wanted):
            return f"{wanted} without an import: it is Python's own"
        if name == _LANGUAGE and wanted in _LIVENESS:
            return (
                "@always_possible, @leads_to, @always_eventually or @eventually_always, with weak(...) or strong(...)"
            )
        return suggest_name(wanted, _names_of(name)) or _IMPORTABLE
    if isinstance(error, TypeError) and str(error).startswith("Too many arguments for <class"):
        return CAPACITY_ADVICE
    bare = re.match(r"(\w+)\(\) missing 1 required positional argument: '(function|cls)'", str(error))
    if isinstance(error, TypeError) and bare:
        return f"@{bare[1]} without parentheses"
    if not isinstance(error, NameError) or not isinstance(name, str):
        return _IMPORTABLE
    defined = {
        definition.name
        for definition in read(path).tree.body
        if isinstance(definition, (ast.ClassDef, ast.FunctionDef))
    }
    if name in defined:
        return f"{name} above its first use; or, in annotations, `from __future__ import annotations` at the top"
    if name in _words():
        return f"from {_LANGUAGE} import {name}"
    near = difflib.get_close_matches(name, sorted(defined | set(_words())), n=1)
    return f"a definition or an import of {name}" + "".join(f"; did you mean {close}?" for close in near)


def _importable_modules(path: str) -> list[str]:
    """The files beside a file, as an import names them."""
    return sorted(file.stem for file in Path(path).parent.glob("*.py"))


def _missing_name(error: ImportError) -> str:
    """The name that a module does not have: Python 3.11 says it in the message only."""
    return error.msg.partition("cannot import name '")[2].partition("'")[0]


def _names_of(module: str) -> list[str]:
    """What can be imported from a module that is loaded."""
    known = sys.modules.get(module)
    if known is None:
        return []
    listed: Iterable[str] = vars(known).get("__all__") or (name for name in vars(known) if not name.startswith("_"))
    return sorted(listed)


def _words() -> Iterable[str]:
    """What a model can import from the language."""
    return vars(sys.modules[_LANGUAGE])["__all__"]


def _failing_place(path: str, error: BaseException) -> Where:
    """The deepest place in the user's own file that the error passed through."""
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if frame.filename == path and frame.lineno is not None:
            column = frame.colno or 0
            end_line, end_column = frame.end_lineno or frame.lineno, frame.end_colno or column + 1
            return Where(path, frame.lineno, column, end_line, end_column)
    return Where(path, 1, 0, 1, 0)


# --- collecting ------------------------------------------------------------------------------------------------------


class Collector:
    """Collects from one model module and the modules that hold its further properties."""

    def __init__(self, module: ModuleType, properties: tuple[ModuleType, ...], diagnostics: Diagnostics) -> None:
        self.module, self.properties, self.diagnostics = module, properties, diagnostics
        self.path = str(module.__file__)
        own = frozenset(part for given in (module, *properties) for part in modules_of(given))
        self.abstract = frozenset(abstract_modules(module, *properties)) - own
        self.above = frozenset(_abstract_modules_transitively(self.abstract))

    def collect(self) -> CollectedModel:
        """Everything. Raises ModelErrors (TG0xx) with all that is missing. What only stands twice, or would be left
        out, is noted, and keeps no other mistake from being found: whoever collects raises it."""
        modules = self._modules()
        for checked in (*modules_of(self.module), *self.properties):
            self._check_names(checked)
        self._check_unfinished(module for module in modules if module not in self.above)
        constants = self._constants(modules)
        profiles = self._profiles(constants)
        state_class = self._state_class()
        functions = tuple(self._functions())
        self._check_roles(functions)
        self._check_modules()
        impossible = impossible_outcomes(self._own(modules), profiles, functions, self.diagnostics)
        if state_class is not None and not self.diagnostics.has_other_than(*SHADOWED_NOTE):
            self._check_look_alikes(self._own(modules), state_class.__name__)
        if self.diagnostics.has_other_than(*SHADOWED_NOTE):
            self.diagnostics.raise_if_any()
        assert state_class is not None, "its absence is a diagnostic"
        domains = tuple(dict.fromkeys(domain for module in modules for domain in _domains(module)))
        files = tuple(
            dict.fromkeys(
                str(module.__file__) for module in (*modules, *abstract_modules(self.module, *self.properties))
            )
        )
        notes = tuple(half_import_warnings(self._own(modules), (function for function, _ in functions)))
        return CollectedModel(constants, profiles, state_class, functions, domains, files, notes, impossible)

    def _own(self, modules: tuple[ModuleType, ...]) -> tuple[ModuleType, ...]:
        """Those of the modules that are of no abstract model."""
        return tuple(module for module in modules if module not in self.above)

    def _modules(self) -> tuple[ModuleType, ...]:
        """The modules that a model is made of. Raises ModelErrors where something in them is nested deeper than
        everything that reads a model takes: Python itself takes more."""
        try:
            found = tuple(_modules(self.abstract, self.module, *self.properties))
            for module in found:
                read(str(module.__file__))
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
                source = read(self.path)
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
        source = read(str(module.__file__))
        seen: set[str] = set()
        for node in source.tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                if node.name in seen:
                    word = "def" if isinstance(node, ast.FunctionDef) else "class"
                    where = _name_place(source, node, word)
                    message = f"this {node.name} replaces the one before it"
                    self.diagnostics.add("TG009", where, message, "a name of its own for each")
                seen.add(node.name)

    def _constants(self, modules: tuple[ModuleType, ...]) -> dict[str, Constant]:
        found: dict[str, Constant] = {}
        for module in modules:
            own = read(str(module.__file__)).assignments()
            for name, value in vars(module).items():
                if isinstance(value, Constant) and (name in own or not value.name):
                    value.name = name
        for module in modules:
            for value in vars(module).values():
                if isinstance(value, Constant) and found.setdefault(value.name, value) is not value:
                    source = read(str(module.__file__))
                    place = source.assignments().get(value.name, source.tree.body[0])
                    message = f"two different constants are called {value.name}"
                    self.diagnostics.add(
                        "TG009", source.where(place), message, "one constant, imported where it is used"
                    )
        return found

    # --- the state and the functions ---------------------------------------------------------------------------------

    def _state_class(self) -> type[Any] | None:
        things = [thing for module in modules_of(self.module) for thing in vars(module).values()]
        marked = [thing for thing in things if isinstance(thing, type) and _role(thing) == "state"]
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
            source = read(str(sys.modules[cls.__module__].__file__))
            where = _name_place(source, source.classes[cls.__name__], "class")
            message = f"{found[0].__name__} is the state already"
            self.diagnostics.add("TG004", where, message, "one @state class; @record for parts of it")
        return found[0] if found else None

    def _functions(self) -> Iterator[tuple[FunctionType, Mark]]:
        """Marked functions: all of the model's, then the properties of the other modules."""
        seen: set[str] = set()
        own = modules_of(self.module)
        for module in (*own, *self.properties):
            for function, mark in _marked_functions(module):
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

    def _profiles(self, constants: Mapping[str, Constant]) -> Mapping[str, Mapping[str, Value]]:
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
        source = read(self.path)
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
    found = [mark.abstract for module in own for _, mark in _marked_functions(module)]
    return tuple(dict.fromkeys(part for abstract in found if abstract is not None for part in modules_of(abstract)))


def _abstract_modules_transitively(modules: frozenset[ModuleType]) -> Iterator[ModuleType]:
    """Modules of abstract models, and of those that these claim to refine in turn."""
    found = dict.fromkeys(modules)
    waiting = list(modules)
    while waiting:
        new = [above for above in abstract_modules(waiting.pop()) if above not in found]
        found.update(dict.fromkeys(new))
        waiting += new
    return iter(found)


def _role(thing: object) -> str | None:
    mark = mark_of(thing)
    return None if mark is None else mark.role


def _marked_functions(module: ModuleType) -> Iterator[tuple[FunctionType, Mark]]:
    """Marked functions in the order of the module: imported ones stand where they are imported."""
    for thing in dict.fromkeys(function for function in vars(module).values() if isinstance(function, FunctionType)):
        mark = mark_of(thing)
        if mark is not None:
            yield thing, mark


def _domains(module: ModuleType) -> Iterator[type[Any]]:
    for thing in vars(module).values():
        if isinstance(thing, type) and issubclass(thing, Domain) and thing is not Domain:
            yield thing


def _modules(abstract: frozenset[ModuleType], *roots: ModuleType) -> Iterator[ModuleType]:
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
        elif isinstance(thing, type) and _role(thing) == "state" and sys.modules.get(thing.__module__) in abstract:
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
    for node in read(str(module.__file__)).tree.body:
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
