"""What must hold while the leader and the controller may disagree about the ISR."""

from __future__ import annotations

from ...language import invariant, reachable, transition
from ...model.studies.async_isr import LEADER, Partition, high_watermark


@invariant
def type_ok(s: Partition) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def valid_high_watermark(s: Partition) -> bool:
    """Every member of the controller's ISR holds all records below the leader's high watermark."""
    return all(s.end_offset[replica] >= high_watermark(s) for replica in s.controller_isr)


@invariant
def leader_in_isr(s: Partition) -> bool:
    """The leader is in the ISR, the controller's and its own."""
    return LEADER in s.controller_isr and LEADER in s.isr


@transition
def versions_never_decrease(before: Partition, after: Partition) -> bool:
    """No version goes back, neither the controller's nor the one that the leader knows."""
    return after.controller_version >= before.controller_version and after.version >= before.version


@reachable
def record_is_committed(s: Partition) -> bool:
    """The high watermark passes a record."""
    return high_watermark(s) > 0


@reachable
def controller_overtakes_leader(s: Partition) -> bool:
    """The leader's ISR has a member that the controller's has not: it must not be lost for the high watermark."""
    return not s.isr <= s.controller_isr


@reachable
def isr_grows_unnoticed(s: Partition) -> bool:
    """The controller's ISR has a member that the leader's has not: the high watermark must wait for it already."""
    return not s.controller_isr <= s.isr
