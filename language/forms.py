"""The typed form of what a model declares: its actions and initial functions, with the parameters that they range over.
`ir` is what they are made of."""

from __future__ import annotations

from .immutable import immutable
from .ir import MakeState, Statement
from .types import Type
from .where import Where


@immutable
class Parameter:
    """A parameter of an action or of an initial function and the values it ranges over.

    `pool` is the state field whose members it ranges over (then `type` is that pool's record); otherwise it takes
    every value of its finite type: a scalar, or a `Subset` of one (all subsets, in the order of their bit masks).
    """

    name: str
    type: Type
    pool: str | None
    where: Where


@immutable
class ActionForm:
    """An action: guards, then writes. `state` is the name the author gave the draft state.

    `reads` and `writes` are the state fields it may read and write, for the dependency matrix.
    """

    name: str
    state: str
    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]
    reads: frozenset[str]
    writes: frozenset[str]
    where: Where


@immutable
class InitialForm:
    """An initial function: its parameters, statements (`Let`, `Require`, `If`, `For`) and the state it returns."""

    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]
    result: MakeState
    where: Where
