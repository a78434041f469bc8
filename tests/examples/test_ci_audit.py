"""The ready files for audits in CI: their services take them, and their commands run and leave what is uploaded."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from ..conftest import ROOT

FOLDER = ROOT / "examples" / "ci" / "audit"
CLUSTERS = ROOT / "examples" / "clusters"
PASSES = ("strict", "--kafka-version 4.3 --client java:4.1 --distribution apache")
FAILS = ("acks-1", "--kafka-version 3.9 --client java:3.9 --distribution apache")


def read_yaml(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("file", "schema"),
    [("action.yml", "github-actions"), ("audit.yml", "github-workflows"), ("gitlab-ci.yml", "gitlab-ci")],
)
def test_it_is_what_its_service_takes(file: str, schema: str) -> None:
    pytest.importorskip("check_jsonschema")
    command = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", str(FOLDER / file)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("validate-manifest", ROOT / ".pre-commit-hooks.yaml"),
        ("validate-config", FOLDER / "pre-commit-config.yaml"),
        ("validate-config", FOLDER.parent / "pre-commit-config.yaml"),
    ],
)
def test_it_is_what_pre_commit_takes(arguments: Sequence[object]) -> None:
    pytest.importorskip("pre_commit")
    command = [sys.executable, "-m", "pre_commit", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def repository(folder: Path, cluster: str) -> Path:
    """A user's repository with the configuration of a cluster in kafka/."""
    shutil.copytree(CLUSTERS / cluster, folder / "kafka")
    return folder


def run_command(command: str, folder: Path, cache: Path, variables: Mapping[str, str]) -> int:
    """A command of a CI system, by its shell; `tidegate` is what is tested, unless PATH says otherwise."""
    programs = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": programs, "TIDEGATE_CACHE": str(cache), "CI": "true", **variables}
    done = subprocess.run(
        ["bash", "-e", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=600,
        check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    return done.returncode


def input_values(given: Mapping[str, str]) -> dict[str, str]:
    """The inputs of the action, with its defaults."""
    inputs = read_yaml(FOLDER / "action.yml")["inputs"]
    assert given.keys() <= inputs.keys() and {name for name in inputs if inputs[name].get("required")} <= given.keys()
    return {name: given.get(name, str(inputs[name].get("default", ""))) for name in inputs}


def run_action(given: Mapping[str, str], folder: Path, cache: Path, **variables: str) -> Iterator[tuple[str, int]]:
    """The names and exits of the action's own steps, as the runner has them: after one that fails only `always()`."""
    values, failed = input_values(given), False
    for step in read_yaml(FOLDER / "action.yml")["runs"]["steps"]:
        if "run" not in step or (failed and "always()" not in step.get("if", "")):
            continue
        own = {name: re.sub(r"\$\{\{ inputs\.(\w+) \}\}", lambda found: values[found[1]], text)
               for name, text in step["env"].items()}  # fmt: skip
        assert step["shell"] == "bash" and "${{" not in step["run"], "an input is no part of a command"
        ended = run_command(step["run"], folder, cache, {**own, **variables})
        failed |= ended != 0
        yield step["name"], ended


@pytest.mark.parametrize(("cluster", "exit_"), [(PASSES, 0), (FAILS, 1)])
def test_the_action_ends_as_the_audit_does_and_leaves_its_reports(
    cluster: tuple[str, str], exit_: int, tmp_path: Path, cache: Path
) -> None:
    name, options = cluster
    folder = repository(tmp_path / "r", name)
    given = {"source": "installed", "files": "kafka", "options": options}
    shim = tmp_path / "bin"
    shim.mkdir()
    (shim / "pip").write_text('#!/bin/sh\n[ "$1 $2" = "install installed" ]\n')
    (shim / "pip").chmod(0o755)
    path = os.pathsep.join([str(shim), str(Path(sys.executable).parent), os.environ["PATH"]])
    variables = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "PATH": path}
    ends = dict(run_action(given, folder, cache, **variables))
    assert ends == {"Install": 0, "Audit": exit_, "Summary of the job": 0}
    assert (tmp_path / "summary").read_text(encoding="utf-8").startswith("# ✗ " if exit_ else "# ✓ ")
    root = ElementTree.parse(folder / "tidegate-audit" / "junit.xml").getroot()
    assert any(case.find("failure") is not None for case in root.iter("testcase")) is bool(exit_)
    used = {
        step["uses"].partition("@")[0]: step
        for step in read_yaml(FOLDER / "action.yml")["runs"]["steps"]
        if "uses" in step
    }
    values = input_values(given)
    for action, key in (("github/codeql-action/upload-sarif", "sarif_file"), ("actions/upload-artifact", "path")):
        step = used[action]
        assert "always()" in step["if"], "an audit that fails is reported too"
        assert (folder / step["with"][key].replace("${{ inputs.out }}", values["out"])).exists()


def test_the_workflow_gives_what_the_action_takes() -> None:
    (job,) = read_yaml(FOLDER / "audit.yml")["jobs"].values()
    step = next(step for step in job["steps"] if step["uses"].startswith("./"))
    assert step["uses"] == "./.github/actions/tidegate-audit"
    input_values(step["with"])
    text = (FOLDER / "action.yml").read_text(encoding="utf-8")
    assert ".github/actions/tidegate-audit" in text.splitlines()[0]


@pytest.mark.parametrize(("cluster", "exit_"), [(PASSES, 0), (FAILS, 1)])
def test_the_template_for_gitlab_ends_as_the_audit_does(
    cluster: tuple[str, str], exit_: int, tmp_path: Path, cache: Path
) -> None:
    folder = repository(tmp_path, cluster[0])
    template = read_yaml(FOLDER / "gitlab-ci.yml")
    job = template["tidegate-audit"]
    assert job["before_script"] == ['pip install "$TIDEGATE_SOURCE"']
    variables = {**template["variables"], "TIDEGATE_OPTIONS": cluster[1]}
    assert variables.keys() == {"TIDEGATE_FILES", "TIDEGATE_OPTIONS"}
    (command,) = job["script"]
    assert run_command(command, folder, cache, variables) == exit_
    assert (folder / job["artifacts"]["reports"]["junit"]).is_file()
    assert all((folder / path).exists() for path in job["artifacts"]["paths"]) and job["artifacts"]["when"] == "always"


def hook_command() -> str:
    """What pre-commit runs for the entry of the example: the hook's, with the arguments of the entry."""
    (hook,) = read_yaml(ROOT / ".pre-commit-hooks.yaml")
    ((entry,),) = [repo["hooks"] for repo in read_yaml(FOLDER / "pre-commit-config.yaml")["repos"]]
    assert entry["id"] == hook["id"] and hook["pass_filenames"] is False
    for name in ("kafka/server.properties", "kafka/audit.toml", "kafka/topics.txt", "kafka/kafka.yaml"):
        assert re.search(hook["files"], name)
    return f"{hook['entry']} {shlex.join(entry['args'])}"


def test_the_hook_for_pre_commit_ends_as_the_audit_does(tmp_path: Path, cache: Path) -> None:
    assert run_command(hook_command(), repository(tmp_path, FAILS[0]), cache, {}) == 1


@pytest.fixture(scope="module")
def clone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of what is here, as a user's CI gets it."""
    folder = tmp_path_factory.mktemp("clone") / "tidegate"
    left_out = (".git", ".venv", ".hypothesis", ".pytest_cache", ".ruff_cache", "__pycache__", "build", "*.egg-info")
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*left_out), symlinks=True)
    commit_all(folder)
    return folder


