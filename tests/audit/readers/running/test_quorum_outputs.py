"""What `kafka-metadata-quorum.sh describe` prints: who votes and follows, and what is not known where it is garbage."""

from __future__ import annotations

import pytest
from tidegate.audit.answers.voter_changes import VoterChange, answer_changes
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.readers.running.quorum_outputs import read_quorum

DISKS = [letter * 22 for letter in "abcd"]
HEAD = "NodeId\tDirectoryId\tLogEndOffset\tLag\tLastFetchTimestamp\tLastCaughtUpTimestamp\tStatus\t\n"
ROWS = [
    f"{node}\t{DISKS[node - 1]}\t400\t0\t10000\t10000\t{status}\t\n"
    for node, status in enumerate(("Leader", "Follower", "Follower", "Observer"), 1)
]
TABLE = HEAD + "".join(ROWS)
MEMBERS = ", ".join(f'{{"id": {node}, "directoryId": "{DISKS[node - 1]}"}}' for node in (1, 2, 3))
STATUS = (
    "ClusterId:              x\nLeaderId:               1\nLeaderEpoch:            1\nHighWatermark:          400\n"
    f"MaxFollowerLag:         0\nMaxFollowerLagTimeMs:   0\nCurrentVoters:          [{MEMBERS}]\n"
    f'CurrentObservers:       [{{"id": 4, "directoryId": "{DISKS[3]}"}}]\n'
)
GIVEN = Options(kafka_version="4.1.0", distribution="apache")


def answer_about(**texts: str) -> tuple[str, tuple[str, ...]]:
    """Whether controller 4 may be added by some outputs, and why that is not known."""
    files = [(f"{name}.txt", text, True) for name, text in texts.items()]
    (answer,) = answer_changes(read_cluster_texts(files, GIVEN, "x")[0], [VoterChange("add", 4)])
    return answer.word, answer.unknown


@pytest.mark.parametrize(
    ("at", "lag", "late"),
    [("1000", "0", ()), ("-9000", "0", (3,)), ("1000", "2000", (3,))],
)
def test_a_voter_that_does_not_fetch_or_lags_is_late(at: str, lag: str, late: tuple[int, ...]) -> None:
    rows = [("1", "0", "10000", "Leader"), ("2", "0", "9800", "Follower"), ("3", lag, str(9000 + int(at)), "Follower")]
    text = "NodeId\tLogEndOffset\tLag\tLastFetchTimestamp\tLastCaughtUpTimestamp\tStatus  \t\n" + "".join(
        f"{node}\t400\t{behind}\t{fetched}\t{fetched}\t{status}\t\n" for node, behind, fetched, status in rows
    )
    part = read_quorum("q.txt", text)
    assert part is not None and part.quorums[0].late == late


def test_both_outputs_may_be_in_one_file() -> None:
    assert answer_about(s=STATUS, t=TABLE) == answer_about(s=STATUS + TABLE) == answer_about(s=TABLE + STATUS)
    assert answer_about(s=STATUS + TABLE) == ("yes", ())
    assert answer_about(s=STATUS + STATUS, t=TABLE) == ("yes", ())


@pytest.mark.parametrize(
    "voters",
    [
        "garbage",
        "[]",
        "",
        "[1,2x,3]",
        "[1,2,٣]",
        "[1,2,+3]",
        "[1,2,03]",
        "[1,2,-3]",
        "[1,2,2]",
        "[1,2,2147483648]",
        "[1,2,null]",
        "[true]",
        '"12"',
        "[" + MEMBERS[:-1],
        '[{"id": 1}, {"directoryId": "x"}]',
        "[" + '"id": 1, ' * 40_000 + "]",
    ],
)
def test_garbage_is_not_nobody_who_votes(voters: str) -> None:
    text = STATUS.replace(f"[{MEMBERS}]", voters)
    word, unknown = answer_about(s=text, t=TABLE)
    assert (
        word == "not known"
        and "who votes: its CurrentVoters is no list of nodes (s.txt:7); collect it again" in unknown
    )
    assert answer_about(s=text)[0] == "not known"


def test_garbage_is_named_by_an_audit_too() -> None:
    text = STATUS.replace(f"[{MEMBERS}]", "[1,2x]")
    _, findings = read_cluster_texts([("s.txt", text, True), ("t.txt", TABLE, True)], GIVEN, "x")
    (found,) = [finding for finding in findings if "CurrentVoters" in finding.what]
    assert (found.kind, found.severity, str(found.where)) == ("not_read", "warning", "s.txt:7")


