"""`tidegate audit --init FOLDER`: an audit.toml that states what the audit assumes, to be changed from there."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ..audit.cluster.cluster import Cluster
from ..audit.questions.subjects import cluster_subjects
from ..audit.report.skeleton import audit_toml_skeleton
from ..language.errors import UsageError
from ..reports.exits import Exit

FILE = "audit.toml"


def place_of_skeleton(files: Sequence[Path]) -> Path:
    """Where the file will be: in the first folder among what is given. UsageError where there is none, and where it has
    such a file."""
    folder = next((path for path in files if path.is_dir()), None)
    if folder is None:
        raise UsageError("--init writes audit.toml into a folder: give the one with the cluster's configuration")
    target = folder / FILE
    if os.path.lexists(target):
        raise UsageError(f"--init: {target} is there, and is not overwritten; move it away, or add to it by hand")
    return target


def write_skeleton(cluster: Cluster, target: Path, requirements: Sequence[str]) -> Exit:
    """Writes the file, which is new. UsageError where it cannot be written."""
    text = audit_toml_skeleton(cluster, cluster_subjects(cluster), list(requirements) or ["standard"])
    try:
        with target.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"--init: {target} cannot be written: {error.strerror}") from None
    says = f"states as comments what is assumed of {_topics_text(cluster)}; change what is not so"
    print(f"wrote {target}, which {says}")
    return Exit.HOLDS


def _topics_text(cluster: Cluster) -> str:
    many = sum(not topic.is_internal for topic in cluster.topics)
    return "1 topic" if many == 1 else f"{many:,} topics"
