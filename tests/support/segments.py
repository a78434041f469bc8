"""What the tests of segments share: recorded segments, and damage to them."""

from __future__ import annotations

import struct
from functools import cache
from pathlib import Path

from ..conftest import ROOT

NAME = "00000000000000000000.log"


FOLDERS = ROOT / "examples" / "histories", ROOT / "tests" / "fixtures" / "histories"


SEGMENTS = sorted(path for folder in FOLDERS for path in folder.glob("*.log"))


STANDING = FOLDERS[0] / "last_replica_standing.log"


@cache
def places(path: Path) -> list[int]:
    """Where the batches of a segment begin, and where the last ends."""
    data, at = path.read_bytes(), [0]
    while at[-1] < len(data):
        at.append(at[-1] + 12 + struct.unpack_from(">i", data, at[-1] + 8)[0])
    return at


def write(folder: Path, data: bytes) -> Path:
    path = folder / NAME
    path.write_bytes(data)
    return path


def flip_bit(data: bytes, at: int, bit: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]
