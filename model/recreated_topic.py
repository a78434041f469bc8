"""A topic that is deleted and made again under the same name, and a consumer that goes on (KAFKA-12257).

A consumer asks any broker for metadata, and remembers of each partition, by its name, the newest leader epoch that it
has heard of: an answer with an older one is of before, and counts for nothing (KIP-320). A topic that is made again
begins with epoch 0. Every answer about it then looks old: the consumer goes on asking the leader of before in an epoch
that there is no longer, is refused with UNKNOWN_LEADER_EPOCH or NOT_LEADER_OR_FOLLOWER, asks for metadata, and ignores
the answer, until the new topic has had as many elections.

* `heed_topic_id`: an answer with another topic id (KIP-516) than the one before counts, whatever its epoch
  (KAFKA-12257; 2.8.2, 3.0.0, 3.1.0), and since 3.1 a fetch names the id (UNKNOWN_TOPIC_ID). `kafka_2_8` is without it.
* `heed_first_id`: so does one with an id where the consumer has none, since it has heard in between that there is no
  such topic (KAFKA-13488; 2.8.2, 3.0.1, 3.1.0). `forgets_id` is without it, as 3.0.0 is.
* `order_by_epoch`: an answer with an older epoch of the same topic does not count. `any_answer` is without it.
* `restart_with_topic`: a position belongs to a topic id, and with another one the consumer begins where its policy
  says. No Kafka has that, up to the trunk of October 2024: a position is an offset, and the epoch of the record before
  it. That epoch is compared with the new topic's log (OffsetsForLeaderEpoch) when leader or epoch are others than
  before, and shows only some of what has changed: where both topics had few elections, the consumer goes on in the
  middle of the new one and skips what is before. `restarts` has it.

Who ends a position goes by how the consumer has its partition (`membership`):

* `CLASSIC`, `subscribe` with the classic protocol: its own metadata. Who learns that there is no such topic joins
  again, is assigned none, and begins anew when there is one: the coordinator has removed its offsets. Who does not
  learn it keeps the position, since assignments name topics.
* `CONSUMER`, `subscribe` with KIP-848 (`kip_848`): the coordinator, whose assignments name topic ids. It takes the
  partition of the old topic from the consumer before it gives it that of the new one (`give_up`,
  `receive_assignment`), whatever the consumer has heard. The consumer's own position is one of a name, so that it may
  read the new topic with it until then. With `auto_commit` it commits that position before it gives the partition up,
  and a commit names the topic alone: a new topic takes it, and the consumer begins there (`kip_848_commits`).
* `NONE`, `assign` (`assign`): nobody. The position stays, also where the consumer has heard that there is no such
  topic. It goes on to ask the leader that it knew, then without a topic id, which is answered by the name.

What is abstracted away. One partition, one consumer, with `auto.offset.reset=earliest`. An answer may be older than the
newest, but is never about a topic that is deleted. A classic consumer that learns of the deletion joins again in that
step; with `enable.auto.commit` it commits before, which is refused unless the topic has been made again by then: that
is not here. There are no replicas and no truncation: a leader has the whole log. A request that is refused is no step.

Sources: Metadata.updateLatestMetadata of the clients 3.0.0, 3.0.1, of October 2024 and 4.1.0; SubscriptionState
(maybeValidatePosition, maybeCompleteValidation); AbstractFetch (prepareFetchRequests) and FetchSessionHandler of 3.9
and 4.1.0; AbstractMembershipManager (maybeReconcile) and CommitRequestManager of 4.1.0; CurrentAssignmentBuilder and
OffsetMetadataManager.onPartitionsDeleted of the coordinator 4.1.0, GroupCoordinator.handleDeletedPartitions before;
Partition.checkCurrentLeaderEpoch and LeaderEpochFileCache of 3.0. Properties are in
`invariants/recreated_topic.py`.
"""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ..language import Domain, GroupLanes, Map, Option, Range, action, constant, ghosts, initial, limit, require, state


class Membership(Enum):
    """How the consumer has its partition."""

    CLASSIC = "classic"  # subscribe(), group.protocol=classic
    CONSUMER = "consumer"  # subscribe(), group.protocol=consumer (KIP-848)
    NONE = "none"  # assign()


brokers = constant(2, minimum=1, maximum=3, says="brokers that may lead the partition")
records = constant(2, minimum=1, maximum=4, says="records of each topic of the name")
max_epoch = constant(1, minimum=0, maximum=3, says="the last leader epoch of each topic")
recreations = constant(1, minimum=0, maximum=2, says="times that the topic is deleted and made again")
heed_topic_id = constant(True, says="KAFKA-12257: metadata with another topic id than before count, whatever the epoch")
heed_first_id = constant(True, says="KAFKA-13488: and metadata with a topic id where none was known")
order_by_epoch = constant(True, says="KIP-320: metadata of an older leader epoch of the same topic do not count")
restart_with_topic = constant(False, says="with another topic id the consumer begins anew (in no Kafka)")
membership = constant(Membership.CLASSIC, says="how the consumer has its partition")
auto_commit = constant(False, says="KIP-848: the position is committed before the partition is given up")

