"""The driver of a search in shards: what is counted is what is recorded, however it is interrupted."""

from __future__ import annotations

import errno
import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer.native.search import check as native
from tidegate.explorer.search import Progress, Search
from tidegate.explorer.spark import driver
from tidegate.explorer.spark.driver import SparkSearch
from tidegate.explorer.spark.job import Job
from tidegate.explorer.spark.levels import Facts, LevelWriter
from tidegate.explorer.spark.prefix import Prefix
from tidegate.explorer.spark.rundir import RunDirectory
from tidegate.explorer.spark.step import ShardTask
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language.errors import UsageError
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict

from ...conftest import ROOT
from ...support.sharded import comparable_verdict, counts
from ...support.shards import Loop, run_in_loop
from ...support.shipped import tier_parameters

SMALL = 12_000


def recorded_checks() -> Iterator[CheckRecord]:
    """What is recorded, of a size that a loop in Python explores in a second or two."""
    for name in ("replication", "async_isr", "raft", "kraft"):
        checks = read_record_file(ROOT / "spec" / f"{name}.toml").checks
        small = [check for check in checks if 300 < check.counts.get("distinct_states", 0) <= SMALL]
        violated = [record for record in small if any(prop.steps for prop in record.properties.values())]
        yield from (*small[:2], *violated[:2])


def states_of(check: CheckRecord) -> int:
    """The states that are recorded."""
    return check.counts["distinct_states"]


def check_name(check: CheckRecord) -> str:
    """A check's name in the list of tests."""
    return f"{check.target} {states_of(check)}"


def model_of(check: CheckRecord) -> Model:
    definition, profile = find(check.target)
    texts = {name: str(value) for name, value in check.constants.items()}
    return definition.bind(check.target, texts, profile, ghosts=check.ghosts, properties=tuple(check.properties))


@pytest.mark.parametrize(
    "check",
    tier_parameters(
        recorded_checks(), lambda check: check.target.endswith("truncate_to_hw") and states_of(check) < 5000, check_name
    ),
)
def test_shards_count_what_is_recorded(check: CheckRecord, tmp_path: Path, cache: Path) -> None:
    search = Search(symmetry=check.symmetry, keep_going=True, cache=cache)
    verdict = run_in_loop(model_of(check), tmp_path, search)
    assert {name: getattr(verdict, name) for name in check.counts} == dict(check.counts)
    for name, want in check.properties.items():
        got = next(prop for prop in verdict.properties if prop.name == name)
        assert want.steps is None or (got.run is not None and len(got.run.steps) == want.steps)
    assert counts(verdict) == counts(native(model_of(check), search))


def test_progress_is_reported(kip320: Model, tmp_path: Path, cache: Path) -> None:
    reported = list[Progress]()
    run_in_loop(kip320, tmp_path, Search(cache=cache), report=reported.append)
    assert "distinct, level" in reported[-1].says and reported[-1].distinct == 1501


def interrupting(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function as it is, at whose beginning Ctrl-C comes."""

    def interrupt(*arguments: Any, **more: Any) -> Any:
        assert threading.current_thread() is threading.main_thread()
        signal.raise_signal(signal.SIGINT)
        return function(*arguments, **more)

    return interrupt


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (Prefix, "search_levels"),
        (Prefix, "write_levels"),
        (Prefix, "close"),
        (RunDirectory, "write"),
        (SparkSearch, "_ship_kernel"),
        (SparkSearch, "_started_runner"),
        (SparkSearch, "_take_in_reports"),
        (SparkSearch, "_recount_levels"),
        (Loop, "run"),
    ],
    ids=lambda part: part if isinstance(part, str) else part.__name__,
)
def test_a_search_that_is_interrupted_anywhere_goes_on(
    kip320: Model, native_verdict: Verdict, tmp_path: Path, cache: Path, owner: type, name: str
) -> None:
    search, before = Search(cache=cache), signal.getsignal(signal.SIGINT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, interrupting(getattr(owner, name)))
        first = run_in_loop(kip320, tmp_path, search, hand_over=60)
    assert first.verdict == "inconclusive" and "stopped by Ctrl-C" in first.assurance
    assert signal.getsignal(signal.SIGINT) is before
    then = run_in_loop(kip320, tmp_path, search, hand_over=60)
    assert (comparable_verdict(then), counts(then)) == (comparable_verdict(native_verdict), counts(native_verdict))


@pytest.mark.parametrize("hand_over", [0, 60])
def test_a_full_disk_is_named_and_the_search_goes_on(
    kip320: Model, native_verdict: Verdict, tmp_path: Path, cache: Path, hand_over: int
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    search = Search(cache=cache)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LevelWriter, "commit", refuse)
        with pytest.raises(UsageError) as raised:
            run_in_loop(kip320, tmp_path, search, hand_over=hand_over)
    assert str(raised.value) == (
        f"{tmp_path / 'run'}: No space left on device; once that is mended the same command with the same --run-dir "
        "goes on from the last complete level"
    )
    then = run_in_loop(kip320, tmp_path, search, hand_over=hand_over)
    assert counts(then) == counts(native_verdict)


def test_states_that_were_not_all_written_leave_the_verdict_as_it_is(
    kip320: Model, native_verdict: Verdict, tmp_path: Path, cache: Path
) -> None:
    pytest.importorskip("pyarrow")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(driver, "verdict_of_search", interrupting(driver.verdict_of_search))
        ended = run_in_loop(kip320, tmp_path, Search(cache=cache), states_out=tmp_path / "states")
    assert (comparable_verdict(ended), counts(ended)) == (comparable_verdict(native_verdict), counts(native_verdict))
    assert ended.notes[-1] == "--states-out has not all states: stopped by Ctrl-C"


def test_many_states_are_counted_again_and_written_by_tasks(
    kip320: Model, native_verdict: Verdict, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(driver, "ALONE_STATES", 0)
    asked = list[str]()

    class Noting(Loop):
        """Notes what tasks were run for."""

        def run_shards(self, job: Job, task: ShardTask, says: str) -> list[Facts]:
            asked.append(says)
            return super().run_shards(job, task, says)

    ended = run_in_loop(kip320, tmp_path, Search(cache=cache), Noting(), states_out=tmp_path / "states")
    assert counts(ended) == counts(native_verdict)
    assert asked == ["counting all states again", "writing the reached states"]
    assert parquet.read_table(tmp_path / "states").num_rows == native_verdict.distinct_states
