"""Producers that do not start: settings that the client refuses, so that nothing is ever written.

Java's producer, and librdkafka's (CONFIGURATION.md, `enable.idempotence`), refuse idempotence that is asked for with
acks other than all, without retries, or with over 5 in flight. Java's switches it off where it is on by default alone
(ProducerConfig, postProcessAndValidateIdempotenceConfigs), but refuses over 5 since 4.0 even then. A value that is not
legal is refused by Java's ConfigDef before anything else, and so is an empty transactional.id (NonEmptyString). A
timeout of transactions above what the brokers allow is refused by the coordinator: INVALID_TRANSACTION_TIMEOUT is fatal
in InitProducerIdHandler, and in librdkafka's rd_kafka_idemp_request_pid_failed.
"""

from __future__ import annotations

from collections.abc import Iterator

from .cluster import HIDDEN, Client, Cluster, Finding, Setting, Unknown
from .keys import at_least, is_never_blank, number_of, place_of, table, underneath, value_of, wrong

IN_FLIGHT = "max.in.flight.requests.per.connection"
TRANSACTIONAL = "transactional.id"


def why_not(cluster: Cluster, client: Client) -> str:
    """Why a producer does not start, in words; "" if nothing says that it does not."""
    return next((refusal.what for refusal in refusals(cluster, client)), "") or next(_illegal(client), "")


def refusals(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """The settings of a producer that are legal alone, and that it refuses together."""
    yield from _timeout(cluster, client)
    if underneath(client) not in ("java", "librdkafka"):
        return
    asked, transactional = stated(client, "enable.idempotence"), stated(client, TRANSACTIONAL)
    in_transactions = transactional is not None and transactional.value != ""
    explicit = asked is not None and asked.value.lower() == "true"
    for setting in in_force(client):
        if not breaks_idempotence(setting):
            continue
        if explicit or (in_transactions and asked is None):
            yield _refusal(setting, f" with {'enable.idempotence=true' if explicit else 'transactional.id'}")
        elif asked is None and setting.key == IN_FLIGHT and _refuses_by_default(cluster, client):
            yield _refusal(setting, ", and enable.idempotence is not set to false: since 4.0 that is refused")
    if in_transactions and asked is not None and not explicit:
        what = f"`{asked.key}={asked.value}` with transactional.id: the producer does not start"
        yield Finding("contradiction", "error", what, asked.origin, "remove it", "KIP-98, ProducerConfig")
    if transactional is not None and not in_transactions and underneath(client) == "java":
        what = f"`{TRANSACTIONAL}=` has no value: the producer does not start"
        yield Finding("contradiction", "error", what, transactional.origin, "remove it, or give one", "ProducerConfig")
    yield from _delivery(cluster, client)


def is_transactional(client: Client) -> bool:
    """Whether the client's own file, or the program that it is part of, says that it writes transactions."""
    setting = stated(client, TRANSACTIONAL)
    return setting is not None and setting.value != ""


def stated(client: Client, key: str) -> Setting | None:
    """What the client's own file says, whatever profile is active."""
    return next((setting for setting in reversed(client.settings) if setting.key == key and not setting.when), None)


def in_force(client: Client) -> list[Setting]:
    """The last statement of each setting."""
    return list({setting.key: setting for setting in client.settings if not setting.when}.values())


def breaks_idempotence(setting: Setting) -> bool:
    """Whether no producer is idempotent with it."""
    if setting.key == IN_FLIGHT:
        return setting.value.isdigit() and int(setting.value) > 5
    return setting.value in {"acks": ("0", "1"), "retries": ("0",)}.get(setting.key, ())


def _refuses_by_default(cluster: Cluster, client: Client) -> bool:
    on = value_of(cluster, client, "enable.idempotence")
    version = client.version
    later = version is not None and at_least(version.value, "4.0") is True
    return later and not isinstance(on, Unknown) and on.value == "true"


def _refusal(setting: Setting, why: str) -> Finding:
    what = f"`{setting.key}={setting.value}`{why}: the producer does not start"
    to_do = "acks=all, retries above 0, max.in.flight.requests.per.connection at most 5"
    return Finding("contradiction", "error", what, setting.origin, to_do, "KIP-679, ProducerConfig")


def _illegal(client: Client) -> Iterator[str]:
    """What Java's ConfigDef refuses; that it is not a legal value is a finding already, made by the readers."""
    if underneath(client) != "java":
        return
    for setting in in_force(client):
        key = table().get(setting.key)
        if key is None or "producer" not in key.scopes or setting.value == HIDDEN:
            continue
        empty = "has no value" if not setting.value and is_never_blank(key) else ""
        message = wrong(key, setting.value, "java") or empty
        if message:
            yield f"`{setting.key}={setting.value}` {message}: the producer does not start"


def _timeout(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """A transaction may not take longer than the brokers allow; whichever is its coordinator refuses it."""
    key, most = "transaction.timeout.ms", "transaction.max.timeout.ms"
    wanted = number_of(cluster, client, key)
    configured = [broker for broker in cluster.brokers if broker.settings]
    allowed = [number for broker in configured if (number := number_of(cluster, broker, most)) is not None]
    if not is_transactional(client) or wanted is None or not allowed or len(allowed) < len(configured):
        return
    if wanted > max(allowed):
        what = f"`{key}={wanted}` is above the brokers' {most}={max(allowed)}: the producer does not start"
        yield Finding(
            "contradiction", "error", what, place_of(cluster, client, key), f"at most {max(allowed)}", "KIP-98"
        )


def _delivery(cluster: Cluster, client: Client) -> Iterator[Finding]:
    keys = ("delivery.timeout.ms", "linger.ms", "request.timeout.ms")
    delivery, linger, request = (number_of(cluster, client, key) for key in keys)
    if stated(client, keys[0]) is None or None in (delivery, linger, request):
        return
    if (delivery or 0) < (linger or 0) + (request or 0):
        what = f"delivery.timeout.ms={delivery} is below linger.ms + request.timeout.ms: the producer does not start"
        where = place_of(cluster, client, keys[0])
        yield Finding("contradiction", "error", what, where, f"{(linger or 0) + (request or 0)} or more")
