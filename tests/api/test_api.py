"""`import tidegate as tg`: the functions, and docs/api.md, which is executed.

Also of: `exploring`.
"""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import tidegate as tg
from tidegate import api
from tidegate.api.exploring import reachable_table
from tidegate.language.errors import UsageError
from tidegate.language.values import ModelError

from ..conftest import ROOT

LOCK = ROOT / "examples" / "lock.py"
CARELESS = f"{LOCK}:careless"


@pytest.mark.parametrize(
    "left_out",
    [("tg.prove(", "proof.", "tg.audit(", "result.met", "result.headlines"), pytest.param((), marks=pytest.mark.long)],
    ids=["but its proof and its audit", "whole"],
)
def test_the_page_is_true(workshop: Path, left_out: tuple[str, ...]) -> None:
    """Its proof is that of KIP-320, which `model/replication/test_proof` looks at; its audit explores what those of
    `cli/test_audit` do."""
    page = ROOT / "docs" / "api.md"
    test = doctest.DocTestParser().get_doctest(page.read_text(encoding="utf-8"), {}, page.name, str(page), 0)
    test.examples = [example for example in test.examples if not any(word in example.source for word in left_out)]
    found = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test)
    assert (found.failed, found.attempted > 20) == (0, True)
    assert (workshop / "loss.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_bound_model_takes_no_further_constants() -> None:
    with pytest.raises(UsageError, match=r"is bound already, and clients= cannot be changed: give it to load\(\)"):
        tg.check(tg.load(LOCK), clients=3)
    with pytest.raises(UsageError, match="is bound already, and without=, ghosts= cannot"):
        tg.check(tg.load(LOCK), without="one_holder", ghosts=True)


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


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        (lambda: tg.audit("x", kafka_version=3.9), 'kafka_version=3.9: give it as text, as in kafka_version="3.9"'),  # pyright: ignore[reportArgumentType]
        (lambda: tg.audit("x", acks=1), 'acks=1: give it as text, as in acks="1"'),  # pyright: ignore[reportArgumentType]
        (lambda: tg.audit("x", acks="2"), "acks='2': there is no such value; known: all, 1, 0"),
        (lambda: tg.audit("x", time="soon"), "time='soon': give a number of seconds above 0"),  # pyright: ignore[reportArgumentType]
        (lambda: tg.audit("x", clients=[3.9]), "clients=[3.9]: give a list of texts"),  # pyright: ignore[reportArgumentType]
        (lambda: tg.audit(3), "files=3: give a path"),  # pyright: ignore[reportArgumentType]
        (lambda: tg.check(3), "model=3: give a path"),  # pyright: ignore[reportArgumentType]
        (lambda: tg.check(LOCK, properties=3), "properties=3: give a list of texts"),  # pyright: ignore[reportArgumentType]
        (lambda: tg.check(LOCK, engine=3), "there is no engine 3"),  # pyright: ignore[reportArgumentType]
        (lambda: tg.check(LOCK, workers=0), "workers=0: give a whole number from 1"),
        (lambda: tg.check(LOCK, memory=2.5), "memory=2.5: give a whole number from 1"),  # pyright: ignore[reportArgumentType]
        (lambda: tg.prove(LOCK, time=-1), "time=-1: give a number of seconds above 0"),
        (lambda: tg.simulate(LOCK, steps=-1), "steps=-1: give a whole number from 0"),
        (lambda: tg.simulate(LOCK, faults=2), "faults=2: give a number from 0 to 1"),
        (lambda: tg.explore(LOCK, most=0), "most=0: give a whole number from 1"),
    ],
)
def test_an_argument_of_a_wrong_type_is_named(call: Callable[[], object], shown: str) -> None:
    with pytest.raises(UsageError, match=f"^{re.escape(shown)}"):
        call()


def test_one_text_stands_for_itself_where_several_may_be_given(workshop: Path) -> None:
    assert dict(tg.check(LOCK, properties="one_inside").properties) == {"one_inside": "holds"}
    with pytest.raises(UsageError, match="--require no-such: "):
        tg.audit("examples/clusters/acks-1", require="no-such", clients="java:3.9")


def test_what_there_is_is_listed() -> None:
    assert {"audit", "check", "explore", "load", "prove", "simulate", "Exploration", "language"} <= set(dir(tg))
    assert not {"Any", "ModuleType", "TYPE_CHECKING", "annotations", "import_module", "sys"} & set(dir(tg))
    assert dir(api) == sorted(api.__all__)


def test_a_result_is_one_line_at_a_prompt(workshop: Path) -> None:
    good, bad = tg.check(LOCK), tg.check(CARELESS)
    assert repr(good) == f"<CheckResult: ✓ {LOCK} holds: exhaustive within bounds>"
    assert repr(bad.trace()) == f"<Trace: {CARELESS}, {len(bad.trace().steps)} steps>"
    assert repr(good.model) == f"<Model: {LOCK}, 3 actions, {len(good.model.properties)} properties>"
    assert repr(tg.explore(LOCK)) == f"<Exploration: {LOCK}: 3 states, 4 steps>"
    assert repr(tg.simulate(LOCK, steps=2)) == f"<Simulation: {LOCK}, 2 steps, nothing fails>"


def test_the_front_door_imports_nothing_until_it_is_used() -> None:
    program = (
        "import sys, tidegate; tidegate.__version__; "
        "print([name for name in sys.modules if name.startswith(('tidegate.', 'llvmlite', 'z3', 'networkx'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def rows_of(result: tg.CheckResult | tg.Exploration) -> set[str]:
    return {str({**row, "state": 0}) for row in result.states().to_pylist()}


@pytest.mark.parametrize("symmetry", [pytest.param(False, marks=pytest.mark.long), True])
def test_the_states_of_a_check_are_those_that_plain_python_explores(workshop: Path, symmetry: bool) -> None:
    """Also of a check that folded states."""
    result = tg.check("replication:truncate_to_hw", bounds="small", keep_going=True, symmetry=symmetry)
    assert rows_of(result) == rows_of(result.explore()) and result.states().num_rows == len(result.explore()) > 10
    with pytest.raises(UsageError, match="has more than 10 states"):
        result.states(10)


@pytest.mark.parametrize(
    "path", ["tests/fixtures/models/columns.py", "tests/fixtures/models/courier.py", "examples/published/voting.py"]
)
def test_the_columns_of_packed_states_are_those_of_plain_python(path: str) -> None:
    """In the same order: both number the states breadth first."""
    found = tg.explore(ROOT / path)
    native = reachable_table(found.model, 5000)
    assert native.schema.equals(found.states().schema)
    assert native.to_pylist() == found.states().to_pylist() and native.num_rows == len(found) > 10


def test_states_that_break_the_models_types_are_no_table(workshop: Path) -> None:
    text = LOCK.read_text(encoding="utf-8").replace(
        "    s.held = True\n", "    s.held = 1 // (1 if s.held else 0) > 0\n"
    )
    (workshop / "broken.py").write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match="breaks the model's own types, which check"):
        tg.check("./broken.py").states()
    with pytest.raises(ModelError):
        tg.explore("./broken.py")


def test_an_exploration_says_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """And of a model with more states than asked for, nothing is explored in plain Python before it is refused."""
    tg.explore("replication:truncate_to_hw", bounds="small", progress=True)
    assert "replication:truncate_to_hw: 1,000 of 1,959 states explored in plain Python" in capsys.readouterr().err
    with pytest.raises(UsageError, match="more than 20,000 states"):
        tg.explore("replication:kip320", progress=True)
    assert capsys.readouterr().err == ""
