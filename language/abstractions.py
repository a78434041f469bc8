"""The abstract models that a model refines: each bound to the values that its refinement gives, and the refinements as
properties of the model."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from enum import Enum
from functools import partial
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Protocol, cast

from . import ir
from .constants import Constant, ConstantExpression, Value, expression_text
from .declare import STUTTERS, Mark
from .drafts import Shape
from .errors import AbandonedError, ModelErrors, UsageError
from .errors import suggest_name as closest
from .frontend.abstract_steps import image_type, predicate_of_image
from .frontend.annotations import Types
from .frontend.folding import Folder
from .frontend.refining import STATES, Relation, decorator_place, elaborate_refinement, step_place
from .frontend.roles import first_doc_line
from .frontend.scope import Program
from .judge import state_shape
from .liveness import bind_arguments
from .model import LIVENESS, Liveness, LivenessCase, Model, Property, Refinement
from .refinement import is_abstract_step
from .text_modules import modules_of
from .types import Int, Map, Option, Pool, Record, Seq, Type
from .values import State
from .values import replace as replaced


class ModelDefinition(Protocol):
    """What is asked here of a model's text, collected but not bound; `binding` has it."""

    @property
    def name(self) -> str: ...
    @property
    def constants(self) -> Mapping[str, Constant]: ...
    @property
    def state_class(self) -> type[Any]: ...
    @property
    def functions(self) -> tuple[tuple[FunctionType, Mark], ...]: ...
    @property
    def module(self) -> ModuleType: ...

    def names(self, *roles: str) -> tuple[str, ...]:
        """The names of the functions with one of these roles."""
        ...

    def values(self, constant_values: Mapping[str, Value | str]) -> Mapping[str, Value]:
        """The value of every constant. UsageError for what is out of range."""
        ...

    def drop_fault_budgets(self, values: Mapping[str, Value]) -> ModelDefinition:
        """The same, of faults that may happen as often as they like."""
        ...

    def bind(
        self,
        name: str,
        constants: Mapping[str, Value | str],
        *,
        open: Iterable[str] = (),
        ghosts: bool,
        properties: Iterable[str],
    ) -> Model:
        """The model with these values. ModelErrors for its text."""
        ...


Load = Callable[[ModuleType], ModelDefinition]


