"""KIP-848 as Kafka released it, as stories, and what was recorded of it. The steps are taken by the judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.language import replace
from tidegate.language.judge import holds, initial_states, replay, state_shape
from tidegate.language.steptext import StepError
from tidegate.language.values import Map, Set, State
from tidegate.model.modern_group.state import Commit, Consumer, Heartbeat, MemberState, Partition, Pending, Phase

from ...conftest import ROOT
from ...support.shipped import bind_shipped, gate_parameters
from ..test_counts import assert_as_recorded, bind_check

A, B = Consumer(0), Consumer(1)
P, Q = Partition(0), Partition(1)
CHECKS = read_record_file(ROOT / "spec" / "modern_group.toml").checks
BUDGETS = (
    "failovers",
    "pauses",
    "leaves",
    "changes",
    "losses",
    "delays",
    "late_commits",
    "retries",
    "commits",
    "records",
)


class Story:
    """Consumers A and B, partitions P and Q; nobody is a member yet."""

    def __init__(self, profile: str = "kafka_4_1", **constants: Any) -> None:
        budgets = {name: 2 for name in BUDGETS}
        self.model = bind_shipped(f"modern_group:{profile}", {**budgets, "max_epoch": 6, **constants}, called=profile)
        self.state: State = next(iter(initial_states(self.model)))

    def step(self, action: str, **arguments: Any) -> Story:
        """Takes one step; StepError when it is disabled."""
        self.state = replay(self.model, self.state, [(action, arguments)]).steps[-1].state_after
        return self

    def asks(self, member: Consumer, *owners: Consumer) -> Story:
        """The coordinator receives a heartbeat; with a new target, which `owners` says of P and Q."""
        if not owners:
            return self.step("receive_heartbeat", member=member)
        return self.step("receive_heartbeat_and_assign", member=member, owners=Map({P: owners[0], Q: owners[1]}))

    def beats(self, member: Consumer, *owners: Consumer) -> Story:
        """A heartbeat, which has records, and its answer."""
        return self.asks(member, *owners).step("log_commits").step("receive_answer", member=member)

    def reconciles(self, member: Consumer) -> Story:
        """A consumer revokes and takes on what it should."""
        return self.step("reconcile", member=member)

    def fetches(self, member: Consumer) -> Story:
        """A consumer learns the committed offsets of what it owns, and consumes it."""
        return self.step("fetch_offsets", member=member)

    def member(self, member: Consumer) -> tuple[int, int, MemberState, set[Partition], set[Partition]]:
        """A member's epoch, the one before, its state, what is assigned to it, and what it has yet to revoke."""
        known = self.state.log.members[member]
        assert known is not None
        return known.epoch, known.previous, known.state, set(known.assigned), set(known.revoking)

    def owned_partitions(self) -> tuple[set[Partition], ...]:
        """What A and B consume."""
        return tuple(set(self.state.owned[member]) for member in (A, B))

    def false(self) -> set[str]:
        """The invariants that are false now."""
        kinds = [prop for prop in self.model.properties if prop.kind == "invariant"]
        return {prop.name for prop in kinds if not holds(self.model, prop, self.state)}


def two_members(profile: str = "kafka_4_1", **constants: Any) -> Story:
    """A consumes P and Q; B has joined, and is to have Q."""
    return Story(profile, **constants).beats(A, A, A).reconciles(A).beats(B, A, B)


# --- stories ----------------------------------------------------------------------------------------------------------


def test_a_partition_moves_in_three_heartbeats() -> None:
    story = two_members()
    assert story.member(B) == (2, 0, MemberState.UNRELEASED_PARTITIONS, set(), set())
    story.beats(A)
    assert story.member(A) == (1, 1, MemberState.UNREVOKED_PARTITIONS, {P}, {Q})
    assert story.owned_partitions() == ({P, Q}, set())
    story.reconciles(A).beats(A)
    assert story.member(A) == (2, 1, MemberState.STABLE, {P}, set())
    story.beats(B).reconciles(B)
    assert (story.owned_partitions(), story.member(B)[2], story.false()) == (({P}, {Q}), MemberState.STABLE, set())


def test_a_lost_answer_is_no_reason_to_be_fenced() -> None:
    """The member comes with its previous epoch, and owns nothing but what is assigned to it."""
    story = Story().beats(A, A, A).reconciles(A)
    story.step("metadata_change", member=A, owners=Map({P: A, Q: A})).step("log_commits")
    story.step("lose_answer", member=A)
    assert (story.state.epoch[A], story.member(A)[:2]) == (1, (2, 1))
    story.asks(A).step("receive_answer", member=A)
    assert (story.state.epoch[A], story.state.owned[A]) == (2, Set({P, Q}))


