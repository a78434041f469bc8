"""Kubernetes' own resources, such as `helm template` prints them: brokers of whatever has a pod's specification, by the
`server.properties` of the ConfigMaps that they mount, and by the `KAFKA_*` variables of their containers.

Which broker has which id is decided when a pod starts: they are numbered here as they stand, controllers first.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from ....language.immutable import immutable
from ...cluster.cluster import Broker
from ...cluster.statements import Origin, Setting
from .. import properties
from ..broker_properties import BROKER_MARKS, broker_of_settings
from ..kinds import IDLE, file_kind, first_mark_of_kafka, name_of_other_program
from ..parsed_file import Part, decode_as_latin, parse_numbers
from ..programs import connect
from ..programs.active_profiles import note_active_profiles
from ..yamls import Tree
from . import commands, created_topics, image_variables, pod_rules, scripts, spring_variables, volumes
from .config_maps import KINDS as CONFIG_MAPS
from .config_maps import ConfigMap, ConfigMapEntry, Manifests, MountedFile, config_maps

MOST = 1000
"""Pods of one set that are counted."""

_WITH_REPLICAS = frozenset({"StatefulSet", "Deployment", "ReplicaSet", "ReplicationController", "DeploymentConfig"})
"""Kinds that run one pod where `spec.replicas` is not stated."""

_TO_AN_END = ("Job", "CronJob")
"""Kinds whose pods end: they run tools of Kafka's images, which are set up as brokers are."""


@immutable
class _Set:
    """A set of pods: what its brokers are like, and how many they are."""

    broker: Broker
    count: int
    resource: _Resource
    is_placed: bool
    """Whether it is known that its log is on a volume, or that it is on none."""


@immutable
class _Resource:
    """A resource with a pod's specification: it, that, and what it has of ConfigMaps."""

    path: str
    tree: Tree
    pod: Tree
    metadata: Tree | None
    maps: Manifests

    @property
    def namespace(self) -> str:
        """Its own namespace; "" where it does not state one."""
        return self.tree.text("metadata", "namespace") or ""

    @property
    def containers(self) -> list[Tree]:
        """Those that run together."""
        return [container for _, container in listed.items()] if (listed := self.pod.get("containers")) else []

    @property
    def name(self) -> str:
        """Its kind and name."""
        return f"{self.tree.text('kind')} {self.tree.text('metadata', 'name')}"

    def variables(self, container: Tree) -> list[tuple[str, str, Origin]]:
        """A container's variables."""
        return self.maps.variables_of(self.path, container, self.namespace)[0]

    @property
    def files(self) -> list[MountedFile]:
        """What its containers have mounted of ConfigMaps and Secrets."""
        return self.maps.mounted_files(self.path, self.pod, self.namespace)[0]


def read_kubernetes(path: str, trees: Sequence[Tree], maps: Manifests) -> Part | None:
    """The brokers, applications and topics of one file, those of ConfigMaps from all files; None if nothing of that is
    in it, and nothing that may be."""
    part = Part(FORMAT)
    resources = [found for tree in trees if (found := _pod_resource(path, tree, maps)) is not None]
    sets = [found for resource in resources if (found := _broker_pod_set(resource)) is not None]
    for resource in resources:
        _read_spring_application(part, resource)
        for container in resource.containers:
            commands.read_command_topics(part, path, container)
            for name, value, origin in resource.variables(container):
                if name == created_topics.VARIABLE and value:
                    image_variables.note_created_topics(part, container, value, origin)
        if not any(pod_set.resource is resource for pod_set in sets):
            _note_files(part, resource, [file for file in resource.files if file.entry.text is not None])
    stored = [*config_maps(path, trees)]
    _note_applications(part, stored)
    _note_other_kinds(part, path, [tree for tree in trees if not any(tree.get(*at, "containers") for at, _ in PODS)])
    if not sets:
        told = part.clients or part.findings or part.created_topics or part.facts
        return part if told or any(map(_states_settings, stored)) else None
    for pod_set in sets:
        part.brokers += [pod_set.broker] * pod_set.count
        for container in pod_set.resource.containers:
            image_variables.note_image_facts(part, path, container)
            _note_unread(part, path, container)
        _note_commands(part, pod_set)
        _note_count(part, pod_set)
        _note_id(part, pod_set)
        _note_place(part, pod_set)
    roles = {role for pod_set in sets for role in pod_set.broker.roles}
    keys = {setting.key for pod_set in sets for setting in pod_set.broker.settings}
    part.control_plane = "kraft" if "process.roles" in keys or "controller" in roles else None
    part.control_plane = part.control_plane or ("zookeeper" if "zookeeper.connect" in keys else None)
    part.whole = True
    return part


