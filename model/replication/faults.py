"""A broker fails, and the controller takes it out of the ISR."""

from __future__ import annotations

from ...language import action, limit, require
from .leaders import decide
from .state import LeaderAndIsr, Partition, Replica, max_leader_epoch


@action(kind="fault")
def controller_shrink_isr(s: Partition, replica: Replica) -> None:
    """{replica} fails{' and leaves the ISR' if s.quorum.leader != replica or len(s.quorum.isr) > 1 else ''}."""
    require(replica in s.quorum.isr)
    limit(s.next_leader_epoch <= max_leader_epoch)
    leads = s.quorum.leader == replica
    stays = leads and s.quorum.isr == {replica}
    changed = LeaderAndIsr(
        leader=None if leads else s.quorum.leader,
        leader_epoch=s.next_leader_epoch,
        isr=s.quorum.isr if stays else s.quorum.isr - {replica},
    )
    decide(s, changed)
    if not stays:
        s.left_isr.add(replica)
