"""The prompt of `explore`: what completes, and which keys are commands."""

from __future__ import annotations

from prompt_toolkit.application import create_app_session
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput
from tidegate.api.models import load
from tidegate.cli.explore_prompt import CommandCompleter, prompt_session
from tidegate.cli.explore_session import Session
from tidegate.reports.text_page import TextFormat

from ..conftest import ROOT


def session() -> Session:
    return Session(load(f"{ROOT / 'examples' / 'lock.py'}:careless"), TextFormat())


def completions(line: str) -> dict[str, int]:
    """What may come, with how much of the line it takes the place of."""
    found = CommandCompleter(session()).get_completions(Document(line), CompleteEvent())
    return {one.text: one.start_position for one in found}


def test_commands_and_steps_complete_where_a_line_begins() -> None:
    assert completions("und") == {"undo": -3}
    assert completions("look(") == {"look(A)": -5, "look(B)": -5}
    assert "take(A)" not in completions(""), "what cannot happen is no step to take"


def test_what_is_whole_does_not_complete_itself() -> None:
    assert completions("look(A)") == {}


def test_what_follows_a_command_completes_as_that_command_takes_it() -> None:
    assert completions("go one") == {"one_inside": -3}
    assert set(completions("why not take")) == {"take(A)", "take(B)"}
    assert completions("watch pl") == {"place": -2}
    assert completions("quit n") == {}


def line_of_keys(keys: str) -> str:
    """The line that the prompt gives for these keys."""
    with create_pipe_input() as pipe, create_app_session(input=pipe, output=DummyOutput()):
        pipe.send_text(keys)
        return prompt_session(session()).prompt("")


def test_left_and_right_undo_and_redo_on_an_empty_line_alone() -> None:
    assert line_of_keys("\x1b[D") == "undo"
    assert line_of_keys("\x1b[C") == "redo"
    assert line_of_keys("ab\x1b[Dc\r") == "acb", "in a line they move"
