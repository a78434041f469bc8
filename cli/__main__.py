"""`python -m tidegate.cli`: the command `tidegate`."""

from __future__ import annotations

from .entry import run

run()
