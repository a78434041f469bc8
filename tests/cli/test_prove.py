"""What `prove` says when something is wrong: each mistake in a clear sentence, with the right exit, and nothing that
was kept is believed when what it depends on has changed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import deque
from pathlib import Path
from typing import Any

import pytest
from tidegate.cli.main import main
from tidegate.explorer.smt import finite_instances
from tidegate.explorer.smt import questions as unbounded_questions
from tidegate.explorer.smt.effort import SolverEffort
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.explorer.smt.inputs import modules_imported
from tidegate.explorer.smt.process_pool import LostTask, run_tasks
from tidegate.explorer.smt.questions import ProofQuestions
from tidegate.language.binding import load
from tidegate.language.proof import Obligation, Proof
from tidegate.reports.exits import Exit

from ..conftest import ROOT
from ..support.commands import Commands, run_without

FOLLOWER = ROOT / "tests" / "fixtures" / "models" / "follower.py"
TEXT = FOLLOWER.read_text(encoding="utf-8")

SLOW = '''

@lemma
def fermat(s: Pair) -> bool:
    """Nobody finds these by trying."""
    low = s.low + 1
    high = s.high + 1
    return low * low * low + high * high * high != 1729 * 4104 * s.low + 7
'''


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test has a cache, and a working directory, of its own."""
    folder = tmp_path / "cache"
    folder.mkdir()
    monkeypatch.setenv("TIDEGATE_CACHE", str(folder))
    monkeypatch.chdir(tmp_path)
    return folder


def write_model(text: str, name: str = "mine.py") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def with_lemma(body: str) -> str:
    return write_model(f'{TEXT}\n\n@lemma\ndef extra(s: Pair) -> bool:\n    """One more."""\n    return {body}\n')


def proof_of(path: str, folder: Path | None = None, **constants: Any) -> Proof:
    definition = load(Path(path))
    return Induction(definition, definition.bind(path, constants), ProofRequest(folder=folder)).prove(lambda _: None)


# --- lemmas that are wrong --------------------------------------------------------------------------------------------


