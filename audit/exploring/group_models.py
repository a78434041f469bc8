"""What becomes of consumer groups once it is known what the log of `__consumer_offsets` does: asked of the model
`offsets_outage`, whose groups stand on the abstract log.

The partition's model says of each cell whether that log goes on taking entries and whether it loses any. These are two
switches of the abstract log, which the partition's model is checked to refine. With them, and with what a consumer does
without an offset, groups are explored: by plain Python, since there are fewer than a hundred states.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from ...language.constants import Value
from .small_models import SmallModel, explore_small_model

STOPPED, SKIPPED = "group_available", "nothing_skipped"
"""What is asked: that every group has a coordinator that takes its commits, and that none skips a record."""

SIZES: Mapping[str, Value] = {
    "brokers": 1, "groups": 1, "homes": 1, "factor": 1, "repaired": 1, "min_isr": 1, "up_at_first_use": 1,
    "records": 2, "crashes": 1, "disk_losses": 0, "reassignments": 0, "deletions": 0, "changes": 0, "entries": 3,
}  # fmt: skip
"""One group and one log: the bounds `a_log` of spec/offsets_outage.toml."""


@cache
def group_failures(stops: bool, loses: bool, reset: str = "latest") -> frozenset[str]:
    """Which of both fails where the log of offsets stops while a broker is down, and where it loses entries; `reset` is
    the consumer's `auto.offset.reset`: latest, earliest or none. RuntimeError where the exploration did not end."""
    switches: Mapping[str, Value | str] = {"unavailable_while_down": stops, "loses_acknowledged": loses, "reset": reset}
    wanted = {"consume", "log_goes_down", "log_comes_back"} | ({"log_loses", "begin_again"} if loses else set[str]())
    asked = SmallModel("offsets_outage", {**SIZES, **switches}, (STOPPED, SKIPPED), frozenset(wanted), "any_log")
    return frozenset(explore_small_model(asked).steps)
