"""States and changes in words: `A's high watermark went from 0 to 1`, `B's log lost 1a`, `C is not in the ISR of A`.

The words come from the types and from the names that the author gave; records of a log have the names that the picture
of the model gives them (`1a`), so that text and picture speak of the same things.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from enum import Enum
from typing import Any, cast

from ..language import types
from ..language.kinds import Domain
from ..language.lanes import LaneNames, LogLanes, TransactionLanes
from ..language.model import Model
from ..language.records import KIND
from ..language.values import Bag, Map, Seq, Set, State, field_names, value_text
from .picture import CAPITALS, Picture, UndrawableError, record_letter
from .state_parts import ABSENT, StatePart


class RecordNames:
    """The names that a model's picture gives to the records of its logs: `1a`. None for what has no name."""

    def __init__(self, model: Model) -> None:
        self.entries = tuple(_log_entry_types(model))
        self._picture = _picture_for_names(model)

    def name_of_record(self, record: Any) -> str | None:
        """The name of a record of a log."""
        if self._picture is None or not isinstance(record, self.entries):
            return None
        try:
            return self._picture.text_of(record).strip() or None
        except UndrawableError:
            return None

    def name_of_change(self, value: Any, state: State) -> str | None:
        """The name of what came into a part of a state, or left it: a record, or a record's number in a set of them."""
        return self.name_of_record(value if not is_number(value) else self.record_of_number(value, state))

    def record_of_number(self, number: int, state: State) -> Any:
        """The record of a log that has this number as its `id`; None where no log has it."""
        records = (record for record in _records_in_state(state) if isinstance(record, self.entries))
        return next((record for record in records if getattr(record, "id", None) == number), None)


