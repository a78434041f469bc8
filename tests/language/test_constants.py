"""A constant has no value while its model is read: what would take one for true, or compare it, is refused there."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.binding import load
from tidegate.language.errors import ModelErrors, UsageError

from ..support.engines import agree

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


ARITHMETIC = '''
from __future__ import annotations
from typing import Annotated
from tidegate.language import Range, action, constant, initial, require, state

n = constant(2, minimum=1, maximum=4)
TOP = {expression}

@state
class Counter:
    """A counter."""
    count: Annotated[int, Range(-99, 99)]
    sum: Annotated[int, Range(-99, TOP)]

@initial
def start() -> Counter:
    return Counter(count=0, sum=-99)

@action
def count_up(s: Counter) -> None:
    require(s.count < 50)
    s.count = s.count + 1 if s.sum == {expression} else {expression}
    s.sum = {expression}
'''


@pytest.mark.parametrize("open_", [(), ("n",)], ids=["closed", "open"])
@pytest.mark.parametrize(
    "expression",
    [
        "2 ** (n + 1)",
        "n ** 2",
        "(n - 3) ** 3 + 1",
        "2 ** n - 3 ** (n - 1)",
        "-n ** 2 + 20",
        "10 // n",
        "10 % n",
        "n % 3",
    ],
)
def test_arithmetic_at_the_head_of_a_module_is_pythons(expression: str, open_: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "counter.py"
    path.write_text(ARITHMETIC.format(expression=expression))
    for n in range(1, 5):
        model = load(path).bind(constants={"n": n}, open=open_)
        value = eval(expression, {"n": n})
        assert model.namespace["TOP"] == value
        verdict = agree(model)
        assert verdict is not None
        assert verdict.outcome == "deadlock"


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("10 // (n - 2)", "the divisor may be 0"),
        ("10 % (n - 2)", "the divisor may be 0"),
        ("2 ** (n - 3)", "the exponent may be anything from -1 to -1"),
        ("2 ** (40 * n)", "the exponent may be anything from 80 to 80"),
        ("9 ** (20 * n)", "the result may be anything from 147808829414345923316083210206383297601 to "),
    ],
)
def test_arithmetic_that_has_no_value_is_refused(expression: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "counter.py"
    path.write_text(ARITHMETIC.format(expression=expression))
    with pytest.raises(ModelErrors) as raised:
        load(path).bind()
    assert message in str(raised.value)


def test_a_constant_that_divides_by_0_is_refused_where_no_type_names_it(tmp_path: Path) -> None:
    path = tmp_path / "counter.py"
    path.write_text(TEXT.format(line="STEP = 5 // (size - most)\nPOWER = 2 ** (size - 3)"))
    with pytest.raises(UsageError) as raised:
        load(path).bind()
    expected = "(5 // (size - most)) has no value with most=2, size=2: it divides by 0"
    assert str(raised.value) == expected
    with pytest.raises(UsageError) as raised:
        load(path).bind(constants={"most": 1})
    expected = "(2 ** (size - 3)) has no value with size=2: the exponent is -1, and has to be from 0 to 62"
    assert str(raised.value) == expected