def commit_all(folder: Path) -> None:
    git = ("git", "-c", "user.name=x", "-c", "user.email=x@example.org")
    for arguments in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "x")):
        subprocess.run([*git, *arguments], cwd=folder, check=True, timeout=120, capture_output=True)


@pytest.mark.long
def test_pre_commit_installs_the_hook_from_the_repository_and_runs_it(clone: Path, tmp_path: Path, cache: Path) -> None:
    pytest.importorskip("pre_commit")
    folder = repository(tmp_path / "r", FAILS[0])
    ((entry,),) = [repo["hooks"] for repo in read_yaml(FOLDER / "pre-commit-config.yaml")["repos"]]
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=clone, check=True, capture_output=True, text=True).stdout
    hooks = [{"repo": clone.as_uri(), "rev": head.strip(), "hooks": [entry]}]
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": hooks}))
    commit_all(folder)
    environment = {**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "home"), "TIDEGATE_CACHE": str(cache)}
    command = [sys.executable, "-m", "pre_commit", "run", "--all-files"]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 1, done.stdout + done.stderr
    assert "- exit code: 1" in done.stdout
    headline = "✗ 1 of 3 topics (2 are Kafka's own) can lose acknowledged records when the leader is moved: orders"
    assert headline in " ".join(done.stdout.split())  # whatever the width at which it is wrapped


@pytest.mark.long
def test_the_action_installs_from_a_git_url_and_audits(clone: Path, tmp_path: Path, cache: Path) -> None:
    folder = repository(tmp_path / "r", FAILS[0])
    venv.create(tmp_path / "venv", with_pip=True)
    path = f"{tmp_path / 'venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    given = {"source": f"git+{clone.as_uri()}", "files": "kafka", "options": FAILS[1]}
    variables = {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary"), "PATH": path}
    ends = dict(run_action(given, folder, cache, **variables))
    assert ends == {"Install": 0, "Audit": 1, "Summary of the job": 0}
