"""Searches in rounds: what all of them ask for is explored at once, and each finds what it would find alone."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import pytest
from tidegate.audit.exploring.case_results import CaseResult
from tidegate.audit.exploring.explorations import Explorations, UnexploredError
from tidegate.audit.exploring.search_rounds import run_in_rounds
from tidegate.audit.questions.questions import CALM, Case

FOUND = CaseResult(held_invariants=frozenset({"acked_durable"}), states=7)
SETTINGS: dict[str, Any] = {**CALM, "unclean_elections": 1, "replicas": 1}


def case(number: int) -> Case:
    """One of several cases that differ."""
    return Case("loss", tuple(sorted({**SETTINGS, "min_isr": number}.items())))


class CountingExplorations(Explorations):
    """Explores nothing, and keeps what was asked for at once."""

    def __init__(self) -> None:
        super().__init__(None)
        self.rounds: list[list[int]] = []

    def _explore_cases(self, cases: Sequence[Case]) -> Iterable[tuple[Case, CaseResult]]:  # type: ignore[override]
        self.rounds += [[int(one.values["min_isr"]) for one in cases]] if cases else []
        return ((one, FOUND) for one in cases)


def asks(explorations: Explorations, *numbers: int) -> int:
    """A search that asks for one case after the other."""
    return sum(explorations.result_of(case(number)).states for number in numbers)


def test_what_several_searches_ask_for_is_explored_at_once_and_each_case_once() -> None:
    explorations = CountingExplorations()
    searches = [partial(asks, explorations, *some) for some in ((1, 2), (3, 2, 4), (), (1,))]
    assert run_in_rounds(searches, explorations) == [14, 21, 0, 7]
    assert explorations.rounds == [[1, 3], [2], [4]]


def test_a_search_that_needs_nothing_new_asks_for_nothing() -> None:
    explorations = CountingExplorations()
    explorations.explore_all([case(1)])
    assert run_in_rounds([partial(asks, explorations, 1)] * 3, explorations) == [7, 7, 7]
    assert explorations.rounds == [[1]]


def raises(explorations: Explorations, error: BaseException, number: int) -> int:
    """A search that breaks after it has asked."""
    explorations.result_of(case(number))
    raise error


@pytest.mark.parametrize("error", [ValueError("a search broke"), KeyboardInterrupt()])
def test_what_one_raises_is_raised_and_no_other_goes_on(error: BaseException) -> None:
    explorations, ended = CountingExplorations(), list[int]()

    def goes_on() -> int:
        asks(explorations, 1, 2)
        ended.append(1)
        return 0

    with pytest.raises(type(error)):
        run_in_rounds([partial(raises, explorations, error, 1), goes_on], explorations)
    assert not ended and explorations.rounds == [[1]]
    assert asks(explorations, 5) == 7, "asked outside of a search, a case is explored at once"


def test_what_exploring_raises_ends_every_search() -> None:
    class Broken(CountingExplorations):
        def _explore_cases(self, cases: Sequence[Case]) -> Iterable[tuple[Case, CaseResult]]:  # type: ignore[override]
            raise OSError("the disk is full")

    explorations = Broken()
    with pytest.raises(OSError, match="the disk is full"):
        run_in_rounds([partial(asks, explorations, 1)] * 2, explorations)


def test_nothing_is_explored_while_explorations_are_frozen() -> None:
    explorations = CountingExplorations()
    explorations.explore_all([case(1)])
    with explorations.exploring_nothing():
        assert explorations.result_of(case(1)) == FOUND
        with pytest.raises(UnexploredError, match="1 cases are not explored yet"):
            explorations.result_of(case(2))
    assert explorations.result_of(case(2)) == FOUND


def test_each_search_is_reported_once_when_it_has_ended() -> None:
    explorations, heard = CountingExplorations(), list[int]()
    run_in_rounds([partial(asks, explorations, *some) for some in ((1, 2), (), (1,))], explorations, heard.append)
    assert heard == [0, 7, 14], "in the rounds in which they end"


def test_what_is_interrupted_is_done_again_with_what_is_known_and_the_second_time_ends_it() -> None:
    explorations = CountingExplorations()
    interrupts = iter([KeyboardInterrupt()])

    def work() -> str:
        if (error := next(interrupts, None)) is not None:
            raise error
        return f"interrupted={explorations.interrupted}"

    assert explorations.run_to_completion(work) == "interrupted=True"
    again = CountingExplorations()
    with pytest.raises(KeyboardInterrupt):
        again.run_to_completion(partial(raises, again, KeyboardInterrupt(), 1))
