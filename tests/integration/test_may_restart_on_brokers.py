"""`audit --may-restart` asked of real brokers: all there, one dead, and the dead one itself."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tidegate.real.driving.nodes.cluster import ClusterSpec
from tidegate.real.driving.nodes.releases import fetch_release
from tidegate.real.driving.partition.cluster import PartitionCluster

from ..conftest import Run

pytestmark = pytest.mark.brokers
FENCED_SECONDS = 60.0


@pytest.mark.parametrize("version", ["3.9.1", "4.3.0"])
def test_a_broker_may_be_restarted_while_the_others_are_there_and_not_beside_a_dead_one(
    version: str, tidegate: Run
) -> None:
    needs = ClusterSpec(
        brokers=(1, 2, 3), topic={"min.insync.replicas": "2"}, elr=False, session=3_000, lag=600_000
    )  # fmt: skip

    def may_restart(asked: int, brokers: str) -> tuple[int, dict[int, dict[str, Any]]]:
        server = f"127.0.0.1:{cluster.ports[asked]}"
        facts = ("--client", "java:3.9", "--acks", "all", "--distribution", "apache", "--time", "60")
        done = tidegate("audit", "--bootstrap-server", server, "--may-restart", brokers, "--json", *facts)
        return done.exit, {one["broker"]: one for one in json.loads(done.out)["brokers"]}

    with PartitionCluster(fetch_release(version), needs) as cluster:
        cluster.start_all()
        exit_, found = may_restart(1, "all")
        assert exit_ == 0, found
        assert {broker: one["may_restart"] for broker, one in found.items()} == {1: "yes", 2: "yes", 3: "yes"}
        cluster.kill(3)
        cluster.wait_until("broker 3 is not fenced", lambda: 3 not in cluster.live_brokers(), FENCED_SECONDS)
        exit_, found = may_restart(1, "2,3")
        assert exit_ == 1 and {broker: one["may_restart"] for broker, one in found.items()} == {2: "no", 3: "no"}
        (stops,) = found[2]["stops"]
        assert "acks=all is refused" in stops and found[2]["waits"][0].startswith("start broker 3, and wait until ")
        (waits,) = found[3]["waits"]
        assert waits.startswith("it is down (") and waits.endswith("): start it")
