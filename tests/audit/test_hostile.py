"""Input that was not meant well: secrets that must not come out again, and garbage that must not end in a traceback.

`TIDEGATE_FUZZ=10000 pytest -n0 tests/audit/test_hostile.py -k garbage` tries more.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.cluster.statements import UnreadableInputError
from tidegate.audit.joining.options import Options

from ..conftest import ROOT

FIXTURES = ROOT / "tests" / "fixtures" / "audit"
PLANTED = "hunter2-planted"
JAAS = f'org.apache.kafka.common.security.plain.PlainLoginModule required username="a" password="{PLANTED}";'
HEAD = "Dynamic configs for broker 1 are:\n"
LINE = "  {key}={value} sensitive={sensitive} synonyms={{STATIC_BROKER_CONFIG:{key}={value}}}\n"

SECRETS = {
    "server.properties": f"broker.id=1\nssl.keystore.password={PLANTED}\nsasl.jaas.config={JAAS}\n{PLANTED}\n"
    f"listener.name.x.plain.sasl.jaas.config={JAAS}\nconfluent.license={PLANTED}\nmy.thing={PLANTED}\n"
    f"delegation.token.master.key={PLANTED}\nssl.keystore.key={PLANTED}\nssl.keystore.key={PLANTED}-2\n",
    "broken.properties": f"broker.id=1\nsasl.jaas.config=org.x required\n  username={PLANTED}\n  password={PLANTED};\n"
    f"{JAAS}\n{PLANTED} {PLANTED}\n={PLANTED}\n:{PLANTED}\n\\u00zz{PLANTED}\n",
    "long.properties": f"broker.id=1\nsasl.jaas.config=org.x required \\\n  username=a \\\n  password={PLANTED};\n",
    "app.properties": f"acks=1\nlinger.ms=1\nsasl.jaas.config={JAAS}\nbasic.auth.user.info=u:{PLANTED}\n"
    f"schema.registry.url=http://u:{PLANTED}@host\nsasl.client.secret={PLANTED}\nsasl.password={PLANTED}\n",
    "application.properties": f"spring.kafka.producer.acks=1\nspring.kafka.producer.ssl.key-password={PLANTED}\n"
    f"spring.kafka.properties.sasl.jaas.config={JAAS}\nspring.datasource.password={PLANTED}\n",
    "application.yml": f"spring:\n  kafka:\n    producer: {{acks: 1}}\n    ssl: {{key-password: {PLANTED}}}\n"
    f"    properties:\n      sasl.jaas.config: '{JAAS}'\n  datasource: {{password: {PLANTED}}}\n",
    "compose.yml": "services:\n  k:\n    image: apache/kafka:4.1.0\n    environment:\n      KAFKA_NODE_ID: 1\n"
    f"      KAFKA_SSL_KEY_PASSWORD: {PLANTED}\n"
    f"      KAFKA_SASL_JAAS_CONFIG: '{JAAS}'\n      KAFKA_OPTS: -Dx={PLANTED}\n"
    f"      KAFKA_MY_OWN: {PLANTED}\n      KAFKA_CLIENT_PASSWORDS: {PLANTED}\n      OTHER: {PLANTED}\n",
    "list.yml": "services:\n  k:\n    image: bitnami/kafka:3.6\n    environment:\n      - KAFKA_CFG_NODE_ID=1\n"
    f"      - KAFKA_CFG_SSL_KEYSTORE_PASSWORD={PLANTED}\n      - KAFKA_CFG_X={PLANTED}\n      - {PLANTED}\n",
    "strimzi.yaml": "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata: {name: c}\nspec:\n  kafka:\n"
    f"    replicas: 3\n    authorization: {{clientSecret: {PLANTED}}}\n    config:\n      ssl.key.password: {PLANTED}\n"
    f"      my.own: {PLANTED}\n      sasl.jaas.config: '{JAAS}'\n",
    "broken.yaml": f"a: *{PLANTED}\nb: [{PLANTED}\n!{PLANTED} c: %{PLANTED}\n",
    "configs.txt": HEAD
    + LINE.format(key="ssl.key.password", value=PLANTED, sensitive="false")
    + LINE.format(key="my.own", value=PLANTED, sensitive="true")
    + f"  what is {PLANTED} here\n"
    + f"Configs for user-principal 'a' are SCRAM-SHA-256=salt={PLANTED},iterations=4096\n",
    "topics.txt": f"[date] WARN {PLANTED}\nTopic: a\tPartitionCount: 1\tReplicationFactor: 1\t"
    f"Configs: my.own={PLANTED},ssl.key.password={PLANTED}\n\tTopic: a\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n",
}


@pytest.mark.parametrize("name", SECRETS)
def test_no_secret_comes_out_again(name: str) -> None:
    assert PLANTED in SECRETS[name]
    assert PLANTED not in repr(read_cluster_texts([(name, SECRETS[name], True)], Options(), name))


def test_no_secret_of_a_mixture_comes_out_again() -> None:
    every = [(name, text, False) for name, text in SECRETS.items() if name != "list.yml"]  # another cluster's
    assert PLANTED not in repr(read_cluster_texts(every, Options(), "all"))


def samples() -> list[str]:
    """What the fuzzer spoils: each format once, the captured ones shortened."""
    found = [*SECRETS.values(), '[topic."a.*"]\nproducer = "x"\ncritical = true\n[group.g]\nconsumer = ["y"]\n']
    for path in sorted(FIXTURES.glob("*/one-dead/*.txt")):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        found.append("".join(lines[:12]))
    return found


SAMPLES = samples()
NAMES = st.sampled_from(["a.properties", "server.properties", "a.yaml", "a.yml", "a.txt", "audit.toml", "x", "a.conf"])
WORDS = (
    "= : { } [ ] * & # ' \" % ~ \\ \\u é ١ ² Topic: Isr: 99999 99999999999999999999999 -1 ${X} N/A none null 3.x are:"
)
ODD = st.sampled_from(
    [*WORDS.split(), "\0", "\n", "\r", "\t", "\ufeff", "<<: ", "- ", "? ", "| ", "!x ", "synonyms={", "  "]
)


@st.composite
def spoilt(draw: st.DrawFn) -> str:
    """A sample with pieces cut out, put in, doubled or joined with another's."""
    text = draw(st.sampled_from(SAMPLES))
    for _ in range(draw(st.integers(0, 6))):
        at = draw(st.integers(0, len(text)))
        to = min(len(text), at + draw(st.integers(0, 40)))
        what = draw(st.sampled_from(["cut", "odd", "double", "join", "text"]))
        if what == "cut":
            text = text[:at] + text[to:]
        elif what == "odd":
            text = text[:at] + draw(ODD) + text[at:]
        elif what == "double":
            text = text[:to] + text[at:to] + text[to:]
        elif what == "join":
            text = text[:at] + draw(st.sampled_from(SAMPLES))[at:]
        else:
            text = text[:at] + draw(st.text(max_size=8)) + text[at:]
    return text


