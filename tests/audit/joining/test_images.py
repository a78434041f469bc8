"""Variables of images: each image reads its own prefix, and what it does not read has no effect."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.cluster.settings import setting_value
from tidegate.audit.cluster.statements import StatedValue, Unknown, UnreadableInputError
from tidegate.audit.joining.options import Options
from tidegate.audit.kafka.keys import declared_key
from tidegate.audit.startup.nodes import nodes_down

COMPOSE = """\
services:
  kafka:
    image: {image}
    environment:
      KAFKA_NODE_ID: 1
      {variable}: "3"
      {prefix}PROCESS_ROLES: broker,controller
"""
POD = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: kafka}}
spec:
  template:
    spec:
      containers:
        - image: {image}
          env:
            - {{name: {prefix}PROCESS_ROLES, value: broker}}
            - {{name: {variable}, value: "3"}}
"""


def of(text: str, image: str, variable: str) -> tuple[Cluster, list[Finding]]:
    prefix = "KAFKA_CFG_" if "bitnami" in image else "KAFKA_"
    written = text.format(image=image, variable=variable, prefix=prefix)
    cluster, findings = read_cluster_texts([("c.yml", written, True)], Options(), "x")
    return cluster, [finding for finding in findings if finding.kind == "typo"]


@pytest.mark.parametrize("text", [COMPOSE, POD])
def test_a_variable_without_effect_that_would_lose_records_is_to_be_removed(text: str) -> None:
    _, (typo,) = of(text.replace('"3"', '"1"'), "bitnami/kafka:3.9", "KAFKA_MIN_INSYNC_REPLICAS")
    assert typo.to_do == "remove it: if it had an effect, records could be lost"


@pytest.mark.parametrize("text", [COMPOSE, POD])
@pytest.mark.parametrize(
    ("image", "variable", "instead"),
    [
        ("apache/kafka:3.9.0", "KAFKA_CFG_DEFAULT_REPLICATION_FACTOR", "KAFKA_DEFAULT_REPLICATION_FACTOR"),
        ("confluentinc/cp-kafka:7.6.0", "KAFKA_CFG_MIN_INSYNC_REPLICAS", "KAFKA_MIN_INSYNC_REPLICAS"),
        ("bitnami/kafka:3.9", "KAFKA_MIN_INSYNC_REPLICAS", "KAFKA_CFG_MIN_INSYNC_REPLICAS"),
    ],
)
def test_a_variable_that_the_image_does_not_read(text: str, image: str, variable: str, instead: str) -> None:
    cluster, (typo,) = of(text, image, variable)
    assert not [setting for broker in cluster.brokers for setting in broker.settings if setting.value == "3"]
    assert (
        typo.what.startswith(f"`{variable}` has no effect")
        and typo.to_do == f"remove it, or, if it is meant, write `{instead}`"
    )


@pytest.mark.parametrize("text", [COMPOSE, POD])
@pytest.mark.parametrize(
    ("image", "variable"),
    [
        ("apache/kafka:3.9.0", "KAFKA_DEFAULT_REPLICATION_FACTOR"),
        ("bitnami/kafka:3.9", "KAFKA_CFG_DEFAULT_REPLICATION_FACTOR"),
        ("registry.example/our-kafka:1", "KAFKA_CFG_DEFAULT_REPLICATION_FACTOR"),
    ],
)
def test_a_variable_that_the_image_reads_or_may_read(text: str, image: str, variable: str) -> None:
    cluster, typos = of(text, image, variable)
    settings = [setting for broker in cluster.brokers for setting in broker.settings if setting.value == "3"]
    assert [setting.key for setting in settings] == ["default.replication.factor"] and not typos