def test_an_older_epoch_is_fenced_and_is_let_in_when_the_session_has_ended() -> None:
    """Epoch 0 is not the previous one: up to 4.1 a fenced member waits until its session ends."""
    story = Story().beats(A, A, A)
    ahead = replace(story.state.log.members[A], epoch=4, previous=3)
    log = replace(story.state.log, epoch=4, target_epoch=4, members=Map({A: ahead, B: None}))
    story.state = state_shape(story.model).replace(story.state, log=log)
    with pytest.raises(StepError):
        story.asks(A)
    story.reconciles(A).step("refuse_heartbeat", member=A)
    assert (story.state.phase[A], story.owned_partitions()[0]) == (Phase.JOINING, set())
    with pytest.raises(StepError):
        story.asks(A)
    story.step("session_times_out", member=A).step("log_commits").beats(A, A, A)
    assert story.state.epoch[A] == 6


def test_a_new_coordinator_goes_on_in_the_middle() -> None:
    story = two_members().beats(A).step("fail_over", survives=False)
    assert story.state.stale[0] is not None
    with pytest.raises(StepError):
        story.step("log_commits")
    story.step("load").step("find_coordinator", member=A).step("find_coordinator", member=B)
    assert story.state.stale[0] is None
    story.reconciles(A).beats(A).beats(B).reconciles(B)
    assert (story.owned_partitions(), story.false()) == (({P}, {Q}), set())


@pytest.mark.parametrize("survives", [True, False])
def test_a_batch_that_is_not_committed_may_go_with_its_coordinator(survives: bool) -> None:
    story = Story().asks(A, A, A).step("fail_over", survives=survives).step("load").step("find_coordinator", member=A)
    assert (story.state.log.members[A] is not None) == survives
    story = story.asks(A).step("receive_answer", member=A) if survives else story.beats(A, A, A)
    assert story.reconciles(A).owned_partitions()[0] == {P, Q}


def test_who_does_not_revoke_in_time_is_thrown_out_and_does_not_know() -> None:
    story = two_members().fetches(A).beats(A).step("pause", member=A).step("rebalance_times_out", member=A)
    story.step("log_commits").beats(B, B, B).reconciles(B).fetches(B)
    assert story.owned_partitions() == ({P, Q}, {P, Q})
    assert story.false() == {"one_owner_at_a_time"}
    story.step("resume", member=A).step("refuse_heartbeat", member=A)
    assert story.owned_partitions() == (set(), {P, Q})


def test_a_zombie_commits_in_vain() -> None:
    story = (
        two_members().fetches(A).beats(A).step("process", member=A, partition=P).step("commit", member=A, partition=P)
    )
    story.step("pause", member=A).step("session_times_out", member=A).step("log_commits")
    request = Commit(source=A, to=0, epoch=1, partition=P, offset=1)
    with pytest.raises(StepError):
        story.step("accept_commit", request=request)
    story.step("refuse_commit", request=request)
    assert story.state.confirmed[P] == 0


def test_a_static_member_leaves_for_a_while_and_another_takes_its_place() -> None:
    """The group's epoch stays, and so does the target."""
    story = Story(static_members=2).beats(A, A, A).reconciles(A)
    story.step("refuse_heartbeat", member=B)
    assert story.state.phase[B] == Phase.OUT
    story.step("leave", member=A, arrives=True).step("log_commits")
    assert story.member(A) == (-2, 0, MemberState.STABLE, {P, Q}, set())
    story.step("join", member=B).beats(B).reconciles(B)
    assert (story.owned_partitions(), story.state.log.epoch, story.state.log.members[A]) == ((set(), {P, Q}), 1, None)


def test_who_leaves_raises_the_epoch() -> None:
    story = two_members().step("leave", member=A, arrives=True).step("log_commits").beats(B, B, B).reconciles(B)
    assert (story.owned_partitions(), story.state.log.epoch, story.member(B)[:2]) == ((set(), {P, Q}), 3, (3, 2))


