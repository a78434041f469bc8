"""Numbers of a broker that Kafka refuses together, and about which nothing else is asked (`KafkaConfig.validateValues`,
3.9.0; `validateLogConfig`, 4.0.0)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..cluster.cluster import Broker, Cluster
from ..cluster.settings import number_of, stated_by
from ..cluster.statements import Origin, Setting
from ..kafka.versions import at_least

DEFAULTS: Mapping[str, int] = {
    "log.cleaner.threads": 1,
    "log.cleaner.dedupe.buffer.size": 128 << 20,
    "replica.socket.timeout.ms": 30_000,
    "queued.max.request.bytes": -1,
    "socket.request.max.bytes": 100 << 20,
    "connections.max.idle.ms": 600_000,
    "connection.failed.authentication.delay.ms": 100,
}
"""What holds where a node does not state it (kafka.apache.org/39, Broker Configs)."""

PER_IP, OVERRIDES = "max.connections.per.ip", "max.connections.per.ip.overrides"
MIB = 1 << 20


def of_numbers(cluster: Cluster, node: Broker) -> Iterator[tuple[str, Origin]]:
    """Why a node does not start, and where that is set."""
    stated = stated_by(node)
    numbers = {**DEFAULTS, **{key: int(setting.value) for key, setting in stated.items() if _is_number(setting)}}
    rolls = (("log.roll.ms", "log.roll.hours", 1), ("log.roll.jitter.ms", "log.roll.jitter.hours", 0))
    for exact, hours, least in rolls:
        key = exact if exact in stated else hours
        if key in stated and key in numbers and numbers[key] < least:
            yield f"`{key}={numbers[key]}` is below {least}", stated[key].origin
    buffer, threads = "log.cleaner.dedupe.buffer.size", "log.cleaner.threads"
    if numbers[threads] > 0 and numbers[buffer] // numbers[threads] <= MIB and (where := _of(stated, buffer, threads)):
        yield f"`{buffer}={numbers[buffer]}` is at most 1 MiB for each of {numbers[threads]} threads", where
    socket, wait = "replica.socket.timeout.ms", number_of(cluster, node, "replica.fetch.wait.max.ms")
    if wait is not None and wait > numbers[socket] and (where := _of(stated, socket, "replica.fetch.wait.max.ms")):
        yield f"`{socket}={numbers[socket]}` is below `replica.fetch.wait.max.ms={wait}`", where
    queued, largest = "queued.max.request.bytes", "socket.request.max.bytes"
    if 0 < numbers[queued] < numbers[largest]:
        yield f"`{queued}={numbers[queued]}` is below `{largest}={numbers[largest]}`", stated[queued].origin
    idle, delay = "connections.max.idle.ms", "connection.failed.authentication.delay.ms"
    if 0 <= numbers[idle] <= numbers[delay] and (where := _of(stated, idle, delay)):
        yield f"`{idle}={numbers[idle]}` is not above `{delay}={numbers[delay]}`", where
    if numbers.get(PER_IP) == 0 and OVERRIDES not in stated:
        yield f"`{PER_IP}=0` takes `{OVERRIDES}`, which is not set", stated[PER_IP].origin
    yield from _of_commits(cluster, node, stated)


def _of_commits(cluster: Cluster, node: Broker, stated: Mapping[str, Setting]) -> Iterator[tuple[str, Origin]]:
    """Up to 3.9 commits wait for no more replicas than the offsets topic is created with."""
    key, factor = "offsets.commit.required.acks", "offsets.topic.replication.factor"
    kafka = cluster.versions.kafka
    acks, most = number_of(cluster, node, key), number_of(cluster, node, factor)
    if key not in stated or acks is None or most is None or kafka is None or at_least(kafka.value, "4.0") is not False:
        return
    if acks > most:
        yield f"`{key}={acks}` is above `{factor}={most}`", stated[key].origin


def _is_number(setting: Setting) -> bool:
    return setting.value.removeprefix("-").isdecimal() and setting.value.isascii()


def _of(stated: Mapping[str, Setting], *keys: str) -> Origin | None:
    """Where the first of these is stated; None if none is, so that defaults alone refuse nothing."""
    return next((stated[key].origin for key in keys if key in stated), None)
