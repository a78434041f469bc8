"""The records of `__cluster_metadata` that say who leads a partition, who is in sync, and which brokers are fenced.

The fields and their order are those of Kafka's metadata/src/main/resources/common/metadata/*.json at 4.1. A record is a
frame version (1), the kind's number, the record's version, and its fields (MetadataRecordSerde).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from ...language.immutable import immutable
from .encoding import (
    Read,
    Reader,
    TruncatedError,
    boolean,
    compact_text,
    int8,
    int16,
    int32,
    int64,
    list_of,
    struct_of,
    tagged_fields,
    uuid_text,
    varint,
)

FRAME_VERSION = 1
_NULLABLE = frozenset({"rack", "value"})
"""Strings that may be none at all."""
_BROKERS, _DIRECTORIES = list_of(int32), list_of(uuid_text)


class UnreadableRecordError(Exception):
    """A value that is no metadata record, or one of a kind that is read here in a version that is not known."""


@immutable
class LogRecordField:
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
    fields: tuple[LogRecordField, ...]


_ENDPOINTS = list_of(struct_of(name=compact_text, host=compact_text, port=int16, securityProtocol=int16))
_FEATURES = list_of(struct_of(name=compact_text, minSupportedVersion=int16, maxSupportedVersion=int16))

KINDS: Mapping[int, Kind] = {
    0: Kind(
        "REGISTER_BROKER_RECORD",
        4,
        (
            LogRecordField("brokerId", int32),
            LogRecordField("isMigratingZkBroker", boolean, since=2),
            LogRecordField("incarnationId", uuid_text),
            LogRecordField("brokerEpoch", int64),
            LogRecordField("endPoints", _ENDPOINTS),
            LogRecordField("features", _FEATURES),
            LogRecordField("rack", compact_text),
            LogRecordField("fenced", boolean),
            LogRecordField("inControlledShutdown", boolean, since=1),
            LogRecordField("logDirs", _DIRECTORIES, since=3, tag=0),
            LogRecordField("cordonedLogDirs", _DIRECTORIES, since=4, tag=1),  # KIP-1066: 4.3
        ),
    ),
    1: Kind("UNREGISTER_BROKER_RECORD", 0, (LogRecordField("brokerId", int32), LogRecordField("brokerEpoch", int64))),
    2: Kind("TOPIC_RECORD", 0, (LogRecordField("name", compact_text), LogRecordField("topicId", uuid_text))),
    3: Kind(
        "PARTITION_RECORD",
        2,
        (
            LogRecordField("partitionId", int32),
            LogRecordField("topicId", uuid_text),
            LogRecordField("replicas", _BROKERS),
            LogRecordField("isr", _BROKERS),
            LogRecordField("removingReplicas", _BROKERS),
            LogRecordField("addingReplicas", _BROKERS),
            LogRecordField("leader", int32),
            LogRecordField("leaderRecoveryState", int8, tag=0),
            LogRecordField("leaderEpoch", int32),
            LogRecordField("partitionEpoch", int32),
            LogRecordField("directories", _DIRECTORIES, since=1),
            LogRecordField("eligibleLeaderReplicas", _BROKERS, since=2, tag=1),
            LogRecordField("lastKnownElr", _BROKERS, since=2, tag=2),
        ),
    ),
    4: Kind(
        "CONFIG_RECORD",
        0,
        (
            LogRecordField("resourceType", int8),
            LogRecordField("resourceName", compact_text),
            LogRecordField("name", compact_text),
            LogRecordField("value", compact_text),
        ),
    ),
    5: Kind(
        "PARTITION_CHANGE_RECORD",
        2,
        (
            LogRecordField("partitionId", int32),
            LogRecordField("topicId", uuid_text),
            LogRecordField("isr", _BROKERS, tag=0),
            LogRecordField("leader", int32, tag=1),
            LogRecordField("replicas", _BROKERS, tag=2),
            LogRecordField("removingReplicas", _BROKERS, tag=3),
            LogRecordField("addingReplicas", _BROKERS, tag=4),
            LogRecordField("leaderRecoveryState", int8, tag=5),
            LogRecordField("eligibleLeaderReplicas", _BROKERS, since=2, tag=6),
            LogRecordField("lastKnownElr", _BROKERS, since=2, tag=7),
            LogRecordField("directories", _DIRECTORIES, since=1, tag=8),
        ),
    ),
    7: Kind("FENCE_BROKER_RECORD", 0, (LogRecordField("id", int32), LogRecordField("epoch", int64))),
    8: Kind("UNFENCE_BROKER_RECORD", 0, (LogRecordField("id", int32), LogRecordField("epoch", int64))),
    9: Kind("REMOVE_TOPIC_RECORD", 0, (LogRecordField("topicId", uuid_text),)),
    12: Kind("FEATURE_LEVEL_RECORD", 0, (LogRecordField("name", compact_text), LogRecordField("featureLevel", int16))),
    17: Kind(
        "BROKER_REGISTRATION_CHANGE_RECORD",
        3,
        (
            LogRecordField("brokerId", int32),
            LogRecordField("brokerEpoch", int64),
            LogRecordField("fenced", int8, tag=0),
            LogRecordField("inControlledShutdown", int8, since=1, tag=1),
            LogRecordField("logDirs", _DIRECTORIES, since=2, tag=2),
            LogRecordField("cordonedLogDirs", _DIRECTORIES, since=3, tag=3),
        ),
    ),
    28: Kind("CLEAR_ELR_RECORD", 0, (LogRecordField("topicName", compact_text),)),
}
"""By the number of the kind (apiKey). Kinds that are not here say nothing of a partition, and are passed over."""


@immutable
class MetadataRecord:
    """A record: the name of its kind, and its fields by name. One with a tag that is not written is not there."""

    kind: str
    fields: Mapping[str, Any]


def parse_printed_record(kind: str, fields: Mapping[str, Any], version: int) -> MetadataRecord | None:
    """The record of a kind with these fields, as `kafka-dump-log` prints it; None for a kind that says nothing of a
    partition. UnreadableRecordError for a name that no kind has, for a field of another type or that the kind has not,
    and for a newer version than is known: nothing else says that a printed log is damaged."""
    if not _KIND.fullmatch(kind):
        raise UnreadableRecordError(f"its kind is {kind!r}")
    known = next((one for one in KINDS.values() if one.name == kind), None)
    if known is None:
        return None
    if version > known.newest:
        raise _newer_version_error(known, version)
    fields_known = {field.name: field for field in known.fields}
    for name, value in fields.items():
        if name not in fields_known:
            raise UnreadableRecordError(f"it has {name!r}, which no {kind} has")
        if not _is_value_of_field(fields_known[name], value):
            raise UnreadableRecordError(f"its {name} is {value!r}")
    return MetadataRecord(kind, fields)


_KIND = re.compile(r"[A-Z][A-Z_]*_RECORD")


def _newer_version_error(kind: Kind, version: int) -> UnreadableRecordError:
    return UnreadableRecordError(
        f"it is a {kind.name} of version {version}, and {kind.newest} is the newest that is known"
    )


def _is_value_of_field(field: LogRecordField, value: Any) -> bool:
    """Whether a field may have such a value."""
    read = field.read
    if read in (compact_text, uuid_text):
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
        return None if kind is None else MetadataRecord(kind.name, _read_fields(reader, kind, version))
    except (TruncatedError, UnicodeDecodeError) as error:
        raise UnreadableRecordError("its bytes end before its fields do") from error


def _read_fields(reader: Reader, kind: Kind, version: int) -> dict[str, Any]:
    if version > kind.newest:
        raise _newer_version_error(kind, version)
    present = [field for field in kind.fields if field.since <= version]
    found = {field.name: field.read(reader) for field in present if field.tag is None}
    rest = tagged_fields(reader)
    for field in present:
        if field.tag in rest:
            found[field.name] = field.read(Reader(rest[field.tag]))
    return found
