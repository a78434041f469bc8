"""What random models are made of: the text they begin with, and the types of their fields."""

from __future__ import annotations

from dataclasses import dataclass

HEADER = '''"""A random model."""

from enum import Enum
from typing import Annotated

from tidegate.language import (
    Bag, Capacity, Domain, Ghost, Map, Member, Option, Range, Seq, Set, action, bound, choose, constant, initial,
    invariant, is_majority, limit, position, previous, reachable, record, recursive, replace, require, state,
    subsets, terminal, transition,
)

nodes = constant(2, minimum=1, maximum=3, says="nodes")
top = constant({top}, minimum=1, maximum=3, says="the highest small number")
room = constant(2, minimum=1, maximum=3, says="room in containers")
faults = constant(1, minimum=0, maximum=2, says="faults")
quick = constant({quick}, says="a switch")


class Node(Domain, size=nodes, symmetric={symmetric}):
    """A name."""


class Pot(Domain, size=2, symmetric={symmetric}):
    """Another name."""


class Seat(Domain, size=nodes, ordered=True):
    """A place on a ring."""


class Color(Enum):
    """A color."""

    RED = 1
    GREEN = 2
    BLUE = 3


Small = Annotated[int, Range(0, top)]
Signed = Annotated[int, Range(-2, 1)]
Large = Annotated[int, Range(0, 2000)]


@record
class Flat:
    """A narrow record."""

    by: Node
    number: Small
    lit: bool


@record
class Nest:
    """A record with everything in it."""

    flat: Flat | None
    group: Set[Node]
    signed: Signed
    color: Color | None


@record
class Big:
    """A record wider than a word."""

    sizes: Map[Color, Large]
    flat: Flat
    queue: Annotated[Seq[Large], Capacity(3)]


@record
class Ping:
    """A record of a union; its fields are another record's in another order."""

    number: Small
    by: Node
    again: Seat


@record
class Quit:
    """A record without fields."""


Message = Flat | Ping | Quit
ROW = Seq([top, 0, room])
ODD = Set([top, 1])
EVEN = Set([0, 2])
LOW = Set([-2, room])
NEAR = Map({{Color.RED: Set([0, top]), Color.GREEN: Set(), Color.BLUE: Set([room])}})


'''


@dataclass(frozen=True, slots=True)
class Kind:
    """A type of the language: how it is written, what it is, and what it is of."""

    text: str
    form: str
    of: tuple[Kind, ...] = ()
    capacity: str = ""


SMALL, SIGNED, LARGE = Kind("Small", "int"), Kind("Signed", "int"), Kind("Large", "int")
BOOL, COLOR = Kind("bool", "bool"), Kind("Color", "enum")
NODE, POT, SEAT = Kind("Node", "domain"), Kind("Pot", "domain"), Kind("Seat", "domain")
SCALARS = (SMALL, SIGNED, BOOL, COLOR, NODE, POT, SEAT)


def option(of: Kind) -> Kind:
    """`of | None`."""
    return Kind(f"{of.text} | None", "option", (of,))


def map_(key: Kind, value: Kind) -> Kind:
    """`Map[key, value]`."""
    return Kind(f"Map[{key.text}, {value.text}]", "map", (key, value))


def seq(of: Kind, capacity: str) -> Kind:
    """A sequence with a capacity."""
    return Kind(f"Annotated[Seq[{of.text}], Capacity({capacity})]", "seq", (of,), capacity)


def set_(of: Kind) -> Kind:
    """A set of scalars."""
    return Kind(f"Set[{of.text}]", "set", (of,))


def pool(of: Kind, capacity: str, container: str) -> Kind:
    """A set or bag of records."""
    return Kind(
        f"Annotated[{container}[{of.text}], Capacity({capacity})]", container.lower() + " of records", (of,), capacity
    )


def tuple_(*of: Kind) -> Kind:
    """A tuple."""
    return Kind(f"tuple[{', '.join(kind.text for kind in of)}]", "tuple", of)


FLAT, NEST, BIG = Kind("Flat", "record"), Kind("Nest", "record"), Kind("Big", "record")
PING, QUIT, MESSAGE = Kind("Ping", "record"), Kind("Quit", "record"), Kind("Message", "union")
VARIANTS = (FLAT, PING, QUIT)
PAIR = tuple_(NODE, SMALL)
DEEP = tuple_(option(COLOR), tuple_(SIGNED, BOOL), set_(NODE))
PARTS: dict[str, dict[str, Kind]] = {
    "Flat": {"by": NODE, "number": SMALL, "lit": BOOL},
    "Nest": {"flat": option(FLAT), "group": set_(NODE), "signed": SIGNED, "color": option(COLOR)},
    "Ping": {"number": SMALL, "by": NODE, "again": SEAT},
    "Quit": {},
    "Big": {"sizes": map_(COLOR, LARGE), "flat": FLAT, "queue": seq(LARGE, "3")},
}
PLAIN = (
    *SCALARS, option(NODE), option(SMALL), option(COLOR), option(SEAT), option(FLAT), option(BIG), FLAT, NEST, BIG,
    seq(SMALL, "room"), seq(FLAT, "2"), seq(BIG, "2"), seq(seq(SIGNED, "2"), "2"), seq(map_(SIGNED, LARGE), "2"),
    set_(NODE), set_(COLOR), set_(SMALL), set_(SIGNED), set_(SEAT), seq(SEAT, "2"),
    PAIR, DEEP, option(PAIR), seq(PAIR, "2"), seq(DEEP, "2"), MESSAGE, option(MESSAGE), seq(MESSAGE, "2"),
)  # fmt: skip
FAMILIES = (
    Kind("Set[Set[Node]]", "set of records", (set_(NODE),), "3"),
    Kind("Set[Set[Color]]", "set of records", (set_(COLOR),), "4"),
    Kind("Annotated[Set[Set[Seat]], Capacity(2)]", "set of records", (set_(SEAT),), "2"),
    Kind("Set[tuple[Node, bool]]", "set of records", (tuple_(NODE, BOOL),), "4"),
)
"""Sets of sets and of tuples; room for a few is used."""
LISTED = (
    option(NODE), option(SMALL), map_(NODE, BOOL), map_(BOOL, option(POT)), map_(NODE, SMALL), option(set_(POT)),
    seq(SMALL, "2"), seq(NODE, "room"), option(seq(COLOR, "1")), seq(MESSAGE, "1"), FAMILIES[0], FAMILIES[3],
)  # fmt: skip
"""Types of parameters, besides scalars and sets: each of their values is tried."""
FREE = (PAIR, MESSAGE, PING)
"""Records that are choices where the state holds no messages of them."""
KEYS = (NODE, POT, SEAT, COLOR, BOOL, SIGNED, SMALL)
POOLS = (
    pool(FLAT, "room", "Set"),
    pool(BIG, "2", "Set"),
    pool(NEST, "2", "Bag"),
    pool(FLAT, "3", "Bag"),
    pool(BIG, "2", "Bag"),
    pool(MESSAGE, "room", "Set"),
    pool(MESSAGE, "2", "Bag"),
    pool(PAIR, "2", "Set"),
)
LITERALS = {"Small": ("0", "1", "top"), "Signed": ("-2", "-1", "0", "1"), "Large": ("0", "7", "1999", "2000")}
WRAPPED = {"Small": "({}) % (top + 1)", "Signed": "({}) % 4 - 2", "Large": "({}) % 2001"}
MEMBERS = {"Node": "Node(0)", "Pot": "Pot(0)", "Seat": "Seat(0)"}
