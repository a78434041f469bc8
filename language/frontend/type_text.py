"""Types as authors write them: `Map[Replica, int]`."""

from __future__ import annotations

from ..types import Bool, Enumeration, Identity, Int, Map, Option, Pool, Record, Seq, Subset, Type, Unit


def describe(type_: Type | None) -> str:
    """A type as an author would write it."""
    match type_:
        case None:
            return "the state"
        case Int():
            return "int"
        case Bool():
            return "bool"
        case Unit():
            return "None"
        case Enumeration(name=name) | Identity(name=name) | Record(name=name):
            return name
        case Option(of=of):
            return f"{describe(of)} | None"
        case Map(key=key, value=value):
            return f"Map[{describe(key)}, {describe(value)}]"
        case Seq(of=of):
            return f"Seq[{describe(of)}]"
        case Subset(of=of):
            return f"Set[{describe(of)}]"
        case Pool(of=of, multiple=multiple):
            return f"{'Bag' if multiple else 'Set'}[{describe(of)}]"
