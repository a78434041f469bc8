"""A segment that is damaged is refused; one that ends as a loss of power or a copy leaves it is read up to there."""

from __future__ import annotations

import itertools
import random
import struct
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tidegate.language.errors import UsageError
from tidegate.real.logs.batches import METADATA, PARTITION, find_whole_part
from tidegate.real.logs.metadata_log import MetadataLog, read_metadata_log
from tidegate.real.logs.segments import read_epochs

from ...conftest import Run
from ...support.segments import NAME, SEGMENTS, STANDING, flip_bit, places, write

OF_POWER = "zeros, as a loss of power leaves them"


Damage = Callable[[bytes], bytes]


@cache
def entries_of(path: Path) -> MetadataLog:
    return read_metadata_log(path)


@st.composite
def damaged_segments(draw: st.DrawFn) -> tuple[Path, bytes, int]:
    """A segment, its bytes with something wrong in their midst, and where that begins."""
    path = draw(st.sampled_from(SEGMENTS))
    data, begins = path.read_bytes(), places(path)[:-1]
    place = draw(st.one_of(st.integers(0, len(data) - 1), st.sampled_from(begins).map(lambda at: at + 8)))
    size = draw(st.integers(1, 1200))
    chance = random.Random(draw(st.integers(0, 1000)))
    kind = draw(st.sampled_from(("flip", "length", "hole", "noise", "gone", "twice")))
    match kind:
        case "flip":
            other = flip_bit(data, place, chance.randrange(8))
        case "length":
            place = chance.choice(begins) + 8 + chance.randrange(4)
            other = flip_bit(data, place, chance.randrange(8))
        case "hole":
            other = data[:place] + bytes(len(data[place : place + size])) + data[place + size :]
        case "noise":
            other = data[:place] + chance.randbytes(len(data[place : place + size])) + data[place + size :]
        case "gone":
            other = data[:place] + data[place + size :]
        case _:
            other = data[:place] + data[max(place - size, 0) :]
    return path, other, place


@given(damaged_segments())
def test_no_damage_hides_a_batch_that_is_there(made: tuple[Path, bytes, int]) -> None:
    """It is refused; or what is read is a beginning, with a note where anything is left out, and nothing that is left
    out has a whole batch of the segment."""
    path, data, place = made
    with tempfile.TemporaryDirectory() as folder:
        try:
            log = read_metadata_log(write(Path(folder), data))
        except UsageError:
            return
    whole = entries_of(path).entries
    assert log.entries == whole[: len(log.entries)]
    original, begins = path.read_bytes(), places(path)
    size = find_whole_part(path, data, METADATA).size
    assert size in begins and (size == len(data)) == (log.notes == ())
    if log.notes == ():
        assert size in (place, len(original))
    for first, end in itertools.pairwise(begins):
        assert end <= size or original[first:end] not in data[size:]


