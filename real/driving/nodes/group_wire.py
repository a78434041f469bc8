"""What is asked of a small cluster about groups, and about what they read: versions of requests that 3.3 to 4.1 know,
by the schemas of kafka-python."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kafka.protocol.admin.groups import DescribeGroupsRequest, DescribeGroupsResponse
from kafka.protocol.admin.topics import (
    CreatePartitionsRequest,
    CreatePartitionsResponse,
    DeleteRecordsRequest,
    DeleteRecordsResponse,
)
from kafka.protocol.consumer.group import (
    OffsetCommitRequest,
    OffsetCommitResponse,
    OffsetDeleteRequest,
    OffsetDeleteResponse,
    OffsetFetchRequest,
    OffsetFetchResponse,
)

from ...logs.encoding import Reader, compact_text, int16, int32, list_of, struct_of, tagged_fields, uuid_text, varint
from .wire import EARLIEST, LATEST, TIMEOUT_MS, Connection, offset_at, raise_for_code, skip_fields

CONSUMER_GROUP_DESCRIBE, GROUP_ID_NOT_FOUND = 69, 69
_PARTITIONS = struct_of(id=uuid_text, name=compact_text, partitions=list_of(int32))
_ASSIGNMENT = struct_of(partitions=list_of(_PARTITIONS))
_MEMBER = struct_of(
    member=compact_text,
    instance=compact_text,
    rack=compact_text,
    epoch=int32,
    client=compact_text,
    host=compact_text,
    topics=list_of(compact_text),
    regex=compact_text,
    assignment=_ASSIGNMENT,
    target=_ASSIGNMENT,
)


def read_bounds(connection: Connection, topic: str, partition: int) -> tuple[int, int]:
    """The first offset of a partition, and the one after its last. BrokerError where the broker does not lead."""
    return offset_at(connection, topic, EARLIEST, partition), offset_at(connection, topic, LATEST, partition)


def read_committed(connection: Connection, group: str, topic: str, partitions: Sequence[int]) -> dict[int, int | None]:
    """The offset that a group has committed of each partition, None for none. BrokerError where the broker does not
    say: of a group that it does not coordinate, or is reading, its answer has no partitions."""
    where = OffsetFetchRequest.OffsetFetchRequestTopic(name=topic, partition_indexes=list(partitions))
    answer = connection.ask(OffsetFetchRequest(version=2, group_id=group, topics=[where]), OffsetFetchResponse)
    found = dict[int, int | None]()
    for one in (partition for of in answer.topics for partition in of.partitions):
        raise_for_code("a group's offset", one.error_code)
        found[one.partition_index] = None if one.committed_offset < 0 else one.committed_offset
    raise_for_code("a group's offset", answer.error_code)
    return found


def commit_offsets(connection: Connection, group: str, topic: str, offsets: Mapping[int, int]) -> None:
    """Commits offsets of a group that has no members. BrokerError where the broker does not."""
    made = OffsetCommitRequest.OffsetCommitRequestTopic
    where = [
        made.OffsetCommitRequestPartition(partition_index=partition, committed_offset=offset, committed_metadata="")
        for partition, offset in offsets.items()
    ]
    request = OffsetCommitRequest(
        version=2,
        group_id=group,
        generation_id_or_member_epoch=-1,
        member_id="",
        retention_time_ms=-1,
        topics=[made(name=topic, partitions=where)],
    )
    for one in connection.ask(request, OffsetCommitResponse).topics:
        for partition in one.partitions:
            raise_for_code("a commit of the group", partition.error_code)


def delete_offset(connection: Connection, group: str, topic: str, partition: int) -> None:
    """Deletes a group's offset of a partition. BrokerError where the broker does not, as while members of the group
    subscribe to the topic."""
    made = OffsetDeleteRequest.OffsetDeleteRequestTopic
    where = made(name=topic, partitions=[made.OffsetDeleteRequestPartition(partition_index=partition)])
    found = connection.ask(OffsetDeleteRequest(version=0, group_id=group, topics=[where]), OffsetDeleteResponse)
    raise_for_code("deleting a group's offset", found.error_code)
    raise_for_code("deleting a group's offset", found.topics[0].partitions[0].error_code)


def list_members(connection: Connection, group: str) -> frozenset[str]:
    """The client ids of a group's members. BrokerError where the broker does not say."""
    (found,) = connection.ask(DescribeGroupsRequest(version=0, groups=[group]), DescribeGroupsResponse).groups
    raise_for_code("describing a group", found.error_code)
    return frozenset(one.client_id for one in found.members)


def list_consumers(connection: Connection, group: str) -> frozenset[str]:
    """The client ids of the members of a group with KIP-848's protocol, none where the group has never had any
    (ConsumerGroupDescribe 0, which 3.7 to 4.1 know, and of which kafka-python has no schema). BrokerError where the
    broker does not say."""
    body = bytes([2, len(group) + 1]) + group.encode("ascii") + b"\0\0"
    reader = Reader(connection.ask_raw(CONSUMER_GROUP_DESCRIBE, 0, body))
    skip_fields(reader, int32, tagged_fields, int32, varint)
    code = int16(reader)
    if code == GROUP_ID_NOT_FOUND:
        return frozenset()
    raise_for_code("describing a group", code)
    skip_fields(reader, compact_text, compact_text, compact_text, int32, int32, compact_text)
    return frozenset(str(one["client"]) for one in list_of(_MEMBER)(reader))


def delete_records(connection: Connection, topic: str, partition: int, end_offset: int) -> None:
    """Deletes the records of a partition below an offset. BrokerError where the broker does not."""
    made = DeleteRecordsRequest.DeleteRecordsTopic
    where = made(name=topic, partitions=[made.DeleteRecordsPartition(partition_index=partition, offset=end_offset)])
    request = DeleteRecordsRequest(version=0, topics=[where], timeout_ms=TIMEOUT_MS)
    (found,) = connection.ask(request, DeleteRecordsResponse).topics
    raise_for_code("deleting records", found.partitions[0].error_code)


def add_partitions(connection: Connection, topic: str, count: int) -> None:
    """Has a topic so many partitions. BrokerError where the controller does not."""
    wanted = CreatePartitionsRequest.CreatePartitionsTopic(name=topic, count=count, assignments=None)
    request = CreatePartitionsRequest(version=0, topics=[wanted], timeout_ms=TIMEOUT_MS, validate_only=False)
    (found,) = connection.ask(request, CreatePartitionsResponse).results
    raise_for_code("adding partitions", found.error_code)
