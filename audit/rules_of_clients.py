"""Rules about producers and consumers: what does not start, timeouts that do not fit, what reads transactions."""

from __future__ import annotations

from collections.abc import Iterator

from . import starting
from .cluster import Client, Cluster, Finding, Unknown
from .keys import number_of, place_of, underneath, value_of
from .placing import has_one_by_default
from .producing import asks_for_idempotence
from .starting import stated


def of_clients(cluster: Cluster) -> Iterator[Finding]:
    """All of them."""
    for client in cluster.clients:
        if client.kind == "producer":
            yield from refused(cluster, client)
            yield from unsafe(cluster, client)
            yield from transactions(cluster, client)
        else:
            yield from heartbeats(cluster, client)
            yield from commits(cluster, client)
    yield from readers_of_transactions(cluster)
    yield from topics_of_streams(cluster)


def topics_of_streams(cluster: Cluster) -> Iterator[Finding]:
    """What Streams creates with one replica, unless its version is known to leave the number to the brokers."""
    for topic in cluster.planned:
        one = has_one_by_default(cluster, topic)
        if one is not False:
            application = topic.name.partition("-(")[0]
            when = "" if one else "before 3.0 "
            what = f"replication.factor is not set: {when}the topics of Streams' {application} have one replica"
            to_do = "replication.factor=3, or -1 for the brokers' default, which is what it is since 3.0"
            yield Finding("advice", "warning", what, topic.origin, to_do, "KIP-733")


def unsafe(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """What a producer loses whatever the cluster is: it does not wait for the copies, or it does not send again."""
    answer = value_of(cluster, client, "acks")
    safe = stated(client, "acks") is None and asks_for_idempotence(cluster, client)  # that makes it acks=all
    if not isinstance(answer, Unknown) and answer.value in _NOT_WAITING and not safe:
        by = "" if stated(client, "acks") else ", by default"
        what = f"{client.name} has acks={answer.value}{by}: {_NOT_WAITING[answer.value]}"
        yield Finding("advice", "warning", what, place_of(cluster, client, "acks"), "acks=all", "KIP-679")
    retries = stated(client, "retries")
    if retries is not None and retries.value == "0":
        what = f"{client.name} has retries=0: a record whose request fails while the leader moves is not sent again"
        to_do = "remove it; since 2.1 a time limit alone bounds retries"
        yield Finding("advice", "warning", what, retries.origin, to_do, "KIP-91")


_NOT_WAITING = {
    "0": "a lost request loses its records, and the producer gets no error",
    "1": "records that were acknowledged are lost when the leader's broker dies before the others have them",
}


def refused(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """What it does not start with, and what switches off the idempotence that nobody asked for."""
    refusals = list(starting.refusals(cluster, client))
    yield from refusals
    on = value_of(cluster, client, "enable.idempotence")
    if refusals or isinstance(on, Unknown) or on.value != "true" or stated(client, "enable.idempotence") is not None:
        return
    for setting in starting.in_force(client):
        if starting.breaks_idempotence(setting):
            what = f"`{setting.key}={setting.value}` switches idempotence off, which is on by default in this client"
            later = "; clients of 4.0 and later do not start with it" if setting.key == starting.IN_FLIGHT else ""
            source = "KAFKA-13673, KAFKA-17927" if later else "KAFKA-13673"
            yield Finding("advice", "warning", what + later, setting.origin, f"remove {setting.key}", source)


def transactions(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """A transaction may not take longer than the brokers allow."""
    wanted = number_of(cluster, client, "transaction.timeout.ms")
    transactional = stated(client, "transactional.id")
    for broker in [configured for configured in cluster.brokers if configured.settings][:1]:
        most = number_of(cluster, broker, "transaction.max.timeout.ms")
        if transactional is not None and wanted is not None and most is not None and wanted > most:
            what = f"transaction.timeout.ms={wanted} is above the brokers' transaction.max.timeout.ms={most}"
            where = place_of(cluster, client, "transaction.timeout.ms")
            yield Finding("contradiction", "error", what + ": it is refused", where, f"at most {most}", "KIP-98")


def heartbeats(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """Three heartbeats fit into a session; a session without one does not start."""
    beat, session = (number_of(cluster, client, key) for key in ("heartbeat.interval.ms", "session.timeout.ms"))
    if beat is None or session is None:
        return
    where = place_of(cluster, client, "heartbeat.interval.ms")
    if beat >= session:
        what = f"heartbeat.interval.ms={beat} is not below session.timeout.ms={session}: the consumer does not start"
        yield Finding("contradiction", "error", what, where, f"at most {session // 3}")
    elif beat * 3 > session:
        what = f"heartbeat.interval.ms={beat} is above a third of session.timeout.ms={session}: one lost is a rebalance"
        yield Finding("advice", "note", what, where, f"at most {session // 3}")


def commits(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """Offsets committed by a clock say what was fetched, not what was done."""
    answer = value_of(cluster, client, "enable.auto.commit")
    if isinstance(answer, Unknown) or answer.value != "true":
        return
    what = "offsets are committed by a clock: records that were fetched and not yet processed are skipped after a crash"
    if underneath(client) == "java":
        what += ", if they are processed outside of the polling thread"
    to_do = "enable.auto.commit=false, and commit after processing"
    yield Finding(
        "advice", "note", what, place_of(cluster, client, "enable.auto.commit"), to_do, "KafkaConsumer, javadoc"
    )


def readers_of_transactions(cluster: Cluster) -> Iterator[Finding]:
    """Whoever reads what transactions write sees aborted records, unless it says read_committed."""
    for use in cluster.uses:
        writers = [client for name in use.producers if (client := cluster.client(name, "producer"))]
        if not any(stated(client, "transactional.id") for client in writers):
            continue
        for name in use.consumers:
            reader = cluster.client(name, "consumer")
            level = value_of(cluster, reader, "isolation.level") if reader is not None else None
            if reader is None or level is None or isinstance(level, Unknown) or level.value == "read_committed":
                continue
            what = f"{reader.name} reads {use.pattern}, which transactions write, and sees aborted records too"
            where = place_of(cluster, reader, "isolation.level")
            yield Finding("advice", "warning", what, where, "isolation.level=read_committed", "KIP-98")
