"""Kubernetes' own resources, such as `helm template` prints them: brokers of StatefulSets and Deployments, by the
`server.properties` of the ConfigMaps that they mount, and by the `KAFKA_*` variables of their containers.

Which broker has which id is decided when a pod starts: they are numbered here as they stand, controllers first.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ....language.immutable import immutable
from ...cluster.cluster import Broker
from ...cluster.statements import Origin, Setting
from .. import properties
from ..broker_properties import BROKER_MARKS, broker_of
from ..parsed_file import Part, as_latin, numbers
from ..programs import connect
from ..programs.active_profiles import note_active
from ..yamls import Tree
from . import commands, created_topics, image_variables, pod_rules, scripts, spring_variables, volumes

SETS = ("StatefulSet", "Deployment")
MOST = 1000
"""Pods of one set that are counted."""


Maps = Mapping[str | None, Tree]
"""The ConfigMaps of a file, by name."""


@immutable
class _Set:
    """A set of pods: what its brokers are like, and how many they are."""

    broker: Broker
    count: int
    pod: Tree
    containers: Sequence[Tree]
    is_placed: bool
    """Whether it is known that its log is on a volume, or that it is on none."""


def read(path: str, trees: Sequence[Tree]) -> Part | None:
    """The brokers of one rendered file; None if it has none."""
    maps = {tree.text("metadata", "name"): tree for tree in trees if tree.text("kind") == "ConfigMap"}
    sets = [found for tree in trees if tree.text("kind") in SETS and (found := _set(path, tree, maps)) is not None]
    part = Part(FORMAT)
    for tree in trees:
        _of_spring(part, path, tree, maps)
        _note_applications(part, path, tree)
        for container in _containers(tree):
            commands.note_created(part, path, container)
            for name, value, origin in _variables(path, container):
                if name == "KAFKA_CREATE_TOPICS" and value:
                    created_topics.of_variable(part, value, origin)
    if not sets:
        return part if part.clients or part.findings or part.made or part.facts else None
    for pod_set in sets:
        part.brokers += [pod_set.broker] * pod_set.count
        for container in pod_set.containers:
            image_variables.image(part, path, container)
            _note_unread(part, path, container)
        _note_commands(part, path, pod_set, maps)
        _note_id(part, pod_set)
        _note_place(part, pod_set)
    roles = {role for pod_set in sets for role in pod_set.broker.roles}
    keys = {setting.key for pod_set in sets for setting in pod_set.broker.settings}
    part.control_plane = "kraft" if "process.roles" in keys or "controller" in roles else None
    part.control_plane = part.control_plane or ("zookeeper" if "zookeeper.connect" in keys else None)
    part.whole = True
    return part


FORMAT = "Kubernetes resources"


def number(parts: Sequence[Part]) -> None:
    """Gives the pods of all files their ids, which are known where a set has one pod and its id is stated. All others
    get numbers that nobody has, controllers first: an init container gives them their own."""
    mine = [part for part in parts if part.format == FORMAT]
    pods = [node for part in mine for node in part.brokers]
    alone = [node.id for node in pods if node.states_id and pods.count(node) == 1]
    free = (id_ for id_ in itertools.count() if id_ not in alone)
    for first in (True, False):
        for part in mine:
            for place, node in enumerate(part.brokers):
                if node.id not in alone and ("controller" in node.roles) is first:
                    part.brokers[place] = replace(node, id=next(free))


def _note_commands(part: Part, path: str, pod_set: _Set, maps: Maps) -> None:
    """What the containers of a set, and those that run before them, may set beside what was read."""
    files, scripts = _files(pod_set.broker), _scripts(maps)
    for container in pod_set.containers:
        name = f"container {container.text('name')}"
        commands.note_unread(part, path, name, container, files, scripts)
        commands.note_hooks(part, path, name, container, files, scripts)
        _note_sources(part, path, name, container, maps)
        _note_mounts(part, path, name, pod_set.pod, container, maps)
    before = pod_set.pod.get("initContainers")
    for _, container in before.items() if before is not None else ():
        commands.note_before(part, path, container.text("name") or "", container, scripts)


def _note_id(part: Part, pod_set: _Set) -> None:
    """The finding that all pods of a set are given one id, where no command gives each its own."""
    texts = (commands.text_of(container) for container in pod_set.containers)
    if pod_set.count < 2 or pod_set.broker.id is None or any(commands.IDS.search(text) for text in texts):
        return
    of_id = ("node.id", "broker.id")
    where = next((setting.origin for setting in pod_set.broker.settings if setting.key in of_id), pod_set.broker.origin)
    what = f"{pod_set.count} pods are given one id, {pod_set.broker.id}, and of nodes with one id only one starts"
    part.note("incomplete", "error", what, where, "give each pod an id of its own, such as the number in its name")


def _note_place(part: Part, pod_set: _Set) -> None:
    """The finding that a log may be in a container's own files, which are lost with every process that dies."""
    if not pod_set.is_placed and "broker" in (pod_set.broker.roles or ("broker",)):
        what = "no volume is where images keep a broker's log, and nothing says where this one is"
        to_do = "state log.dirs, and mount a volume there"
        part.note("incomplete", "error", what, pod_set.broker.origin, to_do, "kubernetes.io, Volumes")


