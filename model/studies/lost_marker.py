"""A transaction's marker that an unclean election loses (KAFKA-20716).

The coordinator of a transaction that was decided writes a marker to each partition, waits until all in sync have it,
and takes the transaction for complete. An unclean election may bring a leader that has the transaction's records and
not its marker. Nobody sends it again: for the coordinator there is nothing to do. So the records are open, and readers
of committed records stop before them, until another marker of that producer comes to the partition.

That is the one of its next transaction there, and it ends both: records that were committed go with an abort, and
records that were aborted are read with a commit. It is so in versions 1 and 2 of transactions, since a marker ends what
the producer has open from its first offset on. Or an operator finds it (`kafka-transactions.sh find-hanging`) and
aborts it (`abort`), which takes committed records from readers as well.

* `unclean`: unclean.leader.election.enable=true, every release since 0.11.
* `clean`: without it.
* `aborted_by_hand`: `unclean`, and an operator who aborts what hangs.

What is abstracted away. One producer, which begins a transaction when the one before is complete, and writes at most
one record of each to the one partition. Elections and what they truncate are one step. A write is acknowledged, and a
marker written, when all in sync have it. Late requests are in `transactions`.

Sources: TransactionMarkerChannelManager, ProducerAppendInfo (appendEndTxnMarker), ProducerStateManager (completeTxn),
UnifiedLog of 3.9.0 and 4.3.1; KAFKA-20716 (apache/kafka#22937), KIP-664. Properties are in
`invariants/studies/lost_marker.py`.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import *
from ..parts.logs import common_prefix

transactions = constant(2, minimum=1, maximum=3, says="transactions that the producer begins")
lags = constant(1, minimum=0, maximum=2, says="times that a follower falls out of the ISR")
elections = constant(1, minimum=0, maximum=2, says="elections of another leader")
aborts = constant(0, minimum=0, maximum=1, says="transactions that an operator aborts in the partition")
unclean = constant(True, says="unclean.leader.election.enable")

profiles = {"unclean": {}, "clean": {"unclean": False}, "aborted_by_hand": {"aborts": 1}}


class Broker(Domain, size=2, symmetric=True):
    """A broker with a replica of the partition."""


class Kind(Enum):
    """What stands in the partition."""

    RECORD = "record"
    COMMIT = "commit marker"
    ABORT = "abort marker"


class Phase(Enum):
    """What a transaction is to its coordinator."""

    COMPLETE = "complete"  # or there was none
    ONGOING = "ongoing"
    COMMITS = "prepare commit"
    ABORTS = "prepare abort"


Txn = Annotated[int, Range(0, transactions)]


@record
class Cell:
    """A record or a marker."""

    kind: Kind
    txn: Txn


Cells = Annotated[Seq[Cell], Capacity(2 * transactions + aborts)]


@ghosts
class History:
    """What properties remember of a run; no step depends on it."""

    committed: Set[Txn]  # transactions that were decided to be committed
    aborted: Set[Txn]  # and to be aborted


@state
class Partition(History):
    """The partition, and what the coordinator knows."""

    leader: Broker  # who leads it
    isr: Set[Broker]  # who is in sync
    log: Map[Broker, Cells]  # what each replica has
    txn: Txn  # the producer's newest transaction; 0: none
    phase: Phase  # what it is to the coordinator
    added: bool  # whether it has written to the partition


view = LogLanes(
    lane=Broker,
    log="log",
    cell="{entry.kind.value} {entry.txn}",
    role="lane == s.leader",
    isr="s.isr if lane == s.leader else None",
    board={"transaction": "s.txn", "is": "s.phase.value", "stable up to": "last_stable_offset(s)"},
)


@initial
def begin_empty(leader: Broker) -> Partition:
    """{leader} leads an empty partition."""
    return Partition(
        leader=leader,
        isr=Set(Broker),
        log=Map({broker: Seq() for broker in Broker}),
        txn=0,
        phase=Phase.COMPLETE,
        added=False,
    )


# --- what readers get -------------------------------------------------------------------------------------------------


def marker_after(s: Partition, at: int) -> Kind:
    """What ends a record in the leader's log: the next marker, of whatever transaction. RECORD: none does."""
    log = s.log[s.leader]
    first = min((o for o in range(at + 1, len(log)) if log[o].kind != Kind.RECORD), default=-1)
    return Kind.RECORD if first < 0 else log[first].kind


