"""KRaft's further chapters as stories: snapshots, brokers that register, check-quorum, and every message in flight."""

from __future__ import annotations

from typing import Any, Self

import pytest
from tidegate.language.steptext import StepError
from tidegate.model.kraft import Voter

from ...support.kraft_story import A, B, C, D, E, Story, X

# --- snapshots --------------------------------------------------------------------------------------------------------


def told_up_to_the_snapshot(profile: str, **constants: Any) -> Story:
    """x is committed on A and B; C has nothing."""
    story = Story(profile, **{"snapshots": 2, **constants}).elect(A, B, epoch=1).catch_up(B, A).write(A).catch_up(B, A)
    assert (story.committed_records(), story.log(C)) == ("1x", "")
    return story


def test_a_snapshot_stands_for_what_is_deleted() -> None:
    story = told_up_to_the_snapshot("kip630")
    # Only what A knows to be committed goes into a snapshot, and only what is in it is deleted.
    story.write(A)
    with pytest.raises(StepError, match="high_watermark"):
        story.step("take_snapshot", voter=A, end=3)
    story.step("take_snapshot", voter=A, end=2)
    with pytest.raises(StepError, match="snapshot"):
        story.step("delete_records", voter=A, start=1)
    story.step("delete_records", voter=A, start=2).step("begin_quorum_epoch", leader=A, voter=C)
    # C fetches from the beginning, which A does not have any more: it is sent the snapshot, and goes on from there.
    with pytest.raises(StepError, match="is_answered"):
        story.fetch(C, A)
    story.step("load_snapshot", follower=C, leader=A).fetch(C, A)
    assert (story.log(C), story.state.log_start[C], story.high_watermark(C)) == ("1xy", 2, 2)
    # So does a broker that has applied nothing.
    with pytest.raises(StepError, match="log_start"):
        story.step("apply", broker=X, leader=A)
    story.step("load_snapshot_of", broker=X, leader=A)
    assert (story.applied_records(), story.broken) == ("1x", set())


def test_a_voter_with_an_empty_disk_is_rebuilt_from_a_snapshot() -> None:
    story = told_up_to_the_snapshot("kip630", directory_ids=True).step("take_snapshot", voter=A, end=2)
    story.step("delete_records", voter=A, start=2).step("replace_disk", voter=B)
    story.step("begin_quorum_epoch", leader=A, voter=B).step("load_snapshot", follower=B, leader=A)
    assert (story.log(B), story.state.snapshot[B]) == ("1x", 2)
    # What it does not have as records it does not cut, even where it does not know its high watermark.
    story.restart(B).write(A).fetch(B, A)
    assert (story.log(B), story.broken) == ("1xy", set())


def test_retention_deleted_what_was_in_no_snapshot() -> None:
    # KAFKA-14238: x is deleted by age, as in an ordinary log. There is a snapshot, but it ends before x.
    story = told_up_to_the_snapshot("kafka_14238").step("take_snapshot", voter=A, end=1)
    story.step("delete_records", voter=A, start=2)
    assert story.broken == {"snapshot_covers_log_start", "replica_can_be_rebuilt"}
    # C is sent the snapshot, and then asks for what nobody can give it.
    story.step("begin_quorum_epoch", leader=A, voter=C).step("load_snapshot", follower=C, leader=A)
    for action in ("fetch", "truncate", "load_snapshot"):
        with pytest.raises(StepError):
            story.step(action, follower=C, leader=A, **({"answered": True} if action == "fetch" else {}))
    # B does the same, and x is nowhere.
    assert "acked_value_not_lost" not in story.broken
    story.step("delete_records", voter=B, start=2)
    assert "acked_value_not_lost" in story.broken


