"""How a follower catches up with a leader, and what holds the high watermark: epoch entries, a log's start, shutdown.

Kafka keeps with each log where each leader epoch begins in it (leader-epoch-checkpoint). A leader enters its epoch when
it is elected, so that an epoch without records has an entry, too; a follower enters an epoch with the first record of
it. A fetch names the epoch of the last entry (KIP-595's truncation on fetch), and a leader whose entries end that epoch
sooner answers where, instead of records. A follower that is behind the start of the leader's log begins a new one
there. The leader's high watermark is the smallest end among those in sync and those that it waits for to join. Four
mistakes kept something from happening, and a fifth truncates what is committed; each is a switch:

* `clears_entries`: to truncate a log at its end takes away entries that begin there. Without it (KAFKA-10706, in 2.6.0
  and release candidates of 2.7) the answer to a follower whose last epoch has no records is for ever the same.
* `raises_with_start`: a log that begins anew has its high watermark at its start, or above. Without it (KAFKA-9491,
  before 2.4.1) a follower that is elected at once has one that lies before its log; to raise it fails, since
  its old position cannot be found.
* `waits_for_eligible`: the high watermark waits for followers that were caught up not long ago only if they may join
  the ISR. Without it (KAFKA-15021, before 3.6) it waits for one that is shutting down, until replica.lag.time.max.ms
  has passed. Up to 3.5 a new leader epoch at each shrink of the ISR kept that from showing: with one, the leader takes
  those outside of the ISR for behind. `bumps_epoch` has it so; the two repairs belong together.
* `enters_by_format`: in a topic whose records have no leader epoch (`epochs_in_records`: message formats before 2, with
  log.message.format.version below 0.11), a leader enters no epoch, and each new follower truncates its log at its high
  watermark, as all did before KIP-101. Without it (KAFKA-7897, 0.11 to 2.0.1 and 2.1.0) leaders enter their epochs and
  followers none, and who has any entry asks for the end of its last epoch: with entries that are so few, leader and
  follower agree on an offset far below the high watermark.
* `carries_entries`: a log that a move between directories (`moves`) puts in the place of another has its epoch entries.
  Without it (KAFKA-15608, KAFKA-20961, from 2.7 to 4.4, open) it has those that its records brought it, so that an
  epoch without records is gone. A leader answers who names an epoch that is newer than its last entry that the offset
  is out of range; the follower, whose offset is in range, asks for the same again, until a record is appended.

What is abstracted away: requests are steps, but for an answer that does not arrive (`ask`); who is in the ISR may be
elected at any time, and the leader changes the ISR at once: the controller's part is `model/partition/`. Records are
distinguished by offset and epoch alone, and nothing is flushed or lost. A leader's log changes at its start by
DeleteRecords or retention, up to the high watermark. Without epochs in records logs may differ at one offset, and
lose what a high watermark that is behind does not cover (KIP-101): `model/partition/` has that; here logs are lengths.

Sources: Kafka's Log (truncateTo, truncateFullyAndStartAt, maybeIncrementHighWatermark), LeaderEpochFileCache,
AbstractFetcherThread (getOffsetTruncationState) and Partition (readRecords, maybeIncrementLeaderHW) before and after
the commits bc96a8feb5d, b029902b129, 8ad0ed3e618 and 8fca9032070; LeaderEpochFileCache.endOffsetFor and
AbstractFetcherThread.getOffsetTruncationState of 2.0.1; LogManager (replaceCurrentWithFutureLog), Partition
(readRecords) and AbstractFetcherThread (fetchOffsetAndTruncate) of 2.7.0 to 4.3.1.
Properties are in `invariants/catching_up.py`.
"""

from __future__ import annotations

from typing import Annotated

from ..language import *