def last_stable_offset(s: Partition) -> int:
    """Up to where readers of committed records read: the first record that nothing ends."""
    log = s.log[s.leader]
    return min(
        (o for o in range(len(log)) if log[o].kind == Kind.RECORD and marker_after(s, o) == Kind.RECORD),
        default=len(log),
    )


# --- the producer and its coordinator ---------------------------------------------------------------------------------


@action(kind="client")
def begin(s: Partition) -> None:
    """The producer begins transaction {s.txn + 1}."""
    require(s.phase == Phase.COMPLETE)
    limit(s.txn < transactions)
    s.txn += 1
    s.phase = Phase.ONGOING
    s.added = False


@action(kind="client")
def write(s: Partition) -> None:
    """It writes a record of transaction {s.txn} to the partition, which {s.leader} appends."""
    require(s.phase == Phase.ONGOING and not s.added)
    s.added = True
    append(s, Kind.RECORD)


def append(s: Partition, kind: Kind) -> None:
    """The leader appends a record or a marker."""
    s.log[s.leader] = s.log[s.leader] + Seq([Cell(kind=kind, txn=s.txn)])


def all_have(s: Partition) -> bool:
    """Whether all in sync have what the leader has."""
    return all(len(s.log[broker]) == len(s.log[s.leader]) for broker in s.isr)


@action(kind="client")
def end(s: Partition, commit: bool) -> None:
    """Transaction {s.txn} is to be {'committed' if commit else 'aborted'}, which the coordinator writes."""
    require(s.phase == Phase.ONGOING and all_have(s))
    s.phase = Phase.COMMITS if commit else Phase.ABORTS
    if commit:
        s.committed.add(s.txn)
    else:
        s.aborted.add(s.txn)


def has_marker(s: Partition) -> bool:
    """Whether the leader's log has the newest transaction's marker."""
    return any(cell.txn == s.txn and cell.kind != Kind.RECORD for cell in s.log[s.leader])


def is_decided(s: Partition) -> bool:
    """Whether a transaction is decided, and not complete."""
    return s.phase == Phase.COMMITS or s.phase == Phase.ABORTS


@action
def send_marker(s: Partition) -> None:
    """The coordinator sends the marker of transaction {s.txn} to {s.leader}."""
    require(is_decided(s) and s.added and not has_marker(s))
    append(s, Kind.COMMIT if s.phase == Phase.COMMITS else Kind.ABORT)


@action
def complete(s: Partition) -> None:
    """All in sync have the marker of transaction {s.txn}, which is complete."""
    require(is_decided(s))
    require(not s.added or (has_marker(s) and all_have(s)))
    s.phase = Phase.COMPLETE


@action(kind="client", budget="aborts")
def abort_by_hand(s: Partition) -> None:
    """An operator finds a transaction that hangs, and aborts it: kafka-transactions.sh abort."""
    require(s.phase == Phase.COMPLETE and last_stable_offset(s) < len(s.log[s.leader]))
    append(s, Kind.ABORT)


# --- replicas ---------------------------------------------------------------------------------------------------------


@action
def fetch(s: Partition, follower: Broker) -> None:
    """{follower} fetches from {s.leader}{', and joins the ISR' if follower not in s.isr else ''}."""
    require(follower != s.leader and s.log[follower] != s.log[s.leader])
    s.log[follower] = s.log[follower] + Seq([s.log[s.leader][len(s.log[follower])]])
    if len(s.log[follower]) == len(s.log[s.leader]):
        s.isr.add(follower)


@action(kind="fault", budget="lags")
def fall_behind(s: Partition, follower: Broker) -> None:
    """{follower} falls out of the ISR."""
    require(follower != s.leader and follower in s.isr)
    s.isr.remove(follower)


@action(kind="fault", budget="elections")
def elect(s: Partition, broker: Broker) -> None:
    """{broker} is elected{'' if broker in s.isr else ', uncleanly'}, and others truncate their logs to what it has."""
    require(broker != s.leader and (broker in s.isr or unclean))
    if broker not in s.isr:
        s.isr = Set([broker])
    s.leader = broker
    for other in Broker:
        s.log[other] = s.log[other][: common_prefix(s.log[other], s.log[broker])]
