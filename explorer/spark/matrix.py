"""Independent checks as Spark tasks, one each: a matrix of models, profiles and bounds, or a sweep of constants."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import astuple

import pyarrow as pa

from ...language.errors import UsageError
from ..commands import CommandResult, run_command
from ..search import SparkCluster
from .adapter import Batches
from .session import start_session, telling_line

_SCHEMA = "task int, finished string"
_ARROW = pa.schema([("task", pa.int32()), ("finished", pa.string())])


def run_commands(
    cluster: SparkCluster, commands: Sequence[Sequence[str]], weights: Sequence[float]
) -> list[CommandResult]:
    """Run each command in a task of its own, the heaviest first, as executors are free; their output, in the order
    given. A command that fails is reported as such; UsageError when Spark itself gives up."""
    order = sorted(range(len(commands)), key=lambda task: -weights[task])
    spark = start_session(cluster)
    try:
        frame = spark.range(0, len(order), 1, len(order)).mapInArrow(
            _command_runner(list(map(list, commands)), order), _SCHEMA
        )
        rows = {row[0]: CommandResult(*json.loads(row[1])) for row in frame.collect()}
    except Exception as error:
        raise UsageError(f"Spark gave up on {len(commands)} checks: {telling_line(error)}") from error
    finally:
        spark.stop()
    return [rows[task] for task in range(len(commands))]


def _command_runner(commands: list[list[str]], order: list[int]) -> Callable[[Batches], Batches]:
    def run(batches: Batches) -> Batches:
        for batch in batches:
            for at in batch.column(0).to_pylist():
                task = order[int(at)]
                finished = json.dumps(astuple(run_command(commands[task])))
                yield pa.RecordBatch.from_pydict({"task": [task], "finished": [finished]}, schema=_ARROW)

    return run
