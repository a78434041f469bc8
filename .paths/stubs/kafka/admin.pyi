"""The part of kafka-python's admin client that this project uses: what describes, and nothing that writes."""

from collections.abc import Awaitable, Callable, Sequence
from enum import IntEnum
from ssl import SSLContext
from typing import Any

from kafka.protocol.admin.cluster import DescribeQuorumRequest
from kafka.protocol.api_key import ApiKey

class ConfigResourceType(IntEnum):
    TOPIC = 2
    BROKER = 4

class ConfigResource:
    def __init__(self, resource_type: ConfigResourceType, name: str, configs: Sequence[str] | None = None) -> None: ...

class _Answer:
    def to_dict(self) -> dict[str, Any]: ...

class _Node:
    node_id: int

class _Nodes:
    def brokers(self) -> Sequence[_Node]: ...

class _Connection:
    init_future: Awaitable[bool]

class _Manager:
    cluster: _Nodes
    send: Callable[..., Awaitable[Any]]
    def run[T](self, coro: Callable[..., Awaitable[T]], *args: object) -> T: ...
    def get_connection(self, node_id: int) -> _Connection: ...
    def least_loaded_node(self) -> int | None: ...
    async def wait_for(self, future: Awaitable[bool], timeout_ms: float) -> bool: ...

class KafkaAdminClient:
    _manager: _Manager
    def __init__(
        self,
        *,
        bootstrap_servers: Sequence[str] = ...,
        client_id: str = ...,
        request_timeout_ms: int = ...,
        bootstrap_timeout_ms: int = ...,
        security_protocol: str = ...,
        ssl_context: SSLContext | None = ...,
        sasl_mechanism: str | None = ...,
        sasl_plain_username: str | None = ...,
        sasl_plain_password: str | None = ...,
        sasl_kerberos_service_name: str = ...,
    ) -> None: ...
    def close(self) -> None: ...
    async def _refresh_controller_id(self, timeout_ms: int = ...) -> int: ...
    async def _get_cluster_metadata(self, topics: Sequence[str] | None) -> dict[str, Any]: ...
    def api_versions(self) -> dict[ApiKey, Any]: ...
    def describe_cluster(self) -> dict[str, Any]: ...
    def describe_configs(
        self, config_resources: Sequence[ConfigResource], include_synonyms: bool = ..., config_filter: str = ...
    ) -> dict[str, dict[str, dict[str, dict[str, Any]]]]: ...
    def describe_features(self) -> dict[str, dict[str, Any]]: ...
    def describe_topics(self, topics: Sequence[str] | None = ...) -> list[dict[str, Any]]: ...
    def describe_topic_partitions(
        self, topics: Sequence[str], response_partition_limit: int = ..., cursor: dict[str, Any] | None = ...
    ) -> dict[str, Any]: ...
    def list_partition_reassignments(self) -> dict[Any, dict[str, Sequence[int]]]: ...
