"""The controller on ZooKeeper as stories, and what was recorded of it. The steps are taken by the judge."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language.judge import holds, initial_states, replay, state_shape
from tidegate.language.steptext import StepError
from tidegate.language.values import Map, Set, State
from tidegate.model.parts.zookeeper import Session
from tidegate.model.zk_controller.state import Answer, Broker, Partition

from ...conftest import ROOT
from ...support.shipped import bind_shipped, gate_parameters
from ..test_counts import assert_as_recorded, bind_check

A, B, C = (Broker(i) for i in range(3))
CHECKS = read_record_file(ROOT / "spec" / "zk_controller.toml").checks


class Story:
    """Brokers A, B and C, of which A leads the partition at first; nobody is the controller."""

    def __init__(self, profile: str = "kafka_3_9", **constants: Any) -> None:
        sizes = {"room": 2, "max_version": 4, "cuts": 3, "majority_losses": 1, "deletions": 1}
        self.model = bind_shipped(f"zk_controller:{profile}", {**sizes, **constants}, called=profile)
        self.state: State = next(iter(initial_states(self.model)))

    def step(self, action: str, **arguments: Any) -> Story:
        """Takes one step; StepError when it is disabled."""
        self.state = replay(self.model, self.state, [(action, arguments)]).steps[-1].state_after
        return self

    def take_over(self, broker: Broker) -> Story:
        """A broker becomes the controller and reads all that there is."""
        for action in ("become_controller", "read_partition", "read_brokers"):
            self.step(action, broker=broker)
        return self

    def expire(self, broker: Broker) -> Story:
        """A broker is cut off for so long that its session expires, and does not know."""
        return self.step("lose_connection", broker=broker).step("end_session", broker=broker)

    def come_back(self, broker: Broker) -> Story:
        """It registers under a new session, and has resigned before, if it has to."""
        self.step("learn", broker=broker)
        if self.model.values["resigns_first"] and (self.state.held[broker] > 0 or broker in self.state.creating):
            self.step("resign", broker=broker)
        return self.step("register", broker=broker)

    def deliver(self, epoch: int, to: Broker, leader_epoch: int | None = None) -> Story:
        """The LeaderAndIsr of that controller epoch reaches a broker, which obeys."""
        return self.step("obey", request=self.request(epoch, to, leader_epoch), to=to)

    def request(self, epoch: int, to: Broker, leader_epoch: int | None = None) -> Any:
        """The one under way to a broker."""
        found = [request for request in self.state.requests if request.controller_epoch == epoch and to in request.to]
        (only,) = [request for request in found if leader_epoch in (None, request.partition.leader_epoch)]
        return only

    def answers(self, epoch: int, to: Broker) -> Story:
        """The UpdateMetadata of that controller epoch reaches a broker, which obeys."""
        return self.step("update_metadata", request=self.update(epoch, to), to=to)

    def update(self, epoch: int, to: Broker) -> Any:
        """The one under way to a broker."""
        (only,) = [it for it in self.state.updating if it.controller_epoch == epoch and to in it.to]
        return only

    def false(self) -> set[str]:
        """The invariants that are false now."""
        return {p.name for p in self.model.properties if p.kind == "invariant" and not holds(self.model, p, self.state)}


# --- fail-over --------------------------------------------------------------------------------------------------------


def test_a_controller_elects_the_first_of_the_isr_that_is_registered() -> None:
    story = Story().take_over(B).step("announce", broker=B)
    story.expire(A).step("read_brokers", broker=B).step("elect", broker=B)
    assert (story.state.partition.leader, set(story.state.partition.isr)) == (B, {B, C})
    # A does not know, and believes to lead in the leader epoch before.
    story.deliver(1, B, 1)
    assert [story.state.known[broker].leader for broker in (A, B)] == [A, B]
    assert story.false() == set()


def test_the_last_of_the_isr_stays_in_it_and_nobody_leads() -> None:
    story = Story("kafka_2_6", brokers=2).take_over(B).step("shrink_isr", leader=A, follower=B)
    story.expire(A).step("read_partition", broker=B).step("read_brokers", broker=B)
    story.step("elect_nobody", broker=B, last=A)
    assert (story.state.partition.leader, set(story.state.partition.isr)) == (None, {A})
    # Once it is back, it leads.
    story.come_back(A).step("read_brokers", broker=B).step("elect", broker=B)
    assert story.state.partition.leader == A


def test_of_an_isr_that_is_gone_as_a_whole_one_stays() -> None:
    """ReplicaStateMachine takes the dead out one after the other, and keeps the ISR where it has one member."""
    story = Story(max_version=4).take_over(C).step("ask_to_shrink", leader=A, follower=C, controller=C)
    story.expire(A).expire(B).step("read_brokers", broker=C)
    with pytest.raises(StepError, match="isr"):
        story.step("elect", broker=C)
    story.step("elect_nobody", broker=C, last=B)
    assert (story.state.partition.leader, set(story.state.partition.isr)) == (None, {B})
    # Whoever else is back does not lead.
    story.come_back(A).step("read_brokers", broker=C)
    with pytest.raises(StepError, match="is_wrong"):
        story.step("elect", broker=C)


def test_a_zombie_is_refused_by_brokers_and_by_zookeeper() -> None:
    story = Story().take_over(A).expire(C).step("read_brokers", broker=A)
    # A has read that C is gone. Before it writes that, somebody deletes /controller, and B creates it.
    story.step("delete_controller").take_over(B).step("announce", broker=B).deliver(2, B)
    assert story.false() == {"at_most_one_believes_to_be_controller"}
    with pytest.raises(StepError, match="controller_epoch"):
        story.step("elect", broker=A)
    story.step("announce", broker=A)
    with pytest.raises(StepError, match="refuses"):
        story.deliver(1, B)
    story.step("resign", broker=A)
    assert story.false() == set()


def test_the_isr_changes_between_a_controllers_reading_and_its_writing() -> None:
    story = (
        Story("kafka_2_6")
        .take_over(B)
        .expire(C)
        .step("read_brokers", broker=B)
        .step("shrink_isr", leader=A, follower=B)
    )
    with pytest.raises(StepError, match="version"):
        story.step("elect", broker=B)
    # It reads again, and does not bring B back into the ISR.
    story.step("read_partition", broker=B).step("elect", broker=B)
    assert set(story.state.partition.isr) == {A}


def test_a_broker_that_was_gone_unnoticed_is_new_to_the_controller() -> None:
    story = Story().take_over(B).step("announce", broker=B).expire(C).come_back(C)
    story.step("read_brokers", broker=B)
    assert set(story.state.live[B]) == {A, B}
    story.step("elect", broker=B).step("read_brokers", broker=B)
    assert set(story.state.owed[B]) == {C}


def test_without_a_majority_of_the_ensemble_leaders_go_on_and_nothing_is_written() -> None:
    story = Story("kafka_2_6").take_over(B).step("lose_connection", broker=C).step("lose_majority")
    with pytest.raises(StepError, match="majority"):
        story.step("end_session", broker=C)
    with pytest.raises(StepError, match="majority"):
        story.step("shrink_isr", leader=A, follower=C)
    assert story.state.known[A].leader == A
    story.step("regain_majority").step("end_session", broker=C).step("shrink_isr", leader=A, follower=C)


# --- without a fence --------------------------------------------------------------------------------------------------


def test_in_two_steps_a_zombie_takes_the_newest_epoch() -> None:
    story = Story("two_steps").step("create_controller", broker=A).step("delete_controller")
    story.step("create_controller", broker=B).step("raise_epoch", broker=B)
    assert "controller_holds_the_newest_epoch" not in story.false()
    assert "controller_holds_the_newest_epoch" in story.step("raise_epoch", broker=A).false()
    # The controller's own requests are refused then by whoever has obeyed the zombie; no epoch is taken twice.
    assert (story.state.controller, story.state.held[B], story.state.held[A]) == (B, 1, 2)


def test_a_zombies_write_leaves_a_leader_that_can_never_write_again() -> None:
    """KAFKA-6082, and what was seen of it: KAFKA-2729."""
    story = Story("kafka_6082").take_over(A).expire(C).step("read_brokers", broker=A)
    story.step("delete_controller").take_over(B).step("elect", broker=A)
    # Brokers that have obeyed the new controller refuse the zombie's request, so the leader does not know.
    story.step("announce", broker=B).deliver(2, B)
    with pytest.raises(StepError, match="refuses"):
        story.deliver(1, B)
    assert story.state.known[A].version < story.state.partition.version
    with pytest.raises(StepError, match="version"):
        story.step("shrink_isr", leader=A, follower=C)


def test_an_old_stop_replica_stops_a_replica_that_runs_again() -> None:
    for profile, stopped in (("kafka_9539", True), ("kafka_2_6", False)):
        story = Story(profile).take_over(A).step("move_away_and_back", broker=A, replica=B)
        story.step("announce", broker=A).deliver(1, A).deliver(1, B).deliver(1, C)
        (late,) = story.state.stopping
        assert story.state.running[B]
        if stopped:
            assert "replicas_run_once_all_is_quiet" in story.step("stop", request=late, to=B).false()
        else:
            with pytest.raises(StepError, match="leader_epoch"):
                story.step("stop", request=late, to=B)


def test_a_replica_that_is_moved_away_stops_and_runs_when_it_is_given_back() -> None:
    story = Story().take_over(A).step("move_away_and_back", broker=A, replica=B)
    assert set(story.state.partition.isr) == {A, C}
    (request,) = story.state.stopping
    assert not story.step("stop", request=request, to=B).state.running[B]
    assert story.step("announce", broker=A).deliver(1, B).state.running[B]


def test_with_broker_epochs_nothing_arrives_that_was_meant_for_the_registration_before() -> None:
    """KIP-380: a broker refuses what a controller sends that has not read that it has registered anew."""
    for profile, old in (("kafka_7235", {B}), ("kafka_2_6", set[Broker]())):
        story = Story(profile).take_over(A).step("announce", broker=A).deliver(1, A).deliver(1, C)
        story.expire(B).come_back(B)
        assert {to for request in story.state.requests for to in request.to} == old
    for profile, old in (("kafka_7235", {A, B, C}), ("kafka_2_6", {A, C})):
        story = Story(profile, updates=1).take_over(A).step("announce", broker=A).expire(B).come_back(B)
        assert {to for request in story.state.updating for to in request.to} == old
    # What it sends before it reads that B is back does not count, either.
    story = Story().take_over(A).expire(B).come_back(B).step("announce", broker=A)
    assert set(story.request(1, A).to) == {A, C}


def test_one_loss_of_the_controllers_host_is_enough_for_it_to_lead_again_in_the_same_leader_epoch() -> None:
    """KAFKA-7235, as `restart_unnoticed` of model/partition has it: a session ends, and its owner registers anew."""
    story = Story("kafka_7235").take_over(A).step("announce", broker=A).deliver(1, A)
    before = story.state.partition
    # A cannot register while its session goes on.
    with pytest.raises(StepError, match="is_over"):
        story.step("lose_connection", broker=A).step("register", broker=A)
    story.step("end_session", broker=A).come_back(A).take_over(B)
    with pytest.raises(StepError, match="is_wrong"):
        story.step("elect", broker=B)
    request = story.step("announce", broker=B).request(2, A)
    assert request.partition == before == story.state.partition
    assert (request.partition.leader, request.partition.leader_epoch) == (A, 0)
    assert story.deliver(2, A).state.seen[A] == 2


def test_who_has_not_heard_of_the_newest_controller_obeys_the_one_before() -> None:
    """What `no_zombie_effect` allows: the effect is on a broker that is behind, and ends when it hears."""
    story = Story().take_over(A).expire(A).take_over(B).step("announce", broker=A)
    assert story.deliver(1, C).state.seen[C] == 1
    story.step("announce", broker=B).deliver(2, C)
    assert story.state.seen[C] == 2
    with pytest.raises(StepError, match="controller_epoch"):
        story.step("elect", broker=A)


def test_a_controller_that_stays_sends_nothing_to_who_registers_anew_before_it_reads() -> None:
    """BrokerChange of 2.1.1 has neither new nor dead ids then; from KIP-380 on the leader is replaced."""
    for profile, noticed in (("kafka_7235", False), ("kafka_2_6", True)):
        story = Story(profile).take_over(B).step("announce", broker=B)
        for broker in (A, B, C):
            story.deliver(1, broker)
        story.expire(A).come_back(A)
        if noticed:
            story.step("read_brokers", broker=B).step("elect", broker=B)
            assert story.state.partition.leader == B
        else:
            for action, match in (("read_brokers", "live"), ("announce", "owed"), ("elect", "is_wrong")):
                with pytest.raises(StepError, match=match):
                    story.step(action, broker=B)


# --- AlterPartition (KIP-497) -----------------------------------------------------------------------------------------


def test_a_leader_asks_the_controller_to_write_the_isr_and_needs_no_session_for_it() -> None:
    story = Story().take_over(B).step("lose_connection", broker=A)
    story.step("ask_to_shrink", leader=A, follower=C, controller=B)
    assert set(story.state.partition.isr) == {A, B}
    assert story.state.read[B] == story.state.known[A] == story.state.partition
    with pytest.raises(StepError, match="alter_partition"):
        story.step("shrink_isr", leader=A, follower=B)
    story.step("ask_to_expand", leader=A, follower=C, controller=B)
    assert set(story.state.partition.isr) == {A, B, C}


def test_nobody_joins_the_isr_whom_the_controller_does_not_know_to_be_registered() -> None:
    """KAFKA-14140: INELIGIBLE_REPLICA from 3.3 on. Up to 3.2 the controller does not look."""
    for profile, looks in (("kafka_3_9", True), ("kafka_14140", False), ("kafka_3_2", False)):
        story = Story(profile).take_over(B).step("ask_to_shrink", leader=A, follower=C, controller=B)
        story.expire(C).step("read_brokers", broker=B)
        if looks:
            with pytest.raises(StepError, match="live"):
                story.step("ask_to_expand", leader=A, follower=C, controller=B)
        else:
            story.step("ask_to_expand", leader=A, follower=C, controller=B)
            assert C in story.state.partition.isr and C not in story.state.live[B]
            # A controller that elects takes it out again.
            assert set(story.step("elect", broker=B).state.partition.isr) == {A, B}


def test_a_zombie_that_a_leader_is_ahead_of_does_not_refuse_it_for_good() -> None:
    for profile, waits in (("kafka_14154", True), ("kafka_3_9", False)):
        story = Story(profile).take_over(B).expire(B).take_over(A)
        story.step("ask_to_shrink", leader=A, follower=B, controller=A)
        asks = {"leader": A, "follower": C, "controller": B}
        if waits:
            assert "refused_for_good_only_if_behind" in story.step("ask_to_shrink", **asks).false()
            with pytest.raises(StepError, match="refused"):
                story.step("ask_to_shrink", **{**asks, "controller": A})
        else:
            with pytest.raises(StepError, match="answers_for_good"):
                story.step("ask_to_shrink", **asks)
            story.step("ask_to_shrink", **{**asks, "controller": A})


def test_up_to_3_2_a_zombie_calls_done_what_brings_back_the_isr_that_it_has_read() -> None:
    """KafkaController.processAlterIsr compares no version; Partition drops an answer with an older one, and waits."""
    for profile, waits in (("kafka_3_2", True), ("kafka_3_9", False)):
        story = Story(profile).take_over(B).step("delete_controller").take_over(C)
        story.step("ask_to_shrink", leader=A, follower=C, controller=C)
        asks = {"leader": A, "follower": C, "controller": B}
        if waits:
            with pytest.raises(StepError, match="answers_for_good"):
                story.step("ask_to_shrink", leader=A, follower=B, controller=B)
            assert "refused_for_good_only_if_behind" in story.step("ask_to_expand", **asks).false()
            with pytest.raises(StepError, match="refused"):
                story.step("ask_to_expand", **{**asks, "controller": C})
        else:
            with pytest.raises(StepError, match="answers_for_good"):
                story.step("ask_to_expand", **asks)
            story.step("ask_to_expand", **{**asks, "controller": C})


def test_a_broker_opens_no_session_before_its_controller_has_resigned() -> None:
    """From 1.1 on (KafkaController.beforeInitializingSession). Up to 1.0 the thread goes on under the new session."""
    for profile, waits in (("kafka_2_6", True), ("goes_on", False)):
        story = Story(profile).take_over(A).expire(A).step("learn", broker=A)
        if waits:
            with pytest.raises(StepError, match="resigns_first"):
                story.step("register", broker=A)
            story.step("resign", broker=A)
        assert story.step("register", broker=A).state.held[A] == (0 if waits else 1)


def test_a_zombie_writes_no_isr() -> None:
    """Leader and zombie know the same, so that the zombie asks ZooKeeper, which refuses its epoch (KAFKA-6082)."""
    for fences, written in (({}, False), ({"write_fence": False}, True)):
        story = Story("kafka_3_9", **fences).take_over(B).step("delete_controller").take_over(C)
        asks = {"leader": A, "follower": C, "controller": B}
        if written:
            before = story.state
            after = story.step("ask_to_shrink", **asks).state
            assert set(after.partition.isr) == {A, B}
            # No election, and an effect of a zombie all the same.
            z4 = next(prop for prop in story.model.properties if prop.name == "no_zombie_effect")
            assert not holds(story.model, z4, before, after)
        else:
            with pytest.raises(StepError, match="write_fence"):
                story.step("ask_to_shrink", **asks)


# --- metadata and clients ---------------------------------------------------------------------------------------------


def with_metadata(profile: str, **constants: Any) -> Story:
    """A was the controller and has sent nothing yet; B took over and elected itself, which B and C have obeyed."""
    story = Story(profile, updates=2, writes=1, **constants).take_over(A).expire(A).take_over(B).step("elect", broker=B)
    for broker in (B, C):
        story.deliver(2, broker).answers(2, broker)
    return story


def test_a_client_with_stale_metadata_is_turned_away_and_asks_whom_it_likes() -> None:
    story = with_metadata("kafka_3_9").come_back(A)
    # A leads no more only once it hears so; what it answers clients is a request of its own.
    story.step("read_brokers", broker=B).step("announce", broker=B).deliver(2, A).step("turn_away", broker=A)
    assert story.state.answer == Answer.NOT_LEADER
    with pytest.raises(StepError, match="answer"):
        story.step("turn_away", broker=A)
    # A's metadata are stale: the client asks it and is turned away again, and then it asks B.
    story.step("ask_for_metadata", broker=A).step("turn_away", broker=A).step("ask_for_metadata", broker=B)
    assert story.state.client.leader == B
    assert story.step("write", broker=B).state.answer == Answer.ACKNOWLEDGED


def test_a_client_takes_no_older_leader_for_a_newer_one() -> None:
    """KAFKA-7738: the leader epoch comes with metadata."""
    for profile, back in (("kafka_7738", True), ("kafka_3_9", False)):
        story = with_metadata(profile).step("ask_for_metadata", broker=B)
        if back:
            assert story.step("ask_for_metadata", broker=A).state.client.leader == A
        else:
            with pytest.raises(StepError, match="client_epochs"):
                story.step("ask_for_metadata", broker=A)


def test_a_zombies_metadata_are_refused() -> None:
    for profile, wrong in (("kafka_532", True), ("kafka_2_6", False)):
        story = with_metadata(profile).step("announce", broker=A)
        if wrong:
            assert story.answers(1, B).state.cached[B].leader == A
        else:
            with pytest.raises(StepError, match="broker_fence"):
                story.answers(1, B)
            story.step("refuse_metadata", request=story.update(1, B), to=B)


def test_a_leader_that_was_replaced_acknowledges_nothing_that_waits_for_the_isr() -> None:
    for profile, acknowledged in (("acks_1", True), ("kafka_3_9", False)):
        story = with_metadata(profile)
        assert story.state.client.leader == A and story.state.known[A].leader == A
        if acknowledged:
            assert story.step("write", broker=A).state.answer == Answer.ACKNOWLEDGED
        else:
            with pytest.raises(StepError, match="acks_all"):
                story.step("write", broker=A)


# --- properties that no profile violates can fail ---------------------------------------------------------------------


def test_properties_of_states_can_fail() -> None:
    """In states that no run leads to."""
    story = Story().take_over(A)
    replaced, state = state_shape(story.model).replace, story.state
    story.state = replaced(state, session=Map({A: Session.EXPIRED, B: Session.CONNECTED, C: Session.CONNECTED}))
    assert "unique_ephemeral" in story.false()
    story.state = replaced(state, registered=Set([B, C]))
    assert "unique_ephemeral" in story.false()
    led_by_b = Partition(leader=B, leader_epoch=0, isr=Set([A, B, C]), version=0)
    story.state = replaced(state, known=Map({A: state.partition, B: led_by_b, C: led_by_b}))
    assert "one_leader_an_epoch" in story.false()
    story.state = replaced(state, held=Map({A: 1, B: 1, C: 0}))
    assert "controller_epoch_unique" in story.false()


def test_properties_of_steps_can_fail() -> None:
    """In steps that no action takes."""
    story = Story().take_over(A)
    replaced, state = state_shape(story.model).replace, story.state
    led_by_b = Partition(leader=B, leader_epoch=1, isr=Set([A, B, C]), version=1)
    without_c = Partition(leader=A, leader_epoch=1, isr=Set([A, B]), version=1)
    without, gone = replaced(state, majority=False), replaced(state, registered=Set([A, B]))
    steps = (
        ("ephemeral_semantics", state, gone),
        ("ephemeral_semantics", state, replaced(state, controller=None)),
        ("controller_epoch_monotone", state, replaced(state, controller_epoch=2)),
        ("nothing_written_without_majority", without, replaced(gone, majority=False)),
        ("nothing_written_without_majority", without, replaced(without, controller_epoch=2)),
        ("only_a_lost_leader_is_replaced", state, replaced(state, partition=led_by_b)),
        ("controller_removes_only_who_is_gone", state, replaced(state, partition=without_c)),
        (
            "leader_is_elected_from_the_isr",
            replaced(state, partition=without_c),
            replaced(state, partition=replace(without_c, leader=C, leader_epoch=2)),
        ),
        ("leader_is_elected_from_the_isr", state, replaced(state, partition=replace(led_by_b, isr=Set([A, C])))),
    )
    for name, before, after in steps:
        prop = next(prop for prop in story.model.properties if prop.name == name)
        assert holds(story.model, prop, before, before), name
        assert not holds(story.model, prop, before, after), name


def test_the_claim_of_whole_runs_can_fail(cache: Path) -> None:
    """ZL1 where nobody has to create /controller."""
    sizes = {"brokers": 2, "max_epoch": 2, "cuts": 1, "stops": 0, "max_version": 1}
    model = bind_shipped("zk_controller:kafka_3_9", sizes, called="small")
    (claim,) = model.liveness
    idle = replace(claim, fairness=tuple(it for it in claim.fairness if it.actions != ("become_controller",)))
    for asked, verdict in ((claim, "holds"), (idle, "violated")):
        answer = ENGINES["native"](
            replace(model, properties=(), liveness=(asked,)), Search(cache=cache, bounds_end_runs=True), None
        )
        assert [found.verdict for found in answer.properties] == [verdict]


# --- what is recorded -------------------------------------------------------------------------------------------------


def check_name(check: CheckRecord) -> str:
    return f"{check.profile} {check.bounds} {' '.join(check.properties) if len(check.properties) < 3 else 'rest'}"


def is_quick(check: CheckRecord) -> bool:
    """Whether it is a short counterexample. The gate looks for every one."""
    return any(0 < (it.steps or 0) < 10 and it.verdict == "violated" for it in check.properties.values())


@pytest.mark.parametrize(
    "check", gate_parameters([check for check in CHECKS if check.tier == "commit"], is_quick, check_name)
)
def test_what_is_recorded_comes_out(check: CheckRecord, cache: Path) -> None:
    assert_as_recorded(check, ENGINES["native"](bind_check(check), Search(symmetry=check.symmetry, cache=cache), None))


LOST = "by_connection"
"""What fails when a connection is lost, which where states are lumped is no step of its own."""
BROKEN = [check for check in CHECKS if check.profile not in ("kafka_3_9", LOST) and is_quick(check)]


@pytest.mark.long
@pytest.mark.parametrize("check", BROKEN, ids=check_name)
def test_what_fails_without_a_fence_fails_where_states_are_lumped(check: CheckRecord, cache: Path) -> None:
    """What is forgotten hides nothing: without a connection that is lost by itself the run is no longer."""
    constants: dict[str, Any] = {**check.constants, "lumped": True}
    model = bind_shipped(f"zk_controller:{check.profile}", constants, called="lumped")
    ((name, expected),) = check.properties.items()
    asked = replace(model, properties=tuple(prop for prop in model.properties if prop.name == name), liveness=())
    (found,) = ENGINES["native"](asked, Search(deadlocks=False, cache=cache), None).properties
    assert found.verdict == "violated" and found.run is not None
    assert 0 < len(found.run.steps) <= (expected.steps or 0)


@pytest.mark.long
@pytest.mark.parametrize(
    "profile", ["kafka_1188", "kafka_7235", "kafka_2729", "kafka_14154", "kafka_14140", "kafka_3_2"]
)
def test_what_is_forgotten_makes_no_difference_where_a_mistake_ends_all(profile: str, cache: Path) -> None:
    """These have states in which nothing can happen, where a gate's check ends; the others are recorded."""
    bounds = {"max_epoch": 2, "max_version": 2, "cuts": 1}
    model = find("zk_controller_as_lumped")[0].bind("small", bounds, profile)
    verdict = ENGINES["native"](model, Search(deadlocks=False, cache=cache), None)
    assert {prop.name: prop.verdict for prop in verdict.properties} == {"as_lumped": "holds"}
    assert (verdict.distinct_states or 0) > 50_000


