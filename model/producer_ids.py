"""Blocks of producer ids: `/latest_producer_id_block`, and what becomes of it when a cluster moves to KRaft.

Producer ids must be unique in a cluster, or two producers fence each other and their records are taken for duplicates.
A broker that needs ids takes a block: it reads the znode, which has the block that was handed out last, and writes the
next one over the version that it has read. A cluster that moves to KRaft copies this into the metadata log, where
the *next* block is kept, not the last one.

* `compares`: the write is a compare-and-set over the version that was read.
* `copies_next`: what is copied to KRaft is the block after the last one (KAFKA-15552, repaired in 3.5.2 and 3.6.1).

What is abstracted away: how ids of a block are used up, and sessions. From 3.0 on brokers may ask the controller
(KIP-730), which takes blocks in the same way. The move to KRaft is one step, and nobody writes the znode after it. That
is an assumption: in Kafka the write compares the version of this znode alone, and not `/controller_epoch`, and the
migration only reads it. A controller that does not know yet that it was replaced may thus take a block that KRaft hands
out, too.

Sources: ProducerIdManager of Kafka 2.6 and 3.9, KafkaZkClient (conditionalUpdatePath) of 3.9, ZkMigrationClient of 3.6,
KAFKA-15552. Properties are in `invariants/producer_ids.py`.
"""

from __future__ import annotations

from typing import Annotated

from ..language import (
    Domain,
    GroupLanes,
    Map,
    Option,
    Range,
    action,
    constant,
    initial,
    limit,
    require,
    state,
)

brokers = constant(3, minimum=1, maximum=4, says="brokers that take blocks of producer ids")
blocks = constant(4, minimum=1, maximum=6, says="blocks that are handed out in all")
moves = constant(1, minimum=0, maximum=1, says="whether the cluster may move to KRaft")
compares = constant(True, says="a block is written over the version that was read")
copies_next = constant(True, says="KAFKA-15552: what is copied to KRaft is the next block, not the last one")


class Broker(Domain, size=brokers, symmetric=True):
    """A broker. They are all alike."""


Block = Annotated[int, Range(0, blocks)]


@state
class Ids:
    """The znode, KRaft's record, and who has which blocks."""

    latest: Block  # the znode: the block that was handed out last; 0: none
    version: Block  # of the znode
    read: Map[Broker, Option[Block]]  # the block that each broker has read, before it writes
    read_version: Map[Broker, Block]  # and the version with it
    held: Map[Broker, Block]  # the block that each broker got last; 0: none
    handed_out: Map[Block, Annotated[int, Range(0, brokers)]]  # how often each block was handed out, at most `brokers`
    next_block: Option[Annotated[int, Range(0, blocks + 1)]]  # KRaft's record; None: the cluster is on ZooKeeper


view = GroupLanes(
    lane=Broker,
    state="'reading' if s.read[lane] is not None else 'ready'",
    generation="held",
    badges={"read": "read"},
    board={"/latest_producer_id_block": "latest", "next block in KRaft": "next_block"},
)

profiles = {"kafka_3_9": {}, "kafka_15552": {"copies_next": False}, "overwrites": {"compares": False}}


@initial
def start() -> Ids:
    """On ZooKeeper, and no block was handed out."""
    return Ids(
        latest=0,
        version=0,
        read=Map({broker: None for broker in Broker}),
        read_version=Map({broker: 0 for broker in Broker}),
        held=Map({broker: 0 for broker in Broker}),
        handed_out=Map({block: 0 for block in range(blocks + 1)}),
        next_block=None,
    )


@action
def read_block(s: Ids, broker: Broker) -> None:
    """{broker} reads that block {s.latest} was handed out last."""
    require(s.next_block is None and s.read[broker] is None)
    s.read[broker] = s.latest
    s.read_version[broker] = s.version


@action
def take_block(s: Ids, broker: Broker) -> None:
    """{broker} writes the block after the one that it has read, {s.read[broker]}, and has it."""
    last = s.read[broker]
    require(s.next_block is None and last is not None)
    require(not compares or s.read_version[broker] == s.version)
    if last is not None:
        limit(last < blocks and s.version < blocks)
        s.latest = last + 1
        s.version += 1
        hand_out(s, broker, last + 1)
        s.read[broker] = None


@action
def read_again(s: Ids, broker: Broker) -> None:
    """{broker} is refused, since the znode has changed since it was read, and reads again."""
    require(s.next_block is None and compares and s.read[broker] is not None and s.read_version[broker] != s.version)
    s.read[broker] = s.latest
    s.read_version[broker] = s.version


def hand_out(s: Ids, broker: Broker, block: Block) -> None:
    """A broker gets a block."""
    s.held[broker] = block
    s.handed_out[block] += 1


@action(kind="client")
def move_to_kraft(s: Ids) -> None:
    """The cluster moves to KRaft: block {s.latest} was handed out last."""
    require(moves > 0 and s.next_block is None)
    s.next_block = s.latest + 1 if copies_next or s.latest == 0 else s.latest
    for broker in Broker:
        s.read[broker] = None
        s.read_version[broker] = 0


@action
def take_block_from_kraft(s: Ids, broker: Broker) -> None:
    """The KRaft controller hands out block {s.next_block} to {broker}."""
    block = s.next_block
    require(block is not None)
    if block is not None:
        limit(block <= blocks)
        s.next_block = block + 1
        hand_out(s, broker, block)
