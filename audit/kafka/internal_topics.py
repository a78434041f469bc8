"""Kafka's own topics."""

from __future__ import annotations

OFFSETS, TRANSACTIONS = "__consumer_offsets", "__transaction_state"

SHARE, REMOTE = "__share_group_state", "__remote_log_metadata"

INTERNAL = frozenset({OFFSETS, TRANSACTIONS, SHARE, REMOTE, "__cluster_metadata"})
