"""The present state of partitions, as far as a description shows it: a finding of its own, beside the configuration.

Partitions that stand alike (so many in sync, with or without a leader) are checked together, each such group by itself.
A partition whose ISR has shrunk to some members is asked about by the same model, which is let shrink its ISR so far,
and then has one more crash or loss of power. With more replicas than the model has, only what is arithmetic is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ...language.immutable import immutable
from ..cluster.cluster import Partition, Topic
from ..exploring.explorations import Explorations
from ..questions.cases import cases_of_faults
from ..questions.questions import QUESTION, Case
from ..questions.signature import MOST_REPLICAS, Signature
from ..questions.situations import BY_NAME, MOST_LAGGING, Name, fault_budgets_of_cell
from .answer import Answer, SubjectVerdict
from .outages import least_isr
from .scenario import loss_scenario_sentences

_LOSS = QUESTION["no-loss"].properties
ONE_FAULT = (("crash@all", "one more crash"), ("power-loss@all", "one loss of power"))
"""Faults that may happen in the present state, in words."""

LISTED = 100
"""Partitions that are listed one by one."""


@immutable
class PartitionState:
    """One partition that is not as it should be: who is in sync of whom."""

    topic: Topic
    partition: Partition

    @property
    def to_text(self) -> str:
        """In a few words."""
        partition = self.partition
        of = f"of {len(partition.replicas)} replicas"
        isr = f"the ISR is {{{_broker_ids_text(partition.isr)}}} {of}" if partition.isr else f"the ISR is empty, {of}"
        eligible = f", {{{_broker_ids_text(partition.eligible)}}} may be elected (ELR)" if partition.eligible else ""
        led = "" if partition.leader is not None else ", and it has no leader"
        return f"{self.topic.name} partition {partition.number}: {isr}{eligible}{led}"

    @property
    def kind(self) -> tuple[bool, int, int, int]:
        """What is alike in partitions that are checked together, the gravest first."""
        partition = self.partition
        return partition.leader is not None, len(partition.isr), len(partition.replicas), len(partition.eligible)


def _broker_ids_text(numbers: Sequence[int]) -> str:
    return ",".join(map(str, numbers))


def partition_states(verdict: SubjectVerdict) -> list[PartitionState]:
    """Partitions whose ISR is not whole, the smallest first."""
    found = [
        PartitionState(topic, partition)
        for topic in verdict.subject.topics
        for partition in topic.partitions
        if len(partition.isr) < len(partition.replicas) or partition.leader is None
    ]
    return sorted(found, key=lambda partition: partition.kind)


def describe_current_state(verdict: SubjectVerdict, explorations: Explorations) -> dict[str, Any] | None:
    """What the present state of a subject's partitions means, group by group; None where all are in sync."""
    found = partition_states(verdict)
    signatures = verdict.subject.present
    if not found or not signatures:
        return None
    groups: dict[tuple[bool, int, int, int], list[PartitionState]] = {}
    for partition in found:
        groups.setdefault(partition.kind, []).append(partition)
    said = [_describe_alike_partitions(verdict, group, signatures, explorations) for group in groups.values()]
    nothing: list[str] = []
    return {
        "headline": said[0]["headline"],
        "groups": said,
        "partitions": [partition.to_text for partition in found[:LISTED]],
        "number": len(found),
        "scenario": next((group["scenario"] for group in said if group["scenario"]), nothing),
    }


def _describe_alike_partitions(
    verdict: SubjectVerdict,
    alike: Sequence[PartitionState],
    signatures: Sequence[Signature],
    explorations: Explorations,
) -> dict[str, Any]:
    first = alike[0].partition
    own = [replace(signature, replicas=len(set(first.replicas))) for signature in signatures]
    more = f" (and {len(alike) - 1} more like it)" if len(alike) > 1 else ""
    means = list(_partition_state_sentences(first, own, explorations))
    return {
        "headline": f"{alike[0].to_text}{more}; {'; '.join(means)}" if means else f"{alike[0].to_text}{more}",
        "number": len(alike),
        "scenario": _loss_scenario_sentences(verdict, first, own, explorations),
    }


