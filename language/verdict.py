"""What every engine returns: one verdict, with its bounds, its assurance in words, and what was seen on the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from .immutable import immutable
from .values import State

Outcome = Literal["safety", "deadlock", "liveness", "model_error", "vacuous", "none"]
Word = Literal["holds", "violated", "inconclusive"]
PropertyWord = Literal["holds", "violated", "reached", "missing", "not_checked", "undecided"]


@immutable
class Step:
    """One step of a run: the action's name, its arguments by parameter name, and the state it leads to."""

    action: str
    arguments: Mapping[str, Any]
    state_after: State


@immutable
class Run:
    """A finite run that plain Python has replayed: an initial state and the steps taken from it."""

    start: State
    steps: tuple[Step, ...]

    def states(self) -> tuple[State, ...]:
        """Every state of the run, the initial one first."""
        return (self.start, *(step.state_after for step in self.steps))


@immutable
class PropertyVerdict:
    """One property's result. `run` is the counterexample of a violated invariant or transition, or a witness's example.

    `verdict` is `not_checked` for a property that reads ghosts which were folded away, or of liveness with an engine
    that checks none or where a deadlock or another violation ended the search before; `undecided` when the search
    ended before it could be decided, or bounds leave it open.

    Of a property of liveness, `run` leads to where what is claimed is impossible, or is the way to a loop and once
    around it: `loop` is the number of the state that it returns to. `arguments` are the values of its parameters for
    which it fails, `why` a sentence about what was confirmed, what leaves it open, or of which runs it holds: the
    fairness, and the limits that these stay within. `idle` says that it holds because no state has what it begins with.
    Of what bounds leave open, `stopped_action` is the action of a step that a limit stops there ("" where it is not
    known which), and `verdict_with_guards` what would be so if limits were guards of the protocol, as in TLA+.
    `respected_limits` are the actions and `@bound`s whose limits the runs of which it holds stay within: of others
    nothing is said."""

    name: str
    kind: Literal[
        "invariant",
        "transition",
        "reachable",
        "always_possible",
        "leads_to",
        "initially_leads_to",
        "leads_to_always",
        "always_eventually",
        "eventually_always",
    ]
    says: str
    verdict: PropertyWord
    run: Run | None = None
    loop: int | None = None
    arguments: tuple[tuple[str, Any], ...] = ()
    why: str = ""
    idle: bool = False
    stopped_action: str = ""
    verdict_with_guards: PropertyWord | None = None
    respected_limits: tuple[str, ...] = ()


@immutable
class GuardCoverage:
    """How often one guard conjunct (or limit) was evaluated and how often it let the step through."""

    text: str
    line: int
    is_limit: bool
    evaluations: int
    passes: int

    @property
    def cuts(self) -> bool:
        """Whether it is a limit that stopped something."""
        return self.is_limit and self.evaluations > self.passes

    @property
    def is_bound(self) -> bool:
        """Whether it is a `@bound` of states, which stops every action beyond it alike."""
        return self.text.startswith("@bound ")


@immutable
class ActionCoverage:
    """How often an action happened (one per enabled instance in a distinct state) and where it was stopped.
    `stopped_by` is the `@bound` of steps that is meant to stop it altogether."""

    name: str
    firings: int
    switched_off: bool
    guards: tuple[GuardCoverage, ...]
    stopped_by: str | None = None

    @property
    def never_happened(self) -> bool:
        """Whether it should have happened and did not."""
        return not self.firings and not self.switched_off and self.stopped_by is None

    @property
    def happened_despite(self) -> bool:
        """Whether it was meant not to happen and did."""
        return bool(self.firings) and self.stopped_by is not None


def cutting_limits(actions: Iterable[ActionCoverage]) -> Iterator[tuple[str, GuardCoverage]]:
    """The limits that stopped something, each with the name of its action: what a search kept within."""
    return ((action.name, guard) for action in actions for guard in action.guards if guard.cuts)


@immutable
class Level:
    """One breadth-first level: its depth (the initial states being 1), its new distinct states, and the seconds it
    took."""

    depth: int
    states: int
    seconds: float


@immutable
class Failure:
    """A step or a property that broke the model's own types, or a deadlock: what, where, and the run that shows it.

    `where` is `file:line`, empty for a deadlock. For a failing step `run` ends just before it and `action`,
    `arguments` name it.
    """

    message: str
    where: str
    run: Run
    action: str | None = None
    arguments: Mapping[str, Any] | None = None


@immutable
class Verdict:
    """The result of checking one bound model with one engine.

    `assurance` says in words what the verdict rests on (`exhaustive within bounds`). `outcome`
    says what kind of failure it is. `transitions` counts enabled action instances out of distinct states, once all of
    these were expanded, and the steps of random walks; it is None where a search ended before, since how many steps it
    had looked at by then depends on the engine; `depth` counts states on the longest shortest path, an initial state
    being 1. `symmetry` names the domains whose renamings were folded, and `orbits` says how many states were kept, one
    for all that differ by a renaming: counts are of all states, unless it was asked that one of each is counted;
    `states_beyond` counts, of the distinct states, those beyond a `@bound`: checked, not expanded. `notes` are
    sentences a user should read (why symmetry was refused, what a limit cut). `held_states` is in how many states
    nothing was enabled and a limit stopped what the protocol or a client would do: they are no deadlocks, since larger
    bounds go on there. Both are None where an engine does not count them: random walks. `never_happens` are, where all
    holds in every state there is, the actions that never happen and the witnesses that no state shows: a warning, and
    no failure; `impossible` are those that the model says its profile makes impossible: of these nobody is warned.
    `outcome` is
    `vacuous` where what was asked is so only because nothing happens. `is_interrupted` says that Ctrl-C or SIGTERM
    ended the search: who asks for more than one verdict ends, too. `is_exhaustive`: every state within the bounds was
    seen, and nothing failed. `stop_reason` says why the engine ended before it had looked at all, if it did.
    """

    model: str
    constants: Mapping[str, Any]
    open_constants: tuple[str, ...]
    ghosts: bool
    engine: str
    verdict: Word
    outcome: Outcome
    assurance: str
    distinct_states: int
    transitions: int | None
    depth: int
    seconds: float
    compile_seconds: float
    peak_memory_bytes: int
    bytes_per_state: float | None
    symmetry: tuple[str, ...]
    properties: tuple[PropertyVerdict, ...]
    actions: tuple[ActionCoverage, ...]
    levels: tuple[Level, ...]
    failure: Failure | None = None
    rechecked_states: int = 0
    states_beyond: int | None = None
    notes: tuple[str, ...] = ()
    held_states: int | None = None
    is_interrupted: bool = False
    is_exhaustive: bool = False
    stop_reason: str | None = None
    never_happens: tuple[str, ...] = ()
    impossible: tuple[str, ...] = ()
    orbits: int | None = None

    @property
    def happens_though_impossible(self) -> tuple[str, ...]:
        """What happens though the model says that its profile makes it impossible."""
        return outcomes_among(self.impossible, self.actions, self.properties)


def outcomes_among(
    names: tuple[str, ...], actions: Iterable[ActionCoverage], properties: Iterable[PropertyVerdict]
) -> tuple[str, ...]:
    """Those of some names that are actions which happened, or witnesses that a state showed."""
    happened = {action.name for action in actions if action.firings}
    happened |= {prop.name for prop in properties if prop.verdict == "reached"}
    return tuple(name for name in names if name in happened)


class DisagreementError(Exception):
    """An engine and the plain-Python judge disagree. Exit 70; the message names the action and shows the state."""
