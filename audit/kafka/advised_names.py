"""What to do about a setting without effect: to write it so that it counts is no advice where it would do harm."""

from __future__ import annotations

import re

from .key_names import OLD
from .keys import is_false, is_true


def loses_records(name: str, value: str) -> bool:
    """Whether a setting with this value, if it counted, would let acknowledged records be lost: elections of replicas
    out of sync, producers that do not wait for all, one replica, or a write that one alone has."""
    key = OLD.get(name, name)
    if key == "unclean.leader.election.enable":
        return is_true(value)
    if key == "enable.idempotence":
        return is_false(value)
    if key == "acks":
        return value.strip().lower() in ("0", "1", "none", "leader")
    if re.fullmatch(r"min\.insync\.replicas|transaction\.state\.log\.min\.isr", key):
        return value.strip() in ("0", "1")
    return key.endswith("replication.factor") and value.strip() == "1"


def advise_name(written_name: str, key: str, value: str) -> str:
    """What to do about a setting without effect that would count as `written_name`, and is `key` then."""
    if loses_records(key, value):
        return REMOVE
    advice = f"remove it, or, if it is meant, write `{written_name}`"
    unseen = _DECIDING.fullmatch(OLD.get(key, key)) and not re.fullmatch(r"(?i)\s*(all|true|false|-?\d+)\s*", value)
    return f"{advice} with a value that keeps what is acknowledged" if unseen else advice


_DECIDING = re.compile(
    r"acks|enable\.idempotence|unclean\.leader\.election\.enable|min\.insync\.replicas|"
    r"transaction\.state\.log\.min\.isr|.*replication\.factor"
)
"""Settings of which some values lose records. Of a name that Kafka does not know a value is not kept."""

REMOVE = "remove it: if it had an effect, records could be lost"
"""What to do about a setting that does no harm only because nobody reads it."""
