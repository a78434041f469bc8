"""The classic group protocol as stories, and what was recorded of it. The steps are taken by the judge."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language import replace
from tidegate.language.judge import holds, initial_states, replay, state_shape
from tidegate.language.steptext import StepError
from tidegate.language.values import Map, Set, State
from tidegate.model.classic_group.state import Commit, Consumer, GroupState, Partition, Phase

from ...conftest import ROOT
from ...support.shipped import bind_shipped, gate_parameters
from ..test_counts import assert_as_recorded, bind_check

A, B = Consumer(0), Consumer(1)
P, Q = Partition(0), Partition(1)
CHECKS = read_record_file(ROOT / "spec" / "classic_group.toml").checks


class Story:
    """Consumers A and B, partitions P and Q, which are in no group yet."""

    def __init__(self, profile: str = "eager", **constants: Any) -> None:
        sizes = {"max_generation": 4, "entries": 6, "commits": 2, "pauses": 2, "leaves": 1, "expiries": 1, "records": 2}
        self.model = bind_shipped(f"classic_group:{profile}", {**sizes, **constants}, called=profile)
        self.state: State = next(iter(initial_states(self.model)))

    def step(self, action: str, **arguments: Any) -> Story:
        """Takes one step; StepError when it is disabled."""
        self.state = replay(self.model, self.state, [(action, arguments)]).steps[-1].state_after
        return self

    def each(self, action: str, *members: Consumer) -> Story:
        """One step of each."""
        for member in members:
            self.step(action, member=member)
        return self

    def join(self, *members: Consumer) -> Story:
        """They join for the first time, and the coordinator hears of it."""
        return self.each("join", *members).each("receive_join", *members)

    def rejoin(self, *members: Consumer) -> Story:
        """They hear of a rebalance, and join again."""
        return self.each("hear_of_rebalance", *members).each("receive_join", *members)

    def begin(self, leader: Consumer, *others: Consumer) -> Story:
        """A generation begins, and its members hear of it."""
        return self.step("begin_generation", coordinator=self.state.newest, leader=leader).each(
            "take_join_answer", leader, *others
        )

    def assign(self, leader: Consumer, p: Consumer, q: Consumer) -> Story:
        """The leader assigns P and Q, and that is committed."""
        self.step("assign", member=leader, target=Map({P: p, Q: q}))
        return self.step("log_commits", entry=self.state.pending)

    def sync(self, *members: Consumer) -> Story:
        """They learn what is assigned to them."""
        return self.each("answer_sync", *members).each("take_assignment", *members)

    def both(self) -> Story:
        """Both are members: A has P, B has Q."""
        return self.join(A, B).begin(A, B).assign(A, A, B).sync(A, B)

    def commit(self, member: Consumer, partition: Partition) -> Commit:
        """A member commits how far it has come."""
        self.step("commit", member=member, partition=partition)
        (only,) = self.state.commits
        return only

    def expires(self, partition: Partition) -> Story:
        """The retention of an offset ends, and it expires."""
        return self.step("retention_ends", partition=partition).step("offset_expires", partition=partition)

    def false(self) -> set[str]:
        """The invariants that are false now."""
        return {p.name for p in self.model.properties if p.kind == "invariant" and not holds(self.model, p, self.state)}


def owned_partitions(story: Story) -> tuple[set[Any], ...]:
    return tuple(set(story.state.owned[member]) for member in (A, B))


# --- a rebalance ------------------------------------------------------------------------------------------------------


def test_the_leader_computes_the_assignment_and_the_coordinator_passes_it_on() -> None:
    story = Story().join(A, B).begin(B, A)
    assert story.state.groups[0].state == GroupState.COMPLETING_REBALANCE
    with pytest.raises(StepError, match="leader"):
        story.step("assign", member=A, target=Map({P: A, Q: B}))
    story.assign(B, A, B).sync(A, B)
    assert (owned_partitions(story), story.state.groups[0].state) == (({P}, {Q}), GroupState.STABLE)
    assert story.false() == set()


def test_an_assignment_counts_once_it_is_committed() -> None:
    story = Story().join(A).begin(A).step("assign", member=A, target=Map({P: A, Q: A}))
    with pytest.raises(StepError, match="STABLE"):
        story.step("answer_sync", member=A)
    story.step("log_commits", entry=0).step("answer_sync", member=A)


def test_eager_members_revoke_all_before_they_join_again() -> None:
    story = Story().join(A).begin(A).assign(A, A, A).sync(A).join(B)
    assert owned_partitions(story.step("hear_of_rebalance", member=A)) == (set(), set())


def test_cooperative_members_go_on_and_it_takes_two_rebalances_to_move_a_partition() -> None:
    story = Story("cooperative").join(A).begin(A).assign(A, A, A).sync(A).join(B).rejoin(A)
    story.begin(A, B).assign(A, A, B)
    assert (owned_partitions(story)[0], story.state.groups[0].assignment[B]) == ({P, Q}, Set())
    # A learns that it has to give Q up, and joins again; then Q is B's.
    story.sync(A, B)
    assert (owned_partitions(story), story.state.phase[A]) == (({P}, set()), Phase.JOINING)
    story.each("receive_join", A).rejoin(B).begin(A, B).assign(A, A, B).sync(A, B)
    assert owned_partitions(story) == ({P}, {Q})


def test_a_member_joins_while_the_assignment_is_computed_and_all_join_again() -> None:
    story = Story().join(A).begin(A).join(B)
    story.step("refuse_sync", member=A).step("receive_join", member=A).begin(A, B)
    assert (story.state.generation[A], story.state.generation[B]) == (2, 2)


def test_a_member_leaves_and_the_group_is_empty() -> None:
    story = Story().join(A).begin(A).assign(A, A, A).sync(A).step("leave", member=A).step("group_is_empty")
    assert (story.state.groups[0].state, story.state.groups[0].generation) == (GroupState.EMPTY, 2)


# --- members that pause -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("timeout", ["session_times_out", "poll_times_out", "rebalance_times_out"])
def test_a_member_that_pauses_is_thrown_out_and_goes_on_as_a_zombie(timeout: str) -> None:
    story = Story().both().step("pause", member=A)
    if timeout == "rebalance_times_out":
        story.step("leave", member=B).step(timeout, coordinator=0).join(B)
    else:
        arguments: dict[str, Any] = {} if timeout == "poll_times_out" else {"coordinator": 0}
        story.step(timeout, member=A, **arguments).rejoin(B)
    story.begin(B).assign(B, B, B).sync(B)
    overlaps = timeout != "poll_times_out"  # whose heartbeat thread knows that it has left
    assert owned_partitions(story) == ({P}, {P, Q})
    assert story.false() == ({"one_owner_at_a_time"} if overlaps else set[str]())
    story.step("resume", member=A)
    if overlaps:
        story.step("hear_of_loss", member=A)
    assert (owned_partitions(story)[0], story.state.phase[A], story.false()) == (set(), Phase.OUT, set())


@pytest.mark.parametrize("profile", ["cooperative", "kafka_12983"])
def test_a_member_that_loses_its_id_while_it_runs_forgets_what_it_owned(profile: str) -> None:
    """KAFKA-12983 is about members that are in a rebalance already: others forgot in 2.8.0, too."""
    for timeout in ("session_times_out", "poll_times_out"):
        story = Story(profile).both().step("pause", member=A)
        arguments: dict[str, Any] = {} if timeout == "poll_times_out" else {"coordinator": 0}
        story.step(timeout, member=A, **arguments).step("resume", member=A)
        if timeout == "session_times_out":
            story.step("hear_of_loss", member=A)
        assert (owned_partitions(story)[0], story.state.phase[A]) == (set(), Phase.OUT)


def test_a_member_that_loses_its_id_in_a_rebalance_forgets_what_it_owned_since_kafka_12983() -> None:
    for profile, kept in (("cooperative", set[Any]()), ("kafka_12983", {P})):
        story = Story(profile).both().step("leave", member=B).step("hear_of_rebalance", member=A)
        story.step("pause", member=A).step("session_times_out", coordinator=0, member=A)
        story.step("resume", member=A).step("refuse_join", member=A)
        assert owned_partitions(story)[0] == kept, profile


def test_a_zombies_commit_is_refused() -> None:
    for profile in ("eager", "unfenced_commits"):
        story = Story(profile).both().step("process", member=A, partition=P)
        late = story.commit(A, P)
        story.step("pause", member=A).step("session_times_out", coordinator=0, member=A).rejoin(B)
        if profile == "eager":
            with pytest.raises(StepError, match="is_accepted"):
                story.step("accept_commit", commit=late)
            story.step("refuse_commit", commit=late)
        else:
            story.step("accept_commit", commit=late)


@pytest.mark.parametrize("profile", ["eager", "unfenced_commits"])
def test_a_commit_arrives_at_the_coordinator_to_which_it_was_sent(profile: str) -> None:
    """Though its sender has found the next one by then, which would accept it."""
    story = Story(profile).both().step("process", member=A, partition=P)
    late = story.commit(A, P)
    story.step("fail_over", survives=False).step("load").step("resign", coordinator=0)
    story.step("find_coordinator", member=A)
    with pytest.raises(StepError, match="is_accepted"):
        story.step("accept_commit", commit=late)
    story.step("refuse_commit", commit=late)
    story.step("accept_commit", commit=story.commit(A, P)).step("log_commits", entry=1)
    assert story.state.groups[1].offsets[P] == 1


def test_a_commit_while_others_join_counts_and_while_the_leader_computes_does_not() -> None:
    story = Story().both().step("process", member=A, partition=P)
    late = story.commit(A, P)
    story.step("leave", member=B)
    before = story.state
    story.step("accept_commit", commit=late).step("log_commits", entry=1)
    assert story.state.groups[0].offsets[P] == 1
    story.state = before
    story.rejoin(A).step("begin_generation", coordinator=0, leader=A)
    with pytest.raises(StepError, match="is_accepted"):
        story.step("accept_commit", commit=late)


# --- a coordinator that fails over ------------------------------------------------------------------------------------


def test_the_next_coordinator_loads_the_group_and_its_offsets() -> None:
    story = Story().both().step("process", member=A, partition=P)
    story.step("accept_commit", commit=story.commit(A, P)).step("log_commits", entry=1)
    story.step("fail_over", survives=False).step("load").step("resign", coordinator=0)
    assert (story.state.groups[1].members, story.state.groups[1].offsets[P]) == (Set({A, B}), 1)
    # Nobody has to join again.
    story.each("find_coordinator", A, B)
    with pytest.raises(StepError):
        story.step("hear_of_loss", member=A)


@pytest.mark.parametrize("survives", [False, True])
def test_an_append_under_way_survives_or_does_not(survives: bool) -> None:
    story = Story().both().step("process", member=A, partition=P)
    story.step("accept_commit", commit=story.commit(A, P)).step("fail_over", survives=survives).step("load")
    assert (story.state.groups[1].offsets[P], story.false()) == (int(survives), set())


def test_a_rebalance_that_a_fail_over_interrupts_is_begun_again() -> None:
    story = Story().both().step("leave", member=B).rejoin(A).begin(A)
    story.step("fail_over", survives=False).step("load")
    with pytest.raises(StepError, match="newest"):
        story.step("assign", member=A, target=Map({P: A, Q: A}))
    # The new one knows the generation before, of which both are members.
    story.step("resign", coordinator=0).step("find_coordinator", member=A).step("receive_join", member=A)
    story.step("rebalance_times_out", coordinator=1).begin(A).assign(A, A, A).sync(A)
    assert (owned_partitions(story)[0], story.state.generation[A]) == ({P, Q}, 2)


def test_a_zombie_coordinator_answers_and_appends_nothing() -> None:
    for profile in ("eager", "unfenced_appends"):
        story = Story(profile).join(A, B).step("fail_over", survives=False)
        story.step("begin_generation", coordinator=0, leader=A).each("take_join_answer", A, B)
        if profile == "eager":
            with pytest.raises(StepError, match="newest"):
                story.step("assign", member=A, target=Map({P: A, Q: B}))
        else:
            story.assign(A, A, B).sync(A, B)
            assert owned_partitions(story) == ({P}, {Q})


def test_claims_of_a_generation_that_a_fail_over_undid_count() -> None:
    """A learns generation 2 of a coordinator that cannot complete it: what A owns of generation 1 is still its own."""
    story = Story("cooperative").join(A).begin(A).assign(A, A, A).sync(A).join(B).rejoin(A).begin(A, B)
    story.step("fail_over", survives=False).step("load").step("resign", coordinator=0)
    story.each("find_coordinator", A, B).step("receive_join", member=A).step("refuse_join", member=B)
    story.join(B).begin(A, B).assign(A, A, B).sync(B)
    assert (owned_partitions(story), story.false()) == (({P, Q}, set()), set())


@pytest.mark.parametrize("profile", ["eager", "kafka_13636"])
def test_no_offset_expires_while_members_rebalance_that_had_a_generation(profile: str) -> None:
    """Its members subscribe to the topic since that generation, in Kafka before KAFKA-13636, too."""
    story = Story(profile).both().step("process", member=A, partition=P)
    story.step("accept_commit", commit=story.commit(A, P)).step("log_commits", entry=1).step("leave", member=B)
    with pytest.raises(StepError, match="may_expire"):
        story.step("offset_expires", partition=P)


def test_no_offset_expires_once_a_member_joins_an_empty_group_since_kafka_13636() -> None:
    for profile in ("eager", "kafka_13636"):
        story = Story(profile).join(A).begin(A).assign(A, A, A).sync(A).step("process", member=A, partition=P)
        story.step("accept_commit", commit=story.commit(A, P)).step("log_commits", entry=1).step("leave", member=A)
        story.step("group_is_empty").step("log_commits", entry=2).join(B)
        joining = story.state
        if profile == "kafka_13636":
            story.expires(P).step("log_commits", entry=3)
            assert story.state.groups[0].offsets[P] == 0
        story.state = joining
        if profile == "kafka_13636":
            story.begin(B)
        with pytest.raises(StepError, match="may_expire"):
            story.step("offset_expires", partition=P)


def test_offsets_expire_of_an_empty_group() -> None:
    story = Story().both().step("process", member=A, partition=P)
    story.step("accept_commit", commit=story.commit(A, P)).step("log_commits", entry=1).step("leave", member=B)
    story.step("pause", member=A).step("session_times_out", coordinator=0, member=A).step("group_is_empty")
    story.step("log_commits", entry=2).expires(P).step("log_commits", entry=3)
    assert (story.state.groups[0].offsets[P], story.false()) == (0, set())


@pytest.mark.parametrize("profile", ["eager", "kafka_9752"])
def test_a_new_member_that_is_gone_after_its_rebalance_is_thrown_out_since_kafka_9752(profile: str) -> None:
    """What it is thrown out by is the timeout of its session; who has sent a SyncGroup has one in any case."""
    story = Story(profile).join(A).step("begin_generation", coordinator=0, leader=A).step("pause", member=A)
    if profile == "kafka_9752":
        with pytest.raises(StepError, match="watch_new_members"):
            story.step("session_times_out", coordinator=0, member=A)
        story.step("resume", member=A).step("take_join_answer", member=A).step("pause", member=A)
    story.step("session_times_out", coordinator=0, member=A)
    assert len(story.state.groups[0].members) == 0


@pytest.mark.parametrize("profile", ["eager", "kafka_8069"])
def test_an_offset_that_was_loaded_expires_at_once_in_kafka_8069(profile: str) -> None:
    """The new coordinator's own offset does not."""
    story = Story(profile).join(A).begin(A).assign(A, A, A).sync(A).step("process", member=A, partition=P)
    story.step("accept_commit", commit=story.commit(A, P)).step("log_commits", entry=1)
    story.step("leave", member=A).step("group_is_empty").step("log_commits", entry=2)
    with pytest.raises(StepError):
        story.step("offset_expires", partition=P)
    story.step("fail_over", survives=False).step("load")
    before = story.state
    prop = next(p for p in story.model.properties if p.name == "offsets_kept_for_their_retention")
    if profile == "eager":
        with pytest.raises(StepError):
            story.step("offset_expires", partition=P)
        story.step("retention_ends", partition=P)
        before = story.state
    story.step("offset_expires", partition=P)
    assert holds(story.model, prop, before, story.state) is (profile == "eager")


