"""`audit --may-change-voters`: whether voters of KRaft may be added, removed, or get another disk, in their order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..audit.answers.voter_changes import VoterChange, answer_changes
from ..audit.cluster.cluster import Cluster
from ..audit.readers.parsed_file import NODE_ID_FORMAT, parse_node_id
from ..language.errors import UsageError
from ..reports.exits import exit_of_permissions

SCHEMA = "tidegate.may-change-voters/1"
KINDS = ("add", "remove", "replace")
TRUNCATED_MEANWHILE = (
    'A controller that has logged "Truncated to offset" or "Fully truncated the log" since its start, such as one that '
    "led when it was cut off, may miss a change of the voters that is made then or later: it may go by old voters, and "
    "then two records can be committed at one offset (Kafka 3.9 to 4.4, no ticket known: docs/kafka-findings.md; "
    "kraft_voters:misses_voters). Start it again before the change, or at once, before it takes a snapshot; but not "
    "where its quorum-state names itself as votedId in the epoch of another leader, which the start may end."
)
"""A defect of Kafka's that no description of a quorum shows, so that each answer says what to do about it. What the
answers compare with are runs of the model without it."""


def parse_changes(text: str) -> list[VoterChange]:
    """The changes that `--may-change-voters` names, in their order. Raises UsageError."""
    found: list[VoterChange] = []
    for part in text.split(","):
        kind, _, written = part.strip(" ").partition("=")
        controller = parse_node_id(written)
        if kind not in KINDS or controller is None:
            raise UsageError(
                f"--may-change-voters {text}: write add=ID, remove=ID or replace=ID, several with commas in their "
                f"order; an ID is {NODE_ID_FORMAT}"
            )
        found.append(VoterChange(kind, controller))
    return found


def may_change_voters_document(changes: Sequence[VoterChange], cluster: Cluster) -> dict[str, Any]:
    """The document of the answers."""
    answers = answer_changes(cluster, changes)
    quorum = cluster.quorum
    told = "" if quorum is None else f"The quorum as {quorum.origin} describes it"
    order = "; each change after the one before is committed" if len(answers) > 1 else ""
    return {
        "schema": SCHEMA,
        "exit": int(exit_of_permissions(answer.word for answer in answers)),
        "changes": [
            {
                "change": answer.change.kind,
                "controller": answer.change.controller,
                "may_change": answer.word,
                "stops": list(answer.stops),
                "waits": list(answer.waits),
                "meanwhile": list(answer.meanwhile),
                "unknown": list(answer.unknown),
                "may_fail": answer.may_fail,
            }
            for answer in answers
        ],
        "notes": [*([f"{told}{order}."] if told else []), TRUNCATED_MEANWHILE],
    }
