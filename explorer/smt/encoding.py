"""The two encodings of a model's values, behind one interface.

*Finite*: every type within its bounds, numbers as bit-vectors; for bounded checking and for counterexamples to
induction. *Unbounded*: quantities have no upper end, numbers are integers, logs and histories are functions; for
proofs that hold whatever the bounds are.

A quantity loses its end when the constant that bounds it does. Which constants do is said by `boundless`: those that
occur in a `Range`, in a `Capacity`, or as a budget, in no size of a `Domain`, and whose value is not 0. A bound of 0
says that there is no such thing (`messages=0`: an exchange is one step; `crashes=0`: nobody crashes), and goes on
saying so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from ..language.binding import Definition
from ..language.constants import Value
from ..language.model import Model
from ..language.types import Type
from .shapes import Shape
from .terms import Bit, Numbers


def boundless(definition: Definition, model: Model) -> frozenset[str]:
    """The constants that lose their bound in the unbounded encoding of this model (see above)."""
    raise NotImplementedError


def unbounded_model(definition: Definition, model: Model) -> Model:
    """The same model with those constants open: `Unbounded(unbounded_model(...))` then gives them no value."""
    raise NotImplementedError


class Encoding(Protocol):
    """What the evaluator and the engines need of an encoding of one bound model.

    `values` are the constants' values; `boundless` names those that have none here.
    """

    numbers: Numbers
    values: Mapping[str, Value]
    boundless: frozenset[str]

    def fresh(self, type_: Type, name: str) -> tuple[Shape, Bit]:
        """A shape of new variables called `name...`, and the constraint that it is a value of the type. In the
        unbounded encoding functions are constrained where they are read: see `bounds_of`."""
        ...


def finite(model: Model) -> Encoding:
    """Everything within the model's bounds; open constants have their present values."""
    raise NotImplementedError


def unbounded(model: Model) -> Encoding:
    """Quantities bounded by the model's open constants have no upper end; other open constants have their values.
    `model` is one that `unbounded_model` made."""
    raise NotImplementedError
