"""A trace as CSV: every state a row, every cell a column."""

from __future__ import annotations

import csv
import io

from tidegate.reports.trace.spreadsheet import to_csv

from ...support.traces import bind_model, walk_model


def test_every_state_is_a_row_and_every_cell_a_column() -> None:
    run, document = walk_model(bind_model("raft"), 20, 3)
    rows = list(csv.DictReader(io.StringIO(to_csv(document))))
    assert [row["state"] for row in rows] == [str(at) for at in range(len(run.states()))]
    for state, row in zip(run.states(), rows, strict=True):
        for server in state.role:
            assert row[f"role[{server!r}]"] == state.role[server].name
            assert row[f"current_term[{server!r}]"] == str(state.current_term[server])
    assert rows[0]["step"] == ""
    assert [row["step"] for row in rows[1:]] == [step["step"] for step in document["steps"]]
    for name, truth in document["truth"].items():
        assert [row[name] for row in rows] == [{"1": "holds", "0": "fails", "-": ""}[value] for value in truth]
