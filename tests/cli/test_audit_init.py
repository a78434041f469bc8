"""`tidegate audit --init` writes a new file, or nothing."""

from __future__ import annotations

import shutil
from pathlib import Path

from tidegate.cli.audit_init import FILE

from ..conftest import ROOT, RunHere

ACKS_1 = ROOT / "examples" / "clusters" / "acks-1"


def test_it_is_written_once_and_never_over_what_is_there(run_here: RunHere, tmp_path: Path) -> None:
    folder = tmp_path / "cluster"
    shutil.copytree(ACKS_1, folder, ignore=shutil.ignore_patterns(FILE))
    assert run_here("audit", "--init", str(folder), "--no-cache") == (
        0,
        f"wrote {folder / FILE}, which states as comments what is assumed of 1 topic; change what is not so\n",
    )
    text = (folder / FILE).read_text()
    assert '\n#[topic."orders"]\n#require = "standard"\n#producer = "producer.properties"\n' in text
    exit_, says = run_here("audit", str(folder), "--init", "--require", "strict")
    assert (exit_, says) == (
        64,
        f"tidegate: --init: {folder / FILE} is there, and is not overwritten; move it away, or add to it by hand\n",
    )
    assert (folder / FILE).read_text() == text


def test_it_is_written_into_no_link_that_leads_nowhere(run_here: RunHere, tmp_path: Path) -> None:
    (tmp_path / FILE).symlink_to(tmp_path / "gone" / FILE)
    assert run_here("audit", "--init", str(tmp_path))[0] == 64
    assert not (tmp_path / "gone").exists()


def test_what_it_requires_is_what_was_asked(run_here: RunHere, tmp_path: Path) -> None:
    shutil.copy(ACKS_1 / "topics.txt", tmp_path)
    asked = ("--require", "strict", "--require", "no-loss=all-crashes@all")
    assert run_here("audit", "--init", str(tmp_path), *asked, "--no-cache")[0] == 0
    assert '#require = ["strict", "no-loss=all-crashes@all"]' in (tmp_path / FILE).read_text()


def test_a_folder_is_needed_and_requirements_that_there_are(run_here: RunHere, tmp_path: Path) -> None:
    file = tmp_path / "topics.txt"
    shutil.copy(ACKS_1 / "topics.txt", file)
    assert run_here("audit", "--init", str(file)) == (
        64,
        "tidegate: --init writes audit.toml into a folder: give the one with the cluster's configuration\n",
    )
    assert run_here("audit", "--init", str(tmp_path), "--require", "stict")[0] == 64
    assert not (tmp_path / FILE).exists()
