"""What a new user gets wrong, and what the command line says: what happened, where, and what to do."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from tidegate.traces.program import commit_of

from ..conftest import Run

HEAD = '''"""A number."""
from typing import Annotated
from tidegate.language import Range, action, initial, invariant, require, state
Small = Annotated[int, Range(0, 3)]
@state
class World:
    """A number."""
    number: Small
@action
def step(s: World) -> None:
    """The number is set."""
    s.number = 2
'''
START = "@initial\ndef start() -> World:\n    return World(number=1)\n"
RAISES = "@invariant\ndef small(s: World) -> bool:\n    return 6 // (s.number - 2) < 9\n"
RATIO = """from tidegate.language import transition
@transition
def ratio(before: World, after: World) -> bool:
    return 6 // (before.number + after.number - 4) < 9
"""


def test_an_initial_state_outside_its_types_says_which(tmp_path: Path, tidegate: Run) -> None:
    (tmp_path / "mine.py").write_text(HEAD + START.replace("=1", "=7"))
    for verb in (["check"], ["replay", "--steps", "step"]):
        reported = tidegate(*verb, "mine.py", cwd=tmp_path)
        assert (reported.exit, reported.out) == (7, "")
        again = "" if "replay" in verb else 'replay it:\n  tidegate replay mine.py --steps "start"\n'
        expected = "the initial state that start gives breaks the model's types: number: 7 is outside 0..3\n"
        assert reported.err.endswith(f"mine.py:15: {expected}{again}")


@pytest.mark.parametrize("closed", ["stdout", "stderr"])
def test_a_mistake_that_nobody_reads_keeps_its_exit(closed: str, tmp_path: Path) -> None:
    """The reader is gone before the command begins, so that every write fails."""
    (tmp_path / "mine.py").write_text(HEAD + START.replace("=1", "=7"))
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "tidegate", "check", "mine.py", "--json"]
    out, err = (writer, subprocess.PIPE) if closed == "stdout" else (subprocess.PIPE, writer)
    done = subprocess.run(command, cwd=tmp_path, stdout=out, stderr=err, text=True, check=False)
    os.close(writer)
    assert done.returncode == 7
    if closed == "stdout":
        assert "the initial state that start gives" in done.stderr
        assert "Traceback" not in done.stderr
        assert "Exception ignored" not in done.stderr
    else:
        assert json.loads(done.stdout)["exit"] == 7


@pytest.mark.parametrize("engine", ["native", "python"])
def test_an_initial_state_that_breaks_says_for_which_parameters(engine: str, tmp_path: Path, tidegate: Run) -> None:
    start = "@initial\ndef start(one: Small, on: bool) -> World:\n    return World(number=one + (1 if on else 0))\n"
    size = "from tidegate.language import constant\nsize = constant(1, minimum=1, maximum=2, says='a size')\n"
    (tmp_path / "mine.py").write_text(HEAD + size + start.replace("one + (1", "one + (size"))
    reported = tidegate("check", "--engine", engine, "mine.py", "--set", "size=2", "--json", cwd=tmp_path)
    said = "the initial state that start(one=2, on=true) gives breaks the model's types: number: 4 is outside 0..3"
    assert reported.exit == 7
    line = 'tidegate replay mine.py --set size=2 --steps "start(one=2, on=true)"'
    assert reported.err.endswith(f"mine.py:17: {said}\nreplay it:\n  {line}\n")
    found = json.loads(reported.out)
    assert found.pop("message").endswith(f"mine.py:17: {said}\nreplay it:\n  {line}")
    assert found.pop("file").endswith("mine.py")
    known = {"initial": "start", "arguments": {"one": 2, "on": True}, "line": 17, "replay": line}
    assert found == {"schema": "tidegate.error/1", "exit": 7, **known}
    again = tidegate(*shlex.split(line)[1:], cwd=tmp_path)
    assert (again.exit, again.err) == (7, reported.err.partition("\nreplay it")[0] + "\n")
    sound = tidegate("replay", "mine.py", "--set", "size=2", "--steps", "start(one=3, on=false); step", cwd=tmp_path)
    assert sound.exit == 0
    assert 'replay mine.py --set size=2 --steps "start(one=1, on=true); step"' in sound.out


@pytest.mark.parametrize(
    ("command", "exit_", "message"),
    [
        (["check", "none.py"], 64, "none.py"),
        (["check", "replication", "--nothing"], 64, "--nothing"),
        (["check", "mine.py"], 65, "error"),
        (["gate", "none.toml"], 66, "none.toml"),
    ],
)
def test_json_is_one_object_also_where_there_is_no_result(
    command: list[str], exit_: int, message: str, tmp_path: Path, tidegate: Run
) -> None:
    (tmp_path / "mine.py").write_text(HEAD)
    reported = tidegate(*command, "--json", cwd=tmp_path)
    found = json.loads(reported.out)
    assert (reported.exit, found["exit"], found["schema"]) == (exit_, exit_, "tidegate.error/1")
    assert message in found["message"] and found["message"] in reported.err


@pytest.mark.parametrize("engine", ["native", "python"])
def test_no_initial_state_is_said(engine: str, tmp_path: Path, tidegate: Run) -> None:
    (tmp_path / "mine.py").write_text(HEAD + START.replace("    return", "    require(False)\n    return"))
    reported = tidegate("check", "--engine", engine, str(tmp_path / "mine.py"), "--width", "200")
    assert reported.exit == 4
    assert "there is no initial state: a guard in every @initial function is false" in reported.out


@pytest.mark.parametrize("engine", ["native", "python", "walk"])
def test_a_property_of_a_step_that_cannot_be_evaluated_is_shown_with_its_step(
    engine: str, tmp_path: Path, tidegate: Run
) -> None:
    (tmp_path / "mine.py").write_text(HEAD + START + RATIO)
    for verb in (["check", "--engine", engine], ["replay", "--steps", "step; step"]):
        reported = tidegate(*verb, "mine.py", "--width", "200", cwd=tmp_path)
        assert reported.exit == 7
        assert "a property cannot be evaluated after 2 steps" in reported.out
        assert 'tidegate replay mine.py --steps "step; step"' in reported.out


def test_a_property_that_cannot_be_evaluated_is_reported_by_replay_too(tmp_path: Path, tidegate: Run) -> None:
    path = tmp_path / "my model.py"
    path.write_text(HEAD + START + RAISES)
    for verb in (["check"], ["replay", "--steps", "step; step"]):
        reported = tidegate(*verb, str(path), "--width", "200")
        assert reported.exit == 7
        assert "a property cannot be evaluated after 1 step" in reported.out
        assert f"small: division by zero ({path}:18)" in reported.out
        assert f"""tidegate replay '{path}' --steps "step\"""" in reported.out


