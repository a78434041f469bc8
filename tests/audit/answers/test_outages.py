"""An ISR that is as small as it may be is said beforehand: one more broker down stops writes."""

from __future__ import annotations

import pytest
from tidegate.audit.answers.outages import shrunk_partitions
from tidegate.audit.auditing import read_cluster_texts
from tidegate.audit.joining.options import Options
from tidegate.audit.questions.subjects import cluster_subjects


@pytest.mark.parametrize(
    ("isr", "acks", "said"), [("1,2", "all", True), ("1,2,3", "all", False), ("1", "all", False), ("1,2", "1", False)]
)
def test_a_shrunk_isr_that_still_takes_writes(isr: str, acks: str, said: bool) -> None:
    described = (
        "Topic: orders\tTopicId: x\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
        f"\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1,2,3\tIsr: {isr}\n"
    )
    cluster, _ = read_cluster_texts([("t.txt", described, True)], Options("3.9.0", acks=acks), "x")
    says = [outage.to_sentence for subject in cluster_subjects(cluster) for outage in shrunk_partitions(subject)]
    assert says == (["orders partition 0: one more broker down stops writes (the ISR is {1,2} of 3 replicas)"] * said)
