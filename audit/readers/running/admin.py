"""kafka-python's admin client, and what its 3.0.12 does not understand of older releases.

It takes fields of an answer for granted that brokers send since 3.7 (DescribeCluster) and 3.9 (DescribeQuorum) only.
"""

from __future__ import annotations

from typing import Any

from kafka.admin import KafkaAdminClient
from kafka.errors import NoError, for_code
from kafka.protocol.admin.cluster import DescribeQuorumRequest


class Admin(KafkaAdminClient):
    """The client that describes, and writes nothing."""

    def brokers(self) -> list[int]:
        """The brokers' ids, ascending. Those before 3.7 are asked as the client asks those before 2.8."""
        try:
            return sorted(broker["broker_id"] for broker in self.describe_cluster()["brokers"])
        except KeyError:
            answer = self._manager.run(self._get_cluster_metadata, [])
            return sorted(broker["node_id"] for broker in answer["brokers"])

    def describe_quorum(self) -> dict[str, Any]:
        """What the leader of the metadata log says of it. Raises KafkaError; IncompatibleBrokerVersion before 3.3."""
        topic = DescribeQuorumRequest.TopicData
        log = topic(topic_name="__cluster_metadata", partitions=[topic.PartitionData(partition_index=0)])
        answer = self._manager.run(self._manager.send, DescribeQuorumRequest(topics=[log])).to_dict()
        partition: dict[str, Any] = answer["topics"][0]["partitions"][0] if answer["topics"] else {}
        for code in (answer["error_code"], partition.get("error_code", 0)):
            if for_code(code) is not NoError:
                raise for_code(code)(partition.get("error_message"))
        return partition
