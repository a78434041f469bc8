"""Whether Kubernetes keeps the pods of one set apart: what its scheduler must heed, and not what it prefers (Assigning
Pods to Nodes; Pod Topology Spread Constraints). Its default spreading is a preference, and Strimzi adds no rule but a
preference where `rack` is set (ModelUtils of its operator)."""

from __future__ import annotations

from .yamls import Tree

HOST = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def keeps_apart(pod: Tree | None) -> bool:
    """Whether no node may have two pods with this specification: a required anti-affinity by host or zone, or a
    constraint that spreads them over hosts, with a skew of 1, and refuses to schedule otherwise."""
    if pod is None:
        return False
    rules = pod.get("affinity", "podAntiAffinity", REQUIRED)
    entries = [each for _, each in rules.items()] if rules is not None else []
    if any(each.text("topologyKey") in (HOST, ZONE) for each in entries):
        return True
    return any(_spreads(each) for _, each in _constraints(pod))


def _spreads(constraint: Tree) -> bool:
    asked = constraint.text("whenUnsatisfiable") or "DoNotSchedule"
    return (constraint.text("topologyKey"), constraint.text("maxSkew"), asked) == (HOST, "1", "DoNotSchedule")


def _constraints(pod: Tree) -> list[tuple[str, Tree]]:
    listed = pod.get("topologySpreadConstraints")
    return listed.items() if listed is not None else []


def assumed(pod: Tree | None, count: int) -> str:
    """What is taken for granted where a constraint spreads the pods: as many nodes as pods; "" where nothing is."""
    rules = pod.get("affinity", "podAntiAffinity", REQUIRED) if pod is not None else None
    if pod is None or rules is not None or count < 2 or not keeps_apart(pod):
        return ""
    return f"topologySpreadConstraints have at least {count} nodes to spread {count} pods over"
