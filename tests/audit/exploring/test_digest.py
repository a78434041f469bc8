"""The digest under which answers are kept: one for the text that there is."""

from __future__ import annotations

from tidegate.audit.exploring.digest import answers_digest


def test_it_is_the_same_each_time_and_a_digest() -> None:
    assert answers_digest() == answers_digest() and len(answers_digest()) >= 32
