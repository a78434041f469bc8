"""The matrices of producers and consumers say what checks say. `TIDEGATE_UPDATE=1` writes all cells anew with
`pytest -m matrix`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from .client_matrices import MATRICES
from .conftest import ROOT

UPDATE = bool(os.environ.get("TIDEGATE_UPDATE"))
MARK = "<!-- matrix: written by the tests -->\n"
SAMPLE = {
    "producer-matrix": (("acks=all, two in flight", "a connection is lost"),),
    "consumer-matrix": (("automatic", "a crash"),),
}


def page(name: str) -> Path:
    return ROOT / "docs" / f"{name}.md"


@pytest.mark.parametrize(("name", "cell"), [(name, cell) for name, cells in SAMPLE.items() for cell in cells])
def test_a_sample_of_cells(name: str, cell: tuple[str, str], cache: Path) -> None:
    written = MATRICES[name].written(page(name).read_text(encoding="utf-8").partition(MARK)[2])
    assert list(written) == MATRICES[name].cells()
    assert MATRICES[name].found(*cell, cache) == written[cell]


@pytest.mark.matrix
@pytest.mark.parametrize("name", MATRICES)
def test_every_cell(name: str, cache: Path) -> None:
    head, mark, table = page(name).read_text(encoding="utf-8").partition(MARK)
    matrix = MATRICES[name]
    made = matrix.text({cell: matrix.found(*cell, cache) for cell in matrix.cells()})
    if UPDATE:
        page(name).write_text(head + mark + "\n" + made, encoding="utf-8")
    else:
        assert made == table.lstrip("\n")
