"""Sets of messages and of sets as TLA+ has them: filters, images, operators. Every engine means the same."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.explorer.symmetry import symmetry_of
from tidegate.language.binding import load
from tidegate.language.errors import ModelErrors
from tidegate.language.judge import initial_states, state_shape, steps
from tidegate.language.model import Model
from tidegate.language.proof import Proof
from tidegate.language.values import ModelError

from ...explorer.smt.test_induction import Wrong
from ...support.engines import agree, agree_on, bind_text, compile_model, define_text, reachable_states, text_of
from ...support.shipped import tier_parameters

BEFORE = """
class Node(Domain, size=2, symmetric=True):
    '''A node.'''


@record
class Ask:
    '''A question.'''

    by: Node
    term: Small


@record
class Answer:
    '''An answer.'''

    by: Node


def of_term(asked: Set[Ask], term: int) -> Set[Ask]:
    '''Those of a term.'''
    return {x for x in asked if x.term == term}
"""
FIELDS = """
net: Annotated[Set[Ask | Answer], Capacity(4)]
old: Annotated[Set[Ask], Capacity(2)]
term: Annotated[int, Range(0, 2)]
seen: Set[Set[Node]]
"""
START = "net=Set()\nold={Ask(by=x, term=1) for x in Node if x in Set()}\nterm=0\nseen=Set()"
BODY = """
@action
def broadcast(s: World) -> None:
    '''Everybody asks.'''
    require(s.term < 2)
    limit(len(s.net) <= 2)
    s.net = s.net | {Ask(by=x, term=s.term) for x in Node}
    s.term += 1


@action
def answer(s: World, by: Node) -> None:
    '''One answers.'''
    require(Answer(by=by) not in s.net)
    limit(len(s.net) <= 3)
    s.net |= {Answer(by=by)}
    s.seen = s.seen | {{by}}


@action
def lose(s: World, message: Ask | Answer) -> None:
    '''A message is lost.'''
    s.net = {x for x in s.net if x != message}


@action
def forget(s: World, by: Node) -> None:
    '''Forgets.'''
    require(len({q for q in s.seen if by in q}) > 0)
    s.seen -= {q for q in s.seen if by in q}
    s.old = s.old & Set([Ask(by=by, term=1)])


@action
def keep(s: World, by: Node) -> None:
    '''Keeps, or no more.'''
    require(s.old | {Ask(by=by, term=1)} == {Ask(by=by, term=1)} or s.old > {Ask(by=by, term=1)})
    s.old = s.old ^ {Ask(by=by, term=1)}


@invariant
def of_term_one(s: World) -> bool:
    '''All that is kept is of term 1.'''
    few = all(len(of_term({m for m in s.old if m.by == x}, 1)) <= 1 for x in Node)
    return few and s.old <= {Ask(by=x, term=1) for x in Node} and not s.old < Set()


@invariant
def only_nodes(s: World) -> bool:
    '''Few are seen.'''
    return all({x} in s.seen or x in {m.by for m in s.net} or len(s.seen) < 2 for x in Node)


@reachable
def all_seen(s: World) -> bool:
    '''All are seen.'''
    return {q for q in s.seen if len(q) == 1} == Set([Set([x]) for x in Node]) and {x for x in s.old} == s.old
