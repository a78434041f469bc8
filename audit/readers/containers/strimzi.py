"""Strimzi's `Kafka`, `KafkaNodePool` and `KafkaTopic` resources (strimzi.io, v1beta2 and v1)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from ...cluster.cluster import Broker, Role, Topic
from ...cluster.pods import Pod
from ...cluster.statements import AlternativesError, Origin, Setting
from ..parsed_file import Part, parse_numbers
from ..yaml_settings import settings_of_tree
from ..yamls import Tree
from . import pod_rules
from .pool_ids import ids_of_pools

KINDS = ("Kafka", "KafkaNodePool", "KafkaTopic")

LABEL = "strimzi.io/cluster"
"""Whose pool or topic a resource is."""


def is_recognised(tree: Tree) -> bool:
    """Whether a YAML document is of Strimzi's brokers or topics."""
    return is_of_strimzi(tree) and tree.text("kind") in KINDS


def is_of_strimzi(tree: Tree) -> bool:
    """Whether a YAML document is one of Strimzi's, of whatever kind."""
    return (tree.text("apiVersion") or "").startswith("kafka.strimzi.io/")


Resources = Sequence[tuple[str, Tree]]
"""Strimzi's documents, each with its file."""


def read_strimzi(resources: Resources, *, is_described: bool = False) -> Part:
    """All of Strimzi's documents, of one file or of many: a Kafka resource may stand in another file than its pools.
    `is_described`: something else that is read names nodes by their ids.
    """
    part = Part("Strimzi resources")
    path, first = resources[0]
    part.fact("distribution", "strimzi", Origin(path, first.line, "apiVersion"))
    resources = list(_resources_of_one_cluster(part, resources))
    pools = [resource for resource in resources if resource[1].text("kind") == "KafkaNodePool"]
    for path, tree in resources:
        _note_paused(part, path, tree)
        if tree.text("kind") == "Kafka":
            _read_kafka_resource(part, path, tree, pools, is_described=is_described)
        elif tree.text("kind") == "KafkaTopic":
            _read_topic_resource(part, path, tree)
    if pools and not part.brokers:
        _read_node_pools(part, pools, (), is_described=is_described)
    part.whole = bool(part.brokers)
    return part


def _resources_of_one_cluster(part: Part, resources: Resources) -> Iterator[tuple[str, Tree]]:
    """What belongs to the one Kafka resource, as the label says. AlternativesError where there are two."""
    clusters = [resource for resource in resources if resource[1].text("kind") == "Kafka"]
    if len(clusters) > 1:
        where = " and ".join(f"{tree.text('metadata', 'name')} ({path}:{tree.line})" for path, tree in clusters[:2])
        files = {path: tree.text("metadata", "name") or path for path, tree in clusters}
        names = [name if [*files.values()].count(name) == 1 else path for path, name in files.items()]
        raise AlternativesError(
            f"two Kafka resources, {where}: an audit is of one cluster; give the files of each alone.",
            [(name, frozenset({path})) for name, path in zip(names, files, strict=True)] if len(files) > 1 else (),
        )
    name = clusters[0][1].text("metadata", "name") if clusters else None
    for path, tree in resources:
        label, kind = tree.text("metadata", "labels", LABEL), tree.text("kind")
        named = f"{kind} {tree.text('metadata', 'name')}"
        if kind == "Kafka" or (label and (name is None or label == name)) or (kind == "KafkaTopic" and name is None):
            yield path, tree
            continue
        if label:
            what, to_do = f"is of cluster {label}, not of {name}: left out", f"correct {LABEL}, or audit {label} alone"
            part.note("not_read", "warning", f"{named} {what}", Origin(path, tree.line), to_do)
        else:
            _note_without_label(part, named, Origin(path, tree.line), name)
        if kind == "KafkaTopic":
            part.left_out.add(_topic_name(tree) or "")