replicas = constant(2, minimum=2, maximum=3, says="replicas of the partition")
records = constant(2, minimum=1, maximum=3, says="offsets that logs come to")
elections = constant(2, minimum=0, maximum=4, says="elections of another leader")
shutdowns = constant(1, minimum=0, maximum=2, says="followers that shut down")
moves = constant(0, minimum=0, maximum=1, says="times that a replica's log is moved to another directory of its broker")
clears_entries = constant(True, says="to truncate a log at its end takes away the epoch entries that begin there")
raises_with_start = constant(True, says="a log that begins anew has its high watermark at its start, or above")
waits_for_eligible = constant(True, says="the high watermark waits for no follower that may not join the ISR")
bumps_epoch = constant(False, says="a follower that shuts down begins a new leader epoch of the same leader")
carries_entries = constant(True, says="KAFKA-20961: a log that was moved has the epoch entries of the one before")
epochs_in_records = constant(True, says="records carry their leader epoch (message format 2)")
enters_by_format = constant(True, says="KAFKA-7897: a leader enters its epoch only where records carry theirs")


class Replica(Domain, size=replicas, symmetric=True):
    """A broker with a copy of the log."""


Offset = Annotated[int, Range(0, records)]
Epoch = Annotated[int, Range(0, elections + shutdowns)]


@record
class Entry:
    """Where a leader epoch begins in a log."""

    epoch: Epoch
    start: Offset


Entries = Annotated[Seq[Entry], Capacity(elections + shutdowns + 1)]


@state
class Partition:
    """The partition, its replicas' logs, and what the leader knows of them."""

    leader: Replica  # who leads, and whom all others follow
    epoch: Epoch  # the leader's
    isr: Set[Replica]  # who is in sync
    stopping: Set[Replica]  # shutting down: they fetch no more, and may not join the ISR
    start: Map[Replica, Offset]  # where each log begins
    end: Map[Replica, Offset]  # where it ends
    entries: Map[Replica, Entries]  # where each epoch begins in it, in order
    high_watermark: Map[Replica, Offset]  # as each replica knows it
    fetched: Map[Replica, Option[Offset]]  # up to where the leader knows that each has fetched, since it was elected
    recent: Map[Replica, bool]  # whether the leader found it caught up within replica.lag.time.max.ms
    unaligned: Set[Replica]  # without epochs in records: followers that first truncate their logs for this leader


view = LogLanes(
    lane=Replica,
    log="end",
    cell=" ",
    high_watermark="high_watermark",
    role="lane == s.leader",
    epoch="s.epoch if lane == s.leader else None",
    isr="s.isr if lane == s.leader else None",
    badges={"begins at": "s.start[lane]", "epoch entries": "s.entries[lane]"},
    board={"shutting down": "s.stopping"},
)

profiles = {
    "kafka_3_6": {},
    "kafka_3_5": {"waits_for_eligible": False, "bumps_epoch": True},
    "kafka_15021": {"waits_for_eligible": False},
    "kafka_10706": {"clears_entries": False},
    "kafka_9491": {"raises_with_start": False},
    "message_format_1": {"epochs_in_records": False},
    "kafka_20961": {"carries_entries": False, "moves": 1},
    "kafka_7897": {"epochs_in_records": False, "enters_by_format": False},
}


@initial
def begin(leader: Replica) -> Partition:
    """{leader} leads, and logs are empty."""
    return Partition(
        leader=leader,
        epoch=0,
        isr=Set(Replica),
        stopping=Set(),
        start=Map({r: 0 for r in Replica}),
        end=Map({r: 0 for r in Replica}),
        entries=Map({r: Seq([Entry(epoch=0, start=0)]) if r == leader and enters_epochs() else Seq() for r in Replica}),
        high_watermark=Map({r: 0 for r in Replica}),
        fetched=Map({r: None for r in Replica}),
        recent=Map({r: True for r in Replica}),
        unaligned=Set(),
    )


# --- epoch entries ----------------------------------------------------------------------------------------------------


def enters_epochs() -> bool:
    """Whether a leader notes where its epoch begins."""
    return epochs_in_records or not enters_by_format


def count_before(entries: Entries, epoch: Epoch, offset: Offset) -> int:
    """How many entries are of earlier epochs and begin before an offset. They are the first ones."""
    return sum(entry.epoch < epoch and entry.start < offset for entry in entries)


