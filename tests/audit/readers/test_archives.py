"""Archives: what is in them comes out, within limits, and what does not is named."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable
from typing import Literal

import pytest
from tidegate.audit.cluster.statements import Unread
from tidegate.audit.readers import archives

TEXT = b"Topic: dead-letter\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: \n"
UNPACK = "unpack it beside the other files"


def zip_files(**files: bytes) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, raw in files.items():
            archive.writestr(name.replace("__", "."), raw)
    return into.getvalue()


def tar_files(mode: Literal["w", "w:gz", "w:bz2", "w:xz"] = "w", **files: bytes) -> bytes:
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode=mode) as archive:
        for name, raw in files.items():
            member = tarfile.TarInfo(f"./d/{name.replace('__', '.')}")
            member.size = len(raw)
            archive.addfile(member, io.BytesIO(raw))
    return into.getvalue()


def name_of(value: str | bytes) -> str:
    """A case's name: what is packed has the time in it, and processes that run tests must name them alike."""
    return value if isinstance(value, str) else "packed"


@pytest.mark.parametrize(
    ("path", "raw", "inner"),
    [
        ("a.txt.gz", gzip.compress(TEXT), "a.txt.gz/a.txt"),
        ("a.txt.bz2", bz2.compress(TEXT), "a.txt.bz2/a.txt"),
        ("a.txt.xz", lzma.compress(TEXT), "a.txt.xz/a.txt"),
        ("a", gzip.compress(TEXT), "a/a"),
        ("a.zip", zip_files(b__txt=TEXT), "a.zip/b.txt"),
        ("a.tar", tar_files(b__txt=TEXT), "a.tar/d/b.txt"),
        ("a.tgz", tar_files("w:gz", b__txt=TEXT), "a.tgz/d/b.txt"),
        ("a.tar.bz2", tar_files("w:bz2", b__txt=TEXT), "a.tar.bz2/d/b.txt"),
        ("a.tar.xz", tar_files("w:xz", b__txt=TEXT), "a.tar.xz/d/b.txt"),
        ("a.zip", zip_files(i__zip=zip_files(b__txt__gz=gzip.compress(TEXT))), "a.zip/i.zip/b.txt.gz/b.txt"),
        ("named.png", TEXT, "named.png"),
        ("two.gz", gzip.compress(TEXT[:9]) + gzip.compress(TEXT[9:]), "two.gz/two"),
    ],
    ids=name_of,
)
def test_what_is_packed_comes_out_whatever_it_is_called(path: str, raw: bytes, inner: str) -> None:
    assert [*archives.archive_entries(path, raw)] == [(inner, TEXT)]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"\x28\xb5\x2f\xfdxx", "it is compressed with Zstandard"),
        (b"$ANSIBLE_VAULT;1.1;AES256\n6162", "it is encrypted with Ansible Vault"),
        (gzip.compress(TEXT * 9)[:-9], "its archive is broken or has what is not read (EOFError)"),
        (zip_files(b__txt=TEXT)[:40], "its archive is broken or has what is not read (BadZipFile)"),
    ],
    ids=name_of,
)
def test_what_does_not_come_out_may_be_configuration(raw: bytes, reason: str) -> None:
    assert [*archives.archive_entries("a.x", raw)] == [Unread("a.x", reason, may_be_configuration=True, to_do=UNPACK)]


def test_a_link_in_an_archive_is_named_and_what_is_not_configuration_too() -> None:
    into = io.BytesIO()
    with tarfile.open(fileobj=into, mode="w") as archive:
        link = tarfile.TarInfo("l.txt")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        archive.addfile(tarfile.TarInfo("logo.png"))
    found = [*archives.archive_entries("a.tar", into.getvalue())]
    assert found == [
        Unread("a.tar/l.txt", "it is a link in an archive", may_be_configuration=True, to_do=UNPACK),
        Unread("a.tar/logo.png", "it is an image"),
    ]


def test_what_kafka_is_published_with_is_named_once_and_hides_nothing_beside_it() -> None:
    names = ("LICENSE", "libs/a.jar", "libs/b.jar", "config/server.properties", "config/kraft/x.properties")
    files = {f"kafka_2.13-3.9.0/{name}": b"broker.id=0\n" for name in names}
    raw = zip_files(**files, **{"kafka_2.13-3.9.0/topics.txt": b"Topic: a\t", "topics2.txt": b"Topic: b\t"})
    found = [*archives.archive_entries("k.zip", raw)]
    assert [entry for entry in found if not isinstance(entry, Unread)] == [
        ("k.zip/kafka_2.13-3.9.0/topics.txt", b"Topic: a\t"),
        ("k.zip/topics2.txt", b"Topic: b\t"),
    ]
    left = [entry for entry in found if isinstance(entry, Unread)]
    assert [(one.path, one.may_be_configuration) for one in left] == [
        ("k.zip/kafka_2.13-3.9.0", False),
        ("k.zip/kafka_2.13-3.9.0/config", True),
    ]


def test_what_is_called_a_list_or_a_key_in_an_archive_is_read_where_it_is_about_a_cluster() -> None:
    text = b"Topic: a\tPartitionCount: 1\tReplicationFactor: 1\n"
    raw = zip_files(**{"topics.sum": text, "producer.key": b"acks=0\n", "news.txt": text, "a.png": b"\x89PNG\0"})
    found = [*archives.archive_entries("k.zip", raw)]
    assert {entry[0] for entry in found if not isinstance(entry, Unread)} == {
        "k.zip/topics.sum", "k.zip/producer.key", "k.zip/news.txt",
    }  # fmt: skip


def _zipped_twice(raw: bytes) -> bytes:
    return zip_files(a=raw, b=raw)


@pytest.mark.parametrize("pack", [gzip.compress, lzma.compress, _zipped_twice])
def test_a_bomb_is_named_and_not_unpacked(pack: Callable[[bytes], bytes]) -> None:
    (left,) = archives.archive_entries("a.x", pack(bytes(1 << 20)), largest=1 << 16)
    assert isinstance(left, Unread) and left.may_be_configuration
    assert left.reason == "its archive has more than is taken out"


def test_archives_in_archives_end() -> None:
    raw = TEXT
    for _ in range(9):
        raw = zip_files(a__zip=raw)
    (left,) = archives.archive_entries("a.zip", raw)
    assert isinstance(left, Unread) and left.reason == "it is in more than 6 archives" and left.may_be_configuration


def test_too_many_entries_are_named() -> None:
    (left,) = (
        e
        for e in archives.archive_entries("a.zip", zip_files(**{f"f{n}": b"" for n in range(20_100)}))
        if isinstance(e, Unread)
    )
    assert left.reason == "it has more than 20,000 entries" and left.may_be_configuration
