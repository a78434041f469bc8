"""What the driver of `transactions` asks of brokers, and what is to be seen of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ....language.immutable import immutable

CONCURRENT, NOT_FOUND, LOST = 51, 105, -1
AGAIN = frozenset({3, 5, 6, 14, 15, 16, CONCURRENT, LOST})
"""After these errors a client sends the request again."""
FENCED = frozenset({47, 48, 49, 90})
"""INVALID_PRODUCER_EPOCH, INVALID_TXN_STATE, INVALID_PRODUCER_ID_MAPPING, PRODUCER_FENCED: it ends."""


@immutable
class Ask:
    """A request of a producer: which it is, the producer id and epoch that it has, -1 for none, and what else it says.
    `topic` has one partition, and the record's value is the number of its transaction."""

    kind: str
    pid: int = -1
    epoch: int = -1
    topic: str = ""
    sequence: int = 0
    txn: int = 0
    commit: bool = False


@immutable
class Answer:
    """The error code of an answer, 0 for none, and the producer id and epoch that it gives, -1 where it gives none."""

    code: int
    pid: int = -1
    epoch: int = -1


@immutable
class TxnSeen:
    """What is seen: the coordinator's state of the id, its newest epoch, and the partitions of the transaction; of each
    partition its records as `(transaction, status)`, and how many of them are below the last stable offset; and the
    epoch of each client that has one. Epochs are counted from 1, as the model does."""

    state: str
    epoch: int
    partitions: frozenset[str]
    logs: Mapping[str, tuple[tuple[int, str], ...]]
    stable: Mapping[str, int]
    clients: Mapping[str, int]


class Coordinated(Protocol):
    """What the driver needs of brokers; `cluster.Transactions` says what each of these does."""

    def look(self, clients: Mapping[str, int]) -> TxnSeen: ...
    def ask(self, one: Ask, within: float, again: frozenset[int] = AGAIN) -> Answer: ...
    def let_marker(self, name: str, within: float) -> bool: ...
    def copy_marker(self, name: str, within: float) -> bool: ...
    def send_copy(self, name: str) -> int: ...
    def time_passes(self) -> None: ...
    def fail_over(self, within: float) -> bool: ...
