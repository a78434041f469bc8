"""Rules about producers and consumers: what does not start, timeouts that do not fit, what reads transactions."""

from __future__ import annotations

from collections.abc import Iterator

from ...model.consumer.state import Commits
from ..cluster.cluster import Client, Cluster
from ..cluster.findings import Finding
from ..cluster.settings import base_family, setting_number, setting_place, setting_value
from ..cluster.statements import Origin, Unknown
from ..exploring.client_models import DURABLE, LOST, THERE, TOLD, Sender, Settings, crash_costs, possible_costs
from ..facts.placement import has_one_by_default
from ..facts.producers import MODEL_ACKS, asks_for_idempotence, repeats_sequence_numbers
from ..kafka.internal_topics import SHARE
from ..kafka.keys import declared_key, is_false, is_true
from ..kafka.versions import is_at_least
from ..startup import producers
from ..startup.client_settings import refused_values, settings_in_force, stated_setting
from ..startup.group_protocols import group_findings, share_setting
from ..startup.producers import is_transactional, why_producer_stops
from ..startup.served_clients import unserved_client_findings
from .group_members import has_new_protocol, member_rules
from .librdkafka import falsely_written

ACKS = declared_key("acks")
ENABLE_AUTO_COMMIT = declared_key("enable.auto.commit")
ENABLE_AUTO_OFFSET_STORE = declared_key("enable.auto.offset.store")
ENABLE_IDEMPOTENCE = declared_key("enable.idempotence")
GROUP_PROTOCOL = declared_key("group.protocol")
ISOLATION_LEVEL = declared_key("isolation.level")
RETRIES = declared_key("retries")


def client_rules(cluster: Cluster) -> Iterator[Finding]:
    """All of them."""
    for client in cluster.clients:
        yield from unserved_client_findings(cluster, client)
        yield from group_findings(cluster, client)
        yield from refused_values(client, only_undeclared=True)
        if client.kind == "producer":
            yield from refused_settings(cluster, client)
            yield from unsafe_producer_findings(cluster, client)
            yield from sequence_reuse_findings(cluster, client)
            yield from forgotten_producer_findings(cluster, client)
            yield from falsely_written(cluster, client)
            yield from two_phases_not_sent(client)
        elif (shared := share_setting(client)) is not None:
            what = f"{client.name} is a share consumer (`{shared.key}`): what is said of committed offsets and of where"
            what += " consumers begin is not said of share groups, whose state is in __share_group_state"
            yield Finding("not_modelled", "note", what, shared.origin, f"read the answers about {SHARE}", "KIP-932")
            yield share_groups_that_skip(client, shared.origin)
        else:
            yield from member_rules(cluster, client)
            yield from timed_commit_findings(cluster, client)
    yield from readers_of_transactions(cluster)
    yield from topics_of_streams(cluster)


def share_groups_that_skip(client: Client, where: Origin) -> Finding:
    """A share group without a start offset begins at the newest end whenever another broker leads (KIP-932, read in
    4.1.1 to 4.3.0): the offset is written with the first record that is finished. No file says what a group's own
    `share.auto.offset.reset` is."""
    what = (
        f"{client.name} is a share consumer: while its group has finished no record of a partition, a move of that "
        "partition's leader skips what is there, with share.auto.offset.reset=latest, its default; in a partition that "
        "is added, what came before the group knew of it is skipped, too (KAFKA-20742)"
    )
    to_do = "kafka-configs.sh --alter --entity-type groups --entity-name GROUP --add-config "
    to_do += "share.auto.offset.reset=earliest, before the group begins"
    source = _check_command("share_group", "kafka_4_2 --bounds one_move", "nothing_is_skipped")
    return Finding("client", "warning", what, where, to_do, f"{source}; KIP-932, source of 4.1.1 to 4.3.0")


def two_phases_not_sent(client: Client) -> Iterator[Finding]:
    """Transactions of two phases (KIP-939), which no client asks for yet: the setting is known since 4.1, and nothing
    sends it (TransactionManager.initializeTransactions of 4.1.1 to 4.4.0; its request is unstable in brokers)."""
    asked = stated_setting(client, producers.TWO_PHASES)
    if asked is None or not is_true(asked.value) or base_family(client) not in (None, "java"):
        return
    old = client.version is not None and is_at_least(client.version.value, "4.1") is False
    why = "clients of before 4.1 do not know it" if old else "clients of 4.1 to 4.4 do not send it"
    what = (
        f"`{asked.key}=true`: {why}: brokers abort a prepared transaction once transaction.timeout.ms is over, though "
        "its coordinator may have committed it elsewhere"
    )
    to_do = f"no two-phase commit over Kafka, and remove {asked.key}"
    yield Finding("incomplete", "error", what, asked.origin, to_do, "KIP-939, KAFKA-15370")


