"""The tables of what fails in docs/groups.md are what is recorded of the models of groups in spec/."""

from __future__ import annotations

import re

from tidegate.gates.records import read_record_file

from ..conftest import ROOT
from ..support.pages import page_with_appendix


def test_the_tables_of_what_fails_are_what_is_recorded() -> None:
    text = page_with_appendix("groups.md")
    rows = re.findall(r"^\| `(\w+)` \| [^|]*\| `(\w+)` \| `(\w+)` \| (\d+) \|$", text, re.MULTILINE)
    shown = {(profile, fails, bounds, int(steps)) for profile, fails, bounds, steps in rows}
    recorded = {
        (check.profile, name, check.bounds, expected.steps)
        for model in ("classic_group", "static_members", "recreated_topic", "consumer_group_published", "modern_group")
        for check in read_record_file(ROOT / "spec" / f"{model}.toml").checks
        for name, expected in check.properties.items()
        if expected.verdict == "violated" and check.profile != "eager"
    }
    assert shown == recorded
