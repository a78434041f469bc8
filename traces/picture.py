"""The picture of a run: what each lane of the model's `view` shows in each state, so that reports only draw.

A frame holds the lanes that differ from the frame before, in full; and in `lane_marks` what the step changed in them,
which is gone in the next state.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Any, Protocol

from ..language.effort import Effort, EffortExceededError, counted_range
from ..language.kinds import Domain
from ..language.lanes import GroupLanes, LaneNames, LogLanes, TransactionLanes, View, domain_members
from ..language.model import Model
from ..language.types import Map
from ..language.values import State, value_text
from .differences import to_json
from .sentences import split_template

Document = dict[str, Any]

CAPITALS = {"isr": "ISR", "hw": "HW", "leo": "LEO", "id": "ID"}
"""Names of parts of states that are written in capitals."""
STEPS = 100_000
"""Steps of Python that an expression of a view may take in a state."""
_COMPARED_PARTS = (
    "role",
    "role_text",
    "epoch",
    "up",
    "isr",
    "in_isr",
    "high_watermark",
    "log_end",
    "last_stable_offset",
)
"""What of a lane is compared whole to say what changed."""


class UndrawableError(Exception):
    """The view cannot be evaluated: the message names the attribute and says what is wrong with it."""


def record_letter(number: int | None) -> str:
    """A short name for the record of a number: a, b, c, ...; `-` for none. Templates of cells may use it."""
    if number is None:
        return "-"
    return chr(ord("a") + number) if 0 <= number < 26 else str(number)


class StatePicture(Protocol):
    """What draws states: a `Picture`, or what a model draws itself."""

    def lanes(self, state: State) -> dict[str, Document]:
        """Every lane in a state, by its name."""
        ...

    def board(self, state: State) -> Document:
        """What is no lane's."""
        ...