profiles = {
    "kafka_3_1": {},
    "kafka_2_8": {"heed_topic_id": False},
    "forgets_id": {"heed_first_id": False},
    "any_answer": {"order_by_epoch": False},
    "restarts": {"restart_with_topic": True},
    "kip_848": {"membership": Membership.CONSUMER},
    "kip_848_commits": {"membership": Membership.CONSUMER, "auto_commit": True},
    "assign": {"membership": Membership.NONE},
}


class Broker(Domain, size=brokers, symmetric=True):
    """A broker."""


Epoch = Annotated[int, Range(0, max_epoch)]
Offset = Annotated[int, Range(0, records)]
Id = Annotated[int, Range(0, recreations)]


@ghosts
class History:
    """What properties remember of a run; no step depends on it."""

    is_newest: bool  # whether its last answer was the newest there is
    read: Offset  # the first record of this topic that it has not read
    skipped: bool  # it has read a record of a topic, and not one before it


@state
class Topic(History):
    """The topic of that name that there is, and what the consumer knows of it."""

    exists: bool  # whether there is one
    topic: Id  # its id, or that of the last one
    epoch: Epoch  # its leader epoch
    leaders: Map[Epoch, Broker]  # who was elected in each
    starts: Map[Epoch, Offset]  # the first offset of each
    end: Offset  # the end of its log
    seen_topic: Option[Id]  # the id that the consumer has heard of last; None: there is no such topic
    seen_epoch: Option[Epoch]  # the newest leader epoch that it takes for this name's
    seen_leader: Option[Broker]  # whom it asks
    position: Offset  # the offset that it fetches next
    read_epoch: Option[Epoch]  # the epoch of the record before it, as it was read; None: it began there
    validated: bool  # whether its position was compared with the leader's log
    assigned: Option[Id]  # KIP-848: the topic id of the partition that it has; None: it has none
    committed: Offset  # the offset that the coordinator has of it; 0: none
    committed_epoch: Option[Epoch]  # the epoch that was committed with it


view = GroupLanes(
    lane="consumer",
    state="'valid' if s.validated else 'to validate'",
    generation="seen_epoch",
    badges={
        "topic id": "seen_topic",
        "leader": "seen_leader",
        "position": "position",
        "read in epoch": "read_epoch",
        "assigned": "assigned",
        "committed": "committed",
    },
    board={"exists": "exists", "topic id": "topic", "leader": "s.leaders[s.epoch]", "epoch": "epoch", "log end": "end"},
)


@initial
def start(leader: Broker) -> Topic:
    """{leader} leads a topic without records, of which the consumer knows nothing."""
    return Topic(
        exists=True,
        topic=0,
        epoch=0,
        leaders=Map({epoch: leader for epoch in range(max_epoch + 1)}),
        starts=Map({epoch: 0 for epoch in range(max_epoch + 1)}),
        end=0,
        seen_topic=None,
        seen_epoch=None,
        seen_leader=None,
        position=0,
        read_epoch=None,
        validated=True,
        assigned=None,
        committed=0,
        committed_epoch=None,
    )


# --- the topic --------------------------------------------------------------------------------------------------------


@action(kind="client")
def produce(s: Topic) -> None:
    """Record {s.end} is produced."""
    require(s.exists)
    limit(s.end < records)
    s.end += 1


@action
def elect(s: Topic, leader: Broker) -> None:
    """{leader} is elected leader of the partition, in epoch {s.epoch + 1}."""
    require(s.exists and leader != s.leaders[s.epoch])
    limit(s.epoch < max_epoch)
    s.epoch += 1
    s.leaders[s.epoch] = leader
    s.starts[s.epoch] = s.end
    s.is_newest = False


@action(kind="fault", budget="recreations")
def delete_topic(s: Topic) -> None:
    """Topic {s.topic} is deleted."""
    require(s.exists and recreations > 0)
    s.exists = False
    s.is_newest = False
    s.committed = 0
    s.committed_epoch = None


@action
def create_topic(s: Topic, leader: Broker) -> None:
    """A topic of the same name is made, with id {s.topic + 1}, and {leader} leads it in epoch 0."""
    require(not s.exists)
    s.exists = True
    s.topic += 1
    s.epoch = 0
    s.leaders = Map({epoch: leader for epoch in range(max_epoch + 1)})
    s.starts = Map({epoch: 0 for epoch in range(max_epoch + 1)})
    s.end = 0
    s.read = 0


