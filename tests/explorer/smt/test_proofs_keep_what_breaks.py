"""What a proof must not lose on the way to formulas: what an expression needs to be defined, the value that a name had,
the order of a lemma's loops. Each model breaks, or a search refutes it, at bounds that no finite copy has."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.explorer.smt.errors import NotUnboundedError
from tidegate.language.binding import load

from ...support.shipped import tier_parameters
from .test_induction import ASKS, GROW, LARGE, ROW, UP, XY, Wrong, X, prove

FEW = {**X, "few": ("Annotated[Seq[Number], Capacity(3)]", "Seq()")}
MAP = {**X, "m": ("Map[Number, Number]", "Map({i: 0 for i in range(top + 1)})")}
SILENT = "all(s.x > i for i in range(s.x) if switch)"
"""True of every state, since the switch is off: no formula is left of it."""

READS = '''

def x_of(s: World) -> Number:
    """Reads the state."""
    return s.x
'''
BREAKS = '''

def says(s: World) -> bool:
    """Breaks where y is 0 and x is 5, and says nothing."""
    {}
'''
UNTIL = '''

def ends(r: Node, t: Node) -> Small:
    """Ends at one member, and breaks at another."""
    for q in Node:
        if q == r:
            return 0
        assert q != t
    return 0
'''

STEPS = {
    "a name that a loop has read": (
        Wrong(
            ROW,
            {
                **GROW,
                "step": LARGE + "require(len(s.row) == 0)\na = 0\nfor i in range(s.x):\n    s.row.append(a)\na = 1\n"
                "s.bad = a == 1 and s.row[0] == 0",
            },
        ),
        "",
    ),
    "a helper that a map has called": (
        Wrong(
            MAP,
            {
                **GROW,
                "step": LARGE + "s.m = Map({i: x_of(s) for i in range(top + 1)})\ns.x = 1\n"
                "s.bad = s.m[0] == 5 and x_of(s) == 1",
            },
        ),
        READS,
    ),
    "a helper that a loop has called": (
        Wrong(
            ROW,
            {
                **GROW,
                "step": LARGE + "require(len(s.row) == 0)\nfor i in range(s.x):\n    s.row.append(x_of(s))\ns.x = 1\n"
                "s.bad = s.row[0] == 5 and x_of(s) == 1",
            },
        ),
        READS,
    ),
    "a loop that fills a log of a fixed capacity": (
        Wrong(
            FEW,
            {
                **GROW,
                "step": LARGE + "require(len(s.few) == 0)\nfor i in range(s.x - 2):\n    s.few.append(i)\n"
                "s.bad = s.few[2] == 2",
            },
        ),
        "",
    ),
}
CLAIMS = {
    "what breaks before nothing is said, or": (Wrong(XY, {**GROW, **UP}, f"s.x < 5 or 10 // s.y > 20 or {SILENT}"), ""),
    "what breaks before nothing is said, choice": (
        Wrong(XY, {**GROW, **UP}, f"{SILENT} if (s.x < 5 or 10 // s.y > 1) else {SILENT}"),
        "",
    ),
    "what breaks before nothing is said, not any": (
        Wrong(XY, {**GROW, **UP}, "not (s.x == 5 and 10 // s.y > 20 and any(s.x > i for i in range(s.x) if switch))"),
        "",
    ),
    "what breaks before nothing is said, a name": (
        Wrong(XY, {**GROW, **UP}, "says(s)"),
        BREAKS.format("v = 1 if s.x < 5 else 10 // s.y\n    return all(v > i for i in range(s.x) if switch)"),
    ),
    "what breaks before nothing is said, a branch": (
        Wrong(XY, {**GROW, **UP}, "says(s)"),
        BREAKS.format(f"if s.x == 5 and 10 // s.y > 20:\n        return {SILENT}\n    return {SILENT}"),
    ),
    "an order of members in a lemma": (
        Wrong(X, GROW, "all(s.x < 5 or ends(r, t) == 0 for r in Node for t in Node for i in range(s.x))"),
        UNTIL,
    ),
    "an order of members in a lemma over messages": (
        Wrong(
            ASKS,
            {**GROW, "send": "limit(len(s.asks) < 1)\ns.asks.add(Ask(number=0, hint=None))"},
            "all(s.x < 5 or ends(r, t) == 0 or m.number < 0 for r in Node for t in Node for m in s.asks)",
        ),
        UNTIL,
    ),
}
WRONG = {**STEPS, **CLAIMS}


def write_model(folder: Path, wrong: Wrong, helpers: str) -> Path:
    """The model's file: its helpers before the state, and a switch that is off."""
    text = wrong.text().replace(
        '"""A model of a test."""', '"""A model of a test."""\n\nfrom __future__ import annotations'
    )
    switch = '\n\nswitch = constant(False, says="a switch")\n'
    path = folder / "wrong.py"
    path.write_text(text.replace("\n\n@state\n", f"{switch}{helpers}\n\n@state\n"), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", tier_parameters(WRONG, set(list(WRONG)[::3]).__contains__))
def test_what_breaks_at_larger_bounds_is_not_proved(name: str, tmp_path: Path) -> None:
    path = write_model(tmp_path, *WRONG[name])
    model = load(path).bind(properties=["never_bad"], constants={"top": 6})
    assert ENGINES["python"](model, Search(), None).outcome in ("safety", "model_error")
    proof = prove(path)
    assert proof.word not in ("proved", "vacuous")


QUOTE = '''

@record
class Quote:
    """A message with a log in it."""

    what: Annotated[Seq[Two], Capacity({})]
'''
QUOTES = {"quotes": ("Annotated[Set[Quote], Capacity(top)]", "Set()")}
TAKE = {"take quote: Annotated[Quote, Member('quotes')]": "s.quotes.remove(quote)\ns.bad = quote.what == Seq([1, 2])"}
SEND = {"send": "limit(len(s.quotes) < top)\ns.quotes.add(Quote(what=Seq([1, 2])))"}


def test_a_message_with_a_log_of_a_fixed_capacity_is_received(tmp_path: Path) -> None:
    assert prove(write_model(tmp_path, Wrong(QUOTES, {**SEND, **TAKE}), QUOTE.format(2))).word == "refuted"


def test_a_message_with_a_log_of_any_length_is_an_error_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(NotUnboundedError, match="a message with something in it that has no end here"):
        prove(write_model(tmp_path, Wrong(QUOTES, {**SEND, **TAKE}), QUOTE.format("top")))


def test_a_lemma_about_messages_without_a_hint_is_proved(tmp_path: Path) -> None:
    """A message that is written out is the same as one that is received."""
    send = {"send": "limit(len(s.asks) < top)\ns.asks.add(Ask(number=0, hint=None))\ns.x = 1"}
    says = "all(m.hint is None and m.number == 0 for m in s.asks) and (s.x == 0 or Ask(number=0, hint=None) in s.asks)"
    assert prove(write_model(tmp_path, Wrong(ASKS, send, says), "")).word == "proved"


def test_loops_that_fill_logs_are_proved(tmp_path: Path) -> None:
    step = "require(len(s.few) == 0)\nfor i in range(min(s.x, 3)):\n    s.few.append(i)"
    wrong = Wrong(FEW, {**GROW, "step": step}, "all(o < len(s.few) and s.few[o] == o for o in range(len(s.few)))")
    assert prove(write_model(tmp_path, wrong, "")).word == "proved"


UNION = '''

@record
class Vote:
    """A vote."""

    who: Node
    number: Number


@record
class Ack:
    """An answer."""

    number: Number
    to: Option[Node]
'''
NET = {**X, "net": ("Annotated[Set[Vote | Ack], Capacity(top)]", "Set()")}
SENT = {
    "send r: Node": "limit(len(s.net) < top)\ns.net.add(Vote(who=r, number=1))",
    "answer": "limit(len(s.net) < top)\ns.net.add(Ack(number=0, to=None))",
}
RECEIVE = "take m: Annotated[Vote | Ack, Member('net')]"


def test_a_message_of_a_union_has_the_fields_of_its_record(tmp_path: Path) -> None:
    """And no others: else a finite copy has states that are none."""
    take = {RECEIVE: "match m:\n    case Vote(who=w, number=n):\n        s.x = n\n    case Ack():\n        s.x = 0"}
    says = "all(not isinstance(m, Vote) or m.number == 1 for m in s.net)"
    assert prove(write_model(tmp_path, Wrong(NET, {**SENT, **take}, says), UNION)).word == "proved"
    take = {RECEIVE: "require(isinstance(m, Vote) and m.number == 1)\ns.bad = True"}
    assert prove(write_model(tmp_path, Wrong(NET, {**SENT, **take}), UNION)).word == "refuted"


def test_a_union_in_a_log_has_the_fields_of_its_record(tmp_path: Path) -> None:
    fields = {**X, "row": ("Annotated[Seq[Vote | Ack], Capacity(top)]", "Seq()")}
    push = {
        "push r: Node": "limit(len(s.row) < top)\ns.row.append(Vote(who=r, number=1))",
        "look r: Node": "require(len(s.row) > 0 and isinstance(s.row[0], Vote))\ns.bad = s.row[0].who != s.row[0].who",
    }
    assert prove(write_model(tmp_path, Wrong(fields, push), UNION)).word == "proved"
