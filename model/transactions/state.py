"""What there is: clients, the coordinator and its log, partitions, and what is late."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import Capacity, Map, Option, Range, Seq, Set, constant, ghosts, initial, record, require, state
from ..parts.outcomes import Status as Status
from ..parts.replicated_logs import Entry, Log, append_entry, commit_entries, empty, entries, with_losses
from ..parts.transactional_ids import Client as Client
from ..parts.transactional_ids import Fate as Fate
from ..parts.transactional_ids import Partition as Partition
from ..parts.transactional_ids import Txn as Txn
from ..parts.transactional_ids import clients as clients
from ..parts.transactional_ids import partitions as partitions
from ..parts.transactional_ids import transactions as transactions


class FailureHandling(Enum):
    """What a client does when it gives up a write, and has aborted its transaction."""

    STOPS = "stops"  # the Java client up to 2.4: it must be closed
    GOES_ON = "goes on"  # with the same epoch, and the sequence number of what it has given up
    BUMPS = "bumps"  # KIP-360, the Java client since 2.5: it asks for the next epoch


class Forgets(Enum):
    """When a partition's leader may forget what it knows of a producer."""

    NEVER = "never"  # before any request that is late has arrived
    WITH_RECORDS = "with records"  # KAFKA-7190: with the last of its records, which retention or DeleteRecords removes
    AFTER_MARKER = "after marker"  # KAFKA-9144: at once, where its last record is a marker


class Checks(Enum):
    """What a partition's leader checks of a write."""

    ALL = "all"  # records: the epoch, and the sequence number
    EPOCH = "epoch"  # commits of offsets since 2.4.1, which have no sequence number
    NOTHING = "nothing"  # commits of offsets up to 2.4.0: they are appended as if they came from no client


batches = constant(1, minimum=1, maximum=3, says="batches that a transaction writes to a partition, one after another")
max_epoch = constant(6, minimum=1, maximum=12, says="epochs of a producer id: Kafka has 32,768")
producer_ids = constant(1, minimum=1, maximum=2, says="producer ids: when epochs run out there is another one")
failovers = constant(0, minimum=0, maximum=2, says="times that another broker becomes the coordinator")
timeouts = constant(0, minimum=0, maximum=2, says="transactions that the coordinator aborts: transaction.timeout.ms")
expirations = constant(0, minimum=0, maximum=1, says="times that the id expires: transactional.id.expiration.ms")
late_inits = constant(0, minimum=0, maximum=1, says="InitProducerId requests whose sender gives up before they arrive")
late_adds = constant(0, minimum=0, maximum=1, says="AddPartitionsToTxn requests that arrive late")
late_produces = constant(0, minimum=0, maximum=2, says="Produce requests that arrive late")
late_ends = constant(0, minimum=0, maximum=1, says="EndTxn requests that arrive late")
late_markers = constant(0, minimum=0, maximum=1, says="WriteTxnMarkers requests that arrive once more, late")
losses = constant(0, minimum=0, maximum=1, says="times that partitions forget a producer, or the log loses records")
reads = constant(0, minimum=0, maximum=2, says="fetches of a reader with isolation.level=read_committed")
failed_fences = constant(0, minimum=0, maximum=4, says="times that the log cannot be written to as one is to be fenced")
pipelined = constant(False, says="a client that waits for a batch sends the next one (max.in.flight.requests above 1)")
in_one_step = constant(True, says="what the coordinator appends is committed, and answered, in the same step")
bump_on_timeout = constant(True, says="KAFKA-6119: a transaction that times out is aborted with the next epoch")
after_failure = constant(FailureHandling.BUMPS, says="what a client does that gave up a write")
verify = constant(True, says="KIP-890: a leader asks the coordinator before a producer's first write in a transaction")
verify_in_two_steps = constant(False, says="something may happen between that answer and the append")
guard = constant(True, says="KAFKA-14884: a marker in between makes the append fail")
rotates_when_fenced = constant(False, says="KAFKA-20090: who loses the last epoch of a producer id gets the next id")
fence_takes_two = constant(False, says="KAFKA-19367: in version 2 who is fenced loses two epochs, not one")
bump_every_time = constant(True, says="KIP-890, transaction version 2: every transaction has an epoch of its own")
strict_markers = constant(True, says="KIP-1228: a marker of version 2 ends only what has an older epoch")
fence_markers = constant(True, says="a leader refuses markers of a coordinator older than one that it has obeyed")
forgets = constant(Forgets.NEVER, says="when a partition's leader forgets a producer")
checks = constant(Checks.ALL, says="what a leader checks of a write: commits of offsets have no sequence numbers")
with_records = constant(False, says="commits of offsets go to one partition, and the same transactions write records")
takes_unknown = constant(True, says="a leader takes any sequence number of a producer that it does not know: since 2.5")
zero_of_unknown = constant(True, says="KAFKA-18202: in version 2 a leader takes 0 alone of who is not known: since 4.1")
read_limit_once = constant(True, says="KAFKA-9807: a fetch finds the high watermark once")
replicate_later = constant(False, says="a record is below the high watermark in a step of its own")
keep_failed_fence = constant(True, says="KAFKA-9666: an epoch is raised once, however often the log fails")
commit_before_answer = constant(True, says="the coordinator answers, and sends markers, when its record is committed")
lumped = constant(False, says="what can make no difference any more is forgotten, as transactions_as_lumped checks")
former_verifies = constant(False, says="a coordinator that is one no longer goes on to answer from memory")


