"""AddPartitionsToTxn as Jack Vanlightly's second published TLA+ module of transactions has it, state for state.

Clients ask for a producer id, as in `transactions_published`, and then add partitions to their transaction, one at a
time. The coordinator appends each transition to its replica of the transaction log; when all replicas know its epoch
the record is committed on all of them at once, and who asked is answered. An InitProducerId while a transaction is
under way aborts that with the next epoch: prepare and complete abort are two records. Any other replica may be elected;
the old leader learns of it later, cuts its log at the high watermark, and answers who waits with NOT_COORDINATOR. A new
one completes what is prepared. Markers, writes and commits are not in the module yet.

The module is `transactions/diary/02_AddPartitionsToTxn/tlaplus/kafka_transactions.tla` of `Vanlightly/kafka-tlaplus`,
commit 823615e. Here is the same, with what is peculiar to it:

* A new leader has the metadata that the old one has in memory, also of an id that it has just made for a client.
* A leader that does not know that it was replaced takes a producer id for an id that the new one does not know, which
  takes another one; the source of producer ids goes back to that of the request before.
* Nothing is committed as long as a replica has not learned the newest epoch: with three brokers those that neither were
  nor became leaders never learn it.
* A producer is refused for good by an old epoch before a transition under way would make it ask again.

What differs and changes no count: `last_state` and `last_error` of a client are set together, and are one here;
requests and responses are four sets; a record of the log names who asked, and its responses are made from that;
processed messages and the number of elections, which the module's VIEW leaves out, are not kept: the number of
elections is the epoch of the partition. The log has one partition, led by the first broker at first.

Properties are in `invariants/studies/transactions_published_partitions.py`.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import *

clients = constant(2, minimum=1, maximum=3, says="clients")
brokers = constant(2, minimum=1, maximum=3, says="brokers, of which the first leads the transaction log at first")
partitions = constant(1, minimum=1, maximum=2, says="partitions that clients add")
elections = constant(1, minimum=0, maximum=2, says="elections of another coordinator")

profiles = {"published": {"brokers": 2}}


class Client(Domain, size=clients, symmetric=True):
    """A producer. All have one `transactional.id`."""


class Broker(Domain, size=brokers, ordered=True, labels=("X", "Y", "Z")):
    """A broker."""


class Partition(Domain, size=partitions, symmetric=True, labels=("P", "Q")):
    """A partition of a topic."""


ProducerId = Annotated[int, Range(-1, elections + 1)]
ProducerEpoch = Annotated[int, Range(-1, 2 * clients)]
CoordinatorEpoch = Annotated[int, Range(1, elections + 1)]


class Phase(Enum):
    """What a client is doing."""

    READY = "ready"
    SENT = "sent"
    HAS_ID = "has id"
    BEGUN = "begun"
    TERMINATED = "terminated"


class TxnState(Enum):
    """How the coordinator has the transaction."""

    EMPTY = "empty"
    ONGOING = "ongoing"
    PREPARE_ABORT = "prepare abort"
    COMPLETE_ABORT = "complete abort"


class Code(Enum):
    """What a broker answers."""

    OK = "ok"
    CONCURRENT_TRANSACTIONS = "concurrent transactions"
    NOT_COORDINATOR = "not coordinator"
    PRODUCER_FENCED = "producer fenced"
    INVALID_PRODUCER_ID_MAPPING = "invalid producer id mapping"


class Asked(Enum):
    """What a record of the log was asked for with."""

    INIT = "InitProducerId"
    ADD = "AddPartitionsToTxn"
    PREPARE = "prepare"
    COMPLETE = "complete"


@record
class Metadata:
    """What a coordinator knows of the id."""

    producer_id: ProducerId
    last_producer_id: ProducerId  # in metadata that were just made; 0: the module has no such field in a transition
    epoch: ProducerEpoch
    last_epoch: ProducerEpoch
    state: TxnState
    partitions: Set[Partition]


@record
class Line:
    """A record of the transaction log."""

    transition: Metadata
    asked: Asked
    client: Option[Client]  # who waits for it
    coordinator: Option[Broker]  # who answers


@record
class Replica:
    """What a broker knows of who leads the log."""

    epoch: CoordinatorEpoch
    leader: Broker


@record
class Ask:
    """An InitPidRequest."""

    source: Client
    to: Broker


@record
class Answer:
    """An InitPidResponse."""

    code: Code
    producer_id: ProducerId
    epoch: ProducerEpoch
    source: Broker
    to: Client


@record
class Addition:
    """An AddPartitionsToTxnRequest."""

    producer_id: ProducerId
    epoch: ProducerEpoch
    partitions: Set[Partition]
    source: Client
    to: Broker


@record
class Added:
    """An AddPartitionsToTxnResponse."""

    code: Code
    partitions: Set[Partition]
    source: Broker
    to: Client


Lines = Annotated[Seq[Line], Capacity(8 * clients)]


@state
class Cluster:
    """Clients, each broker's metadata and replica of the log, and what is under way."""

    phase: Map[Client, Phase]  # what each client is doing
    coordinator: Map[Client, Option[Broker]]  # whom it takes for the coordinator
    named: Set[Client]  # who has asked, and so has chosen the id
    producer_id: Map[Client, ProducerId]  # its producer id; -1: none
    epoch: Map[Client, ProducerEpoch]  # and its epoch
    last_error: Map[Client, Option[Code]]  # the error that it got last
    pending: Map[Client, Set[Partition]]  # partitions that it has asked to add
    added: Map[Client, Set[Partition]]  # partitions that were added
    known: Map[Broker, Option[Metadata]]  # what each broker knows of the id
    transition: Map[Broker, Option[Metadata]]  # what it has appended, and not committed
    log: Map[Broker, Lines]  # its replica of the transaction log
    committed: Map[Broker, Annotated[int, Range(0, 8 * clients)]]  # its high watermark
    replica: Map[Broker, Replica]  # whom it takes for the leader
    leader: Broker  # who leads
    leader_epoch: CoordinatorEpoch  # and since which election
    handed_out: Annotated[int, Range(0, elections + 1)]  # the source of producer ids: the one that was used last
    asks: Annotated[Set[Ask], Capacity(clients)]  # InitPidRequests under way
    answers: Annotated[Set[Answer], Capacity(2 * clients)]  # InitPidResponses under way
    additions: Annotated[Set[Addition], Capacity(clients)]  # AddPartitionsToTxnRequests under way
    results: Annotated[Set[Added], Capacity(2 * clients)]  # AddPartitionsToTxnResponses under way


