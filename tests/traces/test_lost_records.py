"""Records that a lane lacks where a property fails: a red cell each, since the step that took it."""

from __future__ import annotations

from tidegate.traces.lost_records import cells_missing_records

from ..support.shipped import bind_shipped
from ..support.steps import run_of
from ..support.traces import counterexample


def test_a_record_that_was_truncated_is_missed_since_then() -> None:
    document = counterexample("replication:truncate_to_hw", "strong_isr")
    model = bind_shipped("replication:truncate_to_hw", ghosts=False)
    text = "; ".join(step["step"] for step in document["steps"])
    run = run_of(model, text)
    at = len(run.steps)
    logs = [f"log[{name}]" for name in "ABC"]
    rows = cells_missing_records(model, run, at, logs, {})
    assert rows and all(0 <= row["since"] <= at for row in rows)
    assert rows == [row for row in rows if row["lane"] in "ABC" and row["text"] != "?"]
    assert cells_missing_records(model, run, 0, logs, {}) == [], "nothing was promised at first"
    assert cells_missing_records(model, run, at, [], {}) == [], "only lanes that make the property false lack something"


def test_a_model_without_logs_lacks_nothing() -> None:
    model = bind_shipped("znode_election")
    run = run_of(model, "")
    assert cells_missing_records(model, run, 0, ["log[A]"], {}) == []
