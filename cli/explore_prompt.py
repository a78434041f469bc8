"""The terminal of `tidegate explore`: lines with history and completion, by prompt_toolkit, which works over ssh and
needs neither colour nor a mouse. On an empty line Left undoes and Right takes again.
"""

from __future__ import annotations

from collections.abc import Iterable

from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.filters import Condition
from prompt_toolkit.formatted_text import ANSI
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent

from .explore_session import Session, completions_of


class CommandCompleter(Completer):
    """Completes commands, steps, properties and fields."""

    def __init__(self, session: Session) -> None:
        self.session = session

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterable[Completion]:
        """What may come where the line ends."""
        line = document.text_before_cursor
        first, space, rest = line.lstrip().partition(" ")
        typed = rest.removeprefix("not ") if space and first in ("why", "w") else rest if space else first
        for word in completions_of(self.session, line):
            if word.startswith(typed) and word != typed:
                yield Completion(word, start_position=-len(typed))


def arrow_key_bindings() -> KeyBindings:
    """Left and Right on an empty line."""
    bindings = KeyBindings()

    def bind_key(key: str, command: str) -> None:
        def press_key(event: KeyPressEvent) -> None:
            event.current_buffer.text = command
            event.current_buffer.validate_and_handle()

        bindings.add(key, filter=Condition(lambda: _is_line_empty()))(press_key)

    bind_key("left", "undo")
    bind_key("right", "redo")
    return bindings


def _is_line_empty() -> bool:
    from prompt_toolkit.application import get_app

    return not get_app().current_buffer.text


def prompt_session(session: Session) -> PromptSession[str]:
    """What reads lines of the terminal."""
    hint = "number: take a step   undo   redo   why not STEP   go PROPERTY   help   quit"
    return PromptSession(
        history=InMemoryHistory(),
        completer=CommandCompleter(session),
        complete_while_typing=False,
        key_bindings=arrow_key_bindings(),
        bottom_toolbar=ANSI(hint) if session.text_format.color else None,
    )
