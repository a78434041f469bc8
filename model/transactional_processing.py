"""Consume, process, produce: a group whose members write what they make, and how far they have come, in transactions.

A member polls a record, writes its result to the output, adds the offset after the record to the same transaction
(`sendOffsetsToTransaction`: AddOffsetsToTxn and TxnOffsetCommit), and commits. Whoever has the partition next begins at
the committed offset. An owner that is stalled while its partition moves does not know, and goes on as a *zombie*. What
keeps it harmless:

* `fence_offsets`: TxnOffsetCommit says the member and the generation, as a commit does, and counts only if they are the
  group's (KIP-447, 2.5). `without_metadata` is an application that calls `sendOffsetsToTransaction` with the group's
  name alone: then no broker looks at either, but that up to 3.9 a group of KIP-848 refuses it while it has members.
* `await_pending`: OffsetFetch is refused while an offset of the partition is in a transaction that is under way, or
  whose marker has not come (UNSTABLE_OFFSET_COMMIT, KIP-447), if it asks for that. In `unawaited` the offset before it
  is the answer, as librdkafka has it with `isolation.level=read_uncommitted`.
* `id_per_partition`: before KIP-447, the way that Kafka Streams took: a `transactional.id` for each input partition,
  so that who takes over fences the one before (InitProducerId) and waits for the end of its transaction. Only then the
  offset may be fetched: in `fetches_first` it is fetched before that. It holds for who gets back a partition, too: in
  `keeps_producers` a member goes on with the producer that it had, and waits for nothing.

What an application may do wrong in any version:

* `auto_commit`: `enable.auto.commit` stays on. A poll, and `close()`, commit the positions: also those of records whose
  transaction was aborted.
* `rewinds` off: an application that has aborted polls on where it was, and does not go back to the committed offset.
* `polls_meanwhile`: one thread polls while another has a transaction under way, and the group's metadata are those of
  the moment at which the offset is sent. They are right, though the partition is another member's.
* `reads_committed` off: what reads the output has `isolation.level=read_uncommitted`.

The group is what members may rely on of a coordinator: the rules are those of `model/parts/generations.py`, which
`consumer` stands on, too, and which Kafka's classic coordinator is checked to keep (`classic_group_as_generations`).
Whom the coordinator takes for members is open at any time; a generation begins at any time, and any members hear of it
(one that is made for more members begins with those who hear, and takes the others in the next step); who does not hear
goes on as a zombie. Members are eager: they give up all when they join, so that joining
and the assignment are one step here. That a group of KIP-848 keeps these rules is not claimed: two of its members may
own one partition (`modern_group`). A request that is late is one whose sender is stalled before it.

A transaction is one of the coordinator's: it is under way, decided, and ended by a marker in the output and one in
`__consumer_offsets`, in any order and at any time. Who asks for a commit goes on when it is decided, and writes again
when both markers are there (CONCURRENT_TRANSACTIONS). The rules are those of `model/parts/outcomes.py`. That Kafka's
coordinator and partitions keep them, with requests that are late, is the refinement `transactions_as_outcomes`, by
version: it fails in all before 4.2.

What is abstracted away. A transaction has one record, its result, and its offset. The output is one partition. A member
that was fenced learns it before it polls again. Offsets that were acknowledged stay (`offsets_outage` asks that of the
brokers). What processing does elsewhere, an email that is sent, is not undone by an abort, and not in question here.

Sources: KIP-447; GroupCoordinator.doTxnCommitOffsets and GroupMetadataManager.getOffsets of Kafka 2.4 and 2.5,
ConsumerCoordinator (onJoinPrepare, close); StreamTask of 2.4, which initialises its producer as partitions are
assigned, before positions are fetched; AbstractMembershipManager (maybeReconcile, revokePartitions),
ConsumerMembershipManager (signalPartitionsRevoked) and AsyncKafkaConsumer (updateGroupMetadata) of 4.0.0 to 4.2.0,
ConsumerGroup.validateOffsetCommit of 4.2.0. Properties are in `invariants/transactional_processing.py`.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ..language import *
from .parts.generations import Assignment, Consumer, Generation, Partition, is_current, max_generation, may_be_shared
from .parts.generations import consumers as consumers
from .parts.generations import partitions as partitions
from .parts.outcomes import Stage as Stage
from .parts.outcomes import Status as Status
from .parts.outcomes import decided_stage, is_decided, is_free, made_by_marker, may_be_ended, may_be_over
from .parts.outcomes import may_go_on as may_go_on_with

records = constant(2, minimum=1, maximum=4, says="records of each input partition")
writes = constant(3, minimum=1, maximum=6, says="results that are written to the output")
timeouts = constant(1, minimum=0, maximum=2, says="transactions that the coordinator aborts: transaction.timeout.ms")
crashes = constant(1, minimum=0, maximum=2, says="members whose process dies, and starts again")
fence_offsets = constant(True, says="KIP-447: an offset is added with the member and the group's generation")
await_pending = constant(True, says="KIP-447: an offset is not fetched while one is in a transaction under way")
id_per_partition = constant(False, says="a transactional.id for each input partition, not for each member")
closes_producers = constant(True, says="a member that loses a partition closes the producer that it had for it")
fetches_first = constant(False, says="the offset is fetched before the one who had the partition is fenced")
auto_commit = constant(False, says="enable.auto.commit: polls and close() commit positions")
rewinds = constant(True, says="an application that has aborted goes back to the committed offset")
polls_meanwhile = constant(False, says="the group is heard of while a transaction is under way: by another thread")
reads_committed = constant(True, says="what reads the output has isolation.level=read_committed")

BEFORE_2_5 = {"fence_offsets": False, "await_pending": False}
PER_PARTITION = {"id_per_partition": True, **BEFORE_2_5}

profiles = {
    "kafka_2_5": {},
    "kafka_2_4": BEFORE_2_5,
    "id_per_partition": PER_PARTITION,
    "fetches_first": {**PER_PARTITION, "fetches_first": True},
    "keeps_producers": {**PER_PARTITION, "closes_producers": False},
    "without_metadata": {"fence_offsets": False},
    "unawaited": {"await_pending": False},
    "auto_commit": {"auto_commit": True},
    "polls_on": {"rewinds": False},
    "polls_meanwhile": {"polls_meanwhile": True},
    "kip_848_without_listener": {"polls_meanwhile": True},
    "reads_uncommitted": {"reads_committed": False},
}

Offset = Annotated[int, Range(0, records)]
Copies = Annotated[int, Range(0, writes)]


class Phase(Enum):
    """What a member is doing."""

    OUT = "out"  # it does not run
    IDLE = "idle"  # it runs, and has no transaction
    WROTE = "wrote"  # it has written a result
    ADDED = "added"  # and has added the offset


@record
class Transaction:
    """A transaction, as its coordinator has it."""

    state: Stage
    number: Offset  # of the record that is processed
    pending: bool  # an offset is in it, and its marker has not come to __consumer_offsets


@record
class Result:
    """A record of the output."""

    partition: Partition  # of which record it is the result
    number: Offset
    writer: Option[Consumer]  # who wrote it, while it is open
    status: Status


@state
class Processing:
    """The group, its members, their transactions, and the output."""

    phase: Map[Consumer, Phase]  # what each member is doing
    known: Map[Consumer, Generation]  # the generation that each takes for the group's
    owned: Assignment  # the partitions that each takes for its own
    position: Map[Consumer, Map[Partition, Option[Offset]]]  # the record that each polls next
    in_hand: Map[Consumer, Option[Partition]]  # of which each has a record in a transaction
    holds: Assignment  # for which its producer has the newest epoch: of all or none, with one id for the process
    members: Set[Consumer]  # whom the group's coordinator takes for members
    generation: Generation  # the group's generation
    offset: Map[Partition, Offset]  # the committed one
    transactions: Map[Consumer, Map[Partition, Transaction]]  # by who began it, and of which partition it has a record
    output: Annotated[Seq[Result], Capacity(writes)]  # the output partition


view = GroupLanes(
    lane=Consumer,
    state="phase",
    generation="s.known[lane] or None",
    assignment="owned",
    badges={
        "position": "position",
        "has newest epoch for": "s.holds[lane] if len(s.holds[lane]) > 0 else None",
        "transactions": "', '.join(f'{p!r}{t.number}: {t.state.value}' for p, t in s.transactions[lane].items()"
        " if t.state.value != 'none') or None",
    },
    board={
        "generation": "generation",
        "members": "members",
        "offset": "offset",
        "output": "', '.join(f'{r.partition!r}{r.number} {r.status.value}' for r in s.output) or 'nothing'",
    },
)

NOTHING = Transaction(state=Stage.NONE, number=0, pending=False)


@initial
def start() -> Processing:
    """Nobody runs, and nothing is processed."""
    return Processing(
        phase=Map({c: Phase.OUT for c in Consumer}),
        known=Map({c: 0 for c in Consumer}),
        owned=Map({c: Set() for c in Consumer}),
        position=Map({c: Map({p: None for p in Partition}) for c in Consumer}),
        in_hand=Map({c: None for c in Consumer}),
        holds=Map({c: Set() for c in Consumer}),
        members=Set(),
        generation=0,
        offset=Map({p: 0 for p in Partition}),
        transactions=Map({c: Map({p: NOTHING for p in Partition}) for c in Consumer}),
        output=Seq(),
    )


# --- the group --------------------------------------------------------------------------------------------------------


@action
def change_members(s: Processing, members: Set[Consumer]) -> None:
    """The group's coordinator takes {members} for members."""
    require(members != s.members)
    s.members = members