def test_a_log_that_loses_what_it_acknowledged_loses_the_groups_offsets() -> None:
    """What "deleting the logs" of `__consumer_offsets` does, and a lost disk under one replica."""
    story = Story("offsets_lost").both().step("process", member=A, partition=P)
    story.step("accept_commit", commit=story.commit(A, P)).step("log_commits", entry=1)
    story.step("fail_over", survives=False).step("lose_records", gone=Set({0, 1})).step("load")
    assert story.state.groups[1].state == GroupState.DEAD
    assert story.false() == {"offset_durable"}


@pytest.mark.parametrize("profile", ["eager", "kafka_3_9_load"])
def test_a_coordinator_that_fails_to_load_answers_as_if_there_were_no_group_up_to_3_9(profile: str) -> None:
    """With the fence it answers nobody, and the offset is there when the log is loaded."""
    story = Story(profile, failed_loads=1).both().step("process", member=A, partition=P)
    story.step("accept_commit", commit=story.commit(A, P)).step("log_commits", entry=1).step(
        "fail_over", survives=False
    )
    if profile == "eager":
        with pytest.raises(StepError, match="await_load"):
            story.step("load_fails")
        story.step("load")
        assert (story.state.groups[1].offsets[P], story.false()) == (1, set())
    else:
        story.step("load_fails")
        assert (story.state.groups[1].state, story.false()) == (GroupState.DEAD, {"offset_durable"})


