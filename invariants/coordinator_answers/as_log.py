"""A coordinator's partition, claimed to be a log that keeps what it acknowledges: what a coordinator has answered for
is what the log acknowledges.

Since 4.3.1 it is one, within its bounds. In 4.3.0 it is none: the coordinator answers for a write that is not committed
and never will be, which a log does only with `acknowledges_uncommitted` and `loses_acknowledged`, the promises that are
missing. Models of coordinators that hold an abstract log (`classic_group`, `modern_group`) suppose that theirs is one.
"""

from __future__ import annotations

from ...language import Seq, Set, refines
from ...model import coordinator_answers, log
from ...model.coordinator_answers import Broker, Partition, writes
from ...model.parts.replicated_logs import acknowledges_uncommitted as acknowledges_uncommitted
from ...model.parts.replicated_logs import loses_acknowledged as loses_acknowledged

modules = (coordinator_answers,)
profiles = coordinator_answers.profiles
view = coordinator_answers.view


@refines(log, entries=writes, readers=1)
def as_log(s: Partition) -> log.OneLog:
    """To whoever asks for a write, the partition is a log. Nobody has read yet: what a reader would see is what all
    replicas have."""
    committed = committed_writes(s)
    return log.unread(
        written=s.next_write,
        committed=committed,
        acknowledged=s.answered,
        lost=Set(entry for entry in s.answered if entry not in s.log[s.leader]),
    )


def committed_writes(s: Partition) -> log.Order:
    """What every replica has at the same offset, all of which are in sync, from the beginning."""
    order: log.Order = Seq()
    for offset in range(writes):
        if len(order) == offset and has_one_write_at(s, offset):
            order = order + Seq([s.log[s.leader][offset]])
    return order


def has_one_write_at(s: Partition, offset: int) -> bool:
    """Whether all replicas have a write at an offset, and the same one."""
    return all(
        offset < min(len(s.log[broker]), len(s.log[s.leader])) and s.log[broker][offset] == s.log[s.leader][offset]
        for broker in Broker
    )
