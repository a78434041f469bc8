"""What the benches measure must succeed: the time of what failed is no measurement."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer.native.search import check
from tidegate.explorer.search import Search

from ..conftest import ROOT
from ..support.engines import bind_text, text_of

COUNTING = "@action\ndef rise(s: World) -> None:\n    '''Rises.'''\n    limit(s.count < 3)\n    s.count = s.count + 1\n"


Import = Callable[[str], Any]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Import:
    """Imports a module of the benches, which are no package of what is installed."""
    monkeypatch.syspath_prepend(str(ROOT))  # pyright: ignore[reportUnknownMemberType]

    def module(name: str) -> Any:
        return import_module(f"bench.{name}")

    return module


def test_the_report_of_all_that_is_measured_is_printed(bench: Import) -> None:
    measures, printed = bench("measures"), bench("__main__")
    explored = measures.ExplorationMeasure(4000, 9000, 0.5, 30.0)
    tuned = replace(explored, seconds=5.0)
    report = measures.MeasurementReport(
        1.0, 0.1, explored, explored, explored, explored, tuned, replace(explored, seconds=50.0), {"invariants": 100.0}
    )
    text = printed.report_text(report)
    assert "x 10.0 " in text and "x 100 " in text and "8,000" in text and "invariants" in text


def test_a_model_that_does_not_hold_is_not_measured(bench: Import, tmp_path: Path) -> None:
    model = bind_text(tmp_path, text_of("count: Annotated[int, Range(0, 3)]", "count=0", COUNTING))
    verdict = check(model, Search(deadlocks=False))
    holding = bench("measures").require_holding
    assert holding(replace(verdict, verdict="holds")).distinct_states == 4
    with pytest.raises(RuntimeError, match="kip320 must hold, and the native engine says violated"):
        holding(replace(verdict, verdict="violated"))


def test_a_check_that_does_not_start_is_not_measured(bench: Import) -> None:
    with pytest.raises(RuntimeError, match=r"no_such_model.* ends with 6"):
        bench("spark").measure_check("no_such_model")


def test_an_audit_that_ran_out_of_time_is_not_measured(bench: Import, capsys: pytest.CaptureFixture[str]) -> None:
    def document(why: str) -> dict[str, Any]:
        return {"subjects": [{"failed": False, "repair": None, "table": {"no-loss": {"crash@all": {"why": why}}}}]}

    print_outcomes = bench("audit").print_outcomes
    print_outcomes(document("inconclusive: given up after 9 states"))
    assert "of 1 answers 1 are inconclusive" in capsys.readouterr().out
    with pytest.raises(RuntimeError, match="the time limit came before 1 of 1 answers"):
        print_outcomes(document("inconclusive: out of time"))


def test_a_command_that_ends_otherwise_is_not_measured(bench: Import, tmp_path: Path) -> None:
    seconds_of = bench("answers").seconds_of
    stops = (sys.executable, "-c", "import sys; sys.exit('no such thing')")
    with pytest.raises(RuntimeError, match="ends with 1: no such thing"):
        seconds_of(stops, tmp_path)
    assert seconds_of(stops, tmp_path, 1) >= 0


def test_ours_is_measured_on_the_published_module(bench: Import, cache: Path) -> None:
    groups = bench("groups")
    found = groups.search_natively(groups.size_of("one_client").constants, cache)
    assert found.counts == (388, 707, 20)
    assert "388 states, 707 steps, depth 20" in groups.measure_line("one_client", found)


def test_a_size_at_which_tlc_counts_otherwise_is_not_measured(bench: Import) -> None:
    groups = bench("groups")
    ours, theirs = groups.SearchMeasure(388, 707, 20, 0.1, 0.1), groups.SearchMeasure(388, 707, 20, 3.0, 2.0)

    def ours_found(_: Any) -> Any:
        return ours

    def theirs_found(_: Any) -> Any:
        return theirs

    def others_found(_: Any) -> Any:
        return replace(theirs, depth=21)

    assert "ours is 20 times as fast" in groups.compare("one_client", ours_found, theirs_found)
    with pytest.raises(RuntimeError, match=r"of one_client TLC counts \(388, 707, 21\), and Tidegate \(388, 707, 20\)"):
        groups.compare("one_client", ours_found, others_found)


def test_what_tlc_is_asked_has_the_constants_of_the_bounds(bench: Import) -> None:
    groups = bench("groups")
    text = groups.configuration(groups.size_of("two_partitions").constants)
    assert "Clients = {c1, c2}  TopicCount = 1\n  PartitionsPerTopic = 2  MaxPerturbations = 0" in text
    assert "NoDoubleClientAssignment" in text and "SPECIFICATION Spec" in text
