"""Whether the pods of brokers are on nodes of their own: what a manifest requires, prefers, or leaves open."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.statements import UnreadableInputError
from tidegate.audit.facts.placement import NODES, SERVERS
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.signature import Subject
from tidegate.audit.questions.subjects import cluster_subjects

HOST, ZONE = "kubernetes.io/hostname", "topology.kubernetes.io/zone"


ITS_OWN = "labelSelector: {matchLabels: {app: kafka}}"


def affinity(when: str, key: str, selects: str = ITS_OWN) -> str:
    term = f"{{topologyKey: {key}, {selects}}}"
    return f"affinity: {{podAntiAffinity: {{{when}DuringSchedulingIgnoredDuringExecution: [{term}]}}}}"


def spread(skew: int, otherwise: str, selects: str = ITS_OWN) -> str:
    constraint = f"{{maxSkew: {skew}, topologyKey: {HOST}, whenUnsatisfiable: {otherwise}, {selects}}}"
    return f"topologySpreadConstraints: [{constraint}]"


def expression(text: str) -> str:
    return f"labelSelector: {{matchExpressions: [{{{text}}}]}}"


RULES = {
    "": False,
    affinity("required", HOST): True,
    affinity("required", ZONE): True,
    affinity("required", "other"): False,
    affinity("preferred", HOST): False,
    spread(1, "DoNotSchedule"): True,
    spread(1, "ScheduleAnyway"): False,
    spread(2, "DoNotSchedule"): False,
}
"""What a pod's specification says, and whether that keeps its pods apart."""

PODS = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: kafka}}
spec:
  replicas: 3
  template:
    metadata: {{labels: {{app: kafka}}}}
    spec:
      {rule}
      containers:
        - name: kafka
          image: apache/kafka:3.9.0
          env: [{{name: KAFKA_ZOOKEEPER_CONNECT, value: z}}, {{name: KAFKA_DEFAULT_REPLICATION_FACTOR, value: "3"}}]
"""
KAFKA = """\
apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: {{name: c}}
spec:
  kafka:
    version: 3.9.0
    {more}
    config: {{default.replication.factor: 3}}
    template: {{pod: {{metadata: {{labels: {{app: kafka}}}}, {rule}}}}}
---
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaNodePool
metadata: {{name: p, labels: {{strimzi.io/cluster: c}}}}
spec:
  replicas: 3
  roles: [broker, controller]
  {pool}
