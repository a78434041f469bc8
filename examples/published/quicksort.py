"""Quicksort, after `LoopInvariance/Quicksort.tla`: which part is next, which pivot and which order, is open.

4,548 states for all sequences of one to four values out of three.
"""

from typing import Annotated

from tidegate.language import Capacity, Range, Seq, Set, action, initial, invariant, require, state

LENGTH = 4
"""How many values there are at most."""

Value = Annotated[int, Range(1, 3)]
Index = Annotated[int, Range(0, LENGTH - 1)]
Part = Set[Index]
Row = Annotated[Seq[Value], Capacity(LENGTH)]


@state
class Program:
    """The variables of the program."""

    row: Row
    given: Row
    unsorted: Set[Part]
    done: bool


@initial
def start(row: Row) -> Program:
    """Any row but the empty one, all of it unsorted."""
    require(row != Seq())
    return Program(row=row, given=row, unsorted=Set([places_between(0, len(row))]), done=False)


def places_between(first: int, end: int) -> Part:
    """The places from one on, before another."""
    return Set({i for i in range(LENGTH) if first <= i < end})


def times(row: Row, value: Value) -> int:
    """How often a value occurs."""
    return sum(1 for held in row if held == value)


def is_permutation(row: Row, other: Row) -> bool:
    """Whether two rows have the same values, each as often."""
    return len(row) == len(other) and all(times(row, value) == times(other, value) for value in row)


def is_partition(before: Row, after: Row, part: Part, pivot: Index) -> bool:
    """Whether only the part was reordered, and those up to the pivot are no greater than those after it."""
    return (
        is_permutation(before, after)
        and all(i in part or after[i] == before[i] for i in range(len(before)))
        and all(any(after[i] == before[j] for j in part) for i in part)
        and all(i > pivot or j <= pivot or after[i] <= after[j] for i in part for j in part)
    )


@action
def take_one(s: Program, part: Part) -> None:
    """A part of one value is sorted."""
    require(part in s.unsorted and len(part) == 1)
    s.unsorted -= {part}


@action
def split(s: Program, part: Part, pivot: Index, row: Row) -> None:
    """The values of {part} are reordered around {pivot}."""
    require(part in s.unsorted and len(part) > 1)
    require(min(part) <= pivot and pivot < max(part))
    require(is_partition(s.row, row, part, pivot))
    s.row = row
    s.unsorted = s.unsorted - {part} | Set([part & places_between(0, pivot + 1), part - places_between(0, pivot + 1)])


@action
def finish(s: Program) -> None:
    """Nothing is unsorted, and the program is done; then nothing changes."""
    require(s.unsorted == Set())
    s.done = True


@invariant
def sorted_in_the_end(s: Program) -> bool:
    """In the end the row is sorted, and has the values that were given."""
    return not s.done or (
        is_permutation(s.row, s.given) and all(s.row[i] <= s.row[j] for j in range(len(s.row)) for i in range(j))
    )


@invariant
def parts_are_disjoint(s: Program) -> bool:
    """No value is in two unsorted parts."""
    return all(a == b or a & b == Set() for a in s.unsorted for b in s.unsorted)