FORMAT = "Kubernetes resources"


def number_pods(parts: Sequence[Part]) -> None:
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


def _note_commands(part: Part, pod_set: _Set) -> None:
    """What the containers of a set, and those that run before them, may set beside what was read."""
    resource = pod_set.resource
    files, texts = _settings_files_of_broker(pod_set.broker), _scripts_of_pod(resource)
    for container in resource.containers:
        name = f"container {container.text('name')}"
        commands.note_unread_command(part, resource.path, name, container, files, texts)
        commands.note_hooks(part, resource.path, name, container, files, texts)
        for missing in resource.maps.variables_of(resource.path, container, resource.namespace)[1]:
            what = f"{name} has variables of {missing.name}, which was not read (envFrom)"
            part.note("incomplete", "error", what, missing.where, GIVE_MAPS)
    _note_mounts(part, resource)
    before = resource.pod.get("initContainers")
    for _, container in before.items() if before is not None else ():
        commands.note_init_containers(part, resource.path, container.text("name") or "", container, texts)


GIVE_MAPS = "give the ConfigMap or the Secret too, and state namespaces where several have its name"


def _note_count(part: Part, pod_set: _Set) -> None:
    """The finding that a file does not say how many pods a set has."""
    tree = pod_set.resource.tree
    if _written_count(tree) is None and tree.text("kind") not in (*_WITH_REPLICAS, "Pod"):
        what = f"how many brokers {pod_set.resource.name} runs is not in its file"
        to_do = "give what runs (kubectl get pods -o yaml), or each broker's server.properties"
        part.note("incomplete", "error", what, pod_set.broker.origin, to_do, "kubernetes.io, Workloads")


def _written_count(tree: Tree) -> str | None:
    """How many pods a resource asks for; None where it does not say so. A DaemonSet has one on each node."""
    return None if tree.text("kind") == "DaemonSet" else tree.text("spec", "replicas")


def _note_id(part: Part, pod_set: _Set) -> None:
    """The finding that all pods of a set are given one id, where no command gives each its own."""
    texts = (commands.container_text(container) for container in pod_set.resource.containers)
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


def _scripts_of_pod(resource: _Resource) -> dict[str, str]:
    """The texts that a pod's containers may run, by name."""
    return {PurePosixPath(file.target).name: file.entry.text or "" for file in resource.files}


def _note_mounts(part: Part, resource: _Resource) -> None:
    """The finding that files of settings are mounted that were not read."""
    files, missing = resource.maps.mounted_files(resource.path, resource.pod, resource.namespace)
    _note_files(part, resource, [file for file in files if not is_broker_file(file)])
    unread = [
        (f"{one.target} of {one.name}", one.where) for one in missing if not volumes.holds_no_settings(one.target)
    ]
    unread += [(target, where) for target, where in _other_mounts(resource) if volumes.may_hold_settings(target)]
    for target, where in dict.fromkeys(unread):
        _note_mounted(part, resource, target, where)


def _note_files(part: Part, resource: _Resource, files: Sequence[MountedFile]) -> None:
    """The finding of each of these files that may have a broker's settings; what scripts set is said of commands."""
    unread = {file.entry: file.target for file in files if _may_be_settings(file)}
    for entry, target in unread.items():
        if PurePosixPath(target).suffix not in (".sh", ".bash"):
            _note_mounted(part, resource, target, entry.origin())