"""


def of(text: str, mapping: str = "") -> Cluster:
    files = [("k.yaml", text, True)] + ([("audit.toml", mapping, True)] if mapping else [])
    return read_cluster_texts(files, Options(kafka_version="3.9.0", acks="all"), "x")[0]


def new_topics(cluster: Cluster) -> Subject:
    return next(subject for subject in cluster_subjects(cluster) if subject.topics[0].name == "(new topics)")


def loses_power_together(cluster: Cluster) -> set[bool]:
    """Whether a loss of power takes all brokers, as far as that is known."""
    return {variant.signature.one_machine for variant in new_topics(cluster).variants}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("text", [PODS, KAFKA])
def test_pods_that_nothing_keeps_apart_may_share_a_node(text: str, rule: str) -> None:
    cluster = of(text.format(rule=rule, more="", pool=""))
    assert loses_power_together(cluster) == ({False} if RULES[rule] else {False, True})
    spreads = RULES[rule] and rule.startswith("topology")
    assert any("at least 3 nodes" in assumption for assumption in cluster.assumptions) is spreads


SELECTORS = {
    ITS_OWN: True,
    "labelSelector: {}": True,
    expression("key: app, operator: In, values: [zookeeper, kafka]"): True,
    expression("key: app, operator: Exists"): True,
    expression("key: tier, operator: DoesNotExist"): True,
    f"{ITS_OWN}, matchLabelKeys: [app]": True,
    "labelSelector: {matchLabels: {app: zookeeper}}": False,
    "labelSelector: {matchLabels: {app: kafka, tier: data}}": False,
    "labelSelector: null": False,
    "minDomains: 3": False,
    expression("key: app, operator: NotIn, values: [kafka]"): False,
    expression("key: app, operator: DoesNotExist"): False,
    expression("key: statefulset.kubernetes.io/pod-name, operator: NotIn, values: [kafka-0]"): False,
    f"{ITS_OWN}, matchLabelKeys: [statefulset.kubernetes.io/pod-name]": False,
    f"{ITS_OWN}, matchLabelKeys: [controller-revision-hash]": False,
}
"""What a rule selects, and whether those are the brokers."""
OF_TERMS = {
    f"{ITS_OWN}, mismatchLabelKeys: [app]": False,
    f"{ITS_OWN}, namespaces: [other]": False,
    f"{ITS_OWN}, namespaces: [mine]": True,
    f"{ITS_OWN}, namespaceSelector: {{}}": True,
    f"{ITS_OWN}, namespaceSelector: {{matchLabels: {{team: data}}}}": False,
    f"{ITS_OWN}, namespaceSelector: {{matchLabels: {{team: data}}}}, namespaces: [mine]": True,
    f"{ITS_OWN}, namespaceSelector: {{matchLabels: {{team: data}}}}, namespaces: [other]": False,
}
"""The same of what an anti-affinity alone has."""


@pytest.mark.parametrize(("selects", "expected"), [*SELECTORS.items(), *OF_TERMS.items()])
def test_an_anti_affinity_keeps_from_those_that_it_selects(selects: str, expected: bool) -> None:
    text = PODS.replace("name: kafka}}\nspec", "name: kafka, namespace: mine}}\nspec")
    cluster = of(text.format(rule=affinity("required", HOST, selects)))
    assert loses_power_together(cluster) == ({False} if expected else {False, True})


@pytest.mark.parametrize(("selects", "expected"), SELECTORS.items())
def test_a_constraint_spreads_those_that_it_selects(selects: str, expected: bool) -> None:
    cluster = of(PODS.format(rule=spread(1, "DoNotSchedule", selects)))
    assert loses_power_together(cluster) == ({False} if expected else {False, True})


@pytest.mark.parametrize("rule", [affinity("required", HOST), spread(1, "DoNotSchedule")])
@pytest.mark.parametrize("separate", [True, False])
def test_sets_of_one_pod_each_are_kept_apart_by_what_selects_the_others(rule: str, separate: bool) -> None:
    """Each with a label of its own: one that selects its own label alone repels only itself."""
    alone = PODS.format(rule=rule).replace("replicas: 3", "replicas: 1")
    files: list[tuple[str, str, bool]] = []
    for name in "123":
        text = alone.replace("env: [", f"env: [{{name: KAFKA_BROKER_ID, value: '{name}'}}, ")
        files.append((f"{name}.yaml", text.replace("app: kafka", f"app: kafka-{name}") if separate else text, True))
    cluster = of("---\n".join(text for _, text, _ in files))
    assert loses_power_together(cluster) == ({False, True} if separate else {False})
    spreads = rule.startswith("topology") and not separate
    assert any("at least 3 nodes" in assumption for assumption in cluster.assumptions) is spreads


def test_one_rule_that_selects_the_others_is_enough_of_an_anti_affinity() -> None:
    mine, other = affinity("required", HOST), PODS.format(rule="").replace("name: kafka}\nspec", "name: more}\nspec")
    one_each = "---\n".join([PODS.format(rule=mine), other]).replace("replicas: 3", "replicas: 1")
    assert loses_power_together(of(one_each.replace('value: "3"', 'value: "2"'))) == {False}
    spreads = one_each.replace(mine, spread(1, "DoNotSchedule")).replace('value: "3"', 'value: "2"')
    assert loses_power_together(of(spreads)) == {False, True}, "one without a constraint goes to any node"


def test_a_pod_that_names_its_node_does_not_pass_the_scheduler() -> None:
    assert loses_power_together(of(PODS.format(rule=affinity("required", HOST) + "\n      nodeName: n1"))) == {
        False,
        True,
    }


def test_labels_that_the_operator_gives_are_selected() -> None:
    rule = affinity("required", HOST, "labelSelector: {matchLabels: {strimzi.io/name: c-kafka}}")
    assert loses_power_together(of(KAFKA.format(rule=rule, more="", pool=""))) == {False}
    other = rule.replace("c-kafka", "c-zookeeper")
    assert loses_power_together(of(KAFKA.format(rule=other, more="", pool=""))) == {False, True}


def test_what_to_give_is_said_where_it_is_open() -> None:
    found = new_topics(of(PODS.format(rule="")))
    assert NODES in found.asks and "podAntiAffinity" in found.asks[NODES]


def test_a_preference_that_a_rack_brings_is_no_rule() -> None:
    rack = "rack: {topologyKey: topology.kubernetes.io/zone}"
    assert loses_power_together(of(KAFKA.format(rule="", more=rack, pool=""))) == {False, True}


def test_a_pools_own_template_replaces_that_of_the_cluster() -> None:
    rule = next(rule for rule, apart in RULES.items() if apart)
    assert loses_power_together(of(KAFKA.format(rule=rule, more="", pool="template: {pod: {metadata: {}}}"))) == {
        False,
        True,
    }
    assert loses_power_together(
        of(KAFKA.format(rule="", more="", pool=f"template: {{pod: {{metadata: {{labels: {{app: kafka}}}}, {rule}}}}}"))
    ) == {False}


@pytest.mark.parametrize(("nodes", "expected"), [("apart", {False}), ("shared", {True})])
def test_the_users_word_decides(nodes: str, expected: set[bool]) -> None:
    """Also where all advertise one name: Bitnami's chart has a placeholder there, which an init container replaces."""
    advertised = "{name: KAFKA_ADVERTISED_LISTENERS, value: 'PLAINTEXT://advertised-address-placeholder:9092'}"
    for text in (PODS, PODS.replace("env: [", f"env: [{{{advertised}}}, ")):
        assert loses_power_together(of(text.format(rule=""), f'[pods]\nnodes = "{nodes}"\n')) == expected


