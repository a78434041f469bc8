"""Shards without Spark: the same states, transitions, depths and counterexamples as the native engine, or an error."""

from __future__ import annotations

import random
import shutil
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer.native.search import check as native
from tidegate.explorer.search import Progress, Search
from tidegate.explorer.spark import driver
from tidegate.explorer.spark.driver import SparkSearch
from tidegate.explorer.spark.fingerprints import OFFSET
from tidegate.explorer.spark.job import DamagedRunError, Job
from tidegate.explorer.spark.levels import level_path
from tidegate.explorer.spark.prefix import Prefix
from tidegate.explorer.spark.rundir import RunDirectory
from tidegate.explorer.spark.step import BLOCK, TRAILER
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language.errors import UsageError
from tidegate.language.judge import initial_states
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict
from tidegate.traces.differences import state_to_json

from ...conftest import ROOT
from ...support.engines import bound, text_of
from ...support.shards import Loop, StateRow, looped
from ...support.shipped import tiered, tiered_rows

SMALL = 12_000


def recorded() -> Iterator[CheckRecord]:
    """What is recorded, of a size that a loop in Python explores in a second or two."""
    for name in ("replication", "async_isr", "raft", "kraft"):
        checks = read_record_file(ROOT / "spec" / f"{name}.toml").checks
        small = [check for check in checks if 300 < check.counts.get("distinct_states", 0) <= SMALL]
        violated = [record for record in small if any(prop.steps for prop in record.properties.values())]
        yield from (*small[:2], *violated[:2])


def states_of(check: CheckRecord) -> int:
    """The states that are recorded."""
    return check.counts["distinct_states"]


def named(check: CheckRecord) -> str:
    """A check's name in the list of tests."""
    return f"{check.target} {states_of(check)}"


def model_of(check: CheckRecord) -> Model:
    definition, profile = find(check.target)
    texts = {name: str(value) for name, value in check.constants.items()}
    return definition.bind(check.target, texts, profile, ghosts=check.ghosts, properties=tuple(check.properties))


def said(verdict: Verdict) -> Any:
    """What must be the same in two engines."""
    runs = {prop.name: (prop.verdict, prop.run and len(prop.run.steps)) for prop in verdict.properties}
    failure = verdict.failure and (verdict.failure.message, len(verdict.failure.run.steps), verdict.failure.action)
    return verdict.verdict, verdict.outcome, runs, failure


def counts(verdict: Verdict) -> Any:
    """Everything that an exhaustive search counts."""
    levels = [level.states for level in verdict.levels]
    return verdict.distinct_states, verdict.transitions, verdict.depth, levels, verdict.actions


@pytest.fixture(scope="module")
def kip320() -> Model:
    """A model of 1,501 states."""
    definition, profile = find("replication:kip320")
    return definition.bind("replication:kip320", {"replicas": "2"}, profile)


@pytest.fixture(scope="module")
def expected(kip320: Model) -> Verdict:
    """What the native engine says of it."""
    return native(kip320, Search())


# --- exact ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "check",
    tiered(recorded(), lambda check: check.target.endswith("truncate_to_hw") and states_of(check) < 5000, named),
)
def test_shards_count_what_is_recorded(check: CheckRecord, tmp_path: Path, cache: Path) -> None:
    search = Search(symmetry=check.symmetry, keep_going=True, cache=cache)
    verdict = looped(model_of(check), tmp_path, search)
    assert {name: getattr(verdict, name) for name in check.counts} == dict(check.counts)
    for name, want in check.properties.items():
        got = next(prop for prop in verdict.properties if prop.name == name)
        assert want.steps is None or (got.run is not None and len(got.run.steps) == want.steps)
    assert counts(verdict) == counts(native(model_of(check), search))


SHARDED = [(64, 1, 0), (64, 7, 100), (128, 3, 0), (128, 2, 60)]


@pytest.mark.parametrize(("fingerprint", "shards", "hand_over"), tiered_rows(SHARDED, lambda row: row == (128, 2, 60)))
def test_any_number_of_shards(
    kip320: Model, expected: Verdict, tmp_path: Path, cache: Path, fingerprint: int, shards: int, hand_over: int
) -> None:
    verdict = looped(
        kip320, tmp_path, Search(cache=cache), Loop(shards), fingerprint=fingerprint, hand_over=hand_over
    )  # fmt: skip
    assert (said(verdict), counts(verdict)) == (said(expected), counts(expected))
    assert verdict.engine == "spark" and verdict.rechecked_states == 100
    assert verdict.assurance.startswith("exhaustive within bounds, expected collisions ")


