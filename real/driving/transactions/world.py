"""What the driver of `transactions` asks of brokers, and what is to be seen of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ....language.immutable import immutable

CONCURRENT, NOT_FOUND, LOST = 51, 105, -1
RETRIABLE = frozenset({3, 5, 6, 14, 15, 16, CONCURRENT, LOST})
"""After these errors a client sends the request again."""
FATAL = frozenset({47, 48, 49, 90})
"""INVALID_PRODUCER_EPOCH, INVALID_TXN_STATE, INVALID_PRODUCER_ID_MAPPING, PRODUCER_FENCED: it ends."""


@immutable
class ProducerRequest:
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
class ProducerResponse:
    """The error code of an answer, 0 for none, and the producer id and epoch that it gives, -1 where it gives none."""

    code: int
    pid: int = -1
    epoch: int = -1


@immutable
class TransactionsObservation:
    """What is seen: the coordinator's state of the id, its newest epoch, and the partitions of the transaction; of each
    partition its records as `(transaction, status)`, and how many of them are below the last stable offset; and the
    epoch of each client that has one. Epochs are counted from 1, as the model does."""

    state: str
    epoch: int
    partitions: frozenset[str]
    logs: Mapping[str, tuple[tuple[int, str], ...]]
    stable: Mapping[str, int]
    clients: Mapping[str, int]


class TransactionsWorld(Protocol):
    """What the driver needs of brokers; `cluster.TransactionsCluster` says what each of these does."""

    def observe(self, clients: Mapping[str, int]) -> TransactionsObservation: ...
    def send_request(
        self, one: ProducerRequest, seconds: float, again: frozenset[int] = RETRIABLE
    ) -> ProducerResponse: ...
    def pass_marker(self, name: str, seconds: float) -> bool: ...
    def keep_marker(self, name: str, seconds: float) -> bool: ...
    def send_kept_marker(self, name: str) -> int: ...
    def advance_clocks(self) -> None: ...
    def move_coordinator(self, seconds: float) -> bool: ...
