"""Kafka Connect where it is not set up by a worker's properties: connectors (KIP-458, KIP-158), Strimzi's resources,
and variables of containers. What is set there and not read is said, so that no audit passes by a producer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import PurePath

from ...cluster.statements import Origin, Setting
from .. import yamls
from ..parsed_file import Part
from ..yaml_settings import settings_of_tree
from ..yamls import Tree
from . import workers

CLASS = "connector.class"
"""The setting that every connector has, and nothing else."""

WORKERS: Mapping[str, str] = {
    "KafkaConnect": "connect-cluster",
    "KafkaConnectS2I": "connect-cluster",
    "KafkaMirrorMaker2": "mirrormaker2-cluster",
}
"""Strimzi's kinds that run workers, with what their storage topics are called by default (KafkaConnectConfiguration,
KafkaMirrorMaker2Configuration)."""

CLIENTS = ("KafkaMirrorMaker", "KafkaBridge")
"""Kinds with `spec.producer.config` and `spec.consumer.config`."""

PASSED_OVER = ("KafkaUser", "KafkaRebalance")
"""Kinds that set up no client and no topic."""

_STORAGE = {"offset.storage": "offsets", "config.storage": "configs", "status.storage": "status"}
_OVERRIDE = re.compile(r"(producer|consumer|admin)\.override\.")
_OTHERS = re.compile(r".*\bproducer\..+|(.*\.)?acks")
"""Producers that a connector sets up by itself, such as Debezium's for its history of schemas."""

_CREATED = re.compile(r"topic\.creation\.(?P<group>.+)\.replication\.factor")
_LETTERS = "errors.deadletterqueue.topic"
_OF_MIRRORS = {"Source": r"replication|offset-syncs", "Checkpoint": "checkpoints", "Heartbeat": "heartbeats"}
GIVE = "give what its clients log at their start (ProducerConfig values) as a file, and name it in audit.toml"


def part_of_connect_resources(path: str, trees: Sequence[Tree]) -> Part:
    """Strimzi's resources other than of brokers and topics; what is of an unknown kind is named."""
    part = Part("Strimzi resources")
    for tree in trees:
        kind, name = tree.text("kind") or "", tree.text("metadata", "name") or "?"
        if kind in WORKERS:
            _read_workers(part, path, tree, name, WORKERS[kind])
        elif kind == "KafkaConnector":
            config = tree.get("spec", "config")
            _read_connector(part, path, name, settings_of_tree(path, config), tree.text("spec", "class") or "")
        elif kind in CLIENTS:
            _read_bridge_clients(part, path, tree, name)
        elif kind not in PASSED_OVER:
            what = f"{kind} {name} of Strimzi is of a kind that is not known, and was not read"
            part.note("incomplete", "error", what, Origin(path, tree.line, kind), GIVE)
    return part


def connector_of_lines(path: str, settings: Sequence[Setting]) -> Part:
    """A connector's properties, such as a worker that stands alone is started with."""
    part = Part("connector properties")
    named = next((setting.value for setting in settings if setting.key == "name"), PurePath(path).name)
    _read_connector(part, path, named, settings, "")
    return part


def connectors_of_document(path: str, text: str) -> Part | None:
    """The connectors of a JSON or YAML file, wherever in it they stand; None if it has none."""
    if CLASS not in text:
        return None
    part = Part("connectors")
    try:
        found = [tree for document in yamls.yaml_documents(text) for tree in _connector_mappings(document)]
    except yamls.YamlError:
        found = []
    for name, tree in found:
        _read_connector(part, path, name or PurePath(path).stem, settings_of_tree(path, tree), "")
    if not found:
        line = text.count("\n", 0, text.index(CLASS)) + 1
        what = f"{path} has `{CLASS}`, and its connector was not read"
        part.note(
            "incomplete", "error", what, Origin(path, line), "give it as JSON that Connect's REST interface takes"
        )
    return part


def read_worker_of_variables(part: Part, path: str, name: str, variables: Sequence[tuple[str, str, Origin]]) -> None:
    """A worker whose image takes its settings as `CONNECT_*` (Confluent's, Debezium's); Debezium's has some without."""
    debezium = any(re.fullmatch(r"(CONFIG|OFFSET|STATUS)_STORAGE_TOPIC", variable) for variable, _, _ in variables)
    settings: list[Setting] = []
    for variable, value, where in variables:
        if variable.startswith("CONNECT_") or (debezium and _SHORT.fullmatch(variable)):
            text = variable.removeprefix("CONNECT_").lower().replace("___", "-").replace("__", "\0")
            settings.append(Setting(text.replace("_", ".").replace("\0", "_"), value, where))
    own = any(re.match(r"(producer|consumer)\.|(offset|config|status)\.storage\.", s.key) for s in settings)
    if own or any(setting.key == "bootstrap.servers" for setting in settings):
        made = workers.part_of_worker(path, settings)
        part.clients += [replace(client, name=name) for client in made.clients]
        part.created_topics += made.created_topics


_SHORT = re.compile(r"BOOTSTRAP_SERVERS|GROUP_ID|(CONFIG|OFFSET|STATUS)_STORAGE_\w+")


