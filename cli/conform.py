"""`tidegate conform MODEL`: does Kafka's code do what the model does, and the model what Kafka's code does?"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..language.errors import UsageError
from ..reports.conform import conform_text
from ..reports.conform_picture import difference_picture
from ..reports.exits import Exit
from ..reports.files import write_text, write_trace
from ..reports.text_page import count_text
from ..traces.document import run_document
from .options import add_hosted_options, add_print_options, hosted_seconds_of, hosted_version_of, text_format_of
from .output import prepare_directory, print_failure, print_json
from .progress import collect_findings
from .verbs import Parser, Verbs, add_verb

if TYPE_CHECKING:
    from ..real.driving.nodes.releases import Release

SCHEMA = "tidegate.conform/1"
MODELS = ("kraft", "partition")
EXAMPLES = """\
  tidegate conform kraft --kafka-version 4.1.1
  tidegate conform kraft --kafka-version 3.9.1 --seed 7 --time 300 --out differences
  tidegate conform kraft --kafka-version 4.4.0 --runs 50 --json
  tidegate conform partition --kafka-version 4.1.1 --runs 40
  tidegate conform kraft --kafka-version 3.5.2 --model-of 3.9 --direction code-to-model --svg parts.svg
  tidegate conform --replay differences/append-1.history.json

