"""A producer as stories, and what was recorded of it. The steps are taken by the judge."""

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
from tidegate.model.producer.state import Outcome

from ...conftest import ROOT
from ...support.shipped import bind_shipped, gate_parameters
from ..test_counts import assert_as_recorded, bind_check

CHECKS = read_record_file(ROOT / "spec" / "producer.toml").checks


class Story:
    """An application with records to send, a producer, and two brokers of which the first leads."""

    def __init__(self, profile: str = "idempotent", **sizes: Any) -> None:
        self.model = bind_shipped(f"producer:{profile}", {"entries": 6, **sizes}, called=profile)
        self.state: State = next(iter(initial_states(self.model)))

    def step(self, action: str, **arguments: Any) -> Story:
        """Takes one step; StepError when it is disabled."""
        self.state = replay(self.model, self.state, [(action, arguments)]).steps[-1].state_after
        return self

    def sends(self, count: int = 1) -> Story:
        """The application hands over so many records, each of which the producer sends."""
        for _ in range(count):
            self.step("send", partition=0).step("transmit", partition=0)
        return self

    def append_first(self) -> Story:
        """The first request is appended and answered."""
        return self.step("append_batch", turn=0).step("answer", turn=0)

    def log(self) -> list[int]:
        """The first records of the batches that are in the log."""
        held = self.state.held[0]
        return [held[entry].first for entry in range(6) if held[entry] is not None]

    def false(self) -> set[str]:
        """The invariants that are false now."""
        return {p.name for p in self.model.properties if p.kind == "invariant" and not holds(self.model, p, self.state)}


def test_a_retry_is_found_where_the_producer_is_idempotent_and_is_a_duplicate_where_not() -> None:
    for profile, action, log, false in (
        ("idempotent", "find_copy", [0], set[str]()),
        ("not_idempotent", "append_batch", [0, 0], {"no_duplicates"}),
    ):
        story = Story(profile).sends().step("append_batch", turn=0).step("lose_connection", leader=0, arrives=False)
        story.step("transmit", partition=0).step(action, turn=0).step("answer", turn=0)
        assert (story.log(), story.false()) == (log, false), profile
        assert story.state.outcome[0] == Outcome.ACKNOWLEDGED


def test_a_retry_comes_after_its_successor_without_idempotence() -> None:
    story = Story("not_idempotent").sends(2).step("refuse_for_now", turn=0).append_first().step("transmit", partition=0)
    assert story.append_first().log() == [1, 0]
    assert story.false() == {"order_per_key"}


def test_a_producers_second_batch_may_be_the_first_that_a_leader_has_of_it() -> None:
    """KAFKA-14359: the first is out of order then, until it is given up."""
    story = Story("kafka_15591").sends(2).step("refuse_for_now", turn=0).append_first().step("transmit", partition=0)
    with pytest.raises(StepError):
        story.step("append_batch", turn=0)
    story.step("refuse_sequence", turn=0)
    assert (story.log(), story.state.gap, story.state.outcome[0]) == ([1], frozenset(), Outcome.ACCEPTED)
    story.step("transmit", partition=0).step("refuse_sequence", turn=0)
    assert story.false() == {"no_gap", "accepted_is_there"}
    story = Story("refuses_late_begin").sends(2).step("refuse_for_now", turn=0).step("refuse_sequence", turn=0)
    for _ in range(2):
        story.step("transmit", partition=0).append_first()
    assert (story.log(), story.false()) == ([0, 1], set())


def test_a_broker_that_leads_again_handles_no_request_twice() -> None:
    """What it appended when it led before is answered with an error then, and not appended once more."""
    story = Story("no_retries", elections=2).sends().step("append_batch", turn=0)
    story.step("fail_over", kept=1).step("fail_over", kept=1)
    for action in ("append_batch", "answer", "answer_with_error"):
        with pytest.raises(StepError):
            story.step(action, turn=0)
    story.step("refuse_leader", turn=0)
    assert (story.log(), story.false()) == ([0], {"given_up_is_not_there"})


def test_a_batch_that_was_given_up_and_comes_late_is_refused_since_kip_360() -> None:
    for profile, log in (("gives_up", [1]), ("gives_up_2_4", [1, 0])):
        story = Story(profile, cuts=2).sends().step("lose_connection", leader=0, arrives=False)
        story.step("transmit", partition=0).step("lose_connection", leader=0, arrives=True)
        story.step("expire_waiting").step("resolve", partition=0).sends().append_first().step("arrive_late")
        assert story.log() == log, profile


