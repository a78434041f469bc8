"""A group of consumers as stories, and what was recorded of it. The steps are taken by the judge."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language.judge import holds, initial_states, replay, state_shape
from tidegate.language.steptext import StepError
from tidegate.language.values import Map, State
from tidegate.model.consumer.state import Commits, Member, Partition, Phase, Reset

from ...conftest import ROOT
from ...support.pages import page_with_appendix
from ...support.shipped import bind_shipped, gate_parameters
from ..test_counts import assert_as_recorded, bind_check

A, B = Member(0), Member(1)
P = Partition(0)
CHECKS = read_record_file(ROOT / "spec" / "consumer.toml").checks


class Story:
    """A group of A and B, one partition P, and records in it."""

    def __init__(self, profile: str = "auto", **sizes: Any) -> None:
        bounds = {"records": 3, "entries": 3, "partitions": 1, "max_generation": 3, **sizes}
        self.model = bind_shipped(f"consumer:{profile}", bounds, called=profile)
        self.state: State = next(iter(initial_states(self.model)))

    def step(self, action: str, **arguments: Any) -> Story:
        """Takes one step; StepError when it is disabled."""
        self.state = replay(self.model, self.state, [(action, arguments)]).steps[-1].state_after
        return self

    def produce(self, count: int) -> Story:
        """So many records are produced."""
        for _ in range(count):
            self.step("produce", partition=P)
        return self

    def generation_of(self, member: Member) -> Story:
        """A generation begins in which a member has P."""
        return self.step("begin_generation", owner=Map({P: member}))

    def consumed_by(self, member: Member) -> Story:
        """A member starts, has P alone, and begins at the group's offset."""
        self.step("start_member", member=member).generation_of(member)
        return self.step("begin_at_offset", member=member, partition=P)

    def polls(self, member: Member, upto: int) -> Story:
        return self.step("poll", member=member, partition=P, upto=upto)

    def processes(self, member: Member, entry: int, commits_it: bool = False) -> Story:
        return self.step("process", member=member, partition=P, entry=entry, commits_it=commits_it)

    def taken_over(self) -> Story:
        """A is thrown out, and B has P."""
        self.step("session_times_out", member=A).step("start_member", member=B).generation_of(B)
        return self.step("begin_at_offset", member=B, partition=P)

    def effects(self) -> list[int]:
        """How often each record was processed."""
        return [self.state.effects[P][entry] for entry in range(3)]

    def false(self) -> set[str]:
        """The invariants that are false now."""
        return {p.name for p in self.model.properties if p.kind == "invariant" and not holds(self.model, p, self.state)}


def test_a_poll_commits_what_the_poll_before_it_returned() -> None:
    story = Story().produce(2).consumed_by(A).polls(A, 1)
    with pytest.raises(StepError):
        story.step("commit", member=A)  # it is processing
    story.processes(A, 0).step("commit", member=A)
    assert (story.state.offset[P], story.false()) == (1, set())


def test_what_was_processed_and_not_committed_is_processed_again_after_a_crash() -> None:
    story = Story().produce(1).consumed_by(A).polls(A, 1).processes(A, 0).step("crash", member=A).taken_over()
    assert story.polls(B, 1).processes(B, 0).effects() == [2, 0, 0]
    assert story.false() == {"at_most_once"}


@pytest.mark.parametrize("profile", ["auto_handed_over", "kafka_18641"])
def test_positions_may_be_committed_whose_records_are_lost(profile: str) -> None:
    story = Story(profile).produce(1).consumed_by(A).polls(A, 1).step("commit", member=A)
    assert story.false() == set()
    assert story.step("crash", member=A).false() == {"at_least_once"}


def test_close_commits_what_an_exception_left() -> None:
    story = Story("closes_after_exception").produce(1).consumed_by(A).polls(A, 1).step("fail", member=A)
    assert (story.state.offset[P], story.state.phase[A], story.false()) == (1, Phase.OUT, {"at_least_once"})
    story = Story("after_with_exception").produce(1).consumed_by(A).polls(A, 1).step("fail", member=A)
    assert (story.state.offset[P], story.false()) == (0, set())


def test_commit_before_processing_loses_what_was_in_hand() -> None:
    story = Story("before").produce(1).consumed_by(A).polls(A, 1)
    assert story.state.offset[P] == 1
    assert story.step("crash", member=A).false() == {"at_least_once"}


