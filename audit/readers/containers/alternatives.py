"""Whole stacks in one folder that never run together: compose files for one broker and for three, or the same one for
several environments; and pods of several namespaces. An audit is of one cluster: each is audited by itself, or the user
is asked which."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from ....language.immutable import immutable
from ...cluster.statements import AlternativesError
from ..parsed_file import Part
from ..yamls import Tree

_MEETING = ("zookeeper.connect", "controller.quorum.voters", "controller.quorum.bootstrap.servers")


@immutable
class ComposeStack:
    """A compose file with brokers: what it is known by to others."""

    path: str
    part: Part
    containers: frozenset[str]
    """The names of its containers, which are one engine's alone, and its project's name."""

    names: frozenset[str]
    """By what its own services reach each other."""

    services: frozenset[str]
    partial: frozenset[str]
    """Its services, and those of them without an image, which another file's have."""

    @property
    def ids(self) -> frozenset[int]:
        """The ids of its nodes."""
        return frozenset(node.id for node in self.part.brokers if node.id is not None)

    @property
    def is_whole(self) -> bool:
        """Whether all of its nodes meet at its own services alone, so that no other file's are of their cluster."""
        settings = [setting for node in self.part.brokers for setting in node.settings if setting.key in _MEETING]
        hosts = {host for setting in settings for host in _listed_hosts(setting.value)}
        return bool(hosts) and hosts <= self.names


def _listed_hosts(text: str) -> Iterator[str]:
    """The hosts of `1@a:9093,2@b:9093` and of `a:2181,b/path`."""
    for server in text.partition("/")[0].split(","):
        host = server.strip().rpartition("@")[2].partition(":")[0]
        if host:
            yield host


def compose_stack(path: str, tree: Tree, part: Part) -> ComposeStack | None:
    """A compose file as a stack; None if no broker is in it."""
    services = tree.get("services")
    every = services.items() if services is not None and part.brokers else []
    if not every:
        return None
    named = [(name, service, service.text("container_name")) for name, service in every]
    own = {name for name, _, _ in named}
    own |= {host for _, service, _ in named if (host := service.text("hostname")) is not None}
    containers = {container for _, _, container in named if container}
    partial = {name for name, service, _ in named if not any(service.get(key) for key in ("image", "build", "extends"))}
    services = frozenset(name for name, _, _ in named)
    return ComposeStack(path, part, frozenset(containers), frozenset(own | containers), services, frozenset(partial))


def refuse_alternatives(stacks: Sequence[ComposeStack]) -> None:
    """Raises AlternativesError where two stacks are not of one cluster: both have a container of one name or a node
    of one id, or each is whole by itself. Where that is so of every two of them each is one by itself."""
    every = [*combinations(stacks, 2)]
    clear = all(_why_not_together(one, other) and not _changed_services(one, other) for one, other in every)
    groups = [(stack.path, frozenset({stack.path})) for stack in stacks] if clear else []
    for one, other in every:
        if (why := _why_not_together(one, other)) and one.part.brokers != other.part.brokers:
            listed = ", ".join(stack.path for stack in stacks)
            raise AlternativesError(
                f"{len(stacks)} compose files have brokers, and not all of them run together: {one.path} and "
                f"{other.path} {why}. An audit is of one cluster: which one is it? Give one of {listed} by its name, "
                "with what else is of that cluster; if they are of one, give each node its own id and "
                "container name.",
                groups,
            )


def refuse_namespaces(parts: Sequence[Part]) -> None:
    """Raises AlternativesError where pods with brokers are in several namespaces of Kubernetes, unless they meet at one
    place that is named with its namespace or domain: a bare name is that of a service in the pod's own namespace."""
    places: dict[str, set[str]] = {}
    files: dict[str, set[str]] = {}
    for node in (node for part in parts for node in part.brokers if node.pod is not None and node.pod.namespace):
        namespace = node.pod.namespace if node.pod is not None else ""
        stated = [setting.value for setting in node.settings if setting.key in _MEETING]
        places.setdefault(namespace, set()).update(
            host for value in stated for host in _listed_hosts(value) if "." in host
        )
        files.setdefault(namespace, set()).add(node.origin.path)
    if len(files) < 2 or set[str].intersection(*places.values()):
        return
    shared = any(one & other for one, other in combinations(files.values(), 2))
    named = " and ".join(f"{namespace} ({', '.join(sorted(paths))})" for namespace, paths in files.items())
    raise AlternativesError(
        f"brokers are in {len(files)} namespaces, {named}, and meet at no place that all of them name: an audit is of "
        "one cluster; give the resources of each namespace alone.",
        () if shared else [(namespace, frozenset(paths)) for namespace, paths in files.items()],
    )


def _changed_services(one: ComposeStack, other: ComposeStack) -> list[str]:
    """Services that one of two files changes in the other."""
    return sorted((one.partial & other.services) | (other.partial & one.services))


def _why_not_together(one: ComposeStack, other: ComposeStack) -> str:
    """Why two stacks do not run together; "" if they may."""
    if changed := _changed_services(one, other):
        return f"are merged: one changes service {changed[0]} of the other (docker compose -f ONE -f OTHER config)"
    if shared := sorted(one.containers & other.containers):
        return f"both have a container {shared[0]}"
    if ids := sorted(one.ids & other.ids):
        return f"both have a node with id {ids[0]}"
    if one.is_whole and other.is_whole:
        return "each name only servers of their own to meet at"
    return ""
