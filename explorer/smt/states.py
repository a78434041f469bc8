"""States as terms: fresh ones, constant ones, and back to the states of plain Python."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import z3

from ..language.model import Model
from ..language.values import State
from .encoding import Encoding
from .shapes import Shape
from .terms import Bit


@dataclass(frozen=True, slots=True)
class SymbolicState:
    """A state: the shape of every field, and `valid`, the constraint that they are values of their types.

    In the unbounded encoding the fields that hold what is left of a budget are not there.
    """

    fields: Mapping[str, Shape]
    valid: Bit


def fresh_state(model: Model, encoding: Encoding, suffix: str) -> SymbolicState:
    """A state of new variables, named `field...!suffix`."""
    raise NotImplementedError


def constant_state(model: Model, encoding: Encoding, state: State) -> SymbolicState:
    """A state of plain Python as terms (constants all of them). Finite encoding, or an unbounded one with closures."""
    raise NotImplementedError


def value_of(model: Model, found: z3.ModelRef, state: SymbolicState) -> State:
    """The state that a Z3 model gives the variables of a finite state; what it leaves open is the least value.
    ModelError when it is outside its types (then `valid` was not asserted)."""
    raise NotImplementedError
