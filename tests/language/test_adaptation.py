"""Where the typed form says more than Python: None where a value is needed, ghosts folded away, budgets spent."""

from __future__ import annotations

from pathlib import Path
from types import CodeType

import pytest
from tidegate.explorer.plain import check as plain
from tidegate.explorer.search import Search
from tidegate.language.judge import StoppedStep, attempt, initial_choices, initial_states, steps
from tidegate.language.model import Model
from tidegate.language.values import ModelError, State

from ..support.engines import agree, bind_text, define_text, text_of

NODE = "class Node(Domain, size=2):\n    '''A node.'''\n"
BEFORE = NODE + "\n\n@record\nclass Note:\n    '''A message.'''\n\n    to: Node\n    by: Small\n"
FIELDS = """
leader: Option[Node]
everyone: Set[Node]
notes: Annotated[Set[Note], Capacity(2)]
log: Annotated[Seq[Node], Capacity(3)]
limit_: Option[Small]
count: Annotated[int, Range(0, 9)]
noticed: bool
"""
START = "leader=None\neveryone=Set(Node)\nnotes=Set()\nlog=Seq()\nlimit_=None\ncount=0\nnoticed=False"
HELPERS = """
def _is_there(s: World, node: Node) -> bool:
    '''Whether it is there.'''
    return node in s.everyone

def _chosen(s: World) -> Node:
    '''The leader.'''
    return s.leader

"""


def step_of(body: str) -> str:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return f"{HELPERS}\n@action\ndef step(s: World, node: Node) -> None:\n    '''Steps.'''\n{lines}"


# --- None is no value where one is needed -----------------------------------------------------------------------------

NEEDED = [
    "s.everyone = s.everyone - {s.leader}",
    "s.everyone = s.everyone & {s.leader}",
    "s.everyone -= {s.leader}",
    "s.noticed = s.everyone == {s.leader}",
    "s.noticed = {s.leader} <= s.everyone",
    "s.noticed = node in {s.leader}",
    "s.count = len({s.leader})",
    "s.count = len({s.leader for other in Node})",
    "s.everyone.discard(s.leader)",
    "s.everyone.remove(s.leader)",
    "for leader in {s.leader}:\n    s.noticed = True",
    "s.noticed = _is_there(s, s.leader)",
    "s.noticed = _chosen(s) == node",
    "s.noticed = Note(s.leader, 1) in s.notes",
    "s.notes.discard(Note(s.leader, 1))",
    "s.count = replace(Note(node, 1), to=s.leader).by",
    "s.count = len(s.log + Seq([s.leader]))",
    "s.log = s.log[s.limit_:]",
    "s.log = s.log[:s.limit_]",
    "s.count = s.limit_ + 1",
    "s.count = max((other.by for other in s.notes), default=s.limit_)",
]


@pytest.mark.parametrize("body", NEEDED)
def test_none_is_an_error_where_a_value_is_needed(body: str, tmp_path: Path) -> None:
    model = bind_text(tmp_path, text_of(FIELDS, START, step_of(body), before=BEFORE))
    agree(model)
    failure = plain(model, Search()).failure
    assert failure is not None
    needed = "s.limit_" if "limit_" in body else "s.leader"
    assert failure.message.partition(", called at ")[0] == f"{needed} is none, and a value is needed"
    file, _, line = failure.where.rpartition(":")
    assert needed in Path(file).read_text(encoding="utf-8").splitlines()[int(line) - 1]


@pytest.mark.parametrize(
    "body", ["s.noticed = s.leader in s.everyone", "s.noticed = s.leader == node", "s.leader = None"]
)
def test_none_is_a_value_where_it_may_be_one(body: str, tmp_path: Path) -> None:
    model = bind_text(tmp_path, text_of(FIELDS, START, step_of(body), before=BEFORE))
    agree(model)
    assert plain(model, Search()).failure is None


# --- sets of integers hold those within their range -------------------------------------------------------------------

