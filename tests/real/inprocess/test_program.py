"""The program that hosts Kafka's classes, made for a release: marks of lines, classes that moved or were renamed."""

from __future__ import annotations

import multiprocessing
import signal
import zipfile
from pathlib import Path

import pytest
from tidegate.language.errors import UnavailableError
from tidegate.real.driving.nodes.releases import Release
from tidegate.real.inprocess import program

from ...support.hosting import hosted_release


def release(folder: Path, version: str, *classes: str) -> Release:
    """A release with one jar, in which there are classes of these names and nothing in them."""
    folder.mkdir()
    with zipfile.ZipFile(folder / f"kafka-raft-{version}.jar", "w") as jar:
        for name in classes:
            jar.writestr(f"org/apache/kafka/{name}.class", b"")
    return Release(version, folder, "java")


@pytest.fixture
def sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for the program's source."""
    folder = tmp_path / "host"
    folder.mkdir()
    monkeypatch.setattr(program, "SOURCES", folder)
    return folder


@pytest.mark.parametrize(
    ("version", "kept"),
    [("3.8.1", "every old"), ("3.9.0", "every new one"), ("4.0.0", "every new"), ("10.0.0", "every new")],
)
def test_a_line_with_a_mark_is_of_the_releases_that_it_names(
    sources: Path, tmp_path: Path, version: str, kept: str
) -> None:
    (sources / "A.java").write_text("every\nold //[-3.8]\nnew //[3.9-]\none //[3.9-3.9]\n", encoding="utf-8")
    assert dict(program.adapted_sources(release(tmp_path / version, version))) == {
        "A.java": kept.replace(" ", "\n") + "\n"
    }


def test_a_class_is_imported_from_where_the_jars_have_it(sources: Path, tmp_path: Path) -> None:
    text = (
        "import org.apache.kafka.common.record.Records;\nimport org.apache.kafka.common.Uuid;\nimport java.util.List;\n"
    )
    (sources / "A.java").write_text(text, encoding="utf-8")
    moved = release(tmp_path / "jars", "4.3.1", "common/record/internal/Records", "common/Uuid", "streams/x/Records")
    assert dict(program.adapted_sources(moved))["A.java"] == text.replace("record.Records", "record.internal.Records")


def test_a_class_is_known_by_the_name_that_the_jars_have(sources: Path, tmp_path: Path) -> None:
    (sources / "A.java").write_text("class MemoryLog implements RaftLog { }\n", encoding="utf-8")
    assert (
        "implements RaftLog {"
        in dict(program.adapted_sources(release(tmp_path / "new", "4.3.1", "raft/RaftLog")))["A.java"]
    )
    assert "implements ReplicatedLog {" in dict(program.adapted_sources(release(tmp_path / "old", "4.2.0")))["A.java"]


def test_the_program_itself_has_a_text_for_each_release(tmp_path: Path) -> None:
    old = "".join(text for _, text in program.adapted_sources(release(tmp_path / "3.5", "3.5.2")))
    new = "".join(text for _, text in program.adapted_sources(release(tmp_path / "4.4", "4.4.0")))
    assert "//[" not in old + new
    assert "client.scheduleAppend(" in old and "client.scheduleAppend(" not in new
    assert "client.prepareAppend(" in new and "client.prepareAppend(" not in old


KILLED_WHILE_IT_COMPILES = """\
#!/bin/sh
[ "$1" = -version ] && {{ echo javac 17.0.1; exit; }}
while [ "$1" != -d ]; do shift; done
echo half > "$2/Host.class"
[ -e {flag} ] && kill -9 $PPID
echo whole > "$2/Host.class"
"""


def test_a_compilation_that_was_killed_is_made_again(tmp_path: Path) -> None:
    jars, flag, tools = release(tmp_path / "4.1.0", "4.1.0").jars, tmp_path / "kills", tmp_path / "bin"
    tools.mkdir()
    compiler = tools / "javac"
    compiler.write_text(KILLED_WHILE_IT_COMPILES.format(flag=flag), encoding="utf-8")
    compiler.chmod(0o755)
    flag.touch()
    asked = Release("4.1.0", jars, str(tools / "java"))
    compiles = multiprocessing.get_context("spawn").Process(target=program.compiled_folder, args=(asked,))
    compiles.start()
    compiles.join()
    assert compiles.exitcode == -signal.SIGKILL and list(tmp_path.glob("making-*/made/Host.class"))
    flag.unlink()
    assert (program.compiled_folder(asked) / "Host.class").read_text("utf-8") == "whole\n"


@pytest.mark.long
def test_classes_that_are_not_there_are_said_to_have_another_shape(tmp_path: Path) -> None:
    java = hosted_release().java
    empty = release(tmp_path / "jars", "4.1.0")
    with pytest.raises(
        program.ShapeError, match=r"^the classes of Kafka 4\.1\.0 have another shape than this program knows: "
    ):
        program.compiled_folder(Release("4.1.0", empty.jars, java))


def test_without_a_compiler_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    only = Release("4.1.0", release(tmp_path / "jars", "4.1.0").jars, str(tmp_path / "java"))
    with pytest.raises(UnavailableError, match=r"none beside it; install a JDK 17 or newer$"):
        program.compiled_folder(only)
