"""From a producer to an effect: stories, what was recorded, and what docs/producers.md says of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language.judge import holds, initial_states, replay
from tidegate.language.values import Map, State
from tidegate.model.consumer.state import Member, Partition

from ...conftest import ROOT
from ...support.pages import page_with_appendix
from ...support.shipped import bind_shipped, gate_parameters
from ..test_counts import assert_as_recorded, bind_check

A, B = Member(0), Member(1)
P = Partition(0)
RECORDED = read_record_file(ROOT / "spec" / "end_to_end.toml")
PAGE = page_with_appendix("producers.md")


class Story:
    """A group of A and B, one partition P, and two entries in its log, which A has in hand."""

    def __init__(self, profile: str, **sizes: Any) -> None:
        given = {"entries": 3, "records": 3, "partitions": 1, **sizes}
        self.model = bind_shipped(f"end_to_end:{profile}", given, called=profile)
        self.state: State = next(iter(initial_states(self.model)))
        self.step("produce", partition=P).step("produce", partition=P).given_to(A).step(
            "poll", member=A, partition=P, upto=2
        )

    def step(self, action: str, **arguments: Any) -> Story:
        """Takes one step; StepError when it is disabled."""
        self.state = replay(self.model, self.state, [(action, arguments)]).steps[-1].state_after
        return self

    def given_to(self, member: Member) -> Story:
        """A member starts, has P alone, and begins at the group's offset."""
        self.step("start_member", member=member).step("begin_generation", owner=Map({P: member}))
        return self.step("begin_at_offset", member=member, partition=P)

    def process(self, member: Member, *entries: int) -> Story:
        for entry in entries:
            self.step("process", member=member, partition=P, entry=entry, commits_it=False)
        return self

    def false(self) -> set[str]:
        """The invariants that are false now."""
        return {p.name for p in self.model.properties if p.kind == "invariant" and not holds(self.model, p, self.state)}


def test_a_relay_sends_again_and_the_sink_knows_the_record() -> None:
    for profile, false in (("outbox", set[str]()), ("outbox_email", {"effect_at_most_once"})):
        assert Story(profile).process(A, 0, 1).false() == false, profile


def test_a_record_that_was_never_sent_has_no_effect() -> None:
    assert Story("two_writes").false() == {"effect_at_least_once"}
    assert Story("upsert").false() == set()


def test_a_record_that_was_cut_is_to_come_only_where_somebody_has_it_in_hand() -> None:
    story = Story("upsert", truncations=1, readers_diverge=True).step("truncate", partition=P)
    assert story.false() == set()
    assert story.step("crash", member=A).false() == {"effect_at_least_once"}


def test_a_record_that_a_member_goes_back_to_is_to_come() -> None:
    story = Story("email", truncations=1, readers_diverge=True).process(A, 0, 1).step("truncate", partition=P)
    assert story.step("produce", partition=P).false() == set()
    story.step("detect_truncation", member=A, partition=P).step("poll", member=A, partition=P, upto=2)
    assert story.process(A, 2).false() == set()


def test_a_zombie_finds_another_offset_in_the_sink() -> None:
    for profile, times in (("offset_in_sink", 1), ("email", 2)):
        story = Story(profile).step("pause", member=A).given_to(B).step("poll", member=B, partition=P, upto=1)
        story.process(B, 0).process(A, 0)
        assert story.state.effects[P][0] == times, profile
        assert ("effect_at_most_once" in story.false()) == (times > 1)


def test_a_crash_between_effect_and_commit() -> None:
    for profile, false in (
        ("email", {"effect_at_most_once"}),
        ("upsert", set[str]()),
        ("offset_in_sink", set[str]()),
    ):
        story = Story(profile).process(A, 0).step("crash", member=A).step("session_times_out", member=A).given_to(B)
        at = story.state.position[B][P]
        story.step("poll", member=B, partition=P, upto=2).process(B, *range(at, 2))
        assert (at, story.false()) == (1 if profile == "offset_in_sink" else 0, false), profile


def check_name(check: CheckRecord) -> str:
    return f"{check.profile} {check.bounds} {next(iter(check.properties))}"


@pytest.mark.parametrize(
    "check", gate_parameters(RECORDED.checks, lambda c: check_name(c).startswith("offset_in_sink crash"), check_name)
)
def test_what_is_recorded_comes_out(check: CheckRecord, cache: Path) -> None:
    assert_as_recorded(check, ENGINES["native"](bind_check(check), Search(symmetry=check.symmetry, cache=cache), None))