@action
def begin_generation(s: Processing, heard: Set[Consumer], share: Assignment) -> None:
    """Generation {s.generation + 1} begins, of which {heard} hear: they have {share}."""
    require(may_be_shared(heard, assignment_without(s.owned, heard), share))
    require(all(c in heard or len(share[c]) == 0 for c in Consumer))
    require(all(polls(s, c) for c in heard))
    limit(s.generation < max_generation)
    s.generation += 1
    s.members = heard
    for c in Consumer:
        if c in heard:
            s.phase[c] = Phase.IDLE if s.phase[c] == Phase.OUT else s.phase[c]
            s.known[c] = s.generation
            s.owned[c] = share[c]
            s.position[c] = Map({p: None for p in Partition})
            close_producers(s, c)


def assignment_without(owned: Assignment, some: Set[Consumer]) -> Assignment:
    """What the members have when some have given up all."""
    return Map({c: Set() if c in some else owned[c] for c in Consumer})


def polls(s: Processing, member: Consumer) -> bool:
    """Whether a member is in a poll, or starts: it can hear of a generation."""
    return s.phase[member] in (Phase.OUT, Phase.IDLE) or polls_meanwhile


def counts(s: Processing, member: Consumer) -> bool:
    """Whether the group's coordinator takes a request of a member."""
    return is_current(s.members, s.generation, member, s.known[member])


