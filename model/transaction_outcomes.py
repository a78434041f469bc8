"""What becomes of transactions, as producers with one `transactional.id` see it: one is under way at a time, it is
decided once, each partition makes of what is open what was decided, and only then the next one begins.

There are no epochs, no sequence numbers, no log of the coordinator and no requests. Who has the newest epoch may write,
and decide, until another has it, or a timeout takes it away; the coordinator may abort what is under way at any time. A
write for which nobody waits (one that is late, or a copy) may come while its transaction is open, or is to be aborted,
and a copy of what is there before the marker of a commit: it shares what becomes of the transaction. What is promised
for it stands in the guards: nobody's commit is decided while something of another transaction is open, or while
something that was acknowledged is not there; who learns that a commit is done finds all of it committed; and a
transaction is over when nothing is open in any partition. So no record of a partition is open for ever, or is committed
with another transaction, and no transaction is committed in part.

The rules are in `model/parts/outcomes.py`. `transactional_processing` stands on them; `transactions_as_outcomes` is the
claim that Kafka's coordinator and partitions do nothing else, with late requests and fail-overs (docs/refinement.md).
The properties are in `invariants/transaction_outcomes.py`. That a transaction is ever decided, or over, is not said.
"""

from __future__ import annotations

from typing import Annotated

from ..language import Capacity, Map, Seq, Set, action, constant, initial, limit, record, replace, require, state
from .parts.outcomes import *
from .parts.transactional_ids import Client, Fate, Partition, Txn, transactions

capacity = constant(3, minimum=1, maximum=12, says="records of a partition")


@record
class Written:
    """A record of a partition."""

    txn: Txn  # in which its producer wrote it
    status: Status


Records = Annotated[Seq[Written], Capacity(capacity)]


@state
class Outcomes:
    """Producers, the transaction that is under way, and the partitions' records."""

    newest: Set[Client]  # who has the newest epoch: one, or nobody
    last: Txn  # how many transactions were begun
    begun: Map[Client, Txn]  # the transaction that each one's application has begun; 0: none
    wrote: Map[Client, Set[Partition]]  # where something of it was acknowledged
    stage: Stage  # how it is with the transaction that is under way
    logs: Map[Partition, Records]  # each partition's records
    fate: Map[Txn, Fate]  # what the application knows of each transaction


@initial
def start() -> Outcomes:
    """Nobody has an epoch, and nothing is written."""
    return Outcomes(
        newest=Set(),
        last=0,
        begun=Map({c: 0 for c in Client}),
        wrote=Map({c: Set() for c in Client}),
        stage=Stage.NONE,
        logs=Map({p: Seq() for p in Partition}),
        fate=Map({t: Fate.NONE for t in range(transactions + 1)}),
    )


# --- producers --------------------------------------------------------------------------------------------------------


@action
def get_epoch(s: Outcomes, client: Client) -> None:
    """{client} gets an epoch: whoever had one is fenced."""
    require(is_free(s.stage))
    s.newest = Set({client})
    end(s, client)


@action
def lose_epoch(s: Outcomes) -> None:
    """Nobody has the newest epoch any more: a request for which nobody waits has raised it, or the id is forgotten."""
    require(is_free(s.stage) and len(s.newest) > 0)
    s.newest = Set()


def end(s: Outcomes, client: Client) -> None:
    """A client has no transaction any more."""
    s.begun[client] = 0
    s.wrote[client] = Set()


@action(kind="client")
def begin(s: Outcomes, client: Client) -> None:
    """{client}'s application begins transaction {s.last + 1}."""
    require(s.begun[client] == 0)
    limit(s.last < transactions)
    s.last += 1
    s.begun[client] = s.last


@action(kind="client")
def leave(s: Outcomes, client: Client, closes: bool) -> None:
    """{client} drops its transaction{', and does nothing more' if closes else ''}."""
    require(s.begun[client] > 0 or (closes and client in s.newest))
    if closes:
        s.newest = s.newest - {client}
    end(s, client)


@action
def open_transaction(s: Outcomes) -> None:
    """A partition is added: a transaction is under way."""
    require(is_free(s.stage))
    s.stage = Stage.ONGOING


@action(kind="client")
def write(s: Outcomes, client: Client, partition: Partition) -> None:
    """{client} writes to {partition} in transaction {s.begun[client]}, and learns that it is there.

    Who is fenced may write what is to be aborted."""
    fenced = s.stage == Stage.PREPARE_ABORT and client not in s.newest
    require(s.begun[client] > 0 and (may_go_on(s.stage, client in s.newest) or fenced))
    require(not has_ended(s, s.begun[client]))
    append(s, partition, s.begun[client])
    s.wrote[client].add(partition)


def has_ended(s: Outcomes, txn: Txn) -> bool:
    """Whether some of a transaction is committed; or aborted, and it is over."""
    return any(
        has_with(s, p, txn, Status.COMMITTED)
        or (has_with(s, p, txn, Status.ABORTED) and s.stage != Stage.PREPARE_ABORT)
        for p in Partition
    )


def append(s: Outcomes, partition: Partition, txn: Txn) -> None:
    """A record is appended."""
    limit(len(s.logs[partition]) < capacity)
    s.logs[partition] = s.logs[partition] + Seq([Written(txn=txn, status=Status.OPEN)])