# --- the consumer's metadata ------------------------------------------------------------------------------------------


def is_other(s: Topic) -> bool:
    """Whether metadata of the topic that there is have an id that is not the one of before."""
    return s.seen_topic != s.topic and (heed_first_id or s.seen_topic is not None)


def is_taken(s: Topic, epoch: Epoch) -> bool:
    """Whether the consumer takes an answer about an epoch of the topic that there is."""
    seen = s.seen_epoch
    return seen is None or not order_by_epoch or epoch >= seen or (heed_topic_id and is_other(s))


@action
def refresh_metadata(s: Topic, epoch: Epoch) -> None:
    """The consumer learns of topic {s.topic}: {s.leaders[epoch]} leads it in epoch {epoch}."""
    require(s.exists and epoch <= s.epoch)
    if is_taken(s, epoch):
        if s.seen_leader != s.leaders[epoch] or s.seen_epoch != epoch:
            s.validated = s.read_epoch is None
        s.seen_epoch = epoch
        s.seen_leader = s.leaders[epoch]
    if restart_with_topic and s.seen_topic != s.topic:
        begin_anew(s)
    s.seen_topic = s.topic
    s.is_newest = epoch == s.epoch


@action
def hear_of_deletion(s: Topic) -> None:
    """The consumer learns that there is no such topic; the leader epoch it remembers."""
    require(not s.exists and s.seen_topic is not None)
    s.seen_topic = None
    if membership == Membership.CLASSIC:
        s.seen_leader = None
        begin_anew(s)


def begin_anew(s: Topic) -> None:
    """The consumer begins where `auto.offset.reset` says: with the first record."""
    s.position = 0
    s.read_epoch = None
    s.validated = True


# --- the assignment by topic id, of KIP-848 ---------------------------------------------------------------------------


@action
def give_up(s: Topic) -> None:
    """The coordinator knows that topic {s.assigned} is gone, and the consumer gives up its partition."""
    require(membership == Membership.CONSUMER and s.assigned is not None and (s.assigned != s.topic or not s.exists))
    if auto_commit and s.exists:
        s.committed = s.position
        s.committed_epoch = s.read_epoch
    s.assigned = None
    begin_anew(s)


@action
def receive_assignment(s: Topic) -> None:
    """The consumer takes on the partition of topic {s.topic}, and begins with offset {s.committed}.

    It has to know the name that the id stands for, from its own metadata.
    """
    require(membership == Membership.CONSUMER and s.exists and s.assigned is None and s.seen_topic == s.topic)
    s.assigned = s.topic
    s.position = s.committed
    s.read_epoch = s.committed_epoch
    s.validated = s.committed_epoch is None


def has_partition(s: Topic) -> bool:
    """Whether the consumer has the partition, whatever the topic was when it took it on."""
    return membership != Membership.CONSUMER or s.assigned is not None


def names_topic(s: Topic) -> bool:
    """Whether a fetch is about the topic that there is: it has its id, or none, and then the name counts."""
    return not heed_topic_id or s.seen_topic is None or s.seen_topic == s.topic


# --- the consumer's position ------------------------------------------------------------------------------------------


def is_answered(s: Topic) -> bool:
    """Whether whom the consumer asks is the leader, in the epoch that the consumer names."""
    return s.exists and s.seen_leader == s.leaders[s.epoch] and s.seen_epoch == s.epoch


@action
def validate(s: Topic) -> None:
    """The consumer compares its position, {s.position}, with the leader's log."""
    epoch = s.read_epoch
    require(has_partition(s) and is_answered(s) and not s.validated and epoch is not None)
    s.validated = True
    if epoch is not None:
        if epoch > s.epoch:
            begin_anew(s)
        else:
            s.position = min(s.position, s.end if epoch == s.epoch else s.starts[epoch + 1])


@action(kind="client")
def fetch(s: Topic) -> None:
    """The consumer reads record {s.position} of topic {s.topic}."""
    require(has_partition(s) and names_topic(s))
    require(is_answered(s) and s.validated and s.position < s.end)
    s.skipped = s.skipped or s.position > s.read
    if s.position == s.read:
        s.read += 1
    s.read_epoch = epoch_of(s, s.position)
    s.position += 1


def epoch_of(s: Topic, offset: Offset) -> Epoch:
    """The leader epoch in which the record at an offset was written."""
    return sum(1 for epoch in range(1, max_epoch + 1) if epoch <= s.epoch and s.starts[epoch] <= offset)


@action
def leave_range(s: Topic) -> None:
    """The consumer's position, {s.position}, is beyond the log's end (OFFSET_OUT_OF_RANGE): it begins anew."""
    require(has_partition(s) and is_answered(s) and s.validated and s.position > s.end)
    begin_anew(s)
