"""`tidegate audit FILES|DIR`: real Kafka configuration in; what can be lost, and how, out."""

from __future__ import annotations

import argparse
import datetime
import re
import sys
import textwrap
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from ..api.auditing import parse_requirements
from ..audit.answers.baseline import AcceptedFinding
from ..audit.answers.baseline import read_baseline as baseline
from ..audit.answers.requirements import EXAMPLE, PRESETS, Requirement
from ..audit.answers.voter_changes import VoterChange
from ..audit.auditing import AuditOutcome, AuditRequest, ReadCluster, audit, read_cluster, read_clusters
from ..audit.cluster.statements import UnreadableInputError, WrongOptionError
from ..audit.exploring.small_models import results_kept_in
from ..audit.joining.options import Options
from ..audit.questions.questions import QUESTIONS
from ..audit.questions.situations import FAULTS, SITUATIONS
from ..audit.readers.parsed_file import Part
from ..audit.readers.running.collection import collection_script
from ..audit.readers.running.connection import read_security
from ..audit.report import difference
from ..audit.report.document import Document
from ..explorer.cache import cache_directory
from ..explorer.search import Progress
from ..language.errors import UnreadableError, UsageError, suggest_name
from ..reports.audit.overview import audit_headline, audit_overview
from ..reports.audit.restarts import restarts_page
from ..reports.audit.terminal import audit_page, difference_page, topic_page
from ..reports.audit.voter_changes import voter_changes_page
from ..reports.exits import Exit, worst_exit
from ..reports.text_page import TextFormat, TextPage, count_text
from .audit_confirm import confirm_losses
from .audit_files import Scenario, assign_scenario_pages, save_audit
from .audit_init import place_of_skeleton, write_skeleton
from .audit_restart import may_restart_document, parse_brokers
from .audit_several import audit_clusters, audits_document, audits_page, cluster_folder, refuse_options_of_one
from .audit_voters import may_change_voters_document, parse_changes
from .options import add_open_option, add_print_options, parse_positive, parse_seconds, text_format_of
from .output import check_open_option, prepare_directory, print_json, print_page_path
from .progress import ProgressLine, report_for
from .verbs import Parser, Verbs, add_verb

MOST_PORT = 65_535

