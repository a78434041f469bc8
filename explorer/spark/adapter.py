"""The step as Spark runs it: Arrow rows of (shard, kind, bytes), one row a block of states.

A level is a stage: rows are sent to the partition of the shard that they are for, which receives them and, where the
job goes on, expands what is new. Works in classic Spark and through Spark Connect.
"""

from __future__ import annotations

import ctypes
import gc
import itertools
import json
import shutil
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import TypeAlias

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from .job import DamagedRunError, Job
from .levels import Facts
from .step import Data, ShardTask, StateRow, expand_shard, receive_level
from .walks import WalkShare, WalksTaken, take_share

SCHEMA = "dst int, kind int, blk binary"
_ARROW = pa.schema([("dst", pa.int32()), ("kind", pa.int32()), ("blk", pa.binary())])
_REPORTS = pa.schema([("report", pa.string())])
BATCH_BYTES = 1 << 16
"""Rows are handed to Spark when they hold so many bytes: a block by itself, what is small together."""

Batches: TypeAlias = Iterator[pa.RecordBatch]


def level_frame(spark: SparkSession, job: Job, level: int, chain: int) -> DataFrame:
    """The facts of expanding `level` and the `chain` - 1 levels after it, as rows."""
    frame = spark.range(0, job.shards, 1, job.shards).mapInArrow(_spread_function(job, level), SCHEMA)
    for number in range(level + 1, level + chain + 1):
        task = _receive_function(job, number, goes_on=number < level + chain)
        frame = frame.repartitionById(job.shards, "dst").mapInArrow(task, SCHEMA)
    return frame.select("blk")


def facts_of(frame: DataFrame) -> list[Facts]:
    """Run a job, and read what its tasks report."""
    return [json.loads(row[0]) for row in frame.collect()]


def shards_frame(spark: SparkSession, job: Job, task: ShardTask) -> DataFrame:
    """What a task reports of each shard, as rows."""

    def run(batches: Batches) -> Batches:
        for batch in batches:
            for shard in batch.column(0).to_pylist():
                yield pa.RecordBatch.from_pydict({"report": [json.dumps(task(job, shard))]}, schema=_REPORTS)

    return spark.range(0, job.shards, 1, job.shards).mapInArrow(run, "report string")


def walk_frame(spark: SparkSession, shares: Sequence[WalkShare]) -> DataFrame:
    """What became of shares of random walks, a task each, as rows."""
    given = list(shares)

    def run(batches: Batches) -> Batches:
        for batch in batches:
            for at in batch.column(0).to_pylist():
                yield pa.RecordBatch.from_pydict({"report": [take_share(given[int(at)]).to_json()]}, schema=_REPORTS)

    return spark.range(0, len(given), 1, len(given)).mapInArrow(run, "report string")


def run_walk_job(frame: DataFrame) -> list[WalksTaken]:
    """Run a job of walks, and read what its tasks report."""
    return [WalksTaken.from_json(row[0]) for row in frame.collect()]


def _spread_function(job: Job, level: int) -> Callable[[Batches], Batches]:
    def run(batches: Batches) -> Batches:
        shards = [shard for batch in batches for shard in batch.column(0).to_pylist()]
        yield from _batches(row for shard in shards for row in expand_shard(job, shard, level))
        _freeze_loaded_objects()

    return run


def _receive_function(job: Job, level: int, *, goes_on: bool) -> Callable[[Batches], Batches]:
    def run(batches: Batches) -> Batches:
        yield from _batches(_receive_rows(job, level, _rows(batches), goes_on=goes_on))
        _freeze_loaded_objects()

    return run


@cache
def _freeze_loaded_objects() -> None:
    """Once a process, at the end of its first task: what was loaded until then is set aside, so that the collection
    that Spark asks for after each task does not go through it. It takes 20 ms of a task otherwise."""
    gc.collect()
    gc.freeze()


def _receive_rows(job: Job, level: int, rows: Iterator[tuple[int, int, Data]], *, goes_on: bool) -> Iterator[StateRow]:
    """A partition's rows, which are all for one shard."""
    first = next(rows, None)
    if first is None:
        raise DamagedRunError(
            f"level {level}: a partition received nothing, not even the end of what each shard sent to it"
        )
    shard = first[0]
    yield from receive_level(job, shard, level, _rows_for_shard(shard, itertools.chain((first,), rows)))
    if goes_on:
        yield from expand_shard(job, shard, level)


def _rows_for_shard(shard: int, rows: Iterable[tuple[int, int, Data]]) -> Iterator[tuple[int, Data]]:
    for owner, kind, data in rows:
        if owner != shard:
            raise DamagedRunError(
                f"a partition received rows for the shards {shard} and {owner}; was adaptive execution on?"
            )
        yield kind, data


def _rows(batches: Batches) -> Iterator[tuple[int, int, Data]]:
    """The rows of batches; their bytes stay where Arrow has them, for as long as the row is looked at."""
    for batch in batches:
        owners, kinds = batch.column(0).to_pylist(), batch.column(1).to_pylist()
        blocks = batch.column(2).cast(pa.binary())
        _, ends, content = blocks.buffers()
        assert ends is not None and content is not None, "every row has bytes"
        places = (ctypes.c_int32 * (len(owners) + 1)).from_address(ends.address + 4 * blocks.offset)
        for at, owner in enumerate(owners):
            size = places[at + 1] - places[at]
            yield owner, kinds[at], (ctypes.c_char * size).from_address(content.address + places[at])


def _batches(rows: Iterator[StateRow]) -> Batches:
    waiting, size = list[StateRow](), 0
    for row in rows:
        waiting.append(row)
        size += len(row[2])
        if size >= BATCH_BYTES:
            yield _batch(waiting)
            waiting, size = [], 0
    if waiting:
        yield _batch(waiting)


def _batch(rows: list[StateRow]) -> pa.RecordBatch:
    """Rows as a batch that is made around their bytes."""
    owners, kinds, blocks = zip(*rows, strict=True)
    ends = struct.pack(f"<{len(rows) + 1}i", 0, *itertools.accumulate(map(len, blocks)))
    content = blocks[0] if len(blocks) == 1 else b"".join(blocks)
    column = pa.Array.from_buffers(pa.binary(), len(rows), [None, pa.py_buffer(ends), pa.py_buffer(content)])
    numbers = [pa.array(values, pa.int32()) for values in (owners, kinds)]
    return pa.RecordBatch.from_arrays([*numbers, column], schema=_ARROW)


def remove_tables(spark: SparkSession, job: Job, tasks: int) -> None:
    """Remove the tables from the machines that these many tasks happen to run on."""
    tables = job.tables

    def sweep(batches: Batches) -> Batches:
        for batch in batches:
            shutil.rmtree(tables, ignore_errors=True)
            yield batch

    spark.range(0, tasks, 1, tasks).mapInArrow(sweep, "id long").count()
