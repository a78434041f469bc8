"""Tuples and unions of records mean the same in every engine, with and without symmetry, in traces and in JSON."""

from __future__ import annotations

import json
from pathlib import Path
from textwrap import dedent

import pytest
from tidegate.explorer.native.search import check as native
from tidegate.explorer.search import Search
from tidegate.explorer.smt.encoding import finite_encoding
from tidegate.explorer.symmetry import symmetry_of
from tidegate.language.binding import load
from tidegate.language.errors import ModelErrors
from tidegate.language.judge import initial_states, run_text
from tidegate.language.steptext import format_step
from tidegate.traces.differences import state_to_json
from tidegate.traces.document import run_document

from ...support.engines import agree, bind_text, reachable_states, text_of
from ...support.smt import formula_report, judge_report

BEFORE = """
class Node(Domain, size=2, symmetric=True):
    '''A node.'''


@record
class Vote:
    '''A vote.'''

    source: Node
    term: Small


@record
class Ack:
    '''An answer; its fields are in another order than a vote's.'''

    term: Small
    source: Node
    done: bool


@record
class Stop:
    '''The end, which has no fields.'''


Message = Vote | Ack | Stop


def first_of(pair: tuple[int, bool], other: tuple[Small, bool]) -> tuple[int, bool]:
    '''One of two pairs.'''
    number, on = pair
    if on:
        return number, False
    return other
"""
FIELDS = """
network: Annotated[Set[Message], Capacity(2)]
last: Message | None
pair: tuple[Node, Small]
log: Annotated[Seq[tuple[Small, bool]], Capacity(2)]
seen: Annotated[Set[tuple[Node, Color]], Capacity(1)]
"""
START = "network=Set()\nlast=None\npair=(Node(0), 0)\nlog=Seq()\nseen=Set()"
BODY = """
@action
def vote(s: World, node: Node) -> None:
    '''{node} votes.'''
    limit(len(s.network) < 2)
    who, term = s.pair
    s.network.add(Vote(source=node, term=term))
    s.pair = who, (term + 1) % 3


@action
def handle(s: World, m: Message) -> None:
    '''{m} arrives.'''
    s.network.remove(m)
    match m:
        case Vote(source=a, term=t) if t > 0:
            s.network.add(Ack(t, a, t == 2))
        case Vote(term=t):
            s.network.add(Stop())
        case Ack(done=True) as ack:
            s.pair = ack.source, 2
            s.seen = Set([(ack.source, Color.RED)])
        case Ack():
            s.pair = (m.source, m.term)
        case Stop():
            if len(s.log) < 2:
                s.log.append(first_of((s.pair[1], True), (1, True)))
    s.last = m


@action
def forget(s: World) -> None:
    '''What came last is forgotten.'''
    require(isinstance(s.last, Ack | Stop))
    match s.last:
        case Ack(source=a):
            s.pair, s.last = (a, 0), None
        case other:
            s.last = None
    for i, (number, on) in enumerate(s.log):
        if on or number == i:
            s.log[i] = (0, on)


@invariant
def terms(s: World) -> bool:
    '''A property over a union.'''
    return all(isinstance(m, Stop) or m.term <= 2 for m in s.network) and (s.pair[0], Color.BLUE) not in s.seen


@reachable
def stopped(s: World) -> bool:
    '''A witness over tuples.'''
    return any(n == 2 and not on for n, on in s.log) and Stop() in s.network and s.last == Vote(s.pair[0], 0)
"""


@pytest.fixture(scope="module")
def text() -> str:
    return text_of(FIELDS, START, BODY, before=BEFORE)


