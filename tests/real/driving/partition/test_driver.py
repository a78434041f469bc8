"""Traces on real brokers: what is planned, compared and said; and, with the mark `brokers`, that Kafka does it."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, cast
from xml.etree import ElementTree

import pytest
from tidegate.audit.kafka.profiles import definition
from tidegate.language.errors import UsageError
from tidegate.language.judge import run_text
from tidegate.language.verdict import PropertyVerdict
from tidegate.real.driving.families import trace_of
from tidegate.real.driving.family import PlanRequest
from tidegate.real.driving.fitting import CannotBeDriven
from tidegate.real.driving.nodes import wire
from tidegate.real.driving.nodes.cluster import Needs
from tidegate.real.driving.nodes.releases import Release, at_home
from tidegate.real.driving.nodes.running import Broken, start_nodes
from tidegate.real.driving.partition.cluster import PartitionCluster
from tidegate.real.driving.partition.driver import Driven, Driver, differences, expected, judge_run, numbers_of
from tidegate.real.driving.partition.family import FAMILY, needs_of
from tidegate.real.driving.partition.fitting import repaired, version_for
from tidegate.real.driving.partition.plan import BrokerStage, Plan, partition_plan
from tidegate.real.driving.partition.world import Seen, World
from tidegate.real.driving.verdict import confirmed
from tidegate.reports.confirm import confirm_junit, confirm_text, result_sentence
from tidegate.reports.text_page import TextFormat
from tidegate.traces.document import trace_document

from ....conftest import Run, Said
from ....support.commands import without
from ....support.confirming import result_of

MOVED = "produce(A); elect_preferred(B); learn(B)"
STANDING = (
    "produce(A); fetch(leader=A, follower=B); fetch(leader=A, follower=C); advance_high_watermark(A); "
    "propose_shrink(leader=A, follower=B); change_isr(A); learn(A); propose_shrink(leader=A, follower=C); "
    "change_isr(A); lose_power(broker=A, kept=0); fence(broker=A, successor=A); restart(broker=A, successor=A); "
    "learn(A)"
)
BOTH_LAG = (
    "produce(A); propose_shrink(leader=A, follower=B); change_isr(A); learn(A); propose_shrink(leader=A, follower=C); "
    "change_isr(A); learn(A); advance_high_watermark(A); lose_power(broker=A, kept=0)"
)
TWO_LAG = (
    "produce(A); propose_shrink(leader=A, follower=B); change_isr(A); learn(A); fetch(leader=A, follower=C); "
    "advance_high_watermark(A); lose_power(broker=A, kept=0); lose_power(broker=C, kept=0)"
)
RESTARTED_3_4 = (  # as RESTARTED, where each smaller ISR is a leader epoch of its own
    "produce(A); fetch(leader=A, follower=B); fetch(leader=A, follower=C); advance_high_watermark(A); "
    "propose_shrink(leader=A, follower=B); change_isr(A); learn(A); learn(B); fetch(leader=A, follower=B); "
    "propose_expansion(leader=A, follower=B); lose_power(broker=B, kept=0); fence(broker=B, successor=A); "
    "restart(broker=B, successor=A); change_isr(A); fence_alive(broker=A, successor=B); learn(B)"
)
NO_STEPS: dict[str, list[Any]] = {"steps": []}
OLD = {"reject_restarted": False, "keep_epoch": False}
RESTARTED = (
    "produce(A); fetch(leader=A, follower=B); fetch(leader=A, follower=C); advance_high_watermark(A); "
    "propose_shrink(leader=A, follower=B); change_isr(A); learn(A); propose_expansion(leader=A, follower=B); "
    "lose_power(broker=B, kept=0); fence(broker=B, successor=A); restart(broker=B, successor=A); change_isr(A); "
    "fence_alive(broker=A, successor=B); learn(B)"
)


ONE_COPY = "produce(A); advance_high_watermark(A); lose_power(broker=A, kept=0)"


def trace(steps: str, property_: str = "acknowledged_kept", **constants: Any) -> dict[str, Any]:
    """The document of a run of the partition that breaks a property."""
    return _trace(steps, property_, tuple(sorted(constants.items())))


@cache
def _trace(steps: str, property_: str, constants: tuple[tuple[str, Any], ...]) -> dict[str, Any]:
    given = {
        "elr": False,
        "isr_shrinks": 2,
        "preferred_elections": 1,
        "crashes": 2,
        "power_losses": 2,
        **dict(constants),
    }
    model = definition().bind("partition", constants=given, profile=None, ghosts=False, properties=(property_,))
    prop = model.properties[0]
    return trace_document(model, PropertyVerdict(prop.name, prop.kind, prop.says, "violated", run_text(model, steps)))


def plan(document: Mapping[str, Any], kafka: str | None = None, **more: Any) -> Plan:
    repaired = more.pop("with_repair", False)
    return partition_plan(PlanRequest(trace_of(document), kafka, repaired=repaired, **more))


def save(path: Path, document: Mapping[str, Any]) -> str:
    path.write_text(json.dumps(document), encoding="utf-8")
    return str(path)


# --- which release, and which steps -----------------------------------------------------------------------------------


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
    fitted = version_for(trace_of(trace(steps, **constants)), None)
    assert (fitted.kafka, fitted.model.values["elr"], fitted.lost) == (kafka, elr, {0})


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
    with pytest.raises(CannotBeDriven) as raised:
        plan(document(), kafka)
    assert raised.value.why.startswith(why)
    assert raised.value.step == step


def test_a_release_that_does_not_take_a_trace_may_be_tried_with_it_anyway() -> None:
    made = plan(trace(RESTARTED, reject_restarted=False), "3.9.1", anyway=True)
    assert [stage.first for stage in made.stages] == list(range(1, 15))
    assert not made.fitted.model.values["reject_restarted"]


def test_a_step_that_only_the_inside_of_a_broker_has_cannot_be_driven() -> None:
    steps = "produce(A); produce_again(leader=A, id=0); elect_preferred(B); learn(B)"
    with pytest.raises(CannotBeDriven, match="produce_again: the driver sends each record once"):
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
    assert needs_of(made).brokers == (1, 3, 2)


def test_who_acts_before_it_learns_hears_nothing_of_the_controller_meanwhile() -> None:
    steps = "elect_preferred(B); learn(B); produce(A); learn(A)"
    made = plan(trace(steps, acks="leader"))
    assert [sorted(map(str, stage.unaware)) for stage in made.stages] == [["A"], [], [], []]


def test_a_session_is_long_where_a_broker_that_stops_is_fenced_late() -> None:
    assert plan(trace(STANDING)).session == 3_000
    late = "produce(A); crash(A); elect_preferred(B); fence(broker=A, successor=B); learn(B)"
    assert plan(trace(late, acks="leader")).session == 12_000


def test_with_the_repair_the_record_is_acknowledged_before_the_faults() -> None:
    made = repaired(trace_of(trace(MOVED, acks="leader")), "3.9.1", {})
    taken = [(number, step.action) for number, step in zip(made.numbers, made.run.steps, strict=True)]
    assert taken == [
        (1, "produce"), (0, "fetch"), (0, "fetch"), (0, "advance_high_watermark"), (2, "elect_preferred"), (3, "learn"),
    ]  # fmt: skip
    assert made.run.states()[-1].acknowledged == {0}
    with pytest.raises(
        CannotBeDriven, match=r"the model of Kafka 3\.9\.1 loses the record with these settings as well"
    ):
        repaired(trace_of(trace(STANDING)), "3.9.1", {})
    kept = repaired(trace_of(trace(STANDING)), "4.1.0", {})
    assert (kept.lost, kept.skipped, kept.model.values["elr"]) == (frozenset(), (), True)


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
    with pytest.raises(CannotBeDriven, match=why):
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
    assert [did for did in world.did if did.startswith(("reassign", "hear"))] == [
        "hear(1, False)", "reassign([2, 3], 2)", "hear(2, True)", "hear(1, True)",
    ]  # fmt: skip


def test_whom_the_controller_takes_is_the_first_of_the_target() -> None:
    document = trace(REASSIGNED.replace("(B)", "(C)"), acks="leader", reassignments=1)
    made = plan(document)
    world = Model(made)
    assert outcome(made, world)["result"] == "confirmed"
    assert "reassign([2, 3], 3)" in world.did


def test_a_reassignment_that_waits_is_not_driven() -> None:
    steps = "produce(A); reassign({B, C}); crash(A); fence(broker=A, successor=B); learn(B)"
    with pytest.raises(CannotBeDriven, match="in sync, which is complete at once"):
        plan(trace(steps, acks="leader", reassignments=1))


def test_a_reassignment_to_who_is_not_in_sync_shows_in_the_isr() -> None:
    kept: dict[str, Any] = {"reassignments": 1, "await_target": False}
    fails = "reassignment_keeps_min_isr"
    shrinks = "propose_shrink(leader=A, follower=B); change_isr(A)"
    assert plan(trace(f"{shrinks}; reassign({{A, B}}); complete_reassignment(A)", fails, **kept), "3.7.2").fitted.seen
    with pytest.raises(CannotBeDriven, match="no acknowledged record is lost"):
        plan(trace(shrinks, fails, **kept), "3.7.2")


def test_a_record_that_is_gone_without_the_repair_is_to_be_acknowledged_with_it() -> None:
    with pytest.raises(CannotBeDriven, match=r"record 1 is not acknowledged before the last fault"):
        repaired(trace_of(trace(MOVED, acks="leader")), "3.9.1", {}, frozenset({1}))


def test_a_record_that_is_not_acknowledged_is_no_record_that_stays() -> None:
    document = trace(MOVED, acks="leader")
    made = plan(document, with_repair=True)
    unanswered = replace(driven(made, Model(made)), acknowledged=frozenset())
    assert judge_run(made, unanswered) == (False, "every step came about, but not acknowledged: record 0")


# --- a cluster that does what the model does --------------------------------------------------------------------------


class Model:
    """A cluster that does what a plan says, but for the steps that it is made to do otherwise: `otherwise` has what is
    seen after a step."""

    def __init__(self, plan: Plan, otherwise: Mapping[int, Seen] | None = None, read: list[int] | None = None) -> None:
        self.plan, self.otherwise, self.values = plan, otherwise or {}, read
        self.numbers = numbers_of(plan)
        self.stage: BrokerStage = plan.stages[0]
        self.did = list[str]()
        self.healed = False
        self.acks = frozenset[int]()

    def at(self, stage: BrokerStage) -> None:
        self.stage = stage
        self.acks = frozenset(stage.after.acknowledged)

    def seen(self) -> Seen:
        return self.otherwise.get(self.stage.first, expected(self.stage.after, self.numbers))

    def __getattr__(self, name: str) -> Any:
        def noted(*given: Any) -> Any:
            self.did.append(f"{name}{given}")
            return {"produce": 0, "let_fetch": True, "let_alter": True, "shut_down": True, "lose_power": "cut"}.get(
                name
            )

        return noted

    def high_watermark(self, broker: int) -> int:
        return 9

    def knows(self, broker: int) -> wire.Known:
        seen = self.seen()
        return wire.Known(-1 if seen.leader is None else seen.leader, seen.leader_epoch, seen.isr)

    def acknowledged(self) -> frozenset[int]:
        return self.acks

    def asked(self, leader: int) -> frozenset[int]:
        if self.stage.action == "propose_shrink":
            return frozenset(self.numbers[one] for one in self.stage.isr)
        request = self.stage.after.request[self.stage.arguments["leader"]]
        return frozenset(
            {self.numbers[request.broker], *(self.numbers[one] for one in self.stage.before.registered.isr)}
        )

    def alive(self) -> set[int]:
        return set(self.numbers.values())

    def down(self) -> Iterable[int]:
        return []

    def read(self, broker: int) -> list[int] | None:
        if self.values is not None:
            return self.values
        return [record for record, _ in self.seen().logs[broker]]


def driven(made: Plan, world: Model) -> Driven:
    return Driver(made, cast(World, world), limit=0.2).driven(world.at)


def outcome(made: Plan, world: Model) -> dict[str, Any]:
    return result_of(FAMILY, made, Driver(made, cast(World, world), limit=0.2), world.at)


@pytest.mark.parametrize(
    ("steps", "constants"),
    [
        (MOVED, {"acks": "leader"}),
        (STANDING, {}),
        (BOTH_LAG, {"property_": "acked_durable", "min_isr": 1}),
        (RESTARTED_3_4, OLD),
        ("elect_preferred(B); learn(B); produce(A); learn(A)", {"acks": "leader"}),
    ],
)
def test_a_cluster_that_does_what_the_trace_says_confirms_it(steps: str, constants: dict[str, Any]) -> None:
    document = trace(steps, **constants)
    made = plan(document)
    found = outcome(made, Model(made))
    assert (found["result"], found["why"]) == ("confirmed", "acknowledged, and gone: record 0")
    assert [step["otherwise"] for step in found["steps"]] == [None] * len(made.stages)
    json.dumps(found)


def test_what_is_done_for_each_step() -> None:
    made = plan(trace(STANDING))
    world = Model(made)
    driven(made, world)
    assert world.did == [
        "produce(1, 0, -1, 0.2)", "let_fetch(2, 1, 0.2)", "let_fetch(2, 1, 0.2)", "let_fetch(3, 1, 0.2)",
        "let_fetch(3, 1, 0.2)", "stream([3], 1, True)", "bait(1,)", "stream([3], 1, False)", "let_alter(1, 0.2)",
        "hear(1, True)", "stream([], 1, True)", "bait(1,)", "stream([], 1, False)", "let_alter(1, 0.2)",
        "lose_power(1, 0)", "start(1,)", "hear(1, True)", "open_all()", "control(True,)",
    ]  # fmt: skip


def test_where_brokers_do_otherwise_the_step_is_named() -> None:
    document = trace(STANDING)
    made = plan(document)
    held = expected(made.stages[8].before, numbers_of(made))
    found = outcome(made, Model(made, {9: held}))
    assert (found["result"], found["step"], found["not_taken"]) == ("not_confirmed", 9, [10, 11, 12, 13])
    assert found["steps"][-1]["otherwise"] == "ISR [1, 3] in place of [1], after 0.2 s"
    assert found["why"] == ("at step 9 the brokers did otherwise; in the end record 0, acknowledged, is still there")


@pytest.mark.parametrize(("fenced", "down"), [({1}, ()), ({1}, (1,))])
def test_a_broker_that_is_fenced_while_it_lives_had_no_time(fenced: set[int], down: tuple[int, ...]) -> None:
    """Where nothing holds its heartbeats, that says nothing of Kafka; of a broker that does not run it does."""
    made = plan(trace(STANDING))
    world = Model(made, {3: replace(expected(made.stages[2].before, numbers_of(made)), fenced=frozenset(fenced))})
    world.down = lambda: down if world.stage.first == 3 else ()
    if down:
        assert driven(made, world).parted is not None
    else:
        with pytest.raises(Broken, match=r"step 3: broker 1 runs, .* the machine had no time"):
            driven(made, world)


def test_a_record_that_is_read_in_the_end_is_not_gone() -> None:
    document = trace(STANDING)
    made = plan(document)
    found = outcome(made, Model(made, read=[0]))
    assert (found["result"], found["step"]) == ("not_confirmed", None)
    assert found["why"] == "every step came about, but record 0, acknowledged, is still there"


def test_nothing_that_can_be_read_is_no_proof_that_a_record_is_gone() -> None:
    made = plan(trace(STANDING))
    taken = driven(made, Model(made))
    unread = Driven(taken.taken, frozenset({0}), None, frozenset({0}), None)
    assert unread.lost == frozenset()
    assert judge_run(made, unread) == (False, "every step came about, but nothing can be read")


def test_with_the_repair_it_is_confirmed_that_the_record_stays() -> None:
    document = trace(STANDING)
    made = plan(document, "4.1.0", with_repair=True)
    found = outcome(made, Model(made))
    assert (found["result"], found["why"]) == ("confirmed", "acknowledged, and still there: record 0")
    lost = outcome(made, Model(made, read=[]))
    assert lost["why"] == "acknowledged, and gone in spite of the repair: record 0"


@pytest.mark.parametrize(
    ("at", "why"),
    [
        (9, "at step 9 the brokers did otherwise; in the end record 0, acknowledged, is still there"),
        (1, "at step 1 the brokers did otherwise; in the end record 0, acknowledged, is still there"),
    ],
)
def test_with_the_repair_nothing_is_confirmed_where_the_faults_did_not_all_happen(at: int, why: str) -> None:
    document = trace(STANDING)
    made = plan(document, "4.1.0", with_repair=True)
    world = Model(made, {at: replace(expected(made.stages[at - 1].after, numbers_of(made)), leader_epoch=7)}, read=[0])
    world.acknowledged = lambda: frozenset({0})
    found = outcome(made, world)
    assert (found["result"], found["step"], found["why"]) == ("not_confirmed", at, why)


def test_where_brokers_do_otherwise_before_the_record_is_acknowledged_the_repair_is_not_confirmed() -> None:
    document = trace(MOVED, acks="leader")
    made = plan(document, "3.9.1", with_repair=True)
    world = Model(made, {0: replace(expected(made.stages[0].after, numbers_of(made)), leader_epoch=7)})
    world.acknowledged = frozenset
    found = outcome(made, world)
    assert (found["result"], found["step"]) == ("not_confirmed", None)
    assert found["why"] == (
        "as the record was to be acknowledged, which the repair adds, the brokers did otherwise; in the end no record "
        "was acknowledged"
    )


def test_a_repair_without_the_faults_of_the_trace_is_not_driven() -> None:
    shrunk = "produce(A); fetch(leader=A, follower=B); fetch(leader=A, follower=C); advance_high_watermark(A); "
    unclean = f"{shrunk}crash(B); fence(broker=B, successor=A); crash(B)"
    with pytest.raises(CannotBeDriven, match="crash: with these settings it cannot happen there, and without"):
        repaired(replace(trace_of(trace(MOVED, acks="leader")), steps=tuple(unclean.split("; "))), "3.9.1", {})


def test_a_difference_names_what_differs() -> None:
    one = Seen(1, 0, frozenset({1, 2}), frozenset(), frozenset(), {1: ((0, 0),), 2: ()})
    other = Seen(None, 1, frozenset({1}), frozenset({2}), frozenset({2}), {1: (), 2: ()})
    assert differences(one, one) == ""
    assert differences(one, other) == (
        "leader none in place of 1; leader epoch 1 in place of 0; ISR [1] in place of [1, 2]; "
        "ELR [2] in place of none; fenced [2] in place of none; log of broker 1 empty in place of record 0 of epoch 0"
    )


def test_a_port_that_was_taken_meanwhile_is_another_try(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    why = iter(["node 1 ended by itself: Address already in use", "node 2 ended by itself: no memory", "", ""])
    made = list[PartitionCluster]()

    def start(cluster: PartitionCluster) -> None:
        made.append(cluster)
        cluster.end()
        raise Broken(next(why))

    monkeypatch.setattr(PartitionCluster, "start_all", start)
    needs = Needs((1,), {}, False, 3_000, 3_000)
    with pytest.raises(Broken, match="no memory"):
        start_nodes(lambda: PartitionCluster(Release("3.9.1", tmp_path, "java"), needs))
    assert len(made) == 2
    assert not any(tmp_path.iterdir())


def test_a_broker_that_is_unfenced_may_open_its_port_later(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    answers = iter([None, None, socket.socket()])

    def connected(cluster: PartitionCluster) -> socket.socket | None:
        return next(answers)

    monkeypatch.setattr(PartitionCluster, "_connected", connected)
    cluster = PartitionCluster(Release("3.9.1", tmp_path, "java"), Needs((1,), {}, False, 3_000, 3_000))
    with cluster, cluster._anyone():  # pyright: ignore[reportPrivateUsage]
        assert next(answers, "no more") == "no more"


def test_a_cluster_that_breaks_could_not_be_driven(monkeypatch: pytest.MonkeyPatch) -> None:
    def release(version: str) -> Release:
        return Release(version, Path(), "java")

    def broken(*given: object) -> PartitionCluster:
        raise ConnectionResetError("reset by peer")

    monkeypatch.setattr("tidegate.real.driving.verdict.start_nodes", broken)
    monkeypatch.setattr("tidegate.real.driving.verdict.of_version", release)
    found = confirmed(trace(STANDING))
    assert (found["result"], found["why"], found["kafka"]) == ("not_driven", "reset by peer", "3.9.1")
    assert found["settings"]["min_isr"] == 2


# --- how it is shown --------------------------------------------------------------------------------------------------


def test_a_result_in_the_terminal() -> None:
    document = trace(MOVED, acks="leader")
    made = plan(document, "3.9.1")
    found: dict[str, Any] = outcome(made, Model(made)) | {"seconds": 1.0}
    assert confirm_text([found, found], TextFormat(100), steps=True).splitlines()[-1] == "2 runs: 2 confirmed."
    assert result_sentence(found) == "Confirmed on Kafka 3.9.1: acknowledged, and gone: record 0."


def test_a_result_as_junit() -> None:
    document = trace(STANDING)
    made = plan(document)
    parted = outcome(made, Model(made, {9: expected(made.stages[8].before, numbers_of(made))}))
    refused = confirmed(trace(STANDING) | {"model": "classic_group"})
    root = ElementTree.fromstring(confirm_junit([outcome(made, Model(made)), parted, refused]))
    suite = root[0]
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("3", "1", "1")
    assert [[kind.tag for kind in case] for case in suite] == [[], ["failure"], ["error"]]


def test_the_command_refuses_before_anything_starts(tidegate: Run, said: Said, tmp_path: Path) -> None:
    path = tmp_path / "loss.trace.json"
    path.write_text(json.dumps(trace(RESTARTED, reject_restarted=False)), encoding="utf-8")
    done = tidegate("confirm", str(path), "--kafka-version", "3.9.1", "--json")
    (found,) = json.loads(done.out)["results"]
    assert (done.exit, found["result"], found["step"], found["kafka"]) == (5, "not_driven", 12, "3.9.1")
    assert "? Could not be driven on Kafka 3.9.1: the model of Kafka 3.9.1 does not" in confirm_text(
        [found], TextFormat(100), steps=False
    )
    for given, why in (
        (["--anyway"], "--anyway is about one release"),
        (["--set", "min_isr=2"], "--set says what the repair changes: give --repaired too"),
        (["--keep", str(tmp_path / "kept"), "--repeat", "2"], "--keep DIR keeps one run"),
        (["--kafka-home", str(tmp_path)], "no kafka_2.13-VERSION.jar is in it"),
    ):
        exit_, text = said("confirm", str(path), *given)
        assert (exit_, why in text) == (64, True)


def test_without_kafka_python_it_says_what_to_install(tmp_path: Path) -> None:
    done = without("kafka", ["confirm", save(tmp_path / "a.trace.json", trace(STANDING))])
    assert (done.exit, "pip install 'tidegate[real]'" in done.err) == (64, True)


def test_a_home_is_a_release_as_it_is_unpacked(tmp_path: Path) -> None:
    (tmp_path / "libs").mkdir()
    (tmp_path / "libs" / "kafka_2.13-3.7.2.jar").touch()
    assert at_home(tmp_path).parts == (3, 7, 2)
    with pytest.raises(UsageError, match=r"no kafka_2\.13-VERSION\.jar is in it"):
        at_home(tmp_path / "libs" / "none")
