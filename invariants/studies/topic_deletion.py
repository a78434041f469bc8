"""What must hold of a name under which a topic was deleted, and what must happen in the end."""

from __future__ import annotations

from ...language import invariant, leads_to, limits_of, reachable, weak
from ...model.studies.topic_deletion import *

_BROKERS = (weak(delete_replica, each="broker"), weak(make_replica, each="broker"), weak(complete_deletion))
_DELETIONS = (limits_of(delete_topic),)
_RETURNS = (weak(start_broker, each="broker"),)


@invariant
def type_ok(s: Topic) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def old_records_stay_deleted(s: Topic) -> bool:
    """KIP-516: no replica of a topic has records of one that was deleted."""
    return all(s.replica[broker] is None or s.log[broker] == s.replica[broker] for broker in Broker)


def lacks_replica(s: Topic, broker: Broker) -> bool:
    """Whether a broker that is up has no replica of the topic that there is."""
    return broker in s.up and has_topic(s) and s.replica[broker] != s.last


def has_what_it_should(s: Topic, broker: Broker) -> bool:
    """Whether a broker is down, or has a replica of the topic that there is."""
    return not lacks_replica(s, broker)


@leads_to(has_what_it_should, *_BROKERS, *_DELETIONS)
def replicas_are_made(s: Topic, broker: Broker) -> bool:
    """KAFKA-14616: a broker that stays up comes to have a replica of the topic that is made again."""
    return lacks_replica(s, broker)


def is_not_marked(s: Topic) -> bool:
    """Whether no topic is to be deleted."""
    return not s.marked


@leads_to(is_not_marked, *_BROKERS, *_RETURNS, *_DELETIONS)
def deletion_completes(s: Topic) -> bool:
    """A topic that is deleted is gone in the end, where each broker that is down comes back."""
    return s.marked


@leads_to(is_not_marked, *_BROKERS, *_DELETIONS)
def deletion_completes_without_return(s: Topic) -> bool:
    """The same without what it needs with ZooKeeper: a broker that is down may stay so."""
    return s.marked


def has_stray_log(s: Topic, broker: Broker) -> bool:
    """Whether a broker's disk has the log of a topic that is deleted."""
    return s.log[broker] is not None and is_gone(s, broker)


def has_no_stray_log(s: Topic, broker: Broker) -> bool:
    """Whether it has none."""
    return not has_stray_log(s, broker)


@leads_to(has_no_stray_log, *_BROKERS, *_RETURNS, *_DELETIONS)
def stray_logs_go(s: Topic, broker: Broker) -> bool:
    """What is left of a topic that was deleted goes, where each broker that is down comes back."""
    return has_stray_log(s, broker)


@reachable
def a_broker_starts_over_an_old_log(s: Topic) -> bool:
    """There is a new topic, and a broker that is down has the log of the old one."""
    return has_topic(s) and any(broker not in s.up and has_stray_log(s, broker) for broker in Broker)
