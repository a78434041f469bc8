"""Several searches at once, whose explorations are made together: each goes on until it asks for one, and once all of
them wait, all that they ask for is explored in all processes.

Searches run one at a time, in their order, so that what each of them knows does not depend on which of them is quick.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from threading import Semaphore, Thread
from typing import Generic, TypeVar

from ..questions.questions import Case
from .explorations import Explorations

R = TypeVar("R")


@dataclass(slots=True)
class _Search(Generic[R]):
    """One of them: what it waits for, and what came of it."""

    run: Callable[[], R]
    may_go_on: Semaphore = field(default_factory=lambda: Semaphore(0))
    pauses: Semaphore = field(default_factory=lambda: Semaphore(0))
    waits_for: Sequence[Case] = ()
    results: list[R] = field(default_factory=list["R"])
    error: BaseException | None = None

    def ask(self, cases: Sequence[Case]) -> None:
        """Waits until they are explored; called by the search itself."""
        self.waits_for = cases
        self.pauses.release()
        self.may_go_on.acquire()
        if self.error is not None:
            raise self.error

    def whole(self) -> None:
        """From its beginning to its end, in a thread of its own."""
        self.may_go_on.acquire()
        try:
            if self.error is None:
                self.results.append(self.run())
        except BaseException as error:
            self.error = error
        self.waits_for = ()
        self.pauses.release()

    def go_on(self) -> bool:
        """Lets it run until it waits or ends; whether it waits."""
        self.may_go_on.release()
        self.pauses.acquire()
        return bool(self.waits_for)


AT_ONCE = 100
"""So many searches are begun at a time: each is a thread, which waits most of the time."""


def together(searches: Iterable[Callable[[], R]], explorations: Explorations) -> list[R]:
    """What each search returns, in their order. Raises what the first of them raises; none of the others goes on."""
    every = list(searches)
    parts = (every[at : at + AT_ONCE] for at in range(0, len(every), AT_ONCE))
    return [result for some in parts for result in _together(some, explorations)]


def _together(searches: Sequence[Callable[[], R]], explorations: Explorations) -> list[R]:
    made = [_Search(run) for run in searches]
    for search in made:
        Thread(target=copy_context().run, args=(search.whole,), daemon=True).start()
    open_ = made
    try:
        while open_:
            open_ = [search for search in open_ if _goes_on(search, explorations)]
            if open_:
                explorations.all(dict.fromkeys(case for search in open_ for case in search.waits_for))
    except BaseException as error:
        _end(made, error)
        raise
    return [result for search in made for result in search.results]


def _goes_on(search: _Search[R], explorations: Explorations) -> bool:
    with explorations.asking(search.ask):
        waits = search.go_on()
    if search.error is not None:
        raise search.error
    return waits


def _end(searches: Sequence[_Search[R]], error: BaseException) -> None:
    """Ends the searches that wait, or have not begun: what they wait for will not be explored."""
    for search in searches:
        search.error = search.error or error
        search.may_go_on.release()
