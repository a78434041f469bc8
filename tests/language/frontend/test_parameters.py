"""Parameters that are options, sets and maps: every engine tries the same values, in the same order."""

from __future__ import annotations

from pathlib import Path

import pytest
import z3
from tidegate.explorer.native.initials import combination_counts
from tidegate.explorer.smt.encoding import finite_encoding
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.explorer.smt.states import constant_state
from tidegate.explorer.smt.terms import boolean_term
from tidegate.explorer.smt.transition import symbolic_instances
from tidegate.language.checks import members_of, nth_member
from tidegate.language.errors import ModelErrors
from tidegate.language.judge import bindings, initial_states
from tidegate.language.steptext import format_step, parse_steps
from tidegate.language.types import value_count
from tidegate.language.values import value_text

from ...support.engines import agree, bind_text, define_text, text_of
from ...support.smt import agree as formulas_agree

BODY = '''
@action
def step(s: World, some: Map[Node, Color | None], maybe: Set[Node] | None) -> None:
    """A step."""
    require(maybe is None or Node(0) in maybe)
    s.some = some
    s.count = 0 if maybe is None else len(maybe)
'''


def test_every_value_of_a_map_and_of_an_option_is_tried_in_order(tmp_path: Path) -> None:
    text = text_of("some: Map[Node, Color | None]\ncount: Small", "some=Map({n: None for n in Node})\ncount=0", BODY)
    model = bind_text(tmp_path, text)
    tried = [value_text(binding["some"]) for binding in bindings(model, model.actions[0], next(initial_states(model)))]
    assert len(tried) == 16 * 5
    assert tried[:15:5] == ["{A: none, B: none}", "{A: none, B: RED}", "{A: none, B: GREEN}"]
    verdict = agree(model)
    assert verdict is not None and verdict.distinct_states == 16 * 3
    agree(model, symmetry=True)


def test_where_the_size_of_a_domain_is_open_the_members_that_exist_are_tried(tmp_path: Path) -> None:
    before = (
        "nodes = constant(2, minimum=1, maximum=3, says='nodes')\n\n\nclass Node(Domain, size=nodes):\n    '''A.'''\n"
    )
    text = text_of(
        "some: Map[Node, Color | None]\ncount: Small", "some=Map({n: None for n in Node})\ncount=0", BODY, before=before
    )
    closed, opened = agree(bind_text(tmp_path, text)), agree(bind_text(tmp_path, text, open={"nodes"}))
    assert closed is not None and opened is not None
    assert closed.distinct_states == opened.distinct_states == 16 * 3


def test_arguments_of_different_types_are_different_terms(tmp_path: Path) -> None:
    body = """
    @action
    def step(s: World, nodes: Set[Node], colors: Set[Color], one: Map[Node, bool], other: Map[bool, bool]) -> None:
        '''A step.'''
        require(len(nodes) == 2 and len(colors) == 0)
        s.count = 1
    """
    model = bind_text(tmp_path, text_of("count: Small", "count=0", body))
    encoding = finite_encoding(model)
    (instance,) = symbolic_instances(model, encoding, constant_state(model, encoding, next(initial_states(model))))
    solver = z3.Solver()
    solver.add(boolean_term(instance.valid), boolean_term(instance.is_taken))
    assert solver.check() == z3.sat


def test_a_parameter_with_too_many_values_is_refused(tmp_path: Path) -> None:
    body = """
    @action
    def step(s: World, some: Map[Small, Map[Small, Small]]) -> None:
        '''A step.'''
        s.count = some[0][0]
    """
    with pytest.raises(ModelErrors, match=r"some has 4,294,967,296 values") as caught:
        bind_text(tmp_path, text_of("count: Small", "count=0", body))
    assert [error.code for error in caught.value.errors] == ["TG308"]


# --- sequences, sets of records, records, unions ----------------------------------------------------------------------

