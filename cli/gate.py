"""`tidegate gate`: everything that is recorded, checked again and compared. Each check is a process of its own."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from types import FrameType

from ..explorer import EXHAUSTIVE
from ..explorer.commands import run_command
from ..explorer.search import SparkCluster
from ..gates.checks import (
    Entry,
    GateProcesses,
    GateSettings,
    Result,
    audit_arguments,
    audit_result,
    check_command,
    check_result,
    proof_result,
    run_entry,
)
from ..gates.document import GateRun, gate_document
from ..gates.files import save_gate
from ..gates.proofs import prove_arguments
from ..gates.records import AuditRecord, CheckRecord, ProofRecord, RecordFile, read_record_file, shipped_record_files
from ..language.errors import UsageError
from ..reports.document import Document
from ..reports.exits import Exit, worst_exit
from ..reports.gate.terminal import gate_page
from ..reports.text_page import count_text
from .entry import RepeatedSignals
from .forked_process import fork_command
from .options import (
    add_open_option,
    add_print_options,
    parse_positive,
    parse_seconds,
    parse_size,
    processor_count,
    text_format_of,
)
from .output import check_open_option, prepare_directory, print_json, print_page_path
from .sweep import run_on_spark
from .verbs import Parser, Verbs, add_verb

EXAMPLES = """\
  tidegate gate                              everything of spec/ that belongs to a commit
  tidegate gate --tier nightly               the long ones too
  tidegate gate --only kip320                those whose name holds a text
  tidegate gate gates/ --out report          gate files of your own; spec/README.md has the format

