"""From a module to a `Model`: collects its marked functions, and binds them to values of the constants.

    definition = load("my_protocol.py")
    model = definition.bind(profile="kip320", constants={"replicas": 2})

`load` reads and imports; `bind` elaborates the text into typed forms and rebinds the author's functions for plain
Python. Neither keeps anything global: a definition can be bound many times, each time to a model of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, cast

from . import ir
from .abstractions import Abstractions
from .adaptation import KEY, Adaptations
from .collecting import Collector
from .constant_values import checked_value
from .constants import Constant, Value
from .declare import KINDS, Mark
from .errors import AbandonedError, Diagnostics, ModelErrors, UsageError, suggest_name
from .frontend.adapting import adaptations_of
from .frontend.annotations import Types
from .frontend.folding import Folder, has_false_guard
from .frontend.roles import (
    ActionText,
    budget_field,
    elaborate_action,
    elaborate_initial,
    elaborate_predicate,
    elaborate_projection,
    is_about_steps,
)
from .frontend.scope import Program, StateShape
from .frontend.source import argument_place, fields_of_state, globals_of_class
from .frontend.traversal import fields_read
from .immutable import immutable
from .impossible import Impossible, impossible_with
from .lanes import bound_view
from .liveness import check_fairness, conditions_of_steps, elaborate_predicates, predicates
from .model import LIVENESS, Field, Model
from .model_parts import PROPERTIES, ModelParts, is_checked
from .namespace import Namespace
from .text_modules import modules_of
from .types import Identity, Int
from .user_files import import_file


@immutable
class Definition:
    """A model's text, collected but not bound: its constants, profiles and marked functions.

    `constants` are in source order, their names filled in. `profiles` are named settings of them. Functions come
    with their marks, in source order.
    """

    name: str
    doc: str
    constants: Mapping[str, Constant]
    profiles: Mapping[str, Mapping[str, Value]]
    state_class: type[Any]
    functions: tuple[tuple[FunctionType, Mark], ...]
    files: tuple[str, ...]
    module: ModuleType
    domains: tuple[type[Any], ...] = ()
    view: Any = None
    notes: tuple[str, ...] = ()
    impossible: Impossible = ()

    def names(self, *roles: str) -> tuple[str, ...]:
        """The names of the functions with one of these roles, and of what refinements claim of whole runs."""
        own = (function.__name__ for function, mark in self.functions if mark.role in roles)
        return (*own, *(name for name, role in self._refined_claims() if role in roles))

    def _refined_claims(self) -> Iterator[tuple[str, str]]:
        for function, mark in self.functions:
            if mark.role == "refines" and mark.abstract is not None and (mark.fairness or mark.respected_limits):
                for its, of in load(mark.abstract).functions:
                    if of.role in LIVENESS:
                        yield f"{function.__name__}_{its.__name__}", of.role

    def bind(
        self,
        name: str | None = None,
        constants: Mapping[str, Value | str] | None = None,
        profile: str | None = None,
        open: Iterable[str] = (),
        ghosts: bool | frozenset[str] | None = True,
        properties: Iterable[str] | None = None,
        lemmas: bool = False,
    ) -> Model:
        """The model with these values: the constants' defaults, then the profile's, then `constants` (text is parsed).

        `open` names constants that compiled kernels take at run time. With `ghosts` False, ghost fields are folded
        away, and a property that reads one cannot be checked; None keeps those that a property reads, a set those that
        it names. Those that only lemmas read need a bound lemma. `properties` keeps only the named ones, lemmas too.
        `lemmas` binds all, as `Model.lemmas`. Raises UsageError for what is not there or out of range, and ModelErrors,
        with every mistake at once, when the model's text is wrong.
        """
        values = self.values(constants or {}, profile)
        opened = frozenset(open)
        for constant in sorted(opened - set(self.constants)):
            raise UsageError(f"no constant {constant} to leave open; {suggest_name(constant, self.constants)}")
        chosen = None if properties is None else frozenset(properties)
        known = self.names(*PROPERTIES, "lemma")
        for prop in sorted((chosen or frozenset()) - set(known)):
            raise UsageError(f"no property {prop}; {suggest_name(prop, known)}")
        title = name or (f"{self.name}:{profile}" if profile else self.name)
        made = _Binding(self, values, opened, ghosts, chosen, lemmas).bind_model(title)
        named, settings = self.values({}, profile), self.profiles.get(profile or "", {})
        return replace(made, impossible=impossible_with(self.impossible, profile, settings, named, values))

    def with_constants(self, model: Model, name: str, constant_values: Mapping[str, Value | str]) -> Model:
        """A model of this definition with other values of its open constants: its typed form is shared, so that one
        kernel serves both, and it is made in hundredths of a second. Raises UsageError for a constant that is not open.
        """
        for constant in sorted(set(constant_values) - model.open):
            raise UsageError(f"{model.name} was not bound with {constant} open; {suggest_name(constant, model.open)}")
        kept: Adaptations = model.namespace[KEY]
        refined = any(prop.refinement for prop in model.properties)
        if kept.ranges or kept.elements or refined or model.liveness:  # they go by values
            names = [prop.name for prop in (*model.properties, *model.liveness)]
            return self.bind(name, {**model.values, **constant_values}, None, model.open, model.ghosts_asked, names)
        values = {
            **model.values,
            **{key: checked_value(self.constants[key], value) for key, value in constant_values.items()},
        }
        sizes = {domain.name: domain.size for domain in model.domains}
        namespace = Namespace(values, self.state_class, model.fields, sizes, kept)
        run = {function.__name__: namespace.function(function) for function, _ in self.functions}
        return replace(
            model,
            name=name,
            values=values,
            initials=tuple(replace(start, run=run[start.name]) for start in model.initials),
            actions=tuple(
                replace(step, run=run[step.name], switched_off=has_false_guard(step.form.body, values))
                for step in model.actions
            ),
            properties=tuple(replace(prop, run=run[prop.name]) for prop in model.properties),
            terminals=tuple(replace(terminal, run=run[terminal.name]) for terminal in model.terminals),
            bounds=tuple(replace(bound, run=run[bound.name]) for bound in model.bounds),
            step_bounds=tuple(replace(bound, run=run[bound.name]) for bound in model.step_bounds),
            lemmas=tuple(replace(lemma, run=run[lemma.name]) for lemma in model.lemmas),
            projections=tuple(replace(view, run=run[view.name]) for view in model.projections),
            view=bound_view(self.view, namespace),
            namespace={**namespace.globals_of_all(modules_of(self.module)), model.state_name: namespace.shape},
        )

    def drop_fault_budgets(self, values: Mapping[str, Value]) -> Definition:
        """The same, of faults that may happen as often as they like, or never where their budget is 0: a budget is a
        bound of the search, and what is left of it is not part of what a refinement speaks of."""
        functions = tuple(
            (function, replace(mark, budget=None))
            for function, mark in self.functions
            if mark.budget is None or values.get(mark.budget) != 0
        )
        return replace(self, functions=functions)

    def values(self, constant_values: Mapping[str, Value | str], profile: str | None = None) -> dict[str, Value]:
        """The value of every constant. Raises UsageError for an unknown name or a value out of range."""
        if profile is not None and profile not in self.profiles:
            raise UsageError(f"{self.name} has no profile {profile}; {suggest_name(profile, self.profiles)}")
        values: dict[str, Value] = {name: constant.default for name, constant in self.constants.items()}
        values.update(self.profiles[profile] if profile is not None else {})
        for name, value in constant_values.items():
            if name not in self.constants:
                raise UsageError(f"{self.name} has no constant {name}; {suggest_name(name, self.constants)}")
            values[name] = checked_value(self.constants[name], value)
        return values


def load(path_or_module: str | Path | ModuleType, properties: Iterable[ModuleType] = ()) -> Definition:
    """The definition in a module, or in a user's own file, with the properties of further modules beside its own.

    A file is imported under a private name, afresh each time. Raises ModelErrors (TG0xx) when it cannot be read as a
    model, and UsageError when there is no such file.
    """
    diagnostics = Diagnostics()
    if isinstance(path_or_module, ModuleType):
        module, name = path_or_module, path_or_module.__name__.rpartition(".")[2]
    else:
        module, name = import_file(Path(path_or_module), diagnostics), Path(path_or_module).stem
    further = tuple(part for given in properties for part in modules_of(given))
    collected = Collector(module, further, diagnostics).collect()
    definition = Definition(
        name=name,
        doc=(module.__doc__ or "").strip(),
        constants=collected.constants,
        profiles=collected.profiles,
        state_class=collected.state_class,
        functions=collected.functions,
        files=collected.files,
        module=module,
        domains=collected.domains,
        view=vars(module).get("view"),
        notes=collected.notes,
        impossible=collected.impossible,
    )
    if diagnostics.count:  # with all else that is wrong in the text
        try:
            definition.bind()
        except ModelErrors as others:
            diagnostics.include(others)
        diagnostics.raise_if_any()
    return definition


# --- one binding -----------------------------------------------------------------------------------------------------


class _Binding:
    """Makes one model. Everything is elaborated before anything is folded, so that all mistakes are found at once."""

    def __init__(
        self,
        definition: Definition,
        values: dict[str, Value],
        open_names: frozenset[str],
        ghosts: bool | frozenset[str] | None,
        chosen_names: frozenset[str] | None,
        lemmas: bool,
    ) -> None:
        self.definition, self.values, self.opened, self.ghosts, self.chosen = (
            definition,
            values,
            open_names,
            ghosts,
            chosen_names,
        )
        self.lemmas = lemmas
        self.diagnostics = Diagnostics()
        self.types = Types(values, open_names, self.diagnostics)
        self.folder = Folder()
        self.abstractions = Abstractions(definition, load, values, self.types)

    def bind_model(self, title: str) -> Model:
        """The bound model. Raises ModelErrors with everything that is wrong."""
        domains = self._bound_domains()
        fields = self._state_fields()
        shape = StateShape(
            self.definition.state_class,
            {field.name: field.type for field in fields},
            frozenset(field.name for field in fields if field.ghost),
            self._broken_fields(fields),
        )
        program = Program(self.types, shape, self.diagnostics)
        texts = self._elaborate_functions(program)
        self._check_kinds()
        self._check_stops()
        budgets = self._budget_fields(fields)
        self.diagnostics.raise_if_any()
        gone = self._folded_ghosts(shape.ghosts, texts)
        fields = (*(field for field in fields if field.name not in gone), *budgets.values())
        sizes = self.abstractions.sizes | {domain.name: self._size_of_domain(domain) for domain in domains}
        spending = {function.__name__: mark.budget for function, mark in self.definition.functions}
        adapted = adaptations_of(texts, self.folder, tuple(shape.fields), gone, spending, program)
        images, names = self.abstractions.shapes, self.abstractions.names
        namespace = Namespace(self.values, self.definition.state_class, fields, sizes, adapted, images, names)
        parts = ModelParts(
            self.definition,
            self.values,
            self.opened,
            self.chosen,
            self.types,
            self.folder,
            self.abstractions,
            texts,
            namespace,
            budgets,
            shape,
            gone,
        )
        bound = namespace.globals_of_all(modules_of(self.definition.module))
        return Model(
            name=title,
            doc=self.definition.doc,
            constants=self.definition.constants,
            values=self.values,
            open=self.opened,
            ghosts=bool(self.lemmas or gone != shape.ghosts if self.ghosts is None else self.ghosts),
            ghosts_asked=self.ghosts,
            state_name=shape.name,
            fields=fields,
            domains=domains,
            initials=parts.initials(),
            actions=parts.actions(),
            properties=parts.properties(),
            terminals=parts.terminals(),
            bounds=parts.bounds(),
            step_bounds=parts.step_bounds(),
            lemmas=parts.lemmas() if self.lemmas else (),
            namespace={**bound, shape.name: namespace.shape},
            files=self.definition.files,
            view=bound_view(self.definition.view, namespace),
            notes=self.definition.notes,
            projections=parts.projections(),
            liveness=parts.liveness(),
            left_out=tuple(n for n in self.definition.names(*PROPERTIES) if self.chosen and n not in self.chosen),
        )

    def _size_of_domain(self, domain: Identity) -> int:
        return domain.size if domain.size_open is None else domain.size_open.value(self.values)

    def _bound_domains(self) -> tuple[Identity, ...]:
        found: list[Identity] = []
        for domain in self.definition.domains:
            try:
                found.append(cast(Identity, self.types.type_of_class(domain)))
            except AbandonedError:
                continue
        return tuple(found)

    # --- fields ------------------------------------------------------------------------------------------------------

    def _state_fields(self) -> tuple[Field, ...]:
        cls = self.definition.state_class
        found: list[Field] = []
        for declaring, source, name, annotated in fields_of_state(cls):
            if any(field.name == name for field in found):
                message = f"{declaring.__name__}.{name} is a field of {cls.__name__} already"
                self.diagnostics.add("TG009", source.where(annotated), message, "another name for the ghost")
                continue
            try:
                annotation = self.types.read_stored_annotation(
                    annotated.annotation, source, globals_of_class(declaring)
                )
            except AbandonedError:
                continue
            if annotation.type is None:
                self.diagnostics.add(
                    "TG209", source.where(annotated.annotation), "the state cannot hold itself", "a @record"
                )
                continue
            ghost = annotation.ghost or declaring is not cls
            found.append(Field(name, annotation.type, ghost, source.comment_of(annotated), source.where(annotated)))
        return tuple(found)

    def _broken_fields(self, fields: tuple[Field, ...]) -> frozenset[str]:
        declared = fields_of_state(self.definition.state_class)
        return frozenset(name for _, _, name, _ in declared) - {field.name for field in fields}

    def _check_kinds(self) -> None:
        """Notes actions of a kind that there is not: kinds decide what a deadlock is."""
        for function, mark in self.definition.functions:
            kind = cast(object, mark.kind)
            if not (isinstance(kind, str) and kind in KINDS):
                hint = suggest_name(kind, KINDS) if isinstance(kind, str) else f"one of the names {', '.join(KINDS)}"
                place = argument_place(function, kind)
                self.diagnostics.add("TG315", place, f"no kind of action is called {kind}", hint)

    def _check_stops(self) -> None:
        """Notes the actions that there are not, of those that a bound is meant to stop."""
        actions = [function.__name__ for function, mark in self.definition.functions if mark.role == "action"]
        for function, mark in self.definition.functions:
            if mark.stops and not is_about_steps(function):
                message = f"{function.__name__} says of states, not of steps, where the search ends"
                hint = "a bound of two states, before and after; or no stops=..."
                self.diagnostics.add("TG316", argument_place(function, mark.stops[0]), message, hint)
                continue
            for name in mark.stops:
                if name not in actions:
                    where = argument_place(function, name)
                    self.diagnostics.add("TG316", where, f"no action is called {name}", suggest_name(name, actions))

    def _budget_fields(self, fields: tuple[Field, ...]) -> dict[str, Field]:
        """The field that each fault budget adds to the state, in source order."""
        found: dict[str, Field] = {}
        for function, mark in self.definition.functions:
            if mark.role == "action" and mark.budget is not None and mark.budget not in found:
                type_ = self._budget_type(function, mark.budget, fields)
                if type_ is not None:
                    says = f"what is left of {mark.budget}"
                    found[mark.budget] = Field(budget_field(mark.budget), type_, False, says, None, mark.budget)
        return found

    def _budget_type(self, function: FunctionType, budget: str, fields: tuple[Field, ...]) -> Int | None:
        where, named = argument_place(function, budget), cast(object, budget)
        if not isinstance(named, str):
            name = named.name if isinstance(named, Constant) else "constant"
            self.diagnostics.add("TG306", where, "a budget is the name of a constant", f'budget="{name}"')
            return None
        constant = self.definition.constants.get(budget)
        if constant is None:
            integers = [name for name, candidate in self.definition.constants.items() if candidate.minimum is not None]
            self.diagnostics.add("TG306", where, f"no constant is called {budget}", suggest_name(budget, integers))
        elif constant.minimum is None or constant.minimum < 0:
            self.diagnostics.add(
                "TG306", where, f"{budget} does not count anything", "an integer constant with minimum=0"
            )
        elif any(field.name == budget_field(budget) for field in fields):
            message = f"the budget {budget} adds a field {budget_field(budget)}, and the state has one already"
            self.diagnostics.add("TG009", where, message, "another name for the field")
        else:
            interval = self.types.type_of_expression(constant)
            return Int(0, interval.hi, None, self.types.expression_if_open(constant))
        return None

    # --- functions ---------------------------------------------------------------------------------------------------

    def _elaborate_functions(self, program: Program) -> dict[FunctionType, Any]:
        """Every function's typed form before folding; those with mistakes are left out."""
        made: dict[FunctionType, Any] = {}
        program.bounds = tuple(
            function
            for function, mark in self.definition.functions
            if mark.role == "bound" and not is_about_steps(function)
        )
        for function, mark in self.definition.functions:
            if mark.role == "refines":
                continue
            try:
                if mark.role == "action":
                    made[function] = elaborate_action(program, function)
                elif mark.role == "initial":
                    made[function] = elaborate_initial(program, function)
                elif mark.role == "projection":
                    made[function] = elaborate_projection(program, function)
                elif mark.role in LIVENESS:
                    made |= elaborate_predicates(program, function, mark)
                else:
                    made[function] = elaborate_predicate(program, function, mark.role)
                    self._check_terminal(program, mark, made[function])
            except AbandonedError:
                continue
        check_fairness(self.definition.functions, made, self.diagnostics)
        return made | self.abstractions.elaborate_refinements(program)

    def _is_ghost_read(self, ghosts: frozenset[str], texts: Mapping[FunctionType, Any]) -> bool:
        """Whether a property that is bound reads a ghost."""
        bound = (marked for marked in self.definition.functions if is_checked(*marked, self.chosen))
        read = (fields_read(*texts[part].body) for marked in bound for part in predicates(*marked))
        return any(map(ghosts.intersection, read))

    def _folded_ghosts(self, ghosts: frozenset[str], texts: Mapping[FunctionType, Any]) -> frozenset[str]:
        """The ghost fields that are folded away: all, those not named, or those that serve nothing that is bound."""
        if isinstance(self.ghosts, frozenset):
            return ghosts - self.ghosts
        if self.ghosts is False or (self.ghosts is None and not self.lemmas and not self._is_ghost_read(ghosts, texts)):
            return ghosts
        if self.lemmas or (self.chosen or frozenset[str]()) & set(self.definition.names("lemma")):
            return frozenset()
        read: dict[bool, set[str]] = {True: set(), False: set()}
        for function, mark in self.definition.functions:
            by_need = self.ghosts is None and mark.role in PROPERTIES
            unread = mark.role == "lemma" or (by_need and not is_checked(function, mark, self.chosen))
            if mark.role not in ("action", "initial"):
                for elaborate_predicate in (*predicates(function, mark), *conditions_of_steps(mark)):
                    read[unread] |= set(fields_read(*texts[elaborate_predicate].body))
        gone = ghosts & read[True] - read[False]
        actions = (text.elaborated_function for text in texts.values() if isinstance(text, ActionText))
        return (
            frozenset()
            if any(elaborate_action.is_dependent_on(gone) for elaborate_action in actions)
            else frozenset(gone)
        )

    def _check_terminal(self, program: Program, mark: Mark, form: ir.Function) -> None:
        if mark.role not in ("terminal", "bound"):
            return
        what = "where a run may end" if mark.role == "terminal" else "how far the search goes"
        for field, where in fields_read(*form.body).items():
            if field in program.shape.ghosts:
                hint = "only properties, and assignments to ghost fields, read ghosts"
                self.diagnostics.add("TG303", where, f"{what} would depend on a ghost", hint)
