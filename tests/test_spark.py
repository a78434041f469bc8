"""Spark itself: exact in `local[2]`, and on a real cluster whose parts are killed.

The cluster's tests take minutes and are run by `pytest -m cluster`.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from .spark_cluster import LocalCluster, checking, kill_all, spark_is_here, wait_for

pytestmark = pytest.mark.skipif(not spark_is_here(), reason="needs the extra spark")

MODEL = ("replication:kip320", "--bounds", "large", "--property", "strong_isr", "--property", "weak_isr")
KIP320 = {"verdict": "holds", "distinct_states": 737_794}
SMALL = {"verdict": "holds", "distinct_states": 80_341, "transitions": 200_241, "depth": 24}


def report(running: subprocess.Popen[str], seconds: float = 500) -> dict[str, Any]:
    """The JSON that a check prints."""
    out, _ = running.communicate(timeout=seconds)
    return json.loads(out)


def same(document: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether a report has these values."""
    return {name: document[name] for name in expected} == expected


def test_local_spark_counts_what_is_recorded(tmp_path: Path) -> None:
    options = ("--master", "local[2]", "--shards", "2", "--hand-over", "2000")
    with checking(tmp_path, "replication:kip320", *options) as running:
        found = report(running)
    assert same(found, SMALL), found
    assert found["assurance"].startswith("exhaustive within bounds, expected collisions 1.7e-10")
    assert running.returncode == 0


# --- a cluster whose parts are killed ---------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    """One master, two workers."""
    with LocalCluster(tmp_path_factory.mktemp("cluster")) as started:
        yield started


def levels(folder: Path) -> int:
    """The levels that the run's manifest has."""
    try:
        return len(json.loads((folder / "run" / "manifest.json").read_bytes())["levels"])
    except (OSError, ValueError):
        return 0


def options(cluster: LocalCluster, folder: Path) -> tuple[str, ...]:
    return (
        "--master", cluster.master, "--shards", "2", "--hand-over", "3000", "--run-dir", str(folder / "run"),
        "--scratch", str(folder / "scratch"), "--conf", "spark.executor.memory=512m",
    )  # fmt: skip


@pytest.mark.cluster
def test_kills_on_a_cluster(cluster: LocalCluster, tmp_path: Path) -> None:
    """A Python worker, then an executor, then the machine's tables, then the driver itself; then it is resumed."""
    (tmp_path / "scratch").mkdir()
    with checking(tmp_path, *MODEL, *options(cluster, tmp_path)) as running:
        wait_for(lambda: levels(tmp_path) >= 11 and bool(cluster.python_workers()))
        os.kill(cluster.python_workers()[0], signal.SIGKILL)
        at = levels(tmp_path)
        wait_for(lambda: levels(tmp_path) > at)
        os.kill(cluster.executors()[0], signal.SIGKILL)
        at = levels(tmp_path)
        wait_for(lambda: levels(tmp_path) > at)
        shutil.rmtree(tmp_path / "scratch", ignore_errors=True)
        at = levels(tmp_path)
        wait_for(lambda: levels(tmp_path) > at)
        kill_all(running)
    assert running.returncode == -signal.SIGKILL
    with checking(tmp_path, *MODEL, *options(cluster, tmp_path)) as running:
        assert same(report(running), KIP320)
