"""One Kafka partition as it runs today: what a cluster's settings keep, and what they lose.

(text to come)
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ..language import (
    Capacity,
    Domain,
    Ghost,
    Map,
    Option,
    Range,
    Seq,
    Set,
    action,
    constant,
    initial,
    limit,
    record,
    replace,
    require,
    state,
    terminal,
)

# --- bounds -----------------------------------------------------------------------------------------------------------

replicas = constant(3, minimum=1, maximum=5, says="brokers that hold a copy of the partition")
max_records = constant(1, minimum=1, maximum=4, says="records that the producer sends in all")
log_size = constant(2, minimum=1, maximum=6, says="records that a log has room for")
max_leader_epoch = constant(4, minimum=0, maximum=14, says="leader epochs are 0 to this")

crashes = constant(1, minimum=0, maximum=4, says="broker processes that die; their logs stay")
power_losses = constant(1, minimum=0, maximum=4, says="brokers that lose power, and with it what was not flushed")
shutdowns = constant(0, minimum=0, maximum=4, says="brokers that are shut down as they should be")
fences = constant(1, minimum=0, maximum=4, says="live brokers whose heartbeats the controller misses")
isr_shrinks = constant(1, minimum=0, maximum=4, says="followers that lag, and are dropped from the ISR")

# --- settings ---------------------------------------------------------------------------------------------------------


class Acks(Enum):
    """What a producer waits for: nothing, the leader's log, or the whole ISR."""

    NONE = "none"
    LEADER = "leader"
    ALL = "all"


acks = constant(Acks.ALL, says="acks of the producer")
min_isr = constant(2, minimum=1, maximum=5, says="min.insync.replicas")
unclean = constant(False, says="unclean.leader.election.enable, where it is heeded")
fsync = constant(False, says="log.flush.interval.messages=1: every append is on disk at once")

# --- switches: what the versions differ in ------------------------------------------------------------------------------


fence_fetch = constant(True, says="KIP-320: only a leader of the follower's own epoch serves it and counts it")
await_epoch_start = constant(True, says="KAFKA-7128: who joins the ISR has all from before the leader's epoch")
maximal_isr = constant(True, says="KIP-497: who is about to join the ISR counts for the high watermark already")
reject_fenced = constant(True, says="KIP-841: the controller lets no fenced broker into the ISR")
reject_restarted = constant(True, says="KIP-903: the controller lets nobody in who registered anew since it was caught up")
strict_high_watermark = constant(True, says="KAFKA-15583: no high watermark moves while the ISR is below min.isr")
min_isr_capped = constant(True, says="KAFKA-15583: min.insync.replicas counts as the replication factor if it is more")
elr = constant(True, says="KIP-966: eligible leader replicas")


# --- what there is ----------------------------------------------------------------------------------------------------


class Broker(Domain, size=replicas, symmetric=True):
    """A broker that holds a copy of the partition."""


RecordId = Annotated[int, Range(0, max_records - 1)]
Epoch = Annotated[int, Range(0, max_leader_epoch)]
Offset = Annotated[int, Range(0, log_size)]


@record
class Record:
    """A producer's record, named by a number of its own, with the epoch of the leader that wrote it."""

    id: RecordId
    epoch: Epoch


@record
class Registration:
    """The partition in the controller's log: PartitionRegistration."""

    leader: Option[Broker]
    leader_epoch: Epoch
    isr: Set[Broker]
    elr: Set[Broker]
    last_known_leader: Option[Broker]


@record
class View:
    """What a broker knows of it. The ISR matters to who leads, and is empty elsewhere."""

    leader: Option[Broker]
    leader_epoch: Epoch
    isr: Set[Broker]


@record
class IsrChange:
    """An AlterPartition request that its leader waits for: who is to join or to leave.

    `open` until the controller has answered it or has changed the partition, so that the request is outdated.
    `restarted` once the broker has registered anew.
    """

    broker: Broker
    joins: bool
    open: bool
    restarted: bool


@state
class Partition:
    """One partition: the controller's record of it, its brokers, and its producer."""

    registered: Registration
    fenced: Set[Broker]  # brokers that the controller takes for dead
    up: Set[Broker]  # brokers whose process runs
    unclean_stop: Set[Broker]  # brokers that are down and left no clean-shutdown file
    view: Map[Broker, View]  # what each broker was last told
    log: Map[Broker, Annotated[Seq[Record], Capacity(log_size)]]
    flushed: Map[Broker, Offset]  # how much of a log is on disk for certain
    high_watermark: Map[Broker, Offset]
    fetched: Map[Broker, Map[Broker, Offset]]  # how far a leader knows each follower's log to match its own
    pending: Map[Broker, Option[IsrChange]]  # what each leader has asked of the controller
    written: Annotated[int, Range(0, max_records)]
    acknowledged: Set[RecordId]
    committed: Ghost[Annotated[Seq[RecordId], Capacity(log_size)]]  # what consumers could have read, by offset