class Picture:
    """A model's view, compiled. Raises `UndrawableError` when an expression of it is not Python, or names nothing there
    is.

    The same exception comes from `frame` when an expression fails in a state.
    """

    def __init__(self, model: Model, view: View) -> None:
        self.model, self.view = model, view
        self.domain = next((domain for domain in model.domains if domain.python is view.lane), None)
        if isinstance(view.lane, str):
            self.members: tuple[Any, ...] = (view.lane,)
        elif self.domain is None:
            raise UndrawableError(f"view: lane={view.lane.__name__} is not a domain of the model")
        else:
            self.members = domain_members(model, view.lane)
        self._names_of_lanes = LaneNames(model)
        self._beside = [Picture(model, one) for one in view.participants] if isinstance(view, TransactionLanes) else []
        self.kind = {LogLanes: "log", GroupLanes: "group", TransactionLanes: "transaction"}[type(view)]
        self._names = {"range": counted_range, **model.namespace, "letter": record_letter}
        self._lane = {name: self._compile_expression(name, text, "lane") for name, text in self._texts_of_view()}
        self._badges = {name: self._compile_expression(name, text, "lane") for name, text in view.badges.items()}
        self._board = {name: self._compile_expression(name, text) for name, text in view.board.items()}
        self._controller = {
            name: self._compile_expression(f"controller_{name}", text)
            for name in ("leader", "epoch", "isr")
            if (text := getattr(view, f"controller_{name}", ""))
        }
        self.words: Mapping[str, str] = view.words if isinstance(view, LogLanes) else {}
        self.first = view.first if isinstance(view, LogLanes) else 0
        if isinstance(view, LogLanes):
            self._cell = self._compile_template(view.cell)
            self._cell_epoch = self._compile_expression("cell_epoch", view.cell_epoch, "entry", "offset")

    def document(self, frames: Mapping[str, Document]) -> Document:
        """What the frames are of."""
        widths = [
            max(
                (
                    len(lane["cells"]),
                    *(entry["offset"] + 1 for entry in frame["marks"].get(name, _EMPTY_MARKS)["removed"]),
                )
            )
            for frame in frames.values()
            for name, lane in frame["lanes"].items()
        ]
        beside = [name for picture in self._beside for name in picture.lane_names()]
        badges = [name for picture in self._beside for name in picture.badge_names()]
        return {
            "kind": self.kind,
            "domain": "lane" if self.domain is None else self.domain.name.lower(),
            "lanes": [*beside, *self.lane_names()],
            "badges": list(dict.fromkeys([*badges, *self.badge_names()])),
            "columns": max(widths, default=0),
            **({"words": dict(self.words), "first": self.first} if self.words else {}),
        }

    def lane_names(self) -> list[str]:
        """The names of its own lanes."""
        return [self._name_of(member) for member in self.members]

    def badge_names(self) -> list[str]:
        """The names of its own lanes' badges."""
        return list(self._badges)

    def _name_of(self, member: Domain | str) -> str:
        return member if isinstance(member, str) else self._names_of_lanes[member]

    def lanes(self, state: State) -> dict[str, Document]:
        """Every lane in a state, by its name; those beside the logs first."""
        beside = {name: lane for picture in self._beside for name, lane in picture.lanes(state).items()}
        return {name: lane | {"kind": "group"} for name, lane in beside.items()} | self._lanes_of_members(state)

    def _lanes_of_members(self, state: State) -> dict[str, Document]:
        """The lanes of the view's own members."""
        drawn = {self._name_of(member): self._lane_document(state, member) for member in self.members}
        leader = self._leading_lane(state, drawn)
        controller = self._evaluate("controller_isr", self._controller.get("isr"), state)
        for name, lane in drawn.items():
            lane["role_text"] = _role_text(lane, stale=self._is_stale(state, lane, drawn))
            lane["in_isr"] = {
                "leader": None if leader is None or drawn[leader]["isr"] is None else name in drawn[leader]["isr"],
                "controller": None if controller is None else name in [self._name_of(member) for member in controller],
            }
            lane["label"] = _lane_label(lane, self.words)
        return drawn

    def text_of(self, entry: Any) -> str:
        """What a cell with that entry says."""
        return self._evaluate("cell", self._cell, entry, 0)

    def board(self, state: State) -> Document:
        """What is no lane's."""
        of_controller = {f"controller's {CAPITALS.get(name, name)}": run for name, run in self._controller.items()}
        found = of_controller | self._board
        values = {name: self._evaluate(name, run, state) for name, run in found.items()}
        return {name: value if isinstance(value, str) else to_json(value) for name, value in values.items()}

    # --- one lane -----------------------------------------------------------------------------------------------------

    def _lane_document(self, state: State, member: Domain | str) -> Document:
        value = {name: self._evaluate(name, run, state, member) for name, run in self._lane.items()}
        cells = self._cells_of_log(value.get("log"))
        isr = value.get("isr")
        return {
            "id": self._name_of(member),
            "role": _role_name(value.get("role", value.get("state"))),
            "role_text": "",
            "epoch": _epoch_number(value.get("epoch", value.get("generation"))),
            "up": bool(value.get("up", True)),
            "isr": None if isr is None else [self._name_of(replica) for replica in isr],
            "in_isr": {},
            "cells": cells,
            "high_watermark": value.get("high_watermark"),
            "log_end": value.get("log_end", len(cells) if "log" in self._lane else None),
            "badges": {
                name: _value_in_picture(self._evaluate(name, run, state, member)) for name, run in self._badges.items()
            },
            "chips": [value_text(replica) for replica in value.get("assignment") or ()],
            "spans": [self._span_document(transaction, len(cells)) for transaction in value.get("transactions") or ()],
            "last_stable_offset": value.get("last_stable_offset"),
            "label": "",
        }

    def _cells_of_log(self, log: Any) -> list[Document]:
        if log is None:
            return []
        entries: Sequence[Any] = [None] * log if isinstance(log, int) else tuple(log)
        return [
            {
                "offset": offset,
                "text": self._evaluate("cell", self._cell, entry, offset),
                "epoch": self._evaluate("cell_epoch", self._cell_epoch, entry, offset),
                "says": f"offset {offset}" if entry is None else f"offset {offset}: {value_text(entry)}",
            }
            for offset, entry in enumerate(entries)
        ]

    def _span_document(self, span: tuple[int, int | None, Any], end: int) -> Document:
        start, until, text = span
        return {"start": start, "end": end if until is None else until, "text": str(text), "open": until is None}

    def _leading_lane(self, state: State, lanes: Mapping[str, Document]) -> str | None:
        """The lane that leads: in the newest epoch, and of several the one that the controller means."""
        leads = [name for name, lane in lanes.items() if lane["role"] == "leader"]
        named = self._evaluate("controller_leader", self._controller.get("leader"), state)
        if named is not None and self._name_of(named) in leads:
            return self._name_of(named)
        return max(leads, key=lambda name: lanes[name]["epoch"] or 0, default=None)

    def _is_stale(self, state: State, lane: Document, lanes: Mapping[str, Document]) -> bool:
        """Whether a lane leads that should not any more: in an older epoch than another leader, or than the
        controller's, which is another lane's."""
        epoch = lane["epoch"] or 0
        if any(document["role"] == "leader" and (document["epoch"] or 0) > epoch for document in lanes.values()):
            return True
        named = self._evaluate("controller_leader", self._controller.get("leader"), state)
        newest = self._evaluate("controller_epoch", self._controller.get("epoch"), state)
        return named is not None and self._name_of(named) != lane["id"] and newest is not None and newest > epoch

    # --- expressions --------------------------------------------------------------------------------------------------

    def _texts_of_view(self) -> Iterable[tuple[str, str]]:
        names = ("log", "high_watermark", "log_end", "role", "epoch", "up", "isr", "state", "generation", "assignment",
                 "transactions", "last_stable_offset")  # fmt: skip
        return [(name, text) for name in names if (text := getattr(self.view, name, ""))]

    def _compile_expression(self, name: str, text: str, *names: str) -> Callable[..., Any] | None:
        """The function of `s` and the other names that a text stands for; None of an empty one."""
        if not text:
            return None
        fields = {field.name: field for field in self.model.fields}
        if text in fields:
            type_ = fields[text].type
            by_lane = "lane" in names and isinstance(type_, Map) and type_.key == self.domain
            text = f"s.{text}[lane]" if by_lane else f"s.{text}"
        first = () if "entry" in names else ("s",)
        return self._compile_function(name, text, [*first, *names])

    def _compile_template(self, text: str) -> Callable[..., Any]:
        """The function of `entry` and `offset` that a template stands for."""
        try:
            pieces = [
                repr(piece) if isinstance(piece, str) else f"show({ast.unparse(piece)})"
                for piece in split_template(text)
            ]
        except SyntaxError as error:
            raise UndrawableError(f"view: cell={text!r}: {error.msg}") from None
        self._names.setdefault("show", _value_in_picture)
        return self._compile_function("cell", " + ".join(pieces) or "''", ["entry", "offset"])

    def _compile_function(self, name: str, text: str, names: Sequence[str]) -> Callable[..., Any]:
        try:
            return eval(compile(f"lambda {', '.join(names)}: {text}", f"<view: {name}>", "eval"), self._names)
        except SyntaxError as error:
            raise UndrawableError(f"view: {name}={text!r}: {error.msg}") from None

    def _evaluate(self, name: str, run: Callable[..., Any] | None, *arguments: Any) -> Any:
        if run is None:
            return None
        try:
            with Effort(STEPS):
                return run(*arguments)
        except EffortExceededError:
            raise UndrawableError(f"view: {name} takes more than {STEPS:,} steps of Python in a state") from None
        except Exception as error:
            raise UndrawableError(f"view: {name} cannot be evaluated: {error}") from error


