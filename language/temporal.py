"""What must happen: properties of whole runs, and the fairness that they rest on. See docs/liveness.md.

@always_possible                    from every reachable state, some run reaches a state like this
@leads_to(then, weak(act), ...)     after every state like this comes one like `then`
@initially_leads_to(then, weak(act))     a run that begins in a state like this comes to one like `then`
@leads_to_always(then, weak(act))   after a state like this, from some time on all are like `then`
@always_eventually(weak(act))       again and again there is a state like this
@eventually_always(weak(act))       from some time on all states are like this
weak(act), strong(act, each="replica")      what is taken for granted of an action
weak(act, each=("from_", "to"))     of each pair of values;   weak(act, where=is_leader)     of some of its steps
limits_of(produce)              it is claimed of the runs that stay within the limits of an action

A run is an infinite sequence of states in which each step is one of the model or changes nothing: a run may stay where
it is for ever unless fairness keeps it going. `Specifying Systems` (Lamport 2002), chapter 8, has the same meaning.
"""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar, cast, overload

from .declare import (
    ActionName,
    DecoratorError,
    Fairness,
    KeptLimits,
    Mark,
    StepCondition,
    action_name,
    is_of_language,
    mark_function,
    mark_of,
    thing_text,
)

F = TypeVar("F", bound=Callable[..., Any])


def weak(
    action: ActionName,
    *more: ActionName,
    each: str | tuple[str, ...] | None = None,
    where: Callable[..., bool] | None = None,
) -> Fairness:
    """Weak fairness of an action: a run in which it can happen from some time on, and happens no more, is left out.

    Of several actions it is said as if they were one: some step of some of them can happen, and none does. `each` names
    a parameter that all of them have: then this is taken for granted of each of its values; several names, of each
    combination of their values. `where` is a predicate over the state and parameters of the actions, by their names:
    only steps before which it is true are meant, such as those of the member that leads. Only a step that changes the
    state counts, both as one that can happen and as one that does. TypeError for what names no action, for `each` that
    is not a name, and for `where` that is not a function.
    """
    return _fairness("weak", (action, *more), each, where)


def strong(
    action: ActionName,
    *more: ActionName,
    each: str | tuple[str, ...] | None = None,
    where: Callable[..., bool] | None = None,
) -> Fairness:
    """Strong fairness of an action: a run in which it can happen again and again, and happens no more from some time
    on, is left out. Several actions, `each` and `where` are as for `weak`."""
    return _fairness("strong", (action, *more), each, where)


def _fairness(word: str, actions: tuple[ActionName, ...], each: object, where: object) -> Fairness:
    names = tuple(map(action_name, actions))
    given = () if each is None else cast("tuple[object, ...]", each) if isinstance(each, tuple) else (each,)
    parameters = tuple(name for name in given if isinstance(name, str))
    if len(parameters) < len(given) or len(set(parameters)) < len(given) or each == ():
        raise DecoratorError(
            f"each of {word} names one parameter, or several in a tuple, and is given {thing_text(cast(object, each))}",
            f'{word}({", ".join(names)}, each="..."), with the name of a parameter of the action as a string',
        )
    if where is not None and (not isinstance(where, FunctionType) or is_of_language(where)):
        raise DecoratorError(
            f"where of {word} says of which steps, and is given {thing_text(where)}",
            f"{word}({', '.join(names)}, where=is_leader), where is_leader is a function of the state and parameters",
        )
    condition = None if where is None else StepCondition(where.__name__, where)
    return Fairness(names, word == "strong", parameters, condition)


def limits_of(action: ActionName, *more: ActionName) -> KeptLimits:
    """Says that a property is claimed of the runs that stay within the limits of some actions of clients or the
    protocol, as of runs in which producers have stopped in the end. Without it the property is undecided where a limit
    stops such an action in some state. Limits of faults bound every claim. TypeError for what names no action."""
    return KeptLimits(tuple(map(action_name, (action, *more))))


