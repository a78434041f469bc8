"""Traces of the topic of offsets: which release takes them, what is one on real brokers, what is compared, and with the
mark `brokers` what real ones do.

Also of: `cluster`, `family`, `world`.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from kafka.record.memory_records import MemoryRecordsBuilder
from tidegate.real.driving.families import trace_of
from tidegate.real.driving.nodes.running import NodesError
from tidegate.real.driving.nodes.wire import ERRORS, BrokerError
from tidegate.real.driving.offsets.cluster import (
    count_fences,
    group_in_partition,
    hash_group,
    knows_directories,
    read_offsets,
    registered_partitions,
)
from tidegate.real.driving.offsets.driver import OffsetsDriver, expected_observation
from tidegate.real.driving.offsets.family import FAMILY
from tidegate.real.driving.offsets.plan import OffsetsPlan, OffsetsStage, plan_trace, takes_commits
from tidegate.real.driving.offsets.world import OffsetsObservation, RegisteredPartition
from tidegate.real.logs.metadata_records import MetadataRecord
from tidegate.reports.confirm import confirm_text
from tidegate.reports.text_page import TextFormat

from ....capture.confirmed_outages import QUESTIONS
from ....conftest import Run
from ....support.confirming import came_of, document_of, result_of
from ....support.offsets import LOST, STOPS, document, plan_of

GOES_ON, SKIPPED = "three_replicas:consumes_while_a_broker_is_down", "shipped:nothing_skipped"


AGAIN, ENDS = "three_replicas:nothing_read_again", "none:nobody_stops_for_good"


def test_a_groups_id_is_of_the_partition_that_the_trace_says() -> None:
    assert [hash_group(one) for one in ("", "a", "polygenelubricants", "hello")] == [0, 97, 0, 99_162_322]
    assert [hash_group(group_in_partition("G", at, 3)) % 3 for at in range(3)] == [0, 1, 2]


# --- what nodes wrote -------------------------------------------------------------------------------------------------
def write_metadata_log(monkeypatch: pytest.MonkeyPatch, *entries: tuple[str, dict[str, Any]]) -> Path:
    """A controller's disk, whose metadata log has these records."""

    def records(data: Path) -> list[MetadataRecord]:
        del data
        return [MetadataRecord(kind, fields) for kind, fields in entries]

    monkeypatch.setattr("tidegate.real.driving.offsets.cluster._read_entries", records)
    return Path("nowhere")


MADE = ("TOPIC_RECORD", {"name": "__consumer_offsets", "topicId": "t"})


OTHER = ("TOPIC_RECORD", {"name": "orders", "topicId": "o"})


PLACED = ("PARTITION_RECORD", {
    "partitionId": 0, "topicId": "t", "replicas": [1], "isr": [1], "removingReplicas": [], "addingReplicas": [],
    "leader": 1, "directories": ["a"],
})  # fmt: skip


