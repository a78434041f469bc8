"""`audit --confirm`: each different loss that an audit has written a trace of, on real brokers, and with the repair."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..audit.report.document import AuditOutcome
from ..explorer.search import Progress
from ..reports.confirm import comparison_section, confirm_junit, confirm_text, result_sentence
from ..reports.files import write_json, write_text
from ..reports.text_page import TextFormat
from ..reports.trace.html import trace_html
from .audit_files import ReplayedScenario, Scenario
from .confirm import SCHEMA, require_kafka_python
from .progress import ProgressLine, report_for

ConfirmRun = Callable[..., dict[str, Any]]
_RELEASE = re.compile(r"\d+\.\d+(\.\d+)?")


def confirm_losses(
    outcome: AuditOutcome,
    scenarios: Sequence[Scenario],
    folder: Path,
    text_format: TextFormat,
    *,
    quiet: bool,
    confirm: ConfirmRun | None = None,
) -> None:
    """Drives real brokers through each different trace in `folder`, once as it is and once with the repair; writes
    confirmed.json and confirmed.xml, and what came out on the pages; prints it unless `quiet`. `confirm` drives one.
    UsageError where there is no Java, or no such release."""
    drive = confirm or _connect_confirm()
    stated = str(outcome.document["versions"]["kafka"])
    kafka = stated if _RELEASE.fullmatch(stated) else None
    found = dict[str, list[dict[str, Any]]]()
    with ProgressLine(sys.stderr) as line:
        for number, (page_of, told) in enumerate(_losses_with_pages(outcome, scenarios, folder), 1):
            key = _run_key(told.trace)
            if key not in found:
                say = _progress_writer(line, f"loss {number}: ")
                found[key] = [
                    drive(told.trace, kafka=kafka, with_repair=with_repair, report=say) for with_repair in (False, True)
                ]
            marks = list(map(result_sentence, found[key]))
            noted = told.shown | {"notes": [*told.shown["notes"], *marks]}
            beside, section = _trace_name_of_page(page_of), comparison_section(found[key])
            write_text(
                page_of, trace_html([noted], whole_file=beside, section=section, around=told.around, saved_trace=beside)
            )
    results = [result for both in found.values() for result in both]
    write_json(folder / "confirmed.json", {"schema": SCHEMA, "results": results})
    write_text(folder / "confirmed.xml", confirm_junit(results))
    if not quiet and results:
        sys.stdout.write("\n" + confirm_text(results, text_format, steps=False))


def _connect_confirm() -> ConfirmRun:
    require_kafka_python()
    from ..real.driving.verdict import confirm_trace

    return confirm_trace


def _losses_with_pages(
    outcome: AuditOutcome, scenarios: Sequence[Scenario], folder: Path
) -> Iterator[tuple[Path, ReplayedScenario]]:
    """Each loss that is reported and has a page: the page, and its run."""
    reported = {subject["loss"]["html"] for subject in outcome.document["subjects"] if subject["loss"] is not None}
    return ((folder / made.html, ReplayedScenario(outcome, made)) for made in scenarios if made.html in reported)


def _run_key(trace: Mapping[str, Any]) -> str:
    """What a run on real brokers depends on: alike losses of several topics are driven once."""
    steps = [step["step"] for step in trace["steps"]]
    return json.dumps([trace["bounds"], steps, trace["property"]["name"]], sort_keys=True)


def _trace_name_of_page(page_of: Path) -> str:
    return f"{page_of.stem}.trace.json"


def _progress_writer(line: ProgressLine, which: str) -> Callable[[str], None]:
    report = report_for(line)

    def write(text: str) -> None:
        if report is not None:
            report(Progress(0, 0, 0, 0.0, 0, 0.0, says=which + text))

    return write
