"""Kafka's replication bugs as stories: what happened, step by step, and how the next version ends the same story.

The steps are taken by the judge, in plain Python; no engine searches here. A story that cannot go on as written fails.
"""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.invariants.catalogue import find
from tidegate.language.judge import holds, initial_states, is_deadlock, replay, run_text
from tidegate.language.steptext import StepError
from tidegate.language.values import State
from tidegate.model.replication import Replica

A, B, C = Replica(0), Replica(1), Replica(2)
RECORDS = "xyz"


class Story:
    """A partition, and what happens to it. Records are called x, y, z in the order in which they are written."""

    def __init__(self, version: str, *, replicas: int = 3, **constants: Any) -> None:
        definition, profile = find(f"replication:{version}")
        sizes = {"replicas": replicas, "log_size": 3, "max_records": 3, "max_leader_epoch": 4}
        self.model = definition.bind(version, {**sizes, **constants}, profile)
        self.state: State = next(iter(initial_states(self.model)))

    def step(self, action: str, **arguments: Any) -> Story:
        """Takes one step; StepError when it is disabled."""
        self.state = replay(self.model, self.state, [(action, arguments)]).steps[-1].state_after
        return self

    def request(self, epoch: int) -> Any:
        """The LeaderAndIsr request of that epoch: there is one of each."""
        return next(request for request in self.state.requests if request.leader_epoch == epoch)

    def elect(self, leader: Replica) -> Story:
        return self.step("controller_elect_leader", leader=leader)

    def fail(self, replica: Replica) -> Story:
        return self.step("controller_shrink_isr", replica=replica)

    def lead(self, epoch: int) -> Story:
        """The leader of that epoch receives the request that says so."""
        return self.step("become_leader", request=self.request(epoch))

    def follow(self, replica: Replica, epoch: int) -> Story:
        """A replica receives the request of that epoch, which may be an old one."""
        return self.step("become_follower", request=self.request(epoch), replica=replica)

    def write(self, leader: Replica) -> Story:
        return self.step("write", leader=leader)

    def fetch(self, follower: Replica, leader: Replica) -> Story:
        return self.step("fetch", leader=leader, follower=follower)

    def truncate(self, follower: Replica, leader: Replica) -> Story:
        return self.step("truncate", leader=leader, follower=follower)

    def commit(self, leader: Replica) -> Story:
        return self.step("advance_high_watermark", leader=leader)

    def shrink(self, leader: Replica, follower: Replica) -> Story:
        return self.step("shrink_isr", leader=leader, follower=follower)

    def expand(self, leader: Replica, follower: Replica) -> Story:
        return self.step("expand_isr", leader=leader, follower=follower)

    def log(self, replica: Replica) -> str:
        """A replica's log, one letter a record."""
        return "".join(RECORDS[record.id] for record in self.state.log[replica])

    def isr(self) -> str:
        """The quorum's ISR, one letter a replica."""
        return "".join(str(replica) for replica in self.state.quorum.isr)

    def high_watermark(self, replica: Replica) -> int:
        return self.state.high_watermark[replica]

    def breaks(self) -> set[str]:
        """The invariants that are false now."""
        return {
            prop.name
            for prop in self.model.properties
            if prop.kind == "invariant" and not holds(self.model, prop, self.state)
        }


VERSIONS = ("truncate_to_hw", "kip101", "kip279", "kip320_first_try", "kip320")


# --- how it should be -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("version", VERSIONS)
def test_a_record_is_written_replicated_and_committed(version: str) -> None:
    story = Story(version, replicas=2).elect(A).lead(0).follow(B, 0).write(A)
    # It is not committed while B does not have it: the leader cannot move on.
    with pytest.raises(StepError, match=r"follower in s\.isr"):
        story.commit(A)
    story.fetch(B, A).commit(A)
    assert (story.high_watermark(A), story.log(B)) == (1, "x")
    # B has the record but does not know that it is committed: the high watermark comes with the next fetch.
    assert story.high_watermark(B) == 0
    story.write(A).fetch(B, A)
    assert story.high_watermark(B) == 1
    assert story.breaks() == set()


