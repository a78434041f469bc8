"""`check`: what its result says, and how it shows itself."""

from __future__ import annotations

from pathlib import Path

import pytest
import tidegate as tg
from tidegate.language.errors import UsageError
from tidegate.reports.exits import Exit

from ..conftest import ROOT

LOCK = ROOT / "examples" / "lock.py"


CARELESS = f"{LOCK}:careless"


STUCK = '''"""Counts to two and stays there."""

from typing import Annotated

from tidegate.language import Range, action, initial, invariant, require, state


@state
class World:
    """A number."""

    number: Annotated[int, Range(0, 3)]


@initial
def start() -> World:
    """Zero."""
    return World(number=0)


@action
def up(s: World) -> None:
    """Up."""
    require(s.number < 2)
    s.number += 1


@invariant
def small(s: World) -> bool:
    """It never is two."""
    return s.number < 2


@invariant
def kept(s: World) -> bool:
    """It never is three."""
    return s.number < 3
'''


def test_a_violation_shows_itself_in_a_notebook(workshop: Path) -> None:
    result = tg.check(CARELESS)
    assert (result.holds, result.exit) == (False, Exit.SAFETY)
    shown = result._repr_html_()  # pyright: ignore[reportPrivateUsage]  # IPython's name
    assert "one_<wbr>inside" in shown, "a long name may be broken after an underscore, and nowhere else"
    assert "<iframe" in shown
    assert "one_inside" in str(result)


def test_what_has_no_trace_is_reported(workshop: Path) -> None:
    with pytest.raises(UsageError, match="nothing failed"):
        tg.check(LOCK).trace()
    with pytest.raises(UsageError, match="no_such has no trace"):
        tg.check(CARELESS).trace("no_such")


def test_an_inconclusive_result_does_not_hold(workshop: Path) -> None:
    result = tg.check("replication:kip320", bounds="small", time=0.000001)
    assert (result.verdict.verdict, result.holds, result.exit) == ("inconclusive", False, Exit.INCONCLUSIVE)


def test_the_options_have_their_names_of_the_command(tmp_path: Path) -> None:
    stuck = tmp_path / "stuck.py"
    stuck.write_text(STUCK, encoding="utf-8")
    assert tg.check(stuck, properties="kept").exit is Exit.DEADLOCK
    result = tg.check(stuck, no_deadlock=True, without="small")
    assert (result.exit, dict(result.properties)) == (Exit.HOLDS, {"kept": "holds"})
    assert tg.check(stuck, without=["kept"], no_deadlock=True).properties == {"small": "violated"}
    with pytest.raises(UsageError, match="no_deadlock=1: give True or False"):
        tg.check(stuck, no_deadlock=1)  # pyright: ignore[reportArgumentType]  # what a notebook may hold
