"""Groups that the brokers do not serve: KIP-848's, those of Streams (KIP-1071) and share groups (KIP-932).

`KafkaApis` (isConsumerGroupProtocolEnabled, isStreamsGroupProtocolEnabled, isShareGroupProtocolEnabled) of 3.7.0 to
4.3.0: groups of KIP-848 by `group.coordinator.rebalance.protocols` alone up to 3.9, and since 4.0 by `group.version`,
too; those of Streams by that list and `streams.version` since 4.1, where their requests are unstable
(StreamsGroupHeartbeat: latestVersionUnstable) and no broker offers the feature without unstable ones (StreamsVersion:
LATEST_PRODUCTION); share groups of 4.1 and 4.2 by `group.share.enable` or `share.version`, and since 4.3 by that
feature alone. The share consumers that files show are of 4.1 and later, and 4.0 has none of their requests
(ShareGroupHeartbeat: version 0 in 4.0, 1 since 4.1).

An application of Streams (StreamsConfig, NON_CONFIGURABLE_CONSUMER_DEFAULT_CONFIGS, getMainConsumerConfigs;
ConsumerConfig, CONSUMER_PROTOCOL_UNSUPPORTED_CONFIGS) has `group.protocol` of its own since 4.1, which is classic or
streams. Before 3.7 its consumers do not know the key. From 3.7 to 3.9 they take `consumer`, and never ask the assignor
that makes the application's tasks. Since 4.0 what is set for them is taken back, but for `main.consumer.`, which the
consumer refuses beside Streams' assignor.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...language.immutable import immutable
from ..cluster.cluster import Client, Cluster
from ..cluster.findings import Finding
from ..cluster.settings import base_family, setting_value
from ..cluster.statements import Setting, Unknown
from ..kafka.keys import declared_key, is_true
from ..kafka.tools import BOOTSTRAP
from ..kafka.versions import is_at_least
from .client_settings import stated_setting

PROTOCOLS = declared_key("group.coordinator.rebalance.protocols")
UNSTABLE, SHARE_ENABLE = declared_key("unstable.api.versions.enable"), declared_key("group.share.enable")
PROTOCOL, INSTANCE = declared_key("group.protocol"), declared_key("group.instance.id")
OF_SHARE = ("share.acknowledgement.mode", "share.acquire.mode")
"""Settings of a consumer that KafkaShareConsumer alone takes (ConsumerConfig, SHARE_ACKNOWLEDGEMENT_MODE_CONFIG)."""

NOT_OF_SHARE = (
    "auto.offset.reset", "enable.auto.commit", "group.instance.id", "isolation.level", "partition.assignment.strategy",
    "session.timeout.ms", "heartbeat.interval.ms", "group.protocol", "group.remote.assignor",
)  # fmt: skip
"""Settings with which a share consumer does not start, beside interceptors (ShareConsumerConfig,
SHARE_GROUP_UNSUPPORTED_CONFIGS)."""


@immutable
class GroupProtocol:
    """A protocol of groups: its word, in which release brokers first serve it, its feature, since which release that
    is asked for, and its KIP."""

    word: str
    since: str
    feature: str
    feature_since: str
    source: str


CONSUMER = GroupProtocol("consumer", "3.7", "group.version", "4.0", "KIP-848")
STREAMS = GroupProtocol("streams", "4.1", "streams.version", "4.1", "KIP-1071")
SHARE = GroupProtocol("share", "4.1", "share.version", "4.1", "KIP-932")

Need = tuple[str, str]
"""Why the brokers do not serve a protocol, and what to do."""


def group_findings(cluster: Cluster, client: Client) -> Iterator[Finding]:
    """Why no member with a client's settings joins its group, or that it is not known."""
    if client.kind != "consumer":
        return
    if client.of_streams:
        for setting in client.of_streams:
            yield from _findings_of_streams(cluster, client, setting)
    elif (shared := share_setting(client)) is not None:
        yield from _share_findings(cluster, client, shared)
    elif (asked := stated_setting(client, PROTOCOL)) is not None and asked.value.lower() == CONSUMER.word:
        yield from _service_findings(
            cluster, CONSUMER, asked, "no consumer of the group can join it", f"`{asked.key}=classic`"
        )


def share_setting(client: Client) -> Setting | None:
    """The setting that shows a consumer to be one of share groups; None of any other."""
    settings = client.settings if base_family(client) in (None, "java", "librdkafka") else ()
    return next((setting for setting in settings if setting.key in OF_SHARE), None)


