"""The native engine against plain Python, on models that broke it once and on the shipped models."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

import pytest
from tidegate.explorer.native.effort import FULL_EFFORT, QUICK_EFFORT
from tidegate.explorer.native.kernels import kernel_of
from tidegate.explorer.native.search import explore
from tidegate.explorer.search import Search
from tidegate.explorer.symmetry import Symmetry
from tidegate.invariants.catalogue import CATALOGUE
from tidegate.language.binding import Definition, load

from ..conftest import ROOT
from ..support.engines import agree, agree_on, bind_text, compile_model, reachable_states, summary, text_of
from ..support.shipped import tier_parameters

DEEP = bool(os.environ.get("TIDEGATE_DEEP"))
NODE = "class Node(Domain, size=2):\n    '''A node.'''\n"
NOTE = NODE + "\n\n@record\nclass Note:\n    '''A note.'''\n\n    number: Small\n"
NOTED = NOTE + "\n\ndef noted(number: int) -> Note:\n    '''Notes.'''\n    return Note(number=number)\n"

# --- models that broke the native engine once, each by its reason -----------------------------------------------------

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
            for queued in s.queue:
                s.queue = s.queue[1:]
                total += queued
            s.total = total
        """,
    ),
    "a loop over messages that its body takes away": (
        "@record\nclass Note:\n    '''A message.'''\n\n    to: Small\n    by: Signed\n",
        "notes: Annotated[Set[Note], Capacity(3)]\ntotal: Annotated[int, Range(0, 9)]",
        "notes=Set()\ntotal=0",
        """
        @action
        def send(s: World, to: Small) -> None:
            '''Sends.'''
            limit(len(s.notes) < 3)
            s.notes.add(Note(to, 1 - to))

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
            for queued in s.queue:
                total += queued
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
    "an invariant that cannot be evaluated once it has failed": (
        NODE,
        "count: Small",
        "count=0",
        """
        @action
        def step(s: World) -> None:
            '''Steps.'''
            s.count = (s.count + 1) % 4

        @invariant
        def odd(s: World) -> bool:
            '''Fails at 1, breaks at 2.'''
            return s.count != 1 and 3 // (s.count - 2) != 7
        """,
    ),
    "a witness that cannot be evaluated where an invariant fails": (
        NODE,
        "count: Small",
        "count=0",
        """
        @action
        def step(s: World) -> None:
            '''Steps.'''
            s.count = (s.count + 1) % 4

        @invariant
        def low(s: World) -> bool:
            '''Fails at 2.'''
            return s.count < 2

        @reachable
        def far(s: World) -> bool:
            '''Breaks at 2.'''
            return 3 // (s.count - 2) == 3
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
    "a record that is made on the way with a number too large for it": (
        NODE + "\n\n@record\nclass Note:\n    '''A note.'''\n\n    number: Small\n    kept: Option[Small]\n",
        "note: Note\nnumber: Signed\nqueue: Annotated[Seq[Note], Capacity(1)]",
        "note=Note(number=0, kept=None)\nnumber=0\nqueue=Seq()",
        """
        @action
        def move(s: World, number: Signed) -> None:
            '''Moves.'''
            s.number = number

        @action
        def note(s: World) -> None:
            '''Notes.'''
            require(s.number >= 0)
            made = s.note
            for _step in range(2):
                made = replace(made, number=made.number + s.number)
            s.note = made
        """,
    ),
    "a sum with a field that is too large for its record": (
        NOTE,
        "number: Annotated[int, Range(0, 5)]\nat: Map[Small, bool]",
        "number=0\nat=Map({n: False for n in Small})",
        """
        @action
        def up(s: World) -> None:
            '''Goes up.'''
            s.number = Note(number=s.number).number + 1
        """,
    ),
    "a key from a field that is too large for its record": (
        NOTED,
        "number: Annotated[int, Range(0, 5)]\nlit: bool\nat: Map[Small, bool]",
        "number=0\nlit=False\nat=Map({n: False for n in Small})",
        """
        @action
        def up(s: World) -> None:
            '''Goes up.'''
            limit(s.number < 5)
            s.number += 1

        @action
        def look(s: World) -> None:
            '''Looks.'''
            s.lit = s.at[noted(s.number).number]
        """,
    ),
    "a written key from a field that is too large for its record": (
        NOTED,
        "number: Annotated[int, Range(0, 5)]\nat: Map[Small, bool]",
        "number=0\nat=Map({n: False for n in Small})",
        """
        @action
        def up(s: World) -> None:
            '''Goes up.'''
            limit(s.number < 5)
            s.number += 1

        @action
        def light(s: World) -> None:
            '''Lights.'''
            s.at[noted(s.number).number] = True
        """,
    ),
    "an option beside a number whose range begins lower": (
        NODE,
        "kept: Option[Small]\nnumber: Signed\npast: bool",
        "kept=None\nnumber=0\npast=False",
        """
        @action
        def keep(s: World, kept: Option[Small], number: Signed) -> None:
            '''Keeps.'''
            s.kept = kept
            s.number = number

        @action
        def see(s: World) -> None:
            '''Sees.'''
            require(s.number == s.kept or value_of(s.kept) == 3)
            s.past = True

        @invariant
        def apart(s: World) -> bool:
            '''They are never both 2.'''
            return not (s.number == 2 and s.number == s.kept)

        @invariant
        def never_three(s: World) -> bool:
            '''The number that is kept is never 3.'''
            return value_of(s.kept) != 3 and s.number not in (s.kept, 2)

        def value_of(kept: Option[Small]) -> int:
            '''What is kept, or -1.'''
            return -1 if kept is None else kept
        """,
    ),
    "an option of a tuple beside a tuple whose range begins lower": (
        NODE,
        "kept: Option[tuple[Small, bool]]\nnumber: Signed\npast: bool",
        "kept=None\nnumber=0\npast=False",
        """
        @action
        def keep(s: World, small: Small, number: Signed) -> None:
            '''Keeps.'''
            s.kept = (small, s.past)
            s.number = number

        @invariant
        def apart(s: World) -> bool:
            '''They are never the same.'''
            return (s.number, s.past) != s.kept
        """,
    ),
}


