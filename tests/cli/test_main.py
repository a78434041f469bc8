"""The command line as a user meets it: every exit, what stands on which stream, and that nothing is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import pytest
from tidegate.invariants.catalogue import CATALOGUE, LIVENESS_CLAIMS, REFINEMENTS
from tidegate.language.errors import UsageError

from ..conftest import ROOT, Run, Said
from ..support.commands import interrupted

LOCK = "examples/lock.py"

COUNTER = '''
"""A counter."""
from tidegate.language import *
from typing import Annotated
most = constant(3, minimum=1, maximum=9, says="how far it counts")
Number = Annotated[int, Range(0, most)]
@state
class Counter:
    """A number."""
    value: Number  # the number
@initial
def zero() -> Counter:
    return Counter(value=0)
@action
def count(s: Counter) -> None:
    """It counts on from {s.value}."""
    GUARD
    s.value = s.value + 1
'''


@pytest.fixture
def counter(tmp_path: Path) -> Any:
    """Writes a counter model with the given guard and further text, and gives its path."""

    def write(guard: str, more: str = "") -> str:
        path = tmp_path / "counter.py"
        path.write_text(COUNTER.replace("GUARD", guard) + more)
        return str(path)

    return write


# --- exits --------------------------------------------------------------------------------------------------------


def test_what_holds_exits_0(tidegate: Run) -> None:
    done = tidegate("check", f"{LOCK}:careful")
    assert done.exit == 0
    assert done.out.startswith("✓ examples/lock.py:careful holds: exhaustive within bounds\n")
    assert "clients=2" in done.out


def test_a_violation_exits_1_with_the_property_in_words_the_steps_and_the_reason(tidegate: Run) -> None:
    done = tidegate("check", f"{LOCK}:careless")
    assert done.exit == 1
    assert "At most one client is inside." in done.out
    assert "  3  A takes the lock and goes in.\n         held: false -> true\n" in done.out
    assert "a == b or s.place[a] != Place.INSIDE or s.place[b] != Place.INSIDE\n    where a = A, b = B" in done.out


def test_the_printed_replay_line_replays(tidegate: Run) -> None:
    done = tidegate("check", f"{LOCK}:careless", "--set", "clients=3")
    line = next(line.strip() for line in done.out.splitlines() if line.startswith("  tidegate replay"))
    command = line.replace("tidegate", f"{sys.executable} -m tidegate", 1)
    again = subprocess.run(command, shell=True, cwd=ROOT, capture_output=True, text=True, check=False)
    assert again.returncode == 1
    assert "one_inside fails after 4 steps" in again.stdout


def test_a_deadlock_exits_2_and_says_why_nothing_can_happen(tidegate: Run, counter: Any) -> None:
    done = tidegate("check", counter("require(s.value < most)"))
    assert done.exit == 2
    assert "deadlocks" in done.out
    assert "why no step can be taken:" in done.out
    assert "  s.value < most is false" in done.out


def test_a_bound_is_no_deadlock(tidegate: Run, counter: Any) -> None:
    done = tidegate("check", counter("limit(s.value < most)"))
    assert done.exit == 0
    assert "limits that cut" in done.out


def test_what_cannot_be_folded_is_said_to_be_and_why(
    tmp_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidegate.cli.check._STATES_WORTH_FOLDING", 1)
    for more, note in (
        ("True", "note: the members of Node are alike; --symmetry explores several times fewer states"),
        ("s.at == Node(0)", "note: with --symmetry, Node is not folded: nodes.py:14 names one member"),
    ):
        (tmp_path / "nodes.py").write_text(FOLDED.replace("MORE", more))
        monkeypatch.chdir(tmp_path)
        out = " ".join(said("check", "nodes.py")[1].split())
        assert note in out
        assert out.count("--symmetry") == 1


FOLDED = '''"""Nodes."""
from tidegate.language import Domain, action, initial, require, state
class Node(Domain, size=3, symmetric=True):
    """A node."""
@state
class World:
    """One of them."""
    at: Node
@initial
def start(at: Node) -> World:
    return World(at=at)
@action
def move(s: World, to: Node) -> None:
    require(MORE)
    s.at = to
'''


def test_a_missing_witness_beside_what_holds_is_a_warning(tidegate: Run, counter: Any) -> None:
    more = '@reachable\ndef far(s: Counter) -> bool:\n    """It counts to nine."""\n    return s.value == 9\n'
    more += '@invariant\ndef small(s: Counter) -> bool:\n    """It is small."""\n    return s.value < 9\n'
    done = tidegate("check", counter("limit(s.value < most)", more))
    assert done.exit == 0
    assert "missing  far: It counts to nine." in done.out
    assert "\n! never happens: far\n" in done.out


def test_an_action_that_never_happens_is_a_warning_and_its_guard_is_named(tidegate: Run, counter: Any) -> None:
    more = '@action\ndef reset(s: Counter) -> None:\n    """It starts anew."""\n'
    more += "    require(s.value > most)\n    s.value = 0\n"
    done = tidegate("check", counter("limit(s.value < most)", more))
    assert done.exit == 0
    assert "\n! never happens: reset\n" in done.out
    assert "never happened: reset" in done.out
    assert "s.value > most" in done.out


@pytest.mark.parametrize("engine", ["native", "python"])
def test_a_search_out_of_time_exits_5_and_still_reports(tidegate: Run, engine: str) -> None:
    done = tidegate(
        "check", "replication:kip320", "--set", "max_leader_epoch=9", "--time", "0.3", "--engine", engine, "--json"
    )
    report = json.loads(done.out)
    assert (done.exit, report["verdict"], report["outcome"]) == (5, "inconclusive", "none")
    assert report["distinct_states"] > 0
    assert "exhaustive" not in report["assurance"]


def test_a_step_that_breaks_a_range_exits_7_and_names_the_line(tidegate: Run, counter: Any) -> None:
    done = tidegate("check", counter("require(s.value >= 0)"))
    assert done.exit == 7
    assert "counter.py:18" in done.out
    assert "It counts on from 3." in done.out
    assert done.out.rstrip().endswith('--steps "count; count; count; count"'), "the step that breaks it is replayed too"
    again = tidegate("replay", counter("require(s.value >= 0)"), "--steps", "count; count; count; count")
    assert again.exit == 7
    assert again.out in done.out


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
        (["demo", "--engine", "walk"], "unrecognized arguments: --engine walk\ntry: tidegate demo --help"),
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
    done = interrupted(command, "seen.distinct > 100", cache)
    report = json.loads(done.stdout)
    assert (done.returncode, report["verdict"]) == (5, "inconclusive")
    assert report["distinct_states"] > 100


@pytest.mark.parametrize(("number", "says"), [("SIGINT", "Ctrl-C"), ("SIGTERM", "SIGTERM")])
@pytest.mark.parametrize("engine", ["python", "native", "walk"])
def test_what_ended_a_search_is_named(engine: str, number: str, says: str, cache: Path) -> None:
    command = ["check", "raft", "--engine", engine, "--json", "--time", "600"]
    when = "seen.walks > 100" if engine == "walk" else "seen.distinct > 100"
    done = interrupted(command, when, cache, number)
    report = json.loads(done.stdout)
    assert (done.returncode, report["assurance"]) == (5, f"none: stopped by {says}")


def test_a_page_that_cannot_be_made_loses_neither_verdict_nor_traces(
    tmp_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> NoReturn:
        raise UsageError("no page")

    monkeypatch.setattr("tidegate.cli.check._trace_page", refuse)
    exit_, out = said("check", f"{LOCK}:careless", "--out", str(tmp_path / "report"))
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


def test_models_lists_what_there_is(tidegate: Run) -> None:
    listed = json.loads(tidegate("models", "--json").out)["models"]
    replication = next(model for model in listed if model["name"] == "replication")
    assert {"truncate_to_hw", "kip101", "kip279", "kip320_first_try", "kip320"} <= set(replication["profiles"])
    first = {key: value for key, value in replication["constants"][0].items() if key != "says"}
    assert first == {"name": "replicas", "default": 3, "minimum": 1, "maximum": 6}
    assert "kip320" in tidegate("models", "replication").out


def test_models_by_itself_is_a_list_of_names_to_copy(tidegate: Run) -> None:
    lines = tidegate("models").out.splitlines()
    names = [line.split()[0] for line in lines if line[:1].islower() and not line.startswith("tidegate")]
    assert names == [*CATALOGUE, *REFINEMENTS, *LIVENESS_CLAIMS]
    assert len(lines) < 5 * len(names)


def test_explain_shows_one_action_in_notation(tidegate: Run) -> None:
    done = tidegate("explain", f"{LOCK}:careful", "take")
    assert done.exit == 0
    assert 'place[client] = "outside"' in done.out
    assert "held′ = true" in done.out


def test_the_demonstration_finds_the_loss_and_shows_the_fix(tidegate: Run) -> None:
    done = tidegate("demo")
    assert done.exit == 0
    assert "leader_completeness fails after 11 steps" in done.out
    assert "✓ replication:kip320 holds: exhaustive within bounds" in done.out


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
