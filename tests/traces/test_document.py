"""The trace document as every face relies on it: its schema, its messages, its pictures, and what it rests on."""

from __future__ import annotations

import json
import random
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tidegate.invariants.catalogue import CATALOGUE, find
from tidegate.language.binding import load
from tidegate.language.judge import initial_states, instances, run_text, steps
from tidegate.language.model import Model
from tidegate.language.steptext import format_step
from tidegate.language.verdict import Failure, PropertyVerdict, Run, Step
from tidegate.reports.text_page import TextFormat
from tidegate.reports.trace.html import trace_html
from tidegate.reports.trace.terminal import pictures_page, step_page, trace_page
from tidegate.traces.document import read_schema, run_document, trace_document

from ..conftest import ROOT
from ..support.courier import DEFINITION, MODEL, SWAPPED

VALIDATOR: Any = jsonschema.Draft202012Validator(read_schema())


COURIER = load(ROOT / "tests" / "fixtures" / "models" / "courier.py")


PROFILES = {f"{name}:{profile}": (name, profile) for name in CATALOGUE for profile in (None, *find(name)[0].profiles)}


FILES = {
    path.stem: path
    for path in sorted([*(ROOT / "examples").glob("[!r]*.py"), ROOT / "tests" / "fixtures" / "models" / "courier.py"])
}


MODELS = (*PROFILES, *FILES)


SAMPLE = [name for name in MODELS if ":" not in name or name.endswith("None")]


@lru_cache(8)
def model_of(name: str) -> Model:
    """One of these, bound when a test asks for it: binding all of them takes longer than collecting all other tests."""
    if name in FILES:
        return load(FILES[name]).bind(name)
    model, profile = PROFILES[name]
    return find(model)[0].bind(name, profile=profile)


def walk(model: Model, length: int, seed: int = 0) -> Run:
    draw = random.Random(seed)
    state = draw.choice(list(initial_states(model)))
    start, taken = state, list[Step]()
    for _ in range(length):
        choices = list(steps(model, state))
        if not choices:
            break
        taken.append(draw.choice(choices))
        state = taken[-1].state_after
    return Run(start, tuple(taken))


@pytest.mark.parametrize("name", SAMPLE)
def test_every_document_is_of_the_schema(name: str) -> None:
    document = run_document(model_of(name), walk(model_of(name), 25))
    VALIDATOR.validate(json.loads(json.dumps(document)))
    assert document["notes"] == []
    assert trace_page(document, TextFormat()).text()
    assert pictures_page(document, TextFormat(width=100, ascii=True)).text().isascii()


def test_failures_and_deadlocks_are_of_the_schema() -> None:
    model = COURIER.bind(constants={"mistake": "range"})
    run = run_text(model, "wake({A}); write(A)")
    failure = Failure(
        "written: 3 is outside 0..2", f"{ROOT}/x.py:3", run, "err", {"person": model.namespace["Person"](0)}
    )
    for subject in (failure, Failure("stuck", "", run)):
        VALIDATOR.validate(trace_document(model, subject))
    assert trace_document(model, failure)["failure"]["place"] == {"file": "x.py", "line": 3, "end_line": 3}


def test_what_happens_chooses_the_words_of_a_sentence() -> None:
    """A leader alone in the ISR stays in it when it fails."""
    model = find("replication")[0].bind("replication", {"max_leader_epoch": 3}, profile="truncate_to_hw")
    fails = [f"controller_shrink_isr({name})" for name in "CBA"]
    run = run_text(model, "; ".join(["controller_elect_leader(A)", *fails]))
    said = [step["sentence"] for step in run_document(model, run)["steps"][1:]]
    assert said == ["C fails and leaves the ISR.", "B fails and leaves the ISR.", "A fails."]


# --- what else could happen -------------------------------------------------------------------------------------------
def test_every_step_of_a_state_is_enabled_or_has_its_reason() -> None:
    model = model_of("replication:kip101")
    run = walk(model, 12)
    shown = run_document(model, run)["disabled"]
    for at, state in enumerate(run.states()):
        here = shown["states"][str(at)]
        enabled = [shown["steps"][number] for number in here["enabled"]]
        stopped = [shown["steps"][number] for _, numbers in here["disabled"] for number in numbers]
        assert enabled == [format_step(step.action, step.arguments) for step in steps(model, state)]
        assert sorted(enabled + stopped) == sorted(
            format_step(action.name, given) for action, given in instances(model, state)
        )
    assert all(reason["where"]["file"] == "model/replication.py" for reason in shown["reasons"])


