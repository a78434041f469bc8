"""Kafka's flexible encoding (KIP-482): numbers, texts, arrays and tagged fields, and bytes that end too soon."""

from __future__ import annotations

import pytest
from tidegate.real.logs.encoding import (
    Reader,
    TruncatedError,
    boolean,
    compact_text,
    int8,
    int16,
    int32,
    int64,
    list_of,
    struct_of,
    tagged_fields,
    varint,
)  # fmt: skip


@pytest.mark.parametrize(("data", "number"), [(b"\x00", 0), (b"\x7f", 127), (b"\x80\x01", 128), (b"\xac\x02", 300)])
def test_seven_bits_to_a_byte(data: bytes, number: int) -> None:
    assert varint(Reader(data)) == number


def test_numbers_are_signed_and_big_endian() -> None:
    reader = Reader(b"\xff" + b"\xff\xfe" + b"\x00\x00\x01\x00" + b"\xff" * 8 + b"\x01")
    assert (int8(reader), int16(reader), int32(reader), int64(reader), boolean(reader)) == (-1, -2, 256, -1, True)


def test_lengths_are_one_more_and_zero_is_none() -> None:
    assert (
        compact_text(Reader(b"\x03ab")) == "ab"
        and compact_text(Reader(b"\x00")) is None
        and compact_text(Reader(b"\x01")) == ""
    )
    assert list_of(int8)(Reader(b"\x03\x01\x02")) == [1, 2] and list_of(int8)(Reader(b"\x00")) is None


def test_a_struct_passes_over_its_tagged_fields() -> None:
    reader = Reader(b"\x01" + b"\x01\x05\x02xy" + b"\x09")
    assert struct_of(number=int8)(reader) == {"number": 1} and int8(reader) == 9
    assert tagged_fields(Reader(b"\x01\x05\x02xy")) == {5: b"xy"}


def test_what_ends_within_a_value_is_said() -> None:
    for read, data in ((int32, b"\x00\x00"), (compact_text, b"\x05ab"), (varint, b"\x80"), (varint, b"\xff" * 6)):
        with pytest.raises(TruncatedError):
            read(Reader(data))