def answer(files: list[tuple[str, str, bool]]) -> tuple[Cluster, tuple[Finding, ...]] | UnreadableInputError:
    """The cluster, or the refusal: any other exception is the reader's fault."""
    try:
        return read_cluster_texts(files, Options(), "all")
    except UnreadableInputError as error:
        return error


@settings(
    max_examples=int(os.environ.get("TIDEGATE_FUZZ", "120")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(st.lists(st.tuples(NAMES, st.one_of(spoilt(), st.text(max_size=200))), min_size=1, max_size=3))
def test_garbage_is_read_or_refused_in_words(files: list[tuple[str, str]]) -> None:
    read = answer([(name, text, False) for name, text in files])
    if isinstance(read, UnreadableInputError):
        assert str(read)
        return
    cluster, findings = read
    assert all(finding.what and finding.to_do and str(finding.where) for finding in findings)
    assert len({topic.name for topic in cluster.topics}) == len(cluster.topics)


@pytest.mark.parametrize("text", ["a: " * 5000, "[" * 5000, "{a: " * 300, "- " * 4000 + "x", "\t" * 9000, "&a [*a]"])
def test_deep_and_circular_yaml(text: str) -> None:
    read = answer([("a.yaml", text, False)])
    assert isinstance(read, UnreadableInputError) or [finding.kind for finding in read[1]] == ["not_read"]


LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 10)
)


def test_a_billion_laughs_are_not_waited_for() -> None:
    with pytest.raises(UnreadableInputError):
        read_cluster_texts([("a.yaml", LAUGHS, False)], Options(), "all")