@pytest.mark.parametrize("symmetry", [False, pytest.param(True, marks=pytest.mark.long)])
def test_every_engine_agrees(text: str, symmetry: bool, tmp_path: Path) -> None:
    model = bind_text(tmp_path, text)
    verdict = agree(model, symmetry=symmetry)
    assert verdict is not None
    assert (verdict.failure, (verdict.distinct_states or 0) > 300) == (None, True)
    assert {prop.name: prop.verdict for prop in verdict.properties} == {"terms": "holds", "stopped": "reached"}
    assert symmetry_of(model).refusals == ()
    encoding = finite_encoding(model)
    for state in reachable_states(model, 3, seed=1):
        assert sorted(formula_report(model, encoding, state)) == sorted(judge_report(model, state))


def test_a_union_with_an_open_bound(text: str, tmp_path: Path) -> None:
    before = "most = constant(2, minimum=2, maximum=3, says='a bound')\n\n" + BEFORE.replace(
        "term: Small", "term: Term"
    )
    before = before.replace("\n@record", "\nTerm = Annotated[int, Range(0, most)]\n\n\n@record", 1)
    body = BODY.replace("case Ack(done=True) as ack", "case Ack(term=2, done=True) as ack")
    path = tmp_path / "opened.py"
    path.write_text(text_of(FIELDS, START, body, before=before))
    opened, folded = (native(load(path).bind(open=names), Search()) for names in ({"most"}, ()))
    assert (opened.verdict, opened.distinct_states) == (folded.verdict, folded.distinct_states)


def test_a_trace_says_which_record_a_message_is(text: str, tmp_path: Path) -> None:
    model = bind_text(tmp_path, text)
    run = run_text(model, "vote(A); vote(B); handle(Vote(source=B, term=1))")
    assert format_step("handle", run.steps[-1].arguments) == "handle(Vote(source=B, term=1))"
    made = state_to_json(run.steps[-1].state_after)
    assert made["network"] == [
        {"@": "Ack", "term": 1, "source": "B", "done": False}, {"@": "Vote", "source": "A", "term": 0},
    ]  # fmt: skip
    assert (made["last"], made["pair"]) == ({"@": "Vote", "source": "B", "term": 1}, ["A", 2])
    assert json.loads(json.dumps(made)) == made
    assert state_to_json(next(initial_states(model)))["last"] is None


@pytest.mark.parametrize(
    ("was", "now", "code"),
    [
        ("who, term = s.pair", "who, term, more = s.pair", "TG203"),
        ("s.pair = who, (term + 1) % 3", "s.pair = who, who", "TG203"),
        ("s.pair[0], Color.BLUE", "s.pair[2], Color.BLUE", "TG215"),
        ("m.term <= 2", "m.turn <= 2", "TG202"),
        ("isinstance(m, Stop)", "isinstance(m, Color)", "TG203"),
        ("case Stop():", "case Stop(at=x):", "TG202"),
        ("case Stop():", "case Color():", "TG203"),
        ("Vote | Ack | Stop", "Vote | Ack | Color", "TG209"),
    ],
)
def test_what_is_refused(text: str, was: str, now: str, code: str, tmp_path: Path) -> None:
    with pytest.raises(ModelErrors) as caught:
        bind_text(tmp_path, text.replace(was, now))
    assert code in {error.code for error in caught.value.errors}


def test_a_field_that_a_record_does_not_have_is_an_error_of_the_model(text: str, tmp_path: Path) -> None:
    model = bind_text(tmp_path, text.replace("isinstance(m, Stop) or m.term", "m.term"))
    verdict = agree(model)
    assert verdict is not None and verdict.failure is not None


def test_a_map_has_no_tuples_for_keys(tmp_path: Path) -> None:
    with pytest.raises(ModelErrors, match=r"Map\[bool, Map\[bool, V\]\]"):
        bind_text(tmp_path, text_of("table: Map[tuple[bool, bool], bool]", "table=0", BODY, before=BEFORE))