def test_a_lemma_that_is_false_at_first(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", with_lemma("s.high > 0")]) is Exit.SAFETY
    said = capsys.readouterr().out
    assert "✗ refuted: extra is false at first\n" in said
    assert "extra fails after 0 steps" in said


def test_the_solver_itself_does_not_prove_what_is_false_at_first() -> None:
    definition = load(Path(with_lemma("s.high > 0")))
    induction = Induction(definition, definition.bind(), ProofRequest())
    questions = ProofQuestions(induction.model, induction.symmetric, SolverEffort())
    assert questions.ask_solver(Obligation("initial", "in_order"), hard=False).is_proved
    assert not questions.ask_solver(Obligation("initial", "extra"), hard=True).is_proved


def test_a_lemma_that_is_true_and_not_kept(capsys: pytest.CaptureFixture[str]) -> None:
    # It holds in every state that can be reached, and says too little about those from which `lead` breaks it.
    path = write_model(TEXT.replace("return s.low <= s.high", "return s.low != s.high + 2"))
    assert main(["prove", path, "--lemma", "in_order"]) is Exit.SAFETY
    said = capsys.readouterr().out
    assert "✗ refuted: lead does not keep in_order\n" in said
    assert "low   3\n" in said and "high  0\n" in said
    assert "A counterexample to induction: all lemmas hold in its first state" in said


def test_a_counterexample_to_induction_begins_at_no_start_wherever_it_is_shown(
    capsys: pytest.CaptureFixture[str],
) -> None:
    path = write_model(TEXT.replace("return s.low <= s.high", "return s.low != s.high + 2"))
    assert main(["prove", path, "--lemma", "in_order", "--out", "out"]) is Exit.SAFETY
    trace = "out/lead--in_order.trace.json"
    capsys.readouterr()
    assert main(["export", trace, "--to", "markdown"]) is Exit.HOLDS
    said = capsys.readouterr().out
    assert "| 0 | a state that the lemmas allow | `low: 3`<br>`high: 0` |" in said
    assert "A counterexample to induction: all lemmas hold in its first state" in said
    assert "Replay" not in said and "None" not in said and "initial" not in said
    assert main(["export", trace, "--to", "itf"]) is Exit.HOLDS
    said = capsys.readouterr().out
    assert "A state that the lemmas allow." in said and "nitial" not in said
    assert main(["show", trace, "--step", "0"]) is Exit.HOLDS
    said = capsys.readouterr().out
    assert "a state that the lemmas allow" in said and "initial" not in said


def test_a_counterexample_beyond_the_copies_needs_larger_bounds(capsys: pytest.CaptureFixture[str]) -> None:
    path = write_model(TEXT.replace("return s.low <= s.high", "return s.low != s.high + 4"))
    assert main(["prove", path, "--lemma", "in_order"]) is Exit.INCONCLUSIVE
    said = " ".join(capsys.readouterr().out.split())
    assert "the solver does not know; there is no counterexample within top=3" in said
    assert main(["prove", path, "--lemma", "in_order", "--set", "top=5"]) is Exit.SAFETY


def test_a_lemma_that_is_no_predicate(capsys: pytest.CaptureFixture[str]) -> None:
    path = write_model(TEXT + '\n\n@lemma\ndef extra(s: Pair) -> int:\n    """A number."""\n    return s.low\n')
    assert main(["prove", path]) is Exit.MODEL_TEXT
    said = capsys.readouterr().err
    assert "TG311: a role with the wrong signature" in said
    assert "extra is a lemma: a bool about the state, and nothing else" in said


def test_a_lemma_that_counts_without_an_end(capsys: pytest.CaptureFixture[str]) -> None:
    path = with_lemma("sum(1 for n in range(s.high)) >= s.low")
    line = Path(path).read_text().splitlines().index("    return sum(1 for n in range(s.high)) >= s.low") + 1
    assert main(["prove", path]) is Exit.MODEL_TEXT
    said = capsys.readouterr().err
    assert said.startswith(f"tidegate: mine.py:{line}: `sum` goes over something that has no end here; ")


def test_a_property_that_counts_is_set_apart_unless_it_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    path = write_model(
        TEXT
        + '\n\n@invariant\ndef counted(s: Pair) -> bool:\n    """It counts."""\n'
        + "    return sum(1 for n in range(s.high)) >= s.low\n"
    )
    assert main(["prove", path]) is Exit.HOLDS
    assert "not stated  counted: mine.py:" in capsys.readouterr().out
    assert main(["prove", path]) is Exit.HOLDS  # and once more, from what was kept
    assert "not stated  counted: mine.py:" in capsys.readouterr().out
    assert main(["prove", path, "--property", "counted"]) is Exit.MODEL_TEXT
    assert "counted has no meaning without bounds: `sum` goes over something" in capsys.readouterr().err


def test_a_model_without_lemmas(capsys: pytest.CaptureFixture[str]) -> None:
    path = write_model(TEXT[: TEXT.index("@lemma")])
    assert main(["prove", path]) is Exit.USAGE
    assert capsys.readouterr().err == (
        "tidegate: mine.py has no lemmas to prove it by; docs/proofs.md says how to write them, marked @lemma\n"
    )


def test_names_that_there_are_not(capsys: pytest.CaptureFixture[str]) -> None:
    path = write_model(TEXT)
    assert main(["prove", path, "--lemma", "in_ordre"]) is Exit.USAGE
    assert capsys.readouterr().err == "tidegate: mine.py has no lemma in_ordre; did you mean in_order?\n"
    assert main(["prove", path, "--property", "not_ahead"]) is Exit.USAGE
    assert "no property not_ahead to prove; " in capsys.readouterr().err


TWO = f'''{TEXT}

@invariant
def low_is_a_number(s: Pair) -> bool:
    """It is."""
    return s.low >= 0


@invariant
def high_is_a_number(s: Pair) -> bool:
    """It is, too."""
    return s.high >= 0
'''


def test_a_property_that_without_names_is_not_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    path = write_model(TWO)
    assert main(["prove", path, "--without", "low_is_a_number", "--json"]) is Exit.HOLDS
    said = json.loads(capsys.readouterr().out)
    assert "high_is_a_number" in {prop["name"] for prop in said["properties"]}
    assert "low_is_a_number" not in {prop["name"] for prop in said["properties"]}
    assert (said["not_asked"], said["left_out"]) == (["low_is_a_number"], [])


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--without", "low_is_number"], "--without low_is_number: no such property to leave out; did you mean"),
        (["--without", "in_order"], "--without in_order: it is a lemma, and the proof rests on it; name a property"),
        (
            ["--without", "low_is_a_number", "--property", "low_is_a_number"],
            "low_is_a_number: named by --property and left out by --without; give one of the two",
        ),
    ],
    ids=["no property", "a lemma", "both"],
)
def test_what_without_cannot_leave_out(options: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", write_model(TWO), *options]) is Exit.USAGE
    assert says in capsys.readouterr().err


def test_a_step_that_may_break_the_types(capsys: pytest.CaptureFixture[str]) -> None:
    path = write_model(
        TEXT.replace("require(not careful or s.low < s.high)", "require(s.low != 0)\n    assert s.low < s.high")
    )
    assert main(["prove", path]) is Exit.SAFETY
    said = capsys.readouterr().out
    assert "✗ refuted: follow may break the model's types" in said
    assert "then step 1 breaks it: The lower one follows." in said


def test_what_plain_python_does_not_agree_with_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def always(*_: object, **_more: object) -> bool:
        return True

    monkeypatch.setattr(finite_instances, "holds_after_step", always)
    path = write_model(TEXT.replace("return s.low <= s.high", "return s.low != s.high + 2"))
    assert main(["prove", path, "--lemma", "in_order"]) is Exit.INTERNAL
    said = capsys.readouterr().err
    assert "the engine and plain Python disagree; do not trust this result" in said
    assert "in_order is true after lead({}) in Pair(low=3, high=0)" in said


# --- time, and interruptions ------------------------------------------------------------------------------------------


def test_a_query_that_takes_too_long_is_not_proved(commands: Commands, tmp_path: Path) -> None:
    """In a process of its own: what a solver tries at a hopeless question depends on all that it was asked before, and
    so does how long its arithmetic takes between two of the steps that are counted."""
    path = write_model(TEXT + SLOW)
    asked = ["prove", path, "--lemma", "fermat", "--query-work", "0.2"]
    done = commands.run(asked, tmp_path, dict(os.environ))
    assert done.exit == Exit.INCONCLUSIVE, done.err
    said = " ".join(done.out.split())
    assert "? not proved: that lead keeps fermat" in said
    assert "the solver had no answer within 0.2 million steps; there is no counterexample within top=3" in said


def test_nothing_more_is_tried_of_a_question_that_the_clock_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """The question needs far more steps than it gets time for, on any machine."""
    asked = list[float]()

    def patience(work: float) -> float:
        return 0.05

    def limit_work(solver: Any, work: float) -> None:
        asked.append(work)
        limit(solver, work)

    limit = unbounded_questions._limit_query  # pyright: ignore[reportPrivateUsage]
    monkeypatch.setattr(unbounded_questions, "most_seconds", patience)
    monkeypatch.setattr(unbounded_questions, "_limit_query", limit_work)
    definition = load(Path(write_model(TEXT + SLOW)))
    induction = Induction(definition, definition.bind(), ProofRequest())
    questions = ProofQuestions(induction.model, induction.symmetric, SolverEffort(work=1000.0))
    answer = questions.ask_solver(Obligation("step", "fermat", "lead"), hard=True)
    assert (answer.is_proved, answer.late, len(asked)) == (False, True, 1)
    assert answer.reason == "the solver does not know: within 0.05 s it did not count 62.5 million steps"


def test_what_the_clock_ended_is_not_proved_and_not_kept(
    monkeypatch: pytest.MonkeyPatch, own_cache: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def patience(work: float) -> float:
        return 0.05

    monkeypatch.setattr(unbounded_questions, "most_seconds", patience)
    monkeypatch.setattr(finite_instances, "WORK", 1)
    path = write_model(TEXT + SLOW)
    asked = ["prove", path, "--lemma", "fermat", "--workers", "1", "--query-work", "1000"]
    assert main(asked) is Exit.INCONCLUSIVE
    said = " ".join(capsys.readouterr().out.split())
    assert "? not proved: that lead keeps fermat the solver does not know: within 0.05 s it did not count" in said
    held = [json.loads(file.read_text(encoding="utf-8")) for file in own_cache.glob("proofs/*.json")]
    assert not [claim for claim in held if (claim.get("action"), claim.get("goal")) == ("lead", "fermat")]


def test_a_proof_that_takes_too_long_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", write_model(TEXT + SLOW), "--time", "0.001"]) is Exit.INCONCLUSIVE
    said = capsys.readouterr().out
    assert "not finished: the time was up after 0.001 s" in said
    assert "✗" not in said


def test_an_interrupted_proof_reports_what_it_has(own_cache: Path) -> None:
    path = write_model(TEXT + SLOW)
    command = [sys.executable, "-m", "tidegate", "prove", path, "--query-work", "60"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=dict(os.environ))
    while len(list(own_cache.glob("proofs/*.json"))) < 3:
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    said, wrong = process.communicate()
    assert process.returncode == Exit.INCONCLUSIVE, wrong
    assert "not finished: it was interrupted" in said
    assert "Traceback" not in wrong


def test_a_copy_that_takes_long_is_interrupted_with_the_progress_on_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The search of a finite copy never ends here, and Ctrl-C comes while it goes on."""
    shown, progress = Path("terminal"), "proving: 4 of 9 done, last: lead in_order"

    def searches(*_: object) -> bool:
        while progress not in shown.read_text(encoding="utf-8"):
            time.sleep(0.01)
        os.kill(os.getppid(), signal.SIGINT)
        signal.pause()
        return False

    monkeypatch.setattr(finite_instances.FiniteInstance, "_satisfy", searches)
    with shown.open("w", encoding="utf-8") as terminal:
        monkeypatch.setattr(terminal, "isatty", lambda: True)
        monkeypatch.setattr(sys, "stderr", terminal)
        path = write_model(TEXT + SLOW)
        assert main(["prove", path, "--workers", "1", "--query-work", "0.2"]) is Exit.INCONCLUSIVE
    said = " ".join(capsys.readouterr().out.split())
    assert "not finished: it was interrupted" in said
    assert "? not proved: that lead keeps fermat it was interrupted" in said


def test_a_process_that_dies_loses_its_task_and_no_other() -> None:
    def make() -> Any:
        def work(task: int) -> Any:
            if task == 2:
                os.kill(os.getpid(), signal.SIGKILL)
            yield task * 10

        return work

    results = list(run_tasks(make, deque([1, 2, 3]), 2, None))
    assert sorted(result for result in results if isinstance(result, int)) == [10, 30]
    assert [result for result in results if isinstance(result, LostTask)] == [
        LostTask(2, "the solver's process died (SIGKILL)")
    ]


# --- what is kept -----------------------------------------------------------------------------------------------------


def cached_obligations(proof: Proof) -> set[Obligation]:
    return {finding.obligation for finding in proof.findings if finding.is_cached}


def test_what_is_kept_is_believed_only_as_it_was_written(own_cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write_model(TEXT)
    assert main(["prove", path]) is Exit.HOLDS
    files = sorted(own_cache.glob("proofs/*.json"))
    assert files
    files[0].write_text("{", encoding="utf-8")
    files[1].write_text(files[1].read_text().replace("proved", "proven"), encoding="utf-8")
    files[2].write_text(files[3].read_text(), encoding="utf-8")
    capsys.readouterr()
    assert main(["prove", path]) is Exit.HOLDS
    said = " ".join(capsys.readouterr().out.split())
    assert f"note: {files[0]} is not what was kept there by this user; it is not believed, and written anew" in said
    assert f"note: {files[2]} is not what was kept there" in said
    assert main(["prove", path]) is Exit.HOLDS
    assert "note:" not in capsys.readouterr().out


FALSE = TEXT.replace("return s.low <= s.high", "return s.low != s.high + 2")


def test_the_proofs_of_another_user_are_not_believed(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder from elsewhere holds whatever somebody wrote there, under the right names and as this program writes
    it."""
    path = write_model(FALSE)
    definition = load(Path(path))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "elsewhere"))
    induction = Induction(definition, definition.bind(path), ProofRequest(folder=own_cache))
    for obligation in induction.obligations():
        induction.cache.keep_proof(obligation, 0.0)
    assert all(map(induction.cache.has_proof, induction.obligations()))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "here"))
    assert main(["prove", path]) is Exit.SAFETY
    assert "is not what was kept there by this user; it is not believed" in " ".join(capsys.readouterr().out.split())


