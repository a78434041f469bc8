"""Several workers count what one does."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer.native.search import check as native
from tidegate.explorer.search import Search

from ...support.native import large


@pytest.mark.parametrize("workers", [pytest.param(2, marks=pytest.mark.long), 3])
def test_several_workers_count_the_same(workers: int, tmp_path: Path) -> None:
    model = large(tmp_path)
    verdict = native(model, Search(workers=workers, recheck=5))
    assert (verdict.distinct_states, verdict.transitions, verdict.depth) == (2**20, 20 * 2**20, 21)
