"""The election by sequential znodes as stories, and what was recorded of it. The steps are taken by the judge."""

from __future__ import annotations

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
from tidegate.model.studies.znode_election import IDS, MOST, PATHS, PLACES, Candidate, Role

from ....conftest import ROOT
from ....support.shipped import bind_shipped, gate_parameters
from ...test_counts import assert_as_recorded, bind_check

B2, B10, B1, B3 = (Candidate(i) for i in range(4))
CHECKS = read_record_file(ROOT / "spec" / "znode_election.toml").checks


class Story:
    """Brokers 2, 10, 1 and 3, of which each wants to lead."""

    def __init__(self, profile: str = "recipe", **constants: Any) -> None:
        self.model = bind_shipped(f"znode_election:{profile}", constants, called=profile)
        self.state: State = next(iter(initial_states(self.model)))

    def step(self, action: str, **arguments: Any) -> Story:
        """Takes one step; StepError when it is disabled."""
        self.state = replay(self.model, self.state, [(action, arguments)]).steps[-1].state_after
        return self

    def join(self, *some: Candidate) -> Story:
        """Each creates its znode, in this order."""
        for candidate in some:
            self.step("join", candidate=candidate)
        return self

    def lead(self, candidate: Candidate) -> Story:
        return self.step("lead", candidate=candidate)

    def wait(self, *some: Candidate) -> Story:
        """Each reads the znodes and sets its watch."""
        for candidate in some:
            self.step("read", candidate=candidate).step("wait", candidate=candidate)
        return self

    def expire(self, candidate: Candidate) -> Story:
        """A candidate is cut off for so long that its session expires, and does not know."""
        return self.step("lose_connection", candidate=candidate).step("end_session", candidate=candidate)

    def act(self, candidate: Candidate) -> Story:
        return self.step("act", candidate=candidate)

    def woken(self) -> set[Candidate]:
        """Who will hear that what it watched is gone."""
        return {candidate for candidate in (B2, B10, B1, B3) if self.state.news[candidate]}

    def leaders(self) -> set[Candidate]:
        """Who believes that it leads."""
        return {candidate for candidate in (B2, B10, B1, B3) if self.state.role[candidate] == Role.LEADING}

    def false(self) -> set[str]:
        """The invariants that are false now."""
        return {p.name for p in self.model.properties if p.kind == "invariant" and not holds(self.model, p, self.state)}


# --- the recipe -------------------------------------------------------------------------------------------------------


def test_the_next_in_line_takes_over_and_the_zombie_is_refused() -> None:
    story = Story().join(B2, B10, B1).lead(B2).wait(B10, B1).act(B2).expire(B2)
    # Only the one just behind is woken.
    assert story.woken() == {B10}
    story.step("hear", candidate=B10).lead(B10)
    # The old leader does not know yet. Nothing that it does is refused until somebody has seen the new epoch.
    assert story.leaders() == {B2, B10}
    assert story.false() == {"at_most_one_believes_to_lead"}
    story.act(B2).act(B10)
    with pytest.raises(StepError, match="obeyed"):
        story.act(B2)
    # Once it reaches ZooKeeper again it knows, and is last in line.
    story.step("learn", candidate=B2).join(B2).wait(B2)
    assert story.leaders() == {B10}
    assert story.state.number[B2] == 3


def test_a_candidate_that_is_cut_off_keeps_its_znode() -> None:
    story = Story().join(B2, B10).lead(B2).wait(B10).step("lose_connection", candidate=B2)
    assert (story.state.number[B2], story.woken()) == (0, set())
    story.step("connect_again", candidate=B2)
    assert story.state.session[B2] == Session.CONNECTED
    assert story.leaders() == {B2}


def test_a_znode_that_goes_before_it_is_watched_is_read_again() -> None:
    story = Story().join(B2, B10).lead(B2).step("read", candidate=B10).expire(B2)
    # Nobody will tell: the watch was not set yet.
    assert story.woken() == set()
    with pytest.raises(StepError):
        story.step("wait", candidate=B10)
    assert story.step("read_again", candidate=B10).lead(B10).leaders() == {B2, B10}


