"""From paths to texts: every file of a folder, of its archives and of the folders that its links lead to, or the reason
why one is not read."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePath

from ..cluster.statements import MARK, Unread, UnreadableInputError
from . import archives
from .kinds import CONFIGURATION, TOOLS, file_kind, first_mark_of_kafka, is_disguised
from .texts import HEAD, InputText, decode_text, is_binary

LARGEST = 256 << 20
"""Bytes of one file; 50,000 partitions are described in 6 MB."""

MOST = 200_000
"""Files and folders below the ones that are given."""


def read_inputs(paths: Sequence[Path]) -> tuple[list[InputText], list[Unread]]:
    """All texts in order, and what was not read. Raises UnreadableInputError for a path that is not there, and for a
    file named by the user that cannot be read."""
    texts: list[InputText] = []
    unread: list[Unread] = []
    walk = _Walk()
    for path in paths:
        for found in _walk_folder(walk, path):
            if isinstance(found, Unread):
                unread.append(replace(found, path=re.sub(r"[\x00-\x1f\x7f]", "?", found.path)))
            else:
                texts.append(found)
    return texts, unread


def _walk_folder(walk: _Walk, path: Path) -> Iterator[InputText | Unread]:
    if not path.exists() and not path.is_symlink():
        raise UnreadableInputError(f"{path} does not exist. Give files, or a directory of them.")
    if path.is_dir():
        found = [*walk.files_below(path)]
        for file in sorted(one for one in found if isinstance(one, Path)):
            yield from _texts_of_file(str(file), _bytes_or_reason(file), is_named=False)
        yield from (one for one in found if isinstance(one, Unread))
    else:
        raw = _bytes_or_reason(path)
        if isinstance(raw, Unread):
            raise UnreadableInputError(f"{path}: {raw.reason}.")
        yield from _texts_of_file(str(path), raw, is_named=True)


@dataclass
class _Walk:
    """A walk through folders. `visited_paths` are the files and folders that it has come by, by what the system knows
    them."""

    visited_paths: dict[tuple[int, int], str] = field(default_factory=dict[tuple[int, int], str])

    def files_below(self, path: Path) -> Iterator[Path | Unread]:
        """The files below a folder, links followed, each once. Raises UnreadableInputError if it cannot be listed."""
        self._note_visit(path)
        waiting = [path]
        while waiting:
            here = waiting.pop()
            try:
                names = sorted(os.listdir(here))
            except OSError as error:
                if here == path:
                    raise UnreadableInputError(f"{path}: {error.strerror}.") from None
                yield _unreadable_path(here, error)
                continue
            folders: list[Path] = []
            for name in names:
                found = self._file_or_reason(here / name)
                if isinstance(found, Unread) or not found.is_dir():
                    yield found
                else:
                    folders.append(found)
            waiting += reversed(folders)

    def _file_or_reason(self, path: Path) -> Path | Unread:
        """A file or a folder that is to be read, or why it is not."""
        try:
            found = path.stat()
        except OSError as error:
            if isinstance(error, PermissionError) or not path.is_symlink():
                return _unreadable_path(path, error)
            reason = (
                "it is a link that leads to itself" if error.errno == errno.ELOOP else "it is a link that leads nowhere"
            )
            return Unread(str(path), reason, may_be_configuration=not file_kind(path.name), to_do=_MEND)
        if stat.S_ISDIR(found.st_mode) and path.name in TOOLS:
            return Unread(str(path), "it is a folder that a tool keeps for itself")
        if (before := self.visited_paths.get((found.st_dev, found.st_ino))) is not None:
            return Unread(str(path), f"it is {before}, which is read once")
        if len(self.visited_paths) >= MOST:
            return Unread(str(path), f"{MOST:,} files and folders come before it", may_be_configuration=True)
        if not stat.S_ISDIR(found.st_mode) and not stat.S_ISREG(found.st_mode):
            null = path.resolve() == Path(os.devnull)
            return Unread(str(path), "it is not a file but a device, a pipe or a socket", may_be_configuration=not null)
        if stat.S_ISREG(found.st_mode) and (kind := file_kind(path.name)) and not _is_disguised(path, kind):
            return Unread(str(path), f"it is {kind}")
        self._note_visit(path)
        return path

    def _note_visit(self, path: Path) -> None:
        found = path.stat()
        self.visited_paths.setdefault((found.st_dev, found.st_ino), str(path))


_MEND = "mend the link, or remove it"


def _is_disguised(path: Path, kind: str) -> bool:
    """Whether a file is not what its name says (`is_disguised`)."""
    try:
        with path.open("rb") as file:
            return is_disguised(path.name, kind, file.read(HEAD))
    except OSError:
        return False


def _unreadable_path(path: Path, error: OSError) -> Unread:
    reason = f"the system does not let it be read ({error.strerror})"
    return Unread(str(path), reason, may_be_configuration=True, to_do="run the audit as a user who may read it")


def _bytes_or_reason(path: Path) -> bytes | Unread:
    try:
        if path.stat().st_size > LARGEST:
            reason = f"it is larger than {LARGEST >> 20} MiB, which no configuration is"
            return Unread(str(path), reason, may_be_configuration=True)
        return path.read_bytes()
    except OSError as error:
        return _unreadable_path(path, error)


def _texts_of_file(path: str, raw: bytes | Unread, *, is_named: bool) -> Iterator[InputText | Unread]:
    """The texts of a file, several if it is an archive. One that the user named is read whatever its name says."""
    for entry in [raw] if isinstance(raw, Unread) else archives.archive_entries(path, raw):
        if isinstance(entry, Unread):
            yield entry
            continue
        name, content = entry
        text = decode_text(content)
        if is_named and name == path:
            yield name, text, True
        elif not text.strip(MARK + " \t\r\n\0"):
            yield Unread(name, "it is empty")
        elif is_binary(text):
            mark = first_mark_of_kafka(text.replace("\0", ""))
            reason = f"it is not a text, and has `{mark}`" if mark else "it is not a text"
            called = PurePath(name).suffix.lower() in CONFIGURATION
            yield Unread(name, reason, may_be_configuration=called or bool(mark))
        else:
            yield name, text, False


def read_text(path: Path) -> str:
    """The text of a file that another one names. Raises UnreadableInputError where it cannot be read."""
    raw = _bytes_or_reason(path)
    if isinstance(raw, Unread):
        raise UnreadableInputError(f"{path}: {raw.reason}.")
    return decode_text(raw)
