"""The table of fences in docs/groups.md is what spec/classic_group.toml records."""

from __future__ import annotations

import re

from tidegate.gates.records import read

from .conftest import ROOT


def test_the_table_of_fences_is_what_is_recorded() -> None:
    text = (ROOT / "docs" / "groups.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| [^|]*\| `(\w+)` \| `(\w+)` \| (\d+) \|$", text, re.MULTILINE)
    shown = {(profile, fails, bounds, int(steps)) for profile, fails, bounds, steps in rows}
    recorded = {
        (check.profile, name, check.bounds, expected.steps)
        for check in read(ROOT / "spec" / "classic_group.toml").checks
        for name, expected in check.properties.items()
        if expected.verdict == "violated" and check.profile != "eager"
    }
    assert shown == recorded