exit: 0 all as recorded, 6 something differs, 5 a check was inconclusive or the gate interrupted,
64 a file or a check is written wrongly (in CI: or expects nothing), 65 a model's text is wrong,
66 a gate file cannot be read, 70 a check broke down
"""

_PATIENCE_SECONDS = 10
"""How long an interrupted check may take to report what it has seen."""

_POLL_SECONDS = 0.2


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = "Runs every recorded check and compares verdicts, counts and counterexample lengths with the record."
    parser = add_verb(verbs, "gate", about, EXAMPLES)
    parser.add_argument("files", metavar="FILE|DIR", nargs="*", type=Path, help="TOML files (default: those of spec/)")
    parser.add_argument("--tier", choices=("commit", "nightly"), default="commit", help="nightly includes commit's")
    parser.add_argument(
        "--only", metavar="TEXT", action="append", default=[], help="checks whose name holds it (repeatable)"
    )
    parser.add_argument(
        "--workers", "--processes", metavar="N", type=parse_positive, default=processor_count(),
        help="checks at a time (default: one a core)",
    )  # fmt: skip
    parser.add_argument(
        "--engine",
        choices=(*EXHAUSTIVE, "spark"),
        help="which engine checks (default: the file's, or native); spark: native checks, a task each",
    )
    parser.add_argument("--master", metavar="URL", default="local[*]", help="Spark's, with --engine spark")
    parser.add_argument("--memory", metavar="SIZE", type=parse_size, help="of one check: 500M, 2G")
    parser.add_argument("--time", metavar="SECONDS", type=parse_seconds, help="of one check")
    parser.add_argument(
        "--ci",
        action=argparse.BooleanOptionalAction,
        default=_is_in_ci(),
        help="a check of which nothing is expected is an error (default: where the variable CI is set)",
    )
    parser.add_argument("--junit", metavar="FILE", type=Path, help="write a JUnit report")
    parser.add_argument(
        "--out", metavar="DIR", type=Path,
        help="write index.html, report.json, junit.xml, results.sarif, summary.md and each counterexample there",
    )  # fmt: skip
    add_open_option(parser)
    add_print_options(parser)
    parser.set_defaults(run=run)


def _is_in_ci() -> bool:
    return os.environ.get("CI", "").lower() not in ("", "0", "false", "no")


def gate_settings(options: argparse.Namespace) -> GateSettings:
    """The settings that the command line gives."""
    return GateSettings(options.engine, options.memory, options.time, options.tier, options.ci)


def run(options: argparse.Namespace) -> Exit:
    """Runs the gate."""
    out: Path | None = None if options.out is None else prepare_directory(options.out)
    check_open_option(options)
    if options.junit is not None:
        prepare_directory(options.junit.parent)
    every = [entry for file in map(read_record_file, _record_paths(options.files)) for entry in _file_entries(file)]
    reasons = {place: _skip_reason(entry, options) for place, entry in enumerate(every)}
    chosen = [entry for place, entry in enumerate(every) if not reasons[place]]
    if not chosen:
        raise UsageError(f"no recorded check fits: {len(every)} are recorded, --tier and --only leave none")
    began, clock = datetime.now(UTC), time.monotonic()
    results, interrupted = _run_entries(chosen, options)
    done = {id(result.entry) for result in results}
    not_run = [(entry, reasons[place] or "interrupted") for place, entry in enumerate(every) if id(entry) not in done]
    exit_ = worst_exit([*(result.exit for result in results), *([Exit.INCONCLUSIVE] if interrupted else [])])
    ended = GateRun(began, time.monotonic() - clock, exit_, interrupted)
    return _save_and_print(gate_document(results, not_run, ended, gate_settings(options)), out, options)


def _save_and_print(document: Document, folder: Path | None, options: argparse.Namespace) -> Exit:
    """Saves the report, then prints it: what is printed says where the counterexamples are."""
    exit_ = Exit(document["exit"])
    is_saved = folder is not None
    try:
        save_gate(document, folder, options.junit)
    except OSError as error:
        print(f"tidegate: the report could not be saved: {error}", file=sys.stderr)
        exit_, is_saved = exit_ if exit_ is not Exit.HOLDS else Exit.USAGE, False
    if options.json:
        print_json(document)
    else:
        print(gate_page(document, text_format_of(options), folder).text(), end="", flush=True)
    if folder is not None and is_saved:
        pages = sum(claim["html"] is not None for check in document["checks"] for claim in check["claims"])
        also = f" and {count_text(pages, 'counterexample')}" if pages else ""
        files = f"report.json, summary.md, results.sarif, junit.xml{also}"
        print_page_path(folder / "index.html", f", which leads to {files}", options)
    return exit_


# --- what to run ------------------------------------------------------------------------------------------------------


def _record_paths(given_paths: Sequence[Path]) -> Iterator[Path]:
    for path in given_paths or shipped_record_files():
        if path.is_dir():
            found = sorted(path.glob("*.toml"))
            if not found:
                raise UsageError(f"{path}: no .toml file in it")
            yield from found
        else:
            yield path


def _file_entries(file: RecordFile) -> Iterator[Entry]:
    yield from file.checks
    yield from file.audits
    yield from file.proofs


def _skip_reason(entry: Entry, options: argparse.Namespace) -> str:
    """Why an entry is not run; "" if it is."""
    if options.only and not any(text in entry.name for text in options.only):
        return "--only"
    return "nightly" if entry.tier == "nightly" and options.tier == "commit" else ""


# --- running ----------------------------------------------------------------------------------------------------------


def _run_entries(entries: Sequence[Entry], options: argparse.Namespace) -> tuple[list[Result], bool]:
    """Every entry's result in the order of the record, and whether the gate was interrupted before all were done.

    The largest are begun first, so that no worker is left alone with one at the end.
    """
    if options.engine == "spark":
        return _run_entries_on_spark(entries, options), False
    workers, settings = GateProcesses(fork_command), gate_settings(options)
    largest_first = sorted(entries, key=_entry_size, reverse=True)
    with _receive_interrupts() as received, ThreadPoolExecutor(options.workers) as pool:
        futures = {id(entry): pool.submit(partial(run_entry, entry, settings, workers)) for entry in largest_first}
        try:
            interrupted = _wait_for_results(list(futures.values()), workers, received)
        except BaseException:  # a defect: nothing goes on behind it
            workers.stop_commands(signal.SIGKILL)
            raise
    found = [futures[id(entry)].result() for entry in entries if not futures[id(entry)].cancelled()]
    return [result for result in found if result is not None], interrupted


def _run_entries_on_spark(entries: Sequence[Entry], options: argparse.Namespace) -> list[Result]:
    """Every entry's result, each check a task of Spark's."""
    checks = [entry for entry in entries if isinstance(entry, CheckRecord)]
    settings = gate_settings(options)
    commands = [check_command(check, settings) for check in checks]
    finished = run_on_spark(
        SparkCluster(master=options.master), commands, [float(_entry_size(check)) for check in checks]
    )
    found = {id(check): check_result(check, process, settings) for check, process in zip(checks, finished, strict=True)}
    return [
        found[id(entry)] if isinstance(entry, CheckRecord) else _run_without_spark(entry, settings) for entry in entries
    ]


def _run_without_spark(entry: AuditRecord | ProofRecord, settings: GateSettings) -> Result:
    """The result of an audit or a proof, of which Spark has no part."""
    if isinstance(entry, AuditRecord):
        return audit_result(entry, run_command(["-m", "tidegate", *audit_arguments(entry, settings)]))
    return proof_result(entry, run_command(["-m", "tidegate", *prove_arguments(entry, settings.time)]))


def _entry_size(entry: Entry) -> int:
    return entry.counts.get("distinct_states", 0) if isinstance(entry, CheckRecord) else 0


def _wait_for_results(futures: Sequence[Future[Result | None]], workers: GateProcesses, signals: Sequence[int]) -> bool:
    """Waits for all, a line on a terminal meanwhile; interrupted, it stops what runs and waits for their reports."""
    pending = set(futures)
    while pending and not signals:
        done, pending = wait(pending, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
        for future in done:
            _print_progress(len(futures) - len(pending), len(futures), future.result())
    if not pending:
        return False
    print("\ntidegate: interrupted; the report is of what was done", file=sys.stderr)
    for future in pending:
        future.cancel()
    workers.stop_commands(signal.SIGINT)
    until = time.monotonic() + _PATIENCE_SECONDS
    while pending and len(signals) == 1 and time.monotonic() < until:
        _, pending = wait(pending, timeout=_POLL_SECONDS)
    workers.stop_commands(signal.SIGKILL)
    return True


def _print_progress(done_count: int, of: int, last: Result | None) -> None:
    if sys.stderr.isatty():
        name = "" if last is None else f": {last.entry.name}"
        print(
            "\r\x1b[K" + ("" if done_count == of else f"{done_count} of {of}{name}"[:100]),
            end="",
            file=sys.stderr,
            flush=True,
        )


@contextmanager
def _receive_interrupts() -> Generator[Sequence[int]]:
    """Within it Ctrl-C, and SIGTERM, with which a CI system cancels a job, end nothing: they are received here.

    An exception at any moment would lose what was done; and a second one says that it is urgent.
    """
    received: list[int] = []
    signals = RepeatedSignals()
    if threading.current_thread() is not threading.main_thread():
        yield received
        return

    def receive(number: int, _frame: FrameType | None) -> None:
        if number != signal.SIGTERM or signals.is_new(number):
            received.append(number)

    known = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    heeded = {number: handler for number, handler in known.items() if handler is not signal.SIG_IGN}
    for number in heeded:
        signal.signal(number, receive)
    try:
        yield received
    finally:
        for number, handler in heeded.items():
            signal.signal(number, handler)
