"""InitProducerId as Jack Vanlightly's published TLA+ module has it, state for state.

Clients ask any broker for the producer id of a `transactional.id`. A broker that does not lead the id's partition of
the transaction log says so. The coordinator takes a producer id for an id that it does not know, appends the next
epoch to the log, and answers when that is committed. A client that gets an error asks again; one that has an id does
nothing more.

The module is `transactions/diary/01_InitPidRequest/tlaplus/kafka_transactions.tla` of `Vanlightly/kafka-tlaplus`,
commit 823615e. Here is the same, with what is peculiar to it:

* A pending transition is written over a copy of *all* metadata, so that with two ids an id whose metadata are known is
  refused from then on (CONCURRENT_TRANSACTIONS), for ever: the module has one id in its configuration.
* The source of producer ids goes back to that of the id that was asked for last.

What differs and changes no count: the fields `last_state` and `last_error` of a client are set together, and are one
here; requests and responses are two sets; processed messages, which the module's VIEW leaves out, are not kept. One
partition of the log, led by the first broker: the module chooses one. Kafka itself is `../transactions/`.

Properties are in `invariants/studies/transactions_published/properties.py`.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import *

clients = constant(1, minimum=1, maximum=4, says="clients")
brokers = constant(2, minimum=1, maximum=3, says="brokers, of which the first leads the transaction log")
ids = constant(1, minimum=1, maximum=2, says="transactional ids")

profiles = {"published": {"brokers": 2}}


class Client(Domain, size=clients, symmetric=True):
    """A producer."""


class Broker(Domain, size=brokers, ordered=True, labels=("X", "Y", "Z")):
    """A broker."""


class Id(Domain, size=ids, symmetric=True, labels=("T", "U")):
    """A `transactional.id`."""


ProducerId = Annotated[int, Range(-1, ids)]
Epoch = Annotated[int, Range(-1, clients)]


class Phase(Enum):
    """What a client is doing."""

    READY = "ready"
    SENT = "sent"
    HAS_ID = "has id"


class Code(Enum):
    """What a broker answers."""

    OK = "ok"
    CONCURRENT_TRANSACTIONS = "concurrent transactions"
    NOT_COORDINATOR = "not coordinator"


@record
class Metadata:
    """What a coordinator knows of an id. Its state is always Empty."""

    producer_id: ProducerId
    last_producer_id: ProducerId
    epoch: Epoch
    last_epoch: Epoch


@record
class Line:
    """A record of the transaction log."""

    client: Client
    id: Id
    transition: Metadata


@record
class Ask:
    """An InitPidRequest."""

    id: Id
    source: Client
    to: Broker


@record
class Answer:
    """An InitPidResponse."""

    code: Code
    producer_id: ProducerId
    epoch: Epoch
    source: Broker
    to: Client


@state
class Cluster:
    """Clients, the coordinators' metadata, the log, and what is under way."""

    phase: Map[Client, Phase]  # what each client is doing
    id: Map[Client, Option[Id]]  # its transactional id, once it has asked
    producer_id: Map[Client, ProducerId]  # its producer id; -1: none
    epoch: Map[Client, Epoch]  # and its epoch
    last_error: Map[Client, Option[Code]]  # the error that it got last
    known: Map[Broker, Map[Id, Option[Metadata]]]  # what each broker knows of each id
    pending: Map[Broker, Map[Id, Option[Metadata]]]  # what it has appended, and not committed
    log: Annotated[Seq[Line], Capacity(clients)]  # the partition of the transaction log
    committed: Annotated[int, Range(0, clients)]  # how many of its records are committed
    handed_out: ProducerId  # the source of producer ids
    asks: Annotated[Set[Ask], Capacity(clients)]  # requests under way
    answers: Annotated[Set[Answer], Capacity(clients)]  # responses under way


view = GroupLanes(
    lane=Client,
    state="phase",
    generation="epoch",
    badges={"id": "id", "producer id": "producer_id", "error": "last_error"},
    board={"known": "known", "log": "log", "committed": "committed"},
)


@initial
def start() -> Cluster:
    """Nobody has asked."""
    return Cluster(
        phase=Map({c: Phase.READY for c in Client}),
        id=Map({c: None for c in Client}),
        producer_id=Map({c: -1 for c in Client}),
        epoch=Map({c: -1 for c in Client}),
        last_error=Map({c: None for c in Client}),
        known=Map({b: Map({i: None for i in Id}) for b in Broker}),
        pending=Map({b: Map({i: None for i in Id}) for b in Broker}),
        log=Seq(),
        committed=0,
        handed_out=0,
        asks=Set(),
        answers=Set(),
    )


@action(kind="client")
def send_request(s: Cluster, client: Client, broker: Broker, id: Id) -> None:
    """{client} asks {broker} for the producer id of {id}."""
    require(s.phase[client] == Phase.READY and (s.id[client] is None or s.id[client] == id))
    s.phase[client] = Phase.SENT
    s.id[client] = id
    s.asks.add(Ask(id=id, source=client, to=broker))


@action
def receive_request(s: Cluster, ask: Ask) -> None:
    """{ask.to} gets {ask.source}'s request for {ask.id}."""
    s.asks.remove(ask)
    found = s.known[ask.to][ask.id]
    if found is None and position(ask.to) != 0:
        refuse(s, ask, Code.NOT_COORDINATOR)
    else:
        now = found if found is not None else fresh(s)
        s.handed_out = now.producer_id
        s.known[ask.to][ask.id] = now
        if s.pending[ask.to][ask.id] is not None:
            refuse(s, ask, Code.CONCURRENT_TRANSACTIONS)
        else:
            transition = Metadata(
                producer_id=now.producer_id,
                last_producer_id=now.producer_id,
                epoch=now.epoch + 1,
                last_epoch=now.epoch,
            )
            s.log.append(Line(client=ask.source, id=ask.id, transition=transition))
            s.pending = s.known
            s.pending[ask.to][ask.id] = transition


def fresh(s: Cluster) -> Metadata:
    """What a coordinator knows of an id at first: the next producer id, and no epoch."""
    return Metadata(producer_id=s.handed_out + 1, last_producer_id=-1, epoch=-1, last_epoch=-1)


def refuse(s: Cluster, ask: Ask, code: Code) -> None:
    """A broker answers with an error."""
    s.answers.add(Answer(code=code, producer_id=-1, epoch=-1, source=ask.to, to=ask.source))


@action
def commit_record(s: Cluster) -> None:
    """The next record of the log is committed, and {s.log[s.committed].client} is answered."""
    require(s.committed < len(s.log))
    line = s.log[s.committed]
    transition = line.transition
    s.known[Broker(0)][line.id] = transition
    s.pending[Broker(0)][line.id] = None
    s.committed += 1
    s.answers.add(
        Answer(
            code=Code.OK,
            producer_id=transition.producer_id,
            epoch=transition.epoch,
            source=Broker(0),
            to=line.client,
        )
    )


@action
def receive_answer(s: Cluster, answer: Answer) -> None:
    """{answer.to} is answered: {answer.code}."""
    require(s.phase[answer.to] == Phase.SENT)
    s.answers.remove(answer)
    if answer.code == Code.OK:
        s.phase[answer.to] = Phase.HAS_ID
        s.producer_id[answer.to] = answer.producer_id
        s.epoch[answer.to] = answer.epoch
    else:
        s.phase[answer.to] = Phase.READY
        s.last_error[answer.to] = answer.code


@terminal
def everybody_has_an_id(s: Cluster) -> bool:
    """Every client has a producer id."""
    return all(s.phase[c] == Phase.HAS_ID for c in Client)
