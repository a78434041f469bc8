"""`@bound`: how far the search of a whole model goes. States beyond are checked and counted; nothing happens there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import z3
from tidegate.explorer import ENGINES
from tidegate.explorer.native.search import check as native
from tidegate.explorer.plain import check as plain
from tidegate.explorer.search import Search, Walks
from tidegate.explorer.smt.encoding import unbounded_encoding
from tidegate.explorer.smt.states import fresh_state
from tidegate.explorer.smt.terms import boolean_term
from tidegate.explorer.smt.transition import symbolic_instances
from tidegate.explorer.smt.unbounded import unbounded_model
from tidegate.language.binding import load
from tidegate.language.errors import ModelErrors
from tidegate.language.judge import run_text
from tidegate.language.model import Model
from tidegate.language.steptext import StepError

from ...support.engines import agree, bind_text, cuts_of, text_of

NODE = "class Node(Domain, size=2, symmetric=True):\n    '''A node.'''\n"
FIELDS, START = "count: Annotated[int, Range(0, 9)]\nseen: Set[Node]", "count=0\nseen=Set()"
STEPS = '''
@action
def up(s: World) -> None:
    """Up."""
    s.count += 1


@action
def look(s: World, node: Node) -> None:
    """Look."""
    require(node not in s.seen)
    s.seen.add(node)


@bound
def low(s: World) -> bool:
    """Low."""
    return s.count <= 3


'''


def test_states_beyond_are_counted_and_not_expanded(tmp_path: Path) -> None:
    model = bind_text(tmp_path, text_of(FIELDS, START, STEPS))
    for symmetry, found in ((False, 20), (True, 15)):
        verdict = agree(model, symmetry=symmetry)
        assert verdict is not None
        assert (verdict.distinct_states, verdict.states_beyond) == (found, found // 5)
        assert verdict.assurance == "exhaustive within bounds; nothing beyond @bound low"
        assert plain(model, Search(symmetry=symmetry)).actions == verdict.actions


@pytest.mark.parametrize("engine", ["native", "python", "walk"])
def test_a_state_beyond_is_judged(engine: str, tmp_path: Path) -> None:
    claim = "@invariant\ndef below(s: World) -> bool:\n    '''Below.'''\n    return s.count < {}\n"
    search = Search(walks=Walks(number=50, depth=20) if engine == "walk" else None)
    broken = ENGINES[engine](bind_text(tmp_path, text_of(FIELDS, START, STEPS + claim.format(4))), search, None)
    assert broken.verdict == "violated"
    holding = ENGINES[engine](bind_text(tmp_path, text_of(FIELDS, START, STEPS + claim.format(5))), search, None)
    assert holding.verdict == "holds"


def test_a_bound_that_breaks_is_an_error_of_the_model_in_every_engine(tmp_path: Path) -> None:
    verdict = agree(
        bind_text(tmp_path, text_of(FIELDS, START, STEPS.replace("s.count <= 3", "6 // (2 - s.count) > 0")))
    )
    assert verdict is not None and verdict.failure is not None
    assert verdict.failure.message == "division by zero"


def test_a_replay_says_that_a_state_lies_beyond(tmp_path: Path) -> None:
    model = bind_text(tmp_path, text_of(FIELDS, START, STEPS))
    assert len(run_text(model, "up; up; up; up").steps) == 4
    with pytest.raises(
        StepError, match="step 5, up, is beyond the bound low, where nothing happens; nothing is enabled"
    ):
        run_text(model, "up; up; up; up; up")


def test_two_bounds_and_messages(tmp_path: Path) -> None:
    """The messages of an action do not count a state twice."""
    node = "class Node(Domain, size=2, symmetric=True):\n    '''A.'''\n\n\n"
    before = node + "@record\nclass Note:\n    '''N.'''\n\n    by: Node\n"
    body = '''
    @action
    def send(s: World, node: Node) -> None:
        """Send."""
        s.notes.add(Note(by=node))

    @action
    def take(s: World, note: Note) -> None:
        """Take."""
        s.count += 1

    @bound
    def low(s: World) -> bool:
        """Low."""
        return s.count <= 2

    @bound
    def empty(s: World) -> bool:
        """Few."""
        return len(s.notes) < 2
    '''
    fields = "count: Annotated[int, Range(0, 9)]\nnotes: Annotated[Set[Note], Capacity(2)]"
    model = bind_text(tmp_path, text_of(fields, "count=0\nnotes=Set()", body, before=before))
    one, other = native(model, Search()), plain(model, Search())
    assert one.states_beyond == other.states_beyond == 5
    assert one.actions == other.actions
    agree(model, symmetry=True)


def test_a_proof_takes_a_bound_as_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "bounded.py"
    text = text_of(FIELDS, START, STEPS).replace("Range(0, 9)", "Range(0, top)")
    path.write_text(text.replace("class Node", "top = constant(9, minimum=1, maximum=9, says='top')\n\n\nclass Node"))
    definition = load(path)
    model = unbounded_model(definition, definition.bind())
    encoding = unbounded_encoding(model)
    state = fresh_state(model, encoding, "0")
    beyond = encoding.numbers.is_in_interval(encoding.algebra.number(state.fields["count"]), 4, 9)
    solver = z3.Solver()
    steps = symbolic_instances(model, encoding, state)
    solver.add(boolean_term(beyond), z3.Or([boolean_term(step.is_taken) for step in steps]))
    assert solver.check() == z3.sat
    solver.add(*(term for step in steps for term in step.bounds))
    assert solver.check() == z3.unsat


@pytest.mark.parametrize(
    ("was", "now", "code"),
    [
        ("def low(s: World)", "def low(before: int, s: World)", "TG311"),
        ("-> bool:\n    '''Low.'''\n    return s.count <= 3", "-> int:\n    '''Low.'''\n    return s.count", "TG311"),
        ("s.count <= 3", "len(s.ghost) < 2", "TG303"),
        ("s.count <= 3", "s.cuont <= 3", "TG202"),
    ],
)
def test_what_a_bound_may_not_be(was: str, now: str, code: str, tmp_path: Path) -> None:
    fields = FIELDS + "\nghost: Ghost[Set[Node]]"
    body = STEPS.replace('"""Low."""', "'''Low.'''").replace(was, now)
    with pytest.raises(ModelErrors) as caught:
        bind_text(tmp_path, text_of(fields, START + "\nghost=Set()", body))
    assert {error.code for error in caught.value.errors} == {code}


# --- what a state beyond a bound has to do with deadlocks -------------------------------------------------------------

SWITCH = "quick = constant(False, says='a switch')\n" + NODE


def test_beyond_a_bound_no_switch_makes_a_deadlock(tmp_path: Path) -> None:
    """Though nothing could happen within larger bounds either: with the switch folded or open."""
    for condition in ("require(quick)\n    s.count += 1", "if s.count < 9:\n        _guarded(s)"):
        body = f"""