def test_every_profile_is_recorded() -> None:
    assert {check.profile for check in RECORDED.checks} == set(find("end_to_end")[0].profiles)


def test_plain_python_counts_the_same(cache: Path) -> None:
    small = {"records": 1, "entries": 1, "partitions": 1, "max_generation": 2, "pauses": 0}
    model = find("end_to_end")[0].bind("small", small, "outbox", properties=["effect_at_least_once"])
    native, plain = (ENGINES[name](model, Search(symmetry=True, cache=cache), None) for name in ("native", "python"))
    counts = [(verdict.distinct_states, verdict.transitions, verdict.depth) for verdict in (native, plain)]
    assert counts[0] == counts[1]


# --- what the page says -----------------------------------------------------------------------------------------------

ROW = re.compile(r"^\| `(\w+)` \| (once|twice|never) \| ([^|]*) \| ([^|]*) \| ([^|]*) \| ([^|]*) \|$", re.MULTILINE)
ROWS = ROW.findall(PAGE)
CELLS = [(row[0], fault, row[column]) for row in ROWS for fault, column in (("crash", 4), ("pause", 5))]


def verdict(profile: str, fault: str, cache: Path) -> str:
    """What a profile keeps, as the page says it."""
    kept = dict[str, bool]()
    for name in ("effect_at_least_once", "effect_at_most_once"):
        constants = {
            **RECORDED.checks[0].constants,
            "crashes": int(fault == "crash"),
            "pauses": int(fault == "pause"),
        }
        model = find("end_to_end")[0].bind(profile, constants, profile, properties=[name])
        found = ENGINES["native"](model, Search(symmetry=True, cache=cache), None)
        (said,) = (p.verdict for p in found.properties if p.name == name)
        assert said in ("holds", "violated") and (said == "violated" or found.distinct_states), found.assurance
        kept[name] = said == "holds"
    match kept["effect_at_least_once"], kept["effect_at_most_once"]:
        case True, True:
            return "exactly once"
        case True, False:
            return "at least once"
        case False, True:
            return "at most once"
        case _:
            return "neither"


@pytest.mark.parametrize(
    ("profile", "fault", "said"),
    [
        pytest.param(*cell, marks=[] if cell[:2] == ("email", "crash") else [pytest.mark.long], id=" ".join(cell[:2]))
        for cell in CELLS
    ],
)
def test_what_each_profile_keeps(profile: str, fault: str, said: str, cache: Path) -> None:
    assert verdict(profile, fault, cache) == said


def test_every_profile_has_its_row_as_it_is() -> None:
    profiles = find("end_to_end")[0].profiles
    assert [row[0] for row in ROWS] == list(profiles)
    for name, log, commits, sink, *_ in ROWS:
        own = {key: getattr(value, "value", value) for key, value in profiles[name].items()}
        assert own.get("written", "once") == log
        assert {"automatic": "in polls", "in one transaction with the row": "with the effect"}.get(
            commits, "after processing" if commits.startswith("after") else commits
        ) == own.get("commits", "in polls")
        assert (sink == "knows its records") == own.get("knows_records", False)


CHECKED = re.findall(r"\| `(\w+):(\w+)`, `(\w+)`: `(\w+)` (holds|fails)(?= \|)", PAGE)
MISTAKES = PAGE.partition("## With each mistake and without it: the table")[2].partition("\n## ")[0]


def test_the_page_names_the_checks_of_each_mistake() -> None:
    assert len(CHECKED) == 4 + 2 * 20


def test_each_mistake_fails_with_it_and_holds_without_it() -> None:
    rows = [line for line in MISTAKES.splitlines() if line.startswith("| ")][1:]
    assert len(rows) == 20 and all(re.search(r"` fails \| .*` holds \|$", row) for row in rows)


@pytest.mark.parametrize("model", sorted({row[0] for row in CHECKED}))
def test_what_the_page_says_of_a_check_is_what_is_recorded(model: str) -> None:
    checks = read_record_file(ROOT / "spec" / f"{model}.toml").checks
    for profile, bounds, name, said in (row[1:] for row in CHECKED if row[0] == model):
        found = {
            check.properties[name].verdict
            for check in checks
            if (check.profile, check.bounds) == (profile, bounds) and not check.own and name in check.properties
        }
        assert found == {{"holds": "holds", "fails": "violated"}[said]}, (profile, bounds, name)
