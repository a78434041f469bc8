"""The native search: its limits, and a miscompiled step that it finds out.

Also of: `scalars`, `statements`.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer.native import outcome, search
from tidegate.explorer.native.kernels import first_kernel
from tidegate.explorer.native.scalars import Bit, Num, Scalars
from tidegate.explorer.native.search import Driver, states_of_first_slice
from tidegate.explorer.native.search import check as native
from tidegate.explorer.native.statements import Statements
from tidegate.explorer.search import Progress, Search
from tidegate.language import ir
from tidegate.language.verdict import DisagreementError

from ...support.engines import bind_text, text_of
from ...support.native import COUNTING, FIELDS, LARGE, NODE, START, counting, large


def test_a_miscompiled_addition_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = Statements.evaluate

    def wrong(self: Statements, node: ir.Expr) -> Any:
        """One more where the model says `+ 1`."""
        if (
            isinstance(node, ir.Arithmetic)
            and node.op == "+"
            and isinstance(node.right, ir.Const)
            and node.right.number == 1
        ):
            return right(self, ir.Arithmetic("-", node.left, node.right, node.type, node.where))
        return right(self, node)

    monkeypatch.setattr(Statements, "evaluate", wrong)
    text = COUNTING.replace("s.table[node] + 1", "min(3, max(0, s.table[node] + 1))")
    model = bind_text(tmp_path, text_of(FIELDS, START, text, before=NODE))
    with pytest.raises(DisagreementError, match="rise") as caught:
        native(model, Search())
    assert "table={A: 0" in str(caught.value), "the message shows the state"


CHOOSE = """
@action
def choose(s: World, choice: Annotated[int, Range(0, {last})]) -> None:
    '''{{choice}} is chosen.'''
    require(choice % 7 == s.count)
    s.count = (s.count + 1) % 7
"""


def choosing(folder: Path, choices: int) -> Any:
    """A model of seven states, in each of which so many choices are tried."""
    fields = "count: Annotated[int, Range(0, 6)]  # how often"
    return bind_text(folder, text_of(fields, "count=0", CHOOSE.format(last=choices - 1), before=""))


def test_a_slice_has_fewer_states_where_each_has_many_choices(tmp_path: Path) -> None:
    """The clock and signals are heeded between two slices, of which one of 20,000 states took half an hour."""
    program = first_kernel(choosing(tmp_path, 400_000), (), None).program
    assert states_of_first_slice(program) == search.CHOICES_TRIED // 400_000
    program = first_kernel(choosing(tmp_path, 40), (), None).program
    assert states_of_first_slice(program) == search.FIRST_SLICE


def test_a_slice_is_as_long_as_its_states_take() -> None:
    driver = object.__new__(Driver)
    driver.slice = 50
    driver.set_slice_length(2, 1.0)
    assert driver.slice == 1, "half a second for a state"
    driver.set_slice_length(1, 0.001)
    assert driver.slice == 2, "it was the whole slice, and took no time"
    driver.set_slice_length(100_000, 0.5)
    assert driver.slice == 20_000


def test_plain_python_checks_fewer_states_again_where_each_has_many_choices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = choosing(tmp_path, 70)
    assert native(model, Search()).rechecked_states == 7
    monkeypatch.setattr(outcome, "CHOICES_RECHECKED", 210)
    assert native(model, Search()).rechecked_states == 3


def test_plain_python_checks_again_as_long_as_there_is_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right, model = outcome.Confirmation.recheck_state, choosing(tmp_path, 70)
    clock = [0.0]

    def later(self: outcome.Confirmation, index: int, heed: Callable[[], None]) -> None:
        clock[0] += 40.0
        right(self, index, heed)

    monkeypatch.setattr(outcome.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(outcome.Confirmation, "recheck_state", later)
    verdict = native(model, Search(seconds=100.0))
    assert verdict.rechecked_states == 2 and verdict.verdict == "holds"  # the third ends between two choices
    assert "time sufficed for 2 of the 7 states that plain Python was to check again" in verdict.notes


def test_a_miscompiled_property_is_caught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = Scalars.compare
    turned = {"<": "<=", "<=": "<"}

    def wrong(self: Scalars, op: str, left: Num, right_: Num) -> Bit:
        """One too many, or one too few."""
        return right(self, turned.get(op, op), left, right_)

    monkeypatch.setattr(Scalars, "compare", wrong)
    extra = "\n@invariant\ndef low(s: World) -> bool:\n    '''Low.'''\n    return s.count < 20\n"
    with pytest.raises(DisagreementError):
        native(counting(tmp_path, extra), Search())


def test_the_memory_limit_is_inconclusive(tmp_path: Path) -> None:
    verdict = native(large(tmp_path), Search(memory_bytes=4 * 2**20))
    assert (verdict.verdict, verdict.outcome) == ("inconclusive", "none")
    assert 10_000 < (verdict.distinct_states or 0) < 2**20
    assert "memory limit" in verdict.assurance


def test_the_time_limit_is_inconclusive(tmp_path: Path) -> None:
    """The limit passes while progress is reported, so that no machine is too quick for it."""

    def passes(progress: Progress) -> None:
        time.sleep(0.05)

    verdict = native(large(tmp_path), Search(seconds=0.05), passes)
    assert verdict.verdict == "inconclusive"
    assert (verdict.distinct_states or 0) > 0
    assert "time limit of 0.05 s" in verdict.assurance


def test_what_was_found_before_a_limit_is_reported(tmp_path: Path) -> None:
    extra = "\n@invariant\ndef dark(s: World) -> bool:\n    '''Dark.'''\n    return not s.lit[3]\n"
    verdict = native(large(tmp_path, extra), Search(memory_bytes=4 * 2**20, keep_going=True))
    assert (verdict.verdict, verdict.outcome) == ("violated", "safety")


def test_an_interrupted_search_tells_what_it_saw(tmp_path: Path) -> None:
    reported = list[Progress]()

    def stop(progress: Progress) -> None:
        reported.append(progress)
        if progress.distinct > 100:
            raise KeyboardInterrupt

    verdict = native(large(tmp_path), Search(), stop)
    assert verdict.verdict == "inconclusive"
    assert (verdict.distinct_states or 0) >= reported[-1].distinct > 100
    assert "Ctrl-C" in verdict.assurance


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
def test_a_real_signal_stops_a_search(tmp_path: Path) -> None:
    body = LARGE.replace("19", "29")
    (tmp_path / "endless.py").write_text(
        text_of("lit: Map[Annotated[int, Range(0, 29)], bool]", "lit=Map({i: False for i in range(30)})", body)
    )
    program = (
        "from tidegate.language.binding import load\nfrom tidegate.explorer.native.search import check\n"
        "from tidegate.explorer.search import Search\nsaid = []\n"
        "def tell(seen):\n    if seen.distinct > 1000 and not said:\n"
        "        said.append(1); print('searching', flush=True)\n"
        f"model = load({str(tmp_path / 'endless.py')!r}).bind()\n"
        "verdict = check(model, Search(memory_bytes=4 << 30, seconds=60), tell)\n"
        "print(verdict.verdict, verdict.distinct_states > 1000, verdict.assurance)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env={**os.environ})
    assert process.stdout is not None
    assert process.stdout.readline() == "searching\n"
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=600)
    assert out == "inconclusive True none: stopped by Ctrl-C\n"
    assert process.returncode == 0