def test_a_piece_of_the_state_may_be_written_with_others(tmp_path: Path) -> None:
    body = """
def exchange(table: Map[bool, Small], number: Small) -> None:
    '''Two cells change places, and one is counted on.'''
    table[False], table[True] = table[True], min(number, table[False] + 1)


@action
def go(s: World, number: Small) -> None:
    '''A step.'''
    exchange(s.table, number)
"""
    start = "table=Map({b: 0 for b in (False, True)})"
    verdict = agree(bind_text(tmp_path, text_of("table: Map[bool, Small]", start, body)))
    assert verdict is not None
    assert (verdict.failure, verdict.distinct_states) == (None, 16)


def test_why_a_property_fails_that_asks_which_record_of_a_union_a_value_is(tmp_path: Path) -> None:
    before = BEFORE.replace("Message =", "Answer = Vote | Ack\nMessage =")
    body = """
    @action
    def answer(s: World, node: Node) -> None:
        '''{node} answers.'''
        s.given[node] = Ack(term=1, source=node, done=False)


    @invariant
    def nobody(s: World) -> bool:
        '''Nobody answers.'''
        return not any(isinstance(s.given[node], Ack) for node in Node)
    """
    start = "given=Map({node: Vote(source=node, term=0) for node in Node})"
    model = bind_text(tmp_path, text_of("given: Map[Node, Answer]", start, dedent(body), before=before))
    document = run_document(model, run_text(model, "answer(A)"))
    said = " ".join(row["text"] for row in document["argument"])
    assert "A's given became Ack(term=1, source=A) at step 1" in said
    assert "A's given is of the kind Ack" in said
    assert "@kind" not in json.dumps(document)


WIDER = """
def passed_on(s: World, what: Vote | Stop) -> None:
    '''One of two kinds goes on, among three.'''
    s.last = what
    s.network.add(what)


@action
def vote(s: World, node: Node, term: Small) -> None:
    '''{node} votes.'''
    require(len(s.network) < 2)
    passed_on(s, Vote(source=node, term=term))


@action
def stop(s: World) -> None:
    '''It is over.'''
    require(len(s.network) < 2)
    passed_on(s, Stop())
    s.kept = Stop()


@action
def keep(s: World, node: Node) -> None:
    '''What is kept comes last, or nothing.'''
    s.last = s.kept
    if s.kept is None:
        s.kept = Vote(source=node, term=2)
    else:
        s.kept = None


@invariant
def known(s: World) -> bool:
    '''What came last is no answer, and what is kept may be what came last.'''
    return not isinstance(s.last, Ack) and (s.kept is None or s.kept == s.kept)
"""


@pytest.mark.parametrize("symmetry", [False, True])
def test_a_union_is_taken_for_one_that_has_more_records(symmetry: bool, tmp_path: Path) -> None:
    """Of a value, and of an option, in every engine."""
    fields = "network: Annotated[Set[Message], Capacity(2)]\nlast: Message | None\nkept: Vote | Stop | None"
    model = bind_text(tmp_path, text_of(fields, "network=Set()\nlast=None\nkept=None", WIDER, before=BEFORE))
    verdict = agree(model, symmetry=symmetry)
    assert verdict is not None and (verdict.verdict, verdict.failure) == ("holds", None)
    encoding = finite_encoding(model)
    for state in reachable_states(model, 3, seed=1):
        assert sorted(formula_report(model, encoding, state)) == sorted(judge_report(model, state))


OPTIONS = """
@action
def swap(s: World, number: Small) -> None:
    '''None is None, whatever else the field may hold.'''
    s.few = s.many
    if s.many is None:
        s.many = {number}
    else:
        s.many = None


@invariant
def few(s: World) -> bool:
    '''It is one number.'''
    return s.few is None or len(s.few) == 1
"""


def test_an_option_of_a_set_of_other_numbers_may_be_none(tmp_path: Path) -> None:
    """Plain Python asked for a value where the field takes None."""
    fields = "few: Set[Small] | None\nmany: Set[Annotated[int, Range(0, 5)]] | None"
    verdict = agree(bind_text(tmp_path, text_of(fields, "few=None\nmany=None", OPTIONS)))
    assert verdict is not None and (verdict.verdict, verdict.failure) == ("holds", None)