"""
SETS = text_of(FIELDS, START, BODY, before=BEFORE)


FOUND: dict[str, tuple[str, str, str, str]] = {
    "a message outside its range that is discarded": (
        "@record\nclass Note:\n    '''A message.'''\n\n    flag: Annotated[int, Range(0, 1)]\n    number: Small\n",
        "notes: Annotated[Set[Note], Capacity(2)]\nnumber: Small",
        "notes=Set([Note(flag=1, number=0)])\nnumber=0",
        """
        @action
        def up(s: World) -> None:
            '''Up.'''
            require(s.number < 3)
            s.number += 1

        @action
        def discard(s: World) -> None:
            '''Discards a message that is never there: 4 is no number of one.'''
            s.notes.discard(Note(flag=0, number=s.number + 1))
            s.number = 0

        @invariant
        def there(s: World) -> bool:
            '''The message stays.'''
            return len(s.notes) == 1
        """,
    ),
    "a set that is made of a message outside its range": (
        "@record\nclass Note:\n    '''A message.'''\n\n    number: Small\n",
        "notes: Annotated[Set[Note], Capacity(2)]\nnumber: Small",
        "notes=Set()\nnumber=0",
        """
        @action
        def up(s: World) -> None:
            '''Up.'''
            require(s.number < 3)
            s.number += 1

        @action
        def same(s: World) -> None:
            '''An error of the model, though nothing stores what is made.'''
            require(s.notes != Set([Note(number=s.number + 1)]))
            s.number = 0

        @action
        def mapped(s: World) -> None:
            '''Likewise.'''
            require(s.notes != {Note(number=s.number + x) for x in range(2)})
            s.number = 0
        """,
    ),
}
"""Models that native code and plain Python did not agree on once, each by its reason."""


@pytest.mark.parametrize("name", FOUND)
def test_what_was_found_once(name: str, tmp_path: Path) -> None:
    before, fields, start, body = FOUND[name]
    agree(bind_text(tmp_path, text_of(fields, start, body, before=before)))


CHECKED = """
@action
def up(s: World) -> None:
    '''Up.'''
    require(s.wide < 3)
    s.wide += 1


@action
def same(s: World) -> None:
    '''A record to be checked only where `top` is less than 3.'''
    require(s.notes != Set([Note(number=s.wide)]))
    s.wide = 0


@action
def above(s: World) -> None:
    '''A record to be checked for every `top`.'''
    require(s.wide == 0)
    require(s.other != Set([Other(height=s.wide + top)]))
    s.wide = 1
"""


@pytest.mark.parametrize("first", [1, 3])
def test_records_are_checked_by_the_constants_of_each_binding(first: int, tmp_path: Path) -> None:
    """Code of a function that was made for an earlier binding of the module had that binding's checks of records, by
    their numbers: none at all, or those of other records."""
    before = """
top = constant(1, minimum=1, maximum=3, says='the highest number')


@record
class Note:
    '''A message.'''

    number: Annotated[int, Range(0, top)]


@record
class Other:
    '''Another.'''

    height: Annotated[int, Range(0, top)]
"""
    fields = "notes: Annotated[Set[Note], Capacity(2)]\nother: Annotated[Set[Other], Capacity(2)]\nwide: Small"
    text = text_of(fields, "notes=Set()\nother=Set()\nwide=0", CHECKED, before=before)
    definition = define_text(tmp_path, text)
    for top in (first, 4 - first):
        model = definition.bind(constants={"top": top})
        stopped = [broken for broken in map(partial(error_at, model), (0, 1, 2, 3)) if broken]
        assert bool(stopped) == (top == 1), stopped
        assert all("Note.number: " in message for message in stopped)


def error_at(model: Model, wide: int) -> str | None:
    """What plain Python says of the steps of a state, where one breaks the model."""
    state = state_shape(model).replace(next(initial_states(model)), wide=wide)
    try:
        list(steps(model, state))
    except ModelError as error:
        return error.message
    return None


def test_native_code_is_plain_python(tmp_path: Path) -> None:
    model = bind_text(tmp_path, SETS)
    verdict = agree(model)
    assert verdict is not None
    assert {prop.name: prop.verdict for prop in verdict.properties} == {
        "of_term_one": "holds",
        "only_nodes": "holds",
        "all_seen": "reached",
    }
    assert [domain.name for domain in symmetry_of(model).domains] == ["Node"]
    agree(model, symmetry=True)
    native = compile_model(model)
    agree_on(native, reachable_states(model, 60, seed=3))
    native.frontier.close()


def test_an_empty_set_of_sets_is_refused_with_a_run(tmp_path: Path) -> None:
    model = bind_text(tmp_path, SETS.replace("len(s.seen) < 2", "len(s.seen) < 1"))
    verdict = agree(model)
    assert verdict is not None
    lengths = {prop.name: len(prop.run.steps) for prop in verdict.properties if prop.run is not None}
    assert lengths.get("only_nodes") == 1, verdict


NET = {"net": ("Annotated[Set[Ask], Capacity(top)]", "Set()")}
GROUPS = {"seen": ("Set[Set[Node]]", "Set()")}
SEND = "limit(len(s.net) < top)\ns.net = s.net | {Ask(number=n, hint=None)}"
SINGLES = """

