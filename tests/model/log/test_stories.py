"""A log as its users see it, as stories: what is acknowledged is committed."""

from __future__ import annotations

import pytest
from tidegate.language.judge import run_text
from tidegate.language.steptext import StepError

from ...support.checks import truths
from ...support.shipped import bind_shipped


def test_what_is_acknowledged_was_committed_first() -> None:
    model = bind_shipped("log:kept")
    run_text(model, "append(entry=0, confirmed=false, shown=false); commit(batch={0}, confirmed={0})")
    with pytest.raises(StepError):
        run_text(model, "commit(batch={0}, confirmed={0})")


def test_an_entry_is_appended_once() -> None:
    with pytest.raises(StepError):
        run_text(bind_shipped("log:kept"), "append(entry=0, confirmed=false, shown=false); " * 2)


def test_what_is_acknowledged_and_not_committed_breaks_the_promise_of_its_profile_alone() -> None:
    text = "append(entry=0, confirmed=true, shown=false)"
    assert truths(bind_shipped("log:acknowledges_uncommitted"), text, "acknowledged_is_committed") == [True, False]
    with pytest.raises(StepError):
        run_text(bind_shipped("log:kept"), text)
