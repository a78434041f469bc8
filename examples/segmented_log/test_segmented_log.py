"""The model drives the program: `pytest examples/segmented_log` (with `pip install '.[test]'` in the clone)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from segmented_log import SegmentedLog
from tidegate.language.binding import load
from tidegate.language.values import State
from tidegate.testing import state_machine

model = load(Path(__file__).with_name("replica_log.py")).bind()
end_of = model.namespace["end_of"]


def agree(state: Any, log: SegmentedLog) -> None:
    """The same records, and the same answer to every OffsetsForLeaderEpoch request."""
    assert log.records() == list(state.log)
    for epoch in range(state.epoch + 1):
        assert log.end_of(epoch) == end_of(state, epoch), f"where epoch {epoch} ends"


def correct(_: State) -> SegmentedLog:
    """A log as it should be."""
    return SegmentedLog()


TestSegmentedLog = state_machine(model, correct, agree).TestCase
