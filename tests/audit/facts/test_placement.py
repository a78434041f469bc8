"""Nodes that stand on one host by their own addresses: what a loss of its power, or of its disk, takes at once."""

from __future__ import annotations

from typing import Any

import pytest
from tidegate.audit.answers.verdicts import answer_question
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.exploring.explorations import Explorations
from tidegate.audit.facts.placement import placement_fact
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.questions import QUESTION
from tidegate.audit.questions.situations import (
    BY_NAME,
    FAULT,
    fault_budgets_of_cell,
    fault_placements,
    missing_replicas,
)
from tidegate.audit.questions.subjects import cluster_subjects

from ...conftest import NewExplorations
from ...support.facts import signatures
from ..answers.test_verdicts import signature

SOUND = "log.dirs=data\ndefault.replication.factor=3\nmin.insync.replicas=2\n"
VOTERS = ("c1:9093", "c2:9093", "c3:9093")
APART = ("PLAINTEXT://kafka1:9092", "PLAINTEXT://kafka2:9092", "PLAINTEXT://kafka3:9092")


@pytest.fixture(scope="module")
def explorations(new_explorations: NewExplorations) -> Explorations:
    return new_explorations()


def read(texts: dict[str, str]) -> tuple[Cluster, list[str]]:
    files = [(name, text, True) for name, text in texts.items()]
    cluster, findings = read_cluster_texts(files, Options(kafka_version="3.9.0", distribution="apache"), "x")
    return cluster, [finding.what for finding in findings]


def kraft(listeners: tuple[str, ...], voters: tuple[str, ...] = VOTERS, more: str = "") -> Cluster:
    quorum = ",".join(f"{number}@{voter}" for number, voter in enumerate(voters, 11))
    common = f"{SOUND}controller.quorum.voters={quorum}\ncontroller.listener.names=C\n{more}"
    brokers = {
        f"b{number}.properties": f"process.roles=broker\nnode.id={number}\nlisteners={listener}\n{common}"
        for number, listener in enumerate(listeners, 1)
    }
    controllers = {
        f"c{number}.properties": f"process.roles=controller\nnode.id={number}\nlisteners=C://{voter}\n{common}"
        for number, voter in enumerate(voters, 11)
    }
    return read(brokers | controllers)[0]


def with_zookeeper(connect: str, listeners: tuple[str, ...] = APART) -> tuple[Cluster, list[str]]:
    return read(
        {
            f"b{number}.properties": f"broker.id={number}\nlisteners={listener}\nzookeeper.connect={connect}\n{SOUND}"
            for number, listener in enumerate(listeners, 1)
        }
    )


def host_facts(cluster: Cluster) -> set[tuple[Any, ...]]:
    return {(one.one_machine, one.hosts, one.two_hosts) for one in signatures(cluster)}


@pytest.mark.parametrize(
    ("listeners", "machine"),
    [
        (("PLAINTEXT://kafka1:9094", "PLAINTEXT://kafka1:9095", "PLAINTEXT://Kafka1.:9096"), True),
        (("PLAINTEXT://localhost:9094", "PLAINTEXT://127.0.0.1:9095", "PLAINTEXT://[::1]:9096"), True),
        (APART, False),
        (("PLAINTEXT://:9092", "PLAINTEXT://0.0.0.0:9092", "PLAINTEXT://[::]:9092"), False),
        (tuple(f"{listener},LOCAL://localhost:9999" for listener in APART), False),
    ],
)
def test_brokers_whose_listeners_name_one_host_stand_on_it(listeners: tuple[str, ...], machine: bool) -> None:
    cluster = kraft(listeners, more="listener.security.protocol.map=PLAINTEXT:PLAINTEXT,LOCAL:PLAINTEXT,C:PLAINTEXT\n")
    assert host_facts(cluster) == {(machine, (), ())}


def test_brokers_that_clients_reach_at_one_balancer_are_not_on_one_host() -> None:
    """Where the brokers reach each other says where they are; where clients do says nothing."""
    more = (
        "listener.security.protocol.map=PLAINTEXT:PLAINTEXT,OUT:PLAINTEXT,C:PLAINTEXT\ninter.broker.listener.name={}\n"
        "advertised.listeners=PLAINTEXT://{}:9092,OUT://balancer:9094\n"
    )
    inner = tuple(f"PLAINTEXT://:9092,OUT://:909{number}\n" for number in (3, 4, 5))
    apart = tuple(listener + more.format("PLAINTEXT", f"k{number}") for number, listener in enumerate(inner))
    assert host_facts(kraft(apart)) == {(False, (), ())}
    assert host_facts(kraft(tuple(listener + more.format("OUT", "k") for listener in inner))) == {(True, (), ())}


