"""The registration of a broker as stories. The steps are taken by the judge."""

from __future__ import annotations

import pytest
from tidegate.language.steptext import StepError
from tidegate.model.studies.broker_registration import Process, Status

from ....support.znodes import Story

ONE, OTHER = Process(0), Process(1)


def with_an_old_znode(profile: str) -> Story:
    """A broker whose session has ended and has left its znode behind, and that has another session."""
    story = Story(f"broker_registration:{profile}").steps("open_session", "create", "leave_behind", process=ONE)
    return story.steps("learn", "open_session", process=ONE)


def test_a_broker_replaces_the_znode_of_its_session_before() -> None:
    story = with_an_old_znode("kafka_2_2").steps("find_old", "delete", "create", process=ONE)
    assert story.state.owner == story.state.session[ONE] and story.false() == set()
    story = with_an_old_znode("kafka_7165")
    with pytest.raises(StepError, match="recreates"):
        story.step("find_old", process=ONE)
    assert story.step("give_up", process=ONE).state.status[ONE] == Status.GIVEN_UP


def test_a_broker_that_finds_what_it_has_created_is_registered() -> None:
    story = Story("broker_registration").steps("open_session", "create_unheard", process=ONE)
    with pytest.raises(StepError, match="owner"):
        story.step("give_up", process=ONE)
    assert story.step("find_own", process=ONE).state.status[ONE] == Status.REGISTERED


def test_a_broker_whose_create_was_not_answered_gives_up_because_of_itself() -> None:
    story = Story("broker_registration").steps("open_session", "create_unheard", "leave_behind", process=ONE)
    story.steps("learn", "open_session", "give_up", process=ONE)
    assert story.state.status[ONE] == Status.GIVEN_UP and story.state.session[OTHER] is None
    assert story.false() == set()


def test_of_two_brokers_with_the_same_id_the_second_gives_up() -> None:
    story = Story("broker_registration").steps("open_session", "create", process=ONE)
    story.steps("open_session", "give_up", process=OTHER)
    assert story.state.status[OTHER] == Status.GIVEN_UP and story.false() == set()


def test_a_broker_deletes_what_is_there_by_then_and_not_what_it_has_read() -> None:
    for profile, gone in (("kafka_2_2", True), ("checked", False)):
        story = with_an_old_znode(profile).step("find_old", process=ONE).step("clean_up")
        story.steps("open_session", "create", process=OTHER).step("delete", process=ONE)
        assert story.false() == ({"registered_is_in_the_directory"} if gone else set())
