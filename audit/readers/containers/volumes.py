"""Whether what a broker's log lies on outlives its process or its pod: volumes of compose files and of Kubernetes.

A container's `tmpfs` is memory, which a stop empties; Kubernetes deletes an `emptyDir` with its pod.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import PurePath, PurePosixPath
from posixpath import join, normpath

from ...cluster.directories import is_in_memory
from ...cluster.statements import Setting
from ..yamls import Tree

LOG_DIRS = ("log.dirs", "log.dir")

OF_IMAGES = ("/var/lib/kafka/data", "/bitnami/kafka/data", "/" + "tmp/kraft-combined-logs", "/" + "tmp/kafka-logs")
"""Where the images of Confluent, Bitnami and Apache keep logs, if nothing else is said."""

SETTINGS = frozenset({
    "/mnt/shared/config", "/opt/kafka/config", "/opt/kafka/config/kraft", "/etc/kafka", "/etc/kafka/docker",
    "/bitnami/kafka/config", "/opt/bitnami/kafka/config", "/opt/bitnami/kafka/conf", "/etc/confluent/docker",
})  # fmt: skip
"""Folders of the images that have a broker's settings, or what makes them."""

_OF_OTHERS = re.compile(
    r"log4j|client|producer|consumer|connect|zookeeper|mirror|admin|jmx|ssl|tls|cert|sasl|jaas|password|secret", re.I
)


def may_hold_settings(target: str) -> bool:
    """Whether what is mounted at a path may have settings of a broker."""
    path = PurePath(target)
    if str(path) in SETTINGS:
        return True
    named = path.suffix == ".properties" or path.name.endswith(".properties.template")
    return named and not holds_no_settings(path.name)


def holds_no_settings(name: str) -> bool:
    """Whether a file or a folder is called like what has no settings of a broker: certificates, logging, clients."""
    return _OF_OTHERS.search(name) is not None


Mount = tuple[str, bool]
"""A path in a container, and whether what is mounted there goes with the container or pod."""


def is_ephemeral(settings: Sequence[Setting], mounts: Iterable[Mount]) -> bool | None:
    """Whether a log directory lies on what does not last; None where nothing is mounted there."""
    given = [
        setting.value for key in LOG_DIRS for setting in settings if setting.key == key and "$" not in setting.value
    ][:1]
    folders = [folder.strip() for value in given for folder in value.split(",")] or list(OF_IMAGES)
    listed = list(mounts)
    placed = [(folder, _innermost_mount(folder, listed)) for folder in folders]
    found = [mount[1] if mount is not None else True for folder, mount in placed if mount or folder.startswith(_SHARED)]
    return any(found) if found else None


_SHARED = "/dev/shm"
"""Memory that a container has of its own, and that goes with it when it stops."""


OF_OWNER = {
    "cp-kafka": OF_IMAGES[:1], "cp-server": OF_IMAGES[:1], "bitnami": OF_IMAGES[1:2], "apache": OF_IMAGES[2:],
}  # fmt: skip
"""Where the image of a distribution keeps logs, if no setting and no command says so."""


def is_in_container(settings: Sequence[Setting], owner: str | None, mounts: Iterable[Mount]) -> bool | None:
    """Whether a log directory of a pod is on no volume: the files of a container go with it, also when its process dies
    and the kubelet starts another (kubernetes.io, Volumes). What an image declares as a volume is of that kind, too.
    `owner` is the distribution whose image alone says where logs are; None: nothing says it. The answer is None where
    that decides."""
    stated = next((setting.value for key in LOG_DIRS for setting in settings if setting.key == key), None)
    listed = list(mounts)
    hidden = DECLARED.get(owner or "", ())
    if stated is not None and "$" not in stated:
        folders = [folder.strip() for folder in stated.split(",") if folder.strip().startswith("/")]
        return (
            any(is_on_no_mount(folder, listed, has_declared_volume=folder in hidden) for folder in folders)
            if folders
            else None
        )
    on_none = all(
        is_on_no_mount(at, listed, has_declared_volume=at in hidden) for at in _default_log_folders(settings, owner)
    )
    return on_none and (True if stated is None and owner in OF_OWNER else None)