def _guarded(s: World) -> None:
    '''Guarded.'''
    require(quick)
    s.count += 1


@action
def up(s: World) -> None:
    '''Up.'''
    {condition}


@bound
def none(s: World) -> bool:
    '''None.'''
    return quick
"""
        text = text_of("count: Annotated[int, Range(0, 9)]", "count=0", body, before=SWITCH)
        for open_ in ((), ("quick",)):
            verdict = agree(bind_text(tmp_path, text, open=open_))
            assert verdict is not None
            assert (verdict.outcome == "deadlock", verdict.states_beyond) == (False, 1), (condition, open_)


TAKE = """
@action
def take(s: World, note: Note) -> None:
    '''Take.'''
    s.notes.remove(note)
    s.count += 1


@bound
def low(s: World) -> bool:
    '''Low.'''
    return s.count < 1
"""
CRASH = """
@action(kind="fault", budget="crashes")
def crash(s: World) -> None:
    '''Crash.'''
    s.count += 1


@bound
def low(s: World) -> bool:
    '''Low.'''
    return s.count < 1
"""
NOTE = "@record\nclass Note:\n    '''N.'''\n\n    by: Small\n"
BUDGET = "crashes = constant(2, minimum=0, maximum=4, says='crashes')\n"
NOTES = "count: Small\nnotes: Annotated[Set[Note], Capacity(2)]"


def _models_beyond_bound(folder: Path) -> Iterator[Model]:
    """Models of two states, of which the second lies beyond the bound and has no instance that it could stop."""
    yield bind_text(folder, text_of(NOTES, "count=0\nnotes=Set([Note(1)])", TAKE, before=NOTE))
    breaking = TAKE.replace("s.count < 1", "6 // (3 - s.count) < 3")
    yield bind_text(folder, text_of(NOTES, "count=0\nnotes=Set([Note(1)])", breaking, before=NOTE))
    yield bind_text(folder, text_of("count: Small", "count=0", CRASH, before=BUDGET))
    yield bind_text(folder, text_of("count: Small", "count=0", CRASH.replace(', budget="crashes"', ""), before=""))


@pytest.mark.parametrize("engine", ["native", "python", "walk"])
def test_a_state_beyond_is_no_deadlock_without_an_instance_either(engine: str, tmp_path: Path) -> None:
    """The bound is asked of the state, not of the instances: no message, a fault alone, a bound that might break."""
    for model in _models_beyond_bound(tmp_path):
        for deadlocks in (True, False):
            walks = Walks(number=5, depth=5) if engine == "walk" else None
            verdict = ENGINES[engine](model, Search(walks=walks, deadlocks=deadlocks), None)
            assert verdict.outcome not in ("deadlock", "model_error"), verdict.failure
            if engine in ("native", "python"):
                assert (verdict.distinct_states, verdict.states_beyond) == (2, 1)


def test_a_bound_that_breaks_where_there_is_no_instance(tmp_path: Path) -> None:
    text = text_of(
        NOTES, "count=0\nnotes=Set([Note(1)])", TAKE.replace("s.count < 1", "6 // (1 - s.count) > 0"), before=NOTE
    )
    model = bind_text(tmp_path, text)
    verdict = agree(model)
    assert verdict is not None and verdict.failure is not None
    assert (verdict.failure.message, verdict.failure.action) == ("division by zero", None)
    assert ENGINES["walk"](model, Search(walks=Walks(number=5, depth=5)), None).outcome == "model_error"


def test_within_the_bound_a_deadlock_is_one(tmp_path: Path) -> None:
    for now in ("s.count < 3", "6 // (3 - s.count) < 4"):
        text = text_of(NOTES, "count=0\nnotes=Set([Note(1)])", TAKE.replace("s.count < 1", now), before=NOTE)
        model = bind_text(tmp_path, text)
        verdict = agree(model)
        assert verdict is not None and verdict.outcome == "deadlock"
        assert ENGINES["walk"](model, Search(walks=Walks(number=5, depth=5)), None).outcome == "deadlock"


@pytest.mark.parametrize("engine", ["native", "python", "walk"])
def test_a_guard_that_is_false_beyond_a_bound_is_not_asked(engine: str, tmp_path: Path) -> None:
    text = text_of(FIELDS, START, STEPS.replace("s.count += 1", "require(s.count < 4)\n    s.count += 1"))
    search = Search(walks=Walks(number=50, depth=20) if engine == "walk" else None)
    assert ENGINES[engine](bind_text(tmp_path, text), search, None).verdict == "holds"


def test_a_switch_that_divides_by_zero_is_an_error_of_the_step(tmp_path: Path) -> None:
    body = "@action\ndef up(s: World) -> None:\n    '''Up.'''\n    require(6 // top > 1)\n    s.count = 1\n"
    before = "top = constant(0, minimum=0, maximum=3, says='top')\n" + NODE
    text = text_of(FIELDS.splitlines()[0], "count=0", body, before=before)
    for open_ in ((), ("top",)):
        verdict = agree(bind_text(tmp_path, text, open=open_))
        assert verdict is not None and verdict.failure is not None
        assert verdict.failure.message == "division by zero"


# --- how often a bound cut --------------------------------------------------------------------------------------------

CUTS = """
@action
def hurry(s: World, by: Small) -> None:
    '''In a hurry alone.'''
    limit(quick)
    s.count = by