def test_who_does_not_look_again_waits_for_ever() -> None:
    story = Story("lost_wakeup").join(B2, B10).lead(B2).step("read", candidate=B10).expire(B2)
    assert "nobody_waits_in_vain" in story.step("wait", candidate=B10).false()


def test_without_a_majority_nobody_takes_over() -> None:
    story = Story().join(B2, B10).lead(B2).wait(B10).step("lose_connection", candidate=B2).step("lose_majority")
    for action, candidate in (("end_session", B2), ("connect_again", B2), ("join", B1)):
        with pytest.raises(StepError, match="majority"):
            story.step(action, candidate=candidate)
    # The leader goes on.
    assert story.act(B2).state.obeyed == 1
    story.step("regain_majority").step("end_session", candidate=B2).step("hear", candidate=B10).lead(B10)
    assert story.false() == {"at_most_one_believes_to_lead"}


# --- a create whose answer is lost ------------------------------------------------------------------------------------


def unheard(profile: str) -> Story:
    """B2 has created its znode, and its connection failed before it heard so; then B10 created one."""
    story = Story(profile, lost_answers=1, late_servers=1).step("join_unheard", candidate=B2).join(B10)
    assert (story.state.role[B2], story.state.number[B2]) == (Role.UNSURE, 0)
    return story


def test_who_does_not_know_whether_it_has_a_znode_looks_for_it() -> None:
    story = unheard("recipe").step("connect_again", candidate=B2)
    with pytest.raises(StepError, match="finds_own"):
        story.step("join_again", candidate=B2)
    assert story.step("find_own", candidate=B2).lead(B2).wait(B10).leaders() == {B2}


def test_who_creates_another_znode_waits_for_its_own_and_all_others_for_it() -> None:
    story = unheard("orphaned").step("connect_again", candidate=B2).step("join_again", candidate=B2)
    assert (story.state.orphan[B2], story.state.number[B2]) == (0, 2)
    assert story.false() == {"one_znode_each"}
    # B10 waits for the orphan, and B2, whose second znode is behind, for B10.
    story.wait(B10, B2)
    assert (story.state.watches[B10], story.state.watches[B2]) == (Set([0]), Set([1]))
    for candidate in (B2, B10):
        with pytest.raises(StepError):
            story.lead(candidate)
    # Both of its znodes go with its session, and not before.
    story.expire(B2)
    assert (story.state.orphan[B2], story.state.number[B2], story.woken()) == (None, None, {B10})
    assert story.step("hear", candidate=B10).lead(B10).leaders() == {B10}


def test_who_has_two_znodes_and_nobody_between_them_waits_for_itself() -> None:
    for profile in ("orphaned", "watch_first"):
        story = Story(profile, lost_answers=1, finds_own=False).step("join_unheard", candidate=B2)
        story.step("connect_again", candidate=B2).step("join_again", candidate=B2).wait(B2)
        assert story.false() == {"one_znode_each", "nobody_waits_for_itself"}


def test_who_looks_at_a_server_that_is_behind_finds_nothing_unless_it_calls_sync() -> None:
    story = unheard("without_sync").step("connect_behind", candidate=B2)
    with pytest.raises(StepError, match="behind"):
        story.step("find_own", candidate=B2)
    assert "one_znode_each" in story.step("join_again", candidate=B2).false()
    story = unheard("recipe").step("connect_behind", candidate=B2)
    for action in ("find_own", "join_again"):
        with pytest.raises(StepError):
            story.step(action, candidate=B2)
    assert story.step("catch_up", candidate=B2).step("find_own", candidate=B2).lead(B2).leaders() == {B2}


