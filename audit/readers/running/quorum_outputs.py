"""What `kafka-metadata-quorum.sh describe` prints with --status and with --replication, of one moment or of several.

What no reader understands is named with its line, and leaves open who votes or follows: it is never passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ....language.immutable import immutable
from ...cluster.cluster import Quorum
from ...cluster.statements import Origin
from ...kafka.keys import LARGEST
from ..parsed_file import Part, parse_node_id
from .replicas import MOST_LAG, QuorumReplica, with_followers

LABEL = re.compile(r"^(ClusterId|LeaderId|HighWatermark|MaxFollowerLag|CurrentVoters|CurrentObservers):(.*)$")
"""A line of --status that is read."""

OTHER_LABEL = re.compile(r"^[A-Z]\w*:")
HEAD = re.compile(r"^NodeId\s.*LogEndOffset")
ROW = re.compile(
    r"^(\d{1,10})\s+(?:(\S{22})\s+)?(-?\d{1,19})\s+(-?\d{1,19})\s+(\S.*?)\s+(Leader|Follower|Observer)\s*$", re.ASCII
)
"""Id, directory's id, end of the log, lag, two times, and status."""

TIMES = re.compile(r"(-?\d{1,19})\s+(-?\d{1,19})", re.ASCII)
"""When it fetched last, and when it had everything last."""

COLLECT = "collect it again"
NUMBERS = {"LeaderId": "who leads", "HighWatermark": "what is committed", "MaxFollowerLag": "who lags"}
"""Labels of numbers, with what is not known without each."""


def read_quorum(path: str, text: str) -> Part | None:
    """`kafka-metadata-quorum.sh describe --status` or `--replication`, or both in one file."""
    lines = list(enumerate(text.splitlines(), 1))
    labels = [(number, found[1], found[2].strip()) for number, line in lines if (found := LABEL.match(line))]
    names = {name for _, name, _ in labels}
    has_status = "LeaderId" in names and len(names) > 1
    head = next((number for number, line in lines if HEAD.match(line)), None)
    if not has_status and head is None:
        return None
    outputs = [*(["--status"] if has_status else []), *(["--replication"] if head is not None else [])]
    part = Part(f"kafka-metadata-quorum.sh describe {' and '.join(reversed(outputs))}")
    part.control_plane = "kraft"
    if has_status:
        _read_status(part, path, labels)
    if head is not None:
        _read_table(part, path, lines[head - 1 :])
    return part


# --- --status ---------------------------------------------------------------------------------------------------------


def _read_status(part: Part, path: str, labels: Sequence[tuple[int, str, str]]) -> None:
    first = {name: (number, value) for number, name, value in reversed(labels)}
    origin = Origin(path, first["CurrentVoters" if "CurrentVoters" in first else "LeaderId"][0])
    _note_other_status(part, path, labels, first)
    voters, observers = (_described_members(part, path, first, name) for name in ("CurrentVoters", "CurrentObservers"))
    leader, watermark, lag = (_described_number(part, path, labels, name) for name in NUMBERS)
    headless = leader == -1
    if voters:
        part.quorums.append(
            Quorum(
                tuple(voter.id for voter in voters),
                origin,
                None if leader is None or leader < 0 else leader,
                tuple(one.id for one in observers),
                dynamic=all(voter.directory for voter in voters) or None,
                hosts=tuple((voter.id, host) for voter in voters for host in voter.hosts),
                directories=tuple((v.id, v.directory) for v in voters if v.directory is not None),
                cluster_id=first.get("ClusterId", (0, ""))[1],
                headless=headless,
                watermark=watermark,
                most_lag=lag,
            )
        )
    if headless:
        note_without_leader(part, origin)
    note_lagging(part, watermark, {} if lag is None else {"a voter": lag}, origin)


def _note_other_status(
    part: Part, path: str, labels: Sequence[tuple[int, str, str]], first: Mapping[str, tuple[int, str]]
) -> None:
    """That a file holds several outputs that name other voters, another leader or another cluster."""
    for name in ("ClusterId", "LeaderId", "CurrentVoters"):
        others = [(number, value) for number, label, value in labels if label == name and value != first[name][1]]
        if name == "CurrentVoters":
            mine = _members(first[name][1]) if name in first else None
            others = [
                (number, value)
                for number, value in others
                if mine is None or [one.id for one in _members(value) or ()] != [one.id for one in mine]
            ]
        for number, _ in others[:1]:
            before, where = Origin(path, first[name][0]), Origin(path, number)
            part.note_stated_twice("the quorum", before, where)
            part.quorum_doubts.append(f"who votes and leads: {name} is two things at {before} and {where}; {COLLECT}")


