"""ZooKeeper as its clients see it: sessions that expire before their clients learn of it, and watches that fire once.

A session is kept by the ensemble. A client that cannot reach the ensemble knows neither whether its session has expired
nor who took its place: between the expiry and the moment in which the client learns of it, what the client does is done
by a *zombie*. The source is the ZooKeeper programmer's guide, the chapters on sessions, watches and guarantees.

What goes without saying in a model that holds these parts: a znode is a field, a write to it is one step, a `multi` is
several writes in one step, and an ephemeral znode goes in the step in which the session of its owner ends. Nothing is
written, and no session expires, while the ensemble has no majority.
"""

from __future__ import annotations

from enum import Enum
from typing import TypeVar

from ...language import Map, Set, require

K = TypeVar("K")
P = TypeVar("P")


class Session(Enum):
    """How it is with a client's session."""

    CONNECTED = "connected"
    CUT_OFF = "cut off"  # the client does not reach the ensemble, which keeps the session
    EXPIRED = "expired"  # the ensemble has ended it, and the client does not know
    OVER = "over"  # the client knows that it has none


def is_alive(session: Session) -> bool:
    """Whether the ensemble keeps the session, and with it the ephemeral znodes of the client."""
    return session in (Session.CONNECTED, Session.CUT_OFF)


def is_served(session: Session, majority: bool) -> bool:
    """Whether a request of the client is served: it reaches the ensemble, and that has its majority."""
    return majority and session == Session.CONNECTED


def cut_off(sessions: Map[K, Session], client: K) -> None:
    """A client does not reach the ensemble any more: a network that fails, a long pause."""
    require(sessions[client] == Session.CONNECTED)
    sessions[client] = Session.CUT_OFF


def reconnect(sessions: Map[K, Session], client: K) -> None:
    """A client reaches the ensemble again, in time: its session goes on."""
    require(sessions[client] == Session.CUT_OFF)
    sessions[client] = Session.CONNECTED


def expire(sessions: Map[K, Session], client: K) -> None:
    """The ensemble ends the session of a client that it has not heard for the session's timeout."""
    require(sessions[client] == Session.CUT_OFF)
    sessions[client] = Session.EXPIRED


def learn_of_expiry(sessions: Map[K, Session], client: K) -> None:
    """A client reaches the ensemble again, too late, and learns that its session has expired."""
    require(sessions[client] == Session.EXPIRED)
    sessions[client] = Session.OVER


def fire(watches: Set[P], news: Set[P], one: P, once: bool) -> None:
    """A znode changes: a client that watches it will hear so. A watch fires once, and is gone, unless it is one of the
    persistent watches that ZooKeeper has since 3.6 (ZOOKEEPER-1416).

    `watches` and `news` are the znodes that one client watches and is to hear of, or the clients that watch one znode.
    """
    if one in watches:
        news.add(one)
        if once:
            watches.remove(one)
