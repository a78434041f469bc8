"""A release, as it would be uploaded: built twice to the same bytes, installed alone, and every verb runs from it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from tidegate.cli.verbs import VERBS

from ..conftest import ROOT

MADE = ROOT / "build" / "release"
MODEL, CLUSTER = "lock.py:careless", "acks-1"
GATE = """schema = "tidegate.spec/1"
[[check]]
model = "lock.py"
profile = "careful"
expect = { one_inside = "holds" }
"""
ANSWERS: Mapping[str, tuple[str, int]] = {
    "audit": (f"{CLUSTER} --kafka-version 3.9", 1),
    "demo": ("", 0),
    "models": ("", 0),
    "check": (f"{MODEL} --out made", 1),
    "sweep": ("lock.py:careful --vary clients=2,3", 0),
    "prove": ("raft", 64),  # without its extra
    "replay": ("lock.py:careful look(client=Client.A)", 64),  # a step that this profile does not have
    "simulate": ("raft --seed 1", 0),
    "show": ("made/one_inside.trace.json", 0),
    "export": ("made/one_inside.trace.json --to itf", 0),
    "explain": ("raft", 0),
    "validate": ("nothing.log", 64),
    "confirm": ("made/one_inside.trace.json", 64),
    "conform": ("raft", 64),
    "hunt": ("raft", 64),
    "gate": ("gate.toml", 0),
    "spec": ("lock.py", 0),
    "glossary": ("vacuous", 0),
    "doctor": ("", 0),
    "lsp": ("", 64),  # without its extra
}
"""What each verb is asked in a folder that has a model, a cluster and a gate, and its exit."""


def run(command: list[str], folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | more
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def wheel() -> Path:
    """The wheel that the release's script makes of what is committed."""
    done = run(["bash", ".ci/release", "build", "bill"], ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    (made,) = (MADE / "dist").glob("*.whl")
    return made


@pytest.fixture(scope="module")
def programs(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment that holds the wheel and what it needs."""
    folder = tmp_path_factory.mktemp("installed")
    assert run([sys.executable, "-m", "venv", str(folder)], folder).returncode == 0
    done = run([str(folder / "bin" / "pip"), "install", "-q", str(wheel)], folder)
    assert done.returncode == 0, done.stderr
    return folder / "bin"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of somebody's own."""
    folder = tmp_path_factory.mktemp("place")
    shutil.copy(ROOT / "examples" / "lock.py", folder)
    shutil.copytree(ROOT / "examples" / "clusters" / CLUSTER, folder / CLUSTER)
    (folder / "gate.toml").write_text(GATE, encoding="utf-8")
    return folder


def test_a_job_that_there_is_not_is_refused() -> None:
    done = run(["bash", ".ci/release", "upload"], ROOT)
    assert (done.returncode, done.stderr) == (2, "there is no job upload; they are: build bill audit\n")


@pytest.mark.long
def test_the_wheel_has_what_it_needs_and_no_more(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {"tidegate/commit.txt", "tidegate/docs/glossary.md", "tidegate/audit/kafka/keys.toml"} <= set(names)
    assert not [name for name in names if re.match(r"tidegate/(tests|bench|examples|setup|docs/(?!glossary))", name)]
    assert wheel.stat().st_size < 5_000_000


@pytest.mark.long
def test_the_bill_names_what_is_needed(wheel: Path) -> None:
    bill = json.loads((MADE / "sbom.json").read_text(encoding="utf-8"))
    names = {component["name"] for component in bill["components"]}
    assert bill["bomFormat"] == "CycloneDX" and {"tidegate", "llvmlite", "networkx"} <= names
    assert "UNKNOWN" not in (MADE / "licences.md").read_text(encoding="utf-8")


@pytest.mark.long
def test_the_version_has_the_commit(programs: Path, place: Path) -> None:
    commit = run(["git", "rev-parse", "--short=7", "HEAD"], ROOT).stdout.strip()
    assert run([str(programs / "tidegate"), "--version"], place).stdout == f"tidegate 0.1.0 ({commit})\n"


@pytest.mark.long
def test_every_verb_answers(programs: Path, place: Path, tmp_path: Path) -> None:
    assert {*ANSWERS, "explore"} == set(VERBS)  # which asks at a prompt
    wrong: list[str] = []
    for verb, (words, exit_) in ANSWERS.items():
        done = run([str(programs / "tidegate"), verb, *words.split()], place, TIDEGATE_CACHE=str(tmp_path))
        if done.returncode != exit_ or "Traceback" in done.stderr:
            wrong.append(f"{verb}: exit {done.returncode}\n{done.stdout[-300:]}{done.stderr[-600:]}")
    assert not wrong, "\n".join(wrong)
