"""Sticky and CooperativeSticky: the articles' examples, what was recorded, and Kafka's own classes."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Mapping
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.language.judge import replay, start_of
from tidegate.language.values import Map, Set
from tidegate.model.parts.topology import Member, Topic
from tidegate.model.studies.sticky_assignors.state import Assignor

from ....capture import brokers as capture
from ....conftest import ROOT
from ....support.shipped import bind_shipped, gate_parameters
from ...test_counts import assert_as_recorded, bind_check

CHECKS = read_record_file(ROOT / "spec" / "sticky_assignors.toml").checks
TOPICS, PARTITIONS = 3, 4
Claims = frozenset[tuple[int, int, int]]
"""Members, topics and numbers of partitions."""
NAMES = "def"
"""Of topics: the hash set of their partitions has the last one first."""


def assign_by_model(
    assignor: Assignor,
    counts: tuple[int, ...],
    subscribed: tuple[set[int], ...],
    claims: Claims = frozenset(),
    generations: tuple[int, ...] = (),
) -> dict[tuple[int, int], int] | None:
    """What the model's assignor does; None: it ends with an exception."""
    constants = {"members": len(subscribed), "topics": TOPICS, "max_partitions": PARTITIONS}
    model = bind_shipped("sticky_assignors", {**constants, "generations": 3, "max_claims": 12, "disputes": True})
    (initial,) = model.initials
    arguments = {
        "partitions": Map({Topic(t): counts[t] if t < len(counts) else 0 for t in range(TOPICS)}),
        "subscribed": Map({Member(m): Set({Topic(t) for t in topics}) for m, topics in enumerate(subscribed)}),
        "generation": Map({Member(m): generations[m] if generations else 0 for m in range(len(subscribed))}),
    }
    start = start_of(model, initial, arguments)
    assert start is not None
    claimed = [("claim", {"member": Member(m), "topic": Topic(t), "number": n}) for m, t, n in sorted(claims)]
    after = replay(model, start, [*claimed, ("assign", {"assignor": assignor})]).steps[-1].state_after
    if after.failed:
        return None
    places = product(range(TOPICS), range(PARTITIONS), range(len(subscribed)))
    return {(t, n): m for t, n, m in places if Member(m) in after.assigned[Topic(t)][n]}


def shares(owners: Mapping[tuple[int, int], int] | None, members: int) -> tuple[int, ...]:
    """How many partitions each member has."""
    assert owners is not None
    return tuple(list(owners.values()).count(member) for member in range(members))


# --- stories ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "members", "expected"),
    [((3,), 2, (2, 1)), ((4,), 2, (2, 2)), ((3, 3), 2, (3, 3)), ((3,), 4, (1, 1, 1, 0))],
    ids=str,
)
def test_the_articles_examples(counts: tuple[int, ...], members: int, expected: tuple[int, ...]) -> None:
    assert shares(assign_by_model(Assignor.STICKY, counts, (set(range(len(counts))),) * members), members) == expected


def test_a_new_member_gets_what_others_have_too_much_of_and_cooperatively_it_waits() -> None:
    claims = frozenset({(0, 0, 0), (0, 0, 1), (1, 0, 2), (1, 0, 3)})
    eager = assign_by_model(Assignor.STICKY, (4,), ({0}, {0}, {0}), claims)
    assert eager == {(0, 0): 0, (0, 1): 0, (0, 2): 1, (0, 3): 2}
    assert assign_by_model(Assignor.COOPERATIVE_STICKY, (4,), ({0}, {0}, {0}), claims) == {
        (0, 0): 0,
        (0, 1): 0,
        (0, 2): 1,
    }


def test_the_newer_of_two_claims_counts() -> None:
    """KAFKA-14639: B was in the last rebalance, and A has missed it."""
    claims = frozenset({(0, 0, 0), (1, 0, 0)})
    for assignor in Assignor:
        assert assign_by_model(assignor, (1,), ({0}, {0}), claims, (0, 1)) == {(0, 0): 1}


def test_of_two_claims_of_one_generation_none_counts() -> None:
    """KAFKA-12984: cooperatively nobody gets the partition in this rebalance."""
    claims = frozenset({(0, 0, 0), (1, 0, 0)})
    assert assign_by_model(Assignor.COOPERATIVE_STICKY, (1,), ({0}, {0}), claims, (1, 1)) == {}


def test_an_assignor_that_believes_every_claim_assigns_a_partition_twice() -> None:
    """KAFKA-12984, with the algorithm of 3.9: two members claim one partition of three."""
    model = bind_shipped("sticky_assignors:kafka_12984", {"members": 2, "topics": 1, "max_claims": 2, "disputes": True})
    arguments = {
        "partitions": Map({Topic(0): 3}),
        "subscribed": Map({Member(m): Set({Topic(0)}) for m in range(2)}),
        "generation": Map({Member(m): 0 for m in range(2)}),
    }
    start = start_of(model, model.initials[0], arguments)
    assert start is not None
    claimed = [("claim", {"member": Member(m), "topic": Topic(0), "number": 0}) for m in range(2)]
    after = replay(model, start, [*claimed, ("assign", {"assignor": Assignor.STICKY})]).steps[-1].state_after
    assert after.assigned[Topic(0)][0] == Set({Member(0), Member(1)})