def test_what_this_process_can_do_alone_it_does(kip320: Model, expected: Verdict, tmp_path: Path, cache: Path) -> None:
    verdict = looped(kip320, tmp_path, Search(cache=cache), hand_over=200_000)
    assert counts(verdict) == counts(expected) and verdict.assurance == "exhaustive within bounds"
    assert "no level was worth handing over" in verdict.notes[-1]


COUNTER = """
@action
def rise(s: World) -> None:
    '''Rises.'''
    {rise}

@invariant
def small(s: World) -> bool:
    '''It stays small.'''
    return {small}

@transition
def slow(before: World, after: World) -> bool:
    '''It does not jump.'''
    return {slow}

@reachable
def nine(s: World) -> bool:
    '''It is nine.'''
    return s.count == 9
"""
FAILING = {
    "an invariant": {"small": "s.count < 12"},
    "a transition": {"slow": "after.count != 13"},
    "a deadlock": {"rise": "require(s.count < 11); s.count = s.count + 1"},
    "a step out of range": {"rise": "s.count = s.count + 1"},
    "a property that cannot be evaluated": {"small": "14 // (10 - s.count) < 99"},
}


@pytest.mark.parametrize("what", FAILING)
@pytest.mark.parametrize("keep_going", [False, pytest.param(True, marks=pytest.mark.long)])
def test_failures_are_those_of_the_native_engine(what: str, keep_going: bool, tmp_path: Path) -> None:
    parts = {"rise": "limit(s.count < 20); s.count = s.count + 1", "small": "s.count < 99", "slow": "True"}
    text = text_of("count: Annotated[int, Range(0, 20)]", "count=0", COUNTER.format(**{**parts, **FAILING[what]}))
    model, search = bound(tmp_path, text), Search(keep_going=keep_going)
    verdict = looped(model, tmp_path, search, shards=2)
    assert said(verdict) == said(native(model, search)) and verdict.verdict == "violated"


