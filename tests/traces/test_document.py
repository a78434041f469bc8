"""The trace document as every face relies on it: its schema, its messages, its pictures, and what it rests on."""

from __future__ import annotations

import json
import random
import time
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from tidegate.explorer.longest_traces import longest_runs
from tidegate.invariants.catalogue import CATALOGUE, find
from tidegate.language.binding import load
from tidegate.language.judge import holds, initial_states, instances, run_text, steps
from tidegate.language.lanes import GroupLanes, LogLanes, TransactionLanes
from tidegate.language.model import Model
from tidegate.language.steptext import format_step
from tidegate.language.verdict import Failure, Run, Step
from tidegate.reports.text_page import TextFormat
from tidegate.reports.trace.cut import cut_trace
from tidegate.reports.trace.html import trace_html
from tidegate.reports.trace.states import document_states
from tidegate.reports.trace.terminal import pictures_page, step_page, trace_page
from tidegate.traces.document import run_document, schema, trace_document
from tidegate.traces.evidence import Reading
from tidegate.traces.picture import letter
from tidegate.traces.places import within_repository

from ..conftest import ROOT
from ..support.shipped import tiered

VALIDATOR: Any = jsonschema.Draft202012Validator(schema())
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
        state = taken[-1].after
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


# --- what values rest on ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", tiered(MODELS, SAMPLE.__contains__, long=set(MODELS[::4]).__contains__))
def test_what_values_rest_on_is_read_as_the_judge_reads(name: str) -> None:
    """The typed form, evaluated for its cells, takes the judge's steps and gives the judge's answers."""
    model = model_of(name)
    run = walk(model, 12, seed=3)
    for before, step in zip(run.states(), run.steps, strict=False):
        action = model.action(step.action)
        reading = Reading(model, {action.form.state: before})
        reading.step(action, step.arguments)
        assert reading.states[action.form.state] == step.after
        for prop in model.properties:
            if prop.form is not None and prop.refinement is None:  # a refinement has an argument of its own
                states = (before, step.after) if prop.kind == "transition" else (before,)
                found, _ = Reading(model, dict(zip(prop.form.states, states, strict=True))).call(prop.form)
                assert bool(found) == holds(model, prop, *states)


def test_what_happens_chooses_the_words_of_a_sentence() -> None:
    """A leader alone in the ISR stays in it when it fails."""
    model = find("replication")[0].bind("replication", {"max_leader_epoch": 3}, profile="truncate_to_hw")
    fails = [f"controller_shrink_isr({name})" for name in "CBA"]
    run = run_text(model, "; ".join(["controller_elect_leader(A)", *fails]))
    said = [step["sentence"] for step in run_document(model, run)["steps"][1:]]
    assert said == ["C fails and leaves the ISR.", "B fails and leaves the ISR.", "A fails."]


def test_only_what_decides_is_a_reason() -> None:
    definition, profile = find("replication:truncate_to_hw")
    model = definition.bind("m", {"replicas": 2}, profile, properties=["weak_isr"])
    text = (ROOT / "tests" / "golden" / "arguments" / "replication.txt").read_text(encoding="utf-8")
    run = run_text(model, text.split("\n")[1])
    form = model.properties[0].form
    assert form is not None
    _, cells = Reading(model, {"s": run.states()[-1]}).call(form)
    assert [cell.text() for cell in cells] == ["leader[A]", "B in isr[A]", "high_watermark[A]", "len(log[B])"]
    assert [cell.main() for cell in cells] == ["leader[A]", "isr[A]", "high_watermark[A]", "log[B]"]


# --- messages ---------------------------------------------------------------------------------------------------------


def test_a_message_is_followed_from_sending_to_its_end() -> None:
    model = COURIER.bind()
    document = run_document(
        model, run_text(model, "wake({A, B}); write(A); write(B); lose(Letter(A, 0)); deliver(Letter(B, 1))")
    )
    shown = [
        (message["text"], message["to"], message["sent"], message["end"], message["ended"])
        for message in document["messages"]
    ]
    assert shown == [
        ("Letter(to=A, number=0)", "A", 2, "lost", 4),
        ("Letter(to=B, number=1)", "B", 3, "received", 5),
    ]
    assert document["messages"][1]["received"] == [{"step": 5, "lane": "B"}]
    events = [(step["i"], [message["event"] for message in step["messages"]]) for step in document["steps"]]
    assert events == [(1, []), (2, ["sent"]), (3, ["sent"]), (4, ["lost"]), (5, ["received"])]


def test_a_message_that_stays_is_received_again_and_a_copy_is_a_message_of_its_own() -> None:
    raft = find("raft")[0].bind("raft", {"messages": 3, "duplicates": 1, "max_term": 1})
    start = next(iter(initial_states(raft)))
    run = Run(start, ())
    for name in ("time_out", "send_vote_request", "duplicate"):
        state = run.states()[-1]
        run = Run(start, (*run.steps, next(step for step in steps(raft, state) if step.action == name)))
    sent, copy = run_document(raft, run)["messages"]
    assert (sent["name"], sent["source"], sent["copy"], copy["copy"], copy["sent"]) == (
        "vote request",
        "A",
        False,
        True,
        3,
    )


# --- pictures ---------------------------------------------------------------------------------------------------------


