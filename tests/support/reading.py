"""Files of clusters that tests read."""

from __future__ import annotations

from pathlib import Path

from tidegate.audit.auditing import read_cluster
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.findings import Finding


def of(folder: Path, **texts: str) -> tuple[Cluster, tuple[Finding, ...]]:
    """A folder of files, named by `name__suffix`."""
    for name, text in texts.items():
        (folder / name.replace("__", ".")).write_text(text, encoding="utf-8")
    return read_cluster([folder])


def finding_texts(findings: tuple[Finding, ...], kind: str) -> list[str]:
    return [f"{finding.where}: {finding.what}" for finding in findings if finding.kind == kind]
