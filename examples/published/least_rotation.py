"""Booth's algorithm for the least rotation of a string (1980), after
`LeastCircularSubstring/LeastCircularSubstring.tla`, one step a label of its PlusCal.

8,554 states for all strings of at most six characters out of two.
"""

from enum import Enum
from typing import Annotated

from tidegate.language import Capacity, Map, Option, Range, Seq, action, constant, initial, invariant, require, state

characters = constant(2, minimum=1, maximum=4, says="characters there are")

LENGTH = 6
"""How many characters a string has at most."""

Character = Annotated[int, Range(0, characters - 1)]
String = Annotated[Seq[Character], Capacity(LENGTH)]
Index = Annotated[int, Range(0, 2 * LENGTH)]


class Label(Enum):
    """Where the program stands."""

    L3 = "L3"
    L5 = "L5"
    L6 = "L6"
    L7 = "L7"
    L8 = "L8"
    L9 = "L9"
    L10 = "L10"
    L11 = "L11"
    L12 = "L12"
    L13 = "L13"
    L14 = "L14"
    LVR = "LVR"
    DONE = "Done"


@state
class Program:
    """The variables of the program."""

    b: String
    f: Map[Index, Option[Index]]
    i: Option[Index]
    j: Index
    k: Index
    pc: Label


@initial
def start(text: String) -> Program:
    """Any string."""
    return Program(b=text, f=Map({at: None for at in range(2 * LENGTH + 1)}), i=None, j=1, k=0, pc=Label.L3)


def here(s: Program) -> int:
    """The character that is looked at."""
    return s.b[s.j % len(s.b)]


def there(s: Program) -> int:
    """The one that it is compared with; nil counts as -1."""
    after = 0 if s.i is None else s.i + 1
    return s.b[(s.k + after) % len(s.b)]


@action
def l3(s: Program) -> None:
    """The outer loop goes on, or ends."""
    require(s.pc == Label.L3)
    s.pc = Label.L5 if s.j < 2 * len(s.b) else Label.DONE


@action
def l5(s: Program) -> None:
    """The failure function is read."""
    require(s.pc == Label.L5)
    s.i = s.f[s.j - s.k - 1]
    s.pc = Label.L6


@action
def l6(s: Program) -> None:
    """The inner loop goes on, or ends."""
    require(s.pc == Label.L6)
    s.pc = Label.L7 if here(s) != there(s) and s.i is not None else Label.L10


@action
def l7(s: Program) -> None:
    """Characters are compared."""
    require(s.pc == Label.L7)
    s.pc = Label.L8 if here(s) < there(s) else Label.L9


@action
def l8(s: Program) -> None:
    """A smaller rotation is found."""
    require(s.pc == Label.L8)
    assert s.i is not None
    s.k = s.j - s.i - 1
    s.pc = Label.L9


@action
def l9(s: Program) -> None:
    """The failure function is followed."""
    require(s.pc == Label.L9)
    assert s.i is not None
    s.i = s.f[s.i]
    s.pc = Label.L6


@action
def l10(s: Program) -> None:
    """Nothing is left to follow, or the characters agree."""
    require(s.pc == Label.L10)
    s.pc = Label.L11 if here(s) != there(s) and s.i is None else Label.L14


@action
def l11(s: Program) -> None:
    """Characters are compared."""
    require(s.pc == Label.L11)
    s.pc = Label.L12 if here(s) < there(s) else Label.L13


@action
def l12(s: Program) -> None:
    """A smaller rotation begins here."""
    require(s.pc == Label.L12)
    s.k = s.j
    s.pc = Label.L13


@action
def l13(s: Program) -> None:
    """The failure function is nil."""
    require(s.pc == Label.L13)
    s.f[s.j - s.k] = None
    s.pc = Label.LVR


@action
def l14(s: Program) -> None:
    """The failure function grows."""
    require(s.pc == Label.L14)
    s.f[s.j - s.k] = 0 if s.i is None else s.i + 1
    s.pc = Label.LVR


@action
def lvr(s: Program) -> None:
    """The next character."""
    require(s.pc == Label.LVR)
    s.j += 1
    s.pc = Label.L3


@action
def rest(s: Program) -> None:
    """The program is done, and nothing changes."""
    require(s.pc == Label.DONE)
    s.pc = Label.DONE


def is_before(b: String, one: int, other: int) -> bool:
    """Whether the rotation by one number is smaller than that by another, or the same and the number is not larger."""
    n = len(b)
    smaller = any(
        b[(at + one) % n] < b[(at + other) % n] and all(b[(x + one) % n] == b[(x + other) % n] for x in range(at))
        for at in range(n)
    )
    same = all(b[(at + one) % n] == b[(at + other) % n] for at in range(n))
    return smaller or (same and one <= other)


@invariant
def least(s: Program) -> bool:
    """In the end, no rotation is smaller."""
    return s.pc != Label.DONE or all(is_before(s.b, s.k, other) for other in range(len(s.b)))
