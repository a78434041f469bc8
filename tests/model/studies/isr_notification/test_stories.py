"""Notifications of ISR changes as stories. The steps are taken by the judge."""

from __future__ import annotations

import pytest
from tidegate.language.steptext import StepError
from tidegate.model.studies.isr_notification import Broker as Candidate

from ....support.znodes import Story

FIRST, SECOND = Candidate(0), Candidate(1)


TAKES_OVER = ("become_controller", "list_old", "delete_old", "load")


DEALS_WITH_IT = ("hear", "list_notifications", "read_partition", "delete_notifications")


def test_a_controller_hears_of_a_change_reads_it_and_deletes_the_notification() -> None:
    story = Story("isr_notification").steps(*TAKES_OVER, broker=FIRST).steps("change_isr", "notify")
    assert FIRST in story.state.news and FIRST not in story.state.watchers
    story.steps(*DEALS_WITH_IT, broker=FIRST)
    assert (story.state.known[FIRST], set(story.state.notes)) == (1, set())
    # Its own deletion has fired the watch that it had set when it listed them.
    assert FIRST in story.state.news


def test_a_watch_that_is_lost_with_its_session_is_made_good_by_the_next_controller() -> None:
    story = Story("isr_notification").steps(*TAKES_OVER, broker=FIRST)
    story.step("lose_connection", broker=FIRST).step("end_session", broker=FIRST).steps("change_isr", "notify")
    assert FIRST not in story.state.news
    story.steps(*TAKES_OVER, broker=SECOND)
    assert story.state.known[SECOND] == 1 and story.false() == set()


def test_a_change_between_the_list_and_a_late_watch_is_missed() -> None:
    story = Story("isr_notification:watches_late").steps(*TAKES_OVER, broker=FIRST).steps("change_isr", "notify")
    story.steps(*DEALS_WITH_IT, broker=FIRST).steps("change_isr", "notify").step("set_watch", broker=FIRST)
    assert story.false() == {"no_change_is_missed", "no_notification_is_left"}


def test_whoever_has_lost_its_session_lists_and_deletes_nothing() -> None:
    story = Story("isr_notification").steps("become_controller", "list_old", "lose_connection", broker=FIRST)
    with pytest.raises(StepError, match="session"):
        story.step("delete_old", broker=FIRST)