@pytest.mark.parametrize("profile", ["kafka_4_1", "target_reported"])
def test_what_a_consumer_is_about_to_take_on_is_not_in_its_heartbeat(profile: str) -> None:
    """A is to have P and Q, and has neither yet. A heartbeat says so, after which Q is B's; then A takes on both."""
    story = Story(profile).beats(A, A, A).beats(B, A, B).asks(A).step("log_commits").step("lose_answer", member=A)
    story.asks(A)
    if story.state.pending is not None:
        story.step("log_commits")
    story.beats(B) if profile == "kafka_4_1" else story.reconciles(A)
    story.reconciles(A).reconciles(B) if profile == "kafka_4_1" else story
    both = profile == "kafka_4_1"
    assert story.owned_partitions() == (({P, Q}, {Q}) if both else ({P, Q}, set()))
    assert ("no_double_client_assignment" in story.false()) == both


def test_who_owns_what_another_has_learns_no_offset_until_it_hears_of_its_epoch() -> None:
    """As `tests/integration/test_groups_on_brokers.py` sees it: A takes on P and Q by an old answer, and Q is B's."""
    story = Story().beats(A, A, A).beats(B, A, B).asks(A).step("log_commits").step("lose_answer", member=A)
    story.asks(A).step("log_commits").beats(B).reconciles(A).reconciles(B).fetches(B)
    assert story.owned_partitions() == ({P, Q}, {Q})
    with pytest.raises(StepError):
        story.fetches(A)
    assert "no_double_consumption" not in story.false()
    # With the answer it has its epoch, and asks again before it revokes.
    story.step("receive_answer", member=A).fetches(A)
    assert "no_double_consumption" in story.false()
    story.reconciles(A)
    assert "no_double_consumption" not in story.false()


@pytest.mark.parametrize("committed", [True, False])
def test_a_connection_is_lost_while_a_heartbeat_is_written(committed: bool) -> None:
    """Its sender says all in the next one, whether its records are committed by then or not."""
    story = Story().asks(A, A, A)
    story = story.step("log_commits") if committed else story
    story.step("lose_answer", member=A)
    story = story if committed else story.step("log_commits")
    story.asks(A).step("receive_answer", member=A).reconciles(A)
    assert (story.owned_partitions()[0], story.state.epoch[A]) == ({P, Q}, 1)


def test_a_heartbeat_that_is_late_is_taken_for_a_revocation() -> None:
    """It says that its sender owns nothing, which was so when it was sent."""
    story = Story("target_reported").step("delay_heartbeat", member=A).beats(A, A, A).reconciles(A).beats(B, A, B)
    story.step("receive_late_heartbeat").step("log_commits").beats(B).reconciles(B)
    assert "no_double_client_assignment" in story.false()


# --- properties that no profile violates can fail ---------------------------------------------------------------------


def test_two_members_of_one_partition_take_its_offset_back() -> None:
    """Both have their epoch, so that both commits are accepted: 2, then 1. Nothing that was confirmed is forgotten."""
    story = Story("kafka_4_1").beats(A, A, A).reconciles(A).beats(B, A, B)
    both = Map({A: Set({P}), B: Set({P})})
    story.state = state_shape(story.model).replace(story.state, owned=both, placed=both)
    goes_back = next(prop for prop in story.model.properties if prop.name == "commits_never_go_back")
    for member, times in ((A, 2), (B, 1)):
        for _ in range(times):
            story.step("process", member=member, partition=P)
        story.step("commit", member=member, partition=P)
        (request,) = story.state.commits
        story.step("accept_commit", request=request)
        assert "offset_durable" not in story.false()
        before = story.state
        story.step("log_commits")
        assert holds(story.model, goes_back, before, story.state) is (member == A)
        assert "offset_durable" not in story.false()


def commits_late(profile: str) -> Story:
    """A has processed a record, and its commit of it is late."""
    story = Story(profile).beats(A, A, A).reconciles(A).fetches(A).step("process", member=A, partition=P)
    story.step("commit", member=A, partition=P)
    (request,) = story.state.commits
    return story.step("delay_commit", request=request)


def test_a_late_commit_takes_back_what_its_sender_has_committed_since() -> None:
    story = commits_late("kafka_4_1").step("process", member=A, partition=P).step("commit", member=A, partition=P)
    (request,) = story.state.commits
    story.step("accept_commit", request=request).step("log_commits").step("accept_late_commit")
    before = story.state
    (goes_back,) = (prop for prop in story.model.properties if prop.name == "commits_never_go_back")
    assert not holds(story.model, goes_back, before, story.step("log_commits").state)
    assert "offset_durable" not in story.false()