@pytest.mark.parametrize(
    ("voters", "listeners", "one", "two"),
    [
        (("kafka1:9093", "kafka1:9094", "kafka1:9095"), APART, ((1, 3),), ((2, 3),)),
        (("kafka1:9093", "kafka2:9093", "kafka3:9093"), APART, ((1, 1),), ((2, 2),)),
        (("c:9093", "c:9094", "d:9093"), APART, ((0, 2), (1, 0)), ((0, 3), (1, 2), (2, 0))),
        (VOTERS, (APART[0], "PLAINTEXT://kafka1:9094", APART[2]), ((0, 1), (2, 0)), ((0, 2), (2, 1), (3, 0))),
    ],
)
def test_what_stands_on_one_host_and_on_two(
    voters: tuple[str, ...],
    listeners: tuple[str, ...],
    one: tuple[tuple[int, int], ...],
    two: tuple[tuple[int, int], ...],
) -> None:
    assert host_facts(kraft(listeners, voters)) == {(False, one, two)}


def test_brokers_that_reach_every_controller_at_a_loopback_are_on_its_host() -> None:
    open_ = ("PLAINTEXT://:9092", "PLAINTEXT://:9093", "PLAINTEXT://:9094")
    assert host_facts(kraft(open_, ("localhost:9191", "localhost:9192", "localhost:9193"))) == {(True, (), ())}


def test_zookeeper_servers_stand_on_the_hosts_that_their_addresses_name() -> None:
    cluster, findings = with_zookeeper("kafka1:2181/kafka")
    assert host_facts(cluster) == {(False, ((1, 1),), ((2, 1),))}
    assert any("node 1, ZooKeeper server kafka1:2181 stand on one host, kafka1" in what for what in findings)
    assert host_facts(with_zookeeper("kafka1,kafka2:2181")[0]) == {(False, ((1, 1),), ((2, 2),))}
    assert host_facts(with_zookeeper("zk1,zk2,zk3")[0]) == {(False, (), ())}


@pytest.mark.parametrize(
    ("connect", "servers"), [("zk1:2181,zk1:2181,zk1/kafka", 1), ("zk1/kafka,zk2", 1), ("zk1,zk2,zk3", 3)]
)
def test_a_zookeeper_server_that_is_named_several_times_is_one(connect: str, servers: int) -> None:
    cluster, findings = with_zookeeper(connect)
    assert {one.voters for one in signatures(cluster)} == {servers}
    assert any("names one server, zk1:2181" in what for what in findings) is (servers == 1)


@pytest.mark.parametrize(
    ("fault", "settings", "places", "replicas"),
    [
        ("power-loss", {"hosts": ((0, 1), (2, 0))}, ((0, 1), (2, 0)), 2),
        ("disk-loss", {"hosts": ((2, 1),)}, ((2, 1),), 2),
        ("two-power-losses", {"hosts": ((1, 3),), "two_hosts": ((2, 3),)}, ((2, 3),), 2),
        ("cut-off-power-loss", {"hosts": ((2, 1),)}, ((3, 1),), 3),
        ("power-loss", {"hosts": ((2, 2),), "co_located": True}, ((2, 0),), 2),
        ("crash", {"hosts": ((3, 3),)}, ((None, 0),), 1),
        ("power-loss", {}, ((None, 0),), 1),
    ],
)
def test_a_loss_of_power_takes_what_stands_on_the_host(
    fault: str, settings: dict[str, Any], places: tuple[tuple[int | None, int], ...], replicas: int
) -> None:
    one = signature(voters=3, **settings)
    assert fault_placements(FAULT[fault], one) == places
    assert missing_replicas(FAULT[fault], one) == replicas


def test_as_many_replicas_lose_power_or_disks_as_stand_on_the_host() -> None:
    one = signature(voters=3, hosts=((2, 0),), two_hosts=((3, 0),))
    found = {
        name: fault_budgets_of_cell(BY_NAME[f"{name}@all"], one)
        for name in ("power-loss", "disk-loss", "two-power-losses")
    }
    assert [found["power-loss"]["power_losses"], found["two-power-losses"]["power_losses"]] == [2, 3]
    assert found["disk-loss"]["disk_losses"] == 2