def of_nodes(*terms: str) -> str:
    listed = ", ".join(f"{{matchExpressions: [{{{term}}}]}}" for term in terms)
    within = f"{{requiredDuringSchedulingIgnoredDuringExecution: {{nodeSelectorTerms: [{listed}]}}}}"
    return f"affinity: {{nodeAffinity: {within}}}"


def of_hosts(*hosts: str) -> str:
    return f"key: {HOST}, operator: In, values: [{', '.join(hosts)}]"


NODES_NAMED = {
    f"nodeSelector: {{{HOST}: a}}": False,
    "nodeSelector: {pool: kafka}": True,
    of_nodes(of_hosts("a", "b")): False,
    of_nodes(of_hosts("a", "b", "c")): True,
    of_nodes(of_hosts("a", "b"), of_hosts("b", "c")): True,
    of_nodes(of_hosts("a", "b"), of_hosts("b")): False,
    of_nodes(of_hosts("a"), "key: pool, operator: Exists"): True,
    of_nodes("key: pool, operator: In, values: [kafka]"): True,
    of_nodes(of_hosts("a", "b", "c")) + f"\n      nodeSelector: {{{HOST}: a}}": False,
    of_nodes(of_hosts("a")).replace("matchExpressions", "matchFields").replace(HOST, "metadata.name"): False,
}
"""The nodes that a specification allows, and whether three pods can be spread over them, one each."""


