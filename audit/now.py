"""The present state of partitions, as far as a description shows it: a finding of its own, beside the configuration.

A partition whose ISR has shrunk to some members is asked about by the same model, which is let shrink its ISR so far
and then has one more crash or loss of power.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from .cases import Explorations
from .cluster import Partition, Topic
from .outages import least_isr
from .questions import QUESTION, Case, case_with
from .scenario import sentences
from .signature import Signature
from .situations import MOST_LAGGING
from .verdicts import Answer, Judged

_LOSS = QUESTION["no-loss"].properties
_FAULTS = (("crashes", "one more crash"), ("power_losses", "one loss of power"))


@dataclass(frozen=True, slots=True)
class State:
    """One partition that is not as it should be: who is in sync of whom."""

    topic: Topic
    partition: Partition

    @property
    def says(self) -> str:
        """In a few words."""
        each = self.partition
        led = "" if each.leader is not None else ", and nobody leads"
        isr = ",".join(map(str, each.isr))
        return f"{self.topic.name} partition {each.number}: the ISR is {{{isr}}} of {len(each.replicas)} replicas{led}"


def states(judged: Judged) -> Iterator[State]:
    """Partitions whose ISR is not whole, the smallest first."""
    found = [
        State(topic, each)
        for topic in judged.subject.topics
        for each in topic.partitions
        if len(each.isr) < len(each.replicas) or each.leader is None
    ]
    yield from sorted(found, key=lambda each: (each.partition.leader is not None, len(each.partition.isr)))


def now(judged: Judged, explorations: Explorations) -> dict[str, Any] | None:
    """What the present state of a subject's partitions means; None where all are in sync."""
    found = list(states(judged))
    if not found or not judged.subject.variants:
        return None
    worst = found[0].partition
    signatures = [variant.signature for variant in judged.subject.variants]
    says = list(_says(worst, signatures, explorations))
    return {
        "headline": f"{found[0].says}; {'; '.join(says)}",
        "partitions": [each.says for each in found[:100]],
        "number": len(found),
        "scenario": _scenario(judged, worst, signatures, explorations),
    }


def _says(worst: Partition, signatures: Sequence[Signature], explorations: Explorations) -> Iterator[str]:
    needed = {least_isr(worst, each) if each.acks == "all" else 1 for each in signatures}
    if worst.leader is None:
        yield "it is neither written nor read until one of its in-sync replicas is back"
        return
    if all(len(worst.isr) < number for number in needed):
        yield f"writes are refused: {min(needed)} in sync are needed (arithmetic)"
    elif all(len(worst.isr) - 1 < number for number in needed):
        yield "one more broker down stops writes (arithmetic)"
    for budget, what in _FAULTS:
        hits = [_lost(each, worst, budget, explorations) for each in signatures]
        if all(hits):
            yield f"{what} can lose acknowledged records"
        elif any(hits):
            yield f"whether {what} loses records depends on what is not stated"


def _case(signature: Signature, worst: Partition, budget: str) -> Case:
    lag = max(0, min(MOST_LAGGING, signature.replicas - len(worst.isr)))
    return case_with("loss", signature, {"isr_shrinks": lag, budget: 1})


def _lost(signature: Signature, worst: Partition, budget: str, explorations: Explorations) -> bool:
    found = explorations.found(_case(signature, worst, budget))
    return any(name in found.scenarios for name in _LOSS)


def _scenario(
    judged: Judged, worst: Partition, signatures: Sequence[Signature], explorations: Explorations
) -> list[str]:
    """How it is lost from there, if it is: the soonest that begins with the ISR's shrinking."""
    for signature in signatures:
        for budget, _ in _FAULTS:
            case = _case(signature, worst, budget)
            found = explorations.found(case).scenarios
            for name in _LOSS:
                if name in found:
                    steps = found[name]
                    return sentences(judged.subject, Answer("can lose", "model", "", (), steps, case, name))
    return []
