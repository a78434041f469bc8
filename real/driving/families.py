"""The families of models whose traces are driven, by the name of their model, and the trace that a document has."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from .consumers.family import FAMILY as CONSUMERS
from .controllers.family import FAMILY as CONTROLLERS
from .family import Family
from .fitting import DrivenTrace, UndrivableError
from .offsets.family import FAMILY as OFFSETS
from .other_models import why_not_driven
from .partition.family import FAMILY as PARTITION
from .producer.family import FAMILY as PRODUCER
from .transactions.family import FAMILY as TRANSACTIONS

ON_BROKERS: tuple[Family[Any, Any], ...] = (PARTITION, TRANSACTIONS, PRODUCER, CONSUMERS, OFFSETS)
FAMILIES: Mapping[str, Family[Any, Any]] = {one.model: one for one in (*ON_BROKERS, CONTROLLERS)}


def trace_of(document: Mapping[str, Any], models: Collection[str] = FAMILIES) -> DrivenTrace:
    """The trace that a document has. UndrivableError for one that is of none of the models, or that is cut."""
    model, about = document["model"], document["property"]
    of = model.partition(":")[0]
    if of not in models:
        raise UndrivableError(f"it is a trace of {model}: {why_not_driven(of) or _driven_models()}")
    if document["truncated"] is not None or document["replay"] is None:
        raise UndrivableError("it has not all of its steps, so that it cannot be taken again")
    steps = tuple(step["step"] for step in document["steps"])
    if not steps:
        raise UndrivableError("it has no steps, so that brokers that do nothing would confirm it")
    leader = "" if of != PARTITION.model else str(document["states"]["0"]["registered"]["leader"])
    return DrivenTrace(document["bounds"], steps, "" if about is None else about["name"], leader, of)


def _driven_models() -> str:
    *first, last = (one.model for one in ON_BROKERS)
    brokers = f"{', '.join(first)} and {last} on real brokers"
    return f"what is driven are traces of {brokers}, and of {CONTROLLERS.model} on real controllers"
