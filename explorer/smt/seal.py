"""The seal on what is kept: a keyed digest (HMAC-SHA256) whose key is this user's.

The key lies in the user's state directory (`XDG_STATE_HOME`, by default `~/.local/state`), in `tidegate/proofs.key`,
which only the user can read. It is never within the folder that it seals: a key beside the proofs would come along with
a folder from elsewhere.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
from contextlib import suppress
from pathlib import Path

_BYTES = 32


class Seal:
    """Seals texts with a key."""

    def __init__(self, key: bytes) -> None:
        self._key = key

    def seal_text(self, text: str) -> str:
        """The seal on a text."""
        return hmac.new(self._key, text.encode(), hashlib.sha256).hexdigest()

    def is_seal_on(self, text: str, seal: object) -> bool:
        """Whether it is the seal on a text."""
        return isinstance(seal, str) and hmac.compare_digest(seal.encode(), self.seal_text(text).encode())


def key_path() -> Path:
    """Where the user's key is. Raises RuntimeError for a user without a home."""
    given = os.environ.get("XDG_STATE_HOME", "")
    state = Path(given) if os.path.isabs(given) else Path.home() / ".local" / "state"
    return state / "tidegate" / "proofs.key"


def seal_for(folder: Path, notes: list[str]) -> Seal | None:
    """The user's seal for proofs in a folder, its key made when there is none. Where there can be none, nothing is
    kept, which is noted."""
    try:
        path = key_path()
        if path.resolve().is_relative_to(folder.resolve().parent):
            notes.append(f"{path} lies within the cache, where it guards nothing: no proof is kept; set XDG_STATE_HOME")
            return None
        return Seal(_read_or_make_key(path))
    except (OSError, RuntimeError) as error:
        notes.append(f"no proof is kept: the key for it cannot be read or made: {error}")
        return None


def _read_or_make_key(path: Path) -> bytes:
    """The key in a file, made when it is first needed. Raises OSError, also for a key that others can read or that is
    none."""
    with suppress(FileExistsError):
        _make_key(path)
    with path.open("rb") as file:
        status = os.fstat(file.fileno())
        if status.st_uid != os.getuid() or status.st_mode & 0o077:
            raise PermissionError(f"{path} can be read or written by others; remove it, and a new key is made")
        key = file.read()
    if len(key) != _BYTES:
        raise OSError(f"{path} is not a key; remove it, and a new one is made")
    return key


def _make_key(path: Path) -> None:
    """Makes a key, at once whole. Raises FileExistsError when there is one."""
    if path.exists():
        raise FileExistsError(path)
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    part = path.with_name(f"{path.name}.{os.getpid()}")
    handle = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(secrets.token_bytes(_BYTES))
        os.link(part, path)
    finally:
        part.unlink()
