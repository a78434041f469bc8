"""The page of `--may-change-voters`: the answer first, then why not, what to do, and what to know."""

from __future__ import annotations

from tidegate.reports.audit.voter_changes import voter_changes_page
from tidegate.reports.text_page import TextFormat

NOTHING: dict[str, object] = {"stops": [], "waits": [], "meanwhile": [], "unknown": [], "may_fail": None}


def test_the_answer_is_first() -> None:
    no = {"change": "add", "controller": 4, "may_change": "no", **NOTHING, "stops": ["a"], "waits": ["b"]}
    yes = {"change": "replace", "controller": 3, "may_change": "yes", **NOTHING, "meanwhile": ["c"], "may_fail": 0}
    open_ = {"change": "remove", "controller": 2, "may_change": "not known", **NOTHING, "unknown": ["d"]}
    page = voter_changes_page({"changes": [no, yes, open_], "notes": ["As described."]}, TextFormat()).text()
    assert page == (
        "✗ controller 4 must not be added now\n  why not: a\n  first: b\n"
        "✓ controller 3 may get another disk now\n  meanwhile: c\n  then none of the controllers that run may fail\n"
        "? controller 2 may be removed or not: not known\n  not known: d\n\nAs described.\n"
    )
