"""`tidegate export TRACE|MODEL --to FORMAT`: a trace for other tools and people, a model's states as a graph, or a
model in TLA+."""

from __future__ import annotations

import argparse
import ast
import dataclasses
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ..api.models import bind_model
from ..explorer.graph import StateGraph, TooLargeError, neighbourhood, state_graph
from ..language.errors import UsageError, suggest_name
from ..language.judge import initial_states
from ..language.model import Model
from ..language.values import ModelError, State, value_text
from ..language.verdict import Run
from ..language.watch import parse_watch
from ..reports.document import Document
from ..reports.exits import Exit
from ..reports.files import json_text, write_text
from ..reports.trace.itf import to_itf
from ..reports.trace.markdown import trace_markdown
from ..reports.trace.sequence import SPELLINGS
from ..reports.trace.spreadsheet import to_csv
from .export_tla import write_tla
from .options import add_model_options, model_choice_of, parse_positive
from .saved_traces import bind_saved_model, blame_file, read_trace, replay_saved_trace
from .verbs import Parser, Verbs, add_verb

if TYPE_CHECKING:
    import networkx

EXAMPLES = """\
  tidegate check replication:kip101 --out report           saves report/strong_isr.trace.json
  tidegate export report/strong_isr.trace.json --to mermaid
  tidegate export report/strong_isr.trace.json --to itf --output strong_isr.itf.json
  tidegate export report/strong_isr.trace.json --to dot --around 9 --radius 1
  tidegate export replication:kip320 --set replicas=2 --to dot --quotient quorum.leader,quorum.isr
  tidegate export replication:kip320 --set replicas=2 --to svg --quotient "len(log[A]), quorum.leader" --output g.svg
  tidegate export examples/lock.py:careful --to graphml --raw
  tidegate export raft --bounds small --to tla --output raft.tla     writes raft.cfg beside it; TLC runs both

A graph is of a model, or of the model of a trace, whose way is then drawn thick.
exit: 0 written, 64 it cannot be exported so, or a graph is too large, 65 the model's text is wrong
"""

TRACE_FORMATS: Mapping[str, Callable[[Document], str]] = {
    "itf": lambda document: json_text(to_itf(document)),
    **SPELLINGS,
    "markdown": trace_markdown,
    "csv": to_csv,
}
"""What a trace can be written as."""

GRAPH_FORMATS = ("dot", "graphml", "svg")
"""What a state graph can be written as."""

MAX_STATES_UNASKED = 60
"""States of a model that is drawn in a page without being asked for."""
MAX_DRAWN_NODES = 300
"""Nodes of a picture, at most: more cannot be read."""

_MAX_STATES = 200_000


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = "Writes a saved trace in another format, a model's reachable states as a graph, or a model in TLA+."
    parser = add_verb(verbs, "export", about, EXAMPLES)
    parser.add_argument("--to", required=True, choices=(*TRACE_FORMATS, *GRAPH_FORMATS, "tla"), help="the format")
    parser.add_argument("--output", metavar="FILE", type=Path, help="write it there (default: standard output)")
    graph = parser.add_argument_group("the graph (dot, graphml, or drawn: svg)")
    graph.add_argument(
        "--quotient", metavar="EXPRESSIONS",
        help="merge states that are equal on these: leader,isr or quorum.leader or len(log[A])",
    )  # fmt: skip
    graph.add_argument(
        "--around", metavar="N", type=_parse_index, help="of a trace: only what is near the state after step N"
    )
    graph.add_argument(
        "--radius", metavar="K", type=parse_positive, default=2, help="with --around: how near (default: 2)"
    )
    graph.add_argument("--raw", action="store_true", help="every state a node of its own")
    graph.add_argument(
        "--states", metavar="N", type=parse_positive, default=_MAX_STATES,
        help=f"explore at most this many states for it (default: {_MAX_STATES:,})",
    )  # fmt: skip
    add_model_options(parser, search=False, what="TRACE|MODEL", says="a .trace.json file, or a model for a graph: ")
    parser.set_defaults(run=run)


