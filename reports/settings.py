"""A model's constants on a line or two: the sizes, which bound the search, apart from the switches, which say what is
modelled.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from .document import json_value


def sizes_text(constants: Mapping[str, Any], open_constants: Collection[str] = ()) -> str:
    """`replicas=3, log_size=2`: the integers."""
    sizes = [
        f"{name}={value}{' (open)' if name in open_constants else ''}"
        for name, value in constants.items()
        if isinstance(value, int) and not isinstance(value, bool)
    ]
    return ", ".join(sizes) or "no bounds to set"


def switches_text(constants: Mapping[str, Any], open_constants: Collection[str] = ()) -> str:
    """`truncation=common_prefix; on: fence_fetch; off: truncate_on_fetch`: enums and booleans; nothing where there
    are none.
    """
    named = {
        f"{name} (open)" if name in open_constants else name: json_value(value) for name, value in constants.items()
    }
    parts = [f"{name}={value}" for name, value in named.items() if not isinstance(value, int)]
    for word, wanted in (("on", True), ("off", False)):
        names = [name for name, value in named.items() if value is wanted]
        parts += [f"{word}: {', '.join(names)}"] if names else []
    return "; ".join(parts)


def symmetry_text(folded_types: Collection[str]) -> str:
    """`symmetry of Replica`: the types whose members are folded."""
    return f"symmetry of {', '.join(folded_types)}" if folded_types else "no symmetry"