def test_a_pool_commits_a_record_before_those_below_it() -> None:
    story = Story("after_in_pool").produce(2).consumed_by(A).polls(A, 2).processes(A, 1, commits_it=True)
    assert story.step("crash", member=A).false() == {"at_least_once"}


def test_a_zombie_goes_on_and_its_commit_is_refused() -> None:
    story = Story().produce(1).consumed_by(A).polls(A, 1).step("pause", member=A)
    story.step("start_member", member=B).generation_of(B).step("begin_at_offset", member=B, partition=P)
    assert story.false() == {"one_consumer_has_it"}
    story.polls(B, 1).processes(B, 0).processes(A, 0)
    assert story.effects() == [2, 0, 0]
    with pytest.raises(StepError):
        story.step("commit", member=A)
    story.step("notice", member=A)
    assert story.state.phase[A] == Phase.JOINING


def test_a_rebalance_waits_for_who_processes_and_commits_by_itself() -> None:
    story = Story().produce(1).consumed_by(A).polls(A, 1).step("start_member", member=B)
    with pytest.raises(StepError):
        story.step("rejoin", member=A)
    story.processes(A, 0).step("rejoin", member=A).generation_of(B)
    assert story.state.offset[P] == 1


@pytest.mark.parametrize(
    ("profile", "since", "false"),
    [
        ("latest_offset_lost", 2, {"nothing_skipped"}),
        ("earliest_offset_lost", 0, set[str]()),
        ("none_offset_lost", 0, {"goes_on"}),
        ("duration_offset_lost", 1, {"nothing_skipped"}),
    ],
)
def test_where_a_group_without_an_offset_begins(profile: str, since: int, false: set[str]) -> None:
    story = Story(profile).produce(2).step("lose_offset", partition=P).step("start_member", member=A).generation_of(A)
    story.step("reset_position", member=A, partition=P, since=since)
    assert story.false() == false


def test_a_duration_without_a_record_young_enough_is_no_position() -> None:
    """The broker answers without an offset, and the consumer asks again (KIP-1106)."""
    story = Story("duration_offset_lost").produce(1).step("lose_offset", partition=P)
    story.step("start_member", member=A).generation_of(A)
    with pytest.raises(StepError):
        story.step("reset_position", member=A, partition=P, since=1)
    story.produce(1).step("reset_position", member=A, partition=P, since=1)
    assert story.false() == {"nothing_skipped"}


def test_a_log_that_was_truncated_and_grew_again_is_noticed_since_kip_320() -> None:
    def story_of_truncation(profile: str) -> Story:
        story = Story(profile).produce(1).consumed_by(A).polls(A, 1).processes(A, 0)
        return story.step("truncate", partition=P).produce(1)

    assert story_of_truncation("truncated").false() == {"nothing_skipped"}
    story = story_of_truncation("kip_320")
    with pytest.raises(StepError):
        story.produce(1).polls(A, 2)
    story.step("detect_truncation", member=A, partition=P)
    assert (story.state.position[A][P], story.false()) == (0, set())


@pytest.mark.parametrize(("cuts", "since"), [("higher", 1), ("as high", 1), ("lower", 0)])
def test_a_second_cut_does_not_hide_the_first(cuts: str, since: int) -> None:
    """Kafka 4.1.0 answers so: epoch 0 ends where the first record of a later one is (LeaderEpochFileCache)."""
    story = Story("kip_320_cut_twice", records=4, entries=4).produce(2).consumed_by(A).polls(A, 2)
    story.processes(A, 0).processes(A, 1).step("commit", member=A).step("truncate", partition=P)
    story.produce({"higher": 2, "as high": 1, "lower": 0}[cuts]).step("truncate", partition=P)
    story.produce(4 - len(story.state.logs[P].appended))
    assert story.false() == set()
    with pytest.raises(StepError):
        story.polls(A, 3)
    again = story.step("detect_truncation", member=A, partition=P).state
    assert (again.position[A][P], again.offset[P], story.false()) == (since, 2, set())


