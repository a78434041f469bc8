"""The judge: what a bound model means, in plain Python. Every engine is tested against it; every counterexample is
replayed by it before it is shown.

    for state in initial_states(model):
        for step in steps(model, state):
            print(step.action, step.arguments, step.state_after)

It runs the author's own functions, so `print` and `pdb` work. Everything is enumerated in one order: initial functions
and actions as the source has them, parameters leftmost slowest, domains in declaration order, records field by field.
"""

from __future__ import annotations

import bdb
import itertools
import linecache
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import TracebackType
from typing import Any, cast

from .checks import members_of, nth_member, positions_of_parts
from .declare import DisabledError, LimitError
from .drafts import Cells, Draft, Shape
from .errors import path_for_reader
from .forms import Parameter
from .guards import Probes, insert_probes
from .immutable import immutable
from .model import Action, Initial, Model, Property
from .source import NoSourceError
from .steptext import StepError, format_step, parse_start, parse_steps, split_steps, step_name
from .values import ModelError, State
from .verdict import Failure, Run, Step


@immutable
class StoppedStep:
    """Why a step did not happen: the line of the guard that was false, and whether it belongs to the bounds.

    `budget` names the constant when what stopped it is a spent budget, `bound_name` the `@bound` that the state lies
    beyond, `step_bound` the `@bound` that is false of the step; then there is no line.
    """

    is_limit: bool
    line: int
    budget: str | None = None
    bound_name: str | None = None
    step_bound: str | None = None

    @property
    def is_at_bound(self) -> bool:
        """Whether the bounds of the model stopped it, and not the protocol."""
        return self.is_limit or any(part is not None for part in (self.budget, self.bound_name, self.step_bound))


def state_shape(model: Model) -> Shape:
    """What makes the model's states: what the name of its `@state` class stands for in its namespace."""
    return cast(Shape, model.namespace[model.state_name])


# --- initial states and steps -----------------------------------------------------------------------------------------


def initial_states(model: Model) -> Iterator[State]:
    """Every initial state once, in order. ModelError when one is outside its types."""
    seen: set[State] = set()
    for _, _, state in initial_choices(model):
        if state not in seen:
            seen.add(state)
            yield state


def is_initial(model: Model, state: State) -> bool:
    """Whether a state is an initial state. ModelError when one is outside its types."""
    return state in set(initial_states(model))


def initial_choices(model: Model) -> Iterator[tuple[Initial, dict[str, Any], State]]:
    """Every initial function with each of its arguments and the state that they give."""
    for initial in model.initials:
        for arguments in _bindings(model, initial.name, initial.form.parameters, None):
            state = start_of(model, initial, arguments)
            if state is not None:
                yield initial, arguments, state


def start_of(model: Model, initial: Initial, arguments: Mapping[str, Any]) -> State | None:
    """The state that an initial function gives for some arguments; None where a guard of it is false. ModelError when
    it breaks the model's types."""
    try:
        return initial.run(**arguments)
    except (DisabledError, LimitError):
        return None
    except Exception as error:
        raise to_model_error(model, error, initial.name, arguments) from error


def initial_arguments(initial: Initial, number: int) -> dict[str, Any]:
    """The arguments of an initial function at a place of the order in which `starts` takes them, where no bound is
    open. IndexError beyond the last."""
    types = [parameter.type for parameter in initial.form.parameters]
    names = [parameter.name for parameter in initial.form.parameters]
    return dict(zip(names, map(nth_member, types, positions_of_parts(types, number)), strict=True))


def instances(model: Model, state: State) -> Iterator[tuple[Action, dict[str, Any]]]:
    """Every action that is not switched off, with each of its arguments here, enabled or not."""
    for action in model.actions:
        if not action.switched_off:
            for arguments in bindings(model, action, state):
                yield action, arguments


def bindings(model: Model, action: Action, state: State) -> Sequence[dict[str, Any]]:
    """The arguments that one action ranges over in a state."""
    return _bindings(model, action.name, action.form.parameters, state)


