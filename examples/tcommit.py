"""Transaction commit, as such: each resource manager prepares, and all commit or all abort (Gray and Lamport, 2004).

It says what is wanted, not how: a manager sees all others at once. `two_phase.py` does it with messages. 34 states
for 3.
"""

from enum import Enum

from tidegate.language import Domain, Map, action, constant, initial, invariant, reachable, require, state, terminal

managers = constant(3, minimum=1, maximum=8, says="resource managers that take part in the transaction")


class Manager(Domain, size=managers, symmetric=True):
    """A resource manager: it holds some of the data that the transaction changes."""


class Status(Enum):
    """What a resource manager has come to."""

    WORKING = "working"
    PREPARED = "prepared"
    COMMITTED = "committed"
    ABORTED = "aborted"


@state
class Transaction:
    """One transaction."""

    status: Map[Manager, Status]


@initial
def working() -> Transaction:
    """Everyone works."""
    return Transaction(status=Map({manager: Status.WORKING for manager in Manager}))


@action
def prepare(s: Transaction, manager: Manager) -> None:
    """{manager} is ready to commit."""
    require(s.status[manager] == Status.WORKING)
    s.status[manager] = Status.PREPARED


@action
def commit(s: Transaction, manager: Manager) -> None:
    """{manager} commits, as everyone is prepared."""
    require(s.status[manager] == Status.PREPARED)
    require(all(s.status[peer] in {Status.PREPARED, Status.COMMITTED} for peer in Manager))
    s.status[manager] = Status.COMMITTED


@action
def abort(s: Transaction, manager: Manager) -> None:
    """{manager} aborts, as nobody has committed."""
    require(s.status[manager] in {Status.WORKING, Status.PREPARED})
    require(all(s.status[peer] != Status.COMMITTED for peer in Manager))
    s.status[manager] = Status.ABORTED


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


@terminal
def decided(s: Transaction) -> bool:
    """Everyone has committed or aborted: the transaction is over."""
    return all(s.status[manager] in {Status.COMMITTED, Status.ABORTED} for manager in Manager)
