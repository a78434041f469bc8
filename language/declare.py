"""The decorators of a model's text. They only mark; a model is made by collecting marked functions from a module.

@state, @ghosts, @record            data
@initial, @action                   behaviour
@invariant, @transition, @reachable, @terminal      what must hold, must be possible, may end
@bound                              how far the search goes
@always_possible, @leads_to, @always_eventually, ...     what must happen; see `temporal`
@projection                         what a search that is asked for it distinguishes states by
@refines(abstract, steps, constant=...)     the state as a more abstract model sees it, whose steps the model takes
@lemma                              what holds besides, and makes a proof by induction go through
@recursive                          a helper that calls itself, so deep and no deeper
require(...), limit(...)            guards of the protocol, guards of the bounds
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from types import FunctionType, ModuleType
from typing import Any, Literal, TypeAlias, TypeVar, cast, dataclass_transform, get_args, overload

from .constants import ConstantExpression, lift
from .immutable import immutable
from .ir import Function

Kind = Literal["protocol", "client", "fault"]
KINDS: tuple[str, ...] = get_args(Kind)
F = TypeVar("F", bound=Callable[..., Any])
C = TypeVar("C", bound=type[Any])
Stutters: TypeAlias = Literal["it stutters"]
STUTTERS: Stutters = "it stutters"
"""What `@refines` calls a step that changes nothing of the abstract state: no name that an action can have."""
ActionName: TypeAlias = Callable[..., None] | str
"""An action: its function, or its name."""

MARK, DEPTH = "__tidegate__", "__tidegate_depth__"
PRIVATE = "_tidegate_"
"""How the names begin under which a user's file, and the files beside it, are imported."""