@pytest.mark.parametrize("name", tier_parameters(FOUND, set(list(FOUND)[::3]).__contains__))
def test_what_was_found_once(name: str, tmp_path: Path) -> None:
    before, fields, start, body = FOUND[name]
    model = bind_text(tmp_path, text_of(fields, start, body, before=before))
    agree(model, states=20_000)
    for keep_going in (False, True):
        search = Search(recheck=10_000, keep_going=keep_going)
        reported = explore(model, search, kernel_of(model, (), None, effort=FULL_EFFORT), Symmetry((), ()))
        assert (reported.distinct_states or 0) > 0


# --- open constants ---------------------------------------------------------------------------------------------------

OPEN_BEFORE = """
nodes = constant(2, minimum=1, maximum=3, says="nodes")
low = constant(-1, minimum=-2, maximum=0, says="the lowest")
top = constant(2, minimum=1, maximum=4, says="the highest")
Number = Annotated[int, Range(low, top)]


class Node(Domain, size=nodes):
    '''A node.'''
"""

OPEN_BODY = """
@action
def put(s: World, node: Node, number: Number) -> None:
    '''A parameter with open bounds.'''
    s.table[node] = number
    s.mark[number] = True

@action
def keep(s: World, numbers: Set[Number]) -> None:
    '''A set with open bounds.'''
    require(len(numbers) < 3)
    s.kept = numbers

@action
def divide(s: World) -> None:
    '''Members that do not exist divide nothing.'''
    require(all(s.table[n] > 0 for n in Node))
    s.table = Map({n: min(top, 2 // s.table[n]) for n in Node})
"""

OPEN_FIELDS = "table: Map[Node, Number]\nmark: Map[Number, bool]\nkept: Set[Number]"
OPEN_START = "table=Map({n: 0 for n in Node})\nmark=Map({i: False for i in range(low, top + 1)})\nkept=Set()"
BREAKS = {
    "a member beyond the open bound": "s.kept.add(top + 1)",
    "a key beyond the open bound": "s.mark[top + 1] = True",
    "a key below the open bound": "s.mark[low - 1] = True",
    "a number beyond the open bound": "s.table[node] = top + 1",
}
VALUES = [{"nodes": 1, "low": 0, "top": 1}, {"nodes": 2, "low": -1, "top": 1}, {"nodes": 2, "low": -2, "top": 0 + 1}]


@pytest.mark.parametrize("values", VALUES, ids=str)
def test_open_bounds_are_those_of_the_run(values: dict[str, int], tmp_path: Path) -> None:
    text = text_of(OPEN_FIELDS, OPEN_START, OPEN_BODY, before=OPEN_BEFORE)
    folded = agree(bind_text(tmp_path, text, constants=values))
    opened = agree(bind_text(tmp_path, text, constants=values, open={"nodes", "low", "top"}))
    assert folded is not None
    assert opened is not None
    assert summary(folded) == summary(opened)


@pytest.mark.parametrize("name", BREAKS)
def test_open_bounds_are_checked(name: str, tmp_path: Path) -> None:
    body = f"\n@action\ndef err(s: World, node: Node) -> None:\n    '''Errs.'''\n    {BREAKS[name]}\n"
    model = bind_text(tmp_path, text_of(OPEN_FIELDS, OPEN_START, body, before=OPEN_BEFORE), open={"low", "top"})
    verdict = agree(model)
    assert verdict is not None
    assert verdict.outcome == "model_error"


# --- shipped models ---------------------------------------------------------------------------------------------------

SHIPPED = [*sorted((ROOT / "examples").glob("[!r]*.py")), ROOT / "tests/fixtures/models/every_construct.py"]
PROTOCOLS = ("replication", "async_isr")


@pytest.mark.parametrize(
    "path",
    tier_parameters(SHIPPED, lambda path: path.stem not in ("every_construct", "coordinator"), lambda path: path.stem),
)  # test_every_construct looks at that one
def test_examples_state_by_state(path: Path) -> None:
    state_by_state(load(path))


@pytest.mark.parametrize("name", tier_parameters(PROTOCOLS, lambda name: name == "async_isr"))
def test_protocols_state_by_state(name: str) -> None:
    room = CATALOGUE[name].room
    properties = importlib.import_module(f"tidegate.invariants.{room}")
    state_by_state(load(importlib.import_module(f"tidegate.model.{room}"), properties=(properties,)))


def state_by_state(definition: Definition) -> None:
    """Both engines on random reachable states of a definition's profiles."""
    for profile in [None, *definition.profiles][: None if DEEP else 3]:
        model = definition.bind(profile=profile)
        for symmetry in (False, True):
            for effort in (QUICK_EFFORT, FULL_EFFORT):
                native_ = compile_model(model, symmetry=symmetry, effort=effort)
                agree_on(native_, reachable_states(model, 60 if DEEP else 12, 1))
                native_.frontier.close()
