"""`python -m bench.page`: how large the page of a long trace is, and how long a key press takes in it.

Needs the `test` extra and Debian's chromium; run it from the root of the repository. Nothing here is a test.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any, cast

from playwright.sync_api import CDPSession
from tidegate.language.immutable import immutable
from tidegate.reports.trace.html import trace_html

from tests.support.browser import OpenPage, chromium, open_page
from tests.support.html_traces import busy

STEPS = 1000
PRESSES = 300
GOALS = {"bytes": 2_000_000, "milliseconds": 16}

PRESS = """async (count) => {
  const times = [];
  for (let at = 0; at < count; at++) {
    await new Promise((done) => requestAnimationFrame(done));
    const start = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: at % 6 === 4 ? "k" : "j", bubbles: true }));
    document.body.getBoundingClientRect();
    times.push(performance.now() - start);
  }
  return times;
}"""
"""Presses keys, one a frame; the last line makes the browser lay the page out before the time is taken."""


@immutable
class PageTimes:
    """Bytes of the page; milliseconds a key press, by the clock, and of processor time: all that the page's thread does
    for it, painting included, and its handler with style and layout alone."""

    bytes: int
    median: float
    p95: float
    longest: float
    thread: float
    handler: float
    load_average: float


def measure() -> PageTimes:
    """Makes the page, opens it in the middle, and presses keys."""
    text = trace_html([busy(STEPS)])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(text, encoding="utf-8")
        with chromium() as browser, open_page(browser, file, "s=300") as one:
            one.page.clock.resume()  # tests let it stand still, and then no frame is ever asked for
            session = one.page.context.new_cdp_session(one.page)
            ask_browser(session, "Performance.enable", {"timeDomain": "threadTicks"})
            one.page.evaluate(PRESS, 30)
            before = processor_seconds_of_page(session)
            times = sorted(key_press_times(one))
            after = processor_seconds_of_page(session)
    used = {name: (after[name] - before[name]) * 1000 / PRESSES for name in before}
    return PageTimes(
        bytes=len(text.encode()),
        median=statistics.median(times),
        p95=times[int(len(times) * 0.95)],
        longest=times[-1],
        thread=used["TaskDuration"],
        handler=used["ScriptDuration"] + used["LayoutDuration"] + used["RecalcStyleDuration"],
        load_average=os.getloadavg()[0],
    )


def key_press_times(one: OpenPage) -> list[float]:
    """The time of each key press, in milliseconds."""
    return [float(setting) for setting in one.page.evaluate(PRESS, PRESSES)]


def ask_browser(session: CDPSession, method: str, parameters: dict[str, Any] | None = None) -> dict[str, Any]:
    """What Chromium's own protocol answers."""
    return cast(Any, session).send(method, parameters)


def processor_seconds_of_page(session: CDPSession) -> dict[str, float]:
    """Seconds of processor time that the page's thread has used so far, by what for."""
    metrics = ask_browser(session, "Performance.getMetrics")["metrics"]
    return {metric["name"]: metric["value"] for metric in metrics if metric["name"].endswith("Duration")}


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m bench.page", description="How large and how fast the page is.")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    options = parser.parse_args()
    report = measure()
    if options.json:
        print(json.dumps(asdict(report), indent=2))
        return
    print(f"{STEPS:,} steps, 5 replicas; {PRESSES} key presses; load average {report.load_average:.1f}")
    print(f"  page                     {report.bytes:>12,} bytes   goal: under {GOALS['bytes']:,}")
    print(f"  a key press, median      {report.median:>12.1f} ms      goal: {GOALS['milliseconds']}")
    print(f"    95th percentile        {report.p95:>12.1f} ms")
    print(f"    longest                {report.longest:>12.1f} ms")
    print(f"  processor time           {report.handler:>12.1f} ms      script, style and layout")
    print(f"    with painting          {report.thread:>12.1f} ms")


if __name__ == "__main__":
    main()