def _parse_index(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not the number of a step, from 0")
    return int(text)


def run(options: argparse.Namespace) -> Exit:
    """Writes it."""
    if options.to == "tla":
        return write_tla(options)
    document = read_trace(Path(options.model)) if options.model.endswith(".json") else None
    text = _graph_text(document, options) if options.to in GRAPH_FORMATS else _trace_text(document, options)
    if options.output is None:
        print(text, end="")
        return Exit.HOLDS
    try:
        write_text(options.output, text)
    except OSError as error:
        raise UsageError(f"--output {options.output}: cannot be written ({error.strerror})") from None
    return Exit.HOLDS


def _trace_text(document: Document | None, options: argparse.Namespace) -> str:
    """A trace in another format."""
    if document is None:
        raise UsageError(
            f"--to {options.to} takes a trace, and {options.model} is no .json file; save one with check --out, "
            f"or ask for a graph of the model: --to {' or '.join(GRAPH_FORMATS)}"
        )
    asked = {"--quotient": options.quotient is not None, "--around": options.around is not None, "--raw": options.raw}
    for name, given in asked.items():
        if given:
            raise UsageError(f"{name} is for a graph; write --to {' or --to '.join(GRAPH_FORMATS)}")
    with blame_file(options.model):
        return TRACE_FORMATS[options.to](document)


# --- graphs -----------------------------------------------------------------------------------------------------------


def _graph_text(document: Document | None, options: argparse.Namespace) -> str:
    """A state graph, of a model or of what is around a trace."""
    if not (options.quotient or options.raw or options.around is not None):
        raise UsageError(
            "say which graph: --quotient EXPRESSIONS merges states that are equal on them, --around N shows what is "
            "near a step of a trace, --raw every state"
        )
    if options.around is not None and document is None:
        raise UsageError("--around N is a step of a trace; name a .trace.json file")
    if document is None:
        choice = model_choice_of(
            options
        )  # a graph checks nothing, so that ghosts are in it only where they are asked for
        return _graph_format_text(bind_model(dataclasses.replace(choice, ghosts=bool(choice.ghosts))), None, options)
    with blame_file(options.model):
        model = bind_saved_model(document, options.model)
        run = replay_saved_trace(model, document, options.model)
    return _graph_format_text(model, run, options)


def _graph_format_text(model: Model, run: Run | None, options: argparse.Namespace) -> str:
    """A state graph as text. networkx is imported here: loading it takes longer than all of ours."""
    from ..reports.trace.graph import MAX_NODES, to_dot, to_graphml

    graph = _requested_graph(model, run, options)
    nodes, most = graph.number_of_nodes(), MAX_DRAWN_NODES if options.to == "svg" else MAX_NODES
    if nodes > most:
        raise UsageError(
            f"the graph has {nodes:,} nodes, and more than {most:,} are not drawn; {_smaller_graph_advice(options)}"
        )
    if options.to == "svg":
        return _draw_graph(graph)
    return to_dot(graph) if options.to == "dot" else to_graphml(graph)


def _draw_graph(graph: networkx.DiGraph, steps: Mapping[str, Sequence[int]] | None = None) -> str:
    """The graph, see `drawing`. UsageError, with what installs it, where the library that lays it out is missing."""
    try:
        from ..reports.trace.drawing import draw_graph
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "fast_sugiyama":
            raise
        raise UsageError(
            "a drawn graph needs fast-sugiyama, which is not installed: pip install '.[draw]' in the clone; "
            "export --to dot and --to graphml need nothing"
        ) from None
    return draw_graph(graph, steps)


def _smaller_graph_advice(options: argparse.Namespace) -> str:
    if options.around is not None:
        return "take a smaller --radius"
    fewer = "name fewer expressions in --quotient" if options.quotient else "merge states with --quotient EXPRESSIONS"
    return f"{fewer}, or look at what is near a step of a trace: --around N --radius K"


def _requested_graph(model: Model, run: Run | None, options: argparse.Namespace) -> networkx.DiGraph:
    """The graph that was asked for, with the run's way in it."""
    way: Sequence[State] = () if run is None else run.states()
    around: int | None = options.around
    if around is not None and around >= len(way):
        raise UsageError(f"--around {around}: the trace has {len(way) - 1} steps")
    fields = _node_fields(model, options.quotient)  # before the search, which a mistake in them would make useless
    return _merge_states(
        model, _states_to_draw(model, way, options), fields, way, around, merges=bool(options.quotient)
    )


def _merge_states(
    model: Model,
    graph: StateGraph,
    fields: Mapping[str, NodeText],
    way: Sequence[State],
    middle_state: int | None = None,
    *,
    merges: bool,
) -> networkx.DiGraph:
    """The states with those merged that show the same; where that merges any, an edge names actions and not steps."""
    from ..reports.trace.graph import quotient_graph

    place = {state: at for at, state in enumerate(graph.states)}
    initial = [place[state] for state in initial_states(model) if state in place]
    return quotient_graph(
        [_node_name(fields, state) for state in graph.states],
        [(edge.source, edge.target, edge.action if merges else edge.step) for edge in graph.edges],
        initial=initial,
        path=[place[state] for state in way if state in place],
        centre=None if middle_state is None else place[way[middle_state]],
    )


def small_graph(model: Model, run: Run) -> str:
    """The state graph for the page of a run, where the model has few states; "" where it has more, where a step breaks
    it, and where the library that lays it out is not installed."""
    if importlib.util.find_spec("fast_sugiyama") is None:
        return ""
    try:
        fields = _node_fields(model, None)
        found = state_graph(model, MAX_STATES_UNASKED)
        return _run_graph_picture(run, _merge_states(model, found, fields, run.states(), merges=False), fields)
    except (TooLargeError, ModelError):
        return ""


def graph_of_page(model: Model, run: Run, text: str) -> str:
    """The state graph of a run's model for the run's page; states are merged that are equal on the expressions of the
    text, if it has any. UsageError, with what helps, where it would have more than `MAX_DRAWN_NODES` nodes."""
    helps = "merge states with --graph EXPRESSIONS, such as len(log[A])" if not text else "name fewer expressions"
    fields = _node_fields(model, text or None)
    try:
        found = state_graph(model, _MAX_STATES if text else MAX_DRAWN_NODES)
    except TooLargeError as error:
        raise UsageError(f"--graph: {model.name} has more than {error.most:,} states; {helps}") from None
    graph = _merge_states(model, found, fields, run.states(), merges=bool(text))
    if graph.number_of_nodes() > MAX_DRAWN_NODES:
        many = graph.number_of_nodes()
        raise UsageError(
            f"--graph: the graph has {many:,} nodes, and more than {MAX_DRAWN_NODES} are not drawn; {helps}"
        )
    return _run_graph_picture(run, graph, fields)


def _run_graph_picture(run: Run, graph: networkx.DiGraph, fields: Mapping[str, NodeText]) -> str:
    """The picture of a state graph whose nodes show these fields; those of the run's states lead to its steps."""
    steps: dict[str, list[int]] = {}
    for at, state in enumerate(run.states()):
        steps.setdefault(_node_name(fields, state), []).append(at)
    return _draw_graph(graph, steps)


def _states_to_draw(model: Model, way: Sequence[State], options: argparse.Namespace) -> StateGraph:
    """The states to draw; near a step they are the way to it within the radius, and what can be reached from it."""
    try:
        if options.around is None:
            return state_graph(model, options.states)
        near = way[max(0, options.around - options.radius) : options.around + 1]
        ahead = neighbourhood(model, near[-1:], options.radius, options.states)
        behind = neighbourhood(model, near, 1, options.states) if len(near) > 1 else ahead
        return _join_graphs(ahead, behind, near)
    except TooLargeError as error:
        raise UsageError(
            f"{model.name} has more than {error.most:,} states within these bounds; give smaller bounds with --set, "
            "or let it explore more with --states N"
        ) from None


def _join_graphs(ahead: StateGraph, graph_behind: StateGraph, way: Sequence[State]) -> StateGraph:
    """The states ahead, those of the way, and every known step among them."""
    states = tuple(dict.fromkeys((*way, *ahead.states)))
    number = {state: at for at, state in enumerate(states)}
    edges = {
        (number[graph.states[edge.source]], number[graph.states[edge.target]], edge.step): edge
        for graph in (graph_behind, ahead)
        for edge in graph.edges
        if graph.states[edge.source] in number and graph.states[edge.target] in number
    }
    moved = [type(edge)(source, target, edge.action, step) for (source, target, step), edge in edges.items()]
    return StateGraph(states, tuple(moved))


NodeText = Callable[[State], str]
"""What a node shows of a state."""


def _node_fields(model: Model, text: str | None) -> Mapping[str, NodeText]:
    """What a node shows: the expressions of the quotient, each a field, a part of one, or another; else all fields."""
    if text is None:
        return {field.name: _field_part(field.name) for field in model.fields}
    try:
        elements = cast(ast.Tuple, ast.parse(f"({text},)", mode="eval").body).elts
    except SyntaxError as error:
        raise UsageError(f"--quotient {text}: not expressions with commas between them ({error.msg})") from None
    return {name: _node_text(model, text, name) for name in map(ast.unparse, elements)}


def _node_text(model: Model, text: str, name: str) -> NodeText:
    """A field, a part of one, or an expression of the model's language."""
    first, *parts = name.split(".")
    if not all(part.isidentifier() for part in (first, *parts)):
        return parse_watch(model, name).value_words
    known = {field.name for field in model.fields}
    if first not in known:
        raise UsageError(f"--quotient {text}: {model.name} has no field {first}; {suggest_name(first, known)}")
    start = next(initial_states(model), None)
    value: Any = None if start is None else getattr(start, first)
    for part in parts:
        if not hasattr(value, part):
            raise UsageError(f"--quotient {text}: {first} has no part {part}")
        value = getattr(value, part)
    return _field_part(name)


def _field_part(name: str) -> NodeText:
    return lambda state: value_text(_value_at(state, name))


def _node_name(fields: Mapping[str, NodeText], state: State) -> str:
    return "\n".join(f"{name}={shown(state)}" for name, shown in fields.items())


def _value_at(state: Any, name: str) -> Any:
    for part in name.split("."):
        state = getattr(state, part)
    return state
