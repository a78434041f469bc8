"""One quorum of what several outputs say of it: what they say differently is not known, and is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from ..cluster.cluster import Quorum
from ..cluster.statements import StatedValue
from ..readers.running.replicas import MOST_LAG
from .parts import JoinedParts


def join_described_quorums(
    joined_parts: JoinedParts, quorums: Sequence[Quorum], level: StatedValue | None
) -> tuple[Quorum | None, tuple[str, ...]]:
    """The quorum that controllers describe, one output at least, and why something of it is not known: those differ, or
    the level of kraft.version does not fit. None where it is not known who votes."""
    first = quorums[0]
    other = next((quorum for quorum in quorums if set(quorum.voters) != set(first.voters)), None)
    if other is not None:
        statements = [StatedValue(voter_ids_text(one), one.origin) for one in (first, other)]
        joined_parts.contradict("the voters", statements)
        return None, (_doubt_text("who votes", statements),)
    leaders = [quorum for quorum in quorums if quorum.leader is not None or quorum.headless]
    leader_statements = _stated_values(leaders, lambda one: "nobody" if one.leader is None else str(one.leader))
    named = [one for one in leader_statements if one.value != "nobody"]
    if len(named) > 1:
        joined_parts.contradict("the leader of the quorum", named)
    tables = [quorum for quorum in quorums if quorum.late is not None]
    doubts = tuple(_doubts_about_quorums(quorums, leader_statements, tables, level))
    marks = [quorum.watermark for quorum in quorums if quorum.watermark is not None]
    joined = replace(
        first,
        leader=leaders[0].leader if len(leader_statements) == 1 else None,
        headless=len(leader_statements) == 1 and leaders[0].headless,
        dynamic=first.dynamic if level is None else level.value != "0",
        watermark=min(marks, default=None),
    )
    if tables:
        table = tables[0]
        joined = replace(joined, late=table.late, caught_up=table.caught_up, observers=table.observers)
    return joined, doubts


def _doubts_about_quorums(
    quorums: Sequence[Quorum],
    leader_statements: Sequence[StatedValue],
    tables: Sequence[Quorum],
    level: StatedValue | None,
) -> Iterator[str]:
    clusters = _stated_values([quorum for quorum in quorums if quorum.cluster_id], lambda one: one.cluster_id)
    followers = _stated_values(tables, _followers_text)
    for what, statements in (
        ("of which cluster this is", clusters),
        ("who leads", leader_statements),
        ("who follows", followers),
    ):
        if len(statements) > 1:
            yield _doubt_text(what, statements)
    for voter in quorums[0].voters:
        on = [(dict(quorum.directories).get(voter), quorum) for quorum in quorums]
        ids = _distinct_statements([StatedValue(directory, quorum.origin) for directory, quorum in on if directory])
        if len(ids) > 1:
            yield _doubt_text(f"of which cluster or when this is: the directory of voter {voter}", ids)
            break
    lag = next((quorum for quorum in quorums if (quorum.most_lag or 0) > MOST_LAG), None)
    if lag is not None and any(not table.late for table in tables):
        shown = [StatedValue(f"a lag of {lag.most_lag}", lag.origin), *followers[:1]]
        yield _doubt_text("who follows", shown)
    shows = next((quorum for quorum in quorums if quorum.directories), None)
    if shows is not None and level is not None:
        has_none = all(not directory for _, directory in shows.directories)
        if (shows.dynamic and level.value == "0") or (has_none and level.value != "0"):
            evidence = "voters without directories" if has_none else "voters with directories"
            yield _doubt_text("kraft.version", [level, StatedValue(evidence, shows.origin)])


def _stated_values(quorums: Sequence[Quorum], value_of: Callable[[Quorum], str]) -> list[StatedValue]:
    return _distinct_statements([StatedValue(value_of(quorum), quorum.origin) for quorum in quorums])


def _distinct_statements(statements: Sequence[StatedValue]) -> list[StatedValue]:
    """The first statement of each value."""
    return list({one.value: one for one in reversed(statements)}.values())[::-1]


def _doubt_text(what: str, statements: Sequence[StatedValue]) -> str:
    both = ", ".join(f"{one.value} ({one.origin})" for one in statements)
    return f"{what}: {both}; give outputs of one moment"


def _followers_text(quorum: Quorum) -> str:
    late = sorted(quorum.late or ())
    follow = sorted({*quorum.voters} - set(late)) + [one for one in sorted(quorum.caught_up) if one not in late]
    return ", ".join(map(str, dict.fromkeys(follow))) or "nobody"


def voter_ids_text(quorum: Quorum) -> str:
    """The voters' ids, with commas."""
    return ", ".join(map(str, quorum.voters)) or "nobody"
