"""`tidegate gate`: everything that is recorded, checked again and compared. Each check is a process of its own."""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..explorer.search import Cluster
from ..explorer.spark.commands import Told, run_command
from ..reports.counterexample import trace_page
from ..reports.document import Document
from ..reports.junit import Case, junit_text
from ..reports.paper import Page, Paper, count, seconds_text
from .exits import Exit, worst
from .options import Parser, Verbs, Wrong, add_print_options, add_verb, paper_of, positive, seconds, size
from .output import prepared, print_json, write_json, write_text
from .recorded import Expected, Recorded, constant_text, read, shipped
from .sweep import on_spark

EXAMPLES = """\
  tidegate gate                              everything of spec/ that belongs to a commit
  tidegate gate --tier nightly               the long ones too
  tidegate gate --only kip320                those whose name holds a text
  tidegate gate gates/ --junit report.xml    gate files of your own; spec/README.md has the format

exit: 0 all as recorded, 6 something differs, 5 a check was inconclusive, 70 a check broke down,
64 a file or a check is written wrongly, 65 a model's text is wrong
"""


def add(verbs: Verbs[Parser]) -> None:
    """Adds the verb."""
    about = "Runs every recorded check and compares verdicts, counts and counterexample lengths with the record."
    parser = add_verb(verbs, "gate", "check everything recorded and compare", about, EXAMPLES)
    parser.add_argument("files", metavar="FILE|DIR", nargs="*", type=Path, help="TOML files (default: those of spec/)")
    parser.add_argument("--tier", choices=("commit", "nightly"), default="commit", help="nightly includes commit's")
    parser.add_argument(
        "--only", metavar="TEXT", action="append", default=[], help="checks whose name holds it (repeatable)"
    )
    parser.add_argument("--processes", metavar="N", type=positive, default=2, help="checks at a time (default: 2)")
    parser.add_argument(
        "--engine",
        choices=("native", "python", "spark"),
        default="native",
        help="which engine checks; spark: native checks, a task each, the longest first",
    )
    parser.add_argument("--master", metavar="URL", default="local[*]", help="Spark's, with --engine spark")
    parser.add_argument("--memory", metavar="SIZE", type=size, help="of one check: 500M, 2G")
    parser.add_argument("--time", metavar="SECONDS", type=seconds, help="of one check")
    parser.add_argument("--junit", metavar="FILE", type=Path, help="write a JUnit report")
    parser.add_argument("--out", metavar="DIR", type=Path, help="write gate.json and junit.xml there")
    add_print_options(parser)
    parser.set_defaults(run=run)


@dataclass(frozen=True, slots=True)
class Result:
    """One check as it went: the report it printed (None if it broke down) and every difference from the record."""

    check: Recorded
    exit: Exit
    seconds: float
    report: Mapping[str, Any] | None
    differences: tuple[str, ...]


def run(options: argparse.Namespace) -> Exit:
    """Runs the gate."""
    out: Path | None = None if options.out is None else prepared(options.out)
    if options.junit is not None:
        prepared(options.junit.parent)
    every = [check for path in _paths(options.files) for check in read(path).checks]
    chosen = [each for each in every if _belongs(each, options)]
    if not chosen:
        raise Wrong(f"no recorded check fits: {len(every)} are recorded, --tier and --only leave none")
    results = _checked(chosen, options)
    left_out = len(every) - len(chosen)
    if options.json:
        print_json(_document(results, left_out))
    else:
        print(gate_page(results, left_out, paper_of(options)).text(), end="", flush=True)
    return _saved(results, left_out, out, options.junit)


def _paths(given: Sequence[Path]) -> Iterator[Path]:
    for path in given or shipped():
        if path.is_dir():
            found = sorted(path.glob("*.toml"))
            if not found:
                raise Wrong(f"{path}: no .toml file in it")
            yield from found
        else:
            yield path


def _belongs(check: Recorded, options: argparse.Namespace) -> bool:
    in_tier = check.tier == "commit" or options.tier == "nightly"
    return in_tier and (not options.only or any(text in check.name for text in options.only))


# --- running --------------------------------------------------------------------------------------------------------