def count_below(entries: Entries, offset: Offset) -> int:
    """How many entries begin before an offset."""
    return sum(entry.start < offset for entry in entries)


def last_epoch(entries: Entries) -> int:
    """The epoch of the last entry, which a fetch names; -1 where there is none."""
    return max((entry.epoch for entry in entries), default=-1)


def known_epoch(entries: Entries, epoch: int) -> int:
    """The newest epoch that has an entry, up to one that is asked about; that one where all entries are newer."""
    return max((entry.epoch for entry in entries if entry.epoch <= epoch), default=epoch)


def end_of(entries: Entries, epoch: int, end: Offset) -> int:
    """Where an epoch ends in a log that ends at `end`: where the next one begins."""
    return min((entry.start for entry in entries if entry.epoch > epoch), default=end)


def enter(s: Partition, replica: Replica, epoch: Epoch) -> None:
    """An epoch begins at the end of a log: it takes the place of entries that begin there."""
    kept = count_before(s.entries[replica], epoch, s.end[replica])
    s.entries[replica].truncate(kept)
    s.entries[replica].append(Entry(epoch=epoch, start=s.end[replica]))


# --- clients, and the leader ------------------------------------------------------------------------------------------


@action(kind="client")
def produce(s: Partition) -> None:
    """{s.leader} appends a record at offset {s.end[s.leader]}."""
    limit(s.end[s.leader] < records)
    if epochs_in_records and last_epoch(s.entries[s.leader]) < s.epoch:
        enter(s, s.leader, s.epoch)
    s.end[s.leader] += 1


@action(kind="client")
def delete_records(s: Partition) -> None:
    """The log of {s.leader} begins at its high watermark, {s.high_watermark[s.leader]}."""
    require(s.start[s.leader] < s.high_watermark[s.leader])
    move_start(s, s.leader, s.high_watermark[s.leader])


def move_start(s: Partition, replica: Replica, start: Offset) -> None:
    """A log begins later: the last epoch that begins before is the first one now."""
    gone = sum(entry.start <= start for entry in s.entries[replica])
    old = s.entries[replica]
    s.start[replica] = start
    if gone > 0:
        s.entries[replica] = Seq([Entry(epoch=old[gone - 1].epoch, start=start)]) + old[gone:]


def waits_for(s: Partition, follower: Replica) -> bool:
    """Whether the leader's high watermark does not pass what a follower has fetched."""
    joins = s.recent[follower] and not (waits_for_eligible and follower in s.stopping)
    return follower != s.leader and (follower in s.isr or joins)


def next_high_watermark(s: Partition) -> int:
    """The smallest end among those that are waited for; 0 where one has not fetched since the leader was elected."""
    ends = min((fetched_up_to(s, other) for other in Replica if waits_for(s, other)), default=s.end[s.leader])
    return min(s.end[s.leader], ends)


def fetched_up_to(s: Partition, follower: Replica) -> int:
    """Up to where the leader knows that a follower has fetched; 0 where it has not."""
    known = s.fetched[follower]
    return 0 if known is None else known


@action
def advance_high_watermark(s: Partition) -> None:
    """{s.leader} moves its high watermark from {s.high_watermark[s.leader]} to {next_high_watermark(s)}."""
    require(next_high_watermark(s) > s.high_watermark[s.leader])
    require(s.high_watermark[s.leader] >= s.start[s.leader])
    s.high_watermark[s.leader] = next_high_watermark(s)


@action
def expand_isr(s: Partition, follower: Replica) -> None:
    """{s.leader} takes {follower} into the ISR."""
    require(follower not in s.isr and follower not in s.stopping)
    require(s.fetched[follower] is not None)
    require(fetched_up_to(s, follower) >= s.high_watermark[s.leader])
    require(fetched_up_to(s, follower) >= end_of(s.entries[s.leader], s.epoch - 1, s.end[s.leader]))
    s.isr.add(follower)