# --- requests that are late -------------------------------------------------------------------------------------------


def test_a_late_join_counts_while_its_sender_consumes() -> None:
    story = Story(delays=1).join(A).begin(A).assign(A, A, A).sync(A).join(B).step("hear_of_rebalance", member=A)
    story.step("delay_join", member=A).each("receive_join", A).begin(A, B).assign(A, A, B).sync(A, B)
    story.step("receive_late_join")
    group = story.state.groups[0]
    assert (group.state, group.joined, group.given_up) == (GroupState.PREPARING_REBALANCE, Set({A}), Set({A}))
    # B joins; the generation begins without an answer to A, which still consumes and learns of its loss by a heartbeat.
    story.rejoin(B).step("begin_generation", coordinator=0, leader=A)
    assert (story.state.answers[A], story.state.phase[A], owned_partitions(story)[0]) == (None, Phase.RUNNING, {P})
    assert story.step("hear_of_loss", member=A).false() == set()


def test_a_late_join_of_who_is_no_leader_changes_nothing_in_a_stable_group_of_eager_members() -> None:
    story = Story(delays=1).join(A).begin(A).assign(A, A, A).sync(A).join(B).rejoin(A).begin(A, B).assign(A, A, B)
    story.sync(A, B).step("pause", member=A).step("session_times_out", coordinator=0, member=A)
    story.step("hear_of_rebalance", member=B).step("delay_join", member=B).each("receive_join", B).begin(B)
    with pytest.raises(StepError, match="is_news"):
        story.step("receive_late_join")
    story.assign(B, B, B).sync(B).step("receive_late_join")  # B is the leader by now


