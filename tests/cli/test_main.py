"""The command line as a user meets it: every exit, what stands on which stream, and that nothing is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest
from tidegate.language.errors import UsageError

from ..conftest import ROOT, Run, RunHere
from ..support.commands import run_interrupted
from ..support.lock_commands import LOCK, counter_in


@pytest.fixture
def counter(tmp_path: Path) -> Any:
    return counter_in(tmp_path)


def test_the_printed_replay_line_replays(tidegate: Run) -> None:
    done = tidegate("check", f"{LOCK}:careless", "--set", "clients=3")
    line = next(line.strip() for line in done.out.splitlines() if line.startswith("  tidegate replay"))
    command = line.replace("tidegate", f"{sys.executable} -m tidegate", 1)
    again = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert "one_inside fails after 4 steps" in again.stdout


def test_a_wrong_model_exits_65_with_code_line_and_caret(tidegate: Run, counter: Any) -> None:
    done = tidegate("check", counter("while True: pass"))
    assert (done.exit, done.out) == (65, "")
    assert "TG101" in done.err
    assert "counter.py:17" in done.err
    assert "^" in done.err


@pytest.mark.parametrize(
    ("arguments", "reported"),
    [
        (["check", "replication", "--set", "replica=3"], "did you mean replicas"),
        (["check", "replication", "--set", "replicas=99"], "an integer from 1 to 6"),
        (["check", "replication", "--set", "replicas"], "write NAME=VALUE"),
        (["check", "replication", "--bounds", "nonsense"], "--bounds nonsense"),
        (["check", "replication", "--property", "weak"], "did you mean weak_isr"),
        (["check", "replication", "--open", "nonsense"], "no constant nonsense"),
        (["check", "replication:kip32"], "did you mean kip320"),
        (["check", "replicatoin"], "did you mean replication"),
        (["check", "./nothing.py"], "there is no such file"),
        (["check", "replication", "--memory", "lots"], "not a size"),
        (["check", "replication", "--workers", "0"], "not a number from 1"),
        (["check", "replication", "--engine", "warp"], "invalid choice"),
        (["chek"], "there is no verb chek; did you mean check?"),
        (["run", "raft"], "there is no verb run; did you mean simulate?"),
        (
            ["check", "--symetry", LOCK],
            "--symetry; did you mean --symmetry or --no-symmetry or --set?\ntry: tidegate check",
        ),
        (["check", LOCK, "extra"], "unrecognized arguments: extra\ntry: tidegate check --help"),
        (["demo", "--engine", "walk"], "unrecognized arguments: --engine\ntry: tidegate demo --help"),
        ([], "required"),
        (["replay", f"{LOCK}:careless", "--steps", "look(A); take(B)"], "step 2, take(B), is disabled"),
        (["replay", LOCK, "--steps", "tak(A)"], "did you mean take"),
        (["show", "nothing.json"], "cannot be read"),
        (["explain", LOCK, "tak"], "did you mean take"),
    ],
)
def test_usage_exits_64_and_says_what_to_do(tidegate: Run, arguments: list[str], reported: str) -> None:
    done = tidegate(*arguments)
    assert (done.exit, done.out) == (64, "")
    assert reported in done.err
    assert "Traceback" not in done.err


def test_a_gate_file_that_cannot_be_read_exits_66(tidegate: Run) -> None:
    done = tidegate("gate", "README.md")
    assert (done.exit, done.out) == (66, "")
    assert "not TOML" in done.err


# --- streams and files --------------------------------------------------------------------------------------------
def test_json_is_one_object_with_the_published_keys(tidegate: Run) -> None:
    done = tidegate("check", f"{LOCK}:careless", "--json")
    report = json.loads(done.out)
    assert set(report) >= {
        "schema", "model", "constants", "engine", "verdict", "assurance", "outcome", "distinct_states", "transitions",
        "depth", "seconds", "peak_memory_bytes", "symmetry", "properties", "actions",
    }  # fmt: skip
    assert (report["schema"], report["verdict"], report["outcome"]) == ("tidegate.check/1", "violated", "safety")
    violated = next(prop for prop in report["properties"] if prop["verdict"] == "violated")
    assert (violated["name"], violated["steps"], violated["trace"]) == ("one_inside", 4, None)
    assert violated["document"]["schema"] == "tidegate.trace/1"
    assert {"name", "fired"} <= set(report["actions"][0])
    assert report["constants"] == {"clients": 2, "compare_and_set": False}


def test_out_saves_the_report_and_the_traces_and_show_prints_them(tidegate: Run, tmp_path: Path) -> None:
    out = tmp_path / "report"
    done = tidegate("check", f"{LOCK}:careless", "--out", str(out))
    report = json.loads((out / "report.json").read_text())
    violated = next(prop for prop in report["properties"] if prop["verdict"] == "violated")
    assert Path(violated["trace"]).is_file()
    shown = tidegate("show", violated["trace"])
    assert shown.exit == 0
    assert shown.out.strip() in done.out


def test_an_unwritable_out_is_reported_before_the_search(tidegate: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    for out in (tmp_path / "file", tmp_path / "no" / "such"):
        done = tidegate("check", f"{LOCK}:careful", "--out", str(out))
        assert (done.exit, done.out) == (64, "")
        assert f"--out {out}" in done.err
    assert (tmp_path / "file").read_text() == "mine"


def test_a_directory_that_breaks_during_the_search_loses_nothing(tidegate: Run, tmp_path: Path) -> None:
    out = tmp_path / "report"
    (out / "report.json").mkdir(parents=True)
    for profile, exit_ in (("careful", 64), ("careless", 1)):
        done = tidegate("check", f"{LOCK}:{profile}", "--out", str(out))
        assert done.exit == exit_
        assert f"lock.py:{profile}" in done.out, "the result is printed all the same"
        assert "could not be saved" in done.err


def test_ctrl_c_still_reports(cache: Path) -> None:
    command = ["check", "replication:kip320", "--set", "max_leader_epoch=9", "--engine", "python", "--json"]
    done = run_interrupted(command, "seen.distinct > 100", cache)
    report = json.loads(done.stdout)
    assert (done.returncode, report["verdict"]) == (5, "inconclusive")
    assert report["distinct_states"] > 100


@pytest.mark.parametrize(("number", "says"), [("SIGINT", "Ctrl-C"), ("SIGTERM", "SIGTERM")])
@pytest.mark.parametrize("engine", ["python", "native", "walk"])
def test_what_ended_a_search_is_named(engine: str, number: str, says: str, cache: Path) -> None:
    command = ["check", "raft", "--engine", engine, "--json", "--time", "600"]
    when = "seen.walks > 100" if engine == "walk" else "seen.distinct > 100"
    done = run_interrupted(command, when, cache, number)
    report = json.loads(done.stdout)
    assert (done.returncode, report["assurance"]) == (5, f"none: stopped by {says}")


def test_a_page_that_cannot_be_made_loses_neither_verdict_nor_traces(
    tmp_path: Path, run_here: RunHere, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> NoReturn:
        raise UsageError("no page")

    monkeypatch.setattr("tidegate.cli.check._trace_page", refuse)
    exit_, out = run_here("check", f"{LOCK}:careless", "--out", str(tmp_path / "report"))
    assert exit_ == 1
    assert "✗" in out.splitlines()[0]
    assert f"--out {tmp_path / 'report'}: the report could not be saved: no page" in out
    assert json.loads((tmp_path / "report" / "report.json").read_text())["verdict"] == "violated"


def test_ctrl_c_while_everything_is_still_being_imported() -> None:
    """It used to end in a traceback through whatever module was being read."""
    program = """