@initial
def start(leader: Broker) -> Partition:
    """{leader} leads, everyone is in sync, and all logs are empty."""
    return Partition(
        registered=Registration(leader=leader, leader_epoch=0, isr=Set(Broker), elr=Set(), last_known_leader=None),
        fenced=Set(),
        up=Set(Broker),
        unclean_stop=Set(),
        view=Map(
            {
                broker: View(leader=leader, leader_epoch=0, isr=Set(Broker) if broker == leader else Set())
                for broker in Broker
            }
        ),
        log=Map({broker: Seq() for broker in Broker}),
        flushed=Map({broker: 0 for broker in Broker}),
        high_watermark=Map({broker: 0 for broker in Broker}),
        fetched=Map({broker: Map({other: 0 for other in Broker}) for broker in Broker}),
        pending=Map({broker: None for broker in Broker}),
        written=0,
        acknowledged=Set(),
        committed=Seq(),
    )


# --- a record's life --------------------------------------------------------------------------------------------------


@action(kind="client")
def write(s: Partition, leader: Broker) -> None:
    """{leader} appends record {s.written} at offset {len(s.log[leader])}, in epoch {s.view[leader].leader_epoch}."""
    require(leads(s, leader))
    require(acks != Acks.ALL or len(s.view[leader].isr) >= effective_min_isr())
    limit(s.written < max_records)
    limit(len(s.log[leader]) < log_size)
    s.log[leader].append(Record(id=s.written, epoch=s.view[leader].leader_epoch))
    if acks != Acks.ALL:
        s.acknowledged.add(s.written)
    s.written += 1


def effective_min_isr() -> int:
    """How many members of the ISR there must be."""
    return min(min_isr, replicas) if min_isr_capped else min_isr


def leads(s: Partition, broker: Broker) -> bool:
    """Whether it runs, and takes itself for the leader."""
    return broker in s.up and s.view[broker].leader == broker


@action
def fetch(s: Partition, leader: Broker, follower: Broker) -> None:
    """{follower} fetches from {leader} at offset {len(s.log[follower])}."""
    require(leader != follower)
    require(leads(s, leader))
    require(follower in s.up and s.view[follower].leader == leader)
    require(not fence_fetch or s.view[follower].leader_epoch == s.view[leader].leader_epoch)
    require(fetch_tells_something(s, leader, follower))
    end = len(s.log[follower])
    common = common_prefix(s, leader, follower)
    if common < end:
        s.log[follower].truncate(common)
        s.high_watermark[follower] = min(s.high_watermark[follower], common)
        s.flushed[follower] = min(s.flushed[follower], common)
    else:
        reached = min(end + 1, len(s.log[leader]))
        if end < reached:
            s.log[follower].append(s.log[leader][end])
        s.fetched[leader][follower] = reached
        s.high_watermark[follower] = min(s.high_watermark[leader], reached)


def fetch_tells_something(s: Partition, leader: Broker, follower: Broker) -> bool:
    """Whether a fetch would change anything."""
    end = len(s.log[follower])
    return (
        end != len(s.log[leader])
        or common_prefix(s, leader, follower) < end
        or s.fetched[leader][follower] != end
        or s.high_watermark[follower] != s.high_watermark[leader]
    )


def common_prefix(s: Partition, leader: Broker, follower: Broker) -> int:
    """How many records two logs have in common. Equal epochs at an offset mean equal logs up to there."""
    return max(
        (
            offset + 1
            for offset in range(min(len(s.log[leader]), len(s.log[follower])))
            if s.log[leader][offset].epoch == s.log[follower][offset].epoch
        ),
        default=0,
    )


