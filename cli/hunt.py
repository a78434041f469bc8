"""`tidegate hunt MODEL`: random schedules on Kafka's own code, and what they find."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..language.errors import UsageError
from ..reports.exits import Exit
from ..reports.files import write_text
from ..reports.hunt import case_text, hunt_text
from ..reports.text_page import count_text
from .options import add_hosted_options, add_print_options, hosted_seconds_of, hosted_version_of, text_format_of
from .output import prepare_directory, print_failure, print_json
from .progress import collect_findings
from .verbs import Parser, Verbs, add_verb

SCHEMA = "tidegate.hunt/1"
MODELS = ("kraft", "partition")
EXAMPLES = """\
  tidegate hunt kraft --kafka-version 4.1.1 --seed 1
  tidegate hunt kraft --kafka-version 3.7.2 --time 120 --out found
  tidegate hunt partition --kafka-version 4.3.1 --runs 400
  tidegate hunt --replay found/active_has_applied-1.schedule.json
  tidegate hunt --replay found/active_has_applied-1.schedule.json --kafka-version 3.9.1

exit: 0 nothing was found in what was looked at, 1 something was, 5 it ended before it was to, or was looked at in
nothing, 64 usage, 66 the cache is damaged, 69 no JDK, Maven or registry, 70 the host and plain Python disagree
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = (
        "Runs the Raft code of a release of Kafka in one process, several nodes at once, and chooses every message, "
        "timeout, crash and restart at random. After each step it looks whether what must hold of a quorum does. What "
        "it finds it makes shorter, and shows with what Kafka logged. The same seed gives the same runs. Needs a JDK "
        "17 or newer, and Maven for the first run of a release."
    )
    parser = add_verb(verbs, "hunt", about, EXAMPLES)
    parser.add_argument(
        "model", metavar="MODEL", nargs="?", choices=MODELS, help="whose code: kraft, or the controller of partition"
    )
    add_hosted_options(parser, "write what was found there, to be taken again")
    parser.add_argument("--replay", metavar="FILE", type=Path, help="take a schedule that was saved")
    parser.add_argument("--steps", action="store_true", help="with --replay: what is seen after each step")
    add_print_options(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> Exit:
    """Runs it."""
    from ..real.inprocess.program import HostError

    if (options.replay is None) == (options.model is None):
        raise UsageError(f"give a MODEL ({', '.join(MODELS)}) whose code is to be run, or a schedule with --replay")
    try:
        return _hunt_kraft(options) if options.replay is None else _replay_case(options)
    except HostError as error:
        print(f"tidegate: {error}", file=sys.stderr)
        print_failure(str(error), Exit.INCONCLUSIVE, {})
        return Exit.INCONCLUSIVE


def _hunt_kraft(options: argparse.Namespace) -> Exit:
    from ..real.inprocess.hunting import RELEASES, HuntReach, hunt
    from ..real.inprocess.partition.conforming import RELEASES as CONTROLLER_RELEASES
    from ..real.inprocess.partition.hunting import hunt_controller
    from ..real.inprocess.program import CONTROLLER, QUORUM, fetch_hosted_release

    is_partition = options.model == "partition"
    version = hosted_version_of(options, CONTROLLER_RELEASES if is_partition else RELEASES)
    if options.steps:
        raise UsageError("--steps is of --replay")
    out: Path | None = None if options.out is None else prepare_directory(options.out)
    release = fetch_hosted_release(version, CONTROLLER if is_partition else QUORUM)
    limit = hosted_seconds_of(options)
    taker = hunt_controller if is_partition else hunt

    def words(looked: HuntReach, findings: int) -> str:
        rate = count_text(round(looked.steps / max(looked.seconds, 0.001)))
        return f"{count_text(looked.runs, 'run')}, {rate} steps/s, {count_text(findings, 'finding')}"

    def search(report: Callable[..., None]) -> Iterator[Any]:
        return taker(release, options.seed, runs=options.runs, seconds=limit, report=report)

    cases, so_far = collect_findings(search, HuntReach, words, limit)
    names = [_case_file_name(case, cases) for case in cases]
    found = [
        case.document() | {"file": None if out is None else str(out / name)}
        for name, case in zip(names, cases, strict=True)
    ]
    if out is not None:
        for name, document in zip(names, found, strict=True):
            write_text(out / name, json.dumps(document, indent=1) + "\n")
    hunted = _hunt_document(options, release.version, so_far, found)
    if options.json:
        print_json(hunted)
    else:
        sys.stdout.write(hunt_text(hunted, text_format_of(options)))
    return Exit.SAFETY if cases else Exit.INCONCLUSIVE if so_far.cut or not so_far.runs else Exit.HOLDS


def _case_file_name(case: Any, cases: Sequence[Any]) -> str:
    """The file of a case: its property, and which of those with that property it is."""
    same = [one for one in cases if one.finding.property == case.finding.property]
    return f"{case.finding.property}-{same.index(case) + 1}.schedule.json"


def _hunt_document(
    options: argparse.Namespace, kafka: str, so_far: Any, found_cases: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "kafka": kafka,
        "model": options.model,
        "seed": options.seed,
        "runs": so_far.runs,
        "steps": so_far.steps,
        "states": so_far.states,
        "seconds": round(so_far.seconds, 1),
        "processor_seconds": round(so_far.processor_seconds, 1),
        "interrupted": so_far.cut,
        "why": so_far.why,
        "found": list(found_cases),
    }


def _replay_case(options: argparse.Namespace) -> Exit:
    from ..real.inprocess.hosting import Host
    from ..real.inprocess.hunting import case_of, replay_case
    from ..real.inprocess.program import fetch_hosted_release

    try:
        saved = json.loads(options.replay.read_text(encoding="utf-8"))
        if saved.get("model") == "partition":
            return _replay_partition(options, saved)
        case = case_of(saved)
    except (OSError, ValueError) as error:
        raise UsageError(f"{options.replay}: it cannot be read: {error}") from None
    except UsageError as error:
        raise UsageError(f"{options.replay}: {error}") from None
    release = fetch_hosted_release(options.kafka_version or case.kafka)
    with Host(release) as host:
        case, states = replay_case(host, case)
    if options.json:
        print_json(case.document())
    else:
        sys.stdout.write(case_text(case.document(), states if options.steps else (), text_format_of(options)))
    return Exit.SAFETY


def _replay_partition(options: argparse.Namespace, document: Mapping[str, Any]) -> Exit:
    from ..real.inprocess.hosting import Host
    from ..real.inprocess.partition.hunting import replay_controller_case, saved_controller_case
    from ..real.inprocess.program import CONTROLLER, fetch_hosted_release

    case = saved_controller_case(document)
    release = fetch_hosted_release(options.kafka_version or case.kafka, CONTROLLER)
    with Host(release, CONTROLLER, brief=True) as host:
        case = replay_controller_case(host, case)
    if options.json:
        print_json(case.document())
    else:
        sys.stdout.write(case_text(case.document(), (), text_format_of(options)))
    return Exit.SAFETY
