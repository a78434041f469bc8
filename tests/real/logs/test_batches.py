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
    """Each bit of each batch's length: it seemed to be the end of a segment that is being written. What is before the
    batch that comes before it is read as it is, and is left out here."""
    data, begins = path.read_bytes(), places(path)
    for number, begin in enumerate(begins[:-1]):
        start = begins[max(0, number - 1)]
        for bit in range(32):
            with pytest.raises(UsageError, match="damaged"):
                find_whole_part(path, flip_bit(data[start:], begin - start + 8 + bit // 8, bit % 8), METADATA)


def test_the_last_batch_is_no_end_where_all_of_it_is_there(tmp_path: Path) -> None:
    data, begins = STANDING.read_bytes(), places(STANDING)
    with pytest.raises(UsageError, match="is whole with fewer"):
        read_metadata_log(write(tmp_path, flip_bit(data, begins[-2] + 10, 2)))


def test_a_batch_is_no_longer_than_one_may_be(tmp_path: Path) -> None:
    data, begins = STANDING.read_bytes(), places(STANDING)
    with pytest.raises(UsageError, match="no batch is so long or so short"):
        read_metadata_log(write(tmp_path, flip_bit(data, begins[-2] + 8, 3)[:-1]))


@pytest.mark.parametrize("path", SEGMENTS, ids=lambda path: path.stem)
def test_what_was_cut_while_it_was_written_ends_with_its_last_whole_batch(path: Path) -> None:
    """A part of a batch at the end, or the zeros of a file system, are left out; nothing before is."""
    data = path.read_bytes()
    whole = find_whole_part(path, data, METADATA)
    assert (whole.size, whole.note) == (len(data), None)
    last, end = places(path)[-2:]
    for kept in (end - 1, last + 20):
        cut = find_whole_part(path, data[:kept], METADATA)
        assert cut.size == last and cut.note is not None and "no whole batch" in cut.note
    zeros = find_whole_part(path, data + bytes(1000), METADATA)
    assert zeros.size == end and zeros.note is not None and "the last 1000 bytes are zeros" in zeros.note
