"""Kafka's replication of one partition, from "truncate to the high watermark" (0.8) to KIP-320 (2.1).

A producer's record is committed once every member of the in-sync replicas, the ISR, holds it. Whoever leads next must
hold it too. The five versions below answer one question: when a replica starts to follow a new leader, which of its
own records may it keep?

* `truncate_to_hw`: those below its own high watermark. But that lags the leader's high watermark by a fetch, so the
  follower discards records that are committed, and may then be elected (KAFKA-1211, the first scenario of KIP-101).
* `kip101`: those up to where the leader's log leaves the epoch of the follower's newest record (0.11). After two
  quick elections the leader may know nothing of that epoch, and logs diverge (KAFKA-6361).
* `kip279`: those that leader and follower have in common, found by going back epoch by epoch (2.0). Requests
  between replicas of different leader epochs are still served and counted: nothing is fenced (KAFKA-7395).
* `kip320_first_try`: as before, but a follower truncates only once a fetch shows that the logs differ. It was never
  released: a replica may count for a high watermark and truncate its log afterwards.
* `kip320`: as `kip279`, and a leader serves and counts only replicas of its own leader epoch (2.1).

All five are this one text under different switches; turning off one fence of `kip320` at a time shows its purpose.

It is, state for state, the transition system of github.com/hachikuji/kafka-specification, by Jason Gustafson, whose
names are kept: `quorum` is what ZooKeeper holds of the partition (its state znode), and not a quorum of KRaft. As
there:

* The controller has no state of its own, and writing to ZooKeeper is atomic and seen at once by whoever writes next:
  the fencing of ISR changes (`zkVersion`, later the partition epoch) is taken as correct.
* A LeaderAndIsr request, once sent, may arrive at any replica at any later time, never, or twice.
* A fetch is one step: the request, the leader's answer and the append; it carries one record, and the leader's high
  watermark comes with it. There is no clock: the leader may remove a lagging replica from the ISR at any time.
* A broker that is down is a replica that takes no step for a while; the controller may remove it from the ISR. No
  broker loses what is on its disk.
* There is no `min.insync.replicas`, no `acks`, and no unclean election.

The text is in several files. `state.py` says what there is. `leaders.py`, `followers.py`, `records.py` and `isr.py` are
the protocol, in the order of the story, and `faults.py` is what goes wrong. `ghosts.py` is what properties and proof
remember.
What must hold of it is in `invariants/replication/`, and how much of it there is within which bounds in `spec/`.
"""

from __future__ import annotations

from ...language import LogLanes
from . import faults, followers, isr, leaders, records, state
from .state import Replica, Truncation

modules = (state, leaders, followers, records, isr, faults)  # in the order of the story

view = LogLanes(
    lane=Replica,
    log="log",
    cell="{entry.epoch}{letter(entry.id)}",
    cell_epoch="entry.epoch",
    high_watermark="high_watermark",
    role="presumes_leadership(s, lane) if s.leader[lane] is not None else None",
    epoch="leader_epoch",
    isr="s.isr[lane] if presumes_leadership(s, lane) else None",
    controller_leader="s.quorum.leader",
    controller_epoch="s.quorum.leader_epoch",
    controller_isr="s.quorum.isr",
)

_unfenced = {
    "fence_truncation": False,
    "fence_fetch": False,
    "fence_high_watermark": False,
    "fence_isr_shrink": False,
    "fence_isr_expansion": False,
    "await_epoch_start": False,
}
profiles = {
    "truncate_to_hw": {"truncation": Truncation.HIGH_WATERMARK, **_unfenced},
    "kip101": {"truncation": Truncation.END_OF_EPOCH, **_unfenced},
    "kip279": {"truncation": Truncation.COMMON_PREFIX, **_unfenced},
    "kip320_first_try": {
        **_unfenced,
        "truncation": Truncation.COMMON_PREFIX,
        "truncate_on_fetch": True,
        "compare_last_epoch": True,
        "await_epoch_start": True,
    },
    "kip320": {"truncation": Truncation.COMMON_PREFIX},
}
