"""Rules about who writes what, as audit.toml says."""

from __future__ import annotations

from ..cluster.cluster import Cluster
from ..cluster.findings import Finding


def use_rules(cluster: Cluster) -> list[Finding]:
    """All of them."""
    return [*writers_of_unknown_topics(cluster), *entries_not_used(cluster)]


def writers_of_unknown_topics(cluster: Cluster) -> list[Finding]:
    """Producers of programs, such as connectors, that do not wait for all replicas and of which no file says what they
    write: no topic can be said to be safe from them, whatever is assumed of its producers."""
    named = [name for use in cluster.uses for _, name in use.client_names]
    found: list[Finding] = []
    for client in cluster.clients:
        of_program = client.is_embedded and client.family is not None and client.family.value == "java"
        if client.kind != "producer" or not of_program or any(map(client.has_name, named)):
            continue
        weak = [setting for setting in client.settings if setting.key == "acks" and setting.value not in ("all", "-1")]
        if weak:
            what = f"{client.name} writes with acks={weak[-1].value}, and no file says which topics"
            to_do = f'name them in audit.toml, each with producer = "{client.name}", or set acks=all'
            found.append(Finding("incomplete", "error", what, weak[-1].origin, to_do))
    return found


def entries_not_used(cluster: Cluster) -> list[Finding]:
    """Entries of audit.toml that a stronger one hides: a topic's own name is stronger than a pattern."""
    found: list[Finding] = []
    for topic in (*cluster.topics, *cluster.planned_topics):
        used = cluster.use_of(topic.name)
        for use in cluster.uses if used is not None else ():
            hidden = [name for name in use.producers if used is not None and name not in used.producers]
            if use.subject == "topic" and use.covers(topic.name) and hidden and used is not None:
                what = f"`{use.pattern}` names {hidden[0]} as a producer of {topic.name}, which counts for nothing"
                what += f": the entry of its own name, {used.origin}, does"
                found.append(Finding("contradiction", "note", what, use.origin, "name there all that write it"))
    return found
