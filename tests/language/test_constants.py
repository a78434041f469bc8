"""A constant has no value while its model is read: what would take one for true, or compare it, is refused there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.binding import load
from tidegate.language.errors import ModelErrors

TEXT = '''
from __future__ import annotations
from enum import Enum
from typing import Annotated
from tidegate.language import Range, action, constant, initial, require, state

class Mode(Enum):
    A = "a"
    B = "b"

fast = constant(False, says="fast")
size = constant(2, minimum=1, maximum=5, says="size")
most = constant(2, minimum=1, maximum=5, says="most")
mode = constant(Mode.A, says="mode")
{line}

@state
class Counter:
    """A counter."""
    count: Annotated[int, Range(0, 9)]

@initial
def start() -> Counter:
    return Counter(count=0)

@action
def count_up(s: Counter) -> None:
    require(s.count < 5)
    s.count += 1
'''


@pytest.mark.parametrize(
    "line",
    [
        "STEP = 2 if fast else 1",
        "STEP = 1 if not fast else 2",
        "STEP = 1 if size == 2 else 0",
        "STEP = 1 if size != 2 else 0",
        "STEP = 3 if mode == Mode.A else 1",
        "STEP = 1 if size + 1 else 0",
        "STEP = size in (1, 2)",
        "STEP = 1 if size == most else 0",
        "STEP = 1 if size != most else 0",
        "STEP = 1 if size + 1 == 3 else 0",
        "STEP = 1 if size + 1 == most else 0",
        "WIDE = Annotated[int, Range(0, 3 if size == 2 else 1)]",
    ],
)
def test_a_constant_has_no_value_while_the_model_is_read(tmp_path: Path, line: str) -> None:
    path = tmp_path / "counter.py"
    path.write_text(TEXT.format(line=line))
    with pytest.raises(ModelErrors, match="a constant has a value only when the model is bound") as raised:
        load(path)
    assert "TG002" in str(raised.value)


def test_arithmetic_on_constants_is_a_bound(tmp_path: Path) -> None:
    path = tmp_path / "counter.py"
    path.write_text(TEXT.format(line="LIMIT = size * 2 + 1"))
    assert load(path).bind().values["size"] == 2
