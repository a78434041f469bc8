"""`import tidegate as tg`: the functions, and docs/api.md, which is executed."""

from __future__ import annotations

import doctest
import subprocess
import sys
from pathlib import Path

import pytest
import tidegate as tg
from tidegate.language.errors import UsageError
from tidegate.reports.exits import Exit

from .conftest import ROOT

LOCK = ROOT / "examples" / "lock.py"
CARELESS = f"{LOCK}:careless"


@pytest.fixture
def workshop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path) -> Path:
    """A directory with the examples in it, as a user's is."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TIDEGATE_CACHE", str(cache))
    return tmp_path


def test_the_page_is_true(workshop: Path) -> None:
    page = str(ROOT / "docs" / "api.md")
    failed, tried = doctest.testfile(page, module_relative=False, optionflags=doctest.ELLIPSIS)
    assert (failed, tried > 20) == (0, True)
    assert (workshop / "loss.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_violation_shows_itself_in_a_notebook(workshop: Path) -> None:
    result = tg.check(CARELESS)
    assert (result.holds, result.exit) == (False, Exit.SAFETY)
    shown = result._repr_html_()  # pyright: ignore[reportPrivateUsage]  # IPython's name
    assert "one_inside" in shown
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


def test_a_bound_model_takes_no_further_constants() -> None:
    with pytest.raises(UsageError, match="is bound already"):
        tg.check(tg.load(LOCK), clients=3)


def test_more_states_than_asked_for_are_refused() -> None:
    with pytest.raises(UsageError, match="more than 2 states"):
        tg.explore(LOCK, most=2)


def test_the_graph_has_every_state_and_step() -> None:
    graph = tg.explore(LOCK).graph()
    assert [data["initial"] for _, data in graph.nodes(data=True)] == [True, False, False]
    assert graph.number_of_edges() == 4


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no engine spin"):
        tg.check(LOCK, engine="spin")


def test_an_audit_is_a_function_and_a_package(workshop: Path) -> None:
    program = (
        "import tidegate.audit.auditing; import tidegate as tg; from tidegate.audit.readers import read; "
        "from tidegate import audit; assert tg.audit is audit; "
        "import tidegate.audit.readers as readers; assert tg.audit.readers is readers; "
        "print(callable(tg.audit), tg.audit.__name__, read.__module__)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "True tidegate.audit tidegate.audit.readers\n"


def test_an_audit_names_what_is_lost(workshop: Path) -> None:
    result = tg.audit("examples/clusters/acks-1", kafka_version="3.9", distribution="apache", clients=["java:3.9"])
    assert (result.met, result.exit) == (False, Exit.SAFETY)
    assert "can lose acknowledged records" in " ".join(result.headlines.values())
    with pytest.raises(UsageError, match="--require no-such"):
        tg.audit("examples/clusters/acks-1", require=["no-such"])


def test_the_front_door_imports_nothing_until_it_is_used() -> None:
    program = (
        "import sys, tidegate; tidegate.__version__; "
        "print([each for each in sys.modules if each.startswith(('tidegate.', 'llvmlite', 'z3', 'networkx'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def rows_of(result: tg.CheckResult) -> set[str]:
    return {str({**row, "state": 0}) for row in result.states().to_pylist()}


@pytest.mark.parametrize("symmetry", [False, True])
def test_beyond_what_plain_python_enumerates_the_states_are_the_native_engines(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, symmetry: bool
) -> None:
    result = tg.check("replication:truncate_to_hw", bounds="small", keep_going=True, symmetry=symmetry)
    few = rows_of(result)
    monkeypatch.setattr("tidegate.api.checking.MOST_STATES", 10)
    assert rows_of(result) == few and len(few) > 10
    with pytest.raises(UsageError, match="has more than 10 states"):
        result.states(10)


def test_states_that_break_the_models_types_are_no_table(workshop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = LOCK.read_text(encoding="utf-8").replace(
        "    s.held = True\n", "    s.held = 1 // (1 if s.held else 0) > 0\n"
    )
    (workshop / "broken.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr("tidegate.api.checking.MOST_STATES", 0)
    with pytest.raises(UsageError, match="breaks the model's own types, which check"):
        tg.check("./broken.py").states()
