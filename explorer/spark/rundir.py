"""The run directory: level files, the kernel, and the manifest that says which levels are complete.

Every executor must see it under the same path. One run at a time works in it, and a run that was killed goes on where
its manifest ends.
"""

from __future__ import annotations

import fcntl
import json
import os
import socket
import tempfile
import uuid
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import IO, Any

from ...language.errors import UsageError
from .job import DamagedRunError
from .levels import Facts

SCHEMA = "tidegate.spark/2"
MANIFEST = "manifest.json"


@dataclass(slots=True)
class CompletedLevel:
    """One complete level: states by shard, the seconds it took, states sent to it and bytes shuffled for it."""

    states: list[int]
    seconds: float
    sent_states: int = 0
    shuffle_bytes: int = 0


@dataclass(slots=True)
class Manifest:
    """What is known of a run. `identity` is everything that the question depends on: resuming another is refused.

    `levels[i]` is level i + 1; all but the last are expanded, and the last too once `is_finished`. `counters` are the
    kernel's coverage counters, `expanded_states` the states that they count; `finds` what was met, with its level and
    shard."""

    identity: dict[str, Any]
    shards: int
    run: str = field(default_factory=lambda: uuid.uuid4().hex)
    levels: list[CompletedLevel] = field(default_factory=list[CompletedLevel])
    counters: list[int] = field(default_factory=list[int])
    expanded_states: int = 0
    finds: list[Facts] = field(default_factory=list[Facts])
    is_finished: bool = False
    seconds: float = 0.0
    handed_over: int = 0

    @property
    def distinct(self) -> int:
        """States of all complete levels."""
        return sum(sum(level.states) for level in self.levels)


OUTER_NAMES = {"sent_states": "sent", "expanded_states": "expanded", "is_finished": "finished"}
"""What fields of a manifest are called in its file."""


def _rename_to_outer(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    return {OUTER_NAMES.get(name, name): value for name, value in fields}


def _rename_to_fields(document: dict[str, Any]) -> dict[str, Any]:
    names = {outer: name for name, outer in OUTER_NAMES.items()}
    return {names.get(outer, outer): value for outer, value in document.items()}


def _seal_of(document: Mapping[str, Any]) -> str:
    """A digest of all that a manifest says: every number of a verdict is made of it."""
    return sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


class RunDirectory:
    """A run directory, locked for as long as this value is open."""

    def __init__(self, folder: Path, *, temporary: bool = False) -> None:
        self.folder, self.temporary = folder, temporary
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._lock: IO[str] = (folder / "lock").open("a+")
        except OSError as error:
            raise UsageError(f"--run-dir {folder}: cannot be written ({error.strerror}); name another") from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.seek(0)
            who = self._lock.read().strip() or "another process"
            self._lock.close()
            raise UsageError(
                f"--run-dir {folder}: {who} is working in it; wait for its end or name another directory"
            ) from None
        self._lock.truncate(0)
        self._lock.write(f"process {os.getpid()} of {socket.gethostname()}")
        self._lock.flush()

    def read(self) -> Manifest | None:
        """The manifest; None in a new directory. Damaged when it cannot be read or was changed, or when there are
        levels without one."""
        path = self.folder / MANIFEST
        try:
            document = json.loads(path.read_bytes())
            if document.get("schema") != SCHEMA:
                raise DamagedRunError(f"{path}: this is not a manifest of this version of tidegate; begin a new run")
            if document.pop("seal") != _seal_of(document):
                raise ValueError("it was changed after it was written")
            del document["schema"]
            levels = [CompletedLevel(**_rename_to_fields(level)) for level in document.pop("levels")]
            return Manifest(**_rename_to_fields(document), levels=levels)
        except FileNotFoundError:
            if any(self.folder.glob("L*")):
                raise DamagedRunError(
                    f"{self.folder}: there are level files and no {MANIFEST}; begin a new run"
                ) from None
            return None
        except (ValueError, TypeError, KeyError) as error:
            raise DamagedRunError(
                f"{path}: the manifest is damaged ({error}); begin a new run in another directory"
            ) from None

    def write(self, manifest: Manifest) -> None:
        """Commit: the manifest replaces the one before, whole or not at all."""
        document = {"schema": SCHEMA, **asdict(manifest, dict_factory=_rename_to_outer)}
        document["seal"] = _seal_of(document)
        with tempfile.NamedTemporaryFile("w", dir=self.folder, delete=False) as part:
            json.dump(document, part)
            part.flush()
            os.fsync(part.fileno())
        os.replace(part.name, self.folder / MANIFEST)

    def close(self) -> None:
        """Let others work in it."""
        self._lock.close()
