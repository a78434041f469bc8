"""`@bound`: how far the search of a whole model goes. States beyond are judged and counted; nothing happens there."""

from __future__ import annotations

from pathlib import Path

import pytest
import z3
from tidegate.explorer import ENGINES
from tidegate.explorer.native.search import check as native
from tidegate.explorer.plain import check as plain
from tidegate.explorer.search import Search, Walks
from tidegate.explorer.smt.encoding import unbounded, unbounded_model
from tidegate.explorer.smt.states import fresh_state
from tidegate.explorer.smt.terms import formula
from tidegate.explorer.smt.transition import instances
from tidegate.language.binding import load
from tidegate.language.errors import ModelErrors
from tidegate.language.judge import run_text
from tidegate.language.steptext import StepError

from .engines import agree, bound, text_of

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
    model = bound(tmp_path, text_of(FIELDS, START, STEPS))
    for symmetry, found in ((False, 20), (True, 15)):
        verdict = agree(model, symmetry=symmetry)
        assert verdict is not None
        assert (verdict.distinct_states, verdict.states_beyond) == (found, found // 5)
        assert verdict.assurance == "exhaustive within bounds; nothing beyond @bound low"
        assert plain(model, Search(symmetry=symmetry)).actions == verdict.actions


@pytest.mark.parametrize("engine", ["native", "python", "walk", "bmc"])
def test_a_state_beyond_is_judged(engine: str, tmp_path: Path) -> None:
    claim = "@invariant\ndef below(s: World) -> bool:\n    '''Below.'''\n    return s.count < {}\n"
    asked = {"walk": Search(walks=Walks(number=50, depth=20)), "bmc": Search(depth=6)}
    search = asked.get(engine, Search())
    broken = ENGINES[engine](bound(tmp_path, text_of(FIELDS, START, STEPS + claim.format(4))), search, None)
    assert broken.verdict == "violated"
    holding = ENGINES[engine](bound(tmp_path, text_of(FIELDS, START, STEPS + claim.format(5))), search, None)
    assert holding.verdict == "holds"


def test_a_bound_that_breaks_is_an_error_of_the_model_in_every_engine(tmp_path: Path) -> None:
    verdict = agree(bound(tmp_path, text_of(FIELDS, START, STEPS.replace("s.count <= 3", "6 // (2 - s.count) > 0"))))
    assert verdict is not None and verdict.failure is not None
    assert verdict.failure.message == "division by zero"


def test_a_replay_says_that_a_state_lies_beyond(tmp_path: Path) -> None:
    model = bound(tmp_path, text_of(FIELDS, START, STEPS))
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
    model = bound(tmp_path, text_of(fields, "count=0\nnotes=Set()", body, before=before))
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
    encoding = unbounded(model)
    state = fresh_state(model, encoding, "0")
    beyond = encoding.numbers.within(encoding.algebra.number(state.fields["count"]), 4, 9)
    solver = z3.Solver()
    steps = instances(model, encoding, state)
    solver.add(formula(beyond), z3.Or([formula(each.happens) for each in steps]))
    assert solver.check() == z3.sat
    solver.add(*(term for each in steps for term in each.bounds))
    assert solver.check() == z3.unsat


@pytest.mark.parametrize(
    ("was", "now", "code"),
    [
        ("def low(s: World)", "def low(before: World, s: World)", "TG311"),
        ("-> bool:\n    '''Low.'''\n    return s.count <= 3", "-> int:\n    '''Low.'''\n    return s.count", "TG311"),
        ("s.count <= 3", "len(s.ghost) < 2", "TG303"),
        ("s.count <= 3", "s.cuont <= 3", "TG202"),
    ],
)
def test_what_a_bound_may_not_be(was: str, now: str, code: str, tmp_path: Path) -> None:
    fields = FIELDS + "\nghost: Ghost[Set[Node]]"
    body = STEPS.replace('"""Low."""', "'''Low.'''").replace(was, now)
    with pytest.raises(ModelErrors) as caught:
        bound(tmp_path, text_of(fields, START + "\nghost=Set()", body))
    assert {each.code for each in caught.value.errors} == {code}


# --- what a state beyond a bound has to do with deadlocks -------------------------------------------------------------

SWITCH = "quick = constant(False, says='a switch')\n" + NODE


def test_an_action_that_is_switched_off_by_an_open_constant_holds_no_state(tmp_path: Path) -> None:
    """Beyond the bound nothing could happen within larger bounds either: with the switch folded or open."""
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
            verdict = agree(bound(tmp_path, text, open=open_))
            assert verdict is not None
            assert (verdict.outcome == "deadlock") == ("require" in condition), (condition, open_)


def test_an_action_without_a_message_holds_no_state(tmp_path: Path) -> None:
    """Where there is no message, a bound stops nothing: the deadlock is the model's."""
    body = """
@action
def take(s: World, note: Note) -> None:
    '''Take.'''
    s.notes.remove(note)


@bound
def none(s: World) -> bool:
    '''None.'''
    return s.count > 0
"""
    before = "@record\nclass Note:\n    '''N.'''\n\n    by: Small\n"
    fields = "count: Small\nnotes: Annotated[Set[Note], Capacity(2)]"
    for notes, stuck in (("Set()", True), ("Set([Note(1)])", False)):
        model = bound(tmp_path, text_of(fields, f"count=0\nnotes={notes}", body, before=before))
        verdict = agree(model)
        assert verdict is not None
        assert (verdict.outcome == "deadlock") is stuck
        for engine, search in (("walk", Search(walks=Walks(number=5, depth=5))), ("bmc", Search(depth=3))):
            assert (ENGINES[engine](model, search, None).outcome == "deadlock") is stuck


@pytest.mark.parametrize("engine", ["native", "python", "walk", "bmc"])
def test_a_guard_that_is_false_beyond_a_bound_is_not_asked(engine: str, tmp_path: Path) -> None:
    text = text_of(FIELDS, START, STEPS.replace("s.count += 1", "require(s.count < 4)\n    s.count += 1"))
    search = {"walk": Search(walks=Walks(number=50, depth=20)), "bmc": Search(depth=8)}.get(engine, Search())
    assert ENGINES[engine](bound(tmp_path, text), search, None).verdict == "holds"


def test_a_switch_that_divides_by_zero_is_an_error_of_the_step(tmp_path: Path) -> None:
    body = "@action\ndef up(s: World) -> None:\n    '''Up.'''\n    require(6 // top > 1)\n    s.count = 1\n"
    before = "top = constant(0, minimum=0, maximum=3, says='top')\n" + NODE
    text = text_of(FIELDS.splitlines()[0], "count=0", body, before=before)
    for open_ in ((), ("top",)):
        verdict = agree(bound(tmp_path, text, open=open_))
        assert verdict is not None and verdict.failure is not None
        assert verdict.failure.message == "division by zero"
