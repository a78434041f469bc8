"""What must happen in the replication of a partition, with the fairness that its published module has, and with less.

github.com/hachikuji/kafka-specification, `Kip320.tla`, has in its `Spec` strong fairness of the high watermark, of
larger ISRs and of writes, and weak fairness of becoming leader and follower. It states no property that needs these.
Nothing in it makes a follower fetch, so that it does not follow that a high watermark moves on; with fetches it does.
"""

from __future__ import annotations

from ...language import always_eventually, eventually_always, leads_to, limits_of, reachable, strong, weak
from ...model import replication
from ...model.replication import *

modules = (replication,)
profiles = replication.profiles
view = replication.view

_LIMITS = (limits_of(controller_elect_leader, write),)
FIVE = (
    strong(advance_high_watermark),
    strong(expand_isr),
    strong(write),
    weak(become_follower),
    weak(become_leader),
)
"""The fairness of `Kip320!Spec`."""


def is_informed(s: Partition) -> bool:
    """Whether the leader on record knows that it leads, or there is none."""
    return s.quorum.leader is None or any(is_true_leader(s, replica) for replica in Replica)


@always_eventually
def leader_is_informed_without_fairness(s: Partition) -> bool:
    """Again and again the leader on record knows that it leads, though nothing has to happen."""
    return is_informed(s)


@always_eventually(weak(become_leader), *_LIMITS)
def leader_is_informed_with_one(s: Partition) -> bool:
    """Again and again the leader on record knows that it leads."""
    return is_informed(s)


@always_eventually(*FIVE)
def leader_is_informed_with_five(s: Partition) -> bool:
    """Again and again the leader on record knows that it leads, as the module has its fairness."""
    return is_informed(s)


def all_follow(s: Partition) -> bool:
    """Whether everyone has come to the leader's epoch, or there is no leader."""
    return s.quorum.leader is None or all(s.leader_epoch[r] >= s.quorum.leader_epoch for r in Replica)


@always_eventually(*FIVE)
def leader_is_followed_with_five(s: Partition) -> bool:
    """Again and again everyone has come to the leader's epoch, or there is no leader."""
    return all_follow(s)


@always_eventually(weak(become_leader))
def leader_is_followed_with_one(s: Partition) -> bool:
    """The same without what it needs: replicas do not obey LeaderAndIsr requests."""
    return all_follow(s)


def is_behind(s: Partition) -> bool:
    """Whether the true leader's high watermark is not at the end of its log."""
    return any(is_true_leader(s, r) and s.high_watermark[r] < len(s.log[r]) for r in Replica)


def is_not_behind(s: Partition) -> bool:
    """Whether no true leader's high watermark is behind."""
    return not is_behind(s)


@leads_to(is_not_behind, weak(advance_high_watermark), weak(become_follower), weak(become_leader))
def high_watermark_moves_with_three(s: Partition) -> bool:
    """A high watermark that is behind comes to the end of the log, though followers may stop to fetch."""
    return is_behind(s)


@leads_to(
    is_not_behind,
    weak(advance_high_watermark, each="leader"),
    weak(become_follower, each="replica"),
    weak(become_leader),
    weak(fetch, each="follower"),
    *_LIMITS,
)
def high_watermark_moves_with_fetches(s: Partition) -> bool:
    """Once producers have stopped, a high watermark that is behind comes to the end of the log."""
    return is_behind(s)


@eventually_always(*FIVE)
def all_is_written(s: Partition) -> bool:
    """In the end all records are written."""
    return s.next_record_id == max_records


@reachable
def follower_is_behind(s: Partition) -> bool:
    """The leader on record leads, and another replica knows of an older epoch alone."""
    return is_informed(s) and s.quorum.leader is not None and not all_follow(s)


@reachable
def record_waits(s: Partition) -> bool:
    """A record of the leader's is above its high watermark."""
    return is_behind(s)


@reachable
def leader_is_not_informed(s: Partition) -> bool:
    """The leader on record does not know that it leads."""
    return not is_informed(s)
