"""From how an exhaustive search ended to the verdict that every engine returns, so that all say the same in the same
words."""

from __future__ import annotations

import resource
import sys
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from enum import Enum
from typing import Any

from ..language.constants import Value
from ..language.immutable import immutable
from ..language.judge import run_until_shown
from ..language.model import LIVENESS, Liveness, Model, Property
from ..language.refinement import check_initial_images
from ..language.verdict import (
    ActionCoverage,
    Failure,
    Level,
    Outcome,
    PropertyVerdict,
    Run,
    Verdict,
    Word,
    cutting_limits,
    outcomes_among,
)
from .liveness.answers import PropertyAnswer
from .search import InterruptReason, Search

_NO_PROPERTY_TEXT = "no property was checked: only deadlocks and steps that break the model's types were looked for"
_FAILURES: tuple[Outcome, ...] = ("model_error", "safety", "deadlock", "liveness")
LIVENESS_ENGINES = ("native", "python")
"""The engines that check properties of liveness."""
_NOT_JUDGED_TEXT = f"it is a property of liveness, which only the engines {' and '.join(LIVENESS_ENGINES)} check"
_NO_INITIAL_STATE_TEXT = (
    "there is no initial state: a guard in every @initial function is false, whatever its arguments"
)


@immutable
class Ending:
    """How a search ended. `runs` holds the counterexample or example of every property that was violated or met.

    `stop_reason` says why it ended early, an InterruptReason or TimeLimitReason where it is that; `failure` is a model
    error or, when `deadlock` is set, a deadlock.
    `sample_scope` says what an engine that does not exhaust looked at, once it has seen all that it was asked to.
    `collisions` is how many pairs of states an engine that keeps fingerprints is expected to have taken for
    one. `held_states` is in how many states nothing was enabled and limits stopped what the protocol or a client would
    do, `states_beyond` how many lie beyond a `@bound`; None where that is not counted. `cut_short` says that a sample
    ended at a failure before all of it was taken. `projection` names what distinguished states, where one state was
    kept for each of its values: then nothing is exhausted. `liveness` has an answer for each property of whole runs
    that was checked. `orbits` is how many states were kept, where each stands for those that are renamings of it.
    `bytes_per_state` is None of an engine that does not measure it.
    """

    engine: str
    is_exhausted: bool
    stop_reason: str | None
    failure: Failure | None
    deadlock: bool
    runs: Mapping[str, Run]
    distinct: int
    seconds: float
    compile_seconds: float
    bytes_per_state: float | None
    symmetry: tuple[str, ...]
    actions: tuple[ActionCoverage, ...]
    levels: tuple[Level, ...]
    rechecked_states: int
    notes: tuple[str, ...]
    sample_scope: str | None = None
    collisions: float | None = None
    held_states: int | None = None
    states_beyond: int | None = None
    cut_short: bool = False
    projection: str | None = None
    liveness: Mapping[str, PropertyAnswer] = field(default_factory=dict[str, PropertyAnswer])
    orbits: int | None = None

    @property
    def is_whole_search(self) -> bool:
        """Whether the engine looked at all that it was to look at."""
        sampled = self.sample_scope is not None and not self.cut_short
        return self.is_exhausted or sampled


