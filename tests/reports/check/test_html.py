"""The index.html of a check: what fails first, each verdict with its trace."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tidegate.reports.check.html import check_index

from ...conftest import Run
from ...support.index_pages import links


def test_a_check_leads_to_its_traces(tidegate: Run, tmp_path: Path) -> None:
    done = tidegate("check", "replication:kip101", "--out", str(tmp_path))
    assert done.err.splitlines()[-1].startswith(f"saved {tmp_path / 'index.html'}, which leads to report.json")
    text = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert '<h1 class="bad">replication:kip101 violates 2 properties</h1>' in text
    verdicts = re.findall(r'<tr><td class="(\w+)"', text)
    assert verdicts == sorted(verdicts, key=("bad", "open", "good").index) and verdicts[0] == "bad"
    assert [link for link in links(text) if not (tmp_path / link).is_file()] == []
    report = json.loads((tmp_path / "report.json").read_text(encoding="utf-8"))
    assert len(links(text)) == len(list(tmp_path.glob("*.trace.json")))
    (within,) = re.findall(r"Bounds: (.*?)\.</p>", text)
    assert within.startswith("replicas=3, log_size=2") and "Switches: truncation=end_of_epoch; off: " in text
    assert f"{report['distinct_states']:,} distinct states, depth {report['depth']}; native engine" in text
    good = check_index(report | {"verdict": "holds", "outcome": "none"}, {"": "failure.html"})
    assert '<h1 class="good">' in good
    assert links(good) == ["failure.html"]
    walked = check_index(report | {"verdict": "holds", "outcome": "none", "engine": "walk"}, {})
    assert '<h1 class="good">replication:kip101 holds in what was looked at</h1>' in walked