def test_every_fence_has_a_profile_without_it_and_what_then_fails() -> None:
    definition = find("zk_controller")[0]
    fails = {check.profile for check in CHECKS if any(it.verdict == "violated" for it in check.properties.values())}
    # goes_on alone breaks nothing while the others stand.
    assert fails == set(definition.profiles) - {"goes_on"}
    switched = {name for values in definition.profiles.values() for name, value in values.items() if value is False}
    assert switched == {name for name, value in bind_shipped("zk_controller").values.items() if value is True}
    off = [{name for name in values if name != "alter_partition"} for values in definition.profiles.values()]
    assert all({name} in off for name in switched - {"alter_partition"}), "some fence is not left out alone"


SIZES = (
    "brokers", "max_epoch", "max_version", "room", "cuts", "stops", "majority_losses", "deletions", "updates", "writes",
)  # fmt: skip


def size_of(check: CheckRecord, size: str) -> int:
    """How large a bound is in a check."""
    return int(str(check.constants.get(size, 0)))


def test_what_fails_is_repaired_at_bounds_as_large_with_each_change_of_the_code() -> None:
    """Each counterexample has beside it the profile with that fence, exhausted at bounds at least as large."""
    commit = [check for check in CHECKS if check.tier == "commit" and "lumped" not in check.constants]
    for check in commit:
        ((name, expected), *_) = check.properties.items()
        if expected.verdict == "violated" and name != "at_most_one_believes_to_be_controller":
            values = bind_shipped(f"zk_controller:{check.profile}").values
            right = "kafka_3_9" if values["alter_partition"] or check.profile == "kafka_2_6" else "kafka_2_6"
            assert any(
                other.profile == right
                and other.counts
                and name in other.properties
                and all(size_of(other, size) >= size_of(check, size) for size in SIZES)
                for other in commit
            ), (check.profile, check.bounds, name)


