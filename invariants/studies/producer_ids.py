"""What must hold of blocks of producer ids, and what must be possible."""

from __future__ import annotations

from ...language import invariant, reachable, transition
from ...model.studies.producer_ids import Broker, Ids, blocks, finds_own, is_refused


@invariant
def type_ok(s: Ids) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def block_is_handed_out_once(s: Ids) -> bool:
    """No block is handed out twice: else two producers have the same id."""
    return all(s.handed_out[block] <= 1 for block in range(1, blocks + 1))


@transition
def blocks_grow(before: Ids, after: Ids) -> bool:
    """A broker gets no block that is before the one that it had."""
    return all(after.held[broker] >= before.held[broker] for broker in Broker)


@reachable
def two_read_the_same(s: Ids) -> bool:
    """Two brokers have read the same block, and each is about to write the next one."""
    return any(
        one != other and s.read[one] is not None and s.read[one] == s.read[other] for one in Broker for other in Broker
    )


@reachable
def answer_is_lost(s: Ids) -> bool:
    """A broker has written a block for itself, and does not know."""
    return any(is_refused(s, broker) and s.owner == broker and finds_own(s, broker) for broker in Broker)


@reachable
def zombie_is_about_to_write(s: Ids) -> bool:
    """The cluster has moved to KRaft, and somebody has read the znode who has yet to write it."""
    return s.next_block is not None and any(s.read[broker] is not None for broker in Broker)


@reachable
def kraft_hands_out_after_zookeeper(s: Ids) -> bool:
    """Blocks were handed out by both."""
    return s.next_block is not None and s.latest > 0 and any(s.held[broker] > s.latest for broker in Broker)
