"""The page of `--may-restart`: the answer first, and no list without an end."""

from __future__ import annotations

from tidegate.reports.audit.restarts import MAX_LINES, restarts_page
from tidegate.reports.text_page import TextFormat

NOTHING: dict[str, list[str]] = {"stops": [], "loses": [], "waits": [], "unknown": []}


def test_the_answer_is_first_and_what_to_do_comes_before_what_may_be_lost() -> None:
    no = {"broker": 2, "may_restart": "no", **NOTHING, "stops": ["a"], "loses": ["b"], "waits": ["c"]}
    yes = {"broker": 3, "may_restart": "yes", **NOTHING}
    page = restarts_page({"brokers": [no, yes], "notes": ["As told."]}, TextFormat()).text()
    assert page == (
        "✗ broker 2 must not be restarted now\n  stops: a\n  first: c\n  can be lost: b\n"
        "✓ broker 3 may be restarted now\n\nAs told.\n"
    )


def test_a_long_list_ends_with_how_many_more() -> None:
    many = {"broker": 2, "may_restart": "not known", **NOTHING, "unknown": [str(n) for n in range(MAX_LINES + 3)]}
    lines = restarts_page({"brokers": [many], "notes": []}, TextFormat()).text().splitlines()
    assert lines[0] == "? broker 2 may be restarted or not: that is not known"
    assert lines[-1] == "  not known: and 3 more; --json has all" and len(lines) == MAX_LINES + 2
