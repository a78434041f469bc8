"""`explore`: the reachable states and the steps between them, as values, as a table, and as a graph."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..explorer.cache import cache_directory
from ..explorer.graph import StateGraph, TooLargeError, state_graph
from ..language.constants import Value
from ..language.errors import UsageError
from ..language.immutable import immutable
from ..language.judge import initial_states
from ..language.model import Model
from ..language.values import State
from ..traces.differences import state_to_json
from . import arguments
from .models import load, merge_constants
from .results import preformatted_html

if TYPE_CHECKING:
    import networkx

MAX_STATES = 20_000
"""Plain Python enumerates about a thousand states a second; more are enumerated natively, without the steps."""
MAX_ROWS = 10_000_000
"""The most rows of a table of states, unless more are asked for."""
_BATCH = 10_000


@immutable
class Exploration:
    """Every reachable state of a model, numbered breadth first, and the steps between them."""

    model: Model
    state_graph: StateGraph

    def states(self) -> Any:
        """The states as a pyarrow.Table, a row each, a column for each field, `state` being its number. UsageError when
        pyarrow is not installed."""
        return states_table(self.model, self.state_graph.states)

    def graph(self) -> networkx.MultiDiGraph:
        """The graph: a node for each state's number, with its fields as JSON has them and whether it is `initial`; an
        edge for each step, with its `action` and its text, `step`."""
        import networkx  # which takes longer to load than all of ours

        graph = networkx.MultiDiGraph()
        first = set(initial_states(self.model))
        for at, state in enumerate(self.state_graph.states):
            graph.add_node(at, initial=state in first, state=state_to_json(state))
        for edge in self.state_graph.edges:
            graph.add_edge(edge.source, edge.target, action=edge.action, step=edge.step)
        return graph

    def __len__(self) -> int:
        return len(self.state_graph.states)

    def __repr__(self) -> str:
        """One line, for a prompt; `print` shows everything."""
        return f"<Exploration: {str(self).strip()}>"

    def __str__(self) -> str:
        return f"{self.model.name}: {len(self.state_graph.states):,} states, {len(self.state_graph.edges):,} steps\n"

    def _repr_html_(self) -> str:
        return preformatted_html(str(self))


def states_table(model: Model, states: Iterable[State]) -> Any:
    """States as a pyarrow.Table, a row each, a column for each field, `state` being its number. UsageError when pyarrow
    is not installed."""
    arrow = _import_arrow()
    import pyarrow as pa

    types = {field.name: arrow.arrow_type(field.type, model.values) for field in model.fields}
    number = "state" if "state" not in types else "state_"
    schema = pa.schema([(number, pa.int64()), *types.items()])
    rows = ({number: at, **_state_row(arrow, model, state)} for at, state in enumerate(states))
    batches = [pa.RecordBatch.from_pylist(some, schema=schema) for some in iter(lambda: list(islice(rows, _BATCH)), [])]
    return pa.Table.from_batches(batches, schema=schema)


def _state_row(arrow: ModuleType, model: Model, state: State) -> dict[str, Any]:
    named = state_to_json(state)
    return {field.name: arrow.column_value(field.type, named[field.name]) for field in model.fields}


def _import_arrow() -> ModuleType:
    """What makes tables. UsageError when pyarrow or numpy is not installed."""
    try:
        return import_module("..explorer.arrow", __package__)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("pyarrow", "numpy"):
            raise
        raise UsageError(
            f"states() needs {error.name}, which is not installed: pip install '.[spark]' in the clone"
        ) from None


def reachable_table(model: Model, most: int) -> Any:
    """Every reachable state as a pyarrow.Table, breadth first, explored natively. UsageError beyond `most`, where
    `check` shows that a step breaks the model's own types, and when pyarrow is not installed."""
    arrow = _import_arrow()
    import numpy as np

    layout, packed = _explore_natively(model, most)
    return arrow.states_table(layout, np.frombuffer(packed, dtype=np.uint64).reshape(-1, layout.words))


def _explore_natively(model: Model, most: int) -> Any:
    from ..explorer.native.states import reachable_states

    try:
        return reachable_states(model, most, cache_directory())
    except TooLargeError as error:
        raise UsageError(_too_large_text(model, error)) from None


def _too_large_text(model: Model, error: TooLargeError) -> str:
    return (
        f"{model.name} has more than {error.most:,} states within these bounds; give smaller bounds, or a larger most="
    )


def explore(
    model: str | Path | Model,
    *,
    most: int = MAX_STATES,
    progress: bool | None = None,
    bounds: str | None = None,
    ghosts: bool | None = None,
    constants: Mapping[str, Value | str] | None = None,
    **more_constants: Value | str,
) -> Exploration:
    """Enumerates every reachable state in plain Python: `explore("examples/lock.py").graph()`.

    The states are counted natively before, so that too many are refused at once. `progress` says how many states there
    are so far, on standard error; by default where that is a terminal or a notebook. Raises UsageError when there are
    more than `most`, and ModelError when a step breaks the model's own types.
    """
    arguments.check_whole_number("most", most, 1)
    bound = load(model, bounds=bounds, ghosts=ghosts, constants=merge_constants(constants, more_constants))
    watched = sys.stderr.isatty() or "ipykernel" in sys.modules if progress is None else progress
    try:
        progress_line = _ProgressLine(bound.name, _count_states(bound, most))
        try:
            return Exploration(bound, state_graph(bound, most, progress_line if watched else None))
        finally:
            progress_line.close()
    except TooLargeError as error:
        raise UsageError(_too_large_text(bound, error)) from None


def _count_states(model: Model, most: int) -> int | None:
    """How many states there are; None where a step breaks the model, which plain Python shows. TooLargeError beyond
    `most`."""
    from ..explorer.native.states import reachable_states

    try:
        layout, packed = reachable_states(model, most, cache_directory())
    except UsageError:
        return None
    return len(packed) // (8 * layout.words)


class _ProgressLine:
    """A line on standard error that is written anew, and ended by `close`."""

    def __init__(self, name: str, states: int | None) -> None:
        self.name, self.of, self.written = name, "" if states is None else f" of {states:,}", False

    def __call__(self, states: int) -> None:
        text = f"{self.name}: {states:,}{self.of} states explored in plain Python"
        print(f"\r{text}", end="", file=sys.stderr, flush=True)
        self.written = True

    def close(self) -> None:
        """Ends the line, if there is one."""
        if self.written:
            print(file=sys.stderr)