WHOLE = ["kafka_3_9", "kafka_2_6", "kafka_532", "kafka_6082", "kafka_7235", "kafka_14154", "kafka_14140", "kafka_3_2"]
TRANSFER = {"brokers": 2, "max_epoch": 2, "max_version": 2, "cuts": 2, "stops": 1, "updates": 1, "writes": 1}
HARDER = {"zombie_is_refused"}
"""What nobody can see where states are lumped: requests that would be refused are forgotten."""


@pytest.mark.long
@pytest.mark.parametrize("profile", WHOLE)
def test_what_is_said_where_states_are_lumped_is_so_where_they_are_not(profile: str, cache: Path) -> None:
    """All properties at bounds at which both are exhausted."""
    said: list[dict[str, str]] = []
    for lumped in (False, True):
        model = bind_shipped(f"zk_controller:{profile}", {**TRANSFER, "lumped": lumped}, called="transfer")
        search = Search(deadlocks=False, keep_going=True, cache=cache)
        verdict = ENGINES["native"](replace(model, liveness=()), search, None)
        said.append({prop.name: prop.verdict for prop in verdict.properties if prop.name not in HARDER})
    assert said[0] == said[1]
    assert len(said[0]) > 30


def test_plain_python_counts_the_same(cache: Path) -> None:
    small = {"brokers": 2, "max_epoch": 1, "max_version": 1, "cuts": 1}
    kept = ["no_zombie_effect", "one_leader_an_epoch", "leader_knows_once_all_is_quiet"]
    for profile in ("kafka_3_9", "kafka_2_6"):
        model = find("zk_controller")[0].bind("small", small, profile, properties=kept)
        native, plain = (ENGINES[name](model, Search(cache=cache), None) for name in ("native", "python"))
        counts = [(verdict.distinct_states, verdict.transitions, verdict.depth) for verdict in (native, plain)]
        assert counts[0] == counts[1]
