"""Where the services of a compose file keep what must outlive their containers: brokers their logs, ZooKeeper's servers
the metadata of every topic.

A container that stops and starts has its files still; one that is made anew has none, as for another image, for other
settings, or after `docker compose down` (docs.docker.com, docker compose up). So it is with what lies on a volume that
an image declares and nobody mounts, also where a volume is mounted above that place: Docker puts another one there.
"""

from __future__ import annotations

from collections.abc import Sequence

from ...cluster.findings import Kind, Severity
from ..parsed_file import Part
from ..yaml_settings import origin_at
from ..yamls import Tree
from . import volumes
from .image_variables import image_distribution, name_and_tag

Named = tuple[str, Tree]
"""A service with its name."""

Passing = tuple[str, Tree, str]
"""A service whose data is on no volume of the file, and the mount above the place of its data, or ""."""

_ANEW = "`docker compose up` makes a new container where the image or the settings have changed"
_HIDES = "the image declares a volume of its own below that, which hides it"
_LEFT = "`docker compose down` leaves that one behind, and the next container has an empty one"
_TOPICS_GO = (
    "and the metadata of every topic is lost: the topics are gone, and brokers that have their disks do not start in "
    "another cluster (InconsistentClusterIdException, since 2.4)"
)


def note_storage(
    part: Part, path: str, brokers: Sequence[Named], every: Sequence[Named], named_volumes: Tree | None
) -> None:
    """What of the brokers' and the ZooKeeper servers' data is on no volume of the file, whose volumes are
    `named_volumes`."""
    nodes = {node.origin.place: node for node in part.brokers}
    passing: list[Passing] = []
    for name, service in brokers:
        node, owner, mounts = (
            nodes.get(f"services.{name}"),
            image_distribution(service),
            list(volumes.mounts_of_service(service, named_volumes)),
        )
        elsewhere = "volumes_from" in dict(service.items())
        if node is not None and not elsewhere and volumes.is_in_container(node.settings, owner, mounts) is not False:
            passing.append((name, service, volumes.mount_above(node.settings, owner, mounts)))
    _note_ephemeral_data(
        part, path, passing, "the log of", "which is the loss of a disk", "mount a volume where log.dirs is", "advice"
    )
    _note_servers(part, path, every, named_volumes)


def _note_ephemeral_data(
    part: Part, path: str, services: Sequence[Passing], whose: str, then: str, to_do: str, kind: Kind
) -> None:
    """The findings for those with a volume above the place of their data, and for those with none."""
    for above in (True, False):
        mine = [(name, service, mount) for name, service, mount in services if bool(mount) is above]
        if mine:
            name, service, mount = mine[0]
            who = f"service {name}" if len(mine) == 1 else f"{len(mine)} services, such as {name}"
            where, when = f"in the container itself, as far as {path} says", _ANEW
            if above:
                where, when = f"not on the volume at {mount}: {_HIDES}", _LEFT
            what = f"{whose} {who} is {where}: {when}, {then}"
            place = origin_at(path, service, f"services.{name}")
            severity: Severity = "error" if kind == "incomplete" else "warning"
            part.note(kind, severity, what, place, to_do, "docs.docker.com, Volumes")


def _note_servers(part: Part, path: str, every: Sequence[Named], named_volumes: Tree | None) -> None:
    """ZooKeeper's servers, of which a majority has what is committed. Where that is lost, no answer is about it."""
    servers = [(name, service) for name, service in every if is_zookeeper(service)]
    passing = [
        (name, service, mount)
        for name, service in servers
        if "volumes_from" not in dict(service.items())
        and (mount := _mount_above_lost_data(service, list(volumes.mounts_of_service(service, named_volumes))))
        is not None
    ]
    most = 2 * len(passing) > len(servers)
    then = _TOPICS_GO if most else "and this server comes back empty and votes"
    to_do = "mount volumes where its dataDir and dataLogDir are"
    _note_ephemeral_data(
        part, path, passing, "what ZooKeeper keeps in", then, to_do, "incomplete" if most else "advice"
    )


def _mount_above_lost_data(service: Tree, mounts: Sequence[volumes.Mount]) -> str | None:
    """The mount above a server's data, "" where nothing is mounted; None where what it keeps is on a volume."""
    folders = _data_folders(service)
    lost = next(
        (folder for folder in folders if volumes.is_on_no_mount(folder, mounts, has_declared_volume=True)), None
    )
    if lost is not None:
        return volumes.held_above(lost, mounts)
    return None if folders or mounts else ""


def is_zookeeper(service: Tree) -> bool:
    """Whether a service runs an image of ZooKeeper's."""
    name, _ = name_and_tag(service.text("image") or "")
    return "zookeeper" in name.rpartition("/")[2]


_FOLDERS = {
    "cp-zookeeper": ("/var/lib/zookeeper/data", "/var/lib/zookeeper/log"),
    "bitnami/zookeeper": ("/bitnami/zookeeper",),
    "bitnamilegacy/zookeeper": ("/bitnami/zookeeper",),
    "library/zookeeper": ("/data", "/datalog"),
}
"""Where images keep dataDir and dataLogDir, which they declare as volumes (their Dockerfiles)."""


def _data_folders(service: Tree) -> tuple[str, ...]:
    """Where a server's data are; none where its image does not say."""
    name, _ = name_and_tag(service.text("image") or "")
    whole = f"/library/{name}" if "/" not in name else f"/{name}"
    return next((folders for known, folders in _FOLDERS.items() if whole.endswith(f"/{known}")), ())
