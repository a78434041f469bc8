"""Searches that run together: what they ask for is explored in rounds, and each finds what it would find alone."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from contextvars import ContextVar
from functools import partial
from typing import Any

import pytest
from tidegate.audit.exploring.explorations import CaseResult, Explorations
from tidegate.audit.exploring.rounds import AT_ONCE, together
from tidegate.audit.questions.questions import CALM, Case

FOUND = CaseResult(checked=frozenset({"acked_durable"}), states=7)
SETTINGS: dict[str, Any] = {**CALM, "unclean_elections": 1, "replicas": 1}


def case(number: int) -> Case:
    """One of several cases that differ."""
    return Case("loss", tuple(sorted({**SETTINGS, "min_isr": number}.items())))


class Counted(Explorations):
    """Explores nothing, and keeps what was asked for at once, in the thread that did it."""

    def __init__(self) -> None:
        super().__init__(None)
        self.rounds: list[list[int]] = []
        self.threads: set[int] = set()

    def _explored(self, cases: Sequence[Case]) -> Iterable[tuple[Case, CaseResult]]:  # type: ignore[override]
        self.rounds += [[int(one.values["min_isr"]) for one in cases]] if cases else []
        self.threads.add(threading.get_ident())
        return ((one, FOUND) for one in cases)


def asks(explorations: Explorations, *numbers: int) -> int:
    """A search that asks for one case after the other."""
    return sum(explorations.found(case(number)).states for number in numbers)


def test_what_several_searches_ask_for_is_explored_at_once_and_each_case_once() -> None:
    explorations = Counted()
    searches = [partial(asks, explorations, *some) for some in ((1, 2), (3, 2, 4), (), (1,))]
    assert together(searches, explorations) == [14, 21, 0, 7]
    assert explorations.rounds == [[1, 3], [2], [4]]
    assert explorations.threads == {threading.get_ident()}


def test_a_search_that_needs_nothing_new_asks_for_nothing() -> None:
    explorations = Counted()
    explorations.all([case(1)])
    assert together([partial(asks, explorations, 1)] * 3, explorations) == [7, 7, 7]
    assert explorations.rounds == [[1]]


def test_more_searches_than_begin_at_a_time_keep_their_order() -> None:
    explorations = Counted()
    searches = [partial(asks, explorations, *range(number % 5)) for number in range(2 * AT_ONCE + 1)]
    assert together(searches, explorations) == [7 * (number % 5) for number in range(2 * AT_ONCE + 1)]
    assert threading.active_count() < AT_ONCE


def raises(explorations: Explorations, error: BaseException, number: int) -> int:
    """A search that breaks after it has asked."""
    explorations.found(case(number))
    raise error


@pytest.mark.parametrize("error", [ValueError("a search broke"), KeyboardInterrupt()])
def test_what_one_raises_is_raised_and_no_other_goes_on(error: BaseException) -> None:
    explorations, ended = Counted(), list[int]()

    def goes_on() -> int:
        asks(explorations, 1, 2)
        ended.append(1)
        return 0

    with pytest.raises(type(error)):
        together([partial(raises, explorations, error, 1), goes_on], explorations)
    assert not ended and explorations.rounds == [[1]]
    assert asks(explorations, 5) == 7, "asked outside of a search, a case is explored at once"


def test_what_exploring_raises_ends_every_search() -> None:
    class Broken(Counted):
        def _explored(self, cases: Sequence[Case]) -> Iterable[tuple[Case, CaseResult]]:  # type: ignore[override]
            raise OSError("the disk is full")

    explorations, others = Broken(), set(threading.enumerate())
    with pytest.raises(OSError, match="the disk is full"):
        together([partial(asks, explorations, 1)] * 2, explorations)
    for thread in set(threading.enumerate()) - others:
        thread.join(5)
        assert not thread.is_alive()


def test_a_search_sees_the_context_in_which_it_was_begun() -> None:
    folder: ContextVar[str] = ContextVar("folder", default="none")
    folder.set("kept")
    searches: list[Callable[[], str]] = [folder.get]
    assert together(searches, Counted()) == ["kept"]
