"""Producers that do not start: settings that the client refuses, so that nothing is ever written.

An idempotent producer refuses acks other than all, no retries, and more in flight than it keeps in order; `DEMANDS`
says whose and since when. Where idempotence is on by default Java's and kafka-python's switch it off instead
(ProducerConfig, postProcessAndValidateIdempotenceConfigs), but Java's refuses over 5 in flight since 4.0 even then, and
franz-go refuses as if asked. A value that is not legal is refused by Java's ConfigDef before anything else, and so is
an empty transactional.id (NonEmptyString). A timeout of transactions above what the brokers allow is refused by the
coordinator: INVALID_TRANSACTION_TIMEOUT is fatal in InitProducerIdHandler, and in librdkafka's
rd_kafka_idemp_request_pid_failed.

What is said of librdkafka, from rd_kafka_conf_finalize of its releases, was tried with 2.3.0, 2.11.1, 2.12.0, 2.16.0.
From 1.5 to 1.8 it looks for linger.ms among a topic's settings, where it never is, so that it lowers it as if nobody
had set it, and starts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...language.immutable import immutable
from ..cluster.cluster import Client, Cluster
from ..cluster.findings import Finding
from ..cluster.settings import base_family, setting_number, setting_place, setting_value
from ..cluster.statements import Setting, Unknown
from ..kafka.keys import declared_key, is_true
from ..kafka.versions import is_at_least
from .client_settings import refused_values, settings_in_force, stated_setting
from .possible_clients import PossibleRefusal, possible_refusal, unknown_start
from .served_clients import unserved_client_findings

REQUEST_TIMEOUT_MS = declared_key("request.timeout.ms")
TRANSACTION_MAX_TIMEOUT_MS = declared_key("transaction.max.timeout.ms")
TRANSACTION_TIMEOUT_MS = declared_key("transaction.timeout.ms")
ACKS = declared_key("acks")

IN_FLIGHT = declared_key("max.in.flight.requests.per.connection")
TRANSACTIONAL = declared_key("transactional.id")
IDEMPOTENCE = declared_key("enable.idempotence")
TWO_PHASES = declared_key("transaction.two.phase.commit.enable")
DELIVERY, LINGER = declared_key("delivery.timeout.ms"), declared_key("linger.ms")


@immutable
class Demands:
    """What an idempotent producer refuses, from a version on and before another: more in flight than `max_in_flight`,
    acks other than all and, with `retries`, retries=0. With `unset` its own defaults count, too; with
    `is_refusing_by_default` it refuses although nobody asked for idempotence. `is_implied`: transactional.id asks for
    it, and else is refused."""

    since: str
    source: str
    until: str = ""
    max_in_flight: int = 5
    retries: bool = True
    unset: bool = False
    refuses_by_default: bool = False
    is_implied: bool = True


DEMANDS = {
    "java": (
        Demands("1.0", "KIP-679, ProducerConfig"),
        Demands("0.11", "KafkaProducer 0.11, configureInflightRequests", until="1.0", max_in_flight=1),
    ),
    "librdkafka": (Demands("1.0.0", "librdkafka CONFIGURATION.md, enable.idempotence"),),
    "kafka-python": (
        Demands("3.0.0", "kafka-python, producer/kafka.py"),
        Demands("2.2.0", "kafka-python, producer/kafka.py", until="3.0.0", max_in_flight=1),
    ),
    "sarama": (Demands("1.20.0", "Sarama, config.go, Validate", max_in_flight=1, unset=True, is_implied=False),),
    "franz-go": (
        Demands("1.0.0", "franz-go, kgo/config.go, validate", until="1.4.0", retries=False, refuses_by_default=True),
        Demands("1.4.0", "franz-go, kgo/config.go, validate", max_in_flight=1, retries=False, refuses_by_default=True),
    ),
}
"""By family. Of a client whose version is not stated the first that would do counts."""


def why_producer_stops(cluster: Cluster, client: Client) -> str:
    """Why a producer does not start, in words; "" if nothing says that it does not."""
    refusal = first_refusal_of_producer(cluster, client)
    return "" if refusal is None else refusal.what


def first_refusal_of_producer(cluster: Cluster, client: Client) -> Finding | None:
    """The first thing for which a producer does not start; None if nothing says that it does not."""
    return next((refusal for refusal in (*combination_refusals(cluster, client), *refused_values(client))), None)


def refused_settings(refusal: Finding, client: Client) -> list[Setting]:
    """What a producer's own files state of the settings that a refusal names, first the one at whose line it is."""
    named = [setting for setting in settings_in_force(client) if names_key(refusal.what, setting.key)]
    return sorted(named, key=lambda setting: setting.origin != refusal.where)


