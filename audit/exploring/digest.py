"""A digest of all that answers come from, under which they are kept."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from ...explorer.native.kernels import engine_digest
from ...language.code_digest import text_digest


@cache
def answers_digest() -> str:
    """A digest of all that answers come from: the model, its properties, the questions, the language, the engine."""
    root = Path(__file__).parents[2]
    patterns = (
        "language/**/*.py",
        "model/**/*.py",
        "invariants/**/*.py",
        "audit/questions/questions.py",
        "audit/questions/cases.py",
        "audit/exploring/*.py",
    )
    files = text_digest(path for pattern in patterns for path in sorted(root.glob(pattern)))
    return hashlib.sha256(f"{engine_digest()} {files}".encode()).hexdigest()
