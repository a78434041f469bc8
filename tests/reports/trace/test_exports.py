"""Exports: the recorded texts of some counterexamples, grammars, graphs, and what is printed when something cannot be.

TIDEGATE_UPDATE=1 records the texts in tests/fixtures/exports. Where the variable TIDEGATE_MERMAID names a folder with
`npm install mermaid jsdom` in it, every Mermaid text is also given to Mermaid's own parser."""

from __future__ import annotations

import os

import pytest
from tidegate.cli.export import TRACE_FORMATS

from ...conftest import ROOT
from ...support.exports import SHOWN
from ...support.traces import counterexample

FIXTURES = ROOT / "tests" / "fixtures" / "exports"


ENDINGS = {"mermaid": "mmd", "seqdiag": "seqdiag", "plantuml": "puml", "markdown": "md", "csv": "csv"}


@pytest.mark.parametrize("to", ENDINGS)
@pytest.mark.parametrize("name", SHOWN)
def test_the_exports_of_counterexamples(name: str, to: str) -> None:
    found = TRACE_FORMATS[to](counterexample(*SHOWN[name]))
    recorded = FIXTURES / f"{name}.{ENDINGS[to]}"
    if os.environ.get("TIDEGATE_UPDATE"):
        recorded.write_text(found, encoding="utf-8")
    assert found == recorded.read_text(encoding="utf-8")


SETS = ["--set", "replicas=2", "--set", "max_leader_epoch=2"]