RECORDS = """
class Node(Domain, size=2, symmetric=True):
    '''A node.'''


@record
class Vote:
    '''A vote.'''

    by: Node
    number: Small


@record
class Ack:
    '''An acknowledgement.'''

    number: Small


@record
class Stop:
    '''Nothing else.'''


Message = Vote | Ack | Stop
"""
CHOICES = {
    "a sequence of numbers": ("Annotated[Seq[Small], Capacity(2)]", "Seq()", 21, "s.held == Seq([3, 1])"),
    "a set of tuples": ("Set[tuple[Node, bool]]", "Set()", 16, "s.held == Set([(Node(0), True), (Node(1), False)])"),
    "a set with room for two": (
        "Annotated[Set[tuple[Node, Small]], Capacity(2)]", "Set()", 37, "s.held == Set([(Node(0), 2), (Node(1), 3)])"),
    "a set of sets": ("Set[Set[Node]]", "Set()", 16, "s.held == Set([{Node(0)}, {Node(1)}])"),
    "a tuple": ("tuple[Node, Small]", "(Node(0), 0)", 8, "s.held == (Node(1), 3)"),
    "a record": ("Vote", "Vote(Node(0), 0)", 8, "s.held == Vote(Node(1), 3)"),
    "a union": ("Message", "Stop()", 13, "s.held == Vote(Node(1), 3)"),
    "an option of a sequence of a union": (
        "Annotated[Seq[Message], Capacity(1)] | None", "None", 15,
        "s.held is not None and len(s.held) == 1 and s.held[0] == Vote(Node(1), 3)"),
    "a map to sequences": ("Map[Node, Annotated[Seq[bool], Capacity(1)]]", "Map({n: Seq() for n in Node})", 9,
                           "s.held == Map({n: Seq([True]) for n in Node})"),
    "a set of unions": ("Annotated[Set[Message], Capacity(1)]", "Set()", 14, "Vote(Node(1), 3) in s.held"),
}  # fmt: skip
"""Types, a first value, how many values there are, and a condition that is true of few of them."""


def choosing(type_: str, first: str, taken: str) -> str:
    """A model whose one action takes any value of a type; its invariant is false once certain values are taken."""
    body = f"""
@action
def take(s: World, given: {type_}) -> None:
    '''Take {{given}}.'''
    require(given != s.held)
    s.held = given


@invariant
def never_taken(s: World) -> bool:
    '''It is not taken.'''
    return not ({taken})
"""
    return text_of(f"held: {type_}", f"held={first}", body, before=RECORDS)


@pytest.mark.parametrize(("type_", "first", "count", "taken"), CHOICES.values(), ids=list(CHOICES))
def test_every_value_is_tried_in_every_engine(type_: str, first: str, count: int, taken: str, tmp_path: Path) -> None:
    model = bind_text(tmp_path, choosing(type_, first, taken))
    parameter = model.actions[0].form.parameters[0].type
    values = members_of(parameter, model.values)
    assert len(values) == len(set(values)) == value_count(parameter) == count
    assert [nth_member(parameter, number) for number in range(count)] == list(values)
    verdict = agree(model)
    assert verdict is not None
    assert (verdict.verdict, verdict.distinct_states, verdict.transitions) == ("violated", count, count * (count - 1))
    agree(model, symmetry=True)
    run = verdict.properties[0].run
    assert run is not None
    (step,) = run.steps
    assert parse_steps(model, format_step(step.action, step.arguments)) == [(model.actions[0], step.arguments)]
    formulas_agree(model, finite_encoding(model), next(initial_states(model)))