def verdict_of(model: Model, ending: Ending) -> Verdict:
    """The verdict of a search of a bound model."""
    transitions, interrupted = _step_count(ending), isinstance(ending.stop_reason, InterruptReason)
    ending = _ending_with_shown_runs(model, _ending_with_images(model, _ending_by_projection(ending)))
    others = tuple(_verdict_of_property(prop, ending) for prop in model.properties)
    faults = {action.name for action in model.actions if action.kind == "fault"}
    properties = (*others, *(_liveness_verdict(prop, ending, others, faults) for prop in model.liveness))
    outcome = _outcome_of(ending, properties, model.impossible)
    word = _word_of(outcome, ending, properties)
    return Verdict(
        model=model.name,
        constants={name: json_constant(value) for name, value in model.values.items()},
        open_constants=tuple(sorted(model.open)),
        ghosts=model.ghosts,
        engine=ending.engine,
        verdict=word,
        outcome=outcome,
        assurance=_assurance_of(outcome, ending, properties) + _bounds_text(model, outcome, ending),
        distinct_states=ending.distinct,
        transitions=transitions,
        depth=len(ending.levels),
        seconds=ending.seconds,
        compile_seconds=ending.compile_seconds,
        peak_memory_bytes=peak_memory_bytes(),
        bytes_per_state=ending.bytes_per_state,
        symmetry=ending.symmetry,
        orbits=ending.distinct if ending.symmetry and ending.orbits is None else ending.orbits,
        properties=properties,
        actions=ending.actions,
        levels=ending.levels,
        failure=ending.failure,
        rechecked_states=ending.rechecked_states,
        states_beyond=ending.states_beyond,
        notes=tuple(_notes_of_verdict(model, ending)),
        held_states=ending.held_states,
        is_interrupted=interrupted,
        is_exhaustive=ending.is_exhausted and outcome not in _FAILURES,
        stop_reason=ending.stop_reason,
        never_happens=_never_happens(model, ending, properties)
        if outcome in ("none", "vacuous") and word == "holds"
        else (),
        impossible=model.impossible,
    )


def _step_count(ending: Ending) -> int | None:
    """How many steps there are out of the distinct states, or were walked. None where the search ended before every
    state was expanded: an engine that stops within a state has looked at other steps of it than another."""
    known = ending.is_exhausted or ending.engine == "walk"
    return sum(action.firings for action in ending.actions) if known else None


def _ending_by_projection(ending: Ending) -> Ending:
    """How a search ended that kept one state for each value of a projection: it has not seen every state."""
    if ending.projection is None or not ending.is_exhausted:
        return ending
    stopped = f"one state was explored for each value of @projection {ending.projection} that was met, not every state"
    return replace(ending, is_exhausted=False, stop_reason=stopped)


def _ending_with_images(model: Model, ending: Ending) -> Ending:
    """How a search ended, once plain Python has looked at the images of the initial states: no engine does, and a
    refinement says something of them. What is wrong there is the shortest counterexample, and takes the place of
    another."""
    runs, failure = dict(ending.runs), None
    for prop in model.properties:
        if prop.refinement is None or not prop.applicable:
            continue
        wrong = check_initial_images(model, prop)
        if isinstance(wrong, Run):
            runs[prop.name] = wrong
        elif wrong is not None and failure is None:
            failure = wrong
    if failure is not None:
        return replace(ending, failure=failure, deadlock=False)
    return replace(ending, runs=runs) if runs != ending.runs else ending


def _ending_with_shown_runs(model: Model, ending: Ending) -> Ending:
    """How a search ended that stopped early, once every property was checked along the runs that it shows: what a run
    violates or reaches is not open, whatever the search was stopped by."""
    if ending.is_whole_search:
        return ending
    shown = [*ending.runs.values(), *([] if ending.failure is None else [ending.failure.run])]
    runs = dict(ending.runs)
    for prop in model.properties:
        if prop.applicable and prop.name not in runs:
            found = [run for run in (run_until_shown(model, prop, run) for run in shown) if run is not None]
            if found:
                runs[prop.name] = min(found, key=lambda run: len(run.steps))
    return replace(ending, runs=runs)


def _bounds_text(model: Model, outcome: Outcome, ending: Ending) -> str:
    """Which bounds of the whole model a search that found nothing kept within."""
    if outcome in _FAILURES or not ending.is_whole_search:
        return ""
    said = f"; nothing beyond @bound {', '.join(bound.name for bound in model.bounds)}" if model.bounds else ""
    if model.step_bounds:
        said += f"; only steps within @bound {', '.join(bound.name for bound in model.step_bounds)}"
    return said


def step_bound_text(step_bound: Property) -> str:
    """What a report calls a `@step_bound` of steps where it lists what cut."""
    return f"the step's @bound {step_bound.name}"


