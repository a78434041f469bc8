"""Static members as stories, and what was recorded of them. The steps are taken by the judge."""

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
from tidegate.language.values import State
from tidegate.model.static_members import Client, GroupState, Instance, Phase

from ...conftest import ROOT
from ...support.shipped import bind_shipped, gate_parameters
from ..test_counts import assert_as_recorded, bind_check

A, B, C = Client(0), Client(1), Client(2)
ONE, TWO = Instance(0), Instance(1)
CHECKS = read_record_file(ROOT / "spec" / "static_members.toml").checks


class Story:
    """Clients A, B and C, of which none runs, and instances I and J."""

    def __init__(self, profile: str = "kip_345") -> None:
        sizes = {"joins": 5, "entries": 5, "max_generation": 3}
        self.model = bind_shipped(f"static_members:{profile}", sizes, called=profile)
        self.state: State = next(iter(initial_states(self.model)))

    def step(self, action: str, **arguments: Any) -> Story:
        """Takes one step; StepError when it is disabled."""
        self.state = replay(self.model, self.state, [(action, arguments)]).steps[-1].state_after
        return self

    def both(self) -> Story:
        """A runs as I and B as J."""
        self.step("start_client", client=A, instance=ONE).step("start_client", client=B, instance=TWO)
        self.step("join_anew", client=A).step("join_anew", client=B).step("begin_generation").step("assign").commit()
        return self.step("take_assignment", client=A).step("take_assignment", client=B)

    def commit(self) -> Story:
        """What was appended is committed."""
        return self.step("log_commits", entry=self.state.pending)

    def replace(self, client: Client) -> Story:
        """Another client is started as I."""
        return self.step("start_client", client=client, instance=ONE).step("replace_in_stable_group", client=client)

    def false(self) -> set[str]:
        """The invariants that are false now."""
        return {p.name for p in self.model.properties if p.kind == "invariant" and not holds(self.model, p, self.state)}


def test_a_static_member_that_starts_again_has_its_assignment_back_without_a_rebalance() -> None:
    story = Story().both().step("stop_client", client=A).replace(A).commit()
    assert (story.state.phase[A], story.state.generation, story.state.group_state) == (
        Phase.RUNNING,
        1,
        GroupState.STABLE,
    )
    assert story.state.member[A] == 3 and story.false() == set()


def test_of_two_clients_of_one_instance_the_last_one_goes_on() -> None:
    story = Story().both().replace(C).commit().step("heartbeat", client=A)
    assert (story.state.phase[A], story.state.phase[C]) == (Phase.FENCED, Phase.RUNNING)
    with pytest.raises(StepError):
        story.step("heartbeat", client=C)


def test_an_instance_whose_session_ends_is_thrown_out_with_a_rebalance() -> None:
    story = Story().both().step("stop_client", client=A).step("session_times_out", instance=ONE)
    assert story.state.group_state == GroupState.PREPARING_REBALANCE
    story.step("rejoin", client=B).step("begin_generation").step("assign").commit()
    assert (story.state.generation, story.state.ids[ONE]) == (2, 0)


def test_the_next_coordinator_knows_the_id_of_a_client_that_took_anothers_place_since_kafka_10284() -> None:
    story = Story().both().step("stop_client", client=A).replace(C).commit()
    story.step("fail_over", survives=False).step("load")
    assert (story.state.ids[ONE], story.false()) == (3, set())
    story = Story("kafka_10284").both().replace(C).step("fail_over", survives=False).step("load")
    assert story.false() == {"confirmed_id_is_known"}
    # The client that was replaced goes on, and the other is fenced.
    assert story.step("heartbeat", client=C).state.phase[C] == Phase.FENCED
    with pytest.raises(StepError):
        story.step("heartbeat", client=A)


def test_a_replacement_that_was_not_committed_is_not_answered_and_joins_again() -> None:
    story = Story().both().replace(C).step("fail_over", survives=False).step("load")
    assert (story.state.phase[C], story.state.ids[ONE]) == (Phase.JOINING, 1)
    story.step("replace_in_stable_group", client=C).commit().step("heartbeat", client=A)
    assert story.state.phase[A] == Phase.FENCED


def test_who_joins_while_the_leader_computes_begins_another_rebalance() -> None:
    for profile, state in (
        ("kip_345", GroupState.PREPARING_REBALANCE),
        ("kept_while_completing", GroupState.COMPLETING_REBALANCE),
    ):
        story = Story(profile).step("start_client", client=A, instance=ONE).step("join_anew", client=A)
        story.step("begin_generation").step("start_client", client=C, instance=ONE)
        story.step("replace_in_rebalance", client=C)
        assert story.state.group_state == state, profile
    assert story.step("assign").commit().false() == {"legal_assignment"}


def test_a_member_id_may_be_given_twice_up_to_2_3_0_where_the_state_has_not_changed() -> None:
    for profile, same in (("kip_345", False), ("kafka_8715", True)):
        story = Story(profile).both().step("stop_client", client=B)
        story.replace(C).commit().replace(B).commit()
        assert (story.state.member[B] == story.state.member[C]) == same, profile
        assert story.false() == ({"no_double_client_assignment"} if same else set[str]())


def test_properties_that_no_profile_violates_can_fail() -> None:
    """In steps that no action takes."""
    story = Story().both()
    before = story.state
    changed = state_shape(story.model).replace(before, group_state=GroupState.PREPARING_REBALANCE)
    older = state_shape(story.model).replace(before, generation=0)
    for name, after in (("restart_begins_no_rebalance", changed), ("generations_never_go_back", older)):
        prop = next(prop for prop in story.model.properties if prop.name == name)
        assert holds(story.model, prop, before, before), name
        assert not holds(story.model, prop, before, after), name


def check_name(check: CheckRecord) -> str:
    return f"{check.profile} {check.bounds}"


def is_quick(check: CheckRecord) -> bool:
    """Whether it is one of those that take a tenth of a second."""
    return check.profile in ("kafka_8715", "kafka_10284")


@pytest.mark.parametrize(
    "check", gate_parameters([check for check in CHECKS if check.tier == "commit"], is_quick, check_name)
)
def test_what_is_recorded_comes_out(check: CheckRecord, cache: Path) -> None:
    assert_as_recorded(check, ENGINES["native"](bind_check(check), Search(symmetry=check.symmetry, cache=cache), None))


def test_every_rule_has_a_profile_without_it_and_what_then_fails() -> None:
    definition = find("static_members")[0]
    fails = {check.profile for check in CHECKS if any(it.verdict == "violated" for it in check.properties.values())}
    assert fails == set(definition.profiles) - {"kip_345"}


def test_plain_python_counts_the_same(cache: Path) -> None:
    small = {"clients": 2, "instances": 1, "joins": 2, "max_generation": 1, "failovers": 1, "entries": 2}
    model = find("static_members")[0].bind("small", small, "kip_345", properties=["no_double_client_assignment"])
    search = Search(symmetry=True, cache=cache)
    native, plain = (ENGINES[name](model, search, None) for name in ("native", "python"))
    counts = [(verdict.distinct_states, verdict.transitions, verdict.depth) for verdict in (native, plain)]
    assert counts[0] == counts[1]
