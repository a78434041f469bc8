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
    """The voters, the leader, and the controllers that run and follow it, itself among them."""

    voters: frozenset[int]
    leader: int
    running: frozenset[int]

    def has_majority(self, running: frozenset[int]) -> bool:
        """Whether some of the voters are more than half of them."""
        return 2 * len(self.voters & running) > len(self.voters)

    def may_fail(self) -> int:
        """How many of the controllers that run may fail, any of them, while the others are a majority."""
        return len(self.voters & self.running) - len(self.voters) // 2 - 1

    def with_change(self, kind: ChangeKind, controller: int) -> QuorumStanding:
        """The voters after an addition or a removal."""
        added = kind == "add"
        voters = self.voters | {controller} if added else self.voters - {controller}
        return replace(self, voters=voters, running=self.running | {controller} if added else self.running)


def needed_meanwhile(before: QuorumStanding, after: QuorumStanding) -> frozenset[int]:
    """The controllers without each of which nothing more is committed, from when the leader has appended a change until
    others have it: without the leader the others go by the former voters, without another one it goes by the new ones.
    """
    return frozenset(
        gone
        for gone in after.running & (before.voters | after.voters)
        if not (before if gone == after.leader else after).has_majority(after.running - {gone})
    )


def answer_changes(cluster: Cluster, changes: Sequence[VoterChange]) -> list[VoterChangeAnswer]:
    """Whether each change may be made, the ones before it having been made and committed."""
    found: list[VoterChangeAnswer] = []
    standing, unknown = _standing(cluster), tuple(_doubts(cluster))
    refused = tuple(_refusals(cluster))
    for change in changes:
        if refused or standing is None:
            word: Word = "no" if refused else "not known"
            stops = tuple(what for what, _ in refused)
            found.append(VoterChangeAnswer(change, word, stops, tuple(wait for _, wait in refused), (), unknown))
            continue
        stops, waits, after = _judge(cluster, standing, change)
        if stops:
            found.append(VoterChangeAnswer(change, "no", stops, waits, (), unknown))
            continue
        meanwhile = tuple(_notes(cluster, standing, change))
        known: Word = "not known" if unknown else "yes"
        found.append(VoterChangeAnswer(change, known, (), (), meanwhile, unknown, after.may_fail()))
        standing = after
    return found


def _standing(cluster: Cluster) -> QuorumStanding | None:
    quorum = cluster.quorum
    if quorum is None or quorum.leader is None or quorum.late is None:
        return None
    running = frozenset((*quorum.voters, *quorum.observers)) - set(quorum.late)
    return QuorumStanding(frozenset(quorum.voters), quorum.leader, running | {quorum.leader})


def _doubts(cluster: Cluster) -> Iterator[str]:
    quorum = cluster.quorum
    if quorum is None:
        yield f"who votes: give what {DESCRIBE} prints"
        return
    if quorum.late is None:
        yield f"which controllers follow the leader: give what {DESCRIBE} prints"
    if quorum.dynamic is None:
        yield "whether kraft.version is 1: give what kafka-features.sh describe prints"


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
    if quorum.dynamic is False:
        is_late = kafka is not None and is_at_least(kafka.value, FIRST_RAISED) is False
        first = f"upgrade to {FIRST_RAISED} or later, and then " if is_late else ""
        yield (
            "kraft.version is 0: no command changes the voters, and a longer list of them loses metadata",
            f"{first}kafka-features.sh upgrade --feature kraft.version=1 (KAFKA-16538)",
        )
    if quorum.late is not None and quorum.leader is None:
        yield "the quorum has no leader", "have a majority of the voters up"
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
            stops, waits = _why_not_remove(now, change.controller)
            return stops, waits, now.with_change("remove", change.controller)
        case "replace":
            stops, waits = _why_not_replace(now, change.controller)
            gone = replace(now, running=now.running - {change.controller}).with_change("remove", change.controller)
            return stops, waits, gone.with_change("add", change.controller)


