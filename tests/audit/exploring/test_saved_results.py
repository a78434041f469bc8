"""What cases found, kept on disk: whole, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.audit.exploring.case_results import CaseResult, ScenarioStep
from tidegate.audit.exploring.saved_results import SavedResults, result_json, result_of_json
from tidegate.audit.questions.questions import Case

CASE, OTHER = Case("loss", (("crashes", 1), ("replicas", 2))), Case("loss", (("crashes", 2), ("replicas", 2)))
RESULT = CaseResult(
    {"acknowledged_kept": (ScenarioStep("crash(A)", "⟨A⟩ crashes", True),)},
    frozenset({"some_acknowledged"}),
    frozenset({"consistent_read"}),
    states=7,
    depth=2,
    stop_reason="",
)


def test_what_is_saved_is_loaded_for_its_case_alone(tmp_path: Path) -> None:
    saved = SavedResults(tmp_path)
    assert not saved.is_saved(CASE) and saved.load(CASE) is None
    saved.save(CASE, RESULT)
    assert saved.is_saved(CASE) and saved.load(CASE) == RESULT
    assert not saved.is_saved(OTHER) and saved.load(OTHER) is None
    assert result_of_json(result_json(RESULT)) == RESULT


def test_without_a_folder_nothing_is_kept() -> None:
    saved = SavedResults(None)
    saved.save(CASE, RESULT)
    assert not saved.is_saved(CASE) and saved.load(CASE) is None


@pytest.mark.parametrize("broken", ["", "{", "null", "[]", '{"scenarios": {}}', '{"scenarios": {"x": [["a"]]}}'])
def test_a_file_that_is_not_whole_is_none(tmp_path: Path, broken: str) -> None:
    saved = SavedResults(tmp_path)
    saved.save(CASE, RESULT)
    (path,) = (tmp_path / "audit").iterdir()
    path.write_text(broken, encoding="utf-8")
    assert saved.is_saved(CASE) and saved.load(CASE) is None
