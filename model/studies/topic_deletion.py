"""A topic that is deleted while a broker is down, and made again under the same name: what the broker's disk still has.

A replica's directory is named after its topic, and a topic that is made again has the same name. What is in the
directory is of the topic before.

* With ZooKeeper (`waits_for_replicas`) a topic is gone once every replica has said that its log is deleted. A broker
  that is down has not, and the topic stays as it is, marked for deletion, and its name taken, until the broker is
  back (TopicDeletionManager, 3.1 and 6). Who does not want to wait for a broker that never comes back removes the
  topic's znodes by hand (`remove_znodes`), and the broker comes back all the same.
* With KRaft a topic is gone with its record, and its name is free at once. A broker that was down deletes logs that
  are of no topic's id when it starts. Up to 3.6 it did so after it had made its replicas (`strays_first` off,
  KAFKA-14616, 3.7.0): the replica of the new topic finds the log of the old one, fails, and is not tried again until
  the broker starts once more, or the topic is made once more.
* `topic_ids` (KIP-516): a log has its topic's id, and a replica is not made over the log of another one. Up to 2.8,
  which compares ids in memory alone, it takes what is there: records of the deleted topic come back.

What is abstracted away. One partition, of which every broker has a replica; a log is the id of the topic whose records
it has. A broker that is up acts on the newest metadata alone, and not on each change in turn. Deleting a log is one
step, where Kafka renames its directory and deletes it a minute later. Nobody replicates: a new replica that has old
records would truncate what its leader does not have, and lead with them if it is elected first. With ZooKeeper the
state of a deletion is in the controller's memory, and is made anew by the next controller; that is one step here.

Sources: TopicDeletionManager (2.7.0), Partition.checkOrSetTopicId (2.8.0), LogManager.getOrCreateLog (3.0.0:
InconsistentTopicIdException), ReplicaManager.getOrCreatePartition and stopPartitions (3.6.0), BrokerMetadataPublisher
(finishInitializingReplicaManager of 3.6.0, initializeManagers of 3.7.0), LogManager.deleteStrayKRaftReplicas (3.7.0).
Properties are in `invariants/studies/topic_deletion.py`.
"""

from __future__ import annotations

from typing import Annotated

from ...language import *

brokers = constant(2, minimum=1, maximum=3, says="brokers, each with a replica of the topic")
deletions = constant(1, minimum=0, maximum=2, says="times that the topic is deleted")
stops = constant(2, minimum=0, maximum=3, says="brokers that stop")
removals = constant(0, minimum=0, maximum=1, says="times that somebody removes the topic's znodes by hand")
waits_for_replicas = constant(False, says="ZooKeeper: a topic is gone once every replica is deleted")
topic_ids = constant(True, says="KIP-516: no replica is made over the log of another topic of the same name")
strays_first = constant(True, says="KAFKA-14616: a broker deletes logs of no topic before it makes its replicas")

profiles = {
    "kafka_3_7": {},
    "kafka_14616": {"strays_first": False},
    "zookeeper": {"waits_for_replicas": True},
    "zookeeper_2_8": {"waits_for_replicas": True, "topic_ids": False},
}


class Broker(Domain, size=brokers, symmetric=True):
    """A broker."""


Id = Annotated[int, Range(0, deletions)]


@state
class Topic:
    """The topics of one name: the one that there is, what brokers serve, and what they have on disk."""

    last: Id  # the id of the newest topic of that name
    exists: bool  # whether there is one
    marked: bool  # ZooKeeper: it is marked for deletion
    up: Set[Broker]  # brokers that are up
    log: Map[Broker, Option[Id]]  # the topic whose records each has on disk, under that name
    replica: Map[Broker, Option[Id]]  # the topic whose replica each serves
    tried: Map[Broker, Option[Id]]  # the topic whose replica each has tried to make since it started


view = GroupLanes(
    lane=Broker,
    state="'up' if lane in s.up else 'down'",
    generation="replica",
    badges={"log of topic": "log"},
    board={"exists": "exists", "topic id": "last", "marked for deletion": "marked"},
)


@initial
def start() -> Topic:
    """There is a topic, and every broker has its replica."""
    return Topic(
        last=0,
        exists=True,
        marked=False,
        up=Set(Broker),
        log=Map({broker: 0 for broker in Broker}),
        replica=Map({broker: 0 for broker in Broker}),
        tried=Map({broker: 0 for broker in Broker}),
    )


# --- the topic --------------------------------------------------------------------------------------------------------


@action(kind="client", budget="deletions")
def delete_topic(s: Topic) -> None:
    """Somebody deletes the topic: with ZooKeeper it is marked, with KRaft it is gone."""
    require(s.exists and not s.marked)
    if waits_for_replicas:
        s.marked = True
    else:
        s.exists = False


@action
def complete_deletion(s: Topic) -> None:
    """All replicas are deleted, and the controller removes the topic."""
    require(s.marked and all(s.log[broker] is None for broker in Broker))
    s.marked = False
    s.exists = False


@action(kind="fault", budget="removals")
def remove_znodes(s: Topic) -> None:
    """Somebody removes the topic's znodes by hand, since only brokers that are down are left to delete it."""
    require(s.marked and all(s.log[broker] is None for broker in s.up))
    s.marked = False
    s.exists = False


@action(kind="client")
def create_topic(s: Topic) -> None:
    """A topic of that name is made, with id {s.last + 1}."""
    require(not s.exists)
    limit(s.last < deletions)
    s.exists = True
    s.last += 1


# --- brokers ----------------------------------------------------------------------------------------------------------


@action
def delete_replica(s: Topic, broker: Broker) -> None:
    """{broker} deletes its log of topic {s.log[broker]}."""
    require(broker in s.up and s.log[broker] is not None)
    require(s.marked if waits_for_replicas else s.replica[broker] is not None and is_gone(s, broker))
    s.log[broker] = None
    s.replica[broker] = None


def is_gone(s: Topic, broker: Broker) -> bool:
    """Whether a broker's log is of a topic that is deleted."""
    return not s.exists or s.log[broker] != s.last


@action
def make_replica(s: Topic, broker: Broker) -> None:
    """{broker} learns of topic {s.last}, and makes its replica."""
    require(broker in s.up and s.replica[broker] is None and has_topic(s) and s.tried[broker] != s.last)
    make(s, broker)


def has_topic(s: Topic) -> bool:
    """Whether there is a topic, which is not to be deleted."""
    return s.exists and not s.marked


def make(s: Topic, broker: Broker) -> None:
    """A replica is made over what is on the broker's disk, if that may be."""
    s.tried[broker] = s.last
    if s.log[broker] is None:
        s.log[broker] = s.last
    if s.log[broker] == s.last or not topic_ids:
        s.replica[broker] = s.last


@action(kind="fault", budget="stops")
def stop(s: Topic, broker: Broker) -> None:
    """{broker} stops."""
    require(broker in s.up)
    s.up.remove(broker)
    s.replica[broker] = None
    s.tried[broker] = None


@action
def start_broker(s: Topic, broker: Broker) -> None:
    """{broker} starts, with the log of topic {s.log[broker]} on its disk."""
    require(broker not in s.up)
    s.up.add(broker)
    if not waits_for_replicas:
        if strays_first:
            delete_stray(s, broker)
        if has_topic(s):
            make(s, broker)
        delete_stray(s, broker)


def delete_stray(s: Topic, broker: Broker) -> None:
    """With KRaft a broker that starts deletes a log that is of no topic's id."""
    if is_gone(s, broker):
        s.log[broker] = None