SINGLES = Set([Set([Node(0)]), Set([Node(1)]), Set([Node(2)])])
PAIRS = Set([Set([Node(1)]), Set([Node(2)])])
"""

PROVED = {
    "messages are filtered, and come together": Wrong(
        NET,
        {
            "send n: Number": SEND,
            "drop n: Number": "s.net = {m for m in s.net if m.number != n}",
            "keep": "s.net = {m for m in s.net if m.hint is None}",
            "less n: Number": "s.net -= {m for m in s.net if m.number == n}",
        },
        says="all(m.hint is None for m in {x for x in s.net if x.number >= 0})",
    ),
    "sets of sets": Wrong(
        GROUPS,
        {
            "see r: Node": "s.seen = s.seen | {{r}}",
            "drop r: Node": "s.seen -= {q for q in s.seen if r in q}",
            "turn r: Node": "s.seen = s.seen ^ {{r}}",
        },
        says="s.seen <= SINGLES and Set([Node(0)]) not in PAIRS",
    ),
}
REFUTED = {
    "a message that the filter keeps": Wrong(
        NET,
        {"send n: Number": SEND, "keep n: Number": "s.net = {m for m in s.net if m.number > 0}"},
        says="not s.bad and not any(m.number > 0 for m in s.net)",
    ),
    "a message that the difference leaves": Wrong(
        NET,
        {
            "send n: Number": SEND,
            "drop n: Number": "s.bad = any(m.number > 0 for m in s.net - {Ask(number=n, hint=None)})",
        },
    ),
    "the symmetric difference adds what was not there": Wrong(
        GROUPS,
        {"turn r: Node": "s.seen = s.seen ^ {{r}}", "bad_one": "require(not s.seen <= PAIRS)\ns.bad = True"},
    ),
}
"""What is proved of sets by induction, and what a run refutes."""


def proof_of(folder: Path, model: Wrong) -> Proof:
    path = folder / "model.py"
    path.write_text(model.text().replace("\n\n@state", f"{SINGLES}\n\n@state", 1), encoding="utf-8")
    definition = load(path)
    return Induction(definition, definition.bind(), ProofRequest(workers=1)).prove(lambda _: None)


@pytest.mark.parametrize("name", tier_parameters(PROVED, lambda name: name != "sets of sets"))
def test_what_holds_of_sets_is_proved(name: str, tmp_path: Path) -> None:
    proof = proof_of(tmp_path, PROVED[name])
    assert proof.word == "proved", [
        (finding.word, finding.obligation) for finding in proof.findings if finding.word != "proved"
    ]


@pytest.mark.parametrize("name", REFUTED)
def test_what_is_false_of_sets_is_refuted_by_a_run(name: str, tmp_path: Path) -> None:
    proof = proof_of(tmp_path, REFUTED[name])
    assert proof.word == "refuted"
    found = [finding.counterexample for finding in proof.findings if finding.counterexample is not None]
    assert [counterexample.reachable for counterexample in found][:1] == [True]


@pytest.mark.parametrize(
    ("line", "code", "hint"),
    [
        ("s.old = {x for x in s.old for _ in s.net for _ in s.net for _ in range(3)}", "TG402", "at most 64 rounds"),
        ("s.net = s.bag | s.bag", "TG112", ".add(m), s.messages.discard(m)"),
        ("s.net = s.net + s.net", "TG112", "a | b for all members of either"),
        ("s.old = Set(Seq([Ask(by=Node(0), term=1)]))", "TG217", "{x for x in"),
    ],
)
def test_what_is_refused(line: str, code: str, hint: str, tmp_path: Path) -> None:
    fields = FIELDS + "bag: Annotated[Bag[Answer], Capacity(1)]\n"
    body = f"@action\ndef act(s: World) -> None:\n    '''Act.'''\n    {line}\n"
    with pytest.raises(ModelErrors) as caught:
        bind_text(tmp_path, text_of(fields, START + "\nbag=Bag()", body, before=BEFORE))
    assert [(error.code, hint in error.hint) for error in caught.value.errors] == [(code, True)]