def _checked(checks: Sequence[Recorded], options: argparse.Namespace) -> list[Result]:
    """Every check in its own process, in the order of the record; a line each on a terminal's standard error."""
    if options.engine == "spark":
        commands = [["-m", "tidegate.cli.main", *arguments(each, options)] for each in checks]
        weights = [float(each.counts.get("distinct_states", 0)) for each in checks]
        told = on_spark(Cluster(master=options.master), commands, weights)
        return [read_back(check, each) for check, each in zip(checks, told, strict=True)]
    results: list[Result] = []
    with ThreadPoolExecutor(max(1, options.processes)) as pool:
        for result in pool.map(partial(checked, options=options), checks):
            results.append(result)
            if sys.stderr.isatty():
                print(f"\r\x1b[K{len(results)} of {len(checks)}: {result.check.name}"[:100], end="", file=sys.stderr)
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)
    return results


def checked(check: Recorded, options: argparse.Namespace) -> Result:
    """Runs one recorded check in a process of its own and compares."""
    return read_back(check, run_command(["-m", "tidegate.cli.main", *arguments(check, options)]))


def read_back(check: Recorded, told: Told) -> Result:
    """Compares what a check's process told."""
    try:
        report = json.loads(told.out)
    except json.JSONDecodeError:
        says = told.err.strip() or f"the process ended with {told.exit} and said nothing"
        known = told.exit in (Exit.USAGE, Exit.MODEL_TEXT)
        return Result(check, Exit(told.exit) if known else Exit.INTERNAL, told.seconds, None, (says,))
    return judged(check, report, told.seconds)


def arguments(check: Recorded, options: argparse.Namespace) -> list[str]:
    """The command line that runs a recorded check."""
    sets = [part for name, value in check.constants.items() for part in ("--set", f"{name}={constant_text(value)}")]
    properties = [part for name in check.properties for part in ("--property", name)]
    flags = ["--symmetry" if check.symmetry else "--no-symmetry", "--ghosts" if check.ghosts else "--no-ghosts"]
    limits = [
        part
        for name, value in (("--memory", options.memory), ("--time", options.time))
        if value is not None
        for part in (name, str(value))
    ]
    return ["check", check.target, *sets, *properties, *flags, *limits, "--engine", _engine(options), "--json"]


def _engine(options: argparse.Namespace) -> str:
    """What explores within a check: on Spark, each is one task of the native engine."""
    return "native" if options.engine == "spark" else options.engine


# --- comparing ------------------------------------------------------------------------------------------------------


def judged(check: Recorded, report: Mapping[str, Any], seconds: float) -> Result:
    """Compares a check's report with the record."""
    if report["verdict"] == "inconclusive":
        return Result(check, Exit.INCONCLUSIVE, seconds, report, (report["assurance"],))
    found = {each["name"]: each for each in report["properties"]}
    differences = [
        text
        for name, wanted in check.properties.items()
        if (text := _property_difference(name, wanted, found.get(name)))
    ]
    differences += [
        f"{name}: recorded {wanted:,}, found {report[name]:,}"
        for name, wanted in check.counts.items()
        if report[name] != wanted
    ]
    if report["outcome"] != check.outcome:
        differences.append(f"outcome: recorded {check.outcome}, found {report['outcome']}{_why(report)}")
    return Result(check, Exit.UNEXPECTED if differences else Exit.HOLDS, seconds, report, tuple(differences))


def _property_difference(name: str, wanted: Expected, found: Mapping[str, Any] | None) -> str:
    if found is None:
        return f"{name}: the model has no such property"
    if found["verdict"] != wanted.verdict:
        how = f" after {count(found['steps'], 'step')}" if found["verdict"] == "violated" else ""
        return f"{name}: recorded {wanted.verdict}, found {found['verdict'].replace('_', ' ')}{how}"
    if wanted.steps is not None and found["steps"] != wanted.steps:
        return f"{name}: recorded a counterexample of {count(wanted.steps, 'step')}, found one of {found['steps']}"
    return ""


def _why(report: Mapping[str, Any]) -> str:
    if report["failure"]:
        return f": {report['failure']['message']}"
    return f": {', '.join(_idle(report))} never happens" if report["outcome"] == "vacuous" and _idle(report) else ""


def _idle(report: Mapping[str, Any]) -> list[str]:
    return [each["name"] for each in report["actions"] if not each["fired"] and not each["switched_off"]]


# --- telling --------------------------------------------------------------------------------------------------------

