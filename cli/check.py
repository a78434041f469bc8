"""`tidegate check MODEL`: exhaustive within bounds."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from ..api.checking import check_model, trace_documents
from ..api.models import bind_model
from ..explorer.search import Search
from ..explorer.symmetry import symmetry_of
from ..language.errors import UsageError
from ..language.model import Model
from ..language.verdict import Verdict
from ..reports.check.html import check_index
from ..reports.check.terminal import verdict_page
from ..reports.document import Document, check_document
from ..reports.exits import Exit, exit_of_verdict, worst_exit
from ..reports.files import write_json, write_text, write_trace
from ..reports.text_page import TextFormat, TextPage, count_text
from ..reports.trace.html import trace_html
from ..reports.trace.terminal import group_by_run, trace_page
from .export import MAX_STATES_UNASKED
from .neighbourhood import BYTES_OF_ONE_OF_SEVERAL, graph_of_trace, neighbourhood_of_trace
from .options import (
    add_model_options,
    add_print_options,
    add_search_options,
    add_spark_options,
    add_walk_options,
    model_choice_of,
    search_of,
    spark_cluster_of,
    text_format_of,
    walks_of,
)
from .output import check_open_option, prepare_directory, print_json, print_page_path
from .progress import ProgressLine, report_for
from .verbs import Parser, Verbs, add_verb
from .watch import ANSWER_LINES, check_on_changes
from .witnesses import asked_witnesses, longest_documents

_STATES_WORTH_FOLDING = 100_000
_TRACE_FILE = ".trace.json"

EXAMPLES = """\
  tidegate check replication:kip320
  tidegate check replication:truncate_to_hw --set replicas=2 --set max_leader_epoch=2
  tidegate check replication:kip101 --property strong_isr --symmetry --workers 2
  tidegate check mine.py:broken --json --out report/
  tidegate check raft:count_replicas --engine walk --set max_term=4 --time 30 --seed 7
  tidegate check raft:paper --engine walk --walks 1000000 --master spark://node1:7077
  tidegate check raft --witness command_is_applied --witness longest:advance_commit_index
  tidegate check mine.py --watch               again each time it is saved
  tidegate check replication:kip320 --engine spark --master "local[2]" --bounds large

