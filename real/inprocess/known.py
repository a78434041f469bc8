"""Defects of Kafka's Raft that are known, and by what a finding of each is told.

A finding is named so where what fails, and where in Kafka's code, is what the ticket describes, and the release is one
before the fix. docs/kafka-findings.md has each of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...language.immutable import immutable


@immutable
class KnownDefect:
    """A defect: its ticket, a pattern of the signatures that findings of it have, and the first release without it;
    None where none is known."""

    ticket: str
    signature: str
    fixed_in: tuple[int, ...] | None


KNOWN: tuple[KnownDefect, ...] = (
    KnownDefect("KAFKA-17333", r"active_has_applied", (3, 9)),
    KnownDefect("KAFKA-15489", r"leader_resigns", (3, 7)),
    KnownDefect("KAFKA-16286", r"listener_hears", (3, 7, 1)),
    KnownDefect("KAFKA-16525", r"no_exception IllegalArgumentException in RaftUtil\.errorResponse", (3, 8)),
)


def ticket_of(signature: str, release: tuple[int, ...]) -> str:
    """The ticket that describes what a finding on a release is; "" where none is known to."""
    return matching_ticket(KNOWN, signature, release)


def matching_ticket(defects: Iterable[KnownDefect], signature: str, release: tuple[int, ...]) -> str:
    """The same, of some defects."""
    for known in defects:
        if re.fullmatch(known.signature, signature) and (known.fixed_in is None or release < known.fixed_in):
            return known.ticket
    return ""
