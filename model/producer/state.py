"""What there is: an application, its producer, and the logs of partitions."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import Capacity, Map, Option, Range, Seq, Set, constant, initial, record, state
from ..parts.replicated_logs import Entry, Log, empty, entries
from ..parts.replicated_logs import acknowledges_uncommitted as acknowledges_uncommitted
from ..parts.replicated_logs import loses_acknowledged as loses_acknowledged


class ErrorHandling(Enum):
    """What the application does when its callback is called with an error."""

    GO_ON = "goes on"  # it ignores or logs it
    SEND_AGAIN = "sends again"  # it hands the record over once more
    STOP = "stops"  # it sends nothing any more


records = constant(3, minimum=1, maximum=4, says="records that the application sends")
keys = constant(1, minimum=1, maximum=4, says="keys that they have, in turn")
partitions = constant(1, minimum=1, maximum=2, says="partitions of the topic")
grows = constant(False, says="the topic begins with one partition, and the others are added")
keyed = constant(True, says="a record's partition is the hash of its key, modulo their number; else it is any")
batch_size = constant(1, minimum=1, maximum=3, says="records that a batch holds at most")
max_in_flight = constant(3, minimum=1, maximum=5, says="max.in.flight.requests.per.connection")
retries = constant(2, minimum=0, maximum=3, says="retries of a batch")
idempotent = constant(True, says="enable.idempotence")
no_answer = constant(False, says="acks=0: the producer waits for no answer")
waits = constant(False, says="the application waits for the answer of each record before it sends the next")
on_error = constant(ErrorHandling.GO_ON, says="what the application does when its callback has an error")
flushes = constant(True, says="the application closes the producer and waits; else close() drops what has no answer")
sends_again = constant(True, says="an application that starts again sends what was not acknowledged")
window = constant(5, minimum=0, maximum=5, says="batches of a producer id that a leader remembers; 0: it knows none")
bumps_epoch = constant(True, says="KIP-360, 2.5: after a possible gap the epoch is bumped, else the producer id is new")
turns_around = constant(True, says="since 2.0: of a lost connection the oldest request goes back to the front first")
forgets_with_records = constant(False, says="up to 2.3: what a leader knows of a producer goes with its records")
refuses_late_begin = constant(
    False, says="up to 2.4, and since 4.5 (KAFKA-15591): an empty partition takes no batch but a producer's first"
)
has_records = constant(False, says="the partitions had records of others before")
elections = constant(1, minimum=0, maximum=2, says="times that the other broker becomes the leader")
refusals = constant(1, minimum=0, maximum=2, says="errors that may be retried, before an append or after it")
cuts = constant(1, minimum=0, maximum=2, says="connections that are lost")
expiries = constant(0, minimum=0, maximum=2, says="batches for which delivery.timeout.ms is over")
blocks = constant(0, minimum=0, maximum=1, says="times that send() fails after max.block.ms")
restarts = constant(1, minimum=0, maximum=2, says="times that the application's process dies and starts again")
expirations = constant(0, minimum=0, maximum=1, says="times that a leader forgets a producer for its age")
deletions = constant(0, minimum=0, maximum=1, says="times that all committed records are deleted")

Number = Annotated[int, Range(0, records - 1)]
Partition = Annotated[int, Range(0, partitions - 1)]
Leader = Annotated[int, Range(0, 1)]
Pid = Annotated[int, Range(0, restarts + 3)]
Epoch = Annotated[int, Range(0, 2)]
Sequence = Annotated[int, Range(0, 2 * records)]
Turn = Annotated[int, Range(0, max_in_flight - 1)]


class Outcome(Enum):
    """What the application knows of a record."""

    NOT_SENT = "not sent"
    ACCEPTED = "accepted"  # send() took it
    ACKNOWLEDGED = "acknowledged"  # its callback was called without an error
    GIVEN_UP = "given up"  # its callback was called with an error
    REFUSED = "refused"  # send() failed: it was never accepted


@record
class Batch:
    """Records of one partition that are sent together."""

    first: Number
    last: Number
    partition: Partition
    attempts: Annotated[int, Range(0, retries)]  # how often it was sent again
    pid: Pid  # the producer id; 0: it has no sequence yet, or never gets one
    epoch: Epoch
    sequence: Sequence  # of its first record


@record
class Written:
    """A batch as it stands in the log."""

    first: Number
    last: Number
    pid: Pid
    epoch: Epoch
    sequence: Sequence


@record
class Request:
    """A batch on its way to a broker."""

    batch: Batch
    leader: Leader
    entry: Option[Entry]  # where the leader has it in its log
    refused: bool  # its leader had it, and led no more before it answered: the answer is an error, whoever leads
    abandoned: bool  # the client does not wait for its answer


Requests = Annotated[Seq[Request], Capacity(max_in_flight)]


@state
class Producing:
    """An application, its producer, and the logs of the topic's partitions."""

    due: Set[Number]  # records that the application has yet to hand over
    outcome: Map[Number, Outcome]  # what the application knows of each record
    closed: bool  # whether the producer is closed
    waiting: Annotated[Seq[Batch], Capacity(records)]  # the accumulator
    in_flight: Requests  # requests without an answer, in the order of sending
    late: Option[Request]  # one at a broker, whose connection is gone
    believed: Leader  # the leader by the producer's metadata
    leader: Leader  # the leader
    given: Pid  # producer ids that were given out
    pid: Map[Partition, Pid]  # the producer id that the next batch gets
    epoch: Map[Partition, Epoch]  # and its epoch
    next_sequence: Map[Partition, Sequence]  # and its sequence
    answered: Map[Partition, Sequence]  # the sequence after the last that was acknowledged
    unresolved: Map[Partition, Option[Sequence]]  # the sequence after a batch that was given up and may be there
    gap: Set[Partition]  # where a sequence was out of order
    overdue: Annotated[int, Range(0, records)]  # the time of records before this one is over, and nobody has looked
    used: Annotated[int, Range(1, partitions)]  # partitions that there are
    logs: Map[Partition, Log]  # the log of each partition
    held: Map[Partition, Map[Entry, Option[Written]]]  # what its entries hold; nothing where one is not there
    begin: Map[Partition, Annotated[int, Range(0, entries)]]  # the first entry that was not deleted
    known_from: Map[Partition, Annotated[int, Range(0, entries)]]  # the first entry from which leaders know producers


@initial
def start() -> Producing:
    """Nothing was sent."""
    return Producing(
        due=Set(number for number in range(records)),
        outcome=Map({number: Outcome.NOT_SENT for number in range(records)}),
        closed=False,
        waiting=Seq(),
        in_flight=Seq(),
        late=None,
        believed=0,
        leader=0,
        given=1,
        pid=Map({partition: 1 for partition in range(partitions)}),
        epoch=Map({partition: 0 for partition in range(partitions)}),
        next_sequence=Map({partition: 0 for partition in range(partitions)}),
        answered=Map({partition: 0 for partition in range(partitions)}),
        unresolved=Map({partition: None for partition in range(partitions)}),
        gap=Set(),
        overdue=0,
        used=1 if grows else partitions,
        logs=Map({partition: empty() for partition in range(partitions)}),
        held=Map({partition: Map({entry: None for entry in range(entries)}) for partition in range(partitions)}),
        begin=Map({partition: 0 for partition in range(partitions)}),
        known_from=Map({partition: 0 for partition in range(partitions)}),
    )
