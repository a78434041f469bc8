"""`tidegate validate DIR`: is what a real cluster did a run of the model?"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..audit.kafka.profiles import audited_model_definition
from ..explorer.cache import cache_directory
from ..explorer.search import Progress
from ..language.constant_values import checked_value
from ..language.constants import Value
from ..language.errors import UsageError, suggest_name
from ..real.history.moments import History, RecordedCluster
from ..real.history.partitions import recorded_cluster
from ..real.history.zookeeper_logs import has_zookeeper_controller_logs, read_zookeeper
from ..real.logs.broker_files import BrokerLogs, read_brokers
from ..real.logs.metadata_log import MetadataLog, has_metadata_log, read_metadata_log
from ..real.validation.settings import Version, find_version
from ..real.validation.validating import ValidationResult, validate_histories, validation_document
from ..reports.exits import Exit
from ..reports.text_page import count_text
from ..reports.validate import validate_text
from .options import add_open_option, add_print_options, parse_assignment, parse_seconds, text_format_of
from .output import check_open_option, print_json, print_page_path
from .progress import ProgressLine, report_for
from .validate_files import INDEX, check_folder_is_own, save_validation
from .verbs import Parser, Verbs, add_verb

EXAMPLES = """\
  tidegate validate /var/lib/kafka/metadata/__cluster_metadata-0
  tidegate validate 00000000000000000000.log --topic orders --steps
  tidegate validate logs-of-all-brokers/ --steps
  tidegate validate controller/ --brokers broker-1/logs --brokers broker-2/logs --out report --open
  kafka-dump-log.sh --cluster-metadata-decoder --files 00000000000000000000.log > metadata.txt
  tidegate validate metadata.txt --kafka-version 3.9 --set min_isr=2

exit: 0 a run of the model shows what each partition did, 1 no run shows it of some partition, or brokers' logs show
that committed records were lost, 5 undecided, or not checked, 64 usage, or there is no metadata log
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = (
        "Reads a controller's metadata log (KRaft), or the logs of brokers with ZooKeeper, and searches, for each "
        "partition, a run of the model of its version with the same leaders, epochs, ISR, eligible leader replicas and "
        "fenced brokers."
    )
    parser = add_verb(verbs, "validate", about, EXAMPLES)
    parser.add_argument(
        "log",
        metavar="DIR|FILE",
        type=Path,
        help="a controller's metadata.log.dir, a segment or a snapshot, or what kafka-dump-log prints of one; with "
        "ZooKeeper, a folder with controller.log, state-change.log and server.log of each broker",
    )
    parser.add_argument(
        "--brokers",
        metavar="DIR|FILE",
        type=Path,
        action="append",
        default=[],
        help="brokers' server.log and state-change.log, and their log.dirs: were committed records lost (repeatable)",
    )
    parser.add_argument("--topic", metavar="NAME", action="append", default=[], help="of these topics (repeatable)")
    parser.add_argument("--kafka-version", metavar="VERSION", help="of the brokers (default: as they registered)")
    parser.add_argument(
        "--set",
        metavar="NAME=VALUE",
        action="append",
        type=parse_assignment,
        default=[],
        dest="assignments",
        help="a constant of the partition's model: a setting, a switch, or a number of faults between two moments "
        "(repeatable)",
    )
    parser.add_argument(
        "--out", metavar="DIR", type=Path, help="write index.html there, and a page and traces of each history"
    )
    add_open_option(parser)
    parser.add_argument("--steps", action="store_true", help="print the run that shows what happened, step by step")
    parser.add_argument("--time", metavar="SECONDS", type=parse_seconds, help="time limit in all (default: none)")
    parser.add_argument("--no-cache", action="store_true", help="keep no compiled model")
    add_print_options(parser)
    parser.set_defaults(run=run)


