"""`python -m bench`: how fast the native explorer is, beside what else one could have used, measured in one run.

bench/README.md says how to read it. Nothing here is a test: numbers depend on the machine and on who else is using it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from dataclasses import asdict

from .measures import MeasurementReport, measure_all

TLC_SECONDS = 43.0
"""TLC's time for the 737,794 states of max_leader_epoch=2, one worker: recorded once, elsewhere, not measured here."""

GOALS = {
    "states_per_second": 4_000_000,
    "bytes_per_state": 40,
    "cold_seconds": 1.5,
    "cached_seconds": 0.1,
    "times_tuned_python": 15,
    "times_tlc": 230,
    "times_symmetry": 4,
}


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="How fast the native explorer is.")
    parser.add_argument("--quick", action="store_true", help="smaller sizes for plain Python, one native run each")
    parser.add_argument("--json", action="store_true", help="one JSON object on standard output")
    options = parser.parse_args()
    report = measure_all(quick=options.quick, say=lambda text: print(text, file=sys.stderr, flush=True))
    if options.json:
        print(json.dumps({"machine": describe_machine(), **asdict(report), "ratios": speed_ratios(report)}, indent=2))
    else:
        print(report_text(report))


def describe_machine() -> dict[str, str | float | int | None]:
    """What the numbers were measured on, and how busy it was."""
    return {
        "processor": processor_name(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "load_average": os.getloadavg()[0],
    }


def processor_name() -> str:
    """The processor's name, as well as the system reports it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
            return next(names, platform.machine())
    except OSError:
        return platform.processor() or platform.machine()


def speed_ratios(report: MeasurementReport) -> dict[str, float]:
    """How many times faster than what."""
    return {
        "times_tuned_python": report.native_large.states_per_second / report.tuned_python.states_per_second,
        "times_plain_python": report.native.states_per_second / report.plain_python.states_per_second,
        "times_tlc": TLC_SECONDS / report.native_large.seconds,
        "times_symmetry_large": report.native_large.seconds / report.orbits_large.seconds,
        "times_symmetry": report.native.seconds / report.orbits.seconds,
    }


# --- as text ----------------------------------------------------------------------------------------------------------


def report_text(report: MeasurementReport) -> str:
    """The report as people read it."""
    lines = [*report_heading(), "", *kernel_lines(report), "", *comparison_lines(report), "", *symmetry_lines(report)]
    return "\n".join([*lines, "", *breakdown_lines(report)])


def report_heading() -> list[str]:
    """What was measured, and on what."""
    on = describe_machine()
    load = float(on["load_average"] or 0)
    lines = [
        "replication:kip320, replicas=3 log_size=2 max_records=2, one worker",
        "checked: type_ok, leader_in_isr, weak_isr, strong_isr",
        f"{on['processor']}, {on['cores']} cores, Python {on['python']}, load average {load:.1f}",
    ]
    if load > 1.2:
        lines.append("The machine is busy with something else: expect an idle one to be faster.")
    return lines


def kernel_lines(report: MeasurementReport) -> list[str]:
    """The native explorer by itself, against what it is meant to reach."""
    native = report.native
    return [
        "the native explorer, max_leader_epoch=3",
        report_row("distinct states", f"{native.states:,}"),
        report_row("transitions", f"{native.transitions:,}"),
        report_row("time", f"{native.seconds:.2f} s"),
        report_row("states per second", f"{native.states_per_second:,.0f}", goal_text("states_per_second", "at least")),
        report_row("bytes a state", f"{native.bytes_per_state:.1f}", goal_text("bytes_per_state", "at most")),
        report_row("compile, cold", f"{report.cold_seconds:.2f} s", goal_text("cold_seconds", "under", " s")),
        report_row("compile, cached", f"{report.cached_seconds:.3f} s", goal_text("cached_seconds", "under", " s")),
    ]


def comparison_lines(report: MeasurementReport) -> list[str]:
    """The native explorer beside others, each at a size that it can do."""
    times = speed_ratios(report)
    tuned, judge, native = report.tuned_python, report.plain_python, report.native_large
    return [
        "beside others",
        report_row("native, max_leader_epoch=2", f"{native.seconds:.3f} s", f"{native.states:,} states"),
        report_row(
            "TLC, the same (recorded: 43 s)",
            f"x {times['times_tlc']:,.0f}",
            goal_text("times_tlc", "at least", " times"),
        ),
        report_row(f"CPython, tuned tuples, {tuned.states:,} states", f"{tuned.states_per_second:,.0f}/s"),
        report_row("", f"x {times['times_tuned_python']:,.1f}", goal_text("times_tuned_python", "at least", " times")),
        report_row(f"CPython, the model's own text, {judge.states:,} states", f"{judge.states_per_second:,.0f}/s"),
        report_row("", f"x {times['times_plain_python']:,.0f}", "expected: hundreds"),
    ]


def symmetry_lines(report: MeasurementReport) -> list[str]:
    """What folding renamed replicas gains."""
    times = speed_ratios(report)
    return [
        "with the replicas' symmetry folded",
        *(
            report_row(
                f"max_leader_epoch={epochs}, {folded.states:,} orbits",
                f"{folded.seconds:.3f} s",
                f"x {ratio:.1f} in time; goal: at least {GOALS['times_symmetry']} times",
            )
            for epochs, folded, ratio in (
                (2, report.orbits_large, times["times_symmetry_large"]),
                (3, report.orbits, times["times_symmetry"]),
            )
        ),
    ]


def breakdown_lines(report: MeasurementReport) -> list[str]:
    """Where the time goes."""
    stages = report.stages
    if not stages:
        return []
    whole = sum(stages.values())
    return [
        f"what limits it (nanoseconds a state, of {whole:.0f})",
        *(report_row(name, f"{spent:.0f}", f"{spent / whole:4.0%}") for name, spent in stages.items()),
    ]


def report_row(name: str, value: str, note: str = "") -> str:
    """One line: a name, a number, and what to make of it."""
    return f"  {name:<48} {value:>14}   {note}".rstrip()


def goal_text(name: str, word: str, unit: str = "") -> str:
    """The goal that a number is compared with."""
    return f"goal: {word} {GOALS[name]:,}{unit}"


if __name__ == "__main__":
    main()
