"""Documents of a gate over checks of a small model, made in this process."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tidegate.api import check
from tidegate.gates.checks import CheckRecord, GateSettings, compare_report
from tidegate.gates.document import GateRun, gate_document
from tidegate.gates.records import read_record_file
from tidegate.reports.exits import Exit

from ..conftest import ROOT

SETTINGS = GateSettings(engine=None, memory=None, time=None, tier="commit", ci=True)

RECORDED = 'profile = "careful"\ndistinct_states = 3\ntransitions = 4\ndepth = 2\nexpect = { one_inside = "holds" }\n'
KNOWN = 'profile = "careless"\nexpect = { one_inside = { violated = 4 } }\n'
DIFFERS = 'profile = "careless"\nset = { clients = 3 }\nexpect = { one_inside = "holds" }\n'
NIGHTLY = 'profile = "careful"\ntier = "nightly"\nexpect = { one_inside = "holds" }\n'


def records(folder: Path, *entries: str) -> tuple[CheckRecord, ...]:
    """The checks of a recorded file about `examples/lock.py`, one for each text."""
    file = folder / "lock.toml"
    head = f'schema = "tidegate.spec/1"\nmodel = "{ROOT / "examples" / "lock.py"}"\n'
    file.write_text(head + "".join(f"[[check]]\n{entry}" for entry in entries), encoding="utf-8")
    return read_record_file(file).checks


def document_of(folder: Path, *entries: str, interrupted: bool = False) -> dict[str, Any]:
    """The document of a gate that ran the entries of the commit tier, each checked anew by plain Python."""
    every = records(folder, *entries)
    run = [entry for entry in every if entry.tier == "commit"]
    results = [
        compare_report(entry, check(entry.target, engine="python", constants=entry.constants).document(), 0.25)
        for entry in run
    ]
    exit_ = Exit.HOLDS if all(result.result == "ok" for result in results) else Exit.UNEXPECTED
    ended = GateRun(datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), 1.5, exit_, interrupted)
    return gate_document(results, [(entry, "nightly") for entry in every if entry not in run], ended, SETTINGS)
