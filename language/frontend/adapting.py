"""What plain Python has to know of the typed form: see `adaptation`, which puts it into the author's functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import FunctionType
from typing import Any

from .. import ir
from ..adaptation import Adaptations
from ..checks import TypeCheck, check_for
from ..constants import Value
from ..types import Int, Subset, Type
from ..where import Where
from .folding import Folder
from .membership import unchecked_elements
from .roles import ActionText, InitialText
from .scope import Program
from .traversal import places_of, traverse_forms


def adaptations_of(
    texts: Mapping[FunctionType, Any],
    folder: Folder,
    fields: Iterable[str],
    left_out: frozenset[str],
    budgets: Mapping[str, str | None],
    program: Program,
) -> Adaptations:
    """What the elaborated functions of a model say beyond Python.

    Of the state's `fields` those in `left_out` are ghosts that were folded away; `budgets` gives each action's budget
    by the action's name; `program` knows the constants' values, and the calls of step helpers.
    """
    dropped: set[Where] = set()
    guards: dict[tuple[str, str], frozenset[Where]] = {}
    forms: list[Any] = []
    for function, text in texts.items():
        body: tuple[ir.Statement, ...] = text.body if isinstance(text, ir.Function) else text.elaborated_function.body
        forms += body
        if isinstance(text, InitialText):
            forms += text.result.fields
            dropped |= {value.where for name, value in zip(fields, text.result.fields, strict=True) if name in left_out}
        if isinstance(text, (ActionText, InitialText)) and left_out:
            folded = folder.fold_body(body)
            dropped |= places_of(folded) - places_of(text.elaborated_function.drop_ghosts(left_out, folded))
        if isinstance(text, ActionText) and budgets[function.__name__] is not None:
            guards[function.__code__.co_filename, function.__name__] = _places_of_requires(folder.fold_body(body))
    everything = tuple(traverse_forms(*forms))
    needed, ranges = _unwrap_places(everything), _ranges_of_elements(everything, program.values)
    elements = _checks_of_elements(everything, program.values)
    copied = _calls_to_places((*needed, *dropped, *ranges, *elements, *program.pieces))
    calls, pieces = frozenset(program.calls), frozenset(program.pieces)
    return Adaptations(needed, frozenset(dropped), ranges, elements, guards, calls, pieces, copied)


def _calls_to_places(places: Iterable[Where]) -> frozenset[Where]:
    """The calls that lead to these places."""
    found: set[Where] = set()
    for place in places:
        call = place.call
        while call is not None:
            found.add(call)
            call = call.call
    return frozenset(found)


def _unwrap_places(everything: Iterable[Any]) -> frozenset[Where]:
    """Where a value is taken out of an option, but for the places at which Python or a store refuses None by itself,
    and those that come after None was asked for."""
    found: set[Where] = set()
    refused: set[int] = set()
    for node in everything:
        match node:
            case ir.Index(index=refusing) | ir.Contains(element=refusing):
                refused.add(id(refusing))
            case ir.Place(indexes=indexes):
                refused.update(map(id, indexes))
            case ir.Store(value=refusing) | ir.Append(value=refusing) | ir.Add(value=refusing):
                refused.add(id(refusing))
            case ir.Choice(condition=ir.IsNone(option=asked), no=otherwise):
                parts = traverse_forms(otherwise)
                refused.update(id(part) for part in parts if isinstance(part, ir.Unwrap) and part.where == asked.where)
            case ir.Unwrap() if id(node) not in refused:
                found.add(node.where)
            case _:
                pass
    return frozenset(found)


def _ranges_of_elements(everything: Iterable[Any], values: Mapping[str, Value]) -> dict[Where, tuple[int, int]]:
    """The elements of sets whose integers may lie outside what the set can hold, with what it can hold."""
    found: dict[Where, tuple[int, int]] = {}
    for node in everything:
        match node:
            case ir.MakeSubset(elements=elements, type=Subset(of=Int() as of)):
                pass
            case ir.Quantified(kind="set", body=element, type=Subset(of=Int() as of)):
                elements = (element,)
            case _:
                continue
        lo = of.lo if of.lo_open is None else of.lo_open.value(values)
        hi = of.hi if of.hi_open is None else of.hi_open.value(values)
        for element in elements:
            if not (isinstance(element.type, Int) and lo <= element.type.lo and element.type.hi <= hi):
                found[element.where] = (lo, hi)
    return found


def _checks_of_elements(everything: Iterable[Any], values: Mapping[str, Value]) -> dict[Where, TypeCheck]:
    """The records of sets that may not be of the set's type, with what checks that."""
    checks: dict[Type, TypeCheck] = {}
    found: dict[Where, TypeCheck] = {}
    for node in everything:
        for element, of in unchecked_elements(node):
            if of not in checks:
                checks[of] = check_for(of, values)
            found[element.where] = checks[of]
    return found


def _places_of_requires(body: tuple[ir.Statement, ...]) -> frozenset[Where]:
    return frozenset(
        statement.where for form in body for statement in traverse_forms(form) if isinstance(statement, ir.Require)
    )