def _note_without_label(part: Part, resource_name: str, where: Origin, cluster: str | None) -> None:
    """The finding that a resource belongs to no cluster: operators choose topics and pools by their label. Of a pool it
    leaves the audit undecided: the cluster has other nodes than its files seem to say."""
    what = f"{resource_name} has no label {LABEL}: the operator ignores it, and it is left out"
    to_do = f"add the label {LABEL}: {cluster}" if cluster else f"add the label {LABEL} with the cluster's name"
    if resource_name.startswith("KafkaTopic"):
        part.note("not_read", "warning", what, where, to_do, "strimzi.io, KafkaTopic")
    else:
        part.note("incomplete", "error", what, where, to_do, "strimzi.io, KafkaNodePool")


def _read_kafka_resource(part: Part, path: str, tree: Tree, pools: Resources, *, is_described: bool) -> None:
    kafka = tree.get("spec", "kafka")
    if kafka is None:
        part.note("not_read", "error", "a Kafka resource without spec.kafka", Origin(path, tree.line), "add it")
        return
    given = settings_of_tree(path, kafka.get("config"))
    for name, fact in (("version", "kafka"), ("metadataVersion", "metadata_version")):
        value, stated = kafka.text(name), kafka.get(name)
        if value is not None and stated is not None:
            part.fact(fact, value, Origin(path, stated.line, ".".join(stated.path)))
    for setting in given:
        if setting.key == "inter.broker.protocol.version":
            part.fact("inter_broker_protocol", setting.value, setting.origin)
    if kafka.get("tieredStorage") is not None:
        what = "spec.kafka.tieredStorage: tiered storage is not modelled"
        to_do = "read the answers as those about what is still in the brokers' own logs"
        part.note("not_modelled", "warning", what, Origin(path, kafka.line), to_do, "KIP-405")
    _note_several_disks(part, path, kafka)
    zookeeper = tree.get("spec", "zookeeper")
    part.control_plane = "zookeeper" if zookeeper is not None and not pools else "kraft"
    if zookeeper is not None and part.control_plane == "zookeeper":
        _read_zookeeper_ensemble(part, path, zookeeper)
    rack = kafka.get("rack")
    if rack is not None:  # which node stands where is known when it runs
        given = (*given, Setting("broker.rack", "${by the operator}", Origin(path, rack.line, "spec.kafka.rack")))
    if pools:
        _read_node_pools(part, pools, given, kafka.get("template", "pod"), is_described=is_described)
        return
    pod = kafka.get("template", "pod")
    made = _operator_labelled_pod(tree, pod, tree.text("metadata", "name") or "")
    for number in range(_replica_count(kafka)):
        part.brokers.append(
            Broker(
                number,
                Origin(path, kafka.line, "spec.kafka"),
                roles=("broker",),
                settings=given,
                ephemeral=_has_ephemeral_storage(kafka),
                of_pod=True,
                pod=made,
            )
        )


def _read_zookeeper_ensemble(part: Part, path: str, tree: Tree) -> None:
    """The ensemble that the operator runs: one server alone, and disks that go with their pods."""
    where, count = Origin(path, tree.line, "spec.zookeeper"), _replica_count(tree)
    part.ensemble += [f"zookeeper-{number}:2181" for number in range(count)]
    if count == 1:
        what = "spec.zookeeper has one server: while it is down no leader is replaced"
        part.note("arithmetic", "warning", what, where, "replicas: 3", "ZooKeeper, Administrator's Guide")
    if _has_ephemeral_storage(tree):
        pods = "its pod is" if count == 1 else "most of its pods are"
        what = f"spec.zookeeper has ephemeral storage: when {pods} replaced, the metadata of every topic is lost"
        what += ", which is not modelled"
        part.fact("passing_ensemble", "ephemeral", where)
        part.note("incomplete", "error", what, where, "storage type persistent-claim", "strimzi.io, Ephemeral storage")


