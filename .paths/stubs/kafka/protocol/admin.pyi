"""The part of kafka-python's requests that this project uses."""

from collections.abc import Sequence

class _PartitionData:
    def __init__(self, *, partition_index: int) -> None: ...

class _TopicData:
    PartitionData: type[_PartitionData]
    def __init__(self, *, topic_name: str, partitions: Sequence[_PartitionData]) -> None: ...

class DescribeQuorumRequest:
    TopicData: type[_TopicData]
    def __init__(self, *, topics: Sequence[_TopicData]) -> None: ...