def test_a_proof_that_was_edited_is_not_believed(own_cache: Path) -> None:
    path = write_model(FALSE)
    definition = load(Path(path))
    induction = Induction(definition, definition.bind(path), ProofRequest(folder=own_cache))
    proved, wrong = Obligation("step", "in_order", "follow"), Obligation("step", "in_order", "lead")
    induction.cache.keep_proof(proved, 0.0)
    (file,) = own_cache.glob("proofs/*.json")
    held = json.loads(file.read_text(encoding="utf-8"))
    name = induction.cache.name_of(wrong)
    forged = json.dumps({**held, "name": name, "action": "lead"})
    file.with_name(f"{name}.json").write_text(forged, encoding="utf-8")
    assert induction.cache.has_proof(proved) and not induction.cache.has_proof(wrong)
    assert main(["prove", path]) is Exit.SAFETY


NO_PROOFS = [
    pytest.param("[" * 100_000, marks=pytest.mark.long),
    pytest.param("[]", marks=pytest.mark.long),
    pytest.param("3", marks=pytest.mark.long),
    "{}",
    '{"seal": 3, "schema": "tidegate.proved/2"}',
]


@pytest.mark.parametrize("text", NO_PROOFS)
def test_what_is_no_proof_at_all_is_not_believed(own_cache: Path, text: str) -> None:
    path = write_model(TEXT)
    assert main(["prove", path]) is Exit.HOLDS
    for file in own_cache.glob("proofs/*.json"):
        file.write_text(text, encoding="utf-8")
    assert main(["prove", path]) is Exit.HOLDS
    assert cached_obligations(proof_of(path, own_cache)) != set()


