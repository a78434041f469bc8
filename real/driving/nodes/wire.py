"""Kafka's protocol as far as a driver of a small cluster speaks it as a client: versions that 3.3 to 4.1 know."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Mapping, Sequence

from kafka.record.memory_records import MemoryRecords, MemoryRecordsBuilder

from ....language.immutable import immutable
from ...logs.encoding import Read, Reader, int8, int16, int32, int64

PRODUCE, FETCH, METADATA, CREATE_TOPICS, DELETE_TOPICS, ELECT_LEADERS, REASSIGN = 0, 1, 3, 19, 20, 43, 45
ALTER_PARTITION, HEARTBEAT = 56, 63
WRITE_TXN_MARKERS = 27
VOTE, BEGIN_QUORUM_EPOCH, END_QUORUM_EPOCH, DESCRIBE_QUORUM, CONTROLLER_REGISTRATION = 52, 53, 54, 55, 70
OFFSET_COMMIT, JOIN_GROUP, MEMBER_HEARTBEAT, CONSUMER_GROUP_HEARTBEAT = 8, 11, 12, 68
OFFSETS_FOR_LEADER_EPOCH = 23
ALTER_CONFIGS, TOPIC_CONFIG, BROKER_CONFIG = 44, 2, 4
PREFERRED, UNCLEAN = 0, 1
LIST_OFFSETS, FIND_COORDINATOR = 2, 10
LATEST, EARLIEST = -1, -2
OF_GROUPS, OF_TRANSACTIONS = 0, 1
CLIENT = "tidegate"
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


class Refused(Exception):
    """A broker answered with an error; `code` is its number."""

    def __init__(self, what: str, code: int) -> None:
        super().__init__(f"{what}: {ERRORS.get(code, f'error {code}')}")
        self.code = code


@immutable
class Known:
    """A partition as a broker knows it: its leader, -1 for none, the leader epoch, and the ISR."""

    leader: int
    leader_epoch: int
    isr: frozenset[int]


def text(value: str | None) -> bytes:
    """A nullable string."""
    return struct.pack(">h", -1) if value is None else struct.pack(">h", len(value.encode())) + value.encode()


def array(items: Sequence[bytes]) -> bytes:
    """An array."""
    return struct.pack(">i", len(items)) + b"".join(items)


def compact(items: Sequence[bytes]) -> bytes:
    """A compact array of fewer than 127 items."""
    return bytes([len(items) + 1]) + b"".join(items)


def compact_text(value: str) -> bytes:
    """A compact string of fewer than 127 bytes."""
    return bytes([len(value.encode()) + 1]) + value.encode()


def read_text(reader: Reader) -> str | None:
    """A nullable string."""
    size = int16(reader)
    return None if size < 0 else reader.take(size).decode()


def skip(reader: Reader, *reads: Read) -> None:
    """Passes over values."""
    for read in reads:
        read(reader)


class Connection:
    """A connection to a broker on this machine. Its answers come in the order of its requests."""

    def __init__(self, port: int, seconds: float = 30.0) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=seconds)
        self._number = 0

    def close(self) -> None:
        """Ends it."""
        self._socket.close()

    def send(self, api: int, version: int, body: bytes, *, flexible: bool = False) -> None:
        """Sends a request."""
        self._number += 1
        header = struct.pack(">hhi", api, version, self._number) + text(CLIENT) + (b"\0" if flexible else b"")
        self._socket.sendall(struct.pack(">i", len(header) + len(body)) + header + body)

    def answer(self, *, flexible: bool = False) -> Reader:
        """The next answer. OSError where the connection ends."""
        size = struct.unpack(">i", self._exactly(4))[0]
        return Reader(self._exactly(size)[5 if flexible else 4 :])

    def ask(self, api: int, version: int, body: bytes, *, flexible: bool = False) -> Reader:
        """A request and its answer."""
        self.send(api, version, body, flexible=flexible)
        return self.answer(flexible=flexible)

    def again(self, frame: bytes) -> Reader:
        """Sends a whole request that somebody else has made; what follows the number of its answer."""
        self._socket.sendall(struct.pack(">i", len(frame)) + frame)
        return self.answer()

    def _exactly(self, size: int) -> bytes:
        data = bytearray()
        while len(data) < size:
            more = self._socket.recv(size - len(data))
            if not more:
                raise ConnectionError("the broker closed the connection")
            data += more
        return bytes(data)


# --- what is asked ----------------------------------------------------------------------------------------------------


def produce_body(topic: str, value: bytes, acks: int, partition: int = 0, age: int = 0) -> bytes:
    """A Produce request (7) of one record to a partition, which says that it is so many seconds old."""
    batch = MemoryRecordsBuilder(magic=2, compression_type=0, batch_size=1 << 20)
    batch.append(timestamp=int((time.time() - age) * 1000), key=None, value=value)
    batch.close()
    records = bytes(batch.buffer())
    where = struct.pack(">ii", partition, len(records)) + records
    return text(None) + struct.pack(">hi", acks, 600_000) + array([text(topic) + array([where])])


def produced(reader: Reader) -> int:
    """The error code of an answer to it; 0 for none."""
    int32(reader)
    read_text(reader)
    int32(reader)
    int32(reader)
    return int16(reader)


def known(connection: Connection, topic: str) -> Known | None:
    """What a broker knows of partition 0 of a topic (Metadata 7); None where it knows no such topic."""
    reader = connection.ask(METADATA, 7, array([text(topic)]) + b"\0")
    int32(reader)
    for _ in range(int32(reader)):
        skip(reader, int32, read_text, int32, read_text)
    skip(reader, read_text, int32, int32)
    if int16(reader):
        return None
    skip(reader, read_text, int8)
    if not int32(reader):
        return None
    skip(reader, int16, int32)
    leader, epoch = int32(reader), int32(reader)
    for _ in range(int32(reader)):
        int32(reader)
    return Known(leader, epoch, frozenset(int32(reader) for _ in range(int32(reader))))


def create_topic(
    connection: Connection, topic: str, replicas: Sequence[int], settings: Mapping[str, str], partitions: int = 1
) -> None:
    """Creates a topic whose partitions are all on these brokers (CreateTopics 4)."""
    place_topic(connection, topic, [replicas] * partitions, settings)


def place_topic(
    connection: Connection, topic: str, placement: Sequence[Sequence[int]], settings: Mapping[str, str]
) -> None:
    """Creates a topic, each partition on its brokers (CreateTopics 4)."""
    where = [
        struct.pack(">i", partition) + array([struct.pack(">i", one) for one in replicas])
        for partition, replicas in enumerate(placement)
    ]
    configs = array([text(name) + text(value) for name, value in settings.items()])
    body = text(topic) + struct.pack(">ih", -1, -1) + array(where) + configs
    reader = connection.ask(CREATE_TOPICS, 4, array([body]) + struct.pack(">i?", 30_000, False))
    skip(reader, int32, int32, read_text)
    _raise(f"creating {topic}", int16(reader))


def delete_topic(connection: Connection, topic: str) -> None:
    """Deletes a topic (DeleteTopics 1). Refused where the controller does not."""
    reader = connection.ask(DELETE_TOPICS, 1, array([text(topic)]) + struct.pack(">i", 30_000))
    skip(reader, int32, int32, read_text)
    _raise(f"deleting {topic}", int16(reader))


def elect(connection: Connection, topic: str, kind: int) -> None:
    """Has the controller elect a leader of partition 0 (ElectLeaders 1)."""
    where = array([text(topic) + array([struct.pack(">i", 0)])])
    reader = connection.ask(ELECT_LEADERS, 1, struct.pack(">b", kind) + where + struct.pack(">i", 30_000))
    int32(reader)
    _raise("an election", int16(reader))
    for _ in range(int32(reader)):
        read_text(reader)
        for _ in range(int32(reader)):
            int32(reader)
            _raise("an election", int16(reader))
            read_text(reader)


def reassign(connection: Connection, topic: str, replicas: Sequence[int] | None, partition: int = 0) -> None:
    """Assigns a partition to these brokers, in this order; None cancels what is under way (AlterPartitionReassignments
    0)."""
    order = b"\0" if replicas is None else compact([struct.pack(">i", one) for one in replicas])
    where = struct.pack(">i", partition) + order + b"\0"
    body = struct.pack(">i", 30_000) + compact([compact_text(topic) + compact([where]) + b"\0"]) + b"\0"
    reader = connection.ask(REASSIGN, 0, body, flexible=True)
    int32(reader)
    _raise("a reassignment", int16(reader))


def quorum_high_watermark(connection: Connection, topic: str) -> int | None:
    """Up to where a controller that leads says its log to be committed, -1 where it does not know (DescribeQuorum 0);
    None where it does not lead."""
    body = compact([compact_text(topic) + compact([struct.pack(">i", 0) + b"\0"]) + b"\0"]) + b"\0"
    reader = connection.ask(DESCRIBE_QUORUM, 0, body, flexible=True)
    if int16(reader) or not _size(reader):
        return None
    reader.take(_size(reader))
    _size(reader)
    int32(reader)
    if int16(reader):
        return None
    skip(reader, int32, int32)
    return int64(reader)


def set_default(connection: Connection, name: str, value: str) -> int:
    """Has a controller set something for all brokers: one record. The error code."""
    return _set(connection, BROKER_CONFIG, "", name, value)


def set_of_topic(connection: Connection, topic: str, name: str, value: str) -> int:
    """Sets something of a topic. The error code."""
    return _set(connection, TOPIC_CONFIG, topic, name, value)


def _set(connection: Connection, kind: int, of: str, name: str, value: str) -> int:
    """Sets something (IncrementalAlterConfigs 1). The error code."""
    setting = compact_text(name) + b"\0" + compact_text(value) + b"\0"
    resource = struct.pack(">b", kind) + compact_text(of) + compact([setting]) + b"\0"
    body = compact([resource]) + b"\0\0"
    reader = connection.ask(ALTER_CONFIGS, 1, body, flexible=True)
    int32(reader)
    return int16(reader) if _size(reader) else 0


def read_values(connection: Connection, topic: str) -> tuple[int, list[bytes]]:
    """What a consumer reads of partition 0 from its beginning, and the high watermark (Fetch 4). Refused where the
    broker does not lead."""
    where = array([text(topic) + array([struct.pack(">iqi", 0, 0, 1 << 20)])])
    reader = connection.ask(FETCH, 4, struct.pack(">iiiib", -1, 100, 0, 1 << 20, 0) + where)
    skip(reader, int32, int32, read_text, int32, int32)
    _raise("reading", int16(reader))
    high_watermark = int64(reader)
    int64(reader)
    for _ in range(max(int32(reader), 0)):
        skip(reader, int64, int64)
    data = reader.take(max(int32(reader), 0))
    return high_watermark, [bytes(one.value or b"") for batch in MemoryRecords(data) for one in batch]


def offset_at(connection: Connection, topic: str, time: int, partition: int = 0, *, committed: bool = False) -> int:
    """The offset of a partition at a time (ListOffsets 2), for readers of committed transactions or for all. Refused
    where the broker does not lead."""
    where = array([text(topic) + array([struct.pack(">iq", partition, time)])])
    reader = connection.ask(LIST_OFFSETS, 2, struct.pack(">ib", -1, int(committed)) + where)
    skip(reader, int32, int32, read_text, int32, int32)
    _raise("an offset of a partition", int16(reader))
    int64(reader)
    return int64(reader)


def found_coordinator(connection: Connection, key: str, kind: int) -> int | None:
    """The broker that coordinates a group or the transactions of an id (FindCoordinator 2); None where a broker does
    not know."""
    reader = connection.ask(FIND_COORDINATOR, 2, text(key) + struct.pack(">b", kind))
    int32(reader)
    if int16(reader):
        return None
    read_text(reader)
    return int32(reader)


def _raise(what: str, code: int) -> None:
    if code:
        raise Refused(what, code)


# --- what brokers ask each other --------------------------------------------------------------------------------------


def asked_isr(version: int, body: Reader) -> frozenset[int]:
    """The ISR that an AlterPartition request asks for, of the one partition in it. `body` begins after the header."""
    skip(body, int32, int64)
    _size(body)
    if version >= 2:
        body.take(16)
    else:
        body.take(_size(body))
    _size(body)
    skip(body, int32, int32)
    members = list[int]()
    for _ in range(_size(body)):
        members.append(int32(body))
        if version >= 3:
            int64(body)
            body.take(_tags(body))
    return frozenset(members)


def _size(reader: Reader) -> int:
    """A compact size that is below 127."""
    return reader.take(1)[0] - 1


def _tags(reader: Reader) -> int:
    """No tagged field is known here: 0 bytes follow."""
    count = reader.take(1)[0]
    assert count == 0, "AlterPartition has no tagged fields"
    return 0
