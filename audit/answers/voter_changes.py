"""May the voters of KRaft be changed now (KIP-853): is a change taken and committed, and who may fail meanwhile.

It is arithmetic with majorities of the voters before and after, by who fetches from the leader, and a test holds it
against runs of the model `kraft_voters`. A change that is not committed is not taken back either, and stops the quorum.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from ...language.immutable import immutable
from ..cluster.cluster import Cluster
from ..cluster.settings import readable_settings
from ..kafka.keys import is_true
from ..kafka.versions import is_at_least

ChangeKind = Literal["add", "remove", "replace"]
Word = Literal["yes", "no", "not known"]
FIRST_DYNAMIC, FIRST_RAISED, FIRST_AUTO_JOIN = "3.9", "4.1", "4.2"
"""Releases with voters that change, with a kraft.version that is raised, and with controllers that add themselves."""

DESCRIBE = "kafka-metadata-quorum.sh describe --replication"
AUTO_JOIN = "controller.quorum.auto.join.enable"
Reasons = tuple[tuple[str, ...], tuple[str, ...]]
"""Why not, and what to do first."""


@immutable
class VoterChange:
    """A change of the voters: a controller is added, removed, or gets another disk for one that failed."""

    kind: ChangeKind
    controller: int


@immutable
class VoterChangeAnswer:
    """Whether a change may be made now. `stops` is why not, `waits` what to do before, `meanwhile` what to know while
    it is made, `unknown` why it is not known where nothing speaks against it; `may_fail` how many of the controllers
    that run may fail once it is committed, any of them, None unless it may be made."""

    change: VoterChange
    word: Word
    stops: tuple[str, ...] = ()
    waits: tuple[str, ...] = ()
    meanwhile: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    may_fail: int | None = None


@immutable
class QuorumStanding:
    """The voters, who may lead them, the controllers that run and follow, and the observers that have caught up; one
    with a voter's id has another disk. Whether `former_voters` follow as observers is
    not known."""

    voters: frozenset[int]
    leaders: frozenset[int]
    running: frozenset[int]
    caught_up: frozenset[int] = frozenset()
    former_voters: frozenset[int] = frozenset()

    def has_majority(self, running: frozenset[int]) -> bool:
        """Whether some of the voters are more than half of them."""
        return 2 * len(self.voters & running) > len(self.voters)

    def may_fail(self) -> int:
        """How many of the controllers that run may fail, any of them, while the others are a majority."""
        return len(self.voters & self.running) - len(self.voters) // 2 - 1

    def with_stopped(self, controller: int) -> QuorumStanding:
        """The same once a controller has stopped: of the leader, any other voter that runs may be the next."""
        running = self.running - {controller}
        leaders = self.voters & running if controller in self.leaders else self.leaders
        return replace(self, running=running, leaders=leaders)

    def with_change(self, kind: ChangeKind, controller: int) -> QuorumStanding:
        """The voters after an addition or a removal; a leader that is removed resigns, and any other may be next."""
        if kind == "add":
            running, caught_up = self.running | {controller}, self.caught_up - {controller}
            return replace(self, voters=self.voters | {controller}, running=running, caught_up=caught_up)
        voters = self.voters - {controller}
        leaders = voters & self.running if controller in self.leaders else self.leaders
        return replace(self, voters=voters, leaders=leaders, former_voters=self.former_voters | {controller})


def needed_meanwhile(before: QuorumStanding, after: QuorumStanding) -> frozenset[int]:
    """The controllers without each of which nothing more is committed, from when the leader has appended a change until
    others have it: without the leader the others go by the former voters, without another one it goes by the new ones.
    Of several that may lead, it is who is needed with one of them.
    """
    return frozenset(
        gone
        for leader in before.leaders
        for gone in after.running & (before.voters | after.voters)
        if not (before if gone == leader else after).has_majority(after.running - {gone})
    )


def answer_changes(cluster: Cluster, changes: Sequence[VoterChange]) -> list[VoterChangeAnswer]:
    """Whether each change may be made, the ones before it having been made and committed."""
    found: list[VoterChangeAnswer] = []
    standing, doubts = _standing(cluster), tuple(_doubts(cluster))
    refused = tuple(_refusals(cluster))
    for change in changes:
        if refused or standing is None:
            word: Word = "no" if refused else "not known"
            stops = tuple(what for what, _ in refused)
            found.append(VoterChangeAnswer(change, word, stops, tuple(wait for _, wait in refused), (), doubts))
            continue
        stops, waits, after = _judge(cluster, standing, change)
        open_ = tuple(_open_questions(cluster, standing, change))
        unknown = (*doubts, *(what for what, _ in open_))
        if stops:
            found.append(VoterChangeAnswer(change, "no", stops, waits, (), doubts))
            continue
        meanwhile = tuple(_notes(cluster, standing, change))
        known: Word = "not known" if unknown else "yes"
        first = tuple(wait for _, wait in open_ if wait)
        found.append(VoterChangeAnswer(change, known, (), first, meanwhile, unknown, after.may_fail()))
        standing = after
    return found


def _standing(cluster: Cluster) -> QuorumStanding | None:
    quorum = cluster.quorum
    if quorum is None or quorum.leader is None or quorum.late is None or cluster.quorum_doubts:
        return None
    voters, caught_up = frozenset(quorum.voters), frozenset(quorum.caught_up)
    running = voters - set(quorum.late) | {quorum.leader}
    return QuorumStanding(voters, frozenset({quorum.leader}), running, caught_up)


def _doubts(cluster: Cluster) -> Iterator[str]:
    quorum = cluster.quorum
    yield from cluster.quorum_doubts
    if quorum is None:
        if not cluster.quorum_doubts:
            yield f"who votes: give what {DESCRIBE} prints"
        return
    if quorum.late is None:
        yield f"which controllers follow the leader: give what {DESCRIBE} prints, its times in numbers"
    if quorum.dynamic is not True and "kraft.version" not in cluster.versions.features and not _is_static(cluster):
        yield "whether kraft.version is 1: give what kafka-features.sh describe prints"


def _is_static(cluster: Cluster) -> bool:
    """Whether kraft.version is 0 for certain. Files that list voters may be older than an upgrade of it."""
    kafka = cluster.versions.kafka
    is_old = kafka is not None and is_at_least(kafka.value, FIRST_DYNAMIC) is False
    level = cluster.versions.features.get("kraft.version")
    return is_old or (level is not None and level.value == "0" and not cluster.quorum_doubts)


def _refusals(cluster: Cluster) -> Iterator[tuple[str, str]]:
    """Why no change is taken, and what to do."""
    quorum, kafka = cluster.quorum, cluster.versions.kafka
    if cluster.control_plane == "zookeeper":
        yield (
            "the controllers are elected with ZooKeeper, and have no voters of their own",
            "change ZooKeeper's servers",
        )
    if quorum is None:
        return
    if cluster.control_plane != "zookeeper" and _is_static(cluster):
        is_late = kafka is not None and is_at_least(kafka.value, FIRST_RAISED) is False
        first = f"upgrade to {FIRST_RAISED} or later, and then " if is_late else ""
        yield (
            "kraft.version is 0: no command changes the voters, and a longer list of them loses metadata",
            f"{first}kafka-features.sh upgrade --feature kraft.version=1 (KAFKA-16538)",
        )
    if quorum.headless:
        yield "the quorum has no leader", "have a majority of the voters up"
    elif quorum.watermark is not None and quorum.watermark < 0:
        yield "the quorum has no high watermark: nothing is committed", "have a majority of the voters up"
    standing = _standing(cluster)
    if standing is not None and not standing.has_majority(standing.running):
        up, of = len(standing.voters & standing.running), len(standing.voters)
        yield f"{up} of {of} voters follow the leader: no majority, and nothing is committed", "start the others"


def _judge(
    cluster: Cluster, now: QuorumStanding, change: VoterChange
) -> tuple[tuple[str, ...], tuple[str, ...], QuorumStanding]:
    """Why a change may not be made, what to do first, and the voters after it."""
    match change.kind:
        case "add":
            stops, waits = _why_not_add(cluster, now, change.controller)
            return stops, waits, now.with_change("add", change.controller)
        case "remove":
            stopped = _standing_before_removal(cluster, now, change.controller)
            stops, waits = _why_not_stop(cluster, now, change.controller)
            if not stops:
                stops, waits = _why_not_remove(stopped, change.controller)
            return stops, waits, stopped.with_change("remove", change.controller)
        case "replace":
            stops, waits = _why_not_replace(now, change.controller)
            gone = now.with_stopped(change.controller).with_change("remove", change.controller)
            return stops, waits, gone.with_change("add", change.controller)


def _open_questions(cluster: Cluster, now: QuorumStanding, change: VoterChange) -> Iterator[tuple[str, str]]:
    """What is not known of a change, and what to do first."""
    controller = change.controller
    if change.kind == "replace" and controller not in now.caught_up:
        yield (
            f"whether {controller} follows with its other disk: no such observer has caught up",
            f"format it with --no-initial-controllers, start it, and wait until {DESCRIBE} shows no lag of it",
        )
    if change.kind == "add" and controller in now.former_voters and controller not in now.caught_up:
        yield f"whether {controller} follows the leader once it is removed: describe the quorum again then", ""
    node = next((node for node in cluster.brokers if node.id == controller and node.roles), None)
    if change.kind == "add" and node is not None and "controller" not in node.roles and not node.settings:
        yield f"whether {controller}, a broker ({node.origin}), is a controller too: give its server.properties", ""
    if change.kind == "remove" and _auto_join(cluster, controller) == "unknown" and _is_needed(now, controller):
        yield (
            f"whether the file of {controller} has {AUTO_JOIN}=true, with which it adds itself again",
            f"set {AUTO_JOIN}=false there and restart it; do not shut it down: the others have no majority "
            "(KAFKA-19850)",
        )


def _is_needed(now: QuorumStanding, controller: int) -> bool:
    """Whether a voter runs and the others that do have no majority."""
    return controller in now.voters & now.running and not now.has_majority(now.running - {controller})


def _standing_before_removal(cluster: Cluster, now: QuorumStanding, controller: int) -> QuorumStanding:
    """The standing in which a removal is made: who may add itself again is shut down first, where that may be."""
    if _auto_join(cluster, controller) == "off" or _is_needed(now, controller):
        return now
    return now.with_stopped(controller)


def _why_not_stop(cluster: Cluster, now: QuorumStanding, controller: int) -> Reasons:
    """Why who adds itself again may not be shut down before its removal."""
    if len(now.voters) == 1 or _auto_join(cluster, controller) != "on" or not _is_needed(now, controller):
        return (), ()
    up, away = len(now.voters & now.running) - 1, now.voters - now.running
    what = (
        f"{controller} adds itself again as long as it runs ({AUTO_JOIN}=true, KAFKA-19850), and without it {up} of "
        f"{len(now.voters)} voters follow: no majority"
    )
    start = f"start controller {_ids(away)}, or " if away else ""
    return (what,), (f"{start}set {AUTO_JOIN}=false in the file of {controller} and restart it",)


def _why_not_add(cluster: Cluster, now: QuorumStanding, controller: int) -> Reasons:
    if controller in now.voters:
        return (f"{controller} is a voter (DUPLICATE_VOTER)",), ("nothing; with another disk, ask for replace",)
    node = next((node for node in cluster.brokers if node.id == controller and node.roles and node.settings), None)
    if node is not None and "controller" not in node.roles:
        return (f"{controller} is a broker alone ({node.origin})",), ("add a node with the role of a controller",)
    if controller not in now.caught_up | now.former_voters:
        if cluster.quorum is not None and controller in cluster.quorum.observers:
            return (f"{controller} has not caught up with the leader",), (f"wait until {DESCRIBE} shows no lag of it",)
        what = f"{controller} does not fetch from the leader, which adds nobody that has not caught up"
        return (what,), (f"format it with --no-initial-controllers, and start it; then {DESCRIBE}",)
    after = now.with_change("add", controller)
    if len(now.voters) > 1 and not after.has_majority(now.running - {controller}):
        away = _ids(now.voters - now.running)
        what = (
            f"with {len(after.voters)} voters of which {away} {_does_not(now.voters - now.running)} follow, "
            f"{controller} is needed at once: if it stops, nothing is committed, nor is its removal"
        )
        return (what,), (f"start controller {away}, or remove it first",)
    return (), ()


def _why_not_remove(now: QuorumStanding, controller: int) -> Reasons:
    if controller not in now.voters:
        return (f"{controller} is not a voter (VOTER_NOT_FOUND)",), ("nothing",)
    if len(now.voters) == 1:
        return (f"{controller} is the only voter, and the last one is not removed",), ("add another one first",)
    after = now.with_change("remove", controller)
    left = now.running - {controller}
    away = _ids(after.voters - now.running)
    if not after.has_majority(left):
        what = f"{len(after.voters & left)} of the {len(after.voters)} voters that are left follow: it is not committed"
        return (what,), (f"start controller {away}",)
    if controller in now.leaders and not now.has_majority(left):
        leads = "leads" if len(now.leaders) == 1 else "may lead"
        what = (
            f"{controller} {leads}: if it stops leading before another has the record of its removal, it does not "
            "stand any more, and the others need its vote (docs/kafka-findings.md)"
        )
        first = f"start controller {away}, or " if after.voters - now.running else ""
        return (what,), (f"{first}have another one lead first: restart {controller}",)
    return (), ()


def _why_not_replace(now: QuorumStanding, controller: int) -> Reasons:
    if controller not in now.voters:
        return (f"{controller} is not a voter: its disk is no matter of the voters",), ("format it, and start it",)
    if controller in now.leaders:
        leads = "leads" if len(now.leaders) == 1 else "may lead"
        return (f"{controller} {leads}, with the disk that it has",), ("shut it down, so that another one leads",)
    if not now.has_majority(now.running - {controller}):
        up = len((now.voters & now.running) - {controller})
        what = f"without {controller} {up} of {len(now.voters)} voters follow: no majority, and the leader resigns"
        away = now.voters - now.running - {controller}
        return (what,), (f"start controller {_ids(away)}" if away else "no change helps: its disk is needed",)
    return (), ()


def _notes(cluster: Cluster, now: QuorumStanding, change: VoterChange) -> Iterator[str]:
    """What to know while a change is made."""
    if change.kind == "replace":
        running = now.with_stopped(change.controller)
        steps = [("remove", running), ("add", running.with_change("remove", change.controller))]
        yield f"remove-controller {change.controller} with its old directory id; add-controller once it is committed"
    elif change.kind == "remove":
        steps = [("remove", _standing_before_removal(cluster, now, change.controller))]
    else:
        steps = [("add", now)]
    for kind, before in steps:
        after = before.with_change("add" if kind == "add" else "remove", change.controller)
        if needed := needed_meanwhile(before, after):
            who = f"controller {_ids(needed)}" if len(needed) == 1 else f"each of controllers {_ids(needed)}"
            yield f"until {'its addition' if kind == 'add' else 'its removal'} is committed, {who} is needed"
    if change.kind == "remove":
        yield from _joins_again(cluster, now, change.controller)


def _joins_again(cluster: Cluster, now: QuorumStanding, controller: int) -> Iterator[str]:
    """That who is removed adds itself again (KAFKA-19850)."""
    joins = _auto_join(cluster, controller)
    if joins == "on":
        and_so = "it adds itself again as long as it runs; shut it down first (KAFKA-19850)"
        yield f"its file has {AUTO_JOIN}=true: {and_so}"
    elif joins == "unknown" and controller in now.running and not _is_needed(now, controller):
        yield f"if its file has {AUTO_JOIN}=true, it adds itself again; shut it down first (KAFKA-19850)"


def _auto_join(cluster: Cluster, controller: int) -> Literal["on", "off", "unknown"]:
    """Whether a controller adds itself, by its file."""
    kafka = cluster.versions.kafka
    if kafka is not None and is_at_least(kafka.value, FIRST_AUTO_JOIN) is False:
        return "off"
    node = next((node for node in cluster.brokers if node.id == controller and node.settings), None)
    if node is None:
        return "unknown"
    stated = readable_settings(node).get(AUTO_JOIN)
    if stated is None and any(setting.key == AUTO_JOIN for setting in node.settings):
        return "unknown"
    return "on" if stated is not None and is_true(stated.value) else "off"


def _does_not(some: frozenset[int]) -> str:
    return "does not" if len(some) == 1 else "do not"


def _ids(ids: frozenset[int]) -> str:
    return ", ".join(map(str, sorted(ids)))
