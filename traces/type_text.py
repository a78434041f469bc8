"""Types as JSON has them: what a reader of a document needs in order to read its values."""

from __future__ import annotations

from typing import Any

from ..language import types
from ..language.records import is_box, is_tuple, unbox_type


def type_to_json(type_: types.Type) -> dict[str, Any]:
    """A type by its kind and parts."""
    match type_:
        case types.Int(lo=lo, hi=hi):
            return {"kind": "int", "lo": lo, "hi": hi}
        case types.Enumeration(name=name, members=members):
            return {"kind": "enum", "name": name, "members": list(members)}
        case types.Identity(name=name):
            return {"kind": "identity", "name": name}
        case types.Option(of=of):
            return {"kind": "option", "of": type_to_json(of)}
        case types.Record(name=name, variants=variants) if variants:
            return {"kind": "union", "name": name, "of": [type_to_json(member) for member, _ in variants]}
        case types.Record() if is_box(type_):
            return type_to_json(unbox_type(type_))
        case types.Record(fields=fields) if is_tuple(type_):
            return {"kind": "tuple", "of": [type_to_json(of) for _, of in fields]}
        case types.Record(name=name, fields=fields):
            return {"kind": "record", "name": name, "fields": {text: type_to_json(of) for text, of in fields}}
        case types.Map(key=key, value=value):
            return {"kind": "map", "key": type_to_json(key), "value": type_to_json(value)}
        case types.Seq(of=of, capacity=capacity):
            return {"kind": "seq", "of": type_to_json(of), "capacity": capacity}
        case types.Subset(of=of):
            return {"kind": "set", "of": type_to_json(of)}
        case types.Pool(of=of, capacity=capacity, multiple=multiple):
            return {"kind": "bag" if multiple else "set", "of": type_to_json(of), "capacity": capacity}
        case types.Bool() | types.Unit():
            return {"kind": type(type_).__name__.lower()}
