"""In which racks ZooKeeper's servers and the controllers stand: by their hosts, and by audit.toml."""

from __future__ import annotations

import pytest
from tidegate.audit.answers.verdicts import answer_question
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.racks import missing_racks, racks_of_voters
from tidegate.audit.cluster.statements import UnreadableInputError
from tidegate.audit.exploring.explorations import Explorations
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.questions import QUESTION
from tidegate.audit.questions.signature import Signature
from tidegate.audit.questions.situations import BY_NAME
from tidegate.reports.audit.table import cell_texts, open_cell_lines

from ...conftest import NewExplorations
from ...support.facts import signatures

TOPIC = (
    "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
    "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
)


def with_zookeeper(connect: str, racks: str, more: dict[str, str] | None = None) -> tuple[Cluster, list[str]]:
    files = {
        f"b{id_}.properties": f"broker.id={id_}\nlisteners=PLAINTEXT://kafka{id_}:9092\nbroker.rack={rack}\n"
        f"zookeeper.connect={connect}\nlog.dirs=data\n"
        for id_, rack in enumerate(racks, 1)
    }
    texts = [(path, text, True) for path, text in (files | {"topics.txt": TOPIC} | (more or {})).items()]
    cluster, findings = read_cluster_texts(
        texts, Options(kafka_version="3.9.0", distribution="apache", acks="all"), "x"
    )
    return cluster, [finding.what for finding in findings]


def of_orders(cluster: Cluster) -> Signature:
    found = signatures(cluster, "orders")
    assert len({(one.racks, one.open_voters, one.replicas_in_rack) for one in found}) == 1
    return found[0]


@pytest.fixture(scope="module")
def explorations(new_explorations: NewExplorations) -> Explorations:
    return new_explorations()


ON_BROKERS = "kafka1:2181,kafka2:2181,kafka3:2181"


def test_a_zookeeper_server_is_in_the_rack_of_the_broker_on_its_host(explorations: Explorations) -> None:
    """Two of three servers go with the rack of their brokers, and with them who could replace a leader."""
    crowded = of_orders(with_zookeeper(ON_BROKERS, "aab")[0])
    assert (crowded.racks, crowded.open_voters) == (((2, 2),), 0)
    spread = of_orders(with_zookeeper(ON_BROKERS, "abc")[0])
    assert (spread.racks, spread.open_voters) == (((1, 1),), 0)
    for question, cell in (("writable", "rack-power-loss@all"), ("readable", "rack-cut-off@all")):
        assert answer_question(crowded, QUESTION[question], BY_NAME[cell], explorations).word == "can lose"
        assert answer_question(spread, QUESTION[question], BY_NAME[cell], explorations).word == "no loss found"


def test_a_controller_without_a_rack_is_in_that_of_its_host() -> None:
    common = "controller.quorum.voters=11@kafka1:9093,12@kafka1:9094,13@c:9093\ncontroller.listener.names=C\n"
    files = {
        f"b{id_}.properties": f"process.roles=broker\nnode.id={id_}\nlisteners=PLAINTEXT://kafka{id_}:9092\n"
        f"broker.rack=r{id_}\n{common}"
        for id_ in (1, 2, 3)
    }
    files |= {
        f"c{id_}.properties": f"process.roles=controller\nnode.id={id_}\nlisteners=C://kafka1:{port}\n{common}"
        for id_, port in ((11, 9093), (12, 9094))
    }
    texts = [(path, text, True) for path, text in (files | {"topics.txt": TOPIC}).items()]
    cluster, _ = read_cluster_texts(texts, Options(kafka_version="3.9.0", distribution="apache", acks="all"), "x")
    assert racks_of_voters(cluster) == {11: "r1", 12: "r1", 13: None}
    assert missing_racks(cluster, cluster.topics[0])[0] == "the racks of controllers 13"


def test_audit_toml_states_racks_by_host_and_by_id() -> None:
    apart = "zk1,zk2:2182,zk3"
    stated = {"audit.toml": '[racks]\nzk1 = "a"\n"ZK2:2182" = "b"\nzk9 = "c"\n1 = "d"\n'}
    cluster, findings = with_zookeeper(apart, "abc", stated)
    assert racks_of_voters(cluster) == {"zk1:2181": "a", "zk2:2182": "b", "zk3:2181": None}
    one = of_orders(cluster)
    assert (one.racks, one.open_voters) == (((1, 1),), 1)
    assert "`zk9` is the host or the id of no node and no ZooKeeper server that was read" in findings
    assert "node 1 is in rack a by its file, b1.properties:3, which counts" in findings
    assert missing_racks(cluster, cluster.topics[0]) == (
        "the racks of ZooKeeper's servers",
        '`"zk3" = "RACK"` below [racks] in audit.toml, a line for each ZooKeeper server',
    )


@pytest.mark.parametrize("section", ["racks = 1\n", "[racks]\nzk1 = 1\n", '[racks]\nzk1 = ""\n'])
def test_a_rack_without_a_name_is_refused(section: str) -> None:
    with pytest.raises(UnreadableInputError, match=r"\[racks\] has lines such as"):
        with_zookeeper("zk1,zk2,zk3", "abc", {"audit.toml": section})


def test_a_cell_says_that_writes_stop_where_it_is_open_whether_reads_do() -> None:
    def cells(**words: str) -> dict[str, dict[str, dict[str, object]]]:
        given = {"no-loss": "no loss found", "no-unread": "no loss found", **words}
        return {name: {"x": {"word": word, "on": ["a fact"], "why": "a reason"}} for name, word in given.items()}

    stops = cells(writable="can lose", readable="depends")
    assert cell_texts(stops, "x") == ("keeps", "stop")
    assert list(open_cell_lines({"table": stops, "not_given": {"a fact": "--option"}})) == [
        "Whether reads stop with the writes depends on a fact (in every cell); to decide it, give --option"
    ]
    assert cell_texts(cells(writable="can lose", readable="no loss found"), "x") == ("keeps", "stop")
    hidden = cells(writable="not checked", readable="can lose")
    assert cell_texts(hidden, "x") == ("keeps", "hidden")
    assert list(open_cell_lines({"table": hidden, "not_given": {}})) == [
        "Whether writes stop, too, is not decided: a reason (in every cell)"
    ]
    both = cells(writable="depends", readable="depends")
    assert list(open_cell_lines({"table": both, "not_given": {}})) == ["? depends on a fact (in every cell)"]
    undecided = cells(writable="not checked", readable="not checked")
    assert list(open_cell_lines({"table": undecided, "not_given": {}})) == ["- a reason (in every cell)"]
