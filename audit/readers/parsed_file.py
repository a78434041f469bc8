"""What one file says, before the files are put together."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from ..cluster.cluster import Broker, Client, Quorum, RespondingBrokers, Topic, TopicUse
from ..cluster.findings import Finding, Kind, Severity
from ..cluster.statements import Origin, Setting, StatedValue
from ..kafka.keys import LARGEST
from ..kafka.versions import ControlPlane


@dataclass
class Part:
    """One file's facts, filled by its reader. `format` is what it was read as, in words.

    `facts` are of the versions: "kafka", "metadata_version", "inter_broker_protocol", "distribution".
    `per_broker` are dynamic settings by broker id, `whole_brokers` everything that a running broker has, defaults too.
    `whole_topics` are described with everything that holds for them. `whole`: there are no nodes but `brokers`.
    `created_topics` are topics that a program creates for itself. `assumptions` are sentences, what was taken for
    granted. `left_out` are topics of which it says that they are there, and no more. `ensemble` are ZooKeeper's servers
    that vote, by host and port. `racks` are by host, or by a node's id. `quorum_doubts` are sentences, what of the
    quorum is not known since a line of its description is not what Kafka prints.
    """

    format: str
    brokers: list[Broker] = field(default_factory=list[Broker])
    topics: list[Topic] = field(default_factory=list[Topic])
    clients: list[Client] = field(default_factory=list[Client])
    dynamic: list[Setting] = field(default_factory=list[Setting])
    per_broker: dict[int, list[Setting]] = field(default_factory=dict[int, list[Setting]])
    whole_brokers: dict[int, list[Setting]] = field(default_factory=dict[int, list[Setting]])
    whole_topics: set[str] = field(default_factory=set[str])
    of_topics: dict[str, list[Setting]] = field(default_factory=dict[str, list[Setting]])
    quorums: list[Quorum] = field(default_factory=list[Quorum])
    quorum_doubts: list[str] = field(default_factory=list[str])
    uses: list[TopicUse] = field(default_factory=list[TopicUse])
    facts: dict[str, list[StatedValue]] = field(default_factory=dict[str, list[StatedValue]])
    features: dict[str, StatedValue] = field(default_factory=dict[str, StatedValue])
    all_features: bool = False
    control_plane: ControlPlane | None = None
    whole: bool = False
    created_topics: list[Topic] = field(default_factory=list[Topic])
    left_out: set[str] = field(default_factory=set[str])
    findings: list[Finding] = field(default_factory=list[Finding])
    assumptions: list[str] = field(default_factory=list[str])
    ensemble: list[str] = field(default_factory=list[str])
    answering: RespondingBrokers | None = None
    racks: dict[str, StatedValue] = field(default_factory=dict[str, StatedValue])

    def fact(self, name: str, value: str, origin: Origin, assumption: str = "") -> None:
        """One statement about what runs."""
        self.facts.setdefault(name, []).append(StatedValue(value, origin, assumption))

    def note(self, kind: Kind, severity: Severity, what: str, where: Origin, to_do: str, source: str = "") -> None:
        """One finding."""
        self.findings.append(Finding(kind, severity, what, where, to_do, source))

    def note_stated_twice(self, what: str, first: Origin, second: Origin) -> None:
        """What one file states in two ways, so that it holds what was printed at different moments, or of two
        clusters."""
        at = f"at {first} and at {second}"
        said = f"{what} is described twice, {at}, with differences: which one holds now is not known"
        self.note("incomplete", "error", said, second, "give what was printed last alone")


def decode_as_latin(text: str) -> str:
    """A text that was written in UTF-8, with its digits of other scripts as Kafka reads them in properties: in Latin 1
    (`Utils.loadProps`), where each is several characters and no digit. What would be a control character of these is
    U+FFFD: terminals obey those. Other characters stay as they are: none of them makes a number."""
    return re.sub(
        r"[^\x00-\xff]", lambda found: _character_as_latin(found[0]) if found[0].isdecimal() else found[0], text
    )


def _character_as_latin(character: str) -> str:
    return re.sub(r"[\x80-\x9f]", "\ufffd", character.encode().decode("latin-1"))


@lru_cache(maxsize=1 << 16)
def parse_numbers(text: str) -> tuple[int, ...]:
    """The numbers of "1,2, 3", none for blank and for N/A; what is no number is left out."""
    return tuple(
        int(word)
        for word in text.replace("[", " ").replace("]", " ").replace(",", " ").split()
        if _is_small_number(word)
    )


NODE_ID_FORMAT = f"a number from 0 to {LARGEST['int']}, as Kafka prints it"


def parse_node_id(text: str) -> int | None:
    """The id of a node, None where it is not written as Kafka prints it: with a sign, a zero before it, digits of other
    scripts, or too large for 32 bits."""
    is_number = re.fullmatch(r"0|[1-9][0-9]{0,9}", text) is not None
    return int(text) if is_number and int(text) <= LARGEST["int"] else None


def _is_small_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 11