def _read_node_pools(
    part: Part,
    pools: Resources,
    cluster_settings: tuple[Setting, ...],
    template: Tree | None = None,
    *,
    is_described: bool,
) -> None:
    """The nodes of every pool. A pool's own template of pods replaces the one of the Kafka resource."""
    specified = [(path, pool, spec) for path, pool in pools if (spec := pool.get("spec")) is not None]
    counts = [_replica_count(spec) for _, _, spec in specified]
    ids = ids_of_pools(part, [(path, pool) for path, pool, _ in specified], counts, is_described=is_described)
    for (path, pool, spec), mine in zip(specified, ids, strict=True):
        _note_several_disks(part, path, spec)
        pod = template if spec.get("template") is None else spec.get("template", "pod")
        made = _operator_labelled_pod(pool, pod, pool.text("metadata", "labels", LABEL) or "")
        listed = spec.get("roles")
        words = [leaf.value for leaf in listed.leaves()] if listed is not None else []
        roles: tuple[Role, ...] = tuple(role for role in ("broker", "controller") if role in words)
        for number in mine:
            origin = Origin(path, spec.line, f"KafkaNodePool {pool.text('metadata', 'name')}")
            part.brokers.append(
                Broker(
                    number,
                    origin,
                    roles=roles,
                    settings=cluster_settings,
                    ephemeral=_has_ephemeral_storage(spec),
                    of_pod=True,
                    pod=made,
                )
            )


def _operator_labelled_pod(tree: Tree, template: Tree | None, cluster: str) -> Pod:
    """The pods of a Kafka resource or of a pool, with the labels that the operator gives them (Labels of its model)."""
    labels = {
        LABEL: cluster,
        "strimzi.io/kind": "Kafka",
        "strimzi.io/name": f"{cluster}-kafka",
        "app.kubernetes.io/name": "kafka",
        "app.kubernetes.io/instance": cluster,
        "app.kubernetes.io/managed-by": "strimzi-cluster-operator",
    }
    pool = tree.text("metadata", "name") if tree.text("kind") == "KafkaNodePool" else None
    labels |= {"strimzi.io/pool-name": pool} if pool is not None else {}
    labels |= pod_rules.labels_of_metadata(template.get("metadata") if template is not None else None)
    return pod_rules.pod_of_specification(template, labels, tree.text("metadata", "namespace") or "")


def _note_several_disks(part: Part, path: str, tree: Tree) -> None:
    volumes = tree.get("storage", "volumes")
    if volumes is not None and len(volumes.items()) > 1:
        count = len(volumes.items())
        what = f"{count} volumes are not modelled: one that fails takes some replicas, and the broker stays up"
        to_do = "read `a disk is lost` as all of a broker's disks at once"
        part.note("not_modelled", "warning", what, Origin(path, volumes.line), to_do, "KIP-112")


def _replica_count(tree: Tree) -> int:
    found = parse_numbers(tree.text("replicas") or "")
    return min(found[0], 1000) if found else 0


def _has_ephemeral_storage(tree: Tree) -> bool | None:
    storage = tree.get("storage")
    if storage is None:
        return None
    kinds = {leaf.value for leaf in storage.leaves() if leaf.path[-1] == "type"}
    return "ephemeral" in kinds if kinds else None


NOT_APPLIED = (
    "its KafkaTopic is unmanaged or paused (strimzi.io/managed, strimzi.io/pause-reconciliation), so that the operator "
    "does not apply it"
)
"""Why nothing is known of a topic that has a resource: give what kafka-topics.sh describes."""


def _note_paused(part: Part, path: str, tree: Tree) -> None:
    """The finding that the operator does not apply a Kafka resource or a pool: what runs may be older than the file."""
    of_topic = tree.text("kind") == "KafkaTopic"
    why = None if of_topic else _unmanaged_annotation(tree)
    named = f"{tree.text('kind')} {tree.text('metadata', 'name')}"
    if not of_topic and why is None and (at := _unready_condition(tree)) is not None:
        what = f"{named} is not ready: its status says that the operator has not applied all of it"
        to_do = "wait until it is ready, or give what the brokers describe of themselves (--bootstrap-server)"
        part.note("incomplete", "error", what, Origin(path, at.line, named), to_do, "strimzi.io, status.conditions")
    if why is not None:
        what = f"{named} is paused ({why.path[-1]}): the operator does not apply it, and what runs may be different"
        to_do = "remove the annotation, or give what the brokers describe of themselves (--bootstrap-server)"
        part.note("incomplete", "error", what, Origin(path, why.line, named), to_do, "strimzi.io, Pausing")


