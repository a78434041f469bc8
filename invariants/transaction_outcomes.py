"""What producers with one `transactional.id`, and readers of committed records, may rely on."""

from __future__ import annotations

from ..language import invariant, reachable, transition
from ..model.parts.outcomes import Stage, Status, is_decided
from ..model.parts.transactional_ids import Client, Fate, Partition, transactions
from ..model.transaction_outcomes import Outcomes, has_with, is_open


@invariant
def type_ok(s: Outcomes) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def one_has_the_newest_epoch(s: Outcomes) -> bool:
    """No two clients have the newest epoch."""
    return all(a == b or a not in s.newest or b not in s.newest for a in Client for b in Client)


@invariant
def all_or_nothing(s: Outcomes) -> bool:
    """No transaction is committed in one partition and aborted in another."""
    return all(
        not has_with(s, p, t, Status.COMMITTED) or not has_with(s, q, t, Status.ABORTED)
        for t in range(transactions + 1)
        for p in Partition
        for q in Partition
    )


@invariant
def committed_was_asked_for(s: Outcomes) -> bool:
    """Nothing is committed for whose commit nobody asked."""
    return all(
        not has_with(s, p, t, Status.COMMITTED) or s.fate[t] != Fate.NONE
        for t in range(transactions + 1)
        for p in Partition
    )


@invariant
def confirmed_is_not_aborted(s: Outcomes) -> bool:
    """Nothing of a transaction whose commit was confirmed is aborted, or about to be."""
    return all(
        s.fate[t] != Fate.CONFIRMED
        or (
            not has_with(s, p, t, Status.ABORTED)
            and (not has_with(s, p, t, Status.OPEN) or s.stage == Stage.PREPARE_COMMIT)
        )
        for t in range(transactions + 1)
        for p in Partition
    )


@invariant
def nothing_is_open_without_a_transaction(s: Outcomes) -> bool:
    """Where something is open, a transaction is under way."""
    return s.stage != Stage.NONE or all(not is_open(s, p) for p in Partition)


@transition
def ends_as_decided(before: Outcomes, after: Outcomes) -> bool:
    """What is decided stays so until it is done."""
    return not is_decided(before.stage) or after.stage in (before.stage, Stage.NONE)


@reachable
def committed_everywhere(s: Outcomes) -> bool:
    """A transaction is committed in every partition, and its application knows."""
    return any(
        s.fate[t] == Fate.CONFIRMED and all(has_with(s, p, t, Status.COMMITTED) for p in Partition)
        for t in range(transactions + 1)
    )


@reachable
def aborted_while_it_is_open(s: Outcomes) -> bool:
    """A client has a transaction of which something is aborted."""
    return any(s.begun[c] > 0 and has_with(s, p, s.begun[c], Status.ABORTED) for c in Client for p in Partition)
