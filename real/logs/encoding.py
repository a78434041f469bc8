"""Kafka's flexible encoding (KIP-482), as far as the metadata log needs it: compact sizes, and fields with tags."""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from typing import Any, TypeAlias

Read: TypeAlias = Callable[["Reader"], Any]
"""Reads one value."""


class TruncatedError(Exception):
    """The bytes end within a value."""


class Reader:
    """Bytes with a place in them."""

    def __init__(self, data: bytes) -> None:
        self.data, self.at = data, 0

    def take(self, size: int) -> bytes:
        """The next bytes. TruncatedError where there are fewer."""
        if size < 0 or self.at + size > len(self.data):
            raise TruncatedError
        self.at += size
        return self.data[self.at - size : self.at]

    def fixed_number(self, layout: str) -> Any:
        """A number of fixed size, as `struct` names it."""
        return struct.unpack(layout, self.take(struct.calcsize(layout)))[0]


def varint(reader: Reader) -> int:
    """An unsigned number, seven bits to a byte, the lowest first; at most 32 bits. TruncatedError for more."""
    value = 0
    for shift in range(0, 35, 7):
        byte = reader.take(1)[0]
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value
    raise TruncatedError


def int8(reader: Reader) -> int:
    """A signed byte."""
    return reader.fixed_number(">b")


def int16(reader: Reader) -> int:
    """A signed number of two bytes."""
    return reader.fixed_number(">h")


def int32(reader: Reader) -> int:
    """A signed number of four bytes."""
    return reader.fixed_number(">i")


def int64(reader: Reader) -> int:
    """A signed number of eight bytes."""
    return reader.fixed_number(">q")


def boolean(reader: Reader) -> bool:
    """A byte that is 0 or not."""
    return reader.take(1) != b"\0"


def uuid_text(reader: Reader) -> str:
    """A UUID, as Kafka prints it: in base64."""
    return base64.urlsafe_b64encode(reader.take(16)).decode().rstrip("=")


def compact_text(reader: Reader) -> str | None:
    """A compact string; None is no string at all."""
    size = varint(reader)
    return None if size == 0 else reader.take(size - 1).decode()


def list_of(read: Read) -> Read:
    """A compact array; None is no array at all."""

    def elements(reader: Reader) -> list[Any] | None:
        size = varint(reader)
        return None if size == 0 else [read(reader) for _ in range(size - 1)]

    return elements


def struct_of(**fields: Read) -> Read:
    """A struct in an array: its fields by their names. Its tagged fields are passed over."""

    def values(reader: Reader) -> dict[str, Any]:
        found = {name: read(reader) for name, read in fields.items()}
        tagged_fields(reader)
        return found

    return values


def tagged_fields(reader: Reader) -> dict[int, bytes]:
    """The fields with tags that end every struct."""
    return {varint(reader): reader.take(varint(reader)) for _ in range(varint(reader))}