NUMBERS = "low: Set[Small]\ncolor: Color\nnoticed: bool\ncount: Annotated[int, Range(0, 9)]\n"
OUTSIDE = (
    " is outside 0..3, the range of the set that it is put into; require a number within it, or declare a wider range "
    "where the set comes from"
)
RANGES = {
    "s.low = s.low - {n}": "-2" + OUTSIDE,
    "s.low &= {n + 1}": "-1" + OUTSIDE,
    "s.count = len((s.low | {n}) - {n})": "-2" + OUTSIDE,
    "s.low = s.low & {number for number in range(n, 3)}": "-2" + OUTSIDE,
    "s.low = s.low & Set(range(n, 3))": "-2" + OUTSIDE,
    "s.low.remove(n)": "-2 is not in low",
    "s.low.discard(n)": None,
    "s.noticed = n in s.low": None,
    "s.noticed = 1 in {n, 2}": None,
    "s.noticed = n in {n + 1, n * 2}": None,
    "s.noticed = {n} <= {0, 1, 2}": None,
    "s.noticed = n in (n, 1 // n)": "division by zero",
    "s.noticed = n in {n, 1 // n}": "division by zero",
    "s.noticed = n in (1, 2)": None,
    "s.noticed = s.color in {Color.RED, Color.GREEN}": None,
}


@pytest.mark.parametrize("body", RANGES)
def test_integers_in_sets(body: str, tmp_path: Path) -> None:
    text = step_of(body).replace(HELPERS, "").replace("node: Node", "n: Signed")
    start = "low=Set([0, 1])\ncolor=Color.BLUE\nnoticed=False\ncount=0"
    model = bind_text(tmp_path, text_of(NUMBERS, start, text, before=NODE))
    agree(model)
    failure = plain(model, Search()).failure
    assert (failure and failure.message) == RANGES[body]


def test_a_state_is_made_from_positions_too(tmp_path: Path) -> None:
    text = text_of("count: Small\nnoticed: bool", "2\nTrue", "@action\ndef step(s: World) -> None:\n    s.count = 1")
    assert [list(state) for state in initial_states(bind_text(tmp_path, text))] == [[2, True]]


# --- what only serves ghosts that are folded away is not evaluated ----------------------------------------------------

GHOSTS = [
    "s.seen.append(s.log[0])",
    "first = s.log[0]\ns.seen = s.seen + Seq([first])\ns.noticed = first == node",
    "count = len(s.seen) + 1 // s.count\ns.most = count",
    "if len(s.seen) > 1 // s.count:\n    s.most = 1",
    "for i in range(len(s.seen) // s.count):\n    s.most = 1",
    "if s.noticed:\n    s.most = 1 // s.count\nelif 1 // s.count > s.most:\n    s.most = 2",
    "match s.count:\n    case 1:\n        s.noticed = True\n    case 0 if s.most // s.count > 0:\n        s.most = 1",
]


@pytest.mark.parametrize("body", GHOSTS)
def test_the_typed_form_decides_what_a_folded_ghost_takes_with_it(body: str, tmp_path: Path) -> None:
    fields = FIELDS + "seen: Ghost[Annotated[Seq[Node], Capacity(3)]]\nmost: Ghost[Small]\n"
    text = text_of(fields, START + "\nseen=Seq()\nmost=0", step_of(body), before=BEFORE)
    agree(bind_text(tmp_path, text, ghosts=True))
    folded = bind_text(tmp_path, text, ghosts=False)
    agree(folded)
    message = None if "first" not in body else "index 0 is outside a Seq of length 0"
    failure = plain(folded, Search()).failure
    assert (failure and failure.message) == message


def test_the_first_value_of_a_folded_ghost_is_not_evaluated(tmp_path: Path) -> None:
    start = "count=0\nseen=Seq([count, 1 // count])"
    body = "@action\ndef step(s: World) -> None:\n    '''Steps.'''\n    s.count = 1\n"
    text = text_of("count: Small\nseen: Ghost[Annotated[Seq[Small], Capacity(2)]]", start, body, before=NODE)
    text = text.replace("    return World(", "    count = 0\n    return World(")
    agree(bind_text(tmp_path, text, ghosts=False))
    assert [state.count for _, _, state in initial_choices(bind_text(tmp_path, text, ghosts=False))] == [0]
    with pytest.raises(ModelError, match="division by zero"):
        list(initial_states(bind_text(tmp_path, text, ghosts=True)))


# --- a budget that is spent -------------------------------------------------------------------------------------------

