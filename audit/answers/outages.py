"""What is out of service now, as far as descriptions show it: partitions without a leader, writes that are refused.

It is not a question to the model: a partition without a leader is neither written nor read; with an ISR below
min.insync.replicas acks=all is refused, and since 3.7 the high watermark stands still too, so that what other producers
write is not readable (KAFKA-15583).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from ...language.immutable import immutable
from ..cluster.cluster import Partition, Topic
from ..questions.signature import Signature, Subject

Kind = Literal["offline", "refused", "may be refused", "unreadable", "next stops"]

SHOWN = 5
"""Partitions of a topic that are listed by number."""

_SAYS: dict[Kind, str] = {
    "offline": "no leader, so that nothing is written or read",
    "refused": "acks=all is refused",
    "may be refused": "acks=all may be refused, which depends on what is not stated",
    "unreadable": "what is written with this acks cannot be read, since the high watermark stands still",
    "next stops": "one more broker down stops writes",
}


@immutable
class Outage:
    """Partitions of one topic that are out of service for the same reason. `certain`: whatever is not stated. They are
    as they are without the nodes that are down or do not start (`absent_nodes`, some of which they have a replica on).
    """

    topic: Topic
    partitions: tuple[Partition, ...]
    kind: Kind
    certain: bool
    absent_nodes: tuple[int, ...] = ()

    @property
    def to_sentence(self) -> str:
        """In a sentence."""
        some = f"broker{'s' if len(self.absent_nodes) > 1 else ''} {', '.join(map(str, self.absent_nodes))}"
        are = "are" if len(self.absent_nodes) > 1 else "is"
        return f"{self.short_text}, without {some}, which {are} down" if self.absent_nodes else self.short_text

    @property
    def short_text(self) -> str:
        """The same without those that it is without."""
        numbers = [str(partition.number) for partition in self.partitions]
        more = f" and {len(numbers) - SHOWN} more" if len(numbers) > SHOWN else ""
        which = f"partition{'s' if len(numbers) > 1 else ''} {', '.join(numbers[:SHOWN])}{more}"
        return f"{self.topic.name} {which}: {_SAYS[self.kind]}{_isr_words(self)}"


def _isr_words(outage: Outage) -> str:
    if outage.kind == "offline":
        return ""
    smallest = min(outage.partitions, key=lambda partition: len(partition.isr))
    members = ",".join(map(str, smallest.isr))
    of = "the only replica" if len(smallest.replicas) == 1 else f"{len(smallest.replicas)} replicas"
    return f" (the ISR is {{{members}}} of {of})"


def find_outages(subject: Subject, down: Collection[int] = ()) -> Iterator[Outage]:
    """The outages of a subject's topics. `down` are the nodes that are down or do not start."""
    signatures = subject.present
    for topic in subject.topics:
        found: dict[tuple[Kind, bool, tuple[int, ...]], list[Partition]] = {}
        for described in topic.partitions:
            before = kind = _outage_kind(described, signatures)
            partition = described
            if down:
                partition = remove_nodes(described, down)
                kind = _outage_kind(partition, signatures)
            if kind is not None:
                gone = () if before == kind else tuple(sorted({*described.isr, described.leader or -1} & {*down}))
                found.setdefault((*kind, gone), []).append(partition)
        yield from (Outage(topic, tuple(partitions), *kind) for kind, partitions in found.items())


def shrunk_partitions(subject: Subject) -> Iterator[Outage]:
    """Partitions that are written to, with an ISR that is not whole and as small as it may be: nothing is out of
    service, and one more broker down stops writes with acks=all."""
    signatures = [signature for signature in subject.present if signature.acks == "all"]
    for topic in subject.topics:
        found = tuple(
            partition
            for partition in topic.partitions
            if partition.leader is not None
            and len(partition.isr) < len(set(partition.replicas))
            and any(len(partition.isr) == least_isr(partition, signature) for signature in signatures)
        )
        if found:
            yield Outage(topic, found, "next stops", certain=False)


def remove_nodes(partition: Partition, down: Collection[int]) -> Partition:
    """A partition without the nodes that do not start: another one of its ISR leads, if there is one."""
    isr = tuple(number for number in partition.isr if number not in down)
    leads = partition.leader is not None and (partition.leader not in down or bool(isr))
    return replace(partition, isr=isr, leader=(isr[0] if isr else partition.leader) if leads else None)


def _outage_kind(partition: Partition, signatures: Sequence[Signature]) -> tuple[Kind, bool] | None:
    if partition.leader is None:
        return "offline", True
    below = [signature for signature in signatures if len(partition.isr) < least_isr(partition, signature)]
    if not below:
        return None
    refused = [signature for signature in below if signature.acks == "all"]
    unreadable = [
        signature for signature in below if signature.acks != "all" and signature.constants["strict_high_watermark"]
    ]
    if not refused:
        return ("unreadable", len(unreadable) == len(signatures)) if unreadable else None
    waiting = [signature for signature in signatures if signature.acks == "all"]
    return "refused" if len(refused) == len(waiting) else "may be refused", len(refused) == len(signatures)


def least_isr(partition: Partition, signature: Signature) -> int:
    """How many members its ISR must have for acks=all: what is capped is so by the partition's own replicas."""
    return signature.least_isr_of(len(set(partition.replicas)) or signature.replicas)
