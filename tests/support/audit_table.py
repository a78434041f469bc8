"""The page of what the audit answers, as the site has it."""

from __future__ import annotations

import importlib.util
import sys
from functools import cache
from typing import Any

from ..conftest import ROOT


@cache
def audit_table() -> Any:
    """What records the answers and makes the page; the benchmarks are no package of what is installed."""
    path = ROOT / "bench" / "audittable.py"
    spec = importlib.util.spec_from_file_location("audittable", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["audittable"] = module
    spec.loader.exec_module(module)
    return module


@cache
def page_text() -> str:
    """docs/audit-table.md with its tables."""
    return audit_table().page_text()
