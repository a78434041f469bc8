"""Rules about who writes what, as audit.toml says."""

from __future__ import annotations

from ..cluster.cluster import Client, Cluster
from ..cluster.findings import Finding
from ..cluster.settings import setting_value
from ..cluster.statements import Default, Origin, StatedValue, Unknown
from ..facts.producers import ACKS, asks_for_idempotence


def use_rules(cluster: Cluster) -> list[Finding]:
    """All of them."""
    return [*writers_of_unknown_topics(cluster), *entries_not_used(cluster)]


def writers_of_unknown_topics(cluster: Cluster) -> list[Finding]:
    """Producers that do not wait for all replicas, or may not, and of which no file says what they write: no topic can
    be said to be safe from them, whatever is assumed of its producers. The only producer among the files is taken for
    that of every topic, unless it is of a program such as a connector."""
    named = [name for use in cluster.uses for _, name in use.client_names]
    found: list[Finding] = []
    for client in cluster.clients:
        if client.kind != "producer" or client is cluster.only_producer or any(map(client.has_name, named)):
            continue
        if (weak := _weak_acks(cluster, client)) is not None:
            acks, where = weak
            what = f"{client.name} writes with {acks}, and no file says which topics"
            to_do = f'name them in audit.toml, each with producer = "{client.name}", or set acks=all'
            found.append(Finding("incomplete", "error", what, where, to_do))
    return found


def _weak_acks(cluster: Cluster, client: Client) -> tuple[str, Origin] | None:
    """What a producer waits for, and where that is stated, if it does not wait for all or may not; else None. Of a
    program's producer what is stated counts alone: the program sets the rest."""
    if client.is_embedded:
        of_java = client.family is not None and client.family.value == "java"
        stated = [setting for setting in client.settings if of_java and setting.key == "acks"][-1:]
        answers = [StatedValue(setting.value, setting.origin) for setting in stated]
    elif asks_for_idempotence(cluster, client):
        return None
    else:
        answers = [setting_value(cluster, client, ACKS)]
    for answer in answers:
        if isinstance(answer, Unknown) and not answer.possible:
            return f"acks that are not known ({answer.why})", client.origin
        possible = answer.possible if isinstance(answer, Unknown) else (answer,)
        weak = [default.value for default in possible if default.value.strip().lower() not in ("all", "-1")]
        if weak:
            where = answer.origin if isinstance(answer, StatedValue) else client.origin
            return f"acks={weak[0]}{' by default' if isinstance(answer, Unknown | Default) else ''}", where
    return None


def entries_not_used(cluster: Cluster) -> list[Finding]:
    """Entries of audit.toml that a stronger one hides: a topic's own name is stronger than a pattern."""
    found: list[Finding] = []
    for topic in (*cluster.topics, *cluster.planned_topics):
        used = cluster.use_of(topic.name)
        for use in cluster.uses if used is not None else ():
            hidden = [name for name in use.producers if used is not None and name not in used.producers]
            if use.subject == "topic" and use.is_about(topic.name) and hidden and used is not None:
                what = f"`{use.pattern}` names {hidden[0]} as a producer of {topic.name}, which counts for nothing"
                what += f": the entry of its own name, {used.origin}, does"
                found.append(Finding("contradiction", "note", what, use.origin, "name there all that write it"))
    return found
