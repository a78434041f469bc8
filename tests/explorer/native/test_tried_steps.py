"""Which steps bounds stop, natively and in plain Python: of small models in which a step breaks the model's types
beyond a limit, changes nothing there, is a fault, or lies beyond a `@bound`."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from tidegate.explorer.native.tried_steps import TriedStepsCode

from ..liveness.test_liveness import check_claims, model_of

MODEL = """
@state
class Counter:
    '''A counter and a light.'''
    count: Annotated[int, Range(0, 2)]
    on: bool
    seen: Ghost[bool]

@initial
def start() -> Counter:
    '''Nothing yet.'''
    return Counter(count=0, on=False, seen=False)

@action(kind="{kind}")
def step(s: Counter, more: Annotated[int, Range(0, 1)]) -> None:
    '''A step.'''
    require({guard})
    limit(s.count < {room})
    {effect}

@action
def switch(s: Counter) -> None:
    '''The light.'''
    s.on = not s.on
{bound}
@always_possible
def may_be_two(s: Counter) -> bool:
    return s.count == 2

@always_eventually(weak(switch))
def is_on(s: Counter) -> bool:
    return s.on

@always_eventually(weak(switch){fair})
def is_below(s: Counter) -> bool:
    return s.count < 2
"""
BOUND = "\n@bound\ndef within(s: Counter) -> bool:\n    return s.count < 2\n"
STEP_BOUND = "\n@bound\ndef within(s: Counter, after: Counter) -> bool:\n    return after.count < 2\n"
CASES = list(
    itertools.product(
        ("protocol", "fault"),
        ("True", "more == 1 or s.on"),
        (1, 2, 9),
        (
            "s.count += more",
            "s.count += 1",
            "s.seen = not s.seen",
            "s.count = 2 - more",
            "s.count = min(2, s.count + more)",
        ),
        ("", BOUND, STEP_BOUND),
    )
)


@pytest.mark.parametrize("kind", ["protocol", "fault"])
def test_what_limits_stop_is_the_same_natively_and_in_plain_python(kind: str, cache: Path, tmp_path: Path) -> None:
    words = set[str]()
    for number, (its, guard, room, effect, bound) in enumerate(CASES):
        if its != kind or number % 2:
            continue
        text = MODEL.replace("{kind}", kind).replace("{guard}", guard).replace("{room}", str(room))
        text = text.replace("{effect}", effect).replace("{bound}", bound)
        model = model_of(tmp_path, text.replace("{fair}", "" if kind == "fault" else ', strong(step, each="more")'))
        native, plain = (check_claims(model, engine, cache, recheck=0) for engine in ("native", "python"))
        assert native.properties == plain.properties, text
        words.update(prop.verdict for prop in native.properties)
    assert words >= {"holds", "undecided", "violated"}
    assert TriedStepsCode.__doc__
