"""Which model a file belongs to, and a model with unsaved text, as files."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ..language.immutable import immutable
from ..language.syntax_errors import imported_files

_OF_LANGUAGE = re.compile(r"^\s*(?:from|import)\s+tidegate\b", re.MULTILINE)
_RELATIVE = re.compile(r"^\s*from\s+\.", re.MULTILINE)
_STATE = re.compile(r"^@state\b", re.MULTILINE)
_STEP = re.compile(r"^@(?:action|initial)\b", re.MULTILINE)


@immutable
class Overlay:
    """The files of a model as an editor has them: `folder` is where they are read from, which is `saved_folder` unless
    one of them has unsaved text."""

    folder: Path
    saved_folder: Path

    def saved_path(self, path: Path) -> Path:
        """Where a file is that is read from the folder: its own path in the editor."""
        try:
            return self.saved_folder / path.resolve().relative_to(self.folder)
        except ValueError:
            return path

    def read(self, path: Path) -> Path:
        """Where a file is read from."""
        return self.folder / path.relative_to(self.saved_folder)


def editor_text(path: Path, unsaved_texts: Mapping[Path, str]) -> str:
    """A file's text as an editor has it; "" of one that cannot be read."""
    if path in unsaved_texts:
        return unsaved_texts[path]
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def model_file_of(path: Path, unsaved_texts: Mapping[Path, str]) -> Path | None:
    """The file of the model that a file belongs to: itself where it has a state and what happens, else the first file
    beside it that imports it and is imported by none of those; None of a file that does not use the language, and of
    one that is read as a part of its package alone."""
    text = editor_text(path, unsaved_texts)
    if path.suffix != ".py" or not _OF_LANGUAGE.search(text) or _RELATIVE.search(text):
        return None
    if _STATE.search(text) and _STEP.search(text):
        return path
    beside = [other for other in sorted(path.parent.glob("*.py")) if other != path]
    importing = [other for other in beside if path in set(imported_files(other))]
    tops = [one for one in importing if not any(one in set(imported_files(other)) for other in importing)]
    return next((one for one in tops if _OF_LANGUAGE.search(editor_text(one, unsaved_texts))), path)


@contextmanager
def overlay_unsaved_texts(model: Path, unsaved_texts: Mapping[Path, str]) -> Generator[Overlay]:
    """The files of a model with the unsaved texts among them: copied to a folder of their own where there are such."""
    folder = model.parent
    if not any(path.is_relative_to(folder) and editor_text(path, {}) != text for path, text in unsaved_texts.items()):
        yield Overlay(folder, folder)
        return
    with tempfile.TemporaryDirectory(prefix="tidegate-editor-") as name:
        made = Overlay(Path(name).resolve(), folder)
        _copy_file(made, model, unsaved_texts)
        _copy_imported(made, model, unsaved_texts)
        yield made


def _copy_imported(overlay: Overlay, model: Path, unsaved_texts: Mapping[Path, str]) -> None:
    """Copies what is imported, until no copy imports a file that was not copied: unsaved text may import more."""
    copied = {model}
    while True:
        wanted = {file for copy in copied for file in imported_files(overlay.read(copy), overlay.saved_folder)} - copied
        if not wanted:
            return
        for path in wanted:
            _copy_file(overlay, path, unsaved_texts)
        copied |= wanted


def _copy_file(overlay: Overlay, path: Path, unsaved_texts: Mapping[Path, str]) -> None:
    copy = overlay.read(path)
    copy.parent.mkdir(parents=True, exist_ok=True)
    if path in unsaved_texts:
        copy.write_text(unsaved_texts[path], encoding="utf-8")
    else:
        copy.write_bytes(path.read_bytes())
