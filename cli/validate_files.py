"""The files that `validate --out DIR` writes: index.html, which leads to the rest, validate.json, and in histories/ a
page of each history with the traces that it shows.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..audit.answers.scenario import rename_brokers
from ..language.errors import UsageError
from ..real.validation.traces import TracePart, trace_parts
from ..real.validation.validating import SCHEMA, ValidationResult
from ..reports.files import write_json, write_text, write_trace
from ..reports.trace.html import trace_html
from ..reports.validate import moments_section, validate_index

INDEX, FOLDER, DOCUMENT = "index.html", "histories", "validate.json"
MAX_PAGES = 200
"""Histories that get a page: those first that no run shows."""


def check_folder_is_own(folder: Path) -> None:
    """UsageError where a folder has an index.html, or a validate.json, that `validate` did not write: it would be
    overwritten."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"--out {folder}: it is a file; give a folder")
    if any((folder / name).exists() for name in (INDEX, DOCUMENT)) and not _is_own_file(folder / DOCUMENT):
        raise UsageError(f"--out {folder}: its {INDEX} is no report of validate; give another folder")


def _is_own_file(path: Path) -> bool:
    try:
        return json.loads(path.read_text("utf-8"))["schema"] == SCHEMA
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return False


def save_validation(folder: Path, document: dict[str, Any], results: Sequence[ValidationResult]) -> None:
    """Writes them, and says in the document which page and traces a history has. UsageError where a file cannot be
    written."""
    try:
        (folder / FOLDER).mkdir(parents=True, exist_ok=True)
        pairs = list(zip(document["partitions"], results, strict=True))
        pairs.sort(key=lambda pair: pair[1].result != "not_shown")
        for number, (partition, one) in enumerate(pairs[:MAX_PAGES], 1):
            _save_partition(folder, f"{number:03d}-{one.of.name}", partition, trace_parts(one))
        write_json(folder / DOCUMENT, document)
        write_text(folder / INDEX, validate_index(document))
    except OSError as error:
        raise UsageError(f"{folder}: the report cannot be written: {error}") from None


def _save_partition(folder: Path, name: str, partition: dict[str, Any], parts: Sequence[TracePart]) -> None:
    if not parts:
        return
    for number, part in enumerate(parts, 1):
        more = f"-part-{number}" if len(parts) > 1 else ""
        file = f"{FOLDER}/{name}{more}.trace.json"
        letters = ", ".join(f"{letter} is {called}" for letter, called in part.document["called"].items())
        write_trace(folder / file, part.document | {"notes": [*part.document["notes"], f"Here {letters}."]})
        partition["traces"].append(file)
    partition["html"] = f"{FOLDER}/{name}.html"
    shown = [rename_brokers(part.document, part.document["called"]) for part in parts]
    section = moments_section(partition, [part.moments for part in parts])
    write_text(
        folder / partition["html"], trace_html(shown, whole_file=Path(partition["traces"][0]).name, section=section)
    )
