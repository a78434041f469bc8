"""The tables of docs/zookeeper.md are what spec/ records."""

from __future__ import annotations

import re
from inspect import isclass, isfunction

import pytest
from tidegate.gates.records import read_record_file
from tidegate.model.parts import zookeeper

from ..conftest import ROOT
from ..support.pages import page_with_appendix
from ..support.shipped import bind_shipped

PAGE = page_with_appendix("zookeeper.md")


def recorded_verdicts(model: str) -> set[tuple[str, str, str, str]]:
    """Each profile, bounds and property, and the verdict that is recorded of it."""
    return {
        (check.profile or "", check.bounds or "", name, expected.verdict)
        for check in read_record_file(ROOT / "spec" / f"{model}.toml").checks
        for name, expected in check.properties.items()
    }


def assert_recorded(part: str) -> None:
    """A profile, bounds if they make a difference, and properties with the verdicts that are recorded of it."""
    named = re.match(r"`(\w+):(\w+)` (?:at `(\w+)` )?(.*)$", part)
    assert named, part
    model, profile, bounds, rest = named.groups()
    checks = re.findall(r"`(\w+)` (holds|violated|reached)", rest)
    assert checks and ", ".join(f"`{name}` {verdict}" for name, verdict in checks) == rest
    for name, verdict in checks:
        said = {
            it[3] for it in recorded_verdicts(model) if it[0] == profile and it[2] == name and bounds in (None, it[1])
        }
        assert said == {verdict}, f"{part}: {name} is recorded as {said}"


def test_a_verdict_that_other_bounds_change_is_not_said_without_bounds() -> None:
    assert_recorded("`producer_ids:kafka_3_9` at `on_zookeeper` `blocks_grow` holds")
    with pytest.raises(AssertionError, match="blocks_grow is recorded as"):
        assert_recorded("`producer_ids:kafka_3_9` `blocks_grow` holds")


TABLE = PAGE[PAGE.index("| of ZooKeeper |") :].split("\n\n")[0]
GIVEN = re.findall(r"^\| ([a`].*) \| (.*) \| (.*) \|$", TABLE, re.MULTILINE)


def test_what_zookeeper_gives_is_in_the_part_or_in_a_model_and_each_is_checked() -> None:
    public = {
        name
        for name, it in vars(zookeeper).items()
        if (isclass(it) or isfunction(it)) and it.__module__ == zookeeper.__name__
    }
    assert {name for _, where, _ in GIVEN[:3] for name in re.findall(r"`(\w+)`", where)} == public
    assert len(GIVEN) == TABLE.count("\n") - 1
    for *_, checks in GIVEN:
        for part in checks.split("; "):
            assert_recorded(part)


SMALL = ("znode_election", "isr_notification", "log_dir_notification", "broker_registration", "producer_ids")


def test_the_table_of_small_models_drops_every_switch_alone_and_is_what_is_recorded() -> None:
    row = r"^\| `(\w+)` \| `(\w+)` \| `(\w+)` \| (?:`(\w+)`|nothing up to these bounds) \| `(\w+)` \| (?:(\d+) )?\|$"
    rows = re.findall(row, PAGE, re.MULTILINE)
    for name, profile, switch, fails, bounds, steps in rows:
        right = "broker_registration:checked" if switch == "checks_owner" else RIGHT[name]
        values, base = bind_shipped(f"{name}:{profile}").values, bind_shipped(right).values
        assert {it for it in values if values[it] != base[it]} == {switch} and values[switch] is False, profile
        checks = [
            it
            for it in read_record_file(ROOT / "spec" / f"{name}.toml").checks
            if (it.profile, it.bounds) == (profile, bounds)
        ]
        if fails:
            assert int(steps) in {it.properties[fails].steps for it in checks if fails in it.properties}, profile
        else:
            (check,) = checks
            assert {it.verdict for it in check.properties.values()} <= {"holds", "reached"}, profile
    for name in SMALL:
        switches = {it for it, value in bind_shipped(RIGHT[name]).values.items() if value is True}
        dropped = {switch for model, _, switch, *_ in rows if model == name}
        assert dropped - {"checks_owner"} == switches, name


RIGHT = {
    "znode_election": "znode_election:recipe",
    "isr_notification": "isr_notification:kafka_2_6",
    "log_dir_notification": "log_dir_notification:kafka_3_9",
    "broker_registration": "broker_registration:kafka_2_2",
    "producer_ids": "producer_ids:fenced",
}
"""The profile of each small model with every switch."""


def test_the_table_of_fences_is_what_is_recorded() -> None:
    rows = re.findall(r"^\| (?:`(\w+)` )?\| [^|]*\| `(\w+)` \| `(\w+)` \| (\d+) \|$", PAGE, re.MULTILINE)
    shown: set[tuple[str, str, str, int]] = set()
    profile = ""
    for named, fails, bounds, steps in rows:
        profile = named or profile
        shown.add((profile, fails, bounds, int(steps)))
    found = {
        (check.profile, name, check.bounds, expected.steps)
        for check in read_record_file(ROOT / "spec" / "zk_controller.toml").checks
        for name, expected in check.properties.items()
        if expected.verdict == "violated" and check.profile != "kafka_3_9"
    }
    assert shown == found


def test_the_page_has_every_property_that_is_numbered() -> None:
    rows = {row[0]: row[1] for row in re.findall(r"^\| (ZL?\d+) \|(.*)$", PAGE, re.MULTILINE)}
    found = [
        (number, name)
        for file in sorted((ROOT / "invariants").rglob("*.py"))
        for name, number in re.findall(
            r'def (\w+)\([^)]*\) -> [^:]+:\n    """(ZL?\d+): ', file.read_text(encoding="utf-8")
        )
    ]
    assert {number for number, _ in found} == rows.keys()
    assert [name for number, name in found if f"`{name}`" not in rows[number]] == []