_EMPTY_MARKS: Document = {"added": [], "removed": [], "replaced": [], "changed": {}}


def _value_in_picture(value: Any) -> str:
    return value if isinstance(value, str) else value_text(value)


def _role_name(value: Any) -> str | None:
    if isinstance(value, Enum):
        return value.name.lower()
    if isinstance(value, bool):
        return "leader" if value else "follower"
    return None if value is None else str(value)


def _epoch_number(value: Any) -> int | None:
    return value if isinstance(value, int) and value >= 0 else None


def _role_text(lane: Document, *, stale: bool) -> str:
    if not lane["up"]:
        return "down"
    role = (lane["role"] or "").replace("_", " ")
    if role == "leader" and stale:
        return "leader (stale)" if lane["epoch"] is None else f"leader (stale, epoch {lane['epoch']})"
    return role


def _lane_label(lane: Document, words: Mapping[str, str]) -> str:
    """The lane in words; `words` are the protocol's own."""
    epoch, high = words.get("epoch", "epoch"), words.get("high watermark", "high watermark")
    said = [lane["id"], lane["role_text"]]
    said += [f"{epoch} {lane['epoch']}" if lane["epoch"] is not None and "epoch" not in lane["role_text"] else ""]
    said += [f"log end {lane['log_end']}" if lane["log_end"] is not None else ""]
    said += [f"{high} {lane['high_watermark']}" if lane["high_watermark"] is not None else ""]
    for whose, inside in lane["in_isr"].items():
        if inside is not None:
            said.append(f"{'in' if inside else 'not in'} the ISR of the {whose}")
    said += [f"assigned {', '.join(lane['chips'])}" if lane["chips"] else ""]
    return ", ".join(part for part in said if part)


def frames_by_state(picture: StatePicture, states: Sequence[State]) -> dict[str, Document]:
    """The frames of a run's states: of each the lanes that changed, of the first every lane."""
    frames: dict[str, Document] = {}
    known: dict[str, Document] = {}
    board: Document | None = None
    for at, state in enumerate(states):
        lanes, here = picture.lanes(state), picture.board(state)
        changed = {name: lane for name, lane in lanes.items() if lane != known.get(name)}
        frames[str(at)] = {
            "lanes": changed,
            "marks": {name: lane_marks(known[name], lane) for name, lane in changed.items() if at},
            "board": here if at == 0 or here != board else None,
        }
        known, board = lanes, here
    return frames


def lane_marks(before: Document, after: Document) -> Document:
    """What changed in a lane."""
    old, new = before["cells"], after["cells"]
    shared = min(len(old), len(new))
    changed = {name: before[name] for name in _COMPARED_PARTS if before[name] != after[name]}
    changed |= {name: was for name, was in before["badges"].items() if was != after["badges"][name]}
    changed |= {"chips": before["chips"]} if before["chips"] != after["chips"] else {}
    return {
        "added": list(range(shared, len(new))),
        "removed": old[shared:],
        "replaced": [old[at] for at in range(shared) if old[at] != new[at]],
        "changed": changed,
    }
