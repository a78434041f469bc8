"""Kafka's protocol as far as it says how it is with a group: versions that 3.3 to 4.1 know."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence

from ...logs.encoding import identity, int16, int32, int64, list_of, struct_of, varint
from ...logs.encoding import text as compact_text_of
from .wire import (
    EARLIEST,
    LATEST,
    OFFSET_COMMIT,
    Connection,
    Refused,
    array,
    compact,
    compact_text,
    offset_at,
    read_text,
    skip,
    text,
)

OFFSET_FETCH, DESCRIBE_GROUPS, DELETE_RECORDS, CREATE_PARTITIONS, OFFSET_DELETE = 9, 15, 21, 37, 47
CONSUMER_GROUP_DESCRIBE, GROUP_ID_NOT_FOUND = 69, 69
_PARTITIONS = struct_of(id=identity, name=compact_text_of, partitions=list_of(int32))
_ASSIGNMENT = struct_of(partitions=list_of(_PARTITIONS))
_MEMBER = struct_of(
    member=compact_text_of,
    instance=compact_text_of,
    rack=compact_text_of,
    epoch=int32,
    client=compact_text_of,
    host=compact_text_of,
    topics=list_of(compact_text_of),
    regex=compact_text_of,
    assignment=_ASSIGNMENT,
    target=_ASSIGNMENT,
)


def _number(value: int) -> bytes:
    return struct.pack(">i", value)


def bounds(connection: Connection, topic: str, partition: int) -> tuple[int, int]:
    """The first offset of a partition, and the one after its last. Refused where the broker does not lead."""
    return offset_at(connection, topic, EARLIEST, partition), offset_at(connection, topic, LATEST, partition)


def committed(connection: Connection, group: str, topic: str, partitions: Sequence[int]) -> dict[int, int | None]:
    """The offset that a group has committed of each partition, None for none (OffsetFetch 2). Refused where the broker
    does not say: of a group that it does not coordinate, or is reading, its answer has no partitions."""
    where = array([text(topic) + array([_number(one) for one in partitions])])
    reader = connection.ask(OFFSET_FETCH, 2, text(group) + where)
    found = dict[int, int | None]()
    for _ in range(int32(reader)):
        read_text(reader)
        for _ in range(int32(reader)):
            partition, offset = int32(reader), int64(reader)
            read_text(reader)
            _refuse("a group's offset", int16(reader))
            found[partition] = None if offset < 0 else offset
    _refuse("a group's offset", int16(reader))
    return found


def _refuse(what: str, code: int) -> None:
    if code:
        raise Refused(what, code)


def commit(connection: Connection, group: str, topic: str, offsets: Mapping[int, int]) -> None:
    """Commits offsets of a group that has no members (OffsetCommit 2). Refused where the broker does not."""
    where = [struct.pack(">iq", partition, offset) + text("") for partition, offset in offsets.items()]
    body = text(group) + _number(-1) + text("") + struct.pack(">q", -1) + array([text(topic) + array(where)])
    reader = connection.ask(OFFSET_COMMIT, 2, body)
    skip(reader, int32, read_text)
    for _ in range(int32(reader)):
        int32(reader)
        if code := int16(reader):
            raise Refused("a commit of the group", code)


def delete_offset(connection: Connection, group: str, topic: str, partition: int) -> None:
    """Deletes a group's offset of a partition (OffsetDelete 0). Refused where the broker does not, as while members of
    the group subscribe to the topic."""
    body = text(group) + array([text(topic) + array([_number(partition)])])
    reader = connection.ask(OFFSET_DELETE, 0, body)
    if code := int16(reader):
        raise Refused("deleting a group's offset", code)
    skip(reader, int32, int32, read_text, int32, int32)
    if code := int16(reader):
        raise Refused("deleting a group's offset", code)


def members(connection: Connection, group: str) -> frozenset[str]:
    """The client ids of a group's members (DescribeGroups 0). Refused where the broker does not say."""
    reader = connection.ask(DESCRIBE_GROUPS, 0, array([text(group)]))
    int32(reader)
    if code := int16(reader):
        raise Refused("describing a group", code)
    skip(reader, read_text, read_text, read_text, read_text)
    found = set[str]()
    for _ in range(int32(reader)):
        read_text(reader)
        found.add(str(read_text(reader)))
        read_text(reader)
        for _ in range(2):
            reader.take(max(int32(reader), 0))
    return frozenset(found)


def consumers(connection: Connection, group: str) -> frozenset[str]:
    """The client ids of the members of a group with KIP-848's protocol, none where the group has never had any
    (ConsumerGroupDescribe 0, which 3.7 to 4.1 know). Refused where the broker does not say."""
    body = compact([compact_text(group)]) + b"\0\0"
    reader = connection.ask(CONSUMER_GROUP_DESCRIBE, 0, body, flexible=True)
    skip(reader, int32)
    varint(reader)
    code = int16(reader)
    if code == GROUP_ID_NOT_FOUND:
        return frozenset()
    if code:
        raise Refused("describing a group", code)
    skip(reader, compact_text_of, compact_text_of, compact_text_of, int32, int32, compact_text_of)
    return frozenset(str(one["client"]) for one in list_of(_MEMBER)(reader))


def delete_records(connection: Connection, topic: str, partition: int, before: int) -> None:
    """Deletes the records of a partition below an offset (DeleteRecords 0). Refused where the broker does not."""
    where = array([text(topic) + array([struct.pack(">iq", partition, before)])])
    reader = connection.ask(DELETE_RECORDS, 0, where + _number(30_000))
    skip(reader, int32, int32, read_text, int32, int32, int64)
    if code := int16(reader):
        raise Refused("deleting records", code)


def add_partitions(connection: Connection, topic: str, count: int) -> None:
    """Has a topic so many partitions (CreatePartitions 0). Refused where the controller does not."""
    body = array([text(topic) + struct.pack(">ii", count, -1)]) + struct.pack(">i?", 30_000, False)
    reader = connection.ask(CREATE_PARTITIONS, 0, body)
    skip(reader, int32, int32, read_text)
    if code := int16(reader):
        raise Refused("adding partitions", code)
