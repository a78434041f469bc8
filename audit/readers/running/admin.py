"""kafka-python's admin client, and what its 3.0.12 does not understand of older releases.

It takes fields of an answer for granted that brokers send since 3.7 (DescribeCluster) and 3.9 (DescribeQuorum) only.
"""

from __future__ import annotations

from time import monotonic
from typing import Any

from kafka.admin import KafkaAdminClient
from kafka.errors import KafkaConnectionError, KafkaError, NodeNotReadyError, NoError, for_code
from kafka.protocol.admin.cluster import DescribeQuorumRequest

from ...cluster.cluster import SILENT

CONTROLLER_MS = 3_000
"""Milliseconds within which a controller answers by way of a broker: without one the broker waits for a minute."""


class Admin(KafkaAdminClient):
    """The client that describes, and writes nothing. What any broker may answer is asked of those that answer: `silent`
    are the others, each with the reason."""

    def __init__(self, **configs: Any) -> None:
        self.silent: dict[int, str] = {}
        super().__init__(**configs)
        self._send_to = self._manager.send
        self._manager.send = self._send

    def probe(self, seconds: float) -> list[int]:
        """Connects to every broker that is registered, to all at once, and authenticates; those that answer in time,
        ascending. A process that is stopped answers nothing, though its port is open."""
        return self._manager.run(self._probe, seconds)

    async def _probe(self, seconds: float) -> list[int]:
        asked: dict[int, Any] = {}
        for broker in self._manager.cluster.brokers():
            try:
                asked[broker.node_id] = self._manager.get_connection(broker.node_id)
            except KafkaError as error:
                self.silent[broker.node_id] = _failure_reason(error)
        until = monotonic() + seconds
        for node, connection in asked.items():
            try:
                await self._manager.wait_for(connection.init_future, 1000 * max(0.01, until - monotonic()))
            except KafkaError as error:
                self.silent[node] = _failure_reason(error)
        return sorted(asked.keys() - self.silent.keys())

    async def _send(self, request: Any, node_id: int | None = None, request_timeout_ms: int | None = None) -> Any:
        """Sends to the node that is named, or to one that answers, and to the next where its connection fails."""
        if node_id is not None:
            return await self._send_to(request, node_id, request_timeout_ms)
        while True:
            node = self._answering_broker()
            try:
                return await self._send_to(request, node, request_timeout_ms)
            except (KafkaConnectionError, NodeNotReadyError) as error:
                if node is None or node in self.silent:
                    raise
                self.silent[node] = _failure_reason(error)

    def _answering_broker(self) -> int | None:
        """A broker that answers as far as is known; the client's own choice where none is left."""
        known = sorted(broker.node_id for broker in self._manager.cluster.brokers())
        return next((node for node in known if node not in self.silent), self._manager.least_loaded_node())

    async def _refresh_controller_id(self, timeout_ms: int = CONTROLLER_MS) -> Any:
        """The controller, or where that does not answer a broker, which forwards what is for it in KRaft."""
        controller = await super()._refresh_controller_id(timeout_ms)
        return self._answering_broker() if controller in self.silent else controller

    @property
    def told_by(self) -> int | None:
        """The broker as of which topics are described."""
        return self._answering_broker()

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
        asked = DescribeQuorumRequest(topics=[log])
        answer = self._manager.run(self._manager.send, asked, None, CONTROLLER_MS).to_dict()
        partition: dict[str, Any] = answer["topics"][0]["partitions"][0] if answer["topics"] else {}
        for code in (answer["error_code"], partition.get("error_code", 0)):
            if for_code(code) is not NoError:
                raise for_code(code)(partition.get("error_message"))
        return partition


def _failure_reason(error: KafkaError) -> str:
    """Why a broker does not answer, in a few words."""
    text = str(error)
    if "ECONNREFUSED" in text or "refused" in text.lower():
        return "nothing listens at its port"
    return f"{SILENT} in time" if "imed out" in text or "timeout" in text.lower() else type(error).__name__