@pytest.mark.parametrize(
    ("question", "cell", "settings", "word"),
    [
        ("writable", "power-loss@all", {"voters": 3, "hosts": ((1, 3),)}, "can lose"),
        ("writable", "power-loss@all", {"voters": 1, "hosts": ((1, 1),)}, "can lose"),
        ("writable", "power-loss@all", {"voters": 3, "hosts": ((1, 1),)}, "no loss found"),
        ("writable", "power-loss@all", {"voters": 3, "hosts": ((0, 3), (1, 0))}, "no loss found"),
        ("no-loss", "disk-loss@min-isr", {"voters": 1}, "not checked"),
        ("no-loss", "disk-loss@min-isr", {"voters": 3, "hosts": ((1, 3),)}, "not checked"),
        ("no-loss", "disk-loss@min-isr", {"voters": 3, "hosts": ((1, 1),)}, "no loss found"),
        ("no-loss", "power-loss@min-isr", {"voters": 3, "hosts": ((2, 0),)}, "can lose"),
    ],
)
def test_what_goes_on_and_what_is_lost_with_a_shared_host(
    question: str, cell: str, settings: dict[str, Any], word: str, explorations: Explorations
) -> None:
    assert answer_question(signature(**settings), QUESTION[question], BY_NAME[cell], explorations).word == word


@pytest.mark.parametrize(("directory", "said"), [("/dev/shm/kafka", True), ("/data/kafka", False)])
def test_a_log_in_memory_is_said(directory: str, said: bool) -> None:
    text = f"broker.id=1\nzookeeper.connect=z1,z2,z3\nlog.dirs={directory}\n"
    assert any("is in memory" in what for what in read({"b.properties": text})[1]) is said


OPEN = tuple(f"PLAINTEXT://:909{number}" for number in (2, 3, 4))
BOOTSTRAP = "process.roles=broker\ncontroller.listener.names=C\ncontroller.quorum.bootstrap.servers={}\n"


def of_brokers(settings: str, listeners: tuple[str, ...] = APART, key: str = "broker.id") -> Cluster:
    files = enumerate(listeners, 1)
    return read({f"b{n}.properties": f"{key}={n}\nlisteners={own}\n{settings}\n{SOUND}" for n, own in files})[0]


@pytest.mark.parametrize(
    ("names", "same"),
    [
        (("[2001:db8::1]", "[2001:DB8:0:0::1]", "[2001:db8::0001]"), True),
        (("[::ffff:10.0.0.1]", "10.0.0.1", "10.0.0.1"), True),
        (("localhost.localdomain", "ip6-localhost", "127.0.1.1"), True),
        (("kafka1", "kafka1.example.com", "KAFKA1.example.com."), True),
        (("kafka1", "kafka1.a.com", "kafka1.b.com"), False),
        (("10.0.0.1", "10.0.0.2", "10.0.0.3"), False),
    ],
)
def test_a_host_is_one_however_its_address_is_written(names: tuple[str, ...], same: bool) -> None:
    cluster = of_brokers("zookeeper.connect=z1,z2,z3", tuple(f"PLAINTEXT://{name}:9092" for name in names))
    assert host_facts(cluster) == {(same, (), ())}


@pytest.mark.parametrize("key", ["host.name", "advertised.host.name"])
def test_old_settings_say_where_a_broker_is(key: str) -> None:
    texts = {
        f"b{number}.properties": f"broker.id={number}\n{key}=kafka1\nzookeeper.connect=z1,z2,z3\n{SOUND}"
        for number in (1, 2, 3)
    }
    assert host_facts(read(texts)[0]) == {(True, (), ())}


def test_brokers_that_find_one_another_at_a_loopback_alone_are_on_one_host() -> None:
    assert host_facts(of_brokers("zookeeper.connect=localhost:2181", OPEN)) == {(True, (), ())}
    assert host_facts(of_brokers(BOOTSTRAP.format("localhost:9191"), OPEN, "node.id")) == {(True, (), ())}


def test_a_node_that_finds_itself_at_the_loopback_says_nothing_of_its_host() -> None:
    text = BOOTSTRAP.format("localhost:9093").replace("=broker", "=broker,controller")
    assert host_facts(of_brokers(text, ("PLAINTEXT://:9092,C://:9093",) * 3, "node.id")) == {(False, (), ())}


