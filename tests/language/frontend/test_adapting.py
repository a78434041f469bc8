"""What plain Python has to know of the typed form: where None is no value, and what only serves folded ghosts."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.judge import run_text
from tidegate.language.steptext import StepError
from tidegate.language.values import ModelError

from ...support.frontend import bind_functions

TEXT = """
@action
def move(s: World, node: Node) -> None:
    limit(s.count < 2)
    s.count += 1
    s.high = max(s.high, s.count)
    s.owner = node


@action
def number(s: World, i: Number) -> None:
    require(s.owner == Node(1))
    owner = s.owner
    s.seen = {owner}


@action
def name(s: World) -> None:
    owner = s.owner
    s.seen = {owner}
"""


def test_none_where_a_value_is_needed_is_an_error_as_in_every_engine(tmp_path: Path) -> None:
    model = bind_functions(tmp_path, TEXT)
    with pytest.raises((ModelError, StepError), match="owner is none, and a value is needed"):
        run_text(model, "name")
    assert len(run_text(model, "move(A); name").states()[-1].seen) == 1


def test_without_ghosts_what_serves_them_is_not_run(tmp_path: Path) -> None:
    with_ghosts, without = bind_functions(tmp_path, TEXT), bind_functions(tmp_path, TEXT, ghosts=False)
    assert run_text(with_ghosts, "move(A); move(B)").states()[-1].high == 2
    assert not hasattr(run_text(without, "move(A); move(B)").states()[-1], "high")
