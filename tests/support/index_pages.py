"""Pages that lead to others: where they lead, and the traces that stand in them."""

from __future__ import annotations

import json
import re
from typing import Any

from ..conftest import ROOT

AROUND = r'<script type="application/json" id="around">(.*?)</script>'


CLUSTERS = ROOT / "examples" / "clusters"


OLD = ("--kafka-version", "3.9")


def links(text: str) -> list[str]:
    """Where a page leads, but for its own parts."""
    return re.findall(r'<a [^>]*?href="([^"#][^"]*)"', text)


def traces_in(text: str) -> list[dict[str, Any]]:
    found = re.findall(r'<script type="application/json" id="trace(?:-\d)?">(.*?)</script>', text)
    return [json.loads(one) for one in found]