def _bindings(
    model: Model, name: str, parameters: tuple[Parameter, ...], state: State | None
) -> Sequence[dict[str, Any]]:
    memo = state_shape(model).memo
    fixed = memo.get(("bindings", name))
    if fixed is not None:
        return fixed
    ranges = [_values_of_parameter(model, parameter, state) for parameter in parameters]
    names = [parameter.name for parameter in parameters]
    found = [dict(zip(names, values, strict=True)) for values in itertools.product(*ranges)]
    if all(parameter.pool is None for parameter in parameters):
        memo["bindings", name] = found
    return found


def _values_of_parameter(model: Model, parameter: Parameter, state: State | None) -> Sequence[Any]:
    if parameter.pool is not None:
        return tuple(dict.fromkeys(getattr(state, parameter.pool)))
    known = state_shape(model).memo.get(("members", parameter.type))
    if known is None:
        known = state_shape(model).memo["members", parameter.type] = members_of(parameter.type, model.values)
    return known


def steps(model: Model, state: State, heed: Callable[[], None] | None = None) -> Iterator[Step]:
    """Every step that can happen in a state. ModelError, naming the step, when one breaks the model's types. `heed` is
    called before each choice that is tried, and ends it all by raising."""
    if bound_crossed(model, state) is not None:
        return
    for action, arguments in instances(model, state):
        if heed is not None:
            heed()
        after = attempt(model, state, action, arguments)
        if isinstance(after, State):
            yield Step(action.name, arguments, after)


def attempt(
    model: Model,
    state: State,
    action: Action,
    arguments: Mapping[str, Any],
    run: Callable[..., None] | None = None,
) -> State | StoppedStep:
    """The state after the action, or what stopped it. ModelError, naming the step, when it breaks the model's types.

    `run` is run in place of the action's own function: the same with probes on its guards.
    """
    shape = state_shape(model)
    if model.bounds:
        beyond = bound_crossed(model, state)
        if beyond is not None:
            return StoppedStep(True, 0, bound_name=beyond)
    left = None if action.budget is None else shape.budgets[action.budget]
    sealed = left is not None and getattr(state, left) == 0
    cells = shape.fresh_cells(state, sealed)
    try:
        (run or action.run)(Draft(cells), **arguments)
    except (DisabledError, LimitError) as stop:
        stopped = _stopped_step(stop, cells, action)
        shape.keep_for_reuse(cells)
        return stopped
    except Exception as error:
        raise to_model_error(model, error, action.name, arguments) from error
    if sealed:
        return StoppedStep(True, 0, action.budget)
    if left is not None:
        cells.values[left] -= 1
    after = cells.finish_draft()
    return _check_bounds(model, state, action, arguments, after) if model.step_bounds else after


def _check_bounds(
    model: Model, state: State, action: Action, arguments: Mapping[str, Any], next_state: State
) -> State | StoppedStep:
    """The state after a step, unless a `@bound` of steps is false of it."""
    try:
        outside = next((bound.name for bound in model.step_bounds if not bound.run(state, next_state)), None)
    except Exception as error:
        raise to_model_error(model, error, action.name, arguments) from error
    return next_state if outside is None else StoppedStep(True, 0, step_bound=outside)


def bound_crossed(model: Model, state: State) -> str | None:
    """The name of the first `@bound` that is false in a state; None within all of them. Whether there is any step to
    stop plays no part. ModelError, naming no step, when a bound cannot be evaluated.
    """
    if not model.bounds:
        return None
    memo = state_shape(model).memo
    known = memo.get("beyond")
    if known is None or known[0] is not state:
        try:
            found = next((bound.name for bound in model.bounds if not bound.run(state)), None)
        except Exception as error:
            raise to_model_error(model, error) from error
        known = memo["beyond"] = (state, found)
    return known[1]


def _stopped_step(stop: Exception, cells: Cells, action: Action) -> StoppedStep:
    if cells.hit_seal:
        return StoppedStep(True, 0, action.budget)
    return StoppedStep(isinstance(stop, LimitError), _guard_line(stop.__traceback__))


