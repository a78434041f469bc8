"""A model as a value: one protocol, bound to its constants, with its properties. Engines take it as an argument.

`binding` makes it from a module; nothing here is global. Each function is held twice: `form`, its typed form for
engines, and `run`, the author's own Python function over a namespace in which constants and domains have their values,
for the judge.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any, Literal, get_args

from .constants import Constant, Value
from .declare import Fairness, Kind
from .forms import ActionForm, InitialForm
from .immutable import immutable
from .ir import Function
from .types import Identity, Type
from .values import State
from .where import Where

PropertyKind = Literal["invariant", "transition", "reachable"]
LivenessKind = Literal[
    "always_possible", "leads_to", "initially_leads_to", "leads_to_always", "always_eventually", "eventually_always"
]
LIVENESS: tuple[LivenessKind, ...] = get_args(LivenessKind)


@immutable
class Field:
    """A field of the state: its type, whether it is a ghost, the comment beside it, and, for the synthetic field that
    holds what is left of a fault budget, the budget constant's name."""

    name: str
    type: Type
    ghost: bool
    says: str
    where: Where | None
    budget: str | None = None


@immutable
class Action:
    """An action. `sentence` is the docstring's first line, a template; `switched_off` when a constant guard is false,
    which is a matter of the profile, and nobody is warned of it (open constants are taken with their present values).
    `stopped_by` is the `@bound` of steps that is meant to stop it altogether."""

    name: str
    kind: Kind
    budget: str | None
    sentence: str
    doc: str
    form: ActionForm
    run: Callable[..., None] = dataclasses.field(compare=False, repr=False)
    switched_off: bool = False
    stopped_by: str | None = None


@immutable
class Initial:
    """An initial function."""

    name: str
    doc: str
    form: InitialForm
    run: Callable[..., Any] = dataclasses.field(compare=False, repr=False)


@immutable
class Property:
    """An invariant, a transition property or a witness. `says` is its docstring's first line. `ghosts` are the ghost
    fields it reads; with ghosts off a property that reads one is not applicable and its `form` is None. One made by
    `@refines` is a transition property with a `refinement`, which asks for more: see there. Of an action of which a
    refinement says what it may be, `action_forms` has what is asked of its steps in place of `form`; `start` is what it
    asks of initial states."""

    name: str
    kind: PropertyKind
    says: str
    form: Function | None
    run: Callable[..., bool] = dataclasses.field(compare=False, repr=False)
    ghosts: frozenset[str] = frozenset()
    refinement: Refinement | None = dataclasses.field(default=None, compare=False, repr=False)
    action_forms: tuple[tuple[str, Function], ...] = ()
    start: Function | None = None

    def form_of(self, action: str) -> Function | None:
        """What is asked of the steps of an action."""
        return dict(self.action_forms).get(action, self.form)

    @property
    def applicable(self) -> bool:
        """Whether this model can evaluate the property at all."""
        return self.form is not None


@immutable
class Refinement:
    """An abstract model, bound, the author's function from states to its states, and for some actions the names of the
    abstract actions that each `may_be`, STUTTERS among them; any other action may be any. `mapping` is the typed form
    of the function, `constant_texts` the text of what the author gives to constants of the abstract model, `needs` the
    open constants of the model whose values the abstract model has: where there are any, no engine checks the
    refinement."""

    abstract: Model
    image: Callable[[State], State]
    mapping: Function
    constant_texts: tuple[tuple[str, str], ...] = ()
    may_be: Mapping[str, tuple[str, ...]] = dataclasses.field(default_factory=dict[str, tuple[str, ...]])
    needs: frozenset[str] = frozenset()


@immutable
class LivenessCase:
    """A property of liveness for one combination of values of its parameters: what is true `then`, and of `leads_to`
    and its like the predicate `when` after which that comes. Both are predicates over one state."""

    arguments: tuple[tuple[str, Any], ...]
    then: Property
    when: Property | None = None


