"""`tidegate export`: where a trace goes, and what cannot be exported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tidegate.reports.trace.sequence import to_mermaid

from ..conftest import RunHere
from ..support.exports import saved_trace
from ..support.traces import counterexample


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    return saved_trace(tmp_path)


def test_a_trace_is_written_to_standard_output_or_to_a_file(run_here: RunHere, trace: Path, tmp_path: Path) -> None:
    exit_, text = run_here("export", str(trace), "--to", "mermaid")
    assert (exit_, text) == (0, to_mermaid(counterexample("examples/lock.py:careless", "one_inside")))
    target = tmp_path / "one.mmd"
    assert run_here("export", str(trace), "--to", "mermaid", "--output", str(target)) == (0, "")
    assert target.read_text() == text
    itf = json.loads(run_here("export", str(trace), "--to", "itf")[1])
    assert len(itf["states"]) == 5


TOLD = [
    (["nothing.json", "--to", "itf"], "nothing.json: cannot be read (No such file or directory)"),
    (
        ["raft", "--to", "itf"],
        "--to itf takes a trace, and raft is no .json file; save one with check --out, or ask for a graph of the model:"
        " --to dot or graphml or svg",
    ),
    (
        ["raft", "--to", "dot"],
        "say which graph: --quotient EXPRESSIONS merges states that are equal on them, --around N shows what is near "
        "a step of a trace, --raw every state",
    ),
    (["raft", "--to", "dot", "--around", "3"], "--around N is a step of a trace; name a .trace.json file"),
    (
        ["examples/lock.py", "--to", "dot", "--quotient", "hold"],
        "--quotient hold: examples/lock.py has no field hold; did you mean held?",
    ),
    (
        ["replication", "--to", "dot", "--quotient", "quorum.leeder"],
        "--quotient quorum.leeder: quorum has no part leeder",
    ),
    (
        ["replication", "--set", "replicas=2", "--to", "dot", "--raw", "--states", "500"],
        "replication has more than 500 states within these bounds; give smaller bounds with --set, or let it explore "
        "more with --states N",
    ),
]


@pytest.mark.parametrize(("arguments", "reported"), TOLD, ids=[" ".join(arguments) for arguments, _ in TOLD])
def test_what_cannot_be_exported_is_reported(run_here: RunHere, arguments: list[str], reported: str) -> None:
    assert run_here("export", *arguments) == (64, f"tidegate: {reported}\n")


def test_traces_that_are_wrong_are_reported(run_here: RunHere, trace: Path) -> None:
    graph = ["export", str(trace), "--to", "dot"]
    assert run_here(*graph, "--around", "9") == (64, "tidegate: --around 9: the trace has 4 steps\n")
    reported = "tidegate: --around is for a graph; write --to dot or --to graphml or --to svg\n"
    assert run_here("export", str(trace), "--to", "csv", "--around", "0") == (64, reported)
    document = json.loads(trace.read_text())
    steps = [{**step, "step": step["step"].replace("take(A)", "leave(A)")} for step in document["steps"]]
    trace.write_text(json.dumps({**document, "steps": steps}))
    exit_, text = run_here(*graph, "--raw")
    assert exit_ == 64
    assert text.startswith(f"tidegate: {trace}: examples/lock.py:careless is not as it was when this trace was saved")
    del document["fields"]
    trace.write_text(json.dumps(document))
    reported = f"tidegate: {trace}: a trace with a part missing or wrong: 'fields'\n"
    assert run_here("export", str(trace), "--to", "itf") == (64, reported)
