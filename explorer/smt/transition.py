"""Actions as formulas: for each action and each choice of replicas and enum members, when it may happen and what the
state is then, cell by cell, as expressions over the state before. There are no frame axioms: a cell that is not
written is the very same term."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import z3

from ..language.model import Action, Initial, Model
from .encoding import Encoding
from .predicate import Clause
from .shapes import Shape
from .states import SymbolicState
from .terms import Bit


@dataclass(frozen=True, slots=True)
class Instance:
    """An action with concrete replicas and enum members, and terms for the rest.

    `arguments` are all its parameters as shapes, in order; `concrete` those with a Python value (a `Domain` member, an
    enum member, None). `valid` says that the free arguments are in their ranges, or members of their pool (finite: a
    slot of it). The step happens iff `valid`, `guard` and `limit`; with `valid` it breaks the model iff not `defined`
    (then `guard`, `limit` and `post` mean nothing). Unbounded: `limit` is True. `assumptions` (unbounded only) define
    what loops without an end gave: true of the terms they introduce, to be asserted beside `guard`.
    """

    action: Action
    arguments: Mapping[str, Shape]
    concrete: Mapping[str, Any]
    valid: Bit
    guard: Bit
    limit: Bit
    defined: Bit
    post: SymbolicState
    assumptions: tuple[Clause, ...] = ()

    def argument_values(self, found: z3.ModelRef) -> dict[str, Any]:
        """The arguments of plain Python that a Z3 model gives (finite encoding)."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Start:
    """An initial function with some arguments: `state` under the condition `guard`, unless not `defined`."""

    initial: Initial
    arguments: Mapping[str, Shape]
    concrete: Mapping[str, Any]
    valid: Bit
    guard: Bit
    defined: Bit
    state: SymbolicState
    assumptions: tuple[Clause, ...] = ()


def instances(
    model: Model, encoding: Encoding, pre: SymbolicState, suffix: str = "", only: str | None = None
) -> list[Instance]:
    """Every instance of every action that is not switched off (of the action `only`), on one state. Terms that are
    introduced are named `...!suffix`. An instance whose guard is false whatever the state is left out.

    NotUnbounded when an action has no meaning in the encoding."""
    raise NotImplementedError


def starts(model: Model, encoding: Encoding, suffix: str = "") -> list[Start]:
    """Every initial function with its arguments."""
    raise NotImplementedError
