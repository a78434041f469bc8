"""What the driver of traces of the topic of offsets asks of a cluster, and what is to be seen of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from ....language.immutable import immutable
from ..nodes.client import ClientProcess


@immutable
class RegisteredPartition:
    """A partition as the controller has it on record: its brokers in the order of assignment, and of those who is in
    sync, who is being added and removed, and who leads; None where nobody does."""

    replicas: tuple[int, ...]
    isr: frozenset[int]
    adding: frozenset[int]
    removing: frozenset[int]
    leader: int | None


@immutable
class OffsetsObservation:
    """What is seen: the brokers that are there, the topic's partitions (none where there is no topic), what each broker
    has of each partition as groups and offsets, what each group's coordinator says, and how often each broker was
    fenced."""

    alive: frozenset[int]
    parts: Mapping[int, RegisteredPartition]
    copies: Mapping[tuple[int, int], tuple[tuple[str, int], ...]]
    committed_offsets: Mapping[str, str]
    fences: Mapping[int, int]


class OffsetsWorld(Protocol):
    """What the driver needs; `cluster.OffsetsCluster` says what each of these does."""

    def observe(self) -> OffsetsObservation: ...
    def start_and_wait(self, broker: int) -> None: ...
    def kill(self, broker: int) -> None: ...
    def lose_disk(self, broker: int) -> None: ...
    def hold_fetches(self, fetches: frozenset[tuple[int, int]]) -> None: ...
    def release_fetches(self, fetches: frozenset[tuple[int, int]]) -> None: ...
    def all_fetches(self) -> frozenset[tuple[int, int]]: ...
    def create_topic(self, placement: Sequence[Sequence[int]], min_isr: int) -> None: ...
    def delete_topic(self) -> None: ...
    def reassign_partition(self, number: int, order: Sequence[int]) -> None: ...
    def write_record(self, record: int) -> None: ...
    def can_read(self, record: int) -> bool: ...
    def commit_offset(self, name: str, offset: int) -> str: ...
    def start_consumer(self, name: str, reset: str) -> ClientProcess: ...
    def is_empty(self, name: str) -> bool: ...