@pytest.mark.parametrize("opened", [frozenset[str](), frozenset({"top", "room", "nodes"})], ids=["closed", "open"])
def test_what_exists_by_open_constants_is_tried(opened: frozenset[str], tmp_path: Path) -> None:
    before = """
top = constant(1, minimum=1, maximum=2, says="top")
room = constant(1, minimum=1, maximum=2, says="room")
nodes = constant(2, minimum=1, maximum=3, says="nodes")
Low = Annotated[int, Range(0, top)]


class Node(Domain, size=nodes):
    '''A node.'''


@record
class Vote:
    '''A vote.'''

    by: Node
    number: Low


@record
class Stop:
    '''Nothing else.'''
"""
    body = """
@action
def step(s: World, row: Annotated[Seq[Low], Capacity(room)], some: Annotated[Set[tuple[Node, Low]], Capacity(room)],
         said: Vote | Stop) -> None:
    '''A step.'''
    s.row = row
    s.some = some
    s.said = said
"""
    fields = "row: Annotated[Seq[Low], Capacity(room)]\nsome: Annotated[Set[tuple[Node, Low]], Capacity(room)]"
    text = text_of(f"{fields}\nsaid: Vote | Stop", "row=Seq()\nsome=Set()\nsaid=Stop()", body, before=before)
    verdict = agree(bind_text(tmp_path, text, open=opened))
    assert verdict is not None and verdict.distinct_states == (1 + 2) * (1 + 4) * (4 + 1)


def test_initial_states_are_any_values(tmp_path: Path) -> None:
    parameters = "row: Annotated[Seq[Small], Capacity(2)], said: Message, some: Set[tuple[Node, bool]]"
    fields = parameters.replace(", s", "\ns")
    body = "@action\ndef step(s: World) -> None:\n    '''A step.'''\n    s.row = Seq()\n"
    text = text_of(fields, "row=row\nsaid=said\nsome=some", body, before=RECORDS)
    model = bind_text(tmp_path, text.replace("def start()", f"def start({parameters})"))
    (count,) = combination_counts(model)
    assert count == 21 * 13 * 16
    verdict = agree(model)
    assert verdict is not None and verdict.distinct_states == count


def test_a_proof_takes_every_value(tmp_path: Path) -> None:
    body = """
@action
def step(s: World, row: Annotated[Seq[Small], Capacity(2)], said: Message) -> None:
    '''A step.'''
    require(len(row) == 2 and isinstance(said, Vote))
    s.count = row[1]


@invariant
def small(s: World) -> bool:
    '''It is at most three.'''
    return s.count <= 3


@invariant
def smaller(s: World) -> bool:
    '''It is at most two.'''
    return s.count <= 2
"""
    definition = define_text(tmp_path, text_of("count: Small", "count=0", body, before=RECORDS))
    proof = Induction(definition, definition.bind(), ProofRequest(workers=1)).prove(lambda _: None)
    assert proof.word == "refuted"
    refuted = [finding for finding in proof.findings if finding.word == "refuted"]
    assert [finding.obligation.goal for finding in refuted] == ["smaller"]
    assert refuted[0].counterexample is not None and refuted[0].counterexample.reachable


@pytest.mark.parametrize(
    ("type_", "cause"),
    [
        ("Annotated[Seq[Small], Capacity(12)]", "22,369,621 values"),
        ("Annotated[Seq[Small], Capacity(2000)]", "more than 1,000,000,000,000,000 values"),
        (
            "Map[Annotated[int, Range(0, 2000)], Annotated[int, Range(0, 2000)]]",
            "more than 1,000,000,000,000,000 values",
        ),
        ("Seq[Small]", "no list of values"),
        ("Annotated[Bag[Vote], Capacity(2)]", "no list of values"),
        ("Annotated[Set[tuple[Vote, Vote, bool]], Capacity(1)]", "sets of 128 possible elements"),
        ("Sent | None", "a message of notes or None"),
    ],
)
def test_a_choice_without_a_list_or_with_a_long_one_is_refused(type_: str, cause: str, tmp_path: Path) -> None:
    body = f"@action\ndef step(s: World, some: {type_}) -> None:\n    '''A step.'''\n    s.count = 1\n"
    before = RECORDS + "\n\n@record\nclass Sent:\n    '''A message.'''\n\n    number: Small\n\n\n"
    before += "Large = Annotated[int, Range(0, 2000)]\n"
    fields = "count: Small\nnotes: Annotated[Set[Sent], Capacity(2)]"
    with pytest.raises(ModelErrors, match=cause) as caught:
        bind_text(tmp_path, text_of(fields, "count=0\nnotes=Set()", body, before=before))
    assert [error.code for error in caught.value.errors] == ["TG308"]