@action(kind="client")
def learn_of_write(s: Outcomes, client: Client, partition: Partition) -> None:
    """{client} learns that what it wrote to {partition} is there, though it may be fenced by now."""
    require(s.begun[client] > 0)
    require(has_with(s, partition, s.begun[client], Status.OPEN) and partition not in s.wrote[client])
    s.wrote[client].add(partition)


@action
def write_alone(s: Outcomes, partition: Partition, txn: Txn) -> None:
    """A write of transaction {txn} for which nobody waits comes to {partition}, and shares what becomes of it."""
    require(txn > 0 and txn <= s.last and (may_come(s, txn) or is_copy(s, partition, txn)))
    append(s, partition, txn)


def may_come(s: Outcomes, txn: Txn) -> bool:
    """Whether a write may come for which nobody waits: what is under way may be aborted, or has to be, and that
    transaction is not over."""
    goes_on = any(c in s.newest and s.begun[c] == txn for c in Client)
    is_to_be_aborted = s.stage == Stage.PREPARE_ABORT and not goes_on
    return (may_be_ended(s.stage) or is_to_be_aborted) and s.fate[txn] != Fate.CONFIRMED and not has_ended(s, txn)


def is_copy(s: Outcomes, partition: Partition, txn: Txn) -> bool:
    """Whether a write is a copy of one that is there, and will be what was decided."""
    return is_decided(s.stage) and has_with(s, partition, txn, Status.OPEN)


def has_with(s: Outcomes, partition: Partition, txn: Txn, status: Status) -> bool:
    """Whether a partition has a record of a transaction with that status."""
    return any(written.txn == txn and written.status == status for written in s.logs[partition])


def is_open(s: Outcomes, partition: Partition) -> bool:
    """Whether something is open in a partition."""
    return any(written.status == Status.OPEN for written in s.logs[partition])


# --- the end ----------------------------------------------------------------------------------------------------------


@action(kind="client")
def ask_for_commit(s: Outcomes, client: Client) -> None:
    """{client} asks for the commit of transaction {s.begun[client]}."""
    require(s.begun[client] > 0 and len(s.wrote[client]) > 0)
    s.fate[s.begun[client]] = Fate.ASKED


def is_whole(s: Outcomes, client: Client) -> bool:
    """Whether all that is open is of a client's transaction, and all that was acknowledged of that is."""
    return all(has_with(s, p, s.begun[client], Status.OPEN) for p in s.wrote[client]) and all(
        written.status != Status.OPEN or written.txn == s.begun[client] for p in Partition for written in s.logs[p]
    )


@action(kind="client")
def commit(s: Outcomes, client: Client) -> None:
    """{client} asks for the commit of transaction {s.begun[client]}: it is decided, and {client} knows."""
    require(s.begun[client] > 0 and may_go_on(s.stage, client in s.newest))
    require(len(s.wrote[client]) > 0 and is_whole(s, client))
    s.fate[s.begun[client]] = Fate.CONFIRMED
    s.stage = decided_stage(True)
    end(s, client)


@action(kind="client")
def abort(s: Outcomes, client: Client) -> None:
    """{client} asks for the abort of its transaction: it is decided, and {client} knows."""
    require(client in s.newest and s.begun[client] > 0 and (is_free(s.stage) or may_be_ended(s.stage)))
    s.stage = decided_stage(False)
    end(s, client)


@action
def commit_alone(s: Outcomes, client: Client) -> None:
    """The commit for which {client} has asked is decided, and {client} does not know: it has no epoch any more."""
    require(s.begun[client] > 0 and s.fate[s.begun[client]] == Fate.ASKED)
    require(may_go_on(s.stage, client in s.newest) and is_whole(s, client))
    s.stage = decided_stage(True)
    s.newest = Set()


@action
def abort_alone(s: Outcomes) -> None:
    """What is under way is to be aborted: another asks for an epoch, it took too long, or an abort is late."""
    require(is_free(s.stage) or may_be_ended(s.stage))
    s.stage = decided_stage(False)
    s.newest = Set()


@action(kind="client")
def learn_of_end(s: Outcomes, client: Client, committed: bool) -> None:
    """{client} asks again for its end, and learns that its transaction is {'committed' if committed else 'aborted'}."""
    require(s.begun[client] > 0 and is_free(s.stage) and all(c == client for c in s.newest))
    own = s.begun[client]
    require(all(not has_with(s, p, own, Status.OPEN) for p in Partition))
    require(committed or all(not has_with(s, p, own, Status.COMMITTED) for p in Partition))
    require(not committed or (s.fate[own] == Fate.ASKED and len(s.wrote[client]) > 0))
    require(not committed or all(has_with(s, p, own, Status.COMMITTED) for p in s.wrote[client]))
    if committed:
        s.fate[own] = Fate.CONFIRMED
    s.newest = Set({client})
    end(s, client)


@action
def mark(s: Outcomes, partition: Partition) -> None:
    """{partition} gets the marker of what was decided."""
    require(is_decided(s.stage) and is_open(s, partition))
    s.logs[partition] = close_records(s.logs[partition], made_by_marker(s.stage))


def close_records(log: Records, status: Status) -> Records:
    """The records of a partition, none of them open any more."""
    done: Records = Seq()
    for written in log:
        done = done + Seq([replace(written, status=status) if written.status == Status.OPEN else written])
    return done


@action
def complete(s: Outcomes) -> None:
    """The transaction is over: nothing is open any more."""
    require(may_be_over(s.stage, sum(1 for p in Partition if is_open(s, p))))
    s.stage = Stage.NONE