import sys
from tidegate.cli.entry import run

class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == "tidegate.cli.check":
            raise KeyboardInterrupt

sys.argv = ["tidegate", "check", "raft"]
sys.meta_path.insert(0, Interrupting())
run()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (5, "")
    assert done.stderr == "tidegate: interrupted before there was anything to report\n"


def test_nothing_looks_for_cycles_in_what_a_command_leaves() -> None:
    """That took a tenth of a second of a small check. What is there when a command ends is out of the collector's
    sight, and the little that is made later is not."""
    program = """
import atexit, gc, sys
from tidegate.cli.entry import run

atexit.register(lambda: print(len(gc.get_objects()) < gc.get_freeze_count() / 10))
sys.argv = ["tidegate", "models", "replication", "--json"]
run()
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1:]) == (0, ["True"])


def test_color_and_ascii(tidegate: Run) -> None:
    done = tidegate("check", f"{LOCK}:careless", "--ascii")
    assert done.out.isascii()
    assert done.out.startswith("X examples/lock.py:careless violates one_inside")
    assert "\x1b[" in tidegate("check", f"{LOCK}:careless", "--color", "always").out
    assert "\x1b[" not in done.out


@pytest.mark.parametrize("width", [80, 100])
def test_no_line_but_the_replay_line_is_wider_than_the_paper(tidegate: Run, width: int) -> None:
    done = tidegate("check", "replication:truncate_to_hw", "--set", "replicas=2", "--set", "max_leader_epoch=2",
                    "--property", "leader_completeness", "--width", str(width))  # fmt: skip
    assert done.exit == 1
    wide = [line for line in done.out.splitlines() if len(line) > width and not line.startswith("  tidegate replay")]
    assert not wide


# --- ghosts, symmetry, other verbs ----------------------------------------------------------------------------------
SMALL = ["--set", "replicas=2", "--set", "max_leader_epoch=1"]


def test_ghosts_are_kept_where_a_judged_property_reads_one(tidegate: Run) -> None:
    def check(*arguments: str) -> dict[str, Any]:
        return json.loads(tidegate("check", "replication:kip320", *SMALL, "--json", *arguments).out)

    whole = check()
    assert whole["ghosts"]
    assert next(p for p in whole["properties"] if p["name"] == "leader_completeness")["verdict"] == "holds"
    chosen = check("--property", "strong_isr")
    assert not chosen["ghosts"]
    assert chosen["distinct_states"] == 957, "the published count"
    folded = check("--no-ghosts")
    assert (folded["distinct_states"], folded["verdict"]) == (957, "inconclusive")


def test_a_property_that_is_not_judged_says_which_option_helps(tidegate: Run) -> None:
    done = tidegate("check", "replication:kip320", *SMALL, "--no-ghosts")
    assert done.exit == 5
    assert "--ghosts keeps them" in " ".join(done.out.split())


def test_engines_and_symmetry_agree(tidegate: Run) -> None:
    def check(*arguments: str) -> tuple[int, int, int]:
        report = json.loads(tidegate("check", "replication:kip320", *SMALL, "--json", *arguments).out)
        return report["distinct_states"], report["transitions"], report["depth"]

    assert check() == check("--engine", "python")
    assert check("--symmetry") == check("--symmetry", "--engine", "python")
    assert check() == check("--open", "max_leader_epoch", "--open", "fence_fetch")


@pytest.mark.parametrize("verb", ["demo", "models", "check", "replay", "show", "explain", "gate", "spec"])
def test_help_has_examples(tidegate: Run, verb: str) -> None:
    done = tidegate(verb, "--help")
    assert done.exit == 0
    assert f"examples:\n  tidegate {verb}" in done.out or f"; tidegate {verb}" in done.out


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_a_shell_completes_verbs_and_options(tidegate: Run, shell: str) -> None:
    done = tidegate("--print-completion", shell)
    assert done.exit == 0, done.err
    assert all(word in done.out for word in ("audit", "simulate", "keep-going"))


def test_bash_completes_what_was_begun(tidegate: Run, tmp_path: Path) -> None:
    script = tmp_path / "completion.sh"
    script.write_text(tidegate("--print-completion", "bash").out, encoding="utf-8")
    ask = 'COMP_WORDS=(tidegate sim); COMP_CWORD=1; _shtab_tidegate; echo "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", f"source {script}; {ask}"], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["simulate"], done.stderr


@pytest.mark.parametrize(("words", "same"), [(["help"], ["--help"]), (["help", "check"], ["check", "--help"])])
def test_help_is_a_verb_too(words: list[str], same: list[str], tidegate: Run) -> None:
    asked, expected = tidegate(*words), tidegate(*same)
    assert asked == expected and asked.exit == 0 and asked.out.startswith("usage: tidegate")
