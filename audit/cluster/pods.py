"""Pods of Kubernetes, and which of them its scheduler puts on nodes of their own: what it must heed, and not what it
prefers (Assigning Pods to Nodes; Pod Topology Spread Constraints; API reference, core/v1 PodAffinityTerm).

A rule keeps a pod from those alone that it selects: a selector that selects no broker keeps no brokers apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations

from ...language.immutable import immutable

GIVEN_LATER = ("kubernetes.io", "strimzi.io", "controller-revision-hash", "pod-template-hash")
"""Labels that a controller adds to pods, by their domain or name: their values are not those of a manifest."""


@immutable
class NodeRequirement:
    """One requirement of a selector: the label's key, `In`, `NotIn`, `Exists` or `DoesNotExist`, and the values."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def is_met(self, labels: Mapping[str, str]) -> bool:
        """Whether these labels are certain to meet it."""
        if self.key not in labels:
            return self.operator in ("NotIn", "DoesNotExist") and not _is_label_given_later(self.key)
        return {
            "In": labels[self.key] in self.values,
            "NotIn": labels[self.key] not in self.values,
            "Exists": True,
        }.get(self.operator, False)


@immutable
class SpreadRule:
    """A required anti-affinity by host or zone, or, if it `spreads`, a constraint that spreads pods evenly over hosts.

    `selector` is None where none is stated, which selects no pod; one without requirements selects all pods. `keys`
    and `other_keys` are matchLabelKeys and mismatchLabelKeys. `namespaces` are those that it looks at: empty for the
    pod's own; `everywhere`: all of them; `has_namespace_labels`: those with labels that no manifest of a pod has, and
    not the pod's own, if none is named.
    """

    selector: tuple[NodeRequirement, ...] | None
    keys: tuple[str, ...] = ()
    other_keys: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    everywhere: bool = False
    has_namespace_labels: bool = False
    spreads: bool = False

    def selects(self, mine: Pod, other: Pod) -> bool:
        """Whether the rule of one pod is certain to select another one, which may have the same specification."""
        labels, asked = dict(mine.labels), self.selector
        if asked is None or any(key not in labels for key in (*self.keys, *self.other_keys)):
            return False
        named = self.namespaces or self.has_namespace_labels
        here = other.namespace in self.namespaces if named else mine.namespace == other.namespace
        merged = (
            *asked,
            *(NodeRequirement(key, "In", (labels[key],)) for key in self.keys),
            *(NodeRequirement(key, "NotIn", (labels[key],)) for key in self.other_keys),
        )
        return (here or self.everywhere) and all(requirement.is_met(dict(other.labels)) for requirement in merged)


@immutable
class Pod:
    """What decides to which nodes the pods of one specification go: namespace ("" if not stated), labels, rules, and at
    how many nodes they may be, where the specification names those; None where it names none."""

    namespace: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    rules: tuple[SpreadRule, ...] = ()
    nodes: int | None = None


def are_apart(pods: Iterable[Pod]) -> bool:
    """Whether no two of these pods may be on one node, on as many nodes as there are pods. What spreads pods evenly
    puts several on a node where fewer nodes than pods are named."""
    listed = list(pods)
    enough = all(pod.nodes is None or pod.nodes >= len(listed) for pod in listed)
    return all(
        _has_anti_affinity(one, other) or (enough and _share_spread_constraint(one, other))
        for one, other in _pod_pairs(listed)
    )


def are_repelling_each_other(pods: Iterable[Pod], others: Iterable[Pod]) -> bool:
    """Whether none of these pods may be on a node with one of those."""
    return all(_has_anti_affinity(pod, other) for pod in set(pods) for other in set(others))


def spread_assumption(pods: Sequence[Pod]) -> str:
    """What is taken for granted where constraints, and no anti-affinity, keep the pods apart; "" where nothing is."""
    if not are_apart(pods) or all(_has_anti_affinity(one, other) for one, other in _pod_pairs(pods)):
        return ""
    return (
        f"topologySpreadConstraints have at least {len(pods)} nodes to spread {len(pods)} pods over, and select no "
        "pods but those of brokers"
    )


def _pod_pairs(pods: Iterable[Pod]) -> Sequence[tuple[Pod, Pod]]:
    """Every two different specifications, and each one that has several pods with itself."""
    counted = Counter(pods)
    return [*combinations(counted, 2), *((pod, pod) for pod, number in counted.items() if number > 1)]


def _has_anti_affinity(one: Pod, other: Pod) -> bool:
    """Whether one has an anti-affinity to the other: the scheduler heeds it whichever of them comes first."""
    every = ((one, other, rule) for rule in one.rules), ((other, one, rule) for rule in other.rules)
    return any(rule.selects(mine, its) for listed in every for mine, its, rule in listed if not rule.spreads)


def _share_spread_constraint(one: Pod, other: Pod) -> bool:
    """Whether both have a constraint that counts both: one without it goes to any node."""
    return all(
        any(rule.spreads and rule.selects(mine, one) and rule.selects(mine, other) for rule in mine.rules)
        for mine in (one, other)
    )


def _is_label_given_later(key: str) -> bool:
    domain = key.partition("/")[0]
    return any(domain == label_domain or domain.endswith(f".{label_domain}") for label_domain in GIVEN_LATER)
