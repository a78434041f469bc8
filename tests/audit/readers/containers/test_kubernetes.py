"""Kubernetes' own resources: every kind that may hold a pod of Kafka's is read or named, and each pod sees the
ConfigMaps of its own namespace."""

from __future__ import annotations

import base64
import re
from pathlib import Path

import pytest
from tidegate.audit.auditing import read_cluster_texts, read_clusters
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.cluster.statements import UnreadableInputError
from tidegate.audit.joining.options import Options

SERVER = "node.id=1\nprocess.roles=broker,controller\nlog.dirs=/data\nmin.insync.replicas=2\n"
POD = """\
containers:
- name: kafka
  image: apache/kafka:4.1.0
  volumeMounts:
  - {name: data, mountPath: /data}
  - {name: config, mountPath: /mnt/shared/config}
volumes:
- {name: data, persistentVolumeClaim: {claimName: d}}
- {name: config, configMap: {name: kafka-config}}
"""


def indent_text(text: str, blanks: int) -> str:
    return re.sub(r"^", " " * blanks, text.rstrip("\n"), flags=re.M)


def config_map(text: str = SERVER, namespace: str = "", key: str = "server.properties") -> str:
    of = f", namespace: {namespace}" if namespace else ""
    head = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: kafka-config{of}}}\n"
    return f"{head}data:\n  {key}: |\n{indent_text(text, 4)}\n"


def pod_set(kind: str = "StatefulSet", pod: str = POD, namespace: str = "", more: str = "  replicas: 3\n") -> str:
    of = f", namespace: {namespace}" if namespace else ""
    at = {"Pod": "spec:\n", "CronJob": "spec:\n  jobTemplate:\n    spec:\n      template:\n        spec:\n"}
    head = f"apiVersion: apps/v1\nkind: {kind}\nmetadata: {{name: kafka{of}}}\n"
    return (
        f"{head}{at.get(kind, f'spec:{chr(10)}{more}  template:{chr(10)}    spec:{chr(10)}')}{indent_text(pod, 10)}\n"
    )


def of(*texts: str) -> tuple[Cluster, tuple[Finding, ...]]:
    """The resources of several files of one folder."""
    given = [(f"k/{number}.yaml", text, False) for number, text in enumerate(texts)]
    return read_cluster_texts(given, Options(kafka_version="4.1.0"), "k")


def incomplete(findings: tuple[Finding, ...]) -> list[str]:
    return [finding.what for finding in findings if finding.kind == "incomplete"]


def values(cluster: Cluster, key: str = "min.insync.replicas") -> list[str]:
    return [setting.value for node in cluster.brokers for setting in node.settings if setting.key == key]


ONE_ID = "3 pods are given one id, 1, and of nodes with one id only one starts"


@pytest.mark.parametrize(
    ("kind", "more", "count"),
    [
        ("StatefulSet", "  replicas: 3\n", 3),
        ("Deployment", "", 1),
        ("ReplicaSet", "  replicas: 3\n", 3),
        ("ReplicationController", "", 1),
        ("DeploymentConfig", "", 1),
        ("Rollout", "  replicas: 3\n", 3),
        ("CloneSet", "  replicas: 3\n", 3),
        ("Pod", "", 1),
    ],
)
def test_whatever_has_a_pod_of_kafka_is_read(kind: str, more: str, count: int) -> None:
    cluster, findings = of(config_map(), pod_set(kind, more=more))
    assert values(cluster) == ["2"] * count
    assert incomplete(findings) == ([ONE_ID] if count == 3 else [])


@pytest.mark.parametrize("kind", ["DaemonSet", "Rollout", "KafkaLikeSet"])
def test_how_many_pods_run_is_asked_where_the_file_does_not_say_it(kind: str) -> None:
    cluster, findings = of(config_map(), pod_set(kind, more=""))
    assert values(cluster) == ["2"]
    assert f"how many brokers {kind} kafka runs is not in its file" in incomplete(findings)


def test_a_daemon_set_has_a_pod_on_each_node_whatever_it_says() -> None:
    cluster, findings = of(config_map(), pod_set("DaemonSet", more="  replicas: 3\n"))
    assert len(cluster.brokers) == 1
    assert "how many brokers DaemonSet kafka runs is not in its file" in incomplete(findings)


