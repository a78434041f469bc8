"""Conway's game of life on a square, after `GameOfLife/GameOfLife.tla`.

65,536 states with a square of four by four, each of them initial.
"""

from typing import Annotated

from tidegate.language import Map, Range, action, constant, initial, reachable, state

side = constant(4, minimum=1, maximum=4, says="cells on a side of the square")

Cell = Annotated[int, Range(0, side * side - 1)]


@state
class Square:
    """The cells, row by row."""

    lives: Map[Cell, bool]


@initial
def start(lives: Map[Cell, bool]) -> Square:
    """Anything."""
    return Square(lives=lives)


def is_beside(a: Cell, b: Cell) -> bool:
    """Whether two cells touch."""
    rows, columns = a // side - b // side, a % side - b % side
    return a != b and -1 <= rows <= 1 and -1 <= columns <= 1


def neighbours(s: Square, cell: Cell) -> int:
    """How many cells that touch a cell are alive."""
    return sum(1 for other in range(side * side) if is_beside(cell, other) and s.lives[other])


@action
def live(s: Square) -> None:
    """A generation passes."""
    s.lives = Map({
        cell: neighbours(s, cell) == 3 or (s.lives[cell] and neighbours(s, cell) == 2) for cell in range(side * side)
    })  # fmt: skip


@reachable
def all_are_dead(s: Square) -> bool:
    """Life may end."""
    return not any(s.lives[cell] for cell in range(side * side))
