"""What the gate does with one entry of a gate file: runs it in a process of its own and compares with the record."""

from __future__ import annotations

import contextlib
import json
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, Protocol, TypeAlias, cast

from ..explorer.commands import CommandResult
from ..language.immutable import immutable
from ..reports.document import SCHEMA
from ..reports.exits import INTERRUPTED_TEXT, Exit
from ..reports.text_page import count_text
from .proofs import proof_differences, proof_report, prove_arguments
from .records import AuditRecord, CheckRecord, ExpectedVerdict, ProofRecord, set_argument

Entry = CheckRecord | AuditRecord | ProofRecord


@immutable
class GateSettings:
    """What the command line says of a gate: the engine (None: each entry's own), a check's limits in bytes and seconds
    (None: no limit), the tier, and whether an entry of which nothing is expected is an error (`ci`)."""

    engine: str | None
    memory: int | None
    time: float | None
    tier: str
    ci: bool


class RunningCommand(Protocol):
    """A command that runs."""

    def wait_for_exit(self) -> tuple[int, str, str]:
        """Waits for it: its exit, minus a signal's number if that ended it, its output and its errors."""
        ...

    def send_signal(self, number: signal.Signals) -> None:
        """Sends it a signal. ProcessLookupError when it has ended already."""
        ...


Starter: TypeAlias = Callable[[Sequence[str]], AbstractContextManager[RunningCommand]]
"""Starts a command line as a process, which ends at the latest with the context."""


@immutable
class GateDifference:
    """One difference from the record: the property it is about, or `counts`, `outcome`, or "" for the whole entry."""

    subject: str
    text: str


ResultWord: TypeAlias = Literal["ok", "differs", "inconclusive", "unrecorded", "cannot run", "broke down"]


@immutable
class Result:
    """One entry as it went: the report of its check (None if there is none) and every difference from the record.

    `result` is `ok`, `differs`, `inconclusive`, `unrecorded` (nothing is expected of it), `cannot run` or `broke down`.
    """

    entry: Entry
    result: ResultWord
    exit: Exit
    seconds: float
    report: Mapping[str, Any] | None
    differences: tuple[GateDifference, ...]


_KNOWN_FAILURES = (Exit.USAGE, Exit.MODEL_TEXT, Exit.UNREADABLE)
_EXITS_WITH_REPORT = (
    Exit.HOLDS,
    Exit.SAFETY,
    Exit.DEADLOCK,
    Exit.LIVENESS,
    Exit.VACUOUS,
    Exit.INCONCLUSIVE,
    Exit.MODEL_BROKE,
)
"""How a check ends that has something to report."""


def entry_kind(entry: Entry) -> str:
    """What an entry is: `check`, `audit` or `proof`."""
    return "audit" if isinstance(entry, AuditRecord) else "proof" if isinstance(entry, ProofRecord) else "check"


class GateProcesses:
    """The processes that are running, so that they can be stopped together."""

    def __init__(self, start: Starter) -> None:
        self._start = start
        self._lock = threading.Lock()
        self._running: set[RunningCommand] = set()
        self.stopping = False

    def run_command(self, arguments: Sequence[str]) -> tuple[int, str, str] | None:
        """A command's exit, output and errors; None when the gate was stopped before it began.

        It runs in a session of its own: what is typed at the terminal reaches it through `stop_commands` alone. Should
        this process end before it, even by SIGKILL, it ends too.
        """
        with contextlib.ExitStack() as until:
            with self._lock:
                if self.stopping:
                    return None
                worker = until.enter_context(self._start(arguments))
                self._running.add(worker)
            try:
                return worker.wait_for_exit()
            finally:
                with self._lock:
                    self._running.discard(worker)

    def stop_commands(self, with_signal: signal.Signals) -> None:
        """Starts nothing more, and sends a signal to what runs. An interrupted check reports what it has seen."""
        with self._lock:
            self.stopping = True
            for worker in self._running:
                with contextlib.suppress(ProcessLookupError):
                    worker.send_signal(with_signal)


def run_entry(entry: Entry, settings: GateSettings, workers: GateProcesses) -> Result | None:
    """Runs one entry and compares; None when the gate was stopped before it began."""
    started = time.monotonic()
    if isinstance(entry, AuditRecord):
        ended = workers.run_command(audit_arguments(entry, settings))
        return None if ended is None else audit_result(entry, CommandResult(*ended, time.monotonic() - started))
    if isinstance(entry, ProofRecord):
        ended = workers.run_command(prove_arguments(entry, settings.time))
        return None if ended is None else proof_result(entry, CommandResult(*ended, time.monotonic() - started))
    ended = workers.run_command(check_arguments(entry, settings))
    if ended is None:
        return None
    return check_result(entry, CommandResult(*ended, time.monotonic() - started), settings, stopping=workers.stopping)