@pytest.mark.parametrize("verb", [["check"], ["models"], ["replay", "--steps", "step"]])
def test_what_a_model_prints_does_not_spoil_the_json(verb: list[str], tmp_path: Path, tidegate: Run) -> None:
    (tmp_path / "mine.py").write_text(HEAD + '    print("set")\n' + START + 'print("imported")\n')
    reported = tidegate(*verb, "--json", str(tmp_path / "mine.py"))
    assert json.loads(reported.out)["schema"].startswith("tidegate.")
    assert "imported" in reported.err


def test_a_file_in_another_encoding_is_an_error_of_the_text(tmp_path: Path, tidegate: Run) -> None:
    (tmp_path / "mine.py").write_bytes(b"# caf\xe9\n" + HEAD.encode())
    reported = tidegate("check", str(tmp_path / "mine.py"))
    assert reported.exit == 65
    assert "TG001" in reported.err and "not UTF-8" in reported.err and "a file saved as UTF-8" in reported.err


@pytest.mark.parametrize("text", ['{"schema": "tidegate.trace/1"}', '{"schema": "tidegate.trace/1", "steps": 3}'])
def test_a_trace_with_parts_missing(text: str, tmp_path: Path, tidegate: Run) -> None:
    (tmp_path / "some.trace.json").write_text(text)
    reported = tidegate("show", str(tmp_path / "some.trace.json"))
    assert reported.exit == 64
    assert "a trace with a part missing or wrong" in reported.err


@pytest.mark.parametrize("option", ["--time=-1", "--time=x", "--processes=0"])
def test_the_gate_refuses_numbers_before_it_checks(option: str, tidegate: Run) -> None:
    reported = tidegate("gate", option)
    assert (reported.exit, reported.out) == (64, "")
    assert "try: tidegate gate --help" in reported.err


def test_a_trace_names_the_commit_of_the_model(tmp_path: Path) -> None:
    assert commit_of(tmp_path) is None
    for command in ("init -q", "-c user.name=a -c user.email=b commit -q --allow-empty -m empty"):
        subprocess.run(["git", *command.split()], cwd=tmp_path, check=True)
    commit_of.cache_clear()
    commit = commit_of(tmp_path)
    assert commit is not None and len(commit) == 7
    assert commit_of(tmp_path / "gone") is None


@pytest.mark.parametrize("verb", ["check", "simulate", "prove"])
def test_a_command_that_saves_nothing_leaves_no_folder(tidegate: Run, tmp_path: Path, verb: str) -> None:
    out = tmp_path / "out"
    assert tidegate(verb, "replication:kip102", "--out", str(out)).exit == 64
    assert not out.exists()
    out.mkdir()
    assert tidegate(verb, "replication:kip102", "--out", str(out)).exit == 64
    assert out.exists(), "it was there before"