@immutable
class Liveness:
    """A property of whole runs, claimed in each of its cases, of the runs that are fair. `forms` are its predicates
    before their parameters have values: its own, and of `leads_to` and its like what comes then. `ghosts` are the ghost
    fields it reads; with ghosts off one that reads them has no cases, and is not applicable. `respected_limits` are
    actions within whose limits the runs stay of which it is claimed. `of` names the refinement whose abstract model
    claims it."""

    name: str
    kind: LivenessKind
    says: str
    cases: tuple[LivenessCase, ...]
    fairness: tuple[Fairness, ...]
    where: Where
    forms: tuple[Function, ...]
    ghosts: frozenset[str] = frozenset()
    respected_limits: tuple[str, ...] = ()
    of: str = ""

    @property
    def applicable(self) -> bool:
        """Whether this model can evaluate the property at all."""
        return bool(self.cases)


@immutable
class Projection:
    """A function of the state to a value, by which a search that is asked for it distinguishes states. `ghosts` are the
    ghost fields it reads; `form` is None where one of them was folded away."""

    name: str
    says: str
    form: Function | None
    run: Callable[..., Any] = dataclasses.field(compare=False, repr=False)
    ghosts: frozenset[str] = frozenset()


@immutable
class Model:
    """A bound model.

    `name` is what the user typed, profile included (`replication:kip320`). `constants` are the declarations in source
    order, `values` their values; `open` names those left open in compiled kernels (the judge always uses `values`).
    `terminals` are predicates of states that may end; where one of the `bounds` is false nothing happens, and a step of
    which one of the `step_bounds` is false is not taken. `projections` are what a search may be asked to distinguish
    states by. `liveness` are the properties of whole runs, which are not among `properties`.
    `lemmas` are what a proof by induction rests on, when the model was bound for one: invariants and
    transitions that no search checks unless they are `properties` too.
    `namespace` is the bound namespace in which sentence templates and step texts are evaluated. `files` are the source
    files the text came from. `left_out` are the names of properties that it is not bound to, since others were chosen.
    `impossible` are actions and witnesses that its profile is said to make impossible. `ghosts` is whether ghost fields
    are kept, and `ghosts_asked` what was asked of them, of which None keeps those that are read, and a set those that
    it names.
    """

    name: str
    doc: str
    constants: Mapping[str, Constant]
    values: Mapping[str, Value]
    open: frozenset[str]
    ghosts: bool
    state_name: str
    fields: tuple[Field, ...]
    domains: tuple[Identity, ...]
    initials: tuple[Initial, ...]
    actions: tuple[Action, ...]
    properties: tuple[Property, ...]
    terminals: tuple[Property, ...]
    namespace: Mapping[str, Any] = dataclasses.field(compare=False, repr=False)
    files: tuple[str, ...] = ()
    lemmas: tuple[Property, ...] = ()
    bounds: tuple[Property, ...] = ()
    step_bounds: tuple[Property, ...] = ()
    view: Any = None
    notes: tuple[str, ...] = ()
    projections: tuple[Projection, ...] = ()
    liveness: tuple[Liveness, ...] = ()
    left_out: tuple[str, ...] = dataclasses.field(default=(), compare=False)
    impossible: tuple[str, ...] = dataclasses.field(default=(), compare=False)
    ghosts_asked: bool | frozenset[str] | None = dataclasses.field(default=None, compare=False)

    def __repr__(self) -> str:
        """One line, for a prompt: the fields have everything."""
        return f"<Model: {self.name}, {len(self.actions)} actions, {len(self.properties)} properties>"

    @property
    def not_checked(self) -> tuple[str, ...]:
        """The names of the properties that cannot be checked, since they read ghost fields that were folded away."""
        return tuple(prop.name for prop in self.properties if not prop.applicable)

    def field(self, name: str) -> Field:
        """The state field `name`; KeyError if there is none."""
        return {field_.name: field_ for field_ in self.fields}[name]

    def action(self, name: str) -> Action:
        """The action `name`; KeyError if there is none."""
        return {action.name: action for action in self.actions}[name]
