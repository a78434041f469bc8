"""`@bound` of two states: which steps are taken, as TLC's `ACTION_CONSTRAINT` says it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.plain import check as plain
from tidegate.explorer.search import Search, SparkCluster, Walks
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.language.binding import load
from tidegate.language.errors import ModelErrors
from tidegate.language.judge import run_text
from tidegate.language.steptext import StepError
from tidegate.language.verdict import Verdict
from tidegate.reports.check.terminal import check_headline, verdict_page
from tidegate.reports.exits import Exit, exit_of_verdict
from tidegate.reports.text_page import TextFormat

from ...support.engines import agree, bind_text, cuts_of, text_of
from ...support.spark_cluster import spark_is_here

LOCAL = SparkCluster(master="local[2]", conf=(("spark.driver.memory", "512m"),))

NODE = "class Node(Domain, size=2, symmetric=True):\n    '''A node.'''\n"
FIELDS, START = "count: Annotated[int, Range(0, 9)]\nseen: Set[Node]", "count=0\nseen=Set()"
STEPS = '''
@action
def up(s: World, by: Small) -> None:
    """Up by some."""
    require(by > 0 and s.count + by <= 9)
    s.count += by


@action
def look(s: World, node: Node) -> None:
    """Look."""
    require(node not in s.seen)
    s.seen.add(node)


'''
SLOW = '''
@bound
def slow(before: World, after: World) -> bool:
    """One at a time, and to four at most."""
    return after.count <= before.count + 1 and after.count <= 4


'''
SEARCHES = {
    "native": Search(),
    "python": Search(),
    "walk": Search(walks=Walks(number=200, depth=20)),
}
every_engine = pytest.mark.parametrize("engine", list(SEARCHES))


def verdict(engine: str, folder: Path, body: str, **search: Any) -> Verdict:
    """What an engine says of the model with this body."""
    model = bind_text(folder, text_of(FIELDS, START, body))
    return ENGINES[engine](model, replace(SEARCHES[engine], **search), None)


def test_engines_agree_on_what_is_taken_and_on_what_is_cut(tmp_path: Path) -> None:
    model = bind_text(tmp_path, text_of(FIELDS, START, STEPS + SLOW))
    for symmetry, states in ((False, 20), (True, 15)):
        found = agree(model, symmetry=symmetry)
        assert found is not None
        assert (found.distinct_states, found.states_beyond, found.held_states) == (states, 0, 1)
        cuts = {(name, text): count for (name, _, text), count in cuts_of(found).items()}
        assert cuts == {("up", "the step's @bound slow"): (3 * 5 - 4) * (states // 5)}
        assert found.assurance == "exhaustive within bounds; only steps within @bound slow"
        assert plain(model, Search(symmetry=symmetry)).transitions == found.transitions


@every_engine
@pytest.mark.parametrize("claim", ["@invariant\ndef is_low(s: World)", "@transition\ndef is_low(old: World, s: World)"])
def test_what_only_a_cut_step_does_is_not_seen(engine: str, claim: str, tmp_path: Path) -> None:
    low = claim + " -> bool:\n    '''Low.'''\n    return s.count < {}\n"
    assert verdict(engine, tmp_path, STEPS + SLOW + low.format(5)).verdict == "holds"
    assert verdict(engine, tmp_path, STEPS + SLOW + low.format(4)).verdict == "violated"
    assert verdict(engine, tmp_path, STEPS + low.format(5)).verdict == "violated"


@every_engine
def test_steps_between_steps_are_those_that_are_taken(engine: str, tmp_path: Path) -> None:
    first = "@bound\ndef first(before: World, after: World) -> bool:\n    '''One looks before four.'''\n"
    first += "    return after.count < 4 or len(before.seen) > 0\n\n\n"
    claim = "@invariant\ndef not_yet(s: World) -> bool:\n    '''Not yet.'''\n    return {}\n"
    for seen, word in ((0, "holds"), (1, "violated")):
        body = STEPS + first + claim.format(f"s.count < 4 or len(s.seen) > {seen}")
        assert verdict(engine, tmp_path, body, deadlocks=False).verdict == word


@every_engine
def test_a_bound_of_steps_that_breaks_is_an_error_of_the_step(engine: str, tmp_path: Path) -> None:
    breaking = SLOW.replace("after.count <= before.count + 1 and", "6 // (2 - before.count) > 0 and")
    found = verdict(engine, tmp_path, STEPS + breaking)
    assert found.outcome == "model_error" and found.failure is not None
    assert (found.failure.message, found.failure.action is None) == ("division by zero", False)


def test_engines_agree_on_a_bound_of_steps_that_breaks(tmp_path: Path) -> None:
    agree(
        bind_text(tmp_path, text_of(FIELDS, START, STEPS + SLOW.replace("before.count + 1", "6 // (2 - after.count)")))
    )


HURT = '''
@action({})
def hurt(s: World) -> None:
    """Hurt."""
    s.count += 1


@bound
def never(before: World, after: World) -> bool:
    """Up to two."""
    return after.count <= 2
'''


@every_engine
@pytest.mark.parametrize(("kind", "stuck"), [("kind='client'", False), ("kind='fault'", True)])
def test_only_faults_that_are_cut_are_no_way_on(engine: str, kind: str, stuck: bool, tmp_path: Path) -> None:
    found = verdict(engine, tmp_path, HURT.format(kind))
    assert (found.outcome == "deadlock") == stuck
    if engine in ("native", "python") and not stuck:
        assert (found.distinct_states, found.held_states) == (3, 1)


def test_budgets_limits_and_two_bounds(tmp_path: Path) -> None:
    body = """
