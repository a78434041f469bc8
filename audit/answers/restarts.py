"""May a broker be restarted now: what stops and what can be lost while it is away, and what to wait for.

What stops is arithmetic: a partition without the broker has the rest of its ISR (`outages`). What can be lost, by the
restart itself and by one fault while the broker is away, is asked of the partition's model with an ISR of that size.
A broker that is a voter of the controllers takes its vote with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from ...language.immutable import immutable
from ..cluster.cluster import SILENT, Cluster, Partition
from ..cluster.findings import Finding
from ..exploring.explorations import Explorations
from ..questions.signature import MOST_REPLICAS, Signature, Subject
from .current_state import ONE_FAULT, is_losing_by_fault
from .outages import Outage, find_outages, remove_nodes

Word = Literal["yes", "no", "not known"]


@immutable
class RestartAnswer:
    """Whether a broker may be restarted now. `stops` is what stops while it is away, `loses` what can be lost, `waits`
    what to wait for, or to do, before; `unknown` why it is not known where nothing speaks against it."""

    broker: int
    word: Word
    stops: tuple[str, ...] = ()
    loses: tuple[str, ...] = ()
    waits: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def restart_answer(
    cluster: Cluster, subjects: Sequence[Subject], findings: Sequence[Finding], broker: int, explorations: Explorations
) -> RestartAnswer:
    """Whether a broker may be restarted as the cluster is now."""
    answering = cluster.answering
    down = dict(answering.down) if answering is not None else dict[int, str]()
    if broker not in {node.id for node in cluster.brokers} | down.keys():
        return RestartAnswer(broker, "not known", unknown=("no broker has this id",))
    if broker in down:
        is_silent = down[broker].startswith(SILENT)
        why = f"it does not answer: see why ({down[broker]})" if is_silent else f"it is down ({down[broker]}): start it"
        return RestartAnswer(broker, "no", waits=(why,))
    away = frozenset({broker, *down})
    stopped = list(_new_outages(subjects, frozenset(down), away, broker))
    held = list(_controller_blockers(cluster, broker))
    losses = _find_losses(subjects, away, broker, explorations)
    waits = dict.fromkeys(
        [
            *(wait for _, wait in held),
            *_awaited_replica_sentences(stopped, broker, down),
            *_reassignment_sentences(subjects, broker),
        ]
    )
    open_ = [
        *_unknown_topic_sentences(subjects, broker),
        *_zookeeper_doubts(cluster),
        *losses.undecided_losses,
        *_unread_setting_sentences(findings),
    ]
    unknown = dict.fromkeys(open_)
    word: Word = "no" if stopped or held or losses.restart_losses else "not known" if unknown else "yes"
    stops = (*(what for what, _ in held), *(outage.short_text for outage in stopped))
    return RestartAnswer(
        broker, word, stops, (*losses.restart_losses, *losses.while_away), tuple(waits), tuple(unknown)
    )


def restart_order(cluster: Cluster) -> list[int]:
    """The brokers in the order of a roll: those that are no voters first, and the quorum's leader last, so that its
    place changes once."""
    quorum, answering = cluster.quorum, cluster.answering
    down = dict(answering.down) if answering is not None else dict[int, str]()
    voters = set(quorum.voters) if quorum is not None else set[int]()
    leader = quorum.leader if quorum is not None else None
    ids = {node.id for node in cluster.brokers if node.id is not None and node.keeps_topics} - voters_alone(cluster)
    return sorted(ids | down.keys(), key=lambda id_: (id_ not in down, id_ == leader, id_ in voters, id_))


def voters_alone(cluster: Cluster) -> set[int]:
    """The voters that answer as no broker and have no replica."""
    quorum, answering = cluster.quorum, cluster.answering
    if quorum is None or answering is None:
        return set()
    return set(quorum.voters) - {*answering.answering_brokers, *(id_ for id_, _ in answering.down)}


def cluster_state(cluster: Cluster) -> object:
    """What an answer rests on and may change meanwhile, to be compared: partitions, who is up, and the quorum."""
    partitions = {
        (topic.name, one.number): (one.leader, one.isr, one.replicas, one.adding, one.removing)
        for topic in cluster.topics
        for one in topic.partitions
    }
    answering, quorum = cluster.answering, cluster.quorum
    up = (
        None if answering is None else (answering.answering_brokers, answering.down, answering.headless, answering.late)
    )
    return partitions, up, None if quorum is None else (quorum.leader, quorum.voters)


# --- what stops -------------------------------------------------------------------------------------------------------


def _new_outages(
    subjects: Sequence[Subject], down: frozenset[int], away: frozenset[int], broker: int
) -> Iterator[Outage]:
    """What is out of service without the broker, and not before."""
    for subject in subjects:
        before = {(outage.topic.name, outage.kind, one.number) for outage in find_outages(subject, down)
                  for one in outage.partitions}  # fmt: skip
        for outage in find_outages(subject, away):
            new = tuple(
                remove_nodes(one, away)
                for one in outage.topic.partitions
                if broker in one.isr and (outage.topic.name, outage.kind, one.number) not in before
                and one.number in {mine.number for mine in outage.partitions}
            )  # fmt: skip
            if new:
                yield replace(outage, partitions=new)


def _controller_blockers(cluster: Cluster, broker: int) -> Iterator[tuple[str, str]]:
    """What is wrong with the controllers without it, and what to wait for."""
    answering, quorum = cluster.answering, cluster.quorum
    if answering is not None and answering.headless:
        yield (
            "no majority of controllers answers: nobody takes over what it leads, and it does not come back",
            "wait until a majority of controllers is up",
        )
    elif quorum is not None and broker in quorum.voters:
        late = set(answering.late) if answering is not None else set[int]()
        left = set(quorum.voters) - late - {broker}
        if 2 * len(left) <= len(set(quorum.voters)):
            who = (
                f"controllers {_broker_ids_text(late - {broker})} are up"
                if late - {broker}
                else "there are more controllers"
            )
            yield (
                f"it is a controller, and without it {len(left)} of {len(set(quorum.voters))} are left: no majority",
                (f"wait until {who}"),
            )


# --- what can be lost -------------------------------------------------------------------------------------------------


@immutable
class _Losses:
    """What faults can lose, in sentences: by the restart itself, while the broker is away, and what is not decided."""

    restart_losses: tuple[str, ...]
    while_away: tuple[str, ...]
    undecided_losses: tuple[str, ...]


def _find_losses(subjects: Sequence[Subject], away: frozenset[int], broker: int, explorations: Explorations) -> _Losses:
    """The restart is asked of the present state, and one fault of that without the broker."""
    itself = list(_loss_sentences(subjects, broker, frozenset(), "restart@all", "the restart itself", explorations))
    meanwhile = [
        found
        for cell, what in ONE_FAULT
        for found in _loss_sentences(subjects, broker, away, cell, f"while it is away, {what}", explorations)
    ]
    return _Losses(
        tuple(said for loses, said in itself if loses),
        tuple(said for loses, said in meanwhile if loses),
        tuple(dict.fromkeys(said for loses, said in (*itself, *meanwhile) if not loses)),
    )


def _loss_sentences(
    subjects: Sequence[Subject], broker: int, away: frozenset[int], cell: str, what: str, explorations: Explorations
) -> Iterator[tuple[bool, str]]:
    """The partitions of which a fault can lose records, in one sentence, and each of which that is not decided."""
    found: list[str] = []
    held = ((subject, topic, one) for subject in subjects for topic in subject.topics for one in topic.partitions)
    for subject, topic, one in held:
        left = remove_nodes(one, away)
        if broker not in one.replicas or left.leader is None:
            continue
        name = f"{topic.name} partition {one.number}"
        loses = [
            is_losing_by_fault(signature, left, cell, explorations)
            for signature in _signatures_of_partition(subject, one)
        ]
        if True in loses:
            found.append(name)
        elif None in loses:
            many = len(set(one.replicas))
            why = f"it has {many} replicas, and the model has 1 to {MOST_REPLICAS}"
            yield False, f"what of {name} can be lost: {why if many > MOST_REPLICAS else 'time ran out'}"
    if found:
        more = f" (and of {len(found) - 1} more)" if len(found) > 1 else ""
        yield True, f"{what} can lose acknowledged records of {found[0]}{more}"


def _signatures_of_partition(subject: Subject, one: Partition) -> list[Signature]:
    return [replace(signature, replicas=len(set(one.replicas))) for signature in subject.present]


# --- what to wait for, and what is not known --------------------------------------------------------------------------


def _awaited_replica_sentences(outages: Sequence[Outage], broker: int, down: dict[int, str]) -> Iterator[str]:
    for outage in outages:
        for left in outage.partitions:
            where = f"{outage.topic.name} partition {left.number}"
            missing = [id_ for id_ in left.replicas if id_ not in left.isr and id_ != broker]
            gone = [id_ for id_ in missing if id_ in down]
            if set(left.replicas) <= {broker}:
                yield f"{where} has no other replica: give it one, or accept that it stops"
            elif gone:
                yield f"start broker {_broker_ids_text(gone)}, and wait until the ISR of {where} has it"
            elif missing:
                yield f"wait until the ISR of {where} has broker {_broker_ids_text(missing)}"
            else:
                yield f"{where} needs all of its replicas in sync: lower min.insync.replicas, or accept that it stops"
            break


def _reassignment_sentences(subjects: Sequence[Subject], broker: int) -> Iterator[str]:
    """Reassignments under way to it or from it."""
    for subject in subjects:
        for topic in subject.topics:
            moving = [one.number for one in topic.partitions if broker in (*one.adding, *one.removing)]
            if moving:
                yield f"wait until the reassignment of {topic.name} partition {moving[0]} has ended"


def _unknown_topic_sentences(subjects: Sequence[Subject], broker: int) -> Iterator[str]:
    """Topics with a replica there of which nothing can be said."""
    for subject in subjects:
        for topic in subject.topics:
            if not subject.present and any(broker in one.replicas for one in topic.partitions):
                yield f"{topic.name}: {subject.not_checked}"


def _zookeeper_doubts(cluster: Cluster) -> Iterator[str]:
    """That nobody was asked how ZooKeeper is, whose servers answer no client of Kafka: a broker that starts registers
    there, and its leaders are replaced by a controller whose session is there."""
    if cluster.answering is not None and cluster.control_plane == "zookeeper":
        yield (
            "whether a majority of ZooKeeper's servers is up, without which it does not come back: each says so itself "
            "(echo srvr | nc HOST 2181)"
        )


def _unread_setting_sentences(findings: Sequence[Finding]) -> Iterator[str]:
    """What was not read of the cluster."""
    open_ = [one for one in findings if one.kind in ("incomplete", "not_read") and one.severity != "note"]
    yield from (one.what for one in open_)


def _broker_ids_text(ids: Iterable[int]) -> str:
    return ", ".join(map(str, sorted(ids)))