def _read_workers(part: Part, path: str, tree: Tree, name: str, group: str) -> None:
    """The workers of KafkaConnect, or those of KafkaMirrorMaker2, which run beside its target cluster."""
    spec = tree.get("spec")
    target = spec if group.startswith("connect") else _target_cluster(spec)
    if spec is None or target is None:
        what = f"{tree.text('kind')} {name} was not read: which cluster it writes is not in it"
        part.note(
            "incomplete", "error", what, Origin(path, tree.line, name), "state spec.target or spec.connectCluster"
        )
        return
    _note_set_elsewhere(part, path, name, spec, target)
    stated = list(settings_of_tree(path, target.get("config")))
    keys = {setting.key for setting in stated}
    for prefix, word in _STORAGE.items():
        if f"{prefix}.topic" not in keys:  # in v1 of the API a field of its own
            field = target.get(f"{prefix.split('.')[0]}StorageTopic")
            text, line = (None, target.line) if field is None else (field.text(), field.line)
            stated.append(Setting(f"{prefix}.topic", text or f"{group}-{word}", Origin(path, line, name)))
    made = workers.part_of_worker(path, stated)
    part.clients += [replace(client, name=name) for client in made.clients]
    part.created_topics += made.created_topics
    mirrors = spec.get("mirrors")
    for _, mirror in mirrors.items() if mirrors is not None else ():
        for key, connector in mirror.items():
            found = re.fullmatch(r"(source|checkpoint|heartbeat)Connector", key)
            if found:
                config = settings_of_tree(path, connector.get("config"))
                _read_connector(
                    part, path, f"{name}/{key}", config, f"Mirror{found[1].title()}Connector", connector.line
                )


def _note_set_elsewhere(part: Part, path: str, name: str, spec: Tree, target: Tree) -> None:
    """The finding that settings of the workers' or the mirrors' topics stand with a cluster that is not the target:
    those go to the connectors' clients alone (KafkaMirrorMaker2Connectors of the operator)."""
    listed = spec.get("clusters")
    for _, cluster in listed.items() if listed is not None else ():
        found = [
            setting for setting in settings_of_tree(path, cluster.get("config")) if _OF_TOPICS.fullmatch(setting.key)
        ]
        if found and cluster.text("alias") != target.text("alias"):
            more = f" and {len(found) - 1} more" if len(found) > 1 else ""
            where = f"with cluster {cluster.text('alias')} of {name}"
            what = f"`{found[0].key}={found[0].value}`{more} {where} has no effect: it is not the target of the workers"
            to_do = f"set them with {target.text('alias') or 'the target'}, whose topics have the defaults until then"
            part.note("advice", "warning", what, found[0].origin, to_do, "strimzi.io, KafkaMirrorMaker2")


_OF_TOPICS = re.compile(
    r"(config|offset|status)\.storage\.(topic|replication\.factor|partitions)|([\w\-]+\.topic\.)?replication\.factor"
)
"""Settings for topics that the workers and the mirrors make."""


def _target_cluster(spec: Tree | None) -> Tree | None:
    """The cluster that MirrorMaker writes: `spec.target`, or the one of `spec.clusters` that is `connectCluster`."""
    if spec is None:
        return None
    if (target := spec.get("target")) is not None:
        return target
    listed, alias = spec.get("clusters"), spec.text("connectCluster")
    every = listed.items() if listed is not None else []
    return next((cluster for _, cluster in every if cluster.text("alias") == alias), None)


def _read_connector(
    part: Part, path: str, name: str, settings: Sequence[Setting], class_: str, line: int | None = None
) -> None:
    """A connector: what it sets for its clients, and the topics that it creates."""
    class_ = next((setting.value for setting in settings if setting.key == CLASS), class_)
    overrides = [setting for setting in settings if _OVERRIDE.match(setting.key)]
    for kind in {found[1] for setting in overrides if (found := _OVERRIDE.match(setting.key))} - {"admin"}:
        mine = [setting for setting in overrides if setting.key.startswith(f"{kind}.")]
        made = workers.part_of_worker(path, mine).clients
        part.clients += [replace(client, name=name) for client in made if client.kind == kind]
    for setting in settings:
        if setting not in overrides and _OTHERS.fullmatch(setting.key):
            what = f"`{setting.key}` of connector {name} sets up a producer of its own, and was not read"
            part.note("incomplete", "error", what, setting.origin, GIVE)
            break
    _add_created_topics(part, name, settings)
    if (mirrors := re.search(r"Mirror(Source|Checkpoint|Heartbeat)Connector$", class_)) is not None:
        workers.add_mirror_topics(part, Origin(path, line), settings, _OF_MIRRORS[mirrors[1]])


def _add_created_topics(part: Part, name: str, settings: Sequence[Setting]) -> None:
    for setting in settings:
        if (found := _CREATED.fullmatch(setting.key)) is not None:
            group = "" if found["group"] == "default" else f", group {found['group']}"
            workers.add_topic(
                part, f"(topics that {name} creates{group})", setting.origin, setting, "-1", (), writes_with_all=False
            )
        if setting.key == f"{_LETTERS}.name" and setting.value:
            factor = next((other for other in settings if other.key == f"{_LETTERS}.replication.factor"), None)
            workers.add_topic(part, setting.value, setting.origin, factor, "3", (), writes_with_all=False)


def _read_bridge_clients(part: Part, path: str, tree: Tree, name: str) -> None:
    """The bridge's clients, and those of the first MirrorMaker."""
    for kind in ("producer", "consumer"):
        config = tree.get("spec", kind, "config")
        given = [replace(setting, key=f"{kind}.{setting.key}") for setting in settings_of_tree(path, config)]
        if tree.get("spec", kind) is not None:
            part.clients.append(
                workers.java_client(path, name, kind, given, f"{tree.text('kind')} runs the Java client")
            )


def _connector_mappings(tree: Tree, above: str = "") -> Iterator[tuple[str, Tree]]:
    """Every mapping with `connector.class`, with the connector's name: its own, or of what it stands in, if any."""
    if tree.get(CLASS) is not None:
        yield tree.text("name") or above, tree
    else:
        for key, inner in tree.items():
            known = key == "config" or key.isdecimal()
            yield from _connector_mappings(inner, tree.text("name") or ("" if known else key))