def test_a_late_commit_is_refused_once_its_sender_has_another_epoch() -> None:
    story = commits_late("kafka_4_1").beats(B, A, B).beats(A).reconciles(A).beats(A)
    with pytest.raises(StepError, match="is_accepted"):
        story.step("accept_late_commit")
    assert story.step("lose_late_commit").state.late_commit is None


def test_a_commit_that_is_sent_again_has_the_epoch_of_then_and_takes_back_what_the_new_owner_has_committed() -> None:
    story = Story("target_reported").beats(A, A, A).reconciles(A).fetches(A).step("process", member=A, partition=P)
    story.step("commit", member=A, partition=P)
    (first,) = story.state.commits
    # It fails. Meanwhile P is revoked, and B's, who processes more, and commits that.
    story.beats(B, B, A).beats(A).reconciles(A).beats(A).beats(B).reconciles(B).fetches(B)
    for _ in range(2):
        story.step("process", member=B, partition=P)
    story.step("commit", member=B, partition=P)
    (second,) = story.state.commits - Set({first})
    story.step("accept_commit", request=second).step("log_commits")
    with pytest.raises(StepError, match="is_accepted"):
        story.step("accept_commit", request=first)
    story.step("retry_commit", request=first)
    (again,) = story.state.commits
    before = story.step("accept_commit", request=again).state
    (goes_back,) = (prop for prop in story.model.properties if prop.name == "commits_never_go_back")
    assert not holds(story.model, goes_back, before, story.step("log_commits").state)


def test_a_new_coordinator_that_has_forgotten_an_offset_goes_back() -> None:
    story = Story("offsets_lost").beats(A, A, A).reconciles(A).fetches(A).step("process", member=A, partition=P)
    story.step("commit", member=A, partition=P)
    (request,) = story.state.commits
    story.step("accept_commit", request=request).step("log_commits").step("lose_records")
    before = story.step("load").state
    names = [prop for prop in story.model.properties if prop.name == "commits_never_go_back"]
    assert not holds(story.model, names[0], before, before) and "offset_durable" in story.false()


def test_properties_that_no_profile_violates_can_fail() -> None:
    """In states that no run leads to, and in steps that no action takes."""
    story = two_members()
    shape, state = state_shape(story.model), story.state
    one = state.log.members[A]
    assert one is not None

    def with_log(**fields: Any) -> State:
        return shape.replace(state, log=replace(state.log, **fields))

    settled = replace(one, epoch=2, revoking=Set({Q}))
    other = replace(state.log.members[B], state=MemberState.STABLE)
    for name, broken in (
        ("valid_member_epoch", shape.replace(state, epoch=Map({A: 2, B: 2}))),
        ("valid_stable_group_state", with_log(members=Map({A: settled, B: other}))),
        ("legal_target_assignment", with_log(target=Map({A: Set(), B: Set()}))),
    ):
        story.state = broken
        assert name in story.false(), name
    older = with_log(members=Map({A: replace(one, epoch=0), B: other}))
    lower = with_log(epoch=1)
    fallen = shape.replace(state, epoch=Map({A: 1, B: 1}))
    for name, after in (
        ("gc_side_member_epoch_is_monotonic", older),
        ("group_epoch_is_monotonic", lower),
        ("client_side_member_epoch_is_monotonic", fallen),
    ):
        prop = next(prop for prop in story.model.properties if prop.name == name)
        assert holds(story.model, prop, state, state), name
        assert not holds(story.model, prop, state, after), name


def test_a_picture_draws_what_is_under_way() -> None:
    """Values that pages show are those of the model's records."""
    story = Story().step("delay_heartbeat", member=A).asks(B, B, B)
    assert isinstance(story.state.late, Heartbeat) and isinstance(story.state.pending, Pending)


# --- what is recorded -------------------------------------------------------------------------------------------------


def check_name(check: CheckRecord) -> str:
    return f"{check.profile} {check.bounds} {' '.join(check.properties) if len(check.properties) < 3 else 'rest'}"


def is_small(check: CheckRecord) -> bool:
    return check.profile in ("kafka_4_1", "target_reported") and check.bounds in ("lost_answer", "late")


@pytest.mark.parametrize("check", gate_parameters([c for c in CHECKS if c.tier == "commit"], is_small, check_name))
def test_what_is_recorded_comes_out(check: CheckRecord, cache: Path) -> None:
    assert_as_recorded(check, ENGINES["native"](bind_check(check), Search(symmetry=check.symmetry, cache=cache), None))
