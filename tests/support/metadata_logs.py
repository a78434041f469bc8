"""Metadata logs that are made: brokers that restart one after the other, as `kafka-dump-log` prints what a controller
writes of it."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Record = tuple[str, dict[str, Any]]
KRAFT_3_9 = 21
"""The newest `metadata.version` of 3.9."""


@dataclass
class Copies:
    """A partition: where its copies are, which are in sync, who leads."""

    replicas: list[int]
    isr: list[int]
    leader: int


def restarts(brokers: int, partitions: int, rounds: int, seed: int = 1) -> str:
    """A printed log in which all brokers restart, one after the other, so many times; three copies of each
    partition."""
    chance = random.Random(seed)
    topic: list[Record] = [("TOPIC_RECORD", {"name": "orders", "topicId": "T"})]
    held = [chance.sample(range(brokers), 3) for _ in range(partitions)]
    copies = {number: Copies(replicas, list(replicas), replicas[0]) for number, replicas in enumerate(held)}
    batches = [
        batch
        for broker in range(brokers)
        for batch in (_registration_records(broker, 0), _fencing_records(broker, -1, 0))
    ]
    batches += [topic, [_creation_record(number, one) for number, one in copies.items()]]
    for turn in range(rounds):
        for broker in range(brokers):
            batches += _restart(broker, turn + 1, copies, chance)
    return "".join(print_batches(batches))


def print_batches(batches: Sequence[Sequence[Record]]) -> Iterator[str]:
    """The lines that `kafka-dump-log` prints of records, batch by batch."""
    offset = 0
    for place, batch in enumerate(batches):
        yield f"baseOffset: {offset} lastOffset: {offset + len(batch) - 1} count: {len(batch)}\n"
        for kind, fields in batch:
            payload = json.dumps({"type": kind, "version": 0, "data": fields})
            yield f"| offset: {offset} CreateTime: {1_700_000_000_000 + 10 * place} keySize: -1 payload: {payload}\n"
            offset += 1


def _registration_records(broker: int, turn: int) -> list[Record]:
    features = [{"name": "metadata.version", "minSupportedVersion": 1, "maxSupportedVersion": KRAFT_3_9}]
    fields = {"brokerId": broker, "incarnationId": f"{broker}/{turn}", "brokerEpoch": turn}
    fields |= {"fenced": True, "features": features}
    return [("REGISTER_BROKER_RECORD", fields)]


def _fencing_records(broker: int, fenced: int, turn: int) -> list[Record]:
    return [("BROKER_REGISTRATION_CHANGE_RECORD", {"brokerId": broker, "brokerEpoch": turn, "fenced": fenced})]


def _creation_record(number: int, one: Copies) -> Record:
    moved: dict[str, Any] = {"removingReplicas": [], "addingReplicas": []}
    held = {"replicas": one.replicas, "isr": one.isr, "leader": one.leader, "leaderEpoch": 0}
    return "PARTITION_RECORD", {"partitionId": number, "topicId": "T", **held, **moved}


def _change_record(number: int, **fields: Any) -> Record:
    return "PARTITION_CHANGE_RECORD", {"partitionId": number, "topicId": "T", **fields}


def _restart(broker: int, turn: int, copies: dict[int, Copies], chance: random.Random) -> list[list[Record]]:
    """A controlled shutdown, a start, and the preferred leader again."""
    mine = [number for number, one in copies.items() if broker in one.replicas]
    stopping = {"brokerId": broker, "brokerEpoch": turn - 1, "inControlledShutdown": 1}
    stops: list[Record] = [("BROKER_REGISTRATION_CHANGE_RECORD", stopping)]
    for number in mine:
        one = copies[number]
        one.isr = [other for other in one.isr if other != broker]
        moved = {} if one.leader != broker else {"leader": one.isr[0]}
        one.leader = moved.get("leader", one.leader)
        stops.append(_change_record(number, isr=one.isr, **moved))
    batches = [
        stops,
        _fencing_records(broker, 1, turn - 1),
        _registration_records(broker, turn),
        _fencing_records(broker, -1, turn),
    ]
    chance.shuffle(mine)
    for number in mine:
        copies[number].isr = copies[number].replicas
        batches.append([_change_record(number, isr=copies[number].isr)])
    leads = [number for number in mine if copies[number].replicas[0] == broker]
    for number in leads:
        copies[number].leader = broker
    return [*batches, [_change_record(number, leader=broker) for number in leads]] if leads else batches
