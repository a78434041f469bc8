"""Whether the voters of KRaft may be changed now: what is answered, and that the model does the same."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest
from tidegate.audit.answers.voter_changes import (
    QuorumStanding,
    VoterChange,
    VoterChangeAnswer,
    answer_changes,
    needed_meanwhile,
)
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Broker, Cluster, Quorum
from tidegate.audit.cluster.statements import Origin, StatedValue
from tidegate.audit.joining.options import Options
from tidegate.model.kraft.quorum import Voter

from ...support.shipped import tier_parameters
from ...support.voter_stories import A, B, C, D, Story

HERE = Origin("quorum.txt", 1)
NODE = "process.roles={}\nnode.id={}\ncontroller.quorum.bootstrap.servers=a:1\nlog.dirs=d\n"


def cluster_of(
    *voters: int, late: tuple[int, ...] | None = (), observers: tuple[int, ...] = (4, 5), version: str = "4.1.0"
) -> Cluster:
    """A cluster whose first voter leads, with `kraft.version` 1."""
    node = [("b.properties", NODE.format("controller", voters[0]), True)]
    cluster = read_cluster_texts(node, Options(kafka_version=version, distribution="apache"), "x")[0]
    caught_up = tuple(observer for observer in observers if observer not in (late or ()))
    quorum = Quorum(voters, HERE, voters[0], observers, dynamic=True, late=late, caught_up=caught_up)
    return replace(cluster, quorum=quorum)


def with_new_disk(cluster: Cluster) -> Cluster:
    """The same with an observer 3 that has caught up, on another disk than voter 3's."""
    assert cluster.quorum is not None
    return replace(cluster, quorum=replace(cluster.quorum, caught_up=(3,)))


def ask_change(cluster: Cluster, text: str) -> VoterChangeAnswer:
    """The answer of the last of some changes, such as `add 4, add 5`."""
    changes = [part.split() for part in text.split(",")]
    return answer_changes(cluster, [VoterChange(kind, int(controller)) for kind, controller in changes])[-1]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("cluster", "change", "word", "may_fail"),
    [
        (cluster_of(1, 2, 3), "add 4", "yes", 1),
        (cluster_of(1, 2, 3), "add 4, add 5", "yes", 2),
        (cluster_of(1), "add 4", "yes", 0),
        (cluster_of(1, 2, 3, late=(3,)), "remove 3", "yes", 0),
        (with_new_disk(cluster_of(1, 2, 3, late=(3,))), "replace 3", "yes", 1),
        (cluster_of(1, 2, 3), "remove 1", "yes", 0),
        (cluster_of(1, 2, 3, 4, 5), "remove 5, remove 4", "yes", 1),
    ],
)
def test_what_may_be_changed(cluster: Cluster, change: str, word: str, may_fail: int) -> None:
    found = ask_change(cluster, change)
    assert (found.word, found.may_fail, found.stops) == (word, may_fail, ())


@pytest.mark.parametrize(
    ("cluster", "change", "stops", "waits"),
    [
        (
            cluster_of(1, 2, 3, late=(3,)),
            "add 4",
            "with 4 voters of which 3 does not follow, 4 is needed at once: if it stops, nothing is committed, nor is "
            "its removal",
            "start controller 3, or remove it first",
        ),
        (
            cluster_of(1, 2, 3, late=(3,)),
            "remove 2",
            "1 of the 2 voters that are left follow: it is not committed",
            "start controller 3",
        ),
        (
            cluster_of(1, 2),
            "remove 1",
            "1 leads: if it stops leading before another has the record of its removal, it does not stand any more, "
            "and the others need its vote (docs/kafka-findings.md)",
            "have another one lead first: restart 1",
        ),
        (cluster_of(1), "remove 1", "1 is the only voter, and the last one is not removed", "add another one first"),
        (cluster_of(1, 2), "remove 7", "7 is not a voter (VOTER_NOT_FOUND)", "nothing"),
        (cluster_of(1, 2), "add 2", "2 is a voter (DUPLICATE_VOTER)", "nothing; with another disk, ask for replace"),
        (
            cluster_of(1, 2, 3, observers=()),
            "add 4",
            "4 does not fetch from the leader, which adds nobody that has not caught up",
            "format it with --no-initial-controllers, and start it; then "
            "kafka-metadata-quorum.sh describe --replication",
        ),
        (
            cluster_of(1, 2, 3, late=(4,)),
            "add 4",
            "4 has not caught up with the leader",
            "wait until kafka-metadata-quorum.sh describe --replication shows no lag of it",
        ),
        (
            cluster_of(1, 2),
            "replace 2",
            "without 2 1 of 2 voters follow: no majority, and the leader resigns",
            "no change helps: its disk is needed",
        ),
        (
            cluster_of(1, 2, 3, late=(2, 3)),
            "add 4",
            "1 of 3 voters follow the leader: no majority, and nothing is committed",
            "start the others",
        ),
    ],
)
def test_what_may_not_be_changed(cluster: Cluster, change: str, stops: str, waits: str) -> None:
    found = ask_change(cluster, change)
    assert (found.word, found.stops, found.waits) == ("no", (stops,), (waits,))


