"""What the tests of the engines share: a model from its text, and both engines asked the same and compared."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import pytest
from tidegate.explorer.native.effort import FULL_EFFORT, CompileEffort
from tidegate.explorer.native.frontier import Frontier
from tidegate.explorer.native.kernels import kernel_of
from tidegate.explorer.native.search import Driver
from tidegate.explorer.native.search import check as native
from tidegate.explorer.plain import check as plain
from tidegate.explorer.search import Progress, Search
from tidegate.explorer.symmetry import symmetry_of
from tidegate.language.binding import Definition, load
from tidegate.language.judge import holds, initial_states, steps
from tidegate.language.model import Model
from tidegate.language.values import ModelError, State
from tidegate.language.verdict import Failure, Run, Verdict

HEADER = '''"""A model of a test."""

from enum import Enum
from typing import Annotated

from tidegate.language import (
    Bag, Capacity, Domain, Ghost, Map, Member, Option, Range, Seq, Set, action, bound, choose, constant, initial,
    invariant, is_majority, limit, position, previous, reachable, record, replace, require, state, subsets,
    terminal, transition,
)


class Color(Enum):
    """A color."""

    RED = 1
    GREEN = 2
    BLUE = 3


Small = Annotated[int, Range(0, 3)]
Signed = Annotated[int, Range(-2, 2)]


'''

MEMORY = 64 * 2**20
_numbers = itertools.count()


def text_of(
    fields: str,
    start: str,
    body: str,
    *,
    before: str = "class Node(Domain, size=2, symmetric=True):\n    '''A node.'''\n",
) -> str:
    """The text of a model with one initial state: its fields and their first values, a line each, and its functions."""
    return (
        HEADER
        + dedent(before)
        + "\n\n@state\nclass World:\n    '''The state.'''\n\n"
        + indent(dedent(fields).strip(), "    ")
        + "\n\n\n@initial\ndef start() -> World:\n    '''The beginning.'''\n    return World(\n"
        + indent(",\n".join(dedent(start).strip().splitlines()), "        ")
        + ",\n    )\n\n\n"
        + dedent(body).strip()
        + "\n"
    )


def bind_text(folder: Path, text: str, **options: Any) -> Model:
    """A model from its text, bound."""
    return define_text(folder, text).bind(**options)


def define_text(folder: Path, text: str) -> Definition:
    """A model from its text, to be bound several times: a failure says the file and line of the same text each time."""
    path = folder / f"model_{next(_numbers)}.py"
    path.write_text(text, encoding="utf-8")
    return load(path)


def ask_engine(engine: Any, model: Model, search: Search) -> Verdict | str:
    """The engine's verdict, or the message with which the model broke before there was any state."""
    try:
        return engine(model, search)
    except ModelError as error:
        return error.message


def plain_until(states: int | None, model: Model, search: Search) -> Verdict:
    """Plain Python's verdict; beyond so many states an interrupt ends it."""
    if states is None:
        return plain(model, search)

    def look(seen: Progress) -> None:
        if seen.distinct > states:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tidegate.explorer.plain.REPORT_SECONDS", 0.0)
        return plain(model, search, look)


def agree(model: Model, *, symmetry: bool = False, states: int | None = None) -> Verdict | None:
    """Ask both engines to explore everything; every difference is an AssertionError. The native verdict, if there is
    one: None where the model has more than `states`, which plain Python does not explore to their end."""
    theirs = ask_engine(partial(plain_until, states), model, Search(symmetry=symmetry, keep_going=True))
    if isinstance(theirs, Verdict) and theirs.verdict == "inconclusive" and "Ctrl-C" in theirs.assurance:
        return None
    mine = ask_engine(native, model, Search(symmetry=symmetry, keep_going=True, memory_bytes=MEMORY))
    if isinstance(theirs, str) or isinstance(mine, str):
        assert mine == theirs
        return None
    assert summary(mine) == summary(theirs), differences(summary(mine), summary(theirs))
    broken = [{prop.name for prop in reported.properties if prop.verdict == "violated"} for reported in (mine, theirs)]
    assert broken[0] <= broken[1]
    return mine


