"""What came of a subject's requirements is the worst of them."""

from __future__ import annotations

import pytest
from tidegate.audit.report.summary_subjects import result_of


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
    assert result_of({"checks": [{"result": result} for result in results]}) == expected
