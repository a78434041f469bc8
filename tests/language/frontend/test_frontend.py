"""The front end: what each construct of the language becomes in the typed form."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any, cast

import pytest
from tidegate.language import ir
from tidegate.language.binding import Definition, load
from tidegate.language.errors import ModelErrors
from tidegate.language.model import Model
from tidegate.language.types import Int

from ...support.forms import show, show_body

WORLD = '''
from __future__ import annotations

from enum import Enum
from typing import Annotated

from tidegate.language import *

top = constant(3, minimum=1, maximum=5)
room = constant(2, minimum=1, maximum=4)
brave = constant(True)
crashes = constant(1, minimum=0, maximum=4)
last = top - 1


class Mode(Enum):
    OFF = "off"
    ON = "on"


mode = constant(Mode.ON)


class Node(Domain, size=2):
    """A node."""


Number = Annotated[int, Range(0, top)]


@record
class Entry:
    by: Node
    number: Number


@record
class Note:
    to: Node
    answer: Option[Number]


@state
class World:
    count: Number
    owner: Option[Node]
    queue: Map[Node, Annotated[Seq[Entry], Capacity(room)]]
    seen: Set[Node]
    lit: Map[Mode, bool]
    entry: Entry
    notes: Annotated[Set[Note], Capacity(room)]
    high: Ghost[Number]
    past: Ghost[Annotated[Seq[Number], Capacity(2)]]


@initial
def start() -> World:
    return World(
        count=0, owner=None, queue=Map({n: Seq() for n in Node}), seen=Set(), lit=Map({m: False for m in Mode}),
        entry=Entry(Node(0), 0), notes=Set(), high=0, past=Seq(),
    )
'''

SIGNATURE = "s: World, node: Node, m: Mode, i: Number, flag: bool, some: Set[Node]"


def definition(path: Path, text: str) -> Definition:
    """A definition from text after the world that all tests share."""
    file = path / "world.py"
    file.write_text(WORLD + "\n\n" + textwrap.dedent(text), encoding="utf-8")
    return load(file)


def bound(path: Path, text: str, **how: Any) -> Model:
    """The model of the shared world with these functions in it."""
    return definition(path, text).bind(**how)


def action_body(path: Path, body: str, before: str = "", **how: Any) -> tuple[ir.Statement, ...]:
    """The body of an action with one parameter of each kind."""
    inside = textwrap.indent(textwrap.dedent(body), "    ")
    text = f"{textwrap.dedent(before)}\n\n@action\ndef step({SIGNATURE}) -> None:\n{inside}\n"
    return bound(path, text, **how).actions[0].form.body


def expression(path: Path, text: str, before: str = "") -> ir.Expr:
    """The form of an expression, as what a local name is bound to."""
    let, _ = action_body(path, f"x = {text}\ns.count = s.count", before)
    return cast(ir.Let, let).value


EXPRESSIONS = {
    "s.count": "s.count",
    "s.queue[node][i].number": "s.queue[node][i].number",
    "s.queue[s.owner]": "s.queue[s.owner!]",
    "s.owner == node": "(s.owner == +node)",
    "node != s.owner": "(+node != s.owner)",
    "s.owner is None": "none(s.owner)",
    "s.owner is not None and s.owner in s.seen": "(not none(s.owner) and not none(s.owner) and (s.owner! in s.seen))",
    "node in s.seen": "(node in s.seen)",
    "node not in {node}": "not (node in Set(node))",
    "m in (Mode.ON, Mode.OFF)": "((m == ON) or (m == OFF))",
    "m is Mode.ON": "(m == ON)",
    "m is not Mode.ON": "(m != ON)",
    "0 <= s.count < i": "((0 <= s.count) and (s.count < i))",
    "s.seen - {s.owner}": "(s.seen - Set(s.owner!))",
    "{node} | s.seen": "(Set(node) | s.seen)",
    "s.seen <= some": "(s.seen <= some)",
    "s.seen >= some": "(some <= s.seen)",
    "s.seen < some": "((s.seen <= some) and (s.seen != some))",
    "s.seen == Set()": "(s.seen == Set())",
    "Set() == s.seen": "(Set() == s.seen)",
    "s.seen == Set(Node)": "(s.seen == All(Node))",
    "is_majority(s.seen)": "majority(s.seen)",
    "len(s.seen) + len(Node) + len(Mode)": "((len(s.seen) + 2) + 2)",
    "min(s.count, i, 2)": "((s.count min i) min 2)",
    "max((e.number for e in s.queue[node] if e.by == node), default=0)":
        "max(e.number for e in s.queue[node] if (e.by == node), 0)",
    "sum(1 for n in Node if n in s.seen)": "sum(1 for n in Node if (n in s.seen))",
    "sum(e.number for e in s.queue[node])": "sum(e.number for e in s.queue[node])",
    "any(s.lit[x] for x in Mode)": "any(s.lit[x] for x in Mode)",
    "all(a == b for a in Node for b in some)": "all((a == b) for a in Node for b in some)",
    "all(o < len(s.queue[node]) for o in range(1, i))": "all((o < len(s.queue[node])) for o in 1..i)",
    "{n for n in Node if n != node}": "set(n for n in Node if (n != node))",
    "Set(e.by for e in s.queue[node])": "set(e.by for e in s.queue[node])",
    "s.queue[node][1:]": "s.queue[node][1:]",
    "s.queue[node][:i] + Seq([s.entry])": "(s.queue[node][:i] ++ Seq(s.entry))",
    "s.queue[node] == Seq()": "(s.queue[node] == Seq())",
    "Entry(node, number=i)": "Entry(node, i)",
    "Note(to=s.owner, answer=i)": "Note(s.owner!, +i)",
    "Note(to=node, answer=None) in s.notes": "(Note(node, None) in s.notes)",
    "replace(s.entry, number=1)": "s.entry{number=1}",
    "i if flag else s.count": "(i if flag else s.count)",
    "s.owner if flag else None": "(s.owner if flag else None)",
    "None if flag else node": "(None if flag else +node)",
    "not flag": "not flag",
    "-i // 2 % 3": "(((0 - i) // 2) % 3)",
    "Node(1)": "B",
    "top": "3",
    "last + 1": "3",
    "mode": "ON",
    "flag and s.lit[m] and i > 0": "(flag and s.lit[m] and (i > 0))",
    "Map({n: 0 for n in Node})": "{n: 0}",
}  # fmt: skip


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_expressions(text: str, tmp_path: Path) -> None:
    assert show(expression(tmp_path, text)) == EXPRESSIONS[text]


INTERVALS = {
    "i": (0, 3),
    "i + s.count": (0, 6),
    "i - s.count": (-3, 3),
    "i * -2": (-6, 0),
    "(i - 2) // 2": (-1, 0),
    "i // (i - 1)": (-3, 3),
    "i % 2": (0, 1),
    "i % (i + 5)": (0, 3),
    "i % -2": (-1, 0),
    "min(i, 2)": (0, 2),
    "max(i, 2)": (2, 3),
    "i if flag else 7": (0, 7),
    "len(s.queue[node])": (0, 2),
    "len(some)": (0, 2),
    "sum(e.number for e in s.queue[node])": (0, 6),
    "sum(1 for a in Node for b in Node)": (0, 4),
    "sum(-1 for a in Node)": (-2, 0),
    "max((o + 1 for o in range(1, len(s.queue[node]))), default=0)": (0, 2),
    "doubled(i)": (0, 6),
    "doubled(i + 4)": (8, 14),
}

DOUBLED = """
def doubled(n: int) -> int:
    return n + n