@action
def advance_high_watermark(s: Partition, leader: Broker) -> None:
    """{leader} moves its high watermark from {s.high_watermark[leader]} to {end_in_sync(s, leader)}."""
    require(leads(s, leader))
    require(not strict_high_watermark or len(s.view[leader].isr) >= effective_min_isr())
    require(end_in_sync(s, leader) > s.high_watermark[leader])
    old = s.high_watermark[leader]
    new = end_in_sync(s, leader)
    s.high_watermark[leader] = new
    epoch = s.view[leader].leader_epoch
    if acks == Acks.ALL and len(maximal(s, leader)) >= effective_min_isr():
        for offset in range(old, new):
            if s.log[leader][offset].epoch == epoch:
                s.acknowledged.add(s.log[leader][offset].id)
    for offset in range(old, new):
        if offset == len(s.committed):
            s.committed.append(s.log[leader][offset].id)


def end_in_sync(s: Partition, leader: Broker) -> int:
    """How far all who count for the high watermark are known to have come."""
    return min(
        len(s.log[leader]),
        min(
            (s.fetched[leader][follower] for follower in counted(s, leader) if follower != leader),
            default=len(s.log[leader]),
        ),
    )


def counted(s: Partition, leader: Broker) -> Set[Broker]:
    """Who counts for the high watermark."""
    return maximal(s, leader) if maximal_isr else s.view[leader].isr


def maximal(s: Partition, leader: Broker) -> Set[Broker]:
    """The ISR as large as it may be by now: with who has been proposed."""
    change = s.pending[leader]
    if change is None or not change.joins:
        return s.view[leader].isr
    return s.view[leader].isr | {change.broker}


# --- the leader changes the ISR ---------------------------------------------------------------------------------------


@action(kind="fault", budget="isr_shrinks")
def propose_shrink(s: Partition, leader: Broker, follower: Broker) -> None:
    """{leader} finds that {follower} lags, and asks the controller to take it out of the ISR."""
    require(leads(s, leader) and s.pending[leader] is None)
    require(follower != leader and follower in s.view[leader].isr)
    require(is_current(s, leader))
    s.pending[leader] = IsrChange(broker=follower, joins=False, open=True, restarted=False)


@action
def propose_expansion(s: Partition, leader: Broker, follower: Broker) -> None:
    """{leader} finds that {follower} has caught up, and asks the controller to take it into the ISR."""
    require(leads(s, leader) and s.pending[leader] is None)
    require(follower != leader and follower not in s.view[leader].isr)
    require(is_current(s, leader))
    require(s.fetched[leader][follower] >= s.high_watermark[leader])
    require(not await_epoch_start or s.fetched[leader][follower] >= epoch_start(s, leader))
    s.pending[leader] = IsrChange(broker=follower, joins=True, open=True, restarted=False)


def is_current(s: Partition, leader: Broker) -> bool:
    """Whether it has heard of all that the controller has written: only then is its request not outdated."""
    return s.view[leader].leader_epoch == s.registered.leader_epoch and s.view[leader].isr == s.registered.isr


def epoch_start(s: Partition, leader: Broker) -> int:
    """Where the records of its own epoch begin, or will."""
    return min(
        (o for o in range(len(s.log[leader])) if s.log[leader][o].epoch == s.view[leader].leader_epoch),
        default=len(s.log[leader]),
    )


@action
def alter_partition(s: Partition, leader: Broker) -> None:
    """The controller answers {leader}, which wants {who_changes(s, leader)} in or out of the ISR."""
    change = s.pending[leader]
    require(change is not None and change.open)
    require(is_current(s, leader))
    assert change is not None
    if change.joins and is_ineligible(s, change):
        s.pending[leader] = None
    else:
        isr = s.registered.isr | {change.broker} if change.joins else s.registered.isr - {change.broker}
        s.registered = replace(s.registered, isr=isr, elr=next_elr(s.registered, isr, Set()))
        s.pending[leader] = replace(change, open=False)


def who_changes(s: Partition, leader: Broker) -> Option[Broker]:
    """Whose membership a leader has asked to change."""
    change = s.pending[leader]
    return None if change is None else change.broker


def is_ineligible(s: Partition, change: IsrChange) -> bool:
    """Whether the controller refuses to take it in."""
    return (reject_fenced and change.broker in s.fenced) or (reject_restarted and change.restarted)


def next_elr(registered: Registration, isr: Set[Broker], unclean_stops: Set[Broker]) -> Set[Broker]:
    """Who is eligible besides the new ISR: while that is below min.isr, whoever leaves it and does not stop uncleanly."""
    if not elr or len(isr) >= effective_min_isr():
        return Set()
    return (registered.isr | registered.elr) - isr - unclean_stops


# --- the controller elects ----------------------------------------------------------------------------------------------