@action
def lag(s: Partition, follower: Replica) -> None:
    """replica.lag.time.max.ms passes in which {follower} is not caught up."""
    require(follower != s.leader and s.recent[follower])
    require(s.fetched[follower] is None or fetched_up_to(s, follower) < s.end[s.leader])
    s.recent[follower] = False


@action
def shrink_isr(s: Partition, follower: Replica) -> None:
    """{s.leader} takes {follower} out of the ISR."""
    require(follower in s.isr and follower != s.leader and not s.recent[follower])
    s.isr.remove(follower)


# --- followers --------------------------------------------------------------------------------------------------------


def answered_epoch(s: Partition, follower: Replica) -> int:
    """The epoch of the leader's answer to a follower's fetch."""
    return known_epoch(s.entries[s.leader], last_epoch(s.entries[follower]))


def answered_end(s: Partition, follower: Replica) -> int:
    """Where the leader's entries end the epoch that a follower's fetch names."""
    return end_of(s.entries[s.leader], last_epoch(s.entries[follower]), s.end[s.leader])


def diverges(s: Partition, follower: Replica) -> bool:
    """Whether the leader answers a fetch with where the follower's log diverges. Without an epoch it cannot."""
    named = last_epoch(s.entries[follower]) if epochs_in_records else -1
    parts = answered_epoch(s, follower) < named or answered_end(s, follower) < s.end[follower]
    return named >= 0 and not is_unknown(s, follower) and parts


def is_unknown(s: Partition, follower: Replica) -> bool:
    """Whether a follower's fetch names an epoch that is newer than the leader's last entry: out of range."""
    return epochs_in_records and last_epoch(s.entries[follower]) > last_epoch(s.entries[s.leader])


def may_fetch(s: Partition, follower: Replica) -> bool:
    """Whether a follower fetches, and where the leader's log has what it asks for."""
    return (
        follower != s.leader
        and follower not in s.stopping
        and follower not in s.unaligned
        and not diverges(s, follower)
        and not is_unknown(s, follower)
        and s.start[s.leader] <= s.end[follower] <= s.end[s.leader]
    )


def note_fetch(s: Partition, follower: Replica) -> None:
    """The leader notes up to where a follower has fetched."""
    s.fetched[follower] = s.end[follower]
    s.recent[follower] = s.recent[follower] or s.end[follower] == s.end[s.leader]


@action
def ask(s: Partition, follower: Replica) -> None:
    """{follower} fetches at {s.end[follower]}; the answer of {s.leader} does not arrive."""
    require(may_fetch(s, follower))
    note_fetch(s, follower)


@action
def fetch(s: Partition, follower: Replica) -> None:
    """{follower} fetches at {s.end[follower]} from {s.leader}, and learns of its high watermark."""
    require(may_fetch(s, follower))
    note_fetch(s, follower)
    if s.end[follower] < s.end[s.leader]:
        if epochs_in_records:
            written = max(entry.epoch for entry in s.entries[s.leader] if entry.start <= s.end[follower])
            if written > last_epoch(s.entries[follower]):
                enter(s, follower, written)
        s.end[follower] += 1
    if s.start[follower] < min(s.start[s.leader], s.high_watermark[follower]):
        move_start(s, follower, min(s.start[s.leader], s.high_watermark[follower]))
    s.high_watermark[follower] = max(s.start[follower], min(s.high_watermark[s.leader], s.end[follower]))


def truncation_offset(s: Partition, follower: Replica) -> int:
    """Where a follower truncates its log after such an answer: it may know less of that epoch than the leader."""
    own = end_of(s.entries[follower], answered_epoch(s, follower), s.end[follower])
    return min(s.end[follower], min(own, answered_end(s, follower)) if knows_answer(s, follower) else own)


def knows_answer(s: Partition, follower: Replica) -> bool:
    """Whether a follower has the epoch of the leader's answer. If not, it truncates and asks again."""
    epoch = answered_epoch(s, follower)
    return known_epoch(s.entries[follower], epoch) == epoch