EXAMPLES = """\
  tidegate audit server.properties topics.txt --distribution apache
  tidegate audit --init cluster/
  tidegate audit cluster/ --require strict --require writable=two-crashes@all
  tidegate audit cluster/ --kafka-version 3.7 --client java:2.8 --json
  tidegate audit --bootstrap-server broker-1:9092 --command-config client.properties audit.toml
  tidegate audit --bootstrap-server broker-1:9092 --may-restart 2
  tidegate audit cluster/ --may-change-voters add=4,add=5
  tidegate audit --collect > collect.sh; sh collect.sh --bootstrap-server localhost:9092; tidegate audit tidegate-audit

exit: 0 what is required holds in the model, 1 it does not, 5 that depends on something not
given, or was not decided in time or before an interruption, 64 usage, 66 a file or the running cluster cannot be read
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = "Reads a cluster's configuration and says which faults lose data or stop writes, how, and what to change."
    examples = EXAMPLES + _requirement_help()
    parser = add_verb(verbs, "audit", about, examples)
    parser.add_argument("files", metavar="FILE|DIR", nargs="*", type=Path, help="configuration, in any mixture")
    parser.add_argument(
        "--collect",
        action="store_true",
        help="print a shell script that collects a running cluster's configuration, and exit",
    )
    parser.add_argument(
        "--init",
        action="store_true",
        help="write FOLDER/audit.toml: topics, what is required of them and who writes them, as comments, and exit",
    )
    _add_live_cluster_options(parser)
    _add_requirement_options(parser)
    _add_fact_options(parser)
    add_print_options(parser)
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        help="write index.html and pages of the losses, audit.json, summary.md, results.sarif, junit.xml",
    )
    add_open_option(parser)
    parser.add_argument(
        "--confirm",
        action="store_true",
        help="with --out: drive real brokers through each different loss, and its repair (needs the extra `real`)",
    )
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--all", action="store_true", help="every group of topics in full, and every finding")
    shown.add_argument("--topic", metavar="NAME", help="one topic in full: its table, how it is lost, what repairs it")
    shown.add_argument("--quiet", action="store_true", help="the headline alone")
    parser.set_defaults(run=run)


def _add_requirement_options(parser: Parser) -> None:
    asked = parser.add_argument_group("what must hold")
    asked.add_argument(
        "--require",
        metavar="WHAT",
        action="append",
        default=[],
        help=f"a preset, {', '.join(PRESETS)}, or QUESTION=FAULT@SITUATION, such as {EXAMPLE} (repeatable; default: "
        "standard); the questions, faults and situations are below",
    )
    asked.add_argument(
        "--baseline", metavar="FILE", type=Path, help="what is accepted, with a reason and an expiry (TOML)"
    )
    asked.add_argument(
        "--diff",
        metavar="OLD.JSON",
        type=Path,
        help="what changed since an earlier audit --json, in words; NEW.JSON, such a file too, may stand for FILES",
    )
    asked.add_argument(
        "--from-current",
        action="store_true",
        help="also report the present state: what the ISR is now, and what it means",
    )
    asked.add_argument(
        "--time", metavar="SECONDS", type=parse_seconds, default=120.0, help="time limit of the audit (default: 120)"
    )
    asked.add_argument(
        "--workers", metavar="N", type=parse_positive, default=2, help="processes that explore (default: 2)"
    )
    asked.add_argument("--no-cache", action="store_true", help="keep no compiled model and no answers")


def _requirement_help() -> str:
    """What `--require` may name, below the examples."""
    rows = [
        "",
        "--require:",
        *(textwrap.fill(f"{preset.name}: {preset.says}", 96, initial_indent="  ", subsequent_indent="    ")
          for preset in PRESETS.values()),
        *(textwrap.fill(f"{what}: {', '.join(entry.name for entry in named)}", 96, initial_indent="  ",
                        subsequent_indent="    ", break_on_hyphens=False)
          for what, named in (("questions", QUESTIONS), ("faults", FAULTS), ("situations", SITUATIONS))),
    ]  # fmt: skip
    return "\n".join([*rows, ""])


def _add_live_cluster_options(parser: Parser) -> None:
    group = parser.add_argument_group(
        "a running cluster", "tidegate reads from it and never writes to it; FILEs may be given too"
    )
    group.add_argument(
        "--bootstrap-server", metavar="HOST:PORT", help="brokers to ask, with commas between (needs the extra `live`)"
    )
    group.add_argument(
        "--command-config", metavar="FILE", type=Path, help="client properties with SASL and TLS, as for Kafka's tools"
    )
    group.add_argument(
        "--may-restart",
        metavar="BROKER",
        help="whether this broker (several with commas, or `all` in order) may be restarted now: what stops or can be "
        "lost while it is away, and what to wait for; asked again before it is answered",
    )

    group.add_argument(
        "--may-change-voters",
        metavar="CHANGES",
        help="whether add=ID, remove=ID or replace=ID (another disk) of a KRaft controller may be done now, several "
        "with commas one after the other: who is needed meanwhile, and what to do first",
    )


def _add_fact_options(parser: Parser) -> None:
    group = parser.add_argument_group("facts that the files do not state")
    group.add_argument("--kafka-version", metavar="VERSION", help="of the brokers, such as 3.9.1")
    group.add_argument("--metadata-version", metavar="VERSION", help="KRaft's, such as 3.7-IV4")
    group.add_argument("--inter-broker-protocol", metavar="VERSION", help="with ZooKeeper, such as 2.8")
    group.add_argument(
        "--features", metavar="NAME=LEVEL", action="append", default=[], help="a finalized feature (repeatable)"
    )
    group.add_argument(
        "--client", metavar="[FILE=]FAMILY:VERSION", action="append", default=[], help="such as java:3.9 (repeatable)"
    )
    group.add_argument(
        "--acks", choices=("all", "1", "0"), help="of all producers that audit.toml does not name for a topic"
    )
    group.add_argument("--distribution", metavar="NAME", help="who distributes the brokers: apache, strimzi, ...")


def run(options: argparse.Namespace) -> Exit:
    """Audits, prints, then saves: a result is never lost to a full disk."""
    if options.collect:
        print(collection_script(), end="")
        return Exit.HOLDS
    if options.command_config is not None and options.bootstrap_server is None:
        raise UsageError("--command-config says how to reach a running cluster: give --bootstrap-server HOST:PORT too")
    if not options.files and options.bootstrap_server is None:
        raise UsageError(
            "give files or a directory to audit, or --bootstrap-server HOST:PORT; --collect prints a script that makes "
            "a directory of a running cluster"
        )
    if options.init:
        return _write_skeleton(options)
    if options.diff is not None and [path.suffix for path in options.files] == [".json"] and options.out is None:
        compared = _compare_saved_audits(options.diff, options.files[0], options)
        if compared is not None:
            return compared
    if options.may_restart is not None:
        if options.out is not None:
            raise UsageError("--may-restart answers for now and writes no files: leave out --out")
        return _answer_restart(options, parse_brokers(options.may_restart))
    if options.may_change_voters is not None:
        if options.out is not None:
            raise UsageError("--may-change-voters answers for now and writes no files: leave out --out")
        return _answer_voter_changes(options, parse_changes(options.may_change_voters))
    check_open_option(options)
    if options.confirm and options.out is None:
        raise UsageError("--confirm drives real brokers through the traces that --out writes: give --out DIR too")
    out: Path | None = None if options.out is None else prepare_directory(options.out)
    with _input_errors_as_command_errors():
        old = None if options.diff is None else difference.read_document(options.diff)
        accepted = () if options.baseline is None else baseline(options.baseline)
        began, required = monotonic(), parse_requirements(options.require)
        try:
            found = _read_clusters(options)
        except KeyboardInterrupt:
            print("tidegate: interrupted while the files were read: nothing was audited", file=sys.stderr)
            return Exit.INCONCLUSIVE
        if len(found) > 1:
            return _audit_several(found, required, began, out, options)
        done = run_audit(_only_cluster(found), required, accepted, options.time - (monotonic() - began), options)
        if old is not None:
            done.document["diff"] = difference.compare_documents(old, done.document)
    scenarios = [] if out is None else assign_scenario_pages(done)
    if options.json:
        print_json(done.document)
    else:
        print(_requested_page(done.document, options).text(), end="", flush=True)
    return Exit(done.exit) if out is None else _save_result(done, scenarios, out, options)


@contextmanager
def _input_errors_as_command_errors() -> Generator[None]:
    """Within it what is wrong with options or files is raised as what ends a command."""
    try:
        yield
    except WrongOptionError as error:
        raise UsageError(f"{error}\ntry: tidegate audit --help") from None
    except UnreadableInputError as error:
        raise UnreadableError(str(error)) from None


def _write_skeleton(options: argparse.Namespace) -> Exit:
    """Writes audit.toml of what was read, and explores nothing."""
    parse_requirements(options.require)
    target = place_of_skeleton(options.files)
    with _input_errors_as_command_errors():
        cluster, _ = _read_one_cluster(options, None if options.no_cache else cache_directory())
    return write_skeleton(cluster, target, options.require)


def _compare_saved_audits(old: Path, new: Path, options: argparse.Namespace) -> Exit | None:
    """Prints what differs between two audits that were saved, and ends as the newer one did; None where the newer one
    is no audit, but configuration to be read."""
    try:
        after = difference.read_document(new)
    except UnreadableInputError:
        return None
    try:
        found = difference.compare_documents(difference.read_document(old), after)
    except UnreadableInputError as error:
        raise UnreadableError(str(error)) from None
    if options.json:
        print_json(found)
    else:
        print(difference_page(found, text_format_of(options)).text(), end="", flush=True)
    return Exit(after["exit"])


def _requested_page(document: Document, options: argparse.Namespace) -> TextPage:
    """What is printed: the first screen, or as much more or less as was asked for. UsageError for a topic that there is
    not."""
    text_format = text_format_of(options)
    if options.quiet:
        return audit_headline(document, text_format)
    if options.topic is not None:
        names = [name for subject in document["subjects"] for name in subject["topics"]]
        if options.topic not in names:
            raise UsageError(f"--topic {options.topic}: no such topic was read; {suggest_name(options.topic, names)}")
        return topic_page(document, options.topic, text_format)
    if document["diff"] is not None and not options.all:
        return difference_page(document["diff"], text_format)
    return audit_page(document, text_format) if options.all else audit_overview(document, text_format)


def _save_result(outcome: AuditOutcome, scenarios: list[Scenario], folder: Path, options: argparse.Namespace) -> Exit:
    try:
        pages = save_audit(outcome, scenarios, folder)
        if options.confirm:
            confirm_losses(outcome, scenarios, folder, text_format_of(options), quiet=options.json)
    except OSError as error:
        print(f"tidegate: --out {folder}: the report could not be saved: {error}", file=sys.stderr)
        return Exit(outcome.exit) if outcome.exit else Exit.USAGE
    except KeyboardInterrupt:
        print(
            f"tidegate: --out {folder}: interrupted while pages of scenarios were written; audit.json and index.html "
            "are there if it came to them, and links may lead to pages that are not",
            file=sys.stderr,
        )
        return Exit(outcome.exit) if outcome.exit else Exit.INCONCLUSIVE
    files = f"audit.json, summary.md, results.sarif, junit.xml and {count_text(pages, 'scenario')}"
    print_page_path(folder / "index.html", f", which leads to {files}", options)
    return Exit(outcome.exit)


def _only_cluster(clusters_read: Sequence[tuple[str, ReadCluster | UnreadableInputError]]) -> ReadCluster:
    ((_, read),) = clusters_read
    if isinstance(read, UnreadableInputError):
        raise read
    return read


def _audit_several(
    clusters_read: Sequence[tuple[str, ReadCluster | UnreadableInputError]],
    requirements: Sequence[Requirement],
    began: float,
    folder: Path | None,
    options: argparse.Namespace,
) -> Exit:
    """Audits several clusters, each by itself, prints them, the worst first, and saves each in a folder of its own."""
    refuse_options_of_one(options, [name for name, _ in clusters_read])
    done = audit_clusters(
        clusters_read,
        lambda read, part: run_audit(read, requirements, (), (options.time - (monotonic() - began)) * part, options),
    )
    named = [
        (one, assign_scenario_pages(one.outcome)) for one in done if folder and isinstance(one.outcome, AuditOutcome)
    ]
    if options.json:
        print_json(audits_document(done))
    else:
        page = audits_page(
            done,
            lambda made: _requested_page(made, options),
            text_format_of(options),
            quiet=options.quiet,
            whole=options.all,
        )
        print(page.text(), end="", flush=True)
    exits = [one.exit for one in done]
    for one, scenarios in named:
        if folder is not None and isinstance(one.outcome, AuditOutcome):
            exits.append(
                _save_result(one.outcome, scenarios, prepare_directory(cluster_folder(one.name, folder)), options)
            )
    return worst_exit(exits)


def run_audit(
    read: ReadCluster,
    requirements: Sequence[Requirement],
    accepted_findings: Sequence[AcceptedFinding],
    seconds: float,
    options: argparse.Namespace,
) -> AuditOutcome:
    """The audit of one cluster, for so many seconds."""
    folder = None if options.no_cache else cache_directory()
    cluster, findings = read
    if cluster.answering is not None and (cluster.answering.controllers or cluster.answering.down):
        said = filter(None, (cluster.answering.controllers, cluster.answering.to_sentence))
        print(f"tidegate: {'; '.join(said)}; the rest is being explored", file=sys.stderr, flush=True)
    with ProgressLine(sys.stderr, options.time) as line:
        report = report_for(line)
        asked = AuditRequest(
            requirements=requirements,
            folder=folder,
            seconds=max(0.0, seconds),
            workers=options.workers,
            from_current=options.from_current,
            accepted_findings=accepted_findings,
            today=datetime.date.today(),
            report=None if report is None else lambda says: report(Progress(0, 0, 0, 0.0, 0, 0.0, says=says)),
        )
        done = audit(cluster, findings, asked)
    if done.explorations.interrupted:
        print("tidegate: interrupted; the report is of what was done", file=sys.stderr)
    return done


def _read_one_cluster(options: argparse.Namespace, folder: Path | None) -> ReadCluster:
    """The one cluster as files, options and its brokers state it. Raises UnreadableInputError."""
    with results_kept_in(folder):
        return read_cluster(options.files, _stated_facts(options), _read_live_cluster(options))


def _read_clusters(options: argparse.Namespace) -> list[tuple[str, ReadCluster | UnreadableInputError]]:
    """The same of each cluster that the files are of. Raises UnreadableInputError."""
    with results_kept_in(None if options.no_cache else cache_directory()):
        return read_clusters(options.files, _stated_facts(options), _read_live_cluster(options))


def _stated_facts(options: argparse.Namespace) -> Options:
    """What the user states beside the files."""
    return Options(
        kafka_version=options.kafka_version,
        metadata_version=options.metadata_version,
        inter_broker_protocol=options.inter_broker_protocol,
        features=tuple(options.features),
        clients=tuple(options.client),
        distribution=options.distribution,
        acks=options.acks,
    )


def _answer_restart(options: argparse.Namespace, asked_brokers: Sequence[int] | None) -> Exit:
    """Whether brokers may be restarted, printed."""
    folder = None if options.no_cache else cache_directory()
    with _input_errors_as_command_errors():
        found = may_restart_document(
            asked_brokers, lambda: _read_one_cluster(options, folder), folder, options.time, options.workers
        )
    return _print_answer(found, restarts_page, options)


def _answer_voter_changes(options: argparse.Namespace, changes: Sequence[VoterChange]) -> Exit:
    """Whether voters may be changed, printed."""
    with _input_errors_as_command_errors():
        cluster, _ = _read_one_cluster(options, None if options.no_cache else cache_directory())
    found = may_change_voters_document(changes, cluster)
    return _print_answer(found, voter_changes_page, options)


def _print_answer(
    document: Document, page_of: Callable[[Document, TextFormat], TextPage], options: argparse.Namespace
) -> Exit:
    """Prints an answer, and ends as it has it."""
    if options.json:
        print_json(document)
    else:
        print(page_of(document, text_format_of(options)).text(), end="", flush=True)
    return Exit(document["exit"])


def _read_live_cluster(options: argparse.Namespace) -> Sequence[tuple[str, Part]]:
    """What the running cluster says, if one was named. Raises UnreadableInputError, or UsageError without the extra."""
    address: str | None = options.bootstrap_server
    if address is None:
        return ()
    for text in address.split(","):
        found = re.fullmatch(r"(?:\[[0-9A-Fa-f:]+\]|[^\s:/]+):(\d+)", text.strip())
        if found is None:
            raise UsageError(f"--bootstrap-server {address}: write HOST:PORT, or several with commas between")
        if not 0 < int(found[1]) <= MOST_PORT:
            raise UsageError(f"--bootstrap-server {address}: {found[1]} is no port; write one of 1 to {MOST_PORT}")
    how = read_security(options.command_config)
    try:
        from ..audit.readers.running import live
    except ModuleNotFoundError as error:
        raise UsageError(
            f"--bootstrap-server needs {error.name}, which is not installed: pip install '.[live]' in the clone"
        ) from None
    return ((address, live.read_live_cluster(address, how)),)
