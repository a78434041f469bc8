"""The ready files for CI: they are YAML, their commands run, and the paths that they upload are there afterwards."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from ..conftest import ROOT

FOLDER = ROOT / "examples" / "ci"
GATE = """
schema = "tidegate.spec/1"
model = "../examples/lock.py"
[[check]]
profile = "careless"
expect = { one_inside = { violated = 4 } }
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A user's repository: a model, and a gate file in gates/."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    (tmp_path / "gates").mkdir()
    (tmp_path / "gates" / "lock.toml").write_text(GATE)
    return tmp_path


def run(command: str, folder: Path, cache: Path, **variables: str) -> None:
    program = re.sub(r"\btidegate (?=gate)", f"{sys.executable} -m tidegate ", command)
    environment = {**os.environ, "TIDEGATE_CACHE": str(cache), "CI": "true", **variables}
    done = subprocess.run(
        program, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, f"$ {command}\n{done.stdout}{done.stderr}"


def test_the_workflow_runs_and_uploads_what_is_there(project: Path, cache: Path) -> None:
    workflow: Any = yaml.safe_load((FOLDER / "tidegate.yml").read_text(encoding="utf-8"))
    assert set(workflow[True]) == {"push", "pull_request", "schedule", "workflow_dispatch"}  # YAML reads `on` as true
    assert workflow["permissions"] == {"contents": "read", "security-events": "write"}
    steps = workflow["jobs"]["gate"]["steps"]
    commands = [step["run"] for step in steps if "run" in step]
    assert commands[0] == 'pip install "$SOURCE"'
    for command in commands[1:]:
        run(command, project, cache, TIER="commit", GITHUB_STEP_SUMMARY=str(project / "summary"))
    assert (project / "summary").read_text(encoding="utf-8").startswith("# ✓ Tidegate: 1 ok of 1 check\n")
    used = {step["uses"].partition("@")[0]: step.get("with", {}) for step in steps if "uses" in step}
    assert (project / used["github/codeql-action/upload-sarif"]["sarif_file"]).is_file()
    assert (project / used["actions/upload-artifact"]["path"] / "junit.xml").is_file()
    after = steps[steps.index(next(step for step in steps if step.get("name") == "Gate")) + 1 :]
    assert {step["if"] for step in after} == {"always()"}, "a gate that fails is reported too"


def test_the_pre_commit_entry_runs(project: Path, cache: Path) -> None:
    config: Any = yaml.safe_load((FOLDER / "pre-commit-config.yaml").read_text(encoding="utf-8"))
    (repository,) = config["repos"]
    (hook,) = repository["hooks"]
    assert repository["repo"] == "local"
    assert {"id", "name", "entry", "language"} <= set(hook)
    assert re.search(hook["files"], "gates/lock.toml") and re.search(hook["files"], "model/lock.py")
    run(hook["entry"], project, cache)


def test_our_own_ci_runs_the_gate() -> None:
    assert re.search(
        r"^    TIDEGATE_CACHE=\S+ \.venv/bin/tidegate gate$",
        (ROOT / ".ci" / "run").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
