"""What is compared of a partition and its brokers: what the model has on record, and what Kafka's controller has."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ....language.immutable import immutable
from ....language.values import State
from .controller import SeenPartition


@immutable
class PartitionRecord:
    """What a controller has on record, of the model or of Kafka's code. `unknown_directories` are the replicas whose
    directory is none of those that their broker has registered."""

    leader: int | None
    leader_epoch: int
    isr: frozenset[int]
    elr: frozenset[int]
    last_known_leader: int | None
    fenced_brokers: frozenset[int]
    replicas: frozenset[int]
    adding: frozenset[int]
    removing: frozenset[int]
    unknown_directories: frozenset[int]


COMPARED = tuple(PartitionRecord.__dataclass_fields__)
"""What is compared after each step."""


def record_of_model(state: State, numbers: Mapping[Any, int], registered_brokers: Collection[int]) -> PartitionRecord:
    """What the model has on record. `registered_brokers` have registered the directories that they have: of others the
    controller does not know yet that a directory is gone."""
    on_record, assignment = state.registered, state.assignment

    def of(brokers: Iterable[Any]) -> frozenset[int]:
        return frozenset(numbers[broker] for broker in brokers)

    return PartitionRecord(
        leader=None if on_record.leader is None else numbers[on_record.leader],
        leader_epoch=on_record.leader_epoch,
        isr=of(on_record.isr),
        elr=of(on_record.elr),
        last_known_leader=None if on_record.last_known_leader is None else numbers[on_record.last_known_leader],
        fenced_brokers=of(state.fenced),
        replicas=of(assignment.replicas),
        adding=of(assignment.adding),
        removing=of(assignment.removing),
        unknown_directories=of(state.relocated) & of(assignment.replicas) & frozenset(registered_brokers),
    )


def record_of_kafka(partition: SeenPartition, registered_brokers: Collection[int]) -> PartitionRecord:
    """The same of Kafka's code."""
    return PartitionRecord(
        leader=partition.leader,
        leader_epoch=partition.leader_epoch,
        isr=partition.isr,
        elr=partition.elr,
        last_known_leader=next(iter(partition.last_known), None),
        fenced_brokers=partition.fenced_brokers,
        replicas=frozenset(partition.replicas),
        adding=partition.adding,
        removing=partition.removing,
        unknown_directories=frozenset(
            replica
            for replica in partition.replicas
            if replica in registered_brokers and not partition.brokers[replica].has_directory
        ),
    )


def differing_fields(of_model: PartitionRecord, of_code: PartitionRecord) -> tuple[str, ...]:
    """The fields in which two records differ."""
    return tuple(field for field in COMPARED if getattr(of_model, field) != getattr(of_code, field))


def record_words(record: PartitionRecord) -> dict[str, str]:
    """Each field in words."""
    return {field.replace("_", " "): _value_words(getattr(record, field)) for field in COMPARED}


def _value_words(value: Any) -> str:
    if isinstance(value, frozenset):
        return f"{{{', '.join(map(str, sorted(value)))}}}"  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
    return "none" if value is None else str(value)
