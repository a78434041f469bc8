"""What the tests of the native engine share: small models, and their kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from .engines import bind_text, text_of

NODE = "size = constant(2, minimum=1, maximum=3, says='nodes')\n\n\nclass Node(Domain, size=size):\n    '''A node.'''\n"


FIELDS = "table: Map[Node, Small]\ncount: Annotated[int, Range(0, 20)]"


START = "table=Map({n: 0 for n in Node})\ncount=0"


COUNTING = """
@action
def rise(s: World, node: Node) -> None:
    '''Rises.'''
    require(s.table[node] < 3)
    s.table[node] = s.table[node] + 1

@action
def count(s: World) -> None:
    '''Counts.'''
    limit(s.count < 20)
    s.count = s.count + 2 - 1
"""


LARGE = """
@action
def turn(s: World, at: Annotated[int, Range(0, 19)]) -> None:
    '''Turns one over.'''
    s.lit[at] = not s.lit[at]
"""


def counting(folder: Path, extra: str = "", **options: Any) -> Any:
    """A small model that counts."""
    return bind_text(folder, text_of(FIELDS, START, COUNTING + extra, before=NODE), **options)


def large(folder: Path, extra: str = "") -> Any:
    """A model of about a million states."""
    return bind_text(
        folder,
        text_of(
            "lit: Map[Annotated[int, Range(0, 19)], bool]", "lit=Map({i: False for i in range(20)})", LARGE + extra
        ),
    )


def kernels(folder: Path) -> set[str]:
    """The names of the kernels in a cache."""
    return {path.name for path in folder.glob("*.o")}
