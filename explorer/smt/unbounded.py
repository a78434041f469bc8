"""Which constants of a model have no bound in a proof, and the model with these left open."""

from __future__ import annotations

from collections.abc import Iterator

from ...language.binding import Definition
from ...language.constants import ConstantExpression, OpenExpression, Operation
from ...language.model import Model
from ...language.types import Bool, Enumeration, Identity, Int, Map, Option, Pool, Record, Seq, Subset, Type, Unit


def unbounded_model(definition: Definition, model: Model) -> Model:
    """The same model with its bounds left open, and its properties, ghosts and other constants as they are.

    Raises ModelErrors when the text needs a bound to be known (a set of numbers without an end, say)."""
    return definition.bind(
        model.name,
        constants=model.values,
        open=boundless_constants(definition, model),
        ghosts=model.ghosts,
        properties=[prop.name for prop in model.properties],
    )


def boundless_constants(definition: Definition, model: Model) -> frozenset[str]:
    """The constants that lose their bound in the unbounded encoding of this model."""
    integers = [name for name, constant in definition.constants.items() if constant.minimum is not None]
    wide = definition.bind(model.name, constants=model.values, open=integers, ghosts=True, properties=())
    bounds, sizes = set[str](), set[str]()
    types = [field.type for field in wide.fields]
    types += [parameter.type for action in wide.actions for parameter in action.form.parameters]
    for type_ in types:
        for expression in _open_bounds(type_, sizes):
            bounds |= expression.names()
            sizes |= _fixed_names(expression)
    bounds |= {action.budget for action in wide.actions if action.budget is not None}
    return frozenset(name for name in bounds - sizes if model.values[name] != 0)


def _fixed_names(expression: ConstantExpression) -> frozenset[str]:
    """The constants that an exponent depends on, since a power without a bound on its exponent is none of Z3's, and
    those that are taken away from a bound: the larger they are, the less it allows."""
    match expression:
        case OpenExpression(expression=inner):
            return _fixed_names(inner)
        case Operation(op=op, left=left, right=right):
            inside = _fixed_names(left) | _fixed_names(right)
            return inside | right.names() if op in ("**", "-") else inside
        case _:
            return frozenset()


def _open_bounds(type_: Type, sizes: set[str]) -> Iterator[ConstantExpression]:
    """The open upper bounds in a type; the constants that domains' sizes depend on are added to `sizes`."""
    match type_:
        case Int(hi_open=hi_open):
            yield from () if hi_open is None else (hi_open,)
        case Identity(size_open=size_open):
            sizes |= frozenset() if size_open is None else size_open.names()
        case Option(of=of) | Subset(of=of):
            yield from _open_bounds(of, sizes)
        case Record(fields=fields):
            for _, of in fields:
                yield from _open_bounds(of, sizes)
        case Map(key=key, value=value):
            yield from _open_bounds(key, sizes)
            yield from _open_bounds(value, sizes)
        case Seq(of=of, capacity_open=capacity_open) | Pool(of=of, capacity_open=capacity_open):
            yield from _open_bounds(of, sizes)
            yield from () if capacity_open is None else (capacity_open,)
        case Bool() | Enumeration() | Unit():
            return