def _guard_line(trace: TracebackType | None) -> int:
    """The line of the author's `require` or `limit`: the frame just above it."""
    line = 0
    while trace is not None and trace.tb_next is not None:
        line = trace.tb_lineno
        trace = trace.tb_next
    return line


# --- errors of the model ----------------------------------------------------------------------------------------------


def to_model_error(
    model: Model, error: Exception, action: str | None = None, arguments: Mapping[str, Any] | None = None
) -> ModelError:
    """The error as one of the model, with the innermost line of the author's files that it came through.

    Whatever an author's function raises is an error of the model; leaving the debugger is not, and is raised again.
    """
    if isinstance(error, bdb.BdbQuit):
        raise error
    file, line = _place(error.__traceback__, model.files)
    found = error if isinstance(error, ModelError) else ModelError(_message(error, file, line))
    if not found.file:
        found.file, found.line = file, line
        if action is not None:
            found.add(_calls_text(error.__traceback__, model.files))
    if found.action is None:
        found.action, found.arguments = action, arguments
    return found


def _place(trace: TracebackType | None, files: tuple[str, ...]) -> tuple[str, int]:
    place = ("", 0)
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        if file in files:
            place = (file, trace.tb_lineno)
        trace = trace.tb_next
    return place


def _calls_text(trace: TracebackType | None, files: tuple[str, ...]) -> str:
    """Where the author's helpers were called, that in which it happened first; nothing where there was none."""
    lines = list[str]()
    while trace is not None:
        code = trace.tb_frame.f_code
        if code.co_filename in files and not code.co_name.startswith("<"):  # not a comprehension's frame
            lines.insert(0, f"{path_for_reader(code.co_filename)}:{trace.tb_lineno}")
        trace = trace.tb_next
    return "".join(f", called at {line}" for line in lines[1:])


def _message(error: Exception, file: str, line: int) -> str:
    if isinstance(error, AssertionError):
        said = f": {error}" if str(error) else ""
        return f"failed: {linecache.getline(file, line).strip() or 'assert'}{said}"
    if isinstance(error, ZeroDivisionError):
        return "division by zero"
    if isinstance(error, ValueError) and "empty" in str(error):
        return f"{str(error).partition('(')[0]} of nothing, and no default is given"
    if "NoneType" in str(error):
        return f"none where a value is needed ({error})"
    return f"{type(error).__name__}: {error}"


# --- properties -------------------------------------------------------------------------------------------------------


def holds(
    model: Model, prop: Property, state: State, next_state: State | None = None, *, action: str | None = None
) -> bool:
    """Whether a property holds of a state, or of the step from `state` to `next_state`. `action` names the one that
    takes the step, where it is known: a refinement may say which abstract action that must be. Of a state alone a
    refinement says whether its image is initial.

    ValueError when the model cannot evaluate it (it reads ghosts that were folded away, or is a refinement and a
    constant is open); ModelError when it breaks.
    """
    if not prop.applicable:
        raise ValueError(f"{prop.name} reads ghosts that this model does not have, or a constant is open")
    try:
        if next_state is None:
            if prop.refinement is not None:
                return is_initial(prop.refinement.abstract, prop.refinement.image(state))
            return bool(prop.run(state))
        by = () if prop.refinement is None else (action,)
        return bool(prop.run(state, next_state, *by))
    except Exception as error:
        raise to_model_error(model, error) from error


def holds_after_step(
    model: Model, prop: Property, previous_state: State, next_state: State | None = None, *, action: str | None = None
) -> bool:
    """Whether a property holds where a step has led: of the step, if it is about steps, else of the state `next_state`.
    Without `next_state` of the state `previous_state`, to which no step has led. ValueError and ModelError as for
    `holds`."""
    if next_state is None or prop.kind == "transition":
        return holds(model, prop, previous_state, next_state, action=action)
    return holds(model, prop, next_state)


