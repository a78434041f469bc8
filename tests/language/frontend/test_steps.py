"""Step helpers: guards, limits and writes that several actions share mean what they would mean in place of the call."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.native.search import check as native
from tidegate.explorer.plain import check as plain
from tidegate.explorer.search import Search
from tidegate.explorer.symmetry import symmetry_of
from tidegate.language.binding import load
from tidegate.language.errors import ModelErrors
from tidegate.language.judge import StoppedStep, attempt, initial_states, stop_reason
from tidegate.language.model import Model
from tidegate.language.values import ModelError
from tidegate.reports.spec.effects import action_lines

from ...support.engines import agree, agree_on, bind_text, compile_model, reachable_states, text_of

FIELDS = """
up: Set[Node]
view: Map[Node, Option[Node]]
queue: Map[Node, Annotated[Seq[Small], Capacity(3)]]
count: Small
stops: Ghost[Annotated[Seq[Node], Capacity(2)]]
"""
START = """
up=Set(Node)
view=Map({node: node for node in Node})
queue=Map({node: Seq() for node in Node})
count=0
stops=Seq()
"""
BEFORE = """
from typing import TypeVar

T = TypeVar("T")
crashes = constant(1, minimum=0, maximum=3, says="crashes")


class Node(Domain, size=2, symmetric=True):
    '''A node.'''
"""
STOP = """
def stop(s: World, node: Node, hard: bool) -> None:
    '''It runs no more.'''
    require(node in s.up)
    if hard:
        s.view[node] = None
    s.up.remove(node)
    note(s.stops, node)

"""
SHARED = """
def note(stops: Seq[T], node: T) -> None:
    '''Remembers.'''
    if len(stops) == 2:
        return
    stops.append(node)

def push(queue: Seq[Small], number: Small, like: Seq[Small]) -> None:
    '''Puts a number at the end, as often as there is room for it, once at least.'''
    limit(len(queue) < 3)
    before = queue
    queue.append(number)
    if len(queue) == 2 and len(before) == 1 and len(like) < 2:
        queue.append(len(before))

"""
PASTED = """
@action(kind="fault", budget="crashes")
def crash(s: World, node: Node) -> None:
    '''{node} crashes.'''
    require(node in s.up)
    s.view[node] = None
    s.up.remove(node)
    if not len(s.stops) == 2:
        s.stops.append(node)

@action
def leave(s: World, node: Node) -> None:
    '''{node} stops.'''
    require(s.view[node] is not None)
    require(node in s.up)
    s.up.remove(node)
    if not len(s.stops) == 2:
        s.stops.append(node)

@action
def fill(s: World, node: Node, other: Node, number: Small) -> None:
    '''{node} gets {number}.'''
    require(node in s.up)
    like = s.queue[other]
    limit(len(s.queue[node]) < 3)
    before = s.queue[node]
    s.queue[node].append(number)
    if len(s.queue[node]) == 2 and len(before) == 1 and len(like) < 2:
        s.queue[node].append(len(before))
"""
COMPOSED = (
    SHARED
    + """
@action(kind="fault", budget="crashes")
def crash(s: World, node: Node) -> None:
    '''{node} crashes.'''
    stop(s, node, True)

@action
def leave(s: World, node: Node) -> None:
    '''{node} stops.'''
    require(s.view[node] is not None)
    stop(s, hard=False, node=node)

@action
def fill(s: World, node: Node, other: Node, number: Small) -> None:
    '''{node} gets {number}.'''
    require(node in s.up)
    push(s.queue[node], number, s.queue[other])
"""
)


FAULT = "@action(kind='fault', budget='crashes')\n"


def world(body: str) -> str:
    """A model's text. A function that takes the state is in it where something calls it."""
    return text_of(FIELDS, START, STOP + body if "stop(s" in body else body, before=BEFORE)


