"""Runs a small cluster with ZooKeeper through outages and keeps the logs of its brokers, for `validate`'s tests.

    python -m tests.capture.zookeeper 3.4.1 DIRECTORY

Instead of the version it takes a folder with Kafka's jars. Needs Java 17, Maven and about 1 GB of memory. ZooKeeper and
three brokers on 127.0.0.1, which log as Kafka's own log4j.properties says: each broker's controller.log,
state-change.log and server.log. See `outages` for what happens.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from tidegate.real.driving.nodes import wire
from tidegate.real.driving.nodes.releases import fetch_release, release_in

TOPIC = "orders"
LOGS = ("controller.log", "state-change.log", "server.log")
OF_INTEREST = r"\((kafka\.(controller|cluster|log)\.|state\.change|kafka\.server\.Replica)|Kafka version|Cluster ID"
OF_SETTINGS = (
    r"^\t(broker\.id|min\.insync\.replicas|unclean\.leader\.election\.enable|inter\.broker\.protocol\.version) = "
)
KEPT = ("replication-offset-checkpoint", "meta.properties")
OF_PARTITION = ("leader-epoch-checkpoint", "partition.metadata", "00000000000000000000.log")
BROKER = """broker.id={number}
listeners=PLAINTEXT://127.0.0.1:{port}
zookeeper.connect=127.0.0.1:{zookeeper}
zookeeper.session.timeout.ms=5000
log.dirs={data}
min.insync.replicas=2
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
replica.lag.time.max.ms=1500
replica.high.watermark.checkpoint.interval.ms=500
auto.leader.rebalance.enable=false
auto.create.topics.enable=false
log.cleaner.enable=false
num.network.threads=1
num.io.threads=2
"""
SERVER = """tickTime=500
dataDir={data}
clientPort={port}
clientPortAddress=127.0.0.1
minSessionTimeout=1000
admin.enableServer=false
"""
CONSOLE = """log4j.rootLogger=WARN, file
log4j.appender.file=org.apache.log4j.FileAppender
log4j.appender.file.File={file}
log4j.appender.file.layout=org.apache.log4j.PatternLayout
log4j.appender.file.layout.ConversionPattern=[%d] %p %m (%c)%n
"""
APPENDERS = {"kafka.controller": ("TRACE", "controller"), "state.change.logger": ("{state}", "state-change")}
"""Kafka's config/log4j.properties, as far as a controller's and a partition's changes are in it."""


def _logging(folder: Path, release: str) -> str:
    """As config/log4j.properties of a release has it: state.change.logger at TRACE up to 2.5, at INFO since."""
    level = "TRACE" if tuple(map(int, release.split(".")[:2])) < (2, 6) else "INFO"
    lines = [CONSOLE.format(file=folder / "server.log").replace("WARN", "INFO")]
    for logger, (at, name) in APPENDERS.items():
        text = (
            CONSOLE.format(file=folder / f"{name}.log").split("\n", 1)[1].replace("appender.file", f"appender.{name}")
        )
        lines += [text, f"log4j.logger.{logger}={at.format(state=level)}, {name}", f"log4j.additivity.{logger}=false"]
    return "\n".join(lines) + "\n"


