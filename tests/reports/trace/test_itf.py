"""ITF: what a trace becomes is the format's, and comes back as it was.

Also of: `states`.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidegate.reports.document import Document
from tidegate.reports.trace.itf import ACTION, PICKS, apalache_type_text, from_itf, to_itf, value_from_itf, value_to_itf
from tidegate.reports.trace.states import apply_delta, document_states, sort_elements
from tidegate.traces.differences import state_to_json

from ...conftest import RunHere
from ...support.shipped import tier_parameters
from ...support.traces import bind_model, counterexample, walk_model

WALKS = [
    "replication:kip320", "raft", "kraft:kip595", "async_isr", "examples/two_phase.py", "examples/die_hard.py",
    "tests/fixtures/models/every_construct.py", "tests/fixtures/models/courier.py",
]  # fmt: skip


def normalize_state(document: Document, state: dict[str, Any]) -> dict[str, Any]:
    return {field["name"]: sort_elements(field["type"], state[field["name"]]) for field in document["fields"]}


@pytest.mark.parametrize("name", tier_parameters(WALKS, WALKS[::2].__contains__))
def test_the_states_of_a_document_are_those_of_the_run_and_itf_keeps_them(name: str) -> None:
    model = bind_model(name)
    for seed in range(3):
        run, document = walk_model(model, 60, seed)
        wanted = [normalize_state(document, state_to_json(state)) for state in run.states()]
        assert [state for _, state in document_states(document)] == wanted
        itf = json.loads(json.dumps(to_itf(document)))
        assert from_itf(itf) == wanted


# --- values of every type ---------------------------------------------------------------------------------------------

LABELS = st.sampled_from(["A", "B", "C"])
SCALARS: list[tuple[Document, st.SearchStrategy[Any]]] = [
    ({"kind": "int", "lo": -(2**70), "hi": 2**70}, st.integers(-(2**70), 2**70)),
    ({"kind": "bool"}, st.booleans()),
    ({"kind": "enum", "name": "Word", "members": ["A", "B", "C"]}, LABELS),
    ({"kind": "identity", "name": "Replica"}, LABELS),
]


def text_of(key: Any) -> str:
    return str(key).lower() if isinstance(key, bool) else str(key)


def one_text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


@st.composite
def typed_values(draw: st.DrawFn, depth: int = 3, options: bool = True) -> tuple[Document, st.SearchStrategy[Any]]:
    """A type with a strategy for its values as the trace document has them."""
    kinds = ["scalar"] if depth == 0 else ["scalar", "record", "map", "seq", "set", "bag", *(["option"] * options)]
    kind = draw(st.sampled_from(kinds))
    if kind == "scalar":
        return draw(st.sampled_from(SCALARS))
    if kind == "record":
        names = draw(st.lists(st.sampled_from(["id", "epoch", "tag", "value"]), min_size=1, max_size=3, unique=True))
        parts = {name: draw(typed_values(depth - 1)) for name in names}
        fields = {name: type_ for name, (type_, _) in parts.items()}
        return {"kind": "record", "name": "R", "fields": fields}, st.fixed_dictionaries(
            {name: values for name, (_, values) in parts.items()}
        )
    if kind == "map":
        key, keys = draw(st.sampled_from(SCALARS))
        value, values = draw(typed_values(depth - 1))
        return {"kind": "map", "key": key, "value": value}, st.dictionaries(keys.map(text_of), values, max_size=3)
    of, values = draw(typed_values(depth - 1, options=kind != "option"))
    if kind == "option":
        return {"kind": "option", "of": of}, st.none() | values
    return {"kind": kind, "of": of}, st.lists(values, max_size=4, unique_by=one_text if kind == "set" else None)


@given(st.data())
def test_any_value_comes_back(data: st.DataObject) -> None:
    type_, values = data.draw(typed_values())
    value = sort_elements(type_, data.draw(values))
    encoded = json.loads(json.dumps(value_to_itf(type_, value)))
    assert not list(bare_numbers(encoded))
    assert value_from_itf(type_, encoded) == sort_elements(type_, canonical(type_, value))


def canonical(type_: Document, value: Any) -> Any:
    """Elements of sets that differ only in the order of what is inside them are one; the document never has both."""
    return value_from_itf(type_, value_to_itf(type_, sort_elements(type_, value)))


def bare_numbers(value: Any) -> Iterator[float]:
    """Every number that stands as itself: there must be none, since readers lose precision."""
    if isinstance(value, (dict, list)):
        inner = cast("dict[str, Any]", value).values() if isinstance(value, dict) else cast("list[Any]", value)
        for held in inner:
            yield from bare_numbers(held)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value


# --- the format -------------------------------------------------------------------------------------------------------


def test_the_form_of_each_type() -> None:
    number = {"kind": "int", "lo": 0, "hi": 9}
    name = {"kind": "identity", "name": "Replica"}
    record = {"kind": "record", "name": "R", "fields": {"id": number, "by": {"kind": "option", "of": name}}}
    none: Document = {"tag": "None", "value": {"#tup": []}}
    rows: list[tuple[Document, Any, Any, str]] = [
        (number, -7, {"#bigint": "-7"}, "Int"),
        ({"kind": "bool"}, True, True, "Bool"),
        (name, "A", "A", "Str"),
        ({"kind": "option", "of": number}, None, none, "(Some(Int) | None(UNIT))"),
        ({"kind": "option", "of": number}, 0, {"tag": "Some", "value": {"#bigint": "0"}}, "(Some(Int) | None(UNIT))"),
        (record, {"id": 1, "by": None}, {"id": {"#bigint": "1"}, "by": none},
         "{ id: Int, by: (Some(Str) | None(UNIT)) }"),
        ({"kind": "map", "key": name, "value": {"kind": "bool"}}, {"A": True}, {"#map": [["A", True]]},
         "(Str -> Bool)"),
        ({"kind": "map", "key": number, "value": name}, {"3": "B"}, {"#map": [[{"#bigint": "3"}, "B"]]},
         "(Int -> Str)"),
        ({"kind": "map", "key": {"kind": "bool"}, "value": name}, {"false": "B"}, {"#map": [[False, "B"]]},
         "(Bool -> Str)"),
        ({"kind": "seq", "of": number}, [2, 1], [{"#bigint": "2"}, {"#bigint": "1"}], "Seq(Int)"),
        ({"kind": "set", "of": name}, ["A", "B"], {"#set": ["A", "B"]}, "Set(Str)"),
        ({"kind": "bag", "of": name}, ["A", "A", "B"], {"#map": [["A", {"#bigint": "2"}], ["B", {"#bigint": "1"}]]},
         "(Str -> Int)"),
    ]  # fmt: skip
    for type_, value, itf, text in rows:
        assert value_to_itf(type_, value) == itf
        assert value_from_itf(type_, itf) == value
        assert apalache_type_text(type_) == text


def test_the_head_and_the_states_of_a_counterexample() -> None:
    document = counterexample("examples/lock.py:careless", "one_inside")
    itf = to_itf(document)
    assert itf["vars"] == ["held", "place", ACTION, PICKS]
    assert itf["#meta"]["varTypes"] == {
        "held": "Bool",
        "place": "(Str -> Str)",
        ACTION: "Str",
        PICKS: "{ client: (Some(Str) | None(UNIT)) }",
    }
    assert list(itf["#meta"]["varTypes"]) == itf["vars"], "Apalache wants a type for each variable and no other"
    assert itf["#meta"]["format"] == "ITF"
    assert "loop" not in itf
    first, *_, last = itf["states"]
    assert first == {
        "#meta": {"index": 0, "action": None, "args": {}, "sentence": "The initial state."},
        "held": False,
        "place": {"#map": [["A", "OUTSIDE"], ["B", "OUTSIDE"]]},
        ACTION: "init",
        PICKS: {"client": {"tag": "None", "value": {"#tup": []}}},
    }
    assert last["#meta"] == {
        "index": 4, "action": "take", "args": {"client": "B"}, "sentence": "B takes the lock and goes in.",
    }  # fmt: skip
    assert (last[ACTION], last[PICKS]) == ("take", {"client": {"tag": "Some", "value": "B"}})


def test_arguments_that_are_records_and_parameters_that_others_lack() -> None:
    itf = to_itf(counterexample("replication:truncate_to_hw", "strong_isr"))
    types = itf["#meta"]["varTypes"][PICKS]
    assert "request: (Some({ leader: Str, leader_epoch: Int, isr: Set(Str) }) | None(UNIT))" in types
    picks = [state[PICKS] for state in itf["states"]]
    assert len({tuple(pick) for pick in picks}) == 1, "every state has the same picks"
    taken = next(pick["request"]["value"] for pick in picks if pick["request"]["tag"] == "Some")
    assert taken["leader_epoch"] == {"#bigint": "0"}
    assert set(taken["isr"]) == {"#set"}


def test_a_lasso_says_where_it_returns() -> None:
    document = copy.deepcopy(counterexample("examples/lock.py:careless", "one_inside"))
    document["loop"] = 2
    assert to_itf(document)["loop"] == 2


def test_changes_apply_in_the_order_that_makes_sense_of_offsets() -> None:
    state = {"log": {"A": [1, 2, 3]}, "isr": ["A", "B"], "hw": 0}
    delta = {
        "-": [["log", "A", 1, 2], ["log", "A", 2, 3], ["isr", "A"]],
        "~": [["hw", 0, 1], ["log", "A", 0, 1, 9]],
        "+": [["isr", "C"]],
    }
    assert apply_delta(state, delta) == {"log": {"A": [9]}, "isr": ["B", "C"], "hw": 1}
    assert state == {"log": {"A": [1, 2, 3]}, "isr": ["A", "B"], "hw": 0}


def test_a_trace_that_lacks_a_step_is_refused(tmp_path: Path, run_here: RunHere) -> None:
    document = walk_model(bind_model("examples/lock.py"), 5, 1)[1]
    kept = [step for step in document["steps"] if step["i"] != 2]
    file = tmp_path / "lacks.trace.json"
    file.write_text(json.dumps(document | {"steps": kept}))
    exit_, out = run_here("export", str(file), "--to", "itf")
    assert (exit_, out) == (64, f"tidegate: {file}: a trace with a part missing or wrong: 2\n")


@pytest.mark.parametrize("text", ["[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "1" + "}" * 100_000])
def test_a_trace_that_is_nested_too_deep_is_refused(text: str, tmp_path: Path, run_here: RunHere) -> None:
    file = tmp_path / "deep.trace.json"
    file.write_text(text)
    assert run_here("replay", str(file)) == (
        64, f"tidegate: {file}: not a trace: it has values within values, deeper than any trace's\n"
    )  # fmt: skip
