"""The initial states that a kernel makes, see `initials`, and what plain Python says of each."""

from __future__ import annotations

from collections.abc import Mapping

from ...language.judge import initial_arguments, start_of
from ...language.model import Initial, Model
from ...language.steptext import format_step
from ...language.values import ModelError, State
from ...language.verdict import DisagreementError
from ..differences import name_with_line
from .frontier import Frontier


class InitialStatesCheck:
    """The initial states of a model, made by its kernel, with what plain Python says of each."""

    def __init__(self, model: Model, frontier: Frontier) -> None:
        self.model, self.frontier, self.counts = model, frontier, frontier.program.starts

    def plain_state(self, number: int) -> State | None:
        """What plain Python makes of a combination; None where a guard is false. ModelError when it breaks."""
        initial, arguments = self._function_and_arguments(number)
        return start_of(self.model, initial, arguments)

    def _function_and_arguments(self, number: int) -> tuple[Initial, Mapping[str, object]]:
        """A combination's function and arguments."""
        for initial, count in zip(self.model.initials, self.counts, strict=True):
            if number < count:
                return initial, initial_arguments(initial, number)
            number -= count
        raise IndexError(number)

    def raise_or_return_error(self, number: int) -> DisagreementError:
        """Raises what plain Python says of a combination that breaks natively: the ModelError, or else the disagreement
        is returned."""
        found = self.plain_state(number)
        return DisagreementError(
            f"{self._call_text(number)} breaks the model's types natively; in plain Python {_state_text(found)}"
        )

    def state_of(self, words: tuple[int, ...]) -> State | None:
        """The initial state that words stand for: of the first combination that gives them natively. None when there is
        none."""
        number = self.frontier.first_combination(words)
        return None if number == sum(self.counts) else self.plain_state(number)

    def recheck_combination(self, number: int) -> None:
        """Raises `DisagreementError` where the kernel and plain Python make something else of a combination."""
        words = self.frontier.initial_words(number)
        try:
            state = self.plain_state(number)
        except ModelError as error:
            raise DisagreementError(
                f"{self._call_text(number)} gives a state natively; in plain Python: {error}"
            ) from error
        mine = None if words is None else self.frontier.canonical_words(words)
        theirs = None if state is None else self.frontier.canonical_words(self.frontier.encode(state))
        if mine != theirs:
            natively = "no state" if mine is None else "another one"
            raise DisagreementError(
                f"{self._call_text(number)} gives {natively} natively; in plain Python {_state_text(state)}"
            )

    def _call_text(self, number: int) -> str:
        """`start(leader=B) (model.py:12)`."""
        initial, arguments = self._function_and_arguments(number)
        return name_with_line(format_step(initial.name, arguments), initial.form.where)


def _state_text(state: State | None) -> str:
    return "a guard of it is false" if state is None else f"it gives {state}"
