"""Kernels: kept, named by what a model means, and never believed where they were changed.

Also of: `compiler`.
"""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import pytest
from tidegate.explorer.native import kernels as native_kernels
from tidegate.explorer.native.compiler import read_object
from tidegate.explorer.native.kernels import engine_digest, kernel_text
from tidegate.explorer.native.program import generate_llvm, plan_program
from tidegate.explorer.native.search import check as native
from tidegate.explorer.search import Search
from tidegate.language import code_digest

from ...support.engines import bind_text, summary, text_of
from ...support.native import COUNTING, FIELDS, NODE, START, counting, kernels
from ...support.shipped import bind_shipped


def test_a_kept_kernel_gives_the_same(tmp_path: Path) -> None:
    model, cache = counting(tmp_path), tmp_path / "cache"
    cold, warm = (native(model, Search(cache=cache)) for _ in range(2))
    assert summary(cold) == summary(warm)
    assert len(kernels(cache)) == 1


@pytest.mark.parametrize("damage", [b"", b"nonsense", b"\0" * 5000])
def test_a_damaged_kernel_is_made_again(damage: bytes, tmp_path: Path) -> None:
    model, cache = counting(tmp_path), tmp_path / "cache"
    cold = native(model, Search(cache=cache))
    (kept,) = cache.glob("*.o")
    kept.write_bytes(damage)
    assert read_object(kept) is None
    assert summary(native(model, Search(cache=cache))) == summary(cold)
    assert read_object(kept) is not None


