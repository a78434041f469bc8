"""The index.html of a gate: it leads to its counterexamples, and has no folder of its machine."""

from __future__ import annotations

from pathlib import Path

from tidegate.reports.gate.html import check_name, gate_index

from ...conftest import ROOT, Run
from ...support.gates import DIFFERS, NIGHTLY, RECORDED, document_of
from ...support.index_pages import links


def test_a_gates_page_has_no_folder_of_its_machine() -> None:
    check = {
        "name": "/srv/models/lock.py defaults",
        "model": "/srv/models/lock.py",
        "result": "ok",
        "kind": "check",
    }
    assert (check_name(check), check_name({"name": "audit a b"})) == ("lock.py defaults", "audit a b")


def test_a_gate_leads_to_its_counterexamples(tidegate: Run, tmp_path: Path) -> None:
    done = tidegate("gate", str(ROOT / "examples" / "two_phase.toml"), "--out", str(tmp_path / "out"))
    assert done.err.splitlines()[-1].startswith(f"saved {tmp_path / 'out' / 'index.html'}, which leads to report.json")
    text = (tmp_path / "out" / "index.html").read_text(encoding="utf-8")
    assert [link for link in links(text) if not (tmp_path / "out" / link).is_file()] == []
    assert "as recorded</h2>" in text


def test_what_differs_stands_above_what_is_as_recorded(tmp_path: Path) -> None:
    text = gate_index(document_of(tmp_path, RECORDED, DIFFERS, NIGHTLY))
    assert '<h1 class="bad">✗ Gate: 1 ok, 1 differs of 2 checks</h1>' in text
    parts = ("1 check not as recorded", "found violated after 4 steps", "1 check as recorded", "Not run: 1, of the")
    places = [text.index(part) for part in parts]
    assert places == sorted(places)
    assert "✗ differs" in text and str(tmp_path) not in text


def test_what_comes_from_a_record_is_text(tmp_path: Path) -> None:
    document = document_of(tmp_path, DIFFERS)
    document["checks"][0]["differences"] = ["<script>x</script>"]
    assert "&lt;script&gt;x&lt;/script&gt;" in gate_index(document) and "<script>x" not in gate_index(document)
