"""Refinements of models with messages in flight: a set of records is a part of an image like any other value."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search, Walks
from tidegate.language.binding import load
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict

from ..support.shipped import tier_parameters

POST = '''"""Letters under way, and the boxes that they come to."""

from __future__ import annotations

from typing import Annotated

from tidegate.language import Capacity, Domain, Map, Member, Range, Set, action, initial, limit, record, require, state


class Person(Domain, size=2, symmetric=True):
    """Somebody."""


Number = Annotated[int, Range(0, 1)]


@record
class Letter:
    """A letter."""

    to: Person
    number: Number


@state
class Post:
    """Where the letters are."""

    net: Annotated[Set[Letter], Capacity(2)]  # under way
    boxes: Map[Person, Annotated[Set[Letter], Capacity(2)]]  # delivered


@initial
def empty() -> Post:
    """There is none."""
    return Post(net=Set(), boxes=Map({person: Set() for person in Person}))


@action
def send(s: Post, to: Person, number: Number) -> None:
    """A letter to {to}."""
    letter = Letter(to=to, number=number)
    require(letter not in s.net and letter not in s.boxes[to])
    limit(len(s.net) < 2)
    s.net.add(letter)


@action
def deliver(s: Post, letter: Annotated[Letter, Member("net")]) -> None:
    """{letter} comes to its box."""
    s.net.remove(letter)
    s.boxes[letter.to].add(letter)


@action(kind="fault")
def lose(s: Post, letter: Annotated[Letter, Member("net")]) -> None:
    """{letter} is lost."""
    s.net.discard(letter)
'''
OFFICE = '''"""Letters, and how many were sent."""

from __future__ import annotations

from typing import Annotated

import post
from post import Letter, Number, Person
from tidegate.language import Capacity, Map, Member, Range, Set, action, initial, limit, refines, require, state


@state
class Office:
    """Where the letters are."""

    bag: Annotated[Set[Letter], Capacity(3)]  # under way
    boxes: Map[Person, Annotated[Set[Letter], Capacity(2)]]  # delivered
    sent: Annotated[int, Range(0, 3)]  # so many were sent


@initial
def empty() -> Office:
    """There is none."""
    return Office(bag=Set(), boxes=Map({person: Set() for person in Person}), sent=0)


@action
def take(s: Office, to: Person, number: Number) -> None:
    """A letter to {to}."""
    letter = Letter(to=to, number=number)
    require(letter not in s.bag and letter not in s.boxes[to])
    limit(len(s.bag) < 2 and s.sent < 3)
    s.bag.add(letter)
    s.sent += 1


@action
def bring(s: Office, letter: Annotated[Letter, Member("bag")]) -> None:
    """{letter} comes to its box."""
    s.bag.remove(letter)
    s.boxes[letter.to].add(letter)


@refines(post)
def as_post(s: Office) -> post.Post:
    """Letters are under way, or in their box."""
    return post.Post(net=s.bag, boxes=s.boxes)
'''
HERE = ("python", "native", "walk")
"""The engines that need no cluster."""


def bind_model(folder: Path, changed: Mapping[str, str], abstract: Mapping[str, str] | None = None) -> Model:
    """The office with parts of its text replaced, and the post that it claims to be."""
    for name, text, parts in (("office", OFFICE, changed), ("post", POST, abstract or {})):
        for old, new in parts.items():
            assert text.count(old) == 1
            text = text.replace(old, new)
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return load(folder / "office.py").bind()


def ask_engine(engine: str, model: Model) -> Verdict:
    """What an engine says of a small model."""
    return ENGINES[engine](model, Search(walks=Walks(number=200, depth=20)), None)


CASES: tuple[tuple[Mapping[str, str], int | None], ...] = (
    ({}, None),
    ({"    s.bag.remove(letter)\n": ""}, 2),
    ({"    s.boxes[letter.to].add(letter)\n": ""}, None),
    ({"net=s.bag": "net={letter for letter in s.bag if letter.number == 0}"}, 2),
    ({"net=s.bag": "net=s.bag | {Letter(to=person, number=0) for person in Person}"}, 0),
    ({"letter not in s.bag and letter not in s.boxes[to]": "letter not in s.bag"}, 3),
    ({"@refines(post)": "@refines(post, {bring: post.lose})"}, 2),
)
"""What is changed in the office, and after how many steps it is not a post; None where it is one."""


@pytest.mark.parametrize(
    ("engine", "case"),
    [(engine, case) for engine in HERE for case in range(len(CASES)) if engine in ("python", "native") or case < 2],
)
def test_letters_are_compared_as_sets(engine: str, case: int, tmp_path: Path) -> None:
    changed, steps = CASES[case]
    (found,) = ask_engine(engine, bind_model(tmp_path, changed)).properties
    assert found.verdict == ("holds" if steps is None else "violated")
    if found.run is not None and engine != "walk":
        assert len(found.run.steps) == steps


BAGS: tuple[tuple[Mapping[str, str], int | None], ...] = (
    ({}, None),
    ({"    s.bag.remove(letter)\n": ""}, 2),
    ({"    s.bag.add(letter)\n": "    s.bag.add(letter)\n    s.bag.add(letter)\n"}, 1),
    ({"    s.bag.remove(letter)\n": "    while_there(s, letter)\n"}, 3),
)
"""The same of bags, in which a letter may be twice: what is changed, and after how many steps it is not a post."""
ALL_OF_IT = '''

def while_there(s: Office, letter: Letter) -> None:
    """Every copy of a letter is gone."""
    for number in range(2):
        s.bag.discard(letter)
'''


@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize("case", tier_parameters(range(len(BAGS)), lambda case: case < 2))
def test_letters_are_counted_in_bags(engine: str, case: int, tmp_path: Path) -> None:
    changed, steps = BAGS[case]
    office = {"Range, Set,": "Range, Bag, Set,", "bag: Annotated[Set[": "bag: Annotated[Bag[", "bag=Set()": "bag=Bag()"}
    office |= {"require(letter not in s.bag and letter not in s.boxes[to])": "require(letter not in s.boxes[to])"}
    post = {"Range, Set,": "Range, Bag, Set,", "net: Annotated[Set[": "net: Annotated[Bag[", "net=Set()": "net=Bag()"}
    post |= {"require(letter not in s.net and letter not in s.boxes[to])": "require(letter not in s.boxes[to])"}
    if any("while_there" in new for new in changed.values()):
        office |= {"\n\n@refines(post)": f"{ALL_OF_IT}\n\n@refines(post)"}
    model = bind_model(tmp_path, {**office, **changed}, post)
    (found,) = ask_engine(engine, model).properties
    assert found.verdict == ("holds" if steps is None else "violated")
    if found.run is not None and engine != "walk":
        assert len(found.run.steps) == steps


@pytest.mark.parametrize("engine", HERE)
def test_an_image_with_too_many_letters_is_an_error_of_the_model(engine: str, tmp_path: Path) -> None:
    verdict = ask_engine(engine, bind_model(tmp_path, {"len(s.bag) < 2": "len(s.bag) < 3"}))
    assert verdict.failure is not None
    assert verdict.failure.where is not None
    assert verdict.failure.where.endswith(f"office.py:{1 + OFFICE[: OFFICE.index('return post.Post')].count(chr(10))}")
    assert "net" in verdict.failure.message


@pytest.mark.parametrize("engine", ["python", "native"])
def test_an_abstract_letter_that_finds_no_room_is_an_error_of_the_model(engine: str, tmp_path: Path) -> None:
    abstract = {
        "Annotated[Set[Letter], Capacity(2)]]  # delivered": "Annotated[Set[Letter], Capacity(1)]]  # delivered"
    }
    changed = {"boxes=s.boxes)": "boxes=Map({who: Set(x for x in s.boxes[who] if x.number < 0) for who in Person}))"}
    verdict = ask_engine(
        engine, bind_model(tmp_path, {**changed, "@refines(post)": "@refines(post, {bring: post.lose})"}, abstract)
    )
    assert [prop.verdict for prop in verdict.properties] == ["holds"]
    verdict = ask_engine(engine, bind_model(tmp_path, {}, abstract))
    assert verdict.failure is not None
    assert "boxes" in verdict.failure.message