Epoch = Annotated[int, Range(0, producer_ids * max_epoch)]
Pid = Annotated[int, Range(0, producer_ids - 1)]
Batch = Annotated[int, Range(0, batches)]
Count = Annotated[int, Range(0, transactions * batches)]
Coordinator = Annotated[int, Range(0, failovers)]


class Phase(Enum):
    """What a client is doing."""

    OUT = "out"  # it has not begun
    INITIALIZING = "initializing"  # its InitProducerId is being written
    READY = "ready"  # it has an epoch, and no transaction
    OPEN = "open"  # it writes
    ADDING = "adding"  # its AddPartitionsToTxn is being written
    COMMITTING = "committing"  # it has asked for a commit
    ABORTING = "aborting"  # it has asked for an abort
    BUMPING = "bumping"  # it is to ask for the next epoch (KIP-360)
    ENDED = "ended"  # it was fenced, or has stopped: it does nothing more


class TxnState(Enum):
    """How the coordinator has the transaction, with the names that Kafka gives."""

    NOT_HERE = "not here"  # the coordinator has yet to load it
    DEAD = "dead"  # the id is not known
    EMPTY = "empty"
    ONGOING = "ongoing"
    PREPARE_EPOCH_FENCE = "prepare epoch fence"  # in memory alone: its abort is yet to be written
    PREPARE_COMMIT = "prepare commit"
    PREPARE_ABORT = "prepare abort"
    COMPLETE_COMMIT = "complete commit"
    COMPLETE_ABORT = "complete abort"


class Kind(Enum):
    """Which request it is."""

    INIT = "InitProducerId"
    ADD = "AddPartitionsToTxn"
    PRODUCE = "Produce"
    END = "EndTxn"
    MARKER = "WriteTxnMarkers"


@record
class Line:
    """A record of the transaction log: how it is with the id."""

    state: TxnState
    epoch: Epoch  # 0: no producer has one yet; those of the second producer id go on from those of the first
    partitions: Set[Partition]  # of the transaction
    rotates: bool  # when the transaction is over, its producer gets the next producer id
    answers_again: bool  # KIP-360: who asks for the epoch after the one before this gets this one


@record
class Cell:
    """A record of a partition."""

    txn: Txn  # in which its producer wrote it
    batch: Batch  # which one of the transaction there, counted from 0
    pid: Pid
    status: Status


@record
class Producer:
    """What a partition's leader knows of a producer id: epoch 0 is nothing."""

    epoch: Epoch
    first: Count  # the sequence number of the first record that it has of that epoch
    records: Count  # the next sequence number
    coordinator: Coordinator  # of the newest marker


@record
class Request:
    """A request that is late: its sender does not wait for it."""

    kind: Kind
    epoch: Epoch
    partition: Option[Partition]
    txn: Txn  # of a Produce
    batch: Batch  # of a Produce
    sequence: Count
    commit: bool  # of an EndTxn, of a marker
    coordinator: Coordinator  # of a marker


