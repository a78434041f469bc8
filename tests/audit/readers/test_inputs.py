"""Everything in a folder is a text to read, or is named with the reason."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from tidegate.audit.cluster.statements import UnreadableInputError
from tidegate.audit.readers.inputs import read_inputs
from tidegate.audit.readers.texts import WIDE, decode_text


def unread_files(folder: Path) -> dict[str, tuple[str, bool]]:
    return {
        os.path.relpath(one.path, folder): (one.reason, one.may_be_configuration) for one in read_inputs([folder])[1]
    }


def read(folder: Path) -> list[str]:
    return [os.path.relpath(path, folder) for path, _, _ in read_inputs([folder])[0]]


def test_links_to_folders_are_followed_and_each_file_is_read_once(tmp_path: Path) -> None:
    inside, outside = tmp_path / "c", tmp_path / "o"
    (inside / "d").mkdir(parents=True)
    outside.mkdir()
    (outside / "more.txt").write_text("x")
    (inside / "linked").symlink_to(outside)
    (inside / "again").symlink_to(outside)
    (inside / "d" / "loop").symlink_to(inside)
    (inside / "d" / "b.properties").symlink_to(outside / "more.txt")
    assert read(inside) == ["again/more.txt"]
    assert unread_files(inside) == {
        "d/b.properties": (f"it is {inside}/again/more.txt, which is read once", False),
        "d/loop": (f"it is {inside}, which is read once", False),
        "linked": (f"it is {inside}/again, which is read once", False),
    }


def test_links_that_lead_nowhere(tmp_path: Path) -> None:
    (tmp_path / "more.txt").symlink_to("/nonexistent")
    (tmp_path / "self.txt").symlink_to(tmp_path / "self.txt")
    (tmp_path / "logo.png").symlink_to("/nonexistent")
    (tmp_path / "masked.service").symlink_to("/dev/null")
    assert unread_files(tmp_path) == {
        "more.txt": ("it is a link that leads nowhere", True),
        "self.txt": ("it is a link that leads to itself", True),
        "logo.png": ("it is a link that leads nowhere", False),
        "masked.service": ("it is not a file but a device, a pipe or a socket", False),
    }


def test_what_the_system_does_not_let_be_read(tmp_path: Path) -> None:
    for name in ("d", "e"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "t.txt").write_text("x")
    (tmp_path / "f.txt").write_text("x")
    for name, mode in (("d", 0), ("e", 0o444), ("f.txt", 0)):
        (tmp_path / name).chmod(mode)
    if os.access(tmp_path / "f.txt", os.R_OK):
        pytest.skip("root reads everything")
    try:
        why = "the system does not let it be read (Permission denied)"
        assert unread_files(tmp_path) == {"d": (why, True), "e/t.txt": (why, True), "f.txt": (why, True)}
    finally:
        for name in ("d", "e"):
            (tmp_path / name).chmod(0o755)


def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "topics.txt")
    assert unread_files(tmp_path) == {"topics.txt": ("it is not a file but a device, a pipe or a socket", True)}


def test_kinds_hidden_files_and_folders_of_tools(tmp_path: Path) -> None:
    for name in (".git/config", ".hidden/t.txt", ".env", "README.md", "a/b/c.properties", "empty.txt", "blank.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("" if name == "empty.txt" else "\n \n" if name == "blank.yaml" else "x=1\n")
    assert read(tmp_path) == [".env", ".hidden/t.txt", "a/b/c.properties"]
    assert unread_files(tmp_path) == {
        ".git": ("it is a folder that a tool keeps for itself", False),
        "README.md": ("it is a document", False),
        "empty.txt": ("it is empty", False),
        "blank.yaml": ("it is empty", False),
    }


def test_what_is_not_a_text(tmp_path: Path) -> None:
    (tmp_path / "data").write_bytes(bytes(range(256)) * 40)
    (tmp_path / "meta.log").write_bytes(bytes(range(256)) + b"min.insync.replicas")
    (tmp_path / "b.properties").write_bytes(b"node.id=4\n\0")
    assert unread_files(tmp_path) == {
        "data": ("it is not a text", False),
        "meta.log": ("it is not a text, and has `min.insync.replicas`", True),
        "b.properties": ("it is not a text, and has `node.id`", True),
    }


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_texts_of_other_encodings_are_texts(encoding: str) -> None:
    text = "Topic: a\tPartitionCount: 1\tReplicationFactor: 1\n"
    found = decode_text(text.encode(encoding))
    assert found.lstrip("\ufeff") == text
    assert found.startswith(WIDE) == (encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32"))


def test_what_the_user_names_is_read_whatever_it_is_called(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("broker.id=1\n")
    assert read_inputs([tmp_path / "README.md"]) == ([(str(tmp_path / "README.md"), "broker.id=1\n", True)], [])
    with pytest.raises(UnreadableInputError, match=r"nope does not exist\. Give files, or a directory of them\."):
        read_inputs([tmp_path / "nope"])


def test_an_image_that_is_a_text_about_a_cluster_is_read(tmp_path: Path) -> None:
    for name in ("a.png", "b.pem", "c.lock", "d.md", "E.java"):
        (tmp_path / name).write_text("Topic: a\tPartitionCount: 1\tReplicationFactor: 1\n")
    (tmp_path / "f.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0acks=0")
    assert read(tmp_path) == ["a.png", "b.pem", "c.lock"]
    assert set(unread_files(tmp_path)) == {"d.md", "E.java", "f.png"}


def test_folders_are_walked_however_deep_they_are(tmp_path: Path) -> None:
    here, start = tmp_path, os.getcwd()
    try:
        os.chdir(tmp_path)
        for _ in range(1200):
            os.mkdir("d")
            os.chdir("d")
        Path("t.txt").write_text("x")
    finally:
        os.chdir(start)
    assert [path.count("/d/") > 0 for path in read(here)] == [True]
    subprocess.run(["rm", "-rf", str(here / "d")], check=True)  # which pytest would take away level by level
