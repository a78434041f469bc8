"""`tidegate confirm TRACE`: do real brokers do what a trace says?"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..explorer.search import Progress
from ..language.errors import UsageError
from ..reports.confirm import comparison_section, confirm_junit, confirm_text, random_rounds_text, result_sentence
from ..reports.exits import Exit, worst_exit
from ..reports.files import write_text
from ..reports.trace.html import trace_html
from .options import add_open_option, add_print_options, parse_assignment, parse_positive, parse_seconds, text_format_of
from .output import check_open_option, print_json, print_page_path
from .progress import ProgressLine, report_for
from .saved_traces import blame_file, read_trace
from .verbs import Parser, Verbs, add_verb

SCHEMA = "tidegate.confirm/1"
EXITS = {"confirmed": Exit.HOLDS, "not_confirmed": Exit.SAFETY, "not_driven": Exit.INCONCLUSIVE}
EXAMPLES = """\
  tidegate audit cluster/ --out report
  tidegate confirm report/scenarios/01-orders.trace.json
  tidegate confirm report/scenarios/01-orders.trace.json --repaired
  tidegate confirm loss.trace.json --kafka-version 3.9.1 --repeat 5 --junit confirm.xml
  tidegate confirm loss.trace.json --kafka-home /opt/kafka --html confirmed.html
  tidegate confirm election.trace.json --in-process --kafka-version 4.1.1
  tidegate confirm --all --in-process --kafka-version 3.9.1
  tidegate confirm --random --seed 7 --minutes 60 --kafka-version 4.1.0

exit: 0 confirmed, 1 not confirmed, 5 could not be driven, 64 usage, 66 the cache is damaged, 69 no Java, Maven or
registry
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = (
        "Starts a small real cluster with the settings of a trace, or a quorum of controllers, drives it through the "
        "trace step by step, compares it with the model after each, and says whether an acknowledged record is gone in "
        "the end. Needs Java 17, and "
        "Maven for the first run of a release; it ends all that it starts."
    )
    parser = add_verb(verbs, "confirm", about, EXAMPLES)
    parser.add_argument(
        "traces",
        metavar="TRACE",
        type=Path,
        nargs="*",
        help="a .trace.json file of partition, kraft, transactions, producer, consumer or offsets_outage",
    )
    parser.add_argument(
        "--repaired", action="store_true", help="the same faults with acks=all, min.isr 2, clean elections"
    )
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        type=parse_assignment,
        default=[],
        dest="assignments",
        help="with --repaired: a setting of the partition's model that the repair makes (repeatable)",
    )
    add_cluster_options(parser)
    parser.add_argument(
        "--anyway",
        action="store_true",
        help="with a release: drive it though the model of that release does not take it, to see where it parts",
    )
    parser.add_argument(
        "--in-process",
        action="store_true",
        help="Kafka's own classes take a trace of kraft or kraft_voters in one process; needs a JDK 17",
    )
    parser.add_argument(
        "--all",
        action="store_true",
        help="with --in-process: every recorded counterexample of kraft, on each release, as a table",
    )
    parser.add_argument("--repeat", metavar="N", type=parse_positive, default=1, help="run each N times (default: 1)")
    parser.add_argument("--steps", action="store_true", help="print each step, where all came about as well")
    parser.add_argument(
        "--keep",
        metavar="DIR",
        type=Path,
        help="keep what brokers wrote there, for one run; with --random the controllers' logs",
    )
    parser.add_argument("--junit", metavar="FILE", type=Path, help="write a JUnit report there")
    parser.add_argument("--html", metavar="FILE", type=Path, help="write a page of the traces there, with the results")
    add_open_option(parser, "--html")
    _add_random_options(parser)
    add_print_options(parser)
    parser.set_defaults(run=run)


def _add_random_options(parser: Parser) -> None:
    group = parser.add_argument_group("instead of a trace")
    group.add_argument(
        "--random",
        action="store_true",
        help="random commands: each history is held against the model, and each acknowledged record is looked for",
    )
    group.add_argument(
        "--power", action="store_true", help="one broker loses power, and no process dies; for releases with ELR"
    )
    group.add_argument(
        "--shrink", action="store_true", help="leave commands out of a round that differs, while it still differs"
    )
    group.add_argument("--seed", metavar="N", type=parse_positive, default=1, help="of the first round (default: 1)")
    group.add_argument(
        "--minutes", metavar="M", type=parse_positive, default=5, help="no round begins after them (default: 5)"
    )


def add_cluster_options(parser: Parser) -> None:
    """Which release is started, and how long it may take."""
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--kafka-version", metavar="VERSION", help="the release (default: the newest known one that takes the trace)"
    )
    which.add_argument("--kafka-home", metavar="DIR", type=Path, help="an unpacked release, or a folder of its jars")
    parser.add_argument(
        "--step-time", metavar="SECONDS", type=parse_seconds, default=60.0, help="limit for each step (default: 60)"
    )


