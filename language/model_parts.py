"""The parts of a bound model, of the elaborated text: its actions, properties, bounds and projections, folded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import FunctionType
from typing import Any, cast

from . import ir
from .abstractions import Abstractions, ModelDefinition
from .constants import Value
from .declare import Mark
from .frontend.annotations import Types
from .frontend.folding import Folder, has_false_guard
from .frontend.roles import ActionText, InitialText, add_budget, first_doc_line, is_about_steps
from .frontend.scope import StateShape
from .frontend.source import source_of_class
from .frontend.traversal import fields_read
from .immutable import immutable
from .liveness import conditions_of_steps, liveness, predicates
from .model import LIVENESS, Action, Field, Initial, Liveness, LivenessKind, Projection, Property, PropertyKind
from .namespace import Namespace
from .types import Int
from .where import Where

_PREDICATE_ROLES = ("invariant", "transition", "reachable", "refines")
PROPERTIES = (*_PREDICATE_ROLES, *LIVENESS)
"""The roles of functions that are checked unless properties are chosen by name; a lemma is checked only then."""


def is_checked(function: FunctionType, mark: Mark, chosen_names: frozenset[str] | None) -> bool:
    """Whether a function is a property of the model that is bound: all are but lemmas, unless some are chosen."""
    if chosen_names is None:
        return mark.role in PROPERTIES
    return mark.role in (*PROPERTIES, "lemma") and function.__name__ in chosen_names


@immutable
class ModelParts:
    """Makes the parts of a model with these values of its constants. `texts` are its elaborated functions, `budgets`
    the fields that hold what is left of each fault's budget, and `folded_ghosts` those that the model has not."""

    definition: ModelDefinition
    values: Mapping[str, Value]
    open_names: frozenset[str]
    chosen_names: frozenset[str] | None
    types: Types
    folder: Folder
    abstractions: Abstractions
    texts: Mapping[FunctionType, Any]
    namespace: Namespace
    budgets: Mapping[str, Field]
    shape: StateShape
    folded_ghosts: frozenset[str]

    def _functions_with_mark(self, *roles: str) -> list[tuple[FunctionType, Mark]]:
        return [(function, mark) for function, mark in self.definition.functions if mark.role in roles]

    def actions(self) -> tuple[Action, ...]:
        """The actions, in source order."""
        return tuple(self._action_of(function, mark) for function, mark in self._functions_with_mark("action"))

    def _action_of(self, function: FunctionType, mark: Mark) -> Action:
        text = cast(ActionText, self.texts[function])
        form = text.form(self.folder, self.folded_ghosts, mark.budget)
        off = has_false_guard(form.body, self.values)
        if mark.budget is not None:
            form = add_budget(form, mark.budget, cast(Int, self.budgets[mark.budget].type))
        doc = (function.__doc__ or "").strip()
        run = self.namespace.function(function)
        name = function.__name__
        stopping = (its.__name__ for its, mark in self._functions_with_mark("bound") if name in mark.stops)
        return Action(name, mark.kind, mark.budget, first_doc_line(doc), doc, form, run, off, next(stopping, None))

    def initials(self) -> tuple[Initial, ...]:
        """The initial functions, in source order."""
        extra = tuple(self._whole_budget(name, field) for name, field in self.budgets.items())
        made: list[Initial] = []
        for function, _mark in self._functions_with_mark("initial"):
            text = cast(InitialText, self.texts[function])
            form = text.form(self.folder, self.shape.fields, self.folded_ghosts, extra)
            made.append(
                Initial(function.__name__, (function.__doc__ or "").strip(), form, self.namespace.function(function))
            )
        return tuple(made)

    def _whole_budget(self, name: str, field: Field) -> ir.Expr:
        where = self._state_place()
        if name in self.open_names:
            return ir.OpenConst(name, self.types.type_of_expression(self.definition.constants[name]), where)
        value = cast(int, self.values[name])
        return ir.Const(value, Int(value, value), where)

    def _state_place(self) -> Where:
        source, node = cast(Any, source_of_class(self.definition.state_class))
        return source.where(node)

    def properties(self) -> tuple[Property, ...]:
        """The chosen properties, in source order: all but the lemmas, unless some are named."""
        found = self._functions_with_mark(*_PREDICATE_ROLES, "lemma")
        return tuple(
            self._property_of(function, mark)
            for function, mark in found
            if is_checked(function, mark, self.chosen_names)
        )

    def liveness(self) -> tuple[Liveness, ...]:
        """The chosen properties of whole runs, in source order."""
        found = self._functions_with_mark(*LIVENESS)
        own = (
            self._liveness_of(function, mark)
            for function, mark in found
            if is_checked(function, mark, self.chosen_names)
        )
        chosen = self.chosen_names
        mapped = self._functions_with_mark("refines")
        refined = (claim for function, mark in mapped for claim in self._claims_of_images(function, mark))
        return (*own, *(claim for claim in refined if chosen is None or chosen & {claim.name, claim.of}))

    def _claims_of_images(self, function: FunctionType, mark: Mark) -> Iterator[Liveness]:
        form, _ = self._form_of(function)
        image = self.namespace.function(function)
        return self.abstractions.liveness_of_refinement(function, mark, image, form is None, self.folder)

    def _liveness_of(self, function: FunctionType, mark: Mark) -> Liveness:
        its = (*predicates(function, mark), *conditions_of_steps(mark))
        runs = {predicate: self.namespace.function(predicate) for predicate in its}
        read = frozenset(field for predicate in its for field in fields_read(*self.texts[predicate].body))
        ghosts = (read & self.shape.ghosts, bool(read & self.folded_ghosts))
        kind = cast(LivenessKind, mark.role)
        return liveness(function, mark, kind, self.texts, runs, self.folder, self.values, ghosts)

    def lemmas(self) -> tuple[Property, ...]:
        """All lemmas, in source order."""
        return tuple(self._property_of(function, mark) for function, mark in self._functions_with_mark("lemma"))

    def terminals(self) -> tuple[Property, ...]:
        """The predicates of states that may end."""
        return tuple(self._property_of(function, mark) for function, mark in self._functions_with_mark("terminal"))

    def bounds(self) -> tuple[Property, ...]:
        """The predicates outside of which nothing happens."""
        marked = self._functions_with_mark("bound")
        return tuple(self._property_of(function, mark) for function, mark in marked if not is_about_steps(function))

    def step_bounds(self) -> tuple[Property, ...]:
        """The predicates of the steps that are taken."""
        return tuple(
            self._property_of(function, mark)
            for function, mark in self._functions_with_mark("bound")
            if is_about_steps(function)
        )

    def projections(self) -> tuple[Projection, ...]:
        """What a search may be asked to distinguish states by."""
        return tuple(self._projection_of(function) for function, _ in self._functions_with_mark("projection"))

    def _projection_of(self, function: FunctionType) -> Projection:
        form, read = self._form_of(function)
        says, run = first_doc_line(function.__doc__), self.namespace.function(function)
        return Projection(function.__name__, says, form, run, read)

    def _form_of(self, function: FunctionType) -> tuple[ir.Function | None, frozenset[str]]:
        """The folded form of a function of states, None where a ghost it reads is gone; and those ghosts."""
        text = cast(ir.Function, self.texts[function])
        read = frozenset(fields_read(*text.body)) & self.shape.ghosts
        return None if read & self.folded_ghosts else self.folder.fold_function(text), read

    def _property_of(self, function: FunctionType, mark: Mark) -> Property:
        form, read = self._form_of(function)
        role = "invariant" if mark.role in ("terminal", "bound", "lemma") else mark.role
        two = len(self.texts[function].states) == 2
        kind: PropertyKind = "transition" if two else cast(PropertyKind, role)
        run, says = self.namespace.function(function), first_doc_line(function.__doc__)
        if mark.role == "refines":
            return self.abstractions.property_of_refinement(function, mark, form, run, read, self.folder)
        return Property(function.__name__, kind, says, form, run, read)
