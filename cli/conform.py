"""`tidegate conform MODEL`: does Kafka's code do what the model does?"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..explorer.search import Progress
from ..language.errors import UsageError
from ..reports.conform import conform_text
from ..reports.exits import Exit
from ..reports.files import write_trace
from ..reports.text_page import count_text
from ..traces.document import run_document
from .options import add_print_options, parse_positive, parse_seconds, text_format_of
from .output import prepare_directory, print_failure, print_json
from .progress import ProgressLine, report_for
from .verbs import Parser, Verbs, add_verb

if TYPE_CHECKING:
    from ..real.driving.nodes.releases import Release

SCHEMA = "tidegate.conform/1"
MODELS = ("kraft",)
EXAMPLES = """\
  tidegate conform kraft --kafka-version 4.1.1
  tidegate conform kraft --kafka-version 3.9.1 --seed 7 --time 300 --out differences
  tidegate conform kraft --kafka-version 4.4.0 --runs 50 --json

exit: 0 no difference in what was compared, 1 they differ, 5 it ended before it was to, or nothing was compared,
64 usage
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = (
        "Draws runs of the model, takes them step by step on the classes of a release of Kafka in one process, and "
        "compares the state of every node after each step. Pairs of actions that were taken seldom come first. A "
        "difference is shown with its shortest run, what the model has beside what Kafka has. Needs a JDK 17 or newer, "
        "and Maven for the first run of a release."
    )
    parser = add_verb(verbs, "conform", about, EXAMPLES)
    parser.add_argument("model", metavar="MODEL", choices=MODELS, help="the model: kraft")
    parser.add_argument("--kafka-version", metavar="VERSION", help="the release, such as 4.1.1")
    parser.add_argument("--seed", metavar="N", type=parse_positive, default=1, help="draws the runs (default: 1)")
    parser.add_argument("--runs", metavar="N", type=parse_positive, help="end after so many runs")
    parser.add_argument(
        "--time",
        metavar="SECONDS",
        type=parse_seconds,
        help="end after so long (default: 60, where no --runs is given)",
    )
    parser.add_argument("--out", metavar="DIR", type=Path, help="write the run of each difference there, as a trace")
    add_print_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Runs it."""
    from ..real.driving.nodes.releases import fetch_raft_release
    from ..real.driving.verdict import full_version
    from ..real.inprocess.conforming import ABSTRACTED, COMPARED
    from ..real.inprocess.hosting import HostError
    from ..real.inprocess.hunting import RELEASES

    if options.kafka_version is None:
        raise UsageError(f"give the release with --kafka-version; known are {', '.join(RELEASES)}")
    out: Path | None = None if options.out is None else prepare_directory(options.out)
    release = fetch_raft_release(full_version(options.kafka_version))
    limit = 60.0 if options.time is None and options.runs is None else options.time
    try:
        found, so_far = _compare_runs(options, release, limit)
    except HostError as error:
        print(f"tidegate: {error}", file=sys.stderr)
        print_failure(str(error), Exit.INCONCLUSIVE, {})
        return Exit.INCONCLUSIVE
    shown = {
        "schema": SCHEMA,
        "kafka": release.version,
        "model": options.model,
        "seed": options.seed,
        "runs": so_far.runs,
        "steps": so_far.steps,
        "pairs": so_far.pairs,
        "actions": list(so_far.actions),
        "never": list(so_far.never),
        "seconds": round(so_far.seconds, 1),
        "interrupted": so_far.cut,
        "compared": list(COMPARED),
        "abstracted": dict(ABSTRACTED),
        "differences": [_document(one, file) for one, file in zip(found, _save_differences(found, out), strict=True)],
    }
    if options.json:
        print_json(shown)
    else:
        sys.stdout.write(conform_text(shown, text_format_of(options)))
    return Exit.SAFETY if found else Exit.INCONCLUSIVE if so_far.cut or not so_far.steps else Exit.HOLDS


def _compare_runs(options: argparse.Namespace, release: Release, limit: float | None) -> tuple[list[Any], Any]:
    """The differences, and how far was looked."""
    from ..real.inprocess.conforming import ComparisonReach, Difference, conform

    found, so_far = list[Difference](), ComparisonReach(0, 0, 0, (), (), 0.0)
    with ProgressLine(sys.stderr) as line:
        report = report_for(line)

        def say(looked: ComparisonReach) -> None:
            if report is not None:
                runs, steps = count_text(looked.runs, "run"), count_text(looked.steps, "step")
                text = f"{runs}, {steps} compared, {count_text(len(found), 'difference')}"
                report(Progress(0, 0, 0, 0.0, 0, 0.0, says=text))

        for one in conform(release, options.seed, runs=options.runs, seconds=limit, report=say):
            if isinstance(one, Difference):
                found.append(one)
            else:
                so_far = one
    return found, so_far


def _save_differences(found: Sequence[Any], out: Path | None) -> list[str | None]:
    """The files with the runs of differences, if a folder is given."""
    from ..real.inprocess.conforming import hosted_model

    files = list[str | None]()
    for number, one in enumerate(found, 1):
        path = None if out is None else out / f"{one.run.steps[-1].action}-{number}.trace.json"
        if path is not None:
            write_trace(path, run_document(hosted_model(one.kafka), one.run))
        files.append(None if path is None else str(path))
    return files


def _document(found: Any, file: str | None) -> dict[str, Any]:
    from ..real.driving.controllers.driver import describe_controller

    return {
        "action": found.run.steps[-1].action,
        "fields": list(found.fields),
        "why": found.why,
        "steps": list(found.says),
        "model": {str(voter): describe_controller(one) for voter, one in found.model_observations.items()},
        "kafka": {str(voter): describe_controller(one) for voter, one in found.kafka_observations.items()},
        "file": file,
    }