def test_an_error_that_finds_a_batchs_time_over_bumps_the_epoch_and_what_is_written_comes_again() -> None:
    story = (
        Story("gives_up", refuses_late_begin=True).sends(2).step("append_batch", turn=0).step("append_batch", turn=1)
    )
    lost = {"leader": 0, "arrives": False}
    in_time = Story("gives_up").sends(2).step("append_batch", turn=0).step("append_batch", turn=1)
    in_time.step("lose_connection", **lost).step("transmit", partition=0).step("find_copy", turn=0)
    assert in_time.log() == [0, 1]
    story.step("run_out", turn=0).step("lose_connection", **lost)
    with pytest.raises(StepError):  # it looks before it sends
        story.step("transmit", partition=0)
    story.step("look_at_times").step("bump", partition=0).step("transmit", partition=0).step("append_batch", turn=0)
    assert (story.log(), story.state.outcome[0]) == ([0, 1, 1], Outcome.GIVEN_UP)
    assert "no_duplicates" in story.false()


def test_up_to_2_4_the_next_record_gets_the_sequence_of_one_whose_time_is_over_and_is_taken_for_it() -> None:
    """Until KIP-360: Sender.completeBatch of 2.4.1 moves sequences down, though the batch may be there."""
    for profile, outcome in (("gives_up_2_4", Outcome.ACKNOWLEDGED), ("gives_up", Outcome.ACCEPTED)):
        story = Story(profile, elections=0).sends().step("append_batch", turn=0).step("run_out", turn=0)
        story.step("lose_connection", leader=0, arrives=False).step("look_at_times").step("send", partition=0)
        if profile == "gives_up":
            story.step("bump", partition=0).step("transmit", partition=0).step("append_batch", turn=0)
        else:
            story.step("transmit", partition=0).step("find_copy", turn=0).step("answer", turn=0)
        assert (story.state.outcome[1], "acknowledged_is_durable" in story.false()) == (outcome, profile != "gives_up")


def test_up_to_2_4_a_batch_that_waits_has_a_lower_sequence_once_one_before_it_is_given_up() -> None:
    story = Story("gives_up_2_4").sends().step("send", partition=0).step("fail_over", kept=0).step("learn_leader")
    story.step("transmit", partition=0).step("lose_connection", leader=1, arrives=False).step("run_out", turn=0)
    assert [batch.sequence for batch in story.step("refuse_leader", turn=0).state.waiting] == [0]
    assert story.state.next_sequence[0] == 1


def test_with_a_record_all_that_are_older_are_given_up_and_none_is_sent_again() -> None:
    story = Story("gives_up", elections=2).sends().step("send", partition=0).step("transmit", partition=0)
    story.step("lose_connection", leader=0, arrives=False)
    assert [batch.first for batch in story.state.waiting] == [0, 1]
    story.step("transmit", partition=0).step("send", partition=0).step("expire_waiting")
    assert [story.state.outcome[n] for n in range(3)] == [Outcome.GIVEN_UP, Outcome.GIVEN_UP, Outcome.ACCEPTED]
    story.step("refuse_for_now", turn=0)
    assert [batch.first for batch in story.state.waiting] == [2]


def test_a_partition_with_records_takes_a_later_batch_first_in_4_5_too() -> None:
    for profile, log in (("refuses_late_begin", list[int]()), ("in_use", [1])):
        story = Story(profile).sends(2).step("refuse_for_now", turn=0)
        if log:
            story.append_first()
        else:
            story.step("refuse_sequence", turn=0)
        assert story.log() == log


def test_an_application_that_starts_again_has_another_producer_id() -> None:
    story = Story().sends().step("append_batch", turn=0).step("die", arrives=False).sends().append_first()
    assert (story.log(), story.false()) == ([0, 0], {"no_duplicates"})
    story = Story("forgets_on_restart").sends().step("die", arrives=False)
    assert story.false() == {"accepted_is_there", "no_silent_loss"}


def test_what_only_the_leader_has_may_be_gone_after_an_election() -> None:
    story = Story().sends().step("append_batch", turn=0).step("fail_over", kept=0).step("refuse_leader", turn=0)
    assert (story.log(), story.state.believed, story.false()) == ([], 1, set())
    story = Story("acks_1").sends().append_first().step("fail_over", kept=0)
    assert story.false() == {"acknowledged_is_durable", "accepted_is_there", "no_silent_loss"}
    with pytest.raises(StepError):
        Story().sends().append_first().step("fail_over", kept=0)