def test_the_senders_next_join_takes_the_place_of_the_late_one() -> None:
    story = Story("cooperative", delays=1).join(A).begin(A).assign(A, A, A).sync(A).join(B)
    story.step("hear_of_rebalance", member=A).step("delay_join", member=A).step("receive_late_join")
    assert story.state.groups[0].given_up == Set({A})
    story.each("receive_join", A).begin(A, B)
    assert (story.state.groups[0].given_up, story.state.phase[A]) == (Set(), Phase.SYNCING)


def test_a_late_assignment_counts_in_its_generation_alone() -> None:
    story = Story(delays=1).join(A).begin(A).step("delay_sync", member=A)
    before = story.state
    story.step("receive_late_sync", target=Map({P: A, Q: A})).step("log_commits", entry=0)
    assert (story.state.groups[0].state, story.state.phase[A]) == (GroupState.STABLE, Phase.JOINING)
    story.state = before
    story.each("receive_join", A).begin(A)
    with pytest.raises(StepError, match="counts"):
        story.step("receive_late_sync", target=Map({P: A, Q: A}))
    story.step("lose_late_request").assign(A, A, A).sync(A)


def test_a_late_commit_takes_back_what_its_sender_has_committed_since() -> None:
    story = Story(delays=1).join(A).begin(A).assign(A, A, A).sync(A).step("process", member=A, partition=P)
    story.step("delay_commit", commit=story.commit(A, P)).step("process", member=A, partition=P)
    story.step("accept_commit", commit=story.commit(A, P)).step("log_commits", entry=1)
    assert (story.state.groups[0].offsets[P], story.state.confirmed[P]) == (2, 2)
    story.step("accept_late_commit").step("log_commits", entry=2)
    assert (story.state.groups[0].offsets[P], story.state.confirmed[P], story.state.late_commit) == (1, 1, None)