def test_a_leader_that_was_replaced_answers_a_sync_and_writes_nothing() -> None:
    """ZOOKEEPER-1675: the second znode is created by way of the new leader."""
    story = unheard("zookeeper_1675").step("connect_behind", candidate=B2)
    with pytest.raises(StepError, match="knows_of_none"):
        story.step("join_again", candidate=B2)
    story.step("find_none", candidate=B2)
    with pytest.raises(StepError, match="knows_of_none"):
        story.step("join_again", candidate=B2)
    assert "one_znode_each" in story.step("catch_up", candidate=B2).step("join_again", candidate=B2).false()
    # One that is not asked by way of the old leader finds it; and so does any where sync is exact.
    story = unheard("zookeeper_1675").step("connect_behind", candidate=B2).step("catch_up", candidate=B2)
    assert story.step("find_own", candidate=B2).state.role[B2] == Role.READING
    with pytest.raises(StepError, match="sync_by_quorum"):
        unheard("recipe").step("connect_behind", candidate=B2).step("find_none", candidate=B2)


def test_a_znode_of_which_its_owner_does_not_know_goes_with_its_session() -> None:
    story = unheard("recipe").wait(B10).step("end_session", candidate=B2)
    assert (story.state.number[B2], story.woken()) == (None, {B10})
    assert story.step("learn", candidate=B2).state.role[B2] == Role.OUT


def test_a_znode_that_nobody_knows_of_has_its_place_among_the_paths() -> None:
    """By path B10's come before B2's, whenever they were created; its two come one after the other."""
    story = Story("by_path", lost_answers=1, finds_own=False).join(B2).step("join_unheard", candidate=B10)
    story.step("connect_again", candidate=B10).step("join_again", candidate=B10).wait(B2, B10)
    assert (story.state.watches[B2], story.state.watches[B10]) == (Set([2]), Set([1]))


# --- what is turned off -----------------------------------------------------------------------------------------------


def test_where_all_watch_the_first_all_are_woken() -> None:
    story = Story("watch_first").join(B2, B10, B1, B3).lead(B2).wait(B10, B1, B3).expire(B2)
    assert story.woken() == {B10, B1, B3}


def test_a_leader_that_ignores_its_expiry_believes_for_ever_and_is_refused() -> None:
    story = Story("zookeeper_1209").join(B2, B10).lead(B2).expire(B2).step("learn", candidate=B2)
    assert story.false() == {"no_leader_without_session"}
    story.lead(B10).act(B10)
    with pytest.raises(StepError, match="obeyed"):
        story.act(B2)


def test_the_paths_are_ordered_as_strings() -> None:
    paths = {PLACES[at * MOST + number]: (broker, number) for at, broker in enumerate(IDS) for number in range(MOST)}
    assert [paths[place][0] for place in range(0, len(PATHS), MOST)] == [1, 10, 2, 3]
    assert PATHS[PLACES[1 * MOST + 2]] == "control_path_1_10-0000000002"


def test_a_newcomer_with_a_smaller_path_passes_a_leader_that_is_well() -> None:
    story = Story("by_path").join(B2).lead(B2).act(B2).join(B10).lead(B10)
    assert story.leaders() == {B2, B10}
    assert story.woken() == set()
    # The epoch still keeps them apart, and it is the leader that is well that is refused.
    story.act(B10)
    with pytest.raises(StepError, match="obeyed"):
        story.act(B2)
    assert story.false() == {"at_most_one_believes_to_lead", "min_seq_leader"}


def test_by_number_the_same_newcomer_waits() -> None:
    story = Story().join(B2).lead(B2).join(B10)
    with pytest.raises(StepError):
        story.lead(B10)


# --- properties that no profile violates can fail ---------------------------------------------------------------------


def test_properties_of_states_can_fail() -> None:
    """In states that no run leads to."""
    story = Story(candidates=2).join(B2, B10).lead(B2)
    shape, state = state_shape(story.model), story.state
    story.state = shape.replace(state, number=Map({B2: 0, B10: 0}))
    assert "unique_ephemeral" in story.false()
    story.state = shape.replace(state, session=Map({B2: Session.EXPIRED, B10: Session.CONNECTED}))
    assert "unique_ephemeral" in story.false()
    leading = Map({B2: Role.LEADING, B10: Role.LEADING})
    story.state = shape.replace(state, role=leading, epoch_of=Map({B2: 1, B10: 1}))
    assert "leader_epoch_unique" in story.false()


