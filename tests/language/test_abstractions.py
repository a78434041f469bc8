"""Refinements of a model by itself with another value of a constant, such as of steps that are finer by steps that are
coarser: what they mean in every engine, and what is refused."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search, Walks
from tidegate.language.binding import load
from tidegate.language.errors import ModelErrors
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict

REGISTER = '''"""A number that is written at once, or by messages."""

from __future__ import annotations

from typing import Annotated

from tidegate.language import Bag, Capacity, Ghost, Range, action, constant, initial, limit, record, require, state

delay = constant(2, minimum=0, maximum=4, says="messages in flight at once; 0: to write is one step")
top = constant(2, minimum=1, maximum=4, says="the largest number")
Number = Annotated[int, Range(0, top)]
Place = Annotated[int, Range(0, delay)]


@record
class Write:
    """A message that says what to write."""

    number: Number
    after: Place  # how many messages were in flight


@state
class Register:
    """The number."""

    number: Number
    net: Annotated[Bag[Write], Capacity(delay)]
    written: Ghost[bool]  # whether it was ever written


@initial
def start() -> Register:
    """Nothing is written."""
    return Register(number=0, net=Bag(), written=False)


@action
def write(s: Register, number: Number) -> None:
    """{number} is written."""
    require(delay == 0 and number != s.number)
    s.number = number
    s.written = True


@action
def send(s: Register, number: Number) -> None:
    """{number} is sent."""
    require(delay > 0)
    limit(len(s.net) < delay)
    s.net.add(Write(number=number, after=len(s.net)))


@action
def receive(s: Register, message: Write) -> None:
    """{message.number} comes and is written."""
    require(delay > 0)
    s.net.remove(message)
    s.number = message.number
    s.written = True
'''
ITSELF = '''"""The register with messages, claimed to be the one that is written at once."""

from __future__ import annotations

import register
from register import Register, delay, receive, send
from tidegate.language import STUTTERS, Bag, refines, replace

modules = (register,)


@refines(register, {send: STUTTERS}, delay=0)
def at_once(s: Register) -> Register:
    """What is in flight is nowhere."""
    return replace(s, net=Bag())
'''
HERE = ("python", "native", "walk")
"""The engines that need no cluster."""


def bind_claim(folder: Path, changed: Mapping[str, str], **constants: int) -> Model:
    """The claim with parts of its text replaced."""
    (folder / "register.py").write_text(REGISTER, encoding="utf-8")
    text = ITSELF
    for old, new in changed.items():
        assert text.count(old) == 1
        text = text.replace(old, new)
    (folder / "itself.py").write_text(text, encoding="utf-8")
    return load(folder / "itself.py").bind(constants=constants)


def ask_engine(engine: str, model: Model) -> Verdict:
    """What an engine says of a small model."""
    return ENGINES[engine](model, Search(walks=Walks(number=100, depth=20)), None)


CASES: tuple[tuple[Mapping[str, str], int | None], ...] = (
    ({}, None),
    ({"net=Bag())": "net=Bag(), number=1)"}, 0),
    ({"net=Bag())": "net=Bag(), number=0 if len(s.net) == 2 else s.number)"}, None),
    ({"net=Bag())": "net=Bag(), number=delay if len(s.net) == 1 else s.number)"}, None),
    ({"delay=0": "delay=0, top=2"}, None),
    ({"{send: STUTTERS}": "{receive: STUTTERS}"}, 2),
)
"""What is changed in the claim, and after how many steps it is false; None where it holds."""


@pytest.mark.parametrize("engine", HERE)
@pytest.mark.parametrize("case", range(len(CASES)))
def test_a_model_is_itself_with_another_constant(engine: str, case: int, tmp_path: Path) -> None:
    changed, steps = CASES[case]
    if "{send: STUTTERS}" not in changed:
        changed = {**changed, "{send: STUTTERS}, ": ""}
    (found,) = ask_engine(engine, bind_claim(tmp_path, changed)).properties
    assert found.verdict == ("holds" if steps is None else "violated")
    if found.run is not None and engine != "walk":
        assert len(found.run.steps) == steps


@pytest.mark.parametrize("engine", HERE)
def test_what_the_actions_of_itself_may_be(engine: str, tmp_path: Path) -> None:
    assert [prop.verdict for prop in ask_engine(engine, bind_claim(tmp_path, {})).properties] == ["holds"]


@pytest.mark.parametrize("engine", HERE)
def test_an_image_with_messages_for_which_there_is_no_room(engine: str, tmp_path: Path) -> None:
    """What `replace` leaves as it is must have room in the other model, too."""
    verdict = ask_engine(engine, bind_claim(tmp_path, {"replace(s, net=Bag())": "replace(s)", ", Bag,": ","}))
    assert verdict.failure is not None
    assert verdict.failure.where == f"{tmp_path / 'itself.py'}:15"
    assert "net" in verdict.failure.message


@pytest.mark.parametrize(
    ("changed", "code", "message"),
    [
        (
            {"delay=0": "top=1"},
            "TG317",
            "net is of another type where top has the value that @refines gives",
        ),
        (
            {"delay=0": "delay=4", "net=Bag()": "number=s.number"},
            "TG317",
            "net is of another type where delay has the value that @refines gives",
        ),
        ({"net=Bag())": "net=Bag(), written=True)"}, "TG202", "Register.written is a ghost, and an image has none"),
        ({"net=Bag())": "nets=Bag())"}, "TG202", "Register has no field nets"),
    ],
)
def test_what_is_no_image_of_itself_is_refused(
    changed: Mapping[str, str], code: str, message: str, tmp_path: Path
) -> None:
    with pytest.raises(ModelErrors) as raised:
        bind_claim(tmp_path, changed)
    assert [(error.code, error.message) for error in raised.value.errors] == [(code, message)]


def test_a_state_that_is_returned_as_it_is_has_a_hint(tmp_path: Path) -> None:
    with pytest.raises(ModelErrors) as raised:
        bind_claim(tmp_path, {"replace(s, net=Bag())": "s", ", Bag,": ",", ", refines, replace": ", refines"})
    ((error,),) = (raised.value.errors,)
    assert (error.code, error.hint[:12]) == ("TG203", "replace(s), ")
    bind_claim(tmp_path, {"replace(s, net=Bag())": "replace(s)", ", Bag,": ","})
