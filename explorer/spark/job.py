"""What a task must know of a run: a value that can be pickled, made by the driver."""

from __future__ import annotations

from pathlib import Path

from ...language.errors import UsageError
from ...language.immutable import immutable

BLOCK_BYTES = 1 << 18
"""Bytes from which a block is sent; fewer when there are many shards, so that their blocks fit in memory. Smaller ones
cost more of Spark's time each, and larger ones no less."""
BLOCKS_BYTES_MAX = 1 << 26


class DamagedRunError(UsageError):
    """A file of the run directory is missing, short or another run's, or a count does not add up. Never ignored: a
    search that went on would count fewer states than there are."""


@immutable
class Job:
    """A run and where it keeps its files. All numbers but the masks are fixed for the run.

    `words` are those of a state, `finger` those of a fingerprint; `cells` is the size of the kernel's context,
    `counters` where its coverage counters begin, `slots` its buffer's size; `opens` gives the cells of open constants
    their values. `kernel` names the compiled code. `check`, `seek` and `watch` are the properties still open, a bit
    each; `deadlocks` says whether deadlocks are looked for.
    """

    folder: Path
    run: str
    scratch: Path
    kernel: str
    shards: int
    words: int
    finger: int
    cells: int
    counters: int
    slots: int
    opens: tuple[tuple[int, int], ...]
    transitions: int
    check: int = 0
    seek: int = 0
    watch: int = 0
    deadlocks: bool = True

    @property
    def block_states(self) -> int:
        """States from which a block is sent."""
        return max(256, min(BLOCK_BYTES, BLOCKS_BYTES_MAX // self.shards) // (8 * self.words + 4))

    @property
    def tables(self) -> Path:
        """Where a machine keeps the shards' tables of this run."""
        return self.scratch / f"tidegate-{self.run}"
