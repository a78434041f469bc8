"""The settings of a topic and its producer by which it loses records, or stops, more easily than it has to."""

from __future__ import annotations

from collections.abc import Iterator

from ..kafka.internal_topics import OFFSETS
from ..kafka.keys import declared_key
from ..kafka.topic_settings import COMMIT_ACKS
from ..questions.signature import Signature, Subject

MIN_INSYNC_REPLICAS = declared_key("min.insync.replicas")
UNCLEAN_LEADER_ELECTION_ENABLE = declared_key("unclean.leader.election.enable")
REPLICATION = "replication factor"


def risky_settings(subject: Subject, question: str) -> tuple[str, ...]:
    """All of them that matter to a question, as `acks=1`, each once; `acks not given` where nothing states it."""
    service = question in ("writable", "readable")
    find = _keys_that_stop if service else _keys_that_lose
    keys = dict.fromkeys(key for variant in subject.variants for key in find(variant.signature, subject))
    stated = {used.key: used.value for used in subject.used_settings}
    return tuple(f"{key}={stated[key]}" if key in stated else f"{key} not given" for key in keys)


def _keys_that_lose(signature: Signature, subject: Subject) -> Iterator[str]:
    if signature.acks != "all":
        yield COMMIT_ACKS if subject.topics[0].name == OFFSETS else "acks"
    if signature.elects_uncleanly:
        yield UNCLEAN_LEADER_ELECTION_ENABLE
    if signature.replicas == 1:
        yield REPLICATION
    elif signature.min_isr < 2:
        yield MIN_INSYNC_REPLICAS


def _keys_that_stop(signature: Signature, subject: Subject) -> Iterator[str]:
    if signature.replicas == 1:
        yield REPLICATION
    elif signature.acks == "all" and signature.least_isr >= signature.replicas:
        yield MIN_INSYNC_REPLICAS
