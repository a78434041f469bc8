"""Trace documents for the tests of pages: of shipped models, of a model that never rests, and made by hand."""

from __future__ import annotations

import functools
import random
from collections.abc import Mapping, Sequence
from typing import Any

from tidegate.invariants.catalogue import find
from tidegate.language.binding import load
from tidegate.language.judge import initial_states, run_text, steps
from tidegate.language.model import Model
from tidegate.language.verdict import PropertyVerdict, Run, Step
from tidegate.traces.document import run_document, trace_document

from ..conftest import ROOT

Document = dict[str, Any]

KIP_101 = (
    "controller_elect_leader(A); become_follower(request=LeaderAndIsr(leader=A, leader_epoch=0, isr={A, B, C}), "
    "replica=B); controller_shrink_isr(C); become_leader(LeaderAndIsr(leader=A, leader_epoch=1, isr={A, B})); "
    "write(A); fetch(leader=A, follower=B); advance_high_watermark(A); "
    "become_follower(request=LeaderAndIsr(leader=A, leader_epoch=1, isr={A, B}), replica=B)"
)
"""B truncates to its high watermark what A has committed: `strong_isr` fails after 8 steps."""


@functools.cache
def kip_101() -> Document:
    """The first scenario of KIP-101."""
    definition, profile = find("replication:truncate_to_hw")
    model = definition.bind("replication:truncate_to_hw", {}, profile, ghosts=False)
    prop = next(property_ for property_ in model.properties if property_.name == "strong_isr")
    run = run_text(model, KIP_101)
    found = PropertyVerdict(prop.name, "invariant", prop.says, "violated", run)
    return trace_document(model, found, engine="native")


@functools.cache
def four_gallons() -> Document:
    """A witness, of a model without a view."""
    model = load(ROOT / "examples/die_hard.py").bind()
    text = "fill_big; big_to_small; empty_small; big_to_small; fill_big; big_to_small"
    prop = model.properties[0]
    return trace_document(model, PropertyVerdict(prop.name, "reachable", prop.says, "reached", run_text(model, text)))


@functools.cache
def busy(count: int, seed: int = 1) -> Document:
    """A walk of so many steps of five replicas, whose brokers crash and start over."""
    return walk(load(ROOT / "tests/fixtures/models/busy_log.py").bind(), count, seed)


def walk(model: Model, count: int, seed: int = 1) -> Document:
    """A walk of so many steps, mostly fetches and few crashes."""
    chance = random.Random(seed)
    state = start = next(iter(initial_states(model)))
    taken: list[Step] = []
    while len(taken) < count:
        choices = list(steps(model, state))
        weights = [{"crash": 0.12, "fetch": 3.0}.get(step.action, 1.0) for step in choices]
        taken.append(chance.choices(choices, weights)[0])
        state = taken[-1].state_after
    return run_document(model, Run(start, tuple(taken)))


# --- by hand ----------------------------------------------------------------------------------------------------------

LANE: Document = {
    "role": None, "role_text": "", "epoch": None, "up": True, "isr": None,
    "in_isr": {"leader": None, "controller": None}, "cells": [], "high_watermark": None, "log_end": None,
    "badges": {}, "chips": [], "spans": [], "last_stable_offset": None, "label": "",
}  # fmt: skip


def lane(name: str, **parts: Any) -> Document:
    """A lane; what is not given is not drawn."""
    return LANE | {"id": name, "label": f"{name}, {parts.get('role_text', '')}"} | parts


def cell(offset: int, text: str, epoch: int | None = None) -> Document:
    """A cell of a log."""
    return {"offset": offset, "text": text, "epoch": epoch, "says": f"{text} at offset {offset}"}


def frame(*lanes: Document, marks: Mapping[str, Any] | None = None, board: Document | None = None) -> Document:
    """What is drawn of a state."""
    return {"lanes": {document["id"]: document for document in lanes}, "marks": dict(marks or {}), "board": board}


def step(number: int, sentence: str, **parts: Any) -> Document:
    """A step that counts `n` up."""
    whole: Document = {
        "i": number, "action": "tick", "args": {}, "step": f"tick({number})", "kind": "protocol", "sentence": sentence,
        "lane": None, "where": {"file": "made.py", "line": 1, "end_line": 1}, "reads": [], "writes": ["n"],
        "changed": [f"n: {number - 1} -> {number}"], "messages": [],
    }  # fmt: skip
    return whole | parts


def message(number: int, source: str | None, to: str | None, sent: int, **parts: Any) -> Document:
    """A message that nobody has received yet."""
    whole: Document = {
        "id": number, "pool": "network", "name": f"hello {number}", "text": f"Hello(number={number})",
        "record": {"number": number}, "source": source, "to": to, "sent": sent, "received": [], "ended": None,
        "end": "in flight", "copy": False,
    }  # fmt: skip
    return whole | parts


