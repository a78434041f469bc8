"""A scenario once more with the repair made: the same steps, in a model whose settings are the repaired ones.

Plain Python takes each step of the run in which something was lost as far as it can be taken. Where it cannot be taken
at once, the protocol may go on for a few steps first, as followers fetch what the leader now waits for; or the same
happens to the same broker with another outcome, as another successor. A step that neither makes possible is left out,
with the guard that is false. What was lost must be kept all along, or the repair is none.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...language.constants import PlainValue
from ...language.immutable import immutable
from ...language.judge import StoppedStep, attempt, holds_at_end, initial_states, steps, stop_reason
from ...language.model import Action, Model
from ...language.steptext import parse_steps
from ...language.values import State
from ...language.verdict import DisagreementError, Run, Step
from ..answers.acknowledgements import answer_of_log_and_client
from ..answers.answer import Answer, SubjectVerdict
from ..exploring.case_results import ScenarioStep, scenario_steps
from ..exploring.explorations import Explorations
from ..questions.cases import (
    EPOCHS,
    LOG_SIZE,
    READ_RECORDS,
    RECORDS,
    cases_of_continued_service,
    delivery_case,
    exploration_kind,
)
from ..questions.questions import CALM, QUESTION, Case
from ..questions.signature import Signature
from ..questions.situations import BY_NAME, Name, fault_budgets_of_cell, modelled_voter_count, possible_rack_sizes
from .changes import SettingChange

MOST_LOOKED_AT = 200
"""States that are looked at for steps of the protocol that make the next one possible."""

MOST_BETWEEN = 4
"""Steps of the protocol between two of the scenario."""


@immutable
class OmittedStep:
    """A step that is not taken with the repair: why, and whether it can happen and is only `is_beyond_faults` the
    faults of its cell, since a budget is spent or a bound is reached."""

    why: str
    is_beyond_faults: bool


@immutable
class RunWithRepair:
    """The run with the repair. `aligned_states` has its state for each state of the run without; `left_out` the steps
    of that which are not taken, by their numbers, each with why."""

    model: Model
    run: Run
    property: str
    steps: tuple[ScenarioStep, ...]
    aligned_states: tuple[int, ...]
    left_out: Mapping[int, OmittedStep]


def run_with_repair(
    subject: SubjectVerdict,
    changes: Sequence[SettingChange],
    question: str,
    cell: Name,
    answer_before: Answer,
    new_answer: Answer,
    explorations: Explorations,
) -> RunWithRepair | None:
    """The run of a loss with the changes made. `new_answer` is the answer in the table, and `answer_before` the same
    with the run that is shown. None where the model does not say that the changes repair it, or where no one variant
    has this run.

    Raises DisagreementError if the run with the repair loses what the model says is kept.
    """
    old = _signature_of(subject, question, cell, new_answer)
    if old is None or not changes or answer_before.case is None or not answer_before.steps:
        return None
    new = old
    for change in changes:
        new = change.change_signature(new)
    if answer_of_log_and_client(new, QUESTION[question], BY_NAME[cell], explorations).word != "no loss found":
        return None
    model = explorations.case_explorer.model_of(_case_after_repair(answer_before.case, new, cell))
    made = take_steps(model, answer_before)
    about = next(prop for prop in model.properties if prop.name == answer_before.property)
    if any(holds_at_end(model, about, made.run, end) is False for end in range(len(made.run.steps) + 1)):
        steps_ = "; ".join(step.step for step in made.steps)
        raise DisagreementError(
            f"with the repair {answer_before.property} is false in a run that the model does not know: {steps_}"
        )
    return made


def _signature_of(subject: SubjectVerdict, question: str, cell: Name, new_answer: Answer) -> Signature | None:
    """The first variant that has this run."""
    pairs = zip(subject.subject.variants, subject.tables, strict=True)
    key = (question, cell)
    return next((one.signature for one, table in pairs if key in table and table[key].steps == new_answer.steps), None)


def _case_after_repair(case_before: Case, new: Signature, cell: Name) -> Case:
    """The settings after the repair, with the faults of the cell."""
    at = BY_NAME[cell]
    if case_before.kind == "goes_on":
        return cases_of_continued_service(new, at)[0]
    if case_before.kind == "delivery":
        return delivery_case(new, at)
    kind = exploration_kind(new)
    sizes: Mapping[str, PlainValue] = {
        "max_records": READ_RECORDS if kind == "reads" else RECORDS, "log_size": LOG_SIZE, "max_leader_epoch": EPOCHS
    }  # fmt: skip
    faults = fault_budgets_of_cell(at, new, next(iter(possible_rack_sizes(at.fault, new)), None))
    values = {**new.constants, **sizes, **CALM, "voters": modelled_voter_count(new), **faults}
    return Case(kind, tuple(sorted(values.items())))


def take_steps(model: Model, answer_before: Answer) -> RunWithRepair:
    """The steps of a run, as far as they can be taken."""
    start = next(initial_states(model))
    done, aligned, left_out = list[Step](), [0], dict[int, OmittedStep]()
    for number, step in enumerate(answer_before.steps, 1):
        state = done[-1].state_after if done else start
        ((action, arguments),) = parse_steps(model, step.step)
        way = _steps_to_take_action(model, state, action, arguments)
        if way is None:
            left_out[number] = _why_step_is_left_out(model, state, action, arguments)
        else:
            done += way
        aligned.append(len(done))
    run = Run(start, tuple(done))
    return RunWithRepair(model, run, answer_before.property, scenario_steps(model, run), tuple(aligned), left_out)


def _why_step_is_left_out(model: Model, state: State, action: Action, arguments: Mapping[str, Any]) -> OmittedStep:
    stopped = attempt(model, state, action, arguments)
    assert isinstance(stopped, StoppedStep), "a step that can be taken is taken"
    none_of_it = action.budget is not None and not model.values[action.budget]
    return OmittedStep(
        stop_reason(model, state, action, arguments, stopped), is_beyond_faults=stopped.is_at_bound or none_of_it
    )


def _steps_to_take_action(
    model: Model, state: State, action: Action, arguments: Mapping[str, Any]
) -> list[Step] | None:
    """How a step is taken: at once, after some of the protocol's own, or to the same broker with another outcome."""
    after = attempt(model, state, action, arguments)
    if isinstance(after, State):
        return [Step(action.name, arguments, after)]
    found = None if action.kind == "fault" else _steps_before_action(model, state, action, arguments)
    return found or next(([step] for step in _steps_at_same_broker(model, state, action, arguments)), None)


def _steps_at_same_broker(model: Model, state: State, action: Action, arguments: Mapping[str, Any]) -> Iterator[Step]:
    """The steps of the same action that happen to the same broker."""
    if len(arguments) < 2:
        return
    first = next(iter(arguments))
    for step in steps(model, state):
        if step.action == action.name and step.arguments[first] == arguments[first]:
            yield step


def _steps_before_action(model: Model, state: State, action: Action, arguments: Mapping[str, Any]) -> list[Step] | None:
    """The fewest steps of the protocol after which a step can be taken, with it at their end."""
    waiting: list[list[Step]] = [[]]
    seen = {state}
    while waiting and len(seen) < MOST_LOOKED_AT:
        way = waiting.pop(0)
        here = way[-1].state_after if way else state
        after = attempt(model, here, action, arguments)
        if isinstance(after, State):
            return [*way, Step(action.name, arguments, after)]
        if len(way) < MOST_BETWEEN:
            for step in steps(model, here):
                if model.action(step.action).kind == "protocol" and step.state_after not in seen:
                    seen.add(step.state_after)
                    waiting.append([*way, step])
    return None
