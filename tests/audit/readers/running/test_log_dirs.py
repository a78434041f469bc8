"""What kafka-log-dirs.sh prints, which was passed over without a word."""

from __future__ import annotations

import pytest
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.readers.running.log_dirs import FORMAT, read_log_dirs

PROSE = "Querying brokers for log directories information\nReceived log directory information from brokers 1,2\n"
ERROR = '"org.apache.kafka.common.errors.KafkaStorageException"'
LINE = (
    '{"version":1,"brokers":[{"broker":1,"logDirs":[{"partitions":[{"partition":"orders-0","size":1,"offsetLag":0,'
    '"isFuture":%s}],"error":null,"logDir":"/d1"}]},{"broker":2,"logDirs":[{"partitions":[],"error":%s,"logDir":"/d2"}]}]}\n'
)


def test_a_directory_that_failed_leaves_the_audit_undecided() -> None:
    part = read_log_dirs("dirs.txt", PROSE + LINE % ("false", ERROR))
    assert part is not None and part.format == FORMAT
    (finding,) = part.findings
    assert finding.kind == "incomplete" and finding.where.line == 3
    assert finding.what.startswith("log directory /d2 of broker 2 is offline (KafkaStorageException): ")


def test_a_move_between_directories_is_not_modelled() -> None:
    part = read_log_dirs("dirs.json", LINE % ("true", "null"))
    assert part is not None
    assert [finding.what for finding in part.findings] == [
        "orders-0 of broker 1 are being moved to /d1, which is not modelled"
    ]


@pytest.mark.parametrize("text", [PROSE + LINE[:120], '{"brokers":[{"logDirs": []}]}', '{"brokers":1,"logDirs":[]}'])
def test_what_is_cut_short_is_said(text: str) -> None:
    part = read_log_dirs("dirs.txt", text)
    assert part is not None and [finding.kind for finding in part.findings] == ["incomplete"]


def test_it_is_read_among_other_files() -> None:
    node = "process.roles=broker\nnode.id=1\ncontroller.quorum.voters=9@c:9093\n"
    texts = [("b.properties", node, True), ("dirs.txt", PROSE + LINE % ("false", ERROR), False)]
    cluster, found = read_cluster_texts(texts, Options(kafka_version="4.1"), "x")
    assert ("dirs.txt", FORMAT) in cluster.files
    assert any("is offline" in finding.what for finding in found)