def test_a_list_within_a_list_and_a_template_are_gone_through() -> None:
    items = f"- {indent_text(config_map(), 2)[2:]}\n- {indent_text(pod_set('Pod'), 2)[2:]}\n"
    inner = f"apiVersion: v1\nkind: List\nitems:\n{items}"
    for text in (
        f"apiVersion: v1\nkind: List\nitems:\n- {indent_text(inner, 2)[2:]}\n",
        inner.replace("List", "Template").replace("items", "objects"),
    ):
        assert values(of(text)[0]) == ["2"]


def test_a_pod_that_a_set_made_is_counted_once() -> None:
    made = pod_set("Pod").replace(
        "{name: kafka}", "{name: kafka-0, ownerReferences: [{kind: Deployment, name: kafka}]}"
    )
    assert values(of(config_map(), pod_set("Deployment", more=""), made)[0]) == ["2"]
    assert values(of(config_map(), made)[0]) == ["2"]


def test_pods_see_the_config_maps_of_their_own_namespace() -> None:
    other = config_map(SERVER.replace("replicas=2", "replicas=1"), "b")
    cluster, findings = of(other, config_map(namespace="a"), pod_set("Pod", namespace="a"))
    assert values(cluster) == ["2"] and incomplete(findings) == []
    unused = (
        "ConfigMap kafka-config has settings of Kafka, and no pod that was read has it mounted or takes its variables"
    )
    assert unused in [finding.what for finding in findings]
    assert incomplete(of(other)[1]) == [unused]
    _, findings = of(other, config_map(namespace="a"), pod_set("Pod", pod=POD + "hostname: k\n", namespace="c"))
    assert not any("Pod kafka" in what for what in incomplete(findings))  # it has no settings of a broker at all
    mixed = POD.replace(
        "image: apache/kafka:4.1.0", "image: apache/kafka:4.1.0\n  env: [{name: KAFKA_NODE_ID, value: '1'}]"
    )
    cluster, findings = of(other, config_map(namespace="a"), pod_set("Pod", pod=mixed))
    assert values(cluster) == [], "which of the two is not known"
    assert (
        "Pod kafka has /mnt/shared/config of ConfigMap kafka-config mounted, which may have settings of Kafka, "
        "and it was not read"
    ) in incomplete(findings)


def test_items_and_parts_of_volumes() -> None:
    """`items` gives an entry another name, and leaves the rest out; `subPath` mounts one file of a volume."""
    both = "data:\n  a: |\n    node.id=1\n    min.insync.replicas=2\n  b.properties: |\n    min.insync.replicas=1\n"
    stored = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: kafka-config}}\n{both}"
    items = POD.replace("name: kafka-config}", "name: kafka-config, items: [{key: a, path: server.properties}]}")
    part = POD.replace("mountPath: /mnt/shared/config", "mountPath: /opt/kafka/config/server.properties, subPath: a")
    for pod in (items, part):
        cluster, findings = of(stored, pod_set("Pod", pod=pod))
        assert values(cluster) == ["2"], pod
        assert incomplete(findings) == []


@pytest.mark.parametrize(
    "stored",
    [
        "kind: ConfigMap\nmetadata: {name: kafka-config}\nbinaryData: {server.properties: %s}\n",
        "kind: Secret\nmetadata: {name: kafka-config}\ndata: {server.properties: %s}\n",
    ],
)
def test_what_is_stored_in_base64_is_read(stored: str) -> None:
    pod = POD.replace("configMap: {name", "secret: {secretName") if "Secret" in stored else POD
    coded = base64.b64encode(SERVER.encode()).decode()
    assert values(of(f"apiVersion: v1\n{stored % coded}", pod_set("Pod", pod=pod))[0]) == ["2"]


def test_what_is_no_text_is_named_where_settings_are() -> None:
    stored = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: kafka-config}\nbinaryData: {server.properties: gICA}\n"
    pod = POD.replace(
        "image: apache/kafka:4.1.0", "image: apache/kafka:4.1.0\n  env: [{name: KAFKA_NODE_ID, value: '1'}]"
    )
    assert incomplete(of(stored, pod_set("Pod", pod=pod))[1]) == [
        "Pod kafka has /mnt/shared/config/server.properties mounted, which may have settings of Kafka, "
        "and it was not read"
    ]


VARIABLES = """\
containers:
- name: kafka
  image: apache/kafka:4.1.0
  envFrom:
  - {configMapRef: {name: m}, prefix: KAFKA_}
  - {secretRef: {name: s}}
  env:
  - {name: KAFKA_NODE_ID, value: "1"}
  - {name: KAFKA_LOG_DIRS, value: /data}
  - {name: KAFKA_PROCESS_ROLES, valueFrom: {configMapKeyRef: {name: m, key: roles}}}
  volumeMounts: [{name: data, mountPath: /data}]
volumes: [{name: data, persistentVolumeClaim: {claimName: d}}]
"""
OF_VARIABLES = (
    "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {MIN_INSYNC_REPLICAS: '2', roles: broker}\n",
    "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {KAFKA_DEFAULT_REPLICATION_FACTOR: '3'}\n",
)


