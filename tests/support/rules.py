"""Files of clusters that rules look at, and what they find."""

from __future__ import annotations

from pathlib import Path

from tidegate.audit.auditing import read_cluster
from tidegate.audit.cluster.findings import Finding
from tidegate.audit.joining.options import Options

BROKER = "broker.id={id}\nzookeeper.connect=z1,z2,z3\nlog.dirs=data\nbroker.rack={rack}\n"


def findings(folder: Path, files: dict[str, str], options: Options | None = None) -> list[Finding]:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return list(read_cluster([folder], options or Options(kafka_version="3.9.1", distribution="apache"))[1])


def one(found: list[Finding], word: str) -> Finding:
    (finding,) = [known for known in found if word in known.what]
    return finding


def three(extra: str = "", racks: str = "abc") -> dict[str, str]:
    return {f"server-{i}.properties": BROKER.format(id=i, rack=racks[i - 1]) + extra for i in (1, 2, 3)}


SOUND = "default.replication.factor=3\nmin.insync.replicas=2\n"


PRODUCER = "key.serializer=x\nbootstrap.servers=a:1\n"


CONSUMER = "key.deserializer=x\ngroup.id=g\nenable.auto.commit=false\n"
