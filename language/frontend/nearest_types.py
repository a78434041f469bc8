"""What to write in the place of a type that is not in the language."""

from __future__ import annotations

from typing import Any

_NEAREST: dict[str, str] = {
    "dict": "Map[K, V]",
    "Dict": "Map[K, V]",
    "list": "Annotated[Seq[T], Capacity(n)]",
    "List": "Annotated[Seq[T], Capacity(n)]",
    "tuple": "tuple[A, B], or Seq[T]",
    "set": "Set[T]",
    "frozenset": "Set[T]",
    "float": "Annotated[int, Range(lo, hi)]",
    "str": "an Enum, or a Domain",
    "Map": "Map[K, V]",
    "Seq": "Annotated[Seq[T], Capacity(n)]",
    "Set": "Set[T]",
    "Bag": "Annotated[Bag[T], Capacity(n)]",
}


def text_of_name(value: Any) -> str:
    """What an annotation is called, as its author wrote it."""
    return getattr(value, "__name__", None) or repr(value)


def nearest_type(value: Any) -> str:
    """What to write where a value is no type of the language."""
    return _NEAREST.get(
        text_of_name(value), "int with a Range, bool, an Enum, a Domain, a @record, Map, Seq, Set or Bag"
    )
