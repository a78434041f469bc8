"""What the gate does with one entry of a gate file: runs it in a process of its own and compares with the record."""

from __future__ import annotations

import argparse
import contextlib
import json
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from ..explorer.spark.commands import Told
from ..reports.document import SCHEMA
from ..reports.paper import count
from .exits import INTERRUPTED, Exit
from .forked import Command, started
from .recorded import Audit, Expected, Recorded, constant_text

Entry = Recorded | Audit


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference from the record: the property it is about, or `counts`, `outcome`, or "" for the whole entry."""

    about: str
    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """One entry as it went: the report of its check (None if there is none) and every difference from the record.

    `result` is `ok`, `differs`, `inconclusive`, `unrecorded` (nothing is expected of it), `cannot run` or `broke down`.
    """

    entry: Entry
    result: str
    exit: Exit
    seconds: float
    report: Mapping[str, Any] | None
    differences: tuple[Difference, ...]


_KNOWN_FAILURES = (Exit.USAGE, Exit.MODEL_TEXT, Exit.UNREADABLE)
_REPORTING = (
    Exit.HOLDS,
    Exit.SAFETY,
    Exit.DEADLOCK,
    Exit.LIVENESS,
    Exit.VACUOUS,
    Exit.INCONCLUSIVE,
    Exit.MODEL_BROKE,
)
"""How a check ends that has something to report."""


class Workers:
    """The processes that are running, so that they can be stopped together."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[Command] = set()
        self.stopping = False

    def run(self, arguments: Sequence[str]) -> tuple[int, str, str] | None:
        """A command's exit, output and errors; None when everything was told to stop before it began.

        It runs in a session of its own: what is typed at the terminal reaches it through `stop` alone. Should this
        process end before it, even by SIGKILL, it ends too.
        """
        with contextlib.ExitStack() as until:
            with self._lock:
                if self.stopping:
                    return None
                worker = until.enter_context(started(arguments))
                self._running.add(worker)
            try:
                return worker.ended()
            finally:
                with self._lock:
                    self._running.discard(worker)

    def stop(self, with_signal: signal.Signals) -> None:
        """Starts nothing more, and sends a signal to what runs. A check that is interrupted tells what it has seen."""
        with self._lock:
            self.stopping = True
            for worker in self._running:
                with contextlib.suppress(ProcessLookupError):
                    worker.send_signal(with_signal)


def checked(entry: Entry, options: argparse.Namespace, workers: Workers) -> Result | None:
    """Runs one entry and compares; None when the gate was stopped before it began."""
    started = time.monotonic()
    if isinstance(entry, Audit):
        told = workers.run(audit_arguments(entry, options))
        return None if told is None else audited(entry, Told(*told, time.monotonic() - started))
    done = workers.run(arguments(entry, options))
    if done is None:
        return None
    code, out, err = done
    return read_back(entry, Told(code, out, err, time.monotonic() - started), options, stopping=workers.stopping)


def command(check: Recorded, options: argparse.Namespace) -> list[str]:
    """What a Python is given that runs a recorded check on another machine."""
    return ["-m", "tidegate", *arguments(check, options)]


def read_back(check: Recorded, told: Told, options: argparse.Namespace, *, stopping: bool = False) -> Result:
    """Compares what a check's process told. A report counts only if the process ended as one that reports does."""
    report = _report(told)
    if report is not None and (stopping or told.exit in _REPORTING):
        return judged(check, report, told.seconds, ci=options.ci)
    if stopping or told.exit == Exit.INCONCLUSIVE:
        nothing = Difference("", INTERRUPTED)
        return Result(check, "inconclusive", Exit.INCONCLUSIVE, told.seconds, None, (nothing,))
    return _broken(check, told.exit, told.err, told.seconds)


def _report(told: Told) -> Mapping[str, Any] | None:
    """The report that a process printed, whole; None if it did not."""
    try:
        read = json.loads(told.out)
    except json.JSONDecodeError:
        return None
    is_report = isinstance(read, dict) and cast("dict[str, Any]", read).get("schema") == SCHEMA
    return cast("dict[str, Any]", read) if is_report else None


def _broken(check: Entry, code: int, told: str, seconds: float) -> Result:
    """The result of a process that printed no report."""
    process = f"the process of this {'audit' if isinstance(check, Audit) else 'check'}"
    if code in _KNOWN_FAILURES:
        return Result(check, "cannot run", Exit(code), seconds, None, (Difference("", told.strip()),))
    if code < 0:
        with contextlib.suppress(ValueError):
            what = f"{process} was ended by {signal.Signals(-code).name}"
            hint = "; out of memory? --memory and --workers bound it" if code == -signal.SIGKILL else ""
            text = "\n".join(part for part in (what + hint, told.strip()) if part)
            return Result(check, "broke down", Exit.INTERNAL, seconds, None, (Difference("", text),))
    text = told.strip() or f"{process} ended with {code} and said nothing"
    return Result(check, "broke down", Exit.INTERNAL, seconds, None, (Difference("", text),))


def arguments(check: Recorded, options: argparse.Namespace) -> list[str]:
    """The command line that runs a recorded check."""
    sets = [part for name, value in check.constants.items() for part in ("--set", f"{name}={constant_text(value)}")]
    properties = [part for name in check.properties for part in ("--property", name)]
    opened = [part for name in check.open for part in ("--open", name)]
    flags = ["--symmetry" if check.symmetry else "--no-symmetry", "--ghosts" if check.ghosts else "--no-ghosts"]
    limits = [
        part
        for name, value in (("--memory", options.memory), ("--time", options.time))
        if value is not None
        for part in (name, str(value))
    ]
    asked = [*sets, *opened, *properties, *flags, *limits]
    return ["check", check.target, *asked, "--engine", engine_of(check, options), "--json"]


