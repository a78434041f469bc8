"""The yardstick: KIP-320 replication, written by hand and tuned for CPython. It shares nothing with Tidegate.

This is what a good programmer writes to get an answer from plain Python today: a state is a nested tuple of small
integers, sets are bit masks, loops are unrolled into locals, nothing is allocated that is not part of a new state.
What can be derived is left out of the state: the quorum's leader and epoch are those of the newest request, and the
next leader epoch is the number of requests.

    state    = (replicas, next_record_id, requests, quorum_isr)
    replica  = (log, high_watermark, leader_epoch, leader, isr)     log: one integer per record, leader: -1 is none
    request  = (leader, isr)                                       its epoch is its position

`python bench/plain_kip320.py 3 2 2 1` checks replicas=3 log_size=2 max_records=2 max_leader_epoch=1.
"""

from __future__ import annotations

import sys
import time
from dataclasses import dataclass
from typing import TypeAlias

Log: TypeAlias = tuple[int, ...]
Replica: TypeAlias = tuple[Log, int, int, int, int]
Request: TypeAlias = tuple[int, int]
State: TypeAlias = tuple[tuple[Replica, ...], int, tuple[Request, ...], int]

NONE = -1
EPOCHS = 16  # a record is id * EPOCHS + epoch


@dataclass(frozen=True, slots=True)
class Bounds:
    """The constants, by the names that the model gives them."""

    replicas: int
    log_size: int
    max_records: int
    max_leader_epoch: int


@dataclass(frozen=True, slots=True)
class Count:
    """What a whole exploration saw; `depth` counts states, the initial one being 1."""

    distinct: int
    transitions: int
    depth: int
    seconds: float


def initial(bounds: Bounds) -> State:
    """No records, no leader, everyone in the ISR."""
    everyone = (1 << bounds.replicas) - 1
    return (((), 0, -1, NONE, 0),) * bounds.replicas, 0, (), everyone


def successors(state: State, bounds: Bounds) -> list[State]:
    """One state per enabled action instance."""
    found: list[State] = []
    if len(state[2]) <= bounds.max_leader_epoch:
        _controller_steps(state, found)
    _request_steps(state, found)
    _leader_steps(state, bounds, found)
    return found


def _controller_steps(state: State, successors: list[State]) -> None:
    """The controller elects a leader or takes a replica out of the ISR; both bump the leader epoch."""
    replicas, next_id, requests, isr = state
    leader = requests[-1][0] if requests else NONE
    for r in range(len(replicas)):
        bit = 1 << r
        if r == leader:
            rest = isr if isr == bit else isr & ~bit
            successors.append((replicas, next_id, (*requests, (NONE, rest)), rest))
        elif isr & bit:
            rest = isr & ~bit
            successors.append((replicas, next_id, (*requests, (leader, rest)), rest))
            successors.append((replicas, next_id, (*requests, (r, isr)), isr))


def _request_steps(state: State, successors: list[State]) -> None:
    """Replicas act on the LeaderAndIsr requests that were ever sent."""
    replicas, next_id, requests, quorum_isr = state
    for epoch, (leader, isr) in enumerate(requests):
        if leader < 0:
            continue
        leader_log, leader_hw, leader_epoch, leads, _ = replicas[leader]
        if epoch > leader_epoch:
            changed = list(replicas)
            changed[leader] = (leader_log, leader_hw, epoch, leader, isr)
            successors.append((tuple(changed), next_id, requests, quorum_isr))
        elif leads == leader and leader_epoch == epoch:
            for r, (log, hw, own_epoch, _, _) in enumerate(replicas):
                if r != leader and epoch > own_epoch:
                    end = min(len(log), len(leader_log))
                    while end and log[end - 1] != leader_log[end - 1]:
                        end -= 1
                    changed = list(replicas)
                    changed[r] = (log[:end], end if end < hw else hw, epoch, leader, isr)
                    successors.append((tuple(changed), next_id, requests, quorum_isr))


