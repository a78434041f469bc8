"""The gate: what is recorded comes out, what is recorded wrongly is found, every way to end has its exit."""

from __future__ import annotations

import dataclasses
import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tidegate.gates.checks import GateDifference, compare_report
from tidegate.gates.records import read_record_file, shipped_record_files
from tidegate.reports.exits import Exit

from ..conftest import ROOT, Run, RunHere

LOCK = f"""
schema = "tidegate.spec/1"
model = "{ROOT / "examples" / "lock.py"}"
[bounds.three]
says = "Three clients."
clients = 3
[[check]]
profile = "careful"
bounds = "three"
symmetry = true
distinct_states = 2
transitions = 4
depth = 2
[check.expect]
one_inside = "holds"
somebody_inside = "reached"
[[check]]
profile = "careless"
tier = "nightly"
[check.expect]
one_inside = {{ violated = 4 }}
"""


@pytest.fixture
def gate_file(tmp_path: Path) -> Path:
    path = tmp_path / "gates" / "lock.toml"
    path.parent.mkdir()
    path.write_text(LOCK)
    return path


def test_a_users_gate_file_passes_as_recorded(tidegate: Run, gate_file: Path) -> None:
    done = tidegate("gate", str(gate_file.parent), "--tier", "nightly")
    assert done.exit == 0, done.out
    assert "2 ok of 2 checks" in done.out
    assert "not run" not in done.out


def test_constants_may_be_left_open(tidegate: Run, gate_file: Path) -> None:
    text = gate_file.read_text()
    gate_file.write_text(text.replace("[bounds.three]", 'open = ["compare_and_set"]\n[bounds.three]'))
    assert tidegate("gate", str(gate_file)).exit == 0
    gate_file.write_text(text.replace("[bounds.three]", 'open = ["compare_or_set"]\n[bounds.three]'))
    done = tidegate("gate", str(gate_file))
    assert done.exit == 64
    assert "no constant compare_or_set to leave open; did you mean compare_and_set?" in " ".join(done.out.split())
    gate_file.write_text(text.replace("[bounds.three]", "open = [3]\n[bounds.three]"))
    assert "open: 3 is not the name of a constant" in tidegate("gate", str(gate_file)).err


def test_it_says_what_was_not_run(tidegate: Run, gate_file: Path) -> None:
    done = tidegate("gate", str(gate_file))
    assert done.exit == 0
    assert "1 ok of 1 check\nnot run: 1 recorded check, of the nightly tier; --tier nightly runs them\n" in done.out
    assert len(done.out.partition("not run")[2].splitlines()) == 1, "one line; the names are in --json and --out"
    assert tidegate("gate", str(gate_file), "--only", "nothing").exit == 64


def test_only_counts_what_it_leaves_out_before_the_tier(tidegate: Run, gate_file: Path) -> None:
    done = tidegate("gate", str(gate_file), "--only", "careful")
    assert done.exit == 0
    assert done.out.endswith("1 ok of 1 check\nnot run: 1 recorded check, left out by --only\n"), "a nightly one, too"


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("distinct_states = 2", "distinct_states = 3", "distinct_states: recorded 3, found 2"),
        ("depth = 2", "depth = 9", "depth: recorded 9, found 2"),
        ("transitions = 4", "transitions = 3", "transitions: recorded 3, found 4"),
        ("violated = 4", "violated = 3", "one_inside: recorded a counterexample of 3 steps, found one of 4"),
        ("{ violated = 4 }", '"holds"', "one_inside: recorded holds, found violated after 4 steps"),
        ('"reached"', '"missing"', "somebody_inside: recorded missing, found reached"),
        ("symmetry = true", "symmetry = false", "distinct_states: recorded 2, found 4"),
        ('"careful"', '"careless"', "transitions: recorded 4, found none, since the search ended before"),
    ],
)
def test_a_difference_exits_6_and_says_which(tidegate: Run, gate_file: Path, old: str, new: str, shown: str) -> None:
    gate_file.write_text(LOCK.replace(old, new, 1))
    done = tidegate("gate", str(gate_file), "--tier", "nightly")
    assert done.exit == 6
    assert shown in done.out


