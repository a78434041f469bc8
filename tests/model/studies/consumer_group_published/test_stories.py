"""The group protocol of KIP-848 as stories, and what was recorded of it. The steps are taken by the judge."""

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
from tidegate.model.studies.consumer_group_published.state import (
    Answer,
    Client,
    GroupStatus,
    Heartbeat,
    MemberStatus,
    Status,
)

from ....conftest import ROOT
from ....support.shipped import bind_shipped, gate_parameters
from ...test_counts import assert_as_recorded, bind_check

A, B = Client(0), Client(1)
CHECKS = read_record_file(ROOT / "spec" / "consumer_group_published.toml").checks
TLC = {
    "one_client": (708, 388, 20),
    "two_clients": (9_511, 4_009, 26),
    "two_partitions": (17_983, 7_673, 26),
    "subscriptions": (108_002, 38_299, 30),
}
"""What TLC says of the module: states generated, distinct states, and depth of the search, by bounds."""


class Story:
    """Clients A and B, and a topic of one partition; nobody is a member yet."""

    def __init__(self, profile: str = "published", **constants: Any) -> None:
        self.model = bind_shipped(
            f"consumer_group_published:{profile}", {"perturbations": 2, **constants}, called=profile
        )
        self.state: State = next(iter(initial_states(self.model)))

    def step(self, action: str, **arguments: Any) -> Story:
        """Takes one step; StepError when it is disabled."""
        message = arguments.get("heartbeat", arguments.get("answer"))
        if message is not None:
            arguments = {"client": message.source if isinstance(message, Heartbeat) else message.to, **arguments}
        self.state = replay(self.model, self.state, [(action, arguments)]).steps[-1].state_after
        return self

    def asks(self, client: Client, to: Set[int] | None = None) -> Heartbeat:
        """A client sends a heartbeat."""
        topics = self.state.clients[client].subscribed if to is None else to
        self.step("send_heartbeat", client=client, to=topics)
        (sent,) = (h for h in self.state.heartbeats if h.source == client)
        return sent

    def hears(self, client: Client) -> Story:
        """A client receives the answer that is under way to it."""
        connection = self.state.clients[client].connection
        (answer,) = (a for a in self.state.answers if a.to == client and a.connection == connection)
        return self.step("receive_answer" if answer.error is None else "receive_refusal", answer=answer)

    def beats(self, client: Client, owners: dict[int, int] | None = None) -> Story:
        """A heartbeat and its answer; with a new target, which owners say."""
        sent = self.asks(client)
        if owners is None:
            return self.step("receive_heartbeat", heartbeat=sent).hears(client)
        return self.step("receive_heartbeat_and_assign", heartbeat=sent, owners=Map(owners)).hears(client)

    def reconciles(self, client: Client) -> Story:
        """A client gives up and takes on what it should."""
        return self.step("complete_reconciliation", client=client)

    def owned_partitions(self) -> tuple[set[int], ...]:
        """What A and B take for their own."""
        return tuple(set(self.state.clients[client].owned) for client in (A, B))

    def false(self) -> set[str]:
        """The invariants that are false now."""
        kinds = [prop for prop in self.model.properties if prop.kind == "invariant"]
        return {prop.name for prop in kinds if not holds(self.model, prop, self.state)}


def first_owner(profile: str = "published") -> Story:
    """A owns the partition; B has joined, and is to have it."""
    story = Story(profile).beats(A, {0: 1}).reconciles(A).beats(A)
    return story.beats(B, {0: 2})


# --- stories ----------------------------------------------------------------------------------------------------------