def _notes_of_verdict(model: Model, ending: Ending) -> Iterator[str]:
    """What the engine notes, and what a reader should know of a verdict that has little to say."""
    yield from ending.notes
    yield from model.notes
    if ending.is_exhausted and ending.distinct == 0:
        yield _NO_INITIAL_STATE_TEXT
    if not model.properties and not model.liveness:
        yield _NO_PROPERTY_TEXT


def notes_of(search: Search) -> tuple[str, ...]:
    """What a search was asked to leave out."""
    left_out = () if search.deadlocks else ("deadlocks were not looked for: --no-deadlock",)
    if search.bounds_end_runs:
        said = "what must happen is read with --bounds-end-runs: a limit or @bound ends a run, as a guard would"
        left_out = (*left_out, said)
    if search.projection is None:
        return left_out
    return (*left_out, f"one state was kept for each value of @projection {search.projection}")


def json_constant(value: Value) -> Any:
    """A constant's value as JSON has it: an enum as its value when that is text, else as its name."""
    if isinstance(value, Enum):
        return value.value if isinstance(value.value, str) else value.name
    return value


def _verdict_of_property(prop: Property, ending: Ending) -> PropertyVerdict:
    run = ending.runs.get(prop.name)
    if not prop.applicable:
        return PropertyVerdict(prop.name, prop.kind, prop.says, "not_checked")
    if prop.kind == "reachable":
        word = "reached" if run is not None else "missing" if ending.is_exhausted else "undecided"
        return PropertyVerdict(prop.name, prop.kind, prop.says, word, run)
    word = "violated" if run is not None else "holds" if ending.is_whole_search else "undecided"
    return PropertyVerdict(prop.name, prop.kind, prop.says, word, run)


def _liveness_verdict(
    prop: Liveness, ending: Ending, others: tuple[PropertyVerdict, ...], faults: set[str]
) -> PropertyVerdict:
    """A property of whole runs: only an engine that sees every state and its steps checks it, at the end. What holds
    is said of the runs that stay within the limits of `faults` and of the actions that the property names."""
    found = ending.liveness.get(prop.name)
    if found is None:
        found = _unasked_answer(ending, others) if prop.applicable else PropertyAnswer("not_checked")
    why, within = found.why, tuple[str, ...]()
    if found.word == "holds" and not found.idle and prop.kind != "always_possible":
        cuts = cutting_limits(ending.actions)
        rests_on_all = found.word_with_guards == "holds"
        cuts = ((name, guard) for name, guard in cuts if rests_on_all or name in (*faults, *prop.respected_limits))
        limits = (guard.text if guard.is_bound else name for name, guard in cuts)
        within = tuple(dict.fromkeys(limits))
        why = _run_condition_text(why, within)
    return PropertyVerdict(
        prop.name, prop.kind, prop.says, found.word, found.run, found.loop, found.arguments, why, found.idle,
        found.stopped_action, found.word_with_guards, within,
    )  # fmt: skip


def _run_condition_text(fair: str, limit_names: tuple[str, ...]) -> str:
    """Of which runs a property holds: those with its fairness, that stay within the limits that stop anything."""
    *most, last = limit_names or ("",)
    named = f"{', '.join(most)} and {last}" if most else last
    return f"{fair or 'of the runs'} that stay within the limits of {named}" if named else fair


def _unasked_answer(ending: Ending, others: tuple[PropertyVerdict, ...]) -> PropertyAnswer:
    """Why a property of whole runs has no answer, though it could have one."""
    if ending.engine not in LIVENESS_ENGINES:
        return PropertyAnswer("not_checked", why=_NOT_JUDGED_TEXT)
    violated = next((prop.name for prop in others if prop.verdict == "violated"), None)
    if ending.failure is not None and not ending.deadlock:
        return PropertyAnswer(
            "not_checked", why="something cannot be evaluated, or breaks the model's types: mend that first"
        )
    if ending.deadlock or violated is not None:
        what = "a deadlock" if ending.deadlock else f"what violates {violated}"
        return PropertyAnswer(
            "not_checked", why=f"the search ended at {what}, before every state was known; see --keep-going"
        )
    return PropertyAnswer(
        "undecided", why=f"not every state is known: {ending.stop_reason or 'the search did not finish'}"
    )


