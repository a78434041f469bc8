"""Lanes: the members that a bound model has, and names that tell members of two domains apart."""

from __future__ import annotations

from pathlib import Path

from tidegate.language.lanes import LaneNames, domain_members

from ..support.engines import bind_text, text_of
from ..support.traces import bind_model as shipped

TWO = """
class Node(Domain, size=2):
    '''A node.'''


class Client(Domain, size=1):
    '''A client.'''


class Room(Domain, size=1, labels=["hall"]):
    '''A room.'''
"""


def test_members_are_as_many_as_the_constants_say() -> None:
    model = shipped("examples/lock.py:careful", clients=3)
    (domain,) = model.domains
    assert [repr(member) for member in domain_members(model, domain.python)] == ["A", "B", "C"]


def test_a_label_that_two_domains_have_has_its_domain_before_it(tmp_path: Path) -> None:
    fields = "up: Map[Node, bool]\nmet: Map[Client, bool]\nlit: Map[Room, bool]"
    start = "up=Map({n: False for n in Node})\nmet=Map({c: False for c in Client})\nlit=Map({r: False for r in Room})"
    body = "@action\ndef step(s: World, n: Node) -> None:\n    '''A step.'''\n    s.up[n] = True"
    model = bind_text(tmp_path, text_of(fields, start, body, before=TWO))
    assert sorted(LaneNames(model).listed) == [
        ("B", "node"), ("Client A", "client"), ("Node A", "node"), ("hall", "room"),
    ]  # fmt: skip
