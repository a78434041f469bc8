"""A group's generations as a component: what members may rely on of their coordinator, whichever protocol it speaks.

A generation gives each partition to one member at most, and a commit counts with the id of a member and the group's
generation. The functions say so of plain values, so that a model keeps them where it likes: `model/generations.py` is
the coordinator alone, with what it promises; the consumer stands on it, and Kafka's classic coordinator is checked to
keep it.
"""

from __future__ import annotations

from typing import Annotated

from ...language import Domain, Map, Range, Set, constant

consumers = constant(2, minimum=1, maximum=4, says="consumers with one group id")
partitions = constant(2, minimum=1, maximum=4, says="partitions of the topic that they consume")
max_generation = constant(2, minimum=1, maximum=12, says="the last generation")


class Consumer(Domain, size=consumers, symmetric=True):
    """A client with the group's id."""


class Partition(Domain, size=partitions, symmetric=True, labels=("P", "Q", "R", "S")):
    """A partition of the topic that the group consumes."""


Generation = Annotated[int, Range(0, max_generation)]
Assignment = Map[Consumer, Set[Partition]]


def is_current(members: Set[Consumer], generation: Generation, member: Consumer, known: Generation) -> bool:
    """Whether a request counts: it is of a member, and says the group's generation."""
    return member in members and known == generation


def may_be_shared(heard: Set[Consumer], owned: Assignment, share: Assignment) -> bool:
    """Whether a generation may give these partitions to those who hear of it, by what each takes for its own: nobody
    else of them is given it, or has it still."""
    return all(
        a == b or (len(share[a] & share[b]) == 0 and len(share[a] & owned[b]) == 0) for a in heard for b in heard
    )
