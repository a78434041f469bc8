"""What must hold of `/isr_change_notification`, and what must be possible."""

from __future__ import annotations

from ...language import Set, invariant, reachable, transition
from ...model.parts.zookeeper import Session, is_alive
from ...model.studies.isr_notification import Broker, Directory, Task


@invariant
def type_ok(s: Directory) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def unique_ephemeral(s: Directory) -> bool:
    """Z1: the owner of /controller has a session that the ensemble keeps."""
    return s.controller is None or is_alive(s.session[s.controller])


@invariant
def no_change_is_missed(s: Directory) -> bool:
    """A controller that waits, with nothing to hear, knows the partition as far as its leader has notified of it.

    Else it is behind until somebody changes the ISR again.
    """
    return all(
        s.controller != broker or s.task[broker] != Task.WATCH or broker in s.news or s.known[broker] >= s.noted
        for broker in Broker
    )


@invariant
def no_notification_is_left(s: Directory) -> bool:
    """A controller that waits, with nothing to hear, has left no notification."""
    return all(
        s.controller != broker or s.task[broker] != Task.WATCH or broker in s.news or len(s.notes) == 0
        for broker in Broker
    )


@transition
def watch_one_shot(before: Directory, after: Directory) -> bool:
    """Z7: whoever is to hear news watches no longer, unless it sets its watch again."""
    return all(node in before.news or node not in after.news or node not in after.watchers for node in Broker)


@reachable
def controller_is_behind(s: Directory) -> bool:
    """The watch has fired, and the controller has not heard so yet: it knows an ISR of the past."""
    return any(s.controller == node and node in s.news and s.known[node] < s.noted for node in Broker)


@reachable
def watch_is_lost_with_its_session(s: Directory) -> bool:
    """There is a notification that a new controller finds, since the one before has lost its session."""
    return len(s.notes) > 0 and any(s.task[node] == Task.LIST_OLD for node in Broker) and len(zombies(s)) > 0


def zombies(s: Directory) -> Set[Broker]:
    """Who believes to be the controller, without a session."""
    return Set(node for node in Broker if s.session[node] == Session.EXPIRED and s.task[node] != Task.NONE)


@reachable
def one_list_has_two_notifications(s: Directory) -> bool:
    """Two changes come to one list: the watch fires once for both."""
    return any(len(s.listed[node]) > 1 for node in Broker)
