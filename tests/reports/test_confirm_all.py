"""The table of `confirm --all`: what came of each counterexample, why not, and what is not hosted."""

from __future__ import annotations

from typing import Any

from tidegate.reports.confirm_all import confirm_all_markdown, confirm_all_text, count_reasons
from tidegate.reports.text_page import TextFormat

ABSENT = "the model of Kafka 4.1.1 does not take it: step 2, fetch(A), is disabled"
SHORT = "the release has not what the counterexample is about: its model does not take it"


def cell(result: str, why: str) -> dict[str, Any]:
    """What came of one."""
    return {"result": result, "why": why, "seconds": 1.0}


FOUND: dict[str, Any] = {
    "releases": ["4.1.1", "3.9.1"],
    "rows": [
        {
            "model": "kraft:kip595",
            "bounds": "small",
            "property": "no_disruption",
            "steps": 4,
            "results": {"4.1.1": cell("not_driven", ABSENT), "3.9.1": cell("confirmed", "every step came about")},
        },
        {
            "model": "kraft:kip996",
            "bounds": "small",
            "property": "leader_completeness",
            "steps": 7,
            "results": {"4.1.1": cell("not_confirmed", "step 3 differs"), "3.9.1": cell("not_driven", ABSENT)},
        },
    ],
    "not_found": [],
    "not_hosted": {"kraft_live": 4, "partition": 69},
}


def test_the_table_has_a_row_for_each_and_a_column_for_each_release() -> None:
    lines = confirm_all_text(FOUND, TextFormat(width=110)).splitlines()
    assert lines[0] == "2 counterexamples on 2 releases: 1 confirmed, 1 not confirmed, 2 could not be driven"
    assert [line.split()[-2:] for line in lines[1:4]] == [["4.1.1", "3.9.1"], ["–", "✓"], ["✗", "–"]]
    assert lines[-1] == "not hosted: 73 recorded counterexamples of 2 other models and tiers; --json names them"


def test_reasons_are_counted() -> None:
    assert count_reasons(FOUND) == {SHORT: 2, "step 3 differs": 1}


def test_a_check_that_finds_nothing_is_named() -> None:
    shown = confirm_all_text({**FOUND, "rows": [], "not_found": ["kraft:kip595 small no_disruption"]}, TextFormat(90))
    assert shown.startswith("0 counterexamples on 2 releases: nothing was driven\n")
    assert "? no counterexample was found: kraft:kip595 small no_disruption\n" in shown


def test_the_page_has_the_same_table() -> None:
    assert confirm_all_markdown(FOUND).splitlines()[:4] == [
        "| counterexample | steps | 4.1.1 | 3.9.1 |",
        "|---|---|---|---|",
        "| kraft:kip595 small: no_disruption | 4 | – | ✓ |",
        "| kraft:kip996 small: leader_completeness | 7 | ✗ | – |",
    ]
