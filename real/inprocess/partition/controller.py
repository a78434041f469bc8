"""A controller with one partition, hosted in one process: what it is asked, and what is seen of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from ....language.immutable import immutable
from ..hosting import HostedWorld, Step

Level: TypeAlias = Literal["TOPIC", "DEFAULT", "BROKER"]
"""Where a setting stands: for the topic, for all brokers, or for the controller's own node."""
LEVELS: tuple[Level, ...] = ("TOPIC", "DEFAULT", "BROKER")
NO_ERROR = "NONE"
NO_DIRECTORY = -1
"""The number of a directory that stands for none, or for one that is not known."""


@immutable
class ControllerSettings:
    """What is hosted: brokers 1 to `brokers`, those that hold a copy in the order of assignment, how many directories
    each broker has at first, the topic's settings and at which level they stand, whether eligible leader replicas are
    on, and a defect that the host is given on purpose ("" for none)."""

    brokers: int = 3
    replicas: tuple[int, ...] = (1, 2, 3)
    directories: int = 1
    min_isr: int = 2
    unclean: bool = False
    elr: bool = False
    level: Level = "TOPIC"
    defect: str = ""

    def document(self) -> dict[str, Any]:
        """As the process takes them."""
        document = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return document | {"replicas": list(self.replicas)}


@immutable
class SeenBroker:
    """What the controller has on record of a broker: its broker epoch, whether it is fenced or in a controlled
    shutdown, its directories, and whether the directory of its copy is one of them."""

    epoch: int
    is_fenced: bool
    is_stopping: bool
    directories: tuple[int, ...]
    has_directory: bool


@immutable
class SeenPartition:
    """What the controller has on record: of the partition, and of each broker that is registered. `directories` has the
    number of the directory of each replica, in the order of `replicas`."""

    leader: int | None
    leader_epoch: int
    partition_epoch: int
    is_recovering: bool
    isr: frozenset[int]
    elr: frozenset[int]
    last_known: tuple[int, ...]
    replicas: tuple[int, ...]
    adding: frozenset[int]
    removing: frozenset[int]
    directories: tuple[int, ...]
    min_isr: int
    is_unclean: bool
    brokers: Mapping[int, SeenBroker]

    @property
    def fenced_brokers(self) -> frozenset[int]:
        """The brokers that are fenced."""
        return frozenset(number for number, broker in self.brokers.items() if broker.is_fenced)

    @property
    def active_replicas(self) -> frozenset[int]:
        """The replicas that may lead if they have the records: neither fenced nor stopping, in a known directory."""
        return frozenset(
            number
            for number, broker in self.brokers.items()
            if number in self.replicas and not broker.is_fenced and not broker.is_stopping and broker.has_directory
        )


@immutable
class CallResult:
    """What came of a call: the name of Kafka's error ("NONE" for none), the records that it wrote, and what is seen."""

    error: str
    records: tuple[str, ...]
    state: SeenPartition


class HostedPartition:
    """A controller of a release with one partition, all of whose replicas are in sync."""

    def __init__(self, host: HostedWorld, settings: ControllerSettings, *, log: bool = False) -> None:
        self._host = host
        answer = host.ask({"do": "open", "settings": settings.document(), "log": log})
        self.state = seen_partition(answer["state"])
        self.lines: tuple[str, ...] = ()

    def take(self, *steps: Step) -> tuple[CallResult, ...]:
        """Takes calls, one after the other. HostError where Kafka's code throws what it takes for impossible."""
        answer = self._host.ask({"do": "take", "steps": [list(step) for step in steps]})
        self.lines = tuple(answer["lines"])
        results = tuple(
            CallResult(error, tuple(records), seen_partition(state))
            for error, records, state in zip(answer["errors"], answer["records"], answer["states"], strict=True)
        )
        self.state = results[-1].state if results else self.state
        return results


def seen_partition(document: Mapping[str, Any]) -> SeenPartition:
    """What is seen, of an answer."""
    brokers: list[dict[str, Any]] = document["brokers"]
    return SeenPartition(
        None if document["leader"] < 0 else document["leader"],
        document["leader_epoch"],
        document["partition_epoch"],
        document["recovering"],
        frozenset(document["isr"]),
        frozenset(document["elr"]),
        tuple(document["last_known"]),
        tuple(document["replicas"]),
        frozenset(document["adding"]),
        frozenset(document["removing"]),
        tuple(document["directories"]),
        document["min_isr"],
        document["unclean"],
        {number: _seen_broker(broker) for number, broker in enumerate(brokers, 1) if broker["registered"]},
    )


def _seen_broker(document: Mapping[str, Any]) -> SeenBroker:
    return SeenBroker(
        document["epoch"],
        document["fenced"],
        document["stopping"],
        tuple(document["directories"]),
        document["has_directory"],
    )


def call_words(step: Sequence[str | int]) -> str:
    """`alter_isr(1, 0, 0, 1, 2)`: a call in words."""
    verb, *numbers = step
    return f"{verb}({', '.join(map(str, numbers))})"
