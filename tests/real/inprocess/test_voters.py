"""Traces of `kraft_voters` on Kafka's own classes: which release takes them, what is compared, what comes of them."""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.invariants.catalogue import find
from tidegate.language.judge import run_text, run_until_shown
from tidegate.language.verdict import PropertyVerdict
from tidegate.real.driving.families import trace_of
from tidegate.real.driving.fitting import ModelRefusesError, UndrivableError
from tidegate.real.inprocess.confirming import confirmed_in_process
from tidegate.real.inprocess.voters import MODEL, HostedVoters, plan_voters
from tidegate.traces.document import trace_document

from ...support.hosting import hosted_release

BEFORE_PRE_VOTES = (
    "format_first_voters({A, B, C}); election_timeout(A); vote(candidate=A, voter=B); resign(A); election_timeout(A); "
    "vote(candidate=A, voter=C); election_timeout(C); vote(candidate=C, voter=B); begin_quorum_epoch(leader=C, "
    "voter=A); truncate(follower=A, leader=C); fetch(follower=A, leader=C, answered=true); fetch(follower=A, leader=C, "
    "answered=false); remove_voter(leader=C, voter=B); fetch(follower=A, leader=C, answered=true); fetch(follower=A, "
    "leader=C, answered=false); fetch_timeout(A); vote(candidate=A, voter=B); remove_voter(leader=C, voter=A)"
)
"""The recorded counterexample: A misses the removal of B."""
WITH_PRE_VOTES = (
    "format_first_voters({A, B, C}); election_timeout(A); ask_for_pre_vote(voter=A, peer=B); vote(candidate=A, "
    "voter=B); begin_quorum_epoch(leader=A, voter=C); fetch(follower=C, leader=A, answered=true); fetch(follower=C, "
    "leader=A, answered=false); fetch_timeout(C); ask_for_pre_vote(voter=C, peer=B); vote(candidate=C, voter=B); "
    "remove_voter(leader=A, voter=C); begin_quorum_epoch(leader=C, voter=A); fetch_timeout(A); ask_for_pre_vote("
    "voter=A, peer=B); vote(candidate=A, voter=B); begin_quorum_epoch(leader=A, voter=B); begin_quorum_epoch(leader=A, "
    "voter=C); truncate(follower=C, leader=A); fetch(follower=C, leader=A, answered=true); fetch(follower=C, leader=A, "
    "answered=true); fetch_timeout(C); ask_for_pre_vote(voter=C, peer=B); fetch(follower=B, leader=A, answered=true); "
    "fetch(follower=B, leader=A, answered=true); fetch(follower=B, leader=A, answered=true); fetch(follower=B, "
    "leader=A, answered=false); vote(candidate=C, voter=B); remove_voter(leader=A, voter=B)"
)
"""C misses its own removal, which comes in the place of its LeaderChange."""
ASKS_FIRST = {"pre_vote": "true", "grants_until_fetch": "true"}


def document(steps: str, **constants: Any) -> dict[str, Any]:
    """A trace at whose end a leader lacks what is committed."""
    definition, _ = find(MODEL)
    sizes = {"max_epoch": 4, "max_records": 0, "crashes": 0, **constants}
    named = ("leader_completeness",)
    model = definition.bind(MODEL, constants=sizes, profile="misses_voters", ghosts=True, properties=named)
    prop, run = model.properties[0], run_text(model, steps)
    assert run_until_shown(model, prop, run) is not None
    return trace_document(model, PropertyVerdict(prop.name, prop.kind, prop.says, "violated", run))


def test_the_release_of_a_trace_has_its_switches() -> None:
    """3.9 has no pre-votes, and the defect as 4.4 has it."""
    trace = trace_of(document(BEFORE_PRE_VOTES), {MODEL})
    assert len(plan_voters(trace, "3.9.1").stages) == 18
    with pytest.raises(ModelRefusesError, match=r"the model of Kafka 4\.4\.0 does not take it: step 3, vote"):
        plan_voters(trace, "4.4.0")


def test_what_no_hosted_controller_does_is_said() -> None:
    trace = trace_of(document(BEFORE_PRE_VOTES), {MODEL})
    with pytest.raises(UndrivableError, match=r"voters do not change before Kafka 3\.9, and 3\.7\.2 is older"):
        plan_voters(trace, "3.7.2")


def test_a_record_of_the_first_voters_is_not_compared() -> None:
    """Three records that the first leader appends in one batch are one of the model's, and so is the high watermark
    behind them."""
    hosted = HostedVoters.__new__(HostedVoters)
    log = [[1, 0], [1, -6], [1, -7], [1, -7], [2, 0]]
    answer: dict[str, Any] = {"up": True, "role": "Leader", "epoch": 2, "leader": 1, "voted": -1, "log": log}
    seen = hosted.observation_of(answer | {"high_watermark": 4})
    assert seen is not None and (seen.log, seen.high_watermark) == (((1, 0), (1, -7), (2, 0)), 2)
    assert hosted.observation_of({"up": False}) is None


@pytest.mark.long
@pytest.mark.parametrize(
    ("steps", "constants", "kafka"), [(BEFORE_PRE_VOTES, {}, "3.9.1"), (WITH_PRE_VOTES, ASKS_FIRST, "4.4.0")]
)
def test_kafkas_classes_lose_what_is_committed(steps: str, constants: dict[str, Any], kafka: str) -> None:
    hosted_release(kafka)
    found = confirmed_in_process(document(steps, **constants), kafka=kafka)
    assert found["result"] == "confirmed", found["why"]
