"""What a manifest says of the nodes that pods go to: labels, required anti-affinities, constraints that spread. The
scheduler's default spreading is a preference, and Strimzi adds no rule but a preference where `rack` is set
(ModelUtils of its operator)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...cluster.pods import NodeRequirement, Pod, SpreadRule
from ..yamls import Tree

HOST = "kubernetes.io/hostname"
ZONE = "topology.kubernetes.io/zone"
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"


def pod_of_specification(spec: Tree | None, labels: Mapping[str, str], namespace: str) -> Pod:
    """The pods of one specification. One that names its node (`nodeName`) does not pass the scheduler."""
    rules = tuple(_spread_rules(spec)) if spec is not None and spec.get("nodeName") is None else ()
    named = _named_nodes(spec) if spec is not None else None
    return Pod(namespace, tuple(sorted(labels.items())), rules, None if named is None else len(named))


def labels_of_metadata(metadata: Tree | None) -> dict[str, str]:
    """The labels of a resource's or a template's `metadata`."""
    listed = metadata.get("labels") if metadata is not None else None
    return {name: label.text() or "" for name, label in listed.items()} if listed is not None else {}


def _named_nodes(spec: Tree) -> set[str] | None:
    """The nodes that a specification names by their host names, of which the scheduler takes one for each pod; None
    where it names none."""
    selected = spec.get("nodeSelector")
    of_selector = selected.text(HOST) if selected is not None else None
    terms = _list_entries(spec.get("affinity", "nodeAffinity", REQUIRED, "nodeSelectorTerms"))
    of_terms = [_nodes_of_term(term) for term in terms]
    whole = {name for hosts in of_terms for name in hosts or ()} if of_terms and None not in of_terms else None
    if of_selector is None or whole is None:
        return whole if of_selector is None else {of_selector}
    return whole & {of_selector}


def _nodes_of_term(term: Tree) -> set[str] | None:
    """The nodes that one term names; None where it asks for labels alone."""
    asked = [(entry.text("key"), entry) for entry in _list_entries(term.get("matchExpressions"))]
    asked += [
        (HOST, entry) for entry in _list_entries(term.get("matchFields"))
    ]  # metadata.name is the only one there is
    named = [
        {*_entry_texts(entry.get("values"))} for key, entry in asked if key == HOST and entry.text("operator") == "In"
    ]
    return set[str].intersection(*named) if named else None


def _spread_rules(spec: Tree) -> Iterator[SpreadRule]:
    for term in _list_entries(spec.get("affinity", "podAntiAffinity", REQUIRED)):
        if term.text("topologyKey") in (HOST, ZONE):
            yield _spread_rule(term, spreads=False)
    for constraint in _list_entries(spec.get("topologySpreadConstraints")):
        asked = constraint.text("whenUnsatisfiable") or "DoNotSchedule"
        if (constraint.text("topologyKey"), constraint.text("maxSkew"), asked) == (HOST, "1", "DoNotSchedule"):
            yield _spread_rule(constraint, spreads=True)


def _spread_rule(tree: Tree, *, spreads: bool) -> SpreadRule:
    namespaces = tree.get("namespaceSelector")
    asks = namespaces is not None and bool(namespaces.items())
    return SpreadRule(
        _label_requirements(tree.get("labelSelector")),
        _entry_texts(tree.get("matchLabelKeys")),
        _entry_texts(tree.get("mismatchLabelKeys")),
        _entry_texts(tree.get("namespaces")),
        everywhere=namespaces is not None and namespaces.is_map and not asks,
        has_namespace_labels=asks,
        spreads=spreads,
    )


def _label_requirements(tree: Tree | None) -> tuple[NodeRequirement, ...] | None:
    if tree is None or not tree.is_map:
        return None
    labels = tree.get("matchLabels")
    equal = [(name, label.text() or "") for name, label in labels.items()] if labels is not None else []
    return (
        *(NodeRequirement(name, "In", (value,)) for name, value in equal),
        *(
            NodeRequirement(
                expression.text("key") or "", expression.text("operator") or "", _entry_texts(expression.get("values"))
            )
            for expression in _list_entries(tree.get("matchExpressions"))
        ),
    )


def _list_entries(tree: Tree | None) -> list[Tree]:
    return [entry for _, entry in tree.items()] if tree is not None else []


def _entry_texts(tree: Tree | None) -> tuple[str, ...]:
    return tuple(entry.text() or "" for entry in _list_entries(tree))
