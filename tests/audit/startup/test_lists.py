"""Lists that are refused from 4.2 on, in words; test_kafka_config holds the verdicts against Kafka's own."""

from __future__ import annotations

import pytest
from tidegate.audit.startup.lists import list_refusals

from ...support.startup import cluster_with

REFUSED = {
    "log.dirs=/a,": "`log.dirs=/a,` has an empty item: remove a comma",
    "log.dirs=/a,/b,/a": "`log.dirs=/a,/b,/a` has /a twice",
    "listeners=": "`listeners=` is empty, which 4.2 and later refuse",
}


@pytest.mark.parametrize("line", REFUSED)
def test_a_list_that_is_refused(line: str) -> None:
    late, early = cluster_with(line, version="4.2.0"), cluster_with(line, version="4.1.0")
    assert [why for why, _ in list_refusals(late, late.brokers[0])] == [REFUSED[line]]
    assert not list(list_refusals(early, early.brokers[0]))


@pytest.mark.parametrize("line", ["log.dirs=/a,/b", "early.start.listeners=", "log.dirs=${DIRECTORIES}"])
def test_a_list_that_is_taken(line: str) -> None:
    cluster = cluster_with(line, version="4.2.0")
    assert not list(list_refusals(cluster, cluster.brokers[0]))
