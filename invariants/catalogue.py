"""The models that ship with Tidegate, each bound to its properties: what `replication:kip320` means; and what is
claimed of one model by another, `replication_as_log`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import import_module

from ..language.binding import Definition, load
from ..language.errors import UsageError, suggest_name
from ..language.immutable import immutable


@immutable
class BuiltIn:
    """A model of the catalogue. `default_profile` is taken where none is named. `room` is where it is, below `model/`
    and `invariants/` alike: a module or a package, `replication` or `studies.async_isr`. A `claim` of a model is one
    module for both, in the model's room in `invariants/`: `as_log` or `live`."""

    name: str
    default_profile: str | None
    room: str
    claim: str | None = None

    def definition(self) -> Definition:
        """The model's text with its properties, collected once. Raises ModelErrors when the text is wrong."""
        return _definition(self.room, self.claim)

    @property
    def properties(self) -> str:
        """The module of its properties, below `invariants/`."""
        return self.room if self.claim is None else f"{self.room}.{self.claim}"


@cache
def _definition(room: str, claim: str | None) -> Definition:
    package = __name__.rpartition(".invariants.")[0]
    properties = import_module(f"{package}.invariants.{room}{f'.{claim}' if claim else ''}")
    return load(properties) if claim else load(import_module(f"{package}.model.{room}"), (properties,))


def _model(name: str, default_profile: str | None = None) -> BuiltIn:
    return BuiltIn(name, default_profile, name)


def _study(name: str, default_profile: str | None = None) -> BuiltIn:
    return BuiltIn(name, default_profile, f"studies.{name}")


_MODELS = (
    _model("replication", "kip320"),
    _study("async_isr"),
    _model("raft", "raft"),
    _model("kraft", "kip996"),
    _model("kraft_voters", "kafka_4_0"),
    _model("partition", "kafka_4_1"),
    _model("catching_up", "kafka_3_6"),
    _model("log", "kept"),
    _model("leadership"),
    _model("generations"),
    _study("znode_election", "recipe"),
    _model("zk_controller", "kafka_3_9"),
    _study("isr_notification", "kafka_2_6"),
    _study("log_dir_notification", "kafka_3_9"),
    _study("producer_ids", "kafka_3_9"),
    _study("broker_registration", "kafka_2_2"),
    _study("topic_deletion", "kafka_3_7"),
    _model("producer", "idempotent"),
    _model("consumer", "auto"),
    _model("end_to_end", "email"),
    _model("classic_group", "eager"),
    _study("consumer_group_published", "published"),
    _model("modern_group", "kafka_4_1"),
    _study("rebalance_window", "kip_848"),
    _study("assignors"),
    _study("uniform_assignor"),
    _study("uniform_heterogeneous"),
    _study("sticky_assignors", "kafka_3_9"),
    _model("static_members", "kip_345"),
    _model("recreated_topic", "kafka_3_1"),
    _model("offsets_outage", "three_replicas"),
    _model("coordinator_answers", "kafka_4_3_1"),
    _model("share_group", "kafka_4_2"),
    _model("tiered_log", "kafka_4_3"),
    _model("transactions", "kafka_4_2"),
    _model("transaction_outcomes"),
    _model("transactional_processing", "kafka_2_5"),
    _study("lost_marker", "clean"),
    _study("transactions_published", "published"),
    _study("transactions_published_partitions", "published"),
)

CATALOGUE: Mapping[str, BuiltIn] = {entry.name: entry for entry in _MODELS}
"""Every model by name."""


def _claims(*claims: tuple[str, str, str]) -> Mapping[str, BuiltIn]:
    """By name, from the model, the claim and the default profile of each."""
    return {
        f"{model}_{claim}": BuiltIn(f"{model}_{claim}", profile, CATALOGUE[model].room, claim)
        for model, claim, profile in claims
    }


REFINEMENTS: Mapping[str, BuiltIn] = _claims(
    ("replication", "as_log", "kip320"),
    ("partition", "as_log", "kafka_4_1"),
    ("raft", "as_log", "raft"),
    ("kraft", "as_log", "kip996"),
    ("raft", "as_leadership", "raft"),
    ("raft", "as_exchanges", "paper"),
    ("kraft", "as_leadership", "kip996"),
    ("kraft", "as_exchanges", "kip595"),
    ("zk_controller", "as_lumped", "kafka_3_9"),
    ("transactions", "as_lumped", "kafka_4_2"),
    ("transactions", "as_outcomes", "kafka_4_2"),
    ("classic_group", "as_generations", "eager"),
    ("classic_group", "as_lumped", "eager"),
    ("coordinator_answers", "as_log", "kafka_4_3_1"),
)
"""What is claimed of one model by another: the text of the first, and the refinement as its only property."""

LIVENESS_CLAIMS: Mapping[str, BuiltIn] = _claims(
    ("partition", "live", "kafka_4_1"),
    ("kraft", "live", "kip996"),
    ("kraft_voters", "live", "kafka_4_0"),
    ("zk_controller", "live", "kafka_3_9"),
    ("raft", "live", "raft"),
    ("classic_group", "live", "eager"),
    ("consumer_group_published", "live", "published"),
    ("transactions", "live", "kafka_4_2"),
    ("transactions_published", "live", "published"),
    ("replication", "live", "kip320"),
)
"""What must happen in a model in the end: its text, with properties of liveness as its only ones."""

FORMER_NAMES: Mapping[str, str] = {
    "consumer_group": "consumer_group_published",
    "consumer_group_live": "consumer_group_published_live",
}
"""Names that models had, with what each is called now. Saved traces and gate files may have them."""


def current_name(name: str) -> str:
    """A model's full name, `replication:kip320`, where it had another with the one that it has now. Paths and names
    that are none of ours are as they were."""
    model, colon, profile = name.partition(":")
    return f"{FORMER_NAMES.get(model, model)}{colon}{profile}"


def find(name: str) -> tuple[Definition, str | None]:
    """The definition and the profile of a model's full name, `replication:kip320` or `replication`.

    Without a profile it is the model's default one, or None if it has none. A former name does as well. Raises
    UsageError, naming what is nearest, when there is no such model or profile.
    """
    model, colon, profile = current_name(name).partition(":")
    known = {**CATALOGUE, **REFINEMENTS, **LIVENESS_CLAIMS}
    if model not in known:
        raise UsageError(f"there is no model {model}; {suggest_name(model, known)}")
    entry = known[model]
    definition = entry.definition()
    if not colon:
        return definition, entry.default_profile
    if profile not in definition.profiles:
        raise UsageError(f"{model} has no profile {profile}; {suggest_name(profile, definition.profiles)}")
    return definition, profile
