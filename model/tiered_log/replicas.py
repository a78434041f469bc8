"""A leader and its followers: what is appended, fetched and truncated, and who is elected."""

from __future__ import annotations

from ...language import *
from ..parts.logs import common_prefix
from .segments import end_of, is_found, is_listed, is_replaced, start_in_remote, start_of
from .state import *


def serves(s: Partition, broker: Broker) -> bool:
    """Whether a broker that is not cut off knows who leads."""
    return broker not in s.cut and s.known[broker] == s.epoch


def leads(s: Partition) -> bool:
    """Whether the leader leads: one that was taken out of the ISR does not, and until an election nobody does."""
    return serves(s, s.leader) and s.leader in s.isr


def high(s: Partition) -> int:
    """The high watermark: up to where all in sync have what the leader has."""
    return min(common_prefix(s.log[broker], s.log[s.leader]) for broker in s.isr)


def commit(s: Partition) -> None:
    """What all in sync have is committed, and acknowledged to who asked for that."""
    own, end = s.log[s.leader], high(s)
    s.committed = Map({index: own[index] if index < end else s.committed[index] for index in range(records)})


@action(kind="client")
def produce(s: Partition) -> None:
    """{s.leader} appends a record at offset {len(s.log[s.leader])}."""
    require(leads(s))
    limit(len(s.log[s.leader]) < records)
    s.log[s.leader] = s.log[s.leader] + Seq([s.epoch])
    commit(s)


@action
def find_start(s: Partition) -> None:
    """{s.leader} finds in remote storage that its log starts at offset {start_in_remote(s)}."""
    require(s.looking and leads(s) and start_in_remote(s) <= high(s))
    s.looking = False
    move_start(s, s.leader, start_in_remote(s))


@action
def roll(s: Partition, broker: Broker) -> None:
    """{broker} begins a new segment at offset {len(s.log[broker])}."""
    require(s.local[broker] < len(s.log[broker]) and len(s.log[broker]) not in s.bases[broker])
    s.bases[broker].add(len(s.log[broker]))


@action
def fetch(s: Partition, follower: Broker) -> None:
    """{follower} fetches the record at offset {len(s.log[follower])} from {s.leader}."""
    require(follower != s.leader and leads(s) and serves(s, follower))
    require(s.local[s.leader] <= len(s.log[follower]) < len(s.log[s.leader]))
    s.log[follower] = s.log[follower] + Seq([s.log[s.leader][len(s.log[follower])]])
    commit(s)


@action
def fetch_start(s: Partition, follower: Broker) -> None:
    """{follower} learns from {s.leader} that the log starts at {s.start[s.leader]}."""
    require(follower != s.leader and leads(s) and serves(s, follower))
    require(s.start[follower] < s.start[s.leader] <= len(s.log[follower]))
    move_start(s, follower, s.start[s.leader])


def move_start(s: Partition, broker: Broker, start: Offset) -> None:
    """A log starts later, and its local part not sooner."""
    if start > s.start[broker]:
        s.start[broker] = start
        if start > s.local[broker]:
            begin_local(s, broker, start)


def begin_local(s: Partition, broker: Broker, offset: Offset) -> None:
    """A local log begins at an offset."""
    s.local[broker] = offset
    s.bases[broker] = Set(base for base in s.bases[broker] if base > offset)


@action
def build(s: Partition, follower: Broker) -> None:
    """{follower} ends before {s.leader}'s local log: it takes the epochs of a remote segment, and begins after that."""
    require(follower != s.leader and leads(s) and serves(s, follower))
    require(s.start[s.leader] <= len(s.log[follower]) < s.local[s.leader])
    before = s.local[s.leader] - 1
    require(is_found(s, s.log[s.leader][before], before))
    found = max(p for p in range(len(s.remote)) if is_the_one(s, p, s.log[s.leader][before], before))
    s.log[follower] = s.remote[found].epochs
    s.bases[follower] = Set()
    s.local[follower] = len(s.log[follower])
    s.start[follower] = s.start[s.leader]
    s.built.add(follower)
    commit(s)


@action
def begin_anew(s: Partition, follower: Broker) -> None:
    """{follower} ends before {s.leader}'s log starts, and begins a new one at offset {s.start[s.leader]}."""
    require(follower != s.leader and leads(s) and serves(s, follower))
    require(len(s.log[follower]) < s.start[s.leader])
    s.log[follower] = s.log[s.leader][: s.start[s.leader]]
    s.bases[follower] = Set()
    s.local[follower] = s.start[s.leader]
    s.start[follower] = s.start[s.leader]
    commit(s)


def is_the_one(s: Partition, place: int, epoch: Epoch, offset: Offset) -> bool:
    """Whether a record is found in that segment."""
    return (
        is_listed(s, place, epoch)
        and not is_replaced(s, place, epoch)
        and start_of(s.remote[place], epoch) <= offset < end_of(s.remote[place], epoch)
    )


@action
def follow(s: Partition, broker: Broker) -> None:
    """{broker} learns that {s.leader} leads in epoch {s.epoch}, and truncates its log to what both have."""
    require(broker != s.leader and broker not in s.cut and s.known[broker] < s.epoch)
    s.known[broker] = s.epoch
    end = common_prefix(s.log[broker], s.log[s.leader])
    if end < len(s.log[broker]):
        s.log[broker] = s.log[broker][:end]
        s.bases[broker] = Set(base for base in s.bases[broker] if base <= end)
        if end < s.local[broker]:
            s.local[broker] = end
            s.start[broker] = min(s.start[broker], end) if keeps_start else end


@action
def join(s: Partition, follower: Broker) -> None:
    """{follower} has all that {s.leader} has, and joins the ISR."""
    require(follower not in s.isr and leads(s) and serves(s, follower))
    require(s.log[follower] == s.log[s.leader] and s.start[s.leader] <= s.start[follower])
    s.isr.add(follower)


@action(kind="fault", budget="outages")
def cut_off(s: Partition, broker: Broker) -> None:
    """{broker} is cut off from the controller, which takes it out of the ISR unless it is the last."""
    require(broker not in s.cut)
    s.cut.add(broker)
    if len(s.isr) > 1:
        s.isr.discard(broker)
    if broker != s.leader:
        commit(s)


@action
def come_back(s: Partition, broker: Broker) -> None:
    """{broker} is not cut off any more."""
    require(broker in s.cut)
    s.cut.remove(broker)


def may_lead(s: Partition, broker: Broker) -> bool:
    """Whether a broker may be elected: it is in sync, or nobody in sync is there and that is allowed."""
    return broker in s.isr or (unclean and s.isr <= s.cut)


@action(budget="elections")
def elect(s: Partition, broker: Broker) -> None:
    """{broker} is elected, in epoch {s.epoch + 1}{'' if broker in s.isr else ', uncleanly'}."""
    require(broker != s.leader and broker not in s.cut)
    require(may_lead(s, broker))
    if broker not in s.isr:
        s.isr = Set([broker])
        forget_lost(s, broker)
    s.leader = broker
    s.epoch += 1
    s.known[broker] = s.epoch
    s.looking = True


def forget_lost(s: Partition, broker: Broker) -> None:
    """What an unclean election loses is not to be kept any more, and what comes there later is not too old."""
    end = common_end(s, broker)
    s.committed = Map({index: s.committed[index] if index < end else None for index in range(records)})
    s.expired = min(s.expired, len(s.log[broker]))


def common_end(s: Partition, broker: Broker) -> int:
    """Up to where a broker's log has what was committed."""
    return max(
        (o + 1 for o in range(len(s.log[broker])) if s.committed[o] == s.log[broker][o]),
        default=0,
    )