view = GroupLanes(
    lane=Client,
    state="phase",
    generation="epoch",
    badges={"producer id": "producer_id", "added": "added", "error": "last_error"},
    board={"known": "known", "log": "log", "committed": "committed", "leader": "leader"},
)


@initial
def start() -> Cluster:
    """Nobody has asked."""
    return Cluster(
        phase=Map({c: Phase.READY for c in Client}),
        coordinator=Map({c: None for c in Client}),
        named=Set(),
        producer_id=Map({c: -1 for c in Client}),
        epoch=Map({c: -1 for c in Client}),
        last_error=Map({c: None for c in Client}),
        pending=Map({c: Set() for c in Client}),
        added=Map({c: Set() for c in Client}),
        known=Map({b: None for b in Broker}),
        transition=Map({b: None for b in Broker}),
        log=Map({b: Seq() for b in Broker}),
        committed=Map({b: 0 for b in Broker}),
        replica=Map({b: Replica(epoch=1, leader=Broker(0)) for b in Broker}),
        leader=Broker(0),
        leader_epoch=1,
        handed_out=0,
        asks=Set(),
        answers=Set(),
        additions=Set(),
        results=Set(),
    )


# --- clients ----------------------------------------------------------------------------------------------------------


@action(kind="client")
def send_request(s: Cluster, client: Client) -> None:
    """{client} asks {s.leader} for a producer id."""
    require(s.phase[client] == Phase.READY)
    s.phase[client] = Phase.SENT
    s.named.add(client)
    s.asks.add(Ask(source=client, to=s.leader))


@action
def receive_answer(s: Cluster, answer: Answer) -> None:
    """{answer.to} is answered by {answer.source}: {answer.code}."""
    client = answer.to
    require(s.phase[client] == Phase.SENT)
    s.answers.remove(answer)
    if answer.code == Code.OK:
        s.phase[client] = Phase.HAS_ID
        s.coordinator[client] = answer.source
        s.producer_id[client] = answer.producer_id
        s.epoch[client] = answer.epoch
        s.last_error[client] = None
    else:
        s.phase[client] = Phase.READY
        s.last_error[client] = answer.code