def test_too_many_expected_collisions_are_inconclusive(
    kip320: Model, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(driver, "COLLISIONS_MAX", 1e-20)
    verdict = looped(kip320, tmp_path, Search(cache=cache))
    assert verdict.verdict == "inconclusive" and "--fingerprint 128 makes fewer" in verdict.assurance


def test_progress_is_reported(kip320: Model, tmp_path: Path, cache: Path) -> None:
    reported = list[Progress]()
    looped(kip320, tmp_path, Search(cache=cache), report=reported.append)
    assert "distinct, level" in reported[-1].says and reported[-1].distinct == 1501


# --- tasks that are run again, tables that are lost -------------------------------------------------------------------


def test_tables_are_a_cache(kip320: Model, expected: Verdict, tmp_path: Path, cache: Path) -> None:
    def spoil(job: Job, level: int) -> None:
        tables = sorted(job.tables.glob("*.seen"))
        if level % 3 == 0 and tables:
            tables[0].unlink()
        if level % 3 == 1 and tables:
            shutil.rmtree(job.tables)
        if level % 3 == 2 and tables:
            tables[0].write_bytes(tables[0].read_bytes()[:-8])

    verdict = looped(kip320, tmp_path, Search(cache=cache), Loop(before=spoil))
    assert counts(verdict) == counts(expected)


class Twice(Loop):
    """Runs every job twice, as when an executor is lost after its tasks were done."""

    def run(self, job: Job, level: int, chain: int, seconds: float | None) -> driver.JobAnswer:
        """The second answer."""
        super().run(job, level, chain, seconds)
        return super().run(job, level, chain, seconds)


def test_a_job_that_is_run_twice_counts_once(kip320: Model, expected: Verdict, tmp_path: Path, cache: Path) -> None:
    verdict = looped(kip320, tmp_path, Search(cache=cache), Twice())
    assert (said(verdict), counts(verdict)) == (said(expected), counts(expected))


class Killed(Exception):
    """What ends a driver in the test below."""


@pytest.mark.parametrize("at", [2, 7, 15])
def test_a_run_goes_on_where_its_manifest_ends(
    kip320: Model, expected: Verdict, tmp_path: Path, cache: Path, at: int
) -> None:
    def kill(job: Job, level: int) -> None:
        if level >= at:
            raise Killed

    with pytest.raises(Killed):
        looped(kip320, tmp_path, Search(cache=cache), Loop(before=kill))
    shutil.rmtree(tmp_path / "scratch", ignore_errors=True)
    verdict = looped(kip320, tmp_path, Search(cache=cache))
    assert (said(verdict), counts(verdict)) == (said(expected), counts(expected))
    again = looped(kip320, tmp_path, Search(cache=cache))
    assert counts(again) == counts(expected), "a finished run shows its result again"


# --- never fewer states than there are --------------------------------------------------------------------------------


def without(kind: int) -> Any:
    """Loses the first row of a kind on its way to level 6."""

    def spoil(level: int, rows: list[StateRow]) -> list[StateRow]:
        lost = next((row for row in rows if row[1] == kind), None) if level == 6 else None
        return [row for row in rows if row is not lost]

    return spoil


@pytest.mark.parametrize("kind", [BLOCK, TRAILER])
def test_a_lost_row_is_an_error(kip320: Model, tmp_path: Path, cache: Path, kind: int) -> None:
    with pytest.raises(DamagedRunError, match=r"level 6 of shard \d: sent \[.*\], received \[.*\], from each shard"):
        looped(kip320, tmp_path, Search(cache=cache), Loop(spoil=without(kind)))


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def shortened(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def changed(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1] + b"?")


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (Path.unlink, "the file is missing"),
        (emptied, "the file is empty"),
        (shortened, "its size is not that of"),
        (changed, "its checksum is wrong"),
    ],
)
def test_a_damaged_level_file_is_an_error(
    kip320: Model, tmp_path: Path, cache: Path, damage: Callable[[Path], None], says: str
) -> None:
    def spoil(job: Job, level: int) -> None:
        path = level_path(job.folder, 6, 1)
        if level == 6 and path.exists():
            damage(path)

    with pytest.raises(DamagedRunError, match=says):
        looped(kip320, tmp_path, Search(cache=cache), Loop(before=spoil))


@pytest.mark.parametrize("seed", tiered(range(6), lambda seed: seed < 2))
def test_a_byte_that_flips_in_a_table_never_changes_the_count(
    kip320: Model, expected: Verdict, tmp_path: Path, cache: Path, seed: int
) -> None:
    """As on a machine whose memory or disk is faulty: either the count is exact or the run ends."""
    draw = random.Random(seed)

    def spoil(job: Job, level: int) -> None:
        for path in sorted(job.tables.glob("*.seen")):
            data = bytearray(path.read_bytes())
            held = [at for at in range(OFFSET, len(data)) if data[at]]
            if level == 5 + seed and held:
                data[draw.choice(held)] ^= 1 << draw.randrange(8)
                with path.open("r+b") as file:
                    file.write(data)

    counted: int | None = None
    with suppress(DamagedRunError):
        counted = looped(kip320, tmp_path, Search(cache=cache), Loop(before=spoil)).distinct_states
    assert counted in (None, expected.distinct_states)


def test_a_file_that_is_gone_at_the_end_is_an_error(kip320: Model, tmp_path: Path, cache: Path) -> None:
    def spoil(job: Job, level: int) -> None:
        if level > 6:
            level_path(job.folder, 3, 0).unlink(missing_ok=True)

    with pytest.raises(DamagedRunError, match=r"L00003/s00000\.states: the file is missing"):
        looped(kip320, tmp_path, Search(cache=cache), Loop(before=spoil))


def test_one_run_at_a_time_in_a_directory(kip320: Model, tmp_path: Path, cache: Path) -> None:
    held = RunDirectory(tmp_path / "run")
    with pytest.raises(UsageError, match=r"process \d+ of .* is working in it; wait for its end"):
        looped(kip320, tmp_path, Search(cache=cache))
    held.close()