@given(st.sampled_from(SEGMENTS), st.integers(0), st.integers(1, 9000))
def test_what_a_loss_of_power_leaves_is_read_up_to_there(path: Path, sector: int, zeros: int) -> None:
    """Whole sectors of a segment, and zeros after them."""
    data = path.read_bytes()
    cut = sector % (len(data) // 512 + 1) * 512
    with tempfile.TemporaryDirectory() as folder:
        part = find_whole_part(write(Path(folder), data[:cut] + bytes(zeros)), data[:cut] + bytes(zeros), METADATA)
    wanted = max(at for at in places(path) if at <= cut)
    # The last bytes of a batch are zeros: with those after the cut it may be whole.
    assert part.size == wanted or data[cut : part.size].strip(b"\0") == b""
    assert part.note is None or OF_POWER in part.note


def test_damage_before_whole_batches_is_said(tidegate: Run, tmp_path: Path) -> None:
    data, begins = STANDING.read_bytes(), places(STANDING)
    done = tidegate("validate", str(write(tmp_path, flip_bit(data, begins[9] + 9, 4))))
    said = " ".join(done.err.split())
    assert done.exit == 64
    assert f"byte {begins[9]}, is damaged: it is not whole, and another batch follows" in said
    assert f"byte {begins[10]}. What follows may be what matters: give a whole copy" in said


def test_zeros_at_the_end_are_left_out(tidegate: Run, tmp_path: Path) -> None:
    data = STANDING.read_bytes()
    log = read_metadata_log(write(tmp_path, data + bytes(4096)))
    assert log.entries == read_metadata_log(STANDING).entries
    assert f"the last 4096 bytes are {OF_POWER}, and are left out: it is read up to offset" in log.notes[0]
    done = tidegate("validate", str(tmp_path))
    assert (done.exit, "note:" in done.out) == (0, True)


def test_zeros_within_a_batch_that_go_on_to_the_end_are_left_out(tmp_path: Path) -> None:
    data = STANDING.read_bytes()
    log = read_metadata_log(write(tmp_path, data[:2048] + bytes(len(data) - 2048 + 4096)))
    assert f"no whole batch, and from byte 2048 on {OF_POWER}" in log.notes[0]
    assert log.entries == read_metadata_log(STANDING).entries[: len(log.entries)]


def test_zeros_and_more_batches_are_refused(tmp_path: Path) -> None:
    data, begins = STANDING.read_bytes(), places(STANDING)
    hole = bytes(begins[20] - begins[10])
    with pytest.raises(UsageError, match=f"damaged.*another batch follows, at offset \\d+, byte {begins[20]}"):
        read_metadata_log(write(tmp_path, data[: begins[10]] + hole + data[begins[20] :]))


def test_an_empty_segment_states_what_was_before_it(tmp_path: Path) -> None:
    data, begins = STANDING.read_bytes(), places(STANDING)
    (first,) = struct.unpack_from(">q", data, begins[-2])
    write(tmp_path, data[: begins[-2]] + bytes(512))
    (tmp_path / f"{first:020d}.log").touch()
    assert OF_POWER in read_metadata_log(tmp_path).notes[0]
    write(tmp_path, data[: begins[-3]] + bytes(512))
    with pytest.raises(UsageError, match=r"are missing before it, which its name states"):
        read_metadata_log(tmp_path)


def test_a_snapshot_that_ends_after_its_header_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "00000000000000000000-0000000001.checkpoint"
    path.write_bytes(STANDING.read_bytes()[: places(STANDING)[1]])
    shorter = tmp_path / NAME
    shorter.write_bytes(STANDING.read_bytes())
    with pytest.raises(UsageError, match="the snapshot is not whole: it has no footer"):
        read_metadata_log(path)


# --- printed logs -----------------------------------------------------------------------------------------------------
def test_a_printed_log_may_end_in_zeros_and_has_none_in_its_midst(tmp_path: Path) -> None:
    path, text = tmp_path / "metadata.txt", STANDING.with_suffix(".txt").read_text("utf-8")
    path.write_text(text + "\0" * 300, "utf-8")
    assert f"the last 300 bytes are {OF_POWER}" in read_metadata_log(path).notes[0]
    place = text.rindex("\nbaseOffset")
    path.write_text(text[:place] + "\0" * 300 + text[place + 300 :], "utf-8")
    with pytest.raises(UsageError, match="it is damaged: zeros are in its midst"):
        read_metadata_log(path)


# --- brokers' own segments --------------------------------------------------------------------------------------------
def test_segments_of_a_broker_end_alike(tmp_path: Path) -> None:
    data, begins = STANDING.read_bytes(), places(STANDING)
    write(tmp_path, data)
    whole = read_epochs(tmp_path)
    write(tmp_path, data + bytes(4096))
    assert read_epochs(tmp_path) == whole
    write(tmp_path, flip_bit(data, begins[5] + 9, 4))
    with pytest.raises(UsageError, match="is damaged: it is not whole, and another batch follows"):
        read_epochs(tmp_path)
    write(tmp_path, flip_bit(data, begins[5] + 14, 1))
    with pytest.raises(UsageError, match="it is damaged: after offset"):
        read_epochs(tmp_path)
    assert find_whole_part(tmp_path, data, PARTITION).size == len(data)