def test_a_lagging_follower_leaves_the_isr_and_comes_back() -> None:
    story = Story("kip320", replicas=2).elect(A).lead(0).follow(B, 0).write(A)
    # B does not fetch. The leader goes on without it, and commits alone.
    story.shrink(A, B).commit(A)
    assert (story.isr(), story.high_watermark(A)) == ("A", 1)
    # It comes back only with everything that is committed.
    with pytest.raises(StepError, match="has_reached"):
        story.expand(A, B)
    story.fetch(B, A).expand(A, B)
    assert story.isr() == "AB"
    assert story.breaks() == set()


def test_an_old_leader_does_not_know_that_it_is_one() -> None:
    story = Story("kip320").elect(A).lead(0).elect(B).lead(1)
    # A still takes writes, but nobody follows it, and it may not shrink its ISR to itself: ZooKeeper refuses.
    story.write(A)
    with pytest.raises(StepError, match=r"advance_high_watermark\(A\)"):
        story.commit(A)
    with pytest.raises(StepError, match="is_true_leader"):
        story.shrink(A, B)


def test_a_full_log_is_the_bound_and_no_end() -> None:
    story = Story("kip320", replicas=2, log_size=1, max_records=1, max_leader_epoch=0).elect(A).lead(0).write(A)
    story.follow(B, 0).fetch(B, A).commit(A)
    with pytest.raises(StepError, match="blocked by the model's bound"):
        story.write(A)
    assert not is_deadlock(story.model, story.state)


# --- KIP-101, first scenario: a follower cuts what is committed -------------------------------------------------------


def told_up_to_the_late_request(version: str) -> Story:
    """A commits x, and B, elected for epoch 2, has x. The request of epoch 1 is still on its way to B."""
    story = Story(version, replicas=2).elect(A).follow(B, 0).fail(B).lead(1)
    story.write(A).fetch(B, A).commit(A).expand(A, B).elect(B)
    # Both members of the ISR have x; but B's own high watermark has not heard of it yet.
    assert (story.log(A), story.log(B), story.isr()) == ("x", "x", "AB")
    assert (story.high_watermark(A), story.high_watermark(B)) == (1, 0)
    assert story.breaks() == set()
    return story


def test_truncating_to_the_high_watermark_loses_a_committed_record() -> None:
    # The late request arrives. B follows A for a moment, and cuts its log at its high watermark.
    story = told_up_to_the_late_request("truncate_to_hw").follow(B, 1)
    assert story.log(B) == ""
    assert {"weak_isr", "strong_isr"} <= story.breaks()
    # Then it learns that it leads. What was committed is gone.
    story.lead(2)
    assert "leader_completeness" in story.breaks()


def test_kip_101_keeps_that_record() -> None:
    # The newest record of B is of epoch 1, which A's log ends in: there is nothing to cut.
    story = told_up_to_the_late_request("kip101").follow(B, 1)
    assert story.log(B) == "x"
    story.lead(2)
    assert story.breaks() == set()


# --- KIP-101, second scenario: two logs differ below both high watermarks ---------------------------------------------


def test_truncating_to_the_high_watermark_lets_committed_logs_diverge() -> None:
    story = told_up_to_the_late_request("truncate_to_hw").follow(B, 1).lead(2)
    # A follows B. Its own high watermark is behind x, so it cuts nothing, although B has never heard of x any more.
    story.follow(A, 2)
    assert (story.log(A), story.log(B)) == ("x", "")
    # B writes y where x was. A counts as having it: its log is long enough.
    story.write(B).commit(B)
    assert (story.log(A), story.log(B)) == ("x", "y")
    assert (story.high_watermark(A), story.high_watermark(B)) == (1, 1)
    assert "committed_log_matching" in story.breaks()


# --- KAFKA-6361: KIP-101 after fast fail-overs ------------------------------------------------------------------------


def told_up_to_the_third_epoch(version: str) -> Story:
    """A leads epoch 0 and commits x; B leads epoch 1 and writes y; epochs 2, of A, and 3, of B, are given out."""
    story = Story(version, replicas=2).elect(A).elect(B).elect(A).elect(B)
    story.lead(0).follow(B, 0).write(A).fetch(B, A).commit(A).lead(1).write(B)
    assert (story.log(A), story.log(B)) == ("x", "xy")
    assert story.high_watermark(B) == 0
    return story