def test_servers_of_zookeeper_on_several_hosts_that_are_named_by_a_loopback_may_be_no_ensemble() -> None:
    says = "no file says whether these servers are of one ensemble"
    assert any(says in what for what in with_zookeeper("localhost:2181")[1])
    assert not any(says in what for what in with_zookeeper("localhost:2181", OPEN)[1])


@pytest.mark.parametrize(
    ("roles", "voters", "expected"),
    [
        ("broker,controller", ("1@kafka1:9093", "2@kafka1:9094", "3@kafka1:9095"), (True, (), ())),
        ("broker,controller", ("1@kafka1:9093", "2@kafka2:9093", "3@kafka3:9093"), (False, (), ())),
        ("broker", ("11@kafka1:9093", "12@kafka1:9094", "13@kafka1:9095"), (False, ((1, 3),), ((2, 3),))),
    ],
)
def test_one_file_with_its_voters_says_what_shares_a_host(
    roles: str, voters: tuple[str, ...], expected: tuple[Any, ...]
) -> None:
    quorum = f"controller.quorum.voters={','.join(voters)}\ncontroller.listener.names=C\nprocess.roles={roles}\n"
    listeners = "PLAINTEXT://kafka1:9092" + (",C://kafka1:9093" if "controller" in roles else "")
    cluster, _ = read({"server.properties": f"node.id=1\nlisteners={listeners}\n{quorum}{SOUND}"})
    assert host_facts(cluster) == {expected}


def test_brokers_without_ids_count_at_their_hosts() -> None:
    listeners = ("PLAINTEXT://kafka1:9092", "PLAINTEXT://kafka1:9093", "PLAINTEXT://kafka2:9092")
    texts = {
        f"b{number}.properties": f"listeners={own}\nzookeeper.connect=z1,z2,z3\n{SOUND}"
        for number, own in enumerate(listeners)
    }
    cluster, findings = read(texts)
    assert host_facts(cluster) == {(False, ((0, 1), (2, 0)), ((0, 2), (2, 1), (3, 0)))}
    assert any("the node of b0.properties, the node of b1.properties stand on one host" in what for what in findings)


def test_voters_stand_where_the_description_of_the_quorum_reaches_them() -> None:
    def host_facts_of(*hosts: str) -> set[tuple[Any, ...]]:
        voters = ", ".join(
            f'{{"id": {number}, "directoryId": "d", "endpoints": ["C://{host}"]}}'
            for number, host in enumerate(hosts, 11)
        )
        texts = {"quorum.txt": f"LeaderId: 11\nCurrentVoters: [{voters}]\nCurrentObservers: []\n"}
        brokers = {
            f"b{number}.properties": f"node.id={number}\nlisteners={own}\n{BOOTSTRAP.format('c:9093')}{SOUND}"
            for number, own in enumerate(APART, 1)
        }
        return host_facts(read(brokers | texts)[0])

    assert host_facts_of("c1:9093", "c2:9093", "c3:9093") == {(False, (), ())}
    assert host_facts_of("kafka1:9093", "kafka1:9094", "kafka1:9095") == {(False, ((1, 3),), ((2, 3),))}
    assert host_facts_of("localhost:1", "127.0.0.1:2", "[::1]:3") == {(False, ((0, 3), (1, 0)), ((1, 3), (2, 0)))}


def test_racks_with_nodes_on_one_host_are_one_rack() -> None:
    listeners = ("PLAINTEXT://kafka1:9092", "PLAINTEXT://kafka1:9093", "PLAINTEXT://kafka3:9092")
    rows = "".join(f"\tTopic: t\tPartition: {n}\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n" for n in range(1))
    head = "Topic: t\tTopicId: abcdefghijklmnopqrstuv\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: \n"
    texts = {
        f"b{n}.properties": f"broker.id={n}\nbroker.rack=r{n}\nlisteners={own}\nzookeeper.connect=z1,z2,z3\n{SOUND}"
        for n, own in enumerate(listeners, 1)
    }
    cluster, findings = read(texts | {"topics.txt": head + rows})
    topic = next(topic for topic in cluster.topics if topic.name == "t")
    assert placement_fact(cluster, topic, 3, []).choices[0].sets["replicas_in_rack"] == 2
    assert any("state the racks r1, r2" in what for what in findings)


