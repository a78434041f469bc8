"""A proof of a model whose number of nodes is a `constant`: it ended in an error of Z3's parser once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.language.binding import load

HEADER = '''"""A proof over a number of nodes."""

from typing import Annotated

from tidegate.language import (
    Domain, Map, Option, Range, Set, action, constant, initial, invariant, lemma, require, state
)

nodes = constant(3, minimum=2, maximum=5, says="nodes")
'''
MODELS = {
    "a domain of that size": '''
class Node(Domain, size=nodes, symmetric=True):
    """A node."""


@state
class World:
    """Who has the lock."""

    holder: Option[Node]
    inside: Set[Node]


@initial
def start() -> World:
    """Nobody."""
    return World(holder=None, inside=Set())


@action
def enter(s: World, node: Node) -> None:
    """{node} enters."""
    require(s.holder is None)
    s.holder = node
    s.inside.add(node)


@action
def leave(s: World, node: Node) -> None:
    """{node} leaves."""
    require(s.holder == node)
    s.holder = None
    s.inside.discard(node)


@invariant
def alone(s: World) -> bool:
    """Only the holder is inside."""
    return all(s.holder == n for n in s.inside)
''',
    "integers as keys": '''
Node = Annotated[int, Range(0, nodes - 1)]


@state
class World:
    """Who has the token."""

    holds: Map[Node, bool]


@initial
def start() -> World:
    """The first."""
    return World(holds=Map({n: n == 0 for n in range(nodes)}))


@action
def hand_over(s: World, node: Node) -> None:
    """Node {node} hands it over."""
    require(s.holds[node])
    s.holds[node] = False
    s.holds[(node + 1) % nodes] = True


@invariant
def one_token(s: World) -> bool:
    """There is one."""
    return all(not s.holds[a] or not s.holds[b] or a == b for a in range(nodes) for b in range(nodes))
''',
    "a ring": '''
class Node(Domain, size=nodes, ordered=True):
    """A node."""


@state
class World:
    """Who has the token."""

    holds: Map[Node, bool]


@initial
def start() -> World:
    """The first."""
    return World(holds=Map({n: n == Node(0) for n in Node}))


@action
def hand_over(s: World, node: Node) -> None:
    """{node} hands it over."""
    require(s.holds[node])
    s.holds[node] = False
    s.holds[next(node)] = True


@invariant
def one_token(s: World) -> bool:
    """There is one."""
    return all(not s.holds[a] or not s.holds[b] or a == b for a in Node for b in Node)
''',
    "a number up to it": '''
class Node(Domain, size=nodes, symmetric=True):
    """A node."""


@state
class World:
    """Who has signed, and how many."""

    signed: Set[Node]
    count: Annotated[int, Range(0, nodes)]


@initial
def start() -> World:
    """Nobody."""
    return World(signed=Set(), count=0)


@action
def sign(s: World, node: Node) -> None:
    """{node} signs."""
    require(node not in s.signed)
    s.signed.add(node)
    s.count = len(s.signed)


@invariant
def counted(s: World) -> bool:
    """All are counted."""
    return s.count == len(s.signed)
''',
}
WRONG = {
    "a domain of that size": ("require(s.holder is None)", "require(s.holder != node)"),
    "integers as keys": ("    s.holds[node] = False\n", ""),
    "a ring": ("    s.holds[node] = False\n", ""),
    "a number up to it": ("len(s.signed)\n\n\n@invariant", "0\n\n\n@invariant"),
}


@pytest.mark.parametrize("count", [2, pytest.param(4, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", MODELS)
def test_a_number_of_nodes_may_be_a_constant(tmp_path: Path, name: str, count: int) -> None:
    words: dict[str, str] = {}
    for variant, text in (("right", MODELS[name]), ("wrong", MODELS[name].replace(*WRONG[name]))):
        assert (variant == "wrong") == (text != MODELS[name])
        path = tmp_path / f"{variant}.py"
        claim = re.sub(r"@invariant\ndef \w+", "@lemma\ndef kept", text[text.index("@invariant") :])
        path.write_text(f"{HEADER}{text}\n\n{claim}")
        definition = load(path)
        proof = Induction(definition, definition.bind(str(path), {"nodes": count}), ProofRequest()).prove(
            lambda _: None
        )
        words[variant] = proof.word if proof.word != "not proved" else str(proof.findings)
    assert words == {"right": "proved", "wrong": "refuted"}


UNEVEN = '''"""A climber, and a wall that is as high as the room is wide, or is not."""

from typing import Annotated

from tidegate.language import Range, action, constant, initial, lemma, limit, state

tall = constant(2, minimum=1, maximum=4, says="how high the wall is")
wide = constant(2, minimum=1, maximum=4, says="how wide the room is")


@state
class Room:
    """Where the climber is."""

    high: Annotated[int, Range(0, tall)]
    along: Annotated[int, Range(0, wide)]


@initial
def below() -> Room:
    """On the ground."""
    return Room(high=0, along=0)


@action
def climb(s: Room) -> None:
    """It climbs to {s.high}."""
    limit(s.high < tall)
    s.high += 1


@lemma
def no_higher_than_wide(s: Room) -> bool:
    """True only of a wall that is no higher than the room is wide."""
    return s.high <= wide
'''


def test_what_is_wrong_only_where_two_bounds_differ_is_refuted(tmp_path: Path) -> None:
    path = tmp_path / "room.py"
    path.write_text(UNEVEN, encoding="utf-8")
    definition = load(path)
    proof = Induction(definition, definition.bind(), ProofRequest(workers=1)).prove(lambda _: None)
    (found,) = [finding for finding in proof.findings if finding.word != "proved"]
    assert (found.word, found.obligation.action) == ("refuted", "climb")
    assert found.counterexample is not None
    values = found.counterexample.model.values
    assert (values["tall"], values["wide"]) == (2, 1)
