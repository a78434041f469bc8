"""Two-phase commit: `tcommit.py` with a transaction manager and messages (Gray and Lamport, 2004).

A message, once sent, may arrive at any later time, twice, or never, so that messages are never taken away. 288 states
for 3 resource managers; 50,816 for 6. That it does what `tcommit.py` says is checked, and proved by the lemmas
at the end: see `as_transaction_commit`.
"""

from enum import Enum
from typing import Annotated

import tcommit
from tcommit import Manager, Status, managers
from tidegate.language import (
    STUTTERS,
    Capacity,
    Map,
    Set,
    action,
    initial,
    invariant,
    lemma,
    reachable,
    record,
    refines,
    require,
    state,
)


class Decision(Enum):
    """What the transaction manager decides for all."""

    COMMIT = "commit"
    ABORT = "abort"


@record
class Prepared:
    """A resource manager reports to the transaction manager that it is ready to commit."""

    source: Manager


@state
class Transaction:
    """One transaction: resource managers, the transaction manager, the messages ever sent."""

    status: Map[Manager, Status]  # what each resource manager has come to
    decision: Decision | None  # what the transaction manager has decided
    prepared: Set[Manager]  # whom it has heard to be prepared
    reports: Annotated[Set[Prepared], Capacity(managers)]  # messages to the transaction manager
    orders: Set[Decision]  # messages from it, to everyone


@initial
def working() -> Transaction:
    """Everyone works, and nothing is decided."""
    return Transaction(
        status=Map({manager: Status.WORKING for manager in Manager}),
        decision=None,
        prepared=Set(),
        reports=Set(),
        orders=Set(),
    )


# --- the resource managers --------------------------------------------------------------------------------------------


@action
def prepare(s: Transaction, manager: Manager) -> None:
    """{manager} is ready to commit, and says so."""
    require(s.status[manager] == Status.WORKING)
    s.status[manager] = Status.PREPARED
    s.reports.add(Prepared(source=manager))


@action
def choose_to_abort(s: Transaction, manager: Manager) -> None:
    """{manager} aborts on its own, before it is prepared."""
    require(s.status[manager] == Status.WORKING)
    s.status[manager] = Status.ABORTED


@action
def obey(s: Transaction, order: Decision, manager: Manager) -> None:
    """{manager} receives the order to {order}, and obeys."""
    require(order in s.orders)
    s.status[manager] = Status.COMMITTED if order == Decision.COMMIT else Status.ABORTED


# --- the transaction manager ------------------------------------------------------------------------------------------


@action
def receive(s: Transaction, report: Prepared) -> None:
    """The transaction manager learns that {report.source} is prepared."""
    require(s.decision is None)
    s.prepared.add(report.source)


@action
def commit(s: Transaction) -> None:
    """The transaction manager has heard from everyone and decides to commit."""
    require(s.decision is None)
    require(s.prepared == Set(Manager))
    s.decision = Decision.COMMIT
    s.orders.add(Decision.COMMIT)


@action
def abort(s: Transaction) -> None:
    """The transaction manager decides to abort."""
    require(s.decision is None)
    s.decision = Decision.ABORT
    s.orders.add(Decision.ABORT)


# --- what is wanted ---------------------------------------------------------------------------------------------------


@invariant
def consistent(s: Transaction) -> bool:
    """No resource manager commits while another aborts."""
    return not any(
        s.status[one] == Status.COMMITTED and s.status[other] == Status.ABORTED for one in Manager for other in Manager
    )


@reachable
def all_commit(s: Transaction) -> bool:
    """Everyone commits."""
    return all(s.status[manager] == Status.COMMITTED for manager in Manager)


@refines(
    tcommit,
    {
        prepare: tcommit.prepare,
        choose_to_abort: tcommit.abort,
        obey: (tcommit.commit, tcommit.abort, STUTTERS),
        receive: STUTTERS,
        commit: STUTTERS,
        abort: STUTTERS,
    },
)
def as_transaction_commit(s: Transaction) -> tcommit.Transaction:
    """The resource managers alone commit or abort a transaction together."""
    return tcommit.Transaction(status=s.status)


# --- why it is so -----------------------------------------------------------------------------------------------------


@lemma
def who_reports_is_prepared(s: Transaction) -> bool:
    """A resource manager that has reported no longer works, and aborts only by an order."""
    return all(
        s.status[report.source] != Status.WORKING
        and (s.status[report.source] != Status.ABORTED or Decision.ABORT in s.orders)
        for report in s.reports
    )


@lemma
def who_is_heard_has_reported(s: Transaction) -> bool:
    """The same holds of each resource manager that the transaction manager has heard to be prepared."""
    return all(
        s.status[manager] != Status.WORKING and (s.status[manager] != Status.ABORTED or Decision.ABORT in s.orders)
        for manager in s.prepared
    )


@lemma
def an_order_is_the_decision(s: Transaction) -> bool:
    """What is ordered is what was decided."""
    return all(s.decision == order for order in s.orders)


@lemma
def commits_are_ordered(s: Transaction) -> bool:
    """A resource manager commits only by an order."""
    return all(s.status[manager] != Status.COMMITTED or Decision.COMMIT in s.orders for manager in Manager)


@lemma
def commit_when_all_are_prepared(s: Transaction) -> bool:
    """The decision to commit comes when all are known to be prepared."""
    return s.decision != Decision.COMMIT or s.prepared == Set(Manager)
