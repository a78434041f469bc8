"""What is asked of a small cluster, as a client asks it: versions of requests that 3.3 to 4.1 know, by the schemas of
kafka-python."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Mapping, Sequence
from typing import TypeVar

from kafka.protocol.admin.cluster import DescribeQuorumRequest, DescribeQuorumResponse
from kafka.protocol.admin.configs import IncrementalAlterConfigsRequest, IncrementalAlterConfigsResponse
from kafka.protocol.admin.topics import (
    AlterPartitionReassignmentsRequest,
    AlterPartitionReassignmentsResponse,
    CreateTopicsRequest,
    CreateTopicsResponse,
    DeleteTopicsRequest,
    DeleteTopicsResponse,
    ElectLeadersRequest,
    ElectLeadersResponse,
)
from kafka.protocol.api_message import ApiMessage
from kafka.protocol.consumer.fetch import FetchRequest, FetchResponse
from kafka.protocol.consumer.offsets import ListOffsetsRequest, ListOffsetsResponse
from kafka.protocol.metadata.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from kafka.protocol.metadata.metadata import MetadataRequest, MetadataResponse
from kafka.protocol.producer.produce import ProduceRequest, ProduceResponse
from kafka.record.memory_records import MemoryRecords, MemoryRecordsBuilder

from ....language.immutable import immutable
from ...logs.encoding import Read, Reader, int32, int64, tagged_fields, varint

PRODUCE, FETCH, METADATA = 0, 1, 3
ALTER_PARTITION, HEARTBEAT = 56, 63
WRITE_TXN_MARKERS = 27
VOTE, BEGIN_QUORUM_EPOCH, END_QUORUM_EPOCH, CONTROLLER_REGISTRATION = 52, 53, 54, 70
OFFSET_COMMIT, JOIN_GROUP, MEMBER_HEARTBEAT, CONSUMER_GROUP_HEARTBEAT = 8, 11, 12, 68
OFFSETS_FOR_LEADER_EPOCH = 23
TOPIC_CONFIG, BROKER_CONFIG = 2, 4
PREFERRED, UNCLEAN = 0, 1
LATEST, EARLIEST = -1, -2
OF_GROUPS, OF_TRANSACTIONS = 0, 1
CLIENT = "tidegate"
TIMEOUT_MS = 30_000
MOST_BYTES = 1 << 20
NOT_LEADER, NOT_ENOUGH_REPLICAS, NOT_ENOUGH_REPLICAS_AFTER_APPEND = 6, 19, 20
ERRORS = {
    3: "UNKNOWN_TOPIC_OR_PARTITION",
    5: "LEADER_NOT_AVAILABLE",
    6: "NOT_LEADER_OR_FOLLOWER",
    7: "REQUEST_TIMED_OUT",
    14: "COORDINATOR_LOAD_IN_PROGRESS",
    15: "COORDINATOR_NOT_AVAILABLE",
    16: "NOT_COORDINATOR",
    19: "NOT_ENOUGH_REPLICAS",
    20: "NOT_ENOUGH_REPLICAS_AFTER_APPEND",
    80: "PREFERRED_LEADER_NOT_AVAILABLE",
    83: "ELIGIBLE_LEADERS_NOT_AVAILABLE",
    84: "ELECTION_NOT_NEEDED",
}
R = TypeVar("R", bound="ApiMessage")  # its class has a length, which a bound is asked for


class BrokerError(Exception):
    """A broker answered with an error; `code` is its number."""

    def __init__(self, what: str, code: int) -> None:
        super().__init__(f"{what}: {ERRORS.get(code, f'error {code}')}")
        self.code = code


@immutable
class PartitionMetadata:
    """A partition as a broker knows it: its leader, -1 for none, the leader epoch, and the ISR."""

    leader: int
    leader_epoch: int
    isr: frozenset[int]


class Connection:
    """A connection to a broker on this machine. Its answers come in the order of its requests."""

    def __init__(self, port: int, seconds: float = 30.0) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=seconds)
        self._number = 0

    def close(self) -> None:
        """Ends it."""
        self._socket.close()

    def send(self, request: ApiMessage) -> None:
        """Sends a request, in the version that it was made with."""
        self._number += 1
        request.with_header(self._number, CLIENT)
        self._socket.sendall(request.encode(header=True, framed=True))

    def ask(self, request: ApiMessage, of: type[R]) -> R:
        """A request, and its answer, which is `of` that kind. OSError where the connection ends."""
        self.send(request)
        return of.decode(self.receive(), version=request.API_VERSION, header=True)

    def ask_raw(self, api: int, version: int, body: bytes) -> bytes:
        """A request of a flexible version (KIP-482) of which kafka-python has no schema; its answer, from its number
        on."""
        self._number += 1
        name = CLIENT.encode()
        return self.exchange(struct.pack(">hhih", api, version, self._number, len(name)) + name + b"\0" + body)

    def exchange(self, frame: bytes) -> bytes:
        """Sends a whole request that somebody else has made; its answer, from its number on."""
        self._socket.sendall(struct.pack(">i", len(frame)) + frame)
        return self.receive()

    def receive(self) -> bytes:
        """The next answer, from its number on. OSError where the connection ends."""
        return self._receive_exactly(struct.unpack(">i", self._receive_exactly(4))[0])

    def _receive_exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            more = self._socket.recv(size - len(data))
            if not more:
                raise ConnectionError("the broker closed the connection")
            data += more
        return bytes(data)


# --- what is asked ----------------------------------------------------------------------------------------------------


def record_batch(value: bytes, age: int = 0) -> bytes:
    """A batch of one record, which says that it is so many seconds old."""
    batch = MemoryRecordsBuilder(magic=2, compression_type=0, batch_size=MOST_BYTES)
    batch.append(timestamp=int((time.time() - age) * 1000), key=None, value=value)
    batch.close()
    return bytes(batch.buffer())


def produce_request(topic: str, records: bytes, acks: int, partition: int = 0) -> ProduceRequest:
    """A Produce request of a batch to a partition."""
    made = ProduceRequest.TopicProduceData
    where = made.PartitionProduceData(index=partition, records=records)
    return ProduceRequest(
        version=7,
        transactional_id=None,
        acks=acks,
        timeout_ms=600_000,
        topic_data=[made(name=topic, partition_data=[where])],
    )


def produce(connection: Connection, request: ProduceRequest) -> int:
    """Sends a Produce request; the error code of its answer, 0 for none. With acks=0 there is no answer."""
    if not request.acks:
        connection.send(request)
        return 0
    (topic,) = connection.ask(request, ProduceResponse).responses
    return topic.partition_responses[0].error_code


def read_metadata(connection: Connection, topic: str) -> PartitionMetadata | None:
    """What a broker knows of partition 0 of a topic; None where it knows no such topic."""
    topics = [MetadataRequest.MetadataRequestTopic(name=topic)]
    request = MetadataRequest(version=7, topics=topics, allow_auto_topic_creation=False)
    (found,) = connection.ask(request, MetadataResponse).topics
    if found.error_code or not found.partitions:
        return None
    partition = found.partitions[0]
    return PartitionMetadata(partition.leader_id, partition.leader_epoch, frozenset(partition.isr_nodes))


def create_topic(
    connection: Connection, topic: str, replicas: Sequence[int], settings: Mapping[str, str], partitions: int = 1
) -> None:
    """Creates a topic whose partitions are all on these brokers. BrokerError where the controller does not."""
    place_topic(connection, topic, [replicas] * partitions, settings)


def place_topic(
    connection: Connection, topic: str, placement: Sequence[Sequence[int]], settings: Mapping[str, str]
) -> None:
    """Creates a topic, each partition on its brokers. BrokerError where the controller does not."""
    made = CreateTopicsRequest.CreatableTopic
    wanted = made(
        name=topic,
        num_partitions=-1,
        replication_factor=-1,
        assignments=[
            made.CreatableReplicaAssignment(partition_index=partition, broker_ids=list(replicas))
            for partition, replicas in enumerate(placement)
        ],
        configs=[made.CreatableTopicConfig(name=name, value=value) for name, value in settings.items()],
    )
    request = CreateTopicsRequest(version=4, topics=[wanted], timeout_ms=TIMEOUT_MS, validate_only=False)
    (found,) = connection.ask(request, CreateTopicsResponse).topics
    raise_for_code(f"creating {topic}", found.error_code)


def delete_topic(connection: Connection, topic: str) -> None:
    """Deletes a topic. BrokerError where the controller does not."""
    request = DeleteTopicsRequest(version=1, topic_names=[topic], timeout_ms=TIMEOUT_MS)
    (found,) = connection.ask(request, DeleteTopicsResponse).responses
    raise_for_code(f"deleting {topic}", found.error_code)


def elect_leader(connection: Connection, topic: str, kind: int) -> None:
    """Has the controller elect a leader of partition 0. BrokerError where it does not."""
    where = ElectLeadersRequest.TopicPartitions(topic=topic, partitions=[0])
    request = ElectLeadersRequest(version=1, election_type=kind, topic_partitions=[where], timeout_ms=TIMEOUT_MS)
    found = connection.ask(request, ElectLeadersResponse)
    raise_for_code("an election", found.error_code)
    for one in found.replica_election_results:
        for partition in one.partition_result:
            raise_for_code("an election", partition.error_code)


def reassign_replicas(connection: Connection, topic: str, replicas: Sequence[int] | None, partition: int = 0) -> None:
    """Assigns a partition to these brokers, in this order; None cancels what is under way. BrokerError where the
    controller refuses all of it."""
    made = AlterPartitionReassignmentsRequest.ReassignableTopic
    order = None if replicas is None else list(replicas)
    where = made.ReassignablePartition(partition_index=partition, replicas=order)
    request = AlterPartitionReassignmentsRequest(
        version=0, timeout_ms=TIMEOUT_MS, topics=[made(name=topic, partitions=[where])]
    )
    raise_for_code("a reassignment", connection.ask(request, AlterPartitionReassignmentsResponse).error_code)


def quorum_high_watermark(connection: Connection, topic: str) -> int | None:
    """Up to where a controller that leads says its log to be committed, -1 where it does not know; None where it does
    not lead."""
    made = DescribeQuorumRequest.TopicData
    where = made(topic_name=topic, partitions=[made.PartitionData(partition_index=0)])
    found = connection.ask(DescribeQuorumRequest(version=0, topics=[where]), DescribeQuorumResponse)
    if found.error_code or not found.topics:
        return None
    partition = found.topics[0].partitions[0]
    return None if partition.error_code else partition.high_watermark


def set_broker_default(connection: Connection, name: str, value: str) -> int:
    """Has a controller set something for all brokers: one record. The error code."""
    return _set_config(connection, BROKER_CONFIG, "", name, value)


def set_topic_config(connection: Connection, topic: str, name: str, value: str) -> int:
    """Sets something of a topic. The error code."""
    return _set_config(connection, TOPIC_CONFIG, topic, name, value)


def _set_config(connection: Connection, kind: int, of: str, name: str, value: str) -> int:
    made = IncrementalAlterConfigsRequest.AlterConfigsResource
    setting = made.AlterableConfig(name=name, config_operation=0, value=value)
    resource = made(resource_type=kind, resource_name=of, configs=[setting])
    request = IncrementalAlterConfigsRequest(version=1, resources=[resource], validate_only=False)
    found = connection.ask(request, IncrementalAlterConfigsResponse).responses
    return found[0].error_code if found else 0


def read_values(connection: Connection, topic: str) -> tuple[int, list[bytes]]:
    """What a consumer reads of partition 0 from its beginning, and the high watermark. BrokerError where the broker
    does not lead."""
    made = FetchRequest.FetchTopic
    where = made.FetchPartition(partition=0, fetch_offset=0, partition_max_bytes=MOST_BYTES)
    request = FetchRequest(
        version=4,
        replica_id=-1,
        max_wait_ms=100,
        min_bytes=0,
        max_bytes=MOST_BYTES,
        isolation_level=0,
        topics=[made(topic=topic, partitions=[where])],
    )
    (found,) = connection.ask(request, FetchResponse).responses
    partition = found.partitions[0]
    raise_for_code("reading", partition.error_code)
    batches = MemoryRecords(bytes(partition.records or b""))
    return partition.high_watermark, [bytes(one.value or b"") for batch in batches for one in batch]


def offset_at(
    connection: Connection, topic: str, time: int, partition: int = 0, *, only_committed: bool = False
) -> int:
    """The offset of a partition at a time, for readers of committed transactions or for all. BrokerError where the
    broker does not lead."""
    made = ListOffsetsRequest.ListOffsetsTopic
    where = made.ListOffsetsPartition(partition_index=partition, timestamp=time)
    request = ListOffsetsRequest(
        version=2, replica_id=-1, isolation_level=int(only_committed), topics=[made(name=topic, partitions=[where])]
    )
    (found,) = connection.ask(request, ListOffsetsResponse).topics
    raise_for_code("an offset of a partition", found.partitions[0].error_code)
    return found.partitions[0].offset


def find_coordinator(connection: Connection, key: str, kind: int) -> int | None:
    """The broker that coordinates a group or the transactions of an id; None where a broker does not know."""
    found = connection.ask(FindCoordinatorRequest(version=2, key=key, key_type=kind), FindCoordinatorResponse)
    return None if found.error_code else found.node_id


def raise_for_code(what: str, code: int) -> None:
    """BrokerError where an error code says so."""
    if code:
        raise BrokerError(what, code)


# --- what brokers ask each other, of which kafka-python has no schema -------------------------------------------------


def asked_isr(version: int, body: Reader) -> frozenset[int]:
    """The ISR that an AlterPartition request asks for, of the one partition in it. `body` begins after the header."""
    skip_fields(body, int32, int64, varint)
    body.take(16 if version >= 2 else varint(body) - 1)
    skip_fields(body, varint, int32, int32)
    members = list[int]()
    for _ in range(varint(body) - 1):
        members.append(int32(body))
        skip_fields(body, *((int64, tagged_fields) if version >= 3 else ()))
    return frozenset(members)


def skip_fields(reader: Reader, *reads: Read) -> None:
    """Passes over values."""
    for read in reads:
        read(reader)
