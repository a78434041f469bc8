"""What is not driven says why, of every model, and as the release says it that comes furthest.

Also of: `fitting`.
"""

from __future__ import annotations

import pytest
from tidegate.invariants.catalogue import CATALOGUE, LIVENESS_CLAIMS, REFINEMENTS
from tidegate.real.driving.families import FAMILIES, trace_of
from tidegate.real.driving.fitting import ModelRefusesError, UndrivableError, plan_first
from tidegate.real.driving.other_models import WHY_NOT, why_not_driven
from tidegate.real.driving.verdict import confirm_trace

from ...support.partitions import STANDING, plan, trace
from ...support.transactions import HANGING, LATE_WRITE, document

STALE = (
    "produce(A); fetch(leader=A, follower=B); fetch(leader=A, follower=C); advance_high_watermark(A); "
    "lose_power(broker=B, kept=0); fence(broker=B, successor=A); learn(A); restart(broker=B, successor=A); learn(B); "
    "propose_expansion(leader=A, follower=B); change_isr(A); fence_alive(broker=A, successor=B); learn(B)"
)


def test_each_model_that_ships_is_driven_or_says_why_not() -> None:
    """A model that is new has a reason of its own, too, and none is left of a model that is gone."""
    assert WHY_NOT.keys() | FAMILIES.keys() == CATALOGUE.keys() and not WHY_NOT.keys() & FAMILIES.keys()
    assert all(why_not_driven(name) for name in (*REFINEMENTS, *LIVENESS_CLAIMS))
    assert [why_not_driven(name) for name in (*sorted(FAMILIES), "mine.py")] == [None] * (len(FAMILIES) + 1)
    with pytest.raises(UndrivableError, match=r"it is a trace of raft:paper: it is Raft that pushes, and Kafka's"):
        trace_of(trace(STANDING) | {"model": "raft:paper"})


def test_the_release_that_comes_furthest_says_why() -> None:
    errors: dict[str, UndrivableError] = {
        "4.1.0": ModelRefusesError("asks first", 2, 2),
        "3.9.1": ModelRefusesError("truncates no committed record", 10, 10),
        "3.6.2": ModelRefusesError("has it not"),
    }

    def plan_for(kafka: str) -> None:
        raise errors[kafka]

    with pytest.raises(UndrivableError, match="truncates no committed record"):
        plan_first(errors, plan_for)
    errors["3.4.1"] = UndrivableError("the driver has no such step", 1)
    with pytest.raises(UndrivableError, match="no such step"):
        plan_first(errors, plan_for)


def test_a_race_within_a_leader_is_not_driven() -> None:
    """KAFKA-15221: no fetch that gates let through has what the follower has lost."""
    with pytest.raises(UndrivableError, match="a race within a broker") as raised:
        plan(trace(STALE, "leader_completeness", one_snapshot=False, elr=True, isr_shrinks=1, fences=1), "3.6.2")
    assert raised.value.step == 10


@pytest.mark.parametrize("kafka", ["3.4.1", "4.1.0"])
def test_a_message_that_nobody_has_sent_is_not_driven(kafka: str) -> None:
    """A step that is written by hand: none of the three results is a crash, and none is confirmed by it."""
    request = "Request(kind=PRODUCE, epoch=1, partition=P, txn=1, batch=0, sequence=0, commit=false, coordinator=0)"
    steps = ("init_producer(A)", "begin(A)", "add_partition(client=A, partition=P)", f"late_produce_arrives({request})")
    made = document(*HANGING, **LATE_WRITE) | {"property": None, "steps": [{"step": step} for step in steps]}
    found = confirm_trace(made, kafka=kafka)
    assert (found["result"], found["step"]) == ("not_driven", 4), found["why"]
    assert "request in s.late is false" in found["why"]
