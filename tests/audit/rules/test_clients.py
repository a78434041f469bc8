"""Rules about producers and consumers, each as its client's own source has it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.audit.auditing import read_cluster, read_cluster_texts
from tidegate.audit.joining.options import Options

from ...support.rules import CONSUMER, PRODUCER, findings, one

AUTOMATIC = CONSUMER.replace("false", "true")


NEW = AUTOMATIC + "group.protocol=consumer\n"


@pytest.mark.parametrize(
    ("text", "client", "says", "severity"),
    [
        (AUTOMATIC, "java:3.9", "outside of the polling thread", "note"),
        (AUTOMATIC, "kafka-python:2.0", "outside of the polling thread", "note"),
        (AUTOMATIC, "librdkafka:2.3", "are skipped after a crash", "note"),
        (NEW, "java:3.9", "commits in the background up to 3.9", "warning"),
        (NEW, "java:4.0", "is sent again: group.protocol=consumer takes new offsets for it", "note"),
    ],
)
def test_whose_automatic_commits_skip_what(tmp_path: Path, text: str, client: str, says: str, severity: str) -> None:
    finding = one(findings(tmp_path, {"app.properties": text}, Options(clients=(client,))), "committed by a clock")
    assert (finding.what.endswith(says), finding.severity) == (True, severity)


@pytest.mark.parametrize(
    ("idempotent", "client", "warned"),
    [
        ("true", "java:2.4", True),
        ("true", "java:2.1", True),
        ("true", "java:2.0", False),
        ("true", "java:2.5", False),
        ("false", "java:2.4", False),
        ("true", "librdkafka:2.3", False),
    ],
)
def test_whose_sequences_are_given_to_the_next_record(
    tmp_path: Path, idempotent: str, client: str, warned: bool
) -> None:
    text = f"{PRODUCER}acks=all\nenable.idempotence={idempotent}\n"
    found = findings(tmp_path, {"app.properties": text}, Options(clients=(client,)))
    assert any("is given to the next" in finding.what for finding in found) == warned


@pytest.mark.parametrize(
    ("kafka", "client", "text", "warned"),
    [
        ("0.11.0.3", "java:2.8", "", True),
        ("0.11.0.3", "librdkafka:1.9", "", True),
        ("0.11.0.3", "java:2.8", "max.in.flight.requests.per.connection=1\n", False),
        ("1.0.2", "java:2.8", "", False),
        ("0.11.0.3", "java:0.11", "max.in.flight.requests.per.connection=1\n", False),
        ("0.11.0.3", "java:2.8", "enable.idempotence=false\n", False),
    ],
)
def test_brokers_of_0_11_remember_one_batch(tmp_path: Path, kafka: str, client: str, text: str, warned: bool) -> None:
    idempotent = "" if "idempotence" in text else "enable.idempotence=true\n"
    files = {"app.properties": f"{PRODUCER}acks=all\n{idempotent}{text}"}
    found = findings(tmp_path, files, Options(kafka, distribution="apache", clients=(client,)))
    assert any("remember one batch" in finding.what for finding in found) == warned


@pytest.mark.parametrize(
    ("text", "client"), [(AUTOMATIC, "sarama:1.40"), (AUTOMATIC + "enable.auto.offset.store=false\n", "librdkafka:2.3")]
)
def test_who_marks_what_is_processed_commits_no_more(tmp_path: Path, text: str, client: str) -> None:
    found = findings(tmp_path, {"app.properties": text}, Options(clients=(client,)))
    assert not [finding for finding in found if "committed by a clock" in finding.what]


@pytest.mark.parametrize(
    ("text", "word", "kind"),
    [
        (PRODUCER + "enable.idempotence=true\nacks=1\n", "the producer does not start", "contradiction"),
        (PRODUCER + "transactional.id=t\nretries=0\n", "the producer does not start", "contradiction"),
        (PRODUCER + "acks=1\n", "switches idempotence off", "advice"),
        (PRODUCER + "max.in.flight.requests.per.connection=6\n", "switches idempotence off", "advice"),
        (PRODUCER + "delivery.timeout.ms=10000\n", "linger.ms + request.timeout.ms", "contradiction"),
        (CONSUMER + "heartbeat.interval.ms=45000\n", "the consumer does not start", "contradiction"),
        (CONSUMER + "heartbeat.interval.ms=20000\n", "one lost is a rebalance", "advice"),
        (CONSUMER.replace("false", "true"), "committed by a clock", "client"),
    ],
)
def test_rules_of_clients(tmp_path: Path, text: str, word: str, kind: str) -> None:
    found = findings(tmp_path, {"app.properties": text}, Options(clients=("java:3.9",)))
    finding = one(found, word)
    assert finding.kind == kind
    assert finding.where.line == text.count("\n")


@pytest.mark.parametrize("setting", ["acks=1", "retries=0", "max.in.flight.requests.per.connection=6"])
@pytest.mark.parametrize(
    ("client", "asked", "word"),
    [
        ("java:2.8", "enable.idempotence=true", "does not start"),
        ("java:4.0", "enable.idempotence=true", "does not start"),
        ("librdkafka:2.3", "enable.idempotence=true", "does not start"),
        ("java:4.0", "enable.idempotence=false", ""),
        ("java:2.8", "", ""),
        ("java:3.9", "", "switches idempotence off"),
        ("java:4.0", "", "switches idempotence off"),
        ("java:4.0", "transactional.id=t", "does not start"),
    ],
)
def test_idempotence_is_refused_where_it_is_asked_for_and_switched_off_where_it_is_not(
    tmp_path: Path, client: str, asked: str, word: str, setting: str
) -> None:
    """ProducerConfig, postProcessAndValidateIdempotenceConfigs; since 4.0 over 5 in flight is refused by default, too
    (KAFKA-17927)."""
    text = PRODUCER + f"{setting}\n{asked}\n"
    every = findings(tmp_path, {"app.properties": text}, Options(clients=(client,)))
    found = [finding for finding in every if finding.kind != "unknown_key"]  # PRODUCER has Java's keys
    said = [finding.what for finding in found if "idempotence off" in finding.what or "does not start" in finding.what]
    if client == "java:4.0" and not asked and "in.flight" in setting:
        word = "since 4.0 that is refused: the producer does not start"
    assert len(said) == bool(word) and all(word in part for part in said)


def test_transactions_without_idempotence_do_not_start_and_the_last_line_counts(tmp_path: Path) -> None:
    text = PRODUCER + "transactional.id=t\nenable.idempotence=false\n"
    found = findings(tmp_path, {"app.properties": text}, Options(clients=("java:3.9",)))
    assert one(found, "with transactional.id: the producer does not start").severity == "error"
    text = PRODUCER + "enable.idempotence=true\nacks=1\nacks=all\n"
    found = findings(tmp_path, {"app.properties": text}, Options(clients=("java:3.9",)))
    assert not [finding for finding in found if "does not start" in finding.what]


def test_clients_of_which_nothing_is_known_get_no_rule(tmp_path: Path) -> None:
    assert findings(tmp_path, {"app.properties": "acks=all\nlinger.ms=5\n"}) == []


@pytest.mark.long
def test_readers_of_transactions(tmp_path: Path) -> None:
    files = {
        "pay.properties": PRODUCER + "transactional.id=t\n",
        "ledger.properties": CONSUMER,
        "audit.toml": '[topic.pay]\nproducer = "pay.properties"\nconsumer = "ledger.properties"\n',
    }
    found = findings(tmp_path, files, Options(clients=("java:3.9",)))
    assert one(found, "sees aborted records").severity == "warning"
    (tmp_path / "ledger.properties").write_text(CONSUMER + "isolation.level=read_committed\n")
    assert all(
        "aborted records" not in finding.what for finding in read_cluster([tmp_path], Options(clients=("java:3.9",)))[1]
    )


@pytest.mark.parametrize(
    ("own", "client", "said"),
    [
        ("isolation.level=read_uncommitted\n", "librdkafka:2.3", True),
        ("", "librdkafka:2.3", False),
        ("isolation.level=read_uncommitted\n", "java:3.9", False),
    ],
)
def test_who_does_not_wait_for_offsets_in_a_transaction(tmp_path: Path, own: str, client: str, said: bool) -> None:
    """Java's consumer always asks for stable offsets, and librdkafka's with read_committed alone (KIP-447)."""
    files = {"pay.properties": PRODUCER + "transactional.id=t\n", "ledger.properties": CONSUMER + own}
    found = findings(tmp_path, files, Options("3.5", clients=(client,)))
    assert any("does not wait for offsets that are in a transaction" in one.what for one in found) == said


@pytest.mark.parametrize(
    ("producer", "own", "client", "said"),
    [
        ("transactional.id=t\n", "group.protocol=consumer\n", "java:4.2", True),
        ("transactional.id=t\n", "group.protocol=classic\n", "java:4.2", False),
        ("transactional.id=t\n", "group.protocol=consumer\n", "librdkafka:2.12", False),
        ("", "group.protocol=consumer\n", "java:4.2", False),
    ],
)
def test_offsets_in_transactions_of_a_consumer_that_reconciles_in_the_background(
    tmp_path: Path, producer: str, own: str, client: str, said: bool
) -> None:
    """`transactional_processing:kip_848_without_listener` violates `exactly_once`."""
    files = {"pay.properties": PRODUCER + producer, "ledger.properties": CONSUMER + own}
    found = findings(tmp_path, files, Options("4.2", clients=(client,)))
    assert any("revokes partitions while its application processes" in one.what for one in found) == said


@pytest.mark.parametrize(
    ("producer", "consumer", "said"),
    [
        ("transactional.id=t\n", "", True),
        ("transactional.id=t\n", "isolation.level=read_uncommitted\n", True),
        ("transactional.id=t\n", "isolation.level=read_committed\n", False),
        ("", "isolation.level=read_uncommitted\n", False),
        ("transactional.id=t\nenable.idempotence=false\n", "", False),
    ],
)
def test_a_reader_of_which_nothing_says_what_it_reads(tmp_path: Path, producer: str, consumer: str, said: bool) -> None:
    """Beside a transactional producer that starts; one that does not writes nothing."""
    files = {"pay.properties": PRODUCER + producer, "ledger.properties": CONSUMER + consumer}
    found = findings(tmp_path, files, Options("3.5", clients=("java:3.9",)))
    mine = [finding for finding in found if "it would see aborted records" in finding.what]
    assert [finding.severity for finding in mine] == ["warning"] * said
    hangs = [finding for finding in found if "that is late" in finding.what]
    assert bool(hangs) == ("transactional" in producer and "idempotence=false" not in producer)


@pytest.mark.parametrize(
    ("lines", "warned"),
    [("transactional.id=t\n", False), ("enable.idempotence=true\n", False), ("linger.ms=5\n", True)],
)
def test_a_producer_in_transactions_waits_for_all_whatever_its_default_is(lines: str, warned: bool) -> None:
    """Before 3.0 acks=1 is the default; who asks for idempotence, or for transactions, has acks=all by that."""
    text = f"{lines}key.serializer=x\n"
    _, findings = read_cluster_texts([("producer.properties", text, True)], Options(clients=("java:2.8",)), "x")
    assert any("has acks=1, by default" in finding.what for finding in findings) == warned


@pytest.mark.parametrize(("client", "cited"), [("java:3.9", True), ("librdkafka:2.3", False)])
def test_a_kip_on_javas_producer_is_cited_of_javas_alone(tmp_path: Path, client: str, cited: bool) -> None:
    text = f"{PRODUCER}acks=1\nenable.idempotence=false\n"
    finding = one(findings(tmp_path, {"app.properties": text}, Options(clients=(client,))), "has acks=1")
    assert ("KIP-679" in finding.source) is cited


def test_a_share_consumer_skips_where_its_group_has_no_start_offset() -> None:
    """KAFKA-20742, and share_group:kafka_4_2; a consumer of another protocol does not."""
    what = (
        "c.properties is a share consumer: while its group has finished no record of a partition, a move of that "
        "partition's leader skips what is there, with share.auto.offset.reset=latest, its default; in a partition that "
        "is added, what came before the group knew of it is skipped, too (KAFKA-20742)"
    )
    for setting, found in (("share.acknowledgement.mode=explicit", [what]), ("group.protocol=consumer", [])):
        text = f"bootstrap.servers=b:9092\ngroup.id=g\n{setting}\n"
        files = [("c.properties", text, True)]
        _, findings = read_cluster_texts(files, Options(kafka_version="4.2.0", distribution="apache"), "x")
        assert [finding.what for finding in findings if "is a share consumer: while" in finding.what] == found
