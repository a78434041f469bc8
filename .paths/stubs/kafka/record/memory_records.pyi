"""Batches of records in the bytes of a segment."""

from collections.abc import Iterator

class Record:
    offset: int
    timestamp: int
    value: bytes | None

class Batch:
    base_offset: int
    is_control_batch: bool
    def validate_crc(self) -> bool: ...
    def __iter__(self) -> Iterator[Record]: ...

class MemoryRecords:
    def __init__(self, bytes_data: bytes) -> None: ...
    def __iter__(self) -> Iterator[Batch]: ...
    def valid_bytes(self) -> int: ...