def test_partitions_are_as_the_controller_has_them_last(monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = (PLACED[0], PLACED[1] | {"topicId": "o", "replicas": [9]})
    moved = {"partitionId": 0, "topicId": "t", "replicas": [1, 2], "addingReplicas": [2], "leader": -1}
    data = write_metadata_log(monkeypatch, MADE, PLACED, OTHER, elsewhere, ("PARTITION_CHANGE_RECORD", moved))
    assert registered_partitions(data) == {
        0: RegisteredPartition((1, 2), frozenset({1}), frozenset({2}), frozenset(), None)
    }
    gone = ("REMOVE_TOPIC_RECORD", {"topicId": "t"})
    assert registered_partitions(write_metadata_log(monkeypatch, MADE, PLACED, gone)) == {}
    anew = (MADE[0], MADE[1] | {"topicId": "u"}), (PLACED[0], PLACED[1] | {"topicId": "u", "leader": 2})
    assert registered_partitions(write_metadata_log(monkeypatch, MADE, PLACED, gone, *anew))[0].leader == 2


def test_a_controller_is_told_of_a_log_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    first, again = (("REGISTER_BROKER_RECORD", {"brokerId": 1, "logDirs": [name]}) for name in "ab")
    told = ("PARTITION_CHANGE_RECORD", {"partitionId": 0, "topicId": "t", "directories": ["b"]})
    assert knows_directories(write_metadata_log(monkeypatch, first, MADE, PLACED), 1)
    assert not knows_directories(write_metadata_log(monkeypatch, first, MADE, PLACED, again), 1)
    assert knows_directories(write_metadata_log(monkeypatch, first, MADE, PLACED, again, told), 1)
    old = ("REGISTER_BROKER_RECORD", {"brokerId": 1}), MADE, (PLACED[0], PLACED[1] | {"directories": []})
    assert knows_directories(write_metadata_log(monkeypatch, *old), 1), (
        "releases before 3.7 know nothing of directories"
    )


def test_a_fence_is_counted_whatever_record_says_it(monkeypatch: pytest.MonkeyPatch) -> None:
    changes = [("BROKER_REGISTRATION_CHANGE_RECORD", {"brokerId": 1, "fenced": one}) for one in (-1, 1, -1)]
    data = write_metadata_log(
        monkeypatch, *changes, ("FENCE_BROKER_RECORD", {"id": 1}), ("FENCE_BROKER_RECORD", {"id": 2})
    )
    assert count_fences(data) == {1: 2, 2: 1}


def wire_text(value: str) -> bytes:
    return struct.pack(">h", len(value)) + value.encode()


def test_offsets_are_read_from_a_segment_and_nothing_else(tmp_path: Path) -> None:
    key = struct.pack(">h", 1) + wire_text("G0") + wire_text("orders") + struct.pack(">i", 0)
    value = struct.pack(">hqi", 3, 7, -1) + wire_text("") + struct.pack(">q", 0)
    batch = MemoryRecordsBuilder(magic=2, compression_type=0, batch_size=1 << 20)
    for one, what in ((key, value), (struct.pack(">h", 2) + wire_text("G0"), b"members"), (key, None)):
        batch.append(timestamp=0, key=one, value=what)
    batch.close()
    (tmp_path / "a.log").write_bytes(bytes(batch.buffer()))
    assert read_offsets(tmp_path / "a.log") == [("G0", 7)]
    assert read_offsets(tmp_path / "none.log") == []


# --- what is compared -------------------------------------------------------------------------------------------------
class FakeClient:
    """Kafka's consumer, which begins where it is told to."""

    def __init__(self, begins: str | None) -> None:
        self.begins = begins

    def ask(self, line: str, seconds: float) -> str | None:
        if line == "close":
            return "closed"
        if self.begins is None:
            return "-"
        return self.begins if self.begins.startswith("No") else f"- 0:{self.begins}"

    def kill(self) -> None:
        pass


class Fake:
    """Brokers that do as the plan says, but at some step go on as they are."""

    def __init__(self, plan: OffsetsPlan, stays_at: int = 0) -> None:
        self.plan, self.stays_at = plan, stays_at
        self.stage: OffsetsStage | None = None
        self.did, self.held = list[str](), frozenset[tuple[int, int]]()
        self.begins: str | None = None
        self.takes: bool | None = None
        self.kills = dict[int, int]()
        self.refuses = False

    def next(self, stage: OffsetsStage) -> None:
        self.now = stage
        if stage.first != self.stays_at:
            self.stage = stage

    def observe(self) -> OffsetsObservation:
        if self.stage is None:
            return OffsetsObservation(
                frozenset(), {}, {}, dict.fromkeys(map(str, self.plan.run.start.position), "-"), {}
            )
        return expected_observation(self.stage, self.kills)

    def start_and_wait(self, broker: int) -> None:
        self.did.append(f"start {broker}")

    def kill(self, broker: int) -> None:
        self.did.append(f"kill {broker}")
        self.kills[broker] = self.kills.get(broker, 0) + 1

    def lose_disk(self, broker: int) -> None:
        self.did.append(f"empty {broker}")

    def hold_fetches(self, fetches: frozenset[tuple[int, int]]) -> None:
        self.held |= fetches

    def release_fetches(self, fetches: frozenset[tuple[int, int]]) -> None:
        self.held -= fetches

    def all_fetches(self) -> frozenset[tuple[int, int]]:
        return frozenset((one, other) for one in range(1, 4) for other in range(1, 4) if one != other)

    def create_topic(self, placement: Sequence[Sequence[int]], min_isr: int) -> None:
        self.did.append(f"make {[list(one) for one in placement]}, {min_isr}")

    def delete_topic(self) -> None:
        if self.refuses:
            raise BrokerError("deleting __consumer_offsets", 73)
        self.did.append("delete")

    def reassign_partition(self, number: int, order: Sequence[int]) -> None:
        self.did.append(f"move {number} to {list(order)}")

    def write_record(self, record: int) -> None:
        self.did.append(f"write {record}")

    def can_read(self, record: int) -> bool:
        return True

    def commit_offset(self, name: str, offset: int) -> str:
        self.did.append(f"{name} commits {offset}")
        group = next(one for one in self.now.state_before.position if str(one) == name)
        takes = takes_commits(self.now.state_before, group) if self.takes is None else self.takes
        last = self.now is self.plan.stages[-1] and self.now.action not in ("consume", "commit")
        if last and self.takes is None:
            takes = takes_commits(self.now.state_after, group)
        return "" if takes else ERRORS[15]

    def start_consumer(self, name: str, reset: str) -> Any:
        self.did.append(f"{name} starts, {reset}")
        if self.now.action == "restart":
            return FakeClient(self.begins)
        group = next(one for one in self.now.state_after.position if str(one) == name)
        stops = group in self.now.state_after.stopped
        return FakeClient(
            self.begins or ("NoOffsetForPartitionException" if stops else str(self.now.state_after.position[group]))
        )

    def is_empty(self, name: str) -> bool:
        return True


@pytest.fixture(autouse=True)
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is seen not to come is waited for no longer than all else here."""
    monkeypatch.setattr("tidegate.real.driving.offsets.driver._WAITS_SECONDS", 0.1)


def driven(plan: OffsetsPlan, fake: Fake) -> dict[str, Any]:
    """What comes of a plan on a world that is no real one."""
    return result_of(FAMILY, plan, OffsetsDriver(plan, fake, 0.1), fake.next)


def test_a_disk_that_is_lost_with_the_offsets() -> None:
    plan = plan_of(LOST)
    fake = Fake(plan)
    found = driven(plan, fake)
    assert fake.did == [
        "start 1", "start 2", "start 3", "make [[1]], 1", "write 0", "G commits 1", "kill 1", "empty 1", "start 1",
        "G commits 0",
    ]  # fmt: skip
    assert (found["result"], found["why"]) == ("confirmed", "every step came about: offset_durable fails")
    assert found["steps"][-1]["seen"]["groups"]["committed"] == "G none, by 1"
    text = confirm_text([found], TextFormat(200), steps=True)
    assert "committed: G none, by 1" in text and "one controller, brokers 1 2 3" in text


def test_a_group_without_a_coordinator_and_one_that_has_one() -> None:
    plan = plan_of(STOPS)
    found = driven(plan, Fake(plan))
    assert found["result"] == "confirmed"
    assert found["steps"][-1]["seen"]["groups"]["committed"] == "G no coordinator; H 1, by 2"
    assert found["steps"][-1]["did"].endswith(
        "a commit of G is refused: COORDINATOR_NOT_AVAILABLE; a commit of H is taken"
    )


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda one: f"{one.profile}:{one.property}")
def test_each_trace_of_the_page_is_confirmed_by_what_does_as_the_model(question: Any) -> None:
    made = document_of(
        "offsets_outage", question.profile, question.property, question.steps, **dict(question.constants)
    )
    plan = plan_trace(trace_of(made), "4.1.0")
    found = driven(plan, Fake(plan))
    assert found["result"] == "confirmed", json.dumps(found, indent=1)


@pytest.mark.parametrize("step", [4, 6, 7])
def test_a_step_that_does_not_come_about_is_not_confirmed(step: int) -> None:
    plan = plan_of(LOST)
    found = driven(plan, Fake(plan, step))
    assert (found["result"], found["step"]) == ("not_confirmed", step)


@pytest.mark.parametrize(("name", "takes"), [(LOST, False), (STOPS, True), (AGAIN, True)])
def test_a_commit_that_goes_the_other_way_is_not_confirmed(name: str, takes: bool) -> None:
    plan = plan_of(name)
    fake = Fake(plan)

    def next_(stage: OffsetsStage) -> None:
        fake.next(stage)
        if (stage.action in ("process", "start_broker") and stage.first > 4) or stage is plan.stages[-1]:
            fake.takes = takes

    found = result_of(FAMILY, plan, OffsetsDriver(plan, fake, 0.1), next_)
    assert found["result"] == "not_confirmed"
    assert f"commit of G is {'taken' if takes else 'refused'}" in found["steps"][-1]["otherwise"]


@pytest.mark.parametrize(("name", "begins"), [(SKIPPED, "1"), (ENDS, "0"), (AGAIN, "1")])
def test_a_consumer_that_begins_elsewhere_is_not_confirmed(name: str, begins: str) -> None:
    plan = plan_of(name)
    fake = Fake(plan)

    def next_(stage: OffsetsStage) -> None:
        fake.next(stage)
        fake.begins = begins if stage.action == ("restart" if name == AGAIN else "begin_again") else None

    found = result_of(FAMILY, plan, OffsetsDriver(plan, fake, 0.1), next_)
    assert (found["result"], "begins" in found["steps"][-1]["otherwise"]) == ("not_confirmed", True)


def test_a_controller_that_does_not_delete_the_topic_is_not_confirmed() -> None:
    plan = plan_of(SKIPPED)
    fake = Fake(plan)
    fake.refuses = True
    found = driven(plan, fake)
    assert (found["result"], found["step"]) == ("not_confirmed", 8)


def test_a_broker_that_is_fenced_while_it_runs_could_not_be_driven() -> None:
    plan = plan_of(GOES_ON)
    fake = Fake(plan)
    fake.kills[2] = 1
    with pytest.raises(NodesError, match="broker 2 was fenced while it ran"):
        driven(plan, fake)


# --- real brokers -----------------------------------------------------------------------------------------------------
@pytest.mark.brokers
@pytest.mark.parametrize("name", [LOST, STOPS, GOES_ON])
def test_real_brokers(tidegate: Run, tmp_path: Path, name: str) -> None:
    found = came_of(tidegate, tmp_path, document(name), "4.1.0", seconds=60)
    assert found["result"] == "confirmed", json.dumps(found, indent=1)
