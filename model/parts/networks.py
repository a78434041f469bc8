"""A network: a bag of messages in flight. They arrive in any order, and any may be lost or arrive twice.

`room` is how many messages may be in flight at once: a bound of the search, not of the protocol.
"""

from __future__ import annotations

from typing import TypeVar

from ...language import Bag, limit

M = TypeVar("M")


def send(network: Bag[M], message: M, room: int) -> None:
    """A message is on its way."""
    limit(len(network) < room)
    network.add(message)


def send_once(network: Bag[M], message: M, room: int) -> None:
    """A message is on its way; while it is, the same one is not sent again."""
    limit(len(network) < room and message not in network)
    network.add(message)


def deliver(network: Bag[M], message: M) -> None:
    """A message arrives."""
    network.remove(message)


def lose(network: Bag[M], message: M) -> None:
    """A message never arrives."""
    network.remove(message)


def duplicate(network: Bag[M], message: M, room: int) -> None:
    """A message will arrive once more."""
    limit(len(network) < room)
    network.add(message)