def holds_at_end(model: Model, prop: Property, run: Run, end: int) -> bool | None:
    """Whether a property holds in state `end` of a run, from 0, or of the step that leads there: None of a transition
    where the run begins, since no step does.

    ValueError and ModelError as for `holds`.
    """
    states = run.states()
    if end:
        return holds_after_step(model, prop, states[end - 1], states[end], action=run.steps[end - 1].action)
    return None if prop.kind == "transition" else holds(model, prop, states[0])


def run_until_shown(model: Model, prop: Property, run: Run) -> Run | None:
    """The beginning of a run that ends where it first shows a property's answer: where an invariant or a transition is
    false, or a witness is met. None where it shows none, which includes where the property breaks first.

    ValueError as for `holds`.
    """
    answer = prop.kind == "reachable"
    for end in range(len(run.steps) + 1):
        try:
            if holds_at_end(model, prop, run, end) is answer:
                return Run(run.start, run.steps[:end])
        except ModelError:
            return None
    return None


def is_terminal(model: Model, state: State) -> bool:
    """Whether the model says that a run may end here."""
    return any(holds(model, terminal, state) for terminal in model.terminals)


def is_deadlock(model: Model, state: State) -> bool:
    """Whether nothing can happen here, though the model does not say that it may end and no bound is what stops it.

    A state beyond a `@bound` is none, whatever its actions. What stops faults, a spent budget or a limit, is no reason:
    more faults are no way on.
    """
    if bound_crossed(model, state) is not None:
        return False
    for action, arguments in instances(model, state):
        result = attempt(model, state, action, arguments)
        if isinstance(result, State) or is_stopped_by_bounds(action, result):
            return False
    return not is_terminal(model, state)


def is_stopped_by_bounds(action: Action, stop: StoppedStep) -> bool:
    """Whether larger bounds would let the protocol, or a client, go on here."""
    return stop.is_limit and action.kind != "fault"


def deadlock(model: Model, run: Run) -> Failure:
    """The deadlock that a run ends in, in words."""
    state = run.states()[-1]
    cut = [
        action.name for action, arguments in instances(model, state)
        if isinstance(stopped := attempt(model, state, action, arguments), StoppedStep) and stopped.is_limit
    ]  # fmt: skip
    message = "nothing can happen here, and no @terminal predicate says that a run may end here"
    if cut:
        message += f"; within larger bounds only faults could: {', '.join(dict.fromkeys(cut))}"
    return Failure(message, "", run)


# --- replay -----------------------------------------------------------------------------------------------------------


def replay(model: Model, start: State, sequence: Sequence[tuple[str | Action, Mapping[str, Any]]]) -> Run:
    """The run that takes these steps from `start`.

    StepError says which step is disabled, by which guard, and what is enabled instead; ModelError when a step breaks.
    """
    state, taken = start, list[Step]()
    for number, (named, arguments) in enumerate(sequence, 1):
        action = named if isinstance(named, Action) else model.action(named)
        if strange := _why_argument_is_strange(action, state, arguments):
            raise StepError(
                _guard_text_with_values(model, state, number, action, arguments, f"disabled: {strange} is false")
            )
        after = attempt(model, state, action, arguments)
        if isinstance(after, StoppedStep):
            raise StepError(_refusal_text(model, state, number, action, arguments, after))
        taken.append(Step(action.name, arguments, after))
        state = after
    return Run(start, tuple(taken))


def _refusal_text(
    model: Model, state: State, number: int, action: Action, arguments: Mapping[str, Any], stop: StoppedStep
) -> str:
    return _guard_text_with_values(
        model, state, number, action, arguments, stop_text(model, state, action, arguments, stop)
    )


def _guard_text_with_values(
    model: Model, state: State, number: int, action: Action, arguments: Mapping[str, Any], is_: str
) -> str:
    enabled = [format_step(step.action, step.arguments) for step in steps(model, state)]
    instead = "enabled here: " + "; ".join(enabled) if enabled else "nothing is enabled here"
    return f"step {number}, {format_step(action.name, arguments)}, is {is_}; {instead}"


