"""Results as tables: levels, coverage and verdicts, and the reached states with a column for each field, as Parquet.

`arrow` says what a value becomes.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet as pq

from ...language.immutable import immutable
from ...language.verdict import Verdict
from ..arrow import arrow_type, state_columns
from ..native.layout import Layout
from .job import Job
from .levels import NO_PARENT, Facts, LevelFile

pa: Any = pyarrow  # whose stubs leave much out
ROWS = 1 << 18
"""Decoded states that are written together."""

_PLACES = [(name, pa.int64()) for name in ("depth_", "shard_", "index_", "parent_shard_", "parent_index_")]

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


@immutable
class StatesWriter:
    """A task that writes a shard's states of all levels as Parquet, a file a level in `folder`. Besides the fields
    there are `depth_`, `shard_` and `index_`, which say where a state is, and `parent_shard_` and `parent_index_`, one
    level up. `levels` are the states of each level by shard. Raises OSError."""

    folder: Path
    layout: Layout
    levels: tuple[tuple[int, ...], ...]

    def __call__(self, job: Job, shard: int) -> Facts:
        self.folder.mkdir(parents=True, exist_ok=True)
        for level, states in enumerate(self.levels, 1):
            file = LevelFile(job, level, shard, expected_states=states[shard])
            name = f"L{level:05}-s{shard:05}.parquet"
            part = self.folder / f".{name}.{os.uname().nodename}.{os.getpid()}"
            with pq.ParquetWriter(part, self._schema()) as writer:
                for first in range(0, file.count, ROWS):
                    writer.write_table(self._table(file, first, min(ROWS, file.count - first)))
            file.close()
            os.replace(part, self.folder / name)  # another attempt writes the same rows
        return {"shard": shard, "written": sum(states[shard] for states in self.levels)}

    def _schema(self) -> Any:
        fields = [(field.name, arrow_type(field.type, self.layout.values)) for field in self.layout.fields]
        return pa.schema([*_PLACES, *fields])

    def _table(self, file: LevelFile, first: int, count: int) -> Any:
        states, places = file.packed_states(first, count)
        words, parents = np.frombuffer(states, np.uint64).reshape(count, file.words), np.frombuffer(places, np.uint64)
        is_start = parents == NO_PARENT
        columns: dict[str, Any] = {
            "depth_": np.full(count, file.level), "shard_": np.full(count, file.shard),
            "index_": np.arange(first, first + count),
            "parent_shard_": pa.array((parents >> np.uint64(32)).astype(np.int64), mask=is_start),
            "parent_index_": pa.array((parents & np.uint64(NO_PARENT)).astype(np.int64), mask=is_start),
        }  # fmt: skip
        return pa.table({**columns, **state_columns(self.layout, words)}, schema=self._schema())