def _scripts(maps: Maps) -> dict[str, str]:
    """The texts of ConfigMaps that may be run, by name."""
    datas = [data for config_map in maps.values() if (data := config_map.get("data")) is not None]
    return {name: entry.text() or "" for data in datas for name, entry in data.items()}


def _note_sources(part: Part, path: str, name: str, container: Tree, maps: Maps) -> None:
    """The finding that variables come from what is not in the file."""
    sources = container.get("envFrom")
    for _, source in sources.items() if sources is not None else ():
        if source.text("configMapRef", "name") not in maps:
            what = f"{name} has variables from what is not in {path} (envFrom)"
            to_do = "give the ConfigMap or the Secret too, in one file with it"
            part.note("incomplete", "error", what, Origin(path, source.line, "envFrom"), to_do)


def _note_mounts(part: Part, path: str, name: str, pod: Tree, container: Tree, maps: Maps) -> None:
    """The finding that a file of settings is mounted that was not read."""
    listed, mounts = pod.get("volumes"), container.get("volumeMounts")
    made = {declared.text("name"): declared for _, declared in listed.items()} if listed is not None else {}
    for _, mount in mounts.items() if mounts is not None else ():
        volume, target = made.get(mount.text("name")), mount.text("mountPath") or ""
        of_map = volume.text("configMap", "name") if volume is not None else None
        lies = volume is not None and any(volume.get(kind) for kind in ("configMap", "secret", "projected", "hostPath"))
        if lies and volumes.is_of_settings(target) and not _is_read(maps.get(of_map)):
            what = f"{name} has {target} mounted, which may have settings of Kafka, and it was not read"
            to_do = "give the ConfigMap or the Secret too, in one file with it"
            part.note("incomplete", "error", what, Origin(path, mount.line, "volumeMounts"), to_do)


def _is_read(found: Tree | None) -> bool:
    """Whether a ConfigMap's files of settings are read, which are those that end with `.properties`."""
    data = found.get("data") if found is not None else None
    return data is not None and all(
        name.endswith(".properties") or commands.STATES.search(entry.text() or "") is None
        for name, entry in data.items()
    )


def _set(path: str, tree: Tree, maps: Maps) -> _Set | None:
    pod = tree.get("spec", "template", "spec")
    if pod is None:
        return None
    listed = pod.get("containers")
    containers = [container for _, container in listed.items()] if listed is not None else []
    given = [*_of_maps(path, pod, maps), *(s for container in containers for s in _of_variables(path, container, maps))]
    settings = commands.overridden(given, [s for container in containers for s in commands.overrides(path, container)])
    if not {setting.key for setting in settings} & BROKER_MARKS:
        return None
    origin = Origin(path, tree.line, f"{tree.text('kind')} {tree.text('metadata', 'name')}")
    written = tree.text("spec", "replicas")
    counted = numbers(written or "1")
    count = min(counted[0], MOST) if counted else 1
    labels = pod_rules.labels_of(tree.get("spec", "template", "metadata"))
    templates = tree.get("spec", "volumeClaimTemplates")
    mounts = [m for container in _of_brokers(path, containers, maps) for m in volumes.of_pod(pod, container, templates)]
    in_container = volumes.is_in_container(settings, _owner(containers), mounts)
    made = replace(
        broker_of(settings, origin),
        ephemeral=volumes.is_ephemeral(settings, mounts) or in_container,
        of_pod=in_container is not True,
        pod=pod_rules.pod_of(pod, labels, tree.text("metadata", "namespace") or ""),
    )
    return _Set(made, count, pod, containers, is_placed=in_container is not None)


def _of_brokers(path: str, containers: Sequence[Tree], maps: Maps) -> Sequence[Tree]:
    """The containers of a pod that may run the broker: those of an image of Kafka's, with its settings, or that start
    it; all of them where none is known by that. What a sidecar has mounted says nothing of the broker's log."""
    found = [
        container
        for container in containers
        if image_variables.owner_of(container) is not None
        or "kafka-server-start" in commands.text_of(container)
        or {setting.key for setting in _of_variables(path, container, maps)} & BROKER_MARKS
    ]
    return found or containers


def _owner(containers: Sequence[Tree]) -> str | None:
    """The distribution of the one image of Kafka's; Apache's where a command starts Kafka itself, past the image's own
    script; None where a command says where logs are."""
    found = [
        (owner, commands.text_of(container))
        for container in containers
        if (owner := image_variables.owner_of(container)) is not None
    ]
    if len(found) != 1 or re.search(r"log\.dirs?\b|LOG_DIRS?\b", found[0][1]):
        return None
    return "apache" if "kafka-server-start" in found[0][1] else found[0][0]


def _files(broker: Broker) -> list[str]:
    """The properties files that all of a broker's settings are of, by name; none where it has variables as well, which
    the image's own start script alone reads."""
    named = dict.fromkeys(setting.origin.place for setting in broker.settings)
    return [] if any(name.startswith("KAFKA_") for name in named) else [*named]


