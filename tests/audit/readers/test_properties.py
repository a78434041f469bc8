"""Java properties: entries with their lines, and whose file it is by its keys."""

from __future__ import annotations

import pytest
from tidegate.audit.readers.properties import client_kinds, property_entries


def test_entries_keep_their_lines_and_continue() -> None:
    settings, odd = property_entries("server.properties", "# about\nbroker.id = 1\nlog.dirs=\\\n  /a,/b\nacks:all\n")
    assert [(setting.key, setting.value, setting.origin.line) for setting in settings] == [
        ("broker.id", "1", 2), ("log.dirs", "/a,/b", 3), ("acks", "all", 5),
    ]  # fmt: skip
    assert odd == []


def test_a_bad_escape_is_an_error() -> None:
    with pytest.raises(ValueError, match=r".*"):
        property_entries("server.properties", "a=\\uZZZZ\n")


def test_clients_by_their_keys_and_else_by_the_name() -> None:
    assert client_kinds("x.properties", {"acks"}) == ("producer",)
    assert client_kinds("x.properties", {"group.id"}) == ("consumer",)
