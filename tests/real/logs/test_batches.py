"""Batches of a segment: where one ends, and what no length hides."""

from __future__ import annotations

from pathlib import Path

import pytest
from tidegate.language.errors import UsageError
from tidegate.real.logs.batches import METADATA, find_whole_part
from tidegate.real.logs.metadata_log import read_metadata_log

from ...support.segments import SEGMENTS, STANDING, flip_bit, places, write


@pytest.mark.parametrize("path", SEGMENTS, ids=lambda path: path.stem)
def test_a_length_that_is_wrong_hides_no_batch(tmp_path: Path, path: Path) -> None:
    """Each bit of each batch's length: it seemed to be the end of a segment that is being written."""
    data = path.read_bytes()
    for begins in places(path)[:-1]:
        for bit in range(32):
            with pytest.raises(UsageError, match="damaged"):
                find_whole_part(path, flip_bit(data, begins + 8 + bit // 8, bit % 8), METADATA)


def test_the_last_batch_is_no_end_where_all_of_it_is_there(tmp_path: Path) -> None:
    data, begins = STANDING.read_bytes(), places(STANDING)
    with pytest.raises(UsageError, match="is whole with fewer"):
        read_metadata_log(write(tmp_path, flip_bit(data, begins[-2] + 10, 2)))


def test_a_batch_is_no_longer_than_one_may_be(tmp_path: Path) -> None:
    data, begins = STANDING.read_bytes(), places(STANDING)
    with pytest.raises(UsageError, match="no batch is so long or so short"):
        read_metadata_log(write(tmp_path, flip_bit(data, begins[-2] + 8, 3)[:-1]))