def test_a_partition_moves_when_its_owner_has_given_it_up() -> None:
    story = first_owner()
    assert (story.owned_partitions(), story.state.clients[B].epoch, story.state.clients[B].target) == (
        ({0}, set()),
        2,
        set(),
    )
    story.beats(A).beats(B)
    member = story.state.members[1]
    assert member is not None and (member.status, member.epoch) == (MemberStatus.REVOKING, 1)
    assert story.state.clients[B].target == set()
    # A gives it up, and says so; only then has its epoch risen, and B is given the partition.
    story.reconciles(A)
    assert story.owned_partitions() == (set(), set())
    story.beats(A).beats(B).reconciles(B)
    assert (story.owned_partitions(), story.state.clients[A].epoch, story.false()) == ((set(), {0}), 2, set())


def test_a_group_that_has_converged_is_quiet() -> None:
    story = first_owner().beats(A).reconciles(A).beats(A).beats(B).reconciles(B).beats(B)
    assert {story.state.clients[client].status for client in (A, B)} == {Status.STABLE}
    with pytest.raises(StepError, match="is_converged"):
        story.asks(A)


def test_a_member_whose_session_ended_is_refused_and_joins_with_a_new_id() -> None:
    story = Story().beats(A, {0: 1}).reconciles(A).step("live_member_expires", member=1)
    sent = story.asks(A)
    assert (sent.member, story.owned_partitions()[0]) == (1, {0})
    story.step("refuse_unknown", heartbeat=sent).hears(A)
    assert (story.owned_partitions()[0], story.state.clients[A].status) == (set(), Status.JOINING)
    story.beats(A, {0: 2})
    assert (story.state.clients[A].member, story.state.clients[A].epoch) == (2, 3)


def test_a_zombie_owns_what_was_given_to_another_but_is_no_member() -> None:
    story = first_owner().step("live_member_expires", member=1).beats(B, {0: 2}).reconciles(B)
    assert story.owned_partitions() == ({0}, {0})
    assert story.false() == set()


def test_a_client_that_crashed_is_another_member_and_its_old_one_expires() -> None:
    story = Story().beats(A, {0: 1}).step("crash", client=A)
    with pytest.raises(StepError, match="member"):
        story.step("dead_member_expires", member=1)
    story.beats(A, {0: 1})
    assert (story.state.clients[A].member, set(story.state.clients[A].target)) == (2, set())
    story.step("dead_member_expires", member=1).beats(A, {0: 2}).reconciles(A)
    assert story.owned_partitions()[0] == {0}


def test_an_answer_on_an_old_connection_is_not_sent() -> None:
    story = Story()
    sent = story.step("receive_heartbeat_and_assign", heartbeat=story.asks(A), owners=Map({0: 1})).hears(A).asks(A)
    story.step("crash", client=A).step("receive_heartbeat", heartbeat=sent)
    assert (set(story.state.answers), set(story.state.heartbeats)) == (set(), set())


def test_a_member_that_asks_with_another_epoch_is_fenced() -> None:
    story = Story().beats(A, {0: 1})
    sent = story.asks(A)
    member = story.state.members[1]
    assert member is not None
    ahead = Map({**dict(story.state.members.items()), 1: replace(member, epoch=2)})
    story.state = state_shape(story.model).replace(story.state, members=ahead)
    with pytest.raises(StepError, match="is_fenced"):
        story.step("receive_heartbeat", heartbeat=sent)
    story.step("fence", heartbeat=sent).hears(A)
    assert (story.state.members[1], story.state.clients[A].status) == (None, Status.JOINING)


def test_who_leaves_gives_up_first_and_then_says_so() -> None:
    story = first_owner().step("start_to_leave", client=A).step("complete_leave", client=A)
    assert (story.owned_partitions()[0], story.state.clients[A].status, story.state.epoch) == (set(), Status.LEAVING, 2)
    sent = story.asks(A, Set({0}))
    story.step("receive_leave", heartbeat=sent).hears(A).beats(B, {0: 2}).reconciles(B)
    assert (story.owned_partitions(), story.state.epoch, story.false()) == ((set(), {0}), 3, set())