"""


@pytest.mark.parametrize("text", INTERVALS)
def test_every_integer_knows_its_interval(text: str, tmp_path: Path) -> None:
    type_ = expression(tmp_path, text, DOUBLED).type
    assert isinstance(type_, Int)
    assert (type_.lo, type_.hi) == INTERVALS[text]


# --- statements -------------------------------------------------------------------------------------------------------

BODIES = {
    "each conjunct of a require is a guard of its own": (
        "require(flag and i > 0 and (flag or i < 2))",
        ["require flag", "require (i > 0)", "require (flag or (i < 2))"],
    ),
    "writes go through a path": (
        """
        s.lit[m] = flag
        s.queue[node].append(Entry(node, i))
        s.queue[node].truncate(i)
        s.seen.add(node)
        s.seen.discard(s.owner)
        s.notes.remove(Note(node, None))
        s.queue[node] = s.queue[node][1:]
        """,
        [
            "lit[m] = flag",
            "queue[node].append(Entry(node, i))",
            "queue[node].truncate(i)",
            "seen.add(node)",
            "seen.discard(s.owner!)",
            "notes.remove(Note(node, None))",
            "queue[node] = s.queue[node][1:]",
        ],
    ),
    "augmented assignment reads the cell and writes it": (
        "s.count += 1\ns.seen |= {node}\nn = 1\nn *= 2\ns.count = n",
        ["count = (s.count + 1)", "seen = (s.seen | Set(node))", "n := 1", "n := (n * 2)", "count = n"],
    ),
    "options take None and plain values": (
        "s.owner = None\ns.owner = node\nx: Option[Node] = None\nx = node\ns.owner = x",
        ["owner = None", "owner = +node", "x := None", "x := +node", "owner = x"],
    ),
    "people's statements are left out": (
        "'''A step.'''\nprint(i)\nbreakpoint()\n...\npass\ns.count = 0",
        ["count = 0"],
    ),
    "an assert stays": ("assert i > 0\ns.count = 0", ["assert (i > 0)", "count = 0"]),
    "match becomes if": (
        """
        match m:
            case Mode.OFF:
                s.count = 0
            case Mode.ON:
                s.count = 1
        match i:
            case 0 | 1 if flag:
                s.count = 2
            case _:
                s.count = 3
        """,
        [
            "if (m == OFF):",
            "  count = 0",
            "else:",
            "  count = 1",
            "if (((i == 0) or (i == 1)) and flag):",
            "  count = 2",
            "else:",
            "  count = 3",
        ],
    ),
    "a loop variable has one name of its own": (
        """
        for n in Node:
            s.seen.add(n)
        for n in range(2):
            s.count = n
        s.lit[m] = all(n in s.seen for n in Node)
        """,
        [
            "for n in Node:",
            "  seen.add(n)",
            "for n_2 in 0..2:",
            "  count = n_2",
            "lit[m] = all((n_3 in s.seen) for n_3 in Node)",
        ],
    ),
    "what a constant decides is folded": (
        """
        if brave and mode == Mode.ON:
            s.count = top if brave else 0
        else:
            s.count = 1
        if not brave or flag:
            s.count = 2
        require_nothing = 1 + 2
        """,
        ["count = 3", "if flag:", "  count = 2", "require_nothing := 3"],
    ),
}


@pytest.mark.parametrize("claim", BODIES)
def test_statements(claim: str, tmp_path: Path) -> None:
    body, expected = BODIES[claim]
    assert show_body(action_body(tmp_path, body)) == expected


def test_a_guard_keeps_its_text_and_place(tmp_path: Path) -> None:
    require, limit = action_body(tmp_path, "require(i  >  0)\nlimit(\n    s.count\n    < top\n)")
    assert isinstance(require, ir.Require)
    assert isinstance(limit, ir.Limit)
    assert (require.text, limit.text) == ("i  >  0", "s.count < top")
    assert (limit.where.end_line - require.where.line, require.where.column) == (3, 12)


def test_a_name_that_a_loop_changes_is_wide(tmp_path: Path) -> None:
    body = action_body(tmp_path, "total = 0\nfor e in s.queue[node]:\n    total += e.number\ns.count = total")
    store = body[-1]
    assert isinstance(store, ir.Store)
    assert isinstance(store.value.type, Int)
    assert store.value.type.hi >= 2**40


def test_a_name_bound_on_both_ways_has_both_values(tmp_path: Path) -> None:
    body = action_body(tmp_path, "if flag:\n    n = 1\nelse:\n    n = 5\ns.count = n")
    store = body[-1]
    assert isinstance(store, ir.Store)
    assert store.value.type == Int(1, 5)


def test_folding_never_hides_an_error(tmp_path: Path) -> None:
    """What comes before a false constant may fail when evaluated, and has to stay."""
    certain, partial = "s.count > 0 and not brave", "s.queue[node][0].number > 0 and not brave"
    assert show(expression(tmp_path, certain)) == "False"
    assert show(expression(tmp_path, partial)) == "((s.queue[node][0].number > 0) and False)"


# --- helpers ----------------------------------------------------------------------------------------------------------

HELPERS = """
def is_free(w: World, n: Node, mode_: Mode = Mode.ON) -> bool:
    if w.owner == n:
        return False
    for e in w.queue[n]:
        if e.number > 1:
            return False
    return w.lit[mode_]


