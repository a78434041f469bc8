"""Layouts: every value survives packing, equal values are equal words, and each part lies where no other does."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidegate.explorer.native.layout import Layout, raw_code, shape_of, word_count
from tidegate.language.binding import load
from tidegate.language.checks import members_of
from tidegate.language.judge import initial_states
from tidegate.language.kinds import Domain
from tidegate.language.model import Field, Model
from tidegate.language.types import Bool, Identity, Int, Map, Option, Pool, Record, Seq, Subset, Type
from tidegate.language.values import Bag, Set
from tidegate.language.values import Map as MapValue
from tidegate.language.values import Seq as SeqValue

from ...conftest import ROOT
from ...support.engines import bind_text, reachable_states, text_of

RECORDS: dict[str, type[Any]] = {}
FIXTURE = ROOT / "tests/fixtures/models/every_construct.py"


class Name(Domain, size=3):
    """A name."""


def record_of(fields: tuple[Type, ...]) -> Record:
    """A record type with these fields; one Python class for each number of fields."""
    names = [f"part{at}" for at in range(len(fields))]
    key = ",".join(names)
    if key not in RECORDS:
        import dataclasses

        RECORDS[key] = dataclasses.make_dataclass(f"Record{len(names)}", [(name, Any) for name in names], frozen=True)
    return Record(RECORDS[key].__name__, tuple(zip(names, fields, strict=True)), RECORDS[key])


def interval(lo: int, size: int) -> Int:
    """The integers from `lo` on, `size` more than one."""
    return Int(lo, lo + size)


def pool_of(fields: list[Type], capacity: int, multiple: bool) -> Pool:
    """A set or bag of records."""
    return Pool(record_of(tuple(fields)), capacity, multiple)


SCALARS: st.SearchStrategy[Type] = st.one_of(
    st.builds(interval, st.integers(-5, 5), st.sampled_from([0, 1, 3, 6, 40, 2**20])),
    st.just(Bool()),
    st.just(Identity("Name", 3, False, ("A", "B", "C"), Name)),
)
KEYS: st.SearchStrategy[Type] = st.one_of(
    st.builds(interval, st.integers(-5, 5), st.integers(0, 6)),
    st.just(Bool()),
    st.just(Identity("Name", 3, False, ("A", "B", "C"), Name)),
)
SUBSETS: st.SearchStrategy[Type] = KEYS.map(Subset)


def larger(of: st.SearchStrategy[Type]) -> st.SearchStrategy[Type]:
    """Types of types."""
    return st.one_of(
        of.filter(lambda setting: not isinstance(setting, Option)).map(Option),
        st.builds(Map, KEYS, of),
        st.builds(Seq, of, st.integers(0, 4)),
        st.lists(of, min_size=1, max_size=3).map(lambda setting: record_of(tuple(setting))),
    )


VALUES = st.recursive(st.one_of(SCALARS, SUBSETS), larger, max_leaves=6)
POOLS = st.builds(
    pool_of,
    st.lists(VALUES, min_size=1, max_size=3),
    st.integers(0, 3),
    st.booleans(),
)


def value(type_: Type, chosen: random.Random) -> Any:
    """Some value of a type."""
    match type_:
        case Int(lo=lo, hi=hi):
            return chosen.choice((lo, hi, chosen.randint(lo, hi)))
        case Bool() | Identity() | Subset():
            return chosen.choice(members_of(type_, {}))
        case Option(of=of):
            return None if chosen.random() < 0.3 else value(of, chosen)
        case Record(fields=fields, python=python):
            return python(**{name: value(field_type, chosen) for name, field_type in fields})
        case Map(key=key, value=of):
            return MapValue({member: value(of, chosen) for member in members_of(key, {})})
        case Seq(of=of, capacity=capacity):
            return SeqValue([value(of, chosen) for _ in range(chosen.randint(0, capacity))])
        case Pool(of=of, capacity=capacity, multiple=multiple):
            records = [value(of, chosen) for _ in range(chosen.randint(0, capacity))]
            return Bag(records) if multiple else Set(records)
        case _:
            raise TypeError(type_)


def layout_of(types: list[Type]) -> Layout:
    """The layout of a state with fields of these types."""
    return Layout([Field(f"field{at}", type_, False, "", None) for at, type_ in enumerate(types)], {})


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(VALUES, POOLS), min_size=1, max_size=5), st.integers(0, 2**32))
def test_every_value_survives_packing(types: list[Type], seed: int) -> None:
    layout, chosen = layout_of(types), random.Random(seed)
    one = tuple(value(type_, chosen) for type_ in types)
    words = layout.encode(one)
    assert len(words) == layout.words
    assert all(0 <= word < 1 << 64 for word in words)
    assert layout.decode(words) == one
    assert layout.encode(layout.decode(words)) == words


@settings(max_examples=60, deadline=None)
@given(st.lists(st.one_of(VALUES, POOLS), min_size=2, max_size=5), st.integers(0, 2**32))
def test_fields_do_not_overlap(types: list[Type], seed: int) -> None:
    """Changing one field changes no other: a state's words are the sum of its fields' own."""
    layout, chosen = layout_of(types), random.Random(seed)
    one, other = (tuple(value(type_, chosen) for type_ in types) for _ in range(2))
    for at in range(len(types)):
        mixed = (*one[:at], other[at], *one[at + 1 :])
        assert layout.decode(layout.encode(mixed)) == mixed


@settings(max_examples=60, deadline=None)
@given(POOLS, st.integers(0, 2**32))
def test_pools_are_kept_in_one_order(pool: Pool, seed: int) -> None:
    layout, chosen = layout_of([pool]), random.Random(seed)
    records = list(value(pool, chosen))
    shuffled = chosen.sample(records, len(records))
    make: Any = Bag if pool.multiple else Set
    assert layout.encode((make(records),)) == layout.encode((make(shuffled),))
    codes = sorted(raw_code(pool.of, record) for record in records)
    assert codes == sorted(codes)
    assert len(set(codes)) == len(set(records))


def test_narrow_types_never_cross_a_word() -> None:
    for types in (
        [Int(0, 2**40), Int(0, 2**40), Bool()],
        [Map(Int(0, 30), Int(0, 6))],
        [Seq(Map(Int(0, 20), Int(0, 9)), 3)],
    ):
        layout = layout_of(list(types))
        for at in range(len(types)):
            _, shape, _, shift = layout.field(f"field{at}")
            assert shift + min(shape.bits, 64) <= 64
            assert word_count(shape) == -(-shape.bits // 64)


def test_a_code_orders_as_fields_do() -> None:
    kind = record_of((Int(0, 3), Bool()))
    made = [kind.python(part0=a, part1=b) for a in range(4) for b in (False, True)]
    assert [raw_code(kind, sample) for sample in made] == sorted(raw_code(kind, sample) for sample in made)
    assert shape_of(kind).bits == 3


@pytest.mark.parametrize("opened", [False, True])
def test_states_of_every_type(opened: bool) -> None:
    model = load(FIXTURE).bind(open={"nodes", "room", "top"} if opened else ())
    assert_packed(model, reachable_states(model, 80, 3))


def test_open_bounds_below(tmp_path: Path) -> None:
    before = "low = constant(0, minimum=-3, maximum=0, says='low')\nNumber = Annotated[int, Range(low, 2)]\n"
    text = text_of(
        "m: Map[Number, Small]\nk: Set[Number]",
        "m=Map({i: i for i in range(low, 3)})\nk=Set([low, 2])",
        "",
        before=before,
    )
    model = bind_text(
        tmp_path, text + "\n\n@action\ndef idle(s: World) -> None:\n    '''Idle.'''\n    s.m[2] = 0\n", open={"low"}
    )
    assert_packed(model, list(initial_states(model)))


def assert_packed(model: Model, states: list[Any]) -> None:
    """Equal states are equal words, different ones are not, and all survive."""
    layout = Layout(model.fields, model.values)
    words = {state: layout.encode(tuple(state)) for state in states}
    assert len(set(words.values())) == len(words)
    for state, packed in words.items():
        assert layout.decode(packed) == tuple(state)