def check_command(check: CheckRecord, settings: GateSettings) -> list[str]:
    """What a Python is given that runs a recorded check on another machine."""
    return ["-m", "tidegate", *check_arguments(check, settings)]


def check_result(
    check: CheckRecord, command_result: CommandResult, settings: GateSettings, *, stopping: bool = False
) -> Result:
    """Compares what a check's process printed. A report counts only if the process ended as one that reports does."""
    report = _parse_report(command_result)
    if report is not None and (stopping or command_result.exit in _EXITS_WITH_REPORT):
        return compare_report(check, report, command_result.seconds, ci=settings.ci)
    if stopping or command_result.exit == Exit.INCONCLUSIVE:
        nothing = GateDifference("", INTERRUPTED_TEXT)
        return Result(check, "inconclusive", Exit.INCONCLUSIVE, command_result.seconds, None, (nothing,))
    return _broken_result(check, command_result.exit, command_result.stderr, command_result.seconds)


def _parse_report(command_result: CommandResult) -> Mapping[str, Any] | None:
    """The report that a process printed, whole; None if it did not."""
    try:
        read = json.loads(command_result.stdout)
    except json.JSONDecodeError:
        return None
    is_report = isinstance(read, dict) and cast("dict[str, Any]", read).get("schema") == SCHEMA
    return cast("dict[str, Any]", read) if is_report else None


def _broken_result(check: Entry, code: int, errors: str, seconds: float) -> Result:
    """The result of a process that printed no report."""
    process = f"the process of this {entry_kind(check)}"
    if code in _KNOWN_FAILURES:
        return Result(check, "cannot run", Exit(code), seconds, None, (GateDifference("", errors.strip()),))
    if code < 0:
        with contextlib.suppress(ValueError):
            what = f"{process} was ended by {signal.Signals(-code).name}"
            hint = "; out of memory? --memory and --workers bound it" if code == -signal.SIGKILL else ""
            text = "\n".join(part for part in (what + hint, errors.strip()) if part)
            return Result(check, "broke down", Exit.INTERNAL, seconds, None, (GateDifference("", text),))
    text = errors.strip() or f"{process} ended with {code} and printed nothing"
    return Result(check, "broke down", Exit.INTERNAL, seconds, None, (GateDifference("", text),))


def check_arguments(check: CheckRecord, settings: GateSettings) -> list[str]:
    """The command line that runs a recorded check."""
    sets = [part for name, value in check.constants.items() for part in ("--set", f"{name}={set_argument(value)}")]
    properties = [part for name in check.properties for part in ("--property", name)]
    opened = [part for name in check.open for part in ("--open", name)]
    flags = ["--symmetry"] if check.symmetry else []
    flags += ["--keep-going"] if check.keep_going else []
    flags += [] if check.ghosts is None else ["--ghosts" if check.ghosts else "--no-ghosts"]
    limits = [
        part
        for name, value in (("--memory", settings.memory), ("--time", settings.time))
        if value is not None
        for part in (name, str(value))
    ]
    asked = [*sets, *opened, *properties, *flags, *limits]
    return ["check", check.target, *asked, "--engine", check_engine(check, settings), "--json"]


def check_engine(check: CheckRecord, settings: GateSettings) -> str:
    """The engine that runs a check: the command line's, else the file's, else the native one, which on Spark each task
    runs."""
    given = "native" if settings.engine == "spark" else settings.engine
    return given or check.engine or "native"


# --- audits -----------------------------------------------------------------------------------------------------------


def audit_arguments(audit: AuditRecord, settings: GateSettings) -> list[str]:
    """The command line that audits configuration files by their requirements."""
    required = [part for text in audit.require for part in ("--require", text)]
    limit = [] if settings.time is None else ["--time", str(settings.time)]
    return ["audit", *audit.files, *required, *audit.options, *limit, "--json"]


