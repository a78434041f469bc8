"""Kafka's assignors: the articles' examples, what was recorded, and topologies at random against a second text."""

from __future__ import annotations

import random
import subprocess
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.language.judge import replay, start_of
from tidegate.language.values import Map, Set
from tidegate.model.studies.assignors import Assignor, Member, Topic

from ....capture import brokers as capture
from ....conftest import ROOT
from ....support.shipped import bind_shipped, gate_parameters
from ...test_counts import assert_as_recorded, bind_check

CHECKS = read_record_file(ROOT / "spec" / "assignors.toml").checks
MEMBERS, TOPICS, PARTITIONS = 4, 3, 6
Owners = dict[tuple[int, int], int]
"""Who owns each partition of each topic, as numbers."""


def assign_by_model(assignor: Assignor, counts: tuple[int, ...], subscribed: tuple[set[int], ...]) -> Owners:
    """What the model's assignor does. Members that have subscribed to nothing stand for fewer members."""
    model = bind_shipped("assignors", {"members": MEMBERS, "topics": TOPICS, "max_partitions": PARTITIONS})
    (initial,) = model.initials
    arguments: dict[str, Any] = {
        "partitions": Map({Topic(t): counts[t] if t < len(counts) else 0 for t in range(TOPICS)}),
        "subscribed": Map(
            {Member(m): Set({Topic(t) for t in subscribed[m]} if m < len(subscribed) else ()) for m in range(MEMBERS)}
        ),
    }
    start = start_of(model, initial, arguments)
    assert start is not None
    owners = replay(model, start, [("assign", {"assignor": assignor})]).steps[-1].state_after.owners
    found = {(t, n): owners[Topic(t)][n] for t in range(TOPICS) for n in range(PARTITIONS)}
    return {at: number for at, owner in found.items() for number in range(MEMBERS) if owner == Member(number)}


def shares(owners: Owners, members: int) -> tuple[int, ...]:
    """How many partitions each member has."""
    return tuple(list(owners.values()).count(member) for member in range(members))


# --- what the articles compute ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("assignor", "counts", "members", "expected"),
    [
        (Assignor.RANGE, (3,), 2, (2, 1)),
        (Assignor.RANGE, (4,), 2, (2, 2)),
        (Assignor.RANGE, (3, 3), 2, (4, 2)),
        (Assignor.ROUND_ROBIN, (3, 3), 2, (3, 3)),
        (Assignor.RANGE, (3,), 4, (1, 1, 1, 0)),
    ],
    ids=str,
)
def test_the_articles_examples(
    assignor: Assignor, counts: tuple[int, ...], members: int, expected: tuple[int, ...]
) -> None:
    assert shares(assign_by_model(assignor, counts, (set(range(len(counts))),) * members), members) == expected


def test_range_gives_contiguous_partitions_of_each_topic() -> None:
    owners = assign_by_model(Assignor.RANGE, (3, 3), ({0, 1}, {0, 1}))
    assert [owners[0, n] for n in range(3)] == [owners[1, n] for n in range(3)] == [0, 0, 1]


def test_round_robin_passes_over_who_has_not_subscribed() -> None:
    """The example of RoundRobinAssignor's documentation: topics of one, two and three partitions."""
    owners = assign_by_model(Assignor.ROUND_ROBIN, (1, 2, 3), ({0}, {0, 1}, {0, 1, 2}))
    assert owners == {(0, 0): 0, (1, 0): 1, (1, 1): 2, (2, 0): 2, (2, 1): 2, (2, 2): 2}


# --- against a second text --------------------------------------------------------------------------------------------


def assign_by_range(counts: tuple[int, ...], subscribed: tuple[set[int], ...]) -> Owners:
    """Range as a loop over members."""
    owners: Owners = {}
    for topic, count in enumerate(counts):
        consumers = [member for member, topics in enumerate(subscribed) if topic in topics]
        left = list(range(count))
        for place, member in enumerate(consumers):
            take = -(-len(left) // (len(consumers) - place))
            owners |= {(topic, number): member for number in left[:take]}
            left = left[take:]
    return owners


def assign_by_turns(counts: tuple[int, ...], subscribed: tuple[set[int], ...]) -> Owners:
    """RoundRobin as a circle that goes on."""
    owners: Owners = {}
    circle = cycle(range(len(subscribed)))
    for topic, count in enumerate(counts):
        if any(topic in topics for topics in subscribed):
            for number in range(count):
                owners[topic, number] = next(member for member in circle if topic in subscribed[member])
    return owners


@given(
    counts=st.tuples(*[st.integers(0, PARTITIONS)] * TOPICS),
    subscribed=st.tuples(*[st.sets(st.integers(0, TOPICS - 1))] * MEMBERS),
)
@settings(max_examples=60, deadline=None, derandomize=True, database=None)
def test_topologies_at_random(counts: tuple[int, ...], subscribed: tuple[set[int], ...]) -> None:
    assert assign_by_model(Assignor.RANGE, counts, subscribed) == assign_by_range(counts, subscribed)
    assert assign_by_model(Assignor.ROUND_ROBIN, counts, subscribed) == assign_by_turns(counts, subscribed)


@pytest.mark.brokers
@pytest.mark.parametrize("version", ["2.8.2", "3.9.1"])
def test_kafkas_own_classes_assign_the_same(version: str, tmp_path: Path) -> None:
    """A thousand topologies at random, and Kafka's RangeAssignor and RoundRobinAssignor."""
    chosen = random.Random(21)
    topologies = [
        (
            tuple(chosen.randint(0, PARTITIONS) for _ in range(TOPICS)),
            tuple({t for t in range(TOPICS) if chosen.random() < 0.6} for _ in range(chosen.randint(1, MEMBERS))),
        )
        for _ in range(1000)
    ]
    asked = [(assignor, *topology) for topology in topologies for assignor in Assignor]
    lines = [
        f"{assignor.value} {','.join(map(str, counts))} {','.join(''.join(map(str, sorted(s))) or '-' for s in topics)}"
        for assignor, counts, topics in asked
    ]
    kafka = capture.release_in(version, tmp_path)
    command = kafka.java(str(ROOT / "tests" / "capture" / "Assign.java"))
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True, check=True, timeout=300)
    answers = done.stdout.splitlines()
    assert len(answers) == len(asked) == 2000
    for (assignor, counts, topics), answer in zip(asked, answers, strict=True):
        owners: Owners = {}
        for word in answer.split():
            topic, number, member = map(int, word.split(":"))
            owners[topic, number] = member
        assert assign_by_model(assignor, counts, topics) == owners, (assignor, counts, topics)


# --- what is recorded -------------------------------------------------------------------------------------------------


def check_name(check: CheckRecord) -> str:
    return f"assignors {check.bounds} {len(check.properties)}"


@pytest.mark.parametrize("check", gate_parameters(CHECKS, lambda check: check.bounds == "articles", check_name))
def test_what_is_recorded_comes_out(check: CheckRecord, cache: Path) -> None:
    assert_as_recorded(check, ENGINES["native"](bind_check(check), Search(cache=cache), None))