def test_a_late_commit_of_another_generation_is_refused() -> None:
    for profile, refused in (("eager", True), ("unfenced_commits", False)):
        story = Story(profile, delays=1).both().step("process", member=A, partition=P)
        story.step("delay_commit", commit=story.commit(A, P)).step("pause", member=A)
        story.step("session_times_out", coordinator=0, member=A)
        if refused:
            with pytest.raises(StepError, match="is_accepted"):
                story.step("accept_late_commit")
            story.step("lose_late_commit")
        else:
            before, after = story.state, story.step("accept_late_commit").state
            (fence,) = [prop for prop in story.model.properties if prop.name == "generation_fencing"]
            assert not holds(story.model, fence, before, after)


# --- properties that no profile violates can fail ---------------------------------------------------------------------


def test_properties_that_no_profile_violates_can_fail() -> None:
    """In states that no run leads to, and in steps that no action takes."""
    story = Story().both()
    replaced, state = state_shape(story.model).replace, story.state
    group = state.groups[0]
    for owned_by_a in (Set({P, Q}), Set[Partition]()):  # more than was assigned, and less
        story.state = replaced(state, owned=Map({A: owned_by_a, B: Set({Q})}))
        assert "valid_stable_state" in story.false()
    ahead = replaced(state, generation=Map({A: 2, B: 1}))
    story.state = ahead
    assert "valid_stable_state" in story.false()
    older = replaced(state, groups=Map({0: replace(group, generation=0), 1: state.groups[1]}))
    begun = replace(group, state=GroupState.COMPLETING_REBALANCE, leader=None)
    story.state = replaced(state, groups=Map({0: begun, 1: state.groups[1]}))
    assert story.false() == {"rebalance_has_a_leader"}
    steps = (
        ("generations_never_go_back", state, older),
        ("client_generation_is_monotone", ahead, state),
    )
    for name, before, after in steps:
        prop = next(prop for prop in story.model.properties if prop.name == name)
        assert holds(story.model, prop, before, before), name
        assert not holds(story.model, prop, before, after), name


