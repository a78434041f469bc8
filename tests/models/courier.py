"""Letters carried by a courier who may lose them: a small model with every type, and every way for a step to go
wrong."""

from enum import Enum
from typing import Annotated

from tidegate.language import (
    Bag,
    Capacity,
    Domain,
    Ghost,
    Map,
    Option,
    Range,
    Seq,
    Set,
    action,
    constant,
    initial,
    invariant,
    is_majority,
    limit,
    reachable,
    record,
    require,
    state,
    terminal,
    transition,
)

people = constant(2, minimum=1, maximum=4, says="who can get letters")
letters = constant(2, minimum=1, maximum=4, says="letters written in all")
losses = constant(1, minimum=0, maximum=4, says="letters that may be lost")


class Mistake(Enum):
    """What `err` does wrong."""

    NONE = "none"
    RANGE = "range"
    CAPACITY = "capacity"
    INDEX = "index"
    MISSING = "missing"
    DIVISION = "division"
    ASSERTION = "assertion"


mistake = constant(Mistake.NONE, says="what goes wrong")
profiles = {"careful": {"losses": 0}}


class Person(Domain, size=people, symmetric=True):
    """Someone who gets letters."""


class Office(Enum):
    """Whether letters are taken."""

    OPEN = "open"
    CLOSED = "closed"


Number = Annotated[int, Range(0, letters)]


@record
class Letter:
    """A letter, numbered in the order of writing."""

    to: Person
    number: Number


@state
class Town:
    """The office, the courier's bag and everyone's letters."""

    office: Office  # whether letters are taken
    written: Number  # letters written so far
    bag: Annotated[Bag[Letter], Capacity(2)]  # letters under way
    shelf: Map[Person, Annotated[Seq[Letter], Capacity(3)]]  # letters that have arrived
    awake: Set[Person]  # who can open the door
    last: Option[Person]  # who got a letter last
    arrived: Ghost[Set[Number]]  # every letter that ever arrived


@initial
def morning(everyone: bool) -> Town:
    """Either everyone is awake, or nobody is."""
    return Town(
        office=Office.OPEN,
        written=0,
        bag=Bag(),
        shelf=Map({p: Seq() for p in Person}),
        awake=Set(Person) if everyone else Set(),
        last=None,
        arrived=Set(),
    )


@action
def wake(s: Town, who: Set[Person]) -> None:
    """{who} wake up."""
    require(len(who) > 0)
    require(len(who & s.awake) == 0)
    s.awake = s.awake | who


@action(kind="client")
def write(s: Town, to: Person) -> None:
    """Letter {s.written} is written to {to}."""
    require(s.office == Office.OPEN and to in s.awake)
    limit(s.written < letters)
    limit(len(s.bag) < 2)
    s.bag.add(Letter(to=to, number=s.written))
    s.written += 1


@action
def deliver(s: Town, letter: Letter) -> None:
    """{letter.to} gets letter {letter.number}, {len(s.shelf[letter.to])} on the shelf already."""
    require(letter.to in s.awake)
    s.bag.remove(letter)
    s.shelf[letter.to].append(letter)
    s.last = letter.to
    s.arrived.add(letter.number)


@action(kind="fault", budget="losses")
def lose(s: Town, letter: Letter) -> None:
    """The courier loses letter {letter.number}."""
    s.bag.discard(letter)


@action
def close(s: Town) -> None:
    """The office closes."""
    require(s.office == Office.OPEN)
    require(s.written == letters and len(s.bag) == 0)
    s.office = Office.CLOSED


@action
def err(s: Town, person: Person) -> None:
    """{person} makes a mistake."""
    require(mistake != Mistake.NONE)
    require(s.written == 1)
    if mistake == Mistake.RANGE:
        s.written = letters + 1
    elif mistake == Mistake.CAPACITY:
        for _number in range(4):
            s.shelf[person].append(Letter(to=person, number=0))
    elif mistake == Mistake.INDEX:
        s.written = s.shelf[person][0].number
    elif mistake == Mistake.MISSING:
        s.shelf[s.last].truncate(0)  # pyright: ignore
    elif mistake == Mistake.DIVISION:
        s.written = 1 // (s.written - 1)
    elif mistake == Mistake.ASSERTION:
        assert s.written == 0


@terminal
def closed(s: Town) -> bool:
    """The office is closed: the day may end."""
    return s.office == Office.CLOSED


@invariant
def shelves_are_sorted(s: Town) -> bool:
    """Everyone gets letters in the order of writing."""
    return all(
        s.shelf[p][i].number < s.shelf[p][j].number
        for p in Person
        for i in range(len(s.shelf[p]))
        for j in range(i + 1, len(s.shelf[p]))
    )


@invariant
def arrived_is_written(s: Town) -> bool:
    """Only letters that were written arrive."""
    return all(n < s.written for n in s.arrived)


@transition
def nothing_is_unwritten(before: Town, after: Town) -> bool:
    """The number of letters written never falls."""
    return after.written >= before.written


@reachable
def most_have_letters(s: Town) -> bool:
    """More than half have got a letter."""
    return is_majority(Set({p for p in Person if len(s.shelf[p]) > 0}))