def candidates(registered: Registration, isr: Set[Broker], eligible: Set[Broker], alive: Set[Broker]) -> Set[Broker]:
    """Whom the controller may elect."""
    clean = (isr if len(isr) > 0 else eligible) & alive
    if len(clean) > 0:
        return clean
    last = registered.last_known_leader
    if elr and len(isr) == 0 and len(eligible) == 0 and last is not None and last in alive:
        return Set({last})
    return alive if unclean else Set()


def is_choice(
    registered: Registration,
    isr: Set[Broker],
    eligible: Set[Broker],
    alive: Set[Broker],
    subject: Broker,
    successor: Broker,
) -> bool:
    """Whether the controller may name that successor. Where it elects nobody, that is the broker it is all about."""
    if registered.leader is not None and registered.leader in (isr & alive):
        return successor == registered.leader
    choice = candidates(registered, isr, eligible, alive)
    return successor in choice if len(choice) > 0 else successor == subject


def chosen(
    registered: Registration, isr: Set[Broker], eligible: Set[Broker], alive: Set[Broker], successor: Broker
) -> Option[Broker]:
    """Who leads then."""
    keeps = registered.leader is not None and registered.leader in (isr & alive)
    return successor if keeps or len(candidates(registered, isr, eligible, alive)) > 0 else None


def with_leader(
    registered: Registration, isr: Set[Broker], eligible: Set[Broker], successor: Option[Broker]
) -> Registration:
    """The partition once the controller has elected a successor, or kept the leader that it has."""
    epoch = registered.leader_epoch if successor == registered.leader else registered.leader_epoch + 1
    if successor is None:
        last = registered.leader if len(isr) == 0 and registered.leader is not None else registered.last_known_leader
        return Registration(
            leader=None, leader_epoch=epoch, isr=isr, elr=eligible, last_known_leader=last if elr else None
        )
    if successor in isr:
        return Registration(leader=successor, leader_epoch=epoch, isr=isr, elr=eligible, last_known_leader=None)
    return Registration(
        leader=successor,
        leader_epoch=epoch,
        isr=Set({successor}),
        elr=eligible - {successor} if successor in eligible else Set(),
        last_known_leader=None,
    )


def isr_without(registered: Registration, broker: Broker) -> Set[Broker]:
    """The ISR without a broker, but that it is only empty where there are eligible leader replicas."""
    isr = registered.isr - {broker}
    return isr if elr or len(isr) > 0 else registered.isr


@action
def session_expires(s: Partition, broker: Broker, successor: Broker) -> None:
    """The controller misses {broker}, fences it, and makes {successor} the leader."""
    require(broker not in s.up and broker not in s.fenced)
    isr = isr_without(s.registered, broker)
    eligible = next_elr(s.registered, isr, Set())
    alive = unfenced(s) - {broker}
    require(is_choice(s.registered, isr, eligible, alive, broker, successor))
    limit(s.registered.leader_epoch < max_leader_epoch)
    s.registered = with_leader(s.registered, isr, eligible, chosen(s.registered, isr, eligible, alive, successor))
    s.fenced.add(broker)


@action(kind="fault", budget="fences")
def miss_heartbeats(s: Partition, broker: Broker, successor: Broker) -> None:
    """The controller fences {broker}, which is alive, and makes {successor} the leader."""
    require(broker in s.up and broker not in s.fenced)
    isr = isr_without(s.registered, broker)
    eligible = next_elr(s.registered, isr, Set())
    alive = unfenced(s) - {broker}
    require(is_choice(s.registered, isr, eligible, alive, broker, successor))
    limit(s.registered.leader_epoch < max_leader_epoch)
    s.registered = with_leader(s.registered, isr, eligible, chosen(s.registered, isr, eligible, alive, successor))
    s.fenced.add(broker)


def unfenced(s: Partition) -> Set[Broker]:
    """Brokers that the controller takes for alive."""
    return {broker for broker in Broker if broker not in s.fenced}


@action
def unfence(s: Partition, broker: Broker, successor: Broker) -> None:
    """{broker}, which never stopped, is heard of again; {successor} leads."""
    require(broker in s.up and broker in s.fenced)
    isr = s.registered.isr
    eligible = s.registered.elr
    alive = unfenced(s) | {broker}
    require(is_choice(s.registered, isr, eligible, alive, broker, successor))
    limit(s.registered.leader_epoch < max_leader_epoch)
    s.registered = with_leader(s.registered, isr, eligible, chosen(s.registered, isr, eligible, alive, successor))
    s.fenced.remove(broker)


