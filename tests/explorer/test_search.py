"""What a search is asked: its defaults, which every engine takes."""

from __future__ import annotations

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search, Walks

from ..support.traces import bind_model


def test_by_default_nothing_is_left_out() -> None:
    search = Search()
    assert (search.symmetry, search.deadlocks, search.keep_going, search.projection) == (False, True, False, None)
    assert search.memory_bytes is None and search.seconds is None
    assert Walks().strategy == "guided"


@pytest.mark.parametrize("engine", ["native", "python"])
def test_an_engine_heeds_what_it_is_asked(engine: str) -> None:
    model = bind_model("examples/lock.py:careful", clients=3)
    whole = ENGINES[engine](model, Search(), None)
    folded = ENGINES[engine](model, Search(symmetry=True), None)
    assert (whole.distinct_states, folded.distinct_states) == (4, 2)
    assert folded.symmetry == ("Client",)
    assert ENGINES[engine](model, Search(deadlocks=False), None).notes == (
        "deadlocks were not looked for: --no-deadlock",
    )
