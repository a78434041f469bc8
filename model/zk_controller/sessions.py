"""How sessions end and begin, and how the ensemble loses its majority."""

from __future__ import annotations

from ...language import Set, action, replace, require
from ..parts.zookeeper import Session, cut_off, expire, learn_of_expiry, reconnect
from .controller import is_idle, is_over
from .lumping import settle
from .state import Broker, Cluster, broker_epochs, by_session, ends_with_session, lumped, majority_losses, resigns_first

# --- sessions ---------------------------------------------------------------------------------------------------------


@action(kind="fault", budget="cuts")
def lose_connection(s: Cluster, broker: Broker) -> None:
    """{broker} no longer reaches ZooKeeper; its session goes on."""
    require(not lumped)
    cut_off(s.session, broker)
    if not by_session:
        remove_ephemeral_znodes(s, broker)


@action
def connect_again(s: Cluster, broker: Broker) -> None:
    """{broker} reaches ZooKeeper again in time."""
    require(s.majority and not lumped)
    reconnect(s.session, broker)


@action
def end_session(s: Cluster, broker: Broker) -> None:
    """The session of {broker} expires: its ephemeral znodes are removed."""
    require(s.majority and not lumped and ends_with_session)
    expire(s.session, broker)
    remove_ephemeral_znodes(s, broker)


@action
def leave_znodes(s: Cluster, broker: Broker) -> None:
    """The session of {broker} expires, and its ephemeral znodes stay."""
    require(s.majority and not lumped and not ends_with_session)
    expire(s.session, broker)


@action(kind="fault", budget="cuts")
def lose_session(s: Cluster, broker: Broker) -> None:
    """{broker} no longer reaches ZooKeeper, and its session expires."""
    require(lumped and s.majority and s.session[broker] == Session.CONNECTED)
    s.session[broker] = Session.EXPIRED
    if ends_with_session:
        remove_ephemeral_znodes(s, broker)


def remove_ephemeral_znodes(s: Cluster, broker: Broker) -> None:
    """A session has ended: the znodes that it owns are removed."""
    s.registered.discard(broker)
    if s.controller == broker:
        s.controller = None


@action
def learn(s: Cluster, broker: Broker) -> None:
    """{broker} reaches ZooKeeper again and learns that its session has expired."""
    require(s.majority and not lumped)
    learn_of_expiry(s.session, broker)


@action
def register(s: Cluster, broker: Broker) -> None:
    """{broker} registers under a new session."""
    require(s.majority and is_over(s, broker) and (not resigns_first or is_idle(s, broker)))
    s.session[broker] = Session.CONNECTED
    s.registered.add(broker)
    if broker_epochs:
        for node in Broker:
            if broker in s.live[node]:
                s.back[node].add(broker)
            elif lumped:
                s.owed[node].discard(broker)
        s.requests = Set(replace(it, to=it.to - {broker}) for it in s.requests if it.to != {broker})
        s.updating = Set(replace(it, to=it.to - {broker}) for it in s.updating if it.to != {broker})
        s.stopping = Set(replace(it, to=it.to - {broker}) for it in s.stopping if it.to != {broker})
    settle(s)


@action(kind="fault", budget="majority_losses")
def lose_majority(s: Cluster) -> None:
    """The ensemble loses its majority: nothing is written, and no session expires."""
    require(majority_losses > 0 and s.majority)
    s.majority = False


@action
def regain_majority(s: Cluster) -> None:
    """The ensemble has a majority again."""
    require(majority_losses > 0 and not s.majority)
    s.majority = True
