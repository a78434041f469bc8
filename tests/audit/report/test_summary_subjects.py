"""What came of a subject's requirements is the worst of them."""

from __future__ import annotations

import pytest
from tidegate.audit.report.summary_subjects import silent_producers, worst_result


@pytest.mark.parametrize(
    ("results", "expected"),
    [
        ((), "met"),
        (("met", "accepted"), "met"),
        (("met", "depends"), "open"),
        (("not checked", "met"), "open"),
        (("not checked", "failed", "met"), "failed"),
    ],
)
def test_the_worst_of_the_requirements_counts(results: tuple[str, ...], expected: str) -> None:
    assert worst_result({"checks": [{"result": result} for result in results]}) == expected


def test_a_producer_that_writes_nothing_is_named_once_and_only_where_writes_fail() -> None:
    failed, kept = {"question": "writable", "result": "failed"}, {"question": "writable", "result": "met"}
    silent = {"writes_nothing": "p.properties writes nothing", "checks": [failed]}
    others = {"writes_nothing": "", "checks": [failed]}, {"writes_nothing": "q writes nothing", "checks": [kept]}
    assert silent_producers([silent, silent, *others]) == ["p.properties writes nothing"]
