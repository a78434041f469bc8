"""`tidegate show TRACE`: a saved trace document, as `check --out` writes it."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..language.errors import UsageError
from ..language.watch import parse_watch
from ..reports.exits import Exit
from ..reports.files import write_text
from ..reports.text_page import TextFormat, TextPage
from ..reports.trace.html import trace_html
from ..reports.trace.terminal import pictures_page, states_of_document, step_page, trace_page
from .cluster_words import cluster_words
from .export import MAX_DRAWN_NODES, graph_of_page
from .neighbourhood import neighbourhood_of_saved_trace
from .options import add_open_option, add_print_options, text_format_of
from .output import check_open_option, print_page_path
from .saved_traces import bind_saved_model, blame_file, read_trace, replay_saved_trace
from .verbs import Parser, Verbs, add_verb

EXAMPLES = """\
  tidegate check examples/lock.py:careless --out report; tidegate show report/one_inside.trace.json
  tidegate show report/one_inside.trace.json --step all                 every state, drawn
  tidegate show report/one_inside.trace.json --html one_inside.html     to look at in a browser, or to send
  tidegate show report/one_inside.trace.json --html one_inside.html --watch "held" --watch "place[A]"
  tidegate show report/one_inside.trace.json --html one_inside.html --graph
  tidegate show before.trace.json after.trace.json --html both.html     two traces, side by side
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = "Prints traces that were saved with --out, or makes one HTML page of them that needs nothing else."
    parser = add_verb(verbs, "show", about, EXAMPLES)
    parser.add_argument("traces", metavar="TRACE", type=Path, nargs="+", help="a .trace.json file")
    parser.add_argument("--html", metavar="FILE", type=Path, help="write one HTML page there, and print nothing else")
    add_open_option(parser, "--html")
    parser.add_argument(
        "--watch", metavar="EXPRESSION", action="append", default=[],
        help="with --html: a row with its value in every state: len(log[A]); may be given again",
    )  # fmt: skip
    parser.add_argument(
        "--graph", metavar="EXPRESSIONS", nargs="?", const="",
        help=f"with --html: the model's states drawn below, up to {MAX_DRAWN_NODES}, with the run in them; states that "
        "are equal on the EXPRESSIONS are one: \"len(log[A]), leader\"",
    )  # fmt: skip
    parser.add_argument(
        "--step",
        metavar="N|all",
        help="draw the state after step N (0: the initial one), or every state",
    )
    parser.add_argument("--all", action="store_true", help="with --step: every field of the state")
    add_print_options(parser, json=False)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Prints the traces, or writes the page."""
    if options.all and options.step is None:
        raise UsageError("--all is for --step N, which shows one state")
    if options.watch and options.html is None:
        raise UsageError("--watch is for --html FILE; in a terminal, tidegate explore TRACE watches expressions")
    if options.graph is not None and (options.html is None or len(options.traces) > 1):
        raise UsageError("--graph is for --html FILE with one trace; tidegate export --to svg draws a graph by itself")
    documents = {path: _name_brokers(path, read_trace(path)) for path in options.traces}
    check_open_option(options, "html")
    if options.html is not None:
        _write_html(options.html, documents, options)
        return Exit.HOLDS
    for path, document in documents.items():
        with blame_file(path):
            print(
                _requested_page(path, document, options.step, text_format_of(options), whole=options.all).text(), end=""
            )
    return Exit.HOLDS


def _name_brokers(path: Path, document: dict[str, Any]) -> dict[str, Any]:
    """A trace of an audit in the words of its page, with the names that its brokers have in the cluster; the line that
    replays it keeps the model's letters. Of one that cannot be replayed any more, only the names."""
    if "called" not in document:
        return document
    from ..audit.answers.scenario import rename_brokers  # which other traces do not need
    from ..audit.report.cluster_words import trace_in_cluster_words

    with blame_file(path):
        words = cluster_words(document)
        if words is None or "wording" not in document:
            return rename_brokers(document, document["called"])
        try:
            model = bind_saved_model(document, str(path))
            run = replay_saved_trace(model, document, str(path))
            chosen = "verdict" not in document["wording"]
            return (
                words.document_in_words(document, model, run)
                if chosen
                else trace_in_cluster_words(document, model, run)
            )
        except UsageError as error:
            kept = rename_brokers({key: part for key, part in document.items() if key != "wording"}, document["called"])
            return kept | {"notes": [*kept["notes"], f"said in the model's words: {error}"]}


def _requested_page(
    path: Path, document: dict[str, Any], step: str | None, text_format: TextFormat, *, whole: bool
) -> TextPage:
    """What is asked for of a trace: all of it in words, one state, or every state drawn."""
    if step is None:
        return trace_page(document, text_format)
    if step == "all":
        return pictures_page(document, text_format, whole=whole)
    last = states_of_document(document)[-1]
    if not step.isdecimal():
        raise UsageError(f"--step {step}: write a number from 0 to {last}, or all")
    try:
        return step_page(document, int(step), text_format, whole=whole)
    except ValueError as error:
        raise UsageError(f"{path}: {error}; write a number from 0 to {last}, or all") from None


def _watched_values(path: Path, expressions: list[str]) -> dict[str, list[str]]:
    """Each expression over the states of a trace, with its value in each, as plain Python evaluates it."""
    document = read_trace(path)  # with the model's letters, whatever an audit calls its brokers
    model = bind_saved_model(document, str(path))
    states = replay_saved_trace(model, document, str(path)).states()
    made = [parse_watch(model, text) for text in expressions]
    return {watch.text: watch.shown_in(states) for watch in made}


def _graph_picture(path: Path, expressions: str) -> str:
    """The states of a trace's model, drawn."""
    document = read_trace(path)
    model = bind_saved_model(document, str(path))
    return graph_of_page(model, replay_saved_trace(model, document, str(path)), expressions)


def _write_html(target: Path, documents: Mapping[Path, dict[str, Any]], options: argparse.Namespace) -> None:
    names = ", ".join(str(path) for path in documents)
    with blame_file(names):
        watches = [_watched_values(path, options.watch) for path in documents] if options.watch else []
        alone = len(documents) > 1 or options.watch
        around, small = (None, "") if alone else neighbourhood_of_saved_trace(read_trace(options.traces[0]))
        drawn = small if options.graph is None else _graph_picture(options.traces[0], options.graph)
        text = trace_html(
            list(documents.values()),
            watches=watches,
            graph=drawn,
            whole_file=", ".join(path.name for path in documents),
            around=around,
        )
    try:
        write_text(target, text)
    except OSError as error:
        raise UsageError(f"--html {target}: cannot be written ({error.strerror or error}); name another file") from None
    print_page_path(target, "; open it in a browser", options)
