"""Combined nodes: one that is shut down hands over before its controller stops, and one that dies takes both along."""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.audit.exploring.explorations import Explorations

from ...conftest import NewExplorations
from ..answers.test_quorum import signature, word


@pytest.fixture(scope="module")
def explorations(new_explorations: NewExplorations) -> Explorations:
    return new_explorations()


TOGETHER: dict[str, Any] = {"voters": 3, "co_located": True}
AMONG: dict[str, Any] = {"voters": 3, "shared_voters": 3}
ONLY: dict[str, Any] = {"voters": 1, "shared_voters": 1}


@pytest.mark.parametrize(
    ("settings", "cell", "writable", "readable"),
    [
        # The broker stops first, and the controllers have a leader elected before theirs is gone (KafkaRaftServer).
        (ONLY, "restart@all", "no loss found", "no loss found"),
        (TOGETHER, "restart@all", "no loss found", "no loss found"),
        (TOGETHER, "restart@min-isr", "can lose", "no loss found"),
        (AMONG, "restart@min-isr", "can lose", "no loss found"),
        # The one that is down before may have been the only controller: nobody takes over.
        (ONLY, "restart@min-isr", "can lose", "can lose"),
        # Who dies takes its controller along at once.
        (ONLY, "crash@all", "can lose", "can lose"),
        (TOGETHER, "crash@min-isr", "can lose", "can lose"),
        # Wherever the racks are, that of the only voter has its replica as well.
        (ONLY, "rack-power-loss@all", "can lose", "can lose"),
        (ONLY, "rack-cut-off@min-isr", "can lose", "can lose"),
        (AMONG, "rack-power-loss@all", "depends", "depends"),
    ],
)
def test_what_a_combined_node_takes_along(
    settings: dict[str, Any], cell: str, writable: str, readable: str, explorations: Explorations
) -> None:
    found = signature(**settings)
    assert (word(found, "writable", cell, explorations), word(found, "readable", cell, explorations)) == (
        writable,
        readable,
    )


def test_a_pod_keeps_its_files_when_a_process_in_it_dies(explorations: Explorations) -> None:
    """kubernetes.io, Volumes: an `emptyDir` is safe across container crashes, and goes with its pod."""
    found = signature(min_isr=1, ephemeral=True, of_pod=True)
    assert word(found, "no-loss", "crash@one", explorations) == "no loss found"
    assert word(found, "no-loss", "restart@one", explorations) == "can lose"
    assert word(signature(min_isr=1, ephemeral=True), "no-loss", "crash@one", explorations) == "can lose"