def _leader_steps(state: State, bounds: Bounds, successors: list[State]) -> None:
    """What a replica that believes it leads does: writes, serves fetches, moves its high watermark, changes the ISR."""
    replicas, next_id, requests, quorum_isr = state
    for leader, (log, hw, epoch, leads, isr) in enumerate(replicas):
        if leads != leader:
            continue
        end = len(log)
        if next_id < bounds.max_records and end < bounds.log_size:
            changed = list(replicas)
            changed[leader] = ((*log, next_id * EPOCHS + epoch), hw, epoch, leader, isr)
            successors.append((tuple(changed), next_id + 1, requests, quorum_isr))
        is_true_leader = epoch == len(requests) - 1 and requests[-1][0] == leader
        at_epoch_start = hw == end or log[hw] % EPOCHS == epoch
        all_have_next = hw < end
        for r, (other_log, _, other_epoch, other_leader, other_isr) in enumerate(replicas):
            if r == leader:
                continue
            bit = 1 << r
            follows = other_leader == leader and other_epoch == epoch
            other_end = len(other_log)
            if follows and other_end < end:
                changed = list(replicas)
                longer = (*other_log, log[other_end])
                changed[r] = (longer, min(hw, other_end + 1), other_epoch, other_leader, other_isr)
                successors.append((tuple(changed), next_id, requests, quorum_isr))
            if isr & bit:
                if not follows or other_end <= hw:
                    all_have_next = False
                if is_true_leader and (not follows or other_end < end):
                    _change_isr(state, leader, isr & ~bit, successors)
            elif is_true_leader and follows and other_end >= hw and at_epoch_start:
                _change_isr(state, leader, isr | bit, successors)
        if all_have_next:
            changed = list(replicas)
            changed[leader] = (log, hw + 1, epoch, leader, isr)
            successors.append((tuple(changed), next_id, requests, quorum_isr))


def _change_isr(state: State, leader: int, isr: int, successors: list[State]) -> None:
    """The true leader writes a new ISR to the quorum."""
    replicas, next_id, requests, _ = state
    log, hw, epoch, leads, _ = replicas[leader]
    changed = list(replicas)
    changed[leader] = (log, hw, epoch, leads, isr)
    successors.append((tuple(changed), next_id, requests, isr))


def properties_hold(state: State) -> bool:
    """`leader_in_isr`, `weak_isr` and `strong_isr` in one pass."""
    replicas, _, requests, quorum_isr = state
    if requests and requests[-1][0] >= 0 and not quorum_isr >> requests[-1][0] & 1:
        return False
    for leader, (log, hw, _, leads, isr) in enumerate(replicas):
        if leads == leader and hw:
            committed = log[:hw]
            both = isr | quorum_isr
            for r, replica in enumerate(replicas):
                if both >> r & 1 and replica[0][:hw] != committed:
                    return False
    return True


def explore(bounds: Bounds, state_limit: int | None = None) -> Count:
    """Breadth first, to the end or to `state_limit` distinct states. Raises AssertionError where a property fails."""
    started = time.perf_counter()
    start = initial(bounds)
    seen = {start}
    frontier = [start]
    transitions = depth = 0
    while frontier and (state_limit is None or len(seen) < state_limit):
        depth += 1
        following: list[State] = []
        for state in frontier:
            assert properties_hold(state), state
            reached = successors(state, bounds)
            transitions += len(reached)
            for after in reached:
                if after not in seen:
                    seen.add(after)
                    following.append(after)
        frontier = following
    return Count(len(seen), transitions, depth, time.perf_counter() - started)


def main() -> None:
    """Explore the bounds given as four numbers and print the counts."""
    bounds = Bounds(*(int(text) for text in sys.argv[1:5]))
    count = explore(bounds)
    rate = count.distinct / count.seconds
    print(f"{count.distinct:,} distinct, {count.transitions:,} transitions, depth {count.depth}, {rate:,.0f} states/s")


if __name__ == "__main__":
    main()
