"""The coordinator's assignors: what members keep and get, what was recorded, and Kafka's own classes of 4.1."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.language.judge import holds, replay, start_of, state_shape
from tidegate.language.values import Map, Set
from tidegate.model.parts.topology import Member, Topic
from tidegate.model.studies.assignors import Assignor

from ....capture import brokers as capture
from ....conftest import ROOT
from ....support.shipped import bind_shipped, gate_parameters
from ...test_counts import assert_as_recorded, bind_check
from ..assignors.test_stories import MEMBERS, PARTITIONS, TOPICS, Owners, assign_by_model

CHECKS = [
    check
    for name in ("uniform_assignor", "uniform_heterogeneous")
    for check in read_record_file(ROOT / "spec" / f"{name}.toml").checks
]
RELEASES = ("4.0.0", "4.1.0")


def uniform(
    counts: tuple[int, ...], present: set[int], subscribed: set[int], had: Owners, release: str = "4.1.0"
) -> Owners:
    """What the model's Uniform does with a previous assignment."""
    sizes = {"members": MEMBERS, "topics": TOPICS, "max_partitions": PARTITIONS}
    model = bind_shipped("uniform_assignor", {**sizes, "leaves_one_more": release != "4.0.0"})
    (initial,) = model.initials
    arguments: dict[str, Any] = {
        "partitions": Map({Topic(t): counts[t] if t < len(counts) else 0 for t in range(TOPICS)}),
        "present": Set({Member(m) for m in present}),
        "subscribed": Set({Topic(t) for t in subscribed}),
    }
    start = start_of(model, initial, arguments)
    assert start is not None
    steps: list[tuple[str, dict[str, Any]]] = [
        ("had", {"topic": Topic(t), "number": n, "member": Member(m)}) for (t, n), m in sorted(had.items())
    ]
    owners = replay(model, start, [*steps, ("assign", {})]).steps[-1].state_after.owners
    found = {(t, n): owners[Topic(t)][n] for t in range(TOPICS) for n in range(PARTITIONS)}
    return {at: number for at, owner in found.items() for number in range(MEMBERS) if owner == Member(number)}


@pytest.mark.parametrize(
    ("counts", "present", "had", "expected"),
    [
        ((3,), {0, 1}, {}, {(0, 0): 0, (0, 1): 1, (0, 2): 1}),  # 3 to two members: the last has 2
        ((4,), {0, 1}, {}, {(0, 0): 0, (0, 1): 0, (0, 2): 1, (0, 3): 1}),  # 4: 2 and 2
        ((3,), {0, 1}, {(0, 0): 1, (0, 1): 1, (0, 2): 0}, {(0, 0): 1, (0, 1): 1, (0, 2): 0}),  # who had two keeps two
        ((4,), {0, 1}, {(0, n): 0 for n in range(4)}, {(0, 0): 0, (0, 1): 0, (0, 2): 1, (0, 3): 1}),  # one joins
        ((3,), {1}, {(0, 0): 1}, {(0, n): 1 for n in range(3)}),  # one has left
    ],
)
def test_what_uniform_does(counts: tuple[int, ...], present: set[int], had: Owners, expected: Owners) -> None:
    assert uniform(counts, present, {0}, had) == expected


def test_up_to_4_0_the_first_members_get_one_more_whatever_they_had() -> None:
    had = {(0, 0): 1, (0, 1): 1, (0, 2): 0}
    assert uniform((3,), {0, 1}, {0}, had, "4.1.0") == had
    assert uniform((3,), {0, 1}, {0}, had, "4.0.0") == {(0, 0): 1, (0, 1): 0, (0, 2): 0}


def test_a_topic_that_nobody_subscribes_to_any_longer_is_nobodys() -> None:
    assert uniform((1, 1), {0, 1}, {1}, {(0, 0): 0, (1, 0): 1}) == {(1, 0): 1}


