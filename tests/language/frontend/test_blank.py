"""Ghosts in a class of their own: they begin blank, and are as ghosts within the state in every engine."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language import checks, types
from tidegate.language.errors import ModelErrors
from tidegate.language.frontend.blank import blank_value
from tidegate.language.judge import initial_states
from tidegate.language.model import Model
from tidegate.language.where import Where

from ...support.engines import HEADER, agree, bind_text

HEAD = HEADER.replace("Ghost,", "Ghost, ghosts,")
TYPES = '''
class Node(Domain, size=2, symmetric=True):
    """A node."""


@record
class Entry:
    """An entry."""

    of: Option[Node]
    number: Signed
    flag: bool


'''
GHOSTS = {
    "least": "Signed",
    "flag": "bool",
    "color": "Color",
    "somebody": "Option[Node]",
    "of_each": "Map[Node, Map[Small, Set[Node]]]",
    "log": "Annotated[Seq[Entry], Capacity(2)]",
    "members": "Set[Node]",
    "messages": "Annotated[Set[Entry], Capacity(2)]",
    "copies": "Annotated[Bag[Entry], Capacity(2)]",
    "entry": "Entry",
}
GIVEN = {
    "least": "-2",
    "flag": "False",
    "color": "Color.RED",
    "somebody": "None",
    "of_each": "Map({node: Map({number: Set() for number in range(4)}) for node in Node})",
    "log": "Seq()",
    "members": "Set()",
    "messages": "Set()",
    "copies": "Bag()",
    "entry": "Entry(of=None, number=-2, flag=False)",
}
STEPS = '''
@action
def step(s: World, node: Node) -> None:
    """{node} steps."""
    limit(s.count < 3)
    s.count += 1
    s.members.add(node)
    s.somebody = node
    s.of_each[node][s.count].add(node)
    s.log.append(Entry(of=node, number=s.least, flag=s.flag)) if len(s.log) < 2 else None
    s.least = 2
    s.flag = not s.flag


@invariant
def all_is_blank_at_first(s: World) -> bool:
    """Where nothing has happened nothing is remembered."""
    return s.count > 0 or (s.members == Set() and s.somebody is None and s.least == -2 and not s.flag
        and s.color == Color.RED and len(s.messages) == 0 and len(s.copies) == 0 and s.entry.of is None)


@invariant
def two_steps_are_taken_by_one(s: World) -> bool:
    """One node alone takes steps."""
    return len(s.members) < 2
'''.replace("    s.log.append(Entry(of=node, number=s.least, flag=s.flag)) if len(s.log) < 2 else None\n", "")


def model_with_ghosts_beside(
    folder: Path, ghosts: dict[str, str] = GHOSTS, steps: str = STEPS, given: str = ""
) -> Model:
    """The model with its ghosts in two classes of their own."""
    names = list(ghosts)
    halves = (names[: len(names) // 2], names[len(names) // 2 :])
    classes = "\n\n".join(
        f"@ghosts\nclass History{at}:\n    '''What is remembered.'''\n\n"
        + "\n".join(f"    {name}: {ghosts[name]}  # the ghost {name}" for name in half)
        for at, half in enumerate(halves)
        if half
    )
    bases = ", ".join(f"History{at}" for at, half in enumerate(halves) if half)
    state = f"@state\nclass World({bases}):\n    '''The state.'''\n\n    count: Small  # the steps\n"
    start = f"@initial\ndef start() -> World:\n    '''The beginning.'''\n    return World(count=0{given})\n"
    return bind_text(folder, "\n\n".join((HEAD + TYPES, classes, state, start, steps)))


def model_with_ghosts_within(folder: Path) -> Model:
    """The same with its ghosts within the state."""
    fields = "".join(f"    {name}: Ghost[{type_}]  # the ghost {name}\n" for name, type_ in GHOSTS.items())
    state = f"@state\nclass World:\n    '''The state.'''\n\n    count: Small  # the steps\n{fields}"
    values = ", ".join(f"{name}={value}" for name, value in GIVEN.items())
    start = f"@initial\ndef start() -> World:\n    '''The beginning.'''\n    return World(count=0, {values})\n"
    return bind_text(folder, "\n\n".join((HEAD + TYPES, state, start, STEPS)))


def test_ghosts_beside_the_state_are_as_those_within_it(tmp_path: Path) -> None:
    mine, theirs = model_with_ghosts_beside(tmp_path), model_with_ghosts_within(tmp_path)
    assert [(f.name, f.type, f.ghost, f.says) for f in mine.fields] == [
        (f.name, f.type, f.ghost, f.says) for f in theirs.fields
    ]
    assert [repr(state) for state in initial_states(mine)] == [repr(state) for state in initial_states(theirs)]
    verdicts = [agree(mine), agree(theirs)]
    assert verdicts[0] is not None
    assert verdicts[1] is not None
    assert verdicts[0].distinct_states == verdicts[1].distinct_states == 15
    assert {prop.name: prop.verdict for prop in verdicts[0].properties} == {
        "all_is_blank_at_first": "holds",
        "two_steps_are_taken_by_one": "violated",
    }


def test_ghosts_beside_the_state_are_left_out_as_others(tmp_path: Path) -> None:
    model = model_with_ghosts_beside(tmp_path)
    assert model.ghosts
    plain = bind_text(tmp_path, Path(model.files[0]).read_text("utf-8"), ghosts=False)
    assert [field.name for field in plain.fields] == ["count"]
    verdict = agree(plain)
    assert verdict is not None
    assert verdict.distinct_states == 4


def test_a_guard_reads_no_ghost_that_is_beside_the_state(tmp_path: Path) -> None:
    with pytest.raises(ModelErrors) as caught:
        model_with_ghosts_beside(
            tmp_path, steps=STEPS.replace("limit(s.count < 3)", "require(not s.flag)\n    limit(s.count < 3)")
        )
    assert [error.code for error in caught.value.errors] == ["TG303"]


def test_a_ghost_of_the_name_of_a_field_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelErrors, match=r"(?s)TG009.*History1.count is a field of World already"):
        model_with_ghosts_beside(
            tmp_path,
            {"log": "bool", "count": "Small"},
            steps=STEPS.partition("@invariant")[0].split("    s.members")[0],
        )


def test_a_ghost_with_a_value_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        ModelErrors, match=r"the ghost History0.log is given a value, and ghosts of a class of their own begin blank"
    ):
        model_with_ghosts_beside(tmp_path, {"log": "Small = 3", "other": "bool"})


def test_a_member_of_a_domain_has_no_blank_and_is_given(tmp_path: Path) -> None:
    steps = STEPS.partition("@invariant")[0].split("    s.members")[0]
    with pytest.raises(ModelErrors, match=r"(?s)TG211.*World also needs who"):
        model_with_ghosts_beside(tmp_path, {"log": "bool", "who": "Node"}, steps=steps)
    given = model_with_ghosts_beside(tmp_path, {"log": "bool", "who": "Node"}, steps=steps, given=", who=Node(1)")
    (state,) = initial_states(given)
    assert str(state.who) == "B"
    assert agree(given) is not None


NODE = types.Identity("Node", 2, True, ("A", "B"), object)


@pytest.mark.parametrize("type_", [NODE, types.Map(types.Bool(), NODE), types.Record("R", (("of", NODE),), object)])
def test_what_has_no_blank_value_has_none_in_both_meanings(type_: types.Type) -> None:
    assert blank_value(type_, Where("model.py", 1, 0, 1, 1)) is None
    with pytest.raises(TypeError, match="no blank value"):
        checks.blank_of(type_, {})