def test_lanes_show_the_log_and_what_the_step_changed() -> None:
    definition, profile = find("replication:truncate_to_hw")
    model = definition.bind("m", {"replicas": 2}, profile)
    text = (ROOT / "tests" / "golden" / "arguments" / "replication.txt").read_text(encoding="utf-8")
    document = run_document(model, run_text(model, text.split("\n")[1]))
    last = document["frames"]["8"]
    assert list(last["lanes"]) == ["B"]
    assert last["marks"]["B"]["removed"] == [
        {"offset": 0, "text": "0a", "epoch": 0, "says": "offset 0: Record(id=0, epoch=0)"}
    ]
    assert last["marks"]["B"]["changed"]["log_end"] == 1
    assert last["lanes"]["B"]["label"].startswith("B, follower, epoch 1, log end 0, high watermark 0")
    assert document["view"] == {
        "kind": "log", "domain": "replica", "lanes": ["A", "B"], "badges": [], "columns": 1,
    }  # fmt: skip
    assert [letter(number) for number in (None, 0, 25, 26)] == ["-", "a", "z", "26"]


def test_groups_and_transactions_have_lanes_too() -> None:
    model = COURIER.bind()
    person = next(domain for domain in model.domains).python
    run = run_text(model, "wake({A, B}); write(A); deliver(Letter(A, 0))")
    group = GroupLanes(
        lane=person, state="lane in s.awake", generation="written", assigned="[e.number for e in s.shelf[lane]]"
    )
    document = run_document(replace(model, view=group), run)
    VALIDATOR.validate(document)
    assert document["frames"]["3"]["lanes"]["A"]["chips"] == ["0"]
    spans = TransactionLanes(
        lane=person, log="shelf", cell="{entry.number}", transactions="[(0, None, 'P')]", last_stable_offset="0"
    )
    document = run_document(replace(model, view=spans), run)
    VALIDATOR.validate(document)
    assert document["frames"]["3"]["lanes"]["A"]["spans"] == [{"start": 0, "end": 1, "text": "P", "open": True}]


@pytest.mark.parametrize(
    ("view", "shown"),
    [
        ({"log": "shelves"}, "view: log cannot be evaluated: name 'shelves' is not defined; so the run is not drawn"),
        ({"log": "shelf["}, "view: log='shelf[': '[' was never closed; so the run is not drawn"),
        ({"log": "shelf", "cell": "{"}, "view: cell='{': '{' is never closed in '{'; so the run is not drawn"),
    ],
)
def test_a_view_that_is_wrong_is_reported_and_spoils_nothing(view: dict[str, str], shown: str) -> None:
    model = COURIER.bind()
    lanes = LogLanes(lane=next(domain for domain in model.domains).python, **view)  # type: ignore[arg-type]
    document = run_document(replace(model, view=lanes), run_text(model, "wake({A})"))
    VALIDATOR.validate(document)
    assert document["view"] is None
    assert [note.split(" (<view")[0] for note in document["notes"]] == [shown]


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
    assert all(reason["where"]["file"].startswith("model/replication/") for reason in shown["reasons"])


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
    assert len(trace_html([document], beside="run.trace.json").encode()) < 1_500_000


def test_a_run_that_is_very_long_is_whole_and_shown_by_its_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidegate.reports.trace.cut.MAX_STEPS", 200)
    monkeypatch.setattr("tidegate.reports.trace.cut.KEPT_STEPS", 20)
    model = load(ROOT / "examples" / "lock.py").bind(profile="careful")
    once = run_text(model, "take(A); leave(A)").steps
    document = run_document(model, Run(next(iter(initial_states(model))), once * 101))
    VALIDATOR.validate(document)
    assert [step["i"] for step in document["steps"]] == list(range(1, 203))
    assert document["truncated"] is None and cut_trace(document)["truncated"] is not None
    shown = cut_trace(document)
    VALIDATOR.validate(shown)
    assert [step["i"] for step in shown["steps"]] == [*range(1, 21), *range(183, 203)]
    assert shown["truncated"]["says"] == "steps 21 to 182 of 202 are left out"
    assert set(shown["states"]["183"]) == {"held", "place"} == set(shown["states"]["0"])
    assert dict(document_states(shown)) == {at: state for at, state in document_states(document) if at < 21 or at > 182}
    shown = trace_page(document, TextFormat(width=100)).text()
    numbers = [int(line[:5]) for line in shown.splitlines() if line[:5].strip().isdecimal()]
    assert numbers == [*range(1, 21), *range(183, 203)]
    assert "  ... steps 21 to 182 of 202 are left out ...\n" in shown
    assert document["replay"] not in shown and "tidegate replay FILE.trace.json" in shown


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


def test_the_longest_run_of_an_action_ends_with_it() -> None:
    model = COURIER.bind()
    found = longest_runs(model, ["close", "err"])
    assert found.complete
    assert list(found.runs) == ["close"]
    assert found.runs["close"].steps[-1].action == "close"
    assert not longest_runs(model, ["close"], states_max=5).complete


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


def test_a_place_in_no_repository_has_no_folder_of_its_authors_machine(tmp_path: Path) -> None:
    within_repository.cache_clear()
    assert within_repository(str(tmp_path / "lock.py")) == "lock.py"
    (tmp_path / "mine" / ".git").mkdir(parents=True)
    assert within_repository(str(tmp_path / "mine" / "models" / "lock.py")) == "models/lock.py"
