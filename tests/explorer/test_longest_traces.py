"""The longest trace of each action."""

from __future__ import annotations

from tidegate.explorer.longest_traces import longest_runs

from ..traces.test_document import COURIER


def test_the_longest_run_of_an_action_ends_with_it() -> None:
    model = COURIER.bind()
    found = longest_runs(model, ["close", "err"])
    assert found.complete
    assert list(found.runs) == ["close"]
    assert found.runs["close"].steps[-1].action == "close"
    assert not longest_runs(model, ["close"], states_max=5).complete
