"""What can make no difference any more, and is forgotten with `lumped`.

States that differ only in what nobody will read are one state then, and there are about nine times fewer of them. What
is forgotten, each only with the switches that see to it that nobody reads it:

* A broker without a request that would refuse it, or that would change nothing: what it compares with never goes back.
* What a controller has read that was replaced, but for what it has yet to send: ZooKeeper takes no write of it. Not so
  where it may have a session (`zombies_read`).
* Which ISR a broker knew that does not lead, or that was replaced as a leader: it may change it no more.

Besides, a session is lost in one step, with the connection, and its broker learns so in the step in which it registers
anew; who becomes the controller reads the partition in the same step, since nobody else may write it then.

That nothing is lost is a refinement that is checked: `zk_controller_as_lumped`.
"""

from __future__ import annotations

from ...language import Map, Option, Set, replace
from .state import *


def settle(s: Cluster) -> None:
    """What can make no difference any more is forgotten."""
    if lumped:
        s.requests = requests_that_matter(s)
        s.updating = updates_that_matter(s)
        s.stopping = stops_that_matter(s)
        s.known = what_is_known(s)
        s.owed = what_is_owed(s)
        s.live = who_is_live(s)
        s.back = who_is_back(s)
        s.read = what_is_read(s)


# --- requests ---------------------------------------------------------------------------------------------------------


def refuses(s: Cluster, request: LeaderAndIsr, to: Broker) -> bool:
    """Whether a broker refuses a request as a whole. What it says of an older leader epoch is refused by itself."""
    return broker_fence and request.controller_epoch < s.seen[to]


def changes_nothing(s: Cluster, request: LeaderAndIsr, to: Broker) -> bool:
    """Whether a broker has obeyed the same controller, and knows that leader epoch already, or a newer one."""
    return (
        broker_fence
        and leader_epoch_check
        and request.controller_epoch == s.seen[to]
        and request.partition.leader_epoch <= s.known[to].leader_epoch
    )


def is_idle_request(s: Cluster, request: LeaderAndIsr, to: Broker) -> bool:
    """Whether a LeaderAndIsr can have no effect on a broker any more."""
    return refuses(s, request, to) or changes_nothing(s, request, to)


def is_idle_update(s: Cluster, request: UpdateMetadata, to: Broker) -> bool:
    """Whether a broker refuses these metadata for ever."""
    return broker_fence and request.controller_epoch < s.seen[to]


def is_idle_stop(s: Cluster, request: StopReplica, to: Broker) -> bool:
    """Whether a broker refuses to stop so, for ever."""
    return (broker_fence and request.controller_epoch < s.seen[to]) or (
        stop_epoch and leader_epoch_check and request.leader_epoch < s.known[to].leader_epoch
    )


def requests_that_matter(s: Cluster) -> Set[LeaderAndIsr]:
    """The LeaderAndIsr requests under way that somebody may obey, to those."""
    return Set(
        replace(it, to=Set(node for node in it.to if not is_idle_request(s, it, node)))
        for it in s.requests
        if any(not is_idle_request(s, it, node) for node in it.to)
    )


def updates_that_matter(s: Cluster) -> Set[UpdateMetadata]:
    """The UpdateMetadata requests under way that somebody may obey, to those."""
    return Set(
        replace(it, to=Set(node for node in it.to if not is_idle_update(s, it, node)))
        for it in s.updating
        if any(not is_idle_update(s, it, node) for node in it.to)
    )


def stops_that_matter(s: Cluster) -> Set[StopReplica]:
    """The StopReplica requests under way that somebody may obey, to those."""
    return Set(
        replace(it, to=Set(node for node in it.to if not is_idle_stop(s, it, node)))
        for it in s.stopping
        if any(not is_idle_stop(s, it, node) for node in it.to)
    )


# --- brokers ----------------------------------------------------------------------------------------------------------


def what_is_known(s: Cluster) -> Map[Broker, Partition]:
    """What brokers know of the partition: who leads in which epoch, and which ISR those know who may change it."""
    return Map({node: s.known[node] if may_change_isr(s, node) else leader_alone(s.known[node]) for node in Broker})


def may_change_isr(s: Cluster, broker: Broker) -> bool:
    """Whether anybody may ask a broker for the ISR that it knows: it leads, and was not replaced.

    Who was replaced is refused by a controller that compares versions when it writes. A client's write reads its ISR,
    too, and who is refused for good is known by its version.
    """
    return not sends_on() or (
        s.known[broker].leader == broker
        and (
            not (alter_partition and controller_cas)
            or writes > 0
            or s.known[broker].leader_epoch >= s.partition.leader_epoch
        )
    )


# --- controllers that were replaced -----------------------------------------------------------------------------------


def is_replaced(s: Cluster, broker: Broker) -> bool:
    """Whether a controller was replaced, so that it neither reads nor writes anything any more."""
    return (
        one_multi
        and not zombies_read()
        and epoch_cas
        and write_fence
        and (sends_on() or not alter_partition)
        and s.held[broker] > 0
        and s.held[broker] < s.controller_epoch
    )


def zombies_read() -> bool:
    """Whether a controller that was replaced may have a session, and so read more until it resigns."""
    return deletions > 0 or not resigns_first


def what_is_owed(s: Cluster) -> Map[Broker, Set[Broker]]:
    """Who is to be sent the state by each controller: who was replaced sends it to nobody who has registered anew."""
    return Map({node: s.owed[node] - s.back[node] if is_replaced(s, node) else s.owed[node] for node in Broker})


def who_is_live(s: Cluster) -> Map[Broker, Set[Broker]]:
    """Whom each controller has read to be registered."""
    return Map({node: Set() if is_replaced(s, node) else s.live[node] for node in Broker})


def who_is_back(s: Cluster) -> Map[Broker, Set[Broker]]:
    """Who of these has registered anew."""
    return Map({node: Set() if is_replaced(s, node) else s.back[node] for node in Broker})


def reads_at_once() -> bool:
    """Whether who becomes the controller may as well read the partition in that step: nobody else may write it."""
    return alter_partition and one_multi and not zombies_read() and epoch_cas and write_fence and sends_on()


def has_ended(s: Cluster, broker: Broker) -> bool:
    """Whether a controller was replaced and has nothing to send any more."""
    return is_replaced(s, broker) and len(s.owed[broker] - s.back[broker]) == 0


def what_is_read(s: Cluster) -> Map[Broker, Option[Partition]]:
    """What each controller has read of the partition."""
    return Map({node: None if has_ended(s, node) else s.read[node] for node in Broker})