def _why_argument_is_strange(action: Action, state: State, arguments: Mapping[str, Any]) -> str | None:
    """That an argument is one of the state's, of which it is none: `request in s.late`. A step that somebody writes may
    have a message that nobody has sent."""
    for parameter in action.form.parameters:
        if parameter.pool is not None and arguments[parameter.name] not in getattr(state, parameter.pool):
            return f"{parameter.name} in s.{parameter.pool}"
    return None


def stop_reason(model: Model, state: State, action: Action, arguments: Mapping[str, Any], stop: StoppedStep) -> str:
    """The reason in words: `s.up[r] is false`, `blocked by the model's bound: the budget crashes is spent`."""
    if stop.budget is not None:
        return f"blocked by the model's bound: the budget {stop.budget} is spent"
    if stop.bound_name is not None:
        return f"beyond the bound {stop.bound_name}, where nothing happens"
    if stop.step_bound is not None:
        return f"blocked by the model's bound: @bound {stop.step_bound} is false of the step"
    by = "blocked by the model's bound: " if stop.is_limit else ""
    return f"{by}{false_guard(model, state, action, arguments, stop)} is false"


def stop_text(model: Model, state: State, action: Action, arguments: Mapping[str, Any], stop: StoppedStep) -> str:
    """What the step is, with the reason: `disabled: s.up[r] is false`; of one at a bound the reason alone."""
    why = stop_reason(model, state, action, arguments, stop)
    return why if stop.is_at_bound else f"disabled: {why}"


def false_guard(model: Model, state: State, action: Action, arguments: Mapping[str, Any], stop: StoppedStep) -> str:
    """The text of the conjunct that stopped a step: of the whole line when the author's file cannot be read any
    more."""
    with suppress(NoSourceError):
        function, probes = guard_probes(model, action)
        probes.false = None
        with suppress(DisabledError, LimitError):
            function(Draft(state_shape(model).fresh_cells(state)), **arguments)
        if probes.false is not None:
            return probes.false.text
    return linecache.getline(action.form.where.file, stop.line).strip()


def guard_probes(model: Model, action: Action) -> tuple[Callable[..., None], Probes]:
    """The action's function with probes on its guards, made once per bound model. NoSourceError without the author's
    text."""
    memo = state_shape(model).memo
    known = memo.get(("probed", action.name))
    if known is None:
        known = memo["probed", action.name] = insert_probes(action.run)
    return known


def run_text(model: Model, text: str) -> Run:
    """The run that a text names: steps, after the name of an initial function where the model has several initial
    states.

    `"produce; fetch(B)"`, `"start(leader=B); produce"`. StepError and ModelError as for `replay`.
    """
    pieces = split_steps(text)
    begins = bool(pieces) and step_name(pieces[0]) in {initial.name for initial in model.initials}
    start = _start(model, pieces[0] if begins else None)
    return replay(model, start, parse_steps(model, ";".join(pieces[1:] if begins else pieces)))


def _start(model: Model, initial_name: str | None) -> State:
    if initial_name is None:
        first = next(initial_states(model), None)
        if first is None:
            raise StepError("the model has no initial state")
        return first
    initial, arguments = parse_start(model, initial_name)
    state = start_of(model, initial, arguments)
    if state is None:
        raise StepError(f"{initial_name} gives no initial state: a guard of it is false")
    return state


def format_run(model: Model, run: Run) -> str:
    """The text that `run_text` reads back: `"produce; fetch(B)"`, with its beginning named unless it is the first."""
    written = [format_step(step.action, step.arguments) for step in run.steps]
    beginning = _beginning_text(model, run.start)
    return "; ".join(written if beginning is None else [beginning, *written])


def _beginning_text(model: Model, start: State) -> str | None:
    """The initial function and arguments that give a state; None where it is the beginning of a
    run that names none: the first, where none before it breaks."""
    is_first = True
    for initial in model.initials:
        for arguments in _bindings(model, initial.name, initial.form.parameters, None):
            try:
                state = start_of(model, initial, arguments)
            except ModelError:
                is_first = False
                continue
            if state == start:
                return None if is_first else format_step(initial.name, arguments)
            is_first = is_first and state is None
    return None
