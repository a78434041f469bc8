"""Plans of traces of partitions: which release takes one, in which order, and what is not driven.

Also of: `family`.
"""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.real.driving.families import trace_of
from tidegate.real.driving.fitting import UndrivableError
from tidegate.real.driving.partition.family import cluster_spec
from tidegate.real.driving.partition.fitting import fit_to_release, fit_with_repair

from ....support.partitions import BOTH_LAG, MOVED, OLD, RESTARTED, RESTARTED_3_4, STANDING, Model, outcome, plan, trace

TWO_LAG = (
    "produce(A); propose_shrink(leader=A, follower=B); change_isr(A); learn(A); fetch(leader=A, follower=C); "
    "advance_high_watermark(A); lose_power(broker=A, kept=0); lose_power(broker=C, kept=0)"
)


NO_STEPS: dict[str, list[Any]] = {"steps": []}


ONE_COPY = "produce(A); advance_high_watermark(A); lose_power(broker=A, kept=0)"


@pytest.mark.parametrize(
    ("steps", "constants", "kafka", "elr"),
    [
        (MOVED, {"acks": "leader"}, "4.1.0", True),  # new clusters of 4.1 have ELR, and it does not matter here
        (STANDING, {}, "3.9.1", False),  # ELR keeps the record
        (RESTARTED_3_4, OLD, "3.4.1", False),  # KIP-903 is in 3.5
    ],
)
def test_the_newest_release_whose_model_takes_a_trace(
    steps: str, constants: dict[str, Any], kafka: str, elr: bool
) -> None:
    fitted = fit_to_release(trace_of(trace(steps, **constants)), None)
    assert (fitted.kafka, fitted.model.values["elr"], fitted.lost_records_of) == (kafka, elr, {0})


@pytest.mark.parametrize(
    ("document", "kafka", "step", "why"),
    [
        (
            lambda: trace(RESTARTED, reject_restarted=False),
            "3.9.1",
            12,
            "the model of Kafka 3.9.1 does not take it: step 12, change_isr(A), is disabled: "
            "not is_refused(s, request) is false",
        ),
        (
            lambda: trace(STANDING) | {"model": "classic_group"},
            None,
            0,
            "it is a trace of classic_group: the driver brings consumers",
        ),
        (lambda: trace(STANDING) | {"replay": None}, None, 0, "it has not all of its steps"),
        (lambda: trace(STANDING) | NO_STEPS, None, 0, "it has no steps, so that brokers that do nothing would"),
        (lambda: trace(STANDING), "2.8.2", 0, "Kafka 2.8.2 has no KRaft that is modelled; 3.3 and later can be driven"),
        (
            lambda: trace("produce(A); fail_to_produce", "valid_high_watermark", retries=1, max_records=2),
            None,
            0,
            "in the model of Kafka 4.1.0 no acknowledged record is lost in it (valid_high_watermark fails in other "
            "ways, or not at all)",
        ),
        (
            lambda: trace(TWO_LAG, "acked_durable"),
            None,
            2,
            "B and C lag at the same time, and Kafka takes all that lag out of the ISR in one request",
        ),
    ],
    ids=["refused", "classic group", "cut", "empty", "zookeeper", "nothing lost", "two lag"],
)
def test_what_cannot_be_driven_says_why(document: Any, kafka: str | None, step: int, why: str) -> None:
    with pytest.raises(UndrivableError) as raised:
        plan(document(), kafka)
    assert raised.value.why.startswith(why)
    assert raised.value.step == step


def test_a_release_that_does_not_take_a_trace_may_be_tried_with_it_anyway() -> None:
    made = plan(trace(RESTARTED, reject_restarted=False), "3.9.1", anyway=True)
    assert [stage.first for stage in made.stages] == list(range(1, 15))
    assert not made.fitted_trace.model.values["reject_restarted"]


