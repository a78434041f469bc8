"""`audit --may-restart`: whether a broker of a running cluster may be restarted, asked again before it is answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from ..audit.answers.restarts import RestartAnswer, cluster_state, restart_answer, restart_order
from ..audit.cluster.cluster import Cluster
from ..audit.cluster.findings import Finding
from ..audit.exploring.explorations import Explorations
from ..audit.questions.subjects import cluster_subjects
from ..audit.readers.parsed_file import NODE_ID_FORMAT, parse_node_id
from ..language.errors import UsageError
from ..reports.exits import exit_of_permissions

SCHEMA = "tidegate.may-restart/1"
ALL_BROKERS = "all"
MOST_LOOKS = 3
"""How often a cluster is looked at that changes meanwhile."""

UNSETTLED = f"the cluster changed each time while it was looked at, {MOST_LOOKS} times: ask again once it has settled"

Read = Callable[[], tuple[Cluster, Sequence[Finding]]]


def parse_brokers(text: str) -> list[int] | None:
    """The brokers that `--may-restart` names, None for all. Raises UsageError."""
    if text == ALL_BROKERS:
        return None
    found: list[int] = []
    for part in text.split(","):
        broker = parse_node_id(part.strip(" "))
        if broker is None:
            what = "write the id of a broker, several with commas, or all"
            raise UsageError(f"--may-restart {text}: {what}; an id is {NODE_ID_FORMAT}")
        found.append(broker)
    return found


def may_restart_document(
    asked_brokers: Sequence[int] | None, read: Read, folder: Path | None, seconds: float, workers: int
) -> dict[str, Any]:
    """The document of the answers. `read` asks the cluster, and is asked again once they are found: where anything that
    they rest on is otherwise then, they are found anew, and in the end not given."""
    explorations = Explorations(folder, seconds, workers)
    look, (cluster, findings) = 1, read()
    try:
        while True:
            every = cluster_subjects(cluster)
            ids = restart_order(cluster) if asked_brokers is None else asked_brokers
            answers = [restart_answer(cluster, every, findings, broker, explorations) for broker in ids]
            again = read() if cluster.answering is not None else (cluster, findings)
            if cluster_state(again[0]) == cluster_state(cluster):
                return _answers_document(cluster, answers, look, is_in_order=asked_brokers is None)
            if look == MOST_LOOKS:
                open_ = [RestartAnswer(broker, "not known", unknown=(UNSETTLED,)) for broker in ids]
                return _answers_document(cluster, open_, look, is_in_order=asked_brokers is None)
            look, (cluster, findings) = look + 1, again
    finally:
        explorations.close()


def _answers_document(
    cluster: Cluster, answers: Sequence[RestartAnswer], looks: int, *, is_in_order: bool
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "exit": int(exit_of_permissions(answer.word for answer in answers)),
        "brokers": [
            {
                "broker": answer.broker,
                "may_restart": answer.word,
                "stops": list(answer.stops),
                "loses": list(answer.loses),
                "waits": list(answer.waits),
                "unknown": list(answer.unknown),
            }
            for answer in answers
        ],
        "notes": list(_notes(cluster, looks, is_in_order=is_in_order)),
    }


def _notes(cluster: Cluster, looks: int, *, is_in_order: bool) -> list[str]:
    answering = cluster.answering
    if answering is None:
        told = "As the files describe the cluster; --bootstrap-server asks it as it is now."
    else:
        of = len(answering.answering_brokers) + len(answering.down)
        again = "asked again, nothing had changed" if looks == 1 else f"it changed meanwhile, and look {looks} is given"
        asked = f"{len(answering.answering_brokers)} of {of} brokers answered; {again}"
        told = f"As broker {answering.told_by} of {answering.origin} knows it: {asked}."
    order = "In this order, each after the one before is in the ISR of all of its partitions again."
    controllers = [f"Now: {answering.controllers}."] if answering is not None and answering.controllers else []
    return [told, *controllers, *([order] if is_in_order else [])]
