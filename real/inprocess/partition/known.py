"""Defects of Kafka's controller of partitions that are known, and by what a finding of each is told. They were listed
before the first run; docs/kafka-findings.md has each of them."""

from __future__ import annotations

from ..known import KnownDefect, matching_ticket

KNOWN: tuple[KnownDefect, ...] = (
    KnownDefect("KAFKA-19522", r"leader_is_unfenced", (4, 1)),
    KnownDefect("KAFKA-18106", r"isr_is_unfenced", (4, 0)),
    KnownDefect("KAFKA-12670", r"unclean_is_heeded", (3, 9)),
    KnownDefect("KAFKA-15665", r"reassignment_keeps_min_isr", (3, 8)),
    KnownDefect("apache/kafka#20716", r"assignment_keeps_elr", (4, 3)),
)


def ticket_of(signature: str, release: tuple[int, ...]) -> str:
    """The ticket that describes what a finding on a release is; "" where none is known to."""
    return matching_ticket(KNOWN, signature, release)
