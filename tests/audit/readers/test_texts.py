"""What encoding a file is in, and whether it is a text."""

from __future__ import annotations

from tidegate.audit.readers.texts import WIDE, decode_text, is_binary, is_garbled


def test_a_text_is_read_in_its_encoding_and_a_wide_one_is_marked() -> None:
    assert decode_text("acks=é".encode()) == "acks=é"
    assert decode_text("acks=é".encode("latin-1")) == "acks=é"
    assert decode_text("acks=1".encode("utf-16")) == f"{WIDE}acks=1"
    assert decode_text(("acks=1\n" * 9).encode("utf-16-le")) == f"{WIDE}{'acks=1' + chr(10)}" + ("acks=1\n" * 8)


def test_zero_bytes_and_many_controls_are_no_text() -> None:
    assert is_binary("a\0b") and is_binary("\x01\x02abc")
    assert not is_binary("\x1b[1macks=1\x1b[0m\n\tb")


def test_text_of_another_alphabet_is_garbled() -> None:
    assert is_garbled(decode_text("acks=1\n".encode("cp037"))) and is_garbled(decode_text("НАСТРОЙКИ".encode("cp866")))
    assert not any(
        is_garbled(decode_text(raw)) for raw in (b"acks=1", "größe=1".encode("latin-1"), "ключ=я".encode(), b"")
    )
