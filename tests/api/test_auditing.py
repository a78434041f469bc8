"""`audit`: what its result says, and how it shows itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import tidegate as tg
from tidegate.audit.auditing import AuditOutcome, AuditRequest
from tidegate.language.errors import UsageError
from tidegate.reports.exits import Exit

from ..conftest import ROOT


def test_an_audit_shows_its_table_as_a_table(workshop: Path) -> None:
    """Nothing in it is wider than the page or has colours of its own."""
    folder = str(ROOT / "examples" / "clusters" / "acks-1")
    result = tg.audit(folder, kafka_version="3.9", clients="java:3.9", distribution="apache", time=0.001)
    shown = result._repr_html_()  # pyright: ignore[reportPrivateUsage]  # IPython's name
    document = result.document()
    assert shown.count("<table") == len(document["subjects"]) > 0
    assert all(f">{fault['title']}</td>" in shown for fault in document["faults"])
    assert shown.count("overflow-x:auto") == shown.count("<table") and "white-space:pre-wrap" in shown
    assert shown.index("<details>") > shown.index("<table")


def test_an_audit_is_a_function_and_a_package(workshop: Path) -> None:
    program = (
        "import tidegate.audit.auditing; import tidegate as tg; from tidegate.audit.reading import read_files; "
        "from tidegate import audit; assert tg.audit is audit; "
        "import tidegate.audit.reading as reading; assert tg.audit.reading is reading; "
        "print(callable(tg.audit), tg.audit.__name__, read_files.__module__)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "True tidegate.audit tidegate.audit.reading\n"


def test_an_audit_names_what_is_lost(workshop: Path) -> None:
    result = tg.audit("examples/clusters/acks-1", kafka_version="3.9", distribution="apache", clients=["java:3.9"])
    assert (result.met, result.exit) == (False, Exit.SAFETY)
    assert "can lose acknowledged records" in " ".join(result.headlines.values())
    assert repr(result).startswith("<AuditResult: ") and len(repr(result)) < 300
    with pytest.raises(UsageError, match="--require no-such"):
        tg.audit("examples/clusters/acks-1", require=["no-such"])


def test_an_audit_starts_no_process_unless_asked_to(workshop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that is spawned imports the script that called: without a guard there, it audits as well, and so on."""
    asked: list[int] = []

    def note_request(_: object, __: object, request: AuditRequest) -> AuditOutcome:
        asked.append(request.workers)
        raise UsageError("enough")

    monkeypatch.setattr("tidegate.api.auditing.audit_cluster", note_request)
    with pytest.raises(UsageError, match="enough"):
        tg.audit("examples/clusters/good", kafka_version="3.9", distribution="apache")
    with pytest.raises(UsageError, match="enough"):
        tg.audit("examples/clusters/good", kafka_version="3.9", distribution="apache", workers=2)
    assert asked == [1, 2]
