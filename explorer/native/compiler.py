"""LLVM: from a module's text to object code, from object code to functions, and a disk cache of objects."""

from __future__ import annotations

import ctypes
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import llvmlite
import llvmlite.binding as llvm

from ...language.immutable import immutable
from ..cache import write_whole
from .effort import FULL_EFFORT, CompileEffort


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


@immutable
class Target:
    """What code is made for: LLVM's triple, a processor and its features."""

    triple: str
    cpu: str
    features: str

    @staticmethod
    def host() -> Target:
        """This machine."""
        return Target(
            llvm.get_default_triple(), llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
        )  # fmt: skip

    @staticmethod
    def baseline() -> Target:
        """Every machine of this kind that is not very old: on x86, those since 2009."""
        triple = llvm.get_default_triple()
        return Target(triple, "x86-64-v2" if triple.startswith("x86_64") else "generic", "")

    @property
    def cache_key(self) -> str:
        """A name for it, with LLVM's version."""
        parts = (self.triple, self.cpu, self.features, llvmlite.__version__)
        return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

    def llvm_machine(self, code: int = FULL_EFFORT.code) -> llvm.TargetMachine:
        """LLVM's view of it; `code` is the optimisation level of code generation."""
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        found = llvm.Target.from_triple(self.triple)
        return found.create_target_machine(cpu=self.cpu, features=self.features, opt=code, jit=True)


def content_key(effort: CompileEffort, *texts: str) -> str:
    """The name of a kernel in the cache: its text, the compiler's version, its effort, and the processor."""
    parts = (
        *texts,
        llvmlite.__version__,
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
        str(effort),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def _optimise(text: str, machine: llvm.TargetMachine, pipeline: int) -> bytes:
    module = llvm.parse_assembly(text)
    module.verify()
    module.triple = machine.triple
    options = llvm.create_pipeline_tuning_options(speed_level=pipeline or 1)
    builder = llvm.create_pass_builder(machine, options)
    passes = builder.getModulePassManager() if pipeline else _cheap_passes()
    passes.run(module, builder)
    return machine.emit_object(module)


def _cheap_passes() -> llvm.ModulePassManager:
    """Variables into registers, and blocks that lead nowhere else joined."""
    passes = llvm.create_new_module_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    return passes


def _load_binary(binary: bytes, machine: llvm.TargetMachine) -> llvm.ExecutionEngine:
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(binary))
    engine.finalize_object()
    return engine


def compile_text(text: str, target: Target | None = None, effort: CompileEffort = FULL_EFFORT) -> bytes:
    """Optimised object code of a module; for this processor, unless another target is given."""
    return _optimise(text, (target or Target.host()).llvm_machine(effort.code), effort.pipeline)


def load_binary(binary: bytes) -> Code:
    """Object code made ready to call."""
    return Code(_load_binary(binary, Target.host().llvm_machine()))


def read_object(path: Path | None) -> bytes | None:
    """An object from the cache whose checksum holds, or None. A cache that cannot be read is no error: one compiles
    again."""
    try:
        data = b"" if path is None else path.read_bytes()
    except OSError:
        return None
    checksum, binary = data[:32], data[32:]
    return binary if path is not None and binary and _checksum(path, binary) == checksum else None


def write_object(path: Path | None, binary: bytes) -> None:
    """Put an object into the cache, with a checksum by which `read_object` finds what is not as it was written under
    this name."""
    if path is not None:
        write_whole(path, _checksum(path, binary) + binary)


def _checksum(path: Path, binary: bytes) -> bytes:
    """Of the name as well, which says what the code was made from: a file under another name is not what it says."""
    return hashlib.sha256(path.name.encode() + b"\0" + binary).digest()