@pytest.mark.parametrize("text", [COMPOSE, POD])
def test_a_variable_of_bitnamis_in_an_unknown_image_is_not_guessed(text: str) -> None:
    image, variable = "ghcr.io/acme/kafka:1.2.3", "KAFKA_CFG_MIN_INSYNC_REPLICAS"
    _, findings = read_cluster_texts(
        [("c.yml", text.format(image=image, variable=variable, prefix="KAFKA_"), True)], Options(), ""
    )
    assert (
        len([finding for finding in findings if "nothing says whether this image reads KAFKA_CFG_" in finding.what])
        == 1
    )
    cluster, _ = of(text, image, variable)
    answer = setting_value(cluster, cluster.brokers[0], declared_key("min.insync.replicas"))
    assert isinstance(answer, Unknown) and "nothing says whether this one does" in answer.why
    assert {default.value for default in answer.possible} == {"1", "3"}
    known, _ = of(text, "bitnami/kafka:3.9", "KAFKA_CFG_MIN_INSYNC_REPLICAS")
    assert isinstance(
        stated := setting_value(known, known.brokers[0], declared_key("min.insync.replicas")), StatedValue
    )
    assert stated.value == "3"


@pytest.mark.parametrize("text", [COMPOSE, POD])
def test_a_value_that_may_have_no_effect_keeps_nobody_down(text: str) -> None:
    cluster, _ = of(text.replace('"3"', '"abc"'), "ghcr.io/acme/kafka:1.2.3", "KAFKA_CFG_MIN_INSYNC_REPLICAS")
    assert not nodes_down(cluster)


@pytest.mark.parametrize("version", ["3.9-rc", "3.9beta", "3.9.0-mine"])
def test_what_is_no_release_is_refused(version: str) -> None:
    with pytest.raises(UnreadableInputError, match=r"is not a (release|version)"):
        read_cluster_texts([("c.properties", "node.id=1\n", True)], Options(kafka_version=version), "x")


@pytest.mark.parametrize("version", ["3.9", "v3.9.1", "3.9.x", "3.9.0-rc3", "3.7.1-SNAPSHOT", "3.7.0-ccs"])
def test_what_is_a_release_is_taken(version: str) -> None:
    cluster, _ = read_cluster_texts([("c.properties", "node.id=1\n", True)], Options(kafka_version=version), "x")
    assert cluster.versions.kafka is not None and cluster.versions.kafka.value == version


@pytest.mark.parametrize("given", [None, "3.9.0", "4.1"])
def test_images_of_two_releases_are_not_decided_by_an_option(given: str | None) -> None:
    """How brokers of several releases work together is not modelled, whatever one of them is."""
    text = COMPOSE.format(image="apache/kafka:3.9.0", variable="KAFKA_NUM_PARTITIONS", prefix="KAFKA_")
    other = text.replace("3.9.0", "3.8.0").replace("NODE_ID: 1", "NODE_ID: 2")
    files = [("a.yml", text, True), ("b.yml", other, True)]
    _, findings = read_cluster_texts(files, Options(kafka_version=given), "x")
    (mixed,) = [finding for finding in findings if "as in a rolling upgrade, is not modelled" in finding.what]
    assert mixed.kind == "incomplete" and "3.9.0" in mixed.what and "3.8.0" in mixed.what


def test_variables_of_an_image_that_is_not_known_count_as_an_assumption() -> None:
    service = "services:\n  k:\n    image: {}\n    environment: {{KAFKA_NODE_ID: 1, KAFKA_MIN_INSYNC_REPLICAS: 2}}\n"
    assumed = "shop/kafka:1 takes KAFKA_* for settings, as Apache's and Confluent's images do"
    for image, said in (("shop/kafka:1", (assumed,)), ("apache/kafka:3.9.0", ())):
        cluster, _ = read_cluster_texts([("c.yml", service.format(image), True)], Options(), "x")
        assert cluster.assumptions == said
        assert any(setting.key == "min.insync.replicas" for setting in cluster.brokers[0].settings)


def test_a_misspelt_setting_beside_the_right_one_is_to_be_removed() -> None:
    """Bitnami's chart has `logs.dir` for the application's logs: `log.dir` with that value would move the records."""
    text = "process.roles=broker\nnode.id=1\nlog.dir=/a\nlogs.dir=/b\n"
    findings = read_cluster_texts([("server.properties", text, True)], Options(), "x")[1]
    (typo,) = [finding for finding in findings if finding.kind == "typo"]
    assert typo.severity == "warning" and typo.to_do == "remove it, since `log.dir` is set as well"