def test_the_key_is_not_kept_beside_what_it_seals(
    own_cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(own_cache / "state"))
    assert main(["prove", write_model(TEXT)]) is Exit.HOLDS
    assert "lies within the cache, where it guards nothing: no proof is kept" in " ".join(
        capsys.readouterr().out.split()
    )
    assert list(own_cache.glob("proofs/*")) == []


def test_a_key_that_others_can_read_seals_nothing(
    own_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    assert main(["prove", write_model(TEXT)]) is Exit.HOLDS
    key = tmp_path / "state" / "tidegate" / "proofs.key"
    assert key.stat().st_mode & 0o777 == 0o600
    key.chmod(0o644)
    capsys.readouterr()
    assert main(["prove", write_model(TEXT)]) is Exit.HOLDS
    said = " ".join(capsys.readouterr().out.split())
    assert "proofs.key can be read or written by others; remove it, and a new key is made" in said
    assert "0 of them kept from before" in said


def test_everything_that_a_proof_imports_is_in_the_digest_of_what_is_kept() -> None:
    script = "import sys, tidegate.explorer.smt.induction; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    imported = {text for text in done.stdout.split() if text.partition(".")[0] == "tidegate"}
    found = modules_imported()
    assert imported == set(found)
    assert "tidegate.explorer.symmetry" in found and "tidegate.language.judge" in found


COUNTED = (
    TEXT
    + '''

@invariant
def counted(s: Pair) -> bool:
    """It counts, and is false of states that the lemmas allow."""
    return sum(1 for n in range(s.high)) <= s.low + 2
'''
)


def test_the_answer_does_not_depend_on_what_is_kept(own_cache: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A property that cannot be stated is set apart before anything is proved or searched, whatever is kept."""
    before = Path("mine.py")
    answers: list[object] = []
    for text in (COUNTED, COUNTED, COUNTED + "\n# a comment\n", "# a comment above\n" + COUNTED):
        before.write_text(text, encoding="utf-8")
        capsys.readouterr()
        exit_ = main(["prove", "mine.py", "--json", "--seed", "7", "--set", "top=2"])
        document = json.loads(capsys.readouterr().out)
        words = {
            (obligation["kind"], obligation["goal"], obligation["action"]): obligation["verdict"]
            for obligation in document["obligations"]
        }
        answers.append((exit_, document["verdict"], words, [goal["name"] for goal in document["unstated"]]))
    assert answers == [answers[0]] * 4
    assert answers[0][0] is Exit.HOLDS  # type: ignore[index]
    assert answers[0][3] == ["counted"]  # type: ignore[index]


def test_a_proof_does_not_outlive_what_it_depends_on(own_cache: Path) -> None:
    assert cached_obligations(proof_of(write_model(TEXT), own_cache)) == set()
    again = proof_of(write_model(TEXT), own_cache)
    everything = {finding.obligation for finding in again.findings}
    assert cached_obligations(again) == everything
    # a comment changes nothing
    assert (
        cached_obligations(proof_of(write_model(TEXT.replace("s.high += 1", "s.high += 1  # on")), own_cache))
        == everything
    )
    # an action changes what is said of it
    other = proof_of(write_model(TEXT.replace("s.high += 1", "s.high = s.high + 1")), own_cache)
    assert {obligation.action for obligation in everything - cached_obligations(other)} <= {"lead"}
    # a constant changes the action that looks at it
    careless = proof_of(write_model(TEXT), own_cache, careful=False)
    assert {obligation.action for obligation in everything - cached_obligations(careless)} == {"follow", ""}
    # a lemma changes everything that rests on it
    text = TEXT.replace("return s.low <= s.high", "return not s.low > s.high")
    assert {obligation.kind for obligation in cached_obligations(proof_of(write_model(text), own_cache))} == set()


def test_nothing_is_kept_where_nothing_can_be(tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir()
    locked.chmod(0o500)
    try:
        assert proof_of(write_model(TEXT), locked).word == "proved"
    finally:
        locked.chmod(0o700)


# --- candidates -------------------------------------------------------------------------------------------------------


def test_candidates_that_fell_are_reported_with_the_action(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["prove", with_lemma("s.high == 0"), "--candidates"]) is Exit.HOLDS
    said = capsys.readouterr().out
    assert "given up in round 1: extra\n    refuted: lead does not keep extra, in a state that can be reached" in said


# --- the extra --------------------------------------------------------------------------------------------------------


def test_without_z3_the_line_that_installs_it() -> None:
    done = run_without("z3", ["prove", write_model(TEXT)])
    assert done.exit == Exit.USAGE
    assert done.err == "tidegate: prove needs z3-solver, which is not installed: pip install '.[prove]' in the clone\n"