def run(options: argparse.Namespace) -> Exit:
    """Runs it."""
    if options.all:
        from .confirm_all import confirm_all

        return confirm_all(options)
    if options.random:
        return _run_random_rounds(options)
    check_open_option(options, "html")
    if not options.traces:
        raise UsageError("give a TRACE, or --random")
    for name in ("power", "shrink"):
        if getattr(options, name):
            raise UsageError(f"--{name} is of random commands: give --random too")
    if options.assignments and not options.repaired:
        raise UsageError("--set says what the repair changes: give --repaired too")
    if options.anyway and options.kafka_version is None and options.kafka_home is None:
        raise UsageError("--anyway is about one release: give --kafka-version or --kafka-home too")
    if options.keep is not None and (len(options.traces) > 1 or options.repeat > 1):
        raise UsageError("--keep DIR keeps one run: give one TRACE, and no --repeat")
    if options.in_process and (options.repaired or options.keep is not None or options.kafka_home is not None):
        raise UsageError("--in-process takes no --repaired, --keep or --kafka-home: it starts no brokers")
    documents = {path: read_trace(path) for path in options.traces}
    _check_kept_folder(options)
    results = list[dict[str, Any]]()
    with ProgressLine(sys.stderr) as line:
        for path, document in documents.items():
            for _ in range(options.repeat):
                with blame_file(path):
                    results.append(_confirm_trace(document, options, line))
    _save_results(options, documents, results)
    if options.json:
        print_json({"schema": SCHEMA, "results": results})
    else:
        sys.stdout.write(confirm_text(results, text_format_of(options), steps=options.steps))
    if options.html is not None:
        print_page_path(options.html, "", options)
    return worst_exit(EXITS[result["result"]] for result in results)


def _check_kept_folder(options: argparse.Namespace) -> None:
    """Refuses a folder that has something in it, before anything starts."""
    if options.keep is not None:
        from ..real.driving.nodes.processes import make_kept_folder

        options.keep = make_kept_folder(options.keep)


def _run_random_rounds(options: argparse.Namespace) -> Exit:
    """Random commands. The release is the newest known one where none is named."""
    if options.traces:
        raise UsageError("--random makes its own commands: give it no TRACE")
    require_kafka_python()
    from ..real.driving.nodes.releases import KNOWN_RELEASES, fetch_release, release_in
    from ..real.driving.partition.random_commands import run_rounds
    from ..real.driving.verdict import full_version

    _check_kept_folder(options)
    home: Path | None = options.kafka_home
    release = (
        release_in(home)
        if home is not None
        else fetch_release(full_version(options.kafka_version or KNOWN_RELEASES[0]))
    )
    elr = release.parts >= (4, 1)
    if options.power and not elr:
        raise UsageError(
            f"--power needs eligible leader replicas, and Kafka {release.version} may lose records without"
        )
    length = 60.0 * options.minutes
    with ProgressLine(sys.stderr) as line:
        rounds = run_rounds(
            release, elr, options.seed, length, options.keep, options.power, options.shrink, _progress_writer(line)
        )
    document = {"schema": "tidegate.chaos/1", "kafka": release.version, "seed": options.seed, "rounds": rounds}
    if options.json:
        print_json(document)
    else:
        sys.stdout.write(random_rounds_text(document, text_format_of(options)))
    return worst_exit(_EXITS_OF_ROUNDS[one["result"]] for one in rounds)


_EXITS_OF_ROUNDS = {"fine": Exit.HOLDS, "differs": Exit.SAFETY, "undecided": Exit.INCONCLUSIVE}


def require_kafka_python() -> None:
    """UsageError where it is not installed."""
    try:
        import kafka
    except ModuleNotFoundError:
        raise UsageError(
            "real brokers need kafka-python, which is not installed: pip install '.[real]' in the clone"
        ) from None
    del kafka


def _progress_writer(line: ProgressLine) -> Callable[[str], None]:
    report = report_for(line)

    def write(text: str) -> None:
        if report is not None:
            report(Progress(0, 0, 0, 0.0, 0, 0.0, says=text))

    return write


def _confirm_trace(document: Mapping[str, Any], options: argparse.Namespace, line: ProgressLine) -> dict[str, Any]:
    if options.in_process:
        from ..real.inprocess.confirming import confirmed_in_process

        return confirmed_in_process(
            document, kafka=options.kafka_version, anyway=options.anyway, report=_progress_writer(line)
        )
    require_kafka_python()
    from ..real.driving.verdict import confirm_trace

    return confirm_trace(
        document,
        kafka=options.kafka_version,
        home=options.kafka_home,
        with_repair=options.repaired,
        given_constants=dict(options.assignments),
        anyway=options.anyway,
        limit=options.step_time,
        keep=options.keep,
        report=_progress_writer(line),
    )


def _save_results(
    options: argparse.Namespace, documents: Mapping[Path, dict[str, Any]], results: Sequence[Mapping[str, Any]]
) -> None:
    try:
        if options.junit is not None:
            write_text(options.junit, confirm_junit(results))
        if options.html is not None:
            beside = ", ".join(path.name for path in documents)
            shown = [
                annotate_trace(document, results[place * options.repeat : (place + 1) * options.repeat])
                for place, document in enumerate(documents.values())
            ]
            write_text(options.html, trace_html(shown, whole_file=beside, section=comparison_section(results)))
    except OSError as error:
        raise UsageError(f"a report cannot be written: {error}") from None


def annotate_trace(document: Mapping[str, Any], results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """A trace with what real brokers did: a note for each result that differs."""
    copy = json.loads(json.dumps(document))
    return copy | {"notes": [*copy["notes"], *dict.fromkeys(map(result_sentence, results))]}
