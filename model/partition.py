"""One Kafka partition as it runs today: what a cluster's settings keep, and what they lose.

(text)
"""

from __future__ import annotations

# The actions stand in the order of a record's life, which is the order in which they are listed: not sorted.
# ruff: noqa: I001
from ..language import terminal

# What there is.
from .partition_state import Acks
from .partition_state import Broker as Broker
from .partition_state import Partition as Partition
from .partition_state import Truncation
from .partition_state import start as start

# A record's life, and the leader's part in the ISR.
from .partition_broker import produce as produce
from .partition_broker import fail_to_produce as fail_to_produce
from .partition_broker import produce_again as produce_again
from .partition_broker import fetch as fetch
from .partition_broker import truncate as truncate
from .partition_broker import advance_high_watermark as advance_high_watermark
from .partition_broker import propose_shrink as propose_shrink
from .partition_broker import propose_expansion as propose_expansion
from .partition_broker import shrink_isr as shrink_isr
from .partition_broker import expand_isr as expand_isr
from .partition_broker import learn as learn

# The controller's part: it answers leaders, elects, fences, and lets brokers back.
from .partition_controller import change_isr as change_isr
from .partition_controller import refuse_isr_change as refuse_isr_change
from .partition_controller import elect_preferred as elect_preferred
from .partition_controller import elect_uncleanly as elect_uncleanly
from .partition_controller import fence as fence
from .partition_controller import fence_alive as fence_alive
from .partition_controller import unfence as unfence
from .partition_controller import restart as restart
from .partition_controller import restart_unnoticed as restart_unnoticed

# What goes wrong.
from .partition_faults import shut_down as shut_down
from .partition_faults import crash as crash
from .partition_faults import lose_power as lose_power
from .partition_faults import lose_disk as lose_disk
from .partition_faults import lose_host as lose_host
from .partition_faults import lose_controller as lose_controller
from .partition_faults import restore_controller as restore_controller
from .partition_faults import start_controller as start_controller

_kafka_4_1 = {}
_kafka_3_9 = {"elr": False}
_kafka_3_7 = {**_kafka_3_9, "heed_unclean": False}
_kafka_3_5 = {
    **_kafka_3_7,
    "one_snapshot": False,
    "keep_epoch": False,
    "strict_high_watermark": False,
    "cap_min_isr": False,
}
_kafka_3_3 = {**_kafka_3_5, "truncate_first": False, "reject_restarted": False, "one_snapshot": True}
_kafka_2_7 = {**_kafka_3_3, "heed_unclean": True, "reject_fenced": False, "skip_diverging": False}
_kafka_2_2 = {
    **_kafka_2_7,
    "alter_partition": False,
    "maximal_isr": False,
    "skip_diverging": True,
    "truncate_first": True,
}
_kafka_2_1 = {**_kafka_2_2, "detect_restart": False}
_kafka_2_0 = {**_kafka_2_1, "fence_fetch": False, "await_epoch_start": False}
_kafka_0_11 = {**_kafka_2_0, "truncation": Truncation.END_OF_EPOCH}
_kafka_0_10 = {**_kafka_0_11, "truncation": Truncation.HIGH_WATERMARK}

profiles = {
    "kafka_0_10": _kafka_0_10,
    "kafka_0_11": _kafka_0_11,
    "kafka_2_0": _kafka_2_0,
    "kafka_2_1": _kafka_2_1,
    "kafka_2_2": _kafka_2_2,
    "kafka_2_7": _kafka_2_7,
    "kafka_3_3": _kafka_3_3,
    "kafka_3_5": _kafka_3_5,
    "kafka_3_7": _kafka_3_7,
    "kafka_3_9": _kafka_3_9,
    "kafka_4_1": _kafka_4_1,
    # the current version with one setting, or one mistake of its past
    "acks_0": {"acks": Acks.NONE},
    "acks_1": {"acks": Acks.LEADER},
    "min_isr_1": {"min_isr": 1},
    "unclean_election": {"unclean": True},
    "last_replica_standing": {"elr": False},
    "kafka_7128": {"await_epoch_start": False},
    "kafka_7235": {"detect_restart": False},
    "kafka_7395": {"fence_fetch": False},
    "kafka_13141": {"skip_diverging": False},
    "kafka_13916": {"reject_fenced": False},
    "kafka_14139": {"reject_restarted": False},
    "kafka_14704": {"truncate_first": False, "follower_reads": True},
    "kafka_15221": {"one_snapshot": False},
    "kafka_15583": {"strict_high_watermark": False},
    "kafka_19522": {"check_last_leader": False},
    "pending_isr_ignored": {"maximal_isr": False},
    "not_idempotent": {"idempotent": False},
}


@terminal
def nobody_leads(s: Partition) -> bool:
    """Nobody leads, and nobody who may be elected comes back."""
    return s.registered.leader is None
