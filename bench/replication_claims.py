"""What must happen in the published replication module, with the fairness that its `Spec` has: for `bench.liveness` and
what TLC says of the same. github.com/hachikuji/kafka-specification, `Kip320.tla`, has this fairness and states no
such property; `bench.liveness` has the same properties as a module that extends it."""

from __future__ import annotations

from tidegate.invariants.replication.properties import strong_isr as strong_isr
from tidegate.invariants.replication.properties import weak_isr as weak_isr
from tidegate.language import always_eventually, eventually_always, leads_to, strong, weak
from tidegate.model import replication
from tidegate.model.replication.followers import become_follower
from tidegate.model.replication.isr import expand_isr
from tidegate.model.replication.leaders import become_leader, is_true_leader
from tidegate.model.replication.records import advance_high_watermark, write
from tidegate.model.replication.state import Partition, Replica, max_records

modules = replication.modules
profiles = replication.profiles
view = replication.view

_FIVE = (
    strong(advance_high_watermark),
    strong(expand_isr),
    strong(write),
    weak(become_follower),
    weak(become_leader),
)
"""`Kip320!Spec`."""


def is_informed(s: Partition) -> bool:
    """Whether the leader on record knows that it leads, or there is none."""
    return s.quorum.leader is None or any(is_true_leader(s, replica) for replica in Replica)


@always_eventually
def informed_with_none(s: Partition) -> bool:
    """Again and again the leader on record knows that it leads, though nothing has to happen."""
    return is_informed(s)


@always_eventually(weak(become_leader))
def informed_with_one(s: Partition) -> bool:
    """Again and again the leader on record knows that it leads."""
    return is_informed(s)


@always_eventually(*_FIVE)
def informed_with_five(s: Partition) -> bool:
    """Again and again the leader on record knows that it leads, as the module has its fairness."""
    return is_informed(s)


@always_eventually(*_FIVE)
def followed(s: Partition) -> bool:
    """Again and again everyone has come to the leader's epoch, or there is no leader."""
    return s.quorum.leader is None or all(s.leader_epoch[r] >= s.quorum.leader_epoch for r in Replica)


def is_behind(s: Partition) -> bool:
    """Whether the true leader's high watermark is not at the end of its log."""
    return any(is_true_leader(s, r) and s.high_watermark[r] < len(s.log[r]) for r in Replica)


def is_not_behind(s: Partition) -> bool:
    """Whether no true leader's high watermark is behind."""
    return not is_behind(s)


@leads_to(is_not_behind, weak(advance_high_watermark), weak(become_follower), weak(become_leader))
def moves_on_with_three(s: Partition) -> bool:
    """A high watermark that is behind comes to the end of the log, though followers may stop to fetch."""
    return is_behind(s)


@leads_to(is_not_behind, *_FIVE)
def moves_on_with_five(s: Partition) -> bool:
    """A high watermark that is behind comes to the end of the log, though followers may stop to fetch."""
    return is_behind(s)


@eventually_always(*_FIVE)
def all_is_written(s: Partition) -> bool:
    """In the end all records are written."""
    return s.next_record_id == max_records
