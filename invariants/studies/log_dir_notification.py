"""What must hold of `/log_dir_event_notification`, and what must be possible."""

from __future__ import annotations

from ...language import Set, invariant, reachable, transition
from ...model.parts.zookeeper import Session, is_alive
from ...model.studies.log_dir_notification import Broker, Cluster, Copy, Task


@invariant
def type_ok(s: Cluster) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def unique_ephemeral(s: Cluster) -> bool:
    """Z1: the owner of /controller has a session that the ensemble keeps."""
    return s.controller is None or is_alive(s.session[s.controller])


def rests(s: Cluster, broker: Broker) -> bool:
    """Whether a broker is the controller, waits, and has nothing to hear, from ZooKeeper or from brokers."""
    waits = s.controller == broker and s.task[broker] == Task.WATCH
    return waits and broker not in s.news and len(s.asked[broker]) == 0


@invariant
def no_failure_is_missed(s: Cluster) -> bool:
    """A controller that waits, with nothing to hear, knows every copy to be offline of which there was a notification.

    Else the partition may have a leader without its copy until somebody restarts it.
    """
    lost = Set(broker for broker in Broker if s.copy[broker] == Copy.OFFLINE and broker not in s.untold)
    return all(not rests(s, broker) or lost <= s.offline[broker] for broker in Broker)


@invariant
def no_notification_is_left(s: Cluster) -> bool:
    """A controller that waits, with nothing to hear, has left no notification."""
    return all(not rests(s, broker) or len(s.notes) == 0 for broker in Broker)


@invariant
def no_empty_log_leads(s: Cluster) -> bool:
    """Nobody leads with an empty log in place of the copy that it lost."""
    return s.leader is None or s.copy[s.leader] != Copy.EMPTY


@transition
def a_copy_that_is_known_to_be_offline_is_not_elected(before: Cluster, after: Cluster) -> bool:
    """Who is made the leader has a copy as far as the controller knows."""
    chosen = after.leader
    return (
        chosen is None
        or chosen == before.leader
        or all(before.controller != broker or chosen not in before.offline[broker] for broker in Broker)
    )


@transition
def watch_one_shot(before: Cluster, after: Cluster) -> bool:
    """Z7: whoever is to hear news watches no longer, unless it sets its watch again."""
    return all(node in before.news or node not in after.news or node not in after.watchers for node in Broker)


@reachable
def leads_without_its_copy(s: Cluster) -> bool:
    """The leader has lost its copy, and the controller has not heard so yet: nothing is read or written."""
    return s.leader is not None and s.copy[s.leader] == Copy.OFFLINE and s.controller is not None


@reachable
def another_leads_after_a_failure(s: Cluster) -> bool:
    """A directory has failed, and one with a whole copy leads by the controller's choice."""
    lost = any(s.copy[broker] == Copy.OFFLINE for broker in Broker)
    knows = any(s.controller == broker and len(s.offline[broker]) > 0 for broker in Broker)
    return lost and knows and s.leader is not None and s.copy[s.leader] == Copy.WHOLE


@reachable
def nobody_leads(s: Cluster) -> bool:
    """Every copy is offline, and nobody leads."""
    return s.leader is None


@reachable
def a_new_controller_finds_a_notification(s: Cluster) -> bool:
    """There is a notification that a new controller finds, since the one before has lost its session."""
    zombie = any(s.session[node] == Session.EXPIRED and s.task[node] != Task.NONE for node in Broker)
    return zombie and len(s.notes) > 0 and any(s.task[node] == Task.LIST_OLD for node in Broker)
