"""The ghost rule: what only serves ghosts is gone without them."""

from __future__ import annotations

from pathlib import Path

from ...support.forms import show_body
from ...support.frontend import action_body, definition

GHOSTLY = """
    require(s.count < top)
    highest = max(s.high, s.count)
    s.count += 1
    s.high = highest
    if len(s.past) < 2:
        s.past.append(s.count)
    for n in s.past:
        s.high = n
    """


def test_ghosts_are_folded_away(tmp_path: Path) -> None:
    assert len(action_body(tmp_path, GHOSTLY)) == 6
    kept = action_body(tmp_path, GHOSTLY, ghosts=False)
    assert show_body(kept) == ["require (s.count < 3)", "count = (s.count + 1)"]


def test_a_property_that_reads_a_ghost_is_not_applicable_without_them(tmp_path: Path) -> None:
    text = """
    def highest(s: World) -> int:
        return s.high

    @action
    def step(s: World) -> None:
        s.count = 0

    @invariant
    def low(s: World) -> bool:
        return s.count <= highest(s)
    """
    its = definition(tmp_path, text)
    with_ghosts, without = its.bind().properties[0], its.bind(ghosts=False).properties[0]
    assert with_ghosts.applicable
    assert not without.applicable
    assert without.ghosts == with_ghosts.ghosts == {"high"}
