"""Numbers of a broker that Kafka refuses together, and about which nothing else is asked (`KafkaConfig.validateValues`,
3.9.0; `validateLogConfig`, 4.0.0)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..cluster.cluster import Broker, Cluster
from ..cluster.settings import setting_number, stated_settings
from ..cluster.statements import Origin, Setting
from ..kafka.keys import declared_key, other_settings
from ..kafka.versions import is_at_least

CONNECTIONS_MAX_IDLE_MS = declared_key("connections.max.idle.ms")
CONNECTION_FAILED_AUTHENTICATION_DELAY_MS = declared_key("connection.failed.authentication.delay.ms")
LOG_CLEANER_DEDUPE_BUFFER_SIZE = declared_key("log.cleaner.dedupe.buffer.size")
LOG_CLEANER_THREADS = declared_key("log.cleaner.threads")
LOG_ROLL_HOURS = declared_key("log.roll.hours")
LOG_ROLL_JITTER_HOURS = declared_key("log.roll.jitter.hours")
LOG_ROLL_JITTER_MS = declared_key("log.roll.jitter.ms")
LOG_ROLL_MS = declared_key("log.roll.ms")
NUM_REPLICA_FETCHERS = declared_key("num.replica.fetchers")
OFFSETS_COMMIT_REQUIRED_ACKS = declared_key("offsets.commit.required.acks")
OFFSETS_TOPIC_REPLICATION_FACTOR = declared_key("offsets.topic.replication.factor")
QUEUED_MAX_REQUEST_BYTES = declared_key("queued.max.request.bytes")
REPLICA_FETCH_WAIT_MAX_MS = declared_key("replica.fetch.wait.max.ms")
REPLICA_SOCKET_TIMEOUT_MS = declared_key("replica.socket.timeout.ms")
SOCKET_REQUEST_MAX_BYTES = declared_key("socket.request.max.bytes")

DEFAULTS: Mapping[str, int] = {
    name: int(key.defaults[0].value) for name, key in other_settings().items() if key.defaults
}
"""What holds where a node does not state it."""

PER_IP, OVERRIDES = declared_key("max.connections.per.ip"), declared_key("max.connections.per.ip.overrides")
MIB = 1 << 20


def number_refusals(cluster: Cluster, node: Broker) -> Iterator[tuple[str, Origin]]:
    """Why a node does not start, and where that is set."""
    stated = stated_settings(node)
    numbers = {**DEFAULTS, **{key: int(setting.value) for key, setting in stated.items() if _is_number(setting)}}
    rolls = ((LOG_ROLL_MS, LOG_ROLL_HOURS, 1), (LOG_ROLL_JITTER_MS, LOG_ROLL_JITTER_HOURS, 0))
    for exact, hours, least in rolls:
        key = exact if exact in stated else hours
        if key in stated and key in numbers and numbers[key] < least:
            yield f"`{key}={numbers[key]}` is below {least}", stated[key].origin
    buffer, threads = LOG_CLEANER_DEDUPE_BUFFER_SIZE, LOG_CLEANER_THREADS
    if numbers[threads] == 0:  # its validator takes 0, and KafkaConfig.validateValues divides by it (3.9.0 to 4.3.0)
        yield f"`{threads}=0`: the buffer of `{buffer}` is divided by it", stated[threads].origin
    if (
        numbers[threads] > 0
        and numbers[buffer] // numbers[threads] <= MIB
        and (where := _first_stated_origin(stated, buffer, threads))
    ):
        yield f"`{buffer}={numbers[buffer]}` is at most 1 MiB for each of {numbers[threads]} threads", where
    socket, wait = REPLICA_SOCKET_TIMEOUT_MS, setting_number(cluster, node, REPLICA_FETCH_WAIT_MAX_MS)
    if (
        wait is not None
        and wait > numbers[socket]
        and (where := _first_stated_origin(stated, socket, REPLICA_FETCH_WAIT_MAX_MS))
    ):
        yield f"`{socket}={numbers[socket]}` is below `replica.fetch.wait.max.ms={wait}`", where
    queued, largest = QUEUED_MAX_REQUEST_BYTES, SOCKET_REQUEST_MAX_BYTES
    if 0 < numbers[queued] < numbers[largest]:
        yield f"`{queued}={numbers[queued]}` is below `{largest}={numbers[largest]}`", stated[queued].origin
    idle, delay = CONNECTIONS_MAX_IDLE_MS, CONNECTION_FAILED_AUTHENTICATION_DELAY_MS
    if 0 <= numbers[idle] <= numbers[delay] and (where := _first_stated_origin(stated, idle, delay)):
        yield f"`{idle}={numbers[idle]}` is not above `{delay}={numbers[delay]}`", where
    if numbers.get(PER_IP) == 0 and OVERRIDES not in stated:
        yield f"`{PER_IP}=0` takes `{OVERRIDES}`, which is not set", stated[PER_IP].origin
    fetchers, kafka = NUM_REPLICA_FETCHERS, cluster.versions.kafka
    if numbers.get(fetchers, 1) < 1 and kafka is not None and is_at_least(kafka.value, "4.2") is True:
        yield f"`{fetchers}={numbers[fetchers]}` is below 1, which 4.2 and later refuse", stated[fetchers].origin
    yield from _commit_acks_reasons(cluster, node, stated)


def _commit_acks_reasons(
    cluster: Cluster, node: Broker, stated_settings: Mapping[str, Setting]
) -> Iterator[tuple[str, Origin]]:
    """Up to 3.9 commits wait for no more replicas than the offsets topic is created with, and -1 is all of them."""
    key, factor = OFFSETS_COMMIT_REQUIRED_ACKS, OFFSETS_TOPIC_REPLICATION_FACTOR
    kafka = cluster.versions.kafka
    acks, most = setting_number(cluster, node, key), setting_number(cluster, node, factor)
    if (
        key not in stated_settings
        or acks is None
        or most is None
        or kafka is None
        or is_at_least(kafka.value, "4.0") is not False
    ):
        return
    if acks < -1:
        yield f"`{key}={acks}` is below -1, which is all replicas", stated_settings[key].origin
    if acks > most:
        yield f"`{key}={acks}` is above `{factor}={most}`", stated_settings[key].origin


def _is_number(setting: Setting) -> bool:
    return setting.value.removeprefix("-").isdecimal() and setting.value.isascii()


def _first_stated_origin(stated_settings: Mapping[str, Setting], *keys: str) -> Origin | None:
    """Where the first of these is stated; None if none is, so that defaults alone refuse nothing."""
    return next((stated_settings[key].origin for key in keys if key in stated_settings), None)
