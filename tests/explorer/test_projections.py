"""`@projection` and `--projection`: one state for each value of a function, as TLC's `VIEW` has it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
from tidegate.api.checking import check
from tidegate.explorer import ENGINES
from tidegate.explorer.graph import state_graph
from tidegate.explorer.native.search import check as native
from tidegate.explorer.plain import check as plain
from tidegate.explorer.search import Search, SparkCluster, Walks
from tidegate.language import ir
from tidegate.language.binding import load
from tidegate.language.errors import ModelErrors, UsageError
from tidegate.language.judge import run_text
from tidegate.language.model import Model, Projection
from tidegate.language.where import Where
from tidegate.reports.exits import Exit

from ..support import random_models
from ..support.engines import bind_text, summary, text_of

FIELDS = """
place: Small
turn: Color
ticks: Annotated[int, Range(0, 40)]
past: Map[bool, Annotated[Seq[Small], Capacity(40)]]
led: Ghost[bool]
"""
START = """
place=0
turn=Color.RED
ticks=0
past=Map({flag: Seq() for flag in (False, True)})
led=False
"""
STEPS = '''
@action
def walk(s: World) -> None:
    """One place on."""
    require(s.ticks < 40)
    s.place = (s.place + 1) % 4
    s.past[s.place > 1].append(s.place)
    s.ticks += 1


@action
def recolor(s: World, color: Color) -> None:
    """Another color."""
    require(color != s.turn and s.place == 2 and s.ticks < 40)
    s.turn = color
    s.ticks += 1


@terminal
def late(s: World) -> bool:
    """Late."""
    return s.ticks == 40


@reachable
def goes_around(s: World) -> bool:
    """Around."""
    return s.place == 3 and s.turn == Color.BLUE


'''
SEEN_AS = '''
@projection
def seen_as(s: World) -> tuple[Small, Color]:
    """Place and turn."""
    return s.place, s.turn


@projection
def far(s: World) -> bool:
    """Whether it is far."""
    return s.place > 1


@projection
def whole(s: World) -> tuple[Map[bool, Annotated[Seq[Small], Capacity(40)]], Color]:
    """A wide field, and a narrow one."""
    return s.past, s.turn


@projection
def of_ghost(s: World) -> bool:
    """A ghost."""
    return s.led


'''
KEPT = 12
"""States of `STEPS` by place and turn."""


def model_with(folder: Path, more: str = "") -> Model:
    """The model, with more of its text."""
    text = text_of(FIELDS, START, STEPS + SEEN_AS + more).replace("import (\n", "import (projection,\n", 1)
    return bind_text(folder, text, ghosts=False)


@pytest.mark.parametrize("engine", [native, plain])
def test_one_state_is_kept_for_each_value_and_nothing_is_said_to_hold(engine: Any, tmp_path: Path) -> None:
    model = model_with(tmp_path, "@invariant\ndef soon(s: World) -> bool:\n    '''Soon.'''\n    return s.ticks < 39\n")
    verdict = engine(model, Search(projection="seen_as"))
    assert verdict.distinct_states == KEPT
    assert {prop.name: prop.verdict for prop in verdict.properties} == {"goes_around": "reached", "soon": "undecided"}
    assert (verdict.verdict, verdict.outcome) == ("inconclusive", "none")
    grounds = "one state was explored for each value of @projection seen_as that was met, not every state"
    assert verdict.assurance == f"none: {grounds}"
    assert verdict.notes == ("one state was kept for each value of @projection seen_as",)
    broken = engine(model, Search())
    assert broken.outcome == "safety", "the violation is there: the projection does not see it"


@pytest.mark.parametrize("engine", [native, plain])
def test_what_is_found_is_real_and_need_not_be_the_shortest(engine: Any, tmp_path: Path) -> None:
    more = "@invariant\ndef red(s: World) -> bool:\n    '''Red.'''\n    return s.turn != Color.BLUE or s.place < 3\n"
    model = model_with(tmp_path, more)
    verdict = engine(model, Search(projection="seen_as"))
    assert verdict.outcome == "safety"
    assert verdict.assurance == "a counterexample, replayed in plain Python"
    run = next(prop.run for prop in verdict.properties if prop.verdict == "violated")
    assert run is not None
    assert run_text(model, "; ".join(f"{step.action}({values(step)})" for step in run.steps)) == run


def values(step: Any) -> str:
    """A step's arguments as `--steps` takes them."""
    return ", ".join(argument.name for argument in step.arguments.values())


def test_a_wide_field_is_compared_as_a_whole(tmp_path: Path) -> None:
    model = model_with(tmp_path)
    reported = [engine(model, Search(projection="whole", recheck=10_000)) for engine in (native, plain)]
    assert summary(reported[0]) == summary(reported[1])
    assert reported[0].distinct_states == len({(state["past"], state["turn"]) for state in all_states(model)})


def all_states(model: Model) -> list[dict[str, Any]]:
    """Every state as its fields."""
    from tidegate.explorer.graph import state_graph

    names = [field.name for field in model.fields]
    return [dict(zip(names, state, strict=True)) for state in state_graph(model, 10_000).states]


