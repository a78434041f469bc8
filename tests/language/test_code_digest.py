"""The digest of our own files: of their names and texts, and never believed where one changed meanwhile."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tidegate.language import code_digest
from tidegate.language.code_digest import text_digest


def test_a_digest_is_of_the_texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(code_digest, "START_TIME", 2_000_000_000.0)
    one, other = tmp_path / "one.py", tmp_path / "other.py"
    one.write_text("a = 1\n", encoding="utf-8")
    other.write_text("b = 2\n", encoding="utf-8")
    before = text_digest([one, other])
    assert before == text_digest([one, other])
    one.write_text("a = 2\n", encoding="utf-8")
    assert text_digest([one, other]) != before


def test_what_changed_after_the_process_began_has_no_name_that_is_found_again(tmp_path: Path) -> None:
    file = tmp_path / "one.py"
    file.write_text("a = 1\n", encoding="utf-8")
    later = code_digest.START_TIME + 1000
    os.utime(file, (later, later))
    assert text_digest([file]) != text_digest([file])
