"""The messages of a run, from sending to arrival: what comes into the pools of records, is handled, and goes.

Nothing is declared: a member of a pool that a step is given as an argument is received by it (lost, or duplicated, if
the step is a fault), one that comes is sent. Who sends to whom is read off the record's fields by their names.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, cast

from ..language import types
from ..language.kinds import Domain
from ..language.lanes import LaneNames
from ..language.model import Action, Model
from ..language.records import SetBox
from ..language.values import Bag, Set, State, field_names, value_text
from ..language.verdict import Run
from .differences import to_json

Document = dict[str, Any]

_SOURCES = ("source", "sender", "src", "from_", "origin")
_TARGETS = ("to", "target", "destination", "dest", "dst", "receiver", "recipient")
_KINDS = ("kind", "type", "type_")


class MessageLog:
    """What was in the pools: `messages` one by one, and `events` by step."""

    def __init__(self, model: Model, run: Run, lanes: Sequence[str | None]) -> None:
        """`lanes` says whose each step is."""
        self.names = LaneNames(model)
        self.pools = [field.name for field in model.fields if _is_message_pool(field.type)]
        self.messages: list[Document] = []
        self.events: list[list[Document]] = []
        self._flying: dict[tuple[str, Any], list[int]] = {}
        for pool in self.pools:
            for record in getattr(run.start, pool):
                self._note_sending(pool, record, 0)
        for number, (before, step) in enumerate(zip(run.states(), run.steps, strict=False), 1):
            self.events.append([])
            action = model.action(step.action)
            self._follow_step(action, step.arguments, before, step.state_after, number, lanes[number - 1])

    def _follow_step(
        self,
        action: Action,
        arguments: Mapping[str, Any],
        previous_state: State,
        next_state: State,
        number: int,
        lane: str | None,
    ) -> None:
        gone = {pool: _message_counts(previous_state, pool) - _message_counts(next_state, pool) for pool in self.pools}
        come = {pool: _message_counts(next_state, pool) - _message_counts(previous_state, pool) for pool in self.pools}
        fault = action.kind == "fault"
        for parameter in action.form.parameters:
            if parameter.pool in gone:
                record = arguments[parameter.name]
                leaves = gone[parameter.pool][record] > 0
                gone[parameter.pool] -= Counter([record])
                if not fault:
                    self._note_receipt(parameter.pool, record, number, lane, leaves=leaves)
                elif leaves:
                    self._note_end(parameter.pool, record, number, "lost")
        for pool in self.pools:
            for record in gone[pool].elements():
                self._note_end(pool, record, number, "lost" if fault else "removed")
            for record in come[pool].elements():
                copied = fault and bool(self._flying.get((pool, record)))
                made = self._note_sending(pool, record, number, copy=copied)
                self._add_event("duplicated" if copied else "sent", made)

    def _add_event(self, event: str, number: int) -> None:
        self.events[-1].append({"event": event, "id": number})

    def _note_sending(self, pool: str, record: Any, step: int, *, copy: bool = False) -> int:
        made = len(self.messages)
        self._flying.setdefault((pool, record), []).append(made)
        self.messages.append({
            "id": made,
            "pool": pool,
            "name": _message_name(record),
            "text": value_text(record),
            "record": to_json(record),
            "source": self._lane_in_fields(record, _SOURCES),
            "to": self._lane_in_fields(record, _TARGETS),
            "sent": step,
            "received": [],
            "ended": None,
            "end": "in flight",
            "copy": copy,
        })  # fmt: skip
        return made

    def _note_receipt(self, pool: str, record: Any, step: int, lane: str | None, *, leaves: bool) -> None:
        flying = self._flying.get((pool, record), [])
        if flying:
            message = self.messages[flying[0]]
            message["received"].append({"step": step, "lane": message["to"] or lane})
            self._add_event("received", flying[0])
            if leaves:
                message |= {"ended": step, "end": "received"}
                flying.pop(0)

    def _note_end(self, pool: str, record: Any, step: int, end: str) -> None:
        flying = self._flying.get((pool, record), [])
        if flying:
            number = flying.pop(0)
            self.messages[number] |= {"ended": step, "end": end}
            self._add_event(end, number)

    def _lane_in_fields(self, record: Any, names: Sequence[str]) -> str | None:
        """The lane that one of these fields names."""
        values = (getattr(record, name, None) for name in names)
        return next((self.names[value] for value in values if isinstance(value, Domain)), None)


def _is_message_pool(type_: types.Type) -> bool:
    """Whether it is a pool of records of the author's own: sets of tuples and of sets are pools too."""
    return isinstance(type_, types.Pool) and type_.of.python not in (tuple, SetBox)


def _message_counts(state: State, pool: str) -> Counter[Any]:
    return Counter(cast("Set[Any] | Bag[Any]", getattr(state, pool)))


def _message_name(record: Any) -> str:
    """A message's kind, where it says it; else what kind of record it is."""
    for name in field_names(cast("type[Any]", type(record))):
        value = getattr(record, name)
        if name in _KINDS and isinstance(value, Enum):
            return value.name.lower().replace("_", " ")
    return type(record).__name__
