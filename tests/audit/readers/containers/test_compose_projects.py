"""One compose file of several: what a file includes and extends, and the override file beside it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.cluster.statements import UnreadableInputError
from tidegate.audit.joining.options import Options

BROKER = """\
    image: apache/kafka:3.9.0
    environment:
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_CONTROLLER_QUORUM_VOTERS: 1@k1:9093
      KAFKA_DEFAULT_REPLICATION_FACTOR: 3
"""


def service(number: int, more: str = "") -> str:
    return f"  k{number}:\n{BROKER}      KAFKA_NODE_ID: {number}\n{more}"


def of(**texts: str) -> tuple[Cluster, tuple[Finding, ...]]:
    """Files of one folder; `__` in a name stands for the dot."""
    given = [(f"d/{name.replace('__', '.').replace('_X_', '-')}", text, False) for name, text in texts.items()]
    return read_cluster_texts(given, Options(kafka_version="3.9.0"), "x")


def values(cluster: Cluster, key: str) -> dict[int | None, str]:
    """What each node has for a key; nothing of a node that has it not."""
    return {node.id: setting.value for node in cluster.brokers for setting in node.settings if setting.key == key}


def incomplete(findings: tuple[Finding, ...]) -> list[str]:
    return [finding.what for finding in findings if finding.kind == "incomplete"]


RF, MIN = "default.replication.factor", "min.insync.replicas"
TWO = "services:\n" + service(1) + service(2)


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("  k1: {environment: {KAFKA_DEFAULT_REPLICATION_FACTOR: 1}}", {1: "1", 2: "3"}),
        ("  k1: {environment: [KAFKA_DEFAULT_REPLICATION_FACTOR=1]}", {1: "1", 2: "3"}),
        ("  k1: {environment: [KAFKA_DEFAULT_REPLICATION_FACTOR]}", {1: "${KAFKA_DEFAULT_REPLICATION_FACTOR}", 2: "3"}),
        ("  k1: {environment: {KAFKA_DEFAULT_REPLICATION_FACTOR: !reset null}}", {2: "3"}),
        ("  k1: !reset null", {2: "3"}),
        ("  k1: {environment: !override {KAFKA_NODE_ID: 1}}", {2: "3"}),
        ("  k1: {mem_limit: 2g}", {1: "3", 2: "3"}),
        (service(3), {1: "3", 2: "3", 3: "3"}),
    ],
)
def test_an_override_file_is_merged(override: str, expected: dict[int, str]) -> None:
    cluster, findings = of(docker_X_compose__yml=TWO, docker_X_compose__override__yml=f"services:\n{override}\n")
    assert values(cluster, RF) == expected
    unreached = ["nobody reaches that voter" in text for text in incomplete(findings)]
    assert unreached == [True] * override.endswith("k1: !reset null")  # who was taken out is a voter still


def test_a_merged_setting_keeps_the_place_where_it_is_stated() -> None:
    cluster, _ = of(
        compose__yaml=TWO, compose__override__yml="services:\n  k1: {environment: {KAFKA_MIN_INSYNC_REPLICAS: 1}}"
    )
    (mine,) = [setting for setting in cluster.brokers[0].settings if setting.key == MIN]
    assert str(mine.origin) == "d/compose.override.yml:2"


def test_a_list_and_a_mapping_of_variables_are_merged_by_name() -> None:
    text = "services:\n  k1:\n    environment: [KAFKA_NODE_ID=1, KAFKA_MIN_INSYNC_REPLICAS=2, KAFKA_BROKER_RACK=]\n"
    cluster, _ = of(compose__yml=text, compose__override__yml="services: {k1: {environment: {KAFKA_LOG_DIRS: /d}}}\n")
    assert values(cluster, MIN) == {1: "2"} and values(cluster, "log.dirs") == {1: "/d"}


def test_a_later_command_replaces_the_earlier_one() -> None:
    command = "    command: [run, --override, min.insync.replicas={}]\n"
    text = "services:\n" + service(1, command.format(2))
    cluster, _ = of(compose__yml=text, compose__override__yml="services:\n  k1:\n" + command.format(1))
    assert values(cluster, MIN) == {1: "1"}


@pytest.mark.parametrize(("later", "ephemeral"), [("named:/d", False), ("memory:/d", True)])
def test_of_two_volumes_at_one_place_the_later_one_counts(later: str, ephemeral: bool) -> None:
    first = "memory" if later.startswith("named") else "named"
    more = f"      KAFKA_LOG_DIRS: /d\n    volumes: ['{first}:/d']\n"
    volumes = "volumes: {named: {}, memory: {driver_opts: {type: tmpfs}}}\n"
    cluster, _ = of(
        compose__yml="services:\n" + service(1, more) + volumes,
        compose__override__yml=f"services: {{k1: {{volumes: ['{later}']}}}}\n",
    )
    assert cluster.brokers[0].ephemeral is ephemeral


def test_an_override_file_alone_is_not_read_as_a_cluster() -> None:
    cluster, findings = of(compose__override__yml=TWO)
    assert not cluster.brokers and len(incomplete(findings)) == 1


BASE = "services:\n  base:\n" + BROKER + "      KAFKA_MIN_INSYNC_REPLICAS: 1\n"


@pytest.mark.parametrize("extends", ["{file: common.yml, service: base}", "base"])
def test_a_service_has_what_it_extends(extends: str) -> None:
    own = f"  k1:\n    extends: {extends}\n    environment: {{KAFKA_NODE_ID: 1, KAFKA_DEFAULT_REPLICATION_FACTOR: 2}}\n"
    if extends == "base":
        cluster, findings = of(compose__yml=BASE + own)
        assert values(cluster, MIN)[1] == "1" and values(cluster, RF)[1] == "2"
    else:
        cluster, findings = of(compose__yml="services:\n" + own, common__yml=BASE)
        assert values(cluster, MIN) == {1: "1"} and values(cluster, RF) == {1: "2"}
        assert [name for name, _ in cluster.files] == ["d/compose.yml", "d/common.yml"]
    assert not incomplete(findings)


def test_what_is_extended_in_turn_is_read_from_its_own_folder(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "one.yml").write_text("services: {a: {extends: {file: two.yml, service: base}}}\n")
    (tmp_path / "sub" / "two.yml").write_text(BASE)
    text = "services:\n  k1:\n    extends: {file: sub/one.yml, service: a}\n    environment: [KAFKA_NODE_ID=1]\n"
    cluster, findings = read_cluster_texts(
        [(str(tmp_path / "compose.yml"), text, True)], Options(kafka_version="3.9.0"), "x"
    )
    assert values(cluster, MIN) == {1: "1"} and not incomplete(findings)


@pytest.mark.parametrize("listed", ["[other.yml]", "[{path: other.yml}]", "[{path: [other.yml, more.yml]}]"])
def test_an_included_file_is_part_of_the_cluster(listed: str) -> None:
    included = "services:\n" + service(2)
    more = "services: {k2: {environment: {KAFKA_MIN_INSYNC_REPLICAS: 1}}}\n"
    also = {"more__yml": more} if "more" in listed else {}
    cluster, findings = of(compose__yml=f"include: {listed}\nservices:\n" + service(1), other__yml=included, **also)
    assert [broker.id for broker in cluster.brokers] == [1, 2]
    assert values(cluster, MIN) == ({2: "1"} if "more" in listed else {})
    assert not incomplete(findings)


def test_a_file_that_only_includes_is_a_cluster() -> None:
    cluster, findings = of(compose__yml="include:\n  - one.yml\n  - two.yml\n", one__yml="services:\n" + service(1),
                           two__yml="services:\n" + service(2))  # fmt: skip
    assert [broker.id for broker in cluster.brokers] == [1, 2] and not incomplete(findings)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("include: [gone.yml]\nservices:\n" + service(1), "`gone.yml`, which is included, was not read"),
        ("include: ['oci://x/y']\nservices:\n" + service(1), "`oci://x/y`, which is included, was not read"),
        ("include: ['${MORE}']\nservices:\n" + service(1), "`${MORE}`, which is included, was not read"),
        ("include: [compose.yml]\nservices:\n" + service(1), "d/compose.yml includes itself"),
        ("services:\n" + service(1, "    extends: {file: gone.yml, service: a}\n"), "`gone.yml`, which is extended"),
        (
            "services:\n" + service(1, "    extends: nobody\n"),
            "service k1 extends nobody, which d/compose.yml does not have",
        ),
        ("services:\n" + service(1, "    extends: {service: k1}\n"), "service k1 extends itself"),
        ("services:\n" + service(1, "    volumes: [!reset a]\n"), "one entry of a list"),
    ],
)
def test_what_cannot_be_merged_leaves_the_audit_undecided(text: str, says: str) -> None:
    _, findings = of(compose__yml=text)
    assert any(says in what for what in incomplete(findings)), incomplete(findings)


def test_a_service_that_two_files_have_is_named() -> None:
    _, findings = of(compose__yml="include: [other.yml]\n" + TWO, other__yml="services:\n" + service(2))
    assert ["service k2 is in an included file as well" in what for what in incomplete(findings)] == [True]


def test_a_compose_file_of_other_programs_that_is_named_is_refused() -> None:
    with pytest.raises(UnreadableInputError, match="not a configuration"):
        read_cluster_texts([("compose.yml", "services: {web: {image: nginx}}\n", True)], Options(), "x")


def test_files_that_include_each_other_without_end_are_cut() -> None:
    """Each includes the next one twice: 2 to the 18th inclusions."""
    texts = {f"f{i}__yml": f"include: [f{i + 1}.yml, f{i + 1}.yml]\n" for i in range(18)}
    _, findings = of(docker_X_compose__yml=f"include: [f0.yml]\n{TWO}", **texts, f18__yml="services: {}\n")
    assert "it includes more than 200 files, and these were not read" in incomplete(findings)


def test_aliases_of_aliases_leave_a_compose_file_unread() -> None:
    anchors = "x0: &a0 {k: v}\n" + "".join(
        f"x{i}: &a{i} {{{', '.join(f'k{j}: *a{i - 1}' for j in range(9))}}}\n" for i in range(1, 12)
    )
    _, findings = of(docker_X_compose__yml=f"{anchors}{TWO}    labels: *a11\n", more__properties="node.id=7\n")
    (what,) = incomplete(findings)
    assert what.startswith("d/docker-compose.yml was not read: its aliases make more than 20,000 values of ")


def test_the_documents_of_one_file_are_merged() -> None:
    second = "---\nservices:\n  k1: {environment: {KAFKA_DEFAULT_REPLICATION_FACTOR: 1}}\n" + service(3)
    cluster, _ = of(docker_X_compose__yml=TWO + second)
    assert values(cluster, RF) == {1: "1", 2: "3", 3: "3"}
    other = "name: first\n---\n" + second
    cluster, _ = of(docker_X_compose__yml=f"include: [more.yml]\n{TWO}", more__yml=other.replace("k1", "k4"))
    assert values(cluster, RF)[3] == "3"