@pytest.mark.parametrize("profile", ["published", "kafka_16147"])
def test_a_partition_that_comes_back_before_it_is_given_up_keeps_its_epoch(profile: str) -> None:
    """KAFKA-16147: what A has yet to give up is A's again, since B is gone; B joins anew."""
    story = first_owner(profile).beats(A).step("live_member_expires", member=2).beats(A, {0: 1})
    lost = profile == "kafka_16147"
    assert (story.state.partition_epoch[0], story.false()) == (
        0 if lost else 3,
        {"valid_partition_epoch"} if lost else set(),
    )
    story.step("refuse_unknown", heartbeat=story.asks(B)).hears(B).beats(B, {0: 3})
    # Without an epoch the partition is anybody's: B is given what A owns.
    assert set(story.state.clients[B].target) == ({0} if lost else set())
    story.reconciles(A)
    if lost:
        story.reconciles(B)
    assert story.owned_partitions() == (({0}, {0}) if lost else ({0}, set()))
    assert ("no_double_client_assignment" in story.false()) == lost


# --- properties that no profile violates can fail ---------------------------------------------------------------------


def test_properties_that_no_profile_violates_can_fail() -> None:
    """In states that no run leads to, and in steps that no action takes."""
    story = first_owner()
    replaced, state = state_shape(story.model).replace, story.state
    a, one = state.clients[A], state.members[1]
    assert one is not None
    nowhere = Map({member: Set() if target is not None else None for member, target in state.target.items()})
    for name, broken in (
        ("legal_target_assignment", replaced(state, target=nowhere)),
        ("valid_member_epoch", replaced(state, clients=Map({A: replace(a, epoch=2), B: state.clients[B]}))),
        ("valid_stable_group_state", replaced(state, status=GroupStatus.STABLE)),
    ):
        story.state = broken
        assert name in story.false(), name
    older = replaced(state, members=Map({**dict(state.members.items()), 1: replace(one, epoch=0)}))
    back = replaced(state, clients=Map({A: replace(a, epoch=2), B: state.clients[B]}))
    leaving = replaced(state, clients=Map({A: replace(a, status=Status.LEAVING), B: state.clients[B]}))
    steps = (
        ("gc_side_member_epoch_is_monotonic", state, older),
        ("client_side_member_epoch_is_monotonic", back, state),
        ("legal_status_changes", state, leaving),
    )
    for name, before, after in steps:
        prop = next(prop for prop in story.model.properties if prop.name == name)
        assert holds(story.model, prop, before, before), name
        assert not holds(story.model, prop, before, after), name


# --- what is recorded -------------------------------------------------------------------------------------------------


def check_name(check: CheckRecord) -> str:
    return f"{check.profile} {check.bounds} {' '.join(check.properties) if len(check.properties) < 3 else 'rest'}"


@pytest.mark.parametrize("check", gate_parameters(CHECKS, lambda check: check.bounds == "one_client", check_name))
def test_what_is_recorded_comes_out(check: CheckRecord, cache: Path) -> None:
    assert_as_recorded(check, ENGINES["native"](bind_check(check), Search(symmetry=check.symmetry, cache=cache), None))


def test_the_counts_are_those_of_tlc() -> None:
    """TLC counts the initial state among those that it generates."""
    published = [check for check in CHECKS if check.source == "published, TLC"]
    assert all(check.profile == "published" and not check.symmetry for check in published)
    assert {
        check.bounds: (check.counts["transitions"] + 1, check.counts["distinct_states"], check.counts["depth"])
        for check in published
    } == TLC


def test_plain_python_counts_the_same() -> None:
    model = find("consumer_group_published")[0].bind("small", {"clients": 1}, "published")
    verdict = ENGINES["python"](model, Search(), None)
    assert verdict.transitions is not None
    assert (verdict.transitions + 1, verdict.distinct_states, verdict.depth) == TLC["one_client"]


def test_an_answer_names_its_client() -> None:
    """So that a picture draws it as an arrow."""
    state = first_owner().state
    assert isinstance(state.last_answer, Answer) and (state.last_answer.to, state.last_heartbeat) == (B, None)