# --- what is recorded -------------------------------------------------------------------------------------------------


def check_name(check: CheckRecord) -> str:
    return f"{check.profile} {check.bounds} {' '.join(check.properties) if len(check.properties) < 3 else 'rest'}"


def is_quick(check: CheckRecord) -> bool:
    """Whether it takes about a second."""
    return check.profile in ("offsets_lost", "kafka_12984")


@pytest.mark.parametrize(
    "check", gate_parameters([check for check in CHECKS if check.tier == "commit"], is_quick, check_name)
)
def test_what_is_recorded_comes_out(check: CheckRecord, cache: Path) -> None:
    assert_as_recorded(check, ENGINES["native"](bind_check(check), Search(symmetry=check.symmetry, cache=cache), None))


def test_every_fence_has_a_profile_without_it_and_what_then_fails() -> None:
    definition = find("classic_group")[0]
    checks = (*CHECKS, *read_record_file(ROOT / "spec" / "classic_group_live.toml").checks)
    fails = {check.profile for check in checks if any(it.verdict == "violated" for it in check.properties.values())}
    assert fails == set(definition.profiles) - {"kafka_2_4"}
    switched = {name for values in definition.profiles.values() for name, value in values.items() if value is False}
    assert switched == {name for name, value in bind_shipped("classic_group").values.items() if value is True}


