"""A loss as a run of the fault that its cell names, where it was found with another one that comes to the same.

A crash is a loss of power in which everything was on the disk, and a lost disk is one in which nothing was
(`case_order.is_case_within`). So a cell about a loss of power may be answered by a run without one. What is shown of it
is the same run with losses of power, which plain Python takes step by step from the beginning and whose end it checks
again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ...language.judge import holds, initial_states, replay
from ...language.model import Action, Model
from ...language.steptext import StepError, parse_steps
from ...language.values import State
from ...language.verdict import DisagreementError, Run
from ..exploring.case_results import ScenarioStep, scenario_steps
from ..exploring.explorations import Explorations
from ..questions.questions import Case
from ..questions.signature import Signature
from ..questions.situations import BY_NAME, Cell, fault_budgets_of_cell
from .answer import Answer, SubjectVerdict
from .requirements import RequirementCheck
from .verdicts import text_of_faults_needed

_BUDGET = {"crash": "crashes", "lose_disk": "disk_losses", "lose_host": "host_losses"}
"""Steps that stand for a loss of power, with their budgets."""


def answer_with_shown_run(
    subject: SubjectVerdict, question: str, cell: Cell, answer: Answer, explorations: Explorations
) -> Answer:
    """A subject's answer with the run that is shown of it, under the first of its variants that has this run. What is
    said of consumers is no variant's own answer, and stays what it is."""
    of = next(
        (
            variant.signature
            for variant, table in zip(subject.subject.variants, subject.tables, strict=True)
            if (question, cell.name) in table and table[question, cell.name].steps == answer.steps
        ),
        None,
    )
    return answer if of is None else answer_in_own_fault(answer, of, cell, explorations)


def answer_in_own_fault(answer: Answer, signature: Signature, cell: Cell, explorations: Explorations) -> Answer:
    """The same loss, its run one of the cell's own fault. Answers without a run stay what they are.

    Raises DisagreementError if the run is none, or loses nothing: then `case_order.is_case_within` is wrong.
    """
    case = answer.case
    if case is None or not answer.steps or case.kind == "goes_on" or not _is_about_power_loss(signature, cell):
        return answer
    stands_in = {step: name for step, name in _BUDGET.items() if case.values[name]}
    if not stands_in:
        return answer
    values = {**case.values, **dict.fromkeys(stands_in.values(), 0)}
    values["power_losses"] = int(values["power_losses"]) + sum(int(case.values[name]) for name in stands_in.values())
    own = Case(case.kind, tuple(sorted(values.items())))
    steps = _rewrite_in_power_losses(explorations, own, answer.property, answer.steps)
    return replace(answer, case=own, steps=steps, why=text_of_faults_needed(own, len(steps), fewer=True))


def _is_about_power_loss(signature: Signature, cell: Cell) -> bool:
    """Whether a cell is about losses of power; with storage that goes with the process it is about empty disks."""
    faults = fault_budgets_of_cell(cell, signature)
    return bool(faults.get("power_losses")) and not any(faults.get(name) for name in _BUDGET.values())


def _rewrite_in_power_losses(
    explorations: Explorations, own: Case, name: str, steps: tuple[ScenarioStep, ...]
) -> tuple[ScenarioStep, ...]:
    made = explorations.rewritten_runs.get((own, name, steps))
    if made is None:
        made = explorations.rewritten_runs[own, name, steps] = scenario_steps(
            *_replay_with_power_losses(explorations.case_explorer.model_of(own), name, steps)
        )
    return made


def _replay_with_power_losses(model: Model, name: str, steps: tuple[ScenarioStep, ...]) -> tuple[Model, Run]:
    run = Run(next(initial_states(model)), ())
    about = next(prop for prop in model.properties if prop.name == name)
    try:
        for step in steps:
            at = run.states()[-1]
            run = replace(
                run, steps=(*run.steps, *replay(model, at, [_step_with_power_losses(model, at, step.step)]).steps)
            )
    except StepError as error:
        raise DisagreementError(f"the run of a loss does not replay with losses of power alone: {error}") from error
    before, last = (run.start, *run.states())[-2:]
    if holds(model, about, before, last) if about.kind == "transition" else holds(model, about, last):
        taken = "; ".join(step.step for step in steps)
        raise DisagreementError(f"with losses of power alone {name} holds at the end of what violates it: {taken}")
    return model, run


def _step_with_power_losses(model: Model, state: State, text: str) -> tuple[Action, Mapping[str, Any]]:
    """A step as it is with losses of power alone."""
    ((action, arguments),) = parse_steps(model, text)
    if action.name not in _BUDGET:
        return action, arguments
    broker = arguments["broker"]
    kept = len(state.log[broker]) if action.name == "crash" else 0
    return model.action("lose_power"), {"broker": broker, "kept": kept}


def run_of_answer(explorations: Explorations, answer: Answer) -> tuple[Model, Run]:
    """The model of an answer's case, and its run in plain Python. Raises StepError if it is none."""
    assert answer.case is not None, "what is shown has a run"
    model = explorations.case_explorer.model_of(answer.case)
    steps = parse_steps(model, "; ".join(step.step for step in answer.steps))
    return model, replay(model, next(initial_states(model)), steps)


def add_run_to_check(check: RequirementCheck, subject: SubjectVerdict, explorations: Explorations) -> RequirementCheck:
    """The same check, its run one of the fault that its cell names."""
    if check.result != "failed" or check.answer is None:
        return check
    asked = check.requirement
    return replace(
        check, answer=answer_with_shown_run(subject, asked.question, BY_NAME[asked.cell], check.answer, explorations)
    )
