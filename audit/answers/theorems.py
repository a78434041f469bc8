"""What is proved of a partition, whatever the length of its logs and the number of elections: a cell whose exploration
is one of these runs says so, and rests on no bounds.

The proofs are recorded in spec/partition.toml, which `tidegate gate` makes anew; docs/appendix/proofs.md says what they
rest on. tests/audit/answers/test_theorems.py compares this table with the record.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache

from ...language.constants import Constant, PlainValue
from ...model.partition import profiles, state
from ...reports.document import json_value
from ..questions.questions import Case

PROFILE = "kafka_3_9"
"""The rules that it is proved of: Kafka 3.9 on KRaft, without ELR. All else is as by default: three replicas,
min.insync.replicas=2, acks=all, an idempotent producer, clean elections."""

UNBOUNDED = frozenset(
    {
        "max_records", "log_size", "max_leader_epoch",
        "isr_shrinks", "fences", "shutdowns", "crashes", "preferred_elections",
    }
)  # fmt: skip
"""How much happens of these makes no difference. No other fault happens: none that takes a part of a log."""

PROVED_PROPERTIES = frozenset({"acknowledged_kept", "acked_durable", "consistent_read", "committed_log_matching"})
"""The properties that questions ask for, of those that are proved."""


def is_proved(case: Case, properties: Collection[str]) -> bool:
    """Whether some properties are proved of all runs of an exploration, and of others that differ in bounds alone."""
    fixed = _fixed_constants()
    return PROVED_PROPERTIES.issuperset(properties) and all(
        fixed[name] == value for name, value in case.values.items() if name not in UNBOUNDED
    )


@cache
def _fixed_constants() -> Mapping[str, PlainValue]:
    declared = {name: value.default for name, value in vars(state).items() if isinstance(value, Constant)}
    return {name: json_value(value) for name, value in {**declared, **profiles[PROFILE], "power_losses": 0}.items()}