def fenced() -> bool:
    return brave
"""

NEWEST = """
def newest(s: World, n: Node) -> Option[Entry]:
    if len(s.queue[n]) == 0:
        return None
    return s.queue[n][len(s.queue[n]) - 1]
"""


def test_a_helper_is_elaborated_for_the_callers_state(tmp_path: Path) -> None:
    body = action_body(tmp_path, "require(is_free(s, node))\nrequire(is_free(s, n=node))\nrequire(fenced())", HELPERS)
    assert show_body(body) == ["require is_free(node, ON)"] * 2
    calls = [cast(ir.Call, cast(ir.Require, statement).condition) for statement in body]
    assert calls[0].function is calls[1].function
    function = calls[0].function
    assert function.states == ("s",)
    assert show_body(function.body) == [
        "if (s.owner == +n):",
        "  return False",
        "for e in s.queue[n]:",
        "  if (e.number > 1):",
        "    return False",
        "return s.lit[mode_]",
    ]


def test_a_helper_returns_what_it_declares(tmp_path: Path) -> None:
    let, store = action_body(tmp_path, "e = newest(s, node)\ns.entry = e", NEWEST)
    assert show(store) == "entry = e!"
    call = cast(ir.Call, cast(ir.Let, let).value)
    assert show_body(call.function.body)[1:] == ["  return None", "return +s.queue[n][(len(s.queue[n]) - 1)]"]


def test_a_transition_sees_two_states(tmp_path: Path) -> None:
    text = """
    def counted(s: World) -> int:
        return s.count

    @action
    def step(s: World) -> None:
        s.count = 0

    @transition
    def falls(before: World, after: World) -> bool:
        return counted(after) <= counted(before)
    """
    form = bound(tmp_path, text).properties[0].form
    assert form is not None
    assert form.states == ("before", "after")
    (returned,) = form.body
    compare = cast(ir.Compare, cast(ir.Return, returned).value)
    inner = [show_body(cast(ir.Call, term).function.body) for term in (compare.left, compare.right)]
    assert inner == [["return after.count"], ["return before.count"]]


def test_reads_and_writes_go_through_helpers(tmp_path: Path) -> None:
    text = (
        HELPERS
        + """

