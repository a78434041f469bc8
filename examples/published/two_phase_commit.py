"""Two-phase commit, after `transaction_commit/TwoPhase.tla`: a transaction manager asks resource managers whether they
are prepared, and reports to them what became of the transaction. All messages are in one set, a union of three records.

288 states with three resource managers, 56 with two.
"""

from enum import Enum
from typing import Annotated

from tidegate.language import (
    Capacity,
    Domain,
    Map,
    Set,
    action,
    constant,
    initial,
    invariant,
    reachable,
    record,
    require,
    state,
    terminal,
)

resources = constant(3, minimum=1, maximum=5, says="resource managers")


class Resource(Domain, size=resources, symmetric=True):
    """A resource manager."""


class Part(Enum):
    """Where a resource manager is."""

    WORKING = "working"
    PREPARED = "prepared"
    COMMITTED = "committed"
    ABORTED = "aborted"


class Decision(Enum):
    """Where the transaction manager is."""

    OPEN = "open"
    COMMITTED = "committed"
    ABORTED = "aborted"


@record
class Prepared:
    """A resource manager can commit."""

    by: Resource


@record
class Commit:
    """The transaction is committed."""


@record
class Abort:
    """The transaction is aborted."""


Message = Prepared | Commit | Abort


@state
class Transaction:
    """One transaction."""

    parts: Map[Resource, Part]
    decision: Decision
    prepared: Set[Resource]  # those whose message the transaction manager has
    messages: Annotated[Set[Message], Capacity(resources + 2)]  # all that were ever sent


@initial
def start() -> Transaction:
    """Everybody works."""
    return Transaction(
        parts=Map({r: Part.WORKING for r in Resource}), decision=Decision.OPEN, prepared=Set(), messages=Set()
    )


@action
def prepare(s: Transaction, resource: Resource) -> None:
    """{resource} is prepared and says so."""
    require(s.parts[resource] == Part.WORKING)
    s.parts[resource] = Part.PREPARED
    s.messages.add(Prepared(by=resource))


@action
def give_up(s: Transaction, resource: Resource) -> None:
    """{resource} aborts by itself."""
    require(s.parts[resource] == Part.WORKING)
    s.parts[resource] = Part.ABORTED


@action
def receive(s: Transaction, message: Message, resource: Resource) -> None:
    """{message} arrives at {resource}, or from it at the transaction manager."""
    match message:
        case Prepared(by=by):
            require(by == resource and s.decision == Decision.OPEN)
            s.prepared.add(by)
        case Commit():
            s.parts[resource] = Part.COMMITTED
        case Abort():
            s.parts[resource] = Part.ABORTED


@action
def commit(s: Transaction) -> None:
    """The transaction manager commits."""
    require(s.decision == Decision.OPEN and s.prepared == Set(Resource))
    s.decision = Decision.COMMITTED
    s.messages.add(Commit())


@action
def abort(s: Transaction) -> None:
    """The transaction manager aborts."""
    require(s.decision == Decision.OPEN)
    s.decision = Decision.ABORTED
    s.messages.add(Abort())


@terminal
def decided(s: Transaction) -> bool:
    """Everybody has committed or aborted."""
    return all(s.parts[r] in (Part.COMMITTED, Part.ABORTED) for r in Resource)


@invariant
def consistent(s: Transaction) -> bool:
    """Nobody commits where another aborts."""
    return not any(s.parts[a] == Part.COMMITTED and s.parts[b] == Part.ABORTED for a in Resource for b in Resource)


@reachable
def all_commit(s: Transaction) -> bool:
    """Everybody commits."""
    return all(s.parts[r] == Part.COMMITTED for r in Resource)
