"""Parts of a state, as evidence names them: which state, which field, and the way down from it."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from ..language.containers import value_text
from ..language.immutable import immutable
from ..language.records import KIND, part_called
from ..language.values import State

CellPart: TypeAlias = "tuple[Literal['key', 'at', 'attribute', 'length', 'member'], Any]"
"""A step down from a field: to a map's key, a sequence's offset, a record's attribute; its length; whether it has a
member."""


@immutable
class StatePart:
    """A part of a state that was read: which state (by its name in the text), the field, and the way down from it."""

    state: str
    field: str
    parts: tuple[CellPart, ...] = ()

    def to_text(self) -> str:
        """The cell as people write it: `log[A][0].epoch`, `len(log[A])`, `A in isr[B]`."""
        text = self.field
        for kind, part in self.parts:
            match kind:
                case "key" | "at":
                    text += f"[{value_text(part)}]"
                case "attribute":
                    text = f"type({text})" if part == KIND else f"{text}.{part}"
                case "length":
                    text = f"len({text})"
                case "member":
                    text = f"{value_text(part)} in {text}"
        return text

    def main_cell_text(self) -> str:
        """The field, or the cell of a map, that it is in: `log[A]`."""
        return (
            f"{self.field}[{value_text(self.parts[0][1])}]" if self.parts and self.parts[0][0] == "key" else self.field
        )

    def value_in(self, state: State) -> Any:
        """What the cell holds in a state; `ABSENT` where the way to it is not there."""
        value: Any = getattr(state, self.field)
        for kind, part in self.parts:
            match kind:
                case "key":
                    value = value[part]
                case "at":
                    if not 0 <= part < len(value):
                        return ABSENT
                    value = value[part]
                case "attribute":
                    if value is None:
                        return ABSENT
                    value = part_called(value, part)
                case "length":
                    value = len(value)
                case "member":
                    value = part in value
        return value


class AbsentValue:
    """What is where nothing is."""

    def __repr__(self) -> str:
        return "nothing"


ABSENT = AbsentValue()


Reads: TypeAlias = tuple[StatePart, ...]
