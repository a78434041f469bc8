"""What an operator watches: each sign stands for a fault or a situation, and is on the page that explains them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tidegate.audit.questions.situations import BY_NAME, CELLS
from tidegate.audit.report.signals import ALWAYS_AT_MIN, NOTHING, ONE_COPY, warning_signs

APPENDIX = (Path(__file__).parents[3] / "docs" / "appendix" / "audit.md").read_text("utf-8")


def signs_of(plane: str | None, *cells: str, replicas: int | None = 3, least: int | None = 2) -> tuple[str, ...]:
    """What shows it where these cells are answered with a loss."""
    return warning_signs([BY_NAME[cell] for cell in cells], plane, replicas, least)


def test_what_needs_no_missing_replica_is_shown_by_nothing() -> None:
    assert signs_of("kraft", "power-loss@one", "power-loss@all") == (NOTHING,)
    assert signs_of("kraft", "crash@all") == (NOTHING,)


def test_a_small_isr_is_shown_by_its_metric_and_a_fault_by_its_own() -> None:
    assert signs_of("kraft", "power-loss@min-isr") == ("AtMinIsrPartitionCount above 0",)
    assert signs_of("kraft", "directory-loss@all") == (
        "OfflineLogDirectoryCount above 0; the disk's own reports (SMART)",
    )
    first, second = signs_of("kraft", "cut-off@one")
    assert first.startswith("UnderMinIsrPartitionCount above 0, where") and second == "FencedBrokerCount above 0"


@pytest.mark.parametrize(
    ("plane", "sign"),
    [
        ("zookeeper", "ZooKeeperExpiresPerSec above 0"),
        ("kraft", "FencedBrokerCount above 0"),
        (None, "IsrShrinksPerSec rises"),
    ],
)
def test_who_is_cut_off_is_seen_by_its_control_plane(plane: str | None, sign: str) -> None:
    assert signs_of(plane, "cut-off@all") == (sign,)


@pytest.mark.parametrize(
    ("replicas", "least", "signs"),
    [
        (1, None, (ONE_COPY,)),
        (1, 1, (ONE_COPY, ALWAYS_AT_MIN)),
        (3, 3, (ALWAYS_AT_MIN,)),
        (3, 1, (NOTHING,)),
        (None, None, (NOTHING,)),
    ],
)
def test_of_all_in_sync_what_is_never_as_it_should_be_shows_it(
    replicas: int | None, least: int | None, signs: tuple[str, ...]
) -> None:
    assert signs_of("kraft", "crash@all", replicas=replicas, least=least) == signs


@pytest.mark.parametrize(
    ("plane", "sign"),
    [
        ("kraft", "FencedBrokerCount as high as a rack has brokers"),
        ("zookeeper", "ZooKeeperExpiresPerSec above 0 at every broker of a rack"),
        (None, "UnderReplicatedPartitions above 0"),
    ],
)
def test_a_rack_that_is_cut_off_is_seen_by_all_its_brokers(plane: str | None, sign: str) -> None:
    assert signs_of(plane, "rack-cut-off@all") == (sign,)


def test_before_the_last_in_sync_loses_nobody_leads() -> None:
    (sign,) = signs_of("kraft", "power-loss@one")
    assert sign.endswith("and once nobody leads, OfflinePartitionsCount above 0")


def test_that_controllers_may_be_lost_is_shown_before_none_is_active() -> None:
    """ActiveControllerCount comes with the loss."""
    (lag,) = signs_of("kraft", "controllers-loss@all")
    assert lag == "a voter's lag in kafka-metadata-quorum.sh describe --replication"
    (fewer,) = signs_of("zookeeper", "controllers-loss@all")
    assert "quorum_size" in fewer


def test_each_metric_is_explained_in_the_appendix() -> None:
    signs = {sign for plane in ("kraft", "zookeeper") for cell in CELLS for sign in warning_signs([cell], plane, 3, 2)}
    metrics = {name for sign in signs for name in re.findall(r"\b[A-Z]\w+(?:Count|PerSec|Partitions)\b", sign)}
    assert len(metrics) >= 8
    assert {name for name in metrics if name not in APPENDIX} == set()
