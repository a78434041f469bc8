"""The trace document of a property of whole runs: the way to where what is claimed cannot happen any more, or to a loop
that can be gone round for ever, and why this is so, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..language.declare import Fairness
from ..language.fairness import FairnessMet, groups_of, is_counted_step, meet_fairness
from ..language.judge import holds, steps
from ..language.model import Liveness, LivenessCase, Model
from ..language.values import ModelError, State
from ..language.verdict import PropertyVerdict, Run
from .places import place_document
from .wording import join_words

Document = dict[str, Any]


def liveness_parts(model: Model, subject: PropertyVerdict, run: Run) -> Document:
    """The parts of a document that differ where it is about a property of whole runs."""
    prop = {declared.name: declared for declared in model.liveness}[subject.name]
    case = next(case for case in prop.cases if case.arguments == subject.arguments)
    truth = "".join(_truth_characters(model, case, state) for state in run.states())
    says = {"name": prop.name, "kind": prop.kind, "says": prop.says}
    return {
        "kind": "counterexample",
        "title": _liveness_title(model, subject, run),
        "property": {**says, "where": place_document(prop.where), "fails": None},
        "argument": [
            {"role": role, "step": step, "text": text}
            for role, step, text in _argument_rows(model, prop, case, subject)
        ],
        "truth": {prop.name: truth},
        "properties": {prop.name: {"kind": prop.kind, "says": prop.says}},
    }


def _truth_characters(model: Model, case: LivenessCase, state: State) -> str:
    try:
        return "1" if holds(model, case.then, state) else "0"
    except ModelError:
        return "-"


def _liveness_title(model: Model, subject: PropertyVerdict, run: Run) -> str:
    steps = len(run.steps) if subject.loop is None else subject.loop
    what = "is impossible for good" if subject.loop is None else "fails in a loop"
    if subject.loop == len(run.steps):
        what = "fails where nothing more has to happen,"
    return f"{model.name}: {subject.name} {what} after {steps:,} step{'' if steps == 1 else 's'}"


def _case_text(case: LivenessCase) -> str:
    """`, for door = A`."""
    named = ", ".join(f"{name} = {value}" for name, value in case.arguments)
    return f" for {named}" if named else ""


def _argument_rows(
    model: Model, prop: Liveness, case: LivenessCase, subject: PropertyVerdict
) -> Iterator[tuple[str, int | None, str]]:
    assert subject.run is not None, "it is the document of a run"
    end = len(subject.run.steps)
    yield "title", end, f"Why this violates {prop.name}: {prop.says}"
    if subject.loop is None:
        given = _case_text(case)
        yield (
            "short",
            end,
            f"From here on no run comes to a state where {case.then.name} is true{given}: {subject.why}.",
        )
        return
    yield from _loop_rows(model, prop, case, subject.run, subject.loop)


def _loop_rows(
    model: Model, prop: Liveness, case: LivenessCase, run: Run, loop: int
) -> Iterator[tuple[str, int | None, str]]:
    """Why a run that goes round for ever violates a property, and why it is fair."""
    states, turn = run.states()[loop:], run.steps[loop:]
    yield "short", loop, f"{_claim_text(model, prop, case, run, loop)}{_case_text(case)}."
    yield "let", loop, _loop_text(loop, len(turn))
    nowhere = list[str]()
    for fairness in prop.fairness:
        told = [
            (group.text(), meet_fairness(model, group, fairness.strong, states, turn))
            for group in groups_of(model, fairness)
        ]
        idle = [
            name for name, found in told if found is not None and _is_never_possible(found, len(states), bool(turn))
        ]
        nowhere += [_steps_text(fairness)] if len(idle) == len(told) else idle
        kind = "Strong" if fairness.strong else "Weak"
        for name, found in told:
            if name not in idle:
                yield "event", loop, f"{kind} fairness of `{name}` is met: {_text_of_fairness(found, loop)}."
    if nowhere:
        named = join_words([f"`{name}`" for name in nowhere])
        where = "any of these states" if turn else "this state"
        what = " that changes what the protocol has" if _has_idle_steps(model, prop, states) else ""
        yield "event", loop, f"Fairness of {named} is met: nothing of it{what} can happen in {where}."


def _steps_text(fairness: Fairness) -> str:
    """`prepare or commit`, `fetch where is_leader`."""
    where = "" if fairness.where is None else f" where {fairness.where.name}"
    return f"{' or '.join(fairness.actions)}{where}"


def _has_idle_steps(model: Model, prop: Liveness, states: Sequence[State]) -> bool:
    """Whether in some of these states something can happen that a fairness is about, and that changes nothing of the
    protocol: it counts for none."""
    named = {name for fairness in prop.fairness for name in fairness.actions}
    return any(
        step.action in named and not is_counted_step(model, state, step.state_after)
        for state in states
        for step in steps(model, state)
    )


def _is_never_possible(fairness_met: FairnessMet, states: int, goes_round: bool) -> bool:
    """Whether what a fairness is about can happen in no state of the loop, whose last state is its first again."""
    return fairness_met.step is None and len(fairness_met.absent) == states - goes_round


def _claim_text(model: Model, prop: Liveness, case: LivenessCase, run: Run, loop: int) -> str:
    then, states = case.then.name, run.states()
    match prop.kind:
        case "leads_to":
            assert case.when is not None, "it is said after what"
            after = max(at for at in range(loop + 1) if holds(model, case.when, states[at])
                        and not any(holds(model, case.then, state) for state in states[at:]))  # fmt: skip
            return f"{case.when.name} is true {_step_place_text(after)}, and {then} never is from there on"
        case "initially_leads_to":
            assert case.when is not None, "it is said after what"
            return f"{case.when.name} is true in the initial state, and {then} never is"
        case "leads_to_always":
            assert case.when is not None, "it is said after what"
            begin = next(at for at in range(len(states)) if holds(model, case.when, states[at]))
            at = next(at for at in range(loop, len(states)) if not holds(model, case.then, states[at]))
            again = f"{then} is false again and again, as {_step_place_text(at)}"
            return f"{case.when.name} is true {_step_place_text(begin)}, and {again}"
        case "eventually_always":
            at = next(at for at in range(loop, len(states)) if not holds(model, case.then, states[at]))
            return f"{then} is false again and again, as {_step_place_text(at)}"
        case _:
            return f"{then} is never true from {_state_text(loop)} on"


def _step_place_text(step: int) -> str:
    return f"after step {step}" if step else "in the initial state"


def _state_text(step: int) -> str:
    return f"the state after step {step}" if step else "the initial state"


def _loop_text(loop: int, count: int) -> str:
    if not count:
        return f"A run may stay for ever as it is {_step_place_text(loop)}."
    last = loop + count
    steps = "this step repeats" if count == 1 else f"these {count} steps, {loop + 1} to {last}, go round"
    return f"From {_state_text(loop)} on, {steps} for ever."


def _text_of_fairness(fairness_met: FairnessMet | None, loop: int) -> str:
    assert fairness_met is not None, "the loop was checked to be fair"
    if fairness_met.step is not None:
        return f"it happens in step {loop + fairness_met.step}"
    return f"it cannot happen {_step_place_text(loop + fairness_met.absent[0])}"