_WORDS = {
    Exit.HOLDS: "ok",
    Exit.UNEXPECTED: "differs",
    Exit.INCONCLUSIVE: "inconclusive",
    Exit.INTERNAL: "broke down",
    Exit.USAGE: "cannot run",
    Exit.MODEL_TEXT: "cannot run",
}
_STYLES = {
    "ok": "green",
    "differs": "red bold",
    "inconclusive": "yellow bold",
    "broke down": "red bold",
    "cannot run": "red bold",
}


def gate_page(results: Sequence[Result], left_out: int, paper: Paper) -> Page:
    """Each check with what it found, the differences under those that have any, and the sum."""
    page = Page(paper)
    width = max(len(_WORDS[each.exit]) for each in results)
    for result in results:
        word = _WORDS[result.exit].ljust(width)
        page.columns(
            [(word, f"{result.check.name}: {_summary(result)}")], indent=0, styles={word: _STYLES[word.strip()]}
        )
        for difference in result.differences:
            for line in difference.splitlines():
                page.line(line, indent=6)
        for trace in surprises(result).values():
            page.exact(f"      {trace['replay']}")
    page.blank()
    page.line(_sum(results), style="green bold" if _exit(results) is Exit.HOLDS else "red bold")
    if left_out:
        page.line(f"not run: {count(left_out, 'recorded check')}, left out by --tier or --only")
    return page


def _summary(result: Result) -> str:
    if result.report is None:
        return seconds_text(result.seconds)
    found = f"{count(result.report['distinct_states'], 'state')}, depth {result.report['depth']}"
    return f"{found}, {seconds_text(result.seconds)}"


def _sum(results: Sequence[Result]) -> str:
    numbers = Counter(_WORDS[each.exit] for each in results)
    return ", ".join(f"{number} {word}" for word, number in numbers.items()) + f" of {count(len(results), 'check')}"


def _exit(results: Sequence[Result]) -> Exit:
    return worst(each.exit for each in results)


def _document(results: Sequence[Result], left_out: int) -> dict[str, Any]:
    checks = [
        {
            "name": each.check.name,
            "model": each.check.target,
            "result": _WORDS[each.exit],
            "seconds": round(each.seconds, 3),
            "differences": list(each.differences),
            "report": each.report,
        }
        for each in results
    ]
    return {"schema": "tidegate.gate/1", "exit": int(_exit(results)), "not_run": left_out, "checks": checks}


def junit_cases(results: Sequence[Result]) -> Iterator[Case]:
    """One case per property of each check, and one for its counts."""
    for result in results:
        check = result.check
        claims = [*check.properties, *(["counts"] if check.counts or not check.properties else [])]
        for claim in claims:
            told = [each for each in result.differences if _is_about(each, claim, check)]
            status = "error" if result.report is None else "failed" if told else "passed"
            first = told[0].splitlines()[0] if told else ""
            traces = [
                trace_page(each, Paper()).text() for name, each in surprises(result).items() if name in (claim, "")
            ]
            detail = "\n".join([*told, *traces]) if told else ""
            yield Case(check.model, f"{claim} [{check.name}]", result.seconds / len(claims), status, first, detail)


def surprises(result: Result) -> Mapping[str, Document]:
    """The traces of what was found violated and is not recorded so, by property; under "" that of another failure."""
    if result.report is None:
        return {}
    recorded = {name for name, each in result.check.properties.items() if each.verdict == "violated"}
    found = {each["name"]: each["document"] for each in result.report["properties"] if each["verdict"] == "violated"}
    failure = result.report["failure"]
    if failure is not None and result.report["outcome"] != result.check.outcome:
        found[""] = failure["document"]
    return {name: document for name, document in found.items() if name not in recorded and document is not None}


def _is_about(difference: str, claim: str, check: Recorded) -> bool:
    """Whose difference it is: the property it names, else the counts', or everyone's where there are no counts."""
    owner = difference.partition(":")[0]
    if owner in check.properties:
        return owner == claim
    return claim == "counts" or not check.counts


def _saved(results: Sequence[Result], left_out: int, out: Path | None, junit: Path | None) -> Exit:
    found = _exit(results)
    xml = junit_text("tidegate gate", junit_cases(results))
    try:
        if junit is not None:
            write_text(junit, xml)
        if out is not None:
            write_text(out / "junit.xml", xml)
            write_json(out / "gate.json", _document(results, left_out))
    except OSError as error:
        print(f"tidegate: the report could not be saved: {error}", file=sys.stderr)
        return found if found is not Exit.HOLDS else Exit.USAGE
    return found
