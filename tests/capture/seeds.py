"""What `conform` and `hunt` find with each of many seeds: tables of docs/conformance.md and docs/kafka-findings.md.

    python -m tests.capture.seeds conform docs/conformance.md DONE.jsonl --releases 4.1.1,4.3.0
    python -m tests.capture.seeds hunt docs/kafka-findings.md DONE.jsonl --releases 3.7.2,4.1.1,4.4.0

One command, no setting for a defect. DONE.jsonl keeps a line for each release and seed: what is there is not taken
again, so that a command which was ended goes on where it was. Where it says how long something took, it is processor
time of the process that hosts Kafka, which does not depend on what else a machine does. Needs a JDK 17 and Maven.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import Any, TypeAlias

from tidegate.real.driving.nodes.releases import Release
from tidegate.real.inprocess.conforming import ModelRuns
from tidegate.real.inprocess.following import HistoryFollower
from tidegate.real.inprocess.hosting import Host
from tidegate.real.inprocess.hunting import HuntReach, hunt
from tidegate.real.inprocess.lanes import LANES
from tidegate.real.inprocess.program import fetch_hosted_release

from .hosted import page_with

HUNTED, COMPARED = 480, 48
"""How many runs of each seed are taken, of either verb where `--runs` does not say."""
Row: TypeAlias = dict[str, Any]


def conform_rows(release: Release, seeds: Sequence[int], runs: int) -> Iterator[Row]:
    """Both directions of each seed; the runs that cover all pairs of actions are taken with the first seed, beside."""
    kafka = ".".join(map(str, release.parts[:2]))
    with Host(release) as host:
        for seed in seeds:
            before = host.processor_seconds()
            to_code = ModelRuns(host, seed, "", kafka, covers=seed == 1)
            to_model = HistoryFollower(host, seed, kafka)
            more = len(to_code.coverage.runs) if seed == 1 else 0
            differences = [
                (found.signature, found.why)
                for taker, wanted in ((to_code, runs + more), (to_model, runs))
                for begin in range(0, wanted, LANES)
                for found in taker.next_differences(min(LANES, wanted - begin))
            ]
            yield {
                "runs": to_code.runs,
                "states": to_code.steps,
                "histories": to_model.reach.histories,
                "observations": to_model.reach.observations,
                "undecided": to_model.reach.undecided_histories,
                "ended": to_model.reach.ended_histories,
                "differences": differences,
                "processor_seconds": round(host.processor_seconds() - before, 1),
                "seed": seed,
            }


def hunt_rows(release: Release, seeds: Sequence[int], runs: int) -> Iterator[Row]:
    """A hunt of each seed, in a process of its own, as the command takes it."""
    for seed in seeds:
        found = list[Row]()
        for one in hunt(release, seed, runs=runs, seconds=None):
            if isinstance(one, HuntReach):
                reach = {"runs": one.runs, "steps": one.steps, "processor_seconds": round(one.processor_seconds, 1)}
                yield {"seed": seed, **reach, "cut": one.cut, "why": one.why, "found": found}
            else:
                found.append(one.document() | {"signature": one.finding.signature})


def conform_table(rows: Mapping[str, list[Row]]) -> str:
    """Of each release how much was compared and what differed, over all seeds."""
    head = ("release", "seeds", "runs of the model, states", "histories, states", "undecided", "differences")
    lines = [head, ("---",) * len(head)]
    for release, of_seeds in rows.items():
        numbers = {
            name: sum(row[name] for row in of_seeds)
            for name in ("runs", "states", "histories", "observations", "undecided")
        }
        kinds = sorted({signature for row in of_seeds for signature, _ in row["differences"]})
        to_code, to_model = (
            f"{numbers[of]:,}, {numbers[states]:,}"
            for of, states in (("runs", "states"), ("histories", "observations"))
        )
        found = "; ".join(kinds) or "none"
        lines.append((release, str(len(of_seeds)), to_code, to_model, str(numbers["undecided"]), found))
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def hunt_table(rows: Mapping[str, list[Row]]) -> str:
    """Of each release what was found, with how many of the seeds, after how many runs, and the shortest schedule."""
    head = ("release", "runs, steps", "finding", "seeds", "median of runs", "of processor", "shortest schedule")
    lines = [head, ("---",) * len(head)]
    for release, of_seeds in rows.items():
        looked = f"{sum(row['runs'] for row in of_seeds):,}, {sum(row['steps'] for row in of_seeds):,}"
        cases: dict[str, list[Row]] = {}
        for row in of_seeds:
            for case in row["found"]:
                cases.setdefault(case["signature"], []).append(case)
        for signature, found in sorted(cases.items(), key=lambda one: (-len(one[1]), one[0])) or [("nothing", [])]:
            known = f" ({found[0]['known_as']})" if found and found[0]["known_as"] else ""
            cells = (f"{len(found)} of {len(of_seeds)}", *(_median_cells(found) if found else ("", "", "")))
            lines.append((release, looked, f"`{signature}`{known}", *cells))
            release, looked = "", ""  # said once
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _median_cells(found: Sequence[Row]) -> tuple[str, str, str]:
    runs = median(case["after_runs"] for case in found)
    seconds = median(case["after_processor_seconds"] for case in found)
    return f"{runs:,.0f}", f"{seconds:.0f} s", f"{min(len(case['steps']) for case in found)} steps"


Taker: TypeAlias = Callable[[Release, Sequence[int], int], Iterator[Row]]
Table: TypeAlias = Callable[[Mapping[str, list[Row]]], str]
VERBS: Mapping[str, tuple[Taker, Table, int]] = {
    "conform": (conform_rows, conform_table, COMPARED),
    "hunt": (hunt_rows, hunt_table, HUNTED),
}


def main() -> None:
    """Takes what is not done yet, and writes the table of all that is."""
    parser = argparse.ArgumentParser(prog="python -m tests.capture.seeds", description="Tables of many seeds.")
    parser.add_argument("verb", choices=VERBS)
    parser.add_argument("page", type=Path, help="the page with the table")
    parser.add_argument("done", type=Path, help="what is done, a line each")
    parser.add_argument("--releases", metavar="V,V", default="", help="with these, where they are not done yet")
    parser.add_argument("--seeds", metavar="N", type=int, default=20, help="seeds 1 to N (default: 20)")
    parser.add_argument("--runs", metavar="N", type=int, help="of each seed")
    options = parser.parse_args()
    taker, table, usual = VERBS[options.verb]
    rows: dict[str, list[Row]] = {}
    for line in options.done.read_text("utf-8").splitlines() if options.done.exists() else ():
        row = json.loads(line)
        rows.setdefault(row["release"], []).append(row)
    with options.done.open("a", encoding="utf-8") as done:
        for version in filter(None, options.releases.split(",")):
            release = fetch_hosted_release(version)
            of_release = rows.setdefault(version, [])
            taken = {row["seed"] for row in of_release}
            seeds = [seed for seed in range(1, options.seeds + 1) if seed not in taken]
            for row in taker(release, seeds, options.runs or usual):
                of_release.append(row | {"release": version})
                print(json.dumps(of_release[-1]), file=done, flush=True)
    page = options.page.read_text("utf-8")
    begin = f"<!-- python -m tests.capture.seeds {options.verb} -->\n"
    options.page.write_text(page_with(page, f"{table(rows)}\n", begin), encoding="utf-8")


if __name__ == "__main__":
    main()
