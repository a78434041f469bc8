"""How much memory a search may take: of the machine's, of what the control groups around this process leave it, and of
what its own limits (`ulimit -v`) leave."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from pathlib import Path

SHARE = 0.8
"""Of what is left, so much is for states where the user sets no limit: the rest is for code and for what checks it."""
SPARE = 96 << 20
"""Bytes that are left for these at least."""
LEAST = 1 << 20

_PROCESS = Path("/proc/self")
_LIMITS = ("memory.max", "memory.high", "memory.limit_in_bytes")
_USES = ("memory.current", "memory.usage_in_bytes")
_FILES = ("inactive_file", "total_inactive_file")
"""Of a group's `memory.stat`: pages of files that the kernel gives back before anybody runs out of memory."""


def memory_for_search() -> int:
    """Bytes that a search may take where the user sets no limit."""
    left = usable_memory()
    return max(LEAST, min(int(SHARE * left), left - SPARE))


def usable_memory() -> int:
    """Bytes that this process can still take: the least of what the machine has, what each control group around it
    has left, and what is left below its own limits."""
    machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return max(0, min([machine, *_bytes_left_in_groups(_PROCESS), *_bytes_left_below_own_limits()]))


def _bytes_left_in_groups(process: Path) -> Iterator[int]:
    """What is left of the limit of each control group that the process is in, the innermost first."""
    for group in _group_folders(process):
        used = _number_in_files(group, _USES) - _reclaimable_bytes(group)
        for name in _LIMITS:
            limit = _number_in_files(group, (name,), none=-1)
            if limit >= 0:
                yield limit - max(0, used)


def _group_folders(process: Path) -> Iterator[Path]:
    """The folders of the control groups of memory that a process is in, the innermost first."""
    own = dict(_own_groups(process))
    for root, mounted, is_second in _group_mounts(process):
        path = own.get(is_second)
        if path is None:
            continue
        inside = os.path.relpath(path, root)
        folder = mounted if inside.startswith("..") else mounted / inside
        while folder.is_relative_to(mounted):
            yield folder
            if folder == mounted:
                break
            folder = folder.parent


def _own_groups(process: Path) -> Iterator[tuple[bool, str]]:
    """The process's own group: of the one hierarchy of version 2 (True), and of version 1's for memory."""
    for line in _lines_of(process / "cgroup"):
        number, controllers, path = line.split(":", 2)
        if number == "0" and not controllers:
            yield True, path
        elif "memory" in controllers.split(","):
            yield False, path


def _group_mounts(process: Path) -> Iterator[tuple[str, Path, bool]]:
    """Where control groups are mounted: the group that is the root there, the folder, and whether it is version 2."""
    for line in _lines_of(process / "mountinfo"):
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        if kind == "cgroup2" or (kind == "cgroup" and "memory" in options.split(",")):
            root, folder = before.split(" ")[3:5]
            yield root, Path(folder.replace("\\040", " ")), kind == "cgroup2"


def _bytes_left_below_own_limits() -> Iterator[int]:
    """What is left below the limits of the process's own address space: half of it, since besides the store of states
    a graph of them may be made, and threads and code take address space that they never touch."""
    pages = (_lines_of(_PROCESS / "statm") or ["0 0 0 0 0 0 0"])[0].split()
    for limit, column in ((resource.RLIMIT_AS, 0), (resource.RLIMIT_DATA, 5)):
        most = resource.getrlimit(limit)[0]
        if most != resource.RLIM_INFINITY:
            yield (most - int(pages[column]) * os.sysconf("SC_PAGE_SIZE")) // 2


def _reclaimable_bytes(group: Path) -> int:
    found = dict(line.split(" ", 1) for line in _lines_of(group / "memory.stat"))
    return next((int(found[name]) for name in reversed(_FILES) if name in found), 0)


def _number_in_files(group: Path, names: tuple[str, ...], none: int = 0) -> int:
    """The number in the first of these files that has one: `max` is none."""
    texts = [line for name in names for line in _lines_of(group / name)[:1]]
    return next((int(text) for text in texts if text.isdigit()), none)


def _lines_of(path: Path) -> list[str]:
    """The lines of a file of the system; none where it has no such file."""
    try:
        return path.read_text().splitlines()
    except OSError:
        return []
