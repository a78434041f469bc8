"""A can of black and white beans (Gries, 1981, after Scholten), after `CoffeeCan/CoffeeCan.tla`: two beans are taken
out, and a black one or the white one goes back. The colour of the last bean is known from the first.

5,150 states with at most 100 beans, each of them initial.
"""

from typing import Annotated

from tidegate.language import Range, action, constant, initial, invariant, require, state, transition

beans = constant(100, minimum=1, maximum=1000, says="beans in a can, at most")

Number = Annotated[int, Range(0, beans)]


@state
class Can:
    """How many beans of each colour there are."""

    black: Number
    white: Number


@initial
def start(black: Number, white: Number) -> Can:
    """Some beans."""
    require(1 <= black + white <= beans)
    return Can(black=black, white=white)


@action
def pick_two_white(s: Can) -> None:
    """Two white beans are taken out and a black one is put in."""
    require(s.white >= 2)
    s.black += 1
    s.white -= 2


@action
def pick_two_black(s: Can) -> None:
    """Two black beans are taken out and one of them goes back."""
    require(s.black >= 2)
    s.black -= 1


@action
def pick_one_of_each(s: Can) -> None:
    """One bean of each colour is taken out, and the white one goes back."""
    require(s.black >= 1 and s.white >= 1)
    s.black -= 1


@action
def rest(s: Can) -> None:
    """One bean is left, and nothing changes."""
    require(s.black + s.white == 1)
    s.black = s.black


@transition
def fewer(before: Can, after: Can) -> bool:
    """A step takes a bean away, unless there is only one."""
    left = after.black + after.white
    return left < before.black + before.white or left == 1


@transition
def parity(before: Can, after: Can) -> bool:
    """Whether the number of white beans is even never changes."""
    return before.white % 2 == after.white % 2


@invariant
def never_empty(s: Can) -> bool:
    """A bean is left."""
    return s.black + s.white >= 1