_CONSTANTS_OF_THE_LOG = {
    "replicas": "the log has each partition's replicas",
    "max_leader_epoch": "leader epochs are numbered anew where they grow large",
}
"""Constants of the model that are as they are, and why."""


def run(options: argparse.Namespace) -> Exit:
    """Runs it."""
    check_open_option(options, "out")
    if options.out is not None:
        check_folder_is_own(options.out)
    log, cluster = _read_history_source(options.log)
    version = find_version(cluster, options.kafka_version)
    brokers = read_brokers(options.brokers) if options.brokers else None
    if brokers is not None:
        brokers.refuse_another(log.paths, cluster.zookeeper and cluster.zookeeper.cluster)
    results = _validate_histories(cluster, version, _chosen_histories(cluster, options), brokers, options)
    found = validation_document(log, version, results, brokers)
    if options.out is not None:
        save_validation(options.out, found, results)
    if options.json:
        print_json(found)
    else:
        sys.stdout.write(validate_text(found, text_format_of(options), steps=options.steps))
    if options.out is not None:
        print_page_path(options.out / INDEX, "", options)
    return _exit_of_document(found)


def _read_history_source(path: Path) -> tuple[MetadataLog, RecordedCluster]:
    """The metadata log at a path, or, where none is there, what controllers of a cluster with ZooKeeper wrote."""
    if not has_metadata_log(path) and path.exists() and has_zookeeper_controller_logs(path):
        return read_zookeeper(path)
    log = read_metadata_log(path)
    return log, recorded_cluster(log)


def _validate_histories(
    cluster: RecordedCluster,
    version: Version,
    histories: Sequence[History],
    brokers: BrokerLogs | None,
    options: argparse.Namespace,
) -> list[ValidationResult]:
    until = None if options.time is None else time.monotonic() + options.time
    with ProgressLine(sys.stderr, options.time) as line:
        return validate_histories(
            cluster,
            histories,
            version,
            _parse_constants(options.assignments),
            brokers=brokers,
            cache=None if options.no_cache else cache_directory(),
            seconds=lambda: None if until is None else until - time.monotonic(),
            report=_progress_reporter(line),
        )


def _progress_reporter(line: ProgressLine) -> Callable[[int, int], None]:
    report = report_for(line)

    def report_done(number: int, all_of_them: int) -> None:
        if report is not None:
            says = f"{count_text(number)} of {count_text(all_of_them, 'different history', 'different histories')} done"
            report(Progress(0, 0, 0, 0.0, 0, 0.0, says=says))

    return report_done


def _chosen_histories(cluster: RecordedCluster, options: argparse.Namespace) -> list[History]:
    names = {history.topic for history in cluster.histories}
    for name in options.topic:
        if name not in names:
            raise UsageError(
                f"--topic {name}: the log has no such topic; {suggest_name(name, names) or 'it has none at all'}"
            )
    chosen = [history for history in cluster.histories if not options.topic or history.topic in options.topic]
    if not chosen:
        raise UsageError(f"{options.log}: no partition is in this log")
    return chosen


def _parse_constants(assignments: Sequence[tuple[str, str]]) -> Mapping[str, Value]:
    known = audited_model_definition().constants
    for name, _ in assignments:
        if name not in known:
            raise UsageError(f"--set {name}: the partition's model has no such constant; {suggest_name(name, known)}")
        if name in _CONSTANTS_OF_THE_LOG:
            raise UsageError(f"--set {name}: it is not set: {_CONSTANTS_OF_THE_LOG[name]}")
    return {name: checked_value(known[name], text) for name, text in assignments}


def _exit_of_document(document: Mapping[str, Any]) -> Exit:
    results = {partition["result"] for partition in document["partitions"]}
    if "not_shown" in results or any(partition["losses"] for partition in document["partitions"]):
        return Exit.SAFETY
    open_still = results - {"shown"} or any(partition["possible_losses"] for partition in document["partitions"])
    return Exit.INCONCLUSIVE if open_still else Exit.HOLDS
