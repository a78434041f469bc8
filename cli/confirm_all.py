"""`tidegate confirm --all --in-process`: every counterexample that is recorded, on Kafka's own classes, by release."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..explorer.search import Progress
from ..gates.checks import GateSettings, check_arguments
from ..gates.records import CheckRecord, read_record_file, shipped_record_files
from ..language.errors import UsageError
from ..language.immutable import immutable
from ..reports.confirm_all import confirm_all_text
from ..reports.exits import Exit
from .forked_process import fork_command
from .options import text_format_of
from .output import print_json
from .progress import ProgressLine, report_for

SCHEMA = "tidegate.confirm_all/1"
_REFUSED_OPTIONS = (
    "traces",
    "assignments",
    "repaired",
    "keep",
    "kafka_home",
    "anyway",
    "random",
    "junit",
    "html",
    "steps",
)
_SETTINGS = GateSettings(engine=None, memory=None, time=None, tier="commit", ci=False)


@immutable
class RecordedCounterexample:
    """A counterexample that is recorded: the check that finds it, the property, and its trace; None where the check
    finds none."""

    check: CheckRecord
    property: str
    trace: dict[str, Any] | None


def confirm_all(options: argparse.Namespace) -> Exit:
    """Runs it: exit 1 where Kafka's code does otherwise, 5 where none could be driven, or a check finds none."""
    if not options.in_process or options.repeat > 1 or any(getattr(options, name) for name in _REFUSED_OPTIONS):
        raise UsageError("--all is of --in-process, and takes beside it --kafka-version, --json and how to print alone")
    from ..real.inprocess.hunting import RELEASES
    from ..real.inprocess.program import fetch_hosted_release

    given = (options.kafka_version,) if options.kafka_version else RELEASES
    releases = [fetch_hosted_release(version).version for version in given]
    checks = [check for path in shipped_record_files() for check in read_record_file(path).checks]
    with ProgressLine(sys.stderr) as line:
        shown = confirm_all_document(checks, releases, _progress_writer(line))
    if options.json:
        print_json(shown)
    else:
        sys.stdout.write(confirm_all_text(shown, text_format_of(options)))
    results = {cell["result"] for row in shown["rows"] for cell in row["results"].values()}
    if "not_confirmed" in results:
        return Exit.SAFETY
    return Exit.HOLDS if "confirmed" in results and not shown["not_found"] else Exit.INCONCLUSIVE


def confirm_all_document(
    checks: Sequence[CheckRecord], releases: Sequence[str], report: Callable[[str], None]
) -> dict[str, Any]:
    """What comes of the counterexamples of checks: a row for each, and how many are not hosted, by model."""
    from ..real.inprocess.confirming import HOSTED_MODELS, confirmed_in_process

    found, others = list[RecordedCounterexample](), Counter[str]()
    for check in checks:
        violated = [name for name, claim in check.properties.items() if claim.verdict == "violated"]
        if check.model not in HOSTED_MODELS:
            others[check.model] += len(violated)
        elif check.tier != "commit":
            others[f"{check.model}, of the nightly tier"] += len(violated)
        elif violated:
            report(f"finding {check.name}")
            found += _counterexamples(check, violated)
    rows = list[dict[str, Any]]()
    for one in found:
        results = dict[str, Any]()
        for release in releases if one.trace is not None else ():
            report(f"{one.check.target} {one.property} on Kafka {release}")
            came = confirmed_in_process(one.trace or {}, kafka=release)
            results[release] = {name: came[name] for name in ("result", "why", "seconds")}
        steps = 0 if one.trace is None else len(one.trace["steps"])
        where = one.check.bounds or "its own bounds"
        rows.append(
            {
                "model": one.check.target,
                "bounds": where,
                "property": one.property,
                "steps": steps,
                "results": results,
            }
        )
    return {
        "schema": SCHEMA,
        "releases": list(releases),
        "rows": [row for row in rows if row["results"]],
        "not_found": [f"{row['model']} {row['bounds']} {row['property']}" for row in rows if not row["results"]],
        "not_hosted": {name: number for name, number in sorted(others.items()) if number},
    }


def _counterexamples(check: CheckRecord, violated_properties: Sequence[str]) -> Iterator[RecordedCounterexample]:
    """What a check finds of properties that are recorded as violated."""
    with fork_command(check_arguments(check, _SETTINGS)) as command:
        _, printed, _ = command.wait_for_exit()
    properties = list[dict[str, Any]]()
    with contextlib.suppress(json.JSONDecodeError, KeyError):  # then it found none, which is said
        properties = json.loads(printed)["properties"]
    traces = {one["name"]: one["document"] for one in properties}
    for name in violated_properties:
        yield RecordedCounterexample(check, name, traces.get(name))


def _progress_writer(line: ProgressLine) -> Callable[[str], None]:
    report = report_for(line)

    def write(text: str) -> None:
        if report is not None:
            report(Progress(0, 0, 0, 0.0, 0, 0.0, says=text))

    return write
