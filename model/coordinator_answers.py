"""A coordinator that writes to its partition's log and answers once the high watermark has passed what it wrote; and
the leader of that partition moves.

The coordinator of groups that came with KIP-848 (by default since 4.0, always since 4.1; in 3.7 to 3.9 where
`group.coordinator.rebalance.protocols` has `consumer`), and every share coordinator, is a state machine of
`CoordinatorRuntime`. It appends a record at its own broker without waiting (`acks=1`), and keeps the answer until it
learns that the partition's high watermark has come past the record. Every high watermark is reported to it that its
broker's replica sets, and it is unloaded some time after the broker has ceased to lead. A follower sets high watermarks
as well: those of the next leader, over the next leader's records. So the former coordinator takes another's record for
its own, answers that a commit is safe which was cut off, and shows it to whoever asks (KAFKA-20634).

* `kafka_4_3_0`: so it is in 4.0.0 to 4.1.2, in 4.2.0, 4.2.1 and 4.3.0, and from 3.6 to 3.9 where the coordinator of
  KIP-848 is switched on (`group.coordinator.new.enable`, an internal setting, which switches it off in 4.0; and the
  protocols).
* `kafka_4_3_1`: since 4.2.2, 4.3.1 and 4.4.0 nothing is passed on from the moment at which the replica becomes a
  follower, which is before it fetches from the next leader (`stops_as_follower`).
* `stops_too_late`: the same, but only once it fetches. In no Kafka: it shows why the order matters.
* `waits_as_leader`: who writes waits for its replicas in the request (`acks=-1`), which fails as soon as the replica is
  a follower. So write the coordinator of groups up to 4.0, other than that of KIP-848, by default
  (`offsets.commit.required.acks`), and the coordinator of transactions, in every release.

What is abstracted away. Every replica is in sync all the time, so that each may be elected and `min.insync.replicas` is
kept; no broker stops and no disk is lost (the partition's model has both). A fetch is one step and brings one record,
and the leader knows at once how far it came; the high watermark comes with a fetch, as its own step. A follower cuts
its log to what it has in common with the leader's in the step in which it begins to fetch. Of a write the model knows
its number. A coordinator loads in one step. One that finds the log at another end than it expects loads once more,
which is left out: it does not write then. No answer is lost, and none is given up after `offsets.commit.timeout.ms`.

Sources: CoordinatorRuntime (HighWatermarkListener, scheduleLoadOperation, scheduleUnloadOperation, flushCurrentBatch),
SnapshottableCoordinator (updateLastCommittedOffset), CoordinatorPartitionWriter (append, ListenerAdapter) of 3.9.1,
4.0.1, 4.1.1, 4.2.0, 4.2.1, 4.3.0 and 4.3.1, and the class files of 4.2.2 and 4.4.0; CoordinatorPartitionWriter and
BrokerServer (isNewGroupCoordinatorEnabled) of 3.6.0, 3.7.0, 3.8.0, 3.9.1 and 4.0.1; ReplicaManager
(applyLocalFollowersDelta), BrokerMetadataPublisher, UnifiedLog (truncateTo, updateHighWatermarkMetadata) of 4.3.0;
DelayedProduce and GroupMetadataManager of 3.9.1; KAFKA-20634 (apache/kafka#22444), KAFKA-16374.
Properties are in `invariants/coordinator_answers/properties.py`.
"""

from __future__ import annotations

from typing import Annotated

from ..language import *
from .parts.logs import common_prefix

brokers = constant(2, minimum=2, maximum=3, says="brokers, each with a replica in sync")
writes = constant(3, minimum=1, maximum=4, says="writes that clients ask for in all")
moves = constant(2, minimum=0, maximum=3, says="times that another broker is elected")
stops_as_follower = constant(True, says="KAFKA-20634: no high watermark is passed on that a follower sets")
stops_at_once = constant(True, says="it is so before the follower fetches from the next leader; else once it does")
fails_as_follower = constant(
    False, says="acks=-1: who waits for an answer is refused as the replica becomes a follower"
)

