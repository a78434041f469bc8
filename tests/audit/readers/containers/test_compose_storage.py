"""What of a compose file's brokers and ZooKeeper servers goes with their containers."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Broker, Cluster
from tidegate.audit.cluster.statements import Origin, Setting
from tidegate.audit.joining.options import Options
from tidegate.audit.readers.containers import volumes
from tidegate.audit.rules.advice import folders_of_two_files

FILE = """\
services:
  z:
    image: {server}
    volumes: [{server_at}]
  k:
    image: {broker}
    environment: {{KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: "z:2181"{more}}}
    volumes: [{at}]
"""
APACHE = {
    "broker": "apache/kafka:3.9.0",
    "at": "'k:/var/lib/kafka'",
    "more": ", KAFKA_LOG_DIRS: /var/lib/kafka/data",
}
LOG = "the log of service k is"
SERVER = "what ZooKeeper keeps in service z is"
KEPT = {
    "server": "confluentinc/cp-zookeeper:7.4.0",
    "server_at": "'z:/var/lib/zookeeper/data', 'l:/var/lib/zookeeper/log'",
    "broker": "confluentinc/cp-kafka:7.4.0",
    "at": "'k:/var/lib/kafka/data'",
    "more": "",
}


def storage_findings(**given: str) -> list[tuple[str, str]]:
    found = read_cluster_texts([("compose.yml", FILE.format(**KEPT | given), True)], Options(), "x")[1]
    said = [(finding.kind, finding.what) for finding in found if finding.source == "docs.docker.com, Volumes"]
    return [(kind, what.split(":")[0]) for kind, what in said]


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"at": "'k:/var/lib/kafka/data/'"},
        {"at": "'k:/var/lib', 'd:/var/lib/kafka/data'"},
        {"at": "'k:/data'", "more": ", KAFKA_LOG_DIRS: /data/logs"},
        {"server": "zookeeper:3.8", "server_at": "'d:/data', 'l:/datalog'"},
        {"server": "bitnami/zookeeper:3.8", "server_at": "'d:/bitnami'"[:-1] + "/zookeeper'"},
        {"server": "example/zookeeper", "server_at": "'d:/anywhere'"},
    ],
)
def test_data_on_volumes_is_nothing_to_say(given: dict[str, str]) -> None:
    assert storage_findings(**given) == []


@pytest.mark.parametrize(
    ("given", "kind", "what"),
    [
        ({"at": "'k:/var/lib/kafka'"}, "advice", f"{LOG} not on the volume at /var/lib/kafka"),
        ({"at": "'k:/var/lib'"}, "advice", f"{LOG} not on the volume at /var/lib"),
        (
            {
                "broker": "apache/kafka:3.9.0",
                "at": "'k:/var/lib/kafka'",
                "more": ", KAFKA_LOG_DIRS: /var/lib/kafka/data",
            },
            "advice",
            f"{LOG} not on the volume at /var/lib/kafka",
        ),
        ({"at": ""}, "advice", f"{LOG} in the container itself, as far as compose.yml says"),
        ({"server_at": "'z:/var/lib/zookeeper'"}, "incomplete", f"{SERVER} not on the volume at /var/lib/zookeeper"),
        ({"server_at": ""}, "incomplete", f"{SERVER} in the container itself, as far as compose.yml says"),
        (
            {"server_at": "'z:/var/lib/zookeeper/data'"},
            "incomplete",
            f"{SERVER} in the container itself, as far as compose.yml says",
        ),
        (
            {"server": "bitnami/zookeeper:3.6", "server_at": ""},
            "incomplete",
            f"{SERVER} in the container itself, as far as compose.yml says",
        ),
        (
            {"server": "example/zookeeper", "server_at": ""},
            "incomplete",
            f"{SERVER} in the container itself, as far as compose.yml says",
        ),
    ],
)
def test_data_that_goes_with_the_container_is_found(given: dict[str, str], kind: str, what: str) -> None:
    assert storage_findings(**given) == [(kind, what)]


def test_one_server_of_three_without_a_volume_is_advice() -> None:
    variables = "{KAFKA_BROKER_ID: 1, KAFKA_ZOOKEEPER_CONNECT: z}"
    text = f"services:\n  k: {{image: confluentinc/cp-kafka, environment: {variables}}}\n"
    for name, at in (("a", "['a:/data', 'b:/datalog']"), ("b", "['c:/data', 'd:/datalog']"), ("c", "[]")):
        text += f"  {name}: {{image: 'zookeeper:3.8', volumes: {at}}}\n"
    found = read_cluster_texts([("compose.yml", text, True)], Options(), "x")[1]
    said = [(finding.kind, finding.what) for finding in found if "ZooKeeper keeps" in finding.what]
    assert [(kind, "this server comes back empty" in what) for kind, what in said] == [("advice", True)]


def test_apaches_image_with_variables_keeps_logs_where_kafka_does_by_default() -> None:
    """Its own file, with another place, is used where no variable is given (KafkaDockerWrapper)."""
    of_image = [Setting("node.id", "1", Origin("k.yml", 1, "KAFKA_NODE_ID"))]
    there, elsewhere = "/" + "tmp/kafka-logs", "/" + "tmp/kraft-combined-logs"
    assert volumes.is_in_container(of_image, "apache", [(elsewhere, False)]) is True
    assert volumes.is_in_container(of_image, "apache", [(there, False)]) is False
    assert volumes.is_in_container([], "apache", [(elsewhere, False)]) is False


@pytest.mark.parametrize(
    ("first", "second", "asked"),
    [
        ("folder /srv/k", "folder /srv/k", True),
        ("folder data", "folder ../a/data", True),
        ("folder data", "folder data", False),
        ("volume k", "volume k", False),  # of two projects
        ("folder /srv/k", "folder /srv/l", False),
    ],
)
def test_two_files_that_mount_one_folder_are_asked_about(first: str, second: str, *, asked: bool) -> None:
    nodes = [
        Broker(1, Origin("a/c.yml", 3, "services.k"), log_mounts=(("/data", first),)),
        Broker(2, Origin("b/c.yml", 3, "services.l"), log_mounts=(("/data", second),)),
    ]
    found = list(folders_of_two_files(Cluster(brokers=tuple(nodes))))
    assert [finding.kind for finding in found] == (["incomplete"] if asked else [])
    assert all("unless these files run on different hosts" in finding.what for finding in found)