@action(kind="fault", budget="crashes")
def crash(s: World, by: Small) -> None:
    '''Crash.'''
    limit(by < 3)
    s.count += by


@action
def back(s: World) -> None:
    '''Back.'''
    if s.count > 3:
        s.count = 0
    else:
        s.seen = Set()


@bound
def short(old: World, new: World) -> bool:
    '''Short.'''
    return new.count <= 3


@bound
def even(old: World, new: World) -> bool:
    '''Even.'''
    return new.crashes_left % 2 == 0 or new.count % 2 == 0 or quick


@bound
def low(s: World) -> bool:
    '''Low.'''
    return s.count < 3
"""
    before = (
        NODE + "crashes = constant(3, minimum=0, maximum=4, says='crashes')\nquick = constant(False, says='quick')\n"
    )
    for given in ({}, {"quick": True}):
        for open_ in ((), ("crashes", "quick")):
            text = text_of(FIELDS, START, body.replace("new.crashes_left % 2 == 0 or ", ""), before=before)
            found = agree(bind_text(tmp_path, text, open=open_, constants=given))
            assert found is not None
            cuts = {text: count for (_, _, text), count in cuts_of(found).items()}
            assert cuts.get("the step's @bound short", 0) > 0
            assert (cuts.get("the step's @bound even", 0) > 0) == (not given)
            assert found.assurance.endswith("; nothing beyond @bound low; only steps within @bound short, even")


def test_a_bound_that_names_a_member_folds_nothing(tmp_path: Path) -> None:
    ordered = "@bound\ndef first(old: World, new: World) -> bool:\n    '''The first.'''\n"
    ordered += "    return Node(0) in new.seen or len(new.seen) == 0\n"
    model = bind_text(tmp_path, text_of(FIELDS, START, STEPS + ordered))
    found = agree(model, symmetry=True)
    assert found is not None and found.symmetry == ()
    assert found.distinct_states == 30
    assert any("names one member" in note for note in found.notes)


def test_a_replay_says_which_bound_a_step_is_outside_of(tmp_path: Path) -> None:
    model = bind_text(tmp_path, text_of(FIELDS, START, STEPS + SLOW))
    assert len(run_text(model, "up(1); up(1)").steps) == 2
    with pytest.raises(
        StepError, match=r"step 2, up\(2\), is blocked by the model's bound: @bound slow is false of the step; enabled"
    ):
        run_text(model, "up(1); up(2)")


def test_a_proof_leaves_it_out_and_says_so(tmp_path: Path) -> None:
    claim = "@lemma\ndef below(s: World) -> bool:\n    '''Below.'''\n    return s.count <= {}\n"
    said = {}
    for most in (9, 4):
        path = tmp_path / f"claim{most}.py"
        text = text_of(FIELDS, START, STEPS + SLOW + claim.format(most))
        path.write_text(text.replace("invariant, is_majority,", "invariant, is_majority, lemma,"))
        definition = load(path)
        proof = Induction(definition, definition.bind(), ProofRequest()).prove(lambda _: None)
        said[most] = proof.word
        assert any(note.startswith("the proof leaves out the @bound slow of steps") for note in proof.notes)
    assert said == {9: "proved", 4: "refuted"}


@pytest.mark.parametrize(
    ("was", "now", "code"),
    [
        ("after: World", "after: int", "TG311"),
        ("-> bool", "-> int", "TG311"),
        ("after.count <= 4", "len(after.ghost) < 2", "TG303"),
        ("after.count <= 4", "after.cuont <= 4", "TG202"),
    ],
)
def test_what_a_bound_of_steps_may_not_be(was: str, now: str, code: str, tmp_path: Path) -> None:
    text = text_of(FIELDS + "\nghost: Ghost[Set[Node]]", START + "\nghost=Set()", STEPS + SLOW.replace(was, now))
    with pytest.raises(ModelErrors) as caught:
        bind_text(tmp_path, text)
    assert {error.code for error in caught.value.errors} == {code}


@pytest.mark.long  # which steps a shard cuts is looked at without Spark, too
@pytest.mark.skipif(not spark_is_here(), reason="needs the extra spark")
def test_spark_counts_the_same(tmp_path: Path) -> None:
    path = tmp_path / "slow.py"
    path.write_text(text_of(FIELDS, START, STEPS + SLOW))
    model, search = load(path).bind(), Search(cache=tmp_path / "cache")
    here = ENGINES["native"](model, search, None)
    there = ENGINES["spark"](model, replace(search, cluster=replace(LOCAL, shards=2, hand_over=5)), None)
    for name in ("verdict", "distinct_states", "transitions", "depth", "held_states"):
        assert getattr(here, name) == getattr(there, name), name
    assert cuts_of(here) == cuts_of(there)


def test_a_kernel_is_kept_for_the_steps_that_are_taken(tmp_path: Path) -> None:
    """The next model differs in its bound alone, and the constant in the bound has another value in each run."""
    cache, before = Search(cache=tmp_path / "cache"), "most = constant(2, minimum=1, maximum=9, says='most')\n" + NODE
    for last, states in (("most", 12), ("most + 1", 16), ("most", 12)):
        text = text_of(FIELDS, START, STEPS + SLOW.replace("<= 4", f"<= {last}"), before=before)
        path = tmp_path / f"kept_{len(last)}.py"
        path.write_text(text)
        definition = load(path)
        for open_ in ((), ("most",)):
            model = definition.bind(open=open_)
            assert ENGINES["native"](model, cache, None).distinct_states == states
        wide = definition.with_constants(model, "wide", {"most": 5})
        assert ENGINES["native"](wide, cache, None).distinct_states == states + 12
        assert plain(wide, Search()).distinct_states == states + 12


def test_an_action_of_which_every_step_is_cut_never_happens(tmp_path: Path) -> None:
    found = agree(bind_text(tmp_path, text_of(FIELDS, START, STEPS + SLOW.replace("<= 4", "< 1"))))
    assert found is not None and (found.outcome, found.never_happens) == ("none", ("up",))
    assert [action.firings for action in found.actions] == [0, 4]


NO_UP = '''
@bound(stops="up")
def nobody_goes_up(before: World, after: World) -> bool:
    """Nobody goes up."""
    return after.count <= before.count + least
'''
NO_LOOK = '''
@bound
def slowly(before: World, after: World) -> bool:
    """One at a time."""
    return after.count <= before.count + 1


@bound(stops="look")
def hardly_look(before: World, after: World) -> bool:
    """Nobody looks, but where two are counted."""
    return before.seen == after.seen or before.count == 2
'''
LEAST = NODE + "least = constant(0, minimum=0, maximum=1, says='how far up')\n"


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize(("least", "outcome", "fired"), [(0, "none", 0), (1, "vacuous", 36)])
def test_an_action_that_is_meant_to_be_stopped(
    engine: str, least: int, outcome: str, fired: int, tmp_path: Path
) -> None:
    model = bind_text(tmp_path, text_of(FIELDS, START, STEPS + NO_UP, before=LEAST), constants={"least": least})
    verdict = ENGINES[engine](model, Search(deadlocks=False), None)
    up = verdict.actions[0]
    assert (verdict.outcome, up.name, up.firings, up.stopped_by) == (outcome, "up", fired, "nobody_goes_up")
    page = verdict_page(verdict, TextFormat(width=120)).text()
    assert ("stopped by @bound nobody_goes_up, as it is meant: up" in page) is (least == 0)
    assert ("up happens 36 times, and @bound nobody_goes_up is meant to stop it" in page) is (least == 1)
    assert ("holds, but something happens that a @bound is meant to stop" in page) is (least == 1)
    assert "never happened" not in page


@pytest.mark.parametrize("cluster", [None, pytest.param(LOCAL, marks=pytest.mark.long)], ids=["here", "spark"])
@pytest.mark.parametrize(("least", "outcome", "exit_"), [(0, "none", Exit.HOLDS), (1, "vacuous", Exit.VACUOUS)])
def test_a_walk_that_takes_a_stopped_action_does_not_hold(
    cluster: SparkCluster | None, least: int, outcome: str, exit_: Exit, tmp_path: Path
) -> None:
    if cluster is not None and not spark_is_here():
        pytest.skip("needs the extra spark")
    model = bind_text(tmp_path, text_of(FIELDS, START, STEPS + NO_UP, before=LEAST), constants={"least": least})
    search = Search(walks=Walks(number=20, depth=5), deadlocks=False, cluster=cluster, cache=tmp_path / "cache")
    verdict = ENGINES["walk"](model, search, None)
    assert (verdict.verdict, verdict.outcome, exit_of_verdict(verdict)) == ("holds", outcome, exit_)
    head = check_headline(verdict)
    assert ("✗" in head and "holds, but something happens that a @bound is meant to stop: sampled" in head) is (
        least == 1
    )


def test_a_stopped_action_is_not_missed_by_walks(tmp_path: Path) -> None:
    model = bind_text(tmp_path, text_of(FIELDS, START, STEPS + NO_UP, before=LEAST))
    verdict = ENGINES["walk"](model, Search(walks=Walks(number=20, depth=5)), None)
    assert not any("no walk took" in note for note in verdict.notes)