def _containers(tree: Tree) -> list[Tree]:
    """The containers of a pod, be it of a set, of a job or alone."""
    pod = next((found for at in PODS if (found := tree.get(*at)) is not None and found.get("containers")), None)
    listed = pod.get("containers") if pod is not None else None
    return [container for _, container in listed.items()] if listed is not None else []


def _of_spring(part: Part, path: str, tree: Tree, maps: Maps) -> None:
    """Applications with Spring Boot: the variables of their containers, also those from a ConfigMap."""
    for container in _containers(tree):
        name = f"{tree.text('metadata', 'name')}/{container.text('name')}"
        given = [*_from_maps(path, container, maps), *_variables(path, container)]
        texts = [
            (text, Origin(path, words.line, key))
            for key in ("command", "args")
            if (words := container.get(key)) is not None
            for text in spring_variables.texts_of(words)
        ]
        spring_variables.of_spring(part, path, name, given, texts)
        connect.of_variables(part, path, name, given)
        note_active(part, given, " ".join(text for text, _ in texts))
        sources = container.get("envFrom")
        for _, source in sources.items() if sources is not None else ():
            of_map = source.text("configMapRef", "name")
            spring = "spring" in (container.text("image") or "") or any(
                variable.startswith("SPRING") for variable, _, _ in given
            )
            if spring and of_map not in maps:
                what = f"{name} has variables from what is not in {path} (envFrom)"
                to_do = "give the ConfigMap too, and what the Secret sets as a file of the producer's"
                part.note("incomplete", "error", what, Origin(path, source.line, "envFrom"), to_do)


def _note_applications(part: Part, path: str, tree: Tree) -> None:
    """An application's file in a ConfigMap, which a container may have mounted: Spring's, a producer's, a worker's."""
    data = tree.get("data") if tree.text("kind") == "ConfigMap" else None
    for name, entry in data.items() if data is not None else ():
        text = entry.text() or ""
        spring = name.startswith("application") and "kafka" in text.lower()
        if spring or scripts.ACKS.search(text) or scripts.PROGRAMS.search(text) or connect.CLASS in text:
            what = f"ConfigMap {tree.text('metadata', 'name')} has {name} with settings of Kafka, which was not read"
            part.note("incomplete", "error", what, Origin(path, entry.line, name), f"give {name} as a file of its own")


PODS = (("spec", "template", "spec"), ("spec", "jobTemplate", "spec", "template", "spec"), ("spec",))
"""Where a pod's own specification stands: in a set of pods or a job, in a CronJob, in a Pod."""


def _from_maps(path: str, container: Tree, maps: Maps) -> Iterator[tuple[str, str, Origin]]:
    sources = container.get("envFrom")
    for _, source in sources.items() if sources is not None else ():
        found = maps.get(source.text("configMapRef", "name"))
        data = found.get("data") if found is not None else None
        for name, entry in data.items() if data is not None else ():
            yield f"{source.text('prefix') or ''}{name}", entry.text() or "", Origin(path, entry.line, name)


def _variables(path: str, container: Tree) -> Iterator[tuple[str, str, Origin]]:
    listed = container.get("env")
    for _, entry in listed.items() if listed is not None else ():
        name, value = entry.text("name") or "", entry.text("value")
        yield name, "${}" if value is None else value, Origin(path, entry.line, name)


def _of_maps(path: str, pod: Tree, maps: Maps) -> Iterator[Setting]:
    volumes = pod.get("volumes")
    for _, volume in volumes.items() if volumes is not None else ():
        found = maps.get(volume.text("configMap", "name"))
        data = found.get("data") if found is not None else None
        for name, entry in data.items() if data is not None else ():
            text = entry.text()
            if name.endswith(".properties") and text is not None:
                try:
                    given, _ = properties.entries(path, text)
                except ValueError:
                    continue
                for setting in given:
                    line = None if setting.origin.line is None else entry.line + setting.origin.line
                    yield replace(setting, origin=Origin(path, line, name))


def _note_unread(part: Part, path: str, container: Tree) -> None:
    listed = container.get("env")
    for _, entry in listed.items() if listed is not None else ():
        name = entry.text("name") or ""
        if why := image_variables.unread(name, container):
            image_variables.note_unread(part, name, why, Origin(path, entry.line, name))
        elif image_variables.key_of(name) is not None:
            image_variables.note_perhaps(part, name, container, Origin(path, entry.line, name))


def _of_variables(path: str, container: Tree, maps: Maps) -> Iterator[Setting]:
    """The settings of a container's variables. Those of `env` are stronger than those of `envFrom`."""
    own = list(_variables(path, container))
    named = {name for name, _, _ in own}
    for name, value, origin in (
        *(variable for variable in _from_maps(path, container, maps) if variable[0] not in named),
        *own,
    ):
        key = image_variables.key_of(name) if not image_variables.unread(name, container) else None
        if key is not None:  # what comes from a field or a secret is filled in later
            yield Setting(key, as_latin(value), origin, image_variables.perhaps(name, container))