@pytest.mark.parametrize(
    ("name", "owners"),
    [
        ("balance", {(0, 0): 0, (0, 1): 0}),
        ("stickiness", {(0, 0): 1, (0, 1): 0}),
        ("balanced_stays", {(0, 0): 1, (0, 1): 0}),
        ("legal_target_assignment", {(0, 0): 0}),
        ("legal_target_assignment", {(0, 0): 0, (0, 1): 2}),  # who is not in the group
    ],
)
def test_each_property_is_false_of_a_wrong_assignment(name: str, owners: Owners) -> None:
    model = bind_shipped("uniform_assignor", {"members": 3, "topics": 1, "max_partitions": 2})
    (initial,) = model.initials
    given = {"partitions": Map({Topic(0): 2}), "present": Set({Member(0), Member(1)}), "subscribed": Set({Topic(0)})}
    start = start_of(model, initial, given)
    assert start is not None

    def as_map(some: Owners) -> Map[Any, Any]:
        return Map({Topic(0): Map({n: Member(some[0, n]) if (0, n) in some else None for n in range(2)})})

    had = as_map({(0, 0): 0, (0, 1): 1})
    prop = next(prop for prop in model.properties if prop.name == name)
    right = state_shape(model).replace(start, previous=had, owners=had, is_done=True)
    assert holds(model, prop, right)
    assert not holds(model, prop, state_shape(model).replace(right, owners=as_map(owners)))


def case_at_random(chosen: random.Random) -> tuple[tuple[int, ...], set[int], set[int], Owners]:
    counts = tuple(chosen.randint(0, PARTITIONS) for _ in range(TOPICS))
    present = {m for m in range(MEMBERS) if chosen.random() < 0.7} or {0}
    subscribed = {t for t in range(TOPICS) if chosen.random() < 0.8} or {0}
    places = [(t, n) for t in range(TOPICS) for n in range(counts[t])]
    likely = chosen.choice((0.0, 0.5, 1.0))
    some = sorted(present)[: chosen.randint(1, len(present))]
    return counts, present, subscribed, {at: chosen.choice(some) for at in places if chosen.random() < likely}


def unequal(counts: tuple[int, ...], subscribed: tuple[set[int], ...], had: Owners) -> Owners:
    """What the model's Uniform does where subscriptions differ."""
    constants = {"members": MEMBERS, "topics": TOPICS, "max_partitions": PARTITIONS, "max_owned": TOPICS * PARTITIONS}
    model = bind_shipped("uniform_heterogeneous", constants)
    (initial,) = model.initials
    arguments: dict[str, Any] = {
        "partitions": Map({Topic(t): counts[t] if t < len(counts) else 0 for t in range(TOPICS)}),
        "subscribed": Map(
            {
                Member(m): Set({Topic(t) for t in subscribed[m]}) if m < len(subscribed) else Set()
                for m in range(MEMBERS)
            }
        ),
    }
    start = start_of(model, initial, arguments)
    assert start is not None
    steps: list[tuple[str, dict[str, Any]]] = [
        ("had", {"topic": Topic(t), "number": n, "member": Member(m)}) for (t, n), m in sorted(had.items())
    ]
    after = replay(model, start, [*steps, ("assign", {})]).steps[-1].state_after
    assert not after.cut_short
    found = {(t, n): after.owners[Topic(t)][n] for t in range(TOPICS) for n in range(PARTITIONS)}
    return {at: number for at, owner in found.items() for number in range(MEMBERS) if owner == Member(number)}


@pytest.mark.parametrize(
    ("counts", "subscribed", "had", "expected"),
    [
        ((3,), ({0}, {0}, set[int]()), {}, {(0, 0): 0, (0, 1): 1, (0, 2): 0}),  # the first of the least loaded
        (
            (2, 2),
            ({0, 1}, {1}),
            {},
            {(0, 0): 0, (0, 1): 0, (1, 0): 1, (1, 1): 1},
        ),  # the topic with one subscriber first
        ((2,), ({0}, {0}), {(0, 0): 0, (0, 1): 0}, {(0, 0): 0, (0, 1): 1}),  # the last of its partitions moves
        ((1, 1), ({0}, {0, 1}), {(0, 0): 1, (1, 0): 0}, {(0, 0): 0, (1, 0): 1}),  # who left a topic gives it up
    ],
)
def test_what_uniform_does_with_unequal_subscriptions(
    counts: tuple[int, ...], subscribed: tuple[set[int], ...], had: Owners, expected: Owners
) -> None:
    assert unequal(counts, subscribed, had) == expected


