"""The containers: values that agree with Python's own list, dict and set, and refuse what Python lets pass."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from enum import Enum
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidegate.language import Bag, Domain, Map, Seq, Set, record, replace
from tidegate.language import types as t
from tidegate.language.checks import check_for, members_of
from tidegate.language.drafts import Cells, Draft, Shape
from tidegate.language.model import Field
from tidegate.language.values import ModelError, State, show, sort_key

numbers = st.integers(-3, 6)
lists = st.lists(numbers, max_size=6)


class Node(Domain, size=3, symmetric=True):
    """Someone."""


class Phase(Enum):
    """Two members, printed by name."""

    IDLE = "i"
    BUSY = "b"


@record
class Note:
    """A record with a set in it."""

    to: Node | None
    text: int
    readers: Set[Node]


A, B, C = Node(0), Node(1), Node(2)
NODE = t.Identity("Node", 3, True, ("A", "B", "C"), Node)
SMALL = t.Int(0, 9)
NOTE = t.Record("Note", (("to", t.Option(NODE)), ("text", SMALL), ("readers", t.Subset(NODE))), Note)


def draft_of(**fields: tuple[t.Type, Any]) -> Draft:
    """A draft of a state with these fields: their types and first values."""
    declared = tuple(Field(name, type_, False, "", None) for name, (type_, _) in fields.items())
    made = type("Town", (), {"__annotations__": dict.fromkeys(fields, Any)})
    shape = Shape(made, declared, {})
    return Draft(Cells(shape, shape(**{name: value for name, (_, value) in fields.items()})))


# --- as values --------------------------------------------------------------------------------------------------------


@given(lists, lists)
def test_a_seq_is_a_list_that_never_changes(left: list[int], right: list[int]) -> None:
    seq = Seq(left)
    assert list(seq) == left
    assert len(seq) == len(left)
    assert list(seq + Seq(right)) == left + right
    assert (seq == Seq(right)) == (left == right)
    assert all(seq[at] == left[at] for at in range(len(left)))
    assert all((number in seq) == (number in left) for number in range(-3, 7))
    assert list(seq) == left


@given(lists, st.integers(0, 8), st.integers(0, 8))
def test_slices_are_cut_as_python_cuts_them(given_: list[int], start: int, stop: int) -> None:
    assert list(Seq(given_)[start:stop]) == given_[start:stop]
    assert list(Seq(given_)[start:]) == given_[start:]
    assert list(Seq(given_)[:stop]) == given_[:stop]


@given(st.sets(numbers), st.sets(numbers))
def test_a_set_is_a_set_and_goes_with_pythons_own(left: set[int], right: set[int]) -> None:
    ours, theirs = Set(left), Set(right)
    assert list(ours) == sorted(left)
    for other in (theirs, right, frozenset(right)):
        assert ours | other == left | right
        assert ours & other == left & right
        assert ours - other == left - right
        assert ours ^ other == left ^ right
        assert (ours <= other, ours < other, ours >= other) == (left <= right, left < right, left >= right)
    assert right - ours == right - left
    assert right | ours == right | left
    assert hash(ours | theirs) == hash(theirs | ours)


@given(lists)
def test_a_bag_counts(given_: list[int]) -> None:
    bag = Bag(given_)
    assert list(bag) == sorted(given_)
    assert len(bag) == len(given_)
    assert all(bag.count(number) == given_.count(number) for number in range(-3, 7))
    assert bag == Bag(reversed(given_))
    assert hash(bag) == hash(Bag(reversed(given_)))


@given(st.dictionaries(numbers, numbers))
def test_a_map_is_a_dict_that_never_changes(given_: dict[int, int]) -> None:
    backwards = dict(reversed(given_.items()))
    assert dict(Map(given_).items()) == given_
    assert Map(given_) == Map(backwards)
    assert hash(Map(given_)) == hash(Map(backwards))
    assert all(Map(given_)[key] == value for key, value in given_.items())


@pytest.mark.parametrize("index", [-1, 2, None, True])
def test_an_index_is_from_0_to_the_end(index: Any) -> None:
    with pytest.raises(ModelError):
        Seq([4, 5])[index]


def test_what_python_lets_pass_is_refused() -> None:
    with pytest.raises(ModelError, match="negative bound: -1"):
        Seq([4, 5])[-1:]
    with pytest.raises(ModelError, match="none is not a key of this Map; its keys are A, B"):
        Map({A: 0, B: 0})[None]  # pyright: ignore[reportArgumentType]
    with pytest.raises(ModelError, match="this Seq is a value and cannot be changed"):
        Seq([4]).append(5)
    with pytest.raises(ModelError, match="this Set is a value and cannot be changed"):
        Note(A, 1, Set()).readers.add(B)


def test_values_print_as_people_write_them() -> None:
    assert show(Note(None, 2, Set([B, A]))) == "Note(to=none, text=2, readers={A, B})"
    assert show(Map({A: Seq([1]), B: Seq()})) == "{A: [1], B: []}"
    assert show({B, A}) == "{A, B}"
    assert [show(value) for value in (True, False, None, Phase.BUSY, 3)] == ["true", "false", "none", "BUSY", "3"]
    assert show(Bag([2, 1, 1])) == "Bag(1, 1, 2)"


def test_the_order_of_values_follows_their_structure() -> None:
    notes = [Note(to, text, Set(readers)) for to in (None, A, B) for text in (0, 1) for readers in ((), (A,), (B,))]
    shuffled = Random(0).sample(notes, len(notes))
    assert sorted(shuffled, key=sort_key) == notes
    subsets = members_of(t.Subset(NODE), {})
    assert [show(subset) for subset in subsets[:5]] == ["{}", "{A}", "{B}", "{A, B}", "{C}"]
    assert sorted(subsets, key=sort_key) == list(subsets)
    assert sorted([Phase.BUSY, Phase.IDLE], key=sort_key) == [Phase.IDLE, Phase.BUSY]


def test_replace_leaves_the_record_as_it_was() -> None:
    note = Note(A, 1, Set())
    assert replace(note, text=2) == Note(A, 2, Set())
    assert note.text == 1


# --- in a draft -------------------------------------------------------------------------------------------------------

LOG = t.Seq(SMALL, 4)
LOGS = t.Map(NODE, LOG)


def test_a_name_keeps_the_value_it_had() -> None:
    s = draft_of(log=(LOGS, Map(dict.fromkeys(everyone(), Seq([1])))))
    before, log = s.log, s.log[A]
    s.log[A].append(2)
    assert list(log) == [1]
    assert list(before[A]) == [1]
    assert list(s.log[A]) == [1, 2]
    assert list(s.log[B]) == [1]


def everyone() -> list[Node]:
    return [A, B, C]


@given(st.lists(st.tuples(st.sampled_from(["append", "truncate", "store"]), st.sampled_from("ABC"), st.integers(0, 4))))
def test_writes_through_a_path_are_writes_to_a_dict_of_lists(writes: list[tuple[str, str, int]]) -> None:
    s = draft_of(log=(LOGS, Map({node: Seq() for node in everyone()})))
    twin: dict[Node, list[int]] = {node: [] for node in everyone()}
    for what, label, number in writes:
        node = Node("ABC".index(label))
        kept = s.log[node]
        held = list(twin[node])
        if what == "append" and len(held) < 4:
            s.log[node].append(number)
            twin[node].append(number)
        elif what == "truncate" and number <= len(held):
            s.log[node].truncate(number)
            del twin[node][number:]
        elif what == "store" and number < len(held):
            s.log[node][number] = 9
            twin[node][number] = 9
        assert list(kept) == held, "a name bound before a write keeps its value"
        assert {node: list(s.log[node]) for node in everyone()} == twin


@given(st.lists(st.tuples(st.sampled_from(["add", "discard"]), st.integers(0, 3))))
def test_sets_and_bags_in_a_draft(writes: list[tuple[str, int]]) -> None:
    pool = t.Pool(NOTE, 99)
    s = draft_of(pool=(pool, Set()), bag=(t.Pool(NOTE, 99, True), Bag()), few=(t.Subset(SMALL), set[int]()))
    twin, counted = set[int](), Counter[int]()
    for what, number in writes:
        note = Note(None, number, Set())
        getattr(s.pool, what)(note)
        getattr(s.bag, what)(note)
        getattr(s.few, what)(number)
        if what == "add":
            twin.add(number)
            counted[number] += 1
        else:
            twin.discard(number)
            counted[number] = max(0, counted[number] - 1)
    assert s.few == twin
    assert {held.text for held in s.pool} == twin
    assert Counter(held.text for held in s.bag) == +counted


def test_a_view_that_was_overtaken_does_not_write() -> None:
    s = draft_of(log=(LOGS, Map({node: Seq[int]() for node in everyone()})))
    log = s.log[A]
    s.log[A].append(1)
    with pytest.raises(ModelError, match="was written since this name was bound"):
        log.append(2)


WRONG_WRITES: list[tuple[Callable[[Any], Any], str]] = [
    (lambda s: setattr(s, "n", 10), "n: 10 is outside 0..9"),
    (lambda s: setattr(s, "n", None), "n: none where an integer is needed"),
    (lambda s: setattr(s, "who", 1), "who: 1 where a Node is needed"),
    (lambda s: s.log.__setitem__(A, Seq([1] * 5)), r"log\[A\]: 5 elements are more than the capacity of 4"),
    (lambda s: s.log[A].append(10), r"log\[A\]\[0\]: 10 is outside 0..9"),
    (lambda s: [s.log[A].append(1) for _ in range(5)], r"log\[A\] is full: its capacity is 4"),
    (lambda s: s.log[A].truncate(1), r"log\[A\] cannot be truncated to 1: its length is 0"),
    (lambda s: s.log[A].__setitem__(0, 1), "index 0 is outside a Seq of length 0"),
    (lambda s: s.notes.add(Note(A, 11, Set())), "notes: Note.text: 11 is outside 0..9"),
    (lambda s: s.notes.remove(Note(A, 1, Set())), "Note.* is not in notes"),
    (lambda s: setattr(s, "other", 1), "Town has no field other"),
    (lambda s: s.other, "Town has no field other"),
]


@pytest.mark.parametrize(("write", "message"), WRONG_WRITES)
def test_every_store_is_checked(write: Any, message: str) -> None:
    log = Map({node: Seq[int]() for node in everyone()})
    s = draft_of(n=(SMALL, 0), who=(t.Option(NODE), None), log=(LOGS, log), notes=(t.Pool(NOTE, 2), Set()))
    with pytest.raises(ModelError, match=message):
        write(s)


def test_a_store_takes_pythons_own_containers_even_inside_records() -> None:
    s = draft_of(notes=(t.Pool(NOTE, 2), set[Note]()), note=(NOTE, Note(None, 0, Set())), log=(LOG, [1, 2]))
    note: Any = Note(A, 1, {B})  # pyright: ignore[reportArgumentType]
    s.notes.add(note)
    s.note = note
    assert note in s.notes
    assert isinstance(s.note.readers, Set)
    assert list(s.log) == [1, 2]


def test_a_map_is_total_and_in_the_order_of_its_keys() -> None:
    check = check_for(t.Map(NODE, SMALL), {})
    assert list(check(Map({C: 0, A: 1, B: 2}))) == [A, B, C]
    with pytest.raises(ModelError, match="the Map has no value for C"):
        check(Map({A: 0, B: 0}))


def test_states_are_values_with_names() -> None:
    shape = Shape(type("Town", (), {"__annotations__": {}}), (Field("count", SMALL, False, "", None),), {})
    state = shape(count=3)
    assert isinstance(state, State)
    assert (state.count, repr(state), hash(state)) == (3, "Town(count=3)", hash(shape(count=3)))
    assert shape.replace(state, count=4) == shape(count=4) != state
    with pytest.raises(AttributeError):
        state.count = 4  # pyright: ignore
    with pytest.raises(ModelError, match="needs a value for its field count"):
        shape()


def test_an_unchanged_field_is_the_same_object_in_the_next_state() -> None:
    s = draft_of(log=(LOGS, Map({node: Seq[int]() for node in everyone()})), notes=(t.Pool(NOTE, 2), Set()))
    before = s.__cells__.origin
    s.log[A].append(1)
    after = s.__cells__.freeze()
    assert after.notes is before.notes
    assert after.log[B] is before.log[B]
    assert after.log != before.log