def _described_members(
    part: Part, path: str, first: Mapping[str, tuple[int, str]], name: str
) -> Sequence[_DescribedVoter]:
    """The members that a line lists; () with a doubt where it is garbage, or where nobody votes."""
    if name not in first:
        if name == "CurrentVoters":
            _doubt(part, Origin(path, first["LeaderId"][0]), "who votes", "no line CurrentVoters follows")
        return ()
    number, value = first[name]
    members = _members(value)
    if members is None or (not members and name == "CurrentVoters"):
        what = "who votes" if name == "CurrentVoters" else "who observes"
        _doubt(part, Origin(path, number), what, f"its {name} is no list of nodes")
        return ()
    return members


def _described_number(part: Part, path: str, labels: Sequence[tuple[int, str, str]], name: str) -> int | None:
    """The number of a label, None where it is not there; None with a doubt where it is garbage. Of several the worst
    counts: the smallest mark, and the largest lag."""
    found: list[int] = []
    for number, label, value in labels:
        if label != name:
            continue
        is_number = re.fullmatch(r"-?\d{1,19}", value, re.ASCII) is not None
        if not is_number or (name == "LeaderId" and not -1 <= int(value) <= LARGEST["int"]):
            _doubt(part, Origin(path, number), NUMBERS[name], f"its {name} is no such number")
            return None
        found.append(int(value))
    if name == "LeaderId":
        return found[0] if found else None
    return (min if name == "HighWatermark" else max)(found, default=None)


@immutable
class _DescribedVoter:
    """A member as --status prints it: `directory` is "" where it says `null`, and None where it says nothing."""

    id: int
    directory: str | None = None
    hosts: tuple[str, ...] = ()


def _members(text: str) -> list[_DescribedVoter] | None:
    """The members of `[1,2,3]`, or of the objects that later releases print (KIP-853); None where that is garbage, as
    where one is there twice. Each has its directory's id in the log of kraft.version 1 alone: before it 3.9 prints
    `null`, and 4.1 no such entry (LeaderState, MetadataQuorumCommand of 3.9.1, 4.1.0)."""
    if not text.startswith("["):
        return None
    try:
        entries: list[Any] = json.loads(text)
        members = [_described_voter(entry) for entry in entries]
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
    return members if len({one.id for one in members}) == len(members) else None


def _described_voter(entry: Any) -> _DescribedVoter:
    """Of a number, or of an object. Raises ValueError, or what Python does, where it is none. What is no id of a
    directory says nothing of one."""
    entry = {"id": entry} if isinstance(entry, int) else entry
    stated: object = entry.get("directoryId", "")
    directory = "" if stated is None else str(stated) if re.fullmatch(r"[\w-]{22}", str(stated)) else None
    id_ = parse_node_id(str(entry["id"]))
    if id_ is None:
        raise ValueError("no id of a node")
    places = [re.search(r"://(\[[^\]]+\]|[^:\[\]]+):\d", str(place)) for place in entry.get("endpoints", ())]
    hosts = tuple(place[1] for place in places if place is not None)
    return _DescribedVoter(id_, directory, hosts)


# --- --replication ----------------------------------------------------------------------------------------------------


@immutable
class _Row:
    """A node of the table: its line, what is printed of it, and its two times as they are printed."""

    line: int
    id: int
    directory: str
    end: int
    lag: int
    times: str
    status: str


