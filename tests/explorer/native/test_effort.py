"""Efforts of the compiler: every one finds the same."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from tidegate.explorer.native.effort import FULL_EFFORT, QUICK_EFFORT, ROLLED_EFFORT
from tidegate.explorer.native.kernels import kernel_of
from tidegate.explorer.native.search import check as native
from tidegate.explorer.native.search import explore
from tidegate.explorer.search import Progress, Search
from tidegate.explorer.symmetry import Symmetry, symmetry_of
from tidegate.invariants.catalogue import find

from ...support.engines import summary
from ...support.native import kernels
from ...support.shipped import tiered_rows

OF_A_PARTITION = {"replicas": 2, "log_size": 2, "max_records": 1, "power_losses": 1}


@pytest.mark.parametrize(
    ("name", "constants", "symmetric"),
    [
        ("replication:kip320", {"replicas": 2}, False),
        pytest.param("partition:kafka_2_8", OF_A_PARTITION, False, marks=pytest.mark.long),
        pytest.param("partition:kafka_2_8", OF_A_PARTITION, True, marks=pytest.mark.long),
    ],
)
def test_every_effort_finds_the_same(name: str, constants: dict[str, int], symmetric: bool, tmp_path: Path) -> None:
    definition, profile = find(name)
    model = definition.bind(name, constants, profile)
    symmetry = symmetry_of(model) if symmetric else Symmetry((), ())
    made = [
        kernel_of(model, symmetry.domains, tmp_path, effort=effort)
        for effort in (FULL_EFFORT, QUICK_EFFORT, ROLLED_EFFORT)
    ]
    assert len(kernels(tmp_path)) == len({kernel.binary for kernel in made}) == 3
    full, quick, rolled = (summary(explore(model, Search(keep_going=True), kernel, symmetry)) for kernel in made)
    assert quick == full
    assert rolled == full


@pytest.mark.parametrize(("long", "workers"), tiered_rows(product([0, 40, 5_000], [1, 2]), lambda row: row == (40, 2)))
def test_a_long_search_goes_on_with_the_fast_kernel(
    long: int, workers: int, tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidegate.explorer.native.search.LONG_SEARCH", long)
    monkeypatch.setattr("tidegate.explorer.native.search.FIRST_SLICE", 1000)
    monkeypatch.setattr("tidegate.explorer.native.workers.STATES_FOR_ONE_WORKER", 100)
    definition, profile = find("replication:kip320")
    model = definition.bind("replication", {"replicas": 2, "max_leader_epoch": 2}, profile)
    said, search = list[str](), Search(workers=workers, cache=tmp_path)

    def hear(progress: Progress) -> None:
        said.extend([progress.says] * progress.is_due)

    verdict = native(model, search, hear)
    assert said == ["compiling"] * 2 and len(kernels(tmp_path)) == 2
    symmetry = Symmetry((), ())
    assert summary(verdict) == summary(explore(model, search, kernel_of(model, (), cache), symmetry))
    said.clear()
    assert summary(native(model, search, hear)) == summary(verdict)
    assert said == ["compiling"], "the fast kernel is at hand from the beginning"
