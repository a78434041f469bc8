"""A graph of states and steps as the search for liveness sees it: every engine gives one."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Literal, Protocol, TypeAlias

from ...language.immutable import immutable

PossibilityWord = Literal["always", "stuck", "cut"]
"""Whether a predicate can always become true: from every state; not from some state, whatever larger bounds allow; or
from every state from which no limit stops a step on the way."""

Heed: TypeAlias = Callable[[], None]
"""What a search for liveness calls now and then: it raises Incomplete where the search is to end."""


class IncompleteGraphError(Exception):
    """The properties of whole runs could not be checked; the message says why."""


def heed_nothing() -> None:
    """Where nothing but Ctrl-C ends the search."""


@immutable
class FairnessEdge:
    """A step of the graph that changes the state: where it leads, and the groups that it belongs to, a bit each; none
    where it changes only ghosts."""

    target: int
    groups: int


@immutable
class FairRunQuestion:
    """What to look for: a run that stays for ever within some states and is fair. `region` says which states: those
    where a predicate is false (`avoid`; None: all), of these only what is reached, without leaving them, from those
    where `reached_from` is true (None: from anywhere), with `initial_only` from the initial ones of them. `again` is a
    predicate that must be false again and again (None: none). `weak` and `strong` have a bit for each group."""

    avoid: int | None
    reached_from: int | None
    again: int | None
    weak: int
    strong: int
    initial_only: bool = False


@immutable
class Component:
    """States among which a fair run can go on for ever: where it begins to avoid what it avoids, the states from there
    to the component, and whether a state lies in the component."""

    entry: tuple[int, ...]
    states: frozenset[int]


class Graph(Protocol):
    """States by their numbers, in the order in which a breadth-first search met them."""

    @property
    def size(self) -> int:
        """How many states there are."""
        ...

    @property
    def is_exact(self) -> bool:
        """Whether it is known of each action in which states a limit stops it; else, of some, only that it may."""
        ...

    def edges(self, state: int) -> Iterable[FairnessEdge]:
        """The steps from a state that change it, one for each way."""
        ...

    def enabled_groups(self, state: int) -> int:
        """The groups that can happen in a state, a bit each; once hardened, and until softened, those too that a limit
        stops."""
        ...

    def is_false(self, state: int, predicate: int) -> bool:
        """Whether a predicate is false in a state."""
        ...

    def possibility_of(self, predicate: int) -> tuple[PossibilityWord, int]:
        """Whether a predicate can always become true, and the first state that shows the answer."""
        ...

    def fair_component(self, fairness: FairRunQuestion) -> Component | None:
        """States among which a run goes on for ever as it is looked for; None where there are none."""
        ...

    def is_ever(self, predicate: int, initials_only: bool = False) -> bool:
        """Whether a predicate is true in some state, or with `initials_only` in some initial one."""
        ...

    def first_stopped_state(self, actions: Collection[str]) -> int | None:
        """The first state in which a limit stops a step of some of these actions; None where none does."""
        ...

    def count_stopped_as_possible(self) -> None:
        """From now on a step that a limit stops counts as one that can happen: larger bounds would let it."""
        ...

    def count_stopped_as_impossible(self) -> None:
        """From now on a step that a limit stops counts as one that cannot happen, as at first."""
        ...
