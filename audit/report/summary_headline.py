"""The summary's headline: what does not start now, else how many topics fail, how, and which; and what topics that pass
can still lose by."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..cluster.settings import ELR_FEATURE
from ..questions.situations import BY_NAME, GRAVEST, LOST, UNREAD, Cell
from .operator_words import what_happens
from .summary_subjects import STOPS, WRITES, Read, has_failed, silent_producers, topic_names, worst_result
from .word_lists import list_with_or


def headline_text(document: Read) -> str:
    """One sentence, with what it supposes before it where that is an upgrade: `as if upgraded from 3.9 to 4.1: ...`."""
    before, said = document["versions"]["upgraded from"], _cluster_text(document)
    return f"as if upgraded from {before} to {document['versions']['kafka']}: {said}" if before else said


def _cluster_text(document: Read) -> str:
    """What does not start or is refused now, else how many topics fail, how, and which."""
    if document["unknown_release"]:
        return str(document["unknown_release"])
    if not document["subjects"]:
        return str(document["not_asked"])
    now = "; ".join(_now_text(causing_outages(document["outages"])))
    failed = [subject for subject in document["subjects"] if worst_result(subject) == "failed"]
    opened = [subject for subject in document["subjects"] if worst_result(subject) == "open"]
    if any(outage["kind"] == "does not start" for outage in document["outages"]):
        return now
    said = (
        _failing_text(failed, document)
        if failed
        else _open_headline(opened, document)
        if opened
        else document["not_asked"]
    )
    if not said:
        said = _passing_text(document)
    return f"{now}; {said}" if now else said


_OF_NODES = {
    "is down": "is down",
    "does not answer": "does not answer",
    "a controller is down": "is down",
    "does not start": "does not start",
}
"""Kinds of outages that are of nodes, and what is said of one."""


def _now_text(outages: Sequence[Read]) -> Iterator[str]:
    """What is out of service for certain, the gravest first."""
    certain = [outage for outage in outages if outage["certain"]]
    kinds = {outage["kind"] for outage in certain}
    if "no controller" in kinds:
        yield "no majority of controllers answers"
    for kind, says in _OF_NODES.items():
        if kind in kinds:
            nodes = sorted({node for outage in certain if outage["kind"] == kind for node in outage["nodes"]})
            yield _nodes_text(nodes, "a controller" if kind == "a controller is down" else "a node", says)
    if "no consumer" in kinds:
        yield "some consumers do not start or join their groups"
    topics = dict.fromkeys(outage["topic"] for outage in certain if outage["topic"])
    if topics:
        yield f"partitions of {_first_topics_text(list(topics))} refuse writes or reads now"


def _nodes_text(nodes: Sequence[int], otherwise: str, says: str) -> str:
    """`node 2 is down`, `nodes 2, 3 are down`."""
    if len(nodes) < 2:
        return f"node {nodes[0]} {says}" if nodes else f"{otherwise} {says}"
    return f"nodes {', '.join(map(str, nodes))} {says.replace('is', 'are').replace('does', 'do')}"


def _failing_text(failing_subjects: Sequence[Read], document: Read) -> str:
    """`3 of 5 topics can lose acknowledged records when a host loses power, or stop when one broker is down: a, b`."""
    clauses = list(_failure_clauses(failing_subjects))
    names = [name for subject in failing_subjects for name in topic_names(subject)]
    return f"{len(names):,} of {_topics_text(document)} {', or '.join(clauses)}: {_first_topics_text(names)}"


_VERBS = {LOST: "can lose acknowledged records", UNREAD: "can take back what was read", WRITES: "stop"}


def _failure_clauses(failing_subjects: Sequence[Read]) -> Iterator[str]:
    checks = [check for subject in failing_subjects for check in subject["checks"] if check["result"] == "failed"]
    for question, verb in _VERBS.items():
        asked = [check for check in checks if check["question"] == question]
        if question == WRITES and (silent := silent_producers(failing_subjects)):
            yield f"get no records ({_first_topics_text(silent)})"
            writing = [subject for subject in failing_subjects if not subject["writes_nothing"]]
            asked = [check for subject in writing for check in subject["checks"] if has_failed(check, WRITES)]
        cells = sorted((BY_NAME[check["cell"]] for check in asked), key=GRAVEST.index)
        if cells:
            yield f"{verb} {_event_clause(question, cells)}"
    others = dict.fromkeys(check["question"] for check in checks if check["question"] not in (LOST, UNREAD, WRITES))
    if others:
        yield f"fail: {list_with_or([what_happens(question) for question in others])}"


def _event_clause(question: str, cells: Sequence[Cell]) -> str:
    """The likeliest of the faults; of writes that stop, that nothing is wrong, or that one broker is away."""
    names = {cell.fault.name for cell in cells}
    for name in ("leader-move", "crash", "restart") if question == WRITES else ():
        if name in names:
            return STOPS[name]
    return f"when {cells[0].fault.when}"


def _open_headline(open_subjects: Sequence[Read], document: Read) -> str:
    names = [name for subject in open_subjects for name in topic_names(subject)]
    many = topic_count(document["subjects"])
    which = "the topic" if many == 1 else f"{len(names):,} of {_topics_text(document)}"
    meet = "meets" if len(names) == 1 else "meet"
    return (
        f"it is not known whether {which} {meet} what is required ({document['required']}): {_first_topics_text(names)}"
    )


def _passing_text(document: Read) -> str:
    many = topic_count(document["subjects"])
    meet = "the topic meets" if many == 1 else f"all {_topics_text(document)} meet"
    said = f"{meet} what is required ({document['required']})"
    accepted = [
        check for subject in document["subjects"] for check in subject["checks"] if check["result"] == "accepted"
    ]
    assumed = dict.fromkeys(check["assumption"] for check in accepted if check["assumption"])
    if any(not check["assumption"] for check in accepted):
        said += ", but for what is accepted"
    if assumed:
        said += f", assuming that {'; '.join(assumed)}"
    missing = next((finding["what"] for finding in document["findings"] if finding["kind"] == "incomplete"), "")
    return f"of what was read {said}, but something is not covered: {missing}" if missing else said


def _first_topics_text(names: Sequence[str]) -> str:
    """The first names, users' topics before Kafka's own."""
    ranked = sorted(dict.fromkeys(names), key=lambda name: name.startswith("__"))
    if len(ranked) <= MOST_NAMES + 1:  # "and 1 more" would be no shorter
        return ", ".join(ranked)
    return f"{', '.join(ranked[:MOST_NAMES])} and {len(ranked) - MOST_NAMES} more"


MOST_NAMES = 4


def _topics_text(document: Read) -> str:
    """How many topics there are, and how many of them nobody made: `7 topics (2 are Kafka's own)`."""
    every = topic_count(document["subjects"])
    own = topic_count([subject for subject in document["subjects"] if subject["internal"]])
    return f"{every:,} topics" + (f" ({own} {'is' if own == 1 else 'are'} Kafka's own)" if own else "")


def topic_count(subjects: Sequence[Read]) -> int:
    """How many topics some subjects have, each counted once."""
    return len({name for subject in subjects for name in topic_names(subject)})


def remaining_losses(document: Read) -> Iterator[str]:
    """What a topic that meets everything can still lose by, the likeliest first."""
    said: dict[str, list[str]] = {}
    for subject in document["subjects"]:
        refused = dict.fromkeys(check["note"] for check in subject["checks"] if check["result"] != "accepted")
        yield from (f"{_first_topics_text(topic_names(subject))}: {note}" for note in refused if note)
        if subject["accepted"]:
            yield f"{_first_topics_text(topic_names(subject))}: {subject['accepted']}"
        elif worst_result(subject) == "met" and subject["loss"]:
            said.setdefault(f"{_loss_clause(subject)}{_later_release_repair_text(subject)}", []).extend(
                topic_names(subject)
            )
    for says, names in said.items():
        passes = "passes" if len(names) == 1 else "pass"
        yield f"{_first_topics_text(names)}: {passes}; records can still be lost when {says}"


def _loss_clause(subject: Read) -> str:
    """By which fault, and when; where a lost directory loses what a lost disk does, by both."""
    says, question = str(subject["loss"]["says"]), subject["loss"]["question"]
    fault, _, situation = subject["loss"]["cell"].partition("@")
    if fault == "disk-loss" and subject["table"][question][f"directory-loss@{situation}"]["word"] == "can lose":
        return says.replace("a disk is lost", "a disk or a directory is lost", 1)
    return says


def _later_release_repair_text(subject: Read) -> str:
    """From which release on eligible leader replicas keep what can be lost while one replica is in sync (KIP-966). What
    stops on storage that is ephemeral loses its disk: up to 4.2 that is lost all the same."""
    fault, _, situation = subject["loss"]["cell"].partition("@")
    if situation != "one" or (subject["least_isr"] or 0) < 2:
        return ""
    ephemeral = any(used["key"] == "storage" and used["value"] == "ephemeral" for used in subject["settings"])
    if ephemeral or fault in ("disk-loss", "directory-loss"):
        return "; Kafka 4.3 with eligible.leader.replicas.version=1 keeps them"
    if any(used["key"] == ELR_FEATURE for used in subject["deciding"]):
        return "; eligible.leader.replicas.version=1 keeps them, from Kafka 4.0 on"
    return ""


def causing_outages(outages: Sequence[Read]) -> list[Read]:
    """The outages, but for partitions that are without a leader since all nodes that they miss do not start: that is
    said of the nodes."""
    down = {node for outage in outages if outage["kind"] == "does not start" for node in outage["nodes"]}
    return [one for one in outages if not (down and one["topic"] and one["nodes"] and set(one["nodes"]) <= down)]
