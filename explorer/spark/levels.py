"""Level files: the new states of one level that one shard owns, each with the place of its parent.

They are the truth of a run: tables are rebuilt from them, levels expanded from them, counterexamples read from them.
A file is written beside its place and then linked into it: the first complete one stays and is never replaced, so that
a place (level, shard, index) means the same state for ever, however often a task is run again.
"""

from __future__ import annotations

import ctypes
import json
import mmap
import os
import struct
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ...language.immutable import immutable
from .job import DamagedRunError, Job

_MAGIC = b"tidegl01"
_HEADER = struct.Struct("<8s32sIIIIQQ")
"""Magic, run, level, shard, words of a state, checksum of what follows, states, bytes of facts."""
HEADER_BYTES = 96
NO_PARENT = (1 << 32) - 1

Facts = dict[str, Any]
"""What a task reports of its share of a level, as JSON."""


@immutable
class StateLocation:
    """Where a state is: its level, the shard that owns it, its index there."""

    level: int
    shard: int
    index: int


def level_path(folder: Path, level: int, shard: int) -> Path:
    """The file of a level and shard."""
    return folder / f"L{level:05}" / f"s{shard:05}.states"


class LevelWriter:
    """Writes one level file; nothing is seen of it until `commit`."""

    def __init__(self, job: Job, level: int, shard: int) -> None:
        self.job, self.level, self.shard = job, level, shard
        self.path = level_path(job.folder, level, shard)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._part = self.path.with_name(f".{self.path.name}.{os.uname().nodename}.{os.getpid()}")
        self._file = self._part.open("wb")
        self._file.write(bytes(HEADER_BYTES))
        self._parents, self._sum, self.count = bytearray(), 0, 0

    def append_states(self, states: memoryview | bytes, parents: memoryview | bytes) -> None:
        """More states, and for each (parent's shard << 32 | parent's index), 8 bytes."""
        self._write(states)
        self._parents += parents
        self.count += len(parents) // 8

    def _write(self, data: memoryview | bytes | bytearray) -> None:
        self._sum = zlib.crc32(data, self._sum)
        self._file.write(data)

    def commit(self, facts: Mapping[str, Any]) -> None:
        """Make it the level's file, unless another attempt was first."""
        text = json.dumps(facts).encode()
        self._write(self._parents)
        self._write(text)
        self._file.seek(0)
        job = self.job
        self._file.write(
            _HEADER.pack(_MAGIC, job.run.encode(), self.level, self.shard, job.words, self._sum, self.count, len(text))
        )
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        try:
            os.link(self._part, self.path)
        except FileExistsError:
            pass  # an earlier attempt's file holds the same states, and others may refer to places in it
        finally:
            self._part.unlink()

    def abandon(self) -> None:
        """Leave nothing behind."""
        self._file.close()
        self._part.unlink(missing_ok=True)


class LevelFile:
    """A level file, read: mapped into memory; its size and whose it is are checked, and its checksum unless `sum` is
    False, which is for reading a few states of many files."""

    def __init__(
        self, job: Job, level: int, shard: int, *, expected_states: int | None = None, sum: bool = True
    ) -> None:
        self.path = level_path(job.folder, level, shard)
        try:
            with self.path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
        except FileNotFoundError:
            raise self._damage_error("the file is missing") from None
        except ValueError:
            raise self._damage_error("the file is empty") from None
        self.words, self.level, self.shard = job.words, level, shard
        self._check(job, sum=sum)
        if expected_states is not None and self.count != expected_states:
            raise self._damage_error(f"it holds {self.count} states, and the manifest says {expected_states}")

    def _damage_error(self, what: str) -> DamagedRunError:
        return DamagedRunError(
            f"{self.path}: {what}; the run cannot go on from here: begin a new one in another --run-dir"
        )

    def _check(self, job: Job, *, sum: bool) -> None:
        if len(self._map) < HEADER_BYTES:
            raise self._damage_error("the file is too short")
        magic, run, level, shard, words, total, self.count, self._facts = _HEADER.unpack_from(self._map)
        if magic != _MAGIC or (level, shard, words) != (self.level, self.shard, self.words):
            raise self._damage_error("this is not the level file that it should be")
        if run != job.run.encode():
            raise self._damage_error("it belongs to another run")
        if len(self._map) != HEADER_BYTES + self.count * (8 * self.words + 8) + self._facts:
            raise self._damage_error(f"its size is not that of {self.count} states")
        with memoryview(self._map) as view:
            if sum and zlib.crc32(view[HEADER_BYTES:]) != total:
                raise self._damage_error("its checksum is wrong")

    @property
    def address(self) -> int:
        """Where its states begin in memory; valid until `close`."""
        return ctypes.addressof(ctypes.c_char.from_buffer(self._map, HEADER_BYTES)) if self.count else 0

    def state(self, index: int) -> tuple[int, ...]:
        """The words of a state."""
        return struct.unpack_from(f"<{self.words}Q", self._map, HEADER_BYTES + 8 * self.words * index)

    def parent(self, index: int) -> StateLocation | None:
        """Where the state's parent is; None for an initial state."""
        at = HEADER_BYTES + 8 * self.words * self.count + 8 * index
        place = struct.unpack_from("<Q", self._map, at)[0]
        return None if place == NO_PARENT else StateLocation(self.level - 1, place >> 32, place & NO_PARENT)

    def packed_states(self, first: int, count: int) -> tuple[bytes, bytes]:
        """The words of `count` states from index `first` on, and the places of their parents, 8 bytes each as
        `append_states` took them."""
        states, parents = HEADER_BYTES, HEADER_BYTES + 8 * self.words * self.count
        at, end = 8 * first, 8 * (first + count)
        return self._map[states + self.words * at : states + self.words * end], self._map[parents + at : parents + end]

    def facts(self) -> Facts:
        """The report of the task that wrote it."""
        return json.loads(self._map[len(self._map) - self._facts :])

    def close(self) -> None:
        """Give the memory back."""
        self._map.close()
