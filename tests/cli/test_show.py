"""`tidegate show` as exact text: whole traces and drawn states, at two widths, in ASCII, and without a terminal.

The texts are in golden/show; `TIDEGATE_UPDATE=1` writes them.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tidegate.invariants.catalogue import find
from tidegate.language.judge import run_text
from tidegate.reports.text_page import TextFormat, TextPage
from tidegate.reports.trace.terminal import pictures_page, step_page, trace_page
from tidegate.traces.document import run_document

from ..conftest import ROOT, Run

GOLDEN = ROOT / "tests" / "golden" / "show"
ARGUMENTS = ROOT / "tests" / "golden" / "arguments"

RUNS = {
    "kip101": ("replication:kip101", "two_replicas", {"replicas": 2, "max_leader_epoch": 2}, "strong_isr"),
    "async_isr": ("async_isr", "small", {"maximal_isr": False}, "valid_high_watermark"),
    "forgotten_votes": ("raft:forgotten_votes", "one_term", {"max_term": 1}, "election_safety"),
}
PAGES: dict[str, Callable[[dict[str, Any], TextFormat], TextPage]] = {
    "trace": trace_page,
    "states": pictures_page,
    "last": lambda document, text_format: step_page(document, len(document["steps"]), text_format),
}
PAPERS = {"80": TextFormat(width=80), "100": TextFormat(width=100), "ascii": TextFormat(width=80, ascii=True)}


@cache
def document_of(name: str) -> dict[str, Any]:
    """The document of a recorded counterexample, what differs from place to place taken out."""
    target, bounds, constants, prop = RUNS[name]
    text = (ARGUMENTS / f"{target.partition(':')[0]}.txt").read_text(encoding="utf-8")
    section = next(
        chapter for chapter in text.split("## ") if chapter.startswith(f"{target} {bounds}") and prop in chapter
    )
    definition, profile = find(target)
    model = definition.bind(target, constants, profile, ghosts=False, properties=[prop])
    return run_document(model, run_text(model, section.split("\n")[1])) | {"commit": None}


@pytest.mark.parametrize("text_format", PAPERS)
@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("name", RUNS)
def test_what_is_shown(name: str, page: str, text_format: str) -> None:
    path = GOLDEN / f"{name}.{page}.{text_format}.txt"
    text = PAGES[page](document_of(name), PAPERS[text_format]).text()
    if os.environ.get("TIDEGATE_UPDATE"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")
    replay = document_of(name)["replay"]
    wide = [line for line in text.splitlines() if len(line) > PAPERS[text_format].width and replay not in line]
    assert wide == []
    assert text_format != "ascii" or text.isascii()


def test_the_command_shows_a_saved_trace_plainly(tidegate: Run, tmp_path: Path) -> None:
    saved = tmp_path / "kip101.trace.json"
    saved.write_text(json.dumps(document_of("kip101")), encoding="utf-8")
    whole, last = tidegate("show", str(saved)), tidegate("show", str(saved), "--step", "11")
    assert (whole.exit, whole.out) == (0, (GOLDEN / "kip101.trace.80.txt").read_text(encoding="utf-8"))
    assert (last.exit, last.out) == (0, (GOLDEN / "kip101.last.80.txt").read_text(encoding="utf-8"))
    assert "\x1b" in tidegate("show", str(saved), "--color", "always").out
    for given in ("12", "-1", "x"):
        wrong = tidegate("show", str(saved), f"--step={given}")
        assert (wrong.exit, wrong.out) == (64, "")
        assert "write a number from 0 to 11, or all" in wrong.err
