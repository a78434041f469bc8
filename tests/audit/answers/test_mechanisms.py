"""What single rules of Kafka mend shows in the audit of the releases that do not have them, and in no later one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tidegate.audit.answers.verdicts import answer_question
from tidegate.audit.auditing import AuditRequest, audit, read_cluster_texts
from tidegate.audit.exploring.explorations import Explorations
from tidegate.audit.joining.options import Options
from tidegate.audit.kafka.profiles import defects_mended_in_release, version_profiles
from tidegate.audit.questions.cases import case_with, loss_case
from tidegate.audit.questions.questions import QUESTION
from tidegate.audit.questions.signature import Signature
from tidegate.audit.questions.situations import BY_NAME, fault_budgets_of_cell
from tidegate.audit.questions.subjects import cluster_subjects

from ...conftest import NewExplorations
from .test_verdicts import signature


@pytest.fixture(scope="module")
def explorations(new_explorations: NewExplorations) -> Explorations:
    return new_explorations()


NODE = "node.id={id}\nprocess.roles=broker\ncontroller.quorum.voters=11@a:1,12@b:1,13@c:1\nlog.dirs=d\n"
OLD_NODE = "broker.id={id}\nzookeeper.connect=a,b,c\nlog.dirs=d\n"
TOPIC = "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
ROW = "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"


def of_release(version: str, *, kraft: bool = True, more: str = "") -> Signature:
    """What a topic of a cluster of this release is asked about, read from its files."""
    node = NODE if kraft else OLD_NODE
    off = "unclean.leader.election.enable=false\n"
    files = [(f"b{i}.properties", node.format(id=i) + f"broker.rack={i}\n{off}{more}", True) for i in (1, 2, 3)]
    asked = Options(version, distribution="apache", acks="all", features=("eligible.leader.replicas.version=0",))
    cluster = read_cluster_texts([*files, ("topics.txt", TOPIC + ROW, True)], asked, "x")[0]
    found = next(subject for subject in cluster_subjects(cluster) if subject.topics[0].name == "orders")
    return next(variant.signature for variant in found.variants if not variant.signature.unclean)


def word(one: Signature, question: str, cell: str, explorations: Explorations) -> str:
    return answer_question(one, QUESTION[question], BY_NAME[cell], explorations).word


@pytest.mark.parametrize(
    ("version", "kraft", "expected"),
    [
        ("3.4.1", True, "can lose"),  # KAFKA-14139: KIP-903 is of 3.5
        ("3.6.2", True, "can lose"),  # KAFKA-15221: a race in that check, mended in 3.7
        ("3.7.0", True, "no loss found"),
        ("3.9.0", True, "no loss found"),
        ("3.9.0", False, "can lose"),  # never with ZooKeeper
    ],
)
def test_a_broker_that_lost_its_log_joins_the_isr_and_is_made_leader(
    version: str, kraft: bool, expected: str, explorations: Explorations
) -> None:
    """One broker is cut off and one loses power, with all in sync, and the leader is moved back."""
    one = of_release(version, kraft=kraft)
    assert word(one, "no-loss", "cut-off-power-loss@all", explorations) == expected
    for alone in ("cut-off@all", "power-loss@all"):
        assert word(one, "no-loss", alone, explorations) == "no loss found"


@pytest.mark.parametrize("elr", [False, True])
@pytest.mark.parametrize("at", ["all", "min-isr"])
def test_a_moved_leader_makes_no_difference_where_such_a_broker_is_refused(
    elr: bool, at: str, explorations: Explorations
) -> None:
    one, cell = signature("kafka_4_1" if elr else "kafka_3_9", elr=elr), BY_NAME[f"cut-off-power-loss@{at}"]
    faults = fault_budgets_of_cell(cell, one)
    assert faults["preferred_elections"] == 0
    moved = explorations.result_of(case_with("loss", one, {**faults, "preferred_elections": 1}))
    kept = explorations.result_of(loss_case(one, cell))
    for name in ("acknowledged_kept", "acked_durable", "committed_log_matching"):
        assert (name in moved.scenarios) == (name in kept.scenarios)
    assert not moved.stop_reason


READ = "replica.selector.class=org.apache.kafka.common.replica.RackAwareReplicaSelector\n"


@pytest.mark.parametrize(
    ("version", "served"),
    [
        ("3.3.1", {"preferred_replica_complete", "reads_below_high_watermark"}),
        ("3.3.2", {"reads_below_high_watermark"}),  # KAFKA-14372 is mended in 3.3.2 and 3.4.0
        ("3.4.0", {"reads_below_high_watermark"}),
        ("3.4.1", set[str]()),  # KAFKA-14704 is mended in 3.4.1 and 3.5.0
        ("3.5.0", set[str]()),
        ("3.9.0", set[str]()),
    ],
)
def test_what_followers_serve_consumers(version: str, served: set[str], explorations: Explorations) -> None:
    """The leader is moved, and nothing is wrong: consumers are sent to a follower that lags, or are served by one what
    it cuts off next."""
    one, cell = of_release(version, more=READ), BY_NAME["leader-move@min-isr"]
    assert one.follower_reads
    found = explorations.result_of(loss_case(one, cell)).scenarios
    assert found.keys() & {"preferred_replica_complete", "reads_below_high_watermark"} == served
    assert word(one, "no-stale-reads", cell.name, explorations) == ("can lose" if served else "no loss found")
    assert word(replace(one, follower_reads=False), "no-stale-reads", cell.name, explorations) == "no loss found"


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("1.0.2", "no loss found"),
        ("1.1.0", "can lose"),
        ("2.5.0", "can lose"),
        ("2.5.1", "no loss found"),
        ("2.6.0", "no loss found"),
    ],
)
def test_reads_that_are_taken_back_begin_with_1_1_and_end_with_2_5_1(
    version: str, expected: str, explorations: Explorations
) -> None:
    """KAFKA-9835."""
    assert word(of_release(version, kraft=False), "no-unread", "leader-move@all", explorations) == expected


@pytest.mark.parametrize(("version", "expected"), [("2.4.1", ["Kafka 2.5.1"]), ("2.5.1", None)])
def test_standard_asks_for_what_was_read_and_an_upgrade_repairs_it(
    version: str, expected: list[str] | None, tmp_path: Path
) -> None:
    """Nearly every cell of 2.4 takes reads back, and nothing acknowledged is lost: that was met."""
    off = "unclean.leader.election.enable=false\nmin.insync.replicas=2\n"
    files = [(f"b{i}.properties", OLD_NODE.format(id=i) + off, True) for i in (1, 2, 3)]
    asked = Options(version, distribution="apache", acks="all")
    cluster, findings = read_cluster_texts([*files, ("topics.txt", TOPIC + ROW, True)], asked, "x")
    done = audit(cluster, findings, AuditRequest(folder=tmp_path, workers=1))
    orders = next(report for report in done.reports if report.verdict.subject.topics[0].name == "orders")
    failed = {check.requirement.to_text for check in orders.checks if check.result == "failed"}
    taken_back = {f"no-unread={cell}@all" for cell in ("leader-move", "restart", "crash", "cut-off")}
    assert failed == (taken_back if expected else set())
    assert ("take back what consumers have read" in done.document["subjects"][0]["headline"]) == bool(expected)
    assert (orders.changes and [change.setting for change in orders.changes]) == (expected or ())
    asked_of = next(subject for subject in done.document["subjects"] if subject["topics"] == ["orders"])
    decides = [(one["key"], one["value"], one["becomes"]) for one in asked_of["deciding"]]
    assert decides == [("version", "2.4.1", "2.5.1")] or not expected


@pytest.mark.parametrize(("version", "expected"), [("2.0.0", "can lose"), ("2.0.1", "no loss found")])
def test_two_crashes_that_lose_end_with_2_0_1(version: str, expected: str, explorations: Explorations) -> None:
    """KAFKA-7128, KAFKA-7164, KAFKA-7415: the profile of 2.0 is that of 2.0.0."""
    assert word(of_release(version, kraft=False), "no-loss", "two-crashes@min-isr", explorations) == expected


def test_a_fenced_broker_in_the_isr_loses_nothing_by_itself(explorations: Explorations) -> None:
    """KIP-841, mended in 3.3: what goes is service, not records; its own invariant is `isr_unfenced`."""
    bad = of_release("3.2.3", kraft=False)
    assert bad.constants["reject_fenced"] is False
    mended = replace(bad, switches=tuple(switch for switch in bad.switches if switch[0] != "reject_fenced"))
    for cell in ("cut-off@all", "cut-off@min-isr", "crash@min-isr", "power-loss@min-isr", "cut-off-power-loss@all"):
        assert word(bad, "no-loss", cell, explorations) == word(mended, "no-loss", cell, explorations)


@pytest.mark.parametrize(
    ("first", "binary", "names"),
    [
        ((2, 0, 0), "kafka_2_0", set[str]()),
        ((2, 0), "kafka_2_0", set[str]()),
        ((2, 0, 1), "kafka_2_0", {"truncate_each_epoch", "record_epoch", "await_epoch_start"}),
        ((1, 1, 1), "kafka_1_1", set[str]()),
        ((2, 7, 1), "kafka_2_7", set[str]()),
        ((2, 7, 2), "kafka_2_7", set[str]()),
        ((2, 8, 0), "kafka_2_8", set[str]()),
        ((2, 8, 1), "kafka_2_8", {"skip_diverging", "fence_truncation"}),
        ((3, 2, 0), "kafka_2_8", {"skip_diverging", "fence_truncation"}),
        ((3, 6, 0), "kafka_3_5", {"keep_epoch"}),
        ((0,), "kafka_2_8", set[str]()),
    ],
)
def test_a_release_has_what_was_mended_after_its_profile(first: tuple[int, ...], binary: str, names: set[str]) -> None:
    found = set(defects_mended_in_release(first, binary))
    told_apart = {"truncate_each_epoch", "record_epoch", "await_epoch_start",
                  "skip_diverging", "fence_truncation", "keep_epoch"}  # fmt: skip
    assert found & told_apart == names
    assert not set(defects_mended_in_release((9, 9, 9), version_profiles()[-1].name))