class Wording:
    """The words for one model. `mentioned` has the records that were named so far, each with its name."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.lanes = LaneNames(model)
        self.mentioned: dict[Any, str] = {}
        self._names = RecordNames(model)
        self._ends_in_place = isinstance(model.view, TransactionLanes)  # a marker changes what a record is
        self._entries = self._names.entries

    # --- values -------------------------------------------------------------------------------------------------------

    def value_text(self, value: Any) -> str:
        """A value: `A`, `leader`, `1a`, `[1a, 2b]`, `{A, B}`, `nobody`."""
        if value is None or value is ABSENT:
            return "none" if value is None else "nothing"
        if isinstance(value, Domain):
            return self.lanes[value]
        if isinstance(value, int):
            return value_text(value)
        if isinstance(value, Enum):
            return value.name.lower().replace("_", " ")
        if isinstance(value, self._entries):
            return self.record_name(value)
        if isinstance(value, Map):
            entries = cast("Map[Any, Any]", value).items()
            return "{" + ", ".join(f"{self.value_text(key)}: {self.value_text(held)}" for key, held in entries) + "}"
        if isinstance(value, CONTAINERS):
            left, right = "[]" if isinstance(value, Seq) else "{}"
            return left + ", ".join(self.value_text(element) for element in cast("Seq[Any]", value)) + right
        if isinstance(value, tuple):
            return "(" + ", ".join(map(self.value_text, cast("tuple[Any, ...]", value))) + ")"
        return self._record_text(value)

    def _record_text(self, value: Any) -> str:
        """`Election(role=leader, epoch=1)`; of one that holds a record of a log: `1a (term 3)`. What is true stands by
        its name, and what is false is left out: `Vote(candidate=A, granted)`."""
        parts = {name: getattr(value, name) for name in field_names(cast("type[Any]", type(value)))}
        entry = next((name for name, held in parts.items() if isinstance(held, self._entries)), None)
        if entry is not None:
            others = ", ".join(
                f"{name_in_words(name)} {self.value_text(held)}" for name, held in parts.items() if name != entry
            )
            return self.record_name(parts[entry]) + (f" ({others})" if others else "")
        said = [
            name if held is True else f"{name}={self.value_text(held)}"
            for name, held in parts.items()
            if held is not False
        ]
        return f"{type(value).__name__}({', '.join(said)})"

    def record_name(self, record: Any) -> str:
        """The name of a record of a log."""
        if record not in self.mentioned:
            taken = set(self.mentioned.values())
            name = self._names.name_of_record(record) or record_letter(len(taken))
            while name in taken:
                name += "'"
            self.mentioned[record] = name
        return self.mentioned[record]

    # --- cells --------------------------------------------------------------------------------------------------------

    def cell_name(self, cell: StatePart) -> str:
        """What a cell is called: `A's high watermark`, `the quorum's ISR`, `the registered leader` (a field that is a
        participle owns nothing), `A's match index of B`, `committed`."""
        keys = [part for kind, part in cell.parts if kind == "key"]
        offsets = [part for kind, part in cell.parts if kind == "at"]
        attributes = [part for kind, part in cell.parts if kind == "attribute"]
        if offsets and keys and isinstance(keys[0], Domain):
            what = "".join(f"the {name_in_words(attribute)} of " for attribute in reversed(attributes))
            return f"{what}{self.value_text(keys[0])}'s {name_in_words(cell.field)} at offset {offsets[-1]}"
        if keys and isinstance(keys[0], Domain):
            of = f" of {', '.join(self.value_text(key) for key in keys[1:])}" if len(keys) > 1 else ""
            return f"{self.value_text(keys[0])}'s {name_in_words(attributes[-1] if attributes else cell.field)}{of}"
        if len(attributes) == len(cell.parts) == 1:
            owner = name_in_words(cell.field) + ("" if cell.field.endswith("ed") else "'s")
            return f"the {owner} {name_in_words(attributes[0])}"
        text = cell.field + "".join(f"[{self.value_text(part)}]" for kind, part in cell.parts if kind in ("key", "at"))
        return f"`{text}{''.join(f'.{attribute}' for attribute in attributes)}`"

    def fact_text(self, cell: StatePart, state: State, *, is_past: bool = False) -> str:
        """What a cell is, or was: `A's high watermark is 1`, `B's log was empty`, `C is not in A's ISR`."""
        kind = cell.parts[-1][0] if cell.parts else ""
        value = cell.value_in(state)
        be = "was" if is_past else "is"
        if kind == "length":
            return self.fact_text(parent_cell(cell), state, is_past=is_past)
        if _is_kind(cell):
            return (
                f"{self.cell_name(parent_cell(cell))} {be} {'nothing' if value is ABSENT else f'of the kind {value}'}"
            )
        if kind == "member":
            member, whole = self._member_text(cell.parts[-1][1], state), self.cell_name(parent_cell(cell))
            return f"{member} {be} {'' if value else 'not '}in {whole}"
        if kind == "at":
            held = self.value_text(value) if value is not ABSENT else "nothing"
            has = "had" if is_past else "has"
            return f"{self.cell_name(parent_cell(cell))} {has} {held} at offset {cell.parts[-1][1]}"
        name = self.cell_name(cell)
        if name.endswith(_PREPOSITIONS) and "'s " in name:
            return self._action_of_field(name, value)
        if isinstance(value, CONTAINERS):
            be = {"is": "are", "was": "were"}[be] if name.endswith("s") else be
            return f"{name} {be} {self.value_text(value) if len(cast('Seq[Any]', value)) else 'empty'}"
        return f"{name} {be} {self.value_text(value)}"

    def effect_texts(self, cell: StatePart, previous_state: State, next_state: State) -> list[str]:
        """What became of a cell in a step: `A's high watermark went from 0 to 1`, `B's log lost 1a`."""
        old, new = cell.value_in(previous_state), cell.value_in(next_state)
        if old == new:
            return []
        if cell.parts and cell.parts[-1][0] == "member":
            return [
                f"{self._member_text(cell.parts[-1][1], next_state)} {'came into' if new else 'left'} "
                f"{self.cell_name(parent_cell(cell))}"
            ]
        sequence = enclosing_sequence(cell, previous_state)
        if sequence is not None and isinstance(sequence.value_in(next_state), Seq):
            return [self._sequence_effects(sequence, sequence.value_in(previous_state), sequence.value_in(next_state))]
        if _is_kind(cell):
            return [
                self._scalar_effect(
                    self.cell_name(parent_cell(cell)),
                    parent_cell(cell).value_in(previous_state),
                    parent_cell(cell).value_in(next_state),
                )
            ]
        if is_record(old) and type(old) is type(new):
            names = field_names(cast("type[Any]", type(old)))
            inner = (StatePart(cell.state, cell.field, (*cell.parts, ("attribute", name))) for name in names)
            return [text for part in inner for text in self.effect_texts(part, previous_state, next_state)]
        if isinstance(old, Set) and isinstance(new, Set):
            return [self._set_effects(cell, cast("Set[Any]", old), cast("Set[Any]", new), next_state)]
        return [self._scalar_effect(self.cell_name(cell), old, new)]

    def _scalar_effect(self, name: str, old: Any, new: Any) -> str:
        if isinstance(old, int) and isinstance(new, int) and not isinstance(new, bool):
            return f"{name} went from {old} to {new}"
        if name.endswith(_PREPOSITIONS) and "'s " in name and new is not None:
            return self._action_of_field(name, new)
        return f"{name} became {self.value_text(new)}"

    def _action_of_field(self, name: str, value: Any) -> str:
        """`A voted for B`: a field whose name is a verb."""
        return f"{name.replace(chr(39) + 's ', ' ', 1)} {'nobody' if value is None else self.value_text(value)}"

    def _member_text(self, member: Any, state: State) -> str:
        """A member of a set: by the name of its record, where the set is of records' numbers."""
        record = self._names.record_of_number(member, state) if is_number(member) else None
        return self.value_text(member) if record is None else self.record_name(record)

    def _sequence_effects(self, cell: StatePart, old: Seq[Any], new: Seq[Any]) -> str:
        name = self.cell_name(cell)
        shared = next((at for at, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
        lost, got = list(old)[shared:], list(new)[shared:]
        if len(lost) == len(got) and self._ends_in_place:
            pairs = [(a, b) for a, b in zip(lost, got, strict=True) if a != b]
            return (
                f"{self._values_text([a for a, _ in pairs])} in {name} became "
                f"{self._values_text([b for _, b in pairs])}"
            )
        if lost and got:
            return f"{name} lost {self._values_text(lost)} and got {self._values_text(got)}"
        return f"{name} {'lost' if lost else 'got'} {self._values_text(lost or got)}"

    def _set_effects(self, cell: StatePart, old: Set[Any], new: Set[Any], state: State) -> str:
        lost, got = ([self._member_text(element, state) for element in some] for some in (old - new, new - old))
        parts = [f"{join_words(got)} came into" if got else "", f"{join_words(lost)} left" if lost else ""]
        return f"{' and '.join(part for part in parts if part)} {self.cell_name(cell)}"

    def _values_text(self, values: Sequence[Any]) -> str:
        return join_words([self.value_text(value) for value in values])


CONTAINERS = (Seq, Set, Bag)
_PREPOSITIONS = (" for", " by", " from", " to")


def is_number(value: object) -> bool:
    """Whether a value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_record(value: object) -> bool:
    """Whether a value is a record."""
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def _records_in_state(state: State) -> Iterator[Any]:
    """Every record of a map of sequences."""
    for value in state:
        if isinstance(value, Map):
            for _, held in cast("Map[Any, Any]", value).items():
                if isinstance(held, Seq):
                    yield from cast("Seq[Any]", held)


def _is_kind(cell: StatePart) -> bool:
    """Whether a cell says which record of a union its whole is: it holds a name, no value of a model."""
    return cell.parts[-1:] == (("attribute", KIND),)


def parent_cell(cell: StatePart) -> StatePart:
    """The cell that it is a part of."""
    return StatePart(cell.state, cell.field, cell.parts[:-1])


def enclosing_sequence(cell: StatePart, state: State) -> StatePart | None:
    """The outermost sequence that a cell is in, or is."""
    for end in range(len(cell.parts) + 1):
        outer = StatePart(cell.state, cell.field, cell.parts[:end])
        if isinstance(outer.value_in(state), Seq):
            return outer
    return None


def name_in_words(name: str) -> str:
    """`high_watermark` as `high watermark`, `isr` as `ISR`."""
    return " ".join(CAPITALS.get(word, word) for word in name.split("_"))


def join_words(texts: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} and {texts[-1]}"


def _log_entry_types(model: Model) -> list[type[Any]]:
    """The records that logs are made of."""
    return [
        field.type.value.of.python
        for field in model.fields
        if isinstance(field.type, types.Map)
        and isinstance(field.type.value, types.Seq)
        and isinstance(field.type.value.of, types.Record)
    ]


def _picture_for_names(model: Model) -> Picture | None:
    try:
        return Picture(model, model.view) if isinstance(model.view, LogLanes) else None
    except UndrawableError:
        return None
