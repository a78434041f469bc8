"""Three missionaries and three cannibals cross a river in a boat for two.

On neither bank may cannibals outnumber missionaries, if there are any. `everyone_is_across` is the puzzle: its
witness is the shortest solution, 11 crossings. Who is who does not matter, and `--symmetry` folds that away. `view`
draws a state, as pages show it.
"""

from enum import Enum

from tidegate.language import Domain, Map, Set, action, initial, invariant, reachable, require, state


class Missionary(Domain, size=3, symmetric=True, labels=("M1", "M2", "M3")):
    """Does not eat people."""


class Cannibal(Domain, size=3, symmetric=True, labels=("C1", "C2", "C3")):
    """Eats missionaries, given a majority."""


class Bank(Enum):
    """A side of the river."""

    EAST = "east"
    WEST = "west"


@state
class River:
    """Who is where."""

    boat: Bank
    missionaries: Map[Bank, Set[Missionary]]
    cannibals: Map[Bank, Set[Cannibal]]


@initial
def all_east() -> River:
    """Everyone and the boat are in the east."""
    return River(
        boat=Bank.EAST,
        missionaries=Map({bank: Set(Missionary) if bank == Bank.EAST else Set() for bank in Bank}),
        cannibals=Map({bank: Set(Cannibal) if bank == Bank.EAST else Set() for bank in Bank}),
    )


def across(bank: Bank) -> Bank:
    """The other side."""
    return Bank.WEST if bank == Bank.EAST else Bank.EAST


def is_safe(missionaries: Set[Missionary], cannibals: Set[Cannibal]) -> bool:
    """Whether nobody is eaten in this company."""
    return len(missionaries) == 0 or len(cannibals) <= len(missionaries)


@action
def cross(s: River, missionaries: Set[Missionary], cannibals: Set[Cannibal]) -> None:
    """{len(missionaries)} of the missionaries and {len(cannibals)} of the cannibals cross to the {across(s.boat)}."""
    require(1 <= len(missionaries) + len(cannibals) <= 2)
    require(missionaries <= s.missionaries[s.boat])
    require(cannibals <= s.cannibals[s.boat])
    here = s.boat
    there = across(here)
    require(is_safe(s.missionaries[here] - missionaries, s.cannibals[here] - cannibals))
    require(is_safe(s.missionaries[there] | missionaries, s.cannibals[there] | cannibals))
    s.missionaries[here] = s.missionaries[here] - missionaries
    s.missionaries[there] = s.missionaries[there] | missionaries
    s.cannibals[here] = s.cannibals[here] - cannibals
    s.cannibals[there] = s.cannibals[there] | cannibals
    s.boat = there


@invariant
def nobody_is_eaten(s: River) -> bool:
    """Missionaries are never outnumbered."""
    return all(is_safe(s.missionaries[bank], s.cannibals[bank]) for bank in Bank)


@reachable
def everyone_is_across(s: River) -> bool:
    """Nobody is left in the east."""
    return len(s.missionaries[Bank.EAST]) + len(s.cannibals[Bank.EAST]) == 0


def view(s: River) -> str:
    """The river from above, with who is on each bank, and the boat."""
    east, west = (f"{len(s.missionaries[bank])}M {len(s.cannibals[bank])}C" for bank in (Bank.EAST, Bank.WEST))
    people = "".join(
        f'<g transform="translate({410 if bank == Bank.EAST else 60} 20)">{crowd(s, bank)}</g>' for bank in Bank
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 560 180" width="560" font-family="sans-serif">'
        f"<title>West: {west}; east: {east}; the boat is in the {s.boat.value}.</title>"
        '<rect width="560" height="180" fill="#cfe8c5"/>'
        '<rect x="180" width="200" height="180" fill="#9cc9ec"/>'
        f'<path transform="translate({310 if s.boat == Bank.EAST else 190} 80)" d="M0 0h60l-12 20h-36z"/>'
        f"{people}</svg>"
    )


def crowd(s: River, bank: Bank) -> str:
    """Who is on a bank: missionaries above, cannibals below, each as a disc with a name."""
    rows = [(s.missionaries[bank], 30, "#0072b2", "#fff"), (s.cannibals[bank], 100, "#d55e00", "#000")]
    return "".join(
        f'<circle cx="{at * 42}" cy="{y}" r="18" fill="{fill}"/>'
        f'<text x="{at * 42}" y="{y + 5}" text-anchor="middle" font-size="14" fill="{ink}">{person}</text>'
        for people, y, fill, ink in rows
        for at, person in enumerate(people)
    )
