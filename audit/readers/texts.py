"""The text of a file, whatever its encoding, and whether it is one."""

from __future__ import annotations

import codecs
import re

from ..cluster.statements import MARK

InputText = tuple[str, str, bool]
"""A path, the text that is there, and whether the user named it."""

HEAD = 1 << 16
"""Bytes at a file's beginning that show what it is."""

WIDE = MARK + MARK
"""What a text begins with that was in UTF-16: `Properties.load` of Java understands nothing of it."""


def decode_text(raw: bytes) -> str:
    """A file's text, with its byte order mark: what a reader makes of that is the reader's to say."""
    if raw.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return WIDE + raw.decode("utf-32", errors="replace")
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):  # what PowerShell makes of `kafka-topics.bat > FILE`
        return WIDE + raw.decode("utf-16", errors="replace")
    for encoding, zeros in (("utf-16-le", raw[1:400:2]), ("utf-16-be", raw[:400:2])):
        if zeros and 10 * zeros.count(0) > 9 * len(zeros) and raw[:400].count(0) < 0.6 * len(raw[:400]):
            return WIDE + raw.decode(encoding, errors="replace")
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")  # what Java properties were before Java 9


def is_garbled(text: str) -> bool:
    """Whether more than one in twenty of its characters is none in Latin 1, which `decode_text` takes what is no UTF-8
    for: it is in another encoding, of which not even the Latin letters are where they are in ASCII, or not that
    alone."""
    return 20 * len(re.findall(r"[\x80-\x9f]", text)) > len(text)


CONTROLS = tuple(chr(code) for code in range(32) if chr(code) not in "\t\n\f\r\x1b")
"""Characters that no text has; the escapes of a terminal's colours may be in what was copied from one."""


def is_binary(text: str) -> bool:
    """Whether it has what no configuration has: a zero byte, or control characters for more than one in twenty."""
    return "\0" in text or 20 * sum(map(text.count, CONTROLS)) > len(text)