class Abstractions:
    """Those of one binding of a definition, whose constants have these values. `shapes` are what the `@state` classes
    of the abstract models stand for in the functions that make their states, `sizes` how many members their domains
    have, `names` what the names in their modules stand for.

    A refinement whose abstract model has the value of an open constant cannot be checked: kernels of several values
    share one typed form, and the abstract model is bound to one. Its property then has no form, and no engine says that
    it holds. Other constants may be open, which the mapping may read.
    """

    def __init__(self, definition: ModelDefinition, load: Load, values: Mapping[str, Value], types: Types) -> None:
        self.definition, self.load, self.values, self.types = definition, load, values, types
        self.models: dict[FunctionType, tuple[Model, Record]] = {}
        self.relations: dict[FunctionType, Relation] = {}
        self.shapes: dict[type[Any], Shape] = {}
        self.sizes: dict[str, int] = {}
        self.names: dict[ModuleType, Mapping[str, Any]] = {}
        self.of_open: dict[FunctionType, frozenset[str]] = {}

    def elaborate_refinements(self, program: Program) -> dict[FunctionType, ir.Function]:
        """The refinements' typed forms, elaborated after all else: from here on abstract states are types."""
        for function, mark in self.definition.functions:
            if mark.role == "refines":
                with suppress(AbandonedError):
                    self._bind_abstract_model(program, function, mark)
        said = {function: dict(mark.may_be) for function, mark in self.definition.functions}
        for function, (abstract, record) in self.models.items():
            with suppress(AbandonedError):
                self.relations[function] = elaborate_refinement(program, function, abstract, record, said[function])
        return {function: relation.form for function, relation in self.relations.items()}

    def property_of_refinement(
        self,
        function: FunctionType,
        mark: Mark,
        form: ir.Function | None,
        image: Callable[..., Any],
        ghosts: frozenset[str],
        folder: Folder,
    ) -> Property:
        """A refinement as a property: of every step, and of the initial states."""
        relation = self.relations[function]
        given = tuple((name, _text_of(value)) for name, value in mark.constant_values)
        mapping = folder.fold_function(relation.mapping)
        needs = self.of_open[function]
        image = self._image_function(function, image)
        made = Refinement(self.models[function][0], image, mapping, given, dict(mark.may_be), needs)
        if needs:
            form = None
        told = () if form is None else relation.action_forms.items()
        asked = tuple((name, folder.fold_function(action_relation)) for name, action_relation in told)
        says = first_doc_line(function.__doc__)
        start = None if form is None else folder.fold_function(relation.start)
        run = partial(is_abstract_step, made)
        return Property(function.__name__, "transition", says, form, run, ghosts, made, asked, start)

    def liveness_of_refinement(
        self, function: FunctionType, mark: Mark, image: Callable[..., Any], is_left_out: bool, folder: Folder
    ) -> Iterator[Liveness]:
        """What a refinement with fairness claims of whole runs: each property of the abstract model, of the images. One
        has no cases where the mapping reads ghosts that are `is_left_out`, or the abstract model rests on an open
        constant."""
        abstract, record = self.models[function]
        relation, image = self.relations[function], self._image_function(function, image)

        def of_images(predicate: Property, form: ir.Function, arguments: tuple[tuple[str, Any], ...]) -> Property:
            bound = folder.fold_function(bind_arguments(form, arguments, abstract.values))
            run = partial(_is_true_of_image, predicate.run, image)
            return Property(predicate.name, "invariant", predicate.says, bound, run)

        for claim in abstract.liveness:
            forms = [predicate_of_image(form, record, relation.image, STATES[0]) for form in claim.forms]
            cases = (
                LivenessCase(
                    case.arguments,
                    of_images(case.then, forms[-1], case.arguments),
                    None if case.when is None else of_images(case.when, forms[0], case.arguments),
                )
                for case in (() if is_left_out or self.of_open[function] else claim.cases)
            )
            yield Liveness(
                f"{function.__name__}_{claim.name}",
                claim.kind,
                claim.says,
                tuple(cases),
                () if claim.kind == "always_possible" else mark.fairness,
                relation.form.where,
                tuple(map(folder.fold_function, forms)),
                respected_limits=() if claim.kind == "always_possible" else mark.respected_limits,
                of=function.__name__,
            )

    def _image_function(self, function: FunctionType, image: Callable[..., Any]) -> Callable[[State], State]:
        """The author's function from states to those of the abstract model."""
        abstract, record = self.models[function]
        if record.python is self.definition.state_class:
            return _image_mapping(image, state_shape(abstract))
        return image

    def _bind_abstract_model(self, program: Program, function: FunctionType, mark: Mark) -> None:
        """Binds the abstract model of a refinement. Raises AbandonedError after noting what is wrong with the values
        that it gives, and ModelErrors for the abstract model's own text."""
        assert mark.abstract is not None, "the decorator takes a module"
        definition = self.load(mark.abstract)
        shared, cls = self._shared_constants(definition), definition.state_class
        is_own = cls is self.definition.state_class
        given = {name: self.values[name] for name in shared}
        needed = shared | {name for _, value in mark.constant_values for name in _constants_in(value)}
        self.of_open[function] = self.types.open & needed
        for name, value in mark.constant_values:
            found = self._value_for_constant(program, function, definition, name, value)
            if is_own:
                given[name] = found
            elif given.setdefault(name, found) != found:
                place, message = decorator_place(program, function, name), f"{name} is a constant of this model, too"
                if not self._is_constant_of_file(name):
                    file = Path(str(mark.abstract.__file__)).name
                    message += f": it comes along with what is imported from {file}"
                hint = f"@refines without {name}: both have one value, which --set or a profile gives"
                program.diagnostics.add("TG317", place, message, hint)
                raise AbandonedError
        name = Path(str(mark.abstract.__file__)).stem
        if name == "__init__":
            name = definition.name
        if is_own:
            said = ", ".join(f"{setting}={_text_of(given[setting])}" for setting, _ in mark.constant_values)
            name = f"{name} with {said}" if said else name
        boundless = definition.drop_fault_budgets(definition.values(given))
        claims = definition.names(*LIVENESS) if mark.fairness or mark.respected_limits else ()
        try:
            opened = (shared & self.types.open) - {setting for setting, _ in mark.constant_values}
            abstract = boundless.bind(name, given, open=opened, ghosts=False, properties=claims)
        except ModelErrors:  # its text may need a value for what is open here; if that is not it, it is said now
            abstract = boundless.bind(name, given, ghosts=False, properties=claims)
        self._check_steps(program, function, mark, definition, name)
        if is_own:
            self._bind_to_itself(program, function, mark, abstract)
            return
        own = (
            (constant, abstract.values[name]) for name, constant in definition.constants.items() if name not in shared
        )
        self.types.add_constants(own)
        record = image_type(abstract, cls)
        if not self.types.add_abstract_state(cls, record) or self._has_other_values(abstract, cls):
            message = f"another refinement gives the constants of {name} other values"
            program.diagnostics.add("TG317", decorator_place(program, function), message, "the same values for each")
            raise AbandonedError
        self.models[function] = abstract, record
        self.shapes.setdefault(cls, state_shape(abstract))
        for module in modules_of(mark.abstract):
            self.names.setdefault(module, abstract.namespace)
        self.sizes |= {domain.name: domain.size for domain in abstract.domains}

    def _bind_to_itself(self, program: Program, function: FunctionType, mark: Mark, abstract: Model) -> None:
        """Notes what a mapping to the model itself, with other values of its constants, makes: both have one text, and
        must have the same types but for how many messages there may be. Raises AbandonedError after noting another."""
        fields = program.shape.fields
        record = image_type(abstract, program.shape.python, fields)
        for name, type_ in record.fields:
            if not _are_one_but_for_bounds(type_, fields[name]):
                changed = ", ".join(setting for setting, _ in mark.constant_values)
                message = f"{name} is of another type where {changed} has the value that @refines gives"
                hint = "values of constants that switch actions on and off, or say how many messages are in flight"
                program.diagnostics.add("TG317", decorator_place(program, function), message, hint)
                raise AbandonedError
        self.models[function] = abstract, record

    def _check_steps(
        self, program: Program, function: FunctionType, mark: Mark, abstract: ModelDefinition, name: str
    ) -> None:
        """Raises AbandonedError after noting the actions that there are not, of those that a decorator names. A fault
        that its budget switches off is an action, which may be named and never happens."""
        wrong = False
        own = self.definition.names("action")
        ways = abstract.names("action")
        for action, allowed in mark.may_be:
            wrong |= self._has_unknown_action(program, function, action, (action,), own, "this model")
            named = tuple(way for way in allowed if way != STUTTERS)
            wrong |= self._has_unknown_action(program, function, action, named, ways, name)
            if not allowed:
                where = step_place(program, function, action)
                hint = "the abstract actions that it may be, or STUTTERS"
                program.diagnostics.add("TG317", where, f"{action} may be no abstract action at all", hint)
                wrong = True
        if wrong:
            raise AbandonedError

    def _has_unknown_action(
        self,
        program: Program,
        function: FunctionType,
        argument_name: str,
        names: Iterable[str],
        known_names: Iterable[str],
        model: str,
    ) -> bool:
        """Whether one of the names is not an action of a model; notes it where the decorator says what `argument_name`
        may be."""
        missing = [name for name in names if name not in known_names]
        for unknown in missing:
            where = step_place(program, function, argument_name)
            program.diagnostics.add(
                "TG317", where, f"{unknown} is not an action of {model}", closest(unknown, known_names)
            )
        return bool(missing)

    def _is_constant_of_file(self, constant: str) -> bool:
        """Whether a file of this model has a constant by name, which may else come along with something imported."""
        own = self.definition.constants[constant]
        return any(value is own for module in modules_of(self.definition.module) for value in vars(module).values())

    def _has_other_values(self, abstract: Model, cls: type[Any]) -> bool:
        """Whether another refinement has the same abstract model with other values of its constants."""
        return any(cls is other.python and abstract.values != model.values for model, other in self.models.values())

    def _shared_constants(self, abstract: ModelDefinition) -> frozenset[str]:
        """The constants that an abstract model has in common with this one."""
        own = self.definition.constants
        return frozenset(name for name, constant in abstract.constants.items() if own.get(name) is constant)

    def _value_for_constant(
        self, program: Program, function: FunctionType, abstract: ModelDefinition, name: str, given_value: Any
    ) -> Value:
        """What a decorator gives to a constant of the abstract model. Raises AbandonedError after noting what is
        wrong."""
        value = given_value
        if isinstance(given_value, Constant):
            value = self.values.get(given_value.name, given_value.default)
        elif isinstance(given_value, ConstantExpression):
            value = given_value.value(self.values)
        try:
            return abstract.values({name: cast(Value, value)})[name]
        except UsageError as error:
            place = decorator_place(program, function, name)
            message = f"the abstract model cannot be bound so: {error}"
            program.diagnostics.add(
                "TG317", place, message, "give values that the constants of the abstract model can have"
            )
            raise AbandonedError from None


