"""What each release of Kafka has of the switches in `state.py`, and each mistake of the past alone: the profiles.

A release is what it lacks of the next one, so that `kafka_3_5` names what came with 3.6 and 3.7. Which of the repairs
came in a patch, or go by a protocol version, is in `audit/kafka/profiles.py`.
"""

from __future__ import annotations

from .state import Acks, Truncation

# Versions, newest first, each by what it lacks of the next one.

_kafka_4_3 = {}
_kafka_4_1 = {"assignment_keeps_elr": False, "await_added": False}
_kafka_3_9 = {**_kafka_4_1, "elr": False}
_kafka_3_7 = {**_kafka_3_9, "heed_unclean": False, "await_target": False}
_kafka_3_5 = {
    **_kafka_3_7,
    "one_snapshot": False,
    "keep_epoch": False,
    "strict_high_watermark": False,
    "cap_min_isr": False,
    "assign_directories": False,
}
_kafka_3_3 = {
    **_kafka_3_5,
    "truncate_first": False,
    "reject_restarted": False,
    "one_snapshot": True,
    "prefer_in_sync": False,
}
# With ZooKeeper. KIP-903 is not there in any version.
_kafka_3_9_zookeeper = {
    **_kafka_3_9,
    "reject_restarted": False,
    "assign_directories": False,
    "epochs_by_zookeeper": True,
}
_kafka_2_8 = {
    **_kafka_3_3,
    "epochs_by_zookeeper": True,
    "heed_unclean": True,
    "await_target": True,
    "reject_fenced": False,
    "skip_diverging": False,
    "fence_truncation": False,
}
# Followers truncate on a fetch's answer since 2.8 (KAFKA-10554), and that is what these three are about.
_kafka_2_7 = {**_kafka_2_8, "skip_diverging": True, "fence_truncation": True, "truncate_first": True}
_kafka_2_2 = {**_kafka_2_7, "alter_partition": False, "maximal_isr": False, "bound_reads": False}
_kafka_2_1 = {**_kafka_2_2, "detect_restart": False, "await_high_watermark": False}
_kafka_2_0_1 = {**_kafka_2_1, "fence_fetch": False}
_kafka_2_0 = {**_kafka_2_0_1, "await_epoch_start": False, "truncate_each_epoch": False, "record_epoch": False}
_kafka_1_1 = {**_kafka_2_0, "truncation": Truncation.END_OF_EPOCH}
_kafka_0_11 = {**_kafka_1_1, "bound_reads": True}
_kafka_0_10 = {**_kafka_0_11, "truncation": Truncation.HIGH_WATERMARK}

profiles = {
    "kafka_0_10": _kafka_0_10,
    "kafka_0_11": _kafka_0_11,
    "kafka_1_1": _kafka_1_1,
    "kafka_2_0": _kafka_2_0,
    "kafka_2_0_1": _kafka_2_0_1,
    "kafka_2_1": _kafka_2_1,
    "kafka_2_2": _kafka_2_2,
    "kafka_2_7": _kafka_2_7,
    "kafka_2_8": _kafka_2_8,
    "kafka_3_3": _kafka_3_3,
    "kafka_3_5": _kafka_3_5,
    "kafka_3_7": _kafka_3_7,
    "kafka_3_9": _kafka_3_9,
    "kafka_3_9_zookeeper": _kafka_3_9_zookeeper,
    "kafka_4_1": _kafka_4_1,
    "kafka_4_3": _kafka_4_3,
    # The current version with one setting, or one mistake of the past, or with what it lacks.
    "acks_0": {"acks": Acks.NONE},
    "acks_1": {"acks": Acks.LEADER},
    "min_isr_1": {"min_isr": 1},
    "unclean_election": {"unclean": True},
    "last_replica_standing": {"elr": False},
    "leave_elr": {"leave_elr": True},
    "kafka_2334": {"await_high_watermark": False},
    "kafka_7128": {"await_epoch_start": False},
    # Two that epochs in fetches mend as well: each alone in the last version without them.
    "kafka_7164": {**_kafka_2_0_1, "truncate_each_epoch": False},
    "kafka_7235": {"detect_restart": False},
    "kafka_7395": {"fence_fetch": False},
    "kafka_7415": {**_kafka_2_0_1, "record_epoch": False},
    "kafka_9835": {"bound_reads": False},
    "kafka_13091": {"recheck_high_watermark": False},
    "kafka_13141": {"skip_diverging": False},
    "kafka_13207": {"fence_truncation": False},
    "kafka_13916": {"reject_fenced": False},
    "kafka_14139": {"reject_restarted": False},
    "kafka_14372": {"prefer_in_sync": False, "follower_reads": True},
    "kafka_14704": {"truncate_first": False, "follower_reads": True},
    "kafka_15221": {"one_snapshot": False},
    "kafka_15583": {"strict_high_watermark": False},
    "kafka_15665": {"await_target": False},
    "kafka_19522": {"check_last_leader": False},
    "follower_out_of_range": {"reset_at_leader": False, "follower_reads": True},
    "hw_checkpoint_stale": {"fresh_checkpoint": False},
    "pending_isr_ignored": {"maximal_isr": False},
    "readded_replica": {"fetch_in_epoch": False},
    "not_idempotent": {"idempotent": False},
}
