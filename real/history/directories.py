"""In which directories brokers have their copies of partitions, as the metadata log has it (KIP-858)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

MIGRATING, UNASSIGNED, LOST = "AAAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAQ", "AAAAAAAAAAAAAAAAAAAAAg"
"""Ids that name no directory (DirectoryId)."""


def is_online(directory: str, registered_directories: Collection[str]) -> bool:
    """Whether the controller takes a directory for one that works, with those that its broker has registered: who has
    registered none, before 3.7 or the upgrade to it, may have any (DirectoryId.isOnline)."""
    return directory in (MIGRATING, UNASSIGNED) or (
        directory != LOST and (not registered_directories or directory in registered_directories)
    )


class Directories:
    """The directory of each replica of a partition, of which brokers one is lost, and what a record assigns."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        self.of = dict[int, str]()
        self.offline = frozenset[int]()
        self.assigned = frozenset[int]()
        self.take_record(fields, fields["replicas"])

    def take_record(self, fields: Mapping[str, Any], replicas: Sequence[int]) -> None:
        """Takes what a record of the partition says. What it does not name stays; a broker that is a replica anew has
        no directory yet."""
        before = self.of
        given = fields.get("directories") or [before.get(broker, UNASSIGNED) for broker in replicas]
        self.of = dict(zip(replicas, given, strict=False))
        self.assigned = frozenset(
            broker for broker, directory in self.of.items() if before.get(broker, directory) != directory
        )
        self.offline -= self.assigned

    def note_failed(self, broker: int) -> None:
        """Takes down that a broker's copy was assigned to a directory that has failed, or that it does not name."""
        self.offline |= {broker}

    def note_online(self, broker: int, registered_directories: Collection[str]) -> bool:
        """Takes down whether a broker's copy is in a directory that works; whether one that did not works again, though
        the copy was not assigned to another."""
        works = broker not in self.of or is_online(self.of[broker], registered_directories)
        again = works and broker in self.offline and broker not in self.assigned
        self.offline = self.offline - {broker} if works else self.offline | {broker}
        return again


def failed_directories(previous_directories: Iterable[str], now: Sequence[str] | None) -> frozenset[str]:
    """The directories that a change of a broker's registration takes away; None changes none
    (ReplicationControlManager.handleDirectoriesOffline)."""
    return frozenset(previous_directories) - frozenset(now) if now else frozenset()
