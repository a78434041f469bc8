"""What could be chosen instead along a trace that a command writes, for its page: see `traces/neighbourhood.py`."""

from __future__ import annotations

from collections.abc import Sequence

from ..language.errors import UsageError
from ..language.model import Model
from ..language.watch import WatchedExpression
from ..reports.document import Document
from ..traces.neighbourhood import MAX_BYTES, neighbourhood_document
from .export import small_graph
from .saved_traces import bind_saved_model, replay_saved_trace

BYTES_OF_ONE_OF_SEVERAL = 250_000
"""Bytes that a page may take for it where a command writes a page of each trace."""
MAX_STEPS = 200
"""Steps; of a longer trace the states alone would take what a page may have."""


def neighbourhood_of_trace(
    model: Model, document: Document, *, size: int = MAX_BYTES, watches: Sequence[WatchedExpression] = ()
) -> Document | None:
    """The states around a trace of a model, all of them where they are few. None of what has no run that begins in an
    initial state, such as a counterexample to induction, of one of more than `MAX_STEPS` steps, and of an audit's,
    whose page speaks of a cluster and not of the model.
    """
    if _has_no_neighbourhood(document):
        return None
    return neighbourhood_document(
        model, replay_saved_trace(model, document, document["model"]), size=size, watches=watches
    )


def graph_of_trace(model: Model, document: Document) -> str:
    """The state graph of a model of few states for the page of a trace, see `small_graph`; "" of what has no states
    around it either."""
    return (
        ""
        if _has_no_neighbourhood(document)
        else small_graph(model, replay_saved_trace(model, document, document["model"]))
    )


def _has_no_neighbourhood(document: Document) -> bool:
    return (
        document["replay"] is None
        or len(document["steps"]) > MAX_STEPS
        or "called" in document
        or "cluster" in document
    )


def neighbourhood_of_saved_trace(document: Document) -> tuple[Document | None, str]:
    """The states around a saved trace, and the graph of a small model. None of a model in a file, too, which may come
    from anywhere and is not carried out to look at a trace; and where the built-in model is not as it was."""
    if document["model"].partition(":")[0].endswith(".py"):
        return None, ""
    try:
        model = bind_saved_model(document, document["model"])
        return neighbourhood_of_trace(model, document), graph_of_trace(model, document)
    except UsageError:
        return None, ""