def _outcome_of(ending: Ending, properties: tuple[PropertyVerdict, ...], impossible: tuple[str, ...]) -> Outcome:
    if ending.failure is not None and not ending.deadlock:
        return "model_error"
    violated = {prop.kind for prop in properties if prop.verdict == "violated"}
    if violated:
        return "liveness" if violated <= set(LIVENESS) else "safety"
    if ending.deadlock:
        return "deadlock"
    if not ending.is_whole_search or _unchecked_properties(properties) or _open_liveness_texts(properties):
        return "none"
    if any(action.happened_despite for action in ending.actions):
        return "vacuous"
    if outcomes_among(impossible, ending.actions, properties):
        return "vacuous"
    return "vacuous" if ending.is_exhausted and _is_vacuous(ending, properties, impossible) else "none"


def _is_vacuous(ending: Ending, properties: tuple[PropertyVerdict, ...], impossible: tuple[str, ...]) -> bool:
    """Whether what was asked is so only because nothing happens: no action ever does, no state has what a property
    begins with, or nothing but witnesses was asked for, and no state shows one of them."""
    if not any(action.firings for action in ending.actions) and any(action.never_happened for action in ending.actions):
        return True
    missing = any(prop.verdict == "missing" and prop.name not in impossible for prop in properties)
    shown = all(prop.kind == "reachable" for prop in properties) and missing
    return shown or any(prop.idle for prop in properties)


def _never_happens(model: Model, ending: Ending, properties: tuple[PropertyVerdict, ...]) -> tuple[str, ...]:
    """What should happen and does not, in every state there is: actions, then witnesses. What the model says is
    impossible should not."""
    if not ending.is_exhausted:
        return ()
    actions = [action.name for action in ending.actions if action.never_happened]
    names = (*actions, *(prop.name for prop in properties if prop.verdict == "missing"))
    return tuple(name for name in names if name not in model.impossible)


def _open_liveness_texts(properties: tuple[PropertyVerdict, ...]) -> list[str]:
    """The properties of liveness that bounds leave open, each with the reason."""
    open_ = (prop for prop in properties if prop.verdict == "undecided" and prop.kind in LIVENESS)
    return [f"{prop.name} is undecided: {prop.why}" for prop in open_]


def _unchecked_properties(properties: tuple[PropertyVerdict, ...]) -> list[str]:
    return [prop.name for prop in properties if prop.verdict == "not_checked"]


def _word_of(outcome: Outcome, ending: Ending, properties: tuple[PropertyVerdict, ...]) -> Word:
    if outcome in _FAILURES:
        return "violated"
    decided = ending.is_whole_search and not _unchecked_properties(properties) and not _open_liveness_texts(properties)
    return "holds" if decided else "inconclusive"


def _assurance_of(outcome: Outcome, ending: Ending, properties: tuple[PropertyVerdict, ...]) -> str:
    grounds = _grounds_of(outcome, ending)
    missed = _unchecked_properties(properties)
    if outcome == "none" and ending.is_whole_search and _open_liveness_texts(properties):
        return f"{grounds}, but {'; '.join(_open_liveness_texts(properties))}"
    if outcome != "none" or not missed or not ending.is_whole_search:
        return grounds
    return f"{grounds}, but {', '.join(missed)} {'is' if len(missed) == 1 else 'are'} not checked"


def _grounds_of(outcome: Outcome, ending: Ending) -> str:
    if outcome == "liveness":
        return "a counterexample, replayed in plain Python"
    if outcome in ("model_error", "safety", "deadlock"):
        shortest = not ending.sample_scope and ending.projection is None
        return f"a counterexample, {'the shortest, ' if shortest else ''}replayed in plain Python"
    if ending.is_exhausted:
        expected = "" if ending.collisions is None else f", expected collisions {ending.collisions:.1e}"
        return f"exhaustive within bounds{expected}"
    if ending.sample_scope:
        return ending.sample_scope
    return f"none: {ending.stop_reason or 'the search did not finish'}"


def peak_memory_bytes() -> int:
    """The most memory this process has had resident so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