def _default_log_folders(settings: Sequence[Setting], owner: str | None) -> Sequence[str]:
    """Where an image keeps logs that no setting has a place for. Apache's writes a file of its own of the variables
    that it is given, in which there is nothing else, so that Kafka's own default counts; without any it has another
    file (KafkaDockerWrapper.prepareServerConfigs)."""
    if owner == "apache" and any("KAFKA_" in setting.origin.place for setting in settings):
        return OF_IMAGES[3:]
    return OF_OWNER.get(owner or "", OF_IMAGES)


DECLARED = {"cp-kafka": OF_IMAGES[:1], "cp-server": OF_IMAGES[:1], "apache": OF_IMAGES[:1]}
"""What the image of a distribution declares as a volume (its Dockerfile)."""


def is_on_no_mount(folder: str, mounts: Sequence[Mount], *, has_declared_volume: bool) -> bool:
    """Whether a folder is on no mount that is named. `has_declared_volume`: the image declares a volume there, which
    hides what is mounted above it."""
    held = _innermost_mount(folder, mounts)
    return held is None or (has_declared_volume and normpath(held[0]) != normpath(folder))


def held_above(folder: str, mounts: Sequence[Mount]) -> str:
    """The mount that a volume of the image hides; "" if there is none."""
    held = _innermost_mount(folder, mounts)
    return "" if held is None else held[0]


def mount_above(settings: Sequence[Setting], owner: str | None, mounts: Iterable[Mount]) -> str:
    """The mount above a broker's log that a volume of the image hides."""
    stated = next((setting.value for key in LOG_DIRS for setting in settings if setting.key == key), None)
    listed = list(mounts)
    folders = OF_OWNER.get(owner or "", ()) if stated is None else [folder.strip() for folder in stated.split(",")]
    hidden = [folder for folder in folders if folder in DECLARED.get(owner or "", ())]
    return next(
        (held_above(folder, listed) for folder in hidden if is_on_no_mount(folder, listed, has_declared_volume=True)),
        "",
    )


def _innermost_mount(folder: str, mounts: Sequence[Mount]) -> Mount | None:
    """The innermost mount that a folder is in, `..` followed as far as no link is in the way."""
    holding = [mount for mount in mounts if PurePosixPath(normpath(folder)).is_relative_to(normpath(mount[0]))]
    return max(holding, key=lambda mount: len(normpath(mount[0])), default=None)


def mounts_of_service(service: Tree, volumes: Tree | None) -> Iterator[Mount]:
    """The mounts of a compose service; `volumes` are the file's own, of which one may be in memory as well."""
    memory = service.get("tmpfs")
    if memory is not None:
        yield from ((leaf.value.partition(":")[0], True) for leaf in memory.leaves())
    listed = service.get("volumes")
    for _, entry in listed.items() if listed is not None else ():
        short = entry.text()
        if short is not None:
            parts = short.split(":")
            yield (parts[1] if len(parts) > 1 else parts[0]), len(parts) > 1 and _is_in_memory(volumes, parts[0])
        elif (target := entry.text("target")) is not None:
            yield target, entry.text("type") == "tmpfs" or _is_in_memory(volumes, entry.text("source") or "")


def log_mounts(
    settings: Sequence[Setting], owner: str | None, service: Tree, volumes: Tree | None
) -> Iterator[tuple[str, str]]:
    """The log directories of a compose service that lie on a volume with a name or on a folder of the host, each with
    which: `volume NAME` or `folder PATH`, and the path below it."""
    mounts, sources = list(mounts_of_service(service, volumes)), dict(_shareable_mounts(service, volumes))
    stated = next((setting for key in LOG_DIRS for setting in settings if setting.key == key), None)
    folders = [folder.strip() for folder in stated.value.split(",")] if stated is not None else []
    if stated is None and service.get("env_file") is None and not any(may_hold_settings(path) for path, _ in mounts):
        only = OF_OWNER.get(owner or "", ())
        folders = list(only) if len(only) == 1 else []
    if stated is not None and stated.when:
        return
    for folder in folders:
        held = _innermost_mount(folder, mounts)
        known = folder.startswith("/") and "$" not in folder and held is not None and held[0] in sources
        if (
            known
            and held is not None
            and not is_on_no_mount(folder, mounts, has_declared_volume=folder in DECLARED.get(owner or "", ()))
        ):
            kind, source = sources[held[0]]
            below = PurePosixPath(normpath(folder)).relative_to(normpath(held[0]))
            yield folder, f"{kind} {normpath(join(source, below))}"


