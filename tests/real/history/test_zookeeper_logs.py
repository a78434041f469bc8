"""What clusters with ZooKeeper did is a run of the model of their version: recorded logs of brokers."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from tidegate.real.history.zookeeper_logs import has_zookeeper_controller_logs
from tidegate.real.logs.zookeeper_lines import (
    PartitionChange,
    controller_events,
)

from ...capture.zookeeper import ZooKeeperCluster, outages
from ...conftest import ROOT, Run
from ...support.zookeeper_logs import EXAMPLE

FIXTURES = ROOT / "tests" / "fixtures" / "histories"


RECORDED = {"2.8.2": EXAMPLE, "3.4.1": FIXTURES / "zookeeper_3_4", "3.6.2": FIXTURES / "zookeeper_3_6"}


def partition_of(tidegate: Run, *given: str, exits: int = 0) -> dict[str, Any]:
    done = tidegate("validate", *given, "--json")
    assert done.exit == exits, done.err
    (partition,) = json.loads(done.out)["partitions"]
    return partition


@pytest.mark.parametrize("version", RECORDED)
def test_what_a_cluster_with_zookeeper_did_is_a_run_of_its_version(tidegate: Run, version: str) -> None:
    done = tidegate("validate", str(RECORDED[version]), "--json")
    document = json.loads(done.out)
    (partition,) = document["partitions"]
    assert (done.exit, document["kafka"], partition["result"]) == (0, version, "shown")
    assert partition["legs"][-1]["to"] == len(partition["moments"]) - 1
    assert partition["from_creation"]
    assert partition["constants"]["min_isr"] == 2


def test_the_run_has_what_was_done_to_the_cluster(tidegate: Run) -> None:
    partition = partition_of(tidegate, str(EXAMPLE))
    steps = [step["action"] for leg in partition["legs"] for step in leg["steps"]]
    assert steps.count("crash") == 5
    assert steps.count("shut_down") == 1
    assert steps.count("propose_shrink") == 1
    epochs = [(moment["leader"], moment["leader_epoch"]) for moment in partition["moments"]]
    assert (None, 6) in epochs, "the last replica of the ISR stopped: nobody led"


def test_followers_leave_in_one_request_of_their_leader(tidegate: Run) -> None:
    """3.6.2 on a slow machine: a leader's request took both followers out, and no run of the model showed it."""
    partition = partition_of(tidegate, str(RECORDED["3.6.2"]))
    assert [moment["isr"] for moment in partition["moments"][:2]] == [[1, 2, 3], [1]]
    assert [step["action"] for step in partition["legs"][0]["steps"]] == ["drop_followers"]


@pytest.mark.long
def test_only_a_controller_makes_a_leader_epoch_of_a_smaller_isr(tidegate: Run) -> None:
    """The model took 2.8 to make one where a leader asks for it, too, as KRaft did: real brokers do not."""
    as_kraft = ("--set", "epochs_by_zookeeper=false", "--set", "by_zookeeper=false")
    partition = partition_of(tidegate, str(EXAMPLE), *as_kraft, exits=1)
    assert partition["result"] == "not_shown"


@pytest.mark.parametrize("name", ["controller.log", "state-change.log"])
def test_where_a_version_is_in_no_file_the_history_ends_and_is_undecided(
    tidegate: Run, tmp_path: Path, name: str
) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "logs")
    for path in (tmp_path / "logs").glob(f"*/{name}"):
        lines = path.read_text("utf-8").splitlines(keepends=True)
        path.write_text("".join(line for line in lines if not says_version(line, 2)), "utf-8")
    for path in (tmp_path / "logs").glob("*/server.log"):
        lines = path.read_text("utf-8").splitlines(keepends=True)
        path.write_text("".join(line for line in lines if "version updated to [2]" not in line), "utf-8")
    done = tidegate("validate", str(tmp_path / "logs"), "--json")
    (partition,) = json.loads(done.out)["partitions"]
    whole = name == "controller.log"  # version 2 is of a broker's death, and in state-change.log
    assert (done.exit, partition["result"]) == ((0, "shown") if whole else (5, "undecided"))
    assert whole or "checked until version 2 of its state, which no file has" in partition["why"]


def says_version(line: str, version: int) -> bool:
    return any(isinstance(event, PartitionChange) and event.version == version for event in controller_events(line))


