"""A topic that is deleted while a broker is down, as stories. The steps are taken by the judge."""

from __future__ import annotations

import pytest
from tidegate.language.steptext import StepError
from tidegate.model.studies.topic_deletion import Broker

from ....support.znodes import Story

ONE, OTHER = Broker(0), Broker(1)


def recreated_while_down(profile: str) -> Story:
    """A topic that was deleted and made again while a broker was down, with KRaft."""
    story = Story(f"topic_deletion:{profile}").step("stop", broker=ONE).step("delete_topic").step("create_topic")
    return story.steps("delete_replica", "make_replica", broker=OTHER).step("start_broker", broker=ONE)


def removed_by_hand(profile: str) -> Story:
    """The same with ZooKeeper, where somebody removes the znodes, since the broker that is down deletes nothing."""
    story = Story(f"topic_deletion:{profile}", removals=1).step("stop", broker=ONE).step("delete_topic")
    story.step("delete_replica", broker=OTHER).step("remove_znodes").step("create_topic")
    return story.step("start_broker", broker=ONE).step("make_replica", broker=ONE)


def test_a_broker_deletes_a_stray_log_before_it_makes_the_replica() -> None:
    state = recreated_while_down("kafka_3_7").state
    assert (state.log[ONE], state.replica[ONE]) == (1, 1)


def test_a_replica_that_met_the_old_log_is_made_at_the_next_start() -> None:
    """KAFKA-14616: under-replicated until the broker is started once more."""
    story = recreated_while_down("kafka_14616")
    assert (story.state.log[ONE], story.state.replica[ONE]) == (None, None)
    with pytest.raises(StepError, match="tried"):
        story.step("make_replica", broker=ONE)
    assert story.steps("stop", "start_broker", broker=ONE).state.replica[ONE] == 1


def test_with_zookeeper_a_name_is_taken_until_every_broker_has_deleted_its_log() -> None:
    story = Story("topic_deletion:zookeeper").step("stop", broker=ONE).step("delete_topic")
    story.step("delete_replica", broker=OTHER)
    for action in ("complete_deletion", "create_topic"):
        with pytest.raises(StepError):
            story.step(action)
    story.steps("start_broker", "delete_replica", broker=ONE).step("complete_deletion").step("create_topic")
    assert story.steps("make_replica", broker=ONE).state.replica[ONE] == 1


def test_where_znodes_are_removed_by_hand_the_old_log_is_in_the_way_or_comes_back() -> None:
    story = removed_by_hand("zookeeper")
    assert (story.state.log[ONE], story.state.replica[ONE], story.false()) == (0, None, set())
    story = removed_by_hand("zookeeper_2_8")
    assert (story.state.log[ONE], story.state.replica[ONE]) == (0, 1)
    assert story.false() == {"old_records_stay_deleted"}