@action(kind="client")
def send_addition(s: Cluster, client: Client, partition: Partition) -> None:
    """{client} asks its coordinator to add {partition} to its transaction."""
    to = s.coordinator[client]
    require(s.phase[client] in (Phase.HAS_ID, Phase.BEGUN) and to is not None)
    require(len(s.pending[client]) == 0 and partition not in s.added[client])
    if to is not None:
        s.additions.add(
            Addition(
                producer_id=s.producer_id[client],
                epoch=s.epoch[client],
                partitions=Set({partition}),
                source=client,
                to=to,
            )
        )
    s.pending[client] = Set({partition})
    s.phase[client] = Phase.BEGUN


@action
def receive_result(s: Cluster, result: Added) -> None:
    """{result.to} is answered by {result.source}: {result.code}."""
    client = result.to
    require(s.phase[client] == Phase.BEGUN)
    s.results.remove(result)
    if result.code == Code.OK:
        s.pending[client] = s.pending[client] - result.partitions
        s.added[client] = s.added[client] | result.partitions
    else:
        s.pending[client] = Set()
        s.last_error[client] = result.code
        if result.code == Code.NOT_COORDINATOR:
            s.coordinator[client] = s.leader
        elif result.code != Code.CONCURRENT_TRANSACTIONS:
            s.phase[client] = Phase.TERMINATED
            s.added[client] = Set()


# --- the coordinator --------------------------------------------------------------------------------------------------


def append(s: Cluster, broker: Broker, line: Line) -> None:
    """A coordinator appends a record to its own replica."""
    s.log[broker] = s.log[broker] + Seq([line])
    s.transition[broker] = line.transition


def fresh(s: Cluster) -> Metadata:
    """What a coordinator knows of an id at first: the next producer id, and no epoch."""
    return Metadata(
        producer_id=s.handed_out + 1,
        last_producer_id=-1,
        epoch=-1,
        last_epoch=-1,
        state=TxnState.EMPTY,
        partitions=Set(),
    )


def refuse(s: Cluster, broker: Broker, client: Client, code: Code) -> None:
    """An InitPidRequest is answered with an error."""
    s.answers.add(Answer(code=code, producer_id=-1, epoch=-1, source=broker, to=client))


def fail(s: Cluster, broker: Broker, client: Client, code: Code) -> None:
    """An AddPartitionsToTxnRequest is answered with an error."""
    s.results.add(Added(code=code, partitions=Set(), source=broker, to=client))


@action
def receive_request(s: Cluster, ask: Ask) -> None:
    """{ask.to} gets {ask.source}'s InitPidRequest."""
    broker = ask.to
    found = s.known[broker]
    s.asks.remove(ask)
    if s.replica[broker].leader != broker:
        refuse(s, broker, ask.source, Code.NOT_COORDINATOR)
    else:
        now = found if found is not None else fresh(s)
        s.handed_out = now.producer_id
        s.known[broker] = now
        if s.transition[broker] is not None or now.state == TxnState.PREPARE_ABORT:
            refuse(s, broker, ask.source, Code.CONCURRENT_TRANSACTIONS)
        else:
            append(s, broker, init_transition(now, ask))


def init_transition(now: Metadata, ask: Ask) -> Line:
    """What an InitPidRequest makes of the id: the next epoch, or an abort with it of what is under way."""
    fences = now.state == TxnState.ONGOING
    return Line(
        transition=Metadata(
            producer_id=now.producer_id,
            last_producer_id=0,
            epoch=now.epoch + 1,
            last_epoch=-1 if fences else now.epoch,
            state=TxnState.PREPARE_ABORT if fences else TxnState.EMPTY,
            partitions=now.partitions if fences else Set(),
        ),
        asked=Asked.PREPARE if fences else Asked.INIT,
        client=ask.source,
        coordinator=ask.to,
    )


@action
def receive_addition(s: Cluster, addition: Addition) -> None:
    """{addition.to} gets {addition.source}'s AddPartitionsToTxnRequest."""
    broker = addition.to
    now = s.known[broker]
    s.additions.remove(addition)
    if s.replica[broker].leader != broker:
        fail(s, broker, addition.source, Code.NOT_COORDINATOR)
    elif now is None or addition.producer_id != now.producer_id:
        fail(s, broker, addition.source, Code.INVALID_PRODUCER_ID_MAPPING)
    elif addition.epoch != now.epoch:
        fail(s, broker, addition.source, Code.PRODUCER_FENCED)
    elif s.transition[broker] is not None or now.state == TxnState.PREPARE_ABORT:
        fail(s, broker, addition.source, Code.CONCURRENT_TRANSACTIONS)
    else:
        both = now.partitions | addition.partitions
        made = replace(now, last_producer_id=0, state=TxnState.ONGOING, partitions=both)
        append(s, broker, Line(transition=made, asked=Asked.ADD, client=addition.source, coordinator=broker))