def act(folder: Path, helpers: str, body: str, **options: Any) -> Model:
    """A model of one action with this body, over these helpers."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    step = f"@action\ndef step(s: World, node: Node) -> None:\n    '''Steps.'''\n{lines}"
    return bind_text(folder, world(f"{SHARED}{helpers}\n\n{step}"), **options)


def mistakes(folder: Path, helpers: str, body: str) -> list[tuple[str, str]]:
    """Code and cause of each mistake."""
    with pytest.raises(ModelErrors) as caught:
        act(folder, helpers, body)
    return [(error.code, error.message) for error in caught.value.errors]


# --- the same as if it were written in place --------------------------------------------------------------------------


@pytest.mark.parametrize("ghosts", [True, False])
@pytest.mark.parametrize("symmetry", [True, False])
def test_a_call_means_the_text_in_its_place(tmp_path: Path, ghosts: bool, symmetry: bool) -> None:
    options = {"ghosts": ghosts, "constants": {"crashes": 1}}
    composed, pasted = (bind_text(tmp_path, world(body), **options) for body in (COMPOSED, PASTED))
    assert [domain.name for domain in symmetry_of(composed).domains] == ["Node"]
    search = Search(symmetry=symmetry, keep_going=True)
    mine, theirs = native(composed, search), native(pasted, search)
    assert (mine.distinct_states, mine.transitions, mine.depth) == (
        theirs.distinct_states, theirs.transitions, theirs.depth,
    )  # fmt: skip
    frontier = compile_model(composed)
    agree_on(frontier, reachable_states(composed, 30, seed=3))
    frontier.frontier.close()


def test_notation_shows_the_text_in_place_of_the_call(tmp_path: Path) -> None:
    composed, pasted = (bind_text(tmp_path, world(body), ghosts=False) for body in (COMPOSED, PASTED))
    for name in ("crash", "leave", "fill"):
        assert action_lines(composed.action(name).form) == action_lines(pasted.action(name).form)


def test_guards_of_step_helpers_are_counted_at_the_call(tmp_path: Path) -> None:
    model = bind_text(tmp_path, world(COMPOSED), ghosts=False)
    counted = [{action.name: action.guards for action in engine(model, Search()).actions} for engine in (native, plain)]
    for guards in counted:
        assert [(guard.text, guard.is_limit) for guard in guards["leave"]] == [
            ("s.view[node] is not None", False),
            ("node in s.up", False),
        ]
        lines = [guard.line for guard in guards["leave"]]
        assert lines[1] == lines[0] + 1
    assert counted[0]["crash"] == counted[1]["crash"]


def test_a_helper_called_twice_is_counted_twice(tmp_path: Path) -> None:
    helpers = "def small(s: World, most: int) -> None:\n    '''Guards.'''\n    require(s.count < most)\n"
    model = act(tmp_path, helpers, "small(s, 3)\nsmall(s, 2)\ns.count += 1")
    for engine in (native, plain):
        guards = next(action.guards for action in engine(model, Search()).actions if action.name == "step")
        assert [guard.text for guard in guards] == ["s.count < most", "s.count < most"]
    agree(model)


# --- pieces of the state ----------------------------------------------------------------------------------------------

PIECES = {
    "a piece follows what is written to the cell by another way": (
        "def f(s: World, queue: Seq[Small], node: Node) -> None:\n    '''F.'''\n"
        "    queue.append(1)\n    s.queue[node].append(2)\n    if len(queue) == 2:\n        queue.append(3)",
        "require(len(s.queue[node]) == 0)\nf(s, s.queue[node], node)\nassert len(s.queue[node]) == 3",
    ),
    "the same cell given twice is one cell": (
        "def f(one: Seq[Small], two: Seq[Small]) -> None:\n    '''F.'''\n"
        "    one.append(1)\n    two.append(2)\n    one[0] = len(two)",
        "require(len(s.queue[node]) == 0)\nf(s.queue[node], s.queue[node])\nassert s.queue[node][0] == 2",
    ),
    "the indexes of a piece are those at the call": (
        "def f(s: World, numbers: Seq[Small]) -> None:\n    '''F.'''\n"
        "    s.count = 1 - s.count\n    numbers[0] = 3\n    numbers[0] += 0",
        "require(len(s.queue[node]) == 0 and s.count < 2)\ns.queue[node] = Seq([0])\nf(s, s.queue[node])",
    ),
    "a piece of a piece": (
        "def f(queues: Map[Node, Seq[Small]], node: Node) -> None:\n    '''F.'''\n"
        "    note(queues[node], 1)\n    note(queues[node], len(queues[node]) + 1)\n"
        "    queues[node][0] = queues[node][1]\n",
        "require(len(s.queue[node]) == 0)\nf(s.queue, node)",
    ),
    "a local name of the helper is its own": (
        "def f(s: World, count: int) -> None:\n    '''F.'''\n"
        "    number = count\n    for other in Node:\n        number = number + 1\n    s.count = number % 4",
        "number = s.count\nf(s, number)\nassert number + 2 == s.count or number > 1",
    ),
    "a value is as it was at the call": (
        "def f(s: World, number: Small, queue: Seq[Small]) -> None:\n    '''F.'''\n"
        "    s.count = (number + 1) % 4\n    s.queue[Node(0)] = Seq([number])\n    s.count = number\n"
        "    assert len(queue) == 0 or queue[0] >= 0",
        "f(s, s.count, s.queue[Node(0)])",
    ),
}


@pytest.mark.parametrize("name", PIECES)
def test_pieces_and_values_mean_the_same_in_both_engines(tmp_path: Path, name: str) -> None:
    model = act(tmp_path, *PIECES[name])
    verdict = agree(model)
    assert verdict is not None
    assert (verdict.distinct_states or 0) > 1
    assert verdict.outcome != "model_error"


def test_helpers_in_a_file_of_their_own(tmp_path: Path) -> None:
    (tmp_path / "mail_parts.py").write_text(
        "from __future__ import annotations\nfrom typing import TypeVar\nfrom tidegate.language import Bag, limit\n"
        "M = TypeVar('M')\n\n"
        "def send(network: Bag[M], message: M, room: int) -> None:\n    '''Sends.'''\n"
        "    limit(len(network) < room)\n    network.add(message)\n\n"
        "def is_quiet(network: Bag[M]) -> bool:\n    '''Empty.'''\n    return len(network) == 0\n",
        encoding="utf-8",
    )
    before = "from mail_parts import is_quiet, send\n\n\n@record\nclass Note:\n    '''A note.'''\n\n    by: Small\n"
    body = (
        "@action\ndef write(s: World, by: Small) -> None:\n    '''Writes.'''\n    send(s.notes, Note(by), 2)\n\n"
        "@action\ndef read(s: World, note: Note) -> None:\n    '''Reads.'''\n    s.notes.remove(note)\n\n"
        "@reachable\ndef quiet(s: World) -> bool:\n    '''Quiet.'''\n    return is_quiet(s.notes)\n"
    )
    text = text_of("notes: Annotated[Bag[Note], Capacity(2)]", "notes=Bag()", body, before=before)
    path = tmp_path / "mail.py"
    path.write_text(text, encoding="utf-8")
    model = load(path).bind()
    assert str(tmp_path / "mail_parts.py") in model.files
    verdict = agree(model)
    assert verdict is not None
    assert verdict.distinct_states == 15


# --- budgets, guards, errors of the model -----------------------------------------------------------------------------


def test_a_spent_budget_stops_right_after_the_last_guard_of_a_helper(tmp_path: Path) -> None:
    """What the helper does after its guards would break the model, and is not done."""
    helpers = (
        "def f(s: World, node: Node) -> None:\n    '''F.'''\n    if s.count == 3:\n        return\n"
        "    require(node in s.up)\n    limit(s.queue[node][0] == 0)\n    s.count = 1\n\n"
        "def g(s: World, node: Node) -> None:\n    '''G.'''\n    require(s.count < 3)\n    f(s, node)\n"
    )
    step = FAULT + "def break_(s: World, node: Node) -> None:\n    '''B.'''\n    g(s, node)\n"
    model = bind_text(tmp_path, world(SHARED + helpers + "\n" + step), constants={"crashes": 0})
    state = next(initial_states(model))
    action = model.action("break_")
    stopped = attempt(model, state, action, {"node": model.namespace["Node"](0)})
    assert stopped == StoppedStep(True, 0, "crashes")
    agree(model)
    again = bind_text(tmp_path, world(SHARED + helpers + "\n" + step), constants={"crashes": 1})
    with pytest.raises(ModelError, match="index 0 is outside"):
        attempt(again, next(initial_states(again)), again.action("break_"), {"node": again.namespace["Node"](0)})


def test_a_guard_after_one_that_a_budget_stopped_is_not_taken_for_the_budget(tmp_path: Path) -> None:
    body = FAULT + "def crash(s: World, node: Node) -> None:\n    '''C.'''\n    stop(s, node, True)\n"
    model = bind_text(tmp_path, world(SHARED + body), constants={"crashes": 1})
    first, second = model.namespace["Node"](0), model.namespace["Node"](1)
    action = model.action("crash")
    after = attempt(model, next(initial_states(model)), action, {"node": first})
    assert not isinstance(after, StoppedStep)
    assert attempt(model, after, action, {"node": second}) == StoppedStep(True, 0, "crashes")
    disabled = attempt(model, after, action, {"node": first})
    assert isinstance(disabled, StoppedStep)
    assert not disabled.is_limit


def test_the_false_guard_of_a_helper_is_named(tmp_path: Path) -> None:
    model = bind_text(tmp_path, world(COMPOSED))
    node = model.namespace["Node"](0)
    action = model.action("crash")
    after = attempt(model, next(initial_states(model)), action, {"node": node})
    assert not isinstance(after, StoppedStep)
    stopped = attempt(model, after, action, {"node": node})
    assert isinstance(stopped, StoppedStep)
    assert stop_reason(model, after, action, {"node": node}, stopped) == "node in s.up is false"


def test_an_error_of_the_model_is_at_the_line_of_the_helper(tmp_path: Path) -> None:
    helpers = "def f(queue: Seq[Small]) -> None:\n    '''F.'''\n    queue.truncate(2)\n"
    model = act(tmp_path, helpers, "f(s.queue[node])")
    verdict = agree(model)
    assert verdict is not None
    assert verdict.failure is not None
    path, _, line = verdict.failure.where.rpartition(":")
    assert Path(path).read_text(encoding="utf-8").splitlines()[int(line) - 1] == "    queue.truncate(2)"
    assert verdict.failure.message.startswith("queue[A] cannot be truncated to 2: its length is 0, called at ")


# --- mistakes ---------------------------------------------------------------------------------------------------------

MISTAKES = {
    "a guard of the second call comes after the first one's writes": (
        "", "stop(s, node, True)\nstop(s, node, True)",
        [("TG301", "on some way to here the step has already written, and half a step would be undone")],
    ),
    "a limit before a guard": (
        "", "limit(s.count < 3)\nstop(s, node, True)",
        [("TG302", "a limit came first, so that what the bounds cut would look like what the protocol forbids")],
    ),
    "a limit after a write": (
        "", "s.count = 0\npush(s.queue[node], 1, Seq([1]))",
        [("TG313", "on some way to here the step has already written, and half a step would be undone")],
    ),
    "what a ghost decides": (
        "def f(s: World, many: bool) -> None:\n    '''F.'''\n    if many:\n        s.count = 1\n",
        "f(s, len(s.stops) > 0)",
        [("TG303", "whether this happens depends on a ghost, through the condition around it")],
    ),
    "a piece of another type": (
        "", "push(s.up, 1, Seq([1]))", [("TG203", "this is Set[Node], and Seq[int] is needed")],
    ),
    "a piece as a whole": (
        "def f(up: Set[Node]) -> None:\n    '''F.'''\n    up.add(Node(0))\n    up = Set()\n", "f(s.up)",
        [("TG312", "up is a piece of the state; it is changed by index or by a method")],
    ),
    "a parameter that is given another value": (
        "def f(number: Small, up: Set[Node]) -> None:\n    '''F.'''\n    number += 1\n    up = up | {Node(0)}\n",
        "f(s.count, s.up)",
        [
            ("TG108", "number is a parameter of f: this changes the name, not what the caller gave"),
            ("TG108", "up is a parameter of f: this changes the name, not what the caller gave"),
        ],
    ),
    "a name that nothing reads": (
        "def f(number: Small) -> None:\n    '''F.'''\n    more = number + 1\n", "f(s.count)",
        [("TG108", "nothing reads more, and f writes nothing to the state")],
    ),
    "a call as a value": ("", "s.count = stop(s, node, True)", [("TG107", "stop acts, and has no value")]),
    "another container": (
        "def f(queue: Seq[T], element: T) -> None:\n    '''F.'''\n    queue.append(element)\n", "f(s.up, node)",
        [("TG203", "this is Set[Node], and Seq[T] is needed")],
    ),
    "a type variable that nothing says": (
        "U = TypeVar('U')\n\ndef f(s: World, number: Small) -> None:\n    '''F.'''\n    x: Option[U] = None\n",
        "f(s, 1)", [("TG209", "nothing says which type U is")],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_in_steps_that_compose(tmp_path: Path, name: str) -> None:
    helpers, body, expected = MISTAKES[name]
    assert mistakes(tmp_path, helpers, body) == expected


def test_a_rule_broken_by_two_calls_is_two_mistakes(tmp_path: Path) -> None:
    with pytest.raises(ModelErrors) as caught:
        act(tmp_path, "", "s.count = 1\nstop(s, node, True)\nstop(s, node, False)")
    calls = [error.where.call.line for error in caught.value.errors if error.where.call is not None]
    assert len(calls) == 2
    assert calls[1] == calls[0] + 1


def test_what_is_worked_out_for_a_ghost_alone_is_left_out_with_it(tmp_path: Path) -> None:
    """The name of an argument may also be that of a parameter of a function that is called for something else."""
    helpers = (
        "def double(number: Small) -> int:\n    '''Twice.'''\n    return number * 2\n\n"
        "def remember(stops: Seq[Node], number: int, node: Node) -> None:\n    '''R.'''\n"
        "    if number < 2:\n        stops.append(node)\n\n"
    )
    body = "remember(s.stops, s.queue[node][0], node)\ns.count = double(s.count) % 4"
    off, on = (act(tmp_path, helpers, body, ghosts=ghosts) for ghosts in (False, True))
    assert not any("queue" in line for line in action_lines(off.action("step").form))
    without, with_ghosts = agree(off), agree(on)
    assert without is not None
    assert without.outcome != "model_error"
    assert with_ghosts is not None
    assert with_ghosts.outcome == "model_error"


HIGHER = """
def raise_by(s: World, by: int) -> None:
    '''Adds {by}.'''
    s.count += by

def raise_twice(s: World, by: int) -> None:
    '''Adds it.'''
    raise_by(s, by)

@action
def lift(s: World) -> None:
    '''Lifts.'''
    raise_twice(s, 1)

@action
def lift_high(s: World) -> None:
    '''Lifts high.'''
    raise_twice(s, 2)
"""


@pytest.mark.parametrize("engine", ["native", "python"])
def test_what_breaks_in_a_step_helper_names_its_line_and_each_call(tmp_path: Path, engine: str) -> None:
    model = bind_text(tmp_path, text_of("count: Small", "count=0", HIGHER))
    failure = ENGINES[engine](model, Search(), None).failure
    assert failure is not None and failure.action == "lift_high"
    lines = Path(model.files[0]).read_text().splitlines()
    numbers = [int(number) for number in re.findall(r":(\d+)", f"{failure.message}{failure.where}")]
    assert [lines[number - 1].strip() for number in numbers] == [
        "raise_by(s, by)",
        "raise_twice(s, 2)",
        "s.count += by",
    ]
    assert failure.message.startswith("count: 4 is outside 0..3, called at ")
