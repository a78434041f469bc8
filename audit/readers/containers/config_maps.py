"""ConfigMaps and Secrets of all files, and what of them a pod sees: as files that it has mounted, and as variables
(kubernetes.io: ConfigMaps, Secrets, Volumes, Projected Volumes).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from ....language.immutable import immutable
from ...cluster.statements import Origin
from ..yamls import Tree

KINDS = ("ConfigMap", "Secret")
_SOURCES = {"configMap": ("ConfigMap", "name"), "secret": ("Secret", "secretName")}
_PROJECTED = {"configMap": ("ConfigMap", "name"), "secret": ("Secret", "name")}
_REFS = {"configMapRef": "ConfigMap", "secretRef": "Secret"}
_KEY_REFS = {"configMapKeyRef": "ConfigMap", "secretKeyRef": "Secret"}


@immutable
class ConfigMapEntry:
    """One text in a ConfigMap or a Secret. `text` is None where it is not a text. `line` is where it begins, `is_block`
    whether its own lines follow there."""

    name: str
    text: str | None
    path: str
    line: int
    is_block: bool

    def origin(self, line: int | None = None, place: str = "") -> Origin:
        """Where a line of the text stands, counted from 1."""
        return Origin(self.path, self.line + (line or 0) if self.is_block else self.line, place or self.name)


@immutable
class ConfigMap:
    """A ConfigMap or a Secret: `namespace` is "" where its file does not state one."""

    kind: str
    name: str
    namespace: str
    path: str
    entries: tuple[ConfigMapEntry, ...]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


@immutable
class MountedFile:
    """A file that a container sees, by its path there."""

    target: str
    entry: ConfigMapEntry


@immutable
class MissingSource:
    """What a container is to see and no file has: its path there ("" for variables), what it is called, and where."""

    target: str
    name: str
    where: Origin


@dataclass
class Manifests:
    """What resources of one file refer to in another: ConfigMaps and Secrets, and by kind and name what makes pods.
    `used_maps` are the files and the names of those that a pod has mounted or takes variables of."""

    config_maps: Sequence[ConfigMap] = ()
    makers: Collection[tuple[str | None, str | None]] = ()
    used_maps: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])

    def config_map_of(self, kind: str, name: str, namespace: str) -> ConfigMap | None:
        """The one of this name that pods of a namespace see. None if there is none, and if there are several: a file
        that states no namespace may be of any."""
        named = [one for one in self.config_maps if (one.kind, one.name) == (kind, name)]
        here = [one for one in named if one.namespace == namespace] or [
            one for one in named if not namespace or not one.namespace
        ]
        if not here or any(_texts_by_name(one) != _texts_by_name(here[0]) for one in here):
            return None
        self.used_maps |= {(one.path, str(one)) for one in here}
        return here[0]

    def is_made(self, tree: Tree) -> bool:
        """Whether a resource was made by another one that was read too: a pod by its StatefulSet."""
        owners = _list_entries(tree.get("metadata", "ownerReferences"))
        return any((owner.text("kind"), owner.text("name")) in self.makers for owner in owners)

    def unused_maps(self) -> list[ConfigMap]:
        """Those that no pod that was read uses."""
        return [one for one in self.config_maps if (one.path, str(one)) not in self.used_maps]

    def mounted_files(self, path: str, pod: Tree, namespace: str) -> tuple[list[MountedFile], list[MissingSource]]:
        """The files that a pod's containers see, those that run before them too, and what no file has of these."""
        files: list[MountedFile] = []
        missing: list[MissingSource] = []
        made = {volume.text("name"): volume for volume in _list_entries(pod.get("volumes"))}
        containers = [*_list_entries(pod.get("containers")), *_list_entries(pod.get("initContainers"))]
        for mount in (mount for container in containers for mount in _list_entries(container.get("volumeMounts"))):
            volume, target = made.get(mount.text("name")), mount.text("mountPath") or ""
            for kind, name, source in _volume_sources(volume) if volume is not None else ():
                found = self.config_map_of(kind, name, namespace)
                where = Origin(path, mount.line, "volumeMounts")
                if found is None or mount.get("subPathExpr") is not None:  # which part that is differs from pod to pod
                    if source.text("optional") != "true":
                        missing.append(MissingSource(target, f"{kind} {name}", where))
                    continue
                for key in _missing_keys(found, source):
                    missing.append(MissingSource(target, f"{key}, which {found} has not,", where))
                for inner, entry in _entries_by_place(found, source):
                    if (at := _mounted_path(target, inner, mount.text("subPath"))) is not None:
                        files.append(MountedFile(at, entry))
        return files, list(dict.fromkeys(missing))

    def variables_of(
        self, path: str, container: Tree, namespace: str
    ) -> tuple[list[tuple[str, str, Origin]], list[MissingSource]]:
        """The variables of a container, those of `envFrom` first, which are weaker than its own of the same name, and
        what no file has of these. One whose value is known when the pod runs is `${}`."""
        given: list[tuple[str, str, Origin]] = []
        missing: list[MissingSource] = []
        for source in _list_entries(container.get("envFrom")):
            for key, kind in _REFS.items():
                name = source.text(key, "name")
                found = self.config_map_of(kind, name, namespace) if name is not None else None
                if name is not None and found is None and source.text(key, "optional") != "true":
                    missing.append(MissingSource("", f"{kind} {name}", Origin(path, source.line, "envFrom")))
                for entry in found.entries if found is not None else ():
                    named = f"{source.text('prefix') or ''}{entry.name}"
                    given.append((named, "${}" if entry.text is None else entry.text, entry.origin()))
        own = [(entry.text("name") or "", entry) for entry in _list_entries(container.get("env"))]
        kept = [variable for variable in given if variable[0] not in {name for name, _ in own}]
        return [
            *kept,
            *((name, self._variable_value(entry, namespace), Origin(path, entry.line, name)) for name, entry in own),
        ], missing

    def _variable_value(self, entry: Tree, namespace: str) -> str:
        """What a variable is set to: by itself, or by one entry of a ConfigMap."""
        stated = entry.text("value")
        for key, kind in _KEY_REFS.items():
            name = entry.text("valueFrom", key, "name")
            found = self.config_map_of(kind, name, namespace) if stated is None and name is not None else None
            for one in found.entries if found is not None else ():
                if one.name == entry.text("valueFrom", key, "key") and one.text is not None:
                    return one.text.strip()
        return "${}" if stated is None else stated


