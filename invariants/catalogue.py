"""The models that ship with Tidegate, each bound to its properties: what `replication:kip320` means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType

from ..language.binding import Definition, load
from ..language.errors import UsageError, nearest
from ..model import async_isr, kraft, partition, raft, replication
from . import async_isr as async_isr_properties
from . import kraft as kraft_properties
from . import partition as partition_properties
from . import raft as raft_properties
from . import replication as replication_properties


@dataclass(frozen=True, slots=True)
class Entry:
    """A model of the catalogue: its text, the module of its properties, and the profile where none is named."""

    name: str
    module: ModuleType
    properties: ModuleType
    default_profile: str | None = None

    def definition(self) -> Definition:
        """The model's text with its properties, collected once. Raises ModelErrors when the text is wrong."""
        return _definition(self.module, self.properties)


@cache
def _definition(module: ModuleType, properties: ModuleType) -> Definition:
    return load(module, (properties,))


_ENTRIES = (
    Entry("replication", replication, replication_properties, default_profile="kip320"),
    Entry("async_isr", async_isr, async_isr_properties),
    Entry("raft", raft, raft_properties, default_profile="raft"),
    Entry("kraft", kraft, kraft_properties, default_profile="kip996"),
    Entry("partition", partition, partition_properties, default_profile="kafka_4_1"),
)

CATALOGUE: Mapping[str, Entry] = {entry.name: entry for entry in _ENTRIES}
"""Every model by name."""


def find(name: str) -> tuple[Definition, str | None]:
    """The definition and the profile of a model's full name, `replication:kip320` or `replication`.

    Without a profile it is the model's default one, or None if it has none. Raises UsageError, naming what is nearest,
    when there is no such model or profile.
    """
    model, colon, profile = name.partition(":")
    if model not in CATALOGUE:
        raise UsageError(f"there is no model {model}; {nearest(model, CATALOGUE)}")
    entry = CATALOGUE[model]
    definition = entry.definition()
    if not colon:
        return definition, entry.default_profile
    if profile not in definition.profiles:
        raise UsageError(f"{model} has no profile {profile}; {nearest(profile, definition.profiles)}")
    return definition, profile
