"""The picture of a run: its lanes in each state, and what a step changed in them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tidegate.invariants.catalogue import find
from tidegate.language.judge import run_text
from tidegate.language.lanes import GroupLanes, LogLanes, TransactionLanes
from tidegate.traces.document import run_document
from tidegate.traces.picture import record_letter

from ..conftest import ROOT
from .test_document import COURIER, VALIDATOR


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
    assert [record_letter(number) for number in (None, 0, 25, 26)] == ["-", "a", "z", "26"]


def test_groups_and_transactions_have_lanes_too() -> None:
    model = COURIER.bind()
    person = next(domain for domain in model.domains).python
    run = run_text(model, "wake({A, B}); write(A); deliver(Letter(A, 0))")
    group = GroupLanes(
        lane=person, state="lane in s.awake", generation="written", assignment="[e.number for e in s.shelf[lane]]"
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
