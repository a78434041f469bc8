"""What is wrong with the settings themselves: unknown names, typos, wrong values, one key stated twice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..cluster.cluster import Client, Cluster
from ..cluster.findings import Finding
from ..cluster.settings import base_family
from ..cluster.statements import GROUPED, HIDDEN, IMPORTED, INCLUDED, MARK, Origin, Setting
from ..kafka import key_names
from ..kafka.advised_names import REMOVE, advise_name, loses_records
from ..kafka.keys import LARGEST, NEVER_EMPTY, Key, is_never_blank, settings_by_name, settings_table, why_illegal
from ..kafka.versions import is_at_least

MOST_SHOWN = 40


def invalid_settings(cluster: Cluster) -> list[Finding]:
    """The findings of every layer of settings, in the order of the files; a file that brokers share counts once."""
    found: dict[Finding, None] = {}
    for scopes, settings, client in _setting_layers(cluster):
        for finding in (
            *_unknown_name_findings(scopes, settings, client),
            *_illegal_value_findings(cluster, settings, client),
            *_repeated_setting_findings(settings),
        ):
            found[finding] = None
    return list(found)


Layer = tuple[tuple[str, ...], Sequence[Setting], Client | None]


def _setting_layers(cluster: Cluster) -> Iterator[Layer]:
    for broker in cluster.brokers:
        yield ("broker",), broker.settings, None
        yield ("broker",), broker.dynamic, None
    yield ("broker",), cluster.dynamic, None
    for topic in cluster.topics:
        yield ("topic",), topic.settings, None
    for client in cluster.clients:
        family = base_family(client)
        scopes: tuple[str, ...] = (client.kind,)
        if family == "librdkafka":
            scopes = (client.kind, "librdkafka")
        elif family is None:
            scopes = ("producer", "consumer", "librdkafka")
        elif any(other.origin == client.origin and other.kind != client.kind for other in cluster.clients):
            scopes = ("producer", "consumer")
        yield scopes, client.settings, client


def _unknown_name_findings(
    scopes: tuple[str, ...], settings: Sequence[Setting], client: Client | None
) -> Iterator[Finding]:
    every = key_names.names_by_scope()
    mine = frozenset[str]().union(*(every[scope] for scope in scopes))
    for setting in settings:
        if setting.key in (IMPORTED, INCLUDED, GROUPED):
            continue  # Spring's own
        if client is not None and setting.key in (key_names.GUARANTEE, key_names.REPLICAS):
            continue  # those of Streams
        if setting.key.startswith(MARK):
            yield _hidden_setting_finding(setting)
            continue
        if client is not None and (foreign := _foreign_setting_finding(setting, client)) is not None:
            yield foreign
            continue
        if setting.key in mine or (key_names.OTHERS.fullmatch(setting.key) and setting.key not in key_names.OLD):
            continue
        if setting.key in key_names.OLD:
            yield _old_name_finding(setting)
            continue
        if setting.key == HIDDEN:
            what, to_do = "a line that states no setting", "correct or remove the line"
            yield Finding("not_read", "warning", what, setting.origin, to_do)
            continue
        near = key_names.nearest_name(setting.key, scopes)
        elsewhere = sorted(scope for scope in every if setting.key in every[scope] and scope != "librdkafka")
        typo = _typo_finding(setting, near, settings) if near and not elsewhere else None
        yield typo or _unknown_setting_finding(setting, scopes, elsewhere, client)


def _foreign_setting_finding(setting: Setting, client: Client) -> Finding | None:
    """A setting that a client's family, or its release, does not have: Java's clients ignore it, and librdkafka takes
    none that it does not know (rd_kafka_conf_set, "No such configuration property")."""
    every, family = key_names.names_by_scope(), base_family(client)
    of_java, of_librdkafka = every["producer"] | every["consumer"], every["librdkafka"]
    said = f"`{setting.key}` is a setting of"
    if family == "java" and setting.key in of_librdkafka - of_java and setting.key not in key_names.OLD:
        now = key_names.canonical_names("librdkafka").get(setting.key)
        to_do = advise_name(now, now, setting.value) if now is not None else "remove it"
        what = f"{said} librdkafka, which Java's clients ignore: it has no effect"
        to_do += ", or say --client librdkafka:VERSION"
        return Finding("unknown_key", "warning", what, setting.origin, to_do, "librdkafka CONFIGURATION.md")
    renamed = key_names.canonical_names("librdkafka").values()
    if family == "librdkafka" and setting.key in of_java - of_librdkafka and setting.key not in renamed:
        what = f"{said} Java's clients, which librdkafka refuses: the {client.kind} does not start with it, unless its"
        what += " program takes it for itself"
        to_do = "remove it, or say --client java:VERSION"
        return Finding("unknown_key", "warning", what, setting.origin, to_do, "librdkafka, rd_kafka_conf_set")
    key = settings_table().get(setting.key)
    if family != "java" or client.version is None or key is None or not key.since or client.kind not in key.scopes:
        return None
    if is_at_least(client.version.value, key.since) is not False:
        return None
    what = f"{said} clients since {key.since}, and {client.name} is of {client.version.value}: it has no effect"
    return Finding("unknown_key", "warning", what, setting.origin, f"a client of {key.since} or later")


def _hidden_setting_finding(setting: Setting) -> Finding:
    name = setting.key.removeprefix(MARK)
    what = (
        f"the file begins with a byte order mark, which Java takes for a part of `{name}`: this setting has no effect"
    )
    to_do = "save the file as UTF-8 without a byte order mark"
    to_do = f"{REMOVE}; {to_do}" if loses_records(name, setting.value) else to_do
    return Finding("not_read", "error", what, setting.origin, to_do)


def _typo_finding(setting: Setting, similar_key: str, settings: Sequence[Setting]) -> Finding:
    now = key_names.OLD.get(similar_key, similar_key)
    also = "" if now == similar_key else f" (an old name of `{now}`)"
    what = f"`{setting.key}` is not a setting of Kafka and has no effect; the nearest is `{similar_key}`{also}"
    if any(other.key == now for other in settings):  # as `logs.dir` beside `log.dir` in Bitnami's chart
        return Finding("typo", "warning", what, setting.origin, f"remove it, since `{now}` is set as well")
    return Finding("typo", "error", what, setting.origin, advise_name(now, now, setting.value))


def _old_name_finding(setting: Setting) -> Finding:
    now = key_names.OLD[setting.key]
    what = f"`{setting.key}` is a setting of the old Scala producer and of librdkafka; the Java client ignores it"
    to_do = f"{advise_name(now, now, setting.value)}, or say --client librdkafka:VERSION"
    return Finding("unknown_key", "error", what, setting.origin, to_do)


def _unknown_setting_finding(
    setting: Setting, scopes: tuple[str, ...], elsewhere: list[str], client: Client | None
) -> Finding:
    who = " or ".join(scopes)
    if elsewhere:
        severity = "warning" if setting.key in settings_table() else "note"
        what = f"`{setting.key}` is a setting of a {' and a '.join(elsewhere)}, not of a {who}: it has no effect here"
        to_do = f"remove it, or, if it is meant, set it where a {elsewhere[0]} reads it"
        to_do = REMOVE if loses_records(setting.key, setting.value) else to_do
        return Finding("unknown_key", severity, what, setting.origin, to_do)
    what = f"`{setting.key}` is not a known setting of a {who}"
    return Finding("unknown_key", "note", what, setting.origin, "nothing, if a plug-in reads it; else remove it")


def _illegal_value_findings(cluster: Cluster, settings: Sequence[Setting], client: Client | None) -> Iterator[Finding]:
    family = base_family(client) if client is not None else None
    for setting in settings:
        key = settings_table().get(setting.key) or settings_by_name().get(setting.key)
        message = (
            why_illegal(key, setting.value, family) if key is not None and setting.value not in (HIDDEN, "") else ""
        )
        never = key is not None and (is_never_blank(key) if family == "java" else key.type in NEVER_EMPTY)
        if never and cluster.is_value_empty(setting):
            message = "has no value"
        if key is not None and message:
            yield Finding(
                "wrong_value", "error", _setting_message(setting, message), setting.origin, _legal_values_text(key)
            )


def _setting_message(setting: Setting, message: str) -> str:
    value = setting.value if len(setting.value) <= MOST_SHOWN else setting.value[:MOST_SHOWN] + "..."
    comment = "; in a properties file a comment has a line of its own" if re.search(r"\s#", setting.value) else ""
    return f"`{setting.key}={value}` {message}{comment}"


def _legal_values_text(key: Key) -> str:
    if key.legal:
        return f"one of {', '.join(key.legal)}"
    least = f" of {key.least} or more" if key.least is not None else ""
    number = f"a whole number{least}"
    return {**dict.fromkeys(LARGEST, number), "boolean": "true or false", "version": "a release, such as 3.9"}[key.type]


def _repeated_setting_findings(settings: Sequence[Setting]) -> Iterator[Finding]:
    """Kafka takes the last one of a file. Layers of different files are no contradiction."""
    first: dict[tuple[str, str, str], tuple[str, Origin]] = {}
    for setting in settings:
        before = first.get((setting.key, setting.origin.path, setting.when))
        if before is not None and before[0] != setting.value and HIDDEN not in (before[0], setting.value):
            what = f"`{setting.key}` is stated twice: {before[0]} at {before[1]}, then {setting.value}, which counts"
            yield Finding("contradiction", "warning", what, setting.origin, "keep one of them")
        first[setting.key, setting.origin.path, setting.when] = (setting.value, setting.origin)
