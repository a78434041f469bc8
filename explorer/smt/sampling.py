"""Reachable states in which plain Python evaluates the lemmas: that they hold of something real, and a quick way to
find one that does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from random import Random

from ...language.immutable import immutable
from ...language.judge import holds_after_step, initial_states, steps
from ...language.model import Model, Property
from ...language.proof import Counterexample, Obligation, ProofFinding
from ...language.values import ModelError, State
from ...language.verdict import Run, Step
from .simulation import StepTaken

_WALKS = 4
_TAKEN = 2
_STEPS = 24


@immutable
class Sample:
    """How many states were looked at, what is false in one of them, with the way there, which actions can happen in
    one of them, and some steps of each action. `sampled_states` are the states, `pairs` those before and after a
    step."""

    states: int
    findings: tuple[ProofFinding, ...]
    possible: frozenset[str]
    steps: tuple[StepTaken, ...] = ()
    sampled_states: tuple[State, ...] = ()
    pairs: tuple[tuple[State, State], ...] = ()

    def changed_fields(self) -> frozenset[str]:
        """The fields that a step which was looked at changes."""
        return frozenset(
            name
            for before, after in self.pairs
            for name, old, new in zip(before.__match_args__, before, after, strict=True)
            if old != new
        )


def take_sample(model: Model, goals: Sequence[Property], seed: int) -> Sample:
    """The initial states, and the states of a few random walks. What is false somewhere is looked at no further."""
    seen, pairs, found = dict[State, None](), dict[tuple[State, State], None](), dict[str, ProofFinding]()
    open_ = [goal for goal in goals if goal.applicable]
    possible = set[str]()
    taken: dict[str, list[StepTaken]] = {}
    for run in _sample_walks(model, Random(seed), possible):
        at = run.states()[-1]
        new = at not in seen
        seen[at] = None
        if run.steps:
            last = run.steps[-1]
            pairs[run.states()[-2], at] = None
            if len(taken.setdefault(last.action, [])) < _TAKEN:
                taken[last.action].append(StepTaken(run.states()[-2], last.action, last.arguments, at))
        for prop in open_:
            if prop.name not in found and (new or prop.kind == "transition"):
                broken = _finding_at_end(model, prop, run)
                if broken is not None:
                    found[prop.name] = broken
        if len(found) == len(open_):
            break
    steps = tuple(chain(*taken.values()))
    return Sample(len(seen), tuple(found.values()), frozenset(possible), steps, tuple(seen), tuple(pairs))


def _sample_walks(model: Model, random: Random, possible: set[str]) -> Iterator[Run]:
    """Every initial state, then walks, step by step. The actions that could have been taken become `possible`."""
    starts = list(initial_states(model))
    yield from (Run(start, ()) for start in starts)
    for _ in range(_WALKS if starts else 0):
        run = Run(random.choice(starts), ())
        for _ in range(_STEPS):
            choices = _possible_steps(model, run.states()[-1])
            possible.update(choice.action for choice in choices)
            if not choices:
                break
            run = Run(run.start, (*run.steps, random.choice(choices)))
            yield run


def _possible_steps(model: Model, state: State) -> list[Step]:
    """The steps from a state; none where one breaks the model's types, which is for the proof to say."""
    try:
        return list(steps(model, state))
    except ModelError:
        return []


def _finding_at_end(model: Model, prop: Property, run: Run) -> ProofFinding | None:
    """What the last state, or the last step, of a run says against a lemma or a property."""
    if prop.kind == "transition" and not run.steps and prop.refinement is None:
        return None
    states = run.states()
    before, after, action = (states[-2], states[-1], run.steps[-1].action) if run.steps else (states[-1], None, None)
    message = ""
    try:
        if holds_after_step(model, prop, before, after, action=action):
            return None
    except ModelError as error:
        message = str(error)
    return ProofFinding(
        _obligation_refuted(model, prop, run), "refuted", 0.0, "", Counterexample(model, run, True, message)
    )


def _obligation_refuted(model: Model, prop: Property, run: Run) -> Obligation:
    is_lemma = prop.name in {lemma.name for lemma in model.lemmas}
    if prop.kind == "invariant" and not is_lemma:
        return Obligation("consequence", prop.name)
    return Obligation("step", prop.name, run.steps[-1].action) if run.steps else Obligation("initial", prop.name)