def test_properties_of_steps_can_fail() -> None:
    """In steps that no action takes."""
    story = Story(candidates=2).join(B2, B10).lead(B2).wait(B10)
    replaced, state = state_shape(story.model).replace, story.state
    gone = replaced(state, number=Map({B2: None, B10: 1}))
    steps = {
        "leader_epoch_monotone": (state, replaced(state, epoch=2)),
        "ephemeral_semantics": (state, gone),
        "watch_one_shot": (state, replaced(state, news=Map({B2: Set([1]), B10: Set()}))),
        "nothing_written_without_majority": (replaced(state, majority=False), replaced(gone, majority=False)),
    }
    for name, (before, after) in steps.items():
        prop = next(prop for prop in story.model.properties if prop.name == name)
        assert holds(story.model, prop, before, before), name
        assert not holds(story.model, prop, before, after), name
    # News of a watch that is still set would come twice.
    twice = replaced(state, news=Map({B2: Set(), B10: Set([0])}))
    prop = next(prop for prop in story.model.properties if prop.name == "watch_one_shot")
    assert not holds(story.model, prop, state, twice)


# --- what is recorded -------------------------------------------------------------------------------------------------


def check_name(check: CheckRecord) -> str:
    return f"{check.profile} {check.bounds} {' '.join(check.properties) if len(check.properties) < 3 else 'rest'}"


@pytest.mark.parametrize(
    "check", gate_parameters(CHECKS, lambda check: "violated" in str(check.properties), check_name)
)
def test_what_is_recorded_comes_out(check: CheckRecord, cache: Path) -> None:
    """The counterexamples; exhaustive searches are long, and the gate makes them all again."""
    assert_as_recorded(check, ENGINES["native"](bind_check(check), Search(symmetry=check.symmetry, cache=cache), None))


def test_every_rule_has_a_profile_without_it_and_what_then_fails() -> None:
    fails = {(check.profile, name) for check in CHECKS for name, it in check.properties.items() if it.steps}
    assert {
        ("by_path", "min_seq_leader"), ("by_path", "leader_stability"), ("by_path", "no_herd"),
        ("watch_first", "no_herd"), ("unfenced", "no_zombie_effect"), ("lost_wakeup", "nobody_waits_in_vain"),
        ("zookeeper_1209", "no_leader_without_session"), ("recipe", "at_most_one_believes_to_lead"),
        ("orphaned", "one_znode_each"), ("orphaned", "nobody_waits_for_itself"), ("without_sync", "one_znode_each"),
        ("zookeeper_1675", "one_znode_each"), ("zookeeper_1675", "nobody_waits_for_itself"),
    } <= fails  # fmt: skip


def test_plain_python_counts_the_same(cache: Path) -> None:
    small = {"candidates": 2, "znodes": 2, "cuts": 1}
    kept = ["no_zombie_effect", "leader_stability", "no_herd"]
    model = find("znode_election")[0].bind("small", small, "recipe", properties=kept)
    native, plain = (ENGINES[name](model, Search(cache=cache), None) for name in ("native", "python"))
    counts = [(verdict.distinct_states, verdict.transitions, verdict.depth) for verdict in (native, plain)]
    assert counts[0] == counts[1]


def test_plain_python_counts_the_same_where_answers_are_lost(cache: Path) -> None:
    small = {"candidates": 2, "znodes": 3, "cuts": 0, "majority_losses": 0, "lost_answers": 1, "late_servers": 1}
    search = Search(cache=cache, keep_going=True)
    for profile in ("orphaned", "without_sync", "zookeeper_1675"):
        kept = ["one_znode_each", "nobody_waits_for_itself"]
        model = find("znode_election")[0].bind("small", small, profile, properties=kept)
        native, plain = (ENGINES[name](model, search, None) for name in ("native", "python"))
        assert native.distinct_states == plain.distinct_states
        assert [it.verdict for it in native.properties] == [it.verdict for it in plain.properties]
