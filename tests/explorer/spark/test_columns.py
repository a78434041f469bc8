"""Reached states, verdicts and coverage as tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer.search import Search
from tidegate.language.judge import initial_states
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict
from tidegate.traces.differences import state_to_json

from ...support.shards import run_in_loop


def test_reached_states_as_columns(kip320: Model, native_verdict: Verdict, tmp_path: Path, cache: Path) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    run_in_loop(kip320, tmp_path, Search(cache=cache), states_out=tmp_path / "states")
    rows: list[dict[str, Any]] = parquet.read_table(tmp_path / "states").to_pylist()
    assert len(rows) == native_verdict.distinct_states
    assert [sum(row["depth_"] == level.depth for row in rows) for level in native_verdict.levels] == [
        level.states for level in native_verdict.levels
    ]
    where = {(row["depth_"], row["shard_"], row["index_"]) for row in rows}
    assert all(
        (row["depth_"] - 1, row["parent_shard_"], row["parent_index_"]) in where for row in rows if row["depth_"] > 1
    )
    start: Any = next(iter(initial_states(kip320)))
    first = next(row for row in rows if row["depth_"] == 1)
    assert {name: first[name] for name in state_to_json(start)} == state_to_json(start)
    states = [{name: row[name] for name in state_to_json(start)} for row in rows]
    assert len({str(state) for state in states}) == native_verdict.distinct_states


def test_states_of_a_search_that_this_process_finished_alone(kip320: Model, tmp_path: Path, cache: Path) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    run_in_loop(kip320, tmp_path, Search(cache=cache), states_out=tmp_path / "states", hand_over=200_000)
    assert parquet.read_table(tmp_path / "states").num_rows == 1501


def test_verdicts_levels_and_coverage_as_tables(native_verdict: Verdict, tmp_path: Path) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    from tidegate.explorer.spark.columns import write_tables

    write_tables(native_verdict, tmp_path)
    read_back = {path.stem: parquet.read_table(path).to_pylist() for path in tmp_path.glob("*.parquet")}
    assert read_back["verdict"][0]["distinct_states"] == 1501
    assert sum(row["states"] for row in read_back["levels"]) == 1501
    fired = {row["action"]: row["fired"] for row in read_back["coverage"]}
    assert sum(fired.values()) == native_verdict.transitions
    assert [row["property"] for row in read_back["properties"]] == [prop.name for prop in native_verdict.properties]