def names_key(text: str, key: str) -> bool:
    """Whether a text names a setting, and not one of which its name is a part."""
    return re.search(rf"(?<![\w.]){re.escape(key)}(?![\w]|\.\w)", text) is not None


def combination_refusals(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """The settings of a producer that are legal alone, and that it refuses together; where its family or release is not
    stated, what all that it may be refuse."""
    yield from (finding for finding in unserved_client_findings(cluster, client) if finding.severity == "error")
    own = list(_own_refusals(cluster, client))
    yield from own
    possible = None if own else _possible_refusal(cluster, client)
    if possible is not None and possible.is_certain:
        yield possible.reason


def unknown_refusal(cluster: Cluster, client: Client) -> Finding | None:
    """That some of the clients that a producer may be do not start; None where it is known whether it starts."""
    if why_producer_stops(cluster, client):
        return None
    possible = _possible_refusal(cluster, client)
    return None if possible is None else unknown_start(client, possible)


def _possible_refusal(cluster: Cluster, client: Client) -> PossibleRefusal | None:
    return possible_refusal(client, lambda known: (*_own_refusals(cluster, known), *refused_values(known)))


def _own_refusals(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """What a producer refuses by itself, whatever its brokers serve."""
    yield from _transaction_timeout_refusals(cluster, client)
    demands = _idempotence_demands(client)
    if demands is not None:
        yield from _idempotence_refusals(cluster, client, demands)
        yield from _transaction_refusals(client, demands)
    yield from _unknown_to_kafka_python(client)
    yield from _delivery_timeout_refusals(cluster, client)
    yield from _two_phase_commit_refusals(client)


def _two_phase_commit_refusals(client: Client) -> Iterator[Finding]:
    """A transaction of two phases has no timeout of its own (KIP-939, ProducerConfig of 4.1)."""
    asked, timeout = stated_setting(client, TWO_PHASES), stated_setting(client, TRANSACTION_TIMEOUT_MS)
    java = base_family(client) == "java" and _is_version_in(client, "4.1")
    if java and asked is not None and _is_on(asked) and timeout is not None:
        what = f"`{timeout.key}={timeout.value}` with {TWO_PHASES}=true: the producer does not start"
        yield Finding("contradiction", "error", what, timeout.origin, f"remove {timeout.key}", "KIP-939")


def _unknown_to_kafka_python(client: Client) -> Iterator[Finding]:
    """KafkaProducer of kafka-python refuses what it has no name for, as 1.4.7 and 2.1.5 do ("Unrecognized configs").

    Idempotence and transactions came with 2.2.0."""
    if base_family(client) != "kafka-python" or not _is_version_in(client, "1.4.7", "2.2.0"):
        return
    for given in (stated_setting(client, IDEMPOTENCE), stated_setting(client, TRANSACTIONAL)):
        if given is not None:
            what = f"`{given.key}={given.value}` is unknown to kafka-python before 2.2.0: the producer does not start"
            to_do = "remove it, or kafka-python 2.2.0 or later"
            yield Finding("contradiction", "error", what, given.origin, to_do, "kafka-python, producer/kafka.py")


def _idempotence_demands(client: Client) -> Demands | None:
    for demands in DEMANDS.get(base_family(client) or "", ()):
        if client.version is None or _is_version_in(client, demands.since, demands.until):
            return demands
    return None


def _is_version_in(client: Client, since: str, until: str = "") -> bool:
    """Whether a client's version is stated, and in a span."""
    if client.version is None or is_at_least(client.version.value, since) is not True:
        return False
    return not until or is_at_least(client.version.value, until) is False


def _idempotence_refusals(cluster: Cluster, client: Client, demands: Demands) -> Iterator[Finding]:
    """What an idempotent producer refuses."""
    asked = stated_setting(client, IDEMPOTENCE)
    explicit, implied = asked is not None and _is_on(asked), asked is None and is_transactional(client)
    wanted = f"with {IDEMPOTENCE}=true" if explicit else f"with {TRANSACTIONAL}"
    by_default = asked is None and _is_idempotence_on(cluster, client)
    for setting in settings_in_force(client):
        if not _is_against_idempotence(setting, demands):
            continue
        if explicit or (implied and demands.is_implied):
            yield _refusal_finding(setting, f" {wanted}", demands)
        elif by_default and demands.refuses_by_default:
            yield _refusal_finding(setting, f", and {IDEMPOTENCE} is not set to false", demands)
        elif (
            by_default and setting.key == IN_FLIGHT and base_family(client) == "java" and _is_version_in(client, "4.0")
        ):
            yield _refusal_finding(
                setting, f", and {IDEMPOTENCE} is not set to false: since 4.0 that is refused", demands
            )
    if explicit and demands.unset:
        yield from _defaults_that_break(cluster, client, demands)


def _defaults_that_break(cluster: Cluster, client: Client, demands: Demands) -> Iterator[Finding]:
    for key in (ACKS, IN_FLIGHT):
        answer = setting_value(cluster, client, key)
        if stated_setting(client, key) is not None or isinstance(answer, Unknown):
            continue
        setting = Setting(key, answer.value, setting_place(cluster, client, IDEMPOTENCE))
        if _is_against_idempotence(setting, demands):
            yield _refusal_finding(setting, f" by default, with {IDEMPOTENCE}=true", demands)


def _transaction_refusals(client: Client, demands: Demands) -> Iterator[Finding]:
    """Transactions without idempotence, and a transactional.id without one."""
    asked, given = stated_setting(client, IDEMPOTENCE), stated_setting(client, TRANSACTIONAL)
    if given is None or (
        not demands.is_implied and not _is_version_in(client, "1.37.0")
    ):  # Sarama has transactions since then
        return
    if given.value and asked is not None and not _is_on(asked):
        what = f"`{asked.key}={asked.value}` with {TRANSACTIONAL}: the producer does not start"
        yield Finding("contradiction", "error", what, asked.origin, "remove it", f"KIP-98, {demands.source}")
    elif given.value and asked is None and not demands.is_implied:
        what = f"`{given.key}={given.value}` without {IDEMPOTENCE}=true: the producer does not start"
        yield Finding("contradiction", "error", what, given.origin, f"{IDEMPOTENCE}=true", demands.source)
    if not given.value and base_family(client) == "java":
        what = f"`{TRANSACTIONAL}=` has no value: the producer does not start"
        yield Finding("contradiction", "error", what, given.origin, "remove it, or give one", "ProducerConfig")


def _is_on(setting: Setting) -> bool:
    """Whether a boolean is true, by any client's word for it; what a client does not take is a finding of its own."""
    return is_true(setting.value) or setting.value.lower() in ("t", "1")


def is_transactional(client: Client) -> bool:
    """Whether the client's own file, or the program that it is part of, says that it writes transactions."""
    setting = stated_setting(client, TRANSACTIONAL)
    return setting is not None and setting.value != ""


def is_switching_idempotence_off(client: Client, setting: Setting) -> bool:
    """Whether a producer that nobody asked to be idempotent is not, with this setting."""
    return not is_refusing_by_default(client) and _is_against_idempotence(setting, DEMANDS["java"][0])


def is_refusing_by_default(client: Client) -> bool:
    """Whether a client is idempotent unless that is set to false, and refuses what does not go with it."""
    return any(demands.refuses_by_default for demands in DEMANDS.get(base_family(client) or "", ()))


def _is_against_idempotence(setting: Setting, demands: Demands) -> bool:
    if setting.key == IN_FLIGHT:
        return setting.value.isdigit() and int(setting.value) > demands.max_in_flight
    if setting.key == "retries":
        return demands.retries and setting.value == "0"
    return setting.key == "acks" and setting.value in ("0", "1")


def _is_idempotence_on(cluster: Cluster, client: Client) -> bool:
    on = setting_value(cluster, client, IDEMPOTENCE)
    return not isinstance(on, Unknown) and is_true(on.value)


def _refusal_finding(setting: Setting, why: str, demands: Demands) -> Finding:
    what = f"`{setting.key}={setting.value}`{why}: the producer does not start"
    demanded = {"retries": "retries above 0", IN_FLIGHT: f"{IN_FLIGHT} at most {demands.max_in_flight}"}
    to_do = demanded.get(setting.key, "acks=all")
    return Finding("contradiction", "error", what, setting.origin, to_do, demands.source)


def _transaction_timeout_refusals(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """A transaction takes 1 ms or more, and no longer than the brokers allow, which its coordinator refuses."""
    key, most = TRANSACTION_TIMEOUT_MS, TRANSACTION_MAX_TIMEOUT_MS
    wanted = setting_number(cluster, client, key)
    if is_transactional(client) and wanted is not None and wanted < 1:
        what = f"`{key}={wanted}`: the coordinator takes 1 or more, and the producer does not start"
        yield Finding("contradiction", "error", what, setting_place(cluster, client, key), "1 or more", "KIP-98")
    configured = [broker for broker in cluster.brokers if broker.settings]
    allowed = [number for broker in configured if (number := setting_number(cluster, broker, most)) is not None]
    if not is_transactional(client) or wanted is None or not allowed or len(allowed) < len(configured):
        return
    if wanted > max(allowed):
        what = f"`{key}={wanted}` is above the brokers' {most}={max(allowed)}: the producer does not start"
        yield Finding(
            "contradiction", "error", what, setting_place(cluster, client, key), f"at most {max(allowed)}", "KIP-98"
        )


def _delivery_timeout_refusals(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """A record's time, which begins before it is sent. Java has it since 2.1, kafka-python since 2.2."""
    family = base_family(client)
    if family == "librdkafka":
        yield from _librdkafka_delivery_timeout_refusals(cluster, client)
    elif family == "java" and (client.version is None or _is_version_in(client, "2.1")):
        yield from _java_delivery_timeout_refusals(cluster, client, "ProducerConfig")
    elif family == "kafka-python" and _is_version_in(client, "2.2.0"):
        yield from _java_delivery_timeout_refusals(cluster, client, "kafka-python, producer/record_accumulator.py")


INT_MAX = (1 << 31) - 1
"""At which KafkaProducer.configureDeliveryTimeout cuts the sum off."""


def _java_delivery_timeout_refusals(cluster: Cluster, client: Client, source: str) -> Iterator[Finding]:
    delivery, linger, request = (setting_number(cluster, client, key) for key in (DELIVERY, LINGER, REQUEST_TIMEOUT_MS))
    if stated_setting(client, DELIVERY) is None or delivery is None or linger is None or request is None:
        return
    least = min(linger + request, INT_MAX)
    if delivery < least:
        what = f"delivery.timeout.ms={delivery} is below linger.ms + request.timeout.ms: the producer does not start"
        where = setting_place(cluster, client, DELIVERY)
        yield Finding("contradiction", "error", what, where, f"{least} or more", source)


def _librdkafka_delivery_timeout_refusals(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """It lowers a linger.ms that nobody has set; message.timeout.ms=0 is without end, since 1.2."""
    delivery, linger = (setting_number(cluster, client, key) for key in (DELIVERY, LINGER))
    transaction, where = (
        setting_number(cluster, client, TRANSACTION_TIMEOUT_MS),
        setting_place(cluster, client, DELIVERY),
    )
    source, lowers = (
        "librdkafka, rd_kafka_conf_finalize",
        stated_setting(client, LINGER) is None or _is_version_in(client, "1.5", "1.9"),
    )
    too_short = not lowers and delivery and linger is not None and delivery <= linger
    if too_short or (delivery == 0 and _is_version_in(client, "1.0", "1.2")):  # there 0 was not without end yet
        what = f"message.timeout.ms={delivery} is not above linger.ms={linger}: the producer does not start"
        yield Finding("contradiction", "error", what, where, f"{(linger or 0) + 1} or more", source)
    longer = delivery is not None and transaction is not None and delivery > transaction
    if is_transactional(client) and stated_setting(client, DELIVERY) is not None and longer:
        what = f"message.timeout.ms={delivery} is above transaction.timeout.ms={transaction}"
        what += ": the producer does not start"
        yield Finding("contradiction", "error", what, where, f"at most {transaction}", source)
