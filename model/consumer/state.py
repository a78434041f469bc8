"""What there is of a group of consumers: its members, what it has committed, and the logs that it reads."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import Capacity, Map, Option, Range, Set

# isort: split
from ...language import constant, initial, record, state
from ..parts.consuming import Commits as Commits
from ..parts.consuming import Reset as Reset
from ..parts.generations import Consumer as Member
from ..parts.generations import Generation, Partition
from ..parts.generations import consumers as consumers
from ..parts.generations import partitions as partitions
from ..parts.replicated_logs import Entry, Log, empty, entries
from ..parts.replicated_logs import readers_diverge as readers_diverge

records = constant(2, minimum=1, maximum=4, says="records that are produced")
commits = constant(Commits.AUTO, says="when the application commits")
reset = constant(Reset.LATEST, says="auto.offset.reset")
hands_over = constant(False, says="another thread processes while the application polls on")
pool = constant(False, says="records that were handed over are processed in any order")
polls_uncommitted = constant(False, says="the application commits now and then: it may poll before it has committed")
commits_on_revoke = constant(False, says="a rebalance listener commits what was processed")
background_commit = constant(False, says="KAFKA-18641: positions are committed while their records are processed")
any_coordinator = constant(False, says="partitions are given and taken at any time: no coordinator's rules are kept")
fences_commits = constant(True, says="a commit counts only with the id of a member and the group's generation")
detects_truncation = constant(True, says="KIP-320: a consumer notices that the log was truncated below its position")
commits_epochs = constant(True, says="KIP-320: a commit has the leader epoch of the record before it")
has_offsets = constant(True, says="the group has committed the beginning of each partition before")
grows = constant(False, says="the topic begins with one partition, and the others are added")
crashes = constant(1, minimum=0, maximum=2, says="members whose process dies")
pauses = constant(1, minimum=0, maximum=2, says="members that are thrown out and go on")
exceptions = constant(0, minimum=0, maximum=1, says="exceptions in processing, after which the consumer is closed")
delays = constant(0, minimum=0, maximum=1, says="commits that are sent again after later ones")
commit_losses = constant(0, minimum=0, maximum=1, says="commits that fail, after which the member goes on")
retried_commits = constant(0, minimum=0, maximum=1, says="KIP-848: commits before a rebalance that are sent again")
offset_losses = constant(0, minimum=0, maximum=1, says="offsets of the group that expire or are lost")
deletions = constant(0, minimum=0, maximum=1, says="times that the first records of a partition are deleted")
truncations = constant(0, minimum=0, maximum=2, says="times that a log loses its last record")
returns = constant(0, minimum=0, maximum=1, says="times that a log's first leader comes back, with its log")


class Phase(Enum):
    """What a member is doing."""

    OUT = "out"  # it does not run
    JOINING = "joining"  # its JoinGroup waits
    RUNNING = "running"  # it consumes
    STOPPED = "stopped"  # auto.offset.reset=none: it has no offset, and an error


Offset = Annotated[int, Range(0, entries)]
LeaderEpoch = Annotated[int, Range(0, truncations + returns)]


@record
class Delayed:
    """A commit that will be sent again."""

    member: Member
    generation: Generation
    partition: Partition
    offset: Offset
    epoch: Option[LeaderEpoch]


@state
class Consuming:
    """The members of a group, the group, and the partitions that it consumes."""

    phase: Map[Member, Phase]  # what each member is doing
    known: Map[Member, Generation]  # the generation that each takes for the group's
    owned: Map[Member, Set[Partition]]  # the partitions that each takes for its own
    position: Map[Member, Map[Partition, Option[Offset]]]  # the offset that each polls next
    in_hand: Map[Member, Map[Partition, Set[Entry]]]  # records that a poll has returned, and that are not processed
    owing: Set[Member]  # who has processed what it has to commit before it polls again
    group: Set[Member]  # whom the coordinator takes for members
    joined: Set[Member]  # who has joined the rebalance
    rebalancing: bool  # whether there is one
    generation: Generation  # the group's generation
    offset: Map[Partition, Option[Offset]]  # what the group has committed
    delayed: Annotated[Set[Delayed], Capacity(1)]  # commits that will be sent again
    present: Set[Partition]  # the partitions that there are
    logs: Map[Partition, Log]  # their logs
    first: Map[Partition, Offset]  # the first offset that was not deleted
    leader_epoch: Map[Partition, LeaderEpoch]  # how many leaders each log has had before this one, while logs change
    written_in: Map[Partition, Map[Entry, LeaderEpoch]]  # the leader epoch in which each record was written
    written_at: Map[Partition, Map[Entry, Offset]]  # its offset, also where the log does not have it any more
    position_epoch: Map[Member, Map[Partition, Option[LeaderEpoch]]]  # that of each position, if it has one
    offset_epoch: Map[Partition, Option[LeaderEpoch]]  # that of the group's offset, if it has one
    retrying: Set[Member]  # whose background thread will send a commit again
    effects: Map[Partition, Map[Entry, Annotated[int, Range(0, 2)]]]  # how often each record was processed; 2: or more


@initial
def start(oldest: Partition) -> Consuming:
    """Nobody runs, and the logs are empty."""
    return Consuming(
        phase=Map({member: Phase.OUT for member in Member}),
        known=Map({member: 0 for member in Member}),
        owned=Map({member: Set() for member in Member}),
        position=Map({member: Map({partition: None for partition in Partition}) for member in Member}),
        in_hand=Map({member: Map({partition: Set() for partition in Partition}) for member in Member}),
        owing=Set(),
        group=Set(),
        joined=Set(),
        rebalancing=False,
        generation=0,
        offset=Map({p: 0 if has_offsets and (p == oldest or not grows) else None for p in Partition}),
        delayed=Set(),
        present=Set({oldest}) if grows else Set(Partition),
        logs=Map({partition: empty() for partition in Partition}),
        first=Map({partition: 0 for partition in Partition}),
        leader_epoch=Map({partition: 0 for partition in Partition}),
        written_in=Map({partition: Map({entry: 0 for entry in range(entries)}) for partition in Partition}),
        written_at=Map({partition: Map({entry: 0 for entry in range(entries)}) for partition in Partition}),
        position_epoch=Map({member: Map({partition: None for partition in Partition}) for member in Member}),
        offset_epoch=Map({partition: None for partition in Partition}),
        retrying=Set(),
        effects=Map({partition: Map({entry: 0 for entry in range(entries)}) for partition in Partition}),
    )
