"""The graph of states that the plain engine has explored."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ...language.fairness import is_counted_step, limit_of
from ...language.judge import StoppedStep, attempt, holds, instances
from ...language.model import Model
from ...language.values import ModelError, State
from .graph import FairnessEdge, Heed, heed_nothing
from .questions import LivenessQuestions
from .reference import PlainGraph


class UndefinedPredicateError(Exception):
    """A predicate cannot be evaluated in a state, of which this has the number."""

    def __init__(self, name: str, state: int, error: ModelError) -> None:
        super().__init__(name)
        self.name, self.state, self.error = name, state, error


def explore_plain_graph(
    model: Model,
    questions: LivenessQuestions,
    states: Sequence[State],
    number: Callable[[State], int],
    initials: int,
    heed: Heed = heed_nothing,
) -> PlainGraph:
    """The graph of these states, which are all that there are: their steps are taken once more. `number` says which of
    them a state is, and so many as `initials` come first that are initial; `heed` is called before each. Raises
    Undefined."""
    steps, truths, stopped, held = list[list[FairnessEdge]](), list[int](), list[int](), list[set[str]]()
    for at, state in enumerate(states):
        heed()
        truths.append(_true_predicates(model, questions, at, state))
        mine, groups, names = list[FairnessEdge](), 0, set[str]()
        for action, arguments in instances(model, state):
            if limit_of(model, state, action, arguments) is not None:
                groups |= questions.groups_of(model, state, action.name, arguments)
                names.add(action.name)
                continue
            after = attempt(model, state, action, arguments)
            if not isinstance(after, StoppedStep):
                its = (
                    questions.groups_of(model, state, action.name, arguments)
                    if is_counted_step(model, state, after)
                    else 0
                )
                mine.append(FairnessEdge(number(after), its))
        steps.append(mine)
        stopped.append(groups)
        held.append(names)
    return PlainGraph(steps, truths, stopped, held, initials)


def _true_predicates(model: Model, questions: LivenessQuestions, state_number: int, state: State) -> int:
    """The predicates that are true in a state, a bit each."""
    total = 0
    for bit, predicate in enumerate(questions.predicates):
        try:
            total |= holds(model, predicate, state) << bit
        except ModelError as error:
            raise UndefinedPredicateError(predicate.name, state_number, error) from error
    return total
