"""Sequence diagrams: Mermaid, PlantUML and seqdiag."""

from __future__ import annotations

import copy
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from tidegate.reports.document import Document
from tidegate.reports.trace.sequence import to_mermaid, to_plantuml, to_seqdiag

from ...conftest import ROOT
from ...support.exports import SHOWN, message
from ...support.traces import bind_model, counterexample, walk_model

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
        found.append(
            walk_model(bind_model("raft", messages=2, losses=2, duplicates=1, crashes=2), 60 + 100 * seed, seed)[1]
        )
        found.append(walk_model(bind_model("kraft:kip595", late_answers=True), 50, seed)[1])
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
    document = walk_model(bind_model("raft", messages=2, max_term=3, losses=2), 120, 5)[1]
    assert len(document["steps"]) > 60
    text = to_mermaid(document)
    said = re.search(r"(\d+) of (\d+) steps are not drawn: they handle no message", text)
    assert said is not None
    assert len(re.findall(r"(?:Note over \w+|-x\w+): \d+\. ", text)) == int(said[2]) - int(said[1])
    short = walk_model(bind_model("raft", messages=2), 40, 5)[1]
    assert "not drawn" not in to_mermaid(short)


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