@action
def lose_partitions(s: Processing, member: Consumer) -> None:
    """{member} learns that others are members, or that there is a newer generation: it has no partition."""
    require(s.phase[member] != Phase.OUT and polls(s, member) and s.known[member] > 0 and not counts(s, member))
    forget(s, member)


def forget(s: Processing, member: Consumer) -> None:
    """A member has no partition any more."""
    s.known[member] = 0
    s.owned[member] = Set()
    s.position[member] = Map({p: None for p in Partition})
    close_producers(s, member)


def close_producers(s: Processing, member: Consumer) -> None:
    """A member that has lost its partitions closes the producers that it had for them."""
    if id_per_partition and closes_producers:
        s.holds[member] = Set()


@action
def fetch_offset(s: Processing, member: Consumer, partition: Partition) -> None:
    """{member} fetches the committed offset of {partition}: {s.offset[partition]}."""
    require(s.phase[member] == Phase.IDLE and partition in s.owned[member] and s.position[member][partition] is None)
    require(fetches_first or partition in s.holds[member])
    require(not await_pending or not is_unstable(s, partition))
    s.position[member][partition] = s.offset[partition]


def is_unstable(s: Processing, partition: Partition) -> bool:
    """Whether an offset of a partition is in a transaction that is under way, or whose marker has not come."""
    return any(s.transactions[c][partition].pending for c in Consumer)


# --- a transaction ----------------------------------------------------------------------------------------------------


def is_under_way(s: Processing, member: Consumer, partition: Partition) -> bool:
    """Whether a transaction is not over."""
    return not is_free(s.transactions[member][partition].state)


def have_one_id(a: Consumer, b: Consumer) -> bool:
    """Whether two members' producers for one partition have one `transactional.id`."""
    return id_per_partition or a == b


def wants_id(s: Processing, member: Consumer, partition: Partition) -> bool:
    """Whether a member's producer is to be initialised before it processes records of a partition."""
    return s.phase[member] == Phase.IDLE and partition in s.owned[member] and partition not in s.holds[member]


@action
def fence(s: Processing, member: Consumer, partition: Partition) -> None:
    """{member}'s producer asks for an epoch (InitProducerId): a transaction of its id is under way, and is aborted."""
    require(wants_id(s, member, partition) if id_per_partition else wants_any(s, member))
    require(any(have_one_id(c, member) and is_ongoing(s, c, partition) for c in Consumer))
    fenced = Set(c for c in Consumer if have_one_id(c, member) and is_ongoing(s, c, partition))
    s.transactions = Map({c: with_abort(s.transactions[c], partition, c in fenced) for c in Consumer})
    s.holds = Map({c: forget_epoch(s.holds[c], partition) if c in fenced else s.holds[c] for c in Consumer})


