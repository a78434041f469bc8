"""A requirement that is not met, in a line: what happens and when, or what is missing to know whether it does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def unmet_text(check: Mapping[str, Any], subject: Mapping[str, Any]) -> str:
    """`writes stop when a broker crashes, decided by min.insync.replicas=3`; of what is open, what decides it."""
    match check["result"]:
        case "depends":
            asks = "; ".join(dict.fromkeys(subject["not_given"].get(name, name) for name in check["on"]))
            return f"it is not known whether {check['text']}: it depends on {', '.join(check['on'])}; give {asks}"
        case "not checked":
            why = f": {check['why']}" if check["why"] else ""
            return f"it was not decided whether {check['text']}{why}"
        case _:
            by = ", ".join(one["says"] for one in check["deciding"])
            note = f" ({check['note']})" if check["note"] else ""
            return f"{check['text']}{f', decided by {by}' if by else ''}{note}"