ZOO = "clientPort=2181\nserver.1=kafka1:2888:3888\nserver.2=zk2:2888:3888:observer\nserver.3=zk3:2888:3888{}\n"


@pytest.mark.parametrize(
    ("role", "voting", "said"),
    [
        (":observer", ("kafka1:2181",), "one ZooKeeper server votes, so none may fail"),
        (":participant;2182", ("kafka1:2181", "zk3:2182"), "2 ZooKeeper servers vote, so none may fail"),
    ],
)
def test_observers_of_zookeeper_do_not_vote(role: str, voting: tuple[str, ...], said: str) -> None:
    texts = {
        f"b{n}.properties": f"broker.id={n}\nlisteners={own}\nzookeeper.connect=kafka1,zk2,zk3\n{SOUND}"
        for n, own in enumerate(APART, 1)
    }
    cluster, findings = read(texts | {"zoo.cfg": ZOO.format(role)})
    assert tuple(server for server, _ in cluster.zookeepers) == voting
    assert any(said in what for what in findings)
    assert {one.hosts for one in signatures(cluster)} == {((1, 1),)}


SERVICE = """\
services:
  kafka{number}:
    image: apache/kafka:3.9.0
    {network}
    environment:
      KAFKA_NODE_ID: "{number}"
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_CONTROLLER_QUORUM_VOTERS: {voters}
      KAFKA_CONTROLLER_LISTENER_NAMES: C
      KAFKA_LISTENERS: PLAINTEXT://:909{number},C://:919{number}
      KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://{host}:909{number}
      KAFKA_DEFAULT_REPLICATION_FACTOR: "3"
"""


def of_files(network: str, host: str) -> set[bool]:
    """Whether three services of a compose file each are on one computer, as far as that is known."""
    hosts = {number: host.format(number) for number in (1, 2, 3)}
    voters = ",".join(f"{number}@{at}:919{number}" for number, at in hosts.items())
    texts = {
        f"docker-compose.{number}.yml": SERVICE.format(number=number, voters=voters, host=at, network=network)
        for number, at in hosts.items()
    }
    return {one.one_machine for one in signatures(read(texts)[0])}


@pytest.mark.parametrize(
    ("network", "host", "expected"),
    [
        ("ports: ['9092']", "kafka{}", {False}),
        ("ports: []", "kafka{}", {False, True}),
        ("networks: [inside]", "kafka{}", {False, True}),
        ("network_mode: host", "kafka{}.example.org", {False}),
        ("network_mode: host", "localhost", {True}),
        ("network_mode: host", "10.0.0.1", {True}),
    ],
)
def test_services_of_several_files_may_be_on_one_computer(network: str, host: str, expected: set[bool]) -> None:
    """They are where they share an address of their hosts; and may be where only other containers reach them."""
    assert of_files(network, host) == expected


@pytest.mark.parametrize(("said", "expected"), [("apart", {False}), ("shared", {True})])
def test_the_user_says_whether_computers_are_shared(said: str, expected: set[bool]) -> None:
    voters = "1@kafka1:9191,2@kafka2:9192,3@kafka3:9193"
    texts = {
        f"docker-compose.{number}.yml": SERVICE.format(number=number, voters=voters, host=f"kafka{number}", network="")
        for number in (1, 2, 3)
    }
    cluster, _ = read({**texts, "audit.toml": f'[services]\ncomputers = "{said}"\n'})
    assert {one.one_machine for one in signatures(cluster)} == expected


def test_servers_of_one_host_in_zookeepers_file_are_several() -> None:
    """Also where no line states a port for clients: each line is a server."""
    servers = ("kafka1:2888:3888", "kafka1:2889:3889", "kafka1:2890:3890", "kafka2:2888:3888", "kafka3:2888:3888")
    listed = "".join(f"server.{number}={server}\n" for number, server in enumerate(servers, 1))
    brokers = {
        f"b{number}.properties": f"broker.id={number}\nlisteners={listener}\nzookeeper.connect=kafka1:2181\n{SOUND}"
        for number, listener in enumerate(APART, 1)
    }
    cluster, _ = read({**brokers, "zoo.cfg": f"clientPort=2181\n{listed}"})
    assert [host for _, host in cluster.zookeepers] == ["kafka1"] * 3 + ["kafka2", "kafka3"]