def wants_any(s: Processing, member: Consumer) -> bool:
    """Whether a member's producer, with one id for the process, is to be initialised."""
    return s.phase[member] == Phase.IDLE and len(s.owned[member]) > 0 and len(s.holds[member]) == 0


def is_ongoing(s: Processing, member: Consumer, partition: Partition) -> bool:
    """Whether a transaction is under way, and its end not decided."""
    return may_be_ended(s.transactions[member][partition].state)


def with_abort(
    transactions: Map[Partition, Transaction], partition: Partition, aborted: bool
) -> Map[Partition, Transaction]:
    """A member's transactions, with the one of a partition decided to be aborted."""
    return Map(
        {
            p: replace(transactions[p], state=decided_stage(False)) if aborted and p == partition else transactions[p]
            for p in Partition
        }
    )


def forget_epoch(held: Set[Partition], partition: Partition) -> Set[Partition]:
    """For what a producer has the newest epoch when that of a partition is another's."""
    none: Set[Partition] = Set()
    return held - {partition} if id_per_partition else none


@action
def init_for_partition(s: Processing, member: Consumer, partition: Partition) -> None:
    """{member}'s producer of {partition} gets an epoch: whoever had one for {partition} is fenced."""
    require(id_per_partition and wants_id(s, member, partition))
    require(all(not is_under_way(s, c, partition) for c in Consumer))
    for c in Consumer:
        s.holds[c].discard(partition)
    s.holds[member].add(partition)
    if not fetches_first:
        s.position[member][partition] = None


@action
def init_for_process(s: Processing, member: Consumer) -> None:
    """{member}'s producer gets an epoch."""
    require(not id_per_partition and wants_any(s, member))
    require(all(not is_under_way(s, member, p) for p in Partition))
    s.holds[member] = Set(Partition)


@action(kind="client")
def process(s: Processing, member: Consumer, partition: Partition) -> None:
    """{member} polls record {s.position[member][partition]} of {partition}, and writes its result in a transaction."""
    at = s.position[member][partition]
    require(s.phase[member] == Phase.IDLE and partition in s.owned[member] and partition in s.holds[member])
    require(at is not None and at < records)
    require(not is_busy(s, member, partition))
    limit(len(s.output) < writes)
    if at is not None:
        s.output.append(Result(partition=partition, number=at, writer=member, status=Status.OPEN))
        s.transactions[member][partition] = Transaction(state=Stage.ONGOING, number=at, pending=False)
        s.position[member][partition] = at + 1
    s.in_hand[member] = partition
    s.phase[member] = Phase.WROTE


def is_busy(s: Processing, member: Consumer, partition: Partition) -> bool:
    """Whether the transaction before has yet to get its markers: CONCURRENT_TRANSACTIONS."""
    if id_per_partition:
        return any(is_under_way(s, c, partition) for c in Consumer)
    return any(is_under_way(s, member, p) for p in Partition)


@action(kind="client")
def add_offset(s: Processing, member: Consumer) -> None:
    """{member} adds the offset after its record to its transaction: TxnOffsetCommit."""
    partition = s.in_hand[member]
    require(s.phase[member] == Phase.WROTE and may_go_on(s, member))
    require(not fence_offsets or counts(s, member))
    if partition is not None:
        s.transactions[member][partition] = replace(s.transactions[member][partition], pending=True)
    s.phase[member] = Phase.ADDED


def may_go_on(s: Processing, member: Consumer) -> bool:
    """Whether the coordinator takes what a member asks of its transaction: that is under way, and nobody fenced it."""
    partition = s.in_hand[member]
    return partition is not None and may_go_on_with(
        s.transactions[member][partition].state, partition in s.holds[member]
    )


@action(kind="client")
def commit(s: Processing, member: Consumer) -> None:
    """{member} asks for the commit of its transaction (EndTxn), and it is decided."""
    partition = s.in_hand[member]
    require(s.phase[member] == Phase.ADDED and may_go_on(s, member))
    if partition is not None:
        now = s.transactions[member][partition]
        s.transactions[member][partition] = replace(now, state=decided_stage(True))
    s.phase[member] = Phase.IDLE
    s.in_hand[member] = None


