"""What must happen in a group of KIP-848: once nothing perturbs it, it converges.

The published module has this as EventuallyConverges, with weak fairness of each kind of step of each client. Here what
answers a client's heartbeat is one kind, and so is what the client does with an answer.
"""

from __future__ import annotations

from ....language import leads_to, limits_of, reachable, weak
from ....model.studies import consumer_group_published
from ....model.studies.consumer_group_published import protocol, topic_without_subscriber
from ....model.studies.consumer_group_published.state import Client, Group, is_converged

modules = (*consumer_group_published.modules, consumer_group_published)
profiles = consumer_group_published.profiles
view = consumer_group_published.view

_HEARTBEATS = (weak(protocol.send_heartbeat, each="client"),)
_ANSWERS = (
    weak(
        protocol.refuse_unknown,
        protocol.fence,
        protocol.receive_leave,
        protocol.receive_heartbeat,
        protocol.receive_heartbeat_and_assign,
        each="client",
    ),
    weak(protocol.receive_answer, protocol.receive_refusal, each="client"),
)
_CLIENTS = (weak(protocol.complete_reconciliation, each="client"), weak(protocol.complete_leave, each="client"))
_LEAVES = (limits_of(protocol.start_to_leave),)
_EXPIRES = (weak(protocol.dead_member_expires, each="member"),)


def has_not_converged(s: Group) -> bool:
    """Whether a client or a member has yet to come to what the target says."""
    return not is_converged(s)


def has_come_to_rest(s: Group) -> bool:
    """Whether all have what the target says, or there is none: to some topic nobody subscribes any more."""
    return is_converged(s) or topic_without_subscriber(s)


@leads_to(has_come_to_rest, *_HEARTBEATS, *_ANSWERS, *_CLIENTS, *_EXPIRES, *_LEAVES)
def converges(s: Group) -> bool:
    """GL1: a group that nothing perturbs any more converges: all own what the target says (EventuallyConverges).

    Where nobody subscribes to a topic any more there is no target in the module, and the group waits for a subscriber.
    """
    return has_not_converged(s)


@leads_to(has_come_to_rest, *_HEARTBEATS, *_ANSWERS, *_CLIENTS)
def converges_though_none_expires(s: Group) -> bool:
    """GL1 without what it needs: the session of a member whose client is another member by now never ends."""
    return has_not_converged(s)


@leads_to(has_come_to_rest, *_HEARTBEATS, *_ANSWERS, *_EXPIRES)
def converges_though_clients_keep_partitions(s: Group) -> bool:
    """GL1 without what it needs: a client never gives up what it should."""
    return has_not_converged(s)


@reachable
def is_perturbed_when_converged(s: Group) -> bool:
    """What `converges` begins with: somebody has left or crashed, and what the others own is not the target yet."""
    return s.perturbed > 0 and not is_converged(s) and any(len(s.clients[c].owned) > 0 for c in Client)
