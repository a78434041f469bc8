"""The script that `tidegate audit --collect` prints: stock Kafka tools, one directory, secrets left out."""

from __future__ import annotations

import textwrap
from importlib.resources import files

from ...kafka.keys import settings_table


def kept_names() -> tuple[str, ...]:
    """Every name of a setting whose value the audit reads; of all others a collection has the name alone."""
    keys = settings_table().values()
    aliases = (alias for key in keys for names in key.aliases.values() for alias in names)
    return tuple(sorted({*(key.name for key in keys), *(name for key in keys for name in key.broker_names), *aliases}))


def collection_script() -> str:
    """The whole script, for `sh`. What it keeps is what `keys.toml` has."""
    text = files("tidegate.audit.readers.running").joinpath("collect.sh").read_text(encoding="utf-8")
    return text.replace("@KEYS@", "\n".join(textwrap.wrap(" ".join(kept_names()), 116, break_on_hyphens=False)))