@action
def mark_output(s: Processing, member: Consumer, partition: Partition) -> None:
    """The output gets the marker of {member}'s transaction: {s.transactions[member][partition].state}."""
    state = s.transactions[member][partition].state
    require(is_decided(state) and has_open(s, member, partition))
    s.output = close_output(s.output, member, partition, made_by_marker(state))
    settle(s, member, partition)


def has_open(s: Processing, member: Consumer, partition: Partition) -> bool:
    """Whether the output has a result of a transaction that no marker follows."""
    return any(result.writer == member and result.partition == partition for result in s.output)


def close_output(output: Seq[Result], member: Consumer, partition: Partition, status: Status) -> Seq[Result]:
    """The output, with no result of a transaction open any more."""
    done: Annotated[Seq[Result], Capacity(writes)] = Seq()
    for result in output:
        ended = result.writer == member and result.partition == partition
        done = done + Seq([replace(result, writer=None, status=status) if ended else result])
    return done


@action
def mark_offset(s: Processing, member: Consumer, partition: Partition) -> None:
    """__consumer_offsets gets the marker of {member}'s transaction: {s.transactions[member][partition].state}."""
    now = s.transactions[member][partition]
    require(is_decided(now.state) and now.pending)
    if made_by_marker(now.state) == Status.COMMITTED:
        s.offset[partition] = now.number + 1
    s.transactions[member][partition] = replace(now, pending=False)
    settle(s, member, partition)


def settle(s: Processing, member: Consumer, partition: Partition) -> None:
    """A transaction is over when both markers are there."""
    now = s.transactions[member][partition]
    still_open = (1 if now.pending else 0) + (1 if has_open(s, member, partition) else 0)
    if may_be_over(now.state, still_open):
        s.transactions[member][partition] = NOTHING


@action(budget="timeouts")
def time_out(s: Processing, member: Consumer, partition: Partition) -> None:
    """{member}'s transaction takes too long: the coordinator aborts it, and fences its producer."""
    require(timeouts > 0 and is_ongoing(s, member, partition))
    s.transactions[member] = with_abort(s.transactions[member], partition, True)
    s.holds[member] = forget_epoch(s.holds[member], partition)


# --- what goes wrong in a member --------------------------------------------------------------------------------------


@action
def give_up(s: Processing, member: Consumer) -> None:
    """Refused, {member} aborts{' and goes back to the committed offset' if rewinds else ', and polls on'}.

    It does so at an exception of its own, too."""
    require(s.phase[member] in (Phase.WROTE, Phase.ADDED))
    abort_own(s, member)
    s.phase[member] = Phase.IDLE
    if rewinds:
        s.position[member] = Map({p: None for p in Partition})


def abort_own(s: Processing, member: Consumer) -> None:
    """A member asks for the abort of its transaction, where it has one that is under way, and nobody has fenced it."""
    partition = s.in_hand[member]
    if partition is not None and may_go_on(s, member):
        s.transactions[member] = with_abort(s.transactions[member], partition, True)
    s.in_hand[member] = None


@action(kind="client")
def commit_positions(s: Processing, member: Consumer) -> None:
    """{member} polls, which commits its positions: enable.auto.commit."""
    require(auto_commit and s.phase[member] == Phase.IDLE and counts(s, member))
    write_positions(s, member)


def write_positions(s: Processing, member: Consumer) -> None:
    """The group's coordinator takes the positions of a member for its offsets."""
    for p in Partition:
        at = s.position[member][p]
        if at is not None and p in s.owned[member]:
            s.offset[p] = at


@action(kind="client")
def close(s: Processing, member: Consumer) -> None:
    """{member} aborts what it has under way, closes its producer and its consumer, and leaves the group."""
    require(s.phase[member] != Phase.OUT)
    abort_own(s, member)
    if auto_commit and counts(s, member):
        write_positions(s, member)
    s.members.discard(member)
    end(s, member)


@action(kind="fault", budget="crashes")
def crash(s: Processing, member: Consumer) -> None:
    """The process of {member} dies; the group's coordinator has yet to notice."""
    require(crashes > 0 and s.phase[member] != Phase.OUT)
    end(s, member)


def end(s: Processing, member: Consumer) -> None:
    """A member's process ends."""
    forget(s, member)
    s.phase[member] = Phase.OUT
    s.in_hand[member] = None
    s.holds[member] = Set()


@terminal
def all_is_processed(s: Processing) -> bool:
    """The offset after the last record of each partition is committed."""
    return all(s.offset[p] == records for p in Partition)
