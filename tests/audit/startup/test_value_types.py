"""Values that keep a node from starting by their type alone, from 2.8 on."""

from __future__ import annotations

import pytest
from tidegate.audit.cluster.cluster import Broker, Cluster, Versions
from tidegate.audit.cluster.statements import Origin, Setting, StatedValue
from tidegate.audit.kafka.keys import other_settings
from tidegate.audit.startup.value_types import type_refusals

PLACE = Origin("b.properties", 4)
CHECKED = sorted(name for name, key in other_settings().items() if key.only_checked)


def refusals(key: str, value: str, release: str | None = "3.9.0") -> list[str]:
    node = Broker(1, PLACE, roles=("broker",), settings=(Setting(key, value, PLACE),))
    kafka = None if release is None else StatedValue(release, PLACE)
    found = list(type_refusals(Cluster(brokers=(node,), versions=Versions(kafka=kafka)), node))
    assert all(where == PLACE for _, where in found)
    return [why for why, _ in found]


def test_keys_are_checked_of_each_type() -> None:
    assert len(CHECKED) > 20
    assert {other_settings()[name].type for name in CHECKED} >= {"int", "long", "boolean"}


def test_a_value_of_another_type_keeps_a_node_down_and_a_variable_does_not() -> None:
    """Of every key that the table says to be checked: one whose value is withheld would be refused by nothing."""
    for name in CHECKED:
        key = other_settings()[name]
        release = f"{key.since}.0" if key.since else "3.9.0"
        assert [why[: len(name) + 18] for why in refusals(name, "no such value", release)] == [
            f"`{name}=no such value` i"
        ], name
        assert refusals(name, "${FROM_ELSEWHERE}", release) == [] and refusals(name, "", release) == [], name
        if key.least is not None:
            assert (
                refusals(name, str(key.least), release) == [] and refusals(name, str(key.least - 1), release) != []
            ), name
        for word in key.legal:
            assert refusals(name, word.upper(), "2.8.1") == [], "it reads these in any case"


@pytest.mark.parametrize(
    ("release", "counts"), [("2.7.2", False), ("2.8.0", True), ("3.9.1", True), ("4.4.0", True), (None, False)]
)
def test_it_counts_for_the_releases_that_were_read(release: str | None, counts: bool) -> None:
    name = next(name for name in CHECKED if other_settings()[name].type == "int")
    assert bool(refusals(name, "x", release)) is counts


def test_a_key_about_which_more_is_asked_is_left_to_others() -> None:
    assert refusals("min.insync.replicas", "x") == [] and refusals("no.such.key", "x") == []
