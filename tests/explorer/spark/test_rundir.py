"""The folder of a run: its manifest, its level files, and one run at a time in it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

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


def change_counters(manifest: dict[str, Any]) -> None:
    """Another number of transitions."""
    manifest["counters"][0] += 1


def cut_levels(manifest: dict[str, Any]) -> None:
    """Fewer levels than were explored, as if they were all."""
    del manifest["levels"][5:]


@pytest.mark.parametrize("damage", [change_counters, cut_levels])
def test_a_manifest_that_was_changed_is_an_error(
    kip320: Model, tmp_path: Path, cache: Path, damage: Callable[[dict[str, Any]], None]
) -> None:
    run_in_loop(kip320, tmp_path, Search(cache=cache))
    path = tmp_path / "run" / "manifest.json"
    manifest = json.loads(path.read_bytes())
    damage(manifest)
    path.write_text(json.dumps(manifest))
    with pytest.raises(DamagedRunError) as raised:
        run_in_loop(kip320, tmp_path, Search(cache=cache))
    assert str(raised.value) == (
        f"{path}: the manifest is damaged (it was changed after it was written); begin a new run in another directory"
    )


@pytest.mark.parametrize("option", ["run_dir", "scratch", "states_out"])
def test_a_uri_is_no_place_for_a_run(
    kip320: Model, tmp_path: Path, cache: Path, option: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="is a URI, and only paths of this machine are read and written"):
        run_in_loop(kip320, tmp_path, Search(cache=cache), Loop(), None, **{option: Path("s3a://bucket/run")})
    assert not any(tmp_path.iterdir())