# --- brokers register -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("profile", ["kip595", "kafka_10533"])
def test_a_broker_epoch_is_an_offset_and_offsets_are_not_used_again(profile: str) -> None:
    story = Story(profile, brokers_register=True).elect(A, B, epoch=1).catch_up(B, A)
    story.step("register", broker=X, controller=A)
    # The controller answers once the record is committed.
    with pytest.raises(StepError, match="registering"):
        story.step("hear_broker_epoch", broker=X, controller=A)
    story.catch_up(B, A).step("hear_broker_epoch", broker=X, controller=A)
    assert story.state.broker_epoch[X] == 1
    if profile == "kip595":
        story.step("register", broker=X, controller=A).catch_up(B, A)
        story.step("hear_broker_epoch", broker=X, controller=A)
        assert (story.state.broker_epoch[X], story.broken) == (2, set())
    else:
        # KAFKA-10533: A and B lose the record in a power failure. The broker starts again, and has epoch 1 again.
        story.restart(A, kept=0).restart(B, kept=0).elect(B, C, epoch=2).catch_up(C, B)
        story.step("register", broker=X, controller=B).catch_up(C, B)
        assert "broker_epoch_increases" not in story.broken
        story.step("hear_broker_epoch", broker=X, controller=B)
        assert (story.state.broker_epoch[X], "broker_epoch_increases" in story.broken) == (1, True)


# --- check-quorum -----------------------------------------------------------------------------------------------------


def test_an_isolated_leader_resigns_when_its_time_is_up() -> None:
    # A is cut off; B is elected by C.
    story = Story("check_quorum").elect(A, B, epoch=1).catch_up(B, A).elect(B, C, epoch=2).step("let_time_pass")
    # C fetches from B. Nobody fetches from A, and no more time passes before it has resigned.
    story.fetch(C, B)
    with pytest.raises(StepError, match="silent"):
        story.step("let_time_pass")
    with pytest.raises(StepError, match="silent"):
        story.step("resign_unheard", leader=B)
    story.step("resign_unheard", leader=A).step("let_time_pass")
    assert (story.role(A), story.role(B), story.broken) == ("RESIGNED", "LEADER", set())


def test_before_3_7_it_went_on() -> None:
    story = Story("kafka_15489").elect(A, B, epoch=1).catch_up(B, A).elect(B, C, epoch=2)
    story.step("let_time_pass").step("let_time_pass")
    # A is still active, and answers whoever asks it with what B may have changed.
    story.write(A)
    assert (story.role(A), story.role(B), story.broken) == ("LEADER", "LEADER", {"old_leader_resigns"})


def test_of_five_voters_the_majority_need_not_be_there_at_once() -> None:
    story = Story("check_quorum", voters=5).elect(A, B, D, epoch=1).step("begin_quorum_epoch", leader=A, voter=C)
    story.fetch(C, A).fetch(B, A)
    # B fetches from A, and then votes for C. D, which does not know, fetches too, and A counts three: B, D and itself.
    story.fetch(B, A).elect(C, B, E, epoch=2)
    story.step("let_time_pass").fetch(D, A).fetch(B, C).fetch(E, C).step("let_time_pass")
    assert (story.role(A), story.role(C), story.state.led_for[C]) == ("LEADER", "LEADER", 2)
    with pytest.raises(StepError, match="silent"):
        story.step("let_time_pass")
    assert story.broken == set()


# --- message by message -----------------------------------------------------------------------------------------------


