"""`explore`: the reachable states and the steps between them, as values, as a table, and as a graph."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..explorer.graph import StateGraph, TooLarge, state_graph
from ..language.constants import Value
from ..language.errors import UsageError
from ..language.judge import initial_states
from ..language.model import Model
from ..traces.differences import state_to_json
from .models import all_constants, load
from .results import preformatted

if TYPE_CHECKING:
    import networkx

MOST_STATES = 100_000
"""Plain Python enumerates some thousands of states a second; more are looked at with `check`."""


@dataclass(frozen=True, slots=True)
class Exploration:
    """Every reachable state of a model, numbered breadth first, and the steps between them."""

    model: Model
    found: StateGraph

    def states(self) -> Any:
        """The states as a pyarrow.Table, a row each, a column for each field, `state` being its number. UsageError when
        pyarrow is not installed."""
        try:
            import pyarrow as pa

            from ..explorer.spark.columns import arrow_type
        except ModuleNotFoundError as error:
            if (error.name or "").partition(".")[0] not in ("pyarrow", "pyspark", "pandas"):
                raise
            raise UsageError(
                f"states() needs {error.name}, which is not installed; install it with: pip install 'tidegate[spark]'"
            ) from None
        types = {each.name: arrow_type(each.type, self.model.values) for each in self.model.fields}
        number = "state" if "state" not in types else "state_"
        rows = [{number: at, **state_to_json(state)} for at, state in enumerate(self.found.states)]
        return pa.Table.from_pylist(rows, schema=pa.schema([(number, pa.int64()), *types.items()]))

    def graph(self) -> networkx.MultiDiGraph:
        """The graph: a node for each state's number, with its fields as JSON has them and whether it is `initial`; an
        edge for each step, with its `action` and its text, `step`."""
        import networkx  # which takes longer to load than all of ours

        graph = networkx.MultiDiGraph()
        first = set(initial_states(self.model))
        for at, state in enumerate(self.found.states):
            graph.add_node(at, initial=state in first, state=state_to_json(state))
        for each in self.found.edges:
            graph.add_edge(each.source, each.target, action=each.action, step=each.step)
        return graph

    def __len__(self) -> int:
        return len(self.found.states)

    def __str__(self) -> str:
        return f"{self.model.name}: {len(self.found.states):,} states, {len(self.found.edges):,} steps\n"

    def _repr_html_(self) -> str:
        return preformatted(str(self))


def explore(
    model: str | Path | Model,
    *,
    most: int = MOST_STATES,
    bounds: str | None = None,
    ghosts: bool | None = None,
    constants: Mapping[str, Value | str] | None = None,
    **more_constants: Value | str,
) -> Exploration:
    """Enumerates every reachable state in plain Python: `explore("examples/lock.py").graph()`.

    Raises UsageError when there are more than `most`, and ModelError when a step breaks the model's own types.
    """
    bound = load(model, bounds=bounds, ghosts=ghosts, constants=all_constants(constants, more_constants))
    try:
        return Exploration(bound, state_graph(bound, most))
    except TooLarge as error:
        raise UsageError(
            f"{bound.name} has more than {error.most:,} states within these bounds; give smaller bounds, or a larger "
            "most="
        ) from None