def test_another_question_is_refused(kip320: Model, tmp_path: Path, cache: Path) -> None:
    looped(kip320, tmp_path, Search(cache=cache))
    with pytest.raises(UsageError, match="asks something else: its fingerprint differ; name another directory"):
        looped(kip320, tmp_path, Search(cache=cache), fingerprint=128)
    with pytest.raises(UsageError, match="holds a run of 3 shards; leave --shards out"):
        looped(kip320, tmp_path, Search(cache=cache), shards=2)


def test_level_files_without_a_manifest_are_an_error(kip320: Model, tmp_path: Path, cache: Path) -> None:
    looped(kip320, tmp_path, Search(cache=cache))
    (tmp_path / "run" / "manifest.json").unlink()
    with pytest.raises(DamagedRunError, match=r"there are level files and no manifest\.json"):
        looped(kip320, tmp_path, Search(cache=cache))


# --- results as tables ------------------------------------------------------------------------------------------------


def test_reached_states_as_columns(kip320: Model, expected: Verdict, tmp_path: Path, cache: Path) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    looped(kip320, tmp_path, Search(cache=cache), states_out=tmp_path / "states")
    rows: list[dict[str, Any]] = parquet.read_table(tmp_path / "states").to_pylist()
    assert len(rows) == expected.distinct_states
    assert [sum(row["depth_"] == level.depth for row in rows) for level in expected.levels] == [
        level.states for level in expected.levels
    ]
    where = {(row["depth_"], row["shard_"], row["index_"]) for row in rows}
    assert all(
        (row["depth_"] - 1, row["parent_shard_"], row["parent_index_"]) in where for row in rows if row["depth_"] > 1
    )
    start: Any = next(iter(initial_states(kip320)))
    first = next(row for row in rows if row["depth_"] == 1)
    assert {name: first[name] for name in state_to_json(start)} == state_to_json(start)
    states = [{name: row[name] for name in state_to_json(start)} for row in rows]
    assert len({str(state) for state in states}) == expected.distinct_states


def test_states_of_a_search_that_this_process_finished_alone(kip320: Model, tmp_path: Path, cache: Path) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    looped(kip320, tmp_path, Search(cache=cache), states_out=tmp_path / "states", hand_over=200_000)
    assert parquet.read_table(tmp_path / "states").num_rows == 1501


def test_verdicts_levels_and_coverage_as_tables(expected: Verdict, tmp_path: Path) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    from tidegate.explorer.spark.columns import write_tables

    write_tables(expected, tmp_path)
    read_back = {path.stem: parquet.read_table(path).to_pylist() for path in tmp_path.glob("*.parquet")}
    assert read_back["verdict"][0]["distinct_states"] == 1501
    assert sum(row["states"] for row in read_back["levels"]) == 1501
    fired = {row["action"]: row["fired"] for row in read_back["coverage"]}
    assert sum(fired.values()) == expected.transitions
    assert [row["property"] for row in read_back["properties"]] == [prop.name for prop in expected.properties]


# --- Ctrl-C -----------------------------------------------------------------------------------------------------------


def interrupting(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function as it is, at whose beginning Ctrl-C comes."""

    def interrupted(*arguments: Any, **more: Any) -> Any:
        assert threading.current_thread() is threading.main_thread()
        signal.raise_signal(signal.SIGINT)
        return function(*arguments, **more)

    return interrupted


@pytest.mark.parametrize(
    ("owner", "name"),
    [
        (Prefix, "run"),
        (Prefix, "give"),
        (Prefix, "close"),
        (RunDirectory, "write"),
        (SparkSearch, "_ship"),
        (SparkSearch, "_running"),
        (SparkSearch, "_fold"),
        (Loop, "run"),
    ],
    ids=lambda part: part if isinstance(part, str) else part.__name__,
)
def test_a_search_that_is_interrupted_anywhere_goes_on(
    kip320: Model, expected: Verdict, tmp_path: Path, cache: Path, owner: type, name: str
) -> None:
    search, before = Search(cache=cache), signal.getsignal(signal.SIGINT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(owner, name, interrupting(getattr(owner, name)))
        first = looped(kip320, tmp_path, search, hand_over=60)
    assert first.verdict == "inconclusive" and "stopped by Ctrl-C" in first.assurance
    assert signal.getsignal(signal.SIGINT) is before
    then = looped(kip320, tmp_path, search, hand_over=60)
    assert (said(then), counts(then)) == (said(expected), counts(expected))