def _note_mounted(part: Part, resource: _Resource, target: str, where: Origin) -> None:
    what = f"{resource.name} has {target} mounted, which may have settings of Kafka, and it was not read"
    part.note("incomplete", "error", what, where, GIVE_MAPS)


def _may_be_settings(file: MountedFile) -> bool:
    text = file.entry.text
    if text is None:
        return volumes.may_hold_settings(str(PurePosixPath(file.target).parent)) and not file_kind(file.target)
    return commands.STATES.search(text) is not None


def is_broker_file(file: MountedFile) -> bool:
    """Whether a mounted file is read for a broker's: properties, but those of other programs beside it."""
    if file.entry.text is None or PurePosixPath(file.target).suffix != ".properties":
        return False
    return (
        not volumes.holds_no_settings(PurePosixPath(file.target).name)
        or commands.STATES.search(file.entry.text) is not None
    )


def _other_mounts(resource: _Resource) -> Iterator[tuple[str, Origin]]:
    """What containers have mounted that is of no file here: disks, and what drivers make."""
    listed = resource.pod.get("volumes")
    known = ("configMap", "secret", "projected", "emptyDir", "downwardAPI")
    other = {
        volume.text("name")
        for _, volume in (listed.items() if listed is not None else ())
        if not any(volume.get(kind) for kind in known)
    }
    for container in resource.containers:
        mounts = container.get("volumeMounts")
        for _, mount in mounts.items() if mounts is not None else ():
            if mount.text("name") in other:
                yield mount.text("mountPath") or "", Origin(resource.path, mount.line, "volumeMounts")


def _pod_resource(path: str, tree: Tree, maps: Manifests) -> _Resource | None:
    """A resource that has a pod's specification where Kubernetes' own have it; None if it has none."""
    for at, described in PODS:
        pod = tree.get(*at)
        if pod is not None and pod.get("containers") is not None and not maps.is_made(tree):
            return _Resource(path, tree, pod, tree.get(*described), maps)
    return None


def _broker_pod_set(resource: _Resource) -> _Set | None:
    pod, containers, path = resource.pod, resource.containers, resource.path
    tool = resource.tree.text("kind") in _TO_AN_END and not any(map(_starts_kafka, containers))
    if tool or any(_is_tool(resource, container) for container in containers):
        return None
    given = [
        *_settings_of_mounted_files(resource),
        *(s for container in containers for s in _settings_of_variables(resource, container)),
    ]
    settings = commands.override_settings(
        given, [s for container in containers for s in commands.override_options(path, container)]
    )
    if not {setting.key for setting in settings} & BROKER_MARKS:
        return None
    origin = Origin(path, resource.tree.line, resource.name)
    written = _written_count(resource.tree)
    counted = parse_numbers(written or "1")
    count = min(counted[0], MOST) if counted else 1
    templates = resource.tree.get("spec", "volumeClaimTemplates")
    mounts = [
        m for container in _broker_containers(resource) for m in volumes.mounts_of_container(pod, container, templates)
    ]
    in_container = volumes.is_in_container(settings, _distribution_of_images(containers), mounts)
    made = replace(
        broker_of_settings(settings, origin),
        ephemeral=volumes.is_ephemeral(settings, mounts) or in_container,
        of_pod=in_container is not True,
        pod=pod_rules.pod_of_specification(pod, pod_rules.labels_of_metadata(resource.metadata), resource.namespace),
        log_mounts=tuple(
            found
            for container in _broker_containers(resource)
            for found in volumes.claims_of_logs(settings, pod, container)
        ),
    )
    return _Set(made, count, resource, is_placed=in_container is not None)


def _starts_kafka(container: Tree) -> bool:
    return "kafka-server-start" in commands.container_text(container)


def _is_tool(resource: _Resource, container: Tree) -> bool:
    """Whether one of Kafka's images runs a tool, and is given what a broker needs for its start script's sake."""
    marks = image_variables.MARKS
    return any(name in marks and value.lower() == "ignored" for name, value, _ in resource.variables(container))