def test_kip_101_falls_back_to_the_high_watermark() -> None:
    story = told_up_to_the_third_epoch("kip101")
    # B now follows A in epoch 2 and asks for the end of epoch 1. A was not there and cannot tell: it has nothing newer
    # than epoch 0. So B cuts its log at its high watermark, as in the old days, and the committed x goes with y.
    story.follow(B, 2)
    assert story.log(B) == ""
    assert "strong_isr" in story.breaks()
    story.lead(3)
    assert "leader_completeness" in story.breaks()


def test_kip_279_goes_back_to_what_both_have() -> None:
    story = told_up_to_the_third_epoch("kip279").follow(B, 2)
    assert story.log(B) == "x"
    story.lead(3)
    assert story.breaks() == set()


def test_kip_101_as_published_holds_up_a_follower_that_has_less() -> None:
    # A has x and y of epoch 0, B only x. Asked for the end of epoch 0, A answers 2, which is beyond the end of B's log.
    for version, goes_on in (("kip101", False), ("kip279", True)):
        story = Story(version, replicas=2).elect(A).lead(0).follow(B, 0).write(A).write(A).fetch(B, A).fail(B)
        if goes_on:
            assert story.follow(B, 1).log(B) == "x"
        else:
            with pytest.raises(StepError, match=r"end <= len\(s.log\[replica\]\)"):
                story.follow(B, 1)


# --- KAFKA-7395: a leader counts a replica that is in another epoch ---------------------------------------------------


def test_an_unfenced_leader_counts_a_replica_that_is_somewhere_else() -> None:
    # A is elected for epochs 0 and 2, B for epoch 1. A has come to epoch 2; C has only heard of epoch 0.
    story = Story("kip279").elect(A).elect(B).elect(A).lead(2).follow(C, 0)
    # Nobody checks the epoch of C's fetch. A drops B, which lags, and C is elected next.
    story.write(A).fetch(C, A).shrink(A, B).elect(C)
    # A counts C, and commits x.
    story.commit(A)
    assert story.breaks() == set()
    # C hears of epoch 1 at last, and goes back to what it has in common with B: nothing.
    story.follow(C, 1)
    assert story.log(C) == ""
    assert "strong_isr" in story.breaks()
    story.lead(3)
    assert "leader_completeness" in story.breaks()


def test_kip_320_refuses_the_fetch() -> None:
    story = Story("kip320").elect(A).elect(B).elect(A).lead(2)
    # C may not even follow A in epoch 0: A is not in that epoch any more, and is no help in cutting a log.
    with pytest.raises(StepError, match="is_in_office"):
        story.follow(C, 0)
    # In epoch 2 everything goes well.
    story.follow(C, 2).write(A).fetch(C, A).shrink(A, B).elect(C).commit(A).lead(3)
    assert story.breaks() == set()


def test_kip_320_first_try_cuts_what_was_counted() -> None:
    story = Story("kip320_first_try").elect(A).elect(B).elect(A).lead(2).lead(1)
    # C has only heard of epoch 0, but its log is as A's, and that is all that A looks at.
    story.follow(C, 0).write(A).fetch(C, A).shrink(A, B).commit(A)
    assert story.breaks() == set()
    # Then C hears of epoch 1, and its next fetch, from B, shows a difference.
    story.follow(C, 1)
    assert "strong_isr" not in story.breaks()
    story.truncate(C, B)
    assert "strong_isr" in story.breaks()


# --- KAFKA-7128: into the ISR too early -------------------------------------------------------------------------------


def told_up_to_the_new_leader(**switches: bool) -> Story:
    """A commits x, which B has, too; B leads epoch 1 and has not heard of it; C, not in the ISR, has nothing."""
    story = Story("kip320", **switches).elect(A).lead(0).follow(B, 0).write(A).fetch(B, A).shrink(A, C)
    story.elect(B).commit(A).lead(1).follow(C, 1)
    assert (story.log(B), story.high_watermark(B), story.log(C), story.isr()) == ("x", 0, "", "AB")
    return story