def test_a_second_cut_says_where_the_position_of_each_epoch_goes_back() -> None:
    """A has read under the first leader, B under the second, and the third has less than either."""
    story = Story("kip_320_cut_twice", records=4, entries=4, pauses=1).produce(2).consumed_by(A).polls(A, 2)
    story.processes(A, 0).processes(A, 1).step("truncate", partition=P).produce(2).step("pause", member=A)
    story.step("start_member", member=B).generation_of(B).step("begin_at_offset", member=B, partition=P).polls(B, 3)
    story.step("truncate", partition=P)
    assert [story.state.position_epoch[member][P] for member in (A, B)] == [0, 1]
    for member in (A, B):
        for entry in story.state.in_hand[member][P]:
            story.processes(member, entry)
        story.step("detect_truncation", member=member, partition=P)
    assert [story.state.position[member][P] for member in (A, B)] == [1, 2]


def test_a_first_leader_that_comes_back_is_not_noticed() -> None:
    """Kafka 4.1.0 answers so: epoch 1 ends in its log where epoch 2 begins, which is not before the position."""
    story = Story("kip_320_comes_back").produce(1).step("truncate", partition=P).produce(1).consumed_by(A)
    story.polls(A, 1).processes(A, 1).step("come_back", partition=P)
    assert (list(story.state.logs[P].committed), story.false()) == ([0], {"nothing_skipped"})
    with pytest.raises(StepError):
        story.step("detect_truncation", member=A, partition=P)
    assert story.step("commit", member=A).false() == {"nothing_skipped", "at_least_once"}


def test_who_has_read_under_a_leader_that_comes_back_has_nothing_to_read_again() -> None:
    story = Story("kip_320_comes_back").produce(1).consumed_by(A).polls(A, 1).processes(A, 0)
    story.step("truncate", partition=P).produce(1).step("come_back", partition=P)
    assert (story.state.position[A][P], story.false()) == (1, set())
    assert story.produce(1).polls(A, 2).processes(A, 2).effects() == [1, 0, 1]


@pytest.mark.parametrize("with_epoch", [True, False])
def test_a_record_that_was_cut_while_it_was_in_hand_is_committed_at_its_offset(with_epoch: bool) -> None:
    story = Story("kip_320", commits=Commits.EACH, commits_epochs=with_epoch).produce(1).consumed_by(A).polls(A, 1)
    story.step("truncate", partition=P).produce(1).processes(A, 0, commits_it=True)
    assert (story.state.offset[P], story.state.offset_epoch[P]) == (1, 0 if with_epoch else None)
    assert story.false() == (set() if with_epoch else {"at_least_once"})


def test_a_cut_below_an_offset_that_was_committed_alone_is_not_noticed() -> None:
    def begun_again(profile: str, **constants: Any) -> Story:
        story = Story(profile, **constants).produce(1).consumed_by(A).polls(A, 1).processes(A, 0)
        story.step("commit", member=A).step("truncate", partition=P).produce(1).step("crash", member=A)
        return story.taken_over()

    story = begun_again("kip_320_offset_alone")
    assert (story.state.position[B][P], story.false()) == (1, {"at_least_once", "nothing_skipped"})
    story = begun_again("kip_320", commits=Commits.AFTER)
    assert story.false() == set()
    assert story.step("detect_truncation", member=B, partition=P).state.position[B][P] == 0


def test_a_position_of_a_reset_has_no_epoch_until_a_record_is_read() -> None:
    story = Story("kip_320_latest").produce(1).step("start_member", member=A).generation_of(A)
    story.step("reset_position", member=A, partition=P, since=1)
    assert (story.state.position[A][P], story.state.position_epoch[A][P]) == (1, None)
    committed = replay(story.model, story.state, [("commit", {"member": A})]).steps[-1].state_after
    assert (committed.offset[P], committed.offset_epoch[P]) == (1, None)
    before = story.state
    prop = next(prop for prop in story.model.properties if prop.name == "cut_is_noticed")
    assert not holds(story.model, prop, before, story.step("truncate", partition=P).state)
    story.state = before
    before = story.produce(1).polls(A, 2).state
    assert holds(story.model, prop, before, story.step("truncate", partition=P).state)


def test_without_a_reset_a_consumer_that_notices_a_cut_stops() -> None:
    story = Story("kip_320", reset=Reset.NONE).produce(1).consumed_by(A).polls(A, 1).processes(A, 0)
    story.step("truncate", partition=P).step("detect_truncation", member=A, partition=P)
    assert (story.state.phase[A], story.false()) == (Phase.STOPPED, {"goes_on"})