def counter_document(taken: Sequence[Document], **parts: Any) -> Document:
    """A document of a counter `n` that each step counts up, with what is given changed in it."""
    states: Document = {"keyframe_every": 50}
    for at in range(len(taken) + 1):
        states[str(at)] = {"n": at} if at % 50 == 0 else {"~": [["n", at - 1, at]]}
    whole: Document = {
        "schema": "tidegate.trace/1", "kind": "run", "title": f"made: {len(taken)} steps", "model": "made",
        "says": "Made by hand.", "commit": None, "engine": "hand", "tool": "tidegate", "bounds": {}, "budgets": {},
        "ghosts": False, "replay": 'tidegate replay made --steps "tick"', "property": None, "failure": None,
        "argument": [],
        "fields": [{"name": "n", "type": {"kind": "int", "lo": 0, "hi": 9999}, "says": "", "ghost": False}],
        "lanes": [{"id": name, "type": "node"} for name in "ABC"], "view": None, "frames": {}, "truth": {},
        "properties": {}, "steps": list(taken), "messages": [], "states": states,
        "disabled": {"steps": [], "reasons": [], "states": {}, "truncated": None}, "loop": None, "truncated": None,
        "notes": [],
    }  # fmt: skip
    return whole | parts


def post() -> Document:
    """Messages received, lost, doubled and in flight, in a run that repeats for ever after state 2."""
    taken = [
        step(1, "A says hello to B.", lane="A", messages=[{"event": "sent", "id": 0}]),
        step(2, "A says hello to C.", lane="A", messages=[{"event": "sent", "id": 1}]),
        step(3, "B hears it.", lane="B", messages=[{"event": "received", "id": 0}]),
        step(4, "The message to C is lost.", kind="fault", messages=[{"event": "lost", "id": 1}]),
        step(
            5, "C says hello to A.", lane="C", messages=[{"event": "sent", "id": 2}, {"event": "duplicated", "id": 3}]
        ),
        step(6, "A hears it.", lane="A", messages=[{"event": "received", "id": 2}], changed=["n: 5 -> 2"]),
    ]
    messages = [
        message(0, "A", "B", 1, received=[{"step": 3, "lane": "B"}], ended=3, end="received"),
        message(1, "A", "C", 2, ended=4, end="lost"),
        message(2, "C", "A", 5, received=[{"step": 6, "lane": "A"}], ended=6, end="received"),
        message(3, "C", "A", 5, copy=True),
    ]
    document = counter_document(taken, messages=messages, loop=2)
    return document | {"states": document["states"] | {"6": {"~": [["n", 5, 2]]}}}


def group() -> Document:
    """Two members of a consumer group, and their coordinator."""
    before = frame(
        lane("consumer-1", role_text="stable", badges={"generation": "1"}, chips=["orders-0", "orders-1"]),
        lane("consumer-2", role_text="joining", badges={"generation": "0"}),
        board={"coordinator": "B", "generation": 1, "state": "Stable"},
    )
    after = frame(
        lane("consumer-1", role_text="stable", badges={"generation": "2"}, chips=["orders-0"]),
        lane("consumer-2", role_text="stable", badges={"generation": "2"}, chips=["orders-1"]),
        marks={"consumer-2": {"added": [], "removed": [], "replaced": [], "changed": {"chips": []}}},
        board={"coordinator": "B", "generation": 2, "state": "Stable"},
    )
    members = ["consumer-1", "consumer-2"]
    view = {"kind": "group", "domain": "member", "lanes": members, "badges": ["generation"], "columns": 0}
    lanes = [{"id": name, "type": "member"} for name in members]
    taken = [step(1, "consumer-2 joins, and gets orders-1.", lane="consumer-2")]
    return counter_document(taken, view=view, frames={"0": before, "1": after}, lanes=lanes)


def transactions() -> Document:
    """A log with a transaction that is committed and one that is open, which holds the last stable offset back."""
    cells = [cell(0, "1a", 1), cell(1, "1b", 1), cell(2, "1c", 1), cell(3, "8d", 8)]
    spans = [
        {"start": 0, "end": 2, "text": "producer 1 commits", "open": False},
        {"start": 2, "end": 2, "text": "producer 2", "open": True},
    ]
    leads = {"role": "leader", "role_text": "leader", "epoch": 8, "in_isr": {"leader": True, "controller": True}}
    log = {"cells": cells, "high_watermark": 4, "log_end": 4, "last_stable_offset": 2, "spans": spans}
    drawn = frame(lane("A", **leads, **log, badges={"producer epoch": "3"}))
    view = {"kind": "transaction", "domain": "replica", "lanes": ["A"], "badges": ["producer epoch"], "columns": 4}
    later = frame(marks={"A": {"added": [3], "removed": [], "replaced": [], "changed": {}}})
    return counter_document([step(1, "A appends d.", lane="A")], view=view, frames={"0": drawn, "1": later})
