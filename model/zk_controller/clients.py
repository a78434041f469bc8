"""What brokers answer clients, and a client that writes to whom its metadata names.

A client asks any broker for metadata. What that one says is what the last UpdateMetadata that it obeyed has said, so
it may be behind. A write to a broker that does not lead is answered with NOT_LEADER, and the client asks again. A write
with `acks_all` is acknowledged when all of the ISR that the leader knows follow it in its leader epoch, since a leader
of another epoch is fetched from no more (KIP-320); what that does to logs is not said here. Sources: ReplicaManager
(maybeUpdateMetadataCache), MetadataCache, and the clients' Metadata of Kafka 2.6.
"""

from __future__ import annotations

from typing import Annotated

from ...language import Member, action, replace, require
from ..parts.zookeeper import is_alive
from .lumping import settle
from .state import (
    Answer,
    Broker,
    Cluster,
    UpdateMetadata,
    acks_all,
    broker_fence,
    client_epochs,
    leads,
    updates,
    writes,
)

# --- metadata ---------------------------------------------------------------------------------------------------------


def leaves(s: Cluster, request: UpdateMetadata, to: Broker) -> None:
    """A request is no longer under way to one of those that it is sent to."""
    s.updating.remove(request)
    if len(request.to) > 1:
        s.updating.add(replace(request, to=request.to - {to}))


@action
def update_metadata(s: Cluster, request: Annotated[UpdateMetadata, Member("updating")], to: Broker) -> None:
    """{to} answers clients now that {request.metadata.leader} leads in leader epoch {request.metadata.leader_epoch}."""
    require(updates > 0 and to in request.to)
    require(not broker_fence or request.controller_epoch >= s.seen[to])
    leaves(s, request, to)
    s.seen[to] = request.controller_epoch
    s.cached[to] = request.metadata
    settle(s)


@action
def refuse_metadata(s: Cluster, request: Annotated[UpdateMetadata, Member("updating")], to: Broker) -> None:
    """{to} refuses metadata of controller epoch {request.controller_epoch}, or they never reach it."""
    require(updates > 0 and to in request.to)
    require((broker_fence and request.controller_epoch < s.seen[to]) or not is_alive(s.session[to]))
    leaves(s, request, to)


# --- the client -------------------------------------------------------------------------------------------------------


@action(kind="client")
def ask_for_metadata(s: Cluster, broker: Broker) -> None:
    """The client asks {broker} who leads: {s.cached[broker].leader} in leader epoch {s.cached[broker].leader_epoch}."""
    require(writes > 0 and s.answer != Answer.ACKNOWLEDGED)
    require(not client_epochs or s.cached[broker].leader_epoch >= s.client.leader_epoch)
    s.client = s.cached[broker]
    s.answer = Answer.NONE


@action(kind="client")
def write(s: Cluster, broker: Broker) -> None:
    """The client writes to {broker}, the leader of epoch {s.known[broker].leader_epoch}, and is acknowledged."""
    require(writes > 0 and s.answer == Answer.NONE and s.client.leader == broker and leads(s, broker))
    require(not acks_all or all(follows(s, node, broker) for node in s.known[broker].isr))
    s.answer = Answer.ACKNOWLEDGED


def follows(s: Cluster, broker: Broker, leader: Broker) -> bool:
    """Whether a broker, or the leader itself, has what is written to that leader in its leader epoch."""
    return s.running[broker] and s.known[broker].leader_epoch == s.known[leader].leader_epoch


@action(kind="client")
def turn_away(s: Cluster, broker: Broker) -> None:
    """The client writes to {broker}, which does not lead: NOT_LEADER."""
    require(writes > 0 and s.answer == Answer.NONE and s.client.leader == broker and not leads(s, broker))
    s.answer = Answer.NOT_LEADER