@action
def step(s: World, note: Note) -> None:
    require(is_free(s, note.to))
    s.count = 0
    s.seen.add(note.to)
"""
    )
    form = bound(tmp_path, text).actions[0].form
    assert form.reads == {"owner", "queue", "lit", "notes"}
    assert form.writes == {"count", "seen"}
    assert form.parameters[0].pool == "notes"


# --- ghosts, budgets, switches ----------------------------------------------------------------------------------------

GHOSTLY = """
    require(s.count < top)
    highest = max(s.high, s.count)
    s.count += 1
    s.high = highest
    if len(s.past) < 2:
        s.past.append(s.count)
    for n in s.past:
        s.high = n
    """


def test_ghosts_are_folded_away(tmp_path: Path) -> None:
    assert len(action_body(tmp_path, GHOSTLY)) == 6
    kept = action_body(tmp_path, GHOSTLY, ghosts=False)
    assert show_body(kept) == ["require (s.count < 3)", "count = (s.count + 1)"]


def test_a_property_that_reads_a_ghost_is_not_applicable_without_them(tmp_path: Path) -> None:
    text = """
    def highest(s: World) -> int:
        return s.high

    @action
    def step(s: World) -> None:
        s.count = 0

    @invariant
    def low(s: World) -> bool:
        return s.count <= highest(s)
    """
    its = definition(tmp_path, text)
    with_ghosts, without = its.bind().properties[0], its.bind(ghosts=False).properties[0]
    assert with_ghosts.applicable
    assert not without.applicable
    assert without.ghosts == with_ghosts.ghosts == {"high"}


def test_initial_values_follow_the_fields(tmp_path: Path) -> None:
    text = """
    @action(kind="fault", budget="crashes")
    def step(s: World) -> None:
        s.count = 0
    """
    its = definition(tmp_path, text)
    whole, plain = its.bind(), its.bind(ghosts=False, constants={"crashes": 4})
    assert [field.name for field in whole.fields][-3:] == ["high", "past", "crashes_left"]
    assert show(whole.initials[0].form.result).endswith("Pool(), 0, Seq(), 1)")
    assert [field.name for field in plain.fields][-2:] == ["notes", "crashes_left"]
    assert show(plain.initials[0].form.result).endswith("Pool(), 4)")


def test_a_budget_is_a_limit_after_the_guards_and_spent_at_the_end(tmp_path: Path) -> None:
    text = """
    @action(kind="fault", budget="crashes")
    def step(s: World, flag: bool) -> None:
        require(s.count > 0)
        n = 1
        if flag:
            require(s.owner is None)
            s.count = n
        limit(s.count < top)

    @action(kind="fault", budget="crashes")
    def other(s: World) -> None:
        s.count = 0
    """
    first, second = bound(tmp_path, text.replace("        limit(s.count < top)\n", "")).actions
    assert show_body(first.form.body) == [
        "require (s.count > 0)",
        "n := 1",
        "if flag:",
        "  require none(s.owner)",
        "  limit (s.crashes_left > 0)",
        "  count = n",
        "else:",
        "  limit (s.crashes_left > 0)",
        "crashes_left = (s.crashes_left - 1)",
    ]
    assert show_body(second.form.body)[0] == "limit (s.crashes_left > 0)"
    assert cast(ir.Limit, second.form.body[0]).budget == "crashes"
    assert "crashes_left" in second.form.reads & second.form.writes


def test_a_constant_guard_switches_an_action_off(tmp_path: Path) -> None:
    text = """
    @action
    def step(s: World) -> None:
        require(not brave or mode is Mode.OFF)
        require(s.count > 0)
        s.count = 0
    """
    its = definition(tmp_path, text)
    assert its.bind().actions[0].switched_off
    assert not its.bind(constants={"brave": False}).actions[0].switched_off
    assert its.bind(open=["brave", "mode"]).actions[0].switched_off
    assert not its.bind(open=["brave"], constants={"brave": False}).actions[0].switched_off


def test_open_constants_stay_in_the_forms(tmp_path: Path) -> None:
    text = """
    @action
    def step(s: World) -> None:
        require(brave)
        limit(s.count < last)
        s.count += 1
    """
    model = bound(tmp_path, text, open=["top", "brave", "crashes"])
    assert show_body(model.actions[0].form.body)[:2] == ["require $brave", "limit (s.count < ($top - 1))"]
    count = model.field("count").type
    assert isinstance(count, Int)
    assert (count.lo, count.hi, count.lo_open) == (0, 5, None)
    assert count.hi_open is not None
    assert count.hi_open.value(model.values) == 3


def test_dead_branches_are_still_checked(tmp_path: Path) -> None:
    with pytest.raises(ModelErrors):
        action_body(tmp_path, "if not brave:\n    s.count = s.seen")


def test_a_constants_size_bounds_a_domain(tmp_path: Path) -> None:
    with pytest.raises(ModelErrors) as caught:
        action_body(tmp_path, "s.owner = Node(2)")
    assert [error.code for error in caught.value.errors] == ["TG202"]
