"""What the tests of driven controllers share: traces, and a quorum that does as it is told."""

from __future__ import annotations

from functools import cache
from typing import Any

from tidegate.invariants.catalogue import find
from tidegate.language.judge import run_text, run_until_shown
from tidegate.language.verdict import PropertyVerdict, PropertyWord
from tidegate.real.driving.controllers.plan import ControllersPlan, plan_trace
from tidegate.real.driving.families import trace_of
from tidegate.traces.document import trace_document

EMPTY_DISK = (
    "election_timeout(A); vote(candidate=A, voter=B); election_timeout(B); vote(candidate=B, voter=C); "
    "replace_disk(C); begin_quorum_epoch(leader=A, voter=C); fetch(follower=C, leader=A, answered=true); "
    "fetch(follower=C, leader=A, answered=false)"
)


BOTH_LEAD = (
    "election_timeout(A); vote(candidate=A, voter=B); election_timeout(B); vote(candidate=B, voter=C); "
    "let_time_pass; let_time_pass"
)


COMMITTED = (
    "election_timeout(A); vote(candidate=A, voter=B); begin_quorum_epoch(leader=A, voter=C); "
    "fetch(follower=C, leader=A, answered=true); fetch(follower=C, leader=A, answered=false); write(A); "
    "fetch(follower=C, leader=A, answered=true); fetch(follower=C, leader=A, answered=false)"
)


WIPED: dict[str, Any] = {"max_epoch": 2, "max_records": 0, "crashes": 0, "wipes": 1}


@cache
def _document(steps: str, property_: str, constants: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    chosen, _ = find("kraft")
    model = chosen.bind("kraft", constants=dict(constants), profile=None, ghosts=True, properties=(property_,))
    prop, run = model.properties[0], run_text(model, steps)
    assert run_until_shown(model, prop, run) is not None
    verdict: PropertyWord = "reached" if prop.kind == "reachable" else "violated"
    return trace_document(model, PropertyVerdict(prop.name, prop.kind, prop.says, verdict, run))


def document(steps: str, property_: str, **constants: Any) -> dict[str, Any]:
    """A trace of controllers in whose end a property shows."""
    given = {name: str(value).lower() if isinstance(value, bool) else value for name, value in constants.items()}
    return _document(steps, property_, tuple(sorted(given.items())))


def plan_steps(steps: str, property_: str, kafka: str | None = None, **constants: Any) -> ControllersPlan:
    return plan_trace(trace_of(document(steps, property_, **constants)), kafka)
