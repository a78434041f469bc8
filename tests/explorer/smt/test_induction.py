"""What a proof must not say: small models that a search refutes, or that break their own types, are never proved."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.explorer.smt.effort import SolverEffort
from tidegate.explorer.smt.induction import Induction, ProofRequest
from tidegate.explorer.smt.questions import ProofQuestions
from tidegate.language.binding import load
from tidegate.language.proof import Proof
from tidegate.language.values import ModelError

from ...support.engines import text_of
from ...support.shipped import tier_parameters

BEFORE = '''
from tidegate.language import lemma, recursive

top = constant(2, minimum=1, maximum=8)
other = constant(2, minimum=1, maximum=8)
Number = Annotated[int, Range(0, top)]
Other = Annotated[int, Range(0, other)]
Two = Annotated[int, Range(0, 2)]
Positive = Annotated[int, Range(1, top)]
Signed = Annotated[int, Range(-top, top)]
Small = Annotated[int, Range(0, 1)]


class Node(Domain, size=3, symmetric=True):
    """A node."""


@record
class Ask:
    """A message."""

    number: Number
    hint: Option[Positive]


@record
class Halt:
    """The end."""

    by: Node
'''


HELPERS = '''

def until(r: Node, t: Node) -> Small:
    """Ends at one member, and breaks at another."""
    for q in Node:
        if q == r:
            return 0
        assert q != t
    return 0


@recursive(depth=2)
def below(n: int) -> int:
    """The sum of what is below a number; it breaks from 3 on."""
    return 0 if n <= 0 else n - 1 + below(n - 1)


def beyond(r: Node) -> Small:
    """It breaks for the first node, and for no other."""
    for q in Node:
        if q != r:
            return 0
        assert q != r
    return 0


def first(y: Two) -> Small:
    """Returns from a round, however many there are."""
    for i in range(2 if 10 // y > 20 else 1):
        return 1
    return 0
'''


@dataclass(frozen=True)
class Wrong:
    """A model that a search refutes: fields with what they are at first, actions, and what does not hold. Its lemma
    is `never_bad` where nothing else is given: `s.bad` stays false."""

    fields: dict[str, tuple[str, str]]
    actions: dict[str, str]
    says: str = "not s.bad"

    def text(self) -> str:
        """The text of the model."""
        fields = {"bad": ("bool", "False"), **self.fields}
        declared = "\n".join(f"{name}: {type_}" for name, (type_, _) in fields.items())
        start = "\n".join(f"{name}={value}" for name, (_, value) in fields.items())
        body = "".join(_action(*item) for item in self.actions.items())
        lemma = f'@lemma\ndef never_bad(s: World) -> bool:\n    """A lemma."""\n    return {self.says}\n'
        return text_of(declared, start, body + lemma, before=BEFORE + HELPERS)


def _action(head: str, body: str) -> str:
    name, _, parameters = head.partition(" ")
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    taken = f"s: World, {parameters}" if parameters else "s: World"
    return f'@action\ndef {name}({taken}) -> None:\n    """A step."""\n{lines}\n\n\n'


X = {"x": ("Number", "0")}
ROW = {"row": ("Annotated[Seq[Number], Capacity(top)]", "Seq()"), **X}
ASKS = {"asks": ("Annotated[Set[Ask], Capacity(top)]", "Set()"), **X}
BAG = {"asks": ("Annotated[Bag[Ask], Capacity(top)]", "Bag()"), **X}
GROW = {"grow": "limit(s.x < top)\ns.x += 1"}
PUSH = {"push n: Number": "limit(len(s.row) < top)\ns.row.append(n)"}
SEND = {"send": "limit(len(s.asks) < top)\ns.asks.add(Ask(number=0, hint=None))\ns.x = 1"}
TAKE = {"take ask: Annotated[Ask, Member('asks')]": "s.asks.remove(ask)"}
COUNTS = {"n": ("Map[Node, Number]", "Map({r: 1 for r in Node})"), **X}
ZERO = {"zero r: Node": "s.n[r] = 0"}

WRONG = {
    "a guard equal to a bound": Wrong(X, {**GROW, "step": "require(s.x == top)\ns.bad = True"}),
    "the other side of a comparison with a bound": Wrong(
        X, {"step": "if s.x < top:\n    s.x += 1\nelse:\n    s.bad = True"}
    ),
    "the least of a number and a bound": Wrong(
        X, {"step": "require(s.x > 0)\ns.bad = s.x == min(s.x + 1, top)", **GROW}
    ),
    "a choice at a bound": Wrong(X, {**GROW, "step": "s.bad = True if s.x >= top else s.bad"}),
    "arithmetic with a bound": Wrong(X, {**GROW, "step": "require(2 * s.x == top)\ns.bad = True"}),
    "a loop to a bound": Wrong(
        {"m": ("Map[Number, bool]", "Map({i: False for i in range(top + 1)})")},
        {"mark n: Number": "s.m[n] = True", "step": "require(all(s.m[i] for i in range(top + 1)))\ns.bad = True"},
    ),
    "any number up to a bound": Wrong(
        {"m": ("Map[Number, bool]", "Map({i: True for i in range(top + 1)})")},
        {
            "mark n: Number": "s.m[n] = False",
            "step": "require(not any(s.m[i] for i in range(top + 1)))\ns.bad = True",
        },
    ),
    "the largest number up to a bound": Wrong(
        X, {**GROW, "step": "require(max((i for i in range(top + 1)), default=0) == s.x)\ns.bad = True"}
    ),
    "a round that breaks where the guard is never true": Wrong(
        ROW, {**PUSH, "step": "require(any(10 // n > 20 for n in s.row))\ns.x = 0"}
    ),
    "a switch that the bound sets": Wrong(X, {"step": "require(top > 1)\ns.bad = True"}),
    "a range that begins below": Wrong(
        {"z": ("Signed", "0")}, {"down": "limit(s.z > -top)\ns.z -= 1", "step": "require(s.z == -top)\ns.bad = True"}
    ),
    "a parameter up to a bound": Wrong(X, {"step n: Number": "require(n == top)\ns.bad = True"}),
    "a log that is full": Wrong(ROW, {**PUSH, "step": "require(len(s.row) == top)\ns.bad = True"}),
    "a message that is not there": Wrong(
        ASKS, {**SEND, **TAKE, "step": "require(s.x == 1 and Ask(number=0, hint=None) not in s.asks)\ns.bad = True"}
    ),
    "no message at all": Wrong(
        ASKS, {**SEND, **TAKE, "step": "require(s.x == 1 and not any(m.number == 0 for m in s.asks))\ns.bad = True"}
    ),
    "a message that is still claimed": Wrong(ASKS, {**SEND, **TAKE}, "s.x == 0 or Ask(number=0, hint=None) in s.asks"),
    "a copy that is taken": Wrong(
        BAG, {**SEND, **TAKE, "step": "require(s.x == 1 and Ask(number=0, hint=None) not in s.asks)\ns.bad = True"}
    ),
    "a copy that is left": Wrong(
        BAG,
        {
            **SEND,
            "take ask: Annotated[Ask, Member('asks')]": "s.asks.remove(ask)\ns.bad = ask in s.asks",
        },
    ),
    "nothing in a message": Wrong(
        ASKS, {**SEND, "take ask: Annotated[Ask, Member('asks')]": "require(ask.hint is None)\ns.bad = True"}
    ),
    "a round that breaks in a guard": Wrong(
        ROW, {**PUSH, "step": "require(all(10 // n > 20 for n in s.row))\ns.x = 0"}
    ),
    "a round that breaks a maximum": Wrong(
        ROW, {**PUSH, "step": "require(max((10 // n for n in s.row), default=0) > 20)\ns.x = 0"}
    ),
    "a loop that appends what does not fit": Wrong(
        {**ROW, "few": ("Annotated[Seq[Small], Capacity(top)]", "Seq()")},
        {**PUSH, "step": "require(len(s.few) == 0)\nfor i in range(len(s.row)):\n    s.few.append(s.row[i])"},
    ),
    "a loop that appends beyond the end": Wrong(
        {**ROW, "other": ("Annotated[Seq[Number], Capacity(top)]", "Seq()")},
        {**PUSH, "step": "for i in range(len(s.row)):\n    s.other.append(s.row[i])"},
    ),
    "a loop that appends what is not there": Wrong(
        {**ROW, "other": ("Annotated[Seq[Number], Capacity(top)]", "Seq()")},
        {**PUSH, "step": "require(len(s.other) == 0)\nfor i in range(top):\n    s.other.append(s.row[i])"},
    ),
    "a slice of larger numbers": Wrong(
        {**ROW, "few": ("Annotated[Seq[Small], Capacity(top)]", "Seq()")}, {**PUSH, "step": "s.few = s.row[0:]"}
    ),
    "a slice that is too long": Wrong(
        {**ROW, "other": ("Annotated[Seq[Number], Capacity(1)]", "Seq()")}, {**PUSH, "step": "s.other = s.row[0:]"}
    ),
    "a map of larger numbers": Wrong(
        {"m": ("Map[Number, Number]", "Map({i: 0 for i in range(top + 1)})")},
        {"step": "s.m = Map({i: i + 1 for i in range(top + 1)})"},
    ),
    "a map whose values break": Wrong(
        {"m": ("Map[Number, Number]", "Map({i: 0 for i in range(top + 1)})")},
        {"step": "s.m = Map({i: 0 // i for i in range(top + 1)})"},
    ),
    "a key beyond the bound": Wrong(
        {"m": ("Map[Number, bool]", "Map({i: False for i in range(top + 1)})"), **X},
        {**GROW, "step": "s.bad = s.m[s.x + 1]"},
    ),
    "a number beyond the bound": Wrong(X, {"step": "s.x += 1"}),
    "more elements than a log has room for": Wrong(ROW, {"step": "s.row = Seq([0, 0, 0])"}),
    "an element before a log that is full": Wrong(ROW, {**PUSH, "step": "s.row = Seq([0]) + s.row"}),
    "joined logs": Wrong(ROW, {**PUSH, "step": "s.row = s.row + s.row"}),
    "an order of short-circuits": Wrong(
        COUNTS, {**ZERO, "step r: Node": "require(any(q == r or 10 // s.n[q] > 20 for q in Node))\ns.x = 0"}
    ),
    "an order of short-circuits in a set": Wrong(
        COUNTS, {**ZERO, "step r: Node": "require(not all(q != r and 10 // s.n[q] > 20 for q in Set(Node)))\ns.x = 0"}
    ),
    "a lemma that breaks before it is decided": Wrong(ROW, PUSH, "all(10 // n >= 0 for n in s.row) or s.x == 0"),
    "a first state at a bound": Wrong(
        {"x": ("Number", "top - 1")}, {"step": "require(s.x == 0)\ns.bad = True", "down": "s.x = max(s.x - 1, 0)"}
    ),
}

LARGE = "require(s.x == 5)\n"
XY = {**X, "y": ("Two", "0")}
UP = {"up": "s.y = 1"}
FEW = "Map[Number, Annotated[Seq[Two], Capacity({})]]"
EMPTY = "Map({i: Seq() for i in range(top + 1)})"
PUT = {"put": LARGE + "limit(len(s.b[0]) < 3)\ns.b[0].append(0)"}

AT_LARGE_BOUNDS = {
    "two bounds that are equal by default": Wrong(
        X, {**GROW, "step a: Number, b: Other": LARGE + "if a != b:\n    s.bad = True\nelse:\n    s.x = 0"}
    ),
    "a guard of two bounds": Wrong(X, {**GROW, "step a: Number, b: Other": LARGE + "require(a != b)\ns.bad = True"}),
    "options of two bounds": Wrong(
        X,
        {
            **GROW,
            "step a: Option[Number], b: Option[Other]": LARGE + "require(a is None and b is not None)\ns.bad = True",
        },
    ),
    "maps of two bounds": Wrong(
        X,
        {
            **GROW,
            "step a: Map[Node, Number], b: Map[Node, Other]": (
                LARGE + "require(any(a[n] != b[n] for n in Node))\ns.bad = True"
            ),
        },
    ),
    "a range that breaks before its round returns": Wrong(XY, {**GROW, **UP, "step": LARGE + "s.x = first(s.y)"}),
    "a range that breaks before its round stops": Wrong(
        XY,
        {
            **GROW,
            **UP,
            "step": LARGE + "for i in range(2 if 10 // s.y > 20 else 1):\n    require(s.y > 0)\ns.x = 0",
        },
    ),
    "elements that break before a round stops": Wrong(
        XY, {**GROW, **UP, "step": LARGE + "for i in Seq([10 // s.y]):\n    require(s.y > 0)\ns.x = 0"}
    ),
    "logs in a map that are too long": Wrong(
        {**X, "a": (FEW.format(1), EMPTY), "b": (FEW.format(3), EMPTY)},
        {**GROW, **PUT, "step": "s.a = s.b"},
    ),
    "logs in a map of a replica that are too long": Wrong(
        {**X, "a": (f"Map[Node, {FEW.format(1)}]", f"Map({{n: {EMPTY} for n in Node}})"), "b": (FEW.format(3), EMPTY)},
        {**GROW, **PUT, "step n: Node": "s.a[n] = s.b"},
    ),
    "logs in a map with another bound": Wrong(
        {**X, "a": (FEW.format("other"), EMPTY), "b": (FEW.format("top"), EMPTY)},
        {**GROW, "put": LARGE + "limit(len(s.b[0]) < top)\ns.b[0].append(0)", "step": "s.a = s.b"},
    ),
    "a limit that breaks": Wrong(
        {**ASKS, **XY}, {**GROW, **UP, "step": LARGE + "limit(len(s.asks) < 10 // s.y)\ns.x = 0"}
    ),
    "a bound that breaks": Wrong(
        {**ASKS, **XY}, {**GROW, **UP, "step": LARGE + "limit(s.x < 5 or len(s.asks) < 10 // s.y)\ns.x = 0"}
    ),
    "an order of members that a helper sees": Wrong(X, {**GROW, "step r: Node, t: Node": LARGE + "s.x = until(r, t)"}),
    "an order of members that a loop sees": Wrong(
        COUNTS,
        {
            **GROW,
            "zero r: Node": LARGE + "s.n[r] = 0",
            "step r: Node": LARGE + "for q in Node:\n    require(q != r)\n    require(10 // s.n[q] > 2)\ns.x = 0",
        },
    ),
}
"""Models that are wrong where a bound is larger than those of the finite copies and of random walks."""

FIRST_STATES = {
    "numbers in a map": ("Map[Number, Two]", "Map({i: i for i in range(top + 1)})"),
    "numbers in a map of maps": (
        "Map[Number, Map[Node, Two]]",
        "Map({i: Map({n: i for n in Node}) for i in range(top + 1)})",
    ),
    "logs in a map": (FEW.format("top"), "Map({i: Seq([0, 1]) for i in range(top + 1)})"),
}


def some(names: Iterable[str]) -> list[str]:
    """One of three: each was found once, by a random model or by reading, and is one more of a kind."""
    return list(names)[::3]


def prove(path: Path) -> Proof:
    definition = load(path)
    return Induction(definition, definition.bind(), ProofRequest(workers=1)).prove(lambda _: None)


@pytest.mark.parametrize("name", tier_parameters(WRONG, some(WRONG).__contains__))
def test_what_a_search_refutes_is_not_proved(name: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(WRONG[name].text(), encoding="utf-8")
    definition = load(path)
    model = definition.bind(properties=["never_bad"])
    assert ENGINES["python"](model, Search(), None).outcome in ("safety", "model_error")
    proof = prove(path)
    assert proof.word != "proved"
    assert proof.word_of("never_bad") != "proved"


WITHIN = {
    "nobody at first": ("any(n > 0 for n in s.row)", "safety"),
    "the first is no other": ("len(s.row) == 0 or any(n == s.row[0] and n > 0 for n in s.row)", "safety"),
    "there is no next": ("all(any(m > n for m in s.row) for n in s.row)", "safety"),
    "a condition that is met": ("all(n <= 1 for n in s.row if any(m == 0 for m in s.row))", "safety"),
    "the largest there is": ("not any(all(n >= m for m in s.row) for n in s.row)", "safety"),
    "a round that breaks": ("len(s.row) == 0 or any(1 // n >= 0 for n in s.row)", "model_error"),
    "a condition that breaks": ("all(n >= 0 for n in s.row if any(1 // m >= 0 for m in s.row))", "model_error"),
    "the first is there": ("len(s.row) == 0 or any(n == s.row[0] for n in s.row)", "none"),
    "each is as large as itself": ("all(any(m >= n for m in s.row) for n in s.row)", "none"),
    "what a condition finds": ("all(any(n == m for m in s.row) for n in s.row if any(n < m for m in s.row))", "none"),
}
"""Properties with an `any` over what has no end, and what a search says of each."""


@pytest.mark.parametrize("name", WITHIN)
def test_a_property_that_says_any_is_proved_where_a_search_finds_nothing_wrong(name: str, tmp_path: Path) -> None:
    says, outcome = WITHIN[name]
    path = tmp_path / "within.py"
    claim = f'\n\n@invariant\ndef claim(s: World) -> bool:\n    """A claim."""\n    return {says}\n'
    path.write_text(Wrong(ROW, PUSH).text() + claim, encoding="utf-8")
    model = load(path).bind(properties=["claim"])
    assert ENGINES["python"](model, Search(), None).outcome == outcome
    assert (prove(path).word_of("claim") == "proved") == (outcome == "none")


def test_an_action_that_only_the_first_node_cannot_take_can_happen(tmp_path: Path) -> None:
    """One node stands for all that no text distinguishes, but a helper that ends early meets them in an order."""
    path = tmp_path / "ordered.py"
    path.write_text(Wrong(X, {"act r: Node": "s.x = beyond(r)"}).text(), encoding="utf-8")
    definition = load(path)
    made = Induction(definition, definition.bind(), ProofRequest())
    assert made.symmetric == {"Node"}
    assert ProofQuestions(made.model, made.symmetric, SolverEffort()).why_never("act") == "full"


@pytest.mark.parametrize("name", tier_parameters(AT_LARGE_BOUNDS, some(AT_LARGE_BOUNDS).__contains__))
def test_what_is_wrong_only_at_larger_bounds_is_not_proved(name: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(AT_LARGE_BOUNDS[name].text(), encoding="utf-8")
    definition = load(path)
    model = definition.bind(properties=["never_bad"], constants={"top": 6})
    assert ENGINES["python"](model, Search(), None).outcome in ("safety", "model_error")
    proof = prove(path)
    assert proof.word not in ("proved", "vacuous")


@pytest.mark.parametrize("name", FIRST_STATES)
def test_a_first_state_that_breaks_its_types_at_other_bounds_is_not_proved(name: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text(Wrong({**X, "m": FIRST_STATES[name]}, GROW).text(), encoding="utf-8")
    try:
        word = prove(path).word
    except ModelError as error:  # found in a copy of the model, at the copy's bounds
        word = str(error)
    assert word in ("not proved", "refuted") or word.startswith("m: at ")