def test_an_unrecorded_violation_is_reported_with_its_trace(tidegate: Run, gate_file: Path, tmp_path: Path) -> None:
    gate_file.write_text(LOCK.replace("{ violated = 4 }", '"holds"', 1))
    done = tidegate("gate", str(gate_file), "--tier", "nightly", "--junit", str(tmp_path / "report.xml"))
    assert '--steps "look(A); look(B); take(A); take(B)"' in done.out
    failure = ElementTree.parse(tmp_path / "report.xml").getroot().find(".//failure")
    assert failure is not None
    assert "B takes the lock and goes in." in (failure.text or "")


def test_out_of_time_is_never_green(tidegate: Run, tmp_path: Path) -> None:
    path = tmp_path / "big.toml"
    path.write_text(
        'schema = "tidegate.spec/1"\nmodel = "replication"\n[[check]]\nset = { max_leader_epoch = 9 }\n'
        '[check.expect]\nweak_isr = "holds"\n'
    )
    done = tidegate("gate", str(path), "--time", "0.2", "--out", str(tmp_path))
    assert done.exit == 5
    assert "inconclusive" in done.out
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()[0]
    assert (suite.get("tests"), suite.get("failures")) == ("1", "1")
    assert json.loads((tmp_path / "report.json").read_text())["exit"] == 5


def test_a_model_that_is_wrong_is_reported_with_its_own_exit(tidegate: Run, gate_file: Path) -> None:
    wrong = gate_file.parent / "wrong.py"
    wrong.write_text("x = 1\n")
    gate_file.write_text(re.sub("model = .*", 'model = "wrong.py"', LOCK))
    done = tidegate("gate", str(gate_file))
    assert done.exit == 65
    assert "TG003" in done.out


def test_junit_has_a_case_per_property_and_one_for_the_counts(tidegate: Run, gate_file: Path, tmp_path: Path) -> None:
    gate_file.write_text(LOCK.replace("depth = 2", "depth = 9"))
    tidegate("gate", str(gate_file), "--junit", str(tmp_path / "report.xml"))
    suite = ElementTree.parse(tmp_path / "report.xml").getroot()[0]
    failed = {case.get("name", "").partition(" ")[0]: len(case) for case in suite.iter("testcase")}
    assert failed == {"one_inside": 0, "somebody_inside": 0, "counts": 1}


def test_the_shipped_record_of_async_isr_comes_out(tidegate: Run) -> None:
    done = tidegate("gate", "--only", "async_isr", "--json")
    report = json.loads(done.out)
    assert done.exit == 0
    assert {check["result"] for check in report["checks"]} == {"ok"}
    assert len(report["not_run"]) > 50
    assert {skipped["why"] for skipped in report["not_run"]} == {"--only"}, "the model has no nightly check"


def test_every_shipped_check_expects_something_and_has_a_name_of_its_own() -> None:
    checks = [check for path in shipped_record_files() for check in read_record_file(path).checks]
    assert len(checks) > 80
    assert all(check.properties or check.counts for check in checks)
    assert all(check.source for check in checks)


def test_what_never_happens_differs_unless_it_is_recorded(gate_file: Path) -> None:
    check = read_record_file(gate_file).checks[0]
    report = {
        "verdict": "holds", "outcome": "none", "never_happens": ["leave"], "failure": None,
        "distinct_states": 2, "transitions": 4, "depth": 2,
        "actions": [{"name": "leave", "fired": 0, "switched_off": False, "stopped_by": None}],
        "properties": [
            {"name": "one_inside", "verdict": "holds", "steps": None},
            {"name": "somebody_inside", "verdict": "reached", "steps": 1},
        ],
    }  # fmt: skip
    result = compare_report(check, report, 0.0)
    assert result.exit is Exit.UNEXPECTED
    shown = "never happens, and is not recorded so: leave"
    assert result.differences == (GateDifference("outcome", shown),)
    recorded = dataclasses.replace(check, never_happens=("leave",))
    assert compare_report(recorded, report, 0.0).exit is Exit.HOLDS
    other = compare_report(recorded, {**report, "never_happens": []}, 0.0)
    assert other.differences == (GateDifference("outcome", "recorded as what never happens, and it does: leave"),)


