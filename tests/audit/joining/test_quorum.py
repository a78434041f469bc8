"""One quorum of several outputs: what they say differently is named, with both."""

from __future__ import annotations

import pytest
from tidegate.audit.cluster.cluster import Quorum
from tidegate.audit.cluster.statements import Origin, StatedValue
from tidegate.audit.joining.parts import JoinedParts
from tidegate.audit.joining.quorum import join_described_quorums

A, B = Origin("a.txt"), Origin("b.txt")
DISKS = ((1, "x" * 22), (2, "y" * 22))


def doubts_of(*described: Quorum, level: str | None = None) -> tuple[str, ...]:
    """What is not known of a quorum."""
    stated = None if level is None else StatedValue(level, Origin("f.txt"))
    return join_described_quorums(JoinedParts([], []), described, stated)[1]


@pytest.mark.parametrize(
    ("one", "other", "says"),
    [
        (Quorum((1, 2), A, 1), Quorum((1, 3), B, 1), "who votes: 1, 2 (a.txt), 1, 3 (b.txt)"),
        (Quorum((1, 2), A, 1), Quorum((1, 2), B, 2), "who leads: 1 (a.txt), 2 (b.txt)"),
        (Quorum((1, 2), A, headless=True), Quorum((1, 2), B, 2), "who leads: nobody (a.txt), 2 (b.txt)"),
        (Quorum((1, 2), A, 1, late=()), Quorum((1, 2), B, 1, late=(2,)), "who follows: 1, 2 (a.txt), 1 (b.txt)"),
        (
            Quorum((1, 2), A, 1, most_lag=9000),
            Quorum((1, 2), B, 1, late=()),
            "who follows: a lag of 9000 (a.txt), 1, 2 (b.txt)",
        ),
        (
            Quorum((1, 2), A, 1, cluster_id="p"),
            Quorum((1, 2), B, 1, cluster_id="q"),
            "of which cluster this is: p (a.txt), q (b.txt)",
        ),
        (
            Quorum((1, 2), A, 1, directories=DISKS),
            Quorum((1, 2), B, 1, directories=((1, "z" * 22),)),
            f"of which cluster or when this is: the directory of voter 1: {'x' * 22} (a.txt), {'z' * 22} (b.txt)",
        ),
    ],
)
def test_what_outputs_say_differently_is_not_known(one: Quorum, other: Quorum, says: str) -> None:
    assert doubts_of(one, other) == (f"{says}; give outputs of one moment",)
    assert doubts_of(one, one) == ()


def test_a_level_of_kraft_version_fits_what_voters_have() -> None:
    dynamic = Quorum((1, 2), A, 1, dynamic=True, directories=DISKS)
    static = Quorum((1, 2), A, 1, directories=((1, ""), (2, "")))
    assert doubts_of(dynamic, level="0") == (
        "kraft.version: 0 (f.txt), voters with directories (a.txt); give outputs of one moment",
    )
    assert doubts_of(static, level="1") == (
        "kraft.version: 1 (f.txt), voters without directories (a.txt); give outputs of one moment",
    )
    assert doubts_of(dynamic, level="1") == doubts_of(static, level="0") == ()


def test_the_table_says_who_observes() -> None:
    status = Quorum((1, 2), A, 1, (4,), watermark=-1)
    table = Quorum((1, 2), B, 1, (5,), late=(), caught_up=(5,))
    quorum, doubts = join_described_quorums(JoinedParts([], []), [status, table], None)
    assert quorum is not None and doubts == ()
    assert (quorum.observers, quorum.caught_up, quorum.watermark, quorum.leader) == ((5,), (5,), -1, 1)
