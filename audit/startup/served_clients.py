"""Clients that their brokers do not serve: a protocol that the brokers have no more, or not yet, or do not switch on.

Kafka 4.0 and later support Java clients of 2.1 and later (KIP-896). What they dropped are the requests of 0.10.2 and
older: Produce up to version 2 and Fetch up to 3 (`validVersions` of the messages of 4.0 to 4.3). Clients of 0.11 to 2.0
have newer ones, which brokers of 4.1.0 answer (2.0.1, 1.1.1 and 0.11.0.3 were tried), and nobody promises it. Of
librdkafka and kafka-python KIP-896 names the oldest release that was looked at; what is older is not known to work.
Sarama speaks as its `Version` says, which is 0.8.2 by default before 1.27.1 (Produce 0 to 2, Fetch 0 to 3: gone), and
its groups commit with OffsetCommit 1, which is gone, too, before 1.41.0, unless Consumer.Offsets.Retention is set
(offset_manager.go, constructRequest). KafkaJS before 1.4.0 produces with version 2 and fetches with 3 unless
`allowExperimentalV011` is set (protocol/requests/index.js, lookup); after it, it takes the newest of its versions that
brokers have, which 4.x have all. franz-go does so in every release, and kafka-go needs a newer JoinGroup alone.
JoinGroup of versions 0 and 1 is missing in 4.0.0 alone (KAFKA-19444): kafka-go before 0.4.48 sends nothing newer
(segmentio/kafka-go#1378), and librdkafka before 2.11.0 takes Kerberos for missing without it (its CHANGELOG, #5131).
Streams says itself what it needs of brokers (StreamsConfig): exactly_once_v2 needs 2.5, and the brokers' default number
of replicas, which is -1 and Streams' default since 3.0, needs CreateTopics of 2.4 (KIP-464, KIP-733).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..cluster.cluster import Client, Cluster
from ..cluster.findings import Finding
from ..cluster.settings import base_family, setting_value
from ..cluster.statements import Default, StatedValue, Unknown
from ..kafka.key_names import GUARANTEE, REPLICAS
from ..kafka.keys import declared_key
from ..kafka.versions import is_at_least

OLDEST_ANSWERED, BASELINE, FIRST_WITHOUT_OLD = "0.11", "2.1", "4.0"
"""The oldest Java client whose requests brokers of a release and later still have, and the oldest that they support."""

LOOKED_AT = {"librdkafka": "1.8.2", "kafka-python": "2.0.2"}
"""Of other clients the oldest that KIP-896 looked at, which is served."""

ASKED_OLD = {
    ("sarama", "producer"): ("1.27.1", "Version is 0.8.2 by default, whose Produce", "Version above 0.11"),
    ("sarama", "consumer"): ("1.41.0", "its groups' OffsetCommit of version 1", "Consumer.Offsets.Retention above 0"),
    ("kafkajs", "producer"): ("1.4.0", "its Produce of version 2", "allowExperimentalV011"),
    ("kafkajs", "consumer"): ("1.4.0", "its Fetch of version 3", "allowExperimentalV011"),
}
"""Of clients whose programs decide: the first release that asks for what brokers of 4.0 have, what an older one asks
for by default, and with what in the program it asks for newer."""

JOINS = {
    "kafka-go": ("0.4.48", "KAFKA-19444, segmentio/kafka-go#1378"),
    "librdkafka": ("2.11.0", "KAFKA-19444, librdkafka CHANGELOG v2.11.0"),
}
"""Clients that need JoinGroup of version 0 or 1, by family: the first that does not, and the source."""
MECHANISMS = ("sasl.mechanisms", "sasl.mechanism")
NEEDS = (
    (GUARANTEE, ("exactly_once_v2", "exactly_once_beta"), "2.5", "the application stops at its first commit"),
    (GUARANTEE, ("exactly_once",), "0.11", "the application stops at its first commit"),
    (REPLICAS, ("-1",), "2.4", "none of the application's topics can be created, and it stops"),
)
"""Settings of Streams: their values, the oldest brokers, and what happens with older ones."""

IDEMPOTENCE, TRANSACTIONAL = declared_key("enable.idempotence"), declared_key("transactional.id")


def unserved_client_findings(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """Why the brokers do not serve a client; of what may be too old, that it is not known."""
    yield from _old_client_findings(cluster, client)
    yield from _new_client_findings(cluster, client)
    yield from _asks_for_producer_ids(cluster, client)
    yield from _joins_no_group(cluster, client)
    yield from _streams_findings(cluster, client)


def _old_client_findings(cluster: Cluster, client: Client) -> Iterator[Finding]:
    kafka, version, family = cluster.versions.kafka, client.version, base_family(client)
    if kafka is None or version is None or is_at_least(kafka.value, FIRST_WITHOUT_OLD) is not True:
        return
    if family == "java" and is_at_least(version.value, OLDEST_ANSWERED) is False:
        what = (
            f"{client.name} is a Java client of {version.value}, and brokers of {kafka.value} have none of its "
            f"requests any more: the {client.kind} does not start"
        )
        yield Finding("contradiction", "error", what, version.origin, f"a client of {BASELINE} or later", "KIP-896")
    elif family == "java" and is_at_least(version.value, BASELINE) is False:
        what = (
            f"{client.name} is a Java client of {version.value}, which brokers of {kafka.value} do not support: some "
            f"of its requests may be refused, and whether the {client.kind} works is not known"
        )
        yield Finding("incomplete", "warning", what, version.origin, f"a client of {BASELINE} or later", "KIP-896")
    elif (asked := ASKED_OLD.get((family or "", client.kind))) and is_at_least(version.value, asked[0]) is False:
        what = (
            f"{client.name} is {family} {version.value}: {asked[1]} is refused by brokers of {kafka.value}, unless its "
            f"program has {asked[2]}: whether the {client.kind} works is not known"
        )
        yield Finding("incomplete", "warning", what, version.origin, f"{family} {asked[0]} or later", "KIP-896")
    elif family in LOOKED_AT and is_at_least(version.value, LOOKED_AT[family]) is False:
        what = (
            f"{client.name} is {family} {version.value}: whether brokers of {kafka.value}, which have no requests of "
            f"before {BASELINE} any more, serve it is not known; {LOOKED_AT[family]} is served"
        )
        to_do = f"{family} {LOOKED_AT[family]} or later"
        yield Finding("incomplete", "warning", what, version.origin, to_do, "KIP-896")


def _new_client_findings(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """KIP-896 the other way round: Java clients of 4.0 and later ask brokers for nothing older than 2.1 has."""
    kafka, version = cluster.versions.kafka, client.version
    if kafka is None or version is None or base_family(client) != "java":
        return
    is_new = is_at_least(version.value, FIRST_WITHOUT_OLD) is True
    if not is_new or is_at_least(kafka.value, BASELINE) is not False:
        return
    said = f"{client.name} is a Java client of {version.value}, and brokers of {kafka.value}"
    to_do = f"a client of before {FIRST_WITHOUT_OLD}, or brokers of {BASELINE} or later"
    if is_at_least(kafka.value, OLDEST_ANSWERED) is False:
        what = f"{said} have no version of its requests (UnsupportedVersionException): the {client.kind} does not work"
        yield Finding("contradiction", "error", what, version.origin, to_do, "KIP-896")
    else:
        what = f"{said} are older than it supports: whether the {client.kind} works is not known"
        yield Finding("incomplete", "warning", what, version.origin, to_do, "KIP-896")


def _asks_for_producer_ids(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """Idempotence and transactions need InitProducerId, which brokers have since 0.11 (KIP-98): a client that asks
    older ones for it fails each send (TransactionManager.TxnRequestHandler, a fatal error)."""
    kafka = cluster.versions.kafka
    if kafka is None or client.kind != "producer" or is_at_least(kafka.value, OLDEST_ANSWERED) is not False:
        return
    answers = ((key, setting_value(cluster, client, key)) for key in (TRANSACTIONAL, IDEMPOTENCE))
    key, asked = next(((key, answer) for key, answer in answers if _is_switched_on(answer)), ("", None))
    if asked is None or isinstance(asked, Unknown):
        return
    what = f"{client.name} asks for a producer's id (`{key}={asked.value}`), which brokers of {kafka.value} do not give"
    to_do = f"{IDEMPOTENCE}=false, or brokers of {OLDEST_ANSWERED} or later"
    if isinstance(asked, StatedValue):
        yield Finding("contradiction", "error", f"{what}: it writes nothing", asked.origin, to_do, "KIP-98")
    else:
        what += (
            " by default: whether it writes is not known, since acks, retries or requests in flight may switch it off"
        )
        yield Finding("incomplete", "warning", what, client.origin, to_do, "KIP-98")


def _is_switched_on(answer: StatedValue | Default | Unknown) -> bool:
    return not isinstance(answer, Unknown) and answer.value not in ("", "false")


def _joins_no_group(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """Clients that need JoinGroup of version 0 or 1; of brokers of 4.0 without a third number it is not known."""
    kafka, version, family = cluster.versions.kafka, client.version, base_family(client)
    if kafka is None or not re.fullmatch(r"4\.0(\.0)?", kafka.value):
        return
    mended, source = JOINS.get(family or "", ("", ""))
    kerberos = any(setting.key in MECHANISMS and setting.value.upper() == "GSSAPI" for setting in client.settings)
    needs = kerberos if family == "librdkafka" else client.kind == "consumer"
    if not mended or not needs:
        return
    if version is None:
        what = (
            f"whether {client.name} is {family} {mended} or later is not stated: older ones need JoinGroup of version "
        )
        what += f"0 or 1, which 4.0.0 does not have, and the {client.kind} does not start"
        yield Finding("incomplete", "warning", what, client.origin, f"--client {family}:VERSION", source)
        return
    if is_at_least(version.value, mended) is not False:
        return
    what = f"{client.name} is {family} {version.value}, which needs JoinGroup of version 0 or 1, and 4.0.0 has none"
    to_do = f"{family} {mended} or later, or brokers of 4.0.1"
    if kafka.value == "4.0":
        what += ": whether these brokers are of 4.0.0 is not said"
        yield Finding("incomplete", "warning", what, version.origin, f"{to_do}; --kafka-version 4.0.N", source)
    else:
        yield Finding(
            "contradiction", "error", f"{what}: the {client.kind} does not start", version.origin, to_do, source
        )


def _streams_findings(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """What Streams asks of brokers that are too old for it."""
    kafka = cluster.versions.kafka
    asked = {setting.key: setting for setting in client.settings if setting.key in (GUARANTEE, REPLICAS)}
    if kafka is None:
        return
    for key, values, since, effect in NEEDS:
        if key in asked and asked[key].value in values and is_at_least(kafka.value, since) is False:
            what = f"`{key}={asked[key].value}` needs brokers of {since}, and they are of {kafka.value}: {effect}"
            to_do = f"brokers of {since} or later" + (", or replication.factor=3" if key == REPLICAS else "")
            yield Finding("contradiction", "error", what, asked[key].origin, to_do, "StreamsConfig")
    by_itself = any(topic.streams == client.origin.path for topic in cluster.planned_topics)
    new = client.version is not None and is_at_least(client.version.value, "3.0") is True
    if by_itself and new and is_at_least(kafka.value, "2.4") is False:
        what = f"{REPLICAS} is not set, which is -1 since Streams 3.0 and needs brokers of 2.4, and they are of"
        what += f" {kafka.value}: none of the application's topics can be created, and it stops"
        to_do = "replication.factor=3, or brokers of 2.4 or later"
        yield Finding("contradiction", "error", what, client.origin, to_do, "KIP-464, KIP-733")