# --- a user's own files -----------------------------------------------------------------------------------------------


def result_of(tidegate: Run, path: Path, text: str, *options: str) -> tuple[int, str]:
    path.write_text(text)
    done = tidegate("gate", str(path), *options)
    return done.exit, done.out + done.err


STUCK = """
from tidegate.language import action, always_possible, initial, require, state, always_eventually

@state
class Door:
    '''A door.'''
    open: bool  # whether it is

@initial
def shut() -> Door:
    '''It is shut.'''
    return Door(open=False)

@action
def push(s: Door) -> None:
    '''It opens, and stays so.'''
    require(not s.open)
    s.open = True

@always_eventually
def is_shut(s: Door) -> bool:
    '''It is shut again and again.'''
    return not s.open
"""
DOOR = """
schema = "tidegate.spec/1"
model = "door.py"
[[check]]
outcome = "liveness"
keep_going = true
deadlock = 1
expect = { is_shut = { violated = 1 } }
"""


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("", "", ""),
        ("deadlock = 1", "", "deadlock beside it: recorded none, found one after 1 step"),
        ("deadlock = 1", "deadlock = 2", "deadlock beside it: recorded one after 2 steps, found one after 1 step"),
        ("keep_going = true\ndeadlock = 1", "", "is_shut: recorded violated, found not checked"),
    ],
)
def test_a_deadlock_hides_no_recorded_violation_nor_the_other_way_round(
    tidegate: Run, tmp_path: Path, old: str, new: str, shown: str
) -> None:
    (tmp_path / "door.py").write_text(STUCK, encoding="utf-8")
    (tmp_path / "gate.toml").write_text(DOOR.replace(old, new), encoding="utf-8")
    done = tidegate("gate", str(tmp_path / "gate.toml"), "--out", str(tmp_path / "out"))
    assert (done.exit, shown in " ".join(done.out.split())) == (6 if shown else 0, True)
    if not shown:
        checked = tidegate("check", str(tmp_path / "door.py"), "--keep-going", "--out", str(tmp_path / "out"))
        assert "door.py violates is_shut and deadlocks" in " ".join(checked.out.split())
        assert "has a deadlock" in (tmp_path / "out" / "index.html").read_text(encoding="utf-8")


def test_what_is_to_be_written_has_all_that_an_exhaustive_search_found(tidegate: Run, tmp_path: Path) -> None:
    """Beside a violation too: what holds, counts and a deadlock. Written so, it is green and no claim is missing."""
    claim = "def may_open(s: Door) -> bool:\n    '''It can come to be open.'''\n    return s.open\n"
    (tmp_path / "door.py").write_text(f"{STUCK}\n\n@always_possible\n{claim}", encoding="utf-8")
    bare = DOOR[: DOOR.index("outcome")] + "keep_going = true\n"
    (tmp_path / "gate.toml").write_text(bare, encoding="utf-8")
    shown = tidegate("gate", str(tmp_path / "gate.toml"), "--ci").out
    recorded = shown.partition("gate.toml:\n")[2].partition("      tidegate replay")[0]
    lines = [line.strip() for line in recorded.splitlines()]
    assert lines == [
        "distinct_states = 2", "transitions = 1", "depth = 2", 'outcome = "liveness"', "deadlock = 1", "[check.expect]",
        "is_shut = { violated = 1 }", 'may_open = "holds"',
    ]  # fmt: skip
    (tmp_path / "gate.toml").write_text(bare + "\n".join(lines), encoding="utf-8")
    done = tidegate("gate", str(tmp_path / "gate.toml"), "--ci")
    assert done.exit == 0, done.out


