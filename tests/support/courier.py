"""What the tests of traces share: the courier's model, and runs of it."""

from __future__ import annotations

from typing import Any

from tidegate.language.binding import load
from tidegate.language.judge import run_text
from tidegate.language.model import Model
from tidegate.traces.document import run_document

from ..conftest import ROOT

COURIER = ROOT / "tests" / "fixtures" / "models" / "courier.py"


DEFINITION = load(COURIER)


MODEL = DEFINITION.bind(name="courier")


SWAPPED = "wake({A}); write(A); write(A); deliver(Letter(A, 1)); deliver(Letter(A, 0))"


def document_of(text: str, model: Model = MODEL) -> dict[str, Any]:
    return run_document(model, run_text(model, text))