def test_a_member_that_commits_at_once_does_not_process_alone() -> None:
    story = Story(commit_at_once=True).both()
    with pytest.raises(StepError, match="commit_at_once"):
        story.step("process", member=A, partition=P)
    late = story.commit(A, P)
    assert (late.offset, story.state.position[A][P], story.state.done[P]) == (1, 1, 1)


def test_who_commits_before_it_processes_leaves_a_record_that_nobody_processes() -> None:
    for profile, false in (("eager", set[str]()), ("commit_before_process", {"nothing_skipped"})):
        story = Story(profile).both()
        if profile == "eager":
            story.step("process", member=A, partition=P)
        story.step("accept_commit", commit=story.commit(A, P)).step("log_commits", entry=1)
        story.step("pause", member=A).step("session_times_out", coordinator=0, member=A).rejoin(B)
        story.begin(B).assign(B, B, B).sync(B)
        assert (story.state.position[B][P], story.false() - {"one_owner_at_a_time"}) == (1, false), profile


def test_every_mutant_of_the_catalogue_turns_its_property_red() -> None:
    """What a catalogue of mutants leaves out of groups: the fence of generations, and the order of commits."""
    red = {
        (check.profile, name) for check in CHECKS for name, it in check.properties.items() if it.verdict == "violated"
    }
    mutants = {
        ("unfenced_commits", "generation_fencing"),
        ("unfenced_commits", "commits_never_go_back"),
        ("kafka_5600", "commits_never_go_back"),  # over a fail-over
        ("offsets_lost", "commits_never_go_back"),
        ("commit_before_process", "nothing_skipped"),
    }
    assert mutants <= red


ONE_PARTITION = {"consumers": 2, "partitions": 1, "max_generation": 3, "records": 2, "pauses": 1, "failovers": 0}
ONE_MEMBER = {"consumers": 1, "partitions": 1, "max_generation": 2, "records": 2, "pauses": 0, "failovers": 1}


@pytest.mark.long
@pytest.mark.parametrize(
    ("profile", "name", "values", "commits", "steps"),
    [
        ("unfenced_commits", "generation_fencing", ONE_PARTITION, 2, 12),
        ("unfenced_commits", "commits_never_go_back", ONE_PARTITION, 2, None),  # A commits 1, and B 2 at once, without
        ("unfenced_commits", "commits_never_go_back", ONE_PARTITION, 3, 27),
        ("offsets_lost", "offset_durable", ONE_MEMBER, 2, 14),
        ("kafka_5600", "offset_durable", ONE_MEMBER, 2, 13),
        ("kafka_5600", "commits_never_go_back", ONE_MEMBER, 2, 13),
    ],
)
def test_with_commit_at_once_a_record_is_a_commit(
    profile: str, name: str, values: dict[str, int], commits: int, steps: int | None, cache: Path
) -> None:
    """What fails without it fails with it; where a member commits two records at once that takes one commit more."""
    given = {**values, "commits": commits, "entries": commits + 3, "leaves": 0, "expiries": 0, "commit_at_once": True}
    model = find("classic_group")[0].bind("at_once", given, profile, properties=[name])
    (found,) = ENGINES["native"](model, Search(symmetry=True, cache=cache), None).properties
    assert (found.verdict, found.run and len(found.run.steps)) == ("holds" if steps is None else "violated", steps)


def test_plain_python_counts_the_same(cache: Path) -> None:
    small = {"partitions": 1, "max_generation": 1, "records": 0, "commits": 0, "failovers": 0, "entries": 1}
    model = find("classic_group")[0].bind("small", small, "cooperative", properties=["no_double_client_assignment"])
    search = Search(symmetry=True, cache=cache)
    native, plain = (ENGINES[name](model, search, None) for name in ("native", "python"))
    counts = [(verdict.distinct_states, verdict.transitions, verdict.depth) for verdict in (native, plain)]
    assert counts[0] == counts[1]
