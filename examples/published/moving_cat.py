"""A cat that moves to a box beside hers every night, and who looks into a box every morning, to and fro, after
`Moving_Cat_Puzzle/Cat.tla`. That she is found at last is a property of liveness, which is not stated here.

30 states with five boxes and 48 with six, each of them initial.
"""

from enum import Enum
from typing import Annotated

from tidegate.language import Range, action, constant, initial, reachable, require, state, transition

boxes = constant(5, minimum=3, maximum=12, says="boxes in a row")

Box = Annotated[int, Range(1, boxes)]
Seen = Annotated[int, Range(2, boxes - 1)]


class Side(Enum):
    """Where one looks next."""

    LEFT = "left"
    RIGHT = "right"


@state
class Night:
    """Where the cat is, and which box is looked into."""

    cat: Box
    seen: Seen
    towards: Side


@initial
def start(cat: Box, seen: Seen, towards: Side) -> Night:
    """Anything."""
    return Night(cat=cat, seen=seen, towards=towards)


@action
def pass_a_night(s: Night, cat: Box) -> None:
    """The cat goes to box {cat}, and the next box is looked into."""
    require(cat == s.cat + 1 or cat == s.cat - 1)
    following = s.seen + 1 if s.towards == Side.RIGHT else s.seen - 1
    s.cat = cat
    if 2 <= following <= boxes - 1:
        s.seen = following
    else:
        s.towards = Side.LEFT if s.towards == Side.RIGHT else Side.RIGHT


@transition
def one_box_at_a_time(before: Night, after: Night) -> bool:
    """Who looks stays or turns, or goes on by one box."""
    turned = before.towards != after.towards
    return turned == (before.seen == after.seen)


@reachable
def found(s: Night) -> bool:
    """She can be found."""
    return s.seen == s.cat
