"""Symmetry: the canonical form is one for a whole orbit, the counts are those of brute force, and it is refused where
text tells members apart."""

from __future__ import annotations

import itertools
from pathlib import Path
from textwrap import dedent

import pytest
from tidegate.explorer.native.search import check as native
from tidegate.explorer.renaming import _renamer, symmetry_test  # pyright: ignore[reportPrivateUsage]
from tidegate.explorer.search import Search
from tidegate.explorer.symmetry import symmetry_of
from tidegate.language.checks import members_of
from tidegate.language.drafts import Shape
from tidegate.language.judge import state_shape
from tidegate.language.model import Model
from tidegate.language.values import State

from ..support import random_models
from ..support.engines import agree, bind_text, compile_model, reachable_states, text_of
from ..support.shipped import tier_parameters, tiered_rows

TWO = """
class Node(Domain, size={nodes}, symmetric=True):
    '''A node.'''


class Pot(Domain, size={pots}, symmetric=True):
    '''A pot.'''


@record
class Note:
    '''A message.'''

    source: Node
    pots: Set[Pot]
    back: Node | None
"""

FIELDS = """
holds: Map[Node, Pot | None]
likes: Map[Node, Set[Node]]
order: Annotated[Seq[Node], Capacity(2)]
colors: Map[Pot, Color]
table: Map[Node, Map[Pot, bool]]
first: Node
notes: Annotated[Bag[Note], Capacity(2)]
keyed: Map[Color, Node | None]
"""

START = """
holds=Map({n: None for n in Node})
likes=Map({n: Set() for n in Node})
order=Seq()
colors=Map({p: Color.RED for p in Pot})
table=Map({n: Map({p: False for p in Pot}) for n in Node})
first=Node(0)
notes=Bag()
keyed=Map({c: None for c in Color})
"""

BODY = """
@action
def take(s: World, node: Node, pot: Pot) -> None:
    '''Takes.'''
    require(all(s.holds[n] != pot for n in Node))
    s.holds[node] = pot
    s.colors[pot] = Color.GREEN
    s.table[node][pot] = not s.table[node][pot]

@action
def follow(s: World, node: Node, other: Node) -> None:
    '''Follows.'''
    require(node != other and len(s.likes[node]) == 0)
    s.likes[node].add(other)
    if len(s.order) < 2:
        s.order.append(other)
    s.first = node

@action
def write(s: World, node: Node, pots: Set[Pot]) -> None:
    '''Writes.'''
    require(len(pots) > 0)
    limit(len(s.notes) < 2)
    s.notes.add(Note(node, pots, None if s.first == node else s.first))
    s.keyed[Color.BLUE] = node

@invariant
def fair(s: World) -> bool:
    '''Fair.'''
    return sum(1 for n in Node if s.holds[n] is not None) <= len(Pot)
"""


def community(folder: Path, nodes: int, pots: int) -> Model:
    """Two symmetric domains in every kind of place."""
    return bind_text(folder, text_of(FIELDS, START, BODY, before=TWO.format(nodes=nodes, pots=pots)))


def renamed_states(model: Model, state: State) -> list[State]:
    """The state under every renaming."""
    domains = symmetry_of(model).domains
    members = [members_of(domain, model.values) for domain in domains]
    renamers = [_renamer(field.type, domains) for field in model.fields]
    shape: Shape = state_shape(model)
    found = list[State]()
    for choice in itertools.product(*(itertools.permutations(member) for member in members)):
        to = {a: b for before, after in zip(members, choice, strict=True) for a, b in zip(before, after, strict=True)}
        values = [rename(value, to) for rename, value in zip(renamers, state, strict=True)]
        found.append(shape(**dict(zip(shape_names(model), values, strict=True))))
    return found


def shape_names(model: Model) -> list[str]:
    """The names of the state's fields."""
    return [field.name for field in model.fields]


def test_exchanges_of_neighbours_are_enough_to_tell_that_nothing_changes(tmp_path: Path) -> None:
    model = community(tmp_path, 3, 2)
    (node, pot) = symmetry_of(model).domains
    alike = [symmetry_test(model, domain) for domain in (node, pot)]
    states = reachable_states(model, 60, 7)
    found = [all(check(state) for check in alike) for state in states]
    assert found == [set(renamed_states(model, state)) == {state} for state in states]
    assert [check(states[0]) for check in alike] == [False, True], "the first node is in a field of its own"


