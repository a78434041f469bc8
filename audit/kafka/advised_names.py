"""What to do about a setting without effect: to write it so that it counts is no advice where it would do harm."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from .key_names import OLD
from .keys import is_false, is_true


def loses_records(name: str, value: str) -> bool:
    """Whether a setting with this value, if it counted, would let acknowledged records be lost: elections of replicas
    out of sync, producers that do not wait for all, one replica, or a write that one alone has."""
    harms = _harm_test_of_setting(name)
    return harms is not None and harms(value)


def advise_name(written_name: str, key: str, value: str) -> str:
    """What to do about a setting without effect that would count as `written_name`, and is `key` then."""
    if loses_records(key, value):
        return REMOVE
    advice = f"remove it, or, if it is meant, write `{written_name}`"
    is_kept = re.fullmatch(r"(?i)\s*(all|true|false|-?\d+)\s*", value)
    unseen = (
        _harm_test_of_setting(key) is not None and not is_kept
    )  # of a name that Kafka does not know a value is not kept
    return f"{advice} with a value that keeps what is acknowledged" if unseen else advice


def _harm_test_of_setting(name: str) -> Callable[[str], bool] | None:
    key = OLD.get(name, name)
    return _is_number_one if key.endswith("replication.factor") else _HARMS.get(key)


def _is_number_one(value: str) -> bool:
    return value.strip() == "1"


def _is_one_or_none(value: str) -> bool:
    return value.strip() in ("0", "1")


def _is_few_replicas(value: str) -> bool:
    return value.strip().lower() in ("0", "1", "none", "leader")


_HARMS: Mapping[str, Callable[[str], bool]] = {
    "unclean.leader.election.enable": is_true,
    "enable.idempotence": is_false,
    "acks": _is_few_replicas,
    "min.insync.replicas": _is_one_or_none,
    "transaction.state.log.min.isr": _is_one_or_none,
}
"""Of which settings which values lose records; of numbers of replicas `_is_number_one`."""

REMOVE = "remove it: if it had an effect, records could be lost"
"""What to do about a setting that does no harm only because nobody reads it."""
