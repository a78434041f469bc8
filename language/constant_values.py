"""Values of constants: read from text, and checked against the constant's type and bounds."""

from __future__ import annotations

from enum import Enum

from .constants import Constant, Value
from .errors import UsageError


def checked_value(constant: Constant, value: Value | str) -> Value:
    """A value for a constant, parsed when it is text. Raises UsageError when the constant cannot have it."""
    parsed = _parse_value(constant, value) if isinstance(value, str) else value
    choices = constant.choices()
    if parsed is not None and type(parsed) is type(constant.default) and parsed in choices:
        return parsed
    raise UsageError(f"{constant.name}={_value_text(value)}: it must be {_choices_text(constant)}")


def _parse_value(constant: Constant, text: str) -> Value | None:
    """The value that the text stands for; None when it is none."""
    if isinstance(constant.default, bool):
        return {"true": True, "false": False}.get(text.lower())
    if isinstance(constant.default, int):
        digits = text.removeprefix("-")
        return int(text) if digits.isascii() and digits.isdigit() else None
    matching = (
        member for member in type(constant.default) if text in (member.name, member.name.lower(), str(member.value))
    )
    return next(matching, None)


def _value_text(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def _choices_text(constant: Constant) -> str:
    if isinstance(constant.default, bool):
        return "true or false"
    if isinstance(constant.default, int):
        return f"an integer from {constant.minimum} to {constant.maximum}"
    return "one of " + ", ".join(_value_text(choice) for choice in constant.choices())