def test_native_code_refuses_what_is_no_field(tmp_path: Path) -> None:
    model = model_with(tmp_path)
    with pytest.raises(UsageError, match=r"far is not just fields of the state.*--engine python takes every"):
        native(model, Search(projection="far"))
    verdict = plain(model, Search(projection="far"))
    assert verdict.distinct_states == 1, "the state after the first is of the same value, and all others lie behind it"


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        (Search(projection="seen_az"), "has no @projection seen_az; did you mean seen_as"),
        (Search(projection="of_ghost"), "reads the ghost led, which is left out; --ghosts keeps it"),
        (Search(projection="seen_as", symmetry=True), "--projection and --symmetry exclude each other"),
        (Search(projection="seen_as", workers=2), "--projection and --workers exclude each other"),
    ],
)
@pytest.mark.parametrize("engine", ["native", "python"])
def test_what_cannot_be_asked_is_refused(engine: str, asked: Search, message: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=message):
        ENGINES[engine](model_with(tmp_path), asked, None)


@pytest.mark.parametrize("engine", ["walk", "spark"])
def test_other_engines_refuse_it(engine: str, tmp_path: Path) -> None:
    asked = Search(projection="seen_as", walks=Walks(2), cluster=SparkCluster() if engine == "spark" else None)
    with pytest.raises(UsageError, match=f"--engine python, not {engine}"):
        ENGINES[engine](model_with(tmp_path), asked, None)


def test_a_projection_that_breaks_is_a_failure_of_the_model(tmp_path: Path) -> None:
    last = "@projection\ndef last(s: World) -> int:\n    '''Last.'''\n    return s.past[True][len(s.past[True]) - 1]\n"
    verdict = plain(model_with(tmp_path, last), Search(projection="last"))
    assert verdict.outcome == "model_error"
    assert verdict.failure is not None
    assert verdict.failure.message.startswith("last: ")


def test_a_projection_returns_a_value(tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    wrong = "@projection\ndef same(s: World) -> World:\n    '''Same.'''\n    return s\n"
    text = text_of(FIELDS, START, STEPS + wrong).replace("import (\n", "import (projection,\n", 1)
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ModelErrors, match="same is a projection: a value of the state, and not the state itself"):
        load(path).bind()


def test_a_model_that_is_not_asked_is_as_it_was(tmp_path: Path) -> None:
    model = model_with(tmp_path)
    whole = native(model, Search())
    assert whole == replace(native(replace(model, projections=()), Search()), **times(whole))
    result = check(model, projection="seen_as", cache=False)
    assert result.exit is Exit.INCONCLUSIVE


def times(verdict: Any) -> dict[str, Any]:
    """What two equal runs may differ in."""
    names = ("seconds", "compile_seconds", "peak_memory_bytes", "levels")
    return {name: getattr(verdict, name) for name in names}


@pytest.mark.parametrize("seed", range(6))
def test_random_models_keep_the_same_states_in_both_engines(seed: int, tmp_path: Path) -> None:
    model = bind_text(tmp_path, random_models.text(seed))
    names = [field.name for field in model.fields]
    chosen = random.Random(seed).sample(names, (len(names) + 1) // 2)
    model = replace(model, projections=(fields_of(model, chosen),))
    reported = [engine(model, Search(projection="some", keep_going=True)) for engine in (native, plain)]
    assert summary(reported[0]) == summary(reported[1])


def fields_of(model: Model, names: list[str]) -> Projection:
    """The projection to some fields."""
    where = Where("", 1, 0, 1, 0)
    fields = tuple(ir.StateField("s", name, model.field(name).type, where) for name in names)
    value = ir.MakeRecord(fields, cast(Any, None), where)
    form = ir.Function("some", (), ("s",), (ir.Return(value, where),), cast(Any, None), where)
    return Projection("some", "", form, _values_of(names))


def _values_of(names: list[str]) -> Callable[[Any], Any]:
    return lambda state: tuple(getattr(state, name) for name in names)


# --- the kernel under a mask ------------------------------------------------------------------------------------------


SENT = text_of(
    "net: Annotated[Set[Ask], Capacity(3)]\ngot: Small\nseen: Small",
    "net=Set()\ngot=0\nseen=0",
    """
    @action
    def send(s: World, by: Node) -> None:
        '''Sends.'''
        limit(len(s.net) < 3)
        s.net = s.net | {Ask(by=by, term=s.got)}

    @action
    def take(s: World, message: Ask) -> None:
        '''Takes.'''
        require(message.term == s.got)
        s.got = (s.got + 1) % 3
        s.seen = (s.seen + 1) % 4
        s.net = {m for m in s.net if m != message}

    @projection
    def view(s: World) -> tuple[Annotated[Set[Ask], Capacity(3)], Small]:
        '''TLC's VIEW <<net, got>>.'''
        return s.net, s.got

    @projection
    def alone(s: World) -> Set[Ask]:
        '''TLC's VIEW net.'''
        return s.net
    """,
    before="""
    class Node(Domain, size=2):
        '''A node.'''


    @record
    class Ask:
        '''A message.'''

        by: Node
        term: Small
    """,
).replace("previous,", "previous, projection,")


def test_messages_are_part_of_what_distinguishes_states(tmp_path: Path) -> None:
    model = bind_text(tmp_path, SENT)
    found = dict[str | None, int]()
    for name in (None, "view", "alone"):
        search = Search(projection=name)
        mine, theirs = native(model, search), plain(model, search)
        assert summary(mine) == summary(theirs)
        found[name] = mine.distinct_states or 0
    states = {(state.net, state.got) for state in cast("Any", reachable(model))}
    assert found["view"] == len(states) < found[None]
    assert found["alone"] <= found["view"]


def reachable(model: Model) -> list[Any]:
    """Every reachable state."""
    return list(state_graph(model, 10_000).states)