def summary(verdict: Verdict) -> dict[str, Any]:
    """What both engines must say alike."""
    reported: dict[str, Any] = {
        "outcome": verdict.outcome,
        "verdict": verdict.verdict,
        "symmetry": verdict.symmetry,
        "failure": failure_of(verdict.failure),
    }
    if verdict.outcome != "model_error":
        reported["properties"] = {prop.name: (prop.verdict, length(prop.run)) for prop in verdict.properties}
        reported["distinct"], reported["transitions"] = verdict.distinct_states, verdict.transitions
        reported["depth"], reported["levels"] = verdict.depth, [level.states for level in verdict.levels]
        reported["fired"] = {action.name: (action.firings, action.switched_off) for action in verdict.actions}
        reported["stopped"] = (verdict.held_states, verdict.states_beyond, cuts_of(verdict))
    return reported


def cuts_of(verdict: Verdict) -> dict[tuple[str, int, str], int]:
    """How often each limit cut, by action, line and text; nothing where the search ended before all was expanded."""
    if not verdict.assurance.startswith("exhaustive"):
        return {}
    cuts = Counter[tuple[str, int, str]]()
    for action in verdict.actions:
        for guard in action.guards:
            if guard.is_limit:
                cuts[action.name, guard.line, guard.text] += guard.evaluations - guard.passes
    return dict(+cuts)


def differences(mine: dict[str, Any], theirs: dict[str, Any]) -> str:
    """What two summaries say differently."""
    keys = [key for key in mine if mine[key] != theirs.get(key)]
    return "; ".join(f"{key}: native {mine[key]}, plain {theirs.get(key)}" for key in keys)


def length(run: Run | None) -> int | None:
    """How many steps a run has."""
    return None if run is None else len(run.steps)


def failure_of(failure: Failure | None) -> tuple[Any, ...] | None:
    """What a failure says, comparably."""
    if failure is None:
        return None
    arguments = None if failure.arguments is None else str(dict(failure.arguments))
    return failure.message, failure.where.rpartition(":")[2], length(failure.run), failure.action, arguments


# --- state by state ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Native:
    """A model's compiled code, to be asked about single states."""

    model: Model
    frontier: Frontier

    def canonical(self, state: State) -> tuple[int, ...]:
        """The words that stand for a state's orbit."""
        return self.frontier.canonical_words(self.frontier.encode(state))


def compile_model(model: Model, *, symmetry: bool = False, effort: CompileEffort = FULL_EFFORT) -> Native:
    """A model's compiled code; the caller closes its frontier."""
    kernel = kernel_of(model, symmetry_of(model).domains if symmetry else (), None, effort=effort)
    frontier = Frontier(kernel.program, kernel.code, MEMORY)
    Driver(model, Search(), kernel, frontier, None)
    frontier["WATCH"] = 0
    return Native(model, frontier)


def reachable_states(model: Model, count: int, seed: int) -> list[State]:
    """States met on random walks of plain Python."""
    chosen, starts = random.Random(seed), list[State]()
    with suppress(ModelError):
        starts = list(initial_states(model))
    found: dict[State, None] = {}
    for _ in range(count * 4):
        if len(found) >= count or not starts:
            break
        state = chosen.choice(starts)
        found.setdefault(state)
        for _ in range(chosen.randrange(1, 14)):
            try:
                after = [step.state_after for step in steps(model, state)]
            except ModelError:
                break
            if not after:
                break
            state = chosen.choice(after)
            found.setdefault(state)
    return list(found)[:count]


def agree_on(native_: Native, states: list[State]) -> None:
    """Compare successors and properties in each of the states; every difference is an AssertionError."""
    for state in states:
        assert list(successors(native_, state)) == list(judge_state(native_, state)), state


def successors(native_: Native, state: State) -> Iterator[Any]:
    """What the native code says about a state."""
    frontier = native_.frontier
    words = frontier.encode(state)
    made = frontier.successors(words)
    yield None if made is None else Counter(made)
    for name, properties, wanted in (
        ("invariants", frontier.program.invariants, False),
        ("witnesses", frontier.program.witnesses, True),
    ):
        for bit, prop in enumerate(properties):
            found = frontier.property_bits(name, words, 1 << bit)
            yield prop.name, None if found >> 63 else (found >> bit & 1 == 1) == wanted


def judge_state(native_: Native, state: State) -> Iterator[Any]:
    """What the judge says about a state, in the same form."""
    model = native_.model
    try:
        yield Counter((step.action, native_.canonical(step.state_after)) for step in steps(model, state))
    except ModelError:
        yield None
    program = native_.frontier.program
    for prop in (*program.invariants, *program.witnesses):
        try:
            yield prop.name, holds(model, prop, state)
        except ModelError:
            yield prop.name, None
