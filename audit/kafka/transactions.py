"""Kafka's releases as the model of transactions has them."""

from __future__ import annotations

from ...language.immutable import immutable


@immutable
class ReleasesSince:
    """The releases from one on, and what they are in the model: for records, and for commits of offsets."""

    since: str
    records: str
    offsets: str


BEFORE_VERSION_2 = (
    ReleasesSince("0.11", "kafka_0_11", "offsets_1_1"),
    ReleasesSince("1.0", "kafka_1_1", "offsets_1_1"),
    ReleasesSince("2.4.1", "kafka_1_1", "offsets_2_4"),
    ReleasesSince("2.5", "kafka_2_5", "offsets_2_5"),
    ReleasesSince("3.6", "kafka_3_6", "offsets_2_5"),
    ReleasesSince("3.7", "kafka_3_6", "offsets_3_7"),
)
"""In order; the last one is also each later release without transaction version 2."""

UNVERIFIED = BEFORE_VERSION_2[3]
"""What records are in later releases, too, where verification is switched off."""

WITH_VERSION_2 = (
    ReleasesSince("4.0", "kafka_4_0", "offsets_4_2"),
    ReleasesSince("4.0.1", "kafka_4_1", "offsets_4_2"),
    ReleasesSince("4.2", "kafka_4_2", "offsets_4_2"),
)
