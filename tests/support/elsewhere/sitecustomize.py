"""A Python on a system that is not Linux, as far as one can be had on Linux: with this folder in PYTHONPATH, what only
Linux has is away, in each process that Python starts.

Gone are the flags of memory that only Linux knows, the count of a process's own processors, `prctl`, `/proc` and
`/sys`, and starting processes by fork; pages have 16 KiB, as on Apple's machines.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import io
import mmap
import multiprocessing
import multiprocessing.context
import os
from collections.abc import Callable
from pathlib import PurePath
from typing import Any, cast

PAGE = 16_384

for module, names in (
    (mmap, ("MADV_HUGEPAGE", "MAP_NORESERVE", "MAP_POPULATE")),
    (os, ("sched_getaffinity", "memfd_create", "posix_fadvise", "posix_fallocate")),
):
    for name in names:
        with contextlib.suppress(AttributeError):  # not in each version of Python
            delattr(module, name)


_true_sysconf = os.sysconf


def _sysconf(name: str | int) -> int:
    return PAGE if name in ("SC_PAGE_SIZE", "SC_PAGESIZE") else _true_sysconf(name)


setattr(os, "sysconf", _sysconf)  # noqa: B010  # to a checker it stays what it was
mmap.PAGESIZE = mmap.ALLOCATIONGRANULARITY = PAGE  # pyright: ignore[reportAttributeAccessIssue]


_true_open = cast("Callable[..., Any]", io.open)


def _open(file: Any, *arguments: Any, **options: Any) -> Any:
    if isinstance(file, (str, PurePath)) and PurePath(file).parts[:2] in (("/", "proc"), ("/", "sys")):
        raise FileNotFoundError(2, "No such file or directory", str(file))
    return _true_open(file, *arguments, **options)


io.open = builtins.open = _open


def _lookup(library: ctypes.CDLL, name: str) -> Any:
    if name == "prctl":
        raise AttributeError(name)
    return _true_lookup(library, name)


_true_lookup, ctypes.CDLL.__getattr__ = ctypes.CDLL.__getattr__, _lookup  # pyright: ignore[reportAttributeAccessIssue]

multiprocessing.context._concrete_contexts = {"spawn": multiprocessing.context.SpawnContext()}  # pyright: ignore
multiprocessing.context._default_context = multiprocessing.context.DefaultContext(  # pyright: ignore
    multiprocessing.context._concrete_contexts["spawn"]  # pyright: ignore
)
for name in ("get_context", "get_start_method", "set_start_method", "Process", "Queue", "Pipe", "RawValue", "Lock"):
    setattr(multiprocessing, name, getattr(multiprocessing.context._default_context, name))  # pyright: ignore
multiprocessing.get_all_start_methods = lambda: ["spawn"]
