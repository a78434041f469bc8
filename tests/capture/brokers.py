"""Starts real brokers and keeps what Kafka's own tools print of them, for the readers' tests.

    python tests/capture/brokers.py 2.8.2-zookeeper 4.1.0-kraft     (no name: all of them)

Needs Java 17, Maven and about 3 GB of memory. Three brokers on 127.0.0.1, one of them killed, then two.
Writes tests/fixtures/audit/<release>/{healthy,one-dead,two-dead,collected}/, and the list of settings.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from zipfile import ZipFile

from tidegate.audit.readers.running.collection import collection_script

HERE = Path(__file__).resolve().parent
FIXTURES = HERE.parent / "fixtures" / "audit"
RELEASES = ("2.8.2-zookeeper", "3.6.2-kraft", "3.9.1-zookeeper", "3.9.1-kraft", "4.1.0-kraft")
CLASSES = {
    "topics": ("kafka.admin.TopicCommand", "org.apache.kafka.tools.TopicCommand"),
    "configs": ("kafka.admin.ConfigCommand", "org.apache.kafka.tools.ConfigCommand"),
    "quorum": ("kafka.admin.MetadataQuorumCommand", "org.apache.kafka.tools.MetadataQuorumCommand"),
    "features": ("org.apache.kafka.tools.FeatureCommand", "kafka.admin.FeatureCommand"),
    "consume": ("kafka.tools.ConsoleConsumer", "org.apache.kafka.tools.consumer.ConsoleConsumer"),
    "produce": ("kafka.tools.ConsoleProducer", "org.apache.kafka.tools.ConsoleProducer"),
    "storage": ("kafka.tools.StorageTool",),
}
POM = """<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>capture</groupId><artifactId>capture</artifactId><version>1</version><dependencies>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>{version}</version></dependency>
<dependency><groupId>org.apache.kafka</groupId><artifactId>kafka-tools</artifactId><version>{version}</version></dependency>
</dependencies></project>"""
COMMON = """log.dirs=data/{number}
default.replication.factor=3
min.insync.replicas=2
offsets.topic.replication.factor=3
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=3
transaction.state.log.min.isr=2
group.initial.rebalance.delay.ms=0
broker.rack=rack-{rack}
ssl.keystore.password=planted-in-the-file
"""
ZOOKEEPER = """broker.id={number}
listeners=PLAINTEXT://127.0.0.1:{port}
zookeeper.connect=127.0.0.1:{controller}
zookeeper.session.timeout.ms=6000
"""
BROKER = """process.roles=broker
node.id={number}
controller.quorum.voters=100@127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:{port}
"""
COMBINED = """process.roles=broker,controller
node.id={number}
controller.quorum.voters={voters}
controller.listener.names=CONTROLLER
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{own}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
"""
CONTROLLER = """process.roles=controller
node.id=100
controller.quorum.bootstrap.servers=127.0.0.1:{controller}
controller.listener.names=CONTROLLER
listeners=CONTROLLER://127.0.0.1:{controller}
log.dirs=data/100
"""


PORTS = (10_240, 32_768)
"""Below those that Linux gives to whoever asks for any port (`net.ipv4.ip_local_port_range`)."""


def free_ports(count: int) -> list[int]:
    """Ports of 127.0.0.1 that nobody uses now, and that the system gives to nobody who asks for any port: until the
    process that they are for has begun to listen, no other takes them."""
    ports: list[int] = []
    while len(ports) < count:
        port = random.SystemRandom().randrange(*PORTS)
        with socket.socket() as tried, contextlib.suppress(OSError):
            tried.bind(("127.0.0.1", port))
            ports += [] if port in ports else [port]
    return ports


@dataclass
class Kafka:
    """One release's jars and the processes that were started from them, in a folder of its own."""

    version: str
    folder: Path
    jars: Path
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict[str, "subprocess.Popen[bytes]"])

    def fetch(self) -> None:
        """The release's jars from Maven Central, kept between runs in the user's cache, whole or not at all."""
        if not self.jars.exists():
            self.jars.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=self.jars.parent) as scratch:
                pom, jars = Path(scratch) / "pom.xml", Path(scratch) / "jars"
                pom.write_text(POM.format(version=self.version), encoding="utf-8")
                fetch = ["mvn", "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={jars}"]
                subprocess.run([*fetch, "-f", str(pom)], check=True)
                jars.rename(self.jars)

    def java(self, *arguments: str) -> list[str]:
        """A command line that runs a class of the release."""
        return ["java", "-Xmx400m", "-cp", f"{self.jars}/*", *arguments]

    def start(self, name: str, *arguments: str) -> None:
        """A server in the background; its own log is kept beside it."""
        log = (self.folder / f"{name}.log").open("wb")
        self.running[name] = subprocess.Popen(self.java(*arguments), cwd=self.folder, stdout=log, stderr=log)

    def kill(self, name: str) -> None:
        """As a power loss would, but for what the operating system keeps."""
        process = self.running.pop(name)
        process.send_signal(signal.SIGKILL)
        process.wait()

    def class_of(self, tool: str) -> str:
        """The class of a tool: later releases moved them."""
        for jar in sorted(self.jars.glob("kafka*.jar")):
            names = set(ZipFile(jar).namelist())
            for text in CLASSES[tool]:
                if text.replace(".", "/") + ".class" in names:
                    return text
        raise SystemExit(f"Kafka {self.version} has no tool for {tool}")

    def tool(self, tool: str, *arguments: str, given: str = "", fails: bool = False) -> str:
        """What a tool prints on standard output."""
        done = subprocess.run(
            self.java(self.class_of(tool), *arguments),
            cwd=self.folder,
            input=given,
            capture_output=True,
            text=True,
            timeout=180,
            check=False,
        )
        if done.returncode and not fails:
            raise SystemExit(f"{tool} {arguments} of {self.version} failed:\n{done.stdout}{done.stderr}")
        return done.stdout