SPENT = {
    "require(s.count < 3); s.count = s.count + 1 // (1 - s.count)": True,
    "require(1 // (1 - s.count) >= 0)\ns.count = 1": False,
    "s.count = 1 // (1 - s.count)": True,
    "require(True)\nlimit(1 // (1 - s.count) >= 0)\ns.count = 1": True,
    "if s.count > 0:\n    x = 1 // (1 - s.count)\n    require(x > 0)\nelse:\n    require(s.count < 3)\n"
    "s.count = 1": False,
    "if s.count == 0:\n    require(s.count < 3)\nx = 1 // (1 - s.count)\ns.count = x": True,
    "for i in range(2):\n    require(s.count < 3)\nx = 1 // (1 - s.count)\ns.count = x": True,
    "match s.count:\n    case 0:\n        require(s.count < 3)\nx = 1 // (1 - s.count)\ns.count = x": True,
    "match s.count:\n    case 0:\n        s.count = 1\n    case _:\n        require(s.count < 3)\n"
    "        s.count = 1 // (1 - s.count)": True,
}


@pytest.mark.parametrize("body", SPENT)
def test_a_spent_budget_stops_a_step_right_after_its_guards(body: str, tmp_path: Path) -> None:
    """The first step spends the budget and leaves a count of 1, with which the marked expression has no value."""
    before = NODE + "\n\nbudget = constant(1, minimum=0, maximum=3, says='how often')\n"
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    text = f"@action(budget='budget')\ndef step(s: World) -> None:\n    '''Steps.'''\n{lines}"
    model = bind_text(tmp_path, text_of("count: Small", "count=0", text, before=before))
    agree(model)
    first = attempt(model, next(initial_states(model)), model.actions[0], {})
    assert isinstance(first, State) and list(first) == [1, 0]
    if SPENT[body]:
        assert attempt(model, first, model.actions[0], {}) == StoppedStep(True, 0, "budget")
    else:
        with pytest.raises(ModelError, match="division by zero"):
            attempt(model, first, model.actions[0], {})


# --- messages displayed -----------------------------------------------------------------------------------------------

DISPLAYED = {
    "s.notes = {Note(node, 1), Note(Node(0), 1), Note(node, 1)}": None,
    "s.notes = {Note(node, 1), Note(node, 2), Note(node, 3)}": "notes: 3 elements are more than the capacity of 2",
    "s.notes = {Note(node, s.count + 4)}": "Note.by: 4 is outside 0..3",
    "s.noticed = s.notes == {Note(node, 1)}\ns.notes = {Note(Node(1), 1)}": None,
    "s.noticed = Note(node, 1) in {Note(Node(1), 1)}": None,
    "s.count = len({Note(node, 1), Note(Node(1), 1)})": None,
}


@pytest.mark.parametrize("body", DISPLAYED)
def test_messages_are_displayed_in_a_step_too(body: str, tmp_path: Path) -> None:
    model = bind_text(tmp_path, text_of(FIELDS, START, step_of(body), before=BEFORE))
    agree(model)
    failure = plain(model, Search()).failure
    assert (failure and failure.message) == DISPLAYED[body]


def test_what_is_said_of_a_function_alike_gives_the_same_code(tmp_path: Path) -> None:
    """Another binding of a module has the code of the one before, but where ghosts or ranges make a difference."""
    body = """
    @action
    def shown(s: World) -> None:
        '''Only a ghost keeps it.'''
        s.seen = s.seen | {s.low}


    @action
    def one_up(s: World) -> None:
        '''One more.'''
        require(s.low in {0, 1})
        s.low += 1
    """
    before = "top = constant(2, minimum=1, maximum=3, says='the most')\nLow = Annotated[int, Range(0, top)]\n"
    fields = "low: Low\nseen: Ghost[Set[Low]]"
    definition = define_text(tmp_path, text_of(fields, "low=0\nseen=Set()", body, before=before))
    with_ghost, same, without, wider = (
        definition.bind(ghosts=ghosts, constants={"top": top})
        for ghosts, top in ((True, 2), (True, 2), (False, 2), (True, 3))
    )

    def code(model: Model, name: str) -> CodeType:
        return model.namespace[name].__code__

    for model in (same, without, wider):
        assert code(model, "one_up") is code(with_ghost, "one_up")
    assert code(same, "shown") is code(with_ghost, "shown") is not code(without, "shown")
    assert [len(list(steps(model, next(initial_states(model))))) for model in (with_ghost, without)] == [2, 2]
    assert "seen" not in {field.name for field in without.fields}