Cells = Annotated[Seq[Cell], Capacity(transactions * batches + late_produces)]  # each batch, and each that comes twice
Offset = Annotated[int, Range(0, transactions * batches + late_produces)]


@ghosts
class History:
    """What properties remember of a run; no step depends on it."""

    fate: Map[Txn, Fate]  # what the application knows of each transaction
    counted: Map[Txn, Map[Partition, Batch]]  # on how many batches it counts: acknowledged, or to be committed
    obeyed: Map[Partition, Coordinator]  # the newest coordinator whose marker each partition has taken


@state
class Cluster(History):
    """Clients, the coordinator and its log, partitions, and what is late."""

    phase: Map[Client, Phase]  # what each client is doing
    epoch: Map[Client, Epoch]  # its producer epoch; 0: it has none
    txn: Map[Client, Txn]  # its transaction; 0: none
    added: Map[Client, Set[Partition]]  # which partitions of it it knows to be added
    wrote: Map[Client, Map[Partition, Batch]]  # how many of its batches were acknowledged
    unsure: Map[Client, Set[Partition]]  # to which it has written, without an answer
    ahead: Map[Client, Set[Partition]]  # and has sent the batch after that one, too
    sequence: Map[Client, Map[Partition, Count]]  # its next sequence number of each partition
    begun: Txn  # transactions that were begun so far
    coordinator: Coordinator  # how often another broker became the coordinator: its epoch
    memory: Line  # what it has in memory
    former: Line  # what the coordinator before it has, which does not know of it
    unmarked: Set[Partition]  # whose markers it has yet to write
    log: Log  # the partition of __transaction_state
    lines: Map[Entry, Line]  # its records: the newest one, and one that is not committed yet
    asker: Option[Client]  # who waits for that one
    fence_failed: bool  # the epoch was raised, and not written
    of_offsets: Set[Partition]  # the one of __consumer_offsets, where the others have records (with_records)
    logs: Map[Partition, Cells]  # each partition's records
    replicated: Map[Partition, Offset]  # its high watermark
    producers: Map[Partition, Map[Pid, Producer]]  # what its leader knows of each producer id
    late: Annotated[Set[Request], Capacity(5)]  # requests for which nobody waits
    verified: Annotated[Set[Request], Capacity(1)]  # late writes that are about to be appended
    looked: Set[Partition]  # where a fetch has found nothing open below the high watermark
    delivered: Map[Partition, Offset]  # up to where a reader of committed records has read
    stuck: bool  # an epoch cannot be raised any more


NOTHING = Line(state=TxnState.DEAD, epoch=0, partitions=Set(), rotates=False, answers_again=False)
ABSENT = Line(state=TxnState.NOT_HERE, epoch=0, partitions=Set(), rotates=False, answers_again=False)
UNKNOWN = Producer(epoch=0, first=0, records=0, coordinator=0)


@initial
def start(offsets: Set[Partition]) -> Cluster:
    """Nobody has begun, and the id is not known."""
    require(len(offsets) == (1 if with_records else 0))
    return Cluster(
        phase=Map({c: Phase.OUT for c in Client}),
        epoch=Map({c: 0 for c in Client}),
        txn=Map({c: 0 for c in Client}),
        added=Map({c: Set() for c in Client}),
        wrote=Map({c: Map({p: 0 for p in Partition}) for c in Client}),
        unsure=Map({c: Set() for c in Client}),
        ahead=Map({c: Set() for c in Client}),
        sequence=Map({c: Map({p: 0 for p in Partition}) for c in Client}),
        begun=0,
        coordinator=0,
        memory=NOTHING,
        former=ABSENT,
        unmarked=Set(),
        log=first_log(),
        lines=Map({entry: NOTHING for entry in range(entries)}),
        asker=None,
        fence_failed=False,
        of_offsets=offsets,
        logs=Map({p: Seq() for p in Partition}),
        replicated=Map({p: 0 for p in Partition}),
        producers=Map({p: Map({i: UNKNOWN for i in range(producer_ids)}) for p in Partition}),
        late=Set(),
        verified=Set(),
        looked=Set(),
        delivered=Map({p: 0 for p in Partition}),
        stuck=False,
    )


