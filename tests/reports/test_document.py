"""The document of a check, as `--json` and `--out` have it."""

from __future__ import annotations

import pytest
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict
from tidegate.reports.document import check_document
from tidegate.traces.document import trace_document

from ..support.terminal import violated_lock


@pytest.fixture
def violation() -> tuple[Model, Verdict]:
    return violated_lock()


def test_the_document_of_a_check_holds_its_traces_or_their_paths(violation: tuple[Model, Verdict]) -> None:
    model, verdict = violation
    trace = trace_document(model, verdict.properties[0])
    inside = check_document(verdict, {"one_inside": trace}, {})["properties"][0]
    beside = check_document(verdict, {"one_inside": trace}, {"one_inside": "out/x.json"})["properties"][0]
    assert (inside["trace"], inside["document"]) == (None, trace)
    assert (beside["trace"], beside["document"]) == ("out/x.json", None)
    assert inside["replay"] == beside["replay"] == trace["replay"]