class Post(Story):
    """The same with every message in flight."""

    def __init__(self, profile: str, **constants: Any) -> None:
        super().__init__(profile, **{"messages": 6, **constants})

    def receive(self, kind: str, to: Voter, *, number: int = 0) -> Self:
        """The first message of a kind arrives, or the one with this number."""
        found = (candidate for candidate in self.state.network if candidate.kind.name == kind and candidate.to == to)
        message = next(candidate for candidate in found if number in (0, candidate.number))
        action = {"BEGIN_REQUEST": "begin_quorum_epoch", "END_REQUEST": "end_quorum_epoch", "FETCH_REQUEST": "fetch"}
        name = "fetch_response" if kind == "DIVERGING_RESPONSE" else action.get(kind, kind.lower())
        if message.epoch > self.state.election[to].epoch and kind != "FETCH_REQUEST":
            self.step("hear_of_epoch", message=message)
            if message not in self.state.network:
                return self
        parameter = "response" if kind.endswith("RESPONSE") else "request"
        return self.step(f"receive_{name}", **{parameter: message})

    def elect_by_post(self, candidate: Voter, voter: Voter, epoch: int) -> Self:
        """The candidate stands, and the voter's answer makes it the leader; the voter hears of it."""
        self.stand(candidate, epoch).step("send_vote_request", candidate=candidate, voter=voter)
        self.receive("VOTE_REQUEST", voter)
        self.receive("VOTE_RESPONSE", candidate)
        self.step("send_begin_quorum_epoch", leader=candidate, voter=voter)
        self.receive("BEGIN_REQUEST", voter)
        return self

    def ask(self, follower: Voter, leader: Voter) -> Self:
        self.step("send_fetch", follower=follower, leader=leader)
        return self


def test_a_record_is_committed_message_by_message() -> None:
    story = Post("kip595").elect_by_post(A, B, 1).ask(B, A)
    story.receive("FETCH_REQUEST", A)
    story.receive("FETCH_RESPONSE", B)
    assert (story.log(B), story.high_watermark(A)) == ("1", 0)
    story.ask(B, A).receive("FETCH_REQUEST", A)
    assert (story.high_watermark(A), story.high_watermark(B), story.committed_records()) == (1, 0, "1")
    story.receive("FETCH_RESPONSE", B)
    assert (story.high_watermark(B), story.broken) == (1, set())


def test_a_late_vote_is_counted_in_its_own_epoch_only() -> None:
    story = Post("kip595").stand(A, 1).step("send_vote_request", candidate=A, voter=B)
    story.receive("VOTE_REQUEST", B)
    # The vote is under way when A stands again. It elects nobody in epoch 2.
    story.stand(A, 2).receive("VOTE_RESPONSE", A)
    assert (story.role(A), len(story.state.election[A].votes), story.broken) == ("CANDIDATE", 1, set())


def test_an_old_answer_to_a_fetch_is_not_taken() -> None:
    # A has x and y of epoch 1, which nobody else has. C leads epoch 2.
    story = Post("kip595").elect_by_post(A, B, 1)
    for _ in range(2):
        story.ask(B, A).receive("FETCH_REQUEST", A)
        story.receive("FETCH_RESPONSE", B)
    story.write(A).step("send_begin_quorum_epoch", leader=A, voter=C).receive("BEGIN_REQUEST", C)
    story.ask(C, A).receive("FETCH_REQUEST", A)
    story.receive("FETCH_RESPONSE", C)
    story.elect_by_post(C, B, 2).step("send_begin_quorum_epoch", leader=C, voter=A)
    story.receive("BEGIN_REQUEST", A)
    # A's fetch is answered with where epoch 1 ended. The answer is late, and A asks again.
    story.ask(A, C).receive("FETCH_REQUEST", C)
    story.ask(A, C).receive("FETCH_REQUEST", C, number=2)
    story.receive("DIVERGING_RESPONSE", A, number=2)
    assert (story.log(A), story.log(C)) == ("1", "12")
    story.ask(A, C).receive("FETCH_REQUEST", C, number=2)
    story.receive("FETCH_RESPONSE", A, number=2)
    assert story.log(A) == "12"
    # The first answer comes at last. It is not what A waits for.
    story.receive("DIVERGING_RESPONSE", A, number=1)
    assert (story.log(A), story.broken) == ("12", set())


def test_one_that_resigned_hears_in_a_late_answer_that_it_leads() -> None:
    story = Post("illegal_state").elect_by_post(A, B, 1).restart(A)
    # B's answer to A's BeginQuorumEpoch, which names A, arrives when A has resigned (KRaft 3.2).
    story.receive("RESPONSE", A)
    assert (story.role(A), story.broken) == ("ILLEGAL", {"no_illegal_state"})
