"""The folder of a run: its manifest, its level files, and one run at a time in it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from tidegate.explorer.search import Search
from tidegate.explorer.spark.job import DamagedRunError, Job
from tidegate.explorer.spark.rundir import RunDirectory
from tidegate.language.errors import UsageError
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict

from ...support.sharded import comparable_verdict, counts
from ...support.shards import Loop, run_in_loop


class KilledError(Exception):
    """What ends a driver in the test below."""


@pytest.mark.parametrize("at", [2, 7, 15])
def test_a_run_goes_on_where_its_manifest_ends(
    kip320: Model, native_verdict: Verdict, tmp_path: Path, cache: Path, at: int
) -> None:
    def kill(job: Job, level: int) -> None:
        if level >= at:
            raise KilledError

    with pytest.raises(KilledError):
        run_in_loop(kip320, tmp_path, Search(cache=cache), Loop(before=kill))
    shutil.rmtree(tmp_path / "scratch", ignore_errors=True)
    verdict = run_in_loop(kip320, tmp_path, Search(cache=cache))
    assert (comparable_verdict(verdict), counts(verdict)) == (
        comparable_verdict(native_verdict),
        counts(native_verdict),
    )
    again = run_in_loop(kip320, tmp_path, Search(cache=cache))
    assert counts(again) == counts(native_verdict), "a finished run shows its result again"


def test_one_run_at_a_time_in_a_directory(kip320: Model, tmp_path: Path, cache: Path) -> None:
    held = RunDirectory(tmp_path / "run")
    with pytest.raises(UsageError, match=r"process \d+ of .* is working in it; wait for its end"):
        run_in_loop(kip320, tmp_path, Search(cache=cache))
    held.close()


def test_another_question_is_refused(kip320: Model, tmp_path: Path, cache: Path) -> None:
    run_in_loop(kip320, tmp_path, Search(cache=cache))
    with pytest.raises(UsageError, match="asks something else: its fingerprint differ; name another directory"):
        run_in_loop(kip320, tmp_path, Search(cache=cache), fingerprint=128)
    with pytest.raises(UsageError, match="holds a run of 3 shards; leave --shards out"):
        run_in_loop(kip320, tmp_path, Search(cache=cache), shards=2)


def test_level_files_without_a_manifest_are_an_error(kip320: Model, tmp_path: Path, cache: Path) -> None:
    run_in_loop(kip320, tmp_path, Search(cache=cache))
    (tmp_path / "run" / "manifest.json").unlink()
    with pytest.raises(DamagedRunError, match=r"there are level files and no manifest\.json"):
        run_in_loop(kip320, tmp_path, Search(cache=cache))