@pytest.mark.brokers
@pytest.mark.parametrize("release", RELEASES)
def test_kafkas_own_uniform_of_unequal_subscriptions_assigns_the_same(release: str, tmp_path: Path) -> None:
    """A thousand topologies at random in which two subscriptions differ, with what members had, and Kafka's class."""
    chosen = random.Random(21)
    cases: list[tuple[tuple[int, ...], tuple[set[int], ...], Owners]] = []
    while len(cases) < 1000:
        counts, _, _, had = case_at_random(chosen)
        subscribed = tuple({t for t in range(TOPICS) if chosen.random() < 0.6} for _ in range(MEMBERS))
        if any(topics != subscribed[0] for topics in subscribed):
            cases.append((counts, subscribed, had))
    lines: list[str] = []
    for counts, subscribed, had in cases:
        owned = ["+".join(f"{t}.{n}" for (t, n), o in sorted(had.items()) if o == m) for m in range(MEMBERS)]
        members = (f"{m}:{''.join(map(str, sorted(topics)))}:{owned[m]}" for m, topics in enumerate(subscribed))
        lines.append(" ".join(("uniform", ",".join(map(str, counts)), *members)))
    moved = 0
    for case, theirs in zip(cases, answers(lines, tmp_path, release), strict=True):
        assert unequal(*case) == theirs, case
        moved += any(theirs.get(at) != m for at, m in case[2].items())
    assert moved > 100


@pytest.mark.brokers
@pytest.mark.parametrize("release", RELEASES)
def test_kafkas_own_uniform_assigns_the_same(release: str, tmp_path: Path) -> None:
    """A thousand topologies at random with what members had, and the coordinator's UniformAssignor."""
    chosen = random.Random(21)
    cases = [case_at_random(chosen) for _ in range(1000)]
    lines: list[str] = []
    for counts, present, subscribed, had in cases:
        topics = "".join(map(str, sorted(subscribed)))
        members = (
            f"{m}:{topics}:{'+'.join(f'{t}.{n}' for (t, n), o in sorted(had.items()) if o == m)}" for m in present
        )
        lines.append(" ".join(("uniform", ",".join(map(str, counts)), *members)))
    for case, theirs in zip(cases, answers(lines, tmp_path, release), strict=True):
        assert uniform(*case, release) == theirs, case


@pytest.mark.brokers
@pytest.mark.parametrize("release", RELEASES)
def test_the_coordinators_range_is_the_clients(release: str, tmp_path: Path) -> None:
    """A thousand topologies at random with all kinds of subscriptions, and the coordinator's RangeAssignor."""
    chosen = random.Random(21)
    cases = [
        (
            tuple(chosen.randint(0, PARTITIONS) for _ in range(TOPICS)),
            tuple({t for t in range(TOPICS) if chosen.random() < 0.6} for _ in range(chosen.randint(1, MEMBERS))),
        )
        for _ in range(1000)
    ]
    lines = [
        " ".join(
            ("range", ",".join(map(str, counts)), *(f"{m}:{''.join(map(str, sorted(s)))}:" for m, s in enumerate(subs)))
        )
        for counts, subs in cases
    ]
    for (counts, subscribed), theirs in zip(cases, answers(lines, tmp_path, release), strict=True):
        assert assign_by_model(Assignor.RANGE, counts, subscribed) == theirs, (counts, subscribed)


def answers(lines: list[str], folder: Path, release: str = "4.1.0") -> list[Owners]:
    """What Kafka's own classes say, as tests/capture/Coordinator.java prints it."""
    command = capture.release_in(release, folder).java(str(ROOT / "tests" / "capture" / "Coordinator.java"))
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=True, timeout=300)
    found = [[tuple(map(int, word.split(":"))) for word in answer.split()] for answer in done.stdout.split("\n")[:-1]]
    assert len(found) == len(lines) and sum(map(len, found)) > len(lines)
    return [{(topic, number): member for topic, number, member in answer} for answer in found]


def check_name(check: CheckRecord) -> str:
    return f"{check.model} {check.bounds} {len(check.properties)}"


@pytest.mark.parametrize("check", gate_parameters(CHECKS, lambda check: check.bounds == "three_members", check_name))
def test_what_is_recorded_comes_out(check: CheckRecord, cache: Path) -> None:
    assert_as_recorded(check, ENGINES["native"](bind_check(check), Search(cache=cache), None))
