"""The native engine against plain Python on random models."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, reject, settings
from hypothesis import strategies as st
from tidegate.explorer.native.search import check as native
from tidegate.explorer.search import Search
from tidegate.explorer.symmetry import symmetry_of
from tidegate.language.errors import ModelErrors

from ..support import random_models
from ..support.engines import MEMORY, agree, agree_on, compile_model, define_text, reachable_states, summary
from ..support.shipped import tier_parameters

DEEP = bool(os.environ.get("TIDEGATE_DEEP"))
MOST = 2000
"""Models with more states than these are compared on some of their states only."""


def compare(text: str, folder: Path, seed: int) -> None:
    """Both engines on one random model: with symmetry and without, folded and open, and state by state."""
    try:
        definition = define_text(folder, text)
        model = definition.bind()
    except ModelErrors:
        reject()
    plain = agree(model, states=MOST)
    if symmetry_of(model).domains:
        agree(model, symmetry=True, states=MOST)
    native_ = compile_model(model)
    agree_on(native_, reachable_states(model, 12, seed))
    native_.frontier.close()
    if seed % 2 or plain is None:
        return
    try:
        opened = definition.bind(open={"nodes", "top", "room", "faults", "quick"})
    except ModelErrors:
        return
    reported, known = summary(native(opened, Search(keep_going=True, memory_bytes=MEMORY))), summary(plain)
    for key in ("failure", "properties", "distinct", "transitions", "depth", "levels"):
        assert reported.get(key) == known.get(key), key


@pytest.mark.parametrize("examples", tier_parameters((4, 12, 30), (4).__eq__, long=(12).__eq__))
def test_random_models(examples: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    """TIDEGATE_DEEP=1 draws new ones, and a thousand of them."""

    @settings(
        max_examples=1000 if DEEP else examples,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large],
        phases=[Phase.explicit, Phase.generate],
    )
    @given(seed=st.integers(0, 2**32), size=st.integers(1, 4))
    def try_one(seed: int, size: int) -> None:
        compare(random_models.text(seed, size), tmp_path_factory.mktemp("random"), seed)

    try_one()
