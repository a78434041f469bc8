"""What to do where a repair moves nodes: hosts, racks and voters, with what to type as far as files decide it."""

from __future__ import annotations

from typing import Any

from ...language.immutable import immutable
from ..cluster.cluster import Broker, Cluster
from ..cluster.racks import racks_of_voters
from ..facts.placement import has_dynamic_quorum
from ..kafka.versions import is_at_least
from .patches import Lines


@immutable
class PlanStep:
    """One thing to do: in words, with the commands or lines of a file, whether something restarts, what it costs.

    `shown_commands` of the commands are for a reader, the others are alike (None: show all). `file` is what they read,
    by name.
    """

    says: str
    commands: Lines
    restart: bool
    cost: str
    shown_commands: int | None = None
    file: tuple[str, dict[str, Any]] | None = None


AFFINITY: Lines = (
    "affinity:",
    "  podAntiAffinity:",
    "    requiredDuringSchedulingIgnoredDuringExecution:",
    "    - topologyKey: kubernetes.io/hostname",
    "      labelSelector: {matchLabels: {LABEL: VALUE}}  # a label that all these pods have",
)


def plan_move(name: str, cluster: Cluster) -> PlanStep:
    """The step of a change of `changes.possible_placement_changes`, but for those that reassign replicas."""
    return {"hosts": _host_separation_step, "controllers": _controller_addition_step, "voter_racks": _voter_rack_step}[
        name
    ](cluster)


def _host_separation_step(cluster: Cluster) -> PlanStep:
    """A host has its own power and its own disk."""
    cost = "more computers"
    together = [broker for broker in cluster.brokers if broker.machine is not None]
    names = tuple(dict.fromkeys(map(_node_name, together)))
    who = f"{', '.join(names)} a host each" if len(names) > 1 else "each node a host of its own"
    says = f"Give {who}, with its own power and disks; {_voters_noun(cluster)} too, if they share one"
    if any("audit.toml" in (broker.machine or "") for broker in together):
        return PlanStep(f"{says}: the pods need a required anti-affinity by host.", AFFINITY, True, cost)
    return PlanStep(f"{says}. It costs {cost}.", (), True, cost)


def _node_name(broker: Broker) -> str:
    kind = "broker" if broker.keeps_topics else "controller"
    return f"{kind} {broker.id}" if broker.id is not None else f"the {kind} of {broker.origin.path}"


def _voters_noun(cluster: Cluster) -> str:
    return "ZooKeeper servers" if cluster.control_plane == "zookeeper" else "controllers"


def _controller_addition_step(cluster: Cluster) -> PlanStep:
    """Voters are added to an ensemble or a quorum that runs, one after the other: a new majority would be empty."""
    cost = "more nodes"
    if cluster.control_plane == "zookeeper":
        says = "Run three ZooKeeper servers, each on a host without a broker: add them one after the other"
        return PlanStep(
            f"{says} (Dynamic Reconfiguration, which ZooKeeper has since 3.5; before, name all in each zoo.cfg and "
            "restart one after the other), and name all in zookeeper.connect.",
            (),
            True,
            cost,
        )
    add = (
        "Run three controllers, each on a host without a broker, and add them one after the other (KIP-853). Voters "
        "that are brokers, too, are removed then (remove-controller)."
    )
    line = "kafka-metadata-quorum.sh --bootstrap-controller HOST:9093 --command-config FILE add-controller"
    if has_dynamic_quorum(cluster):
        return PlanStep(add, (line,), True, cost)
    kafka = cluster.versions.kafka
    there = kafka is not None and is_at_least(kafka.value, "4.1") is True
    says = (
        "The quorum is static where kraft.version is 0, as with controller.quorum.voters, and has no command that adds "
        "a voter; its list is not made longer, since new voters have no metadata and as a majority would lose it. "
        f"{'' if there else 'No release before 4.1 makes it dynamic (KAFKA-16538): upgrade to 4.1 or later first. '}"
        "Set kraft.version=1, and controller.quorum.bootstrap.servers in place of controller.quorum.voters in all "
        f"files. {add}"
    )
    other = (
        "" if there else " Without an upgrade, three controllers take a new cluster, to which the topics are copied."
    )
    feature = "kafka-features.sh --bootstrap-controller HOST:9093 upgrade --feature kraft.version=1"
    return PlanStep(f"{says}{other}", (feature, line), True, cost)


def _voter_rack_step(cluster: Cluster) -> PlanStep:
    """So that no rack has a majority."""
    who, found = _voters_noun(cluster), racks_of_voters(cluster)
    now = ", ".join(f"{voter} in {rack or 'a rack that is not stated'}" for voter, rack in found.items())
    says = f"Have the {who} in racks of their own, three racks for three, so that no rack has a majority"
    stated = "" if cluster.control_plane == "zookeeper" else ", with broker.rack in their files"
    return PlanStep(f"{says} (now: {now}){stated}.", (), True, "more racks")
