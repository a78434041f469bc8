"""Kafka's transactions, claimed to be what their producers may rely on (`model/transaction_outcomes.py`): one at a
time, decided once, whole in all partitions, and over when nothing is open.

Of the coordinator there is to know whether a transaction is under way, and whether its end is decided; of a client,
whether it has the newest epoch. What the application knows is a ghost of the protocol's own.
"""

from __future__ import annotations

from ...language import STUTTERS, Map, Seq, Set, refines
from ...model import transaction_outcomes as outcomes
from ...model import transactions as protocol
from ...model.parts.outcomes import Stage
from ...model.transactions import clients as of_clients
from ...model.transactions import coordinator as of_coordinator
from ...model.transactions import partitions as of_partitions
from ...model.transactions.state import *

modules = (*protocol.modules, protocol)
profiles = protocol.profiles
view = protocol.view


@refines(
    outcomes,
    {
        of_clients.begin: outcomes.begin,
        of_clients.add_partition: (outcomes.open_transaction, STUTTERS),
        of_clients.produce: (outcomes.write, outcomes.learn_of_write, STUTTERS),
        of_clients.end: (outcomes.commit, outcomes.abort),
        of_clients.end_is_answered: outcomes.learn_of_end,
        of_clients.end_without_partitions: outcomes.leave,
        of_clients.stop: outcomes.leave,
        of_clients.is_fenced: (outcomes.leave, STUTTERS),
        of_clients.give_up_init: STUTTERS,
        of_clients.give_up_add: STUTTERS,
        of_clients.give_up_produce: STUTTERS,
        of_clients.give_up_end: (outcomes.ask_for_commit, STUTTERS),
        of_clients.late_produce_adds: (outcomes.open_transaction, STUTTERS),
        of_coordinator.init_producer: outcomes.get_epoch,
        of_coordinator.bump_epoch: outcomes.get_epoch,
        of_coordinator.bump_is_answered_again: outcomes.get_epoch,
        of_coordinator.fence: outcomes.abort_alone,
        of_coordinator.time_out: outcomes.abort_alone,
        of_coordinator.late_init_fences: outcomes.abort_alone,
        of_coordinator.late_init_arrives: (outcomes.lose_epoch, STUTTERS),
        of_coordinator.late_bump_is_answered_again: STUTTERS,
        of_coordinator.expire: (outcomes.lose_epoch, STUTTERS),
        of_coordinator.late_add_arrives: (outcomes.open_transaction, STUTTERS),
        of_coordinator.late_end_arrives: (outcomes.commit_alone, outcomes.abort_alone),
        of_coordinator.fail_over: STUTTERS,
        of_coordinator.repeat_marker: STUTTERS,
        of_coordinator.write_marker: (outcomes.mark, STUTTERS),
        of_coordinator.late_marker_arrives: (outcomes.mark, STUTTERS),
        of_coordinator.complete: outcomes.complete,
        of_partitions.late_produce_arrives: outcomes.write_alone,
        of_partitions.verify_late_produce: STUTTERS,
        of_partitions.append_verified: outcomes.write_alone,
        of_partitions.forget: STUTTERS,
    },
    capacity=transactions * batches + late_produces,
)
def as_outcomes(s: Cluster) -> outcomes.Outcomes:
    """What was written, what becomes of it, and what each application knows, is as its producers may rely on."""
    return outcomes.Outcomes(
        newest=Set(c for c in Client if has_newest(s, c)),
        last=s.begun,
        begun=s.txn,
        wrote=Map({c: Set(p for p in Partition if s.wrote[c][p] > 0) for c in Client}),
        stage=stage(s.memory),
        logs=Map({p: records_of(s.logs[p]) for p in Partition}),
        fate=s.fate,
    )


def has_newest(s: Cluster, client: Client) -> bool:
    """Whether a client has the epoch that the coordinator has, or the one that it will have when the end is done."""
    known = s.memory.state != TxnState.DEAD and s.epoch[client] > 0
    to_come = s.memory.rotates and s.epoch[client] == first_of_next(s.memory.epoch)
    return known and (s.epoch[client] == s.memory.epoch or to_come)


def stage(line: Line) -> Stage:
    """How it is with the transaction that is under way."""
    if line.state == TxnState.ONGOING:
        return Stage.ONGOING
    if line.state == TxnState.PREPARE_COMMIT:
        return Stage.PREPARE_COMMIT
    return Stage.PREPARE_ABORT if line.state == TxnState.PREPARE_ABORT else Stage.NONE


def records_of(cells: Cells) -> outcomes.Records:
    """A partition's records, without their numbers."""
    log: outcomes.Records = Seq()
    for cell in cells:
        log = log + Seq([outcomes.Written(txn=cell.txn, status=cell.status)])
    return log
