"""Processes of a small cluster, on ports of 127.0.0.1 and in a folder of their own. All of them end with this process,
however it ends: the kernel kills them (PR_SET_PDEATHSIG), and a process that waits for that takes their folder away."""

from __future__ import annotations

import contextlib
import fcntl
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import uuid
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from pathlib import Path

from ....language.errors import UsageError
from .releases import Release

CONTROLLER = 100
CLOCKS: Mapping[str, int] = {
    "broker.heartbeat.interval.ms": 300,
    "controller.quorum.election.timeout.ms": 500,
    "controller.quorum.fetch.timeout.ms": 2_000,
    "replica.fetch.wait.max.ms": 100,
    "replica.high.watermark.checkpoint.interval.ms": 200,
    "log.flush.offset.checkpoint.interval.ms": 200,
}
"""Clocks that decide when something happens, and never what; shorter than they usually are."""
_COMMON: Mapping[str, str] = {
    "listener.security.protocol.map": "CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT",
    "controller.listener.names": "CONTROLLER",
    "auto.create.topics.enable": "false",
    "auto.leader.rebalance.enable": "false",
    "log.cleaner.enable": "false",
    "controlled.shutdown.max.retries": "1",
    "replica.socket.timeout.ms": "3600000",
    "request.timeout.ms": "3600000",
    "connections.max.idle.ms": "7200000",
    "replica.fetch.max.bytes": "1",
}
_HEAP = ("-Xmx256m", "-Xms64m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
_LOG4J = """log4j.rootLogger=INFO, out
log4j.appender.out=org.apache.log4j.ConsoleAppender
log4j.appender.out.layout=org.apache.log4j.PatternLayout
log4j.appender.out.layout.ConversionPattern=[%d] %p %m (%c)%n
"""
_LOG4J_2 = """rootLogger.level=INFO
rootLogger.appenderRef.out.ref=out
appender.out.name=out
appender.out.type=Console
appender.out.layout.type=PatternLayout
appender.out.layout.pattern=[%d] %p %m (%c)%n
"""
_LAUNCHER = """import ctypes, os, sys, time
starter, node = int(sys.argv[1]), os.getpid()
try:
    ctypes.CDLL(None).prctl(1, 9)
except AttributeError:
    if os.fork() == 0:
        os.closerange(0, 1024)
        while os.getppid() == node:
            try:
                os.kill(starter, 0)
            except ProcessLookupError:
                os.kill(node, 9)
            time.sleep(0.2)
        os._exit(0)
os.getppid() == starter or os._exit(1)
os.execv(sys.argv[2], sys.argv[2:])
"""
"""Ends the command with its starter: by Linux's prctl, elsewhere by a process beside it that looks now and then."""
_CLEANER = """import os, shutil, sys, time
sys.stdin.buffer.read()
for _ in range(100):
    shutil.rmtree(sys.argv[1], ignore_errors=True)
    os.path.exists(sys.argv[1]) or os._exit(0)
    time.sleep(0.1)
"""
_PREFIX, _LOCK = "tidegate-real-", "lock"
_PORTS = (10_240, 32_768)
"""Below those that Linux gives to whoever asks for any port."""


def bound_command(command: list[str]) -> list[str]:
    """A command line that ends with the thread that starts it, and does not begin if that has ended already."""
    return [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(os.getpid()), *command]


def make_kept_folder(path: Path) -> Path:
    """A folder for what is kept, with its whole path, since nodes run in it. UsageError where something is in it
    already: nodes begin with empty disks."""
    try:
        if path.exists() and (not path.is_dir() or any(path.iterdir())):
            raise UsageError(f"--keep {path}: it is not empty, and nothing there is overwritten; give a new folder")
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"--keep {path}: it cannot be written: {error}") from None
    return path.resolve()


class NodesFolder:
    """A temporary folder that is gone in the end, also where the command is killed: another process waits for its end.
    Those of commands that were killed together with that go when the next one starts. Or one that is `kept_folder`, and
    has nothing in it before (UsageError)."""

    def __init__(self, kept_folder: Path | None) -> None:
        self._kept = kept_folder
        _remove_orphans()
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX)) if kept_folder is None else make_kept_folder(kept_folder)
        self._lock = (self.path / _LOCK).open("w")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self._cleaner = None if kept_folder is not None else _start_cleaner(self.path)

    def close(self) -> None:
        """Takes it away, unless it is to be kept."""
        self._lock.close()
        if self._cleaner is not None:
            shutil.rmtree(self.path, ignore_errors=True)
            self._cleaner.communicate()


def _start_cleaner(path: Path) -> subprocess.Popen[bytes]:
    """A process that takes a folder away once this one has ended: then nobody has the other end of its pipe."""
    command = [sys.executable, "-I", "-S", "-c", _CLEANER, str(path)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, start_new_session=True)


def _remove_orphans() -> None:
    for old in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError), (old / _LOCK).open("r+") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # BlockingIOError where its command runs
            shutil.rmtree(old, ignore_errors=True)


def free_port() -> int:
    """A port that nobody uses now, and that the system gives to nobody who asks for any."""
    while True:
        port = random.SystemRandom().randrange(*_PORTS)
        with socket.socket() as tried, contextlib.suppress(OSError):
            tried.bind(("127.0.0.1", port))
            return port


