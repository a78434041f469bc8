"""docs/kafka-findings.md: its schedules are files, and show on each release what its table says."""

from __future__ import annotations

import json
from itertools import takewhile

import pytest
from tidegate.real.inprocess.hosting import Host
from tidegate.real.inprocess.hunting import case_of

from ..conftest import ROOT
from ..support.hosting import hosted_release

PAGE = (ROOT / "docs" / "kafka-findings.md").read_text(encoding="utf-8")
HEAD, _, *ROWS = (
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in takewhile(str.strip, PAGE[PAGE.index("| schedule, in ") :].splitlines())
)
CASES = {
    path.name.removesuffix(".schedule.json"): case_of(json.loads(path.read_text(encoding="utf-8")))
    for path in sorted((ROOT / "docs" / "schedules").iterdir())
}


def test_the_table_has_each_schedule_with_its_length() -> None:
    assert [(name, int(steps)) for name, steps, *_ in ROWS] == [(name, len(one.steps)) for name, one in CASES.items()]
    assert all(f"\n{name}" in PAGE or f", {name}" in PAGE for name in CASES)


@pytest.mark.long
@pytest.mark.parametrize("kafka", HEAD[2:])
def test_a_schedule_shows_what_the_table_says(kafka: str) -> None:
    said = {name: cells[HEAD.index(kafka) - 2] for name, _, *cells in ROWS}
    seen = dict[str, str]()
    with Host(hosted_release(kafka), brief=True) as host:
        for name, case in CASES.items():
            host.open(case.settings, case.seed)
            findings = host.take(case.steps, recover=case.recovers).findings
            seen[name] = "✗" if case.finding.signature in [one.signature for one in findings] else "–"
    assert seen == said
