"""Spring's profiles: what one of them sets is in force with it alone, and nothing says which one is active."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.cluster.settings import setting_value
from tidegate.audit.cluster.statements import Unknown, UnreadableInputError
from tidegate.audit.joining.options import Options
from tidegate.audit.kafka.keys import declared_key
from tidegate.audit.questions.signature import Signature
from tidegate.audit.questions.subjects import cluster_subjects

TOPIC = (
    "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
    "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: 1,2,3\n"
)
BASE = "spring:\n  kafka:\n    bootstrap-servers: b:9092\n    producer:\n      acks: {}\n"
PROFILE = "spring:\n  config:\n    activate:\n      on-profile: {}\n  kafka:\n    producer:\n      {}\n"


def of(files: dict[str, str], client: str = "java:3.9") -> tuple[Cluster, list[Finding]]:
    texts = [(name, text, True) for name, text in {"t.txt": TOPIC, **files}.items()]
    cluster, findings = read_cluster_texts(
        texts, Options(kafka_version="3.9.0", distribution="apache", clients=(client,)), "x"
    )
    return cluster, list(findings)


def signatures(cluster: Cluster) -> list[Signature]:
    (orders,) = (subject for subject in cluster_subjects(cluster) if subject.topics[0].name == "orders")
    return [variant.signature for variant in orders.variants]


def acks(cluster: Cluster) -> set[str]:
    return {signature.acks for signature in signatures(cluster)}


@pytest.mark.parametrize(
    ("base", "profile", "expected"),
    [
        ("1", "all", {"leader", "all"}),
        ("all", "1", {"leader", "all"}),
        ("0", "all", {"none", "all"}),
        ("all", "all", {"all"}),
    ],
)
def test_a_document_with_a_profile_may_be_in_force_or_not(base: str, profile: str, expected: set[str]) -> None:
    files = {"application.yml": BASE.format(base) + "---\n" + PROFILE.format("dev", f"acks: {profile}")}
    cluster, findings = of(files)
    assert acks(cluster) == expected
    assert not [finding for finding in findings if "stated twice" in finding.what]
    answer = setting_value(cluster, cluster.clients[0], declared_key("acks"))
    assert isinstance(answer, Unknown) is (len(expected) == 2)
    if isinstance(answer, Unknown):
        assert "with the profile dev (application.yml:" in answer.why and "the profiles that are active" in answer.ask


def test_the_spelling_before_spring_boot_2_4() -> None:
    cluster, _ = of(
        {
            "application.yml": BASE.format("1")
            + "---\nspring:\n  profiles: [prod, eu]\n  kafka: {producer: {acks: all}}\n"
        }
    )
    assert acks(cluster) == {"leader", "all"}


def test_a_default_is_open_where_only_a_profile_sets_it() -> None:
    text = (
        BASE.format("all") + "---\n" + PROFILE.format("dev", "properties: {max.in.flight.requests.per.connection: 6}")
    )
    cluster, _ = of({"application.yml": text})
    assert {signature.idempotent for signature in signatures(cluster)} == {True, False}


def test_documents_of_a_properties_file() -> None:
    text = "spring.kafka.producer.acks=1\n#---\nspring.config.activate.on-profile=dev\nspring.kafka.producer.acks=all\n"
    cluster, _ = of({"application.properties": text})
    assert acks(cluster) == {"leader", "all"}


@pytest.mark.parametrize("suffix", ["yml", "properties"])
def test_a_file_of_a_profile_counts_with_it(suffix: str) -> None:
    text = {"yml": "spring: {kafka: {producer: {acks: 1}}}\n", "properties": "spring.kafka.producer.acks=1\n"}[suffix]
    files = {"application.yml": BASE.format("all"), f"application-prod.{suffix}": text}
    cluster, _ = of(files)
    assert acks(cluster) == {"leader", "all"}
    named, _ = of({**files, "audit.toml": '[topic.orders]\nproducer = "application.yml"\n'})
    assert acks(named) == {"leader", "all"}


def test_the_file_of_a_profile_that_audit_toml_names_is_in_force() -> None:
    files = {
        "application.yml": BASE.format("1"),
        "application-prod.yml": "spring: {kafka: {producer: {acks: all}}}\n",
        "audit.toml": '[topic.orders]\nproducer = "application-prod.yml"\n',
    }
    assert acks(of(files)[0]) == {"all"}


COMPOSE = "services:\n  app:\n    image: shop/app:1\n    environment:\n      {}: '{}'\n"


@pytest.mark.parametrize(
    ("variable", "value", "key"),
    [
        ("SPRING_KAFKA_PRODUCER_ACKS", "1", "acks"),
        ("SPRING_KAFKA_PRODUCER_PROPERTIES_ENABLE_IDEMPOTENCE", "false", "enable.idempotence"),
        ("SPRING_KAFKA_PRODUCER_TRANSACTION_ID_PREFIX", "t", "transactional.id"),
    ],
)
def test_a_variable_of_springs_is_a_setting_of_the_service(variable: str, value: str, key: str) -> None:
    cluster, _ = of({"docker-compose.yml": COMPOSE.format(variable, value)})
    (client,) = cluster.clients
    assert client.name == "app" and [(setting.key, setting.value) for setting in client.settings] == [(key, value)]
    assert not cluster.whole and not [broker for broker in cluster.brokers if broker.settings]


def test_a_variable_may_be_stronger_than_a_file() -> None:
    files = {
        "application.yml": BASE.format("all"),
        "docker-compose.yml": COMPOSE.format("SPRING_KAFKA_PRODUCER_ACKS", "1"),
    }
    cluster, _ = of(files)
    assert acks(cluster) == {"leader", "all"}
    named, _ = of(files | {"audit.toml": '[topic.orders]\nproducer = "application.yml"\n'})
    assert acks(named) == {"leader", "all"}
    answer = setting_value(named, named.clients[0], declared_key("acks"))
    assert isinstance(answer, Unknown) and "with the environment of app" in answer.why
    service, _ = of(files | {"audit.toml": '[topic.orders]\nproducer = "app"\n'})
    assert acks(service) == {"leader"}


PLATFORM = "spring.config.activate.on-cloud-platform: kubernetes\nspring.kafka.producer.acks: {}\n"


@pytest.mark.parametrize(("base", "other"), [("1", "all"), ("all", "1")])
def test_a_document_of_a_cloud_platform_may_be_in_force_or_not(base: str, other: str) -> None:
    cluster, findings = of({"application.yml": BASE.format(base) + "---\n" + PLATFORM.format(other)})
    assert acks(cluster) == {"leader", "all"}
    assert not [finding for finding in findings if "stated twice" in finding.what]
    answer = setting_value(cluster, cluster.clients[0], declared_key("acks"))
    assert isinstance(answer, Unknown) and "with the cloud platform kubernetes (application.yml:" in answer.why


def test_a_document_of_a_properties_file_for_a_cloud_platform_and_a_profile() -> None:
    text = "spring.kafka.producer.acks=1\n#---\nspring.config.activate.on-cloud-platform=kubernetes\n"
    text += "spring.config.activate.on-profile=dev\nspring.kafka.producer.acks=all\n"
    cluster, _ = of({"application.properties": text})
    assert acks(cluster) == {"leader", "all"}
    answer = setting_value(cluster, cluster.clients[0], declared_key("acks"))
    assert isinstance(answer, Unknown) and "with the cloud platform kubernetes and the profile dev" in answer.why


@pytest.mark.parametrize(("yml", "properties", "expected"), [("all", "1", "leader"), ("1", "all", "all")])
@pytest.mark.parametrize("named", ["application.yml", "application.properties"])
def test_properties_are_stronger_than_yaml_in_the_same_folder(
    yml: str, properties: str, expected: str, named: str
) -> None:
    files = {
        "application.properties": f"spring.kafka.producer.acks={properties}\n",
        "application.yml": BASE.format(yml),
    }
    files["audit.toml"] = f'[topic.orders]\nproducer = "{named}"\n'
    for order in (files, dict(reversed(files.items()))):
        cluster, findings = of(order)
        assert acks(cluster) == {expected}
        assert not [finding for finding in findings if "stated twice" in finding.what]


def test_properties_in_another_folder_are_another_applications() -> None:
    files = {"a/application.yml": BASE.format("all"), "b/application.properties": "spring.kafka.producer.acks=1\n"}
    cluster, _ = of(files | {"audit.toml": '[topic.orders]\nproducer = "a/application.yml"\n'})
    assert acks(cluster) == {"all"}


@pytest.mark.parametrize(
    "files",
    [
        {"application.yml": "spring.config.import: optional:file:override.yml\n" + BASE.format("all")},
        {"application.yml": "spring.config: {import: ['configserver:']}\n" + BASE.format("all")},
        {"application.properties": "spring.config.import=vault://\nspring.kafka.producer.acks=all\n"},
    ],
)
def test_what_an_import_may_replace_is_open(files: dict[str, str]) -> None:
    """The file that imports says acks=all; what it imports is stronger, and was not read."""
    cluster, findings = of(files)
    (said,) = [finding for finding in findings if "spring.config.import" in finding.what]
    assert said.kind == "incomplete" and "it was not read" in said.what
    assert acks(cluster) == {"all", "leader", "none"}
    answer = setting_value(cluster, cluster.clients[0], declared_key("acks"))
    assert isinstance(answer, Unknown) and "may be set by what `spring.config.import` names" in answer.why
    assert not [finding for finding in findings if finding.kind in ("unknown_key", "typo")]


@pytest.mark.parametrize(
    "include", ["spring.profiles.include: [prod]\n", "spring: {profiles: {include: 'eu, prod'}}\n"]
)
def test_an_included_profile_is_in_force(include: str) -> None:
    first, rest = include + "---\n" + BASE.format("1"), PROFILE.format("prod", "acks: all")
    assert acks(of({"application.yml": f"{first}---\n{rest}"})[0]) == {"all"}
    beside = "spring: {kafka: {producer: {acks: all}}}\n"
    assert acks(of({"application.yml": first, "application-prod.yml": beside})[0]) == {"all"}
    assert acks(of({"application.yml": first, "application-dev.yml": beside})[0]) == {"leader", "all"}


DEPLOYMENT = (
    "kind: Deployment\nmetadata: {name: shop}\nspec:\n  template:\n    spec:\n      containers:\n"
    "        - name: app\n          image: shop/app:1\n"
)


@pytest.mark.parametrize(
    "more",
    [
        "          env: [{name: SPRING_KAFKA_PRODUCER_ACKS, value: '1'}]\n",
        "          envFrom: [{configMapRef: {name: m}}]\n---\nkind: ConfigMap\nmetadata: {name: m}\n"
        "data: {SPRING_KAFKA_PRODUCER_ACKS: '1'}\n",
    ],
)
def test_a_variable_of_a_container_may_be_stronger_than_a_file(more: str) -> None:
    cluster, _ = of({"application.yml": BASE.format("all"), "shop.yaml": DEPLOYMENT + more})
    assert acks(cluster) == {"leader", "all"}
    alone, _ = of({"shop.yaml": DEPLOYMENT + more})
    assert [client.name for client in alone.clients] == ["shop/app"] and acks(alone) == {"leader"}


@pytest.mark.parametrize(
    "text",
    [
        DEPLOYMENT + "          env: [{name: SPRING_CONFIG_IMPORT, value: 'configserver:'}]\n",
        DEPLOYMENT + "          env: [{name: SPRING_KAFKA_PRODUCER_ACKS, value: all}]\n"
        "          envFrom: [{secretRef: {name: s}}]\n",
        "kind: ConfigMap\nmetadata: {name: m}\ndata:\n  application.yml: |\n    spring: {kafka: {producer: {acks: 1}}}"
        "\n",
    ],
)
def test_what_a_manifest_leaves_out_is_incomplete(text: str) -> None:
    _, findings = of({"shop.yaml": text})
    assert [finding.kind for finding in findings if finding.where.path == "shop.yaml"] == ["incomplete"]


@pytest.mark.parametrize(
    ("name", "text", "framework"),
    [
        ("application.properties", "mp.messaging.outgoing.orders.acks=0\n", "Quarkus"),
        ("application.properties", "%prod.kafka.bootstrap.servers=b:9092\n", "Quarkus or Micronaut"),
        ("application.yml", "mp: {messaging: {outgoing: {orders: {acks: 0}}}}\n", "Quarkus"),
        ("application.yml", "kafka: {producers: {default: {acks: 0}}}\n", "Micronaut"),
        (
            "application.yml",
            BASE.format("all") + "  cloud: {stream: {kafka: {binder: {required-acks: 0}}}}\n",
            "Spring Cloud",
        ),
    ],
)
def test_a_framework_that_is_not_read_is_said_to_be(name: str, text: str, framework: str) -> None:
    _, findings = of({name: text, "producer.properties": "acks=all\nlinger.ms=5\n"})
    (said,) = [finding for finding in findings if finding.kind == "incomplete"]
    assert framework in said.what and said.where.path == name


FILES = {
    "application.yml": BASE.format("1") + "---\n" + PROFILE.format("eu", "acks: 0"),
    "application-prod.yml": "spring: {kafka: {producer: {acks: all}}}\n",
    "application-test.yml": "spring: {kafka: {producer: {acks: 1}}}\n",
}


@pytest.mark.parametrize(
    ("active", "expected"),
    [
        ("prod", {"all"}),
        ("eu", {"none"}),
        ("prod,eu", {"all"}),  # the file of a profile is stronger than a document
        ("prod, test", {"leader"}),  # the last one wins
        ("test,prod", {"all"}),
        ("other", {"leader"}),
        ("${PROFILE}", {"leader", "all", "none"}),
    ],
)
def test_profiles_that_a_service_is_started_with_are_in_force(active: str, expected: set[str]) -> None:
    cluster, _ = of({**FILES, "docker-compose.yml": COMPOSE.format("SPRING_PROFILES_ACTIVE", active)})
    assert acks(cluster) == expected
    assert any("runs with the profiles" in text for text in cluster.assumptions) is (len(expected) == 1)
    said = f"[spring]\nprofiles = [{', '.join(repr(name.strip()) for name in active.split(','))}]\n"
    assert acks(of({**FILES, "audit.toml": said})[0]) == expected


def test_what_may_replace_the_profiles_leaves_them_open() -> None:
    open_ = {"leader", "all", "none"}
    service = COMPOSE.format("SPRING_PROFILES_ACTIVE", "prod")
    argument = service + "    command: java -jar app.jar --spring.profiles.active=eu\n"
    assert acks(of({**FILES, "docker-compose.yml": argument})[0]) == open_
    option = service + "      JAVA_TOOL_OPTIONS: -Dspring.profiles.active=eu\n"
    assert acks(of({**FILES, "docker-compose.yml": option})[0]) == open_
    other = service + "  b:\n    image: shop/b:1\n    environment: {SPRING_PROFILES_ACTIVE: eu}\n"
    assert acks(of({**FILES, "docker-compose.yml": other})[0]) == open_
    grouped = "spring: {profiles: {group: {prod: [eu]}}}\n---\n" + FILES["application.yml"]
    assert acks(of({**FILES, "application.yml": grouped, "docker-compose.yml": service})[0]) == open_
    default = "spring: {profiles: {active: prod}}\n---\n" + FILES["application.yml"]
    assert acks(of({**FILES, "application.yml": default})[0]) == open_
    assert acks(of({**FILES, "application.yml": default, "docker-compose.yml": service})[0]) == {"all"}


def test_expressions_of_profiles() -> None:
    service = {"docker-compose.yml": COMPOSE.format("SPRING_PROFILES_ACTIVE", "prod")}
    for expression, expected in (
        ('"!prod"', {"leader"}), ('"!dev"', {"all"}), ("dev, prod", {"all"}), ("dev, qa", {"leader"}),
        ("prod & eu", {"leader", "all"}),
    ):  # fmt: skip
        text = BASE.format("1") + "---\n" + PROFILE.format(expression, "acks: all")
        assert acks(of({"application.yml": text, **service})[0]) == expected, expression


def test_a_container_states_its_profiles_too() -> None:
    pod = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: app}\nspec:\n  template:\n    spec:\n"
        "      containers:\n"
        "      - name: app\n        image: shop/app:1\n        env:\n"
        "        - {name: SPRING_PROFILES_ACTIVE, value: prod}\n        - {name: SPRING_KAFKA_CLIENT_ID, value: a}\n"
    )
    assert acks(of({**FILES, "app.yaml": pod})[0]) == {"all"}
    argument = pod + "        args: [--spring.profiles.active=eu]\n"
    assert acks(of({**FILES, "app.yaml": argument})[0]) == {"leader", "all", "none"}


@pytest.mark.parametrize("section", ["[spring]\nprofiles = []\n", "[spring]\nactive = ['a']\n", "spring = 1\n"])
def test_profiles_in_audit_toml_are_a_list(section: str) -> None:
    with pytest.raises(UnreadableInputError, match=r"\[spring\] has one line"):
        of({**FILES, "audit.toml": section})