exit: 0 no difference in what was compared, 1 they differ, 5 it ended before it was to, or nothing was compared,
64 usage, 66 the cache is damaged, 69 no JDK, Maven or registry
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = (
        "Two ways, in turn. Runs of the model are taken step by step on the classes of a release of Kafka in one "
        "process, and the state of every node is compared after each step: first those with every pair of actions that "
        "one can follow the other, then drawn ones. And random schedules on these classes are followed in the model. A "
        "difference is shown with its shortest run or schedule, what the model has beside what Kafka has. Needs a JDK "
        "17 or newer, and Maven for the first run of a release. Of partition, runs of the model: its controller's "
        "steps are taken on a release's controller of partitions."
    )
    parser = add_verb(verbs, "conform", about, EXAMPLES)
    parser.add_argument("model", metavar="MODEL", nargs="?", choices=MODELS, help="the model: kraft or partition")
    parser.add_argument(
        "--direction", choices=("model-to-code", "code-to-model"), help="one of the two (default: both)"
    )
    parser.add_argument("--model-of", metavar="VERSION", help="the model of another release, to see where the two part")
    add_hosted_options(parser, "write each difference there: a run as a trace, a schedule as a history")
    parser.add_argument("--svg", metavar="FILE", type=Path, help="write a picture of the first difference there")
    parser.add_argument(
        "--replay", metavar="FILE", type=Path, help="take a history that was saved, and follow it again"
    )
    add_print_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Runs it."""
    from ..real.inprocess.program import HostError

    if (options.replay is None) == (options.model is None):
        raise UsageError(f"give a MODEL ({', '.join(MODELS)}) to compare, or a history with --replay")
    if options.svg is not None:
        prepare_directory(options.svg.parent)
    try:
        if options.model == "partition":
            return _conform_partition(options)
        return _conform_kraft(options) if options.replay is None else _replay_history(options)
    except HostError as error:
        print(f"tidegate: {error}", file=sys.stderr)
        print_failure(str(error), Exit.INCONCLUSIVE, {})
        return Exit.INCONCLUSIVE


def _conform_kraft(options: argparse.Namespace) -> Exit:
    from ..real.inprocess.hunting import RELEASES
    from ..real.inprocess.program import fetch_hosted_release

    version = hosted_version_of(options, RELEASES)
    out: Path | None = None if options.out is None else prepare_directory(options.out)
    release = fetch_hosted_release(version)
    limit = hosted_seconds_of(options)
    found, so_far = _compare_runs(options, release, limit)
    files = _save_differences(found, out)
    shown = _kraft_document(options, release.version, so_far, list(map(difference_document, found, files)))
    _print_document(shown, options)
    return _exit_of(found, so_far, so_far.compared_states)


def _conform_partition(options: argparse.Namespace) -> Exit:
    """The controller of partitions beside its model."""
    from ..real.inprocess.partition.conforming import RELEASES, ControllerReach, conform
    from ..real.inprocess.program import CONTROLLER, fetch_hosted_release

    if options.direction == "code-to-model":
        raise UsageError("of partition, runs of the model are taken by Kafka's code, and not the other way round yet")
    version = hosted_version_of(options, RELEASES)
    out: Path | None = None if options.out is None else prepare_directory(options.out)
    release, limit = fetch_hosted_release(version, CONTROLLER), hosted_seconds_of(options)
    runs, of = options.runs, options.model_of

    def words(looked: ControllerReach, differences: int) -> str:
        of_model = f"{count_text(looked.runs, 'run')}, {looked.steps:,} compared"
        return f"{of_model}, {count_text(differences, 'difference')}"

    def search(report: Callable[..., None]) -> Iterator[Any]:
        return conform(release, options.seed, runs=runs, seconds=limit, held_against=of, report=report)

    found, so_far = collect_findings(search, ControllerReach, words, limit)
    differences = list(map(_partition_difference, found, _save_differences(found, out)))
    _print_document(_partition_document(options, release.version, so_far, differences), options)
    return _exit_of(found, so_far, so_far.steps)


def _exit_of(differences: Sequence[Any], so_far: Any, compared_states: int) -> Exit:
    if differences:
        return Exit.SAFETY
    return Exit.INCONCLUSIVE if so_far.cut or not compared_states else Exit.HOLDS


def _request_document(options: argparse.Namespace, kafka: str) -> dict[str, Any]:
    """What was asked, as a document begins."""
    asked = {name: getattr(options, name) for name in ("model_of", "model", "seed")}
    return {"schema": SCHEMA, "kafka": kafka, **asked}


def _end_document(so_far: Any) -> dict[str, Any]:
    """After how long it ended, and whether before it was to."""
    return {"seconds": round(so_far.seconds, 1), "interrupted": so_far.cut, "why": so_far.why}


def _partition_document(
    options: argparse.Namespace, kafka: str, so_far: Any, differences: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    from ..real.inprocess.partition.calls import LEFT_OUT, WHY_NOT
    from ..real.inprocess.partition.compared import COMPARED

    return {
        **_request_document(options, kafka),
        "runs": so_far.runs,
        "steps": so_far.steps,
        "calls": so_far.calls,
        "pairs": so_far.pairs,
        "actions": list(so_far.actions),
        "never": {name: WHY_NOT.get(name, "") for name in so_far.never},
        "histories": 0,
        "observations": 0,
        **_end_document(so_far),
        "compared": list(COMPARED),
        "left_out": dict(LEFT_OUT),
        "differences": list(differences),
    }


def _partition_difference(difference: Any, file: str | None) -> dict[str, Any]:
    """The model's steps, what was asked of Kafka's controller, and what both have on record then."""
    from ..real.inprocess.partition.compared import record_words

    return {
        "direction": "model-to-code",
        "action": difference.run.steps[-1].action,
        "fields": list(difference.fields),
        "why": difference.why,
        "settings": {name: difference.model.values[name] for name in ("min_isr", "unclean", "elr")},
        "steps": list(difference.says),
        "operations": list(difference.calls),
        "model": record_words(difference.of_model),
        "kafka": record_words(difference.of_kafka),
        "file": file,
    }


def _replay_history(options: argparse.Namespace) -> Exit:
    """A history that was saved, once more: exit 1 where it differs, 0 where not, 5 where that is not decided."""
    from ..real.inprocess.conforming import ComparisonReach
    from ..real.inprocess.following import HistoryDifference, HistoryReach, replay_history, saved_history
    from ..real.inprocess.hosting import Host
    from ..real.inprocess.program import fetch_hosted_release

    try:
        saved = saved_history(json.loads(options.replay.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise UsageError(f"{options.replay}: it cannot be read: {error}") from None
    release = fetch_hosted_release(options.kafka_version or saved.kafka)
    with Host(release, brief=True) as host:
        found = replay_history(host, saved.operations, options.model_of or saved.held_against, saved.defect)
    differs = isinstance(found, HistoryDifference)
    code = HistoryReach(1, len(saved.operations), int(found == "undecided"), 0)
    so_far = ComparisonReach(0, 0, 0, (), (), (), {}, {}, code, 0.0)
    differences = [difference_document(found, str(options.replay))] if differs else []
    options.model, options.seed = MODELS[0], 0
    _print_document(_kraft_document(options, release.version, so_far, differences), options)
    return Exit.SAFETY if differs else Exit.INCONCLUSIVE if found == "undecided" else Exit.HOLDS


def _print_document(document: dict[str, Any], options: argparse.Namespace) -> None:
    if options.svg is not None and document["differences"]:
        write_text(options.svg, difference_picture(document["differences"][0], document["kafka"], document["model_of"]))
    if options.json:
        print_json(document)
    else:
        sys.stdout.write(conform_text(document, text_format_of(options)))


def _compare_runs(options: argparse.Namespace, release: Release, limit: float | None) -> tuple[list[Any], Any]:
    """The differences, and how far was looked."""
    from ..real.inprocess.conforming import DIRECTIONS, ComparisonReach, conform

    directions = DIRECTIONS if options.direction is None else (options.direction,)
    runs, of = options.runs, options.model_of

    def words(looked: ComparisonReach, differences: int) -> str:
        histories = count_text(looked.code.histories, "history", "histories")
        taken = f"{count_text(looked.runs, 'run')}, {histories}, {looked.compared_states:,} compared"
        return f"{taken}, {count_text(differences, 'difference')}"

    def search(report: Callable[..., None]) -> Iterator[Any]:
        return conform(
            release, options.seed, runs=runs, seconds=limit, directions=directions, held_against=of, report=report
        )

    return collect_findings(search, ComparisonReach, words, limit)


def _save_differences(differences: Sequence[Any], folder: Path | None) -> list[str | None]:
    """The files of differences, if a folder is given: a trace, or a history."""
    from ..real.inprocess.conforming import Difference
    from ..real.inprocess.partition.conforming import RecordDifference

    files = list[str | None]()
    for number, one in enumerate(differences, 1):
        if folder is None:
            path = None
        elif isinstance(one, Difference | RecordDifference):
            path = folder / f"{one.run.steps[-1].action}-{number}.trace.json"
            write_trace(path, run_document(one.model, one.run))
        else:
            path = folder / f"{one.last_kind}-{number}.history.json"
            write_text(path, json.dumps(one.document(), indent=1) + "\n")
        files.append(None if path is None else str(path))
    return files


def _kraft_document(
    options: argparse.Namespace, kafka: str, so_far: Any, differences: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    from ..real.inprocess.compared import COMPARED
    from ..real.inprocess.conforming import ABSTRACTED

    return {
        **_request_document(options, kafka),
        "runs": so_far.runs,
        "steps": so_far.steps,
        "pairs": so_far.pairs,
        "missing": [list(pair) for pair in so_far.missing],
        "not_driven": [list(pair) for pair in so_far.not_driven],
        "actions": list(so_far.actions),
        "never": dict(so_far.never),
        "without_effect": dict(so_far.idle_runs),
        "histories": so_far.code.histories,
        "observations": so_far.code.observations,
        "undecided": so_far.code.undecided_histories,
        "kinds": so_far.code.kinds,
        "ended": so_far.code.ended_histories,
        **_end_document(so_far),
        "compared": list(COMPARED),
        "abstracted": dict(ABSTRACTED),
        "differences": list(differences),
    }


def difference_document(difference: Any, file: str | None) -> dict[str, Any]:
    """A difference of either way: the model's steps, the operations on Kafka's code where they were drawn, and both
    sides after them."""
    from ..real.driving.controllers.driver import describe_controller
    from ..real.inprocess.conforming import Difference
    from ..real.inprocess.schedules import operation_words

    to_code = isinstance(difference, Difference)
    model, kafka = (
        (difference.model_observations, difference.kafka_observations)
        if to_code
        else (difference.instead, difference.next)
    )
    return {
        "direction": "model-to-code" if to_code else "code-to-model",
        "action": difference.run.steps[-1].action if to_code else difference.last_kind,
        "fields": list(difference.fields),
        "why": difference.why,
        "steps": list(difference.says if to_code else difference.steps),
        "operations": [] if to_code else list(map(operation_words, difference.operations)),
        "model": {str(voter): describe_controller(one) for voter, one in model.items()},
        "kafka": {str(voter): describe_controller(one) for voter, one in kafka.items()},
        "file": file,
    }
