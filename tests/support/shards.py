"""What the tests of the engine on Spark share: its tasks, run by a loop in this process."""

from __future__ import annotations

import json
import pickle
import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from tidegate.explorer.native.compiler import Target
from tidegate.explorer.search import Report, Search, SparkCluster
from tidegate.explorer.spark.driver import JobAnswer, explore
from tidegate.explorer.spark.job import Job
from tidegate.explorer.spark.levels import Facts
from tidegate.explorer.spark.step import FACTS, ShardTask, expand_shard, receive_level
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict

StateRow = tuple[int, int, bytes]


class Loop:
    """Runs tasks one after the other, each with a job of its own, as if on another machine. `spoil` may change the
    rows of a level on their way; `before` is called for each level."""

    def __init__(
        self,
        shards: int = 3,
        spoil: Callable[[int, list[StateRow]], list[StateRow]] | None = None,
        before: Callable[[Job, int], None] | None = None,
    ) -> None:
        self.core_count, self.target = shards, Target.host()
        self._spoil, self._before = spoil, before
        self.closed = False

    def run(self, job: Job, level: int, chain: int, seconds: float | None) -> JobAnswer:
        """The levels, their rows in any order."""
        if self._before is not None:
            self._before(job, level)
        sent = [row for shard in range(job.shards) for row in expand_shard(_copy_job(job), shard, level)]
        for number in range(level + 1, level + chain + 1):
            if self._before is not None:
                self._before(job, number)
            if self._spoil is not None:
                sent = self._spoil(number, sent)
            random.Random(number).shuffle(sent)
            reported = list[StateRow]()
            for shard in range(job.shards):
                mine = [(kind, data) for owner, kind, data in sent if owner == shard]
                reported += receive_level(_copy_job(job), shard, number, mine)
                if number < level + chain:
                    reported += expand_shard(_copy_job(job), shard, number)
            sent = reported
        assert all(kind == FACTS for _, kind, _ in sent)
        return JobAnswer([json.loads(data) for _, _, data in sent], 0)

    def run_shards(self, job: Job, task: ShardTask, says: str) -> list[Facts]:
        """The shards one after the other, each with a task of its own."""
        del says
        return [pickle.loads(pickle.dumps(task))(_copy_job(job), shard) for shard in range(job.shards)]

    def close(self, job: Job | None) -> None:
        """Nothing is left."""
        self.closed = True


def _copy_job(job: Job) -> Job:
    return pickle.loads(pickle.dumps(job))


def run_in_loop(
    model: Model, folder: Path, search: Search | None = None, runner: Loop | None = None, report: Report | None = None,
    **cluster: Any,
) -> Verdict:  # fmt: skip
    """The verdict of the engine's tasks, run by a loop; `folder` holds the run and its scratch."""
    options: dict[str, Any] = {"run_dir": folder / "run", "scratch": folder / "scratch", "hand_over": 0, **cluster}
    asked = replace(search or Search(), cluster=SparkCluster(**options))
    return explore(model, asked, lambda: runner or Loop(), report)
