"""The records of `__cluster_metadata` that say who leads a partition, who is in sync, and which brokers are fenced.

The fields and their order are those of Kafka's metadata/src/main/resources/common/metadata/*.json at 4.1. A record is a
frame version (1), the kind's number, the record's version, and its fields (MetadataRecordSerde).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ...language.immutable import immutable
from .encoding import (
    Read,
    Reader,
    TruncatedError,
    boolean,
    identity,
    int8,
    int16,
    int32,
    int64,
    list_of,
    struct_of,
    tagged_fields,
    text,
    varint,
)

FRAME_VERSION = 1
_NULLABLE = frozenset({"rack", "value"})
"""Strings that may be none at all."""
_BROKERS, _DIRECTORIES = list_of(int32), list_of(identity)


class UnreadableRecordError(Exception):
    """A value that is no metadata record, or one of a kind that is read here in a version that is not known."""


@immutable
class Field:
    """A field of a kind of records: `name` as `kafka-dump-log` prints it. It is there `since` a version of the kind,
    and has a `tag` or stands in its place."""

    name: str
    read: Read
    since: int = 0
    tag: int | None = None


@immutable
class Kind:
    """A kind of records: its `name` as `kafka-dump-log` prints it, the newest version that is known, and its fields."""

    name: str
    newest: int
    fields: tuple[Field, ...]


_ENDPOINTS = list_of(struct_of(name=text, host=text, port=int16, securityProtocol=int16))
_FEATURES = list_of(struct_of(name=text, minSupportedVersion=int16, maxSupportedVersion=int16))

KINDS: Mapping[int, Kind] = {
    0: Kind(
        "REGISTER_BROKER_RECORD",
        4,
        (
            Field("brokerId", int32),
            Field("isMigratingZkBroker", boolean, since=2),
            Field("incarnationId", identity),
            Field("brokerEpoch", int64),
            Field("endPoints", _ENDPOINTS),
            Field("features", _FEATURES),
            Field("rack", text),
            Field("fenced", boolean),
            Field("inControlledShutdown", boolean, since=1),
            Field("logDirs", _DIRECTORIES, since=3, tag=0),
            Field("cordonedLogDirs", _DIRECTORIES, since=4, tag=1),  # KIP-1066: 4.3
        ),
    ),
    1: Kind("UNREGISTER_BROKER_RECORD", 0, (Field("brokerId", int32), Field("brokerEpoch", int64))),
    2: Kind("TOPIC_RECORD", 0, (Field("name", text), Field("topicId", identity))),
    3: Kind(
        "PARTITION_RECORD",
        2,
        (
            Field("partitionId", int32),
            Field("topicId", identity),
            Field("replicas", _BROKERS),
            Field("isr", _BROKERS),
            Field("removingReplicas", _BROKERS),
            Field("addingReplicas", _BROKERS),
            Field("leader", int32),
            Field("leaderRecoveryState", int8, tag=0),
            Field("leaderEpoch", int32),
            Field("partitionEpoch", int32),
            Field("directories", _DIRECTORIES, since=1),
            Field("eligibleLeaderReplicas", _BROKERS, since=2, tag=1),
            Field("lastKnownElr", _BROKERS, since=2, tag=2),
        ),
    ),
    4: Kind(
        "CONFIG_RECORD",
        0,
        (
            Field("resourceType", int8),
            Field("resourceName", text),
            Field("name", text),
            Field("value", text),
        ),
    ),
    5: Kind(
        "PARTITION_CHANGE_RECORD",
        2,
        (
            Field("partitionId", int32),
            Field("topicId", identity),
            Field("isr", _BROKERS, tag=0),
            Field("leader", int32, tag=1),
            Field("replicas", _BROKERS, tag=2),
            Field("removingReplicas", _BROKERS, tag=3),
            Field("addingReplicas", _BROKERS, tag=4),
            Field("leaderRecoveryState", int8, tag=5),
            Field("eligibleLeaderReplicas", _BROKERS, since=2, tag=6),
            Field("lastKnownElr", _BROKERS, since=2, tag=7),
            Field("directories", _DIRECTORIES, since=1, tag=8),
        ),
    ),
    7: Kind("FENCE_BROKER_RECORD", 0, (Field("id", int32), Field("epoch", int64))),
    8: Kind("UNFENCE_BROKER_RECORD", 0, (Field("id", int32), Field("epoch", int64))),
    9: Kind("REMOVE_TOPIC_RECORD", 0, (Field("topicId", identity),)),
    12: Kind("FEATURE_LEVEL_RECORD", 0, (Field("name", text), Field("featureLevel", int16))),
    17: Kind(
        "BROKER_REGISTRATION_CHANGE_RECORD",
        3,
        (
            Field("brokerId", int32),
            Field("brokerEpoch", int64),
            Field("fenced", int8, tag=0),
            Field("inControlledShutdown", int8, since=1, tag=1),
            Field("logDirs", _DIRECTORIES, since=2, tag=2),
            Field("cordonedLogDirs", _DIRECTORIES, since=3, tag=3),
        ),
    ),
    28: Kind("CLEAR_ELR_RECORD", 0, (Field("topicName", text),)),
}
"""By the number of the kind (apiKey). Kinds that are not here say nothing of a partition, and are passed over."""


@immutable
class MetadataRecord:
    """A record: the name of its kind, and its fields by name. One with a tag that is not written is not there."""

    kind: str
    fields: Mapping[str, Any]


def parse_printed_record(kind: str, fields: Mapping[str, Any]) -> MetadataRecord | None:
    """The record of a kind with these fields, as `kafka-dump-log` prints it; None for a kind that says nothing of a
    partition. UnreadableRecordError for a field of another type."""
    for known in KINDS.values():
        if known.name == kind:
            for field in known.fields:
                if field.name in fields and not _is_of(field, fields[field.name]):
                    raise UnreadableRecordError(f"its {field.name} is {fields[field.name]!r}")
            return MetadataRecord(kind, fields)
    return None


def _is_of(field: Field, value: Any) -> bool:
    """Whether a field may have such a value."""
    read = field.read
    if read in (text, identity):
        return isinstance(value, str) or (value is None and field.name in _NULLABLE)
    if read in (int8, int16, int32, int64, boolean):
        return isinstance(value, int)
    if not isinstance(value, list):
        return value is None
    of = int if read is _BROKERS else str if read is _DIRECTORIES else dict
    return all(isinstance(one, of) for one in cast(list[Any], value))


def decode_record(value: bytes) -> MetadataRecord | None:
    """The record that a value of the metadata log is; None for one of a kind that says nothing of a partition.

    UnreadableRecordError for bytes that are no such record, and for a version of a kind that is newer than what is
    known."""
    reader = Reader(value)
    try:
        frame, number, version = varint(reader), varint(reader), varint(reader)
        if frame != FRAME_VERSION:
            raise UnreadableRecordError(f"its frame version is {frame}, where metadata records have {FRAME_VERSION}")
        kind = KINDS.get(number)
        return None if kind is None else MetadataRecord(kind.name, _fields(reader, kind, version))
    except (TruncatedError, UnicodeDecodeError) as error:
        raise UnreadableRecordError("its bytes end before its fields do") from error


def _fields(reader: Reader, kind: Kind, version: int) -> dict[str, Any]:
    if version > kind.newest:
        raise UnreadableRecordError(
            f"it is a {kind.name} of version {version}, and {kind.newest} is the newest that is known"
        )
    present = [field for field in kind.fields if field.since <= version]
    found = {field.name: field.read(reader) for field in present if field.tag is None}
    rest = tagged_fields(reader)
    for field in present:
        if field.tag in rest:
            found[field.name] = field.read(Reader(rest[field.tag]))
    return found
