"""What people and programs see of a property of whole runs: the gate's JUnit and SARIF, a sweep, `tg.check`, ITF, the
list of models, and that a deadlock or another violation leaves it unchecked."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from textwrap import dedent
from xml.etree import ElementTree

import pytest
import tidegate as tg
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.language.binding import load

from ..conftest import ROOT, Run
from ..explorer.liveness.test_answers import WRITTEN
from ..explorer.liveness.test_liveness import HEADER

COUNTER = ROOT / "examples/liveness/counter.py"
FAIR = "Weak fairness of `serve` is met: it happens in step 1."


def test_the_gates_junit_and_sarif_say_how_the_loop_is_fair(tidegate: Run, tmp_path: Path) -> None:
    shutil.copy(COUNTER, tmp_path)
    entry = '[[check]]\noutcome = "liveness"\nexpect = { is_served = { violated = 3 }, is_served_in_turn = "holds" }\n'
    gate = tmp_path / "gate.toml"
    gate.write_text(f'schema = "tidegate.spec/1"\nmodel = "counter.py"\n\n{entry}', encoding="utf-8")
    assert tidegate("gate", str(gate), "--out", str(tmp_path / "out")).exit == 6
    suites = ElementTree.parse(tmp_path / "out" / "junit.xml").getroot()
    cases = {str(case.get("name")).split()[0]: case.find("failure") for case in suites.iter("testcase")}
    failure = cases["is_served"]
    assert cases["is_served_in_turn"] is None and failure is not None
    assert failure.get("message") == "is_served: recorded a counterexample of 3 steps, found one of 2"
    assert "then it is as after step 0 again: steps 1 to 2 repeat for ever" in str(failure.text)
    (result,) = json.loads((tmp_path / "out" / "results.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert result["ruleId"] == "is_served"
    assert FAIR in result["message"]["text"]
    assert "--property is_served" in result["properties"]["replay"]


def test_what_a_limit_leaves_open_is_recorded_with_its_action(
    tidegate: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And differs where another is stopped, or either is decided; what no limit leaves open is inconclusive."""
    monkeypatch.delenv("CI", raising=False)  # where a check that expects nothing is an error
    begin = WRITTEN.partition("@always_eventually")[0]
    claim = "@always_eventually(weak(copy), weak(write))\ndef copied(s: Log) -> bool:\n    return is_whole(s)\n"
    (tmp_path / "written.py").write_text(HEADER + begin + claim, encoding="utf-8")
    head = 'schema = "tidegate.spec/1"\nmodel = "written.py"\n\n[[check]]\n'

    def run_gate(expect: str, *options: str) -> tuple[int, str]:
        (tmp_path / "gate.toml").write_text(f"{head}{expect}", encoding="utf-8")
        done = tidegate("gate", str(tmp_path / "gate.toml"), *options)
        return done.exit, done.out + done.err

    code, out = run_gate("")
    assert code == 0, out
    assert 'copied = { undecided = "write" }' in out
    code, out = run_gate('expect = { copied = { undecided = "write" } }')
    assert code == 0 and "copied is undecided, as recorded: " in out
    code, out = run_gate('expect = { copied = { undecided = "copy" } }')
    assert code == 6 and "copied: recorded undecided since a limit stops copy, found: " in out
    code, out = run_gate('expect = { copied = "holds" }')
    assert code == 6 and "copied: recorded holds, found undecided: after" in out
    code, out = run_gate('expect = { copied = { undecided = "write" } }', "--time", "0.000001")
    assert code == 5
    code, out = run_gate('expect = { copied = "undecided" }')
    assert code == 64 and 'write { undecided = "ACTION" }, with the action that a limit stops' in out
    limited = claim.replace("weak(write)", "limits_of(write)")
    (tmp_path / "written.py").write_text(HEADER + begin + limited, encoding="utf-8")
    code, out = run_gate('expect = { copied = { undecided = "write" } }')
    assert code == 6 and "copied: recorded undecided, found holds" in out


def test_a_sweep_has_what_must_happen_at_each_value(tidegate: Run) -> None:
    done = tidegate("sweep", "examples/liveness/alternating_bit.py", "--vary", "queue=1,2", "--json")
    rows = json.loads(done.out)["rows"]
    assert [row["outcome"] for row in rows] == ["liveness", "liveness"]
    assert [row["distinct_states"] for row in rows][1] == 240