def test_variables_come_from_config_maps_and_secrets_of_other_files() -> None:
    cluster, findings = of(*OF_VARIABLES, pod_set("Pod", pod=VARIABLES))
    assert (values(cluster), values(cluster, "default.replication.factor")) == (["2"], ["3"])
    assert values(cluster, "process.roles") == ["broker"] and incomplete(findings) == []
    _, findings = of(OF_VARIABLES[0], pod_set("Pod", pod=VARIABLES))
    assert incomplete(findings) == ["container kafka has variables of Secret s, which was not read (envFrom)"]


@pytest.mark.parametrize(
    "resource",
    [
        "apiVersion: platform.confluent.io/v1beta1\nkind: Kafka\nmetadata: {name: k}\nspec: {replicas: 3}\n",
        "apiVersion: kafka.banzaicloud.io/v1beta1\nkind: KafkaCluster\nmetadata: {name: k}\nspec: {}\n",
        "apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nmetadata: {name: k}\nspec:\n  values:\n"
        "    extraConfig: |\n      min.insync.replicas=1\n",
        "apiVersion: argoproj.io/v1alpha1\nkind: Application\nmetadata: {name: k}\nspec:\n  source:\n    helm:\n"
        "      values: |\n        minInsyncReplicas: 1\n",
    ],
)
def test_resources_of_other_kinds_that_set_up_kafka_are_named(resource: str) -> None:
    """Also beside what is read of the same file."""
    kind = re.search(r"^kind: (\w+)", resource, re.M)
    assert kind is not None
    for text in (resource, f"{resource}---\n{config_map()}---\n{pod_set('Pod')}"):
        (what,) = incomplete(of(text)[1])
        assert what.startswith(f"{kind[1]} k (") and what.endswith(
            ") in k/0.yaml sets up Kafka, and resources of its kind are not read"
        )


def test_a_job_that_runs_a_tool_is_no_broker() -> None:
    pod = "containers:\n- name: t\n  image: confluentinc/cp-kafka:7.9.0\n  command: [sh, -c, kafka-topics --list]\n"
    pod += "  env: [{name: KAFKA_ZOOKEEPER_CONNECT, value: 'z:2181'}]\n"
    cluster, _ = of(config_map(), pod_set("Pod"), pod_set("Job", pod=pod))
    assert len(cluster.brokers) == 1


def test_a_script_in_a_config_map_creates_its_topics() -> None:
    script = "kafka-topics.sh --create --topic orders --partitions 1 --replication-factor 1\n"
    cluster, _ = of(
        config_map(), pod_set("Pod"), config_map(script, key="create.sh").replace("kafka-config", "scripts")
    )
    assert [(topic.name, topic.replication_factor) for topic in cluster.planned_topics] == [("orders", 1)]


VOTERS = "controller.quorum.voters=1@{}:9093\n"


@pytest.mark.parametrize(("meets", "names"), [("kafka-0", ["a", "b"]), ("kafka-0.kafka.a.svc", [""])])
def test_brokers_of_two_namespaces_are_two_clusters_unless_they_meet(
    meets: str, names: list[str], tmp_path: Path
) -> None:
    for namespace in ("a", "b"):
        text = config_map(SERVER + VOTERS.format(meets), namespace) + "---\n" + pod_set("Pod", namespace=namespace)
        (tmp_path / f"{namespace}.yaml").write_text(text)
    assert [name for name, _ in read_clusters([tmp_path])] == names


def test_namespaces_of_one_file_are_asked_about() -> None:
    both = [config_map(SERVER + VOTERS.format("k"), name) + "---\n" + pod_set("Pod", namespace=name) for name in "ab"]
    with pytest.raises(UnreadableInputError, match=r"brokers are in 2 namespaces, a \(k/0.yaml\) and b \(k/0.yaml\)"):
        of("---\n".join(both))


def test_of_a_key_that_is_stated_twice_the_last_value_counts() -> None:
    """Published manifests have that: `spec:` alone, and again with what is in it."""
    text = pod_set("StatefulSet").replace("spec:\n  replicas", "spec:\nspec:\n  replicas")
    assert values(of(config_map(), text)[0]) == ["2"] * 3
