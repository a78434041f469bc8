"""Kernels: a model's compiled code, made once and kept on disk under a name that says everything it depends on."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ...language.model import Model
from ...language.types import Identity
from ..walk import digest
from .compiler import Code, compile_text, content_key, load_binary, read_object, write_object
from .program import Program, can_happen, generate, plan_program


@dataclass(frozen=True, slots=True)
class Kernel:
    """Compiled code and what the driver must know of it. `seconds` is what making or loading took; `cached` which.
    `binary` is the object code."""

    program: Program
    code: Code
    seconds: float
    cached: bool
    binary: bytes


@cache
def own_text() -> str:
    """A digest of this engine's own source, so that a kernel never outlives the code that generated it."""
    folder = Path(__file__).parent
    total = hashlib.sha256()
    for path in sorted(
        [*folder.glob("*.py"), *folder.parent.glob("*.py"), *(folder.parent.parent / "language").glob("*.py")]
    ):
        total.update(path.read_bytes())
    return total.hexdigest()


def meaning(model: Model, symmetric: Sequence[Identity]) -> str:
    """A digest of everything that the generated code depends on."""
    forms = (
        tuple((field.name, field.type) for field in model.fields),
        tuple((action.name, action.form) for action in model.actions if can_happen(action)),
        tuple((each.name, each.kind, each.form) for each in (*model.properties, *model.terminals)),
        tuple(symmetric),
        tuple(sorted(model.open)),
        tuple((name, str(value)) for name, value in sorted(model.values.items()) if name not in model.open),
    )
    return digest(forms)


def kernel_of(
    model: Model,
    symmetric: Sequence[Identity],
    folder: Path | None,
    *,
    walks: bool = False,
    fingerprint: int = 0,
    rolled: bool = False,
) -> Kernel:
    """The kernel of a bound model, from `folder` when an equal one was compiled there for this processor. One that can
    take random walks is another, and one that works on shards with fingerprints of 64 or 128 bits.

    `rolled` is for small explorations: with five replicas it compiles in a sixth of the time, and its steps take twice
    as long, which is a tenth of an exploration.
    """
    started = time.perf_counter()
    variant = "walks" if walks else f"shards {fingerprint}" if fingerprint else "rolled" if rolled else ""
    key = content_key(own_text(), meaning(model, symmetric), variant)
    path = None if folder is None else folder / f"{key}.o"
    binary = read_object(path)
    cached = binary is not None
    program = plan_program(model)
    if binary is None:
        binary = compile_text(generate(model, program, symmetric, walks=walks, fingerprint=fingerprint, rolled=rolled))
        write_object(path, binary)
    return Kernel(program, load_binary(binary), time.perf_counter() - started, cached, binary)
