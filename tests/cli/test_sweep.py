"""`tidegate sweep`: a table of verdicts, with a row for each value and for each switch dropped."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ..conftest import Run
from ..explorer.spark.test_spark import SWEPT, VARIED


def test_a_sweep_is_a_table_of_verdicts(tidegate: Run, tmp_path: Path) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    rows = json.loads(tidegate("sweep", *SWEPT[1:], *VARIED, "--json", "--out", str(tmp_path / "table.parquet")).out)[
        "rows"
    ]
    assert len(rows) == 4
    assert (rows[2]["verdict"], rows[2]["distinct_states"]) == ("holds", 957)
    table = parquet.read_table(tmp_path / "table.parquet").to_pylist()
    assert [row["distinct_states"] for row in table] == [row.get("distinct_states") for row in rows]
    assert [(row["max_leader_epoch"], row["truncation"]) for row in table] == [
        ("0", "common_prefix"), ("0", "high_watermark"), ("1", "common_prefix"), ("1", "high_watermark"),
    ]  # fmt: skip
    assert [row["strong_isr"] for row in table] == [row["properties"]["strong_isr"] for row in rows]


def test_a_sweep_says_which_states_there_are_and_folds_what_is_alike(tidegate: Run) -> None:
    asked = ["raft", "--set", "servers=2", "--set", "max_term=1", "--property", "two_leaders", "--vary", "crashes=0,1"]
    whole, folded = (
        json.loads(tidegate("sweep", *asked, *more, "--json").out)["rows"] for more in ((), ("--symmetry",))
    )
    assert all(one["distinct_states"] > few["distinct_states"] for one, few in zip(whole, folded, strict=True))
    printed = tidegate("sweep", *asked, "--symmetry").out
    assert [" ".join(line.split()[:2]) for line in printed.splitlines()[1:] if "crashes=" in line] == [
        "crashes=0 missing", "crashes=1 missing",
    ]  # fmt: skip


@pytest.mark.long
def test_a_sweep_has_a_row_for_each_switch_dropped(tidegate: Run, tmp_path: Path) -> None:
    parquet: Any = pytest.importorskip("pyarrow.parquet")
    tidegate("sweep", *SWEPT[1:], "--set", "max_leader_epoch=1", "--drop", "--out", str(tmp_path / "table.parquet"))
    table = {row["dropped"]: row for row in parquet.read_table(tmp_path / "table.parquet").to_pylist()}
    assert len(table) > 3 and table[None]["point"] == "as it is"
    for dropped, row in table.items():
        assert row["strong_isr"] == row["verdict"] in ("holds", "violated")
        assert dropped is None or row["point"].startswith(f"{dropped}=")
