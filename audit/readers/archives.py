"""What is in archives and compressed files, in memory and within limits: nothing is written, and no entry's name is
taken for a path."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import re
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import IO, cast

from ..cluster.statements import Unread
from .kinds import file_kind, is_disguised
from .texts import HEAD

LARGEST = 256 << 20
"""Bytes that all entries of one archive have together, those of archives within it too."""

MOST = 20_000
"""Entries of one archive."""

DEEPEST = 6
"""Archives within each other."""


def _open_gzip(raw: bytes) -> IO[bytes]:
    return cast("IO[bytes]", gzip.GzipFile(fileobj=io.BytesIO(raw)))


_COMPRESSED: dict[bytes, Callable[[bytes], IO[bytes]]] = {
    b"\x1f\x8b": _open_gzip,
    b"BZh": lambda raw: bz2.BZ2File(io.BytesIO(raw)),
    b"\xfd7zXZ\0": lambda raw: lzma.LZMAFile(io.BytesIO(raw)),  # noqa: SIM115 (it holds no file)
}
_ZIPPED = (b"PK\3\4", b"PK\5\6", b"PK\7\x08")

_UNKNOWN = {
    b"\x28\xb5\x2f\xfd": "it is compressed with Zstandard",
    b"7z\xbc\xaf\x27\x1c": "it is an archive of 7-Zip",
    b"Rar!": "it is an archive of RAR",
    b"\x04\x22\x4d\x18": "it is compressed with LZ4",
    b"\xff\x06\0\0sNaPpY": "it is compressed with Snappy",
    b"\x1f\x9d": "it is compressed with `compress`",
    b"\x5d\0\0": "it is compressed with LZMA",
    b"LZIP": "it is compressed with lzip",
    b"!<arch>": "it is a package or a library",
    b"\xed\xab\xee\xdb": "it is a package of RPM",
    b"$ANSIBLE_VAULT": "it is encrypted with Ansible Vault",
    b"-----BEGIN PGP MESSAGE": "it is encrypted with PGP",
    b"age-encryption.org": "it is encrypted with age",
    b"-----BEGIN AGE": "it is encrypted with age",
    b"Salted__": "it is encrypted with OpenSSL",
}
_ENCRYPTED = frozenset({".gpg", ".pgp", ".age", ".enc", ".vault"})
_DISTRIBUTION = re.compile(
    r"(?P<top>kafka_2\.\d+-[\d.]+)/(?P<part>bin|libs|licenses|site-docs|config|LICENSE|NOTICE)(?:/|$)"
)
"""The folder in an archive of Kafka itself, and what the project publishes in it."""

_UNPACK = "unpack it beside the other files"
_BROKEN = (OSError, EOFError, ValueError, RuntimeError, NotImplementedError, zlib.error, lzma.LZMAError)
_BROKEN_ARCHIVES = (*_BROKEN, tarfile.TarError, zipfile.BadZipFile)


@dataclass
class _Allowance:
    """What may still be taken out of an archive."""

    size: int
    entries: int = MOST
    entry_names: set[str] = field(default_factory=set[str])


Entry = tuple[str, bytes]
"""A file in an archive: the archive's path and its own, and what is in it."""


def archive_entries(path: str, raw: bytes, largest: int = LARGEST) -> Iterator[Entry | Unread]:
    """What is in a file: of an archive its entries, of a compressed file what it is of, and of others they themselves.
    What is not taken out is named with the reason, so also what comes after the first `largest` bytes."""
    yield from _entries_of_archive(path, raw, _Allowance(largest), 0, path)


def _entries_of_archive(
    path: str, raw: bytes, allowance: _Allowance, depth: int, inner: str
) -> Iterator[Entry | Unread]:
    """`inner` is what the file is called, by which it is known what was compressed."""
    open_ = next((opened for magic, opened in _COMPRESSED.items() if raw.startswith(magic)), None)
    why = next((says for magic, says in _UNKNOWN.items() if raw.startswith(magic)), "")
    if why or PurePath(inner).suffix.lower() in _ENCRYPTED:
        yield Unread(path, why or "it is encrypted", may_be_configuration=True, to_do=_UNPACK)
    elif open_ is None and not raw.startswith(_ZIPPED) and not _is_tar(raw):
        yield path, raw
    elif depth >= DEEPEST:
        yield Unread(path, f"it is in more than {DEEPEST} archives", may_be_configuration=True, to_do=_UNPACK)
    else:
        try:
            if open_ is not None:
                yield from _decompress_file(path, open_(raw), allowance, depth, inner)
            elif _is_tar(raw):
                yield from _entries_of_tar(path, raw, allowance, depth)
            else:
                yield from _entries_of_zip(path, raw, allowance, depth)
        except _BROKEN_ARCHIVES as error:
            reason = f"its archive is broken or has what is not read ({type(error).__name__})"
            yield Unread(path, reason, may_be_configuration=True, to_do=_UNPACK)


