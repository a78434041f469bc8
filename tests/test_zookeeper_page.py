"""The table of fences in docs/zookeeper.md is what spec/zk_controller.toml records."""

from __future__ import annotations

import re

from tidegate.gates.records import read

from .conftest import ROOT


def test_the_table_of_fences_is_what_is_recorded() -> None:
    text = (ROOT / "docs" / "zookeeper.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?:`(\w+)` )?\| [^|]*\| `(\w+)` \| `(\w+)` \| (\d+) \|$", text, re.MULTILINE)
    shown: set[tuple[str, str, str, int]] = set()
    profile = ""
    for named, fails, bounds, steps in rows:
        profile = named or profile
        shown.add((profile, fails, bounds, int(steps)))
    recorded = {
        (check.profile, name, check.bounds, expected.steps)
        for check in read(ROOT / "spec" / "zk_controller.toml").checks
        for name, expected in check.properties.items()
        if expected.verdict == "violated" and check.profile != "kafka_3_9"
    }
    assert shown == recorded