def test_voters_of_version_0_are_not_changed() -> None:
    cluster = cluster_of(1, 2, 3, version="4.0.0")
    assert cluster.quorum is not None
    level = {"kraft.version": StatedValue("0", HERE)}
    static = replace(cluster, versions=replace(cluster.versions, features=level))
    found = ask_change(static, "add 4")
    assert found.word == "no" and found.waits[0].startswith(
        "upgrade to 4.1 or later, and then kafka-features.sh upgrade"
    )


def test_what_is_not_described_is_not_known() -> None:
    found = ask_change(cluster_of(1, 2, 3, late=None), "add 4")
    assert found.word == "not known" and found.unknown[0].startswith("which controllers follow the leader: give what")
    cluster = cluster_of(1, 2, 3)
    assert cluster.quorum is not None
    unsaid = ask_change(replace(cluster, quorum=replace(cluster.quorum, dynamic=None)), "add 4")
    assert unsaid.word == "not known" and unsaid.unknown[0].startswith("whether kraft.version is 1")


def test_who_is_removed_and_runs_may_add_itself_again_since_4_2() -> None:
    said = "shut it down first (KAFKA-19850)"
    found = ask_change(cluster_of(1, 2, 3, version="4.2.0"), "remove 3")
    assert any(said in note for note in found.meanwhile)
    assert "until its removal is committed, each of controllers 1, 2 is needed" in found.meanwhile
    assert not any(said in note for note in ask_change(cluster_of(1, 2, 3, version="4.1.0"), "remove 3").meanwhile)


def with_file(cluster: Cluster, controller: int, setting: str) -> Cluster:
    """The same with a controller's file."""
    texts = [("c.properties", NODE.format("controller", controller) + setting, True)]
    node = read_cluster_texts(texts, Options(kafka_version="4.2.0", distribution="apache"), "x")[0].brokers
    return replace(cluster, brokers=(*cluster.brokers, *node))


def test_who_adds_itself_is_removed_once_it_has_stopped() -> None:
    """Its removal is judged without it; where the others have no majority then, it is not shut down."""
    joins, two = "controller.quorum.auto.join.enable=true\n", cluster_of(1, 2, version="4.2.0")
    found = ask_change(with_file(two, 2, joins), "remove 2")
    off = "set controller.quorum.auto.join.enable=false in the file of 2 and restart it"
    assert (found.word, found.waits) == ("no", (off,)) and "without it 1 of 2 voters follow" in found.stops[0]
    four = with_file(cluster_of(1, 2, 3, 4, late=(4,), version="4.2.0"), 2, joins)
    assert ask_change(four, "remove 2").waits == (f"start controller 4, or {off}",)
    three = ask_change(with_file(cluster_of(1, 2, 3, version="4.2.0"), 3, joins), "remove 3")
    assert three.word == "yes" and "each of controllers 1, 2 is needed" in three.meanwhile[0]
    assert ask_change(with_file(two, 2, ""), "remove 2").word == "yes"


def test_no_shutdown_is_advised_that_loses_the_majority() -> None:
    found = ask_change(cluster_of(1, 2, version="4.2.0"), "remove 2")
    assert found.word == "not known" and "do not shut it down" in found.waits[0]
    assert not any("shut it down first" in note for note in found.meanwhile)


def test_after_the_leader_is_removed_any_other_may_lead() -> None:
    found = ask_change(cluster_of(1, 2, 3), "remove 1, remove 2")
    assert found.word == "no" and found.stops[0].startswith("2 may lead: if it stops leading")
    assert ask_change(cluster_of(1, 2, 3, 4, 5), "remove 1, replace 2").stops[0].startswith("2 may lead, with the disk")


def test_another_disk_is_needed_before_it_is_added() -> None:
    found = ask_change(cluster_of(1, 2, 3, late=(3,)), "replace 3")
    assert found.word == "not known" and found.waits[0].startswith("format it with --no-initial-controllers, start it")


