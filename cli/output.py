"""The directory given with --out: looked at before a search, written after it, with the result already printed."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

from ..language.errors import UsageError
from ..language.model import Model
from .options import is_page_to_open

_MADE_DIRECTORIES: list[Path] = []
"""Directories that this command made."""


@contextlib.contextmanager
def remove_empty_directories() -> Generator[None]:
    """A command that ends with nothing to save leaves no directory behind that it made for it."""
    before = len(_MADE_DIRECTORIES)
    try:
        yield
    finally:
        for directory in _MADE_DIRECTORIES[before:]:
            with contextlib.suppress(OSError):  # it holds something, or is gone
                directory.rmdir()
        del _MADE_DIRECTORIES[before:]


def prepare_directory(directory: Path) -> Path:
    """The directory, made if only its last part is missing, and proved writable. Raises `UsageError`
    saying what is in the way.
    """
    if not directory.exists() and not directory.parent.is_dir():
        raise UsageError(
            f"--out {directory}: {directory.parent} does not exist; make it first, or name another directory"
        )
    import tempfile  # which loads every form of archive

    try:
        if not directory.exists():
            directory.mkdir()
            _MADE_DIRECTORIES.append(directory)
        with tempfile.TemporaryFile(dir=directory):
            pass
    except NotADirectoryError:
        raise UsageError(f"--out {directory}: it is a file; name a directory") from None
    except OSError as error:
        raise UsageError(
            f"--out {directory}: cannot be written ({error.strerror or error}); name another directory"
        ) from None
    return directory


class _RequiredJson:
    """The one JSON object of a command: where it goes, and whether it went there."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.printed = False


_REQUIRED_JSON: list[_RequiredJson] = []


@contextlib.contextmanager
def require_one_json() -> Generator[None]:
    """Within it a command owes one JSON object: `print_json` prints it, or else `print_failure`."""
    _REQUIRED_JSON.append(_RequiredJson(sys.stdout))
    try:
        yield
    finally:
        _REQUIRED_JSON.pop()


@contextlib.contextmanager
def reserve_stdout_for_json() -> Generator[None]:
    """Within it standard output belongs to `print_json`: what a model's own text prints goes to standard error."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


def check_open_option(options: argparse.Namespace, option: str = "out") -> None:
    """`--open` shows what another option writes: without that there is nothing to show. Raises `UsageError`."""
    if is_page_to_open(options) and getattr(options, option) is None:
        what = {"out": "--out DIR", "html": "--html FILE"}[option]
        raise UsageError(f"--open shows the page that --{option} writes: give {what} too")


def print_page_path(path: Path, leads_to: str, options: argparse.Namespace) -> None:
    """The last line of a command that wrote pages: the path of the one to open; shows it in the browser, if asked."""
    print(f"saved {path}{leads_to}", file=sys.stderr)
    if is_page_to_open(options):
        open_page(path)


def open_page(path: Path) -> None:
    """Shows a page in the browser; where there is none to start, says where the page is."""
    import webbrowser  # which few commands need

    if not webbrowser.open(path.resolve().as_uri()):
        print(f"--open: no browser could be started; the page is {path.resolve()}", file=sys.stderr)


def print_json(document: Any) -> None:
    """One JSON document on standard output."""
    stream = None
    if _REQUIRED_JSON:
        _REQUIRED_JSON[-1].printed, stream = True, _REQUIRED_JSON[-1].stream
    print(json.dumps(document, indent=2, ensure_ascii=False), file=stream, flush=True)


def print_failure(message: str, exit_: int, more: Mapping[str, Any]) -> None:
    """What a command ended with that has no result: one JSON document, `tidegate.error/1`, where one is asked for and
    none was printed. `more` is what else is known: the function of an initial state, its arguments and its place."""
    if _REQUIRED_JSON and not _REQUIRED_JSON[-1].printed:
        print_json({"schema": "tidegate.error/1", "exit": int(exit_), "message": message, **more})


def not_checked_notes(model: Model, names: Sequence[str] | None = None, *, loop: bool = False) -> list[str]:
    """What is said of the properties that a run was not checked for: those that read ghosts (`names`; None: all of
    them), and those of liveness; of a run that goes round for ever (`loop`), what is always possible alone."""
    folded = model.not_checked if names is None else names
    ghosts = [f"not checked: {', '.join(folded)}, which read ghosts that are folded away; --ghosts keeps them"]
    whole = [prop.name for prop in model.liveness if names is None and not (loop and prop.kind != "always_possible")]
    which = "no one run" if loop else "no run that ends"
    lasting = [f"not checked: {', '.join(whole)}, of liveness, which {which} can show; tidegate check does"]
    return [*(ghosts if folded else []), *(lasting if whole else [])]
