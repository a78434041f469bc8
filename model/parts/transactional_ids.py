"""Clients with one `transactional.id`, the partitions that they write to, and their transactions by number."""

from __future__ import annotations

from enum import Enum
from typing import Annotated

from ...language import Domain, Range, constant

clients = constant(2, minimum=1, maximum=3, says="producers with one transactional.id")
partitions = constant(2, minimum=1, maximum=3, says="partitions that they write to")
transactions = constant(2, minimum=1, maximum=4, says="transactions that clients begin in all")


class Client(Domain, size=clients, symmetric=True):
    """A producer: one run of a program with that `transactional.id`."""


class Partition(Domain, size=partitions, symmetric=True, labels=("P", "Q", "R")):
    """A partition that transactions write to."""


Txn = Annotated[int, Range(0, transactions)]


class Fate(Enum):
    """What an application knows of a transaction."""

    NONE = "none"  # it did not ask for a commit
    ASKED = "asked"  # it asked for a commit
    CONFIRMED = "confirmed"  # and knows that it is one
