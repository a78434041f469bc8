"""Partitions that are reassigned: `validate` follows them, in recorded histories of real brokers and in others."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer.native.observation_search import ObservationAnswer, search
from tidegate.real.history.assignments import Assignment, assignment_changes
from tidegate.real.history.moments import History, Moment, RecordedCluster
from tidegate.real.history.partitions import recorded_cluster
from tidegate.real.logs.metadata_log import Entry, MetadataLog, read_metadata_log
from tidegate.real.validation.as_partition import Epochs, Moments
from tidegate.real.validation.settings import ModelSetup, find_setup, find_version

from ...conftest import ROOT, Run

HISTORIES = ROOT / "tests" / "fixtures" / "histories"
MOVED = HISTORIES / "reassigned_4_1.log"
EARLY = HISTORIES / "kafka_15665.log"


def steps_taken(partition: Mapping[str, Any]) -> list[str]:
    return [step["action"] for leg in partition["legs"] for step in leg["steps"]]


@pytest.mark.parametrize(
    ("name", "begun", "complete", "cancelled"),
    [
        ("reassigned_4_1", 3, 3, 0),
        ("reassigned_3_4", 3, 3, 0),
        ("kafka_15665", 1, 1, 0),
        ("reassignment_cancelled", 1, 0, 1),
    ],
)
def test_a_reassignment_is_a_run_of_the_model(
    tidegate: Run, name: str, begun: int, complete: int, cancelled: int
) -> None:
    """As `tests/capture/histories.py` had brokers of 3.4.1, 3.7.2 and 4.1.0 do: while it waits, as it completes in the
    record that takes the last one into the ISR, at once, and as it is cancelled."""
    (partition,) = json.loads(tidegate("validate", str(HISTORIES / f"{name}.log"), "--json").out)["partitions"]
    steps = steps_taken(partition)
    assert (partition["result"], partition["why"]) == ("shown", None)
    found = steps.count("reassign"), steps.count("complete_reassignment"), steps.count("cancel_reassignment")
    assert found == (begun, complete, cancelled)


def test_an_eligible_leader_that_is_no_replica_any_more_is_passed_over(tidegate: Run) -> None:
    """4.1.0: the broker that comes is an eligible leader once the reassignment is cancelled, and so it is in the model.
    It is not elected, since only replicas are asked (PartitionChangeBuilder.electAnyLeader)."""
    path = str(HISTORIES / "elr_of_no_replica_4_1.log")
    (partition,) = json.loads(tidegate("validate", path, "--json").out)["partitions"]
    assert (partition["result"], steps_taken(partition).count("cancel_reassignment")) == ("shown", 1)
    cancelled = next(one for one in partition["moments"] if one["leader_epoch"] == 3)
    assert (cancelled["elr"], cancelled["assignment"]["replicas"]) == ([1], [2, 3])
    assert partition["moments"][-1]["elr"] == []


def test_what_is_reassigned_is_shown_with_its_replicas(tidegate: Run) -> None:
    out = " ".join(tidegate("validate", str(MOVED), "--steps").out.split())
    assert "ISR 1 2 3, replicas 1 2 3 4, adding 4, removing 1" in out
    assert "The reassignment is complete: {1} leave." in out


def test_3_8_waits_for_all_that_are_to_have_a_copy(tidegate: Run) -> None:
    """KAFKA-15665: up to 3.7 it is complete once one of them is in sync."""
    assert tidegate("validate", str(EARLY)).exit == 0
    done = tidegate("validate", str(EARLY), "--kafka-version", "3.8")
    assert (done.exit, "no run of the model shows moment 4 of 5" in done.out) == (1, True)


def test_a_reassignment_to_fewer_than_min_isr_is_not_checked(tidegate: Run) -> None:
    done = tidegate("validate", str(MOVED), "--set", "min_isr=3")
    assert done.exit == 5
    assert "it is reassigned to 2 brokers, fewer than min.insync.replicas=3, of which the model has no" in " ".join(
        done.out.split()
    )


# --- altered ----------------------------------------------------------------------------------------------------------


def read_move(path: Path = MOVED) -> tuple[RecordedCluster, History]:
    cluster = recorded_cluster(read_metadata_log(path))
    return cluster, cluster.histories[0]


def answer(cluster: RecordedCluster, history: History, cache: Path | None) -> ObservationAnswer[Epochs]:
    setup = find_setup(history, find_version(cluster, None), cluster.changed_settings, {})
    assert isinstance(setup, ModelSetup)
    models = tuple(map(setup.bind, setup.variants))
    return search(models, Moments(models[0], history, setup.variant_numbers), cache, 200_000)


def first(history: History, **fields: Any) -> int:
    """The first moment with these fields."""
    return next(n for n, one in enumerate(history.moments) if all(getattr(one, k) == v for k, v in fields.items()))


def alter_moment(history: History, place: int, **changes: Any) -> History:
    moments = list(history.moments)
    moments[place] = replace(moments[place], **changes)
    return replace(history, moments=tuple(moments))


@pytest.mark.long
def test_what_no_controller_does_is_shown_by_no_run(cache: Path) -> None:
    cluster, history = read_move()
    done = first(history, assignment=Assignment(frozenset({2, 3, 4})))
    before = history.moments[done - 1]
    assert before.isr == {1, 2, 3, 4} and before.passing
    without = replace(history, moments=history.moments[: done - 1] + history.moments[done:])
    same_epoch = alter_moment(history, done, leader_epoch=before.leader_epoch)
    stays = alter_moment(history, done, leader=1, isr=frozenset({1, 2, 3, 4}))
    for wrong, shown in ((without, done - 2), (same_epoch, done - 1), (stays, done - 1)):
        found = answer(cluster, wrong, cache)
        assert (found.is_exhausted, found.last_observation) == (True, shown)


def test_nobody_joins_before_a_copy_is_asked_for(cache: Path) -> None:
    cluster, history = read_move()
    begun = first(history, assignment=Assignment(frozenset({1, 2, 3, 4}), frozenset({4}), frozenset({1})))
    early = alter_moment(history, begun, isr=frozenset({1, 2, 3, 4}))
    assert answer(cluster, early, cache).last_observation == begun - 1


def records(path: Path, change: Any) -> MetadataLog:
    """The log with other fields in records of one kind."""
    log = read_metadata_log(path)

    def one(entry: Entry) -> Entry:
        if not entry.record.kind.startswith("PARTITION"):
            return entry
        return replace(entry, record=replace(entry.record, fields=change(dict(entry.record.fields))))

    return replace(log, entries=tuple(map(one, log.entries)))


def test_a_log_that_ends_while_one_only_leaves_has_its_assignment() -> None:
    """What is on its way out has a copy still: the replicas are the same, and a reassignment is under way."""
    log = read_metadata_log(EARLY)
    place = next(n for n, entry in enumerate(log.entries) if entry.record.fields.get("replicas") == [1, 3])
    fields = {**log.entries[place].record.fields, "replicas": [1, 3, 2], "removingReplicas": [2], "isr": None}
    fields["leader"] = -2
    last = replace(log.entries[place], record=replace(log.entries[place].record, fields=fields))
    history = recorded_cluster(replace(log, entries=(*log.entries[:place], last))).histories[0]
    assert history.moments[-1].assignment == Assignment(frozenset({1, 2, 3}), removing=frozenset({2}))


def test_more_brokers_than_the_model_has_end_what_is_followed() -> None:
    def far(fields: dict[str, Any]) -> dict[str, Any]:
        if fields.get("replicas") == [2, 3, 4, 1] and fields.get("removingReplicas") == [1]:
            fields |= {"replicas": [4, 5, 6, 1, 2, 3], "removingReplicas": [1, 2, 3], "addingReplicas": [4, 5, 6]}
        return fields

    history = recorded_cluster(records(MOVED, far)).histories[0]
    assert history.end_reason == "its replicas were reassigned to more brokers than are followed"
    assert history.replicas == (1, 2, 3)
    assert all(one.assignment == Assignment(frozenset({1, 2, 3})) for one in history.moments)


def test_another_target_meanwhile_ends_what_is_followed() -> None:
    def other(fields: dict[str, Any]) -> dict[str, Any]:
        return fields | ({"removingReplicas": [2]} if fields.get("isr") == [1, 2] else {})

    history = recorded_cluster(records(MOVED, other)).histories[0]
    assert history.end_reason == "its reassignment had another target before it was complete"
    assert len(history.moments) == 2


def test_a_reassignment_that_begins_before_the_log_does_is_followed(cache: Path) -> None:
    """As in a snapshot: the partition is first seen with brokers on their way in and out."""

    def fields_within(fields: dict[str, Any]) -> dict[str, Any]:
        if fields.get("leaderEpoch") == 0:
            fields |= {"replicas": [2, 3, 4, 1], "addingReplicas": [4], "removingReplicas": [1]}
        elif fields.get("removingReplicas") == [1]:
            fields |= {"replicas": None, "addingReplicas": None, "removingReplicas": None}
        return fields

    cluster = recorded_cluster(records(HISTORIES / "reassigned_3_4.log", fields_within))
    history = replace(cluster.histories[0], whole=False)
    assert history.moments[0].assignment == Assignment(frozenset({1, 2, 3, 4}), frozenset({4}), frozenset({1}))
    assert answer(cluster, history, cache).last_observation >= first(
        history, assignment=Assignment(frozenset({2, 3, 4}))
    )


HELD, COMES = Assignment(frozenset({1, 2})), Assignment(frozenset({1, 2, 3}), frozenset({3}), frozenset({1}))


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        (HELD, HELD, None),
        (HELD, COMES, None),
        (COMES, HELD, None),
        (COMES, Assignment(frozenset({2, 3})), COMES),
        (HELD, Assignment(frozenset({1})), Assignment(frozenset({1, 2}), removing=frozenset({2}))),
    ],
)
def test_what_is_for_an_instant(before: Assignment, after: Assignment, found: Assignment | None) -> None:
    assert assignment_changes(before, after) == found


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (HELD, Assignment(frozenset({1, 3}))),
        (HELD, Assignment(frozenset({1, 2, 3, 4}), frozenset({3}))),
        (COMES, Assignment(frozenset({1, 2, 4}), frozenset({4}))),
        (COMES, Assignment(frozenset({1, 2, 3}))),
    ],
)
def test_what_is_no_step_is_not_followed(before: Assignment, after: Assignment) -> None:
    with pytest.raises(ValueError, match=r"its reassignment had another target|its replicas were reassigned"):
        assignment_changes(before, after)


def test_alike_partitions_are_searched_once_also_where_they_move() -> None:
    """Who holds a copy is compared as everything else is: by place, and not by number."""
    moment: Moment = read_move()[1].moments[0]
    assert moment.assignment is not None
    assert not moment.alike(replace(moment, assignment=replace(moment.assignment, adding=frozenset({4}))))