def write(kafka: Kafka, name: str, text: str) -> Path:
    """One file of the cluster."""
    path = kafka.folder / f"{name}.properties"
    path.write_text(text, encoding="utf-8")
    return path


def start_cluster(kafka: Kafka, mode: str) -> str:
    """Three brokers, as the mode wants its controllers; gives the bootstrap servers."""
    ports = free_ports(7)
    brokers, controllers = ports[:3], ports[3:6]
    voters = ",".join(f"{i}@127.0.0.1:{port}" for i, port in enumerate(controllers, 1))
    dynamic = kafka.version.startswith("4")
    if mode == "zookeeper":
        text = f"dataDir=zookeeper\nclientPort={controllers[0]}\nadmin.enableServer=false\n"
        path = write(kafka, "zookeeper", text)
        kafka.start("zookeeper", "org.apache.zookeeper.server.quorum.QuorumPeerMain", path.name)
        time.sleep(5)
    elif dynamic:
        write(kafka, "controller", CONTROLLER.format(controller=controllers[0]))
        format_storage(kafka, "controller", "--standalone")
        kafka.start("controller", "kafka.Kafka", "controller.properties")
    for i, port in enumerate(brokers, 1):
        names = {"number": i, "port": port, "controller": controllers[0], "own": controllers[i - 1], "voters": voters}
        head = ZOOKEEPER if mode == "zookeeper" else (BROKER if dynamic else COMBINED)
        if dynamic:
            head = head.replace("quorum.voters=100@", "quorum.bootstrap.servers=")
        write(kafka, f"server-{i}", head.format(**names) + COMMON.format(number=i, rack="ab"[i % 2]))
        if mode == "kraft":
            format_storage(kafka, f"server-{i}")
        kafka.start(f"server-{i}", "kafka.Kafka", f"server-{i}.properties")
    return ",".join(f"127.0.0.1:{port}" for port in brokers)