def always_possible(function: F) -> F:
    """Marks a predicate over a state, and claims that from every reachable state some run leads to a state where it is
    true: that nothing is ever stuck for good. It takes nothing for granted, and promises nothing of any single run.

    Further parameters stand for all their values: the claim is made of each of them.
    """
    return mark_function(function, Mark("always_possible"))


def leads_to(then: Callable[..., bool], *rests_on: Fairness | KeptLimits) -> Callable[[F], F]:
    """Marks a predicate over a state, and claims that in every run that is as `rests_on` says (fair, and within some
    limits), after each state where it is true comes one where `then` is true (or it is true there at once).

    `then` is a function with the same parameters; those after the state stand for all their values. TypeError for what
    is no function, or no fairness.
    """
    return _decorator_with_then("leads_to", then, rests_on)


def initially_leads_to(then: Callable[..., bool], *rests_on: Fairness | KeptLimits) -> Callable[[F], F]:
    """Marks a predicate over a state, and claims that every run as `rests_on` says that begins in a state where it is
    true comes to one where `then` is true. Of other runs it claims nothing. `then` is as for `leads_to`."""
    return _decorator_with_then("initially_leads_to", then, rests_on)


def leads_to_always(then: Callable[..., bool], *rests_on: Fairness | KeptLimits) -> Callable[[F], F]:
    """Marks a predicate over a state, and claims that in every run as `rests_on` says in which it is true in some state
    `then` is true from some time on, for ever. `then` is as for `leads_to`."""
    return _decorator_with_then("leads_to_always", then, rests_on)


def _decorator_with_then(role: Any, then: object, rests_on: tuple[object, ...]) -> Callable[[F], F]:
    if not isinstance(then, FunctionType) or is_of_language(then):
        raise DecoratorError(
            f"@{role} takes what comes then as a function, and is given {thing_text(then)}",
            f"@{role}(answered, weak(fetch)), where answered is a function of the same parameters",
        )
    return _mark_liveness(role, rests_on, (then,))


@overload
def always_eventually(function: F, /) -> F: ...
@overload
def always_eventually(*rests_on: Fairness | KeptLimits) -> Callable[[F], F]: ...
def always_eventually(*arguments: Any) -> Any:
    """Marks a predicate over a state, and claims that in every fair run it is true again and again, for ever."""
    return _decorate_with_fairness("always_eventually", arguments)


@overload
def eventually_always(function: F, /) -> F: ...
@overload
def eventually_always(*rests_on: Fairness | KeptLimits) -> Callable[[F], F]: ...
def eventually_always(*arguments: Any) -> Any:
    """Marks a predicate over a state, and claims that in every fair run it is true from some time on, for ever."""
    return _decorate_with_fairness("eventually_always", arguments)


def _decorate_with_fairness(role: Any, arguments: tuple[Any, ...]) -> Any:
    """The decorator, bare or with its fairness. WrongDecorator for an action in the place of its fairness, which looks
    the same as the bare decorator above an action."""
    if len(arguments) == 1 and isinstance(arguments[0], FunctionType) and not is_of_language(arguments[0]):
        before = mark_of(arguments[0])
        if before is not None and before.role == "action":
            name = arguments[0].__name__
            message = f"@{role} takes fairness or stands above a predicate, and is given the action {name}"
            raise DecoratorError(message, f"@{role}(weak({name}))")
        return mark_function(arguments[0], Mark(role))
    return _mark_liveness(role, arguments, ())


def _mark_liveness(role: Any, rests_on: tuple[object, ...], then: tuple[FunctionType, ...]) -> Callable[[F], F]:
    for one in rests_on:
        if not isinstance(one, Fairness | KeptLimits):
            written = f"@{role}(answered, weak(action))" if then else f"@{role}(weak(action))"
            raise DecoratorError(f"@{role} takes fairness, and is given {thing_text(one)}", written)
    kept = tuple(one for one in rests_on if isinstance(one, Fairness))
    within = tuple(name for one in rests_on if isinstance(one, KeptLimits) for name in one.actions)

    def mark(function: F) -> F:
        return mark_function(function, Mark(role, then=then, fairness=kept, respected_limits=within))

    return mark
