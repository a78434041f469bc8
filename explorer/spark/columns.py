"""Results as tables: levels, coverage and verdicts, and the reached states with a column for each field, as Parquet.

`arrow` says what a value becomes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ...language.model import Model
from ...language.verdict import Verdict
from ...traces.differences import state_to_json
from ..arrow import arrow_type, cell
from ..native.frontier import decode
from ..native.program import KernelInterface
from .job import Job
from .levels import LevelFile
from .rundir import Manifest

ROWS = 20_000
"""Decoded states that are written together."""

_LEVELS = pa.schema([("depth", pa.int64()), ("states", pa.int64()), ("seconds", pa.float64())])
_COVERAGE = pa.schema([
    ("action", pa.string()), ("switched_off", pa.bool_()), ("fired", pa.int64()), ("guard", pa.string()),
    ("line", pa.int64()), ("is_limit", pa.bool_()), ("evaluated", pa.int64()), ("passed", pa.int64()),
])  # fmt: skip
_PROPERTIES = pa.schema([
    ("property", pa.string()), ("kind", pa.string()), ("says", pa.string()), ("verdict", pa.string()),
    ("steps", pa.int64()),
])  # fmt: skip
_VERDICT = pa.schema([
    ("model", pa.string()), ("constants", pa.string()), ("engine", pa.string()), ("verdict", pa.string()),
    ("outcome", pa.string()), ("assurance", pa.string()), ("distinct_states", pa.int64()),
    ("transitions", pa.int64()), ("depth", pa.int64()), ("seconds", pa.float64()),
])  # fmt: skip


def write_tables(verdict: Verdict, folder: Path) -> None:
    """`verdict.parquet`, `properties.parquet`, `levels.parquet` and `coverage.parquet` in a directory that exists; one
    row a verdict (constants as JSON), property, level, and guard of an action. Raises OSError."""
    for name, rows, schema in (
        ("verdict", [verdict_row(verdict)], _VERDICT),
        ("properties", _properties(verdict), _PROPERTIES),
        ("levels", [{"depth": x.depth, "states": x.states, "seconds": x.seconds} for x in verdict.levels], _LEVELS),
        ("coverage", list(_coverage(verdict)), _COVERAGE),
    ):
        pq.write_table(pa.Table.from_pylist(rows, schema=schema), folder / f"{name}.parquet")


def verdict_row(verdict: Verdict) -> dict[str, Any]:
    """A verdict as a row."""
    names = [name for name in _VERDICT.names if name != "constants"]
    return {
        **{name: getattr(verdict, name) for name in names},
        "constants": json.dumps(dict(verdict.constants)),
    }


def _properties(verdict: Verdict) -> list[dict[str, Any]]:
    return [
        {
            "property": prop.name, "kind": prop.kind, "says": prop.says, "verdict": prop.verdict,
            "steps": None if prop.run is None else len(prop.run.steps),
        }
        for prop in verdict.properties
    ]  # fmt: skip


def _coverage(verdict: Verdict) -> Iterator[dict[str, Any]]:
    for action in verdict.actions:
        row = {"action": action.name, "switched_off": action.switched_off, "fired": action.firings}
        yield from (
            {
                **row, "guard": guard.text, "line": guard.line, "is_limit": guard.is_limit,
                "evaluated": guard.evaluations, "passed": guard.passes,
            }
            for guard in action.guards
        )  # fmt: skip
        if not action.guards:
            yield row


_SWEEP = pa.schema([
    ("point", pa.string()), ("dropped", pa.string()),
    ("verdict", pa.string()), ("outcome", pa.string()), ("distinct_states", pa.int64()),
    ("transitions", pa.int64()), ("depth", pa.int64()), ("violated", pa.string()), ("steps", pa.int64()),
    ("constants", pa.string()), ("seconds", pa.float64()),
])  # fmt: skip


def write_rows(rows: Sequence[dict[str, Any]], path: Path) -> None:
    """The table of a sweep, a row a point; the constants as JSON. What was varied has a column of its value, as text,
    and each property one of its verdict: `holds`, `violated`, ... Such a name that the table has already gets a `_`.
    Raises OSError."""
    schema, wide = _SWEEP, [dict(row) for row in rows]
    for kind in ("varied", "properties"):
        for name in dict.fromkeys(name for row in rows for name in row[kind]):
            column = name
            while column in schema.names:
                column += "_"
            schema = schema.append(pa.field(column, pa.string()))
            for row, into in zip(rows, wide, strict=True):
                into[column] = row[kind].get(name)
    pq.write_table(pa.Table.from_pylist(wide, schema=schema), path)


# --- states -----------------------------------------------------------------------------------------------------------


def write_states(model: Model, program: KernelInterface, job: Job, manifest: Manifest, folder: Path) -> int:
    """Every reached state, a file a level and shard; how many. Besides the fields there are `depth_`, `shard_` and
    `index_`, which say where a state is, and `parent_shard_` and `parent_index_`, one level up. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    places = [(name, pa.int64()) for name in ("depth_", "shard_", "index_", "parent_shard_", "parent_index_")]
    fields = [(field.name, arrow_type(field.type, model.values)) for field in model.fields]
    schema, written = pa.schema([*places, *fields]), 0
    for level, done in enumerate(manifest.levels, 1):
        for shard, count in enumerate(done.states):
            file = LevelFile(job, level, shard, expected=count)
            with pq.ParquetWriter(folder / f"L{level:05}-s{shard:05}.parquet", schema) as writer:
                for first in range(0, count, ROWS):
                    rows = [_row(model, program, file, at) for at in range(first, min(count, first + ROWS))]
                    writer.write_table(pa.Table.from_pylist(rows, schema=schema))
            file.close()
            written += count
    return written


def _row(model: Model, program: KernelInterface, file: LevelFile, index: int) -> dict[str, Any]:
    parent, state = file.parent(index), state_to_json(decode(model, program, file.state(index)))
    return {
        "depth_": file.level, "shard_": file.shard, "index_": index,
        "parent_shard_": None if parent is None else parent.shard,
        "parent_index_": None if parent is None else parent.index,
        **{field.name: cell(field.type, state[field.name]) for field in model.fields},
    }  # fmt: skip