# --- long runs, and runs that repeat ----------------------------------------------------------------------------------
def test_a_long_run_of_five_servers_is_small_and_soon_made() -> None:
    model = find("raft")[0].bind(
        "raft", {"servers": 5, "max_term": 3, "log_size": 4, "client_values": 4, "messages": 6}
    )
    run = walk(model, 500, seed=2)
    assert len(run.steps) == 500
    began = time.process_time()
    document = run_document(model, run)
    assert time.process_time() - began < 60
    assert document["disabled"]["truncated"].startswith("why other steps cannot happen is shown for the last")
    assert len(trace_html([document], whole_file="run.trace.json").encode()) < 1_500_000


def test_a_run_that_repeats_says_from_where() -> None:
    model = load(ROOT / "examples" / "lock.py").bind(profile="careful")
    document = run_document(model, run_text(model, "take(A); leave(A); take(B); leave(B)"), loop=2)
    VALIDATOR.validate(document)
    text = trace_page(document, TextFormat()).text()
    assert "  from here on it repeats for ever:\n  3  B takes the lock" in text
    assert "then it is as after step 2 again: steps 3 to 4 repeat for ever" in text


def test_a_step_that_is_not_there_is_refused() -> None:
    document = run_document(COURIER.bind(), run_text(COURIER.bind(), "wake({A})"))
    with pytest.raises(ValueError, match="the trace has no step 2"):
        step_page(document, 2, TextFormat())


def test_only_the_steps_of_the_run_print(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What else could happen is looked at without running the author's functions: they may print, or stop."""
    text = (ROOT / "examples" / "lock.py").read_text(encoding="utf-8")
    path = tmp_path / "printing.py"
    path.write_text(text.replace("    s.held = True\n", '    print("taken by", client)\n    s.held = True\n'))
    model = load(path).bind(profile="careful")
    run = run_text(model, "take(A); leave(A)")
    assert capsys.readouterr().out == "taken by A\n"
    run_document(model, run)
    assert capsys.readouterr().out == ""


def test_a_counterexample_says_what_is_false_of_what() -> None:
    run = run_text(MODEL, SWAPPED)
    verdict = PropertyVerdict("shelves_are_sorted", "invariant", "...", "violated", run)
    document = trace_document(MODEL, verdict, engine="native")
    assert document["property"]["fails"] == {
        "conjunct": "s.shelf[p][i].number < s.shelf[p][j].number",
        "witness": {"p": "A", "i": 0, "j": 1},
        "because": None,
        "where": {"file": "tests/fixtures/models/courier.py", "line": 173, "end_line": 173},
        "step": 5,
        "reads": ["shelf[A]"],
    }
    assert document["truth"] == {
        "shelves_are_sorted": "111110",
        "arrived_is_written": "111111",
        "nothing_is_unwritten": "-11111",
        "most_have_letters": "000000",
    }
    assert document["replay"] == (
        'tidegate replay courier --ghosts --property shelves_are_sorted --steps "wake({A}); write(A); write(A); '
        'deliver(Letter(to=A, number=1)); deliver(Letter(to=A, number=0))"'
    )
    assert (document["schema"], document["engine"], document["budgets"]) == (
        "tidegate.trace/1", "native", {"losses": 1},
    )  # fmt: skip
    assert document["lanes"] == [{"id": "A", "type": "person"}, {"id": "B", "type": "person"}]
    json.dumps(document)


def test_a_broken_step_and_a_deadlock_are_reported() -> None:
    model = DEFINITION.bind(constants={"mistake": "range"})
    run = run_text(model, "wake({A}); write(A)")
    person = model.namespace["Person"](0)
    failure = Failure("written: 3 is outside 0..2", "courier.py:1", run, "err", {"person": person})
    document = trace_document(model, failure)
    assert document["property"] is None
    assert document["failure"] == {
        "message": "written: 3 is outside 0..2", "where": "courier.py:1",
        "place": {"file": document["failure"]["place"]["file"], "line": 1, "end_line": 1},
        "action": "err", "args": {"person": "A"},
        "step": "err(A)", "sentence": "A makes a mistake.", "disabled": [],
    }  # fmt: skip
    stuck = trace_document(MODEL, Failure("stuck", "", run_text(MODEL, "wake({A, B})")))["failure"]
    assert {"step": "close", "why": "s.written == letters is false"} in stuck["disabled"]