@immutable
class StepCondition:
    """Which steps a fairness is about: those before which a predicate over the state and some parameters of the actions
    is true. `form` and `run` are its meaning in a bound model; before, `run` is the author's function."""

    name: str
    run: Callable[..., bool]
    form: Function | None = None

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters of the actions that it reads."""
        return () if self.form is None else tuple(name for name, _ in self.form.parameters)


@immutable
class Fairness:
    """What a property takes for granted of an action, or of several as if they were one, by their names. `strong`: what
    can happen again and again happens again and again; else, weakly, what can happen from some time on happens again
    and again. `parameters` names those of whose values this is said one by one, of several of each combination; empty
    says it of all steps together. `where` says of which steps alone."""

    actions: tuple[str, ...]
    strong: bool
    parameters: tuple[str, ...] = ()
    where: StepCondition | None = None

    def text(self) -> str:
        """`weak(fetch, each=follower)`, `weak(pass_on, each=(sender, receiver), where=is_leader)`."""
        named = self.parameters[0] if len(self.parameters) == 1 else f"({', '.join(self.parameters)})"
        parts = [f"each={named}"] if self.parameters else []
        parts += [] if self.where is None else [f"where={self.where.name}"]
        return f"{'strong' if self.strong else 'weak'}({', '.join([*self.actions, *parts])})"


@immutable
class KeptLimits:
    """That a property is claimed of the runs that stay within the limits of some actions, by their names."""

    actions: tuple[str, ...]

    def text(self) -> str:
        """`limits_of(produce)`."""
        return f"limits_of({', '.join(self.actions)})"


@immutable
class Mark:
    """What a decorator leaves on a function or class: its role, an action's kind and budget, the names of the actions
    that a bound of steps stops altogether, and a refinement's abstract model with the values `constant_values` to its
    constants and, for some actions, the abstract actions that they `may_be`. Of a property of liveness, the predicate
    that is true `then` (of `leads_to` and its like), the fairness that it rests on, and the actions `respected_limits`
    whose limits the runs stay of which it is claimed."""

    role: Literal[
        "state",
        "ghosts",
        "record",
        "initial",
        "action",
        "invariant",
        "transition",
        "reachable",
        "terminal",
        "bound",
        "lemma",
        "projection",
        "refines",
        "always_possible",
        "leads_to",
        "initially_leads_to",
        "leads_to_always",
        "always_eventually",
        "eventually_always",
    ]
    kind: Kind = "protocol"
    budget: str | None = None
    stops: tuple[str, ...] = ()
    abstract: ModuleType | None = None
    constant_values: tuple[tuple[str, Any], ...] = ()
    may_be: tuple[tuple[str, tuple[str, ...]], ...] = ()
    then: tuple[FunctionType, ...] = ()
    fairness: tuple[Fairness, ...] = ()
    respected_limits: tuple[str, ...] = ()


def mark_of(thing: object) -> Mark | None:
    """The mark that a decorator left on `thing` itself, or None."""
    mark = vars(thing).get(MARK) if hasattr(thing, "__dict__") else None
    return mark if isinstance(mark, Mark) else None


_LANGUAGE = __name__.rpartition(".")[0]


def is_of_language(thing: object) -> bool:
    """Whether a class or function is one of the language's own, such as `Seq` or `require`: a module that imports one
    is written in the language, if only in helpers."""
    module = getattr(thing, "__module__", None)
    return isinstance(module, str) and (module == _LANGUAGE or module.startswith(_LANGUAGE + "."))


class DecoratorError(TypeError):
    """A decorator is given what it does not take. `instead` says how it is written."""

    def __init__(self, message: str, instead: str) -> None:
        super().__init__(message)
        self.instead = instead


def mark_function(function: F, mark: Mark) -> F:
    """The function, with its mark on it. WrongDecorator for anything but a function of the model, which is a decorator
    with parentheses or above an unfinished one; and for a second role, which would take the place of the first."""
    if not hasattr(function, "__dict__") or is_of_language(function):
        message = f"@{mark.role} stands above a function of the model, and is given {thing_text(function)}"
        raise DecoratorError(message, f"@{mark.role} alone, above the function")
    _check_first_role(function, mark.role)
    setattr(function, MARK, mark)
    return function


def _check_first_role(thing: Any, role: str) -> None:
    """Nothing has two roles: the second mark would replace the first, and nothing would check what that one says."""
    before = mark_of(thing)
    if before is not None:
        message = f"{thing.__name__} has the role @{before.role} already, and @{role} would take its place"
        what = "a class" if isinstance(thing, type) else "a function"
        raise DecoratorError(message, f"{what} of its own for each role")


def thing_text(thing: object) -> str:
    """What a decorator is given, as a message says it: functions and classes by their names."""
    if isinstance(thing, FunctionType) and "<locals>" in thing.__qualname__ and is_of_language(thing):
        return "a decorator that lacks its arguments"
    return str(thing.__name__) if isinstance(thing, (FunctionType, type)) else repr(thing)


@dataclass_transform(kw_only_default=True)
def state(cls: C) -> C:
    """Marks the one class whose fields are the model's state."""
    _check_first_role(cls, "state")
    setattr(cls, MARK, Mark("state"))
    return cls


def ghosts(cls: C) -> C:
    """Marks a class of ghost fields, which stand beside the state: the `@state` class that names it as a base has them
    after its own. They begin blank, and no `@initial` function names them: a number as the least of its range, a set or
    a sequence empty, an option None, a bool False, an enum's first member, a map or a record with blank values.

    DecoratorError for a field with a value.
    """
    _check_first_role(cls, "ghosts")
    for name in cls.__annotations__:
        if name in vars(cls):
            message = (
                f"the ghost {cls.__name__}.{name} is given a value, and ghosts of a class of their own begin blank"
            )
            raise DecoratorError(message, f"{name}: without a value; or Ghost[...] in the @state class")
    setattr(cls, MARK, Mark("ghosts"))
    return cls


def ghosts_of(state_class: type[Any]) -> tuple[type[Any], ...]:
    """The classes of ghosts that a `@state` class names as bases."""
    marks = ((base, mark_of(base)) for base in state_class.__mro__[1:])
    return tuple(base for base, mark in marks if mark is not None and mark.role == "ghosts")


@dataclass_transform(frozen_default=True)
def record(cls: C) -> C:
    """Marks an immutable record and makes it a frozen dataclass, equal by its fields."""
    _check_first_role(cls, "record")
    made: Any = dataclasses.dataclass(frozen=True)(cls)
    setattr(made, MARK, Mark("record"))
    return made


def initial(function: F) -> F:
    """Marks a function that returns an initial state. Its parameters range over all their values."""
    return mark_function(function, Mark("initial"))


