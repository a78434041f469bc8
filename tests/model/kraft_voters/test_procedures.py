"""The page of procedures: its tables are what the model says."""

from __future__ import annotations

import pytest

from ...capture.procedures import begin_of, procedure_table
from ...conftest import ROOT
from ...support.shipped import tier_parameters
from ...support.voter_procedures import PROCEDURES

PAGE = (ROOT / "docs" / "changing-controllers.md").read_text(encoding="utf-8")


def test_every_procedure_is_on_the_page() -> None:
    assert [name for name in PROCEDURES if begin_of(name) not in PAGE] == []


@pytest.mark.parametrize("name", tier_parameters(PROCEDURES, lambda name: name == "replace-disk"))
def test_the_page_has_what_the_model_says(name: str) -> None:
    assert f"{begin_of(name)}\n{procedure_table(name)}\n" in PAGE