@pytest.mark.parametrize(
    ("nodes", "pots"), tiered_rows([(3, 2), (2, 3), (4, 1), (1, 4), (5, 1)], lambda row: row in {(3, 2), (1, 4)})
)
def test_every_renaming_has_one_canonical_form(nodes: int, pots: int, tmp_path: Path) -> None:
    model = community(tmp_path, nodes, pots)
    native_ = compile_model(model, symmetry=True)
    try:
        forms: dict[tuple[int, ...], set[State]] = {}
        for state in reachable_states(model, 60, 7):
            orbit = renamed_states(model, state)
            canonical = {native_.canonical(member) for member in orbit}
            assert len(canonical) == 1, state
            forms.setdefault(canonical.pop(), set()).update(orbit)
        assert sum(map(len, forms.values())) == len(set[State]().union(*forms.values())), "two orbits share a form"
    finally:
        native_.frontier.close()


@pytest.mark.parametrize(
    "seeds",
    tier_parameters((range(4), range(4, 12)), lambda seeds: seeds.start == 0, lambda seeds: f"from {seeds.start}"),
)
def test_random_states_of_random_models(seeds: range, tmp_path: Path) -> None:
    for seed in seeds:
        text = random_models.text(seed, 3).replace("symmetric=False", "symmetric=True")
        try:
            model = bind_text(tmp_path, text)
        except Exception:
            continue
        native_ = compile_model(model, symmetry=True)
        for state in reachable_states(model, 10, seed):
            assert len({native_.canonical(other) for other in renamed_states(model, state)}) == 1, (seed, state)
        native_.frontier.close()


def test_counts_are_those_of_brute_force(tmp_path: Path) -> None:
    text = text_of(
        FIELDS,
        START,
        BODY.replace("limit(len(s.notes) < 2)", "limit(len(s.notes) < 1)"),
        before=TWO.format(nodes=2, pots=2),
    )
    model = bind_text(tmp_path, text)
    verdict = agree(model, symmetry=True)
    assert verdict is not None
    assert verdict.symmetry == ("Node", "Pot")
    assert 0 < (verdict.distinct_states or 0) < (native(model, Search()).distinct_states or 0)


# --- refusals ---------------------------------------------------------------------------------------------------------

SMALL_FIELDS = "up: Map[Node, bool]\nchosen: Node | None\ncount: Map[Node, Small]\nseen: Set[Node]\nlow: bool"
SMALL_START = "up=Map({n: False for n in Node})\nchosen=None\ncount=Map({n: 0 for n in Node})\nseen=Set()\nlow=False"
RISE = """
@action
def rise(s: World, node: Node) -> None:
    '''Rises.'''
    s.up[node] = True
    s.count[node] = (s.count[node] + 1) % 3

"""

