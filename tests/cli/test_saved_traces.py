"""Saved traces: a file of lines that can be compared, and replayed whatever it was saved of; and what is said where the
model is not any more what it was.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidegate.language.binding import load
from tidegate.language.judge import run_text
from tidegate.language.verdict import Failure
from tidegate.reports.files import trace_text, write_trace
from tidegate.traces.document import run_document, trace_document

from ..conftest import ROOT, RunHere
from ..support.html_traces import Document, kip_101

LOCK = ROOT / "examples" / "lock.py"
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
)

COUNTER = '''
"""A counter."""
from typing import Annotated
from tidegate.language import *
@state
class Counter:
    """A number."""
    value: Annotated[int, Range(0, 4)]  # the number
@initial
def zero() -> Counter:
    return Counter(value=0)
@action
def count(s: Counter) -> None:
    """It counts {s.value}."""
    GUARD
    s.value = s.value + STEP
@invariant
def small(s: Counter) -> bool:
    """It is small."""
    return s.value < LIMIT
'''


@given(st.dictionaries(st.text(), VALUES, max_size=5))
def test_the_text_of_a_trace_is_its_json(document: dict[str, Any]) -> None:
    assert json.loads(trace_text(document)) == document
    assert trace_text(document).endswith("}\n")


def test_every_step_state_and_frame_is_a_line() -> None:
    document = kip_101()
    lines = trace_text(document).splitlines()
    for step in document["steps"]:
        assert f"    {json.dumps(step, ensure_ascii=False)}" in [line.removesuffix(",") for line in lines]
    for part in ("states", "frames"):
        for name, value in document[part].items():
            row = f'    "{name}": {json.dumps(value, ensure_ascii=False)}'
            assert row in [line.removesuffix(",") for line in lines]
    assert json.loads("\n".join(lines)) == document


# --- replayed ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def lock(tmp_path: Path) -> Path:
    """A counterexample of the careless lock."""
    path = tmp_path / "lock.trace.json"
    model = load(LOCK).bind(f"{LOCK}:careless", {"clients": 3}, "careless")
    write_trace(path, run_document(model, run_text(model, "look(C); look(A); look(B); take(C); leave(C); take(A); "
                                                          "take(B)")))  # fmt: skip
    return path


def change_trace(path: Path, **parts: Any) -> Document:
    """The trace in a file, some parts of it replaced there."""
    document = json.loads(path.read_text(encoding="utf-8")) | parts
    write_trace(path, document)
    return document


def test_a_saved_trace_is_replayed_with_its_own_constants(lock: Path, run_here: RunHere) -> None:
    exit_, text = run_here("replay", str(lock))
    assert exit_ == 1
    assert text == run_here("show", str(lock))[1]
    again = json.loads(run_here("replay", str(lock), "--json")[1])
    assert again | {"commit": None} == json.loads(lock.read_text(encoding="utf-8")) | {"commit": None}


def test_a_saved_trace_is_shrunk(lock: Path, run_here: RunHere) -> None:
    exit_, text = run_here("replay", str(lock), "--shrink")
    assert exit_ == 1
    assert "note: shrunk from 7 steps to 4; no step of it can be left out" in text
    assert '--set clients=3 --property one_inside --steps "look(C); look(A); take(A); take(C)"' in text


def test_a_saved_counterexample_of_kip_101_is_replayed(tmp_path: Path, run_here: RunHere) -> None:
    write_trace(tmp_path / "strong_isr.trace.json", kip_101())
    exit_, text = run_here("replay", str(tmp_path / "strong_isr.trace.json"))
    assert exit_ == 1
    assert "replication:truncate_to_hw: strong_isr fails after 8 steps" in text


def test_a_counterexample_of_a_property_has_the_ghosts_that_it_reads_and_is_replayed(
    tmp_path: Path, run_here: RunHere
) -> None:
    found = ["replication:truncate_to_hw", "--set", "replicas=2", "--set", "max_leader_epoch=2"]
    run_here("check", *found, "--property", "leader_completeness", "--out", str(tmp_path))
    saved = tmp_path / "leader_completeness.trace.json"
    fields = json.loads(saved.read_text(encoding="utf-8"))["fields"]
    assert [field["name"] for field in fields if field["ghost"]] == ["committed"]
    exit_, out = run_here("replay", str(saved))
    assert exit_ == 1 and "leader_completeness is false" in " ".join(out.split())


def test_what_cannot_be_replayed_is_reported(lock: Path, run_here: RunHere) -> None:
    for option in (["--steps", "take(A)"], ["--set", "clients=2"], ["--bounds", "small"], ["--no-ghosts"]):
        exit_, text = run_here("replay", str(lock), *option)
        assert exit_ == 64 and "is for a MODEL" in text
    assert run_here("replay", f"{LOCK}:careless") == (
        64,
        f'tidegate: which steps of {LOCK}:careless? give --steps "...", or name a saved .trace.json in its place\n',
    )
    whole = change_trace(lock, replay=None)
    assert "a counterexample to induction" in run_here("replay", str(lock))[1]
    change_trace(
        lock, replay=whole["replay"], truncated={"steps": 9, "first": 2, "last": 3, "says": "steps 2 to 3 are out"}
    )
    assert "steps 2 to 3 are out, so that it cannot be replayed" in run_here("replay", str(lock))[1]
    change_trace(lock, truncated=None, schema="tidegate.trace/2", tool="tidegate 9.9")
    exit_, text = run_here("replay", str(lock))
    assert exit_ == 64
    assert text == (
        f"tidegate: {lock}: a trace of another version: its schema is 'tidegate.trace/2', written by tidegate 9.9, and "
        'this tidegate reads "tidegate.trace/1"; save the trace again with check --out, or use the tidegate that wrote '
        "it\n"
    )
    change_trace(lock, schema="else")
    assert "not a trace; its schema is 'else'" in run_here("replay", str(lock))[1]
    lock.write_text("{", encoding="utf-8")
    assert "not a JSON document" in run_here("replay", str(lock))[1]
    assert "cannot be read" in run_here("replay", str(lock) + ".json")[1]


# --- of a model that changed ------------------------------------------------------------------------------------------


@pytest.fixture
def counter(tmp_path: Path) -> Callable[..., Path]:
    """Writes the counter with a guard, a step and a limit of its property."""

    def write(guard: str = "require(s.value >= 0)", step: str = "1", limit: str = "2") -> Path:
        path = tmp_path / "counter.py"
        text = COUNTER.replace("GUARD", guard).replace("STEP", step).replace("LIMIT", limit)
        path.write_text(text, encoding="utf-8")
        return path

    return write


@pytest.fixture
def counter_trace(tmp_path: Path, counter: Callable[..., Path]) -> Path:
    """A counterexample of the counter, after two steps."""
    model = load(counter()).bind(str(counter()))
    write_trace(tmp_path / "small.trace.json", run_document(model, run_text(model, "count; count")))
    return tmp_path / "small.trace.json"


@pytest.mark.parametrize(
    ("now", "reported"),
    [
        ({"guard": "require(s.value < 1)"}, "step 2, count, is disabled: s.value < 1 is false; nothing is enabled"),
        ({"step": "2"}, "step 1, count, changed value: 0 -> 1; now value: 0 -> 2"),
        ({"step": "5"}, "count breaks it: "),
    ],
)
def test_a_model_that_changed_is_reported(
    counter_trace: Path, counter: Callable[..., Path], run_here: RunHere, now: dict[str, str], reported: str
) -> None:
    path = counter(**now)
    exit_, text = run_here("replay", str(counter_trace))
    assert exit_ == 64
    assert text.startswith(f"tidegate: {counter_trace}: {path} is not as it was when this trace was saved by tidegate ")
    assert reported in text


def test_a_property_that_changed_is_reported(
    counter_trace: Path, counter: Callable[..., Path], run_here: RunHere
) -> None:
    counter(limit="3")
    exit_, text = run_here("replay", str(counter_trace))
    assert exit_ == 0
    assert "note: the trace was saved as a counterexample of small, which it no longer is" in text
    path = counter()
    path.write_text(path.read_text(encoding="utf-8").replace("small(", "little("), encoding="utf-8")
    exit_, text = run_here("replay", str(counter_trace))
    assert exit_ == 1
    assert "note: the trace was saved as one of small, which is not checked here" in text


def test_constants_and_beginnings_that_are_not_there_any_more_are_reported(
    counter_trace: Path, run_here: RunHere
) -> None:
    document = change_trace(counter_trace, bounds={"clients": 2})
    assert "has no constant clients" in run_here("replay", str(counter_trace))[1]
    change_trace(counter_trace, bounds={}, states=document["states"] | {"0": {"value": 4}})
    assert "none of its initial states is the one that the trace begins in" in run_here("replay", str(counter_trace))[1]
    change_trace(counter_trace, model="nowhere.py")
    exit_, reported = run_here("replay", str(counter_trace))
    assert (
        exit_ == 64 and f"{counter_trace}: nowhere.py: there is no such file; nowhere.py is not as it was" in reported
    )


def test_a_step_that_breaks_the_model_breaks_it_again(
    tmp_path: Path, counter: Callable[..., Path], run_here: RunHere
) -> None:
    model = load(counter(limit="9")).bind(str(counter(limit="9")))
    trace = tmp_path / "failure.trace.json"
    run = run_text(model, "count; count; count; count")
    write_trace(trace, trace_document(model, Failure("value is too large", "", run, "count", {})))
    exit_, text = run_here("replay", str(trace))
    assert exit_ == 7 and "then step 5 breaks it: It counts 4." in text
    counter(guard="require(s.value < 4)", limit="9")
    assert "the step that broke the model can no longer be taken" in run_here("replay", str(trace))[1]
    counter(step="(0 if s.value == 4 else 1)", limit="9")
    assert f"the last step, count, broke {model.name} and no longer does" in run_here("replay", str(trace))[1]


def test_a_deadlock_is_one_again(tmp_path: Path, counter: Callable[..., Path], run_here: RunHere) -> None:
    path = counter(guard="require(s.value < 2)", limit="9")
    model = load(path).bind(str(path))
    trace = tmp_path / "failure.trace.json"
    write_trace(trace, trace_document(model, Failure("nothing can happen", "", run_text(model, "count; count"))))
    exit_, text = run_here("replay", str(trace))
    assert exit_ == 2 and "why no step can be taken:" in text
    counter(limit="9")
    reported = f"{trace}: it was saved as a deadlock, and {path} as it is now goes on from there"
    assert run_here("replay", str(trace)) == (64, f"tidegate: {reported}\n")
