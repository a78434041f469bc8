"""Blocks of producer ids: `/latest_producer_id_block`, and what becomes of it when a cluster moves to KRaft.

Producer ids must be unique in a cluster, or two producers fence each other and their records are taken for duplicates.
A broker that needs ids takes a block: it reads the znode, which has the block that was handed out last, and writes the
next one over the version that it has read. A cluster that moves to KRaft copies this into the metadata log, where
the *next* block is kept, not the last one.

* `compares`: the write is a compare-and-set over the version that was read.
* `checks_content`: who is refused reads the znode, and takes the block if its content is what it would have written
  (up to 2.8): an answer was lost, and the write was done. Without it, as from 3.0 on, such a block is never used.
* `names_broker`: that content says for which broker the block is, as Kafka's does. Else two that race write the same.
* `copies_next`: what is copied to KRaft is the block after the last one (KAFKA-15552, repaired in 3.5.2 and 3.6.1).
* `fenced`: the write checks `/controller_epoch`, too, which KRaft raises when it takes over. Kafka's does not: it
  compares the version of this znode alone, and KRaft only reads the znode as it takes over. So a controller that does
  not know yet that it was replaced, a zombie, takes blocks after that.
* `rewrites`: KRaft writes the znode as it takes over, so that its version is no longer what was read before. Kafka does
  not. It would not be enough: whoever is refused reads again.

What is abstracted away: how ids of a block are used up, and sessions. From 3.0 on brokers ask the controller (KIP-730),
which takes blocks in the same way; here a broker stands for itself, and for the controller that it asks. KRaft takes
over and reads the znode in one step. What it writes back to ZooKeeper afterwards is left out: each block that it hands
out, since 3.4, and in 3.9 what differs from a snapshot, over whatever version the znode has (writeProducerId). Such a
write follows KRaft's own record, so a zombie may write before it, as here. When a zombie learns that it was replaced is
left out, too.

Sources: ProducerIdManager of Kafka 2.6, 2.8 and 3.9, KafkaZkClient (conditionalUpdatePath,
tryRegisterKRaftControllerAsActiveController), ZkMigrationClient (migrateProducerId, writeProducerId) and
KRaftMigrationZkWriter of 3.9, KRaftMigrationDriver of 3.4, KAFKA-15552, KIP-730.
Properties are in `invariants/studies/producer_ids.py`.
"""

from __future__ import annotations

from typing import Annotated

from ...language import Domain, GroupLanes, Map, Option, Range, action, constant, initial, limit, require, state

brokers = constant(3, minimum=1, maximum=4, says="brokers that take blocks of producer ids")
blocks = constant(4, minimum=1, maximum=6, says="blocks that are handed out in all")
moves = constant(1, minimum=0, maximum=1, says="whether the cluster may move to KRaft")
lost_answers = constant(0, minimum=0, maximum=2, says="writes of the znode that are done, and whose answer is lost")
compares = constant(True, says="a block is written over the version that was read")
checks_content = constant(True, says="who is refused takes the block if the znode is what it would have written")
names_broker = constant(True, says="the znode says for which broker its block is")
copies_next = constant(True, says="KAFKA-15552: what is copied to KRaft is the next block, not the last one")
fenced = constant(True, says="no block is written to ZooKeeper once KRaft has raised /controller_epoch")
rewrites = constant(False, says="KRaft writes the znode as it takes over")


class Broker(Domain, size=brokers, symmetric=True):
    """A broker. They are all alike."""


Block = Annotated[int, Range(0, blocks)]
Version = Annotated[int, Range(0, blocks + 1)]


@state
class Ids:
    """The znode, KRaft's record, and who has which blocks."""

    latest: Block  # the znode: the block that was handed out last; 0: none
    version: Version  # of the znode
    owner: Option[Broker]  # for which broker it was, as the znode says
    read: Map[Broker, Option[Block]]  # the block that each broker has read, before it writes
    read_version: Map[Broker, Version]  # and the version with it
    held: Map[Broker, Block]  # the block that each broker got last; 0: none
    handed_out: Map[Block, Annotated[int, Range(0, brokers + 1)]]  # how often: once to each broker, and once by KRaft
    next_block: Option[Annotated[int, Range(0, blocks + 1)]]  # KRaft's record; None: the cluster is on ZooKeeper


