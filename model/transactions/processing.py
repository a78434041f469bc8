"""Consume, process, produce: a group whose members write what they make, and how far they have come, in transactions.

A member reads a record, writes its result, and adds the offset after it to the same transaction (TxnOffsetCommit), so
that both are committed or neither is. Members have a `transactional.id` each. When a partition moves to another member
while its owner is stalled, the owner does not know, and goes on as a *zombie*. What keeps it harmless:

* `fence_offsets`: an offset is added only with the group's generation (KIP-447, 2.5). In `kafka_2_4` it is not: the
  zombie's results and its offset are committed beside those of its successor.
* `await_pending`: who takes a partition over waits while an offset of it is in a transaction that is under way
  (KIP-447, UNSTABLE_OFFSET_COMMIT). In `unawaited` it begins with the offset before that, which is then committed.
* `id_per_partition`: before KIP-447, the way that Kafka Streams took: a `transactional.id` for each input partition,
  so that who takes over fences the one before (InitProducerId).

What is abstracted away. One input partition. A transaction has one record, its result, and one offset; the transaction
itself is what `protocol/` shows it to be: it commits whole, or is aborted, and who was fenced cannot commit. The group
is its generation and the owner of the partition: that an offset of another generation is refused, and how generations
come about, is in `../groups/classic`. What processing does elsewhere, an email that is sent, is not undone by an abort,
and not in question here.

Sources: KIP-447; ConsumerCoordinator and GroupMetadata of Kafka 2.4 and 2.5 (validateTxnOffsetCommit,
`requireStable`). Properties are in `invariants/transactions/processing.py`.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import (
    Domain,
    GroupLanes,
    Map,
    Range,
    action,
    constant,
    initial,
    limit,
    require,
    state,
    terminal,
)

members = constant(2, minimum=2, maximum=3, says="members of the group")
records = constant(2, minimum=1, maximum=4, says="records of the input partition")
rebalances = constant(2, minimum=1, maximum=4, says="times that the partition is given to a member")
timeouts = constant(1, minimum=0, maximum=2, says="transactions that the coordinator aborts: transaction.timeout.ms")
fence_offsets = constant(True, says="KIP-447: an offset is added to a transaction only in the group's generation")
await_pending = constant(True, says="KIP-447: who takes over waits for offsets in transactions that are under way")
id_per_partition = constant(False, says="a transactional.id for each input partition, not for each member")

profiles = {
    "kafka_2_5": {"fence_offsets": True},
    "kafka_2_4": {"fence_offsets": False, "await_pending": False},
    "unawaited": {"await_pending": False},
    "unfenced": {"fence_offsets": False},
    "id_per_partition": {"id_per_partition": True, "fence_offsets": False, "await_pending": False},
}


class Member(Domain, size=members, symmetric=True):
    """A member of the group."""


Offset = Annotated[int, Range(0, records)]
Generation = Annotated[int, Range(0, rebalances)]


class Phase(Enum):
    """What a member is doing."""

    OUT = "out"  # it has no partition, as far as it knows
    READY = "ready"  # it has no transaction
    WROTE = "wrote"  # it has written a result
    ADDED = "added"  # and has added the offset


@state
class Group:
    """The group, its members, and what is committed."""

    generation: Generation  # of the group
    owner: Member  # to whom the partition is given
    phase: Map[Member, Phase]  # what each member is doing
    knows: Map[Member, Generation]  # in which generation it takes the partition for its own
    position: Map[Member, Offset]  # the offset that it reads next
    aborted: Map[Member, bool]  # whether its transaction was aborted, or its producer fenced, which it does not know
    offset: Offset  # the committed one
    results: Map[Offset, Annotated[int, Range(0, members)]]  # how many results of each record are committed


view = GroupLanes(
    lane=Member,
    state="phase",
    generation="knows",
    badges={"reads": "position", "aborted": "aborted"},
    board={"generation": "generation", "owner": "owner", "offset": "offset", "results": "results"},
)


@initial
def start(owner: Member) -> Group:
    """{owner} is given the partition, and nobody has read anything."""
    return Group(
        generation=1,
        owner=owner,
        phase=Map({m: Phase.OUT for m in Member}),
        knows=Map({m: 0 for m in Member}),
        position=Map({m: 0 for m in Member}),
        aborted=Map({m: False for m in Member}),
        offset=0,
        results=Map({at: 0 for at in range(records + 1)}),
    )


@action(kind="fault")
def rebalance(s: Group, member: Member) -> None:
    """{s.owner} is stalled: the partition is given to {member}, which it does not learn."""
    require(member != s.owner)
    limit(s.generation < rebalances)
    s.generation += 1
    s.owner = member


@action
def take_over(s: Group, member: Member) -> None:
    """{member} learns that the partition is its own, and begins at offset {s.offset}."""
    require(s.owner == member and s.knows[member] != s.generation and s.phase[member] in (Phase.OUT, Phase.READY))
    require(not await_pending or all(s.phase[m] != Phase.ADDED or s.aborted[m] for m in Member))
    s.phase[member] = Phase.READY
    s.knows[member] = s.generation
    s.position[member] = s.offset
    s.aborted[member] = False
    if id_per_partition:
        for other in Member:
            s.aborted[other] = s.aborted[other] or (other != member and s.phase[other] != Phase.OUT)


@action(kind="client")
def process(s: Group, member: Member) -> None:
    """{member} reads record {s.position[member]}, and writes its result in a transaction."""
    require(s.phase[member] == Phase.READY and not s.aborted[member] and s.position[member] < records)
    s.phase[member] = Phase.WROTE


@action(kind="client")
def add_offset(s: Group, member: Member) -> None:
    """{member} adds offset {s.position[member] + 1} to its transaction."""
    require(s.phase[member] == Phase.WROTE and not s.aborted[member])
    require(not fence_offsets or s.knows[member] == s.generation)
    s.phase[member] = Phase.ADDED


@action(kind="client")
def commit(s: Group, member: Member) -> None:
    """{member} commits the result of record {s.position[member]}, and the offset after it."""
    require(s.phase[member] == Phase.ADDED and not s.aborted[member])
    s.results[s.position[member]] += 1
    s.offset = s.position[member] + 1
    s.position[member] += 1
    s.phase[member] = Phase.READY


@action
def learn_of_loss(s: Group, member: Member) -> None:
    """{member} learns that the partition is not its own any longer, or that it was fenced, and aborts."""
    require(s.phase[member] != Phase.OUT and (s.aborted[member] or s.knows[member] != s.generation))
    s.phase[member] = Phase.OUT
    s.knows[member] = 0
    s.position[member] = 0
    s.aborted[member] = False


@action(budget="timeouts")
def time_out(s: Group, member: Member) -> None:
    """{member}'s transaction takes too long, and is aborted."""
    require(timeouts > 0 and s.phase[member] in (Phase.WROTE, Phase.ADDED) and not s.aborted[member])
    s.aborted[member] = True


@terminal
def all_is_processed(s: Group) -> bool:
    """The offset after the last record is committed."""
    return s.offset == records