profiles = {
    "kafka_4_3_1": {},
    "kafka_4_3_0": {"stops_as_follower": False},
    "stops_too_late": {"stops_at_once": False},
    "waits_as_leader": {"fails_as_follower": True},
}


class Broker(Domain, size=brokers, symmetric=True):
    """A broker with a replica of the coordinator's partition."""


Write = Annotated[int, Range(0, writes - 1)]
Offset = Annotated[int, Range(0, writes)]
Epoch = Annotated[int, Range(0, moves)]
Entries = Annotated[Seq[Write], Capacity(writes)]


@state
class Partition:
    """The partition that a coordinator writes to, its replicas, and the coordinators on them."""

    leader: Broker  # who leads by the newest metadata
    epoch: Epoch  # its leader epoch
    known: Map[Broker, Epoch]  # the leader epoch that each broker has learned of
    led: Map[Broker, bool]  # whether each takes itself for the leader
    fetching: Map[Broker, bool]  # whether each follower fetches from the leader of its epoch
    log: Map[Broker, Entries]  # the writes in each replica's log
    high: Map[Broker, Offset]  # the high watermark of each replica
    next_write: Offset  # the number of the next write; the number of writes so far
    active: Map[Broker, bool]  # whether each has a coordinator that is loaded
    resigned: Map[Broker, bool]  # whether that is to be unloaded
    listening: Map[Broker, bool]  # whether high watermarks are reported to it
    reported: Map[Broker, Option[Offset]]  # the high watermark that was reported to it, and which it has yet to take
    written: Map[Broker, Entries]  # what it knows: what it has loaded and written
    settled: Map[Broker, Offset]  # how much of that it takes for committed
    waiting: Map[Broker, Set[Write]]  # writes that it has yet to answer
    answered: Set[Write]  # writes that were answered with success
    refused: Set[Write]  # writes that were answered with an error


view = GroupLanes(
    lane=Broker,
    state="'leads' if s.led[lane] else 'follows'",
    generation="known",
    badges={"log": "log", "high watermark": "high", "waits for an answer": "waiting"},
    board={"leader": "leader", "epoch": "epoch", "answered": "answered", "refused": "refused"},
)


@initial
def start(leader: Broker) -> Partition:
    """{leader} leads and has a coordinator; nothing was written."""
    return Partition(
        leader=leader,
        epoch=0,
        known=Map({broker: 0 for broker in Broker}),
        led=Map({broker: broker == leader for broker in Broker}),
        fetching=Map({broker: broker != leader for broker in Broker}),
        log=Map({broker: Seq() for broker in Broker}),
        high=Map({broker: 0 for broker in Broker}),
        next_write=0,
        active=Map({broker: broker == leader for broker in Broker}),
        resigned=Map({broker: False for broker in Broker}),
        listening=Map({broker: broker == leader for broker in Broker}),
        reported=Map({broker: None for broker in Broker}),
        written=Map({broker: Seq() for broker in Broker}),
        settled=Map({broker: 0 for broker in Broker}),
        waiting=Map({broker: Set() for broker in Broker}),
        answered=Set(),
        refused=Set(),
    )


# --- the partition ----------------------------------------------------------------------------------------------------


@action(kind="fault", budget="moves")
def move_leader(s: Partition, broker: Broker) -> None:
    """{broker} is elected: the leader moves, as an election of preferred leaders does it."""
    require(broker != s.leader)
    s.leader = broker
    s.epoch += 1


@action
def learn(s: Partition, broker: Broker) -> None:
    """{broker} learns that {s.leader} leads in epoch {s.epoch}."""
    require(s.known[broker] < s.epoch)
    s.known[broker] = s.epoch
    s.fetching[broker] = False
    if broker == s.leader:
        s.led[broker] = True
    elif s.led[broker]:
        s.led[broker] = False
        s.resigned[broker] = s.active[broker]
        if stops_as_follower and stops_at_once:
            s.listening[broker] = False
        if fails_as_follower:
            refuse_waiting(s, broker)


def refuse_waiting(s: Partition, broker: Broker) -> None:
    """Whoever waits for an answer of that broker's coordinator is refused."""
    s.refused = s.refused | s.waiting[broker]
    s.waiting[broker] = Set()


