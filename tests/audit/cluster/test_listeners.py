"""Listeners as settings list and name them."""

from __future__ import annotations

from tidegate.audit.cluster.listeners import listener_names, written_listener_names


def test_names_of_listeners_with_addresses_or_without() -> None:
    assert listener_names("plaintext://:9092, Controller") == {"PLAINTEXT", "CONTROLLER"}
    assert written_listener_names("plaintext://:9092, Controller") == {"plaintext", "Controller"}
    assert listener_names("") == set()