def claims_of_logs(settings: Sequence[Setting], pod: Tree, container: Tree) -> Iterator[tuple[str, str]]:
    """The log directories of a container that lie on a claim which its pod's specification names, so that all pods of
    it have the same one, each with which: `claim NAME`, and the path below it. A path by pod (`subPathExpr`) is another
    in each."""
    stated = next((setting for key in LOG_DIRS for setting in settings if setting.key == key), None)
    listed, mounted = pod.get("volumes"), container.get("volumeMounts")
    if stated is None or stated.when or listed is None or mounted is None:
        return
    claims = {one.text("name"): one.text("persistentVolumeClaim", "claimName") for _, one in listed.items()}
    mounts = {path: one for _, one in mounted.items() if (path := one.text("mountPath")) is not None}
    for folder in (folder.strip() for folder in stated.value.split(",")):
        held = _innermost_mount(folder, [(path, False) for path in mounts])
        mount = mounts[held[0]] if held is not None else None
        claim = claims.get(mount.text("name")) if mount is not None else None
        if held is None or mount is None or claim is None or "$" in folder or mount.text("subPathExpr") is not None:
            continue
        below = PurePosixPath(normpath(folder)).relative_to(normpath(held[0]))
        yield folder, f"claim {normpath(join(claim, mount.text('subPath') or '', below))}"


def _shareable_mounts(service: Tree, volumes: Tree | None) -> Iterator[tuple[str, tuple[str, str]]]:
    """What a compose service mounts that others may mount, too, by the path in its container: a volume, which is a
    folder of the host where its driver's options bind it to one, or a folder of the host."""
    listed = service.get("volumes")
    for _, entry in listed.items() if listed is not None else ():
        short = entry.text()
        parts = short.split(":") if short is not None else [entry.text("source") or "", entry.text("target") or ""]
        if len(parts) < 2 or not all(parts[:2]) or "{{" in parts[0]:
            continue
        source, target = parts[:2]
        below = "" if short is not None else entry.text("volume", "subpath") or ""
        if volumes is not None and "bind" in (volumes.text(source, "driver_opts", "o") or ""):
            source = volumes.text(source, "driver_opts", "device") or source
        if source.startswith((".", "/", "~")):
            yield target, ("folder", join(source, below))
        else:
            name = volumes.text(source, "name") if volumes is not None else None
            yield target, ("volume", join(name or source, below))


def _is_in_memory(volumes: Tree | None, name: str) -> bool:
    """Whether a named volume is a tmpfs by its driver's options, or a folder of the host is in memory."""
    return is_in_memory(name) or (volumes is not None and volumes.text(name, "driver_opts", "type") == "tmpfs")


def mounts_of_container(pod: Tree, container: Tree, templates: Tree | None) -> Iterator[Mount]:
    """The mounts of a container of a pod; `templates` are its StatefulSet's claims, which outlive the pod."""
    kept = {claim.text("metadata", "name") for _, claim in templates.items()} if templates is not None else set[str]()
    volumes = pod.get("volumes")
    made = {declared.text("name"): declared for _, declared in volumes.items()} if volumes is not None else {}
    listed = container.get("volumeMounts")
    for _, mount in listed.items() if listed is not None else ():
        path, name = mount.text("mountPath"), mount.text("name")
        volume = made.get(name)
        if path is not None and (name in kept or volume is not None):
            memory = volume is not None and is_in_memory(volume.text("hostPath", "path") or "")
            goes = volume is not None and bool(volume.get("emptyDir") or volume.get("ephemeral") or memory)
            lasts = name in kept or not goes
            yield path, not lasts
