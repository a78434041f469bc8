"""What kafka-log-dirs.sh --describe prints: the log directories of brokers, and which of them have failed.

A line of JSON after two of prose (LogDirsCommand of 1.0 to 4.3): by broker each directory, its error, which is null
where it is online, and what lies in it. A partition that `isFuture` is being moved to that directory (KIP-113).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from ...cluster.statements import Origin
from ..parsed_file import Part

FORMAT = "kafka-log-dirs.sh --describe"
_MARK = re.compile(r'"logDirs"\s*:\s*\[')


def read_log_dirs(path: str, text: str) -> Part | None:
    """What is wrong with brokers' directories; None where a text describes none."""
    if not _MARK.search(text):
        return None
    part, at = Part(FORMAT), text.find("{")
    where = Origin(path, text.count("\n", 0, at) + 1)
    try:
        described, _ = json.JSONDecoder().raw_decode(text[at:])
        found = list(_described_directories(described))
    except (ValueError, TypeError, KeyError, AttributeError):
        what = f"{path} was not read: what {FORMAT} prints is not whole in it"
        part.note("incomplete", "error", what, where, "collect it again, unchanged")
        return part
    for broker, directory, error, moving in found:
        if error is not None:
            what = (
                f"log directory {directory} of broker {broker} is offline ({error.rpartition('.')[2]}): its replicas "
                "there are neither read nor written; the answers are about a cluster whose directories all work"
            )
            to_do = "replace the disk, start the broker, wait until its replicas are in sync, and collect it again"
            part.note("incomplete", "error", what, where, to_do, "KIP-112")
        if moving:
            what = f"{moving} of broker {broker} are being moved to {directory}, which is not modelled"
            part.note("not_modelled", "note", what, where, "audit again when they are there", "KIP-113")
    return part


def _described_directories(description: Any) -> Iterator[tuple[int, str, str | None, str]]:
    """Of each broker each directory: where it is, its error, and which partitions are being moved there, in words.
    ValueError, TypeError, KeyError or AttributeError where it is not what the tool prints."""
    for broker in description["brokers"]:
        id_ = int(broker["broker"])
        for directory in broker["logDirs"]:
            names = sorted(str(one["partition"]) for one in directory["partitions"] if one.get("isFuture"))
            moving = ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "")
            error = directory["error"]
            yield id_, str(directory["logDir"]), None if error is None else str(error), moving