def _broker_containers(resource: _Resource) -> Sequence[Tree]:
    """The containers of a pod that may run the broker: those of an image of Kafka's, with its settings, or that start
    it; all of them where none is known by that. What a sidecar has mounted says nothing of the broker's log."""
    found = [
        container
        for container in resource.containers
        if image_variables.image_distribution(container) is not None
        or _starts_kafka(container)
        or {setting.key for setting in _settings_of_variables(resource, container)} & BROKER_MARKS
    ]
    return found or resource.containers


def _distribution_of_images(containers: Sequence[Tree]) -> str | None:
    """The distribution of the one image of Kafka's; Apache's where a command starts Kafka itself, past the image's own
    script; None where a command says where logs are."""
    found = [
        (owner, commands.container_text(container))
        for container in containers
        if (owner := image_variables.image_distribution(container)) is not None
    ]
    if len(found) != 1 or re.search(r"log\.dirs?\b|LOG_DIRS?\b", found[0][1]):
        return None
    return "apache" if "kafka-server-start" in found[0][1] else found[0][0]


def _settings_files_of_broker(broker: Broker) -> list[str]:
    """The properties files that all of a broker's settings are of, by name; none where it has variables as well, which
    the image's own start script alone reads."""
    named = dict.fromkeys(setting.origin.place for setting in broker.settings)
    return [] if any(name.startswith("KAFKA_") for name in named) else [*named]


def _read_spring_application(part: Part, resource: _Resource) -> None:
    """Applications with Spring Boot: the variables of their containers, also those from a ConfigMap."""
    path, maps = resource.path, resource.maps
    for container in resource.containers:
        name = f"{resource.tree.text('metadata', 'name')}/{container.text('name')}"
        given, missing = maps.variables_of(path, container, resource.namespace)
        texts = [
            (text, Origin(path, words.line, key))
            for key in ("command", "args")
            if (words := container.get(key)) is not None
            for text in spring_variables.command_texts(words)
        ]
        spring_variables.read_spring_application(part, path, name, given, texts)
        connect.read_worker_of_variables(part, path, name, given)
        note_active_profiles(part, given, " ".join(text for text, _ in texts))
        spring = "spring" in (container.text("image") or "") or any(v.startswith("SPRING") for v, _, _ in given)
        for one in missing if spring else ():
            what = f"{name} has variables of {one.name}, which was not read (envFrom)"
            to_do = "give the ConfigMap too, and what the Secret sets as a file of the producer's"
            part.note("incomplete", "error", what, one.where, to_do)


def _note_applications(part: Part, config_maps: Sequence[ConfigMap]) -> None:
    """What stands in ConfigMaps beside brokers' settings: an application's file, which a container may have mounted,
    Spring's, a producer's, a worker's; and scripts that create topics or alter settings."""
    for one, entry in ((holder, entry) for holder in config_maps for entry in holder.entries):
        text = entry.text or ""
        created_topics.read_topics_of_command(part, text, entry.origin())
        if commands.ALTERS.search(text):
            what = f"{one} has a script that alters settings of brokers or topics, and what it sets was not read"
            to_do = "give what `kafka-configs.sh --describe` prints, too"
            part.note("incomplete", "error", what, entry.origin(), to_do)
        if _sets_up_clients(entry):
            what = f"{one} has {entry.name} with settings of Kafka, which was not read"
            part.note("incomplete", "error", what, entry.origin(), f"give {entry.name} as a file of its own")


def _sets_up_clients(entry: ConfigMapEntry) -> bool:
    """Whether a file in a ConfigMap sets up clients."""
    text = entry.text or ""
    spring = entry.name.startswith("application") and "kafka" in text.lower()
    found = scripts.ACKS.search(text) or scripts.PROGRAMS.search(text)
    return spring or found is not None or connect.CLASS in text


