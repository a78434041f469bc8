"""Imports a user's file as a model's module, and notes what keeps it from being imported."""

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
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from types import FunctionType, ModuleType

from .constants import NoValueYetError
from .declare import PRIVATE, DecoratorError
from .errors import Diagnostics, UsageError, suggest_name
from .frontend.source import CAPACITY_ADVICE, NestingError, read_source
from .syntax_errors import note_unparsed, syntax_errors
from .where import Where

_LANGUAGE = __name__.rpartition(".")[0]
_TOP = _LANGUAGE.partition(".")[0]
_FOREIGN = frozenset({_TOP, "__main__", *sys.stdlib_module_names})
"""Packages of which no module belongs to a model's files."""
_numbers = itertools.count(1)
_LOADING = threading.RLock()
"""Held while a model is imported: the interpreter has one table of modules."""
_IMPORTABLE = "a file that can be imported by itself"
_LIVENESS = frozenset({"always", "eventually", "fair", "fairness", "liveness", "temporal", "until"})


def import_file(path: Path, diagnostics: Diagnostics) -> ModuleType:
    """Imports a user's file under a private name. Raises ModelErrors when that fails, UsageError without a file."""
    path = path.resolve()
    if not path.is_file() or path.suffix != ".py":
        raise UsageError(f"there is no file {path}" if not path.is_file() else f"{path} is not a .py file")
    linecache.checkcache()
    try:
        read_source(str(path))
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
        for definition in read_source(path).tree.body
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