def test_a_commit_before_a_rebalance_that_is_sent_again_has_newer_positions() -> None:
    story = Story("kip_848_retry").produce(1).consumed_by(A)
    with pytest.raises(StepError):
        story.step("retry_commit", member=A)
    story.step("fail_commit", member=A).polls(A, 1).step("retry_commit", member=A)
    assert (story.state.offset[P], story.state.retrying, story.false()) == (1, frozenset(), set())
    assert story.step("crash", member=A).false() == {"at_least_once"}


def test_a_commit_that_is_sent_again_moves_the_offset_back() -> None:
    story = Story("async_sent_again").produce(2).consumed_by(A).polls(A, 1).processes(A, 0)
    story.step("delay_commit", member=A, partition=P).polls(A, 2).processes(A, 1).step("commit", member=A)
    before = story.state
    (delayed,) = story.state.delayed
    story.step("commit_again", delayed=delayed)
    prop = next(prop for prop in story.model.properties if prop.name == "offset_never_goes_back")
    assert (story.state.offset[P], holds(story.model, prop, before, story.state)) == (1, False)


def test_a_commit_of_who_was_thrown_out_counts_where_none_is_fenced_when_it_is_sent_again_too() -> None:
    for profile, offset in (("async_sent_again", 0), ("unfenced", 1)):
        story = Story(profile, delays=1, polls_uncommitted=True, pauses=1).produce(2).consumed_by(A).polls(A, 1)
        story.processes(A, 0).step("delay_commit", member=A, partition=P).step("pause", member=A)
        (delayed,) = story.state.delayed
        assert story.step("commit_again", delayed=delayed).state.offset[P] == offset, profile


def test_properties_that_no_profile_violates_can_fail() -> None:
    """In a state that no action leads to."""
    story = Story().consumed_by(A)
    both = Map({A: frozenset({P}), B: frozenset({P})})
    everybody = Map({A: 1, B: 1})
    changed = state_shape(story.model).replace(story.state, owned=both, known=everybody, group=frozenset({A, B}))
    prop = next(prop for prop in story.model.properties if prop.name == "one_member_has_it")
    assert holds(story.model, prop, story.state)
    assert not holds(story.model, prop, changed)


def check_name(check: CheckRecord) -> str:
    return f"{check.profile} {check.bounds} {next(iter(check.properties))}"


def is_quick(check: CheckRecord) -> bool:
    """Whether it is one of a sample."""
    return (check.profile, check.bounds) == ("truncated", "three_records")


@pytest.mark.parametrize("check", gate_parameters(CHECKS, is_quick, check_name))
def test_what_is_recorded_comes_out(check: CheckRecord, cache: Path) -> None:
    assert_as_recorded(check, ENGINES["native"](bind_check(check), Search(symmetry=check.symmetry, cache=cache), None))


def test_every_profile_is_recorded() -> None:
    recorded = {check.profile for check in CHECKS}
    assert set(find("consumer")[0].profiles) - recorded == {"earliest"}  # the default's runs, where no offset is lost


def test_plain_python_counts_the_same(cache: Path) -> None:
    small = {"records": 1, "entries": 1, "partitions": 1, "max_generation": 2, "pauses": 0}
    model = find("consumer")[0].bind("small", small, "auto", properties=["at_least_once", "in_order"])
    search = Search(symmetry=True, cache=cache)
    native, plain = (ENGINES[name](model, search, None) for name in ("native", "python"))
    counts = [(verdict.distinct_states, verdict.transitions, verdict.depth) for verdict in (native, plain)]
    assert counts[0] == counts[1]


def test_the_tables_of_the_page_are_what_is_recorded() -> None:
    text = page_with_appendix("producers.md")
    rows = re.findall(r"^\| `(\w+)` \| [^|]*\| `(\w+)` \| `(\w+)` \| (\d+) \|$", text, re.MULTILINE)
    recorded = [
        (check.profile, name, check.bounds, str(expected.steps))
        for model in ("producer", "consumer", "end_to_end")
        for check in read_record_file(ROOT / "spec" / f"{model}.toml").checks
        for name, expected in check.properties.items()
        if expected.verdict == "violated"
    ]
    assert sorted(rows) == sorted(recorded)