@action(kind="fault", budget="tops")
def flip(s: World, node: Node) -> None:
    '''Either way.'''
    if s.count == 1:
        require(s.up[node])
        s.count = 0
    else:
        require(not s.up[node] or s.count == 0)
        s.count = 1
    s.up[node] = not s.up[node]
"""
CONSTANTS = NODE + (
    "tops = constant(2, minimum=0, maximum=4, says='faults')\nquick = constant(False, says='in a hurry')\n"
)


def test_engines_count_what_constant_limits_and_budgets_in_branches_cut(tmp_path: Path) -> None:
    fields, start = "count: Small\nup: Map[Node, bool]", "count=0\nup=Map({n: True for n in Node})"
    model = bind_text(tmp_path, text_of(fields, start, CUTS, before=CONSTANTS))
    verdict = native(model, Search())
    cuts = {name: cut for (name, _, _), cut in cuts_of(verdict).items()}
    assert cuts == {name: cut for (name, _, _), cut in cuts_of(plain(model, Search())).items()}
    assert cuts["hurry"] == 4 * (verdict.distinct_states or 0) and cuts["flip"] > 0
    budgets = [guard.text for action in verdict.actions for guard in action.guards if guard.text == "tops_left > 0"]
    assert budgets == ["tops_left > 0"], "a budget is one limit, in however many branches it is asked"


def test_walks_that_do_not_count_states_beyond_a_bound_do_not_say_none(tmp_path: Path) -> None:
    model = bind_text(tmp_path, text_of(FIELDS, START, STEPS))
    verdict = ENGINES["walk"](model, Search(walks=Walks(50, 20)), None)
    assert verdict.verdict == "holds" and verdict.states_beyond is None
    assert "50 walks ended beyond @bound low: the last state is checked, and nothing happens there" in verdict.notes
