"""The log of one replica: records with the epoch of the leader that wrote them, cut where a new leader's differs.

What any implementation must do, in the few lines that say it: `segmented_log.py` beside it is one, and
`test_segmented_log.py` compares the two.
"""

from __future__ import annotations

from typing import Annotated

from tidegate.language import Capacity, Range, Seq, action, constant, initial, invariant, limit, require, state

size = constant(6, minimum=1, maximum=20, says="records that the log has room for")
epochs = constant(4, minimum=1, maximum=20, says="leader epochs")

Epoch = Annotated[int, Range(0, epochs)]
Offset = Annotated[int, Range(0, size)]


@state
class Replica:
    """A replica's log."""

    epoch: Epoch  # the leader epoch it is in
    log: Annotated[Seq[Epoch], Capacity(size)]  # of each record, the epoch it was written in


@initial
def start() -> Replica:
    """An empty log."""
    return Replica(epoch=0, log=Seq())


@action
def append(s: Replica) -> None:
    """A record is appended at offset {len(s.log)}, in epoch {s.epoch}."""
    limit(len(s.log) < size)
    s.log.append(s.epoch)


@action
def begin_epoch(s: Replica) -> None:
    """Epoch {s.epoch + 1} begins."""
    limit(s.epoch < epochs)
    s.epoch += 1


@action
def truncate(s: Replica, end: Offset) -> None:
    """The log is cut at offset {end}."""
    require(end < len(s.log))
    s.log.truncate(end)


def end_of(s: Replica, epoch: int) -> int:
    """Where an epoch ends in the log: the offset after its last record, or after the last of an earlier epoch."""
    return max((o + 1 for o in range(len(s.log)) if s.log[o] <= epoch), default=0)


@invariant
def epochs_never_decrease(s: Replica) -> bool:
    """Later records are of later epochs, or of the same."""
    return all(s.log[o] <= s.log[o + 1] for o in range(len(s.log) - 1))
