"""Refinements of random pairs of small models: the native engine against plain Python."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import strategies as st
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search, Walks
from tidegate.explorer.symmetry import symmetry_of
from tidegate.language.binding import load
from tidegate.language.errors import ModelErrors
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict

from ..support import random_refinements
from ..support.engines import agree
from ..support.shipped import tier_parameters

DEEP = bool(os.environ.get("TIDEGATE_DEEP"))
MOST = 800
"""Models with more states than these are left out: plain Python tries every abstract step on each of theirs."""


def others(model: Model, verdict: Verdict) -> None:
    """Walks on a pair, beside what a whole search says of it."""
    (claim,) = (prop for prop in verdict.properties if prop.name == "as_abstract")
    walked = ENGINES["walk"](model, Search(walks=Walks(number=20, depth=20), deadlocks=False), None)
    (mine,) = (prop for prop in walked.properties if prop.name == "as_abstract")
    assert mine.verdict != "violated" or claim.verdict == "violated"


def compare(seed: int, size: int, folder: Path, *, every: bool) -> str | None:
    """Both engines on one pair, with symmetry and without, and `every` other one; what they say of the refinement."""
    abstract, concrete, is_copy = random_refinements.pair(seed, size, "abstract")
    (folder / "abstract.py").write_text(abstract, encoding="utf-8")
    (folder / "concrete.py").write_text(concrete, encoding="utf-8")
    try:
        model = load(folder / "concrete.py").bind()
    except ModelErrors:
        reject()
    verdict = agree(model, states=MOST)
    if symmetry_of(model).domains:
        agree(model, symmetry=True, states=MOST)
    if verdict is None or verdict.outcome == "model_error":
        return None
    (told,) = (prop.verdict for prop in verdict.properties if prop.name == "as_abstract")
    assert not is_copy or told == "holds", "a copy takes the steps of the original"
    return told


@pytest.mark.parametrize("examples", tier_parameters((5, 20, 60), (5).__eq__, long=(20).__eq__))
def test_random_refinements(examples: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """TIDEGATE_DEEP=1 draws new ones, and a thousand of them."""

    @settings(
        max_examples=1000 if DEEP else examples,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
        phases=[Phase.explicit, Phase.generate],
    )
    @given(seed=st.integers(0, 2**32), size=st.integers(1, 3))
    def try_one(seed: int, size: int) -> None:
        compare(seed, size, tmp_path_factory.mktemp("refinement"), every=examples == 60)

    try_one()