def test_who_was_removed_before_may_be_added_or_not() -> None:
    found = ask_change(cluster_of(1, 2, 3), "remove 3, add 3")
    assert found.word == "not known" and found.unknown[0].startswith("whether 3 follows the leader once it is removed")
    assert ask_change(with_new_disk(cluster_of(1, 2, 3, late=(3,))), "remove 3, add 3").word == "yes"
    assert ask_change(with_new_disk(cluster_of(1, 2, 3, late=(3,))), "replace 3, remove 3, add 3").word == "not known"


def test_a_node_with_replicas_may_be_a_controller_too() -> None:
    cluster = cluster_of(1, 2, 3)
    holds = replace(cluster, brokers=(*cluster.brokers, Broker(4, HERE, roles=("broker",))))
    found = ask_change(holds, "add 4")
    assert found.word == "not known" and found.unknown[0].startswith("whether 4, a broker (quorum.txt:1), is a con")
    broker = with_file(cluster, 4, "process.roles=broker\n")
    assert ask_change(broker, "add 4").stops[0].startswith("4 is a broker alone (c.properties")


def test_nothing_is_committed_without_a_leader_or_a_high_watermark() -> None:
    quorum = cluster_of(1, 2, 3).quorum
    assert quorum is not None
    cluster = cluster_of(1, 2, 3)
    low = ask_change(replace(cluster, quorum=replace(quorum, watermark=-1)), "add 4")
    assert low.stops == ("the quorum has no high watermark: nothing is committed",)
    none = ask_change(replace(cluster, quorum=replace(quorum, leader=None, headless=True, late=None)), "add 4")
    assert none.stops == ("the quorum has no leader",)


def test_outputs_that_contradict_each_other_leave_it_open() -> None:
    found = ask_change(replace(cluster_of(1, 2, 3), quorum_doubts=("who leads: 1 (a), 2 (b)",)), "add 4")
    assert (found.word, found.unknown) == ("not known", ("who leads: 1 (a), 2 (b)",))


def test_files_that_list_voters_may_be_older_than_the_upgrade() -> None:
    for version, word in (("4.1.0", "not known"), ("3.8.0", "no")):
        cluster = cluster_of(1, 2, 3, version=version)
        assert cluster.quorum is not None
        listed = replace(cluster, quorum=replace(cluster.quorum, dynamic=False))
        assert ask_change(listed, "add 4").word == word


# --- the model does the same ------------------------------------------------------------------------------------------

VOTERS = (A, B, C)
STANDINGS = [
    (count, up, kind, changed)
    for count in (1, 2, 3)
    for size in range(count // 2 + 1, count + 1)
    for up in combinations(VOTERS[:count], size)
    if A in up
    for kind, changed in [("add", D), *(("remove", voter) for voter in VOTERS[:count] if count > 1)]
]
"""Voters of which A leads, those of them that are up, and a change."""
ORDINARY = {(1, (A,), "add", D), (3, (A, B), "add", D), (2, (A, B), "remove", B)}


def _standing_of(voters: tuple[Voter, ...], up: tuple[Voter, ...]) -> QuorumStanding:
    return QuorumStanding(frozenset(one.index for one in voters), frozenset({0}), frozenset(one.index for one in up))


@pytest.mark.parametrize("row", tier_parameters(STANDINGS, lambda row: row in ORDINARY))
def test_the_model_needs_the_same_controllers(row: tuple[int, tuple[Voter, ...], str, Voter]) -> None:
    """Of each quorum of up to three voters, and each change: who is needed right after the leader has appended it, and
    how many may fail once the others have it."""
    count, up, kind, changed = row
    first = VOTERS[:count]
    story = Story(set(first)).elect(A, *up[1:]).catch_up(A, *up[1:])
    before = _standing_of(first, up)
    running = up
    if kind == "add":
        story.follow(A, D).catch_up(A, D).step("add_voter", leader=A, voter=D)
        after, running = before.with_change("add", D.index), (*up, D)
    else:
        story.step("remove_voter", leader=A, voter=changed)
        after = before.with_change("remove", changed.index)
    voting = {one for one in running if one in first or kind == "add"}
    is_kept = after.has_majority(after.running)
    if is_kept:
        needed = {one.index for one in voting if not story.goes_on(A, voting - {one})}
        assert needed == needed_meanwhile(before, after)
    story.catch_up(A, *(one for one in running if one != A))
    assert story.is_committed(A) is is_kept
    if is_kept and changed != A:
        left = [one for one in running if one != changed or kind == "add"]
        assert story.failures_tolerated(A, left) == after.may_fail()
