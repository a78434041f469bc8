"""A level in shards: a job that is run twice counts once, and tables are a cache."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tidegate.explorer.search import Search
from tidegate.explorer.spark import driver
from tidegate.explorer.spark.job import Job
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict

from ...support.sharded import comparable_verdict, counts
from ...support.shards import Loop, run_in_loop
from ...support.shipped import tiered_rows

SHARDED = [(64, 1, 0), (64, 7, 100), (128, 3, 0), (128, 2, 60)]


@pytest.mark.parametrize(("fingerprint", "shards", "hand_over"), tiered_rows(SHARDED, lambda row: row == (128, 2, 60)))
def test_any_number_of_shards(
    kip320: Model, native_verdict: Verdict, tmp_path: Path, cache: Path, fingerprint: int, shards: int, hand_over: int
) -> None:
    verdict = run_in_loop(
        kip320, tmp_path, Search(cache=cache), Loop(shards), fingerprint=fingerprint, hand_over=hand_over
    )  # fmt: skip
    assert (comparable_verdict(verdict), counts(verdict)) == (
        comparable_verdict(native_verdict),
        counts(native_verdict),
    )
    assert verdict.engine == "spark" and verdict.rechecked_states == 100
    assert verdict.assurance.startswith("exhaustive within bounds, expected collisions ")


def test_tables_are_a_cache(kip320: Model, native_verdict: Verdict, tmp_path: Path, cache: Path) -> None:
    def spoil(job: Job, level: int) -> None:
        tables = sorted(job.tables.glob("*.seen"))
        if level % 3 == 0 and tables:
            tables[0].unlink()
        if level % 3 == 1 and tables:
            shutil.rmtree(job.tables)
        if level % 3 == 2 and tables:
            tables[0].write_bytes(tables[0].read_bytes()[:-8])

    verdict = run_in_loop(kip320, tmp_path, Search(cache=cache), Loop(before=spoil))
    assert counts(verdict) == counts(native_verdict)


class Twice(Loop):
    """Runs every job twice, as when an executor is lost after its tasks were done."""

    def run(self, job: Job, level: int, chain: int, seconds: float | None) -> driver.JobAnswer:
        """The second answer."""
        super().run(job, level, chain, seconds)
        return super().run(job, level, chain, seconds)


def test_a_job_that_is_run_twice_counts_once(
    kip320: Model, native_verdict: Verdict, tmp_path: Path, cache: Path
) -> None:
    verdict = run_in_loop(kip320, tmp_path, Search(cache=cache), Twice())
    assert (comparable_verdict(verdict), counts(verdict)) == (
        comparable_verdict(native_verdict),
        counts(native_verdict),
    )