def test_a_script_is_given_the_loop() -> None:
    result = tg.check(COUNTER, keep_going=True)
    assert (result.properties, result.holds, result.exit) == (
        {"is_served": "violated", "is_served_in_turn": "holds"}, False, 3,
    )  # fmt: skip
    assert result.trace("is_served").document["loop"] == 0


def test_itf_has_the_state_that_the_loop_returns_to(tidegate: Run, tmp_path: Path) -> None:
    tidegate("check", "examples/liveness/printer.py", "--keep-going", "--out", str(tmp_path))
    done = tidegate("export", str(tmp_path / "printed_without_fairness.trace.json"), "--to", "itf")
    itf = json.loads(done.out)
    assert (itf["loop"], len(itf["states"])) == (1, 2)


def test_the_list_of_models_says_of_which_runs_a_claim_is(tidegate: Run) -> None:
    (described,) = json.loads(tidegate("models", str(COUNTER), "--json").out)["models"]
    (first, second) = described["properties"]
    assert first["fairness"] == ["weak(serve)", "weak(come, each=customer)"]
    assert second["fairness"] == ["weak(serve, each=customer)", "weak(come, each=customer)"]
    shown = " ".join(tidegate("models", "examples/liveness/printer.py").out.split())
    assert "though nothing has to happen. Of all runs: nothing has to happen." in shown
    assert "Of the runs with weak(print_job)." in shown


STOPS = '''
from __future__ import annotations
from typing import Annotated
from tidegate.language import *

@state
class Counter:
    """A number."""
    count: Annotated[int, Range(0, 3)]  # so far

@initial
def zero() -> Counter:
    """Nothing."""
    return Counter(count=0)

@action
def up(s: Counter) -> None:
    """One more."""
    require(s.count < 3)
    s.count += 1

@invariant
def is_small(s: Counter) -> bool:
    """It is small."""
    return s.count < {small}

@always_eventually(weak(up))
def is_three(s: Counter) -> bool:
    """It comes to three."""
    return s.count == 3
'''


@pytest.mark.parametrize("engine", ["native", "python"])
@pytest.mark.parametrize(("small", "what"), [("9", "a deadlock"), ("2", "what violates is_small")])
def test_a_search_that_ends_early_says_that_liveness_is_not_checked(
    engine: str, small: str, what: str, cache: Path, tmp_path: Path
) -> None:
    path = tmp_path / "stops.py"
    path.write_text(STOPS.replace("{small}", small), encoding="utf-8")
    model = load(path).bind()
    ended = {prop.name: prop for prop in ENGINES[engine](model, Search(cache=cache), None).properties}["is_three"]
    assert ended.verdict == "not_checked"
    assert ended.why == f"the search ended at {what}, before every state was known; see --keep-going"
    whole = ENGINES[engine](model, Search(cache=cache, keep_going=True), None)
    assert {prop.name: prop.verdict for prop in whole.properties}["is_three"] == "holds"


RUNS = "of the runs with weak(copy) that stay within the limits of write"


def test_every_output_says_of_which_runs_a_claim_holds(tidegate: Run, tmp_path: Path) -> None:
    (tmp_path / "log.py").write_text(HEADER + dedent(WRITTEN.partition("@leads_to(is_whole")[0]), "utf-8")
    entry = '[[check]]\nexpect = { is_copied = "holds" }\n'
    gate = tmp_path / "gate.toml"
    gate.write_text(f'schema = "tidegate.spec/1"\nmodel = "log.py"\n\n{entry}', encoding="utf-8")
    done = tidegate("gate", str(gate), "--out", str(tmp_path / "gated"))
    assert done.exit == 0
    assert f"is_copied holds {RUNS}" in " ".join(done.out.split())
    names = ("report.json", "junit.xml", "results.sarif", "summary.md", "index.html")
    assert [name for name in names if RUNS not in (tmp_path / "gated" / name).read_text(encoding="utf-8")] == []
    checked = tidegate("check", str(tmp_path / "log.py"), "--out", str(tmp_path / "out"))
    assert f"is_copied holds {RUNS}" in " ".join(checked.out.split())
    names = ("report.json", "index.html")
    assert [name for name in names if RUNS not in (tmp_path / "out" / name).read_text(encoding="utf-8")] == []
    shown = tg.check(tmp_path / "log.py")._repr_html_()  # pyright: ignore[reportPrivateUsage]  # IPython's name
    assert f"Holds {RUNS}." in shown.replace("<wbr>", "")
    page = tidegate("spec", str(tmp_path / "log.py"))
    assert "Weak fairness of `copy`. Within the limits of `write`." in page.out