def _read_table(part: Part, path: str, lines: Sequence[tuple[int, str]]) -> None:
    origin = Origin(path, lines[0][0])
    rows = list(_table_rows(part, path, lines))
    leader = next((row.id for row in rows if row.status == "Leader"), None)
    voters = tuple(row.id for row in rows if row.status != "Observer")
    observers = tuple(row.id for row in rows if row.status == "Observer")
    if len(set(voters)) < len(voters) or [row.status for row in rows].count("Leader") > 1:
        _doubt(part, origin, "who votes", "a voter is there twice, or a leader")
    elif voters:
        quorum = Quorum(voters, origin, leader, observers, headless=leader is None)
        part.quorums.append(_with_followers(part, quorum, rows))
    else:
        _doubt(part, origin, "who votes", "no voter is in this table")
    note_lagging(part, None, {f"voter {row.id}": row.lag for row in rows if row.status == "Follower"}, origin)
    silent = [row for row in rows if row.status == "Follower" and row.end <= 0 and row.times.startswith("-1")]
    if 2 * (len(voters) - len(silent)) <= len(voters) and silent:
        who = ", ".join(str(row.id) for row in silent)
        what = f"voters {who} have not fetched from the leader of the quorum: no majority follows it, and"
        what += " nothing is committed"
        to_do = "look at the controllers' logs and disks, and describe the quorum again"
        part.note("incomplete", "error", what, origin, to_do, "KIP-595")
    if voters and leader is None:
        note_without_leader(part, origin)


def _table_rows(part: Part, path: str, lines: Sequence[tuple[int, str]]) -> Iterator[_Row]:
    """The rows of a table; what is none of the lines below its head is doubted."""
    for number, line in lines:
        found = ROW.match(line)
        if found and int(found[1]) <= LARGEST["int"]:
            id_, directory, end, lag, times, status = found.groups()
            yield _Row(number, int(id_), directory or "", int(end), int(lag), times, status)
        elif line.strip() and not HEAD.match(line) and not OTHER_LABEL.match(line):
            _doubt(part, Origin(path, number), "who votes and follows", "it is not a row of the table above")


def _with_followers(part: Part, quorum: Quorum, rows: Sequence[_Row]) -> Quorum:
    """With who follows, by the leader's clock; not known where it is not printed in numbers of all. A lag is no smaller
    than the offsets show."""
    times = [TIMES.fullmatch(row.times) for row in rows]
    for row, time in zip(rows, times, strict=True):
        if time is None:
            why, to_do = "its times are words, no numbers of milliseconds", "describe it without --human-readable"
            _doubt(part, Origin(quorum.origin.path, row.line), "who follows", why, to_do)
            return quorum
    known = [(row, int(time[1]), int(time[2])) for row, time in zip(rows, times, strict=True) if time is not None]
    leading = next(((row.end, fetched) for row, fetched, _ in known if row.status == "Leader"), None)
    if leading is None or leading[1] < 0:
        return quorum
    end, now = leading
    replicas = [
        QuorumReplica(row.id, row.directory, row.status != "Observer", max(row.lag, end - row.end), fetched, caught_up)
        for row, fetched, caught_up in known
    ]
    return with_followers(quorum, replicas, now)


# --- what is said against it ------------------------------------------------------------------------------------------


def _doubt(part: Part, where: Origin, what: str, why: str, to_do: str = COLLECT) -> None:
    """Something that is not known of the quorum, since a line of an output is not what Kafka prints."""
    part.quorum_doubts.append(f"{what}: {why} ({where}); {to_do}")
    part.note("not_read", "warning", f"{what} in the quorum is not known: {why}", where, to_do)


def note_without_leader(part: Part, origin: Origin) -> None:
    """A quorum that has no leader commits nothing: no partition gets another leader, and no topic is made."""
    what = "the quorum has no leader: until a controller is elected no partition gets another one, and nothing changes"
    to_do = "look at the controllers' logs, and describe the quorum again"
    part.note("incomplete", "error", what, origin, to_do, "KIP-595")


def note_lagging(part: Part, watermark: int | None, lags: Mapping[str, int], origin: Origin) -> None:
    """What a quorum's state says against it: no high watermark, and voters that lack many records, by their names."""
    to_do = "look at the controllers' logs and disks, and describe the quorum again"
    if watermark is not None and watermark < 0:
        what = "the quorum has no high watermark: no majority of voters follows its leader, and nothing is committed"
        part.note("incomplete", "error", what, origin, to_do, "KIP-595")
    for who, lag in lags.items():
        if lag > MOST_LAG:
            what = (
                f"{who} lags {lag} records behind the leader of the quorum: until it has caught up it counts for no "
                "majority that commits, and the answers take it for one that does"
            )
            part.note("incomplete", "error", what, origin, to_do, "KIP-595")