def audit_result(audit: AuditRecord, command_result: CommandResult) -> Result:
    """What an audit's process printed: met, not met (differs), or not decided."""
    report = _parse_audit_report(command_result)
    if report is None:
        return _broken_result(audit, command_result.exit, command_result.stderr, command_result.seconds)
    results: dict[int, tuple[ResultWord, Exit]] = {
        Exit.HOLDS: ("ok", Exit.HOLDS), Exit.INCONCLUSIVE: ("inconclusive", Exit.INCONCLUSIVE)
    }  # fmt: skip
    result, exit_ = results.get(command_result.exit, ("differs", Exit.UNEXPECTED))
    return Result(audit, result, exit_, command_result.seconds, None, tuple(_unmet_differences(report)))


def _parse_audit_report(command_result: CommandResult) -> Mapping[str, Any] | None:
    """The report of an audit, whole; None where the process printed none, or what it ended with instead."""
    try:
        read = json.loads(command_result.stdout)
    except json.JSONDecodeError:
        return None
    return read if "subjects" in read else None


def _unmet_differences(report: Mapping[str, Any]) -> Iterator[GateDifference]:
    """What is out of service, then each requirement that is not met, and how it comes to that."""
    yield from (GateDifference("", f"now: {outage['says']}") for outage in report["outages"] if outage["certain"])
    yield from (
        GateDifference("", finding["what"]) for finding in report["findings"] if finding["kind"] == "incomplete"
    )
    for subject in report["subjects"]:
        for check in subject["checks"]:
            if check["result"] in ("met", "accepted"):
                continue
            on = f" on {', '.join(check['on'])}" if check["on"] else ""
            lines = [f"{subject['name']}: {check['require']} {check['result']}{on}: {subject['headline']}"]
            lines += check["scenario"]
            yield GateDifference("", "\n".join(lines))


# --- proofs -----------------------------------------------------------------------------------------------------------


def proof_result(entry: ProofRecord, command_result: CommandResult) -> Result:
    """Compares what the process of a proof printed. A proof that was not found, though one is recorded, is no
    difference: it is not known."""
    report = proof_report(command_result.stdout)
    if report is None:
        return _broken_result(entry, command_result.exit, command_result.stderr, command_result.seconds)
    differences = tuple(GateDifference(*words) for words in proof_differences(entry, report))
    if report["verdict"] == "not proved" and differences:
        text = next(difference.text for difference in differences if difference.subject == "outcome")
        why = GateDifference("", "; ".join(part for part in (text, report["stopped"] or "") if part))
        return Result(entry, "inconclusive", Exit.INCONCLUSIVE, command_result.seconds, report, (why,))
    result, exit_ = ("differs", Exit.UNEXPECTED) if differences else ("ok", Exit.HOLDS)
    return Result(entry, result, exit_, command_result.seconds, report, differences)


# --- comparing --------------------------------------------------------------------------------------------------------


def compare_report(check: CheckRecord, report: Mapping[str, Any], seconds: float, *, ci: bool = True) -> Result:
    """Compares a check's report with the record. `ci`: that nothing is expected of it is an error."""
    found = {prop["name"]: prop for prop in report["properties"]}
    if report["verdict"] == "inconclusive" and not _is_open_by_limits(report):
        why = (GateDifference("", report["assurance"]),)
        return Result(check, "inconclusive", Exit.INCONCLUSIVE, seconds, report, why)
    if not check.expects:
        why = (
            GateDifference("", f"nothing is expected of it; write in {check.place.file}:\n{_expectation_text(report)}"),
        )
        return Result(check, "unrecorded", Exit.USAGE if ci else Exit.HOLDS, seconds, report, why)
    differences = [
        GateDifference(name, f"{name}: {text}")
        for name, wanted in check.properties.items()
        if (text := _property_difference(wanted, found.get(name)))
    ]
    differences += [
        GateDifference("counts", f"{name}: recorded {wanted:,}, found {_count_text(report[name])}")
        for name, wanted in check.counts.items()
        if report[name] != wanted
    ]
    differences += list(_never_differences(check, report)) if report["verdict"] == "holds" else []
    if report["outcome"] != check.outcome and not (differences and report["failure"] is None):
        text = f"outcome: recorded {check.outcome}, found {report['outcome']}{_undecided_reason(report)}"
        differences.append(GateDifference("outcome", text))
    elif check.keep_going and (beside := _deadlock_steps(report)) != check.deadlock:
        text = f"deadlock beside it: recorded {_steps_text(check.deadlock)}, found {_steps_text(beside)}"
        differences.append(GateDifference("outcome", text))
    result, exit_ = ("differs", Exit.UNEXPECTED) if differences else ("ok", Exit.HOLDS)
    return Result(check, result, exit_, seconds, report, tuple(differences))


