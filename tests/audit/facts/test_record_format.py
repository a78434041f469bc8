"""Records of a format without leader epochs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ..joining.test_cluster import OPTIONS, brokers, of, topic, truncations


@pytest.mark.parametrize(
    ("line", "more", "version", "old"),
    [
        ("log.message.format.version=0.10.2\n", "", "2.8.2", True),
        ("", ",message.format.version=0.10.2-IV0", "2.8.2", True),
        ("log.message.format.version=0.10.2\n", ",message.format.version=2.8-IV1", "2.8.2", False),
        ("log.message.format.version=0.11.0\n", "", "2.8.2", False),
        ("log.message.format.version=0.10.2\n", "", "3.4.0", False),
        ("log.message.format.version=0.10.2\ninter.broker.protocol.version=2.8\n", "", "3.4.0", True),
    ],
)
def test_records_without_epochs_are_truncated_by_the_high_watermark(
    line: str, more: str, version: str, *, old: bool
) -> None:
    cluster, _ = of(*brokers(*[line] * 3), ("t.txt", topic(more)), options=replace(OPTIONS, kafka_version=version))
    assert (truncations(cluster) == {"high_watermark"}) is old
