"""The protocol versions of Kafka's releases up to 3.9, and since which release each is known (ApiVersion,
MetadataVersion; read at 0.10.0.0 to 3.8.0 and in the branch of 3.9)."""

from __future__ import annotations

INTERIM = {
    "0.8.0": 0, "0.8.1": 0, "0.8.2": 0, "0.9.0": 0, "0.10.0": 2, "0.10.1": 3, "0.10.2": 1, "0.11.0": 3,
    "1.0": 1, "1.1": 1, "2.0": 2, "2.1": 3, "2.2": 2, "2.3": 2, "2.4": 2, "2.5": 1, "2.6": 1, "2.7": 3, "2.8": 2,
    "3.0": 2, "3.1": 1, "3.2": 1, "3.3": 4, "3.4": 1, "3.5": 3, "3.6": 3, "3.7": 5, "3.8": 1, "3.9": 1, "4.0": 2,
}  # fmt: skip
"""How many versions each release has by the way: 3 are `-IV0` to `-IV2`."""

EARLY = {"3.8": "3.7", "3.9": "3.8", "4.0": "3.9"}
"""Releases whose versions the one before has already, unfinished, by their full names and not by the release's own
(MetadataVersion, 3.7.2 to 3.9.1: LATEST_PRODUCTION, IBP_VERSIONS)."""


def first_release_with_protocol(text: str, *, strict: bool = True) -> str | None:
    """The first release that knows a protocol version, None if none does; not strict: whatever follows its `-IV`."""
    parts = text.split(".")
    name, _, interim = ".".join(parts[: 3 if text.startswith("0.") else 2]).partition("-")
    if name not in INTERIM or (strict and interim not in ("", *(f"IV{at}" for at in range(INTERIM[name])))):
        return None
    return EARLY.get(name, name) if interim else name