Reasons = tuple[tuple[str, ...], tuple[str, ...]]


def _why_not_add(cluster: Cluster, now: QuorumStanding, controller: int) -> Reasons:
    observers = cluster.quorum.observers if cluster.quorum is not None else ()
    if controller in now.voters:
        return (f"{controller} is a voter (DUPLICATE_VOTER)",), ("nothing; with another disk, ask for replace",)
    node = next((node for node in cluster.brokers if node.id == controller and node.roles), None)
    if node is not None and "controller" not in node.roles:
        return (f"{controller} is a broker alone ({node.origin})",), ("add a node with the role of a controller",)
    if controller not in observers:
        what = f"{controller} does not fetch from the leader, which adds nobody that has not caught up"
        return (what,), (f"format it with --no-initial-controllers, and start it; then {DESCRIBE}",)
    if controller not in now.running:
        return (f"{controller} has not caught up with the leader",), (f"wait until {DESCRIBE} shows no lag of it",)
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
    if controller == now.leader and not now.has_majority(left):
        what = (
            f"{controller} leads: if it stops leading before another has the record of its removal, it does not stand "
            "any more, and the others need its vote (docs/kafka-findings.md)"
        )
        first = f"start controller {away}, or " if after.voters - now.running else ""
        return (what,), (f"{first}have another one lead first: restart {controller}",)
    return (), ()


def _why_not_replace(now: QuorumStanding, controller: int) -> Reasons:
    if controller not in now.voters:
        return (f"{controller} is not a voter: its disk is no matter of the voters",), ("format it, and start it",)
    if controller == now.leader:
        return (f"{controller} leads, with the disk that it has",), ("shut it down, so that another one leads",)
    if not now.has_majority(now.running - {controller}):
        up = len((now.voters & now.running) - {controller})
        what = f"without {controller} {up} of {len(now.voters)} voters follow: no majority, and the leader resigns"
        away = now.voters - now.running - {controller}
        return (what,), (f"start controller {_ids(away)}" if away else "no change helps: its disk is needed",)
    return (), ()


def _notes(cluster: Cluster, now: QuorumStanding, change: VoterChange) -> Iterator[str]:
    """What to know while a change is made."""
    if change.kind == "replace":
        running = replace(now, running=now.running - {change.controller})
        steps = [("remove", running), ("add", running.with_change("remove", change.controller))]
        yield f"remove-controller {change.controller} with its old directory id; add-controller once it is committed"
    else:
        steps = [(change.kind, now)]
    for kind, before in steps:
        after = before.with_change("add" if kind == "add" else "remove", change.controller)
        if needed := needed_meanwhile(before, after):
            who = f"controller {_ids(needed)}" if len(needed) == 1 else f"each of controllers {_ids(needed)}"
            yield f"until {'its addition' if kind == 'add' else 'its removal'} is committed, {who} is needed"
    if change.kind == "remove":
        yield from _joins_again(cluster, now, change.controller)


def _joins_again(cluster: Cluster, now: QuorumStanding, controller: int) -> Iterator[str]:
    """That who is removed adds itself again (KAFKA-19850)."""
    kafka = cluster.versions.kafka
    if controller not in now.running or (kafka is not None and is_at_least(kafka.value, FIRST_AUTO_JOIN) is False):
        return
    node = next((node for node in cluster.brokers if node.id == controller and node.settings), None)
    stated = None if node is None else readable_settings(node).get(AUTO_JOIN)
    if node is None or (stated is not None and is_true(stated.value)):
        where = f"its file has {AUTO_JOIN}=true" if stated is not None else f"if its file has {AUTO_JOIN}=true, it"
        and_so = ": it adds itself again as long as it runs" if stated is not None else " adds itself again"
        yield f"{where}{and_so}; shut it down first (KAFKA-19850)"


def _does_not(some: frozenset[int]) -> str:
    return "does not" if len(some) == 1 else "do not"


def _ids(ids: frozenset[int]) -> str:
    return ", ".join(map(str, sorted(ids)))
