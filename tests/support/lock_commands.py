"""What the tests of commands share: the lock of the examples, and a counter of its own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

LOCK = "examples/lock.py"


COUNTER = '''
"""A counter."""
from tidegate.language import *
from typing import Annotated
most = constant(3, minimum=1, maximum=9, says="how far it counts")
Number = Annotated[int, Range(0, most)]
@state
class Counter:
    """A number."""
    value: Number  # the number
@initial
def zero() -> Counter:
    return Counter(value=0)
@action
def count(s: Counter) -> None:
    """It counts on from {s.value}."""
    GUARD
    s.value = s.value + 1
'''


def counter_in(tmp_path: Path) -> Any:
    """Writes a counter model with the given guard and further text, and gives its path."""

    def write(guard: str, more: str = "") -> str:
        path = tmp_path / "counter.py"
        path.write_text(COUNTER.replace("GUARD", guard) + more)
        return str(path)

    return write
