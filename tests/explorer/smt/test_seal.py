"""The seal on what is kept: a text that another wrote, or that was changed, is not sealed by this user."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.explorer.smt.seal import Seal, key_path, seal_for


def test_only_the_text_that_was_sealed_bears_the_seal() -> None:
    one, other = Seal(b"k" * 32), Seal(b"j" * 32)
    assert one.is_seal_on("text", one.seal_text("text"))
    assert not one.is_seal_on("texts", one.seal_text("text")) and not one.is_seal_on("text", other.seal_text("text"))
    assert not one.is_seal_on("text", None)


def test_the_key_is_made_once_and_is_the_users_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    notes: list[str] = []
    first, second = (seal_for(tmp_path / "cache" / "proofs", notes) for _ in range(2))
    assert first is not None and second is not None and notes == []
    assert first.seal_text("a") == second.seal_text("a")
    assert key_path().stat().st_mode & 0o077 == 0 and str(tmp_path) in str(key_path())