REFUSED = {
    "it names a member": """
        @action
        def choose(s: World) -> None:
            '''Chooses.'''
            s.chosen = Node(1)  # here
        """,
    "the last of a loop": """
        @action
        def choose(s: World) -> None:
            '''Chooses.'''
            chosen: Node | None = None
            for node in Node:
                if s.up[node]:
                    chosen = node  # here
            s.chosen = chosen
        """,
    "one cell for all rounds": """
        @action
        def choose(s: World) -> None:
            '''Chooses.'''
            for node in Node:
                if s.up[node]:
                    s.chosen = node  # here
        """,
    "a round that reads what another wrote": """
        @action
        def spread(s: World) -> None:
            '''Spreads.'''
            for node in Node:
                s.count[node] = min(3, max(s.count[other] for other in Node) + 1)  # here
        """,
    "a round that looks at the sum so far": """
        @action
        def share(s: World) -> None:
            '''Shares.'''
            total = 0
            for node in Node:
                if s.up[node] and total < 1:  # here
                    total += 1
                    s.count[node] = 3
        """,
    "a set that a round both asks and fills": """
        @action
        def gather(s: World) -> None:
            '''Gathers.'''
            for node in Node:
                if len(s.seen) < 1:  # here
                    s.seen.add(node)
        """,
    "the first of two answers": """
        def first(s: World) -> bool:
            '''The first that matters.'''
            for node in Node:
                if s.up[node]:
                    return True  # here
                if s.count[node] > 0 or node == s.chosen:
                    return False
            return False

        @action
        def choose(s: World, node: Node) -> None:
            '''Chooses.'''
            s.chosen = node
            s.low = first(s)
        """,
    "a quotient that an earlier round hides": """
        @action
        def choose(s: World, node: Node) -> None:
            '''Chooses.'''
            require(any(other == node or 10 // s.count[other] > 20 for other in Node))  # here
            s.chosen = node
        """,
    "a claim that is not the outermost all": """
        @invariant
        def fair(s: World) -> bool:
            '''Fair.'''
            return not s.low or any(s.up[node] or 10 // s.count[node] > 20 for node in Node)  # here
        """,
    "a set's members": """
        @reachable
        def met(s: World) -> bool:
            '''Met.'''
            return any(s.up[node] or 10 % s.count[node] > 2 for node in s.seen)  # here
        """,
    "a value that is None in a round": """
        def high(s: World, node: Node) -> bool:
            '''High.'''
            return 1 // s.count[node] > 0  # here

        @action
        def choose(s: World, node: Node) -> None:
            '''Chooses.'''
            require(all(s.count[other] == 1 or not high(s, other) for other in Node if other != node))
            s.chosen = node
        """,
    "an early return hides it": """
        def found(s: World, node: Node) -> bool:
            '''Found.'''
            for other in Node:
                if other == node:
                    return True
                if 10 // s.count[other] > 20:  # here
                    return True
            return False

        @action
        def choose(s: World, node: Node) -> None:
            '''Chooses.'''
            require(found(s, node))
            s.chosen = node
        """,
    "a guard in a loop hides it": """
        @action
        def choose(s: World, node: Node) -> None:
            '''Chooses.'''
            for other in Node:
                require(other == node or 10 // s.count[other] > 2)  # here
            s.chosen = node
        """,
    "what was found so far hides it": """
        def found(s: World, node: Node) -> bool:
            '''Found.'''
            so_far = False
            for other in Node:
                so_far = so_far or 10 // s.count[other] > 20  # here
            return so_far

        @action
        def choose(s: World, node: Node) -> None:
            '''Chooses.'''
            s.chosen = node
            s.low = found(s, node)
        """,
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_line(name: str, tmp_path: Path) -> None:
    text = text_of(
        SMALL_FIELDS,
        SMALL_START,
        RISE + dedent(REFUSED[name]),
        before="class Node(Domain, size=3, symmetric=True):\n    '''A node.'''\n",
    )
    model = bind_text(tmp_path, text)
    line = 1 + next(index for index, written in enumerate(text.splitlines()) if "# here" in written)
    symmetry = symmetry_of(model)
    assert symmetry.domains == ()
    assert f":{line} " in symmetry.refusals[0] or f":{line}:" in symmetry.refusals[0], symmetry.refusals
    verdict = native(model, Search(symmetry=True))
    assert verdict.symmetry == ()
    assert verdict.notes[: len(symmetry.refusals)] == symmetry.refusals


ALLOWED = {
    "cells of the loop's own": """
        @action
        def all_rise(s: World) -> None:
            '''All rise.'''
            for node in Node:
                s.up[node] = not s.up[node]
                s.count[node] = (s.count[node] + 1) % 3
        """,
    "sums and sets": """
        @action
        def count(s: World) -> None:
            '''Counts.'''
            total = 0
            for node in Node:
                if s.up[node]:
                    total += s.count[node]
                    s.seen.add(node)
            s.low = total < 2
        """,
    "rounds that are always defined": """
        @action
        def choose(s: World, node: Node) -> None:
            '''Chooses.'''
            require(any(s.count[other] > 0 and 10 // s.count[other] > 2 for other in Node if other != node))
            s.chosen = node

        @invariant
        def fair(s: World) -> bool:
            '''Fair.'''
            return all(s.count[node] == 0 or 4 // s.count[node] > 0 for node in Node)
        """,
}


@pytest.mark.parametrize("name", ALLOWED)
def test_folded_where_order_does_not_show(name: str, tmp_path: Path) -> None:
    text = text_of(
        SMALL_FIELDS,
        SMALL_START,
        RISE + dedent(ALLOWED[name]),
        before="class Node(Domain, size=3, symmetric=True):\n    '''A node.'''\n",
    )
    model = bind_text(tmp_path, text)
    verdict = agree(model, symmetry=True)
    assert verdict is not None
    assert verdict.symmetry == ("Node",)


def test_an_open_size_is_refused(tmp_path: Path) -> None:
    before = """
nodes = constant(2, minimum=1, maximum=3, says='nodes')


class Node(Domain, size=nodes, symmetric=True):
    '''A node.'''
"""
    model = bind_text(tmp_path, text_of(SMALL_FIELDS, SMALL_START, RISE, before=before), open={"nodes"})
    assert symmetry_of(model).refusals == ("Node is not folded: its size is an open constant; give it a value",)
