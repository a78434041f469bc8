"""A goal about all members of a symmetric domain is proved of few of them, and nothing is proved so that is not so."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
import z3
from tidegate.explorer.smt import finite_instances
from tidegate.explorer.smt.effort import SolverEffort
from tidegate.explorer.smt.encoding import unbounded_encoding
from tidegate.explorer.smt.finite_instances import FiniteInstance, Sketch, confirm
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.explorer.smt.predicate import clauses
from tidegate.explorer.smt.prover import Doubt, Prover, SettledDoubt
from tidegate.explorer.smt.questions import Questions
from tidegate.explorer.smt.states import fresh_state
from tidegate.explorer.smt.symmetry import distinct
from tidegate.explorer.smt.terms import formula
from tidegate.explorer.smt.transition import instances
from tidegate.explorer.smt.vacuity import ReachedStates
from tidegate.language.binding import load
from tidegate.language.ir import Function
from tidegate.language.proof import Obligation

TEXT = '''"""Nodes that are marked, in one round after the other."""

from __future__ import annotations

from typing import Annotated

from tidegate.language import Domain, Map, Range, action, constant, initial, invariant, lemma, limit, state

last = constant(2, minimum=1, maximum=4, says="the last round")
Round = Annotated[int, Range(0, last)]


class Node(Domain, size=4, symmetric=True):
    """One of four."""


@state
class Marks:
    """Who is marked in which round."""

    round: Round
    marked: Map[Round, Map[Node, bool]]


@initial
def nobody() -> Marks:
    """No mark."""
    return Marks(round=0, marked=Map({at: Map({node: False for node in Node}) for at in range(last + 1)}))


@action
def mark(s: Marks, one: Node) -> None:
    """One is marked, and no other."""
    limit(s.round < last)
    s.round += 1
    s.marked[s.round] = Map({node: node == one for node in Node})


@action
def mark_others(s: Marks, one: Node, other: Node) -> None:
    """All others are marked."""
    s.marked[s.round] = Map({node: node != one and node != other for node in Node})


@lemma
def one_mark(s: Marks) -> bool:
    """No two are marked."""
    return all(
        not (s.marked[at][one] and s.marked[at][other])
        for at in range(last + 1)
        for one in Node
        for other in Node
        if one != other
    )


@invariant
def few_marks(s: Marks) -> bool:
    """Of three, two have no mark."""
    return all(
        not (s.marked[at][one] and s.marked[at][other] and s.marked[at][third])
        for one in Node
        for other in Node
        for third in Node
        if one != other and other != third and one != third
        for at in range(last + 1)
    )
'''


@pytest.fixture
def made(tmp_path: Path) -> Induction:
    path = tmp_path / "marks.py"
    path.write_text(TEXT, encoding="utf-8")
    definition = load(path)
    return Induction(definition, definition.bind(), ProofRequest())


def members(made: Induction, goal: str, met: int) -> list[tuple[int, ...]]:
    """For which members a goal is proved when so many are named already."""
    encoding = unbounded_encoding(made.model)
    questions = Questions(made.model, made.symmetric, SolverEffort())
    form = cast(Function, questions.predicates[goal].form)
    some = clauses(form, encoding, fresh_state(made.model, encoding, "0"), suffix="g")
    case = [(z3.Int(f"free{at}"), z3.IntVal(at)) for at in range(met)]
    return [tuple(number for _, number in clause.members) for clause in distinct(some, None, case, made.symmetric)]


def test_members_that_no_text_can_tell_apart_are_met_in_order(made: Induction) -> None:
    assert members(made, "one_mark", 0) == [(0, 1)]
    assert members(made, "few_marks", 0) == [(0, 1, 2)]
    assert members(made, "one_mark", 1) == [(0, 1), (1, 0), (1, 2)]
    assert len(members(made, "one_mark", 3)) == len(members(made, "one_mark", 4)) == 4 * 3


def test_what_is_true_is_proved_and_what_breaks_only_for_others_is_not(made: Induction) -> None:
    """`mark_others` marks two that no argument names."""
    proof = made.prove(lambda _: None)
    found = {(finding.obligation.action, finding.obligation.goal): finding.word for finding in proof.findings}
    assert found["mark_others", "one_mark"] == "refuted"
    assert found["mark", "one_mark"] == "proved"
    assert set(found.values()) == {"proved", "refuted"}


def test_few_goals_say_what_all_of_them_say(made: Induction) -> None:
    """Whether members are distinguished or not, the same is proved."""
    together = Questions(made.model, made.symmetric, SolverEffort())
    apart = Questions(made.model, frozenset(), SolverEffort())
    asked = [Obligation("step", goal, action) for action in made.actions() for goal in together.predicates]
    for obligation in asked:
        assert together.ask(obligation, hard=False).proved == apart.ask(obligation, hard=False).proved, obligation


def test_a_copy_that_is_asked_about_all_goals_at_once_finds_what_it_finds_of_each(made: Induction) -> None:
    """Whether a goal is broken in a copy, whichever goals are asked about beside it, and plain Python agrees."""
    for number in range(len(made.instances)):
        copy = FiniteInstance(made.instances, number, made.symmetric)
        for action in ("", *made.actions()):
            asked = [obligation for obligation in made.obligations() if obligation.action == action]
            found = dict(copy.sketches(asked))
            assert [*found] == [obligation for obligation in asked if obligation in found]
            assert {*found} == {obligation for obligation in asked if isinstance(copy.sketch(obligation), Sketch)}
            assert all(confirm(made.instances, obligation, sketch) for obligation, sketch in found.items())


def test_a_copy_that_takes_more_work_than_is_given_is_not_known(
    made: Induction, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bound is on the solver's steps, and not on time: a busy machine finds the same."""
    copy, asked = FiniteInstance(made.instances, 0, made.symmetric), Obligation("step", "one_mark", "mark_others")
    assert isinstance(copy.sketch(asked), Sketch)
    monkeypatch.setattr(finite_instances, "WORK", 1)
    assert copy.sketch(asked) is False


