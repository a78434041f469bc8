"""Which records a lane lacks where a property fails: a red cell in the picture, at the offset where the record was.

Of a lane whose log makes the property false these are the records that were below a high watermark, or that the
property's witness names by its `id`, and that are not in this log. A record that the lane had is missed since the step
that took it; one that it never had, since the property fails.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, cast

from ..language.lanes import LaneNames, LogLanes, TransactionLanes
from ..language.model import Model
from ..language.values import Map, Seq, State
from ..language.verdict import Run
from .picture import Picture, UndrawableError
from .wording import is_number

Document = dict[str, Any]

MAX_RECORDS = 8
"""Records that are shown as lost in one lane."""


def cells_missing_records(
    model: Model, run: Run, state_number: int, reads: Collection[str], witness: Mapping[str, Any]
) -> list[Document]:
    """The cells that are missed in state `state_number` of a run, each with the step since which it is. `reads` are the
    cells that make a property false, `witness` what its quantifiers stand for. Lanes of transactions lack nothing of
    each other: their logs are no replicas."""
    view = model.view
    if not isinstance(view, LogLanes) or isinstance(view, TransactionLanes) or not view.log.isidentifier():
        return []
    states, names = run.states()[: state_number + 1], LaneNames(model)
    known = dict(_promised_records(states, view, witness.get("id")))
    rows: list[Document] = []
    for lane, log in _logs_in_state(states[-1], view):
        if f"{view.log}[{lane!r}]" in reads:
            missed = [(offset, entry) for (offset, entry) in known if not _is_in_log(log, offset, entry)]
            rows += [
                _cell_missing_record(model, view, names[lane], one, _step_of_loss(states, view, lane, one))
                for one in missed[:MAX_RECORDS]
            ]
    return rows


def _logs_in_state(state: State, view: LogLanes) -> Iterator[tuple[Any, Seq[Any]]]:
    held: Any = getattr(state, view.log, None)
    for lane, log in cast("Map[Any, Any]", held).items() if isinstance(held, Map) else ():
        if isinstance(log, Seq):
            yield lane, cast("Seq[Any]", log)


def _promised_records(states: Sequence[State], view: LogLanes, id_: Any) -> Iterator[tuple[tuple[int, Any], None]]:
    """The records that were counted on, with their offsets."""
    for state in states:
        marks: Any = getattr(state, view.high_watermark, None) if view.high_watermark.isidentifier() else None
        for lane, log in _logs_in_state(state, view):
            high = cast("Map[Any, Any]", marks)[lane] if isinstance(marks, Map) else 0
            for offset, entry in enumerate(log):
                is_named = is_number(id_) and getattr(entry, "id", None) == id_
                if is_named if is_number(id_) else is_number(high) and offset < high:
                    yield (offset, entry), None


def _is_in_log(log: Seq[Any], offset: int, entry: Any) -> bool:
    id_ = getattr(entry, "id", None)
    if id_ is not None and any(getattr(held, "id", None) == id_ for held in log):
        return True
    return offset < len(log) and log[offset] == entry


def _step_of_loss(states: Sequence[State], view: LogLanes, lane: Any, missed_record: tuple[int, Any]) -> int:
    """The step that took a record from a lane; the last one where it never had it."""
    had = [_is_in_log(dict(_logs_in_state(state, view))[lane], *missed_record) for state in states]
    return next((step for step in range(len(states) - 1, 0, -1) if had[step - 1]), len(states) - 1)


def _cell_missing_record(
    model: Model, view: LogLanes, lane: str, missed_record: tuple[int, Any], since: int
) -> Document:
    offset, entry = missed_record
    try:
        text = Picture(model, view).text_of(entry)
    except UndrawableError:
        text = "?"
    return {"lane": lane, "offset": offset, "text": text, "since": since}