def test_a_new_leaders_high_watermark_is_stale() -> None:
    story = told_up_to_the_new_leader(await_epoch_start=False)
    # C has all below B's high watermark of 0, that is, nothing: good enough, so it is answered.
    story.expand(B, C).elect(C).lead(2)
    assert story.isr() == "ABC"
    assert "leader_completeness" in story.breaks()


def test_nobody_joins_before_the_leaders_own_epoch() -> None:
    story = told_up_to_the_new_leader()
    with pytest.raises(StepError, match="has_reached_its_epoch"):
        story.expand(B, C)
    # With x fetched, and A following, B commits up to its own epoch's records, of which there are none yet: C may join.
    story.fetch(C, B).follow(A, 1).commit(B).expand(B, C).elect(C).lead(2)
    assert story.breaks() == set()


# --- the other fences of KIP-320, one at a time -----------------------------------------------------------------------


def test_without_the_fence_of_the_truncation() -> None:
    story = Story("kip320", fence_truncation=False).elect(A).elect(B).elect(A).lead(0)
    # C has x, and goes ahead to epoch 2, comparing its log with A's, though A is still in epoch 0: both have x.
    story.follow(C, 0).write(A).fetch(C, A).follow(C, 2)
    # A then follows B in epoch 1 and loses x; it leads epoch 2 from an empty log and writes y. C never looks again.
    story.follow(A, 1).lead(2).write(A)
    assert (story.log(A), story.log(C)) == ("y", "x")
    # And C's x is counted for y.
    story.shrink(A, B).commit(A)
    assert "strong_isr" in story.breaks()


def test_without_the_fence_of_the_fetch() -> None:
    story = Story("kip320", fence_fetch=False).elect(A).elect(B).elect(A).lead(0).follow(B, 0).lead(2)
    # A alone commits x in epoch 2; B, still in epoch 0, fetches x, and learns from the answer that it is committed.
    story.write(A).shrink(A, B).shrink(A, C).commit(A).fetch(B, A)
    assert story.high_watermark(B) == 1
    # B then hears that it led epoch 1: a leader with a committed record that its ISR does not have.
    story.lead(1)
    assert "weak_isr" in story.breaks()
    assert "strong_isr" not in story.breaks()


# --- what to know about the published specification -------------------------------------------------------------------


def test_the_controller_can_empty_the_isr_and_strong_isr_says_nothing_then() -> None:
    story = Story("truncate_to_hw", replicas=2).elect(A).lead(0).follow(B, 0).write(A).fetch(B, A).commit(A)
    story.fail(A).fail(B)
    assert (story.isr(), story.state.quorum.leader) == ("", None)
    # B hears of the request that took A out: it names no leader, and nobody acts on it. Nobody can be elected either.
    with pytest.raises(StepError):
        story.follow(B, 1)
    with pytest.raises(StepError):
        story.elect(B)
    # A still takes itself for the leader, and of an empty ISR everything is true.
    assert "strong_isr" not in story.breaks()


def test_the_last_member_stays_if_it_leads() -> None:
    story = Story("kip320", replicas=2).elect(A).fail(B).fail(A)
    assert (story.isr(), story.state.quorum.leader) == ("A", None)


# --- KIP-497: the ISR is changed by request ---------------------------------------------------------------------------


@pytest.mark.parametrize("maximal_isr", [True, False])
def test_a_replica_asked_into_the_isr_is_counted_before_the_answer(maximal_isr: bool) -> None:
    definition, _ = find("async_isr")
    model = definition.bind(constants={"maximal_isr": maximal_isr})
    reported = [
        # The leader drops B and knows it; then it asks B, which has all that is committed (nothing), in again.
        "request_shrink(B); handle_request(AlterIsr(isr={A}, version=0)); handle_update(IsrUpdate(isr={A}, version=1))",
        "request_expand(B); handle_request(AlterIsr(isr={A, B}, version=1))",
        # The controller has agreed, and the leader has not heard. It takes a write that B does not have.
        "write",
    ]
    state = run_text(model, "; ".join(reported)).states()[-1]
    # B is in the ISR already. Only a leader that counts it before it knows keeps the record from being committed.
    valid = next(prop for prop in model.properties if prop.name == "valid_high_watermark")
    assert holds(model, valid, state) == maximal_isr
