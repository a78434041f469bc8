"""Listeners as settings list and name them."""

from __future__ import annotations

from tidegate.audit.cluster.listeners import as_written, names_in


def test_names_of_listeners_with_addresses_or_without() -> None:
    assert names_in("plaintext://:9092, Controller") == {"PLAINTEXT", "CONTROLLER"}
    assert as_written("plaintext://:9092, Controller") == {"plaintext", "Controller"}
    assert names_in("") == set()
