"""The page of a check in a terminal."""

from __future__ import annotations

import dataclasses
from pathlib import Path

from tidegate.explorer.plain import check
from tidegate.explorer.search import Search
from tidegate.language.verdict import ActionCoverage, GuardCoverage, Verdict
from tidegate.reports.check.terminal import check_headline, verdict_page
from tidegate.reports.text_page import TextFormat

from ...conftest import Run
from ...support.terminal import lock


def fix_numbers(verdict: Verdict) -> Verdict:
    """With the numbers that differ from run to run put to fixed ones."""
    numbers = {"seconds": 0.25, "compile_seconds": 0.5, "distinct_states": 1_000_000, "bytes_per_state": 31.5}
    return dataclasses.replace(verdict, engine="native", peak_memory_bytes=100 << 20, **numbers)


def test_a_pass_says_on_what_it_rests() -> None:
    verdict = fix_numbers(check(lock("careful"), Search()))
    assert verdict_page(verdict, TextFormat(width=80)).text() == (
        "✓ lock:careful holds: exhaustive within bounds\n"
        "  clients=2\n"
        "  on: compare_and_set\n"
        "  no symmetry; ghosts off\n"
        "\n"
        "  1,000,000 distinct states, 4 transitions, depth 2\n"
        "  native engine: compiled in 0.50 s, searched in 0.25 s (4.00 million states/s),\n"
        "    31.5 bytes a state are stored, 104.9 resident, process peak 100.0 MiB\n"
        "\n"
        "  holds    one_inside\n"
        "  reached  somebody_inside (1 step)\n"
        "\n"
        "  switched off by constants: look\n"
    ).replace("ghosts off", "ghosts on" if verdict.ghosts else "ghosts off")


def test_coverage_names_what_never_happens() -> None:
    verdict = check(lock("careful"), Search())
    guards = (GuardCoverage("s.up[r]", 12, False, 40, 0), GuardCoverage("len(s.log) < 2", 13, True, 7, 3))
    idle = dataclasses.replace(verdict, never_happens=("fetch",), actions=(ActionCoverage("fetch", 0, False, guards),))
    text = verdict_page(idle, TextFormat()).text()
    assert text.startswith("✓ lock:careful holds: exhaustive within bounds\n! never happens: fetch\n")
    assert "never happened: fetch" in text
    assert "    fetch  line 12  s.up[r]" in text
    assert "    fetch  4 times  len(s.log) < 2" in text
    stopped = verdict_page(dataclasses.replace(idle, verdict="inconclusive", outcome="none"), TextFormat()).text()
    assert "never happened in what was explored: fetch" in stopped
    assert "guards that never let anything through in what was explored:" in stopped


def test_what_is_inconclusive_never_looks_like_a_pass() -> None:
    verdict = check(lock("careful"), Search())
    stopped = dataclasses.replace(verdict, verdict="inconclusive", assurance="none: the time limit was reached")
    assert check_headline(stopped) == "? lock:careful is undecided: the time limit was reached"


TWO_FAIL = '''"""A counter."""

from typing import Annotated

from tidegate.language import Range, action, initial, invariant, require, state

@state
class Counter:
    """How often it counted."""
    n: Annotated[int, Range(0, 3)]

@initial
def start() -> Counter:
    """Nothing is counted."""
    return Counter(n=0)

@action
def count_up(s: Counter) -> None:
    """The counter goes up to {s.n + 1}."""
    require(s.n < 3)
    s.n += 1

@invariant
def below_two(s: Counter) -> bool:
    """The counter is below two."""
    return s.n < 2

@invariant
def below_three(s: Counter) -> bool:
    """The counter is below three."""
    return s.n < 3

@invariant
def not_two(s: Counter) -> bool:
    """The counter is not two."""
    return s.n != 2
'''


def test_a_run_that_violates_several_properties_is_printed_once(tmp_path: Path, tidegate: Run) -> None:
    path = tmp_path / "counter.py"
    path.write_text(TWO_FAIL, encoding="utf-8")
    text = tidegate("check", str(path), "--keep-going", "--no-deadlock", "--no-cache").out
    assert f"✗ {path}: below_two and not_two fail after 2 steps, in the same run" in " ".join(text.split())
    assert f"✗ {path}: below_three fails after 3 steps" in " ".join(text.split())
    assert (text.count("replay it:"), text.count("  1  The counter goes up")) == (2, 2)
    for name in ("below_two", "not_two", "below_three"):
        assert text.count(f"Why this violates {name}:") == 1 and text.count(f"{name} is false, because") == 1