def test_instances_that_differ_by_a_renaming_are_made_once(made: Induction) -> None:
    """The first of each kind, and as where all are made."""
    encoding = unbounded_encoding(made.model)
    before = fresh_state(made.model, encoding, "0")
    every = instances(made.model, encoding, before, "a")
    few = instances(made.model, encoding, before, "a", symmetric=made.symmetric)
    chosen = [tuple(member.index for member in one.concrete.values()) for one in few]
    assert (len(every), chosen) == (4 + 4 * 4, [(0,), (0, 0), (0, 1)])
    same = [
        instance
        for instance in every
        if (instance.action, instance.concrete) in [(one.action, one.concrete) for one in few]
    ]
    for one, other in zip(few, same, strict=True):
        assert (one.valid, one.guard, one.limit) == (other.valid, other.guard, other.limit)
        assert formula(one.defined).eq(formula(other.defined))


@pytest.mark.parametrize(
    ("condition", "is_empty"),
    [
        ("s.marked[at][one] and not s.marked[at][one]", True),
        ("one != other and s.marked[at][one] and s.marked[at][other]", True),
        ("one != other and s.marked[at][other] and s.marked[at][third] and third != other", True),
        ("s.marked[at][one] and s.marked[at][other]", False),
        ("one != other and s.marked[at][one] and s.marked[at][third]", False),
        ("one != other and other != third and s.marked[at][third]", False),
    ],
)
def test_whether_a_goal_is_vacuous_does_not_depend_on_whether_members_are_told_apart(
    condition: str, is_empty: bool, tmp_path: Path
) -> None:
    """Few clauses of a goal about all members stand for the others also where its antecedents are what is asked."""
    path = tmp_path / "marks.py"
    members = "for at in range(last + 1) for one in Node for other in Node for third in Node"
    claim = f'    """Of what is marked."""\n    return all(s.round > last {members} if {condition})\n'
    path.write_text(f"{TEXT}\n\n@invariant\ndef claim(s: Marks) -> bool:\n{claim}", encoding="utf-8")
    definition = load(path)
    made = Induction(definition, definition.bind(), ProofRequest(lemmas=("one_mark",), properties=("claim",)))
    for symmetric in (made.symmetric, frozenset[str]()):
        prover = Prover(replace(made.ground(), symmetric=symmetric), ReachedStates(made.within, (), ()))
        assert [*prover.work(Doubt(goal="claim"))] == [
            SettledDoubt(Doubt(goal="claim"), "empty" if is_empty else "full")
        ]
