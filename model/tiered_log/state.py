"""What there is of a partition with tiered storage: replicas with local logs, and segments in remote storage."""

from __future__ import annotations

from typing import Annotated

from ...language import Capacity, Domain, Map, Option, Range, Seq, Set, constant, ghosts, initial, record, state

brokers = constant(2, minimum=2, maximum=3, says="brokers, each with a replica")
records = constant(3, minimum=1, maximum=4, says="offsets that logs come to")
copies = constant(2, minimum=1, maximum=4, says="segments that are copied to remote storage")
elections = constant(1, minimum=0, maximum=3, says="elections of another leader")
outages = constant(0, minimum=0, maximum=3, says="times that a broker is cut off from the controller")
metadata_losses = constant(0, minimum=0, maximum=1, says="times that __remote_log_metadata is lost")
unclean = constant(False, says="unclean.leader.election.enable")
bounds_copied = constant(
    True, says="KAFKA-15241: what a broker takes for copied of an epoch ends where its own log does"
)
replaces_overlapped = constant(True, says="KAFKA-15168: a segment that reaches further takes the place of later ones")
deletes_overlapping = constant(
    True, says="KAFKA-16511: a segment that begins before the log's start is deleted as others"
)
start_is_highest = constant(True, says="KAFKA-16890: the log starts behind the highest segment that is deleted")
looks_up = constant(
    False, says="a broker deletes local segments that it finds in remote storage, and those that are too old"
)
keeps_start = constant(False, says="a log that is truncated before its first local segment keeps its start and epochs")
finds_own_start = constant(False, says="a new leader's log starts at the first segment of its own log, not of an epoch")


class Broker(Domain, size=brokers, symmetric=True):
    """A broker with a replica of the partition."""


Index = Annotated[int, Range(0, records - 1)]
Offset = Annotated[int, Range(0, records)]
Epoch = Annotated[int, Range(0, elections)]
Epochs = Annotated[Seq[Epoch], Capacity(records)]
Place = Annotated[int, Range(0, copies - 1)]


@record
class Segment:
    """A segment in remote storage, as `__remote_log_metadata` has it."""

    start: Offset  # its first offset
    epochs: Epochs  # the epochs of all records up to its end, as its leader-epoch-checkpoint has them


Segments = Annotated[Seq[Segment], Capacity(copies)]


@ghosts
class History:
    """What properties remember of a run; no step depends on it."""

    committed: Map[Index, Option[Epoch]]  # the epoch of the record that was committed at each offset, and is to be kept
    built: Set[Broker]  # who has begun a log with the epochs of a segment in remote storage


@state
class Partition(History):
    """The partition, its replicas' logs, and what is in remote storage."""

    leader: Broker  # who leads, or did last
    epoch: Epoch  # its leader epoch
    looking: bool  # whether the leader has yet to find where its log starts in remote storage
    isr: Set[Broker]  # who is in sync
    cut: Set[Broker]  # who is cut off from the controller
    known: Map[Broker, Epoch]  # the leader epoch that each broker has heard of
    log: Map[Broker, Epochs]  # the epoch of each record of its log, local or not
    bases: Map[Broker, Set[Offset]]  # where its local segments begin, but for the first
    local: Map[Broker, Offset]  # where its local log begins
    start: Map[Broker, Offset]  # its log start offset; what it knows of epochs begins there
    copied: Map[Broker, Offset]  # up to where it takes records for copied, as it deletes local segments
    remote: Segments  # all segments that were copied, in order
    deleted: Set[Place]  # those that were deleted
    expired: Offset  # records before that are too old, by retention.ms


@initial
def begin(leader: Broker) -> Partition:
    """{leader} leads, and logs are empty."""
    return Partition(
        leader=leader,
        epoch=0,
        looking=False,
        isr=Set(Broker),
        cut=Set(),
        known=Map({broker: 0 for broker in Broker}),
        log=Map({broker: Seq() for broker in Broker}),
        bases=Map({broker: Set() for broker in Broker}),
        local=Map({broker: 0 for broker in Broker}),
        start=Map({broker: 0 for broker in Broker}),
        copied=Map({broker: 0 for broker in Broker}),
        remote=Seq(),
        deleted=Set(),
        expired=0,
    )