def config_maps(path: str, trees: Iterable[Tree]) -> Iterator[ConfigMap]:
    """The ConfigMaps and Secrets of one file."""
    for tree in trees:
        kind, name = tree.text("kind") or "", tree.text("metadata", "name")
        if kind in KINDS and name is not None:
            yield ConfigMap(
                kind, name, tree.text("metadata", "namespace") or "", path, tuple(_texts_of_resource(path, kind, tree))
            )


def _texts_of_resource(path: str, kind: str, tree: Tree) -> Iterator[ConfigMapEntry]:
    plain, coded = ("stringData", "data") if kind == "Secret" else ("data", "binaryData")
    own = tree.get(plain)
    stated = own.items() if own is not None else []
    for name, entry in stated:
        text = entry.text() or ""
        yield ConfigMapEntry(name, text, path, entry.line, "\n" in text)
    hidden = tree.get(coded)
    for name, entry in hidden.items() if hidden is not None else ():
        if name not in {called for called, _ in stated}:
            yield ConfigMapEntry(name, _decode_base64(entry.text() or ""), path, entry.line, is_block=False)


def _decode_base64(text: str) -> str | None:
    try:
        return base64.b64decode("".join(text.split()), validate=True).decode()
    except (binascii.Error, ValueError):
        return None


def _texts_by_name(one: ConfigMap) -> list[tuple[str, str | None]]:
    return [(entry.name, entry.text) for entry in one.entries]


def _volume_sources(volume: Tree) -> Iterator[tuple[str, str, Tree]]:
    """What a volume is made of: the kind and name of each ConfigMap and Secret, and what is said of it."""
    for key, (kind, named) in _SOURCES.items():
        if (source := volume.get(key)) is not None:
            yield kind, source.text(named) or "", source
    for entry in _list_entries(volume.get("projected", "sources")):
        for key, (kind, named) in _PROJECTED.items():
            if (source := entry.get(key)) is not None:
                yield kind, source.text(named) or "", source


def _entries_by_place(config_map: ConfigMap, source: Tree) -> Iterator[tuple[str, ConfigMapEntry]]:
    """The entries that a volume has, each by its path there: those that `items` names, or else all."""
    items = source.get("items")
    if items is None:
        yield from ((entry.name, entry) for entry in config_map.entries)
    for item in _list_entries(items):
        yield from ((item.text("path") or "", entry) for entry in config_map.entries if entry.name == item.text("key"))


def _missing_keys(config_map: ConfigMap, source: Tree) -> Iterator[str]:
    """The keys that `items` names and that are not there: a pod waits for them (kubernetes.io, Volumes)."""
    known = {entry.name for entry in config_map.entries}
    named = (item.text("key") or "" for item in _list_entries(source.get("items")))
    yield from (key for key in named if key not in known and source.text("optional") != "true")


def _mounted_path(mount_path: str, inner: str, part: str | None) -> str | None:
    """Where a file of a volume is in a container that has all of the volume mounted, or a part of it; None if it is
    not in that part."""
    place = PurePosixPath(inner)
    if part is None:
        return str(PurePosixPath(mount_path) / place)
    return str(PurePosixPath(mount_path) / place.relative_to(part)) if place.is_relative_to(part) else None


def _list_entries(tree: Tree | None) -> list[Tree]:
    return [entry for _, entry in tree.items()] if tree is not None else []
