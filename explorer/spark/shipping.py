"""The compiled code on its way to the tasks: object code and the text that it was made from, in the run directory.

The object is named after its content, the triple and the processor that it was made for. A machine of another kind
compiles the text once and keeps the object for its other processes.
"""

from __future__ import annotations

import fcntl
import gc
import tempfile
import zlib
from collections.abc import Callable
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from ...language.immutable import immutable
from ..native.compiler import Code, Target, compile_text, load_binary, read_object, write_object
from .job import DamagedRunError


def ship_kernel(folder: Path, kernel: str, text: str, target: Target, binary: bytes) -> None:
    """Put a kernel into the run directory: its text, and its object code for `target`."""
    place = folder / "kernel"
    place.mkdir(parents=True, exist_ok=True)
    write_object(place / f"{kernel}.ll", text.encode())
    write_object(_object_path(folder, kernel, target), binary)
    if read_object(place / f"{kernel}.ll") is None or read_object(_object_path(folder, kernel, target)) is None:
        raise DamagedRunError(f"{place}: the kernel could not be written; is the disk full?")


def _object_path(folder: Path, kernel: str, target: Target) -> Path:
    return folder / "kernel" / f"{kernel}-{target.cache_key}.o"


def load_code(folder: str, kernel: str) -> Code:
    """The kernel, ready to call on this machine: the object made for exactly it, one made for every machine of its
    kind, or one compiled here and kept for the machine's other processes."""
    place = Path(folder)
    for target in (Target.host(), Target.baseline()):
        binary = read_object(_object_path(place, kernel, target))
        if binary is not None:
            return load_binary(binary)
    return load_binary(_compile_for_machine(kernel, lambda: read_object(place / "kernel" / f"{kernel}.ll")))


@immutable
class ShippedKernel:
    """A kernel as a value: its name, its text, made small, and its object code with the key of what it was made for."""

    name: str
    text: bytes
    key: str
    binary: bytes


def kernel_for_target(text: str, target: Target, binary: bytes, cache: Path | None) -> ShippedKernel:
    """A kernel made for `target`; `binary` is its object code for this machine, and `cache` keeps that for others."""
    small = zlib.compress(text.encode())
    name = sha256(small).hexdigest()[:32]
    if target != Target.host():
        kept = None if cache is None else cache / f"{name}-{target.cache_key}.o"
        binary = read_object(kept) or compile_text(text, target)
        write_object(kept, binary)
    return ShippedKernel(name, small, target.cache_key, binary)


@lru_cache(maxsize=4)
def open_parcel(parcel: ShippedKernel) -> Code:
    """The kernel, ready to call on this machine; once a process."""
    if parcel.key in (Target.host().cache_key, Target.baseline().cache_key):
        code = load_binary(parcel.binary)
    else:
        code = load_binary(_compile_for_machine(parcel.name, lambda: zlib.decompress(parcel.text)))
    gc.collect()
    gc.freeze()
    return code


def _compile_for_machine(kernel: str, read: Callable[[], bytes | None]) -> bytes:
    """Object code for this machine, made by the first of its processes that asks from the text that `read` gives."""
    host = Target.host()
    kept = Path(tempfile.gettempdir()) / f"tidegate-kernel-{kernel}-{host.cache_key}.o"
    with kept.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        binary = read_object(kept)
        if binary is None:
            text = read()
            if text is None:
                raise DamagedRunError(f"the text of the kernel {kernel} is missing in the run directory, or damaged")
            binary = compile_text(text.decode(), host)
            write_object(kept, binary)
        return binary