def test_a_step_that_only_the_inside_of_a_broker_has_cannot_be_driven() -> None:
    steps = "produce(A); produce_again(leader=A, id=0); elect_preferred(B); learn(B)"
    with pytest.raises(UndrivableError, match="produce_again: the driver sends each record once"):
        plan(trace(steps, acks="leader", retries=1, idempotent=False))


def test_all_that_lag_leave_the_isr_in_one_request() -> None:
    made = plan(trace(BOTH_LAG, "acked_durable", min_isr=1), "3.9.1")
    assert [(stage.first, stage.last, stage.action) for stage in made.stages] == [
        (1, 1, "produce"), (2, 6, "propose_shrink"), (7, 7, "learn"), (8, 8, "advance_high_watermark"),
        (9, 9, "lose_power"),
    ]  # fmt: skip
    shrink = made.stages[1]
    assert (sorted(map(str, shrink.isr)), shrink.bait, shrink.abreast) == (["A"], False, frozenset())


def test_a_follower_that_has_everything_lags_behind_a_record_more() -> None:
    first, second = (stage for stage in plan(trace(STANDING)).stages if stage.action == "propose_shrink")
    assert (first.bait, sorted(map(str, first.abreast))) == (True, ["C"])
    assert (second.bait, second.abreast) == (True, frozenset())


def test_the_order_of_assignment_makes_the_controller_elect_whom_the_trace_says() -> None:
    crash = "produce(A); crash(A); fence(broker=A, successor={}); learn({})"
    for successor, order in (("B", "ABC"), ("C", "ACB")):
        made = plan(trace(crash.format(successor, successor), acks="leader"))
        assert "".join(map(str, made.order)) == order
    assert cluster_spec(made).brokers == (1, 3, 2)


def test_who_acts_before_it_learns_hears_nothing_of_the_controller_meanwhile() -> None:
    steps = "elect_preferred(B); learn(B); produce(A); learn(A)"
    made = plan(trace(steps, acks="leader"))
    assert [sorted(map(str, stage.unaware)) for stage in made.stages] == [["A"], [], [], []]


def test_a_session_is_long_where_a_broker_that_stops_is_fenced_late() -> None:
    assert plan(trace(STANDING)).session == 3_000
    late = "produce(A); crash(A); elect_preferred(B); fence(broker=A, successor=B); learn(B)"
    assert plan(trace(late, acks="leader")).session == 12_000


def test_with_the_repair_the_record_is_acknowledged_before_the_faults() -> None:
    made = fit_with_repair(trace_of(trace(MOVED, acks="leader")), "3.9.1", {})
    taken = [(number, step.action) for number, step in zip(made.numbers, made.run.steps, strict=True)]
    assert taken == [
        (1, "produce"), (0, "fetch"), (0, "fetch"), (0, "advance_high_watermark"), (2, "elect_preferred"), (3, "learn"),
    ]  # fmt: skip
    assert made.run.states()[-1].acknowledged == {0}
    with pytest.raises(
        UndrivableError, match=r"the model of Kafka 3\.9\.1 loses the record with these settings as well"
    ):
        fit_with_repair(trace_of(trace(STANDING)), "3.9.1", {})
    kept = fit_with_repair(trace_of(trace(STANDING)), "4.1.0", {})
    assert (kept.lost_records_of, kept.skipped_steps, kept.model.values["elr"]) == (frozenset(), (), True)


@pytest.mark.parametrize(
    ("steps", "constants", "kafka", "why"),
    [
        (ONE_COPY, {"replicas": 1, "min_isr": 1}, "3.6.2", "no record is acknowledged before the last fault"),
        (ONE_COPY, {"replicas": 1, "min_isr": 1}, None, r"the model of Kafka 4\.1\.0 loses the record"),
        (
            "elect_preferred(B); learn(B); produce(A); learn(A)",
            {"acks": "leader"},
            "4.1.0",
            "no record is acknowledged",
        ),
    ],
    ids=["one copy is too few", "one copy is lost", "after the fault"],
)
def test_a_repair_under_which_nothing_is_promised_shows_nothing(
    steps: str, constants: dict[str, Any], kafka: str | None, why: str
) -> None:
    with pytest.raises(UndrivableError, match=why):
        plan(trace(steps, **constants), kafka, with_repair=True)