def format_storage(kafka: Kafka, name: str, *more: str) -> None:
    """KRaft's storage, under one cluster id."""
    kafka.tool("storage", "format", "-t", "MkU3OEVBNTcwNTJENDM2Qk", "-c", f"{name}.properties", *more)


def settle(kafka: Kafka, bootstrap: str, count: int) -> None:
    """Waits until so many replicas of every partition of `orders` are in sync."""
    for _ in range(60):
        text = kafka.tool("topics", "--bootstrap-server", bootstrap, "--describe", "--topic", "orders", fails=True)
        sets = [line.split("Isr:")[1].split("\t")[0].strip() for line in text.splitlines() if "Isr:" in line]
        if sets and all(len(set_.split(",")) == count for set_ in sets):
            return
        time.sleep(2)
    raise SystemExit(f"Kafka {kafka.version}: the in-sync replicas did not become {count}")


def wait_for_port(address: str, seconds: float = 120) -> None:
    """Until somebody listens at `HOST:PORT`."""
    host, _, port = address.rpartition(":")
    for _ in range(round(10 * seconds)):
        with socket.socket() as probe:
            if probe.connect_ex((host, int(port))) == 0:
                return
        time.sleep(0.1)
    raise SystemExit(f"nobody listens at {address}")


def wait_for_brokers(kafka: Kafka, bootstrap: str) -> None:
    """Until a topic with three replicas can be made."""
    at = ("--bootstrap-server", bootstrap)
    make = ("--create", "--topic", "orders", "--partitions", "3", "--replication-factor", "3")
    for _ in range(40):
        kafka.tool("topics", *at, *make, fails=True)
        if "orders" in kafka.tool("topics", *at, "--list", fails=True):
            return
        time.sleep(2)
    raise SystemExit(f"Kafka {kafka.version} did not start: see {kafka.folder}")


def fill(kafka: Kafka, bootstrap: str) -> None:
    """Topics and settings of every layer, and one group, so that the offsets topic exists."""
    at = ("--bootstrap-server", bootstrap)
    topics: tuple[tuple[str, ...], ...] = (
        ("payments", "--partitions", "2", "--replication-factor", "3", "--config", "min.insync.replicas=1"),
        ("ledger", "--partitions", "1", "--replica-assignment", "1:2:3", "--config", "min.insync.replicas=2"),
        ("scratch", "--partitions", "3", "--replication-factor", "1", "--config", "retention.ms=60000"),
        ("audit.log", "--partitions", "1", "--replica-assignment", "2:3", "--config", "cleanup.policy=compact"),
    )
    for name, *more in topics:
        wanted = (
            [option for option in more if option not in ("--partitions", "1")]
            if "--replica-assignment" in more
            else more
        )
        kafka.tool("topics", *at, "--create", "--topic", name, *wanted)
    alter = (*at, "--alter", "--entity-type")
    unclean = "unclean.leader.election.enable=true"
    kafka.tool("configs", *alter, "topics", "--entity-name", "payments", "--add-config", unclean)
    kafka.tool("configs", *alter, "brokers", "--entity-name", "2", "--add-config", "log.cleaner.threads=2")
    kafka.tool("configs", *alter, "brokers", "--entity-default", "--add-config", "message.max.bytes=2000000")
    kafka.tool("produce", *at, "--topic", "orders", given="one\ntwo\n")
    from_start = ("--from-beginning", "--max-messages", "2", "--timeout-ms", "60000")
    kafka.tool("consume", *at, "--topic", "orders", "--group", "billing", *from_start)


