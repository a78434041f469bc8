"""LLVM: from a module's text to object code, from object code to functions, and a disk cache of objects."""

from __future__ import annotations

import ctypes
import hashlib
import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm

PIPELINE, CODE = 1, 2
"""LLVM's optimisation levels for the pipeline and for code generation. A higher pipeline took twice as long and gave
code that was no faster on the models here (see the decision record on compiling)."""


@dataclass(slots=True)
class Code:
    """Machine code ready to call."""

    engine: llvm.ExecutionEngine

    def function(self, name: str, arguments: int) -> Callable[..., int]:
        """A function of `arguments` words that returns a word, as a callable. KeyError when the module has no such
        function."""
        address = self.engine.get_function_address(name)
        if not address:
            raise KeyError(name)
        return ctypes.CFUNCTYPE(ctypes.c_uint64, *[ctypes.c_uint64] * arguments)(address)


def _machine() -> llvm.TargetMachine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    features = llvm.get_host_cpu_features().flatten()
    return target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features, opt=CODE, jit=True)


def content_key(*texts: str) -> str:
    """The name of a kernel in the cache: its text, the compiler's version and the processor."""
    parts = (
        *texts,
        llvmlite.__version__,
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
        f"{PIPELINE} {CODE}",
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _optimise(text: str, machine: llvm.TargetMachine) -> bytes:
    module = llvm.parse_assembly(text)
    module.verify()
    module.triple = llvm.get_default_triple()
    options = llvm.create_pipeline_tuning_options(speed_level=PIPELINE)
    builder = llvm.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return machine.emit_object(module)


def _load(binary: bytes, machine: llvm.TargetMachine) -> llvm.ExecutionEngine:
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(binary))
    engine.finalize_object()
    return engine


def compile_text(text: str) -> bytes:
    """Optimised object code of a module, for this processor."""
    return _optimise(text, _machine())


def load_binary(binary: bytes) -> Code:
    """Object code made ready to call."""
    return Code(_load(binary, _machine()))


def read_object(path: Path | None) -> bytes | None:
    """An object from the cache whose checksum holds, or None. A cache that cannot be read is no error: one compiles
    again."""
    try:
        data = b"" if path is None else path.read_bytes()
    except OSError:
        return None
    checksum, binary = data[:32], data[32:]
    return binary if binary and hashlib.sha256(binary).digest() == checksum else None


def write_object(path: Path | None, binary: bytes) -> None:
    """Put an object into the cache, by rename, so that a killed run leaves no half; a full or read-only disk is no
    error."""
    if path is None:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
            file.write(hashlib.sha256(binary).digest() + binary)
        os.replace(file.name, path)
    except OSError:
        return