def _is_tar(raw: bytes) -> bool:
    """Whether its first header is one of tar's, of which the older ones have no mark but their sum."""
    if raw[257:262] == b"ustar":
        return True
    try:
        return (
            len(raw) >= 512 and raw[:1] != b"\0" and tarfile.TarInfo.frombuf(raw[:512], "utf-8", "replace").chksum > 0
        )
    except tarfile.TarError:
        return False


def _read_allowed(path: str, file: IO[bytes], allowance: _Allowance, head: bytes = b"") -> bytes | Unread:
    """What a file has, `head` being read already, unless that is more than may be taken."""
    raw = head + file.read(max(0, allowance.size + 1 - len(head)))
    if len(raw) > allowance.size:
        reason = "its archive has more than is taken out"
        return Unread(path, reason, may_be_configuration=True, to_do=_UNPACK)
    allowance.size -= len(raw)
    return raw


def _decompress_file(
    path: str, file: IO[bytes], allowance: _Allowance, depth: int, inner: str
) -> Iterator[Entry | Unread]:
    raw = _read_allowed(path, file, allowance)
    if isinstance(raw, Unread):
        yield raw
        return
    end = PurePath(inner).suffix.lower()
    name = PurePath(inner).name
    name = (
        re.sub(r"\.(tgz|tbz2?|txz)$", ".tar", name, flags=re.I) if end.startswith(".t") else name[: -len(end) or None]
    )
    packed = raw.startswith((*_COMPRESSED, *_ZIPPED)) or _is_tar(raw)
    yield from _entries_of_archive(path if packed else f"{path}/{name}", raw, allowance, depth + 1, name)


def _entries_of_tar(path: str, raw: bytes, allowance: _Allowance, depth: int) -> Iterator[Entry | Unread]:
    with tarfile.open(fileobj=io.BytesIO(raw), mode="r:") as archive:
        for member in archive:
            name = f"{path}/{_entry_path(member.name)}"
            if member.isdir() or member.islnk():  # a hard link is to a file that is in the archive
                continue
            if not member.isreg():
                yield Unread(name, "it is a link in an archive", may_be_configuration=True, to_do=_UNPACK)
                continue
            file = archive.extractfile(member)
            if file is not None:
                yield from _entries_of_member(path, name, _entry_path(member.name), file, allowance, depth)
            if allowance.entries <= 0:
                return


def _entries_of_zip(path: str, raw: bytes, allowance: _Allowance, depth: int) -> Iterator[Entry | Unread]:
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        for member in archive.infolist():
            name = f"{path}/{_entry_path(member.filename)}"
            if member.is_dir():
                continue
            if member.flag_bits & 1:
                yield Unread(name, "it is encrypted", may_be_configuration=True, to_do=_UNPACK)
                continue
            with archive.open(member) as file:
                yield from _entries_of_member(path, name, _entry_path(member.filename), file, allowance, depth)
            if allowance.entries <= 0:
                return


def _entries_of_member(
    path: str, name: str, inner: str, file: IO[bytes], allowance: _Allowance, depth: int
) -> Iterator[Entry | Unread]:
    """One entry, which may be an archive itself. Of what its name says to be no configuration only the beginning is
    taken out, to see whether it is that."""
    allowance.entries -= 1
    published = _DISTRIBUTION.match(inner)
    kind = file_kind(inner)
    head = _read_head(file) if kind and not published and allowance.entries > 0 else b""
    if published:
        yield from _unread_part_of_kafka(f"{path}/{published['top']}", published["part"], allowance)
    elif allowance.entries <= 0:
        yield Unread(path, f"it has more than {MOST:,} entries", may_be_configuration=True, to_do=_UNPACK)
    elif kind and not is_disguised(inner, kind, head):
        yield Unread(name, f"it is {kind}")
    else:
        raw = _read_allowed(name, file, allowance, head)
        if isinstance(raw, Unread):
            yield raw
            allowance.entries = 0
        else:
            yield from _entries_of_archive(name, raw, allowance, depth + 1, inner)


def _read_head(file: IO[bytes]) -> bytes:
    """The beginning of an entry; nothing of one that is broken."""
    try:
        return file.read(HEAD)
    except _BROKEN:
        return b""


def _unread_part_of_kafka(top: str, part: str, allowance: _Allowance) -> Iterator[Unread]:
    """What Kafka is published with, named once for all that is in it; its settings may have been changed since."""
    name = f"{top}/config" if part == "config" else top
    if name in allowance.entry_names:
        return
    allowance.entry_names.add(name)
    if part == "config":
        reason = "it is the folder of settings that Kafka is published with, and may have been changed"
        to_do = "give the server.properties with which the brokers are started"
        yield Unread(name, reason, may_be_configuration=True, to_do=to_do)
    else:
        yield Unread(name, "it is Kafka as it is published")


def _entry_path(name: str) -> str:
    """An entry's name as part of a path that is shown."""
    return re.sub(r"[\x00-\x1f\x7f]", "?", name.removeprefix("./"))
