"""The matrices of producers and consumers say what checks say. `TIDEGATE_UPDATE=1` writes all cells anew with
`pytest -m matrix`, which looks at each; other runs look at one of each matrix, and at some that a seed chooses."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from ..conftest import ROOT
from ..support.client_matrices import MATRICES

UPDATE = bool(os.environ.get("TIDEGATE_UPDATE"))
MARK = "<!-- matrix: written by the tests -->\n"
SAMPLE = {
    "producer-matrix": ("acks=all, two in flight", "a connection is lost"),
    "consumer-matrix": ("automatic", "a crash"),
}
SEED, DRAWN, DRAWN_LONG = int(os.environ.get("TIDEGATE_SEED", "22")), 1, 8
"""Besides one cell of each matrix so many are drawn; the long tier draws more, and another TIDEGATE_SEED others."""


def page(name: str) -> Path:
    return ROOT / "docs" / f"{name}.md"


def draw_cells(name: str, count: int = DRAWN) -> list[tuple[str, str]]:
    """Cells of a matrix: one that is chosen, and some that the seed chooses."""
    others = [cell for cell in MATRICES[name].cells() if cell != SAMPLE[name]]
    return [SAMPLE[name], *random.Random(f"{SEED} {name}").sample(others, count)]


@pytest.mark.parametrize(("name", "cell"), [(name, cell) for name in SAMPLE for cell in draw_cells(name)])
def test_a_sample_of_cells(name: str, cell: tuple[str, str], cache: Path) -> None:
    written = MATRICES[name].cells_of_text(page(name).read_text(encoding="utf-8").partition(MARK)[2])
    assert list(written) == MATRICES[name].cells()
    assert MATRICES[name].explore_cell(*cell, cache) == written[cell]


@pytest.mark.long
@pytest.mark.parametrize(("name", "cell"), [(name, cell) for name in SAMPLE for cell in draw_cells(name, DRAWN_LONG)])
def test_a_larger_sample_of_cells(name: str, cell: tuple[str, str], cache: Path) -> None:
    written = MATRICES[name].cells_of_text(page(name).read_text(encoding="utf-8").partition(MARK)[2])
    assert MATRICES[name].explore_cell(*cell, cache) == written[cell]


@pytest.mark.matrix
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("name", MATRICES)
def test_every_cell(name: str, cache: Path) -> None:
    head, mark, table = page(name).read_text(encoding="utf-8").partition(MARK)
    matrix = MATRICES[name]
    made = matrix.text({cell: matrix.explore_cell(*cell, cache) for cell in matrix.cells()})
    if UPDATE:
        page(name).write_text(head + mark + "\n" + made, encoding="utf-8")
    else:
        assert made == table.lstrip("\n")
