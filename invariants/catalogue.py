"""The models that ship with Tidegate, each bound to its properties: what `replication:kip320` means; and what is
claimed of one model by another, `replication_as_log`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module

from ..language.binding import Definition, load
from ..language.errors import UsageError, nearest


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A model of the catalogue. `default_profile` is taken where none is named. Its text is the module of its name in
    `model/`, or `module` where it is one of several in a package, and its properties are that in `invariants/`. A
    refinement has one module for both, in `invariants/`: that of the model and the abstract model that it names,
    `replication/as_log.py`."""

    name: str
    default_profile: str | None = None
    refinement: str | None = None
    module: str | None = None

    def definition(self) -> Definition:
        """The model's text with its properties, collected once. Raises ModelErrors when the text is wrong."""
        return _definition(self.module or self.name, self.refinement)


@cache
def _definition(name: str, refinement: str | None) -> Definition:
    package = __name__.rpartition(".invariants.")[0]
    if refinement is not None:
        return load(import_module(f"{package}.invariants.{refinement}"))
    return load(import_module(f"{package}.model.{name}"), (import_module(f"{package}.invariants.{name}"),))


_ENTRIES = (
    BuiltIn("replication", default_profile="kip320"),
    BuiltIn("async_isr"),
    BuiltIn("raft", default_profile="raft"),
    BuiltIn("kraft", default_profile="kip996"),
    BuiltIn("partition", default_profile="kafka_4_1"),
    BuiltIn("catching_up", default_profile="kafka_3_6"),
    BuiltIn("log", default_profile="kept"),
    BuiltIn("leadership"),
    BuiltIn("generations"),
    BuiltIn("znode_election", default_profile="recipe"),
    BuiltIn("zk_controller", default_profile="kafka_3_9"),
    BuiltIn("isr_notification", default_profile="kafka_2_6"),
    BuiltIn("producer_ids", default_profile="kafka_3_9"),
    BuiltIn("broker_registration", default_profile="kafka_2_2"),
    BuiltIn("producer", default_profile="idempotent"),
    BuiltIn("consumer", default_profile="auto"),
    BuiltIn("end_to_end", default_profile="email"),
    BuiltIn("classic_group", default_profile="eager", module="groups.classic"),
    BuiltIn("consumer_group", default_profile="published", module="groups.consumer"),
    BuiltIn("modern_group", default_profile="kafka_4_1", module="groups.modern"),
    BuiltIn("assignors", module="groups.assignors"),
    BuiltIn("uniform_assignor", module="groups.uniform"),
    BuiltIn("uniform_heterogeneous", module="groups.uniform_heterogeneous"),
    BuiltIn("sticky_assignors", default_profile="kafka_3_9", module="groups.sticky"),
    BuiltIn("static_members", default_profile="kip_345", module="groups.static_members"),
    BuiltIn("recreated_topic", default_profile="kafka_3_1", module="groups.recreated_topic"),
    BuiltIn("offsets_outage", default_profile="three_replicas", module="groups.outage"),
    BuiltIn("transactions", default_profile="kafka_4_2", module="transactions.protocol"),
    BuiltIn("transaction_outcomes", module="transactions.outcomes"),
    BuiltIn("transactional_processing", default_profile="kafka_2_5", module="transactions.processing"),
    BuiltIn("transactions_published", default_profile="published", module="transactions.published"),
    BuiltIn("transactions_published_partitions", "published", module="transactions.published_partitions"),
)

CATALOGUE: Mapping[str, BuiltIn] = {entry.name: entry for entry in _ENTRIES}
"""Every model by name."""

REFINEMENTS: Mapping[str, BuiltIn] = {
    entry.name: entry
    for entry in (
        BuiltIn("replication_as_log", "kip320", "replication.as_log"),
        BuiltIn("partition_as_log", "kafka_4_1", "partition.as_log"),
        BuiltIn("raft_as_log", "raft", "raft.as_log"),
        BuiltIn("kraft_as_log", "kip996", "kraft.as_log"),
        BuiltIn("raft_as_leadership", "raft", "raft.as_leadership"),
        BuiltIn("raft_as_exchanges", "paper", "raft.as_exchanges"),
        BuiltIn("kraft_as_leadership", "kip996", "kraft.as_leadership"),
        BuiltIn("kraft_as_exchanges", "kip595", "kraft.as_exchanges"),
        BuiltIn("zk_controller_as_lumped", "kafka_3_9", "zk_controller_as_lumped"),
        BuiltIn("transactions_as_lumped", "kafka_4_2", "transactions.as_lumped"),
        BuiltIn("transactions_as_outcomes", "kafka_4_2", "transactions.as_outcomes"),
        BuiltIn("classic_group_as_generations", "eager", "groups.classic_as_generations"),
        BuiltIn("classic_group_as_lumped", "eager", "groups.classic_as_lumped"),
    )
}
"""What is claimed of one model by another: the text of the first, and the refinement as its only property."""

LIVENESS_CLAIMS: Mapping[str, BuiltIn] = {
    entry.name: entry
    for entry in (
        BuiltIn("partition_live", "kafka_4_1", "partition.live"),
        BuiltIn("kraft_live", "kip996", "kraft.live"),
        BuiltIn("zk_controller_live", "kafka_3_9", "zk_controller_live"),
        BuiltIn("raft_live", "raft", "raft.live"),
        BuiltIn("classic_group_live", "eager", "groups.classic_live"),
        BuiltIn("consumer_group_live", "published", "groups.consumer_live"),
        BuiltIn("transactions_live", "kafka_4_2", "transactions.live"),
        BuiltIn("transactions_published_live", "published", "transactions.published_live"),
        BuiltIn("replication_live", "kip320", "replication.live"),
    )
}
"""What must happen in a model in the end: its text, with properties of liveness as its only ones."""


def find(name: str) -> tuple[Definition, str | None]:
    """The definition and the profile of a model's full name, `replication:kip320` or `replication`.

    Without a profile it is the model's default one, or None if it has none. Raises UsageError, naming what is nearest,
    when there is no such model or profile.
    """
    model, colon, profile = name.partition(":")
    known = {**CATALOGUE, **REFINEMENTS, **LIVENESS_CLAIMS}
    if model not in known:
        raise UsageError(f"there is no model {model}; {nearest(model, known)}")
    entry = known[model]
    definition = entry.definition()
    if not colon:
        return definition, entry.default_profile
    if profile not in definition.profiles:
        raise UsageError(f"{model} has no profile {profile}; {nearest(profile, definition.profiles)}")
    return definition, profile