def _free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class ZooKeeperCluster:
    """ZooKeeper and three brokers of a release in a folder. All of it ends with `with`."""

    def __init__(self, version: str, folder: Path) -> None:
        home = Path(version)
        self.release = release_in(home) if home.is_dir() else fetch_release(version)
        self.folder = folder
        self.zookeeper = _free_port()
        self.ports = {number: _free_port() for number in (1, 2, 3)}
        self.processes: dict[int, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        data = self.folder / "zookeeper"
        data.mkdir(parents=True)
        config = data / "zoo.cfg"
        config.write_text(SERVER.format(data=data, port=self.zookeeper), "utf-8")
        logging = CONSOLE.format(file=data / "zookeeper.log")
        self._start(0, data, logging, "org.apache.zookeeper.server.quorum.QuorumPeerMain", config)
        self.wait("ZooKeeper listens", lambda: self._listens(self.zookeeper))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        for process in self.processes.values():
            process.kill()
            process.wait()

    def _start(self, number: int, folder: Path, logging: str, main: str, config: Path) -> None:
        properties = folder / "log4j.properties"
        properties.write_text(logging, "utf-8")
        memory = ("-Xmx256m", "-Xms32m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
        command = [self.release.java, *memory, f"-Dlog4j.configuration=file:{properties}"]
        command += ["-cp", f"{self.release.jars}/*", main, str(config)]
        with (folder / "stdout").open("ab") as out:
            self.processes[number] = subprocess.Popen(command, stdout=out, stderr=out, cwd=folder)

    def start(self, number: int) -> None:
        """Starts a broker; it is there when it answers."""
        folder = self.folder / f"broker-{number}"
        folder.mkdir(exist_ok=True)
        config = folder / "server.properties"
        values = {"number": number, "port": self.ports[number], "zookeeper": self.zookeeper, "data": folder / "data"}
        config.write_text(BROKER.format(**values), "utf-8")
        self._start(number, folder, _logging(folder, self.release.version), "kafka.Kafka", config)
        self.wait(f"broker {number} listens", lambda: self._listens(self.ports[number]))

    def kill(self, number: int) -> None:
        """kill -9."""
        self.processes[number].kill()
        self.processes.pop(number).wait()

    def stop(self, number: int) -> None:
        """A controlled shutdown."""
        self.processes[number].terminate()
        self.processes.pop(number).wait(60)

    @contextlib.contextmanager
    def pause_broker(self, number: int) -> Generator[None]:
        """A broker that does nothing for a while."""
        self.processes[number].send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            self.processes[number].send_signal(signal.SIGCONT)

    def _listens(self, port: int) -> bool:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return True
        return False

    def wait(self, what: str, seen: Callable[[], object], seconds: float = 120.0) -> None:
        """Waits for something observed. AssertionError where it does not come."""
        until = time.monotonic() + seconds
        while not seen():
            assert time.monotonic() < until, f"{what}: not after {seconds:g} s"
            time.sleep(0.1)

    @contextlib.contextmanager
    def connect(self, number: int) -> Generator[wire.Connection]:
        """A connection to a broker."""
        connection = wire.Connection(self.ports[number])
        try:
            yield connection
        finally:
            connection.close()

    def partition_metadata(self, number: int) -> wire.PartitionMetadata | None:
        """What a broker says of the partition."""
        with contextlib.suppress(OSError, EOFError, wire.BrokerError), self.connect(number) as connection:
            return wire.read_metadata(connection, TOPIC)
        return None

    def await_isr(self, at: int, *isr: int, leader: int | None = None) -> None:
        """Waits until a broker says that these are in sync, and who leads."""

        def is_reached() -> bool:
            known = self.partition_metadata(at)
            return known is not None and known.isr == frozenset(isr) and leader in (None, known.leader)

        self.wait(f"the ISR {isr} under {leader}", is_reached)

    def produce(self, leader: int, acks: int = -1) -> None:
        """A record, acknowledged."""
        with self.connect(leader) as connection:
            wire.produce(connection, wire.produce_request(TOPIC, wire.record_batch(b"record"), acks))

    def keep(self, target: Path) -> None:
        """Copies each broker's logs and what it has of the partition."""
        for number in self.ports:
            source, into = self.folder / f"broker-{number}", target / f"broker-{number}"
            (into / "data" / f"{TOPIC}-0").mkdir(parents=True, exist_ok=True)
            for name in (*(f"data/{name}" for name in KEPT), *(f"data/{TOPIC}-0/{name}" for name in OF_PARTITION)):
                if (source / name).exists():
                    shutil.copy(source / name, into / name)
            for name in LOGS:
                (into / name).write_text("".join(_kept_lines((source / name).read_text("utf-8"))), "utf-8")


def _kept_lines(text: str) -> Iterator[str]:
    """The lines of a log, without settings that are not looked at and what other parts of a broker say: to be small."""
    for line in text.splitlines(keepends=True):
        if re.search(OF_SETTINGS if line.startswith("\t") else OF_INTEREST, line):
            yield line


def outages(cluster: ZooKeeperCluster) -> None:
    """Deaths of a follower, a leader and a controller, a controlled shutdown, a follower that lags, and the last
    replica of an ISR that stops and comes back."""
    for number in (3, 1, 2):  # 3 becomes the controller
        cluster.start(number)
    with cluster.connect(3) as connection:
        wire.create_topic(connection, TOPIC, [1, 2, 3], {"unclean.leader.election.enable": "false"})
    cluster.await_isr(3, 1, 2, 3, leader=1)
    cluster.produce(1)
    cluster.kill(2)
    cluster.await_isr(3, 1, 3)
    cluster.produce(1)
    cluster.start(2)
    cluster.await_isr(3, 1, 2, 3)
    cluster.stop(1)
    cluster.await_isr(3, 2, 3, leader=2)
    cluster.start(1)
    cluster.await_isr(3, 1, 2, 3)
    cluster.kill(3)  # the controller
    cluster.await_isr(2, 1, 2)
    cluster.start(3)
    cluster.await_isr(2, 1, 2, 3)
    with cluster.pause_broker(1):
        cluster.produce(2, acks=1)
        cluster.await_isr(2, 2, 3)
    cluster.await_isr(2, 1, 2, 3)
    cluster.kill(3)
    cluster.await_isr(2, 1, 2)
    cluster.kill(1)
    cluster.await_isr(2, 2)
    cluster.produce(2, acks=1)
    cluster.kill(2)
    for number in (1, 3, 2):
        cluster.start(number)
    cluster.await_isr(2, 1, 2, 3, leader=2)
    cluster.produce(2)


def main() -> None:
    """Runs it."""
    version, target = sys.argv[1], Path(sys.argv[2])
    with tempfile.TemporaryDirectory() as scratch, ZooKeeperCluster(version, Path(scratch)) as cluster:
        try:
            outages(cluster)
        finally:
            cluster.keep(target)


if __name__ == "__main__":
    main()