def first_log() -> Log:
    """The log with one record, which says that the id is not known."""
    return commit_entries(append_entry(empty(), 0), Set({0}), Set({0}))


# --- the coordinator's log --------------------------------------------------------------------------------------------


def is_free(s: Cluster) -> bool:
    """Whether the coordinator has loaded the id, and writes nothing about it: else CONCURRENT_TRANSACTIONS."""
    return s.memory.state not in (TxnState.NOT_HERE, TxnState.PREPARE_EPOCH_FENCE) and 1 not in s.log.appended


def is_prepared(line: Line) -> bool:
    """Whether the transaction's end is decided, and not done."""
    return line.state in (TxnState.PREPARE_COMMIT, TxnState.PREPARE_ABORT)


def is_over(line: Line) -> bool:
    """Whether there is no transaction."""
    return line.state in (TxnState.EMPTY, TxnState.COMPLETE_COMMIT, TxnState.COMPLETE_ABORT)


def durable(s: Cluster) -> Line:
    """What the newest committed record of the log says."""
    return s.lines[0] if 0 not in s.log.lost else NOTHING


def lose_all(log: Log) -> Log:
    """A log that has lost what it had acknowledged."""
    return with_losses(log, Set(), log.acknowledged, True)


# --- epochs and producer ids: those of the second id are counted on from the last of the first ------------------------


def pid_of(epoch: Epoch) -> Pid:
    """The producer id to which an epoch belongs; 0 where there is none."""
    return 1 if producer_ids > 1 and epoch > max_epoch else 0


def is_last(epoch: Epoch) -> bool:
    """Whether there is no epoch after this one: producers never get it, so that each of them can be fenced."""
    return epoch > 0 and epoch == last_of(epoch)


def is_exhausted(epoch: Epoch) -> bool:
    """Whether a producer gets no epoch after this one: only the last is left."""
    return epoch > 0 and epoch >= (pid_of(epoch) + 1) * max_epoch - 1


def last_of(epoch: Epoch) -> Epoch:
    """The last epoch of the producer id of an epoch."""
    return (pid_of(epoch) + 1) * max_epoch


def first_of_next(epoch: Epoch) -> int:
    """The first epoch of the next producer id."""
    return (pid_of(epoch) + 1) * max_epoch + 1


def has_next(epoch: Epoch) -> bool:
    """Whether there is one more producer id within the bounds."""
    return pid_of(epoch) + 1 < producer_ids


# --- partitions -------------------------------------------------------------------------------------------------------


def checks_of(s: Cluster, partition: Partition) -> Checks:
    """What the leader of a partition checks of a write: all of a record."""
    return Checks.ALL if with_records and partition not in s.of_offsets else checks


def first_open(s: Cluster, partition: Partition) -> Offset:
    """The offset of the first record of a partition that no marker follows; or its end."""
    log = s.logs[partition]
    return min((at for at in range(len(log)) if log[at].status == Status.OPEN), default=len(log))


def last_stable_offset(s: Cluster, partition: Partition) -> Offset:
    """Up to where a reader of committed records may read."""
    return min(first_open(s, partition), s.replicated[partition])


def is_open(s: Cluster, partition: Partition) -> bool:
    """Whether a partition has a record that no marker follows."""
    return first_open(s, partition) < len(s.logs[partition])


def is_open_of(s: Cluster, partition: Partition, pid: Pid) -> bool:
    """Whether a partition has a record of a producer id that no marker follows."""
    return any(cell.pid == pid and cell.status == Status.OPEN for cell in s.logs[partition])


def newest_epoch(s: Cluster, partition: Partition) -> Epoch:
    """The newest epoch that the leader of a partition knows."""
    return max((s.producers[partition][pid].epoch for pid in range(producer_ids)), default=0)


def writer_of_newest(s: Cluster, partition: Partition) -> Producer:
    """What the leader of a partition knows of the producer id that wrote its newest record."""
    log = s.logs[partition]
    return s.producers[partition][log[len(log) - 1].pid if len(log) > 0 else 0]