@action
def truncate(s: Partition, follower: Replica) -> None:
    """{s.leader} answers {follower} where their logs diverge; it truncates at {truncation_offset(s, follower)}."""
    require(follower != s.leader and follower not in s.stopping)
    require(diverges(s, follower))
    truncate_at(s, follower, max(s.start[follower], truncation_offset(s, follower)))


def truncate_at(s: Partition, follower: Replica, target: Offset) -> None:
    """A log ends sooner, and its high watermark and epoch entries with it."""
    if clears_entries or target < s.end[follower]:
        kept = count_below(s.entries[follower], target)
        s.entries[follower].truncate(kept)
    s.end[follower] = target
    s.high_watermark[follower] = min(s.high_watermark[follower], target)


@action
def align(s: Partition, follower: Replica) -> None:
    """{follower} is to follow {s.leader}, and truncates its log at {alignment_offset(s, follower)}."""
    require(follower in s.unaligned and follower not in s.stopping)
    if last_epoch(s.entries[follower]) < 0 or knows_answer(s, follower):
        s.unaligned.remove(follower)
    truncate_at(s, follower, max(s.start[follower], alignment_offset(s, follower)))


def alignment_offset(s: Partition, follower: Replica) -> int:
    """Its high watermark; where it has an epoch entry, what the leader's answer about that epoch comes to."""
    by_mark = last_epoch(s.entries[follower]) < 0
    return s.high_watermark[follower] if by_mark else truncation_offset(s, follower)


@action
def begin_anew(s: Partition, follower: Replica) -> None:
    """{follower} is out of range, and begins a new log at {s.start[s.leader]}, where that of {s.leader} begins."""
    require(follower != s.leader and follower not in s.stopping and follower not in s.unaligned)
    require(not diverges(s, follower) and s.end[follower] < s.start[s.leader])
    s.entries[follower] = Seq()
    s.start[follower] = s.start[s.leader]
    s.end[follower] = s.start[s.leader]
    if raises_with_start:
        s.high_watermark[follower] = s.start[s.leader]


@action
def cut_at_end(s: Partition, follower: Replica) -> None:
    """{follower} is out of range, and truncates its log at {s.end[s.leader]}, where that of {s.leader} ends."""
    require(follower != s.leader and follower not in s.stopping)
    require(is_unknown(s, follower) and s.end[follower] > s.end[s.leader])
    truncate_at(s, follower, s.end[s.leader])


# --- faults -----------------------------------------------------------------------------------------------------------


@action(kind="fault", budget="elections")
def elect(s: Partition, replica: Replica) -> None:
    """{replica} is elected, in epoch {s.epoch + 1}."""
    require(replica in s.isr and replica != s.leader)
    s.leader = replica
    s.fetched = Map({r: None for r in Replica})
    lead_anew(s)


def lead_anew(s: Partition) -> None:
    """The leader begins a new epoch: those outside of the ISR count as behind."""
    s.epoch += 1
    if enters_epochs():
        enter(s, s.leader, s.epoch)
    if not epochs_in_records:
        s.unaligned = Set(r for r in Replica if r != s.leader)
    s.recent = Map({r: r in s.isr for r in Replica})


@action(kind="fault", budget="shutdowns")
def shut_down(s: Partition, follower: Replica) -> None:
    """{follower} begins a controlled shutdown, and leaves the ISR."""
    require(follower != s.leader and follower not in s.stopping)
    s.stopping.add(follower)
    s.isr.discard(follower)
    if bumps_epoch:
        lead_anew(s)


@action(kind="fault", budget="moves")
def move_log(s: Partition, replica: Replica) -> None:
    """The log of {replica} is moved to another directory{'' if carries_entries else ': it keeps epochs of records'}."""
    old = s.entries[replica]
    if not carries_entries:
        s.entries[replica].truncate(0)
        for entry in old:
            if has_records(s, old, replica, entry):
                s.entries[replica].append(entry)


def has_records(s: Partition, entries: Entries, replica: Replica, entry: Entry) -> bool:
    """Whether a log with these entries has records of an epoch that has one."""
    return entry.start < end_of(entries, entry.epoch, s.end[replica])