NOT_YET = (
    "the status of its KafkaTopic says that the operator has not applied it (not ready, another generation, or a "
    "change of replicas that is under way), so that the topic may have fewer replicas and other settings"
)
"""Why nothing is known of a topic whose resource is not in force yet."""

NOT_LABELLED = (
    f"its KafkaTopic has no label {LABEL}: the operator of a cluster ignores it, and whether another one runs, which "
    "takes resources without it, no file says"
)
"""Why nothing is known of a topic whose resource belongs to no cluster, where no Kafka resource is given."""

NOT_IN_FORCE = (NOT_APPLIED, NOT_YET, NOT_LABELLED)
"""Of these topics a description of the running ones says all."""


def _unready_condition(tree: Tree) -> Tree | None:
    """Where a resource's status says that what it asks for is not there; None where it says nothing, or that it is."""
    status = tree.get("status")
    if status is None:
        return None
    change, seen = status.get("replicasChange"), status.get("observedGeneration")
    if change is not None and change.items():
        return change
    asked = tree.text("metadata", "generation")
    if seen is not None and asked is not None and seen.text() != asked:
        return seen
    listed = status.get("conditions")
    for _, condition in listed.items() if listed is not None else ():
        said = condition.text("type"), (condition.text("status") or "").lower()
        if said in (("Ready", "false"), ("NotReady", "true")):
            return condition
    return None


def _unmanaged_annotation(tree: Tree) -> Tree | None:
    """The annotation with which the Topic Operator leaves a topic as it is, if a resource has one."""
    notes = tree.get("metadata", "annotations")
    listed = dict(notes.items()) if notes is not None else {}
    words = (("strimzi.io/managed", "false"), ("strimzi.io/pause-reconciliation", "true"))
    found = (listed[key] for key, word in words if key in listed and (listed[key].text() or "").lower() == word)
    return next(found, None)


def _topic_name(tree: Tree) -> str | None:
    """What a KafkaTopic's topic is called."""
    return tree.text("spec", "topicName") or tree.text("metadata", "name")


def _read_topic_resource(part: Part, path: str, tree: Tree) -> None:
    name = _topic_name(tree)
    if name is None or not re.fullmatch(r"[A-Za-z0-9._\-]{1,249}", name):
        part.note("not_read", "error", "a KafkaTopic without a legal name", Origin(path, tree.line), "name it")
        return
    count, factor = (
        parse_numbers(tree.text("spec", "partitions") or ""),
        parse_numbers(tree.text("spec", "replicas") or ""),
    )
    if not tree.text("metadata", "labels", LABEL):
        part.topics.append(Topic(name, Origin(path, tree.line, f"KafkaTopic {name}"), doubt=NOT_LABELLED))
        return
    if (why := _unmanaged_annotation(tree)) is not None:
        part.topics.append(Topic(name, Origin(path, why.line, f"KafkaTopic {name}"), doubt=NOT_APPLIED))
        return
    if (at := _unready_condition(tree)) is not None:
        part.topics.append(Topic(name, Origin(path, at.line, f"KafkaTopic {name}"), doubt=NOT_YET))
        return
    asked = Topic(
        name,
        Origin(path, tree.line, f"KafkaTopic {tree.text('metadata', 'name') or name}"),
        partition_count=count[0] if count else None,
        replication_factor=factor[0] if factor else None,
        settings=settings_of_tree(path, tree.get("spec", "config")),
    )
    part.topics.append(replace(asked, resource=asked))
