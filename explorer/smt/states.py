"""States as terms: fresh ones, constant ones, and back to the states of plain Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, cast

import z3

from ...language.immutable import immutable
from ...language.judge import state_shape
from ...language.model import Model
from ...language.records import make_record
from ...language.types import Bool, Enumeration, Identity, Int, Map, Option, Pool, Record, Seq, Subset, Type, Unit
from ...language.values import Bag, Set, State
from ...language.values import Map as MapValue
from ...language.values import Seq as SeqValue
from .encoding import Encoding
from .shapes import Fields, Heap, MemberBits, Shape, Slots, SymbolicOption, Table
from .terms import Bit, Number, conjunction


class Valuation(Protocol):
    """What gives variables their values: a model of Z3, or anything that can be asked like one."""

    def eval(self, t: z3.ExprRef, model_completion: bool = False) -> Any:
        """The term's value."""
        ...


@immutable
class SymbolicState:
    """A state: the shape of every field, and `valid`, the constraint that they are values of their types (and that
    constants without bounds are at least their minima).

    In the unbounded encoding the fields that hold what is left of a budget are not there.
    """

    fields: Mapping[str, Shape]
    valid: Bit = True


def fresh_state(model: Model, encoding: Encoding, suffix: str) -> SymbolicState:
    """A state of new variables, whose names begin with `suffix` and the field's name."""
    made = {
        field.name: encoding.fresh_value(field.type, f"{suffix}.{field.name}") for field in kept_fields(model, encoding)
    }
    valid = conjunction([encoding.constants, *(right for _, right in made.values())])
    return SymbolicState({name: shape for name, (shape, _) in made.items()}, valid)


def constant_state(model: Model, encoding: Encoding, state: State) -> SymbolicState:
    """A state of plain Python as terms, constants all of them."""
    kept = kept_fields(model, encoding)
    return SymbolicState(
        {field.name: _constant_shape(encoding, field.type, getattr(state, field.name)) for field in kept}
    )


def _constant_shape(encoding: Encoding, type_: Type, value: Any) -> Shape:
    return encoding.shape_for_cell(type_, encoding.constant(type_, value))[0]


def kept_fields(model: Model, encoding: Encoding) -> list[Any]:
    """The fields of the state that the encoding has."""
    return [field for field in model.fields if encoding.is_finite or field.budget is None]


# --- back to plain Python ---------------------------------------------------------------------------------------------


def state_value(model: Model, valuation: Valuation, state: SymbolicState) -> State:
    """The state that a Z3 model gives the variables of a finite state; what it leaves open is false or 0.

    ModelError when it is outside its types (then `valid` was not asserted)."""
    fields = {field.name: decode_value(field.type, state.fields[field.name], valuation) for field in model.fields}
    shape = state_shape(model)
    return shape.state(shape.checked_value(name, fields[name]) for name in shape.names)


def decode_value(type_: Type, shape: Shape, valuation: Valuation) -> Any:
    """The value of plain Python that a shape has in a Z3 model (finite encoding)."""
    match type_:
        case Bool():
            return _bit_value(cast(Bit, shape), valuation)
        case Int():
            return _number_value(shape, valuation)
        case Enumeration(python=python):
            return list(python)[_number_value(shape, valuation)]
        case Identity(python=python):
            return python(_number_value(shape, valuation))
        case Option(of=of):
            option = cast(SymbolicOption, shape)
            return (
                decode_value(of, cast(Shape, option.value), valuation)
                if _bit_value(option.present, valuation)
                else None
            )
        case Record(fields=fields):
            parts = cast(Fields, shape).parts
            return make_record(type_, (decode_value(of, parts[name], valuation) for name, of in fields))
        case Map(key=key, value=value):
            table = cast(Table, shape)
            keys = (_scalar_value(key, table.first + at) for at in range(len(table.parts)))
            return MapValue(
                {key: decode_value(value, part, valuation) for key, part in zip(keys, table.parts, strict=True)}
            )
        case Seq(of=of):
            slots = cast(Slots, shape)
            return SeqValue(
                [decode_value(of, part, valuation) for part in slots.parts[: _number_value(slots.length, valuation)]]
            )
        case Subset(of=of):
            members = cast(MemberBits, shape)
            inside = [at for at, bit in enumerate(members.bits, members.first) if _bit_value(bit, valuation)]
            return Set([_scalar_value(of, at) for at in inside])
        case Pool(of=of, multiple=multiple):
            heap = cast(Heap, shape)
            records = [decode_value(of, slot, valuation) for slot in heap.slots[: _number_value(heap.count, valuation)]]
            return Bag(records) if multiple else Set(records)
        case Unit():
            return None


def _scalar_value(type_: Type, number: int) -> Any:
    match type_:
        case Bool():
            return bool(number)
        case Enumeration(python=python):
            return list(python)[number]
        case Identity(python=python):
            return python(number)
        case _:
            return number


def _bit_value(bit: Bit, valuation: Valuation) -> bool:
    return bit if isinstance(bit, bool) else z3.is_true(valuation.eval(bit, model_completion=True))


def _number_value(shape: Shape, valuation: Valuation) -> int:
    if isinstance(shape, Number) and isinstance(shape.term, int):
        return shape.term
    value: Any = valuation.eval(cast(Any, shape).term, model_completion=True)
    return value.as_signed_long() if isinstance(value, z3.BitVecNumRef) else value.as_long()
