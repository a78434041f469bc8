"""Quorums that cannot form: the nodes of these files start, and no controller is ever elected; or nobody knows."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.subjects import cluster_subjects
from tidegate.audit.startup.nodes import nodes_down
from tidegate.audit.startup.quorum import unheard_voters

NODE = (
    "process.roles={roles}\nnode.id={id}\n{voters}\ncontroller.listener.names=CONTROLLER\n"
    "listeners={listeners}\nlog.dirs=/d{id}\n"
)
LISTENERS = {
    "controller": "CONTROLLER://{host}:9093",
    "broker": "PLAINTEXT://{host}:9092",
    "broker,controller": "PLAINTEXT://{host}:9092,CONTROLLER://{host}:9093",
}
VOTERS = "controller.quorum.voters="
BY_HOST = f"{VOTERS}1@h1:9093,2@h2:9093,3@h3:9093"
FIVE = f"{BY_HOST},4@h4:9093,5@h5:9093"
SERVERS = "controller.quorum.bootstrap.servers=h1:9093"


def node(number: int, voters: str, roles: str = "broker,controller", host: str | None = None) -> str:
    listeners = LISTENERS[roles].format(host=f"h{number}" if host is None else host)
    return NODE.format(roles=roles, id=number, voters=voters, listeners=listeners)


def read(texts: dict[str, str], version: str | None = "4.1.0") -> tuple[Cluster, Sequence[Finding]]:
    files = [(name, text, True) for name, text in texts.items()]
    return read_cluster_texts(files, Options(kafka_version=version, distribution="apache"), "x")


def three(voters: str, **more: str) -> dict[str, str]:
    found = {f"b{number}.properties": node(number, voters) for number in (1, 2, 3)}
    return found | {name.replace("__", "."): text for name, text in more.items()}


def why_down(cluster: Cluster) -> list[str]:
    return [down.why for down in nodes_down(cluster)]


def features(level: int) -> str:
    line = "Feature: {}\tSupportedMinVersion: 0\tSupportedMaxVersion: {}\tFinalizedVersionLevel: {}\tEpoch: 1\n"
    return line.format("metadata.version", "4.1-IV1", "4.1-IV1") + line.format("kraft.version", 1, level)


def status(voters: str, mark: int = 700, lag: int = 0) -> str:
    return (
        "ClusterId:              x\nLeaderId:               1\nLeaderEpoch:            1\nHighWatermark:          "
        f"{mark}\n"
        f"MaxFollowerLag:         {lag}\nMaxFollowerLagTimeMs:   0\nCurrentVoters:          {voters}\n"
        "CurrentObservers:       []\n"
    )


# --- no node is a voter -----------------------------------------------------------------------------------------------


def test_servers_to_ask_in_place_of_voters_elect_nobody_while_the_log_has_no_voters() -> None:
    files = {
        "c1.properties": node(1, SERVERS, "controller"),
        "b9.properties": node(9, SERVERS, "broker"),
        "f.txt": features(0),
    }
    cluster, _ = read(files)
    assert why_down(cluster) == [
        "`controller.quorum.bootstrap.servers` is in place of `controller.quorum.voters`, and kraft.version is 0 "
        "(f.txt:2): no node is a voter, and no controller is ever elected; list the voters in "
        "`controller.quorum.voters` until kraft.version is 1"
    ]
    assert all(subject.not_checked for subject in cluster_subjects(cluster))
    assert not why_down(read(files | {"f.txt": features(1)})[0])
    assert not why_down(read({name: text for name, text in files.items() if name != "f.txt"})[0])


# --- addresses --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "::1"])
def test_voters_at_one_loopback_address_are_one_node_for_each(host: str) -> None:
    at = f"[{host}]" if ":" in host else host
    cluster, _ = read({
        f"b{number}.properties": node(number, VOTERS + ",".join(f"{voter}@{at}:9093" for voter in (1, 2, 3)), host="")
        for number in (1, 2, 3)
    })  # fmt: skip
    assert why_down(cluster) == [
        f"no controller is ever elected: of 3 voters each reaches 1, since for voter 1 the address {at}:9093 in its "
        "`controller.quorum.voters` is one node's alone"
    ]


def node_at_port(number: int, voters: str, host: str) -> str:
    return node(number, voters, host=host).replace(f"CONTROLLER://{host}:9093", f"CONTROLLER://{host}:{9092 + number}")


def test_a_voter_is_reached_at_a_port_of_its_controllers_listener() -> None:
    cluster, _ = read(three(f"{VOTERS}1@h1:9094,2@h2:9094,3@h3:9094"))
    assert why_down(cluster) == [
        "no controller is ever elected: of 3 voters each reaches 1, since for voter 1 the address h2:9094 in its "
        "`controller.quorum.voters` is no port of its controller's listener (9093)"
    ]
    assert not why_down(read(three(f"{VOTERS}1@h1:9093,2@h2:9093,3@h3:9094"))[0])
    wrong = services("1@k1:9094,2@k2:9094,3@k3:9094")
    (why,) = why_down(read({"compose.yml": wrong}, None)[0])
    assert "k2:9094 in its `controller.quorum.voters` is no port of its controller's listener (9093)" in why
    assert not why_down(read({"compose.yml": services("1@host:9094,2@host:9095,3@host:9096")}, None)[0])


def test_voters_by_names_that_no_service_has_are_not_known_to_be_reached() -> None:
    _, findings = read({"compose.yml": services("1@broker1:9093,2@broker2:9093,3@broker3:9093")}, None)
    (found,) = [finding for finding in findings if "nobody reaches that voter" in finding.what]
    assert found.kind == "incomplete" and "has voter 1 at broker1, which is the name of another" in found.what
    for voters in ("1@k1:9093,2@k2:9093,3@k3:9093", "1@10.0.0.1:9093,2@10.0.0.2:9093,3@10.0.0.3:9093"):
        _, findings = read({"compose.yml": services(voters)}, None)
        assert not any("nobody reaches that voter" in finding.what for finding in findings)


def test_voters_at_ports_of_one_host_reach_each_other() -> None:
    voters = VOTERS + ",".join(f"{voter}@localhost:{9092 + voter}" for voter in (1, 2, 3))
    texts = {f"b{number}.properties": node_at_port(number, voters, "") for number in (1, 2, 3)}
    cluster, findings = read(texts)
    assert not why_down(cluster) and not any("several hosts" in finding.what for finding in findings)
    _, findings = read({f"b{number}.properties": node_at_port(number, voters, f"h{number}") for number in (1, 2, 3)})
    (found,) = [finding for finding in findings if "several hosts" in finding.what]
    assert found.kind == "incomplete" and "(h1, h2, h3): unless all are one host, no controller" in found.what


def test_a_majority_at_addresses_of_their_own_is_enough() -> None:
    two = f"{VOTERS}1@h1:9093,2@h2:9093,3@h2:9093"
    assert not why_down(read(three(two))[0])
    assert not why_down(read(three(BY_HOST))[0])
    assert not why_down(read({"b1.properties": node(1, f"{VOTERS}1@localhost:9093")})[0])


def test_every_interface_is_no_address_of_a_voter_since_3_8() -> None:
    text = {"b1.properties": node(1, f"{VOTERS}1@0.0.0.0:9093")}
    said = "`controller.quorum.voters` has `1@0.0.0.0:9093`, and 0.0.0.0 is no address to reach a voter at"
    assert [why_down(read(text, version)[0]) for version in ("3.7.2", "3.8.1", "4.1.0")] == [[], [said], [said]]


COMPOSE = """services:
  k{0}:
    image: apache/kafka:3.9.1
    environment:
      KAFKA_NODE_ID: {0}
      KAFKA_PROCESS_ROLES: {roles}
      KAFKA_CONTROLLER_QUORUM_VOTERS: {voters}
      KAFKA_LISTENERS: {listeners}
      KAFKA_ADVERTISED_LISTENERS: PLAINTEXT://k{0}:9092
      KAFKA_CONTROLLER_LISTENER_NAMES: CONTROLLER
