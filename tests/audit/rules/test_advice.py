"""Rules of arithmetic and of experience: each is met by a cluster that breaks it, and silent where it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.audit.auditing import read_cluster, read_cluster_texts
from tidegate.audit.joining.options import Options

from ...conftest import ROOT
from ...support.rules import BROKER, PRODUCER, SOUND, findings, one, three

TOPIC = "Topic: {name}\tTopicId: x\tPartitionCount: 1\tReplicationFactor: {rf}\tConfigs: {configs}\n"


PARTITION = "\tTopic: {name}\tPartition: 0\tLeader: 1\tReplicas: {replicas}\tIsr: {replicas}\n"


def topic_lines(name: str, replicas: str, configs: str = "") -> str:
    head = TOPIC.format(name=name, rf=len(replicas.split(",")), configs=configs)
    return head + PARTITION.format(name=name, replicas=replicas)


def test_an_old_protocol_keeps_off_each_mend_that_it_gates(tmp_path: Path) -> None:
    """ApiVersion: KAFKA_2_1_IV1 has KIP-320, KAFKA_2_7_IV2 KIP-497."""
    for level, gated in (("2.0", ("KIP-320", "KIP-497")), ("2.1", ("KIP-497",)), ("2.7", ())):
        files = three(SOUND + f"inter.broker.protocol.version={level}\n")
        found = [finding.what for finding in findings(tmp_path, files, Options("2.8.1", distribution="apache"))]
        said = " ".join(text for text in found if "keeps off" in text)
        assert [name for name in ("KIP-320", "KIP-497") if name in said] == list(gated), level


@pytest.mark.parametrize(
    ("level", "gated"), [("3.2", ("KIP-841", "KIP-903", "KAFKA-15021")), ("3.5", ("KAFKA-15021",)), ("3.6", ())]
)
def test_a_metadata_version_keeps_off_what_goes_by_it_alone(tmp_path: Path, level: str, gated: tuple[str, ...]) -> None:
    """3.3.0 keeps fenced replicas out whatever it is (ineligibleReplicasForIsr), but not those that are shutting down
    (MetadataVersion.isInControlledShutdownStateSupported); 3.6.0: isLeaderEpochBumpRequiredOnIsrShrink."""
    found = findings(tmp_path, three(SOUND), Options("3.9.0", distribution="apache", metadata_version=level))
    said = " ".join(finding.what for finding in found if "keeps off" in finding.what)
    assert [name for name in ("KIP-841", "KIP-903", "KAFKA-15021") if name in said] == list(gated)
    assert "fenced" not in said


def test_a_sound_cluster_is_left_alone(tmp_path: Path) -> None:
    files = three(SOUND) | {"topics.txt": topic_lines("orders", "1,2,3", "min.insync.replicas=2")}
    assert findings(tmp_path, files) == []


@pytest.mark.parametrize(
    ("version", "then"),
    [("3.6.2", "is refused"), ("3.7.0", "takes it as 2"), (None, "before 3.7")],
)
def test_min_isr_above_the_replicas_is_one_finding_for_many_topics(
    tmp_path: Path, version: str | None, then: str
) -> None:
    topics = "".join(topic_lines(name, "1,2", "min.insync.replicas=3") for name in ("a", "b", "c"))
    found = findings(tmp_path, {"topics.txt": topics}, Options(version, distribution="apache"))
    finding = one(found, "min.insync.replicas=3 and 2 replicas")
    assert (finding.kind, finding.severity, finding.where.line) == ("arithmetic", "error", 1)
    assert finding.what.startswith("3 topics, such as a,") and then in finding.what


def test_replicas_that_are_being_added_do_not_count_yet(tmp_path: Path) -> None:
    line = PARTITION.format(name="a", replicas="1,2,3").rstrip("\n") + "\tAdding Replicas: 3\tRemoving Replicas: \n"
    found = findings(tmp_path, {"t.txt": TOPIC.format(name="a", rf=3, configs="min.insync.replicas=3") + line})
    assert one(found, "min.insync.replicas=3 and 2 replicas").kind == "arithmetic"


def test_brokers_that_differ(tmp_path: Path) -> None:
    files = three(SOUND) | {"server-2.properties": BROKER.format(id=2, rack="b") + "min.insync.replicas=1\n"}
    finding = one(findings(tmp_path, files), "min.insync.replicas is not the same on all brokers")
    assert "broker 1 has 2, broker 2 has 1, broker 3 has 2" in finding.what


def test_a_description_that_does_not_show_what_the_files_set(tmp_path: Path) -> None:
    files = three(SOUND) | {"topics.txt": topic_lines("a", "1,2,3") + topic_lines("b", "1,2,3")}
    finding = one(findings(tmp_path, files), "described without")
    assert finding.what.startswith("2 topics, such as a, described without min.insync.replicas, though ")
    assert finding.what.endswith("server-1.properties:6 sets 2: which holds is open")


WIDE = """\
Default configs for brokers in the cluster are:
  min.insync.replicas=1 sensitive=false synonyms={DYNAMIC_DEFAULT_BROKER_CONFIG:min.insync.replicas=1}
