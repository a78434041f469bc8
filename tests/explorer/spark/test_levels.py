"""Level files and tables: what is damaged or gone is an error, and no count changes without a word.

Also of: `fingerprints`, `job`.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer.search import Search
from tidegate.explorer.spark.fingerprints import OFFSET
from tidegate.explorer.spark.job import DamagedRunError, Job
from tidegate.explorer.spark.levels import level_path
from tidegate.explorer.spark.step import BLOCK, TRAILER
from tidegate.language.model import Model
from tidegate.language.verdict import Verdict

from ...support.shards import Loop, StateRow, run_in_loop
from ...support.shipped import tier_parameters


def lose_row(kind: int) -> Any:
    """Loses the first row of a kind on its way to level 6."""

    def spoil(level: int, rows: list[StateRow]) -> list[StateRow]:
        lost = next((row for row in rows if row[1] == kind), None) if level == 6 else None
        return [row for row in rows if row is not lost]

    return spoil


@pytest.mark.parametrize("kind", [BLOCK, TRAILER])
def test_a_lost_row_is_an_error(kip320: Model, tmp_path: Path, cache: Path, kind: int) -> None:
    with pytest.raises(DamagedRunError, match=r"level 6 of shard \d: sent \[.*\], received \[.*\], from each shard"):
        run_in_loop(kip320, tmp_path, Search(cache=cache), Loop(spoil=lose_row(kind)))


def empty_file(path: Path) -> None:
    path.write_bytes(b"")


def shorten_file(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-9])


def change_file(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1] + b"?")


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (Path.unlink, "the file is missing"),
        (empty_file, "the file is empty"),
        (shorten_file, "its size is not that of"),
        (change_file, "its checksum is wrong"),
    ],
)
def test_a_damaged_level_file_is_an_error(
    kip320: Model, tmp_path: Path, cache: Path, damage: Callable[[Path], None], says: str
) -> None:
    def spoil(job: Job, level: int) -> None:
        path = level_path(job.folder, 6, 1)
        if level == 6 and path.exists():
            damage(path)

    with pytest.raises(DamagedRunError, match=says):
        run_in_loop(kip320, tmp_path, Search(cache=cache), Loop(before=spoil))


@pytest.mark.parametrize("seed", tier_parameters(range(6), lambda seed: seed < 2))
def test_a_byte_that_flips_in_a_table_never_changes_the_count(
    kip320: Model, native_verdict: Verdict, tmp_path: Path, cache: Path, seed: int
) -> None:
    """As on a machine whose memory or disk is faulty: either the count is exact or the run ends."""
    draw = random.Random(seed)

    def spoil(job: Job, level: int) -> None:
        for path in sorted(job.tables.glob("*.seen")):
            data = bytearray(path.read_bytes())
            held = [at for at in range(OFFSET, len(data)) if data[at]]
            if level == 5 + seed and held:
                data[draw.choice(held)] ^= 1 << draw.randrange(8)
                with path.open("r+b") as file:
                    file.write(data)

    counted: int | None = None
    with suppress(DamagedRunError):
        counted = run_in_loop(kip320, tmp_path, Search(cache=cache), Loop(before=spoil)).distinct_states
    assert counted in (None, native_verdict.distinct_states)


def test_a_file_that_is_gone_at_the_end_is_an_error(kip320: Model, tmp_path: Path, cache: Path) -> None:
    def spoil(job: Job, level: int) -> None:
        if level > 6:
            level_path(job.folder, 3, 0).unlink(missing_ok=True)

    with pytest.raises(DamagedRunError, match=r"L00003/s00000\.states: the file is missing"):
        run_in_loop(kip320, tmp_path, Search(cache=cache), Loop(before=spoil))
