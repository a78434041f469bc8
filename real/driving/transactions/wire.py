"""Kafka's protocol as far as a producer with a `transactional.id` speaks it: versions that 3.3 to 4.1 know, and of
transaction version 2 those that say so (KIP-890)."""

from __future__ import annotations

import struct

from kafka.record.memory_records import MemoryRecordsBuilder

from ....language.immutable import immutable
from ...logs.encoding import int8, int16, int32, int64, list_of, struct_of
from ...logs.encoding import text as compact_text_of
from ..nodes.wire import (
    LATEST,
    OF_TRANSACTIONS,
    PRODUCE,
    Connection,
    array,
    compact,
    compact_text,
    found_coordinator,
    offset_at,
    read_text,
    skip,
    text,
)
from .world import CONCURRENT, LOST, NOT_FOUND, Answer, Ask

INIT_PRODUCER_ID, ADD_PARTITIONS, END_TXN, DESCRIBE = 22, 24, 26, 65
ID = "tidegate"
"""The `transactional.id`."""
NAMES = {
    14: "COORDINATOR_LOAD_IN_PROGRESS",
    15: "COORDINATOR_NOT_AVAILABLE",
    16: "NOT_COORDINATOR",
    45: "OUT_OF_ORDER_SEQUENCE_NUMBER",
    47: "INVALID_PRODUCER_EPOCH",
    48: "INVALID_TXN_STATE",
    49: "INVALID_PRODUCER_ID_MAPPING",
    CONCURRENT: "CONCURRENT_TRANSACTIONS",
    90: "PRODUCER_FENCED",
    NOT_FOUND: "TRANSACTIONAL_ID_NOT_FOUND",
    120: "TRANSACTION_ABORTABLE",
    LOST: "no answer",
}


@immutable
class Described:
    """What a coordinator has of the id: its state, in small letters, its epoch, and the topics of its transaction."""

    state: str
    epoch: int
    topics: frozenset[str]


def ask(connection: Connection, one: Ask, version_2: bool, timeout: int) -> Answer:
    """Sends a request, and waits for its answer; `timeout` is transaction.timeout.ms."""
    match one.kind:
        case "init":
            body = compact_text(ID) + struct.pack(">iqh", timeout, one.pid, one.epoch) + b"\0"
            reader = connection.ask(INIT_PRODUCER_ID, 3, body, flexible=True)
            int32(reader)
            return Answer(int16(reader), int64(reader), int16(reader))
        case "add":
            where = array([text(one.topic) + array([struct.pack(">i", 0)])])
            reader = connection.ask(ADD_PARTITIONS, 1, text(ID) + struct.pack(">qh", one.pid, one.epoch) + where)
            skip(reader, int32, int32, read_text, int32, int32)
            return Answer(int16(reader))
        case "end":
            return _ended(connection, one, version_2)
        case _:
            return Answer(_produced(connection, one, version_2))


def _ended(connection: Connection, one: Ask, version_2: bool) -> Answer:
    says = struct.pack(">qh?", one.pid, one.epoch, one.commit)
    if not version_2:
        reader = connection.ask(END_TXN, 1, text(ID) + says)
        int32(reader)
        return Answer(int16(reader))
    reader = connection.ask(END_TXN, 5, compact_text(ID) + says + b"\0", flexible=True)
    int32(reader)
    return Answer(int16(reader), int64(reader), int16(reader))


def _produced(connection: Connection, one: Ask, version_2: bool) -> int:
    batch = MemoryRecordsBuilder(
        magic=2,
        compression_type=0,
        batch_size=1 << 20,
        transactional=True,
        producer_id=one.pid,
        producer_epoch=one.epoch,
        base_sequence=one.sequence,
    )
    batch.append(timestamp=None, key=None, value=str(one.txn).encode())
    batch.close()
    records, says = bytes(batch.buffer()), struct.pack(">hi", -1, 30_000)
    if not version_2:
        partition = struct.pack(">ii", 0, len(records)) + records
        topics = array([text(one.topic) + array([partition])])
        reader = connection.ask(PRODUCE, 7, text(ID) + says + topics)
        skip(reader, int32, read_text, int32, int32)
        return int16(reader)
    size = len(records) + 1
    partition = struct.pack(">i", 0) + bytes([size & 0x7F | 0x80, size >> 7]) + records + b"\0"
    topics = compact([compact_text(one.topic) + compact([partition]) + b"\0"])
    reader = connection.ask(PRODUCE, 12, compact_text(ID) + says + topics + b"\0", flexible=True)
    skip(reader, int8, compact_text_of, int8, int32)
    return int16(reader)


def coordinator(connection: Connection) -> int | None:
    """The broker that has the id (FindCoordinator 2); None where a broker does not know."""
    return found_coordinator(connection, ID, OF_TRANSACTIONS)


_STATES = list_of(
    struct_of(
        code=int16,
        id=compact_text_of,
        state=compact_text_of,
        timeout=int32,
        since=int64,
        pid=int64,
        epoch=int16,
        topics=list_of(struct_of(name=compact_text_of, partitions=list_of(int32))),
    )
)


def described(connection: Connection) -> Described | None:
    """What a coordinator has of the id (DescribeTransactions 0); None where it does not answer for it."""
    reader = connection.ask(DESCRIBE, 0, compact([compact_text(ID)]) + b"\0", flexible=True)
    int32(reader)
    (found,) = _STATES(reader)
    if found["code"] == NOT_FOUND:
        return Described("dead", -1, frozenset())
    if found["code"]:
        return None
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in found["state"]).strip()
    return Described(words, found["epoch"], frozenset(one["name"] for one in found["topics"] or ()))


def stable_offset(connection: Connection, topic: str) -> int:
    """The last stable offset of a topic's partition (ListOffsets 2). Refused where the broker does not lead."""
    return offset_at(connection, topic, LATEST, committed=True)


def marked(frame: bytes, connection: Connection) -> int:
    """Sends the frame of a WriteTxnMarkers request, which a coordinator has sent; the error code of its answer."""
    reader = connection.again(frame)
    reader.take(1)  # from version 1 on its header has tagged fields, of which there are none
    found = list_of(
        struct_of(
            pid=int64,
            topics=list_of(
                struct_of(name=compact_text_of, partitions=list_of(struct_of(index=int32, code=int16))),
            ),
        )
    )(reader)
    return found[0]["topics"][0]["partitions"][0]["code"]
