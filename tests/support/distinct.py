"""What the tests of goals about symmetric domains share."""

from __future__ import annotations

from pathlib import Path
from typing import cast

import z3
from tidegate.explorer.smt.effort import SolverEffort
from tidegate.explorer.smt.encoding import unbounded_encoding
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.explorer.smt.predicate import clauses_of_predicate
from tidegate.explorer.smt.questions import ProofQuestions
from tidegate.explorer.smt.states import fresh_state
from tidegate.explorer.smt.symmetry import drop_renamed_clauses
from tidegate.language.binding import load
from tidegate.language.ir import Function

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


def induction_of_marks(folder: Path) -> Induction:
    """The induction of a model whose members no text tells apart."""
    path = folder / "marks.py"
    path.write_text(TEXT, encoding="utf-8")
    definition = load(path)
    return Induction(definition, definition.bind(), ProofRequest())


def members(made: Induction, goal: str, met: int) -> list[tuple[int, ...]]:
    """For which members a goal is proved when so many are named already."""
    encoding = unbounded_encoding(made.model)
    questions = ProofQuestions(made.model, made.symmetric, SolverEffort())
    form = cast(Function, questions.predicates[goal].form)
    some = clauses_of_predicate(form, encoding, fresh_state(made.model, encoding, "0"), suffix="g")
    case = [(z3.Int(f"free{at}"), z3.IntVal(at)) for at in range(met)]
    return [
        tuple(number for _, number in clause.members)
        for clause in drop_renamed_clauses(some, None, case, made.symmetric)
    ]
