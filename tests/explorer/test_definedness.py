"""Where the order of a loop's rounds decides whether an expression is defined."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer.definedness import undefined_in_some_order
from tidegate.language import ir

from ..support.engines import bind_text, text_of


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("any(n == m or 6 // s.n[m] > 2 for m in Node)", 1),
        ("any(n == m or s.n[m] > 2 for m in Node)", 0),
        ("any(s.n[m] != 0 and 6 // s.n[m] > 2 for m in Node)", 0),
        ("any(n == m or 6 // (s.n[m] + 1) > 2 for m in Node)", 0),
        ("all(n == m or 6 // s.n[m] > 2 for m in Node)", 1),
        ("sum(s.n[m] for m in Node) > 1", 0),
        ("6 // s.n[n] > 2", 0),
    ],
)
def test_a_round_that_another_may_hide(condition: str, found: int, tmp_path: Path) -> None:
    body = f"@action\ndef step(s: World, n: Node) -> None:\n    '''A step.'''\n    require({condition})\n    s.n[n] = 1"
    model = bind_text(tmp_path, text_of("n: Map[Node, Small]", "n=Map({n: 0 for n in Node})", body))
    places = list(undefined_in_some_order(model.actions[0].form, lambda source: isinstance(source, ir.Members)))
    assert len(places) == found


RECORDS = """
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

    source: Node
    term: Annotated[int, Range(-1, 3)]


@record
class Lead:
    '''A leader.'''

    source: Node
    seen: Node | None


@record
class Stop:
    '''The end.'''


Message = Vote | Ack | Lead | Stop


def is_vote(m: Message) -> bool:
    '''Whether it is a vote.'''
    return isinstance(m, Vote)
"""
VOTES = """
def votes(s: World) -> Set[Message]:
    '''The votes.'''
    return {m for m in s.net if isinstance(m, Vote)}
"""


@pytest.mark.parametrize(
    ("condition", "found"),
    [
        ("any(m.source == n for m in s.net)", 1),
        ("any(isinstance(m, Vote) and m.source == n for m in s.net)", 0),
        ("any(isinstance(m, Vote) or m.source == n for m in s.net)", 1),
        ("any(not isinstance(m, Stop) and m.source == n for m in s.net)", 0),
        ("any(isinstance(m, Stop) or m.source == n for m in s.net)", 0),
        ("any(is_vote(m) and m.source == n for m in s.net)", 0),
        ("any(not is_vote(m) and m.source == n for m in s.net)", 1),
        ("any(isinstance(m, (Ack, Vote)) and m.source == n for m in s.net)", 0),
        ("any((is_vote(m) or isinstance(m, Ack)) and m.source == n for m in s.net)", 0),
        ("any((is_vote(m) or isinstance(m, Stop)) and m.source == n for m in s.net)", 1),
        ("any((is_vote(m) or m == Stop()) and m.source == n for m in s.net)", 1),
        ("all(m.source == n for m in s.net if isinstance(m, Vote | Ack))", 0),
        ("any(m.source == n for m in {m for m in s.net if isinstance(m, Vote)})", 0),
        ("any(m.source == n for m in {m for m in s.net if isinstance(m, Vote) or isinstance(m, Stop)})", 1),
        ("any(m.source == n for m in votes(s))", 0),
        ("any(isinstance(m, Lead) and m.seen is not None and m.seen == n for m in s.net)", 0),
        ("any(is_vote(m) and m.source != n for m in s.net) or any(m.source == n for m in s.net)", 1),
    ],
)
def test_a_record_that_was_asked_for_has_its_fields(condition: str, found: int, tmp_path: Path) -> None:
    body = f"{VOTES}\n\n@action\ndef step(s: World, n: Node) -> None:\n    '''A step.'''\n    require({condition})\n"
    body += "    s.net.add(Stop())"
    fields = "net: Annotated[Set[Message], Capacity(2)]"
    model = bind_text(tmp_path, text_of(fields, "net=Set()", body, before=RECORDS))
    places = list(undefined_in_some_order(model.actions[0].form, lambda source: isinstance(source, ir.Elements)))
    assert bool(places) == bool(found)


def test_what_is_known_of_a_sets_elements_ends_with_the_set(tmp_path: Path) -> None:
    body = """
    @action
    def step(s: World, n: Node) -> None:
        '''A step.'''
        known = {m for m in s.net if isinstance(m, Vote)}
        if n == Node(0):
            known = {m for m in s.net}
        require(not any(m.source == n for m in known))
        s.net.add(Stop())
    """
    model = bind_text(tmp_path, text_of("net: Annotated[Set[Message], Capacity(2)]", "net=Set()", body, before=RECORDS))
    assert list(undefined_in_some_order(model.actions[0].form, lambda source: isinstance(source, ir.Elements)))