@overload
def action(function: F) -> F: ...
@overload
def action(*, kind: Kind = ..., budget: str | None = ...) -> Callable[[F], F]: ...
def action(function: F | None = None, *, kind: Kind = "protocol", budget: str | None = None) -> F | Callable[[F], F]:
    """Marks a step of the model: a function of the draft state and parameters.

    `kind` says who acts: the protocol, a client, or a fault. `budget` names a constant: how often this and other
    actions with the same budget may happen; what is left is part of the state, and spending it is a limit.
    """

    def mark(function: F) -> F:
        return mark_function(function, Mark("action", kind, budget))

    return mark if function is None else mark(function)


def invariant(function: F) -> F:
    """Marks a predicate over a state that must hold in every reachable state."""
    return mark_function(function, Mark("invariant"))


def lemma(function: F) -> F:
    """Marks a predicate over a state that a proof by induction rests on: with the other lemmas it holds at first, and
    every step keeps them. One over `before` and `after` is proved of every step from a state where the others hold.

    `check` checks it only when it is asked for by name, and then as an invariant or a transition property.
    """
    return mark_function(function, Mark("lemma"))


def transition(function: F) -> F:
    """Marks a predicate over `before` and `after` that must hold of every step."""
    return mark_function(function, Mark("transition"))


def reachable(function: F) -> F:
    """Marks a witness: a predicate over a state that some reachable state must satisfy."""
    return mark_function(function, Mark("reachable"))


def terminal(function: F) -> F:
    """Marks a predicate over states that may end: no action enabled there is no deadlock."""
    return mark_function(function, Mark("terminal"))


@overload
def bound(function: F) -> F: ...
@overload
def bound(*, stops: str | tuple[str, ...]) -> Callable[[F], F]: ...
def bound(function: F | None = None, **options: Any) -> F | Callable[[F], F]:
    """Marks a predicate that bounds the search of the whole model. Of one state: a state in which it is false is
    checked by every property, and nothing happens from there. Of two, before and after: a step of which it is false is
    not taken.

    It belongs to the bounds, as a `limit` does: such a state, or one where it stops a step of the protocol or a client,
    is no deadlock; the verdict says how many there are. A proof takes the first as it takes a limit, and leaves out the
    other.

    `stops` names the actions that a bound of steps is meant to stop altogether: that they never happen is no
    warning, and that one does makes the result vacuous. WrongDecorator for anything else between the parentheses.
    """
    names = _stopped_actions(function, options)

    def mark(function: F) -> F:
        return mark_function(function, Mark("bound", stops=names))

    return mark if function is None else mark(function)


def _stopped_actions(function: object, options: dict[str, Any]) -> tuple[str, ...]:
    """The names of the actions that `@bound(stops=...)` is given."""
    if isinstance(function, str):
        raise DecoratorError("@bound takes the actions that it stops by keyword", f'@bound(stops="{function}")')
    if function is None and list(options) != ["stops"]:
        given = ", ".join(options) or "nothing"
        raise DecoratorError(f"@bound takes stops=..., and {given} is given", '@bound, or @bound(stops="action")')
    found: object = options.get("stops", ())
    names = (found,) if isinstance(found, str) else found
    listed = cast("tuple[object, ...]", names) if isinstance(names, tuple) else ()
    if function is None and not (listed and all(isinstance(name, str) for name in listed)):
        message = f"stops={found!r} names no action"
        raise DecoratorError(message, 'stops="action", or stops=("action", "other"); @bound where it stops none')
    return cast("tuple[str, ...]", listed)


def projection(function: F) -> F:
    """Marks a function of a state to a value that a search can distinguish states by, as TLC's VIEW does: asked for by
    name, it keeps one state for each value.

    What such a search finds is real. What it does not find may be there: two states of one value may differ in what
    follows, so that the search is inconclusive when it found nothing. A model that is not asked so is not changed.
    """
    return mark_function(function, Mark("projection"))


