"""States distinguished by some of their fields: words under a mask, `kept(k)` for word k. The store holds whole
states, so that what is found can be replayed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from llvmlite import ir as llvm

from ...language import ir
from ...language.errors import UsageError
from ...language.model import Model, Projection
from ...language.types import Bool, Enumeration, Int, Map, Option, Pool, Record, Seq, Subset, Type
from . import kernel
from . import projection_kernel as projecting
from .cone import Cones
from .layout import Array, Layout, Shape, Struct, is_wide
from .machine import I64, word


def masked_texts() -> tuple[Callable[..., Any], ...]:
    """The kernel's functions, with those of `projection_kernel` in the place of the ones of their names."""
    own = {text.__name__: text for text in projecting.TEXTS}
    return tuple(own.get(text.__name__, text) for text in kernel.TEXTS)


def kept_function(module: llvm.Module, masks: Sequence[int]) -> llvm.Function:
    """`kept(k)`: the bits of word k that distinguish states."""
    function = llvm.Function(module, llvm.FunctionType(I64, [I64]), "kept")
    function.linkage = "internal"
    builder = llvm.IRBuilder(function.append_basic_block())
    value = word(masks[-1])
    for number, mask in enumerate(masks[:-1]):
        value = builder.select(builder.icmp_unsigned("==", function.args[0], word(number)), word(mask), value)
    builder.ret(value)
    return function


def masks_of(model: Model, projection: Projection | None) -> tuple[int, ...]:
    """The bits of a state's words that a projection returns; none at all without a projection. UsageError for one that
    returns something else than fields of the state, or tuples and records of them."""
    if projection is None:
        return ()
    assert projection.form is not None, "one that cannot be evaluated was refused"
    return _masks_of_fields(Layout(model.fields, model.values), _projected_fields(projection))


def protocol_masks(model: Model) -> tuple[int, ...]:
    """The bits of a state's words that are of no ghost."""
    layout = Layout(model.fields, model.values)
    return _masks_of_fields(layout, (field.name for field in model.fields if not field.ghost))


def cone_masks(model: Model, layout: Layout, cones: Cones) -> tuple[int, ...]:
    """The bits of a state's words that are of the cone of what is asked of a model, see `cone`. A field is kept in any
    case if 0 may be no value of it, or one that renaming the members of a domain changes."""
    return _masks_of_fields(
        layout, cones.cached_cone(model) | {field.name for field in model.fields if not _is_nothing(field.type)}
    )


def _is_nothing(type_: Type) -> bool:
    """Whether all bits 0 are a value that names no member of a domain: a number, None, or what is empty."""
    match type_:
        case Int() | Bool() | Enumeration() | Option() | Subset() | Seq() | Pool():
            return True
        case Map(value=value):
            return _is_nothing(value)
        case _:
            return False


def field_masks(model: Model, paths: Iterable[str]) -> tuple[int, ...]:
    """The bits of a state's words that are of some fields: `log`, or `registered.leader` for a part of a record; of a
    map to records, `election.role` is that part of each of them."""
    layout = Layout(model.fields, model.values)
    masks = [0] * layout.words
    for path in paths:
        name, *parts = path.split(".")
        for offset, bits in _part_bits(*layout.field(name), parts):
            masks[offset] |= bits
    return tuple(masks)


def _part_bits(type_: Type, shape: Shape, word: int, shift: int, parts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """The words and bits of a part of what lies there, or of that part of each of them."""
    if not parts:
        yield from _words_and_bits(shape, word, shift)
    elif isinstance(type_, Map) and isinstance(shape, Array):
        for index in range(shape.count):
            offset, bit = shape.place_of_element(index)
            yield from _part_bits(type_.value, shape.element, word + offset, shift + bit, parts)
    else:
        assert isinstance(type_, Record) and isinstance(shape, Struct), f"{parts[0]}: only records have parts"
        index = [known for known, _ in type_.fields].index(parts[0])
        offset, bit = shape.places[index]
        yield from _part_bits(type_.fields[index][1], shape.parts[index], word + offset, shift + bit, parts[1:])


def _masks_of_fields(layout: Layout, names: Iterable[str]) -> tuple[int, ...]:
    """The bits of a state's words that are of some of its fields."""
    masks = [0] * layout.words
    for name in names:
        _, shape, at, shift = layout.field(name)
        for offset, bits in _words_and_bits(shape, at, shift):
            masks[offset] |= bits
    return tuple(masks)


def _projected_fields(projection: Projection) -> Iterator[str]:
    """The state fields that a projection returns whole."""
    assert projection.form is not None, "one that cannot be evaluated was refused"
    match projection.form.body:
        case (ir.Return(value=value),):
            waiting = [value]
        case _:
            raise _projection_error(projection)
    while waiting:
        match waiting.pop():
            case ir.StateField(field=name):
                yield name
            case ir.MakeRecord(fields=parts):
                waiting += parts
            case ir.Some(value=inner):
                waiting.append(inner)
            case ir.Const():
                pass
            case _:
                raise _projection_error(projection)


def _projection_error(projection: Projection) -> UsageError:
    return UsageError(
        f"@projection {projection.name} is not just fields of the state, or a tuple of them, as in `return s.a, s.b`: "
        "native code compares no other values; --engine python takes every projection"
    )


def _words_and_bits(shape: Shape, word: int, shift: int) -> Iterator[tuple[int, int]]:
    """The words that a shape lies in, and which of their bits are its own."""
    if not is_wide(shape):
        yield word, (1 << shape.bits) - 1 << shift
    elif isinstance(shape, Struct):
        for part, (offset, bit) in zip(shape.parts, shape.places, strict=True):
            yield from _words_and_bits(part, word + offset, shift + bit)
    elif isinstance(shape, Array):
        for index in range(shape.count):
            offset, bit = shape.place_of_element(index)
            yield from _words_and_bits(shape.element, word + offset, shift + bit)