"""


def test_a_cluster_wide_setting_that_hides_the_files(tmp_path: Path) -> None:
    finding = one(findings(tmp_path, three(SOUND) | {"configs.txt": WIDE}), "has no effect: the cluster-wide dynamic")
    assert finding.where.line == 6 and "--entity-default --add-config min.insync.replicas=2" in finding.to_do


def test_a_real_cluster_of_4_1_hides_its_files() -> None:
    folder = ROOT / "tests" / "fixtures" / "audit" / "4.1.0-kraft" / "healthy"
    finding = one(list(read_cluster([folder])[1]), "has no effect: the cluster-wide dynamic")
    assert finding.kind == "contradiction"


def test_replicas_in_one_rack(tmp_path: Path) -> None:
    files = three(SOUND, "aab") | {"t.txt": topic_lines("x", "1,2") + topic_lines("y", "1,3")}
    finding = one(findings(tmp_path, files), "all in one rack")
    assert finding.what.startswith("topic x ")


def test_racks_of_some_brokers_only(tmp_path: Path) -> None:
    files = three(SOUND) | {"server-2.properties": "broker.id=2\nzookeeper.connect=z1,z2,z3\nlog.dirs=d\n" + SOUND}
    assert one(findings(tmp_path, files), "has no broker.rack").kind == "contradiction"


def test_the_offsets_topic_keeps_the_replicas_that_it_was_made_with(tmp_path: Path) -> None:
    files = three(SOUND + "offsets.topic.replication.factor=3\n") | {"t.txt": topic_lines("__consumer_offsets", "1")}
    finding = one(findings(tmp_path, files), "was made with 1")
    assert finding.where.line == 7 and "reassign" in finding.to_do


def test_transactions_that_cannot_end(tmp_path: Path) -> None:
    extra = SOUND + "transaction.state.log.replication.factor=1\ntransaction.state.log.min.isr=2\n"
    found = findings(tmp_path, three(extra), Options("3.6.1", distribution="apache"))
    assert one(found, "no transaction begins or ends").severity == "error"


def test_above_the_lag_no_broker_starts_so_that_no_isr_flaps(tmp_path: Path) -> None:
    """KafkaConfig.validateValues: replica.fetch.wait.max.ms is at most replica.lag.time.max.ms."""
    found = findings(tmp_path, three(SOUND + "replica.fetch.wait.max.ms=40000\n"))
    assert not [finding for finding in found if "flaps" in finding.what]


@pytest.mark.parametrize(
    ("extra", "word", "kind"),
    [
        ("min.insync.replicas=2\n", "made on first use, with one replica", "advice"),
        (SOUND + "replica.fetch.wait.max.ms=30000\n", "the ISR flaps", "arithmetic"),
        (SOUND + "offsets.commit.required.acks=1\n", "committed offsets can be lost", "advice"),
        (SOUND + "transaction.partition.verification.enable=false\n", "can stay open for ever", "advice"),
        (SOUND + "log.message.format.version=0.10.2\n", "no leader epochs", "advice"),
        (SOUND + "inter.broker.protocol.version=2.6\n", "KIP-497", "advice"),
        (SOUND + "inter.broker.protocol.version=4.0\n", "is above Kafka", "contradiction"),
    ],
)
def test_rules_of_brokers(tmp_path: Path, extra: str, word: str, kind: str) -> None:
    version = "2.8.2" if "format" in extra else "3.9.1"
    found = findings(tmp_path, three(extra), Options(version, distribution="apache"))
    assert one(found, word).kind == kind


def test_what_verification_switched_off_does_is_said_with_the_command_that_shows_it(tmp_path: Path) -> None:
    files = three(SOUND + "transaction.partition.verification.enable=false\n")
    found = one(findings(tmp_path, files, Options("3.9.1", distribution="apache")), "can stay open for ever")
    assert found.run is not None and found.source == f"{found.run.to_command}; KIP-890"
    assert found.source.startswith("tidegate check transactions:kafka_2_5 ")


@pytest.mark.parametrize(("version", "expected"), [("3.6.1", False), ("3.7.0", True), ("3.9.1", True), (None, True)])
def test_commits_of_offsets_of_fenced_producers_are_taken_where_verification_is_off(
    tmp_path: Path, version: str | None, expected: bool
) -> None:
    files = three(SOUND + "transaction.partition.verification.enable=false\n")
    found = [f for f in findings(tmp_path, files, Options(version, distribution="apache")) if "was fenced" in f.what]
    assert len(found) == expected
    assert all(f.run is not None and f.run.model == "transactions:offsets_2_5" for f in found)


def test_verification_is_of_3_6(tmp_path: Path) -> None:
    files = three(SOUND + "transaction.partition.verification.enable=false\n")
    found = findings(tmp_path, files, Options("3.5.1", distribution="apache"))
    assert all("can stay open for ever" not in finding.what for finding in found)


def test_temporary_folders_of_several_brokers_are_one_finding(tmp_path: Path) -> None:
    text, folder = "broker.id={0}\nzookeeper.connect=z:2181\nlog.dirs={1}-{0}\n", "/" + "tmp/kafka"
    files = {f"b{id_}.properties": text.format(id_, folder) for id_ in (1, 2, 3)}
    found = one(findings(tmp_path, files), "temporary folder")
    assert found.what.startswith(f"log.dirs={folder}-1 and folders like it on 3 brokers: a temporary folder")


def test_a_temporary_folder(tmp_path: Path) -> None:
    text = BROKER.format(id=1, rack="a").replace("log.dirs=data", "log.dirs=" + "/" + "tmp/kafka-logs") + SOUND
    assert one(findings(tmp_path, {"server.properties": text}), "temporary folder").where.line == 3


@pytest.mark.parametrize(
    ("version", "then"),
    [("3.6.1", "no transaction begins"), ("3.7.0", "taken for that number"), ("4.0.0", "taken for that number")],
)
def test_a_transaction_log_with_fewer_replicas_than_its_min_isr(version: str, then: str) -> None:
    """KAFKA-15583 caps it, since 3.7."""
    text = f"node.id=1\n{SOUND}transaction.state.log.replication.factor=2\ntransaction.state.log.min.isr=3\n"
    _, found = read_cluster_texts(
        [("b.properties", text, True)], Options(kafka_version=version, distribution="apache"), "x"
    )
    mine = one([*found], "transaction.state.log.min.isr=3 is above its replication factor 2")
    assert then in mine.what and mine.source.startswith("by rule: ")


def test_a_transaction_longer_than_the_brokers_allow(tmp_path: Path) -> None:
    files = three(SOUND) | {"pay.properties": PRODUCER + "transactional.id=t\ntransaction.timeout.ms=1000000\n"}
    found = findings(tmp_path, files, Options("3.9.1", distribution="apache", clients=("java:3.9",)))
    assert one(found, "transaction.max.timeout.ms=900000").where.line == 4


@pytest.mark.parametrize(("settings", "said"), [("", False), ("transaction.state.log.min.isr=1\n", True)])
def test_the_state_of_transactions_in_one_log_is_warned_of(settings: str, said: bool) -> None:
    options = Options(kafka_version="3.9.0", distribution="apache")
    _, findings = read_cluster_texts([("b.properties", f"node.id=1\n{SOUND}{settings}", True)], options, "x")
    assert (
        any(finding.what.startswith("transaction.state.log.min.isr=1 with 3 replicas") for finding in findings) == said
    )