# --- what the brokers serve -------------------------------------------------------------------------------------------


def _service_findings(
    cluster: Cluster, protocol: GroupProtocol, setting: Setting, effect: str, instead: str = ""
) -> Iterator[Finding]:
    """That the brokers do not serve what a setting asks for, or that no file says whether they do."""
    kafka = cluster.versions.kafka
    if kafka is None:
        return
    needs = list(_unmet_needs(cluster, protocol, kafka.value))
    said = f"`{setting.key}={setting.value}`"
    if needs:
        why, steps = "; ".join(why for why, _ in needs), "; ".join(to_do for _, to_do in needs)
        to_do = f"{instead}, or {steps}" if instead else steps
        yield Finding("contradiction", "error", f"{said}: {why}: {effect}", setting.origin, to_do, protocol.source)
    elif _is_open(cluster, protocol, kafka.value):
        what = (
            f"{said}: whether {protocol.feature} is 1 is not said, which a cluster that was upgraded need not have: "
            f"where it is 0, {effect}"
        )
        to_do = f"--features {protocol.feature}=LEVEL, as kafka-features.sh describe says"
        yield Finding("incomplete", "warning", what, setting.origin, to_do, protocol.source)


def _unmet_needs(cluster: Cluster, protocol: GroupProtocol, kafka: str) -> Iterator[Need]:
    if is_at_least(kafka, protocol.since) is False:
        since = "4.0" if protocol is CONSUMER else "4.2"
        yield f"brokers of {kafka} do not have that protocol", f"brokers of {since} or later"
        return
    yield from _disabling_settings(cluster, protocol, kafka)
    level = cluster.versions.features.get(protocol.feature)
    if is_at_least(kafka, protocol.feature_since) is not True or _is_enabled_by_share(cluster, protocol, kafka):
        return
    if (level is not None and level.value == "0") or (level is None and cluster.versions.all_features):
        where = f" ({level.origin})" if level is not None else ""
        yield f"{protocol.feature} is 0{where}", _raise_feature(protocol, kafka)


def _raise_feature(protocol: GroupProtocol, kafka: str) -> str:
    """The command that finalizes a feature, which brokers refuse where they do not offer that level."""
    command = f"kafka-features.sh {BOOTSTRAP} upgrade --feature {protocol.feature}=1"
    if protocol is STREAMS and is_at_least(kafka, "4.2") is not True:
        return f"brokers of 4.2 or later, and then {command}"
    return command


def _disabling_settings(cluster: Cluster, protocol: GroupProtocol, kafka: str) -> Iterator[Need]:
    """What brokers' own settings switch off."""
    for broker in cluster.topic_keepers:
        enabled = setting_value(cluster, broker, PROTOCOLS)
        if protocol is SHARE or isinstance(enabled, Unknown):
            continue
        listed = _list_words(enabled.value)
        if protocol.word not in listed:
            asks = f"{PROTOCOLS}={','.join([*listed, protocol.word])} on all brokers"
            yield f"the brokers have {PROTOCOLS}={enabled.value}", asks
            break
    for broker in cluster.topic_keepers if protocol is STREAMS and is_at_least(kafka, "4.2") is False else ():
        unstable = setting_value(cluster, broker, UNSTABLE)
        if not isinstance(unstable, Unknown) and not is_true(unstable.value):
            yield f"in 4.1 its requests are unstable, and the brokers have {UNSTABLE}=false", "brokers of 4.2 or later"
            break


def _list_words(text: str) -> list[str]:
    return [word.strip().lower() for word in text.split(",") if word.strip()]


def _is_enabled_by_share(cluster: Cluster, protocol: GroupProtocol, kafka: str) -> bool:
    """Whether every broker of 4.1 or 4.2 switches share groups on by itself."""
    if protocol is not SHARE or is_at_least(kafka, "4.3") is not False or not cluster.topic_keepers:
        return False
    answers = [setting_value(cluster, broker, SHARE_ENABLE) for broker in cluster.topic_keepers]
    return all(not isinstance(answer, Unknown) and is_true(answer.value) for answer in answers)


def _is_open(cluster: Cluster, protocol: GroupProtocol, kafka: str) -> bool:
    """Whether the level of the feature decides, and nothing says it."""
    if is_at_least(kafka, protocol.feature_since) is False or _is_enabled_by_share(cluster, protocol, kafka):
        return False
    return protocol.feature not in cluster.versions.features