def engine_of(check: Recorded, options: argparse.Namespace) -> str:
    """The engine that runs a check: the command line's, else the file's, else the native one, which on Spark each task
    runs."""
    given = "native" if options.engine == "spark" else options.engine
    return given or check.engine or "native"


# --- audits -----------------------------------------------------------------------------------------------------------


def audit_arguments(audit: Audit, options: argparse.Namespace) -> list[str]:
    """The command line that audits configuration files by their requirements."""
    required = [part for each in audit.require for part in ("--require", each)]
    limit = [] if options.time is None else ["--time", str(options.time)]
    return ["audit", *audit.files, *required, *audit.options, *limit, "--json"]


def audited(audit: Audit, told: Told) -> Result:
    """What an audit's process told: met, not met (differs), or not decided."""
    try:
        report = json.loads(told.out)
    except json.JSONDecodeError:
        return _broken(audit, told.exit, told.err, told.seconds)
    results: dict[int, tuple[str, Exit]] = {
        Exit.HOLDS: ("ok", Exit.HOLDS), Exit.INCONCLUSIVE: ("inconclusive", Exit.INCONCLUSIVE)
    }  # fmt: skip
    result, exit_ = results.get(told.exit, ("differs", Exit.UNEXPECTED))
    return Result(audit, result, exit_, told.seconds, None, tuple(_unmet(report)))


def _unmet(report: Mapping[str, Any]) -> Iterator[Difference]:
    """Each requirement that is not met, and how it comes to that."""
    for subject in report["subjects"]:
        for check in subject["checks"]:
            if check["result"] in ("met", "accepted"):
                continue
            on = f" on {', '.join(check['on'])}" if check["on"] else ""
            lines = [f"{subject['name']}: {check['require']} {check['result']}{on}: {subject['headline']}"]
            if check["result"] == "failed" and subject["loss"]:
                lines += subject["loss"]["scenario"]
            yield Difference("", "\n".join(lines))


# --- comparing --------------------------------------------------------------------------------------------------------


def judged(check: Recorded, report: Mapping[str, Any], seconds: float, *, ci: bool = True) -> Result:
    """Compares a check's report with the record. `ci`: that nothing is expected of it is an error."""
    if report["verdict"] == "inconclusive":
        told = (Difference("", report["assurance"]),)
        return Result(check, "inconclusive", Exit.INCONCLUSIVE, seconds, report, told)
    if not check.expects:
        told = (Difference("", f"nothing is expected of it; write in {check.place.file}:\n{_expectation(report)}"),)
        return Result(check, "unrecorded", Exit.USAGE if ci else Exit.HOLDS, seconds, report, told)
    found = {each["name"]: each for each in report["properties"]}
    differences = [
        Difference(name, f"{name}: {text}")
        for name, wanted in check.properties.items()
        if (text := _property_difference(wanted, found.get(name)))
    ]
    differences += [
        Difference("counts", f"{name}: recorded {wanted:,}, found {report[name]:,}")
        for name, wanted in check.counts.items()
        if report[name] != wanted
    ]
    if report["outcome"] != check.outcome and not (differences and report["failure"] is None):
        told = f"outcome: recorded {check.outcome}, found {report['outcome']}{_why(report)}"
        differences.append(Difference("outcome", told))
    result, exit_ = ("differs", Exit.UNEXPECTED) if differences else ("ok", Exit.HOLDS)
    return Result(check, result, exit_, seconds, report, tuple(differences))


def _property_difference(wanted: Expected, found: Mapping[str, Any] | None) -> str:
    if found is None:
        return "the model has no such property"
    if found["verdict"] != wanted.verdict:
        how = f" after {count(found['steps'], 'step')}" if found["verdict"] == "violated" else ""
        return f"recorded {wanted.verdict}, found {found['verdict'].replace('_', ' ')}{how}"
    if wanted.steps is not None and found["steps"] != wanted.steps:
        return f"recorded a counterexample of {count(wanted.steps, 'step')}, found one of {found['steps']}"
    return ""


def _why(report: Mapping[str, Any]) -> str:
    if report["failure"]:
        return f": {report['failure']['message']}"
    idle = [each["name"] for each in report["actions"] if not each["fired"] and not each["switched_off"]]
    return f": {', '.join(idle)} never happens" if report["outcome"] == "vacuous" and idle else ""


def _expectation(report: Mapping[str, Any]) -> str:
    """What would be recorded of a report, as lines of a gate file."""
    return "\n".join(_lines(report))


def _lines(report: Mapping[str, Any]) -> Iterator[str]:
    violated = [each for each in report["properties"] if each["verdict"] == "violated"]
    if not violated and report["failure"] is None:
        for name in ("distinct_states", "transitions", "depth"):
            yield f"{name} = {report[name]}"
    if report["outcome"] not in ("none", "safety"):
        yield f'outcome = "{report["outcome"]}"'
    yield "[check.expect]"
    for each in violated or report["properties"]:
        if each["verdict"] == "violated":
            yield f"{each['name']} = {{ violated = {each['steps']} }}"
        elif each["verdict"] in ("holds", "reached", "missing"):
            yield f'{each["name"]} = "{each["verdict"]}"'