def topics_of_streams(cluster: Cluster) -> Iterator[Finding]:
    """What Streams creates with one replica, unless its version is known to leave the number to the brokers."""
    for topic in cluster.planned_topics:
        one = has_one_by_default(cluster, topic)
        if one is not False:
            application = topic.name.partition("-(")[0]
            when = "" if one else "before 3.0 "
            what = f"replication.factor is not set: {when}the topics of Streams' {application} have one replica"
            to_do = "replication.factor=3, or -1 for the brokers' default, which is what it is since 3.0"
            yield Finding("advice", "warning", what, topic.origin, to_do, "KIP-733")


def unsafe_producer_findings(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """What a producer loses whatever the cluster is, as its model says: it does not wait for the copies, or it does not
    send again."""
    answer = setting_value(cluster, client, ACKS)
    acks = None if isinstance(answer, Unknown) else MODEL_ACKS.get(answer.value)
    safe = stated_setting(client, ACKS) is None and asks_for_idempotence(cluster, client)  # that makes it acks=all
    if acks in _NOT_WAITING and not safe and not isinstance(answer, Unknown):
        name, means, profile = _NOT_WAITING[acks]
        if name in possible_costs(Sender(acks, careful=False, max_in_flight=1, retries=True)):
            by = "" if stated_setting(client, ACKS) else ", by default"
            what = f"{client.name} has acks={answer.value}{by}: {means}"
            where = setting_place(cluster, client, ACKS)
            kip = "; KIP-679" if base_family(client) == "java" else ""
            yield Finding(
                "client", "warning", what, where, "acks=all", f"{_check_command('producer', profile, name)}{kip}"
            )
    retries = stated_setting(client, RETRIES)
    no_retries = Sender("all", careful=False, max_in_flight=1, retries=False)
    if retries is not None and retries.value == "0" and THERE in possible_costs(no_retries):
        what = f"{client.name} has retries=0: a record whose request fails while the leader moves is not sent again"
        timed = base_family(client) in (None, "java")
        to_do = "remove it; since 2.1 a time limit alone bounds retries" if timed else "remove it, or set it above 0"
        check = _check_command("producer", "no_retries --bounds one_error", THERE)
        yield Finding("client", "warning", what, retries.origin, to_do, f"{check}; KIP-91" if timed else check)


def sequence_reuse_findings(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """Java's idempotent producer of 2.1 to 2.4 may acknowledge what is not there: Sender of 2.4.1; KIP-360 ends it."""
    if repeats_sequence_numbers(cluster, client):
        what = (
            f"{client.name}: up to 2.4 the sequence of a batch whose delivery.timeout.ms is over is given to the next"
        )
        what += " one, which is acknowledged and not there if the first was written"
        where = setting_place(cluster, client, ENABLE_IDEMPOTENCE)
        check = _check_command("producer", "gives_up_2_4 --bounds network", DURABLE)
        yield Finding("client", "warning", what, where, "a client of 2.5", f"{check}; KIP-360")


def forgotten_producer_findings(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """Brokers of 0.11 remember an idempotent producer's last batch alone (ProducerStateManager of 0.11.0.3); clients of
    that time had one request in flight, and those from 1.0 on may have five (KAFKA-5494)."""
    kafka, version = cluster.versions.kafka, client.version
    old = kafka is not None and is_at_least(kafka.value, "0.11") is True and is_at_least(kafka.value, "1.0") is False
    if not old or version is None or is_at_least(version.value, "1.0") is not True:
        return
    if base_family(client) not in ("java", "librdkafka"):  # what others have in flight then is not known
        return
    if asks_for_idempotence(cluster, client) and setting_number(cluster, client, producers.IN_FLIGHT) != 1:
        what = f"{client.name}: brokers of 0.11 remember one batch of an idempotent producer, and it may have more in"
        what += " flight; of an earlier one that is sent again it reports that it failed, and the record is there"
        to_do = f"{producers.IN_FLIGHT}=1, or brokers of 1.0"
        where = setting_place(cluster, client, producers.IN_FLIGHT)
        check = _check_command("producer", "short_memory --bounds network", "given_up_is_not_there")
        yield Finding("client", "warning", what, where, to_do, f"{check}; KAFKA-5494")


def _check_command(model: str, profile: str, name: str) -> str:
    """The command that shows a run of it."""
    return f"tidegate check {model}:{profile} --property {name}"


_NOT_WAITING = {
    "none": (TOLD, "a lost request loses its records, and the producer gets no error", "acks_0 --bounds connection"),
    "leader": (
        DURABLE,
        "records that were acknowledged are lost when the leader's broker dies before the others have them",
        "acks_1 --bounds network",
    ),
}


def refused_settings(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """What it does not start with, and what switches off the idempotence that nobody asked for."""
    refusals = list(producers.combination_refusals(cluster, client))
    yield from refusals
    unknown = producers.unknown_refusal(cluster, client)
    if unknown is not None:
        yield unknown
    on = setting_value(cluster, client, ENABLE_IDEMPOTENCE)
    if (
        refusals
        or isinstance(on, Unknown)
        or not is_true(on.value)
        or stated_setting(client, ENABLE_IDEMPOTENCE) is not None
    ):
        return
    for setting in settings_in_force(client):
        if producers.is_switching_idempotence_off(client, setting):
            what = f"`{setting.key}={setting.value}` switches idempotence off, which is on by default in this client"
            java = base_family(client) == "java"
            refused_later = java and setting.key == producers.IN_FLIGHT
            later = "; clients of 4.0 and later do not start with it" if refused_later else ""
            source = "KAFKA-13673, KAFKA-17927" if later else "KAFKA-13673" if java else "the client's source"
            yield Finding("advice", "warning", what + later, setting.origin, f"remove {setting.key}", source)


def timed_commit_findings(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """Offsets that are committed by a clock: which records a crash skips then, as the consumer's model says of the
    client's way to commit. Of a client whose code is not stated, or is not known here, it may be any of them."""
    answer = setting_value(cluster, client, ENABLE_AUTO_COMMIT)
    if isinstance(answer, Unknown) or not is_true(answer.value):
        return
    where, how = setting_place(cluster, client, ENABLE_AUTO_COMMIT), way_to_commit(client)
    of_librdkafka = base_family(client) == "librdkafka"
    what = "offsets are committed by a clock: records that were fetched and not yet processed"
    to_do = "enable.auto.commit=false, and commit after processing"
    if how is None or LOST in crash_costs(how):
        check = _check_command("consumer", "kafka_18641 --bounds one_crash", LOST)
        if how is None:
            what += " may be skipped after a crash; that depends on the client's code, which is not known here"
            yield Finding("client", "note", what, where, f"{to_do}; or say whose client it is, with --client", check)
        elif of_librdkafka:
            to_do = "enable.auto.offset.store=false, and store an offset after processing"
            source = f"{check}; librdkafka, CONFIGURATION.md"
            yield Finding("client", "note", f"{what} are skipped after a crash", where, to_do, source)
        else:
            what += " are skipped after a crash, since group.protocol=consumer commits in the background up to 3.9"
            to_do += "; or a client of 4.0"
            yield Finding("client", "warning", what, where, to_do, f"{check}; KAFKA-18641")
    elif LOST in crash_costs((*how, ("hands_over", True))):
        what += " are skipped after a crash, if they are processed outside of the polling thread"
        source = f"{_check_command('consumer', 'auto_handed_over --bounds one_crash', LOST)}; KafkaConsumer, javadoc"
        if base_family(client) == "java" and has_new_protocol(client):  # CommitRequestManager of 4.1.0
            what += (
                ", or if a commit before a rebalance is sent again: group.protocol=consumer takes new offsets for it"
            )
            retried = _check_command("consumer", "kip_848_retry --bounds one_crash", LOST)
            source += f"; {retried}; autoCommitSyncBeforeRebalanceWithRetries, source of 4.1.0"
        yield Finding("client", "note", what, where, to_do, source)


def way_to_commit(client: Client) -> Settings | None:
    """How a client's automatic commits are in the consumer's model; None where its code is not stated or not known.

    Java's consumer, kafka-python's and franz-go's commit what the polls before the last one returned; Sarama's commits
    what the application has marked, as librdkafka's does what it has stored, where it is to store offsets itself
    (`enable.auto.offset.store=false`). Otherwise librdkafka stores an offset before the application has the record. The
    consumer of KIP-848 committed in the background up to 3.9: CommitRequestManager calls maybeAutoCommitAsync in its
    own poll in 3.9.1, and in 4.0.0 only for one of the application. A commit before a rebalance that is sent again
    takes positions anew in the background in 4.1.0, too (`kip_848_retry`), if it fails before:
    of that there is a note.
    """
    family, stores = base_family(client), stated_setting(client, ENABLE_AUTO_OFFSET_STORE)
    if family == "sarama" or (family == "librdkafka" and stores is not None and is_false(stores.value)):
        return (("commits", Commits.EACH),)
    if family == "librdkafka" or _commits_in_background(client):
        return (("background_commit", True),)
    return () if family in _COMMITTING_IN_POLL else None


_COMMITTING_IN_POLL = ("java", "kafka-python", "franz-go")


def _commits_in_background(client: Client) -> bool:
    """Whether a client has KIP-848's consumer, and may be of a release whose background thread commits."""
    old = client.version is None or is_at_least(client.version.value, "4.0") is not True
    return base_family(client) == "java" and has_new_protocol(client) and old


def readers_of_transactions(cluster: Cluster) -> Iterator[Finding]:
    """Whoever reads what transactions write sees aborted records, unless it says read_committed. Of consumers of which
    nothing says what they read it is said where a producer of the files is transactional."""
    writers = {
        client.name for client in cluster.clients if client.kind == "producer" and _writes_transactions(cluster, client)
    }
    used = [use for use in cluster.uses if use.subject == "topic"]
    for use in used:
        for name in use.consumers if writers & {*use.producers} else ():
            reader = cluster.client(name, "consumer")
            if reader is not None:
                yield from _aborted_reads_findings(
                    cluster, reader, f"reads {use.pattern}, which transactions write, and sees"
                )
    named = {name for use in used for name in use.consumers}
    for reader in cluster.clients if writers else ():
        yield from _reconciles_in_background(cluster, reader)
        if reader.kind == "consumer" and reader.name not in named:
            does = f"has no topics in audit.toml; of those that {min(writers)} writes in transactions it would see"
            yield from _aborted_reads_findings(cluster, reader, does)


def _reconciles_in_background(cluster: Cluster, reader: Client) -> Iterator[Finding]:
    """Java's consumer of KIP-848 revokes between two polls, and says the next epoch then (4.0.0 to 4.2.0)."""
    if reader.kind != "consumer" or base_family(reader) != "java" or not has_new_protocol(reader):
        return
    commits_itself = setting_value(cluster, reader, ENABLE_AUTO_COMMIT)
    if not isinstance(commits_itself, Unknown) and is_false(commits_itself.value):
        what = (
            f"{reader.name} has group.protocol=consumer, and revokes partitions while its application processes, unless"
        )
        what += (
            " there is a ConsumerRebalanceListener: where its offsets are committed in transactions, they count with"
        )
        what += " the next epoch, and another member processes the same records"
        check = _check_command(
            "transactional_processing", "kip_848_without_listener --bounds two_members --symmetry", "exactly_once"
        )
        to_do = "group.protocol=classic where offsets are committed in transactions; a listener leaves less of it"
        source = f"{check}; AbstractMembershipManager.maybeReconcile, source of 4.0.0 to 4.2.0"
        yield Finding("client", "warning", what, setting_place(cluster, reader, GROUP_PROTOCOL), to_do, source)


def _writes_transactions(cluster: Cluster, client: Client) -> bool:
    return is_transactional(client) and not why_producer_stops(cluster, client)


def _aborted_reads_findings(cluster: Cluster, reader: Client, does: str) -> Iterator[Finding]:
    level = setting_value(cluster, reader, ISOLATION_LEVEL)
    if isinstance(level, Unknown) or level.value == "read_committed":
        return
    what = f"{reader.name} {does} aborted records too (isolation.level={level.value})"
    where = setting_place(cluster, reader, ISOLATION_LEVEL)
    yield Finding("advice", "warning", what, where, "isolation.level=read_committed", "by rule: KIP-98")
    if base_family(reader) == "librdkafka":  # rd_kafka_OffsetFetchRequest, require_stable_offsets
        what = f"{reader.name} does not wait for offsets that are in a transaction (librdkafka, isolation.level="
        what += f"{level.value}): where offsets are committed in transactions, who takes a partition over can process"
        what += " records once more, and write their results twice"
        check = _check_command("transactional_processing", "unawaited --bounds two_members --symmetry", "exactly_once")
        yield Finding("client", "warning", what, where, "isolation.level=read_committed", f"{check}; KIP-447")