@action
def restart(s: Partition, broker: Broker, successor: Broker) -> None:
    """{broker} starts, registers, and is unfenced; {successor} leads."""
    require(broker not in s.up and broker in s.fenced)
    unclean_stops: Set[Broker] = {broker} & s.unclean_stop if elr else Set()
    isr = s.registered.isr - unclean_stops
    eligible = next_elr(s.registered, isr, unclean_stops)
    alive = unfenced(s) | {broker}
    require(is_choice(s.registered, isr, eligible, alive, broker, successor))
    limit(s.registered.leader_epoch < max_leader_epoch)
    for leader in Broker:
        change = s.pending[leader]
        if change is not None and change.broker == broker:
            s.pending[leader] = replace(change, restarted=True)
        if reject_restarted:
            s.fetched[leader][broker] = 0
    s.registered = with_leader(s.registered, isr, eligible, chosen(s.registered, isr, eligible, alive, successor))
    s.fenced.remove(broker)
    s.unclean_stop.discard(broker)
    s.up.add(broker)


# --- the brokers hear of it ---------------------------------------------------------------------------------------------


@action
def learn(s: Partition, broker: Broker) -> None:
    """{broker} hears that {s.registered.leader} leads epoch {s.registered.leader_epoch}."""
    require(broker in s.up)
    require(has_news(s, broker))
    leader = s.registered.leader
    isr: Set[Broker] = s.registered.isr if leader == broker else Set()
    same = s.view[broker].leader_epoch == s.registered.leader_epoch and s.view[broker].leader == leader
    s.view[broker] = View(leader=leader, leader_epoch=s.registered.leader_epoch, isr=isr)
    s.pending[broker] = None
    if not same:
        s.fetched[broker] = Map({other: 0 for other in Broker})


def has_news(s: Partition, broker: Broker) -> bool:
    """Whether there is metadata that it has not seen, and that tells it something."""
    change = s.pending[broker]
    return (
        s.view[broker].leader_epoch != s.registered.leader_epoch
        or s.view[broker].leader != s.registered.leader
        or (s.registered.leader == broker and s.view[broker].isr != s.registered.isr)
        or (change is not None and not change.open)
    )


# --- faults -----------------------------------------------------------------------------------------------------------


def stopped() -> View:
    """What a process that does not run knows."""
    return View(leader=None, leader_epoch=0, isr=Set())


@action(kind="fault", budget="crashes")
def crash(s: Partition, broker: Broker) -> None:
    """{broker}'s process dies. Its log is in the page cache of the machine, which goes on."""
    require(broker in s.up)
    s.up.remove(broker)
    s.unclean_stop.add(broker)
    s.view[broker] = stopped()
    s.pending[broker] = None
    s.fetched[broker] = Map({other: 0 for other in Broker})


@action(kind="fault", budget="power_losses")
def lose_power(s: Partition, broker: Broker, kept: Offset) -> None:
    """{broker} loses power, and finds {kept} of its {len(s.log[broker])} records on its disk later."""
    require(broker in s.up)
    require(s.flushed[broker] <= kept <= len(s.log[broker]))
    require(not fsync or kept == len(s.log[broker]))
    s.log[broker].truncate(kept)
    s.high_watermark[broker] = min(s.high_watermark[broker], kept)
    s.up.remove(broker)
    s.unclean_stop.add(broker)
    s.view[broker] = stopped()
    s.pending[broker] = None
    s.fetched[broker] = Map({other: 0 for other in Broker})


@action(kind="fault", budget="shutdowns")
def shut_down(s: Partition, broker: Broker, successor: Broker) -> None:
    """{broker} is shut down: it hands over to {successor}, flushes its log and stops."""
    require(broker in s.up and broker not in s.fenced)
    isr = isr_without(s.registered, broker)
    eligible = next_elr(s.registered, isr, Set())
    alive = unfenced(s) - {broker}
    require(is_choice(s.registered, isr, eligible, alive, broker, successor))
    limit(s.registered.leader_epoch < max_leader_epoch)
    s.registered = with_leader(s.registered, isr, eligible, chosen(s.registered, isr, eligible, alive, successor))
    s.fenced.add(broker)
    s.up.remove(broker)
    s.view[broker] = stopped()
    s.pending[broker] = None
    s.fetched[broker] = Map({other: 0 for other in Broker})
    s.flushed[broker] = len(s.log[broker])


@terminal
def nobody_runs(s: Partition) -> bool:
    """Nobody can be elected: whoever may be is down for good or lost."""
    return s.registered.leader is None