REASSIGNED = "produce(A); reassign({B, C}); complete_reassignment(B); learn(B)"


def test_a_reassignment_to_who_is_in_sync_is_one_thing() -> None:
    document = trace(f"{REASSIGNED}; delete_replica(A)", acks="leader", reassignments=1)
    made = plan(document)
    assert [(stage.action, stage.first, stage.last) for stage in made.stages] == [
        ("produce", 1, 1), ("reassign", 2, 3), ("learn", 4, 4), ("delete_replica", 5, 5),
    ]  # fmt: skip
    assert [len(stage.unaware) for stage in made.stages] == [0, 1, 0, 0]
    world = Model(made)
    assert outcome(made, world)["result"] == "confirmed"
    assert [did for did in world.did if did.startswith(("reassign", "gate_metadata"))] == [
        "gate_metadata(1, False)", "reassign([2, 3], 2)", "gate_metadata(2, True)", "gate_metadata(1, True)",
    ]  # fmt: skip


def test_whom_the_controller_takes_is_the_first_of_the_target() -> None:
    document = trace(REASSIGNED.replace("(B)", "(C)"), acks="leader", reassignments=1)
    made = plan(document)
    world = Model(made)
    assert outcome(made, world)["result"] == "confirmed"
    assert "reassign([2, 3], 3)" in world.did


def test_a_reassignment_that_waits_is_not_driven() -> None:
    steps = "produce(A); reassign({B, C}); crash(A); fence(broker=A, successor=B); learn(B)"
    with pytest.raises(UndrivableError, match="in sync, which is complete at once"):
        plan(trace(steps, acks="leader", reassignments=1))


def test_a_reassignment_to_who_is_not_in_sync_shows_in_the_isr() -> None:
    kept: dict[str, Any] = {"reassignments": 1, "await_target": False}
    fails = "reassignment_keeps_min_isr"
    shrinks = "propose_shrink(leader=A, follower=B); change_isr(A)"
    assert plan(
        trace(f"{shrinks}; reassign({{A, B}}); complete_reassignment(A)", fails, **kept), "3.7.2"
    ).fitted_trace.visible_fault
    with pytest.raises(UndrivableError, match="no acknowledged record is lost"):
        plan(trace(shrinks, fails, **kept), "3.7.2")


DIRECTORY_LOST = (
    "produce(A); fetch(leader=A, follower=B); advance_high_watermark(A); shut_down(broker=A, successor=B); "
    "shut_down(broker=B, successor=B); lose_directory(B); assign_directory(B); restart(broker=B, successor=B); learn(B)"
)
DIRECTORIES: dict[str, Any] = {
    "elr": True,
    "replicas": 2,
    "shutdowns": 2,
    "directory_losses": 1,
    "assign_unregistered": True,
    "assignment_keeps_elr": False,
}


def test_a_directory_is_taken_from_a_broker_that_is_down_and_is_named_as_it_starts() -> None:
    made = plan(trace(DIRECTORY_LOST, **DIRECTORIES), "4.1.0")
    assert [(stage.action, stage.first, stage.last) for stage in made.stages[-3:]] == [
        ("lose_directory", 6, 6),
        ("assign_directory", 7, 8),
        ("learn", 9, 9),
    ]
    assert cluster_spec(made).spare and not cluster_spec(plan(trace(STANDING), "3.9.1")).spare


def test_what_is_lost_while_its_broker_runs_is_not_driven() -> None:
    steps = DIRECTORY_LOST.replace(
        "shut_down(broker=B, successor=B); lose_directory(B)", "lose_directory(B); fence(broker=B, successor=B)"
    )
    with pytest.raises(UndrivableError, match="lose_directory: the broker runs, and finds out when it next uses"):
        plan(trace(steps, **DIRECTORIES), "4.1.0")