def refines(
    abstract: ModuleType,
    /,
    *details: Mapping[Any, ActionName | tuple[ActionName, ...]] | Fairness | KeptLimits,
    **constant_values: Any,
) -> Callable[[F], F]:
    """Marks a function from the state to the state of an abstract model, and claims that the model refines it: the
    image of every initial state is an initial state there, and the images of the two ends of every step are equal, or
    one action of the abstract model leads from one to the other (Abadi and Lamport 1991).

    A dict of steps says more of some actions: which abstract action each of them is, or which of several, STUTTERS
    among them where its steps may change nothing; such an action does nothing else. Actions are functions or their
    names. With fairness of its actions, such as `weak(step)`, it also claims what the abstract model claims of whole
    runs: each such property, of the images of the states of the runs that are as fair.

    `abstract` is the abstract model's module. `constant_values` are values of its constants: numbers, bools, members of
    enums, or expressions over the model's own constants; a constant that both models share has the model's value, and
    any other its default. TypeError, at the decorator's line, for what is not a module, or steps that name no actions.
    """
    if not isinstance(cast(object, abstract), ModuleType):
        raise TypeError("@refines takes the module of the abstract model: import hour_clock; @refines(hour_clock)")
    fair = tuple(one for one in details if isinstance(one, Fairness))
    within = tuple(name for one in details if isinstance(one, KeptLimits) for name in one.actions)
    steps = [one for one in details if not isinstance(one, Fairness | KeptLimits)]
    if len(steps) > 1 or any(one.where is not None for one in fair):
        raise TypeError("@refines takes one dict of steps, and fairness without where=")
    may_be = _steps_by_name(steps[0] if steps else {})
    made = Mark(
        "refines",
        abstract=abstract,
        constant_values=tuple(constant_values.items()),
        may_be=may_be,
        fairness=fair,
        respected_limits=within,
    )

    def mark(function: F) -> F:
        return mark_function(function, made)

    return mark


def _steps_by_name(steps: object) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What `@refines` says of actions, by name. TypeError for what names none."""
    if not isinstance(steps, Mapping):
        raise TypeError("@refines takes steps as a dict, from actions to abstract actions: {tick: hour_clock.advance}")
    given = cast(Mapping[object, object], steps)
    return tuple((action_name(key), tuple(map(action_name, _as_tuple(allowed)))) for key, allowed in given.items())


def _as_tuple(one_or_several: object) -> tuple[object, ...]:
    return cast(tuple[object, ...], one_or_several) if isinstance(one_or_several, tuple) else (one_or_several,)


def action_name(action_or_name: object) -> str:
    """The name of an action that is given as a function or by its name. TypeError for what is neither."""
    if isinstance(action_or_name, str):
        return action_or_name
    if isinstance(action_or_name, FunctionType) and not is_of_language(action_or_name):
        return action_or_name.__name__
    raise TypeError(f"actions are given as functions or names, and {thing_text(action_or_name)} is neither")


def recursive(*, depth: int) -> Callable[[F], F]:
    """Marks a helper that returns a value and calls itself, at most `depth` calls deep below the first; a number or an
    expression over constants.

    Engines unroll it so far. A call that is deeper is an error of the model, in every engine.
    """

    def mark(marked: F) -> F:
        setattr(marked, DEPTH, lift(depth))
        return marked

    return mark


def depth_of(function: object) -> ConstantExpression | None:
    """How deep a helper may call itself; None for one that may not."""
    found = vars(function).get(DEPTH) if hasattr(function, "__dict__") else None
    return found if isinstance(found, ConstantExpression) else None


class DisabledError(Exception):
    """Raised by `require(False)` in a plain-Python run: the step is not enabled here."""


class LimitError(Exception):
    """Raised by `limit(False)` in a plain-Python run: the bounds stop the step here."""


def require(condition: bool) -> None:
    """A guard of the protocol: the step can happen only where it holds. Comes before the first write."""
    if not condition:
        raise DisabledError


_limits_count = ContextVar("_limits_count", default=True)


@contextmanager
def limits_lifted() -> Generator[None]:
    """Inside of it no `limit` stops a step: what the step would do is seen."""
    token = _limits_count.set(False)
    try:
        yield
    finally:
        _limits_count.reset(token)


def limit(condition: bool) -> None:
    """A guard of the bounds, not of the protocol: log full, no epoch left. Comes after every `require`."""
    if not condition and _limits_count.get():
        raise LimitError
