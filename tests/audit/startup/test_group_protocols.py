"""Groups of KIP-848, of Streams and of share consumers: which brokers serve them, and with which command they would."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options
from tidegate.audit.rules.clients import two_phases_not_sent
from tidegate.audit.rules.group_members import consumers_down
from tidegate.audit.startup.group_protocols import group_findings

BROKER = "node.id=1\nprocess.roles=broker\ncontroller.quorum.voters=101@c:9093\nlog.dirs=/data\n"
LIST = "group.coordinator.rebalance.protocols"
RAISE = "kafka-features.sh --bootstrap-server HOST:9092 upgrade --feature"
CONSUMER, STREAMS = "group.id=g\ngroup.protocol=consumer\n", "application.id=app\ngroup.protocol=streams\n"
SHARE = "group.id=g\nshare.acknowledgement.mode=explicit\n"


def findings_of(
    kafka: str, client: str, consumer: str, broker: str = "", features: tuple[str, ...] = (), *, described: str = ""
) -> list[Finding]:
    texts = [("consumer.properties", consumer, True), ("broker.properties", BROKER + broker, True)]
    if described:
        levels = "SupportedMinVersion: 0\tSupportedMaxVersion: 1\tFinalizedVersionLevel: 0"
        texts.append(("features.txt", f"Feature: {described}\t{levels}\tEpoch: 5\n", True))
    options = Options(
        kafka_version=kafka, distribution="apache", clients=(client,) if client else (), features=features
    )
    cluster, _ = read_cluster_texts(texts, options, "x")
    reader = next(one for one in cluster.clients if one.kind == "consumer")
    found = list(group_findings(cluster, reader))
    down = [finding.what for finding in consumers_down(cluster)]
    assert down == [finding.what for finding in found if finding.severity == "error"][:1]
    return found


@pytest.mark.parametrize(
    ("kafka", "broker", "described", "why", "to_do"),
    [
        ("3.6", "", "", "brokers of 3.6 do not have that protocol", "or brokers of 4.0 or later"),
        ("3.7", "", "", f"the brokers have {LIST}=classic", f"or {LIST}=classic,consumer on all brokers"),
        ("3.9", "", "", f"the brokers have {LIST}=classic", f"or {LIST}=classic,consumer on all brokers"),
        ("3.8", f"{LIST}=Classic\n", "", "rebalance.protocols=Classic", f"or {LIST}=classic,consumer on all brokers"),
        ("4.1", "", "group.version", "group.version is 0 (features.txt:1)", f"or {RAISE} group.version=1"),
        (
            "4.2",
            f"{LIST}=classic,streams\n",
            "group.version",
            f"the brokers have {LIST}=classic,streams; group.version is 0 (features.txt:1)",
            f"or {LIST}=classic,streams,consumer on all brokers; {RAISE} group.version=1",
        ),
    ],
)
def test_a_group_of_kip_848_is_refused(kafka: str, broker: str, described: str, why: str, to_do: str) -> None:
    """The command is the one that helps: up to 3.9 brokers do not ask for the feature, and since 4.0 they do."""
    (finding,) = findings_of(kafka, "java:4.0", CONSUMER, broker, described=described)
    assert why in finding.what and finding.what.endswith("no consumer of the group can join it")
    assert finding.to_do == f"`group.protocol=classic`, {to_do}"


def test_brokers_of_before_4_0_do_not_ask_for_the_feature() -> None:
    assert findings_of("3.9", "java:4.0", CONSUMER, f"{LIST}=classic,consumer\n", described="group.version") == []


def test_a_cluster_that_was_upgraded_may_lack_the_feature() -> None:
    (finding,) = findings_of("4.0", "java:4.0", CONSUMER)
    assert finding.kind == "incomplete" and "whether group.version is 1 is not said" in finding.what
    assert findings_of("4.0", "java:4.0", CONSUMER, features=("group.version=1",)) == []


@pytest.mark.parametrize(
    ("version", "key", "value", "kind", "says"),
    [
        ("3.6", "group.protocol", "consumer", "advice", "is ignored in its release"),
        ("3.9", "group.protocol", "consumer", "contradiction", "the application processes nothing"),
        ("3.9", "main.consumer.group.protocol", "CONSUMER", "contradiction", "the application processes nothing"),
        ("3.8", "group.protocol", "streams", "contradiction", "the application does not start"),
        ("4.0", "group.protocol", "consumer", "advice", "is ignored in its release"),
        ("4.0", "group.protocol", "streams", "advice", "is ignored in its release"),
        ("4.0", "main.consumer.group.protocol", "consumer", "contradiction", "the application does not start"),
        ("4.1", "group.protocol", "consumer", "contradiction", "the application does not start"),
        ("4.1", "consumer.group.protocol", "consumer", "advice", "is ignored in its release"),
        ("4.2", "main.consumer.group.protocol", "streams", "contradiction", "the application does not start"),
        ("", "group.protocol", "consumer", "incomplete", "before 3.7 is ignored; 3.7 to 3.9 the application processes"),
    ],
)
def test_an_application_of_streams_has_a_protocol_of_its_own(
    version: str, key: str, value: str, kind: str, says: str
) -> None:
    client = f"java:{version}" if version else ""
    (finding,) = findings_of("4.2", client, f"application.id=app\n{key}={value}\n", features=("streams.version=1",))
    assert finding.kind == kind and says in finding.what and f"`{key}={value}`" in finding.what


@pytest.mark.parametrize(
    ("kafka", "broker", "features", "says"),
    [
        ("4.2", "", ("streams.version=1",), ""),
        ("4.3", "", ("streams.version=1",), ""),
        ("4.2", "", ("streams.version=0",), "streams.version is 0"),
        ("4.2", "", (), "whether streams.version is 1 is not said"),
        ("4.2", f"{LIST}=classic,consumer\n", ("streams.version=1",), f"the brokers have {LIST}=classic,consumer"),
        ("4.1", "", ("streams.version=1",), "in 4.1 its requests are unstable"),
        ("4.1", "unstable.api.versions.enable=true\n", ("streams.version=1",), ""),
        ("4.0", "", (), "brokers of 4.0 do not have that protocol"),
    ],
)
def test_groups_of_streams_are_served_where_brokers_allow_them(
    kafka: str, broker: str, features: tuple[str, ...], says: str
) -> None:
    """KIP-1071: the word is no mistake, and no key of a consumer."""
    found = findings_of(kafka, "java:4.2", STREAMS, broker, features)
    assert [says in finding.what for finding in found] == ([True] if says else [])


def test_groups_of_streams_have_no_static_members() -> None:
    (finding,) = findings_of("4.2", "java:4.2", f"{STREAMS}group.instance.id=a\n", features=("streams.version=1",))
    assert finding.what == "`group.instance.id=a` with `group.protocol=streams`: the application does not start"


@pytest.mark.parametrize(
    ("kafka", "broker", "features", "says"),
    [
        ("3.9", "group.share.enable=true\n", (), "brokers of 3.9 do not have that protocol"),
        ("4.0", "", (), "brokers of 4.0 do not have that protocol"),
        ("4.0", f"unstable.api.versions.enable=true\n{LIST}=classic,consumer,share\n", (), "brokers of 4.0 do not"),
        ("4.1", "", (), "whether share.version is 1 is not said"),
        ("4.1", "", ("share.version=0",), "share.version is 0"),
        ("4.1", "group.share.enable=true\n", ("share.version=0",), ""),
        ("4.1", "", ("share.version=1",), ""),
        ("4.2", "group.share.enable=true\n", (), ""),
        ("4.3", "group.share.enable=true\n", ("share.version=0",), "share.version is 0"),
        ("4.4", "", ("share.version=2",), ""),
    ],
)
def test_share_groups_are_served_by_release(kafka: str, broker: str, features: tuple[str, ...], says: str) -> None:
    """KIP-932: 4.0 has other requests (early access), and 4.1 has the groups and not by default (preview)."""
    found = findings_of(kafka, "java:4.1", SHARE, broker, features)
    assert [says in finding.what for finding in found] == ([True] if says else [])
    if says == "share.version is 0":
        assert found[0].to_do == f"{RAISE} share.version=1"


def test_a_share_consumer_refuses_settings_of_other_consumers() -> None:
    (finding,) = findings_of("4.2", "java:4.2", f"{SHARE}auto.offset.reset=earliest\n", features=("share.version=1",))
    assert finding.what.startswith("`auto.offset.reset=earliest` with `share.acknowledgement.mode`: neither")


@pytest.mark.parametrize(("client", "why"), [("java:4.0", "do not know it"), ("java:4.4", "do not send it")])
def test_no_client_asks_for_two_phases_yet(client: str, why: str) -> None:
    """KIP-939: a producer that relies on it loses what it has prepared."""
    text = "transactional.id=t\ntransaction.two.phase.commit.enable=true\n"
    cluster, _ = read_cluster_texts([("producer.properties", text, True)], Options(clients=(client,)), "x")
    (finding,) = two_phases_not_sent(cluster.clients[0])
    assert finding.kind == "incomplete" and why in finding.what
