"""Rules of arithmetic and of experience: each is met by a cluster that breaks it, and silent where it does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.audit.auditing import read_cluster, read_cluster_texts
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options

from ...conftest import ROOT

BROKER = "broker.id={id}\nzookeeper.connect=z1,z2,z3\nlog.dirs=data\nbroker.rack={rack}\n"
TOPIC = "Topic: {name}\tTopicId: x\tPartitionCount: 1\tReplicationFactor: {rf}\tConfigs: {configs}\n"
PARTITION = "\tTopic: {name}\tPartition: 0\tLeader: 1\tReplicas: {replicas}\tIsr: {replicas}\n"


def topic_lines(name: str, replicas: str, configs: str = "") -> str:
    head = TOPIC.format(name=name, rf=len(replicas.split(",")), configs=configs)
    return head + PARTITION.format(name=name, replicas=replicas)


def findings(folder: Path, files: dict[str, str], options: Options | None = None) -> list[Finding]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return list(read_cluster([folder], options or Options(kafka_version="3.9.1", distribution="apache"))[1])


def one(found: list[Finding], word: str) -> Finding:
    (finding,) = [known for known in found if word in known.what]
    return finding


def three(extra: str = "", racks: str = "abc") -> dict[str, str]:
    return {f"server-{i}.properties": BROKER.format(id=i, rack=racks[i - 1]) + extra for i in (1, 2, 3)}


ALONE = ": while no majority is up, no partition gets a new leader"
SOUND = "default.replication.factor=3\nmin.insync.replicas=2\n"


def test_an_old_protocol_keeps_off_each_mend_that_it_gates(tmp_path: Path) -> None:
    """ApiVersion: KAFKA_2_1_IV1 has KIP-320, KAFKA_2_7_IV2 KIP-497."""
    for level, gated in (("2.0", ("KIP-320", "KIP-497")), ("2.1", ("KIP-497",)), ("2.7", ())):
        files = three(SOUND + f"inter.broker.protocol.version={level}\n")
        found = [finding.what for finding in findings(tmp_path, files, Options("2.8.1", distribution="apache"))]
        said = " ".join(text for text in found if "keeps off" in text)
        assert [name for name in ("KIP-320", "KIP-497") if name in said] == list(gated), level


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
    assert found.run is not None and found.source == f"{found.run.command}; KIP-890"
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


def test_a_temporary_folder(tmp_path: Path) -> None:
    text = BROKER.format(id=1, rack="a").replace("log.dirs=data", "log.dirs=" + "/" + "tmp/kafka-logs") + SOUND
    assert one(findings(tmp_path, {"server.properties": text}), "temporary folder").where.line == 3


KRAFT = "node.id={id}\nprocess.roles={roles}\nlog.dirs=d\nbroker.rack=r\ncontroller.quorum.voters={voters}\n" + SOUND


def kraft(roles: str = "broker", voters: str = "1@a:1,2@b:1,3@c:1", extra: str = "") -> dict[str, str]:
    return {"server.properties": KRAFT.format(id=9, roles=roles, voters=voters) + extra}


@pytest.mark.parametrize(
    ("version", "expected"),
    [("3.8.1", "ignores it in this version"), (None, "the version is not stated"), ("3.9", None)],
)
def test_unclean_elections_are_latent_in_kraft_before_3_9(
    tmp_path: Path, version: str | None, expected: str | None
) -> None:
    files = kraft("broker,controller", extra="unclean.leader.election.enable=true\n")
    found = findings(tmp_path, files, Options(version, distribution="apache"))
    latent = [finding for finding in found if finding.kind == "latent"]
    assert [expected in finding.what for finding in latent if expected] == ([True] if expected else [])
    assert bool(latent) == bool(expected)


CONTROLLER = "node.id={id}\nprocess.roles=controller\ncontroller.quorum.voters=101@c:1\nlog.dirs=m\n"
DYNAMIC = (
    "Dynamic configs for broker 1 are:\n  unclean.leader.election.enable=true sensitive=false "
    "synonyms={DYNAMIC_BROKER_CONFIG:unclean.leader.election.enable=true}\n"
)
UNCLEAN = "unclean.leader.election.enable=true\n"


@pytest.mark.parametrize("version", ["3.8.1", "3.9.0", "4.1.0", None])
@pytest.mark.parametrize(("one", "more"), [(UNCLEAN, {}), ("", {"broker-configs.txt": DYNAMIC})])
def test_unclean_elections_of_brokers_alone_have_no_effect_in_kraft_and_are_no_contradiction(
    tmp_path: Path, version: str | None, one: str, more: dict[str, str]
) -> None:
    broker = KRAFT.format(id="{id}", roles="broker", voters="101@c:1")
    files = {"b1.properties": broker.format(id=1) + one, "b2.properties": broker.format(id=2)}
    given = {"c.properties": CONTROLLER.format(id=101)}
    for controllers, has in (({}, "and their files were not given"), (given, "and have false")):
        found = findings(tmp_path, files | more | controllers, Options(version, distribution="apache"))
        about = [(finding.kind, finding.what) for finding in found if "unclean" in finding.what]
        what = "`unclean.leader.election.enable=true` of brokers alone has no effect: in KRaft the controllers decide"
        assert about == [("advice", f"{what}, {has}")]
    heard = {"c.properties": CONTROLLER.format(id=101) + UNCLEAN}
    found = findings(tmp_path, files | more | heard, Options(version, distribution="apache"))
    assert not [finding for finding in found if "has no effect" in finding.what]


@pytest.mark.parametrize(
    ("voters", "word"),
    [
        ("1@a:1", f"there is 1 controller with a vote, so none may fail{ALONE}"),
        ("1@a:1,2@b:1", f"there are 2 controllers with a vote, so none may fail{ALONE}"),
        ("1@a:1,2@b:1,3@c:1,4@d:1", "there are 4 controllers with a vote, so 1 may fail, no more than with 3"),
    ],
)
def test_how_many_controllers_may_fail(tmp_path: Path, voters: str, word: str) -> None:
    assert one(findings(tmp_path, kraft(voters=voters)), "with a vote").what == word


def test_three_controllers_are_enough_and_combined_ones_are_reported(tmp_path: Path) -> None:
    found = findings(tmp_path, kraft(roles="broker,controller"))
    assert [finding.what for finding in found if finding.kind != "not_modelled"] == [
        "1 node is broker and controller at once: one crash takes both a replica and a vote"
    ]


def test_zookeeper_is_gone_in_4_0(tmp_path: Path) -> None:
    found = findings(tmp_path, three(SOUND), Options("4.0.0", distribution="apache"))
    assert one(found, "removed in 4.0").kind == "contradiction"


PRODUCER = "key.serializer=x\nbootstrap.servers=a\n"
CONSUMER = "key.deserializer=x\ngroup.id=g\nenable.auto.commit=false\n"


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
    ("text", "client", "refused"),
    [
        ("group.protocol=consumer\nsession.timeout.ms=45000\n", "java:4.1", True),
        ("group.protocol=consumer\nsession.timeout.ms=45000\n", "java:3.9", False),
        ("auto.offset.reset=by_duration:PT1H\n", "java:3.9", True),
        ("auto.offset.reset=by_duration:PT1H\n", "java:4.0", False),
    ],
)
def test_a_consumer_that_does_not_start(tmp_path: Path, text: str, client: str, refused: bool) -> None:
    found = findings(tmp_path, {"app.properties": CONSUMER + text}, Options(clients=(client,)))
    assert bool([one for one in found if "the consumer does not start" in one.what]) is refused


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


@pytest.mark.parametrize(
    ("settings", "client", "stops"),
    [
        ("heartbeat.interval.ms=60000\nsession.timeout.ms=45000", "java:3.9", True),
        ("heartbeat.interval.ms=60000\nsession.timeout.ms=45000", "librdkafka:2.3.0", False),
        ("heartbeat.interval.ms=45000\nsession.timeout.ms=45000", "sarama:1.40.0", True),
        ("heartbeat.interval.ms=45000\nsession.timeout.ms=45000", "kafka-python:2.2.0", True),
        ("heartbeat.interval.ms=45000\nsession.timeout.ms=45000", "franz-go:1.15.0", False),
        ("heartbeat.interval.ms=46000\nsession.timeout.ms=45000", "franz-go:1.15.0", True),
        ("heartbeat.interval.ms=60000\nsession.timeout.ms=45000\ngroup.protocol=consumer", "java:3.6", True),
        ("heartbeat.interval.ms=60000\nsession.timeout.ms=45000\ngroup.protocol=consumer", "java:3.7", False),
        ("session.timeout.ms=400000", "librdkafka:2.3.0", True),
        ("max.poll.interval.ms=30000", "librdkafka:2.12.0", True),
        ("max.poll.interval.ms=30000\ngroup.protocol=consumer", "librdkafka:2.12.0", False),
        ("session.timeout.ms=400000", "java:3.9", False),
        ("group.protocol=consumer\nsession.timeout.ms=45000", "librdkafka:2.12.0", True),
        ("group.protocol=consumer\nheartbeat.interval.ms=3000", "librdkafka:2.16.0", True),
        ("group.protocol=consumer\npartition.assignment.strategy=range", "librdkafka:2.12.0", True),
        ("group.protocol=consumer\nsession.timeout.ms=45000", "librdkafka:2.8.0", False),
        ("group.protocol=consumer", "librdkafka:2.3.0", True),
        ("group.protocol=classic\ngroup.remote.assignor=uniform", "librdkafka:2.12.0", False),
        ("group.protocol=classic\ngroup.remote.assignor=uniform", "java:4.0", True),
        ("group.remote.assignor=uniform", "java:3.9", True),
        ("group.protocol=consumer\ngroup.remote.assignor=uniform", "java:4.0", False),
    ],
)
def test_each_client_refuses_what_its_own_source_says(tmp_path: Path, settings: str, client: str, stops: bool) -> None:
    found = findings(tmp_path, {"app.properties": f"{CONSUMER}{settings}\n"}, Options(clients=(client,)))
    assert any("the consumer does not start" in finding.what for finding in found) is stops
    assert all(finding.severity == "error" for finding in found if "does not start" in finding.what)


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
    found = findings(tmp_path, {"app.properties": text}, Options(clients=(client,)))
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


@pytest.mark.parametrize(
    ("lines", "warned"),
    [("transactional.id=t\n", False), ("enable.idempotence=true\n", False), ("linger.ms=5\n", True)],
)
def test_a_producer_in_transactions_waits_for_all_whatever_its_default_is(lines: str, warned: bool) -> None:
    """Before 3.0 acks=1 is the default; who asks for idempotence, or for transactions, has acks=all by that."""
    text = f"{lines}key.serializer=x\n"
    _, findings = read_cluster_texts([("producer.properties", text, True)], Options(clients=("java:2.8",)), "x")
    assert any("has acks=1, by default" in finding.what for finding in findings) == warned