def _is_true_of_image(predicate: Callable[[State], bool], image: Callable[[State], State], state: State) -> bool:
    """A predicate of the abstract model, of the image of a state."""
    return predicate(image(state))


def _are_one_but_for_bounds(abstract: Type, own: Type) -> bool:
    """Whether two types are one, but for the range of a number, and the room of a sequence or a set of records."""
    match abstract, own:
        case Int(), Int():
            return True
        case Option(), Option():
            return _are_one_but_for_bounds(abstract.of, own.of)
        case Seq(), Seq():
            return _are_one_but_for_bounds(abstract.of, own.of)
        case Pool(), Pool():
            return abstract.of == own.of and abstract.multiple == own.multiple
        case Map(), Map():
            return abstract.key == own.key and _are_one_but_for_bounds(abstract.value, own.value)
        case _:
            return abstract == own


def _image_mapping(image: Callable[..., Any], shape: Shape) -> Callable[[State], State]:
    """A mapping whose `replace(s, ...)` makes a state of the abstract model, which is the model itself with other
    constants."""
    function = cast(FunctionType, image)

    def make_image(record: Any, **changes: Any) -> Any:
        if not isinstance(record, State):
            return replaced(record, **changes)
        kept = {name: getattr(record, name) for name in shape.names if name not in changes}
        return shape(**kept, **changes)

    names = {
        name: make_image for name, value in function.__globals__.items() if value in (replaced, dataclasses.replace)
    }
    return FunctionType(
        function.__code__, {**function.__globals__, **names}, function.__name__, function.__defaults__,
        function.__closure__,
    )  # fmt: skip


def _text_of(given_value: Any) -> str:
    """What a decorator gives to a constant, as its author writes it."""
    if isinstance(given_value, ConstantExpression):
        return expression_text(given_value)
    if isinstance(given_value, Enum):
        return given_value.name
    return str(given_value).lower() if isinstance(given_value, bool) else str(given_value)


def _constants_in(given_value: Any) -> frozenset[str]:
    """The constants that a decorator's value depends on."""
    if isinstance(given_value, Constant):
        return frozenset({given_value.name})
    return frozenset(given_value.names()) if isinstance(given_value, ConstantExpression) else frozenset()
