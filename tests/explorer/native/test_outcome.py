"""What a search came to: errors with their place, deadlocks, and the shortest counterexample."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer.native.search import check as native
from tidegate.explorer.plain import check as plain
from tidegate.explorer.search import Search
from tidegate.language.judge import holds, replay

from ...support.engines import agree, bind_text, text_of
from ...support.native import counting

ENDS = {
    "a deadlock": ("require(s.count < 2)", "", "deadlock"),
    "at the bound": ("limit(s.count < 2)", "", "none"),
    "an end": (
        "require(s.count < 2)",
        "\n@terminal\ndef done(s: World) -> bool:\n    '''Done.'''\n    return s.count == 2\n",
        "none",
    ),
    "another end": (
        "require(s.count < 2)",
        "\n@terminal\ndef done(s: World) -> bool:\n    '''Done.'''\n    return s.count == 1\n",
        "deadlock",
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_deadlocks_bounds_and_ends_are_reported_apart(name: str, tmp_path: Path) -> None:
    guard, extra, outcome = ENDS[name]
    body = f"@action\ndef step(s: World) -> None:\n    '''Steps.'''\n    {guard}\n    s.count += 1\n{extra}"
    verdict = agree(bind_text(tmp_path, text_of("count: Small", "count=0", body)))
    assert verdict is not None
    assert verdict.outcome == outcome


RISING = """
@action
def rise(s: World) -> None:
    '''Rises.'''
    require(s.count < 3)
    s.count += 1

"""


ERRORS = {
    "a number out of its range": "s.count += 1",
    "a sequence over its capacity": "s.queue.append(0)",
    "an index beyond the end": "s.count = s.queue[2]",
    "none where a value is needed": "s.count = s.option + 0",
    "a division by zero": "s.count = 3 // (s.count - 3)",
    "a truncation that is none": "s.queue.truncate(3)",
    "a failed assert": "assert s.count < 3",
    "the least of nothing": "s.count = min(x for x in s.numbers)",
    "a removal of what is not there": "s.numbers.remove(2)",
}


ERROR_FIELDS = "count: Small\nqueue: Annotated[Seq[Small], Capacity(2)]\noption: Small | None\nnumbers: Set[Small]"


ERROR_START = "count=0\nqueue=Seq([0, 1])\noption=None\nnumbers=Set()"


@pytest.mark.parametrize("name", ERRORS)
def test_errors_of_a_step_are_reported_with_their_place(name: str, tmp_path: Path) -> None:
    body = (
        RISING
        + f"""
@action
def err(s: World, node: Node) -> None:
    '''Errs.'''
    require(s.count == 3)
    {ERRORS[name]}  # here
"""
    )
    text = text_of(ERROR_FIELDS, ERROR_START, body)
    verdict = agree(bind_text(tmp_path, text))
    assert verdict is not None
    assert verdict.outcome == "model_error"
    assert verdict.failure is not None
    assert verdict.failure.where.endswith(f":{text[: text.index('# here')].count(chr(10)) + 1}")
    assert (verdict.failure.action, len(verdict.failure.run.steps)) == ("err", 3)


@pytest.mark.parametrize("role", ["invariant", "reachable", "terminal"])
def test_errors_of_a_property_are_reported(role: str, tmp_path: Path) -> None:
    sign = "<" if role == "invariant" else ">"
    body = (
        RISING
        + f"""
@{role}
def odd(s: World) -> bool:
    '''Odd.'''
    return 1 // (s.count - 3) {sign} 5
"""
    )
    verdict = agree(bind_text(tmp_path, text_of("count: Small", "count=0", body)))
    assert verdict is not None
    assert verdict.outcome == "model_error"


def test_keep_going_finds_everything(tmp_path: Path) -> None:
    extra = "".join(
        f"\n@invariant\ndef below_{most}(s: World) -> bool:\n    '''Below.'''\n    return s.count < {most}\n"
        for most in (3, 7, 21)
    )
    verdict = native(counting(tmp_path, extra), Search(keep_going=True))
    assert {prop.name: prop.verdict for prop in verdict.properties} == {
        "below_3": "violated",
        "below_7": "violated",
        "below_21": "holds",
    }
    assert [len(prop.run.steps) for prop in verdict.properties if prop.run is not None] == [3, 7]
    first = native(counting(tmp_path, extra), Search())
    assert [prop.verdict for prop in first.properties] == ["violated", "undecided", "undecided"]


def test_the_counterexample_is_the_shortest_and_always_the_same(tmp_path: Path) -> None:
    extra = """
@invariant
def apart(s: World) -> bool:
    '''Apart.'''
    return sum(s.table[n] for n in Node) + s.count < 5
"""
    model = counting(tmp_path, extra)
    runs = [prop.run for engine in (native, native, plain) for prop in engine(model, Search()).properties]
    assert runs[0] == runs[1]
    assert runs[0] is not None
    assert runs[2] is not None
    assert len(runs[0].steps) == len(runs[2].steps) == 5
    again = replay(model, runs[0].start, [(step.action, step.arguments) for step in runs[0].steps])
    assert again.states() == runs[0].states()
    assert not holds(model, model.properties[0], again.states()[-1])