"""


def services(voters: str, more: str = "") -> str:
    listeners = LISTENERS["broker,controller"].format(host="")
    made = [
        COMPOSE.format(number, roles="broker,controller", voters=voters, listeners=listeners) for number in (1, 2, 3)
    ]
    return made[0] + "".join(text.partition("\n")[2] for text in made[1:]) + more


@pytest.mark.parametrize("ports", [(9093, 9093, 9093), (9093, 9094, 9095)])
def test_in_a_container_a_loopback_address_is_the_container(ports: tuple[int, ...]) -> None:
    voters = ",".join(f"{voter}@localhost:{port}" for voter, port in enumerate(ports, 1))
    cluster, _ = read({"compose.yml": services(voters)}, None)
    assert why_down(cluster) == [
        "no controller is ever elected: of 3 voters each reaches 1, since for voter 1 the address "
        f"localhost:{ports[1]} "
        "in its `controller.quorum.voters` is that container itself"
    ]
    assert not why_down(read({"compose.yml": services("1@k1:9093,2@k2:9093,3@k3:9093")}, None)[0])


def test_a_broker_that_asks_its_own_container_finds_no_controller() -> None:
    more = COMPOSE.format(4, roles="broker", voters="1@localhost:9093", listeners="PLAINTEXT://:9092").partition("\n")[
        2
    ]
    cluster, _ = read({"compose.yml": services("1@k1:9093,2@k2:9093,3@k3:9093", more)}, None)
    (down,) = nodes_down(cluster)
    assert [one.id for one in down.nodes] == [4]
    assert down.why == (
        "`controller.quorum.voters=1@localhost:9093` is no other node's address (localhost:9093 is its own container): "
        "it finds no controller"
    )


# --- other voters than before -----------------------------------------------------------------------------------------


def test_up_to_3_7_a_node_does_not_start_with_other_voters_than_its_state_has() -> None:
    cluster, findings = read(three(FIVE, status__txt=status("[1,2,3]")), "3.7.2")
    assert why_down(cluster) == [
        "`controller.quorum.voters` has voters 1, 2, 3, 4, 5, and its quorum-state file has those of the quorum, 1, 2, "
        "3 "
        "(status.txt:7): up to 3.7 a node does not start with others; to wipe that file, as its message advises, makes "
        "a "
        "voter forget for whom it voted"
    ]
    assert not any("was described with" in finding.what for finding in findings)
    assert not why_down(read(three(BY_HOST, status__txt=status("[1,2,3]")), "3.7.2")[0])


def test_since_3_8_a_node_takes_its_own_list() -> None:
    cluster, findings = read(three(FIVE, status__txt=status("[1,2,3]")))
    (found,) = [finding for finding in findings if "was described with" in finding.what]
    assert not why_down(cluster) and found.kind == "incomplete"
    assert found.what == (
        "`controller.quorum.voters` has voters 1, 2, 3, 4, 5, and the quorum was described with 1, 2, 3 "
        "(status.txt:7): "
        "since 3.8 a node that restarts takes its own list, of which 3 are a majority; 2 of them are new, and with "
        "those "
        "that may lag elect one that lacks what was committed; until all have restarted, a majority of each list can "
        "elect a leader of its own"
    )
    dynamic = read(three(FIVE, status__txt=status("[1,2,3]"), f__txt=features(1)))[1]
    assert not any("was described with" in finding.what for finding in dynamic)


def test_a_controller_that_is_no_voter_of_a_dynamic_quorum() -> None:
    found = read(three(SERVERS, status__txt=status("[1,2]"), f__txt=features(1)))[1]
    assert "controller 3 has no vote: the voters are 1, 2 (status.txt:7)" in [finding.what for finding in found]


# --- what a quorum says of itself -------------------------------------------------------------------------------------


def test_a_quorum_without_a_high_watermark_or_with_a_voter_that_lags() -> None:
    def quorum_texts(text: str) -> list[str]:
        findings = read(three(BY_HOST, status__txt=text))[1]
        return [finding.what for finding in findings if finding.kind == "incomplete" and "status" in str(finding.where)]

    assert quorum_texts(status("[1,2,3]")) == []
    assert quorum_texts(status("[1,2,3]", mark=-1)) == [
        "the quorum has no high watermark: no majority of voters follows its leader, and nothing is committed"
    ]
    assert quorum_texts(status("[1,2,3]", lag=20_000)) == [
        "a voter lags 20000 records behind the leader of the quorum: until it has caught up it counts for no majority "
        "that commits, and the answers take it for one that does"
    ]
    rows = "NodeId\tLogEndOffset\tLag\tLastFetchTimestamp\tLastCaughtUpTimestamp\tStatus\n"
    rows += "1\t20753\t0\t9\t9\tLeader\n2\t753\t20000\t9\t9\tFollower\n3\t20753\t0\t9\t9\tFollower\n"
    rows += "4\t3\t20750\t9\t9\tObserver\n"
    assert [text.partition(" behind")[0] for text in quorum_texts(rows)] == ["voter 2 lags 20000 records"]
    silent = rows.replace("2\t753\t20000\t9", "2\t0\t20753\t-1").replace("3\t20753\t0\t9", "3\t0\t20753\t-1")
    assert quorum_texts(silent)[-1] == (
        "voters 2, 3 have not fetched from the leader of the quorum: no majority follows it, and nothing is committed"
    )


@pytest.mark.parametrize(
    "text",
    [
        status("[1,2,3]").replace("LeaderId:               1", "LeaderId:               -1"),
        "NodeId\tLogEndOffset\tLag\tLastFetchTimestamp\tLastCaughtUpTimestamp\tStatus\n"
        "1\t5\t0\t9\t9\tFollower\n2\t5\t0\t9\t9\tFollower\n",
    ],
)
def test_a_quorum_without_a_leader(text: str) -> None:
    found = [finding.what for finding in read(three(BY_HOST, status__txt=text))[1]]
    said = "the quorum has no leader: until a controller is elected no partition gets another one, and nothing changes"
    assert said in found


def test_voters_at_a_loopback_do_not_place_nodes_with_hosts_of_their_own_on_one_computer() -> None:
    local = "controller.quorum.voters=1@localhost:9093,2@localhost:9093,3@localhost:9093"
    cluster, findings = read(
        {
            f"h{number}.properties": f"process.roles=broker,controller\nnode.id={number}\n{local}\n"
            f"listeners=PLAINTEXT://h{number}:9092,CONTROLLER://h{number}:9093\ncontroller.listener.names=CONTROLLER\n"
            "log.dirs=/data\n"
            for number in (1, 2, 3)
        }
    )
    assert [node.machine for node in cluster.brokers] == [None] * 3
    assert any("no controller is ever elected" in finding.what for finding in findings)


def test_pools_of_strimzi_without_controllers() -> None:
    pool = (
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaNodePool\n"
        "metadata: {{name: {0}, labels: {{strimzi.io/cluster: c}}}}\n"
        "spec: {{replicas: 3, roles: [{0}], storage: {{type: persistent-claim, size: 1Gi}}}}\n---\n"
    )
    kafka = (
        "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata: {name: c, annotations: "
        "{strimzi.io/kraft: enabled, strimzi.io/node-pools: enabled}}\nspec: {kafka: {version: 4.1.0}}\n"
    )
    for pools, said in ((pool.format("broker"), True), (pool.format("broker") + pool.format("controller"), False)):
        found = [finding.what for finding in read({"k.yaml": pools + kafka})[1]]
        assert ("no node pool has the role controller: who elects leaders is not described" in found) is said


def test_a_voter_that_listens_elsewhere_counts_as_one_that_has_failed() -> None:
    files = three(BY_HOST)
    elsewhere = files | {"b2.properties": node(2, BY_HOST).replace("CONTROLLER://h2:9093", "CONTROLLER://h2:9094")}
    cluster, found = read(elsewhere)
    assert not why_down(cluster), "the two others elect one of them"
    (finding,) = [finding for finding in found if "nobody reaches it" in finding.what]
    assert finding.kind == "incomplete" and finding.where.path == "b2.properties"
    assert finding.what.startswith("controller 2 listens at 9094, and `controller.quorum.voters` has it at h2:9093")
    assert not list(unheard_voters(read(files)[0]))
