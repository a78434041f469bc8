"""Directories in the metadata log (KIP-858): what a controller writes is a run of the model, and what none writes is
not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tidegate.real.history.directories import LOST, MIGRATING, UNASSIGNED, failed_directories, is_online

from ...conftest import Run
from ...support.histories import TWO_RESTART
from ...support.metadata_logs import Record, print_batches

LOST_4_1 = TWO_RESTART.with_name("directory_lost_4_1.log")
KRAFT_4_1 = 27


def register(broker: int, turn: int, *directories: str) -> list[Record]:
    features = [{"name": "metadata.version", "minSupportedVersion": 7, "maxSupportedVersion": KRAFT_4_1}]
    fields = {"brokerId": broker, "incarnationId": f"{broker}/{turn}", "brokerEpoch": turn, "fenced": True}
    return [("REGISTER_BROKER_RECORD", {**fields, "features": features, "logDirs": list(directories)})]


def change(broker: int, turn: int, **fields: Any) -> Record:
    return "BROKER_REGISTRATION_CHANGE_RECORD", {"brokerId": broker, "brokerEpoch": turn, **fields}


def change_partition(**fields: Any) -> Record:
    return "PARTITION_CHANGE_RECORD", {"partitionId": 0, "topicId": "T", **fields}


def start_cluster(*, elr: bool = False) -> list[list[Record]]:
    """Three brokers with two directories each, and a partition of which broker 3 has its copy in `3a`."""
    brokers = [
        batch
        for broker in (1, 2, 3)
        for batch in (register(broker, 0, f"{broker}a", f"{broker}b"), [change(broker, 0, fenced=-1)])
    ]
    created: dict[str, Any] = {"partitionId": 0, "topicId": "T", "replicas": [3, 1, 2], "isr": [3, 1, 2], "leader": 3}
    created |= {"leaderEpoch": 0, "removingReplicas": [], "addingReplicas": [], "directories": ["3a", "1a", "2a"]}
    feature = {"name": "eligible.leader.replicas.version", "featureLevel": int(elr)}
    topic: Record = ("TOPIC_RECORD", {"name": "orders", "topicId": "T"})
    setting = {"resourceType": 2, "resourceName": "orders", "name": "min.insync.replicas", "value": "2"}
    return [
        [("FEATURE_LEVEL_RECORD", feature)],
        *brokers,
        [topic, ("CONFIG_RECORD", setting), ("PARTITION_RECORD", created)],
    ]


FAILS = [change_partition(isr=[1, 2], leader=1), change(3, 0, logDirs=["3b"])]
BACK = [*register(3, 1, "3b")], [change(3, 1, fenced=-1)]


def validate_batches(tidegate: Run, folder: Path, batches: list[list[Record]], *more: str) -> tuple[int, str]:
    path = folder / "metadata.txt"
    path.write_text("".join(print_batches(batches)), "utf-8")
    done = tidegate("validate", str(path), *more)
    return done.exit, done.out


@pytest.mark.parametrize(
    ("directory", "registered", "online"),
    [
        ("a", ("a", "b"), True),
        ("c", ("a", "b"), False),
        ("c", (), True),
        (UNASSIGNED, ("a",), True),
        (MIGRATING, ("a",), True),
        (LOST, ("a",), False),
        (LOST, (), False),
    ],
)
def test_a_directory_is_online_as_the_controller_has_it(
    directory: str, registered: tuple[str, ...], online: bool
) -> None:
    assert is_online(directory, registered) == online


def test_a_change_that_names_no_directories_takes_none_away() -> None:
    assert failed_directories(("a", "b"), ("b",)) == {"a"}
    assert failed_directories(("a", "b"), None) == frozenset()
    assert failed_directories(("a", "b"), ()) == frozenset()


def test_a_directory_that_fails_while_its_broker_runs_takes_the_leader_with_it(tidegate: Run, tmp_path: Path) -> None:
    code, out = validate_batches(tidegate, tmp_path, [*start_cluster(), FAILS])
    assert (code, "a run of the model shows all of it" in out) == (0, True)


@pytest.mark.parametrize(
    "batch",
    [
        [change(3, 0, logDirs=["3b"])],
        [change_partition(isr=[1, 2], leader=2), change(3, 0, logDirs=["3b"])],
        [change_partition(isr=[1, 2], leader=1), change(3, 0, logDirs=["3a"])],
        [change_partition(isr=[1, 2], leader=1)],
    ],
    ids=["it leads on", "another than the first", "of another directory", "of none"],
)
def test_what_no_controller_writes_of_a_directory_is_refused(
    tidegate: Run, tmp_path: Path, batch: list[Record]
) -> None:
    code, out = validate_batches(tidegate, tmp_path, [*start_cluster(), batch])
    assert (code, "no run of the model shows moment" in out) == (1, True)


@pytest.mark.long
def test_who_starts_without_its_directory_leads_once_another_is_on_record(tidegate: Run, tmp_path: Path) -> None:
    assigned = [change_partition(directories=["3b", "1a", "2a"])]
    joins, leads = [change_partition(isr=[3, 1, 2])], [change_partition(leader=3)]
    code, _ = validate_batches(tidegate, tmp_path, [*start_cluster(), FAILS, *BACK, assigned, joins, leads])
    assert code == 0
    code, out = validate_batches(tidegate, tmp_path, [*start_cluster(), FAILS, *BACK, [change_partition(isr=[3, 1])]])
    assert (code, "no run" in out) == (1, True)


def test_a_directory_that_is_there_again_is_not_followed(tidegate: Run, tmp_path: Path) -> None:
    again = [*register(3, 1, "3a", "3b")], [change(3, 1, fenced=-1)]
    code, out = validate_batches(tidegate, tmp_path, [*start_cluster(), FAILS, *again])
    words = "checked until a directory of broker 3 was there again, which the search does not follow"
    assert (code, words in " ".join(out.split())) == (5, True)


def test_who_starts_names_a_directory_that_it_registers_later(tidegate: Run, tmp_path: Path) -> None:
    """As brokers of 4.1.0 and 4.3.0 with an empty disk do: in the broker epoch that they had."""
    down = [change_partition(isr=[1, 2], leader=1), change(3, 0, fenced=1)]
    assigned = [change_partition(directories=["new", "1a", "2a"])]
    anew = [*register(3, 1, "new")], [change(3, 1, fenced=-1)], [change_partition(isr=[3, 1, 2])]
    code, out = validate_batches(tidegate, tmp_path, [*start_cluster(), down, assigned, *anew])
    assert (code, "a run of the model shows all of it" in out) == (0, True)


def test_the_run_in_which_all_records_went_is_one_of_4_1_and_none_of_4_3(tidegate: Run) -> None:
    """Real brokers of 4.1.1: the last leader starts without the directory with its copy, and the assignment of another
    empties the ELR, before it has registered. From 4.3 on an assignment leaves it (apache/kafka#20716)."""
    assert tidegate("validate", str(LOST_4_1)).exit == 0
    done = tidegate("validate", str(LOST_4_1), "--kafka-version", "4.3")
    assert (done.exit, "no run of the model shows moment 6 of 10" in done.out) == (1, True)


def test_who_was_eligible_is_not_elected_uncleanly(tidegate: Run, tmp_path: Path) -> None:
    """All three stop; who registers after an unclean stop leaves the ELR, and is elected if it led last alone."""
    down: list[list[Record]] = [
        [change(2, 0, fenced=1), change_partition(isr=[3, 1])],
        [change(1, 0, inControlledShutdown=1), change_partition(isr=[3], eligibleLeaderReplicas=[1])],
        [
            change_partition(isr=[], leader=-1, eligibleLeaderReplicas=[1, 3], lastKnownElr=[3]),
            change(3, 0, fenced=1),
        ],
        [change(1, 0, fenced=1)],
    ]
    back: list[list[Record]] = [
        [change_partition(eligibleLeaderReplicas=[1], lastKnownElr=[3]), *register(3, 1, "3a", "3b")],
        [change_partition(eligibleLeaderReplicas=[], lastKnownElr=[3]), *register(1, 1, "1a", "1b")],
    ]
    elected = change_partition(isr=[1], leader=1, leaderRecoveryState=1, lastKnownElr=[])
    wrong: list[list[Record]] = [*back, [change(1, 1, fenced=-1), elected]]
    code, out = validate_batches(tidegate, tmp_path, [*start_cluster(elr=True), *down, *wrong])
    assert (code, "no run of the model shows moment 11 of 11" in out) == (1, True)
    last = change_partition(isr=[3], leader=3, leaderRecoveryState=1, lastKnownElr=[])
    right: list[list[Record]] = [*back, [change(3, 1, fenced=-1), last]]
    code, _ = validate_batches(tidegate, tmp_path, [*start_cluster(elr=True), *down, *right])
    assert code == 0