def keep(kafka: Kafka, bootstrap: str, mode: str, into: Path) -> None:
    """What each tool prints now, a file each."""
    at = ("--bootstrap-server", bootstrap)
    into.mkdir(parents=True, exist_ok=True)
    describe: dict[str, tuple[str, ...]] = {
        "topics": ("topics", *at, "--describe"),
        "configs-topics": ("configs", *at, "--describe", "--entity-type", "topics"),
        "configs-topics-all": ("configs", *at, "--describe", "--all", "--entity-type", "topics"),
        "configs-brokers": ("configs", *at, "--describe", "--entity-type", "brokers"),
        "configs-brokers-default": ("configs", *at, "--describe", "--entity-type", "brokers", "--entity-default"),
        "configs-broker-1-all": (
            "configs",
            *at,
            "--describe",
            "--all",
            "--entity-type",
            "brokers",
            "--entity-name",
            "1",
        ),
        "features": ("features", *at, "describe"),
    }
    if mode == "kraft":
        describe["quorum-status"] = ("quorum", *at, "describe", "--status")
        describe["quorum-replication"] = ("quorum", *at, "describe", "--replication")
    for name, command in describe.items():
        (into / f"{name}.txt").write_text(kafka.tool(*command, fails=True), encoding="utf-8")


def collect(kafka: Kafka, bootstrap: str, into: Path, files: Sequence[str] = ()) -> None:
    """What `tidegate audit --collect` makes of the cluster: its script, run with the release's own tools."""
    tools = kafka.folder / "bin"
    tools.mkdir(exist_ok=True)
    shutil.rmtree(kafka.folder / "collected", ignore_errors=True)
    for name in ("topics", "configs", "features", "metadata-quorum"):
        tool = name.removeprefix("metadata-")
        if tool != "quorum" or kafka.version >= "3.3":
            command = " ".join(kafka.java(kafka.class_of(tool)))
            path = tools / f"kafka-{name}.sh"
            path.write_text(f'#!/bin/sh\nexec {command} "$@"\n'.replace(f"{kafka.jars}/*", f"'{kafka.jars}/*'"))
            path.chmod(0o755)
    (kafka.folder / "collect.sh").write_text(collection_script(), encoding="utf-8")
    command = ["sh", "collect.sh", "--bootstrap-server", bootstrap, "--bin", str(tools), "--out", "collected", *files]
    subprocess.run(command, cwd=kafka.folder, check=True)
    shutil.rmtree(into, ignore_errors=True)
    shutil.copytree(kafka.folder / "collected", into)


def release_in(version: str, folder: Path) -> Kafka:
    """A release with its jars, to be run in a folder."""
    cache = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "tidegate-capture" / version
    kafka = Kafka(version, folder, cache)
    kafka.fetch()
    return kafka


def capture(release: str) -> None:
    """One release, from its jars to its fixtures."""
    version, mode = release.split("-")
    into = FIXTURES / release
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        kafka = release_in(version, Path(scratch))
        dump = subprocess.run(kafka.java(str(HERE / "ConfigDump.java")), capture_output=True, text=True, check=True)
        (into / "settings.tsv").write_text(dump.stdout, encoding="utf-8")
        try:
            bootstrap = start_cluster(kafka, mode)
            wait_for_brokers(kafka, bootstrap)
            fill(kafka, bootstrap)
            settle(kafka, bootstrap, 3)
            keep(kafka, bootstrap, mode, into / "healthy")
            for path in kafka.folder.glob("*.properties"):
                (into / "healthy" / path.name).write_bytes(path.read_bytes())
            collect(kafka, bootstrap, into / "collected", [f"server-{number}.properties" for number in (1, 2, 3)])
            kafka.kill("server-3")
            settle(kafka, bootstrap, 2)
            keep(kafka, bootstrap, mode, into / "one-dead")
            if mode == "zookeeper" or version.startswith("4"):  # else the second takes the quorum with it
                kafka.kill("server-2")
                settle(kafka, bootstrap, 1)
                keep(kafka, bootstrap, mode, into / "two-dead")
        finally:
            for name in list(kafka.running):
                kafka.kill(name)


if __name__ == "__main__":
    for wanted in sys.argv[1:] or RELEASES:
        print(f"Kafka {wanted}", flush=True)
        capture(wanted)
