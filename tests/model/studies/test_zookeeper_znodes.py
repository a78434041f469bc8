"""Three uses that Kafka makes of znodes, as stories, and what was recorded of them: notifications of ISR changes,
blocks of producer ids, and the registration of a broker. The steps are taken by the judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language.judge import holds, initial_states, replay
from tidegate.language.steptext import StepError
from tidegate.language.values import State
from tidegate.model.studies.broker_registration import Process, Status
from tidegate.model.studies.isr_notification import Broker as Candidate
from tidegate.model.studies.producer_ids import Broker

from ...conftest import ROOT
from ...support.shipped import shipped
from ..test_counts import assert_as_recorded, bound

MODELS = ("isr_notification", "producer_ids", "broker_registration")
CHECKS = [check for model in MODELS for check in read_record_file(ROOT / "spec" / f"{model}.toml").checks]


class Story:
    """A run of one of the models."""

    def __init__(self, model: str, **constants: Any) -> None:
        self.model = shipped(model, constants, called=model)
        self.state: State = next(iter(initial_states(self.model)))

    def step(self, action: str, **arguments: Any) -> Story:
        """Takes one step; StepError when it is disabled."""
        self.state = replay(self.model, self.state, [(action, arguments)]).steps[-1].after
        return self

    def steps(self, *actions: str, **arguments: Any) -> Story:
        """Takes several, each with the same arguments."""
        for action in actions:
            self.step(action, **arguments)
        return self

    def false(self) -> set[str]:
        """The invariants that are false now."""
        return {p.name for p in self.model.properties if p.kind == "invariant" and not holds(self.model, p, self.state)}


# --- notifications of ISR changes -------------------------------------------------------------------------------------

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


# --- blocks of producer ids -------------------------------------------------------------------------------------------

A, B, C = (Broker(i) for i in range(3))


def test_of_two_that_read_the_same_block_one_reads_again() -> None:
    story = Story("producer_ids").step("read_block", broker=A).step("read_block", broker=B).step("take_block", broker=A)
    with pytest.raises(StepError, match="version"):
        story.step("take_block", broker=B)
    story.step("read_again", broker=B).step("take_block", broker=B)
    assert (story.state.held[A], story.state.held[B]) == (1, 2)


def test_kraft_hands_out_the_last_block_again_if_that_is_what_was_copied() -> None:
    for profile, block in (("kafka_15552", 1), ("fenced", 2)):
        story = Story(f"producer_ids:{profile}").steps("read_block", "take_block", broker=A).step("move_to_kraft")
        story.step("take_block_from_kraft", broker=B)
        assert story.state.held[B] == block
        assert story.false() == ({"block_is_handed_out_once"} if block == 1 else set())


def test_a_block_may_be_given_twice_to_the_only_broker() -> None:
    """Once by ZooKeeper and once by KRaft, which is more often than there are brokers."""
    story = Story("producer_ids:kafka_15552", brokers=1).steps("read_block", "take_block", broker=A)
    story.step("move_to_kraft").step("take_block_from_kraft", broker=A)
    assert (story.state.handed_out[1], story.false()) == (2, {"block_is_handed_out_once"})


def test_a_zombie_takes_the_block_that_kraft_hands_out() -> None:
    """The write compares the znode's version, which KRaft has only read, and not /controller_epoch."""
    story = Story("producer_ids:kafka_3_9").step("read_block", broker=A).step("move_to_kraft")
    story.step("take_block_from_kraft", broker=B)
    assert story.step("take_block", broker=A).false() == {"block_is_handed_out_once"}
    story = Story("producer_ids:fenced").step("read_block", broker=A).step("move_to_kraft")
    assert story.state.read[A] is None
    with pytest.raises(StepError, match="is_served"):
        story.step("read_block", broker=A)


def test_a_znode_that_kraft_has_written_stops_no_zombie() -> None:
    """Compare-and-set refuses what was read before; whoever is refused reads again, and takes the same block."""
    story = Story("producer_ids:rewritten").step("read_block", broker=A).step("move_to_kraft")
    with pytest.raises(StepError, match="version"):
        story.step("take_block", broker=A)
    story.step("read_again", broker=A).step("take_block", broker=A).step("take_block_from_kraft", broker=B)
    assert story.state.held[A] == story.state.held[B] == 1 and story.false() == {"block_is_handed_out_once"}


def test_a_broker_whose_write_was_not_answered_recognises_its_block_or_leaves_it_unused() -> None:
    for profile, block in (("kafka_2_6", 1), ("kafka_3_9", 2)):
        story = Story(f"producer_ids:{profile}", lost_answers=1).steps("read_block", "take_block_unheard", broker=A)
        if block == 1:
            with pytest.raises(StepError, match="checks_content"):
                story.step("read_again", broker=A)
            story.step("recognise", broker=A)
        else:
            story.steps("read_again", "take_block", broker=A)
        assert story.state.held[A] == block and story.false() == set()


def test_a_block_that_does_not_say_for_whom_it_is_is_taken_by_two() -> None:
    for profile, taken in (("unnamed", True), ("kafka_2_6", False)):
        story = Story(f"producer_ids:{profile}").step("read_block", broker=A).step("read_block", broker=B)
        story.step("take_block", broker=A)
        if taken:
            assert story.step("recognise", broker=B).false() == {"block_is_handed_out_once"}
        else:
            with pytest.raises(StepError, match="finds_own"):
                story.step("recognise", broker=B)


def test_a_cluster_that_has_handed_out_no_block_moves_without_harm() -> None:
    story = Story("producer_ids:kafka_15552").step("move_to_kraft").step("take_block_from_kraft", broker=C)
    assert story.state.held[C] == 1 and story.false() == set()


# --- the registration of a broker -------------------------------------------------------------------------------------

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


# --- what is recorded -------------------------------------------------------------------------------------------------


def named(check: CheckRecord) -> str:
    properties = " ".join(check.properties) if len(check.properties) < 3 else "rest"
    return f"{check.model} {check.profile} {check.bounds} {properties}"


@pytest.mark.parametrize("check", CHECKS, ids=named)
def test_what_is_recorded_comes_out(check: CheckRecord, cache: Path) -> None:
    assert_as_recorded(check, ENGINES["native"](bound(check), Search(symmetry=check.symmetry, cache=cache), None))


def test_plain_python_counts_the_same(cache: Path) -> None:
    for name, small in (("isr_notification", {"changes": 1, "cuts": 1}), ("producer_ids", {"blocks": 2})):
        model = find(name)[0].bind("small", small, None)
        native, plain = (ENGINES[engine](model, Search(cache=cache), None) for engine in ("native", "python"))
        counts = [(verdict.distinct_states, verdict.transitions, verdict.depth) for verdict in (native, plain)]
        assert counts[0] == counts[1]
