"""Consuming, processing and producing in transactions as stories, and what was recorded of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.transactional_processing import last_stable_offset
from tidegate.language.judge import initial_states, replay
from tidegate.language.steptext import StepError
from tidegate.language.values import Map, Set
from tidegate.model.parts.generations import Consumer, Partition
from tidegate.model.parts.outcomes import Stage

from ...conftest import ROOT
from ...support.pages import page_with_appendix
from ...support.shipped import bind_shipped, gate_parameters
from ..test_counts import assert_as_recorded, bind_check

A, B, P = Consumer(0), Consumer(1), Partition(0)
CHECKS = read_record_file(ROOT / "spec" / "transactional_processing.toml").checks


def check_name(check: CheckRecord) -> str:
    return f"{check.profile} {check.bounds} {'' if check.counts else next(iter(check.properties))}"


def is_short(check: CheckRecord) -> bool:
    """Whether it is one of processing that takes less than a second."""
    return check.bounds == "two_members" and check.profile != "kafka_2_5"


@pytest.mark.parametrize(
    "check", gate_parameters([check for check in CHECKS if check.tier == "commit"], is_short, check_name)
)
def test_what_is_recorded_of_processing_comes_out(check: CheckRecord, cache: Path) -> None:
    assert_as_recorded(check, ENGINES["native"](bind_check(check), Search(symmetry=True, cache=cache), None))


def test_what_is_taken_for_granted_of_transactions_is_exhausted_with_late_requests() -> None:
    """Each claim of the page's table, of records, of offsets, and of both in one transaction; but that a late copy of a
    commit of offsets shares the fate of its transaction (T6)."""
    text = page_with_appendix("transactions.md")
    table = text.partition("| what is taken for granted |")[2].partition("\n\n")[0]
    claims = set(re.findall(r"\| T\d+ `(\w+)` \|", table))
    assert len(claims) == 7
    checks = read_record_file(ROOT / "spec" / "transactions.toml").checks
    of_offsets = claims - {"fenced_producers_have_no_effect"}
    for profile, asked, within in (
        ("kafka_4_2", claims, {"late_pair", "late_write", "late_marker"}),
        ("offsets_4_2", of_offsets, {"late_write"}),
        ("both_4_2", of_offsets, {"late_write_and_marker"}),
    ):
        exhausted = {
            check.bounds
            for check in checks
            if check.profile == profile and check.counts
            if asked <= {name for name, found in check.properties.items() if found.verdict == "holds"}
        }
        assert within <= exhausted


class Pipeline:
    """Members A and B of a group, and partition P, of which A has written the result of record 0."""

    def __init__(self, profile: str) -> None:
        self.model = bind_shipped(f"transactional_processing:{profile}", {"partitions": 1}, called=profile)
        self.per_partition = profile == "id_per_partition"
        self.state: Any = next(iter(initial_states(self.model)))
        self.gives_to(A).begins(A).step("process", member=A, partition=P)

    def step(self, action: str, **arguments: Any) -> Pipeline:
        """Takes one step; StepError when it is disabled."""
        self.state = replay(self.model, self.state, [(action, arguments)]).steps[-1].state_after
        return self

    def gives_to(self, member: Consumer) -> Pipeline:
        """A generation begins of which that member alone hears, and has the partition."""
        shares = {c: Set([P]) if c == member else Set() for c in (A, B)}
        return self.step("begin_generation", heard=Set([member]), share=Map(shares))

    def begins(self, member: Consumer) -> Pipeline:
        """Its producer gets an epoch, and it fetches the committed offset."""
        if self.per_partition:
            if any(self.state.transactions[c][P].state == Stage.ONGOING for c in (A, B)):
                self.step("fence", member=member, partition=P)
                self.step("mark_output", member=A, partition=P)
            self.step("init_for_partition", member=member, partition=P)
        else:
            self.step("init_for_process", member=member)
        return self.step("fetch_offset", member=member, partition=P)


@pytest.mark.parametrize(
    ("profile", "refused"),
    [("kafka_2_5", True), ("kafka_2_4", False), ("id_per_partition", True), ("without_metadata", False)],
)
def test_a_zombie_adds_no_offset_since_kip_447(profile: str, refused: bool) -> None:
    story = Pipeline(profile).gives_to(B).begins(B)
    if refused:
        with pytest.raises(StepError):
            story.step("add_offset", member=A)
    else:
        story.step("add_offset", member=A)


def test_who_takes_over_waits_for_an_offset_until_its_marker_is_there() -> None:
    """The transaction is decided, and even its result is delivered: the offset is what counts."""
    story = Pipeline("kafka_2_5").step("add_offset", member=A).gives_to(B)
    story.step("init_for_process", member=B).step("commit", member=A)
    story.step("mark_output", member=A, partition=P)
    with pytest.raises(StepError):
        story.step("fetch_offset", member=B, partition=P)
    story.step("mark_offset", member=A, partition=P)
    story.step("fetch_offset", member=B, partition=P)
    assert story.state.position[B][P] == 1


def test_a_reader_stops_at_what_is_open_though_a_later_result_is_committed() -> None:
    story = Pipeline("kafka_2_4").gives_to(B).begins(B)
    for action in ("process", "add_offset", "commit", "mark_output"):
        where = {"partition": P} if action in ("process", "mark_output") else {}
        story.step(action, member=B, **where)
    assert [result.status.value for result in story.state.output] == ["open", "committed"]
    assert last_stable_offset(story.state) == 0
    story.step("give_up", member=A).step("mark_output", member=A, partition=P)
    assert last_stable_offset(story.state) == 2
