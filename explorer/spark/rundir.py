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
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

from ...language.errors import UsageError
from .job import DamagedRunError
from .levels import Facts

SCHEMA = "tidegate.spark/1"
MANIFEST = "manifest.json"


@dataclass(slots=True)
class CompletedLevel:
    """One complete level: states by shard, the seconds it took, states sent to it and bytes shuffled for it."""

    states: list[int]
    seconds: float
    sent: int = 0
    shuffle_bytes: int = 0


@dataclass(slots=True)
class Manifest:
    """What is known of a run. `identity` is everything that the question depends on: resuming another is refused.

    `levels[i]` is level i + 1; all but the last are expanded, and the last too once `finished`. `counters` are the
    kernel's coverage counters, `expanded` the states that they count; `finds` what was met, with its level and shard.
    """

    identity: dict[str, Any]
    shards: int
    run: str = field(default_factory=lambda: uuid.uuid4().hex)
    levels: list[CompletedLevel] = field(default_factory=list[CompletedLevel])
    counters: list[int] = field(default_factory=list[int])
    expanded: int = 0
    finds: list[Facts] = field(default_factory=list[Facts])
    finished: bool = False
    seconds: float = 0.0
    handed_over: int = 0

    @property
    def distinct(self) -> int:
        """States of all complete levels."""
        return sum(sum(level.states) for level in self.levels)


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
        """The manifest; None in a new directory. Damaged when it cannot be read, or when there are levels without
        one."""
        path = self.folder / MANIFEST
        try:
            document = json.loads(path.read_bytes())
            if document.pop("schema") != SCHEMA:
                raise DamagedRunError(f"{path}: this is not a manifest of this version of tidegate; begin a new run")
            levels = [CompletedLevel(**level) for level in document.pop("levels")]
            return Manifest(**document, levels=levels)
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
        document = {"schema": SCHEMA, **asdict(manifest)}
        with tempfile.NamedTemporaryFile("w", dir=self.folder, delete=False) as part:
            json.dump(document, part)
            part.flush()
            os.fsync(part.fileno())
        os.replace(part.name, self.folder / MANIFEST)

    def close(self) -> None:
        """Let others work in it."""
        self._lock.close()
