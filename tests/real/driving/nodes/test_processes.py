"""The folder of a small cluster: it is its own, and nothing that is there before is touched."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tidegate.language.errors import UsageError
from tidegate.real.driving.nodes.processes import CONTROLLER, Nodes, NodesFolder
from tidegate.real.driving.nodes.releases import Release

from ....conftest import ROOT, Run


def release(version: str) -> Release:
    return Release(version, Path("/jars"), "java")


@pytest.mark.parametrize("more", [(), ("--random",)])
def test_a_folder_that_is_kept_is_empty_before(tidegate: Run, tmp_path: Path, more: tuple[str, ...]) -> None:
    mine = tmp_path / "data-1" / "precious"
    mine.parent.mkdir()
    mine.write_text("mine", "utf-8")
    out = tmp_path.with_name("report")
    trace = () if more else (save_trace(tidegate, out),)
    done = tidegate("confirm", *trace, *more, "--keep", str(tmp_path))
    assert (done.exit, mine.read_text("utf-8")) == (64, "mine")
    assert "it is not empty, and nothing there is overwritten" in done.err


def save_trace(tidegate: Run, out: Path) -> str:
    log = ROOT / "examples" / "histories" / "leader_moved.log"
    tidegate("validate", str(log), "--out", str(out))
    return str(next((out / "histories").glob("*.trace.json")))


def test_a_cluster_is_not_started_in_a_folder_with_files(tmp_path: Path) -> None:
    (tmp_path / "1.properties").write_text("mine", "utf-8")
    with pytest.raises(UsageError, match="not empty"):
        NodesFolder(tmp_path)
    with pytest.raises(UsageError, match="not empty"):
        NodesFolder(tmp_path / "1.properties")


def test_a_folder_that_is_kept_has_a_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nodes run in it, so that a path from where the command runs means another one to them."""
    monkeypatch.chdir(tmp_path)
    folder = NodesFolder(Path("kept") / "run")
    nodes = Nodes(release("4.1.0"), folder.path)
    nodes.write(1, {})
    folder.close()
    assert folder.path == tmp_path / "kept" / "run"
    written = (folder.path / "1.properties").read_text("utf-8")
    assert f"log.dirs={folder.path / 'data-1'}\n" in written
    assert os.path.isabs(nodes.data(CONTROLLER))


@pytest.mark.parametrize(
    ("version", "setting", "root"),
    [
        ("3.9.1", "-Dlog4j.configuration=file:", "log4j.rootLogger=INFO, out"),
        ("4.1.0", "-Dlog4j2.configurationFile=file:", "rootLogger.appenderRef.out.ref=out"),
    ],
)
def test_a_release_gets_the_logging_that_it_reads(tmp_path: Path, version: str, setting: str, root: str) -> None:
    """Kafka has Log4j 2 from 4.0 on (KIP-653), which takes no configuration of Log4j 1."""
    command = Nodes(release(version), tmp_path).command("kafka.Kafka")
    (file,) = [word.removeprefix(setting) for word in command if word.startswith(setting)]
    assert root in Path(file).read_text("utf-8").splitlines()


def test_the_folder_of_a_command_that_is_killed_goes() -> None:
    """Nobody runs another command to have it gone."""
    code = (
        "import sys\nfrom tidegate.real.driving.nodes.processes import NodesFolder\n"
        "made = NodesFolder(None)\nprint(made.path, flush=True)\nsys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as command:
        assert command.stdout is not None
        path = Path(command.stdout.readline().decode().strip())
        (path / "data-1").mkdir()
        assert path.exists()
        command.kill()
    until = time.monotonic() + 60
    while path.exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert not path.exists()
