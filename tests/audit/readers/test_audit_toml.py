"""audit.toml: what is no TOML is refused, and never left out."""

from __future__ import annotations

import pytest
from tidegate.audit.cluster.statements import UnreadableInputError
from tidegate.audit.readers.audit_toml import line_of, read


def test_what_is_not_understood_is_refused() -> None:
    with pytest.raises(UnreadableInputError):
        read("audit.toml", "[topics.\n")


def test_a_word_has_its_line() -> None:
    assert line_of("a = 1\nproducer = 'x'\n", "producer") == 2 and line_of("a = 1\n", "none") is None
