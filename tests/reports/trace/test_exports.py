"""Exports: the recorded texts of some counterexamples, grammars, graphs, and what is printed when something cannot be.

TIDEGATE_UPDATE=1 records the texts in tests/fixtures/exports. Where the variable TIDEGATE_MERMAID names a folder with
`npm install mermaid jsdom` in it, every Mermaid text is also given to Mermaid's own parser.
"""

from __future__ import annotations

import copy
import csv
import io
import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import networkx
import pytest
from tidegate.cli.export import TRACES
from tidegate.reports.document import Document
from tidegate.reports.trace.markdown import trace_markdown
from tidegate.reports.trace.sequence import to_mermaid, to_plantuml, to_seqdiag
from tidegate.reports.trace.spreadsheet import to_csv

from ...conftest import ROOT, Said
from ...support.traces import bound, counterexample, walked

FIXTURES = ROOT / "tests" / "fixtures" / "exports"
SHOWN = {
    "lock": ("examples/lock.py:careless", "one_inside"),
    "kip101": ("replication:kip101", "strong_isr"),
    "truncate_to_hw": ("replication:truncate_to_hw", "strong_isr"),
}
ENDINGS = {"mermaid": "mmd", "seqdiag": "seqdiag", "plantuml": "puml", "markdown": "md", "csv": "csv"}


@pytest.mark.parametrize("to", ENDINGS)
@pytest.mark.parametrize("name", SHOWN)
def test_the_exports_of_counterexamples(name: str, to: str) -> None:
    found = TRACES[to](counterexample(*SHOWN[name]))
    recorded = FIXTURES / f"{name}.{ENDINGS[to]}"
    if os.environ.get("TIDEGATE_UPDATE"):
        recorded.write_text(found, encoding="utf-8")
    assert found == recorded.read_text(encoding="utf-8")


# --- sequence diagrams ------------------------------------------------------------------------------------------------

NAME = r"(?:[A-Z][A-Za-z0-9]*|others|p\d+)"
TEXT = r"(?:[^\n#;%]|#\d+;)+"
MERMAID = re.compile(
    rf"  (?:participant {NAME}(?: as {TEXT})?|Note over {NAME}(?:,{NAME})?: {TEXT}"
    rf"|{NAME}(?:->>|-x|--\)){NAME}: {TEXT}|loop {TEXT}|end)"
)


def documents() -> list[Document]:
    """Traces with messages handled, lost and in flight, crashes, long runs, failures, and texts that are hard to
    write."""
    found = [counterexample(*case) for case in SHOWN.values()]
    found.append(counterexample("tests/fixtures/gate/stuck.py", "small", "python"))
    for seed in range(2):
        found.append(walked(bound("raft", messages=2, losses=2, duplicates=1, crashes=2), 60 + 100 * seed, seed)[1])
        found.append(walked(bound("kraft:kip595", late_answers=True), 50, seed)[1])
    looping = copy.deepcopy(found[0])
    looping["loop"] = 1
    return [*found, looping]


def test_every_line_is_mermaids() -> None:
    for document in documents():
        first, *lines = to_mermaid(document).splitlines()
        assert first == "sequenceDiagram"
        assert [line for line in lines if not MERMAID.fullmatch(line)] == []
        named = {line.split()[1] for line in lines if line.startswith("  participant")}
        used = {name for line in lines for name in re.findall(rf"^  (?:Note over )?({NAME})(?:,|:|->>|-x|--\))", line)}
        assert used <= named


