"""From a graph to what is said of each property of whole runs, every run replayed by the judge before it is shown."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from ...language.fairness import groups_of as fairness_groups
from ...language.fairness import is_counted_step, limit_of, why_not_violated
from ...language.immutable import immutable
from ...language.judge import holds, instances, steps
from ...language.model import Action, Model, Property
from ...language.steptext import format_step
from ...language.values import State
from ...language.verdict import DisagreementError, PropertyWord, Run, Step
from ..search import interrupt_text
from .graph import Graph, Heed, IncompleteGraphError, heed_nothing
from .lasso import Lasso, shortest_lasso
from .questions import LivenessQuestion, LivenessQuestions

LOOKED_AT_MAX = 2_000
"""States that plain Python follows from one that is stuck."""


@immutable
class PropertyAnswer:
    """What is so of one property: `run` shows it where it is violated, in the case that `arguments` give. `loop` is the
    state that the run returns to, if it goes round. `why` is a sentence: what plain Python confirmed, what leaves the
    property open, or of which runs it holds, with the fairness that this takes for granted. `idle` says that it holds
    because no state has what it begins with. Of what bounds leave open, `stopped_action` is the action of a step that a
    limit stops there ("" where it is not known which), and `word_with_guards` what would be so if limits were guards of
    the protocol."""

    word: PropertyWord
    run: Run | None = None
    loop: int | None = None
    arguments: tuple[tuple[str, Any], ...] = ()
    why: str = ""
    idle: bool = False
    stopped_action: str = ""
    word_with_guards: PropertyWord | None = None


@immutable
class LimitedStep:
    """A step that a limit stops: its action, "" where it is not known which, and what is said of it."""

    action: str
    says: str


class Replayer(Protocol):
    """Turns numbers of states into states and runs of plain Python."""

    def run_to(self, index: int) -> Run:
        """The run that found a state, replayed."""
        ...

    def state(self, index: int) -> State:
        """A state, where no renamings are folded."""
        ...


def _report_to_nobody(_says: str) -> None:
    """Where nobody is to be kept informed."""


def answer_questions(
    model: Model,
    questions: LivenessQuestions,
    graph: Graph,
    replayer: Replayer,
    heed: Heed = heed_nothing,
    says_what: Callable[[str], None] = _report_to_nobody,
) -> Mapping[str, PropertyAnswer]:
    """What is so of each property that can be evaluated, by its name.

    First every step that a limit stops counts as one that cannot happen: what has no fair run then that violates it
    holds, if in no state a limit stops a step, but for faults and actions that it names; else it is open, since runs go
    on with that step. Where there is such a run the step counts as one that can happen:
    a run that is fair even so violates the property in the protocol without the bounds too, and where there is none
    the property is open. `heed` is called before each question, and `says_what` with what is looked for. Where it
    raises Incomplete, or on Ctrl-C, what has no answer by then is undecided.
    """
    order = ("violated", "undecided", "holds")
    answered = dict[LivenessQuestion, PropertyAnswer]()
    ended = ""
    try:
        for number, question in enumerate(questions.questions, 1):
            says_what(f"{question.prop.name} is checked, question {number} of {len(questions.questions)}")
            answered[question] = _answer_question(model, questions, question, graph, replayer, heed)
    except (IncompleteGraphError, KeyboardInterrupt) as why:
        ended = str(why) if isinstance(why, IncompleteGraphError) else interrupt_text(why)
    for question in questions.questions:
        answered.setdefault(question, PropertyAnswer("undecided", why=ended))
    return {
        prop.name: min(
            (answer for question, answer in answered.items() if question.prop is prop),
            key=lambda answer: (order.index(answer.word), answer.idle),
        )
        for prop in model.liveness
        if prop.applicable
    }


def answers_where_bounds_end_runs(found_answers: Mapping[str, PropertyAnswer]) -> Mapping[str, PropertyAnswer]:
    """What is so of each property if limits were guards of the protocol: a run ends where a bound stops it, and nothing
    that a bound stops has to happen. What holds then is no statement about the protocol without bounds; what a run
    violates then stays open, since without bounds that run need not be fair."""
    return {name: _answer_where_bounds_end_runs(answer) for name, answer in found_answers.items()}


def _answer_where_bounds_end_runs(answer: PropertyAnswer) -> PropertyAnswer:
    if answer.word != "undecided" or answer.word_with_guards is None:
        return answer
    if answer.word_with_guards == "holds":
        return PropertyAnswer("holds", why="of the fair runs, where bounds end runs,", word_with_guards="holds")
    return dataclasses.replace(
        answer, why=f"{answer.why}; with --bounds-end-runs, too, a run within the bounds violates it"
    )


def _answer_question(
    model: Model, questions: LivenessQuestions, question: LivenessQuestion, graph: Graph, replayer: Replayer, heed: Heed
) -> PropertyAnswer:
    """What is so of one question."""
    graph.count_stopped_as_impossible()
    made = _answer_within_bounds(model, question, graph, replayer, heed)
    if isinstance(made, Lasso):
        graph.count_stopped_as_possible()
        return _answer_without_bounds(model, questions, question, graph, replayer, made, heed)
    if question.kind == "always_possible" or (made.idle and question.is_from_initial_states_alone):
        return made
    fair = _fair_actions(question)
    others = [action.name for action in model.actions if action.name not in (*fair, *question.prop.respected_limits)]
    for actions in (fair, others):
        stopped = graph.first_stopped_state(actions)
        if stopped is not None:
            return _answer_beyond_bounds(model, questions, question, graph, replayer, made, stopped, actions)
    return made


def _answer_beyond_bounds(
    model: Model,
    questions: LivenessQuestions,
    question: LivenessQuestion,
    graph: Graph,
    replayer: Replayer,
    answer_within: PropertyAnswer,
    stopped_state: int,
    actions: Sequence[str],
) -> PropertyAnswer:
    """What holds of the fair runs within the bounds, where in a state a limit stops a step of some actions, of which
    all or none must happen: runs go on with that step, and of these nothing is known."""
    count = len(replayer.run_to(stopped_state).steps)
    begin = f"after a run of {count:,} step{'' if count == 1 else 's'}" if count else "in an initial state"
    hindrance = _first_limited_step(model, question, graph, [replayer.state(stopped_state)], actions)
    must = actions == _fair_actions(question)
    if answer_within.idle:
        rest = f"; within the bounds {question.prop.name} is true in no state"
    elif must:
        rest = _weaker_claim(model, questions, question, graph)
    else:
        names = [name for name in actions if graph.first_stopped_state([name]) is not None]
        rest = f"; of the runs that stay within such limits it is claimed with limits_of({', '.join(names)})"
    stops = f"a limit stops a step that {'must' if must else 'may'} happen"
    why = f"{begin} {stops}, and how runs go on with it is not known: "
    return _open_answer(question, "holds", why, dataclasses.replace(hindrance, says=hindrance.says + rest))


def _fair_actions(question: LivenessQuestion) -> list[str]:
    """The actions that a fairness of the claim is about."""
    return list(dict.fromkeys(name for fairness in question.prop.fairness for name in fairness.actions))


def _weaker_claim(model: Model, questions: LivenessQuestions, question: LivenessQuestion, graph: Graph) -> str:
    """What holds with the fairness alone that is about no step that a limit stops anywhere: a weaker claim about the
    steps that must happen, and one that bounds may not leave open. Empty where it is not so."""
    bits = {
        fairness: sum(1 << questions.groups.index(group) for group in fairness_groups(model, fairness))
        for fairness in question.prop.fairness
    }
    kept = [fairness for fairness in bits if graph.first_stopped_state(fairness.actions) is None]
    weak, strong = (_union_of_bits(bits[it] for it in kept if it.strong == is_strong) for is_strong in (False, True))
    if graph.fair_component(dataclasses.replace(question.violating_runs, weak=weak, strong=strong)) is not None:
        return ""
    named = f"with {', '.join(fairness.text() for fairness in kept)} alone" if kept else "without any fairness"
    return f"; {named} it holds of the runs that stay within the limits"


def _union_of_bits(words: Iterable[int]) -> int:
    """All bits that are in some word."""
    total = 0
    for word in words:
        total |= word
    return total


def _open_answer(
    question: LivenessQuestion, word_when_guarded: PropertyWord, why: str, hindrance: LimitedStep
) -> PropertyAnswer:
    """What bounds leave open."""
    return PropertyAnswer(
        "undecided", None, None, question.case.arguments, why + hindrance.says, stopped_action=hindrance.action,
        word_with_guards=word_when_guarded,
    )  # fmt: skip


def _answer_within_bounds(
    model: Model, question: LivenessQuestion, graph: Graph, replayer: Replayer, heed: Heed
) -> PropertyAnswer | Lasso:
    """The answer, or a run within the bounds that violates the property there."""
    heed()
    if question.kind == "always_possible":
        return _always_possible_answer(model, question, graph, replayer)
    if question.when is not None and not graph.is_ever(question.when, question.is_from_initial_states_alone):
        where = "no initial state" if question.is_from_initial_states_alone else "no state"
        return PropertyAnswer(
            "holds", why=f"though {question.prop.name} is true in {where}, so that nothing is claimed", idle=True
        )
    component = graph.fair_component(question.violating_runs)
    if component is None:
        fair = ", ".join(fairness.text() for fairness in question.prop.fairness)
        return PropertyAnswer("holds", why=f"of the runs with {fair}" if fair else "")
    return shortest_lasso(graph, component, question.violating_runs)


def _answer_without_bounds(
    model: Model,
    questions: LivenessQuestions,
    question: LivenessQuestion,
    graph: Graph,
    replayer: Replayer,
    lasso_within: Lasso,
    heed: Heed,
) -> PropertyAnswer:
    """What is so once a step that a limit stops counts as one that can happen."""
    heed()
    component, arguments = graph.fair_component(question.violating_runs), question.case.arguments
    if component is None:
        loop = [lasso_within.way[-1], *(edge.target for edge in lasso_within.loop)]
        states = [replayer.state(index) for index in loop]
        hindrance = _first_limited_step(model, question, graph, states, _fair_actions(question))
        why = "a run within the bounds violates it, but only because a limit stops a step that must happen: "
        return _open_answer(question, "violated", why, hindrance)
    made = shortest_lasso(graph, component, question.violating_runs)
    run, loop = replay_lasso(model, questions, made, replayer)
    wrong = why_not_violated(model, question.prop, question.case, run, loop)
    if wrong is not None:
        raise DisagreementError(
            f"the run that violates {question.prop.name} in a loop from {run.states()[loop]} does not in plain Python: "
            f"{wrong}"
        )
    return PropertyAnswer("violated", run, loop, arguments)


def _first_limited_step(
    model: Model, question: LivenessQuestion, graph: Graph, states: Sequence[State], actions: Iterable[str]
) -> LimitedStep:
    """The first step of some actions that limits stop in some states, with the limit: of the first of these actions
    that has one."""
    stopped = [found for state in states for found in _limited_steps(model, state)]
    for name in actions:
        for action, arguments, limit in stopped:
            if action.name == name:
                return LimitedStep(name, f"{format_step(name, arguments)}, {limit}")
    return _unnamed_hindrance(question, exact=graph.is_exact)


def _unnamed_hindrance(question: LivenessQuestion, exact: bool) -> LimitedStep:
    """What is said of a step that plain Python does not find."""
    if exact:
        message = f"natively a limit stops a step that {question.prop.name} is about; in plain Python none does"
        raise DisagreementError(message)
    says = "it is not known which, since there are more than 63 actions"
    return LimitedStep("", says)


def replay_lasso(model: Model, questions: LivenessQuestions, found_lasso: Lasso, replayer: Replayer) -> tuple[Run, int]:
    """A lasso as a run of plain Python, once around, and the number of the state that it returns to."""
    run = replayer.run_to(found_lasso.way[0])
    steps = list(run.steps)
    wanted: list[tuple[int, int | None]] = [(index, None) for index in found_lasso.way[1:]]
    wanted += [(edge.target, edge.groups) for edge in found_lasso.loop]
    for index, belongs in wanted:
        before, after = run.start if not steps else steps[-1].state_after, replayer.state(index)
        steps.append(_first_step_between(model, questions, before, after, belongs))
    return Run(run.start, tuple(steps)), len(steps) - len(found_lasso.loop)


def _first_step_between(
    model: Model, questions: LivenessQuestions, before: State, after: State, groups: int | None
) -> Step:
    """The first step of plain Python between two states, of those that belong to just these groups."""
    for step in steps(model, before):
        its = (
            questions.groups_of(model, before, step.action, step.arguments)
            if is_counted_step(model, before, after)
            else 0
        )
        if step.state_after == after and groups in (None, its):
            return step
    named = "" if groups is None else f" by a step of {', '.join(questions.group_names(groups)) or 'no fairness'}"
    raise DisagreementError(f"no step of plain Python leads from {before} to {after}{named}, which the graph has")


def _always_possible_answer(
    model: Model, question: LivenessQuestion, graph: Graph, replayer: Replayer
) -> PropertyAnswer:
    word, state = graph.possibility_of(question.then)
    if word == "always":
        return PropertyAnswer("holds")
    run = replayer.run_to(state)
    predicate, arguments = question.case.then, question.case.arguments
    if word == "stuck":
        return PropertyAnswer("violated", run, None, arguments, _confirm_impossible(model, predicate, run))
    why = f"within the bounds no run leads from {run.states()[-1]} to where it is true, and "
    return _open_answer(question, "violated", why, _nearest_limit_after(model, run))


def _confirm_impossible(model: Model, predicate: Property, run: Run) -> str:
    """What plain Python finds after the end of a run, from where a predicate is never true again."""
    end = run.states()[-1]
    seen, waiting = {end}, [end]
    while waiting and len(seen) <= LOOKED_AT_MAX:
        state = waiting.pop(0)
        if holds(model, predicate, state) or _is_held_by_limit(model, state):
            what = f"{predicate.name} is true" if holds(model, predicate, state) else "a limit stops a step"
            raise DisagreementError(
                f"natively nothing leads from {end} to where {predicate.name} is true, nor to a limit; in plain Python "
                f"{what} at {state}"
            )
        for step in steps(model, state):
            if step.state_after not in seen:
                seen.add(step.state_after)
                waiting.append(step.state_after)
    if waiting:
        return f"plain Python followed the first {len(seen):,} states that can come after it"
    others = len(seen) - 1
    if not others:
        return "plain Python confirms that nothing changes any more"
    return f"plain Python followed every way on, to {others:,} other state{'' if others == 1 else 's'}"


def _is_held_by_limit(model: Model, state: State) -> bool:
    """Whether a limit stops something of the protocol or of a client in a state."""
    return next(_limited_steps(model, state), None) is not None


def _limited_steps(model: Model, state: State) -> Iterator[tuple[Action, Mapping[str, Any], str]]:
    """The steps that limits stop in a state, each with what stops it."""
    for action, arguments in instances(model, state):
        limit = limit_of(model, state, action, arguments)
        if limit is not None:
            yield action, arguments, limit


def _nearest_limit_after(model: Model, run: Run) -> LimitedStep:
    """The nearest limit after a run that stops what could lead on."""
    seen, waiting = {run.states()[-1]}, [run.states()[-1]]
    while waiting and len(seen) <= LOOKED_AT_MAX:
        state = waiting.pop(0)
        found = next(_limited_steps(model, state), None)
        if found is not None:
            action, arguments, limit = found
            says = f"a limit stops a step that may: {format_step(action.name, arguments)}, {limit}"
            return LimitedStep(action.name, says)
        for step in steps(model, state):
            if step.state_after not in seen:
                seen.add(step.state_after)
                waiting.append(step.state_after)
    return LimitedStep("", "limits stop steps that may")