view = GroupLanes(
    lane=Broker,
    state="'reading' if s.read[lane] is not None else 'ready'",
    generation="held",
    badges={"read": "read"},
    board={"/latest_producer_id_block": "latest", "next block in KRaft": "next_block"},
)

profiles = {
    "fenced": {},
    "kafka_3_9": {"checks_content": False, "fenced": False},
    "kafka_2_6": {"fenced": False},
    "version_alone": {"fenced": False},  # as kafka_2_6, which cannot move to KRaft
    "kafka_15552": {"copies_next": False},
    "overwrites": {"compares": False},
    "unnamed": {"names_broker": False},
    "unchecked": {"checks_content": False},
    "rewritten": {"fenced": False, "rewrites": True},
}


@initial
def start() -> Ids:
    """On ZooKeeper, and no block was handed out."""
    return Ids(
        latest=0,
        version=0,
        owner=None,
        read=Map({broker: None for broker in Broker}),
        read_version=Map({broker: 0 for broker in Broker}),
        held=Map({broker: 0 for broker in Broker}),
        handed_out=Map({block: 0 for block in range(blocks + 1)}),
        next_block=None,
    )


def is_served(s: Ids) -> bool:
    """Whether ZooKeeper takes a write of the znode: after the move it is a zombie's, and taken where nothing fences."""
    return s.next_block is None or not fenced


@action
def read_block(s: Ids, broker: Broker) -> None:
    """{broker} reads that block {s.latest} was handed out last."""
    require(is_served(s) and s.read[broker] is None)
    s.read[broker] = s.latest
    s.read_version[broker] = s.version


@action
def take_block(s: Ids, broker: Broker) -> None:
    """{broker} writes the block after the one that it has read, {s.read[broker]}, and has it."""
    last = s.read[broker]
    require(last is not None)
    if last is not None:
        write(s, broker, last)
        hand_out(s, broker, last + 1)
        s.read[broker] = None


@action(kind="fault", budget="lost_answers")
def take_block_unheard(s: Ids, broker: Broker) -> None:
    """{broker} writes the block after the one that it has read, {s.read[broker]}, and the answer is lost."""
    last = s.read[broker]
    require(lost_answers > 0 and compares and last is not None)
    if last is not None:
        write(s, broker, last)


def write(s: Ids, broker: Broker, last: Block) -> None:
    """A broker that has read that block writes the next one."""
    require(is_served(s) and (not compares or s.read_version[broker] == s.version))
    limit(last < blocks and s.version < blocks)
    s.latest = last + 1
    s.version += 1
    s.owner = broker


def is_refused(s: Ids, broker: Broker) -> bool:
    """Whether a broker that has read the znode is refused, since it has changed since."""
    return compares and s.read[broker] is not None and s.read_version[broker] != s.version


def finds_own(s: Ids, broker: Broker) -> bool:
    """Whether the znode has what a broker would have written."""
    last = s.read[broker]
    return last is not None and s.latest == last + 1 and (not names_broker or s.owner == broker)


@action
def recognise(s: Ids, broker: Broker) -> None:
    """{broker} is refused, finds in the znode what it would have written, and has block {s.latest}."""
    require(is_served(s) and checks_content and is_refused(s, broker) and finds_own(s, broker))
    hand_out(s, broker, s.latest)
    s.read[broker] = None


@action
def read_again(s: Ids, broker: Broker) -> None:
    """{broker} is refused, since the znode has changed since it was read, and reads again."""
    require(is_served(s) and is_refused(s, broker) and not (checks_content and finds_own(s, broker)))
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
    if rewrites:
        s.version += 1
    if fenced:
        for broker in Broker:
            s.read[broker] = None
            s.read_version[broker] = 0


@action
def take_block_from_kraft(s: Ids, broker: Broker) -> None:
    """The KRaft controller hands out block {s.next_block} to {broker}."""
    block = s.next_block
    require(moves > 0 and block is not None)
    if block is not None:
        limit(block <= blocks)
        s.next_block = block + 1
        hand_out(s, broker, block)