def test_whoever_waits_for_each_answer_sends_one_record_at_a_time() -> None:
    story = Story("synchronous").sends()
    with pytest.raises(StepError):
        story.step("send", partition=0)
    story.append_first().sends()


def test_a_record_joins_a_batch_that_waits() -> None:
    story = Story(batch_size=2).step("send", partition=0).step("send", partition=0).step("send", partition=0)
    assert [(batch.first, batch.last) for batch in story.state.waiting] == [(0, 1), (2, 2)]
    story.step("transmit", partition=0).step("transmit", partition=0)
    assert [request.batch.sequence for request in story.state.in_flight] == [0, 2]


def test_send_may_fail_before_anything_is_accepted() -> None:
    story = Story("send_fails").step("block")
    assert (story.state.outcome[0], len(story.state.waiting), story.false()) == (Outcome.REFUSED, 0, set())
    assert story.sends().append_first().false() == {"no_gap"}


def test_records_of_one_batch_are_in_order() -> None:
    story = Story("batches").step("send", partition=0).step("send", partition=0).step("transmit", partition=0)
    assert story.step("append_batch", turn=0).false() == set()


def test_up_to_2_4_a_batch_of_an_older_producer_id_is_given_up_and_asks_for_no_other_id() -> None:
    """TransactionManager.handleFailedBatch of 2.4.1: two batches are refused for their sequence."""
    story = Story("gives_up_2_4").sends(3).step("refuse_for_now", turn=0).step("expire_waiting")
    story.step("refuse_sequence", turn=0).step("refuse_sequence", turn=0)
    assert (story.state.given, len(story.state.waiting)) == (2, 0)
    assert [story.state.outcome[n] for n in range(3)] == [Outcome.GIVEN_UP] * 3


def test_close_without_waiting_gives_up_what_has_no_answer() -> None:
    story = Story("closes_at_once", records=1).sends().step("close")
    assert story.state.outcome[0] == Outcome.GIVEN_UP
    assert story.step("append_batch", turn=0).false() == {"given_up_is_not_there"}


def test_an_application_heeds_an_error_or_does_not() -> None:
    for profile, due, closed in (
        ("gives_up", 2, False),
        ("sends_given_up_again", 3, False),
        ("stops_on_error", 0, True),
    ):
        story = Story(profile).step("send", partition=0).step("expire_waiting")
        assert (len(story.state.due), story.state.closed) == (due, closed), profile


def test_a_leader_forgets_a_producer_with_its_records_up_to_2_3() -> None:
    for profile, known in (("kafka_7190", 1), ("keeps_producers", 0)):
        story = Story(profile).sends().append_first().step("delete_records", partition=0)
        assert story.state.known_from[0] == known, profile


def test_a_key_goes_elsewhere_once_a_partition_is_added() -> None:
    story = Story("adds_partitions").step("add_partition")
    with pytest.raises(StepError):
        story.step("send", partition=0)
    story.step("send", partition=1)


def check_name(check: CheckRecord) -> str:
    return f"{check.profile} {check.bounds} {next(iter(check.properties))}"


def is_quick(check: CheckRecord) -> bool:
    """Whether it is one of a sample."""
    return check_name(check) == "gives_up_2_4 network order_per_key"


@pytest.mark.parametrize("check", gate_parameters(CHECKS, is_quick, check_name))
def test_what_is_recorded_comes_out(check: CheckRecord, cache: Path) -> None:
    assert_as_recorded(check, ENGINES["native"](bind_check(check), Search(symmetry=check.symmetry, cache=cache), None))


def test_every_profile_is_recorded() -> None:
    assert {check.profile for check in CHECKS} == set(find("producer")[0].profiles)


def test_plain_python_counts_the_same(cache: Path) -> None:
    small = {"records": 2, "entries": 4, "refusals": 0, "restarts": 0, "max_in_flight": 2}
    model = find("producer")[0].bind("small", small, "idempotent", properties=["no_duplicates", "order_per_key"])
    native, plain = (ENGINES[name](model, Search(cache=cache), None) for name in ("native", "python"))
    counts = [(verdict.distinct_states, verdict.transitions, verdict.depth) for verdict in (native, plain)]
    assert counts[0] == counts[1]