@pytest.mark.parametrize(
    ("label", "value", "says"),
    [
        ("LeaderId", "one", "who leads: its LeaderId is no such number (s.txt:2)"),
        ("LeaderId", "-2", "who leads: its LeaderId is no such number (s.txt:2)"),
        ("LeaderId", "٢", "who leads: its LeaderId is no such number (s.txt:2)"),
        ("LeaderId", "2147483648", "who leads: its LeaderId is no such number (s.txt:2)"),
        ("HighWatermark", "400 or so", "what is committed: its HighWatermark is no such number (s.txt:4)"),
        ("MaxFollowerLag", "", "who lags: its MaxFollowerLag is no such number (s.txt:5)"),
        ("CurrentObservers", "4", "who observes: its CurrentObservers is no list of nodes (s.txt:8)"),
    ],
)
def test_a_number_that_is_none_is_not_passed_over(label: str, value: str, says: str) -> None:
    lines = [f"{label}: {value}" if line.startswith(f"{label}:") else line for line in STATUS.splitlines()]
    assert answer_about(s="\n".join(lines), t=TABLE) == ("not known", (f"{says}; collect it again",))


def test_an_output_without_voters_is_cut_short() -> None:
    word, unknown = answer_about(s=STATUS[: STATUS.index("CurrentVoters")], t=TABLE)
    assert word == "not known" and unknown[0].startswith("who votes: no line CurrentVoters follows (s.txt:2)")


def test_outputs_of_two_moments_in_one_file() -> None:
    later = STATUS.replace("LeaderId:               1", "LeaderId:               2")
    word, unknown = answer_about(s=STATUS + later, t=TABLE)
    assert word == "not known" and unknown[0].startswith("who votes and leads: LeaderId is two things at s.txt:2 and ")


@pytest.mark.parametrize(
    ("row", "instead", "says"),
    [
        (ROWS[2], ROWS[2].replace("10000\t10000", "5 ms ago\t5 ms ago"), "who follows: its times are words"),
        (ROWS[2], ROWS[2].replace("3", "٣", 1), "who votes and follows: it is not a row of the table above (t.txt:4)"),
        (ROWS[2], "3\t" + DISKS[2] + "\n", "who votes and follows: it is not a row of the table above (t.txt:4)"),
        (ROWS[2], ROWS[2].replace("3", "2147483648", 1), "who votes and follows: it is not a row"),
        (ROWS[2], ROWS[2].replace("3", "2", 1), "who votes: a voter is there twice, or a leader (t.txt:1)"),
        (ROWS[2], ROWS[2].replace("Follower", "Leader"), "who votes: a voter is there twice, or a leader (t.txt:1)"),
        ("".join(ROWS[:3]), "", "who votes: no voter is in this table (t.txt:1)"),
    ],
)
def test_a_table_that_is_not_read_is_not_passed_over(row: str, instead: str, says: str) -> None:
    word, unknown = answer_about(s=STATUS, t=TABLE.replace(row, instead))
    assert word == "not known" and any(one.startswith(says) for one in unknown)


def test_times_in_words_are_told_beside_a_table_of_numbers() -> None:
    words = TABLE.replace("10000\t10000", "5 ms ago\t5 ms ago")
    says = (
        "who follows: its times are words, no numbers of milliseconds (w.txt:2); describe it without --human-readable"
    )
    assert answer_about(s=STATUS, t=TABLE, w=words) == ("not known", (says,))


def test_members_of_a_quorum_are_read_as_json() -> None:
    member = '{"id": 7, "directoryId": %s, "endpoints": ["CONTROLLER://[::1]:9093"]}'
    text = "ClusterId: c\nLeaderId: 7\nHighWatermark: 5\nMaxFollowerLag: 3\nCurrentVoters: [%s]\nCurrentObservers: []\n"
    disk = "O2jGNzi5Rq-5Scvj6r7meA"
    part = read_quorum("q.txt", text % member % f'"{disk}"')
    assert part is not None
    (found,) = part.quorums
    assert (found.voters, found.hosts, found.directories, found.dynamic) == ((7,), ((7, "[::1]"),), ((7, disk),), True)
    assert (found.cluster_id, found.watermark, found.most_lag) == ("c", 5, 3)
    none = read_quorum("q.txt", text % member % "null")
    assert none is not None and (none.quorums[0].directories, none.quorums[0].dynamic) == (((7, ""),), None)
