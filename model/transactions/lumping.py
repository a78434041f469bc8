"""What can make no difference any more, and is forgotten with `lumped`.

States that differ only in what nobody will read are one state then. What is forgotten, each only with the switches that
see to it that nobody reads it:

* A request that is late, and that would be refused for ever, or that would change nothing: epochs only rise.
* What a leader knows of an epoch that is over, of which nothing is open, and which nobody names any more.
* The sequence numbers of a client that has ended.

All of it is of version 2. That nothing is lost is a refinement that is checked: `transactions_as_lumped`.
"""

from __future__ import annotations

from ...language import Map, Set
from .state import *


def settle(s: Cluster) -> None:
    """What can make no difference any more is forgotten."""
    if lumped:
        s.late = late_that_matters(s)
        s.producers = what_is_known(s)
        s.sequence = what_is_next(s)


def epochs_only_rise() -> bool:
    """Whether the coordinator never goes back to an older epoch, and each transaction has its own: version 2."""
    return bump_every_time and in_one_step and failed_fences == 0 and losses == 0


# --- requests ---------------------------------------------------------------------------------------------------------


def late_that_matters(s: Cluster) -> Set[Request]:
    """The late requests that may still have an effect."""
    return Set(request for request in s.late if not is_idle(s, request))


def is_idle(s: Cluster, request: Request) -> bool:
    """Whether a late request can have no effect any more."""
    partition = request.partition
    if request.kind == Kind.END:
        return epochs_only_rise() and request.epoch < s.memory.epoch
    if partition is None or forgets != Forgets.NEVER or not epochs_only_rise():
        return False
    if request.kind == Kind.PRODUCE:
        return is_idle_write(s, request, partition)
    return is_idle_marker(s.producers[partition][pid_of(request.epoch)], request)


def is_idle_write(s: Cluster, request: Request, partition: Partition) -> bool:
    """Whether the coordinator does not vouch for a write any more, and its epoch has nothing open there."""
    pid = pid_of(request.epoch)
    return (
        verify
        and not former_verifies
        and not verify_in_two_steps
        and request.epoch < s.memory.epoch
        and not (is_open_of(s, partition, pid) and s.producers[partition][pid].epoch == request.epoch)
    )


def is_idle_marker(known: Producer, request: Request) -> bool:
    """Whether a marker is refused for ever, or is the one that the partition has taken last."""
    return (
        request.epoch < known.epoch
        or (fence_markers and request.coordinator < known.coordinator)
        or (
            strict_markers
            and not verify_in_two_steps
            and request.epoch == known.epoch
            and request.coordinator == known.coordinator
        )
    )


# --- leaders ----------------------------------------------------------------------------------------------------------


def what_is_known(s: Cluster) -> Map[Partition, Map[Pid, Producer]]:
    """What the partitions' leaders know of producer ids, as far as somebody may ask for it."""
    return Map({p: Map({pid: known_of(s, p, pid) for pid in range(producer_ids)}) for p in Partition})


def known_of(s: Cluster, partition: Partition, pid: Pid) -> Producer:
    """What the leader of a partition knows of a producer id: of an epoch that is over, its coordinator alone."""
    known = s.producers[partition][pid]
    if is_over_for_all(s, partition, pid):
        return Producer(epoch=0, first=0, records=0, coordinator=known.coordinator)
    return known


def is_over_for_all(s: Cluster, partition: Partition, pid: Pid) -> bool:
    """Whether nobody writes or ends anything any more with the newest epoch that a leader knows, or an older one. In
    version 2 each epoch begins with the first sequence number, as a producer must that is not known."""
    known = s.producers[partition][pid]
    return (
        verify
        and not former_verifies
        and forgets == Forgets.NEVER
        and epochs_only_rise()
        and known.epoch < s.memory.epoch
        and not is_open_of(s, partition, pid)
        and all(s.epoch[client] != known.epoch or s.phase[client] == Phase.ENDED for client in Client)
        and all(
            request.partition != partition or request.epoch > known.epoch or is_idle(s, request) for request in s.late
        )
    )


# --- clients ----------------------------------------------------------------------------------------------------------


def what_is_next(s: Cluster) -> Map[Client, Map[Partition, Count]]:
    """The next sequence numbers of the clients that write."""
    return Map({c: Map({p: 0 if s.phase[c] == Phase.ENDED else s.sequence[c][p] for p in Partition}) for c in Client})
