"""Several searches whose explorations are made together: what all of them need next is explored at once, in all
processes.

A search is a function of what is known. It is run until it asks for a case that is not explored; once each has come so
far, all these cases are explored, and the searches that asked are run again from their beginning, which what is known
by now makes short. So what a search finds does not depend on which of them is quick.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from ..questions.questions import Case
from .explorations import Explorations, UnexploredError

R = TypeVar("R")


def run_in_rounds(
    searches: Iterable[Callable[[], R]], explorations: Explorations, report: Callable[[R], None] | None = None
) -> list[R]:
    """What each search returns, in their order; `report` is called with each once it is found. Raises what the first of
    them raises; none of the others goes on."""
    open_ = dict(enumerate(searches))
    results: dict[int, R] = {}
    while open_:
        needed: dict[Case, None] = {}
        for number, search in list(open_.items()):
            try:
                with explorations.exploring_nothing():
                    results[number] = search()
                del open_[number]
                if report is not None:
                    report(results[number])
            except UnexploredError as error:
                needed |= dict.fromkeys(error.cases)
        explorations.explore_all(needed)
    return [results[number] for number in sorted(results)]
