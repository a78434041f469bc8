"""What a driven trace comes to: confirmed, contradicted at a step, or not driven.

Also of: `families`.
"""

from __future__ import annotations

import socket
from dataclasses import replace
from pathlib import Path

import pytest
from tidegate.real.driving.families import trace_of
from tidegate.real.driving.fitting import UndrivableError
from tidegate.real.driving.nodes.cluster import ClusterSpec
from tidegate.real.driving.nodes.releases import Release
from tidegate.real.driving.nodes.running import NodesError, start_nodes
from tidegate.real.driving.partition.cluster import PartitionCluster
from tidegate.real.driving.partition.driver import (
    PartitionRun,
    describe_differences,
    expected_observation,
    judge_run,
    node_ids,
)
from tidegate.real.driving.partition.fitting import fit_with_repair
from tidegate.real.driving.partition.world import PartitionObservation
from tidegate.real.driving.verdict import confirm_trace

from ...support.partitions import MOVED, STANDING, Model, driven, outcome, plan, trace


def test_where_brokers_do_otherwise_the_step_is_named() -> None:
    document = trace(STANDING)
    made = plan(document)
    held = expected_observation(made.stages[8].state_before, node_ids(made))
    found = outcome(made, Model(made, {9: held}))
    assert (found["result"], found["step"], found["not_taken"]) == ("not_confirmed", 9, [10, 11, 12, 13])
    assert found["steps"][-1]["otherwise"] == "ISR [1, 3] in place of [1], after 0.2 s"
    assert found["why"] == ("at step 9 the brokers did otherwise; in the end record 0, acknowledged, is still there")


@pytest.mark.parametrize(("fenced", "down"), [({1}, ()), ({1}, (1,))])
def test_a_broker_that_is_fenced_while_it_lives_had_no_time(fenced: set[int], down: tuple[int, ...]) -> None:
    """Where nothing holds its heartbeats, that says nothing of Kafka; of a broker that does not run it does."""
    made = plan(trace(STANDING))
    world = Model(
        made,
        {
            3: replace(
                expected_observation(made.stages[2].state_before, node_ids(made)), fenced_brokers=frozenset(fenced)
            )
        },
    )
    world.stopped_brokers = lambda: down if world.stage.first == 3 else ()
    if down:
        assert driven(made, world).parting_stage is not None
    else:
        with pytest.raises(NodesError, match=r"step 3: broker 1 runs, .* the machine had no time"):
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
    unread = PartitionRun(taken.stages, frozenset({0}), None, frozenset({0}), None)
    assert unread.lost_records == frozenset()
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
    world = Model(
        made,
        {at: replace(expected_observation(made.stages[at - 1].state_after, node_ids(made)), leader_epoch=7)},
        read=[0],
    )
    world.acknowledged_records = lambda: frozenset({0})
    found = outcome(made, world)
    assert (found["result"], found["step"], found["why"]) == ("not_confirmed", at, why)


def test_where_brokers_do_otherwise_before_the_record_is_acknowledged_the_repair_is_not_confirmed() -> None:
    document = trace(MOVED, acks="leader")
    made = plan(document, "3.9.1", with_repair=True)
    world = Model(made, {0: replace(expected_observation(made.stages[0].state_after, node_ids(made)), leader_epoch=7)})
    world.acknowledged_records = frozenset
    found = outcome(made, world)
    assert (found["result"], found["step"]) == ("not_confirmed", None)
    assert found["why"] == (
        "as the record was to be acknowledged, which the repair adds, the brokers did otherwise; in the end no record "
        "was acknowledged"
    )


def test_a_repair_without_the_faults_of_the_trace_is_not_driven() -> None:
    shrunk = "produce(A); fetch(leader=A, follower=B); fetch(leader=A, follower=C); advance_high_watermark(A); "
    unclean = f"{shrunk}crash(B); fence(broker=B, successor=A); crash(B)"
    with pytest.raises(UndrivableError, match="crash: with these settings it cannot happen there, and without"):
        fit_with_repair(replace(trace_of(trace(MOVED, acks="leader")), steps=tuple(unclean.split("; "))), "3.9.1", {})


def test_a_difference_names_what_differs() -> None:
    one = PartitionObservation(1, 0, frozenset({1, 2}), frozenset(), frozenset(), {1: ((0, 0),), 2: ()})
    other = PartitionObservation(None, 1, frozenset({1}), frozenset({2}), frozenset({2}), {1: (), 2: ()})
    assert describe_differences(one, one) == ""
    assert describe_differences(one, other) == (
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
        raise NodesError(next(why))

    monkeypatch.setattr(PartitionCluster, "start_all", start)
    needs = ClusterSpec((1,), {}, False, 3_000, 3_000)
    with pytest.raises(NodesError, match="no memory"):
        start_nodes(lambda: PartitionCluster(Release("3.9.1", tmp_path, "java"), needs))
    assert len(made) == 2
    assert not any(tmp_path.iterdir())


def test_a_broker_that_is_unfenced_may_open_its_port_later(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    answers = iter([None, None, socket.socket()])

    def connect_later(cluster: PartitionCluster) -> socket.socket | None:
        return next(answers)

    monkeypatch.setattr(PartitionCluster, "_connection_or_none", connect_later)
    cluster = PartitionCluster(Release("3.9.1", tmp_path, "java"), ClusterSpec((1,), {}, False, 3_000, 3_000))
    with cluster, cluster._connect_to_any_broker():  # pyright: ignore[reportPrivateUsage]
        assert next(answers, "no more") == "no more"


def test_a_cluster_that_breaks_could_not_be_driven(monkeypatch: pytest.MonkeyPatch) -> None:
    def release(version: str) -> Release:
        return Release(version, Path(), "java")

    def broken(*given: object) -> PartitionCluster:
        raise ConnectionResetError("reset by peer")

    monkeypatch.setattr("tidegate.real.driving.verdict.start_nodes", broken)
    monkeypatch.setattr("tidegate.real.driving.verdict.fetch_release", release)
    found = confirm_trace(trace(STANDING))
    assert (found["result"], found["why"], found["kafka"]) == ("not_driven", "reset by peer", "3.9.1")
    assert found["settings"]["min_isr"] == 2
