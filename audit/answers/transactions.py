"""Whether anybody writes transactions, on which it depends what must hold of `__transaction_state`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from ..cluster.cluster import Client, Cluster
from ..cluster.settings import setting_value
from ..cluster.statements import StatedValue
from ..kafka.internal_topics import TRANSACTIONS
from ..kafka.keys import declared_key
from ..questions.signature import Subject
from .requirements import RequirementCheck

TRANSACTIONAL_ID = declared_key("transactional.id")

WRITERS = "whether a producer is transactional"
ASK = "every producer's file, or what uses transactions as such a file (transactional.id)"


def writes_transactions(cluster: Cluster) -> Literal["yes", "no", "unknown"]:
    """Whether a producer of the files writes transactions. Where no producer's file is given, or one that is part of a
    program such as Connect, which sets what it needs by itself, their log says it: it is there since one did
    (`FindCoordinator` of a transactional id creates it), and a running cluster without it has had none."""
    producers = [client for client in cluster.clients if client.kind == "producer"]
    if any(_is_transactional(cluster, producer) for producer in producers):
        return "yes"
    if producers and not any(producer.is_embedded for producer in producers):
        return "no"
    if any(topic.name == TRANSACTIONS and topic.partitions for topic in cluster.topics):
        return "yes"
    return "unknown" if cluster.answering is None else "no"


def assumption_about_transactions(cluster: Cluster) -> str:
    """What is taken for granted of a running cluster whose producers are not known; "" of others."""
    named = any(client.kind == "producer" and not client.is_embedded for client in cluster.clients)
    if cluster.answering is None or named or writes_transactions(cluster) != "no":
        return ""
    return f"no producer is transactional, since {TRANSACTIONS}, which the first of them creates, is not there"


def _is_transactional(cluster: Cluster, producer: Client) -> bool:
    found = setting_value(cluster, producer, TRANSACTIONAL_ID)
    return isinstance(found, StatedValue) and bool(found.value)


def add_transactions(
    checks: Iterable[RequirementCheck], subject: Subject, cluster: Cluster
) -> tuple[list[RequirementCheck], dict[str, str]]:
    """The checks of a subject, and what may be given to decide them: of the transaction log those that are about
    transactions count where somebody writes them, not where nobody does, and depend on it where that is not known."""
    every = list(checks)
    if subject.topics[0].name != TRANSACTIONS:
        return every, {}
    who = writes_transactions(cluster)
    if who == "no":
        return [check for check in every if check.requirement.of != "transactions"], {}
    if who == "yes":
        return every, {}
    made = [_weaken_to_dependent(check) for check in every]
    return made, {WRITERS: ASK} if made != every else {}


def _weaken_to_dependent(check: RequirementCheck) -> RequirementCheck:
    if check.requirement.of != "transactions" or check.result != "failed" or check.answer is None:
        return check
    return replace(check, result="depends", answer=replace(check.answer, word="depends", facts=(WRITERS,)))