def cluster_id(identity: uuid.UUID) -> str:
    """A UUID as Kafka writes it; with a letter before what its tools would take for an option."""
    text = urlsafe_b64encode(identity.bytes).decode().rstrip("=")
    return f"A{text[1:]}" if text.startswith("-") else text


class Nodes:
    """The processes of one release in a folder."""

    def __init__(self, release: Release, folder: Path) -> None:
        self.release, self.folder = release, folder
        self.cluster = cluster_id(uuid.uuid4())
        self.running: dict[int, subprocess.Popen[bytes]] = {}
        self._directories: dict[int, list[Path]] = {}
        new = release.parts >= (4,)  # KIP-653
        self._logging = folder / ("log4j2.properties" if new else "log4j.properties")
        self._logging.write_text(_LOG4J_2 if new else _LOG4J, encoding="utf-8")

    def data(self, node: int) -> Path:
        """Where a node keeps its logs, or the first of its directories: with two empty ones a broker takes that."""
        return self._directories.get(node, [self.folder / f"data-{node}"])[0]

    def add_directory(self, node: int) -> None:
        """Gives a broker another directory, before its file is written."""
        self._directories[node] = [self.data(node), self.folder / f"other-{node}"]

    def write(self, node: int, settings: Mapping[str, object]) -> None:
        """A node's file, and its empty disk: of a broker it is one text file."""
        directories = ",".join(map(str, self._directories.get(node, [self.data(node)])))
        everything = {**_COMMON, **CLOCKS, "log.dirs": directories, **settings}
        text = "".join(f"{name}={value}\n" for name, value in everything.items())
        self._file(node).write_text(text, encoding="utf-8")
        if "broker" in str(settings.get("process.roles", "broker")):
            self.empty(node)

    def empty(self, node: int) -> None:
        """Gives a broker an empty disk."""
        text = f"version=1\nnode.id={node}\ncluster.id={self.cluster}\n"
        for directory in self._directories.get(node, [self.data(node)]):
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir()
            (directory / "meta.properties").write_text(text, encoding="utf-8")

    def lose_directory(self, node: int) -> None:
        """A broker that is down loses the first of its directories, which its file names no more."""
        lost = self._directories[node].pop(0)
        shutil.rmtree(lost)
        file = self._file(node)
        before = f"log.dirs={','.join(map(str, [lost, *self._directories[node]]))}\n"
        after = f"log.dirs={','.join(map(str, self._directories[node]))}\n"
        file.write_text(file.read_text("utf-8").replace(before, after), encoding="utf-8")

    def format_controller(self, features: Mapping[str, int], node: int = CONTROLLER) -> None:
        """A controller's disk, with Kafka's own tool. RuntimeError with what it says where it fails."""
        more = [f"--feature={name}={level}" for name, level in features.items()]
        tool = ("kafka.tools.StorageTool", "format", "-t", self.cluster, "-c", str(self._file(node)), *more)
        done = subprocess.run(
            bound_command(self.command(*tool)), capture_output=True, text=True, check=False, cwd=self.folder
        )
        if done.returncode:
            raise RuntimeError(f"kafka-storage format failed: {(done.stderr or done.stdout).strip()[-400:]}")

    def start(self, node: int, environment: Mapping[str, str] | None = None) -> None:
        """Starts a node in a process group of its own, with more environment; what it prints goes to a file."""
        with (self.folder / f"{node}.log").open("ab") as log:
            command = bound_command(self.command("kafka.Kafka", str(self._file(node))))
            self.running[node] = subprocess.Popen(
                command,
                cwd=self.folder,
                env={**os.environ, **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def kill(self, node: int) -> None:
        """SIGKILL, and waits until it is gone."""
        process = self.running.pop(node)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def terminate(self, node: int, seconds: float) -> bool:
        """A controlled shutdown: SIGTERM; whether it ended in time."""
        process = self.running[node]
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        del self.running[node]
        return True

    def died_nodes(self) -> list[int]:
        """The nodes whose process has ended by itself."""
        return [node for node, process in self.running.items() if process.poll() is not None]

    def last_words(self, node: int) -> str:
        """The end of what a node printed."""
        path = self.folder / f"{node}.log"
        lines = path.read_text("utf-8", "replace").splitlines() if path.exists() else []
        wrong = [line for line in lines if "ERROR" in line or "Exception" in line]
        return (wrong or lines or ["it printed nothing"])[-1][:400]

    def end(self) -> None:
        """Kills all of them."""
        for node in list(self.running):
            with contextlib.suppress(ProcessLookupError):
                self.kill(node)

    def _file(self, node: int) -> Path:
        return self.folder / f"{node}.properties"

    def command(self, *arguments: str) -> list[str]:
        """The command line of a class of the release, in Java."""
        setting = "log4j2.configurationFile" if self.release.parts >= (4,) else "log4j.configuration"
        logging = f"-D{setting}=file:{self._logging}"
        return [self.release.java, *_HEAP, logging, "-cp", f"{self.release.jars}/*", *arguments]
