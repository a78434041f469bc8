"""A state from which one step breaks the model and another violates a property: every engine says that it breaks."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search

from ..support.engines import bind_text, text_of

BODY = '''
@action
def up(s: World, by: Small) -> None:
    """Up."""
    require(s.count < 2)
    s.count += by{}


{}
'''
CLAIMS = {
    "invariant": "@invariant\ndef low(s: World) -> bool:\n    '''Low.'''\n    return s.count < 1\n",
    "transition": "@transition\ndef low(old: World, new: World) -> bool:\n    '''Low.'''\n    return new.count < 1\n",
}


@pytest.mark.parametrize("keep_going", [False, True])
@pytest.mark.parametrize("breaking", [" + 1", " // (3 - by)"], ids=["a range", "a division"])
@pytest.mark.parametrize("claim", list(CLAIMS))
@pytest.mark.parametrize("engine", ["native", "python"])
def test_what_breaks_is_said_first(engine: str, claim: str, breaking: str, keep_going: bool, tmp_path: Path) -> None:
    model = bind_text(tmp_path, text_of("count: Small", "count=0", BODY.format(breaking, CLAIMS[claim])))
    verdict = ENGINES[engine](model, Search(keep_going=keep_going), None)
    assert verdict.outcome == "model_error"
    assert verdict.failure is not None
    assert len(verdict.failure.run.steps) == 0
    assert verdict.failure.action == "up"
    assert {prop.verdict for prop in verdict.properties} == {"undecided"}