def follows(s: Partition, broker: Broker) -> bool:
    """Whether a broker follows the leader, both in its epoch."""
    return not s.led[broker] and s.known[broker] == s.epoch and s.known[s.leader] == s.epoch


@action
def begin_to_fetch(s: Partition, broker: Broker) -> None:
    """{broker} cuts its log to what {s.leader} has of it, too, and fetches from there."""
    require(follows(s, broker) and not s.fetching[broker])
    s.fetching[broker] = True
    s.log[broker] = s.log[broker][: common_prefix(s.log[broker], s.log[s.leader])]
    if s.high[broker] > len(s.log[broker]):
        set_high_watermark(s, broker, len(s.log[broker]))


@action
def fetch(s: Partition, broker: Broker) -> None:
    """{broker} fetches write {s.log[s.leader][len(s.log[broker])]} from {s.leader}."""
    require(follows(s, broker) and s.fetching[broker])
    require(len(s.log[broker]) < len(s.log[s.leader]))
    s.log[broker] = s.log[broker] + Seq([s.log[s.leader][len(s.log[broker])]])


@action
def fetch_high_watermark(s: Partition, broker: Broker) -> None:
    """{broker} learns of {s.leader}'s high watermark, {s.high[s.leader]}."""
    require(follows(s, broker) and s.fetching[broker])
    known = min(s.high[s.leader], len(s.log[broker]))
    require(known != s.high[broker])
    set_high_watermark(s, broker, known)
    if stops_as_follower and not stops_at_once:
        s.listening[broker] = False


@action
def raise_high_watermark(s: Partition) -> None:
    """{s.leader} raises its high watermark: every replica has more."""
    require(s.known[s.leader] == s.epoch)
    require(all(broker == s.leader or (follows(s, broker) and s.fetching[broker]) for broker in Broker))
    require(all(len(s.log[broker]) > s.high[s.leader] for broker in Broker))
    set_high_watermark(s, s.leader, s.high[s.leader] + 1)


def set_high_watermark(s: Partition, broker: Broker, offset: Offset) -> None:
    """A replica sets its high watermark, which is reported to a coordinator that listens."""
    s.high[broker] = offset
    if s.listening[broker]:
        s.reported[broker] = offset


# --- the coordinators -------------------------------------------------------------------------------------------------


@action(kind="client")
def write(s: Partition, broker: Broker) -> None:
    """A client asks {broker}'s coordinator for write {s.next_write}, which is appended."""
    require(s.active[broker] and s.led[broker])
    require(len(s.written[broker]) == len(s.log[broker]))
    limit(s.next_write < writes)
    s.log[broker] = s.log[broker] + Seq([s.next_write])
    s.written[broker] = s.written[broker] + Seq([s.next_write])
    s.waiting[broker].add(s.next_write)
    s.next_write += 1


@action
def take_high_watermark(s: Partition, broker: Broker) -> None:
    """{broker}'s coordinator takes the high watermark that was reported to it, and answers what is below it."""
    high = s.reported[broker]
    require(s.active[broker] and high is not None)
    s.reported[broker] = None
    if high is not None and s.settled[broker] <= high and high <= len(s.written[broker]):
        passed: Set[Write] = Set(entry for entry in s.waiting[broker] if entry in s.written[broker][:high])
        s.settled[broker] = high
        s.answered = s.answered | passed
        s.waiting[broker] = s.waiting[broker] - passed


@action
def unload(s: Partition, broker: Broker) -> None:
    """{broker}'s coordinator is unloaded, and refuses whom it has yet to answer."""
    require(s.resigned[broker])
    s.resigned[broker] = False
    s.active[broker] = False
    s.listening[broker] = False
    s.reported[broker] = None
    s.written[broker] = Seq()
    s.settled[broker] = 0
    refuse_waiting(s, broker)


@action
def load(s: Partition, broker: Broker) -> None:
    """{broker} leads, and its coordinator loads what is in its log."""
    require(s.led[broker] and not s.active[broker])
    s.active[broker] = True
    s.listening[broker] = True
    s.written[broker] = s.log[broker]
    s.settled[broker] = s.high[broker]
