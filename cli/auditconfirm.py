"""`audit --confirm`: each different loss that an audit has written a trace of, on real brokers, and with the repair."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ..audit.auditing import Audited
from ..explorer.search import Progress
from ..reports.confirm import confirm_junit, confirm_text, mark, side_by_side
from ..reports.files import write_json, write_text
from ..reports.paper import Paper
from ..reports.trace.html import page
from .auditfiles import Scenario, around_of, traces_of
from .confirm import SCHEMA, needs_kafka_python
from .progress import ProgressLine, report_for

Confirm = Callable[..., dict[str, Any]]
_RELEASE = re.compile(r"\d+\.\d+(\.\d+)?")


def confirm_losses(
    done: Audited,
    scenarios: Sequence[Scenario],
    out: Path,
    paper: Paper,
    *,
    quiet: bool,
    confirm: Confirm | None = None,
) -> None:
    """Drives real brokers through each different trace in `out`, once as it is and once with the repair; writes
    confirmed.json and confirmed.xml, and what came out on the pages; prints it unless `quiet`. `confirm` drives one.
    UsageError where there is no Java, or no such release."""
    drive = confirm or _confirm()
    stated = str(done.document["versions"]["kafka"])
    kafka = stated if _RELEASE.fullmatch(stated) else None
    found = dict[str, list[dict[str, Any]]]()
    with ProgressLine(sys.stderr) as line:
        for number, (page_of, trace, shown, beside) in enumerate(_losses(done, scenarios, out), 1):
            key = _key(trace)
            if key not in found:
                say = _saying(line, f"loss {number}: ")
                found[key] = [
                    drive(trace, kafka=kafka, with_repair=with_repair, report=say) for with_repair in (False, True)
                ]
            marks = list(map(mark, found[key]))
            noted = shown | {"notes": [*shown["notes"], *marks]}
            write_text(page_of, page([noted], beside=_beside(page_of), section=side_by_side(found[key]), around=beside))
    results = [result for both in found.values() for result in both]
    write_json(out / "confirmed.json", {"schema": SCHEMA, "results": results})
    write_text(out / "confirmed.xml", confirm_junit(results))
    if not quiet and results:
        sys.stdout.write("\n" + confirm_text(results, paper, steps=False))


def _confirm() -> Confirm:
    needs_kafka_python()
    from ..real.driving.verdict import confirmed

    return confirmed


def _losses(
    done: Audited, scenarios: Sequence[Scenario], out: Path
) -> list[tuple[Path, dict[str, Any], dict[str, Any], dict[str, Any]]]:
    """Each loss that is reported and has a page: the page, its trace, the trace in the cluster's words, and what
    could happen instead."""
    reported = {subject["loss"]["html"] for subject in done.document["subjects"] if subject["loss"] is not None}
    return [
        (out / made.html, *traces_of(done, made), around_of(done, made)) for made in scenarios if made.html in reported
    ]


def _key(trace: Mapping[str, Any]) -> str:
    """What a run on real brokers depends on: alike losses of several topics are driven once."""
    steps = [step["step"] for step in trace["steps"]]
    return json.dumps([trace["bounds"], steps, trace["property"]["name"]], sort_keys=True)


def _beside(page_of: Path) -> str:
    return f"{page_of.stem}.trace.json"


def _saying(line: ProgressLine, which: str) -> Callable[[str], None]:
    report = report_for(line)

    def say(text: str) -> None:
        if report is not None:
            report(Progress(0, 0, 0, 0.0, 0, 0.0, says=which + text))

    return say