def _partition_state_sentences(
    one: Partition, signatures: Sequence[Signature], explorations: Explorations
) -> Iterator[str]:
    if one.leader is None:
        yield _replicas_waited_for(one, signatures)
        return
    needed = {least_isr(one, signature) if signature.acks == "all" else 1 for signature in signatures}
    if all(len(one.isr) < number for number in needed):
        yield f"writes are refused: {min(needed)} in sync are needed (arithmetic)"
    elif any(len(one.isr) < number for number in needed):
        yield f"writes with acks=all are refused: {max(needed)} in sync are needed (arithmetic)"
    elif all(len(one.isr) - 1 < number for number in needed):
        yield "one more broker down stops writes (arithmetic)"
    for cell, what in ONE_FAULT:
        hits = [_can_lose(signature, one, cell, explorations) for signature in signatures]
        if all(hits):
            yield f"{what} can lose acknowledged records"
        elif any(hits):
            yield f"whether {what} loses records depends on what is not stated"


def _replicas_waited_for(one: Partition, signatures: Sequence[Signature]) -> str:
    """Who may be elected (PartitionChangeBuilder; with ELR its members, or else the last known leader)."""
    waits = "it is neither written nor read until"
    if one.isr:
        who = f"one of its in-sync replicas {{{_broker_ids_text(one.isr)}}} is back"
    elif one.eligible:
        who = f"one of its eligible leader replicas {{{_broker_ids_text(one.eligible)}}} is back"
    elif one.elr is None:
        who = "one of its eligible leader replicas is back, which kafka-topics.sh of 4.0 and later shows"
    elif one.last_known_elr and not one.elr:  # PartitionChangeBuilder.canElectLastKnownLeader
        who = f"its last known leader, of {{{_broker_ids_text(one.last_known_elr)}}}, is back"
    else:
        who = "a replica is elected uncleanly, by hand (kafka-leader-election.sh --election-type unclean)"
    uncleanly = {signature.elects_uncleanly for signature in signatures}
    if True not in uncleanly:
        return f"{waits} {who}"
    supposed = "" if uncleanly == {True} else "if unclean elections are on, "
    return f"{waits} {who}, or, {supposed}a replica without its last records is elected"


def cases_of_partition(signature: Signature, one: Partition, cell: Name) -> tuple[Case, ...]:
    """The explorations that say whether it is lost, as in a table's cell; those out of the ISR are as many as there
    are now. None with more replicas than the model has."""
    if signature.replicas > MOST_REPLICAS:
        return ()
    lag = max(0, min(MOST_LAGGING, signature.replicas - len(one.isr)))
    return cases_of_faults(signature, {**fault_budgets_of_cell(BY_NAME[cell], signature), "isr_shrinks": lag})


def is_losing_by_fault(signature: Signature, one: Partition, cell: Name, explorations: Explorations) -> bool | None:
    """Whether acknowledged records can be lost by the fault of a cell, from a partition's present state on; None where
    that is not decided: with more replicas than the model has, or for want of time."""
    found = [explorations.result_of(case) for case in cases_of_partition(signature, one, cell)]
    if any(name in result.scenarios for result in found for name in _LOSS):
        return True
    return None if not found or any(result.stop_reason for result in found) else False


def _can_lose(signature: Signature, one: Partition, cell: Name, explorations: Explorations) -> bool:
    cases = cases_of_partition(signature, one, cell)
    return any(name in explorations.result_of(case).scenarios for case in cases for name in _LOSS)


def _loss_scenario_sentences(
    verdict: SubjectVerdict, one: Partition, signatures: Sequence[Signature], explorations: Explorations
) -> list[str]:
    """How it is lost from there, if it is: the soonest that begins with the ISR's shrinking."""
    if one.leader is None:
        return []
    for signature in signatures:
        for cell, _ in ONE_FAULT:
            for case in cases_of_partition(signature, one, cell):
                found = explorations.result_of(case).scenarios
                for name in _LOSS:
                    if name in found:
                        return loss_scenario_sentences(
                            verdict.subject, Answer("can lose", "model", "", (), found[name], case, name)
                        )
    return []
