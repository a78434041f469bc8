"""A shard's table of fingerprints: a file in memory that the processes of one machine share, and a cache.

It says which level it stands at. Whoever finds it torn (a process was killed while it wrote), of another run, from
before a reboot, or missing, fills it from the level files; one that merely lags behind gets the levels it lacks.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import mmap
import os
import struct
from collections.abc import Callable
from pathlib import Path
from typing import IO

from .job import Job
from .levels import LevelFile

_HEADER = struct.Struct("<8s32s40sQQQq")
"""Magic, run, the machine's boot, slots, fingerprints held, words of each, the level it stands at; -1: torn."""
_MAGIC = b"tidegs01"
OFFSET = 4096
FIRST_SLOTS = 1 << 12
LOAD = 0.7
"""The table grows twofold when it is this full."""
TORN_LEVEL = -1


def boot_id() -> bytes:
    """An identifier of this boot of the machine, where the system has one: a table that was not written out
    when power failed looks whole."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_bytes().strip()
    except OSError:
        return b""


_MAPPED_FILES: dict[Path, tuple[tuple[int, int, int], mmap.mmap]] = {}
"""The tables that this process used last, by path, each with what identifies its file among those of the same name.
Memory that is mapped anew for each level costs a fault for every page that is touched: a tenth of a search's time."""


def _map_file(path: Path, file: IO[bytes]) -> mmap.mmap:
    """A table's file in memory: as it was mapped before, if this is that file."""
    status = os.fstat(file.fileno())
    which = (status.st_dev, status.st_ino, status.st_size)
    known = _MAPPED_FILES.get(path)
    if known is not None and known[0] == which:
        return known[1]
    for gone in [mapped for mapped in _MAPPED_FILES if mapped == path or not mapped.exists()]:
        del _MAPPED_FILES[gone]
    table = mmap.mmap(file.fileno(), 0)
    _MAPPED_FILES[path] = (which, table)
    return table


class FingerprintTable:
    """A shard's table, held by one process at a time; a context manager. `move` is the kernel's `move_held`.

    `cells` are those of the shard's block that say where the table is: SEEN, SLOTS, HELD, in this order.
    """

    def __init__(self, job: Job, shard: int, cells: Callable[[int, int, int], None]) -> None:
        self.job, self.shard, self._cells = job, shard, cells
        self.path = job.tables / f"s{shard:05}.seen"
        self.rebuilt = 0
        self._lock: IO[bytes] | None = None
        self._map: mmap.mmap | None = None

    def __enter__(self) -> FingerprintTable:
        self.job.tables.mkdir(parents=True, exist_ok=True)
        self._lock = self.path.with_suffix(".lock").open("wb")
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        if not self._has_opened():
            self.clear()
        return self

    def __exit__(self, *_: object) -> None:
        self._map = None
        if self._lock is not None:
            self._lock.close()

    def _has_opened(self) -> bool:
        """Whether there is a table of this run."""
        try:
            file = self.path.open("r+b")
        except OSError:
            return False
        with file, contextlib.suppress(ValueError):
            self._map = _map_file(self.path, file)
        if self._map is None or len(self._map) < OFFSET:
            return False
        magic, run, booted, self.slots, held, finger, self.level = _HEADER.unpack_from(self._map)
        mine = (_MAGIC, self.job.run.encode(), boot_id(), self.job.finger)
        if (magic, run, booted.rstrip(b"\0"), finger) != mine or len(self._map) != self._size(self.slots):
            return False
        self._point_kernel_at_table(held)
        return True

    def _size(self, slots: int) -> int:
        return OFFSET + 8 * self.job.finger * slots

    def _point_kernel_at_table(self, held_count: int) -> None:
        assert self._map is not None
        address = ctypes.addressof(ctypes.c_char.from_buffer(self._map)) + OFFSET
        self._cells(address, self.slots, held_count)

    def _make_table(self, slots: int) -> mmap.mmap:
        """A new, empty table, not yet in its place."""
        with self.path.with_suffix(".new").open("w+b") as file:
            os.ftruncate(file.fileno(), self._size(slots))
            if hasattr(os, "posix_fallocate"):  # a full disk is an error now, and not a signal at the first write
                os.posix_fallocate(file.fileno(), 0, self._size(slots))
            return _map_file(self.path, file)

    def _use_table(self, table: mmap.mmap, slots: int) -> None:
        os.replace(self.path.with_suffix(".new"), self.path)
        self._map, self.slots = table, slots

    def clear(self) -> None:
        """Begin with an empty table, which stands at level 0."""
        self._use_table(self._make_table(FIRST_SLOTS), FIRST_SLOTS)
        self.mark_level(0, 0)
        self._point_kernel_at_table(0)

    def mark_level(self, level: int, held_count: int) -> None:
        """Say which level the table stands at; TORN before anything is changed."""
        assert self._map is not None
        run = self.job.run.encode()
        _HEADER.pack_into(self._map, 0, _MAGIC, run, boot_id(), self.slots, held_count, self.job.finger, level)
        self.level = level

    def make_room(self, held_count: int, more: int, move: Callable[[int, int], object]) -> None:
        """Make room for `more` fingerprints beside the `held_count` ones."""
        slots = self.slots
        while held_count + more > LOAD * slots:
            slots *= 2
        if slots == self.slots:
            return
        old, before = self._map, self.slots
        assert old is not None
        table = self._make_table(slots)
        self._map, self.slots = table, slots
        self.mark_level(TORN_LEVEL, 0)
        self._point_kernel_at_table(0)
        move(ctypes.addressof(ctypes.c_char.from_buffer(old)) + OFFSET, before)
        os.replace(self.path.with_suffix(".new"), self.path)

    def catch_up(self, level: int, hold: Callable[[LevelFile], int]) -> None:
        """Bring the table to `level` from the level files; `hold` puts a file's states into it and says how many it
        then holds."""
        if self.level == TORN_LEVEL or self.level > level:
            self.clear()
        if self.level == level:
            return
        self.rebuilt = level - self.level
        begin = self.level + 1
        self.mark_level(TORN_LEVEL, 0)
        held = 0
        for number in range(begin, level + 1):
            file = LevelFile(self.job, number, self.shard)
            held = hold(file)
            file.close()
        self.mark_level(level, held)