def _never_differences(check: CheckRecord, report: Mapping[str, Any]) -> Iterator[GateDifference]:
    """What never happens though all holds, and is not recorded, or is recorded and happens."""
    missing = [name for name, wanted in check.properties.items() if wanted.verdict == "missing"]
    recorded = [*check.never_happens, *missing]
    found = [name for name in report["never_happens"] if name not in recorded]
    happens = [name for name in check.never_happens if name not in report["never_happens"]]
    if found:
        yield GateDifference("outcome", f"never happens, and is not recorded so: {', '.join(found)}")
    if happens:
        yield GateDifference("outcome", f"recorded as what never happens, and it does: {', '.join(happens)}")


def _is_open_by_limits(report: Mapping[str, Any]) -> bool:
    """Whether a check is inconclusive because limits leave something open, and nothing else: so it is in every run."""
    open_ = [prop for prop in report["properties"] if prop["verdict"] in ("undecided", "not_checked")]
    return bool(open_) and all(prop["stopped"] for prop in open_)


def _deadlock_steps(report: Mapping[str, Any]) -> int | None:
    """How many steps lead to the deadlock that stands beside what is violated; None where there is none."""
    return report["failure"]["steps"] if report["failure"] and report["outcome"] in ("safety", "liveness") else None


def _steps_text(number: int | None) -> str:
    return "none" if number is None else f"one after {count_text(number, 'step')}"


def _count_text(count: int | None) -> str:
    """A count as it is read; None where a search ended before it knew it."""
    return "none, since the search ended before" if count is None else f"{count:,}"


def _property_difference(record: ExpectedVerdict, property_report: Mapping[str, Any] | None) -> str:
    if property_report is None:
        return "the model has no such property"
    if property_report["verdict"] != record.verdict:
        how = (
            f" after {count_text(property_report['steps'], 'step')}" if property_report["verdict"] == "violated" else ""
        )
        how = (
            f": {property_report['why']}"
            if property_report["verdict"] == "undecided" and property_report["why"]
            else how
        )
        return f"recorded {record.verdict}, found {property_report['verdict'].replace('_', ' ')}{how}"
    if record.verdict == "undecided" and property_report["stopped"] != record.limited_action:
        return f"recorded undecided since a limit stops {record.limited_action}, found: {property_report['why']}"
    if record.steps is not None and property_report["steps"] != record.steps:
        return (
            f"recorded a counterexample of {count_text(record.steps, 'step')}, found one of {property_report['steps']}"
        )
    return ""


def _undecided_reason(report: Mapping[str, Any]) -> str:
    if report["failure"]:
        return f": {report['failure']['message']}"
    if report["outcome"] != "vacuous":
        return ""
    live = [action for action in report["actions"] if not action["switched_off"]]
    despite = [f"{action['name']} happens" for action in live if action["fired"] and action["stopped_by"] is not None]
    return f": {', '.join(despite)}" if despite else ""


def _expectation_text(report: Mapping[str, Any]) -> str:
    """What would be recorded of a report, as lines of a gate file."""
    return "\n".join(_expectation_lines(report))


def _expectation_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Where a violation ended the search it is recorded alone; else every state is known, and all that was found is."""
    is_whole = report["transitions"] is not None
    if is_whole:
        for name in ("distinct_states", "transitions", "depth"):
            yield f"{name} = {report[name]}"
    if report["outcome"] not in ("none", "safety"):
        yield f'outcome = "{report["outcome"]}"'
    if (beside := _deadlock_steps(report)) is not None:
        yield f"deadlock = {beside}"
    names = [prop["name"] for prop in report["properties"]]
    if never := [name for name in report["never_happens"] if name not in names]:
        yield f"never_happens = {json.dumps(never)}"
    yield "[check.expect]"
    violated = [prop for prop in report["properties"] if prop["verdict"] == "violated"]
    for prop in report["properties"] if is_whole or not violated else violated:
        if prop["verdict"] == "violated":
            yield f"{prop['name']} = {{ violated = {prop['steps']} }}"
        elif prop["stopped"]:
            yield f'{prop["name"]} = {{ undecided = "{prop["stopped"]}" }}'
        elif prop["verdict"] in ("holds", "reached", "missing"):
            yield f'{prop["name"]} = "{prop["verdict"]}"'
