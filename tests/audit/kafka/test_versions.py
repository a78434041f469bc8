"""Versions: a text may mean several releases, and then it is open whether one is later."""

from __future__ import annotations

import pytest
from tidegate.audit.kafka.versions import is_at_least, is_version, releases_meant


@pytest.mark.parametrize(
    ("version", "release", "answer"),
    [
        ("3.9.1", "3.9", True),
        ("3.9", "3.9.0", True),
        ("3.9", "3.9.1", None),
        ("3.8.2", "3.9", False),
        ("10.0", "9.0", True),
        ("3.0.0", "3.0.1", False),
    ],
)
def test_whether_it_is_that_release_or_later(version: str, release: str, answer: bool | None) -> None:
    assert is_at_least(version, release) is answer


def test_a_text_is_every_release_that_begins_so() -> None:
    first, last = releases_meant("3.1")
    assert first <= releases_meant("3.1.0")[0] and releases_meant("3.1.9")[1] <= last < releases_meant("3.2")[0]
    assert is_version("3.1") and not is_version("three")
    with pytest.raises(ValueError, match=r".*"):
        releases_meant("three")