exit: 0 holds (--engine walk: in what was looked at), 1 a property is violated, 2 deadlock,
3 a property of liveness is violated, 4 vacuous: so only because nothing happens, 5 inconclusive,
7 a step broke the model's types, 64 usage, 65 the model's text is wrong, 70 engine and plain Python disagree
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = "Explores every reachable state within the bounds and checks every property in it."
    parser = add_verb(verbs, "check", about, EXAMPLES)
    add_model_options(parser, pages=True)
    add_search_options(parser)
    add_walk_options(parser)
    add_spark_options(parser)
    add_print_options(parser)
    parser.add_argument(
        "--out", metavar="DIR", type=Path, help="also write report.json there, each trace with its page, and index.html"
    )
    parser.add_argument(
        "--witness",
        metavar="NAME",
        action="append",
        default=[],
        dest="witnesses",
        help="also print a trace that shows something: of the witness NAME, `longest:ACTION` the longest of an action,"
        " `longest` of each (repeatable)",
    )
    parser.add_argument(
        "--watch",
        action="store_true",
        help="check again each time the model's file, or one it imports, is saved, until Ctrl-C; the first"
        f" {ANSWER_LINES} lines of each check are printed, and the exit is that of the last",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Checks, prints the verdict, then its traces, then saves: a result is never lost to a full disk, nor to what shows
    it. With `--watch` again and again."""
    if options.watch:
        from .main import main  # which reports the mistakes of each check

        if options.json:
            raise UsageError("--json prints one document, and --watch has no end: give one of the two")
        again = [argument for argument in options.arguments if argument != "--watch"]
        return check_on_changes(options.model, lambda: main(again))
    out: Path | None = None if options.out is None else prepare_directory(options.out)
    check_open_option(options)
    search = dataclasses.replace(search_of(options), walks=walks_of(options), cluster=spark_cluster_of(options))
    model = bind_model(model_choice_of(options))
    asked = asked_witnesses(model, options.witnesses)
    verdict = add_advice(model, run_check(model, options.engine, search), options)
    if not options.json:
        print(verdict_page(verdict, text_format_of(options)).text(), end="", flush=True)
    shown = None if options.json or out is not None else failures_and_witnesses(asked, verdict)
    traces = {**trace_documents(model, verdict, shown), **longest_documents(model, asked)}
    paths = {} if out is None else {name: str(out / _trace_file_name(name)) for name in traces}
    if out is not None and options.engine == "spark":
        write_parquet_tables(verdict, out)
    document = check_document(verdict, traces, paths)
    if options.json:
        print_json(document)
    else:
        print(traces_report(verdict, traces, text_format_of(options), asked), end="", flush=True)
    found = exit_of_verdict(verdict)
    if out is None:
        return found
    pages = ((name, _trace_page(model, verdict, trace, Path(paths[name]).name)) for name, trace in traces.items())
    return _save_result(out, document, traces, pages, paths, found, options)


def _trace_page(model: Model, verdict: Verdict, trace: Document, file: str) -> str:
    """The page of a trace, which is in a file beside it, with what could be chosen instead."""
    few = verdict.distinct_states <= MAX_STATES_UNASKED
    graph = graph_of_trace(model, trace) if few else ""
    return trace_html(
        [trace], whole_file=file, around=neighbourhood_of_trace(model, trace, size=BYTES_OF_ONE_OF_SEVERAL), graph=graph
    )


def run_check(model: Model, engine: str, search: Search) -> Verdict:
    """The engine's verdict, with a line of progress on a terminal meanwhile."""
    with ProgressLine(sys.stderr, search.seconds) as line:
        return check_model(model, engine, search, report_for(line)).verdict


def write_parquet_tables(verdict: Verdict, folder: Path) -> None:
    """The verdict, its properties, levels and coverage as Parquet. UsageError when the disk does not take
    them."""
    from ..explorer.spark.columns import write_tables  # needs the extra spark, which this engine has just needed

    try:
        write_tables(verdict, folder)
    except OSError as error:
        raise UsageError(f"--out {folder}: the tables could not be saved: {error}") from None


def add_advice(model: Model, verdict: Verdict, options: argparse.Namespace) -> Verdict:
    """The verdict with what its reader should know of the choices that were made for them."""
    notes = list(verdict.notes)
    states = 0 if options.engine == "walk" else verdict.distinct_states or 0
    late = options.symmetry is None and options.engine == "native"  # which says itself what it does not fold
    if not late and not options.symmetry and states >= _STATES_WORTH_FOLDING:
        notes += _folding_advice(model)
    if model.ghosts and options.ghosts is None and any(prop.ghosts for prop in model.properties):
        notes.append(f"ghost fields are kept, because {_ghost_readers_text(model)}; counts are with them")
    return dataclasses.replace(verdict, notes=tuple(notes))


def _folding_advice(model: Model) -> Iterator[str]:
    """What is said where many states were explored with all members distinguished: which need not be, and of those that
    are declared alike and cannot be folded, why."""
    symmetry = symmetry_of(model)
    if symmetry.domains:
        names = ", ".join(domain.name for domain in symmetry.domains)
        yield f"the members of {names} are alike; --symmetry explores several times fewer states"
    yield from (f"with --symmetry, {refusal}" for refusal in symmetry.refusals)


def _ghost_readers_text(model: Model) -> str:
    """Who reads ghosts: `led_once reads one`, `led_once and 3 more properties read them`."""
    first, *others = [prop.name for prop in model.properties if prop.ghosts]
    more = count_text(len(others), "more property", "more properties")
    return f"{first} and {more} read them" if others else f"{first} reads one"


def traces_report(
    verdict: Verdict, traces: Mapping[str, Document], text_format: TextFormat, witnesses: Sequence[str] = ()
) -> str:
    """The trace of everything that failed, and of the witnesses that were asked for: what follows the verdict. A run
    that violates several properties is printed once."""
    shown = [traces[name] for name in failures_and_witnesses(witnesses, verdict) if name in traces]
    groups = group_by_run(shown)
    pages = [trace_page(first, text_format, others) for first, *others in groups]
    missing = [name for name in witnesses if name not in traces]
    if missing:
        pages.append(TextPage(text_format))
        pages[-1].line(f"no trace of {', '.join(missing)}: this search did not reach it", style="yellow")
    return "".join(f"\n{page.text()}" for page in pages)


def failures_and_witnesses(witnesses: Sequence[str], verdict: Verdict) -> tuple[str, ...]:
    """The names of the traces that a report shows: of what is violated, "" of the failure, and of these witnesses."""
    violated = [prop.name for prop in verdict.properties if prop.verdict == "violated"]
    failure = [""] if verdict.failure is not None else []
    return tuple(dict.fromkeys([*violated, *failure, *witnesses]))


def _trace_file_name(name: str) -> str:
    return (name or "failure").replace(":", "-") + _TRACE_FILE


def _save_result(
    folder: Path,
    document: Document,
    traces: Mapping[str, Document],
    pages: Iterable[tuple[str, str]],
    paths: Mapping[str, str],
    exit_code: Exit,
    options: argparse.Namespace,
) -> Exit:
    try:
        for name, path in paths.items():
            write_trace(Path(path), traces[name])
        write_json(folder / "report.json", document)
        for name, text in pages:
            write_text(Path(paths[name].removesuffix(_TRACE_FILE) + ".html"), text)
        names = {name: Path(path).name.removesuffix(_TRACE_FILE) + ".html" for name, path in paths.items()}
        write_text(folder / "index.html", check_index(document, names))
    except (OSError, UsageError) as error:
        print(f"tidegate: --out {folder}: the report could not be saved: {error}", file=sys.stderr)
        return worst_exit((exit_code, Exit.USAGE)) if exit_code is Exit.HOLDS else exit_code
    also = f" and {count_text(len(paths), 'trace')}, each as JSON and as an .html page" if paths else ""
    print_page_path(folder / "index.html", f", which leads to report.json{also}", options)
    return exit_code