@pytest.mark.parametrize("kind", [{"walks": True}, {"fingerprint": 64}, {"fingerprint": 128}])
def test_the_text_of_a_kernel_is_written_once_and_again_when_damaged(
    kind: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model, cache, made = counting(tmp_path), tmp_path / "cache", list[str]()
    program = plan_program(model)
    kinds: list[dict[str, Any]] = [{"walks": True}, {"fingerprint": 64}, kind]
    texts = {str(options): generate_llvm(model, program, (), **options) for options in kinds}

    def count_calls(*given: Any, **options: Any) -> str:
        made.append("text")
        return generate_llvm(*given, **options)

    monkeypatch.setattr(native_kernels, "generate_llvm", count_calls)
    assert [kernel_text(model, program, (), cache, **kind) for _ in range(2)] == [texts[str(kind)]] * 2
    assert len(made) == 1
    (kept,) = cache.glob("*.ll")
    kept.write_bytes(kept.read_bytes()[:-9])
    assert kernel_text(model, program, (), cache, **kind) == texts[str(kind)]
    assert len(made) == 2
    other = next(candidate for candidate in kinds if candidate != kind)
    assert kernel_text(model, program, (), cache, **other) == texts[str(other)] != texts[str(kind)]
    assert kernel_text(model, program, (), None, **kind) == texts[str(kind)]


def test_a_kernel_cut_short_is_made_again(tmp_path: Path) -> None:
    model, cache = counting(tmp_path), tmp_path / "cache"
    cold = native(model, Search(cache=cache))
    (kept,) = cache.glob("*.o")
    kept.write_bytes(kept.read_bytes()[:-100])
    assert summary(native(model, Search(cache=cache))) == summary(cold)


def test_a_kernel_under_the_name_of_another_is_not_believed(tmp_path: Path) -> None:
    """Two kernels that change places: each is whole, and neither is what its name says."""
    cache, more = tmp_path / "cache", COUNTING.replace("+ 2 - 1", "+ 1").replace("< 3", "< 2")
    (tmp_path / "more").mkdir()
    models = counting(tmp_path), bind_text(tmp_path / "more", text_of(FIELDS, START, more, before=NODE))
    right = [summary(native(model, Search(cache=cache))) for model in models]
    one, other = sorted(cache.glob("*.o"))
    kept = one.read_bytes(), other.read_bytes()
    one.write_bytes(kept[1])
    other.write_bytes(kept[0])
    assert read_object(one) is None and read_object(other) is None
    assert [summary(native(model, Search(cache=cache))) for model in models] == right
    assert (one.read_bytes(), other.read_bytes()) == kept


def test_a_process_whose_files_changed_believes_no_kernel_and_is_not_believed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Code that was loaded before its files changed is not what a digest of the files says."""
    model, cache = counting(tmp_path), tmp_path / "cache"
    native(model, Search(cache=cache))
    kept = kernels(cache)
    monkeypatch.setattr(code_digest, "START_TIME", 0.0)
    engine_digest.cache_clear()
    try:
        assert native(model, Search(cache=cache)).verdict == "holds"
        assert len(kernels(cache) - kept) == 1
        engine_digest.cache_clear()
        native(model, Search(cache=cache))
        assert len(kernels(cache) - kept) == 2
    finally:
        monkeypatch.undo()
        engine_digest.cache_clear()
    native(model, Search(cache=cache))
    assert len(kernels(cache) - kept) == 2


def test_the_kernels_text_is_that_which_was_loaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    model = counting(tmp_path)

    def read_again(*_: object) -> str:
        """What the files say by now."""
        raise AssertionError("a file is read again")

    monkeypatch.setattr(inspect, "getsource", read_again)
    assert "define" in generate_llvm(model, plan_program(model), (), walks=True, fingerprint=64)


def test_a_cache_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.write_text("a file where the cache's folder should be")
    assert native(counting(tmp_path), Search(cache=blocked / "cache")).verdict == "holds"


def test_kernels_are_named_by_what_the_model_means(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for number, text in enumerate(
        (
            COUNTING,
            "# A comment.\n\n" + COUNTING,
            COUNTING.replace("'''Counts.'''", "'''Counts on.'''"),
            COUNTING.replace("+ 2 - 1", "+ 1"),
        )
    ):
        native(bind_text(tmp_path, text_of(FIELDS, START, text, before=NODE)), Search(cache=cache))
        assert len(kernels(cache)) == (1 if number < 3 else 2), "comments and sentences change nothing, the text does"
    native(counting(tmp_path, constants={"size": 3}), Search(cache=cache))
    assert len(kernels(cache)) == 3


def test_a_fault_has_another_kernel_than_a_step_of_the_protocol(tmp_path: Path) -> None:
    """What a limit stops is a way on, and that one more fault could happen is none: the code differs."""
    cache = tmp_path / "cache"
    for kind, outcome in (("", "none"), ('(kind="fault")', "deadlock")):
        text = COUNTING.replace("@action\ndef count", f"@action{kind}\ndef count")
        model = bind_text(tmp_path, text_of(FIELDS, START, text, before=NODE))
        assert native(model, Search(cache=cache)).outcome == outcome
    assert len(kernels(cache)) == 2


def test_one_kernel_serves_every_value_of_an_open_constant(tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    for size in (1, 2, 3):
        opened = native(counting(tmp_path, constants={"size": size}, open={"size"}), Search(cache=cache))
        folded = native(counting(tmp_path, constants={"size": size}), Search())
        assert summary(opened) == summary(folded)
    assert len(kernels(cache)) == 1


@pytest.mark.parametrize("triple", ["aarch64-unknown-linux-gnu", "arm64-apple-darwin"])
def test_a_kernel_is_code_for_arm_that_orders_memory_and_calls_nothing_else(triple: str) -> None:
    """ARM orders memory only where it is told to: each word that several workers share is loaded to acquire and stored
    to release. A name that is not in the kernel would have to be found on the machine that runs it."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    model = bind_shipped("leadership")
    module = llvm.parse_assembly(kernel_text(model, plan_program(model), (), None))
    module.triple = triple
    machine = llvm.Target.from_triple(triple).create_target_machine(cpu="generic", features="", opt=2, jit=True)
    text = machine.emit_assembly(module)
    assert {"ldar", "stlr", "ldaxr", "stlxr"} <= set(re.findall(r"^\s+(\w+)\s", text, re.MULTILINE))
    assert set(re.findall(r"\bbl\s+(\S+)", text)) <= set(re.findall(r"^(\S+):", text, re.MULTILINE))
