"""What there is to say of a cluster beside the answers of the model: findings, each with its place and what to do."""

from __future__ import annotations

from typing import Literal

from ...language.immutable import immutable
from .statements import Origin

Severity = Literal["error", "warning", "note"]


Kind = Literal[
    "unknown_key",  # no key of Kafka, or none of this scope
    "typo",  # no key of Kafka, but close to one
    "wrong_value",  # the wrong type, or outside of what the key allows
    "contradiction",  # two statements that cannot both hold
    "arithmetic",  # follows from numbers alone, such as min.insync.replicas above the replication factor
    "one_host",  # nodes that one lost host takes at once
    "advice",  # a rule of experience, not a question to the model
    "client",  # what the models of producers and consumers say of its settings
    "latent",  # ignored by this version, harmful after an upgrade
    "incomplete",  # a part is missing, or may lose records that no answer is about: the exit is 5 at best
    "not_read",  # a file, or a part of one, that no reader understands
    "not_modelled",  # what the model does not have, and what to read the answers as
]


@immutable
class ModelRun:
    """A run of a built-in model to what a finding says: the model with its profile, the values of its constants over
    those of the profile, and the property that fails."""

    model: str
    values: tuple[tuple[str, int], ...]
    fails: str

    @property
    def to_command(self) -> str:
        """The command that shows it."""
        options = " ".join(f"--set {name}={value}" for name, value in self.values)
        return f"tidegate check {self.model} {options} --property {self.fails}"


@immutable
class Finding:
    """Something to know that is not a question to the partition's model. `source` is a KIP, a JIRA, a page of the
    documentation, or ''; of what a client's model says, the check. `run` gets a page where pages are written."""

    kind: Kind
    severity: Severity
    what: str
    where: Origin
    to_do: str
    source: str = ""
    run: ModelRun | None = None
