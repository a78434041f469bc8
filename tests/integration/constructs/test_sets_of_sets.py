"""Sets of sets, of records and of tuples of which there are few need no capacity, and mean the same in every engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer.smt.encoding import finite_encoding
from tidegate.explorer.symmetry import symmetry_of
from tidegate.language.errors import ModelErrors
from tidegate.language.judge import run_text
from tidegate.traces.differences import state_to_json
from tidegate.traces.document import run_document

from ...support.engines import agree, bind_text, reachable_states, text_of
from ...support.smt import formula_report, judge_report

BEFORE = """
class Node(Domain, size=2, symmetric=True):
    '''A node.'''


@record
class Note:
    '''A message of which there are four.'''

    by: Node
    on: bool
"""
FIELDS = "quorums: Set[Set[Node]]\nnotes: Set[Note]\npairs: Set[tuple[bool, Color]]\nlast: Set[Node]"
START = "quorums=Set()\nnotes=Set()\npairs=Set([(True, Color.RED)])\nlast=Set()"
BODY = """
@action
def learn(s: World, some: Set[Node]) -> None:
    '''A quorum.'''
    require(some not in s.quorums and all(len(some & other) > 0 for other in s.quorums))
    s.quorums.add(some)
    for quorum in s.quorums:
        assert quorum <= Set(Node)
    s.last = some


@action
def send(s: World, node: Node, on: bool) -> None:
    '''A note.'''
    s.notes.add(Note(by=node, on=on))


@action
def answer(s: World, note: Note) -> None:
    '''A note is answered.'''
    s.notes.remove(note)
    s.pairs.add((note.on, Color.BLUE))
    if Set([note.by]) in s.quorums:
        s.quorums.discard({note.by})
        s.quorums.add(Set())


@invariant
def small(s: World) -> bool:
    '''A claim of all quorums.'''
    most = sum(1 for q in s.quorums if is_majority(q))
    return most <= 4 and all(len(q & s.last) > 0 or len(q) < 2 for q in s.quorums)
"""


@pytest.mark.parametrize("symmetry", [False, True])
def test_every_engine_agrees(symmetry: bool, tmp_path: Path) -> None:
    model = bind_text(tmp_path, text_of(FIELDS, START, BODY, before=BEFORE))
    verdict = agree(model, symmetry=symmetry)
    assert verdict is not None
    assert (verdict.failure, (verdict.distinct_states or 0) > 200) == (None, True)
    assert symmetry_of(model).refusals == ()
    encoding = finite_encoding(model)
    for state in reachable_states(model, 2, seed=1):
        assert sorted(formula_report(model, encoding, state)) == sorted(judge_report(model, state))


def test_sets_in_a_trace_are_sets(tmp_path: Path) -> None:
    run = run_text(bind_text(tmp_path, text_of(FIELDS, START, BODY, before=BEFORE)), "learn({A}); learn({A, B})")
    assert state_to_json(run.steps[-1].state_after)["quorums"] == [["A"], ["A", "B"]]


@pytest.mark.parametrize(
    ("annotation", "code", "cause"),
    [
        ("Set[tuple[Small, Small, Color, bool]]", "TG405", "to 96 members"),
        ("Set[tuple[Node, Annotated[Seq[Small], Capacity(2)]]]", "TG405", "without end"),
        ("Set[Set[Set[Node]]]", "TG217", "a Set cannot hold"),
    ],
)
def test_what_is_refused(annotation: str, code: str, cause: str, tmp_path: Path) -> None:
    with pytest.raises(ModelErrors, match=cause) as caught:
        bind_text(tmp_path, text_of(f"{FIELDS}\nmore: {annotation}", f"{START}\nmore=Set()", BODY, before=BEFORE))
    assert code in {error.code for error in caught.value.errors}


def test_a_trace_shows_sets_of_sets_and_of_tuples_and_its_messages_are_records(tmp_path: Path) -> None:
    text = text_of(FIELDS, START, BODY, before=BEFORE).replace("return most <= 4 and", "return most < 1 and")
    model = bind_text(tmp_path, text)
    run = run_text(model, "send(A, true); answer(Note(by=A, on=true)); learn({A}); learn({A, B})")
    document = run_document(model, run)
    shown = [text for step in document["steps"] for text in step["changed"]]
    assert "quorums: + {A, B}" in shown
    assert "pairs: + (true, BLUE)" in shown
    assert [(message["pool"], message["end"]) for message in document["messages"]] == [("notes", "received")]