def test_isrs_that_no_controller_has_are_taken_from_their_leaders(tidegate: Run, tmp_path: Path) -> None:
    """Up to 2.6 leaders change the ISR in ZooKeeper, and the controller's log does not have it at INFO."""
    shutil.copytree(EXAMPLE, tmp_path / "logs")
    for path in (tmp_path / "logs").glob("*/controller.log"):
        lines = path.read_text("utf-8").splitlines(keepends=True)
        path.write_text("".join(line for line in lines if "ISR for partition" not in line), "utf-8")
    assert partition_of(tidegate, str(tmp_path / "logs"))["result"] == "shown"


def test_without_state_changes_nothing_is_said(tidegate: Run, tmp_path: Path) -> None:
    for path in EXAMPLE.glob("*/controller.log"):
        (tmp_path / path.parent.name).mkdir()
        shutil.copy(path, tmp_path / path.parent.name)
    done = tidegate("validate", str(tmp_path), "--kafka-version", "2.8.2", "--json")
    (partition,) = json.loads(done.out)["partitions"]
    assert (done.exit, partition["result"]) == (5, "not_checked")
    assert "no file says which brokers have a copy of it" in partition["why"]


def test_brokers_of_two_clusters_are_refused(tidegate: Run, tmp_path: Path) -> None:
    shutil.copytree(EXAMPLE, tmp_path / "logs")
    path = tmp_path / "logs" / "broker-2" / "server.log"
    text = path.read_text("utf-8")
    own = text.partition("Cluster ID = ")[2].split()[0]
    path.write_text(text.replace(own, "another"), "utf-8")
    done = tidegate("validate", str(tmp_path / "logs"))
    assert done.exit == 64
    assert "its files are of several clusters" in done.err


@pytest.mark.parametrize("cluster", [None, "another"])
def test_brokers_that_are_given_besides_are_of_the_same_cluster(
    tidegate: Run, tmp_path: Path, cluster: str | None
) -> None:
    """Of two clusters with a topic of one name a loss would be reported."""
    other = tmp_path / "broker-1"
    shutil.copytree(EXAMPLE / "broker-1", other)
    file = other / "server.log"
    own = file.read_text("utf-8").partition("Cluster ID = ")[2].split()[0]
    file.write_text(file.read_text("utf-8").replace(own, cluster or own), encoding="utf-8")
    done = tidegate("validate", str(EXAMPLE), "--brokers", str(other))
    assert (done.exit == 64) is (cluster is not None), done.err
    assert (f"it is of cluster another, and the controllers' logs are of {own}" in done.err) is (cluster is not None)


def test_a_cluster_in_kraft_is_no_cluster_with_zookeeper() -> None:
    assert has_zookeeper_controller_logs(EXAMPLE)
    assert not has_zookeeper_controller_logs(ROOT / "examples" / "histories" / "power_lost")


def test_a_release_without_zookeeper_is_refused(tidegate: Run) -> None:
    done = tidegate("validate", str(EXAMPLE), "--kafka-version", "4.1.0")
    assert done.exit == 64
    assert "has no controllers' logs on ZooKeeper" in done.err


@pytest.mark.brokers
def test_real_brokers_with_zookeeper_do_what_the_model_does(tidegate: Run, tmp_path: Path) -> None:
    """Three brokers and ZooKeeper go through all of `outages`, and their logs are those of a run."""
    with ZooKeeperCluster("3.4.1", tmp_path / "cluster") as cluster:
        outages(cluster)
        cluster.keep(tmp_path / "logs")
    partition = partition_of(tidegate, str(tmp_path / "logs"), "--brokers", str(tmp_path / "logs"))
    assert (partition["result"], partition["losses"], partition["possible_losses"]) == ("shown", [], [])


@pytest.mark.long
@pytest.mark.parametrize("profile", ["kafka_2_8", "kafka_3_9_zookeeper"])
def test_zookeepers_own_elections_change_no_verdict(tidegate: Run, profile: str) -> None:
    def verdicts_with(value: str) -> dict[str, str]:
        bounds = ("replicas=2", "isr_shrinks=1", "fences=0", "crashes=2", f"by_zookeeper={value}")
        given = (word for bound in bounds for word in ("--set", bound))
        document = json.loads(tidegate("check", f"partition:{profile}", "--keep-going", "--json", *given).out)
        return {one["name"]: one["verdict"] for one in document["properties"]}

    off, on = verdicts_with("false"), verdicts_with("true")
    differs = {name: (verdict, on[name]) for name, verdict in off.items() if verdict != on[name]}
    assert all(verdicts == ("missing", "reached") for verdicts in differs.values()), "a witness more, and nothing else"
