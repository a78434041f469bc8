"""What a producer with a `transactional.id` asks of a small cluster: versions of requests that 3.3 to 4.1 know, and of
transaction version 2 those that say so (KIP-890), by the schemas of kafka-python."""

from __future__ import annotations

from kafka.protocol.admin.transactions import DescribeTransactionsRequest, DescribeTransactionsResponse
from kafka.protocol.producer.produce import ProduceRequest
from kafka.protocol.producer.transaction import (
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    EndTxnRequest,
    EndTxnResponse,
    InitProducerIdRequest,
    InitProducerIdResponse,
    WriteTxnMarkersResponse,
)
from kafka.record.memory_records import MemoryRecordsBuilder

from ....language.immutable import immutable
from ..nodes.wire import (
    LATEST,
    MOST_BYTES,
    OF_TRANSACTIONS,
    TIMEOUT_MS,
    Connection,
    find_coordinator,
    offset_at,
    produce,
)
from .world import CONCURRENT, LOST, NOT_FOUND, ProducerRequest, ProducerResponse

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
class TransactionDescription:
    """What a coordinator has of the id: its state, in small letters, its epoch, and the topics of its transaction."""

    state: str
    epoch: int
    topics: frozenset[str]


def send_request(connection: Connection, one: ProducerRequest, version_2: bool, timeout: int) -> ProducerResponse:
    """Sends a request, and waits for its answer; `timeout` is transaction.timeout.ms."""
    match one.kind:
        case "init":
            request = InitProducerIdRequest(
                version=3,
                transactional_id=ID,
                transaction_timeout_ms=timeout,
                producer_id=one.pid,
                producer_epoch=one.epoch,
            )
            given = connection.ask(request, InitProducerIdResponse)
            return ProducerResponse(given.error_code, given.producer_id, given.producer_epoch)
        case "add":
            return _add_partition(connection, one)
        case "end":
            request = EndTxnRequest(
                version=5 if version_2 else 1,
                transactional_id=ID,
                producer_id=one.pid,
                producer_epoch=one.epoch,
                committed=one.commit,
            )
            ended = connection.ask(request, EndTxnResponse)
            new = (ended.producer_id, ended.producer_epoch) if version_2 else (-1, -1)
            return ProducerResponse(ended.error_code, *new)
        case _:
            return ProducerResponse(produce(connection, _produce_request(one, version_2)))


def _add_partition(connection: Connection, one: ProducerRequest) -> ProducerResponse:
    where = AddPartitionsToTxnRequest.AddPartitionsToTxnTopic(name=one.topic, partitions=[0])
    request = AddPartitionsToTxnRequest(
        version=1,
        v3_and_below_transactional_id=ID,
        v3_and_below_producer_id=one.pid,
        v3_and_below_producer_epoch=one.epoch,
        v3_and_below_topics=[where],
    )
    (found,) = connection.ask(request, AddPartitionsToTxnResponse).results_by_topic_v3_and_below
    return ProducerResponse(found.results_by_partition[0].partition_error_code)


def _produce_request(one: ProducerRequest, version_2: bool) -> ProduceRequest:
    batch = MemoryRecordsBuilder(
        magic=2,
        compression_type=0,
        batch_size=MOST_BYTES,
        transactional=True,
        producer_id=one.pid,
        producer_epoch=one.epoch,
        base_sequence=one.sequence,
    )
    batch.append(timestamp=None, key=None, value=str(one.txn).encode())
    batch.close()
    made = ProduceRequest.TopicProduceData
    where = made.PartitionProduceData(index=0, records=bytes(batch.buffer()))
    return ProduceRequest(
        version=12 if version_2 else 7,
        transactional_id=ID,
        acks=-1,
        timeout_ms=TIMEOUT_MS,
        topic_data=[made(name=one.topic, partition_data=[where])],
    )


def coordinator(connection: Connection) -> int | None:
    """The broker that has the id; None where a broker does not know."""
    return find_coordinator(connection, ID, OF_TRANSACTIONS)


def describe_transaction(connection: Connection) -> TransactionDescription | None:
    """What a coordinator has of the id; None where it does not answer for it."""
    request = DescribeTransactionsRequest(version=0, transactional_ids=[ID])
    (found,) = connection.ask(request, DescribeTransactionsResponse).transaction_states
    if found.error_code == NOT_FOUND:
        return TransactionDescription("dead", -1, frozenset())
    if found.error_code:
        return None
    state = found.transaction_state
    words = "".join(f" {letter.lower()}" if letter.isupper() else letter for letter in state).strip()
    return TransactionDescription(words, found.producer_epoch, frozenset(one.topic for one in found.topics or ()))


def stable_offset(connection: Connection, topic: str) -> int:
    """The last stable offset of a topic's partition. BrokerError where the broker does not lead."""
    return offset_at(connection, topic, LATEST, only_committed=True)


def resend_marker(frame: bytes, connection: Connection) -> int:
    """Sends the frame of a WriteTxnMarkers request, which a coordinator has sent; the error code of its answer."""
    version = int.from_bytes(frame[2:4], "big")
    (found,) = WriteTxnMarkersResponse.decode(connection.exchange(frame), version=version, header=True).markers
    return found.topics[0].partitions[0].error_code