@pytest.mark.parametrize("ci", [True, pytest.param(False, marks=pytest.mark.long)])
def test_a_missing_expectation_is_an_error_in_ci_and_reported_elsewhere(
    tidegate: Run, gate_file: Path, ci: bool
) -> None:
    text = LOCK[: LOCK.index("symmetry = true")]
    found, shown = result_of(tidegate, gate_file, text, "--ci" if ci else "--no-ci")
    assert found == (64 if ci else 0)
    assert "1 unrecorded of 1 check" in shown
    wanted = ("distinct_states = 4", "transitions = 6", "depth = 2", "[check.expect]", 'one_inside = "holds"')
    assert all(f"      {line}\n" in shown for line in wanted), shown
    recorded = "\n".join(line.strip() for line in shown.partition("lock.toml:\n")[2].partition("\n\n")[0].splitlines())
    assert result_of(tidegate, gate_file, f"{text}\n{recorded}\n", "--ci")[0] == 0


def test_files_that_cannot_be_read_exit_66(run_here: RunHere, tmp_path: Path) -> None:
    missing = tmp_path / "none.toml"
    shown = f"tidegate: {missing}: cannot be read (No such file or directory)\n"
    assert run_here("gate", str(missing)) == (66, shown)
    (tmp_path / "broken.toml").write_text("[[check\n")
    assert run_here("gate", str(tmp_path / "broken.toml"))[0] == 66
    (tmp_path / "latin.toml").write_bytes(b"# caf\xe9\n")
    assert run_here("gate", str(tmp_path / "latin.toml"))[0] == 66
    (tmp_path / "empty").mkdir()
    assert run_here("gate", str(tmp_path / "empty")) == (64, f"tidegate: {tmp_path / 'empty'}: no .toml file in it\n")


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ("symmetry =", "symetry =", ", check 1: nothing is called 'symetry' here; did you mean symmetry or set?"),
        ("symmetry = true", 'engine = "spin"', ", check 1, engine: 'spin' is not one of native, python"),
        ("model = ", "modl = ", ": nothing is called 'modl' here; did you mean model?"),
        ("[check", "[chek", ": nothing is called 'chek' here; did you mean check or schema?"),
        ("[[check]]", "[check]", ": check is {"),
        ('tier = "nightly"', 'tier = "weekly"', ", check 2, tier: 'weekly' is not one of commit, nightly"),
    ],
)
def test_a_mistake_in_a_file_is_reported_with_its_place(
    run_here: RunHere, gate_file: Path, old: str, new: str, shown: str
) -> None:
    text = 'schema = "tidegate.spec/1"\n[check]\nprofile = "a"\n' if new == "[check]" else LOCK.replace(old, new)
    gate_file.write_text(text)
    found, text = run_here("gate", str(gate_file))
    assert found == 64
    assert text.startswith(f"tidegate: {gate_file}{shown}")


def test_a_property_and_a_profile_that_are_not_there_stop_that_check_alone(tidegate: Run, gate_file: Path) -> None:
    text = LOCK.replace("somebody_inside", "somebody_insid").replace('tier = "nightly"', "")
    found, shown = result_of(tidegate, gate_file, text)
    assert found == 64
    assert "1 cannot run, 1 ok of 2 checks" in shown
    assert "somebody_insid" in shown and "did you mean somebody_inside" in shown.replace("\n", " ")


def test_checks_of_several_models_in_one_file(tidegate: Run, tmp_path: Path) -> None:
    text = f"""
schema = "tidegate.spec/1"
[[check]]
model = "{ROOT / "examples" / "lock.py"}"
engine = "python"
expect = {{ one_inside = "holds" }}
[[check]]
model = "async_isr"
distinct_states = 168
transitions = 468
depth = 15
"""
    path = tmp_path / "both.toml"
    path.write_text(text)
    done = tidegate("gate", str(path), "--json")
    report = json.loads(done.out)
    assert [(check["result"], check["engine"]) for check in report["checks"]] == [("ok", "python"), ("ok", "native")]