def test_a_member_without_topics_that_comes_first_gets_what_it_has_not_subscribed_to() -> None:
    """Kafka compares subscriptions with the first one that is not empty, and passes over those before it."""
    assert assign_by_model(Assignor.STICKY, (1,), (set(), {0})) == {(0, 0): 0}
    assert assign_by_model(Assignor.STICKY, (1,), ({0}, set())) == {(0, 0): 0}


FAILING = ((1, 1), (set[int](), {0}, {0, 1}), frozenset({(0, 0, 0), (2, 0, 0)}), (0, 0, 1))
"""The member with the older claim has left all topics: Kafka asks for its load, and there is none."""


def test_an_older_claim_of_a_member_that_takes_no_part_is_an_exception() -> None:
    assert assign_by_model(Assignor.STICKY, *FAILING) is None


# --- as few moves as possible -----------------------------------------------------------------------------------------


@given(
    count=st.integers(1, PARTITIONS),
    owners=st.lists(st.integers(0, 3), min_size=PARTITIONS, max_size=PARTITIONS),
)
@settings(max_examples=25, deadline=None, derandomize=True, database=None)
def test_no_balanced_assignment_keeps_more(count: int, owners: list[int]) -> None:
    """Every assignment of a topic to three members is tried; owner 3 is nobody."""
    claims = frozenset((owner, 0, number) for number, owner in enumerate(owners[:count]) if owner < 3)
    found = assign_by_model(Assignor.STICKY, (count,), ({0}, {0}, {0}), claims)
    assert found is not None
    most = max(
        sum(a == b for a, b in zip(other, owners, strict=False))
        for other in product(range(3), repeat=count)
        if max(map(other.count, range(3))) - min(map(other.count, range(3))) <= 1
    )
    assert sum(owners[number] == owner for (_, number), owner in found.items()) == most


# --- Kafka's own classes ----------------------------------------------------------------------------------------------

Case = tuple[tuple[int, ...], tuple[set[int], ...], Claims, tuple[int, ...]]


def case_at_random(chosen: random.Random) -> Case:
    """A topology of up to four members, and claims that agree, or do not."""
    members = chosen.randint(1, 4)
    counts = tuple(chosen.randint(0, PARTITIONS) for _ in range(TOPICS))
    some = {t for t in range(TOPICS) if chosen.random() < 0.7}
    are_equal = chosen.random() < 0.4
    subscribed = tuple(
        some if are_equal else {t for t in range(TOPICS) if chosen.random() < 0.6} for _ in range(members)
    )
    generations = tuple(chosen.choice((0, 1, 1, 2)) if chosen.random() < 0.6 else 1 for _ in range(members))
    places = [(t, n) for t in range(TOPICS) for n in range(counts[t])]
    agree = {(chosen.randrange(members), t, n) for t, n in places if chosen.random() < 0.8}
    differ = {(m, t, n) for t, n in places for m in range(members) if chosen.random() < 0.3}
    return counts, subscribed, frozenset(sorted(chosen.choice((agree, differ, differ, set())))[:12]), generations


def line(assignor: Assignor, case: Case) -> str:
    """As tests/capture/Sticky.java reads it."""
    counts, subscribed, claims, generations = case
    topics = ("".join(NAMES[t] for t in sorted(some)) or "-" for some in subscribed)
    owned = (
        ".".join(f"{NAMES[t]}{n}" for m, t, n in sorted(claims) if m == member) or "-"
        for member in range(len(subscribed))
    )
    parts = (map(str, counts), topics, map(str, generations), owned)
    return " ".join((assignor.value, *(",".join(part) for part in parts)))


@pytest.mark.brokers
def test_kafkas_own_classes_assign_the_same(tmp_path: Path) -> None:
    """A thousand topologies with claims at random, and both assignors of Kafka's clients 3.9.1."""
    chosen = random.Random(21)
    cases = [FAILING, *(case_at_random(chosen) for _ in range(1000))]
    asked = [(assignor, case) for case in cases for assignor in Assignor]
    command = capture.release_in("3.9.1", tmp_path).java(str(ROOT / "tests" / "capture" / "Sticky.java"))
    given_lines = "\n".join(line(*one) for one in asked)
    done = subprocess.run(command, input=given_lines, capture_output=True, text=True, check=True, timeout=300)
    answers = done.stdout.splitlines()
    assert len(answers) == len(asked) == 2002
    assert 2 < answers.count("fails") < 200
    for (assignor, case), answer in zip(asked, answers, strict=True):
        words = [word.split(":") for word in answer.split() if word != "fails"]
        theirs = {(NAMES.index(topic), int(number)): int(member) for topic, number, member in words}
        assert assign_by_model(assignor, *case) == (None if answer == "fails" else theirs), (assignor, case)


# --- what is recorded -------------------------------------------------------------------------------------------------


def check_name(check: CheckRecord) -> str:
    return f"sticky_assignors {check.profile} {check.bounds} {len(check.properties)}"


@pytest.mark.parametrize("check", gate_parameters(CHECKS, lambda check: check.bounds == "two_members", check_name))
def test_what_is_recorded_comes_out(check: CheckRecord, cache: Path) -> None:
    assert_as_recorded(check, ENGINES["native"](bind_check(check), Search(cache=cache), None))