# --- share consumers --------------------------------------------------------------------------------------------------


def _share_findings(cluster: Cluster, client: Client, share_setting: Setting) -> Iterator[Finding]:
    yield from _service_findings(cluster, SHARE, share_setting, "no share consumer of the group gets a record")
    for key in NOT_OF_SHARE if base_family(client) != "librdkafka" else ():
        refused = next((setting for setting in client.settings if setting.key == key and not setting.when), None)
        if refused is not None:
            what = (
                f"`{refused.key}={refused.value}` with `{share_setting.key}`: neither a consumer nor a share "
                "consumer starts with both"
            )
            to_do = f"remove {refused.key} of a share consumer, {share_setting.key} of any other"
            yield Finding("contradiction", "error", what, refused.origin, to_do, "ShareConsumerConfig, ConsumerConfig")


# --- applications of Streams ------------------------------------------------------------------------------------------

IGNORED, NOTHING, REFUSED = "is ignored", "the application processes nothing", "the application does not start"


def _findings_of_streams(cluster: Cluster, client: Client, setting: Setting) -> Iterator[Finding]:
    """What an application makes of a protocol, by its release."""
    if setting.value.lower() == "classic":
        return
    said, outcomes = f"`{setting.key}={setting.value}`", _possible_streams_outcomes(client, setting)
    source = "StreamsConfig" if setting.value.lower() != STREAMS.word else f"StreamsConfig, {STREAMS.source}"
    if outcomes == {""}:
        yield from _static_members(client, setting)
        yield from _service_findings(
            cluster, STREAMS, setting, "the application processes nothing", f"`{setting.key}=classic`"
        )
    elif len(outcomes) > 1:
        by_release = _outcomes_by_release(setting)
        what = f"{said} of a Streams application: by its release {by_release}; its release is not stated"
        yield Finding("incomplete", "warning", what, setting.origin, "--client java:VERSION", source)
    elif outcomes == {IGNORED}:
        what = f"{said} of a Streams application is ignored in its release: its group has the classic protocol"
        yield Finding("advice", "warning", what, setting.origin, f"remove {setting.key}", source)
    else:
        what = f"{said}: {next(iter(outcomes))}"
        if outcomes == {NOTHING}:
            what += ": Streams' own assignor, which makes its tasks, is not asked in that protocol"
        yield Finding("contradiction", "error", what, setting.origin, f"remove {setting.key}", source)


SPANS = (("before 3.7", "", "3.7"), ("3.7 to 3.9", "3.7", "4.0"), ("4.0", "4.0", "4.1"), ("since 4.1", "4.1", ""))
"""Releases of Streams that take a protocol in different ways: in words, since which, before which."""


def _streams_outcome(setting: Setting, span: int) -> str:
    """What an application of one of these releases makes of it; "" where it uses the protocol."""
    word, main = setting.value.lower(), setting.key.startswith("main.consumer.")
    if span == 0:
        return IGNORED
    if span == 1:
        return NOTHING if word == CONSUMER.word else REFUSED
    if main:
        return REFUSED
    if span == 2 or setting.key != PROTOCOL:
        return IGNORED
    return "" if word == STREAMS.word else REFUSED


def _possible_streams_outcomes(client: Client, setting: Setting) -> set[str]:
    """What it may make of it, by what is known of its release."""
    version = client.version
    return {
        _streams_outcome(setting, at)
        for at, (_, since, until) in enumerate(SPANS)
        if version is None
        or (
            not (since and is_at_least(version.value, since) is False)
            and not (until and is_at_least(version.value, until))
        )
    }


def _outcomes_by_release(setting: Setting) -> str:
    return "; ".join(f"{words} {_streams_outcome(setting, at) or 'is taken'}" for at, (words, _, _) in enumerate(SPANS))


def _static_members(client: Client, setting: Setting) -> Iterator[Finding]:
    """Groups of Streams have no static members (StreamsConfig.verifyStreamsProtocolCompatibility)."""
    static = stated_setting(client, INSTANCE)
    if static is not None and static.value:
        what = f"`{static.key}={static.value}` with `{setting.key}={setting.value}`: the application does not start"
        yield Finding("contradiction", "error", what, static.origin, f"remove {static.key}", "StreamsConfig, KIP-1071")
