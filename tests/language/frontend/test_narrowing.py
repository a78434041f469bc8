"""`isinstance` says of a name which record of its union it is, in every engine, as `match` does."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer.smt.encoding import finite_encoding
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.language.binding import load
from tidegate.language.errors import ModelErrors

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
    '''An answer.'''

    done: bool


@record
class Stop:
    '''The end.'''


Message = Vote | Ack | Stop


def late(vote: Vote) -> bool:
    '''Whether a vote comes late.'''
    return vote.term > 1


def done(ack: Ack) -> bool:
    '''Whether an answer is the last.'''
    return ack.done


def answered(m: Vote | Ack) -> bool:
    '''Whether it is an answer.'''
    return isinstance(m, Ack)


def urgent(m: Message) -> bool:
    '''Whether a message comes first.'''
    if isinstance(m, Stop):
        return True
    if not isinstance(m, Vote):
        return done(m)
    return late(m)


def numbered(m: Message | None) -> int:
    '''The number of a message.'''
    return m.term if isinstance(m, Vote) and late(m) else 1 if isinstance(m, Ack) and done(m) else 0
"""
FIELDS = "net: Annotated[Set[Message], Capacity(2)]\nlast: Message | None\nvote: Vote | None\ncount: Small"
START = "net=Set()\nlast=None\nvote=None\ncount=0"
BODY = """
@action
def send(s: World, node: Node, term: Small) -> None:
    '''{node} votes.'''
    require(term > 0)
    limit(len(s.net) < 2)
    s.net.add(Vote(node, term))


@action
def handle(s: World, m: Message) -> None:
    '''{m} arrives.'''
    s.net.discard(m)
    s.last = m
    s.count = numbered(m)
    if isinstance(m, Vote):
        s.vote = m
        s.net.add(Ack(late(m)))
    elif isinstance(m, Ack):
        s.net.add(Stop() if done(m) else m)
    else:
        assert isinstance(m, Stop)
        s.vote = None


@action
def again(s: World, m: Message) -> None:
    '''{m} comes again, if it is a late vote.'''
    require(isinstance(m, Vote) and late(m))
    s.net = {x for x in s.net if not isinstance(x, Vote) or not late(x)}
    s.vote = m


@action
def recall(s: World) -> None:
    '''The last vote is sent again.'''
    last = s.last
    require(isinstance(last, Vote) and late(last) and not answered(last))
    limit(len(s.net) < 2)
    s.last = None
    s.count = 0
    s.vote = last
    s.net.add(last)


@invariant
def kept(s: World) -> bool:
    '''What is asked of an answer is what it says.'''
    return all(not isinstance(m, Ack) or urgent(m) == done(m) for m in s.net)


@invariant
def numbers(s: World) -> bool:
    '''The number is that of the last message.'''
    return s.count == numbered(s.last)


@reachable
def ends(s: World) -> bool:
    '''The end comes.'''
    return any(urgent(m) and isinstance(m, Stop) for m in s.net)
"""


@pytest.fixture(scope="module")
def text() -> str:
    return text_of(FIELDS, START, BODY, before=BEFORE)


@pytest.mark.parametrize("symmetry", [False, True])
def test_every_engine_agrees(text: str, symmetry: bool, tmp_path: Path) -> None:
    model = bind_text(tmp_path, text)
    verdict = agree(model, symmetry=symmetry)
    assert verdict is not None
    assert {prop.name: prop.verdict for prop in verdict.properties} == {
        "kept": "holds", "numbers": "holds", "ends": "reached",
    }  # fmt: skip
    if not symmetry:
        encoding = finite_encoding(model)
        for state in reachable_states(model, 4, seed=1):
            assert sorted(formula_report(model, encoding, state)) == sorted(judge_report(model, state))


def test_searches_and_proofs_agree(text: str, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(text, encoding="utf-8")
    definition = load(path)
    model = definition.bind(properties=["kept"])
    proof = Induction(definition, model, ProofRequest(workers=1)).prove(lambda _: None)
    words = {finding.obligation.goal or finding.obligation.action: finding.word for finding in proof.findings}
    assert (words["kept"], words["again"]) == ("proved", "proved")


@pytest.mark.parametrize(
    "line",
    [
        "if isinstance(s.last, Vote): s.vote = s.last",
        "if not isinstance(m, Ack): s.vote = m",
        "if isinstance(m, (Vote, Ack)): s.vote = m",
        "if isinstance(m, Vote) or s.count > 0: s.vote = m",
        "x = s.last\n    require(isinstance(x, Vote))\n    x = m\n    s.vote = x",
        "x = m\n    if isinstance(x, Vote):\n        for y in s.net:\n            s.vote = x\n            x = y",
    ],
)
def test_what_it_does_not_say_is_refused(text: str, line: str, tmp_path: Path) -> None:
    """At the line, with `match` as what to write."""
    more = f"\n\n@action\ndef other(s: World, m: Message) -> None:\n    '''{{m}} comes.'''\n    {line}\n"
    with pytest.raises(ModelErrors) as caught:
        bind_text(tmp_path, text + more)
    (error,) = caught.value.errors
    assert error.code == "TG203" and error.hint.startswith("match it: case Vote() as x: ...")


def test_fields_of_one_name_may_have_other_ranges_in_records_that_it_is_not(tmp_path: Path) -> None:
    before = '''
@record
class Low:
    """One."""

    n: Annotated[int, Range(0, 1)]


@record
class Wide:
    """Two."""

    n: Annotated[int, Range(-1, 1)]
'''
    fields = "net: Annotated[Set[Low | Wide], Capacity(4)]"
    body = '''
@action
def send(s: World, n: Annotated[int, Range(0, 1)]) -> None:
    """A."""
    require(not any(isinstance(m, Low) and m.n == n for m in s.net))
    s.net.add(Low(n=n))


@action
def answer(s: World, m: Low | Wide) -> None:
    """B."""
    require(isinstance(m, Low) and m.n == 1)
    s.net.add(Wide(n=m.n - 1))


@invariant
def small(s: World) -> bool:
    """C."""
    return all(m.n >= 0 if isinstance(m, Low) else m.n < 1 for m in s.net)
'''
    verdict = agree(bind_text(tmp_path, text_of(fields, "net=Set()", body, before=before)))
    assert verdict is not None and (verdict.distinct_states, verdict.verdict) == (6, "holds")
    unasked = body.replace("m.n >= 0 if isinstance(m, Low) else m.n < 1", "m.n < 2")
    with pytest.raises(ModelErrors, match=r"n is of several types in Low \| Wide"):
        bind_text(tmp_path, text_of(fields, "net=Set()", unasked, before=before))
