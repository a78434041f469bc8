"""The machine that functions of the kernel are written for.

Also of: `program`.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer.native.effort import FULL_EFFORT, ROLLED_EFFORT
from tidegate.explorer.native.program import generate_llvm, merge_numbers, plan_program
from tidegate.invariants.catalogue import find

from ...support.native import counting
from ...support.shipped import bind_shipped


def test_parts_of_the_kernel_that_name_cells_alike_are_refused() -> None:
    assert merge_numbers({"A": 1}, {"B": 2}, {"A": 1}) == {"A": 1, "B": 2}
    with pytest.raises(ValueError, match="two parts of the kernel name cells alike: A, C"):
        merge_numbers({"A": 1, "C": 3}, {"A": 2, "B": 2, "C": 4})


def test_a_function_of_the_kernel_is_written_out_once_in_a_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kernels of other models share it only where the numbers and the functions that it names are the same."""
    models = [counting(tmp_path), counting(tmp_path, open={"size"}), bind_shipped("async_isr")]
    ways: list[dict[str, Any]] = [{"walks": True}, {"fingerprint": 64}, {"masks": [3]}]
    asked = [(model, plan_program(model), way) for way in ways for model in models]

    def written_functions(kept: dict[Any, str], most: int) -> list[str]:
        monkeypatch.setattr("tidegate.explorer.native.machine._TEXTS", kept)
        monkeypatch.setattr("tidegate.explorer.native.machine.MAX_KEPT_FUNCTIONS", most)
        return [generate_llvm(model, program, (), **way) for model, program, way in asked]

    kept: dict[Any, str] = {}
    apart, together, again = written_functions({}, 0), written_functions(kept, 1000), written_functions(kept, 0)
    assert together == apart and again == apart
    functions = sum(text.count("\ndefine ") for text in apart)
    assert 0 < len(kept) < functions / 3


def test_what_would_be_too_long_is_not_written_out(tmp_path: Path) -> None:
    definition, profile = find("replication:kip320")
    model = definition.bind("replication", {"replicas": 3}, profile)
    short = replace(FULL_EFFORT, instructions=100)
    full, less, rolled = (
        len(generate_llvm(model, plan_program(model), (), effort=effort))
        for effort in (FULL_EFFORT, short, ROLLED_EFFORT)
    )
    assert rolled <= less < full
