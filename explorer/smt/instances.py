"""An action, or an initial function, with a choice of its arguments: when it may happen and what the state is then, as
terms. `transition` makes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import z3

from ...language.forms import Parameter
from ...language.immutable import immutable
from ...language.model import Action, Initial
from .clauses import Clause
from .shapes import Shape
from .states import SymbolicState, Valuation, decode_value
from .terms import Bit, and_bits


@immutable
class Instance:
    """An action with concrete replicas and enum members, and terms for the rest.

    `arguments` are all its parameters as shapes, in order; `concrete` those with a Python value (a `Domain` member, an
    enum member, None). `valid` says that the free arguments are in their ranges, or members of their pool (finite: a
    slot of it). The step happens iff `valid`, `guard` and `limit`; with `valid` it breaks the model iff not
    `definedness` (then `guard`, `limit` and `post` mean nothing). `assumptions` (unbounded only) define what loops
    without an end gave: true of the terms they introduce, to be asserted beside `guard`. `bounds` (unbounded only) say
    where the `limit`s let the step through: without them they let it through anywhere.
    """

    action: Action
    arguments: Mapping[str, Shape]
    concrete: Mapping[str, Any]
    valid: Bit
    guard: Bit
    limit: Bit
    definedness: Bit
    post: SymbolicState
    assumptions: tuple[Clause, ...] = ()
    bounds: tuple[z3.BoolRef, ...] = ()

    @property
    def is_taken(self) -> Bit:
        """Whether the step can be taken, if it breaks nothing."""
        return and_bits(self.valid, self.guard, self.limit)

    @property
    def may_happen(self) -> bool:
        """Whether the step is not plainly impossible, whatever the state."""
        return self.guard is not False and self.limit is not False

    def argument_values(self, valuation: Valuation) -> dict[str, Any]:
        """The arguments of plain Python that a Z3 model gives (finite encoding)."""
        return _decode_arguments(self.action.form.parameters, self.arguments, valuation)


@immutable
class InitialInstance:
    """An initial function with some arguments: `state`, if `valid` and `guard`, unless not `definedness`."""

    initial: Initial
    arguments: Mapping[str, Shape]
    concrete: Mapping[str, Any]
    valid: Bit
    guard: Bit
    definedness: Bit
    state: SymbolicState
    assumptions: tuple[Clause, ...] = ()
    bounds: tuple[z3.BoolRef, ...] = ()

    def argument_values(self, valuation: Valuation) -> dict[str, Any]:
        """The arguments of plain Python that a Z3 model gives (finite encoding)."""
        return _decode_arguments(self.initial.form.parameters, self.arguments, valuation)


def _decode_arguments(
    parameters: tuple[Parameter, ...], arguments: Mapping[str, Shape], valuation: Valuation
) -> dict[str, Any]:
    return {
        parameter.name: decode_value(parameter.type, arguments[parameter.name], valuation) for parameter in parameters
    }