@pytest.mark.skipif("TIDEGATE_MERMAID" not in os.environ, reason="TIDEGATE_MERMAID names no folder with mermaid in it")
def test_mermaids_own_parser_reads_them(tmp_path: Path) -> None:
    files: list[str] = []
    for number, document in enumerate(documents()):
        (tmp_path / f"{number}.mmd").write_text(to_mermaid(document), encoding="utf-8")
        files.append(str(tmp_path / f"{number}.mmd"))
    script = ROOT / "tests" / "fixtures" / "exports" / "parse.mjs"
    copied = Path(os.environ["TIDEGATE_MERMAID"]) / "parse.mjs"
    copied.write_text(script.read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run(["node", str(copied), *files], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_long_diagram_leaves_out_internal_steps_and_says_how_many() -> None:
    document = walked(bound("raft", messages=2, max_term=3, losses=2), 120, 5)[1]
    assert len(document["steps"]) > 60
    text = to_mermaid(document)
    said = re.search(r"(\d+) of (\d+) steps are not drawn: they handle no message", text)
    assert said is not None
    assert len(re.findall(r"(?:Note over \w+|-x\w+): \d+\. ", text)) == int(said[2]) - int(said[1])
    short = walked(bound("raft", messages=2), 40, 5)[1]
    assert "not drawn" not in to_mermaid(short)


def message(**changes: Any) -> Document:
    plain: Document = {
        "id": 0, "pool": "network", "name": "Vote", "text": "Vote()", "record": {}, "source": "A", "to": "B",
        "sent": 1, "received": [], "ended": None, "end": "in flight", "copy": False,
    }  # fmt: skip
    return {**plain, **changes}


def test_what_becomes_of_a_message_is_drawn() -> None:
    document = copy.deepcopy(counterexample("examples/lock.py:careless", "one_inside"))
    document["messages"] = [
        message(ended=2, received=[{"step": 2, "lane": "B"}], end="received"),
        message(id=1, ended=3, end="lost", copy=True),
        message(id=2, source=None, to=None, sent=0),
    ]
    document["steps"][1]["messages"] = [{"event": "received", "id": 0}]
    document["steps"][2]["messages"] = [{"event": "lost", "id": 1}]
    assert re.findall(r".*Vote.*", to_mermaid(document)) == [
        "  A->>B: Vote (sent in step 1)",
        "  A-xB: Vote (sent in step 1, a copy), lost",
        "  others--)others: Vote (there at first), in flight",
    ]
    assert '"A"-x"B":Vote (sent in step 1, a copy), lost\n' in to_seqdiag(document)
    assert '"A" ->x "B" : Vote (sent in step 1, a copy), lost\n' in to_plantuml(document)
    assert "  participant others\n" in to_mermaid(document)


def test_a_crash_is_drawn_as_one_and_a_lasso_as_a_loop() -> None:
    document = copy.deepcopy(counterexample("examples/lock.py:careless", "one_inside"))
    document["steps"][2]["kind"] = "fault"
    document["loop"] = 2
    text = to_mermaid(document)
    assert "  loop for ever\n  A-xA: 3. A takes the lock and goes in.\n" in text
    assert "  end\n" in text
    assert 'hnote over "A" : 3. A takes the lock and goes in.\n' in to_plantuml(document)


@pytest.mark.parametrize("spelling", [to_mermaid, to_seqdiag, to_plantuml])
def test_what_is_opened_in_a_diagram_is_closed_and_no_more(spelling: Callable[[Document], str]) -> None:
    """A run that stays put, and a loop of which no step is drawn, had an `end` of nothing."""
    made = counterexample("examples/lock.py:careless", "one_inside")
    for loop in range(5):
        document = copy.deepcopy(made)
        document["loop"] = loop
        lines = [line.strip() for line in spelling(document).splitlines()]
        assert lines.count("end") == lines.count("loop for ever") == (loop < 4)
        assert ("nothing more happens, for ever" in spelling(document)) == (loop == 4)
    long = copy.deepcopy(made)
    long["steps"] = [{**step, "i": step["i"] + 4 * time} for time in range(20) for step in made["steps"]]
    long["loop"] = 40
    lines = [line.strip() for line in spelling(long).splitlines()]
    assert "end" not in lines and "loop for ever" not in lines
    assert "steps 41 to 80 repeat for ever" in spelling(long)


# --- Markdown and CSV -------------------------------------------------------------------------------------------------


def test_markdown_shows_texts_as_they_are() -> None:
    text = trace_markdown(counterexample("tests/fixtures/gate/stuck.py", "small", "python"))
    assert r"| 1 | The number 0 goes up; \<b\>\#1; \`%%\` \|x\| end\</b\>. | `number: 0 -> 1` |" in text
    assert all(line.count("|") - line.count(r"\|") == 4 for line in text.splitlines() if line.startswith("| "))


def test_every_state_is_a_row_and_every_cell_a_column() -> None:
    run, document = walked(bound("raft"), 20, 3)
    rows = list(csv.DictReader(io.StringIO(to_csv(document))))
    assert [row["state"] for row in rows] == [str(at) for at in range(len(run.states()))]
    for state, row in zip(run.states(), rows, strict=True):
        for server in state.role:
            assert row[f"role[{server!r}]"] == state.role[server].name
            assert row[f"current_term[{server!r}]"] == str(state.current_term[server])
    assert rows[0]["step"] == ""
    assert [row["step"] for row in rows[1:]] == [step["step"] for step in document["steps"]]
    for name, truth in document["truth"].items():
        assert [row[name] for row in rows] == [{"1": "holds", "0": "fails", "-": ""}[value] for value in truth]


# --- the command line -------------------------------------------------------------------------------------------------


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "one_inside.trace.json"
    path.write_text(json.dumps(counterexample("examples/lock.py:careless", "one_inside")))
    return path


def test_a_trace_is_written_to_standard_output_or_to_a_file(said: Said, trace: Path, tmp_path: Path) -> None:
    exit_, text = said("export", str(trace), "--to", "mermaid")
    assert (exit_, text) == (0, to_mermaid(counterexample("examples/lock.py:careless", "one_inside")))
    target = tmp_path / "one.mmd"
    assert said("export", str(trace), "--to", "mermaid", "--output", str(target)) == (0, "")
    assert target.read_text() == text
    itf = json.loads(said("export", str(trace), "--to", "itf")[1])
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
def test_what_cannot_be_exported_is_reported(said: Said, arguments: list[str], reported: str) -> None:
    assert said("export", *arguments) == (64, f"tidegate: {reported}\n")


def test_traces_that_are_wrong_are_reported(said: Said, trace: Path) -> None:
    graph = ["export", str(trace), "--to", "dot"]
    assert said(*graph, "--around", "9") == (64, "tidegate: --around 9: the trace has 4 steps\n")
    reported = "tidegate: --around is for a graph; write --to dot or --to graphml or --to svg\n"
    assert said("export", str(trace), "--to", "csv", "--around", "0") == (64, reported)
    document = json.loads(trace.read_text())
    steps = [{**step, "step": step["step"].replace("take(A)", "leave(A)")} for step in document["steps"]]
    trace.write_text(json.dumps({**document, "steps": steps}))
    exit_, text = said(*graph, "--raw")
    assert exit_ == 64
    assert text.startswith(f"tidegate: {trace}: examples/lock.py:careless is not as it was when this trace was saved")
    del document["fields"]
    trace.write_text(json.dumps(document))
    reported = f"tidegate: {trace}: a trace with a part missing or wrong: 'fields'\n"
    assert said("export", str(trace), "--to", "itf") == (64, reported)


# --- graphs -----------------------------------------------------------------------------------------------------------


def read(text: str, tmp_path: Path) -> networkx.DiGraph:
    path = tmp_path / "graph.graphml"
    path.write_text(text, encoding="utf-8")
    return networkx.read_graphml(path)


def test_a_quotient_is_by_any_expression(said: Said, tmp_path: Path) -> None:
    asked = ["export", "examples/lock.py:careless", "--to", "graphml"]
    counted = "sum(1 for c in Client if place[c] == Place.INSIDE), held"
    graph = read(said(*asked, "--quotient", counted)[1], tmp_path)
    labels = sorted(node["label"].split("=")[-2][0] + node["label"].split("=")[-1] for node in graph.nodes.values())
    assert labels == ["0false", "1false", "1true", "2true"]
    assert said(*asked, "--quotient", "len(held)")[0] == 64
    assert said(*asked, "--quotient", "held +")[0] == 64


def test_a_graph_is_drawn_in_layers_with_every_node_and_edge(said: Said) -> None:
    if not os.environ.get("CI"):
        pytest.importorskip("fast_sugiyama")  # in CI, which installs it, it must be there
    exit_, text = said("export", "examples/lock.py:careless", "--to", "svg", "--raw")
    graph = read_graph(text)
    assert exit_ == 0
    assert len(graph["node"]) == 12 and len(graph["node initial"]) == 1
    tops = {node.find("{*}rect").get("y"): node for node in (*graph["node"], *graph["node initial"])}
    assert min(map(float, tops)) == float(graph["node initial"][0].find("{*}rect").get("y"))
    boxes = [tuple(float(node.find("{*}rect").get(part)) for part in ("x", "y")) for node in graph["node"]]
    assert len(set(boxes)) == len(boxes), "no node lies on another"
    refused, message = said("export", "replication:kip320", "--set", "replicas=2", "--to", "svg", "--raw")
    assert refused == 64 and "more than 300 are not drawn" in message


@pytest.mark.parametrize("model", ["examples/lock.py:careless", "examples/peterson.py"])
def test_edges_go_round_boxes_and_no_label_lies_on_another_or_on_a_box(said: Said, model: str) -> None:
    if not os.environ.get("CI"):
        pytest.importorskip("fast_sugiyama")  # in CI, which installs it, it must be there
    graph = read_graph(said("export", model, "--to", "svg", "--raw")[1])
    parts = ("x", "y", "width", "height")
    boxes = [
        tuple(float(node.find("{*}rect").get(part)) for part in parts)
        for node in (*graph["node"], *graph["node initial"])
    ]
    labels: list[tuple[float, ...]] = []
    for edge in graph["edge"]:
        text = edge.find("{*}text")
        assert text is not None and text.text, "every label has room here"
        wide = 6 * len(text.text)  # of a monospace font of 10 px
        labels.append((float(text.get("x")) - wide / 2, float(text.get("y")) - 8, wide, 10.0))
    for number, one in enumerate(labels):
        assert not any(overlap(one, other) for other in (*labels[number + 1 :], *boxes))
    for edge in graph["edge"]:
        joints = re.findall(r"(-?[0-9.]+),(-?[0-9.]+)(?: C|$)", edge.find("{*}path").get("d"))
        for x, y in [tuple(map(float, joint)) for joint in joints][1:-1]:
            assert not any(overlap((x, y, 0, 0), box) for box in boxes), "an edge passes beside boxes"


def overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether two rectangles, by corner and size, have something in common."""
    return all(one[axis] < other[axis] + other[axis + 2] and other[axis] < one[axis] + one[axis + 2] for axis in (0, 1))


def read_graph(text: str) -> dict[str, list[Any]]:
    """The groups of a drawing by their class."""
    found: dict[str, list[Any]] = {}
    for group in ElementTree.fromstring(text).iter("{http://www.w3.org/2000/svg}g"):
        found.setdefault(group.get("class") or "", []).append(group)
    return found


def test_a_quotient_merges_states_and_counts_actions(said: Said, tmp_path: Path) -> None:
    exit_, text = said("export", "examples/lock.py:careful", "--to", "graphml", "--quotient", "held")
    graph = read(text, tmp_path)
    assert exit_ == 0
    assert {node["label"]: node["states"] for node in graph.nodes.values()} == {"held=false": 1, "held=true": 2}
    assert sorted(edge["label"] for edge in graph.edges.values()) == ["leave ×2", "take ×2"]
    free = next(node for node in graph.nodes.values() if node["label"] == "held=false")
    assert str(free["initial"]).lower() == "true"


def test_the_numbers_of_a_raw_graph_are_those_of_the_check(said: Said, tmp_path: Path) -> None:
    small = ["replication", "--set", "replicas=2", "--set", "max_leader_epoch=1"]
    graph = read(said("export", *small, "--to", "graphml", "--raw")[1], tmp_path)
    assert graph.number_of_nodes() == 957
    merged = read(said("export", *small, "--to", "graphml", "--quotient", "quorum.isr, quorum.leader")[1], tmp_path)
    assert sum(node["states"] for node in merged.nodes.values()) == 957
    assert sum(edge["steps"] for edge in merged.edges.values()) == 1800


SETS = ["--set", "replicas=2", "--set", "max_leader_epoch=2"]


def test_too_many_nodes_are_refused_with_their_number(said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tidegate.reports.trace.graph.MAX_NODES", 500)
    exit_, text = said("export", "replication", "--set", "replicas=2", "--to", "dot", "--raw")
    reported = (
        "merge states with --quotient EXPRESSIONS, or look at what is near a step of a trace: --around N --radius K"
    )
    assert exit_ == 64
    assert text == f"tidegate: the graph has 957 nodes, and more than 500 are not drawn; {reported}\n"


def test_the_way_to_the_violation_is_drawn_thick(said: Said, trace: Path) -> None:
    exit_, text = said("export", str(trace), "--to", "dot", "--raw")
    assert exit_ == 0
    thick = re.findall(r'-> \w+ \[label="([^"]*)", penwidth=3\]', text)
    assert sorted(thick) == ["look(A)", "look(B)", "take(A)", "take(B)"]
    assert len(re.findall(r"^  s\d+ \[", text, re.MULTILINE)) == 13
    assert text.count("peripheries=2") == 1


def test_the_neighbourhood_of_a_step(said: Said, trace: Path) -> None:
    near = said("export", str(trace), "--to", "dot", "--around", "3", "--radius", "1")[1]
    assert len(re.findall(r"^  s\d+ \[", near, re.MULTILINE)) == 4  # the state before, the state, and two after it
    assert near.count("fillcolor=lightyellow") == 1
    wider = said("export", str(trace), "--to", "dot", "--around", "3", "--radius", "3")[1]
    assert len(re.findall(r"^  s\d+ \[", wider, re.MULTILINE)) > 4


def test_a_label_with_quotes_and_backslashes_is_escaped() -> None:
    from tidegate.reports.trace.graph import quotient_graph, to_dot

    text = to_dot(quotient_graph(['a="\\"', "b"], [(0, 1, "go"), (0, 1, "go"), (1, 1, "stay")], initial=[0]))
    assert r's0 [label="a=\"\\\"", peripheries=2];' in text
    assert '  s0 -> s1 [label="go ×2"];' in text