def _states_settings(one: ConfigMap) -> bool:
    """Whether something of a cluster stands in a ConfigMap: settings, topics, or a variable that is one."""
    return any(
        first_mark_of_kafka(f"{entry.name}: {entry.text}") and not name_of_other_program(entry.text)
        for entry in one.entries
        if entry.text is not None and not file_kind(entry.name)
    )


def note_unused(maps: Manifests, parts: Sequence[Part]) -> Part | None:
    """The findings of ConfigMaps with settings that no pod uses which was read; None where there are none. Brokers see
    those alone that they name: beside these such a finding leaves nothing open."""
    part = Part(FORMAT)
    beside = any(other.brokers for other in parts)
    unused = [one for one in maps.unused_maps() if not any(map(_sets_up_clients, one.entries))]
    for one in filter(_states_settings, unused):
        what = f"{one} has settings of Kafka, and no pod that was read has it mounted or takes its variables"
        to_do = "give the StatefulSet too, or these settings as server.properties"
        part.note("not_read" if beside else "incomplete", "warning", what, one.entries[0].origin(), to_do)
    return part if part.findings else None


def _note_other_kinds(part: Part, path: str, trees: Sequence[Tree]) -> None:
    """The finding that a resource of a kind that is not known here has settings of a cluster, or sets one up."""
    for tree in trees:
        kind, version = tree.text("kind"), tree.text("apiVersion")
        if kind is None or version is None or kind in CONFIG_MAPS or kind in IDLE or kind == "Kustomization":
            continue
        text = "\n".join(f"{leaf.path[-1] if leaf.path else ''}: {leaf.value}" for leaf in tree.leaves())
        if scripts.OPERATORS.search(f"apiVersion: {version}") or scripts.sets_up_kafka(text):
            named = f"{kind} {tree.text('metadata', 'name')} ({version})"
            what = f"{named} in {path} sets up Kafka, and resources of its kind are not read"
            to_do = "give what comes of it: the pods and ConfigMaps that run, or server.properties and topics"
            part.note("incomplete", "error", what, Origin(path, tree.line, kind), to_do)


PODS = (
    (("spec", "template", "spec"), ("spec", "template", "metadata")),
    (("spec", "jobTemplate", "spec", "template", "spec"), ("spec", "jobTemplate", "spec", "template", "metadata")),
    (("spec",), ("metadata",)),
)
"""Where a pod's own specification and metadata stand: in a set of pods or a job, in a CronJob, in a Pod."""


def _settings_of_mounted_files(resource: _Resource) -> Iterator[Setting]:
    """The settings of the properties files that a pod has mounted, each file once."""
    for file in {file.entry: file for file in reversed(resource.files)}.values():
        if not is_broker_file(file) or file.entry.text is None:
            continue
        name = PurePosixPath(file.target).name
        try:
            given, _ = properties.property_entries(resource.path, file.entry.text)
        except ValueError:
            continue
        for setting in given:
            yield replace(setting, origin=file.entry.origin(setting.origin.line, name))


def _note_unread(part: Part, path: str, container: Tree) -> None:
    listed = container.get("env")
    for _, entry in listed.items() if listed is not None else ():
        name = entry.text("name") or ""
        if why := image_variables.why_variable_unread(name, container):
            image_variables.note_unread_variable(
                part, name, entry.text("value") or "", why, Origin(path, entry.line, name)
            )
        elif image_variables.setting_of_variable(name) is not None:
            image_variables.note_conditional_variable(part, name, container, Origin(path, entry.line, name))


def _settings_of_variables(resource: _Resource, container: Tree) -> Iterator[Setting]:
    """The settings of a container's variables. Those of `env` are stronger than those of `envFrom`."""
    for name, value, origin in resource.variables(container):
        key = (
            image_variables.setting_of_variable(name)
            if not image_variables.why_variable_unread(name, container)
            else None
        )
        if key is not None:  # what comes from a field is filled in later
            yield Setting(key, decode_as_latin(value), origin, image_variables.condition_of_variable(name, container))