@pytest.mark.parametrize("where", NODES_NAMED)
def test_pods_are_not_spread_over_fewer_nodes_than_pods(where: str) -> None:
    cluster = of(PODS.format(rule=f"{spread(1, 'DoNotSchedule')}\n      {where}"))
    assert loses_power_together(cluster) == ({False} if NODES_NAMED[where] else {False, True})
    assert any("at least 3 nodes" in assumption for assumption in cluster.assumptions) is NODES_NAMED[where]


@pytest.mark.parametrize("line", ['nodes = "far"', "nodes = true", 'node = "apart"', ""])
def test_another_word_is_refused(line: str) -> None:
    with pytest.raises(UnreadableInputError, match=r"\[pods\] has one line"):
        of(PODS.format(rule=""), f"[pods]\n{line}\n")


def test_one_pod_shares_no_node() -> None:
    cluster = of(PODS.format(rule="").replace("replicas: 3", "replicas: 1").replace('value: "3"', 'value: "1"'))
    assert loses_power_together(cluster) == {False}


def of_roles(brokers: str, controllers: str) -> set[tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]]]:
    """What may be on one node and on two, of three brokers and three controllers in pods of their own."""
    rules = {"broker": brokers, "controller": controllers}
    texts = [
        PODS.replace("ZOOKEEPER_CONNECT, value: z", f"PROCESS_ROLES, value: {role}")
        .replace("kafka}}", f"{role}}}}}")
        .format(rule=affinity("required", HOST, f"labelSelector: {{{rule}}}") if rule else "")
        for role, rule in rules.items()
    ]
    found = new_topics(of("---\n".join(texts)))
    assert {variant.signature.one_machine for variant in found.variants} == {False}
    return {(variant.signature.hosts, variant.signature.two_hosts) for variant in found.variants}


@pytest.mark.parametrize(
    ("brokers", "controllers", "worst"),
    [
        ("matchLabels: {app: broker}", "", (((1, 3),), ((2, 3),))),
        ("matchLabels: {app: broker}", "matchLabels: {app: controller}", (((1, 1),), ((2, 2),))),
        ("matchExpressions: [{key: app, operator: Exists}]", "", (((0, 3), (1, 0)), ((1, 3), (2, 0)))),
        ("matchExpressions: [{key: app, operator: Exists}]", "matchLabels: {app: controller}", ((), ())),
    ],
)
def test_controllers_in_pods_of_their_own_may_share_nodes(
    brokers: str, controllers: str, worst: tuple[tuple[tuple[int, int], ...], ...]
) -> None:
    assert of_roles(brokers, controllers) == {((), ()), worst}


@pytest.mark.parametrize(
    ("connect", "more", "voters"),
    [
        ("z", [], {0, 1}),
        ("z-0:2181,z-1:2181,z-2:2181", [], {0}),
        ("z", [("zoo.cfg", "server.1=a:1:2\nserver.2=b:1:2\nserver.3=c:1:2\n", True)], {3}),
    ],
)
def test_one_name_of_zookeeper_in_pods_may_be_one_server(
    connect: str, more: list[tuple[str, str, bool]], voters: set[int]
) -> None:
    text = PODS.format(rule=affinity("required", HOST)).replace("value: z}", f"value: '{connect}'}}")
    cluster = read_cluster_texts([("k.yaml", text, True), *more], Options(kafka_version="3.9.0", acks="all"), "x")[0]
    found = new_topics(cluster)
    assert {variant.signature.voters for variant in found.variants} == voters
    assert (SERVERS in found.asks) is (voters == {0, 1})
    assert any("apart from the brokers" in assumption for assumption in cluster.assumptions)


@pytest.mark.parametrize("count", [1, 3])
def test_the_servers_that_strimzi_runs_are_counted(count: int) -> None:
    text = KAFKA.partition("---")[0].format(rule=affinity("required", HOST), more="replicas: 3", pool="")
    cluster = of(text + f"  zookeeper: {{replicas: {count}}}\n")
    assert {variant.signature.voters for variant in new_topics(cluster).variants} == {count}
