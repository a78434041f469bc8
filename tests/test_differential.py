"""The native engine against plain Python: on models that broke it once, on the shipped models, and on random ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer.native.search import check as native
from tidegate.explorer.search import Search

from .engines import agree, bound, text_of

NODE = "class Node(Domain, size=2):\n    '''A node.'''\n"

# --- models that broke the native engine once, each by its reason ------------------------------------------------------

FOUND: dict[str, tuple[str, str, str, str]] = {
    "a loop over a sequence that its body cuts": (
        NODE,
        "queue: Annotated[Seq[Small], Capacity(3)]\ntotal: Small",
        "queue=Seq([1, 0, 2])\ntotal=0",
        """
        @action
        def drain(s: World) -> None:
            '''Drains.'''
            require(len(s.queue) > 0)
            total = 0
            for each in s.queue:
                s.queue = s.queue[1:]
                total += each
            s.total = total
        """,
    ),
    "a loop over messages that its body takes away": (
        "@record\nclass Note:\n    '''A message.'''\n\n    to: Small\n    by: Signed\n",
        "notes: Annotated[Set[Note], Capacity(3)]\ntotal: Annotated[int, Range(0, 9)]",
        "notes=Set()\ntotal=0",
        """
        @action
        def send(s: World, to: Small, by: Signed) -> None:
            '''Sends.'''
            limit(len(s.notes) < 3)
            s.notes.add(Note(to, by))

        @action
        def receive_all(s: World) -> None:
            '''Receives all.'''
            require(len(s.notes) > 1)
            total = 0
            for note in s.notes:
                s.notes.remove(note)
                total += note.to
            s.total = total
        """,
    ),
    "a record kept in a name while its parts are written": (
        "@record\nclass Pair:\n    '''Two.'''\n\n    one: Small\n    other: Annotated[Seq[Small], Capacity(2)]\n",
        "pair: Pair\nqueue: Annotated[Seq[Small], Capacity(2)]\nlast: Pair",
        "pair=Pair(0, Seq())\nqueue=Seq()\nlast=Pair(0, Seq())",
        """
        @action
        def push(s: World, number: Small) -> None:
            '''Pushes.'''
            limit(len(s.queue) < 2)
            kept = Pair(number, s.queue)
            s.queue.append(number)
            s.last = s.pair
            s.pair = kept
        """,
    ),
    "two wide fields of a record that change places": (
        """
        @record
        class Deep:
            '''Two wide parts.'''

            one: Map[Annotated[int, Range(0, 19)], Small]
            other: Map[Annotated[int, Range(0, 19)], Small]
        """,
        "deep: Deep",
        "deep=Deep(Map({i: 0 for i in range(20)}), Map({i: 1 for i in range(20)}))",
        """
        @action
        def change(s: World) -> None:
            '''Changes places.'''
            s.deep = Deep(s.deep.other, s.deep.one)
        """,
    ),
    "a sequence moved up within itself": (
        "@record\nclass Entry:\n    '''Wide.'''\n\n    digits: Map[Annotated[int, Range(0, 22)], Small]\n",
        "queue: Annotated[Seq[Entry], Capacity(3)]",
        "queue=Seq()",
        """
        @action
        def push(s: World, number: Small) -> None:
            '''Puts one in front.'''
            limit(len(s.queue) < 3)
            s.queue = Seq([Entry(Map({i: number for i in range(23)}))]) + s.queue

        @action
        def drop(s: World) -> None:
            '''Drops the last.'''
            require(len(s.queue) > 1)
            s.queue.truncate(len(s.queue) - 1)
        """,
    ),
    "a sequence of wide maps that is cut": (
        NODE,
        "queue: Annotated[Seq[Map[Annotated[int, Range(0, 22)], Annotated[int, Range(0, 9)]]], Capacity(2)]",
        "queue=Seq()",
        """
        @action
        def push(s: World, number: Small) -> None:
            '''Pushes.'''
            limit(len(s.queue) < 2)
            s.queue.append(Map({i: number if i > 20 else 0 for i in range(23)}))

        @action
        def drop(s: World) -> None:
            '''Drops.'''
            require(len(s.queue) > 0)
            s.queue.truncate(0)
        """,
    ),
    "a name bound before the guards and again after them": (
        NODE,
        "table: Map[Node, Small]\ncount: Small",
        "table=Map({n: 0 for n in Node})\ncount=0",
        """
        @action
        def step(s: World, one: Node, other: Node) -> None:
            '''Steps.'''
            number = s.count
            require(number < 2)
            s.table[one] = number
            number = number + 1
            s.table[other] = number
            s.count = number
        """,
    ),
    "a parameter bound again on one way only": (
        NODE,
        "table: Map[Node, Small]\ncount: Small",
        "table=Map({n: 0 for n in Node})\ncount=0",
        """
        def capped(number: int, top: int) -> int:
            '''At most `top`.'''
            if number > top:
                number = top
            return number

        @action
        def step(s: World, node: Node, number: Small) -> None:
            '''Steps.'''
            if s.table[node] > 1:
                number = 0
            s.table[node] = number
            s.count = capped(number + s.count, 3)
        """,
    ),
    "a comprehension of many rounds with a small body": (
        NODE,
        "numbers: Set[Annotated[int, Range(0, 39)]]",
        "numbers=Set([7])",
        """
        @action
        def more(s: World, number: Annotated[int, Range(30, 33)]) -> None:
            '''Adds.'''
            s.numbers.add(number)

        @invariant
        def low(s: World) -> bool:
            '''All are low.'''
            return all(number < 32 for number in s.numbers)

        @invariant
        def known(s: World) -> bool:
            '''One is known.'''
            return any(number == 7 for number in s.numbers)

        @invariant
        def gone(s: World) -> bool:
            '''Someone is missing.'''
            return not all(i in s.numbers for i in range(30, 34)) and any(i in s.numbers for i in range(40))
        """,
    ),
    "a loop as long as a number that a loop adds up": (
        NODE,
        "queue: Annotated[Seq[Small], Capacity(2)]\nseen: Annotated[int, Range(0, 9)]",
        "queue=Seq()\nseen=0",
        """
        @action
        def push(s: World, number: Small) -> None:
            '''Pushes.'''
            limit(len(s.queue) < 2)
            s.queue.append(number)
            total = 0
            for each in s.queue:
                total += each
            rounds = 0
            for i in range(total):
                rounds += 1
            s.seen = rounds
        """,
    ),
    "a guard that cannot be evaluated when there is no message": (
        "@record\nclass Note:\n    '''A message.'''\n\n    to: Small\n",
        "notes: Annotated[Set[Note], Capacity(1)]\nqueue: Annotated[Seq[Small], Capacity(2)]",
        "notes=Set()\nqueue=Seq()",
        """
        @action
        def send(s: World, to: Small) -> None:
            '''Sends.'''
            limit(len(s.notes) < 1 and len(s.queue) < 2)
            s.notes.add(Note(to))
            s.queue.append(to)

        @action
        def receive(s: World, note: Note) -> None:
            '''Receives.'''
            require(s.queue[0] <= 2)
            require(note.to < 3)
            s.notes.remove(note)
        """,
    ),
    "a limit of a message that is not there": (
        "@record\nclass Note:\n    '''A message.'''\n\n    to: Small\n",
        "notes: Annotated[Set[Note], Capacity(1)]\ncount: Small",
        "notes=Set()\ncount=0",
        """
        @action
        def send(s: World, to: Small) -> None:
            '''Sends.'''
            require(s.count == 0)
            s.notes.add(Note(to))
            s.count += 1

        @action
        def receive(s: World, note: Note) -> None:
            '''Receives.'''
            limit(s.count < 2)
            s.notes.remove(note)
            s.count += 1
        """,
    ),
    "a witness that is met only where an invariant fails": (
        NODE,
        "count: Small",
        "count=0",
        """
        @action
        def step(s: World) -> None:
            '''Steps.'''
            require(s.count < 3)
            s.count += 1

        @terminal
        def done(s: World) -> bool:
            '''Done.'''
            return s.count == 3

        @invariant
        def low(s: World) -> bool:
            '''Low.'''
            return s.count != 2

        @reachable
        def two(s: World) -> bool:
            '''Two.'''
            return s.count == 2
        """,
    ),
    "a transition property that cannot be evaluated": (
        NODE,
        "queue: Annotated[Seq[Small], Capacity(2)]",
        "queue=Seq()",
        """
        @action
        def push(s: World, number: Small) -> None:
            '''Pushes.'''
            limit(len(s.queue) < 2)
            s.queue.append(number)

        @transition
        def same(before: World, after: World) -> bool:
            '''Same.'''
            return before.queue[0] == after.queue[0]
        """,
    ),
    "a property that fails just before a step breaks": (
        NODE,
        "count: Small\nlit: bool",
        "count=0\nlit=False",
        """
        @action
        def light(s: World) -> None:
            '''Lights.'''
            require(not s.lit and s.count == 2)
            s.lit = True

        @action
        def step(s: World) -> None:
            '''Steps.'''
            s.count += 1

        @invariant
        def dark(s: World) -> bool:
            '''Dark.'''
            return not s.lit

        @transition
        def dim(before: World, after: World) -> bool:
            '''Dim.'''
            return before.lit or not after.lit
        """,
    ),
}


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_once(name: str, tmp_path: Path) -> None:
    before, fields, start, body = FOUND[name]
    model = bound(tmp_path, text_of(fields, start, body, before=before))
    agree(model, seconds=20)
    told = native(model, Search(recheck=10_000))
    assert told.distinct_states > 0