def test_a_check_of_no_model_is_reported(run_here: RunHere, tmp_path: Path) -> None:
    path = tmp_path / "none.toml"
    path.write_text('schema = "tidegate.spec/1"\n[[check]]\ndepth = 1\n')
    shown = f"{path}, check 1: model is missing; name it here, or once at the top of the file"
    assert run_here("gate", str(path)) == (64, f"tidegate: {shown}\n")


AUDIT = """
schema = "tidegate.spec/1"
[[audit]]
name = "orders"
files = ["cluster"]
require = ["no-loss=crash@all"]
kafka_version = "3.9"
distribution = "apache"
client = ["java:3.9"]
"""


@pytest.fixture
def cluster(tmp_path: Path) -> Path:
    """A user's folder with a cluster in it, and a gate file beside."""
    shutil.copytree(ROOT / "examples" / "clusters" / "acks-1", tmp_path / "cluster")
    path = tmp_path / "cluster.toml"
    path.write_text(AUDIT)
    return path


def test_an_audit_that_does_not_meet_what_it_requires_differs(tidegate: Run, cluster: Path) -> None:
    done = tidegate("gate", str(cluster), "--width", "400", "--out", str(cluster.parent / "report"))
    assert done.exit == 6
    assert "orders (producer producer.properties): no-loss=crash@all failed:" in done.out
    assert "Now broker 2 leads, and a record that was acknowledged is not in its log." in done.out
    suite = ElementTree.parse(cluster.parent / "report" / "junit.xml").getroot()[0]
    assert (suite.get("package"), suite.get("failures")) == ("audit", "1")


def test_an_audit_that_meets_what_it_requires_is_ok(tidegate: Run, cluster: Path) -> None:
    cluster.write_text(AUDIT.replace("no-loss=crash@all", "writable=crash@all"))
    done = tidegate("gate", str(cluster))
    assert (done.exit, done.out.splitlines()[-1]) == (0, "1 ok of 1 check")


def test_an_audit_that_depends_on_something_is_not_green(tidegate: Run, cluster: Path) -> None:
    for name in ("audit.toml", "producer.properties"):
        (cluster.parent / "cluster" / name).unlink()
    done = tidegate("gate", str(cluster), "--width", "400")
    assert done.exit == 5
    assert "orders: no-loss=crash@all depends on acks" in done.out


@pytest.mark.parametrize(
    ("old", "new", "exit_", "shown"),
    [
        ('files = ["cluster"]', 'files = ["nothing"]', 66, "nothing does not exist. Give files"),
        ("no-loss=crash@all", "no-loss", 64, "--require no-loss: write a preset or QUESTION=FAULT@SITUATION, such as"),
    ],
)
def test_an_audit_that_cannot_run_is_never_green(
    tidegate: Run, cluster: Path, old: str, new: str, exit_: int, shown: str
) -> None:
    cluster.write_text(AUDIT.replace(old, new))
    done = tidegate("gate", str(cluster), "--width", "400")
    assert done.exit == exit_
    assert shown in done.out and "1 cannot run of 1 check" in done.out


@pytest.mark.parametrize(
    ("old", "new", "shown"),
    [
        ('require = ["no-loss=crash@all"]', "", "require is None; it must be a list of texts"),
        ('files = ["cluster"]', "files = []", "files is []; it must be a list of texts"),
        ('files = ["cluster"]', "files = 3", "files is 3; it must be a list of texts"),
        ("require", "requires", "nothing is called 'requires' here; did you mean require or features?"),
    ],
)
def test_a_mistake_in_an_audit_is_reported(run_here: RunHere, tmp_path: Path, old: str, new: str, shown: str) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(AUDIT.replace(old, new))
    assert run_here("gate", str(path)) == (64, f"tidegate: {path}, audit 1: {shown}\n")
