"""What a gate prints for a person."""

from __future__ import annotations

import re
from pathlib import Path

from tidegate.reports.gate.terminal import gate_page, gate_totals_text, run_condition_lines
from tidegate.reports.text_page import TextFormat

from ...conftest import ROOT, Run
from ...support.gates import DIFFERS, KNOWN, NIGHTLY, RECORDED, document_of


def test_a_gate_prints_where_the_page_of_a_counterexample_is(tidegate: Run, tmp_path: Path) -> None:
    record = f'schema = "tidegate.spec/1"\nmodel = "{ROOT}/examples/lock.py"\n[[check]]\nprofile = "careless"\n'
    (tmp_path / "lock.toml").write_text(f'{record}expect = {{ one_inside = "holds" }}\n', encoding="utf-8")
    done = tidegate("gate", str(tmp_path / "lock.toml"), "--out", str(tmp_path / "out"))
    pages = [line.strip() for line in done.out.splitlines() if line.endswith(".html")]
    assert len(pages) == 1 and Path(pages[0]).is_file()


PLAIN = TextFormat(width=100, color=False)


def test_each_check_has_a_line_and_what_differs_stands_below_it(tmp_path: Path) -> None:
    text = gate_page(document_of(tmp_path, RECORDED, DIFFERS, NIGHTLY), PLAIN).text()
    assert re.search(r"^ok       \S*lock.py:careful defaults: 3 states, depth 2, 0.25 s$", text, re.MULTILINE)
    assert "\n      one_inside: recorded holds, found violated after 4 steps\n" in text
    assert "\n      tidegate replay " in text
    assert text.endswith(
        "1 ok, 1 differs of 2 checks\nnot run: 1 recorded check, of the nightly tier; --tier nightly runs them\n"
    )


def test_a_recorded_counterexample_is_no_news(tmp_path: Path) -> None:
    assert "tidegate replay" not in gate_page(document_of(tmp_path, KNOWN), PLAIN).text()


def test_an_interrupted_gate_says_so(tmp_path: Path) -> None:
    document = document_of(tmp_path, RECORDED, interrupted=True)
    assert gate_totals_text(document) == "interrupted: 1 ok of 1 check"
    assert gate_totals_text(document | {"numbers": {}, "checks": []}) == "interrupted: nothing was done of 0 checks"


def test_a_property_that_holds_of_some_runs_says_of_which() -> None:
    """What is undecided, as recorded, too; what a difference says is not said again."""
    held = {"name": "safe", "verdict": "holds", "why": "in runs that keep the limit", "result": "ok"}
    open_ = {"name": "live", "verdict": "undecided", "why": "the limit stops it", "result": "ok"}
    lines = run_condition_lines({"claims": [held, held | {"name": "sound"}, open_, open_ | {"result": "differs"}]})
    assert lines == [
        "safe, sound hold in runs that keep the limit",
        "live is undecided, as recorded: the limit stops it",
    ]
