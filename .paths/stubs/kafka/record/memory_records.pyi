"""Batches of records in the bytes of a segment."""

from collections.abc import Iterator

class Record:
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None

class Batch:
    base_offset: int
    next_offset: int
    is_control_batch: bool
    producer_id: int
    def validate_crc(self) -> bool: ...
    def __iter__(self) -> Iterator[Record]: ...

class MemoryRecords:
    def __init__(self, bytes_data: bytes) -> None: ...
    def __iter__(self) -> Iterator[Batch]: ...
    def valid_bytes(self) -> int: ...

class MemoryRecordsBuilder:
    def __init__(
        self,
        magic: int,
        compression_type: int,
        batch_size: int,
        offset: int = 0,
        transactional: bool = False,
        producer_id: int = -1,
        producer_epoch: int = -1,
        base_sequence: int = -1,
    ) -> None: ...
    def append(self, timestamp: int | None, key: bytes | None, value: bytes | None) -> object: ...
    def close(self) -> None: ...
    def buffer(self) -> bytes: ...
