"""Kernels: a model's compiled code, made once and kept on disk under a name that says everything it depends on."""

from __future__ import annotations

import time
import zlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from ...language.code_digest import text_digest
from ...language.immutable import immutable
from ...language.model import Model
from ...language.types import Identity
from ..traversal import digest
from .compiler import Code, compile_text, content_key, load_binary, read_object, write_object
from .effort import FULL_EFFORT, QUICK_EFFORT, CompileEffort
from .initials import combination_counts
from .program import KernelInterface, generate_llvm, may_be_enabled, plan_program


@immutable
class Kernel:
    """Compiled code and what the driver must know of it. `seconds` is what making or loading took; `is_cached` which.
    `binary` is the object code, made with `effort`. `counts_every_state`: it counts each state that one of those it
    keeps stands for."""

    program: KernelInterface
    code: Code
    seconds: float
    is_cached: bool
    binary: bytes
    effort: CompileEffort = FULL_EFFORT
    counts_every_state: bool = False


@cache
def engine_digest() -> str:
    """A digest of this engine's own source, so that a kernel never outlives the code that generated it."""
    folder = Path(__file__).parent
    folders = (folder, folder.parent, folder.parent.parent / "language")
    return text_digest(sorted(path for place in folders for path in place.glob("*.py")))


def digest_of_meaning(model: Model, symmetric: Sequence[Identity]) -> str:
    """A digest of everything that the generated code depends on."""
    forms = (
        tuple((field.name, field.type) for field in model.fields),
        tuple((action.name, action.kind, action.form) for action in model.actions if may_be_enabled(action)),
        tuple((prop.name, prop.kind, prop.form) for prop in (*model.properties, *model.terminals, *model.bounds)),
        tuple((bound.name, bound.form) for bound in model.step_bounds),
        tuple(prop.action_forms for prop in model.properties if prop.action_forms),
        tuple((initial.name, initial.form) for initial in model.initials) if combination_counts(model) else (),
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
    effort: CompileEffort = FULL_EFFORT,
    masks: Sequence[int] = (),
    meaning_text: str | None = None,
    edges: bool = False,
    cone: bool = False,
    is_weighted: bool = False,
) -> Kernel:
    """The kernel of a bound model, from `folder` when an equal one was compiled there for this processor. One that can
    take random walks is another, and one that works on shards with fingerprints of 64 or 128 bits, one that
    distinguishes states by their words under `masks` (none: by all of them), one that writes down `edges`, one that
    keeps of a state what is in the `cone` of what is asked, and one that is `is_weighted`: it counts each state that
    one of those it keeps stands for. `meaning_text` is the model's `digest_of_meaning`, where it is known."""
    started = time.perf_counter()
    variant = (
        "edges" if edges else CONE if cone else WEIGHTED if is_weighted else _variant_name(walks, fingerprint, masks)
    )
    path = (
        None
        if folder is None
        else _cache_path(folder, meaning_text or digest_of_meaning(model, symmetric), variant, effort)
    )
    binary = read_object(path)
    cached = binary is not None
    program = plan_program(model, cone=cone)
    if binary is None:
        text = generate_llvm(
            model,
            program,
            symmetric,
            walks=walks,
            fingerprint=fingerprint,
            effort=effort,
            masks=masks,
            edges=edges,
            is_weighted=is_weighted,
        )
        binary = compile_text(text, effort=effort)
        write_object(path, binary)
    return Kernel(program, load_binary(binary), time.perf_counter() - started, cached, binary, effort, is_weighted)


def kernel_text(
    model: Model,
    program: KernelInterface,
    symmetric: Sequence[Identity],
    folder: Path | None,
    *,
    walks: bool = False,
    fingerprint: int = 0,
) -> str:
    """The LLVM text of a kernel, which machines with other processors compile. It is kept in `folder` (None: nowhere),
    since to write it takes longer than most searches."""
    variant = f"text {_variant_name(walks, fingerprint, ())}"
    path = (
        None
        if folder is None
        else _cache_path(folder, digest_of_meaning(model, symmetric), variant, FULL_EFFORT).with_suffix(".ll")
    )
    kept = read_object(path)
    if kept is not None:
        return zlib.decompress(kept).decode()
    text = generate_llvm(model, program, symmetric, walks=walks, fingerprint=fingerprint)
    write_object(path, zlib.compress(text.encode(), 1))
    return text


def first_kernel(
    model: Model,
    symmetric: Sequence[Identity],
    folder: Path | None,
    masks: Sequence[int] = (),
    *,
    walks: bool = False,
    is_weighted: bool = False,
) -> Kernel:
    """The kernel to begin a search or walks with: the fast one where it is in the cache, else one that compiles
    quickly."""
    if folder is None:
        return kernel_of(model, symmetric, None, walks=walks, effort=QUICK_EFFORT, masks=masks, is_weighted=is_weighted)
    said, variant = digest_of_meaning(model, symmetric), WEIGHTED if is_weighted else _variant_name(walks, 0, masks)
    effort = FULL_EFFORT if _cache_path(folder, said, variant, FULL_EFFORT).is_file() else QUICK_EFFORT
    return kernel_of(
        model, symmetric, folder, walks=walks, effort=effort, masks=masks, meaning_text=said, is_weighted=is_weighted
    )


CONE = "cone"
"""What a kernel is called by that keeps of a state what is in a cone."""
WEIGHTED = "weighted"
"""What a kernel is called by that counts each state that one of those it keeps stands for."""


def is_kernel_kept(
    model: Model,
    symmetric: Sequence[Identity],
    folder: Path | None,
    effort: CompileEffort,
    *,
    cone: bool = False,
    is_weighted: bool = False,
) -> bool:
    """Whether the kernel made with an effort is in the cache."""
    variant = CONE if cone else WEIGHTED if is_weighted else _masks_name(())
    return folder is not None and _cache_path(folder, digest_of_meaning(model, symmetric), variant, effort).is_file()


def _cache_path(folder: Path, meaning_text: str, variant: str, effort: CompileEffort) -> Path:
    """Where a kernel is kept, under a name that says everything it depends on; `meaning_text` is the model's
    `digest_of_meaning`."""
    return folder / f"{content_key(effort, engine_digest(), meaning_text, variant)}.o"


def _variant_name(walks: bool, fingerprint: int, masks: Sequence[int]) -> str:
    """What a kernel is called by that distinguishes it from others of its model."""
    return "walks" if walks else f"shards {fingerprint}" if fingerprint else _masks_name(masks)


def _masks_name(masks: Sequence[int]) -> str:
    """What a kernel is called by that distinguishes states by masks."""
    return "".join(f" {mask:x}" for mask in masks)
