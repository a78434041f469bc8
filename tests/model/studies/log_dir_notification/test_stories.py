"""Directories that fail on ZooKeeper as stories. The steps are taken by the judge."""

from __future__ import annotations

import pytest
from tidegate.language.steptext import StepError
from tidegate.model.studies.log_dir_notification import Broker, Copy

from ....support.znodes import Story

FIRST, SECOND = Broker(0), Broker(1)
TAKES_OVER = ("become_controller", "list_old", "delete_old", "ask_all")
DEALS_WITH_IT = ("hear", "list_notifications", "ask_named", "delete_notifications")


def take_answers(story: Story, controller: Broker, *brokers: Broker) -> Story:
    """The same, with these brokers' answers."""
    for broker in brokers:
        story.step("answer", controller=controller, broker=broker)
    return story


def led_by_first(model: str = "log_dir_notification", **constants: int) -> Story:
    """The first broker leads, and the second one is the controller, which knows that all is well."""
    story = Story(model, **constants).steps(*TAKES_OVER, broker=SECOND)
    return take_answers(story, SECOND, FIRST, SECOND)


def test_a_leader_whose_directory_fails_is_replaced_once_it_has_answered() -> None:
    story = led_by_first().step("fail_directory", broker=FIRST).step("notify", broker=FIRST)
    story.steps(*DEALS_WITH_IT, broker=SECOND)
    assert story.state.leader == FIRST and set(story.state.offline[SECOND]) == set()
    take_answers(story, SECOND, FIRST).step("elect", broker=SECOND, successor=SECOND)
    assert story.state.leader == SECOND and set(story.state.offline[SECOND]) == {FIRST} and story.false() == set()


def test_a_new_controller_knows_no_offline_replica_before_it_has_asked() -> None:
    story = led_by_first().step("fail_directory", broker=FIRST).step("notify", broker=FIRST)
    story.step("lose_connection", broker=SECOND).step("end_session", broker=SECOND)
    story.steps("become_controller", "list_old", "delete_old", broker=FIRST)
    assert set(story.state.notes) == set() and set(story.state.offline[FIRST]) == set()
    take_answers(story.step("ask_all", broker=FIRST), FIRST, FIRST)
    assert set(story.state.offline[FIRST]) == {FIRST}


def test_without_asking_all_nothing_says_what_is_offline() -> None:
    story = Story("log_dir_notification:asks_nobody").step("fail_directory", broker=FIRST).step("notify", broker=FIRST)
    story.steps("become_controller", "list_old", "delete_old", broker=SECOND)
    assert "no_failure_is_missed" not in story.false()  # its own deletion has fired the watch, and it lists again
    story.steps("hear", "list_notifications", "ask_named", "delete_notifications", broker=SECOND)
    assert story.false() == {"no_failure_is_missed"}


def test_a_broker_with_a_directory_offline_makes_no_log_and_one_that_has_forgotten_it_does() -> None:
    for action, copy in (("restart", Copy.OFFLINE), ("forget_directory", Copy.EMPTY)):
        story = led_by_first(forgotten=1).step("fail_directory", broker=FIRST).step(action, broker=FIRST)
        assert story.state.copy[FIRST] == copy
        assert story.false() == ({"no_empty_log_leads"} if copy == Copy.EMPTY else set())


def test_whoever_has_lost_its_session_elects_nobody() -> None:
    story = led_by_first().step("fail_directory", broker=FIRST).step("notify", broker=FIRST)
    take_answers(story.steps(*DEALS_WITH_IT, broker=SECOND), SECOND, FIRST).step("lose_connection", broker=SECOND)
    with pytest.raises(StepError):
        story.step("elect", broker=SECOND, successor=SECOND)