@pytest.mark.parametrize(
    ("hosts", "undecided"),
    [
        (("kafka1", "kafka2", "kafka3"), False),
        (("10.0.0.1", "10.0.0.2", "10.0.0.3"), False),
        (("kafka1", "kafka2", "10.0.0.1"), True),
    ],
)
def test_an_address_may_be_that_of_a_name(hosts: tuple[str, ...], undecided: bool) -> None:
    """One broker by its name and one by its address may share a host, which no file says."""
    listeners = tuple(f"PLAINTEXT://{host}:9092" for host in hosts)
    _, said = with_zookeeper("zk1,zk2,zk3", listeners)
    assert any("no file says whether that is one host" in what for what in said) == undecided


@pytest.mark.parametrize(
    ("connect", "undecided", "assumed"),
    [
        ("zk1,zk2,zk3", False, False),
        ("10.0.0.1,10.0.0.2,10.0.0.3", False, True),
        ("zk1,10.0.0.1,zk2", True, True),
    ],
)
def test_a_zookeeper_server_may_be_listed_by_its_name_and_its_address(
    connect: str, undecided: bool, assumed: bool
) -> None:
    cluster, said = with_zookeeper(connect)
    assert any("known by an address alone" in what for what in said) == undecided
    assert any("are on different hosts" in what for what in cluster.assumptions) == assumed


def test_a_broker_with_a_name_and_an_address_is_known_by_both() -> None:
    both = tuple(f"PLAINTEXT://10.0.0.{n}:9092,CLIENT://kafka{n}:9093" for n in (1, 2))
    _, said = with_zookeeper("zk1,zk2,zk3", (*both, "PLAINTEXT://10.0.0.3:9092"))
    assert not any("no file says" in what for what in said)


@pytest.mark.parametrize(("second", "said"), [("/var/lib/zookeeper/", 1), ("/var/lib/zookeeper2", 0)])
def test_two_zookeeper_servers_with_one_directory(second: str, said: int) -> None:
    """`myid` in it says which server it is, so that both files would be of one."""
    listed = "server.1=zk1:2888:3888\nserver.2=zk1:2889:3889\nserver.3=zk2:2888:3888\n"
    zoo = {
        f"{n}/zoo.cfg": f"clientPort=218{n}\ndataDir={place}\n{listed}"
        for n, place in ((1, "/var/lib/zookeeper"), (2, second))
    }
    assert sum("with one directory two of them are one server" in what for what in read(zoo)[1]) == said
    apart = {name: text.replace("zk1:2889", "zk3:2888") for name, text in zoo.items()}
    assert not any("with one directory" in what for what in read(apart)[1])


@pytest.mark.parametrize(
    ("version", "features", "assumed"),
    [("4.1", (), True), ("4.1", ("kraft.version=0",), False), ("4.0", (), False), ("3.9", (), False)],
)
def test_a_quorum_that_files_list_may_have_been_made_dynamic(
    version: str, features: tuple[str, ...], assumed: bool
) -> None:
    """Since 4.1 an upgrade of all features does that, and leaves the files as they are (KAFKA-21426)."""
    text = f"process.roles=broker\nnode.id=1\ncontroller.quorum.voters=11@c1:9093\n{SOUND}"
    options = Options(kafka_version=version, features=features, distribution="apache")
    cluster, _ = read_cluster_texts([("b.properties", text, True)], options, "x")
    assert any("with kraft.version 1" in said for said in cluster.assumptions) == assumed


def test_pods_that_are_said_to_be_on_nodes_of_their_own_keep_their_disks() -> None:
    """The default of log.dirs is a temporary folder of a host, and a pod's is not there."""
    head = "apiVersion: kafka.strimzi.io/v1beta2\nkind: "
    pool = head + "KafkaNodePool\nmetadata: {{name: {0}, labels: {{strimzi.io/cluster: c}}}}\n"
    pool += "spec: {{replicas: 3, roles: [{0}], storage: {{type: persistent-claim, size: 1Gi}}}}\n---\n"
    kafka = (
        head + "Kafka\nmetadata: {name: c}\nspec: {kafka: {version: 3.9.0, config: {default.replication.factor: 3}}}\n"
    )
    text = pool.format("broker") + pool.format("controller") + kafka
    for more in ([], [("audit.toml", '[pods]\nnodes = "apart"\n', True)]):
        cluster, _ = read_cluster_texts([("k.yaml", text, True), *more], Options(acks="all"), "x")
        found = {
            variant.signature.empty_voters for subject in cluster_subjects(cluster) for variant in subject.variants
        }
        assert found == {0}
