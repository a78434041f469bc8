"""The tables of releases, features and defaults against the classes of Kafka's jars, where Java and Maven are there."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
from tidegate.audit.kafka.keys import DefaultRow, Key, settings_table
from tidegate.audit.kafka.releases import FEATURES, METADATA_VERSIONS, RELEASES, newest_level, why_release_not_known
from tidegate.audit.kafka.versions import is_at_least
from tidegate.language.errors import UnavailableError
from tidegate.real.driving.nodes.releases import fetch_release

from ...support.shipped import tier_parameters

PROGRAM = Path(__file__).with_name("Tables.java")
JARS = ("3.9.1", "4.1.0", "4.3.0", "4.4.0")
"""Releases whose jars are read: one of each that the tables tell apart since 3.9, and the newest."""
UNFINISHED = ("unit.test.", "test.")
"""What features are called that Kafka has for its own tests."""

OF_JARS = tier_parameters(JARS, lambda release: False)

Rows = list[list[str]]


@cache
def class_rows(release: str) -> Rows:
    """What the classes of a release say, a row for each thing."""
    try:
        found = fetch_release(release)
    except UnavailableError as error:
        pytest.skip(f"the jars of Kafka {release} cannot be read here: {error}")
    command = [found.java, "-cp", f"{found.jars}/*", str(PROGRAM)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    return [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]


def rows_of(release: str, kind: str) -> Rows:
    return [row[1:] for row in class_rows(release) if row[0] == kind]


@pytest.mark.parametrize("release", OF_JARS)
def test_the_names_of_metadata_versions_are_those_of_the_jars(release: str) -> None:
    latest = rows_of(release, "latest")[0][0]
    named = {int(level): name for name, level in rows_of(release, "metadata") if int(level) > 0}
    most = next(level for level, name in named.items() if name == latest)
    first = min(named)
    assert METADATA_VERSIONS[first - 1 : most] == tuple(named[level] for level in range(first, most + 1))
    assert latest.startswith(".".join(release.split(".")[:2]))


@pytest.mark.parametrize("release", OF_JARS)
def test_the_newest_levels_of_features_are_those_of_the_jars(release: str) -> None:
    levels = {name: int(level) for name, level in rows_of(release, "feature") if not name.startswith(UNFINISHED)}
    assert {name: newest_level(name, release) for name in levels} == levels
    assert set(levels) <= set(FEATURES)


@pytest.mark.long
def test_the_newest_release_is_the_newest_one_that_is_known() -> None:
    assert not why_release_not_known(JARS[-1])
    assert JARS[-1].startswith(f"{RELEASES[-1][0]}.{RELEASES[-1][1]}.")
    assert METADATA_VERSIONS[-1] == rows_of(JARS[-1], "latest")[0][0]


@pytest.mark.parametrize("release", OF_JARS)
@pytest.mark.parametrize("kind", ["broker", "producer", "consumer"])
def test_defaults_are_those_of_the_jars(release: str, kind: str) -> None:
    """Of each setting that both have, with the default where all have the same."""
    theirs = dict(rows_of(release, kind))
    ours = dict(_defaults(kind, release, theirs))
    assert len(ours) >= 7
    assert {name: theirs[name] for name in ours} == ours


def _defaults(kind: str, release: str, theirs: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    of = "apache" if kind == "broker" else "java"
    for key in settings_table().values():
        found = [row.value for row in key.defaults if row.of == of and _is_of(row, release)]
        if kind not in key.scopes or len(found) != 1:
            continue
        names = zip(key.broker_names, key.factors, strict=True) if kind == "broker" else ((key.name, 1),)
        for name, factor in names:
            if name in theirs and _is_value(key, theirs[name]):
                yield name, str(int(found[0]) // factor) if factor > 1 else found[0]


def _is_of(row: DefaultRow, release: str) -> bool:
    since, until = row.since or "0.1", row.until or "99.0"
    return not (row.idempotent or row.where) and bool(is_at_least(release, since)) and not is_at_least(release, until)


def _is_value(key: Key, text: str) -> bool:
    """Whether a default of the jars is a value, and none by way of another name (null), of a class, or of a version."""
    return text not in ("null", "(none)") and "." not in text and key.type != "version"