# --- the log ----------------------------------------------------------------------------------------------------------


def completion_of(prepared: Metadata) -> Line:
    """The record that says that the abort is done."""
    made = replace(prepared, last_producer_id=0, state=TxnState.COMPLETE_ABORT)
    return Line(transition=made, asked=Asked.COMPLETE, client=None, coordinator=None)


@action
def commit_record(s: Cluster) -> None:
    """The next record of {s.leader}'s log is committed on all brokers, and who asked is answered."""
    leader = s.leader
    at = s.committed[leader]
    require(at < len(s.log[leader]))
    require(all(s.replica[b].epoch == s.replica[leader].epoch for b in Broker))
    line = s.log[leader][at]
    s.known[leader] = line.transition
    for broker in Broker:
        s.committed[broker] = at + 1
        if broker != leader:
            s.log[broker] = s.log[broker] + Seq([line])
    s.transition[leader] = None
    if line.asked == Asked.PREPARE:
        append(s, leader, completion_of(line.transition))
    answer_of(s, line)


def answer_of(s: Cluster, line: Line) -> None:
    """Who waits for a record is answered."""
    client = line.client
    broker = line.coordinator
    if client is not None and broker is not None:
        made = line.transition
        if line.asked == Asked.ADD:
            s.results.add(Added(code=Code.OK, partitions=made.partitions, source=broker, to=client))
        elif line.asked == Asked.PREPARE:
            refuse(s, broker, client, Code.CONCURRENT_TRANSACTIONS)
        else:
            s.answers.add(
                Answer(code=Code.OK, producer_id=made.producer_id, epoch=made.epoch, source=broker, to=client)
            )


@action(kind="fault")
def elect_leader(s: Cluster, broker: Broker) -> None:
    """{broker} is elected: it knows of the id what {s.leader} has in memory."""
    require(s.replica[broker].leader != broker)
    limit(s.leader_epoch <= elections)
    s.known[broker] = s.known[s.leader]
    s.leader = broker
    s.leader_epoch += 1
    s.replica[broker] = Replica(epoch=s.leader_epoch, leader=broker)


@action
def become_follower(s: Cluster, broker: Broker) -> None:
    """{broker} learns that it does not lead any more, cuts its log, and answers who waits."""
    require(s.replica[broker].epoch < s.leader_epoch and s.replica[broker].leader == broker and s.leader != broker)
    kept: Lines = Seq()
    for at in range(8 * clients):
        if at < len(s.log[broker]):
            if at < s.committed[broker]:
                kept = kept + Seq([s.log[broker][at]])
            else:
                answer_with_error(s, s.log[broker][at])
    s.log[broker] = kept
    s.replica[broker] = Replica(epoch=s.leader_epoch, leader=s.leader)
    s.known[broker] = None
    s.transition[broker] = None


def answer_with_error(s: Cluster, line: Line) -> None:
    """Who waits for a record that is cut off is answered with an error."""
    client = line.client
    broker = line.coordinator
    if client is not None and broker is not None:
        if line.asked == Asked.ADD:
            fail(s, broker, client, Code.NOT_COORDINATOR)
        else:
            refuse(s, broker, client, Code.NOT_COORDINATOR)


@action
def complete_partial_transaction(s: Cluster, broker: Broker) -> None:
    """{broker} leads now, and completes what the coordinator before it had prepared."""
    now = s.known[broker]
    require(s.replica[broker].leader == broker and s.transition[broker] is None)
    require(now is not None and now.state == TxnState.PREPARE_ABORT)
    if now is not None:
        append(s, broker, completion_of(now))


@terminal
def nobody_asks(s: Cluster) -> bool:
    """Every client has added all partitions, or has ended: the module has no next step either."""
    return all(
        s.phase[c] == Phase.TERMINATED or (s.phase[c] == Phase.BEGUN and len(s.added[c]) == partitions) for c in Client
    )
