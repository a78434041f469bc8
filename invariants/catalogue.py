"""The models that ship with Tidegate, each bound to its properties: what `replication:kip320` means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from ..language.binding import Definition, load
from ..language.errors import UsageError, nearest


@dataclass(frozen=True, slots=True)
class Entry:
    """A model of the catalogue. `default_profile` is taken where none is named. Its text is the module of its name in
    `model/`, its properties are the one in `invariants/`."""

    name: str
    default_profile: str | None = None

    def definition(self) -> Definition:
        """The model's text with its properties, collected once. Raises ModelErrors when the text is wrong."""
        return _definition(self.name)


@cache
def _definition(name: str) -> Definition:
    package = __name__.rpartition(".invariants.")[0]
    return load(import_module(f"{package}.model.{name}"), (import_module(f"{package}.invariants.{name}"),))


_ENTRIES = (
    Entry("replication", default_profile="kip320"),
    Entry("async_isr"),
    Entry("raft", default_profile="raft"),
    Entry("kraft", default_profile="kip996"),
    Entry("partition", default_profile="kafka_4_1"),
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
