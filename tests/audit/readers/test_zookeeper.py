"""ZooKeeper's own file, controllers' directories, and directories that two brokers share: what is not survived."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options
from tidegate.audit.startup.nodes import nodes_down

from ...support.facts import signatures

TEMPORARY = "/" + "tmp"
SERVERS = "server.1=zk1:2888:3888\nserver.2=zk2:2888:3888\nserver.3=zk3:2888:3888\n"


def read(files: dict[str, str]) -> tuple[Cluster, tuple[Finding, ...]]:
    texts = [(path, text, True) for path, text in files.items()]
    return read_cluster_texts(texts, Options(kafka_version="3.9.0", distribution="apache", acks="all"), "x")


def with_zookeeper(
    zoo: dict[str, str], more: str = "", connect: str = "zk1,zk2,zk3"
) -> tuple[Cluster, tuple[Finding, ...]]:
    broker = f"broker.id=1\nlisteners=PLAINTEXT://kafka1:9092\nzookeeper.connect={connect}\nlog.dirs=data\n{more}"
    return read({"b.properties": broker, **zoo})


@pytest.mark.parametrize(
    ("line", "kind", "says"),
    [
        ("dataDir=/var/lib/zk", None, ""),
        ("dataDir=/dev/shm/zk", "incomplete", "`dataDir=/dev/shm/zk` is in memory"),
        ("dataDir=/var/lib/zk\ndataLogDir=/dev/shm/log", "incomplete", "`dataLogDir=/dev/shm/log` is in memory"),
        (f"dataDir={TEMPORARY}/zk", "advice", f"`dataDir={TEMPORARY}/zk`: a temporary folder"),
        ("dataDir=/var/lib/zk\nforceSync=no", "incomplete", "`forceSync=no`: with a loss of power"),
        ("dataDir=/var/lib/zk\nforceSync=yes", None, ""),
    ],
)
@pytest.mark.parametrize("servers", [SERVERS, ""])
def test_what_an_ensemble_forgets_is_named(line: str, kind: str | None, says: str, servers: str) -> None:
    zoo = {"zoo.cfg": f"clientPort=2181\n{line}\n{servers}"}
    _, findings = with_zookeeper(zoo, connect="zk1,zk2,zk3" if servers else "zk1")
    found = [finding for finding in findings if finding.where.path == "zoo.cfg"]
    assert [finding.kind for finding in found] == ([] if kind is None else [kind])
    assert all(finding.what.startswith(says) for finding in found)


ALONE = "tickTime=2000\ndataDir=/var/lib/zk\nclientPort=2181\n"


@pytest.mark.parametrize(
    ("zoo", "connect", "says"),
    [
        ({"zoo.cfg": ALONE}, "zk1,zk2,zk3", ["stands alone, and brokers name zk1:2181, zk2:2181, zk3:2181"]),
        ({"zoo.cfg": ALONE.replace("client", "secureClient")}, "zk1,zk2", ["stands alone, and brokers name"]),
        ({f"{id_}/zoo.cfg": ALONE for id_ in "123"}, "zk1,zk2,zk3", ["stands alone, and brokers name"]),
        ({"1/zoo.cfg": ALONE, "2/zoo.cfg": ALONE + SERVERS}, "zk1", ["another file lists zk1:2181, zk2:2181"]),
        ({"zoo.cfg": ALONE}, "zk1", []),
        ({"zoo.cfg": ALONE + SERVERS}, "zk1,zk2,zk3", []),
        ({"zoo.cfg": ALONE + SERVERS + "server.x=hello\n"}, "zk1,zk2,zk3", ["`server.x=hello` is not a server"]),
        ({"zoo.cfg": ALONE + SERVERS + "server.4=\n"}, "zk1,zk2,zk3", ["`server.4=` is not a server"]),
        ({"zoo.cfg": ALONE + SERVERS + "server.4=zk4:2888\n"}, "zk1,zk2,zk3", ["`server.4=zk4:2888` is not a server"]),
        ({"zoo.cfg": ALONE + "server.4=\nforceSync=no\n"}, "zk1,zk2,zk3", ["is not a server", "`forceSync=no`"]),
        ({"zoo.cfg": ALONE + "dynamicConfigFile=/etc/zoo.dyn\n"}, "zk1,zk2,zk3", ["/etc/zoo.dyn`: the servers that"]),
        (
            {"zoo.cfg": ALONE + "dynamicConfigFile=/etc/zoo.dyn\n" + SERVERS},
            "zk1,zk2",
            ["the servers that vote are in"],
        ),
        ({"zoo.cfg": ALONE + "dynamicConfigFile=/etc/zoo.dyn\n", "zoo.dyn": SERVERS}, "zk1,zk2,zk3", []),
    ],
)
def test_where_no_file_says_which_servers_vote_the_audit_is_undecided(
    zoo: dict[str, str], connect: str, says: list[str]
) -> None:
    _, findings = with_zookeeper(zoo, connect=connect)
    found = [finding.what for finding in findings if finding.kind == "incomplete" and "zoo" in finding.where.path]
    assert len(found) == len(says)
    assert all(part in what for part, what in zip(says, found, strict=True))


def test_of_servers_with_one_number_the_last_votes() -> None:
    cluster, findings = with_zookeeper({"zoo.cfg": ALONE + SERVERS.replace("server.2", "server.1")})
    assert [server for server, _ in cluster.zookeepers] == ["zk2:2181", "zk3:2181"]
    (found,) = [one for one in findings if one.where.path == "zoo.cfg"]
    assert (found.kind, found.where.line) == ("contradiction", 4)


def test_a_file_of_a_server_that_stands_alone_says_nothing_of_kraft() -> None:
    node = "process.roles=broker,controller\nnode.id=1\nlisteners=PLAINTEXT://k1:9092,C://k1:9093\n"
    node += "controller.listener.names=C\ncontroller.quorum.voters=1@k1:9093\n"
    _, findings = read({"server.properties": node, "zookeeper.properties": ALONE})
    assert not [one for one in findings if one.kind == "incomplete" and one.where.path == "zookeeper.properties"]


@pytest.mark.parametrize(
    ("zoo", "session", "says"),
    [
        ("tickTime=2000\n", 60000, "ZooKeeper grants 4000 to 40000 ms (zoo.cfg:1)"),
        ("", 60001, "ZooKeeper grants 6000 to 60000 ms (zoo.cfg)"),
        ("tickTime=2000\nmaxSessionTimeout=6000\n", 18000, "ZooKeeper grants 4000 to 6000 ms (zoo.cfg:2)"),
        ("tickTime=5000\n", 9000, "ZooKeeper grants 10000 to 100000 ms (zoo.cfg:1)"),
        ("tickTime=2000\n", 18000, ""),
    ],
)
def test_sessions_are_compared_with_what_zookeepers_file_grants(zoo: str, session: int, says: str) -> None:
    _, findings = with_zookeeper({"zoo.cfg": zoo + SERVERS}, f"zookeeper.session.timeout.ms={session}\n")
    found = [finding.what for finding in findings if finding.what.startswith("zookeeper.session.timeout.ms")]
    assert found == ([f"zookeeper.session.timeout.ms={session}: {says}"] if says else [])


def test_files_of_one_ensemble_that_differ_leave_it_open_who_votes() -> None:
    observing = SERVERS.replace("zk3:2888:3888", "zk3:2888:3888:observer")
    _, findings = with_zookeeper({"1/zoo.cfg": SERVERS, "3/zoo.cfg": observing})
    said = [finding.what for finding in findings if finding.kind == "incomplete"]
    here, there = "zk1:2181, zk2:2181, zk3:2181 in 1/zoo.cfg", "zk1:2181, zk2:2181 in 3/zoo.cfg"
    assert said == [f"ZooKeeper's servers that vote are {here}, and {there}"]
    _, findings = with_zookeeper({"1/zoo.cfg": SERVERS, "3/zoo.cfg": SERVERS})
    assert not any(finding.kind == "incomplete" for finding in findings)


def test_one_server_by_several_names_is_one() -> None:
    cluster, _ = with_zookeeper({}, connect="zk1:2181,zk1.example:2181,ZK1")
    assert [server for server, _ in cluster.zookeepers] == ["zk1:2181"]
    cluster, _ = with_zookeeper({}, connect="zk1:2181,zk1:2182,zk2.example")
    assert len(cluster.zookeepers) == 3


@pytest.mark.parametrize(
    ("directory", "kind"),
    [("/dev/shm/meta", "incomplete"), (f"{TEMPORARY}/meta", "advice"), ("/var/lib/meta", None)],
)
@pytest.mark.parametrize("key", ["metadata.log.dir", "log.dirs"])
def test_controllers_whose_metadata_goes_are_named(directory: str, kind: str | None, key: str) -> None:
    voters = "controller.quorum.voters=1@c1:9093,2@c2:9093,3@c3:9093\ncontroller.listener.names=C\n"
    nodes = {
        f"c{id_}.properties": f"process.roles=controller\nnode.id={id_}\nlisteners=C://c{id_}:9093\n{voters}"
        f"{key}={directory if id_ < 3 else '/data'}\n"
        for id_ in (1, 2, 3)
    }
    _, findings = read(nodes)
    found = [finding for finding in findings if finding.what.startswith(f"`{key}=")]
    assert [finding.kind for finding in found] == ([] if kind is None else [kind])
    assert all("of 2 of 3 controllers" in finding.what for finding in found)


def test_of_two_brokers_with_one_directory_on_one_host_the_second_does_not_start() -> None:
    def cluster(hosts: str, second: str) -> Cluster:
        return read({
            f"b{id_}.properties": f"broker.id={id_}\nlisteners=PLAINTEXT://{host}:909{id_}\nzookeeper.connect=zk1,zk2,zk3\n"
            f"log.dirs={'/data/kafka' if id_ == 1 else second}\n"
            for id_, host in enumerate(hosts, 1)
        })[0]  # fmt: skip

    (lost,) = nodes_down(cluster("aa", "/data/other,/data/kafka/"))
    assert lost.to_sentence == (
        "broker 2 does not start: /data/kafka is a log directory of b1.properties on its host, too, which locks it "
        "(b2.properties:4)"
    )
    assert not nodes_down(cluster("aa", "/data/other"))
    assert not nodes_down(cluster("ab", "/data/kafka"))
    assert not nodes_down(cluster("aa", "data"))


def test_a_flush_to_memory_is_none() -> None:
    for directory, flushed in (("/dev/shm/kafka", {False}), ("/data", {True})):
        cluster, _ = with_zookeeper({}, f"log.flush.interval.messages=1\nlog.dirs={directory}\n")
        assert {one.fsync for one in signatures(cluster)} == flushed


@pytest.mark.parametrize(("servers", "count"), [("kafka1,zk2,zk3", 1), ("zk1,zk2,zk3", 0), ("kafka1", 0)])
def test_the_disk_of_a_zookeeper_server_is_said_not_to_be_modelled(servers: str, count: int) -> None:
    _, findings = with_zookeeper({}, connect=servers)
    found = [
        one
        for one in findings
        if one.what.startswith("the loss of a ZooKeeper server's disk, on a broker's host, is not modelled")
    ]
    assert [one.kind for one in found] == ["not_modelled"] * count


@pytest.mark.parametrize(
    ("second", "zoo", "count"), [("zk3,zk4,zk5", {}, 1), ("zk3,zk2,zk1:2181", {}, 0), ("zk3", {"zoo.cfg": SERVERS}, 0)]
)
def test_brokers_that_name_different_servers_are_named(second: str, zoo: dict[str, str], count: int) -> None:
    files = {
        f"b{id_}.properties": f"broker.id={id_}\nzookeeper.connect={at}\n"
        for id_, at in ((1, "zk1,zk2,zk3"), (2, second))
    }
    _, findings = read(files | zoo)
    found = [one for one in findings if "which no file says" in one.what]
    assert [(one.kind, one.severity, one.where.path) for one in found] == [
        ("contradiction", "warning", "b2.properties")
    ] * count
