"""What Java makes of a file's bytes: a byte order mark, UTF-16, and blanks that are none for Java."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.audit.auditing import read_cluster
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.cluster.settings import setting_value
from tidegate.audit.cluster.statements import StatedValue, UnreadableInputError
from tidegate.audit.joining.options import Options
from tidegate.audit.kafka.keys import declared_key
from tidegate.audit.questions.subjects import cluster_subjects

MARK = b"\xef\xbb\xbf"
BROKER = "process.roles=broker\nnode.id={id}\nlog.dirs=d\ndefault.replication.factor=3\nmin.insync.replicas=2\n"


def of(folder: Path, files: dict[str, bytes], *clients: str) -> tuple[Cluster, tuple[Finding, ...]]:
    for number in (1, 2, 3):
        (folder / f"b{number}.properties").write_text(BROKER.format(id=number), encoding="utf-8")
    for name, raw in files.items():
        (folder / name).write_bytes(raw)
    return read_cluster([folder], Options(kafka_version="3.9.0", distribution="apache", clients=clients))


def acks_of(cluster: Cluster) -> set[str]:
    (new,) = (subject for subject in cluster_subjects(cluster) if subject.topics[0].name == "(new topics)")
    return {variant.signature.acks for variant in new.variants}


@pytest.mark.parametrize(
    ("client", "acks"),
    [("java:2.8", {"leader"}), ("java:3.9", {"all"}), ("librdkafka:1.0", {"none", "all"})],
)
def test_a_byte_order_mark_hides_the_first_setting(tmp_path: Path, client: str, acks: set[str]) -> None:
    """`Properties.load` makes `\\u00ef\\u00bb\\u00bfacks` of it; another program may skip the mark."""
    word = b"0" if "librdkafka" in client else b"all"
    files = {"producer.properties": MARK + b"acks=" + word + b"\nbootstrap.servers=b:9092\n"}
    cluster, findings = of(tmp_path, files, client)
    assert acks_of(cluster) == acks
    (found,) = (finding for finding in findings if "byte order mark" in finding.what)
    assert (found.severity, found.where.line) == ("error", 1)


def test_a_brokers_first_setting_is_hidden_as_well(tmp_path: Path) -> None:
    cluster, findings = of(
        tmp_path, {"b2.properties": MARK + b"min.insync.replicas=2\nprocess.roles=broker\nnode.id=2\n"}
    )
    (second,) = (broker for broker in cluster.brokers if broker.id == 2)
    assert not isinstance(setting_value(cluster, second, declared_key("min.insync.replicas")), StatedValue)
    assert any("`min.insync.replicas`: this setting has no effect" in finding.what for finding in findings)


def test_a_mark_before_a_comment_hides_nothing(tmp_path: Path) -> None:
    cluster, findings = of(tmp_path, {"producer.properties": MARK + b"# ours\nacks=all\n"}, "java:2.8")
    assert acks_of(cluster) == {"all"}
    assert not [finding for finding in findings if "byte order mark" in finding.what]


def test_properties_in_utf16_have_no_settings(tmp_path: Path) -> None:
    """PowerShell writes so; what it makes of a description's output is read."""
    cluster, findings = of(tmp_path, {"producer.properties": "acks=all\nlinger.ms=5\n".encode("utf-16")}, "java:2.8")
    assert not cluster.clients and "all" in acks_of(cluster) and len(acks_of(cluster)) > 1
    assert any("UTF-16" in finding.what and finding.severity == "error" for finding in findings)


def test_what_java_does_not_trim_is_a_part_of_the_value(tmp_path: Path) -> None:
    """A blank that does not break is no blank for `String.trim`: such a producer does not start."""
    cluster, findings = of(tmp_path, {"producer.properties": "acks=all\u00a0\nlinger.ms=5\n".encode()}, "java:3.9")
    (client,) = cluster.clients
    assert not isinstance(setting_value(cluster, client, declared_key("acks")), StatedValue)
    assert any(finding.kind == "wrong_value" for finding in findings)


def test_a_family_of_clients_that_there_is_none_of_is_refused(tmp_path: Path) -> None:
    for text in ("jva:3.9", "producer.properties=jva"):
        with pytest.raises(UnreadableInputError, match=r"there is no family jva; .*java"):
            of(tmp_path, {"producer.properties": b"acks=1\nlinger.ms=5\n"}, text)
