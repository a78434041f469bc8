"""What an attempt to prove a model by induction came to: three different words, and what they rest on.

*proved*: for the given number of replicas and whatever the other bounds are. *refuted*: there is a counterexample,
which plain Python has replayed. *not proved*: neither; the solver gave up, and no finite copy has a counterexample.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from .model import Model
from .verdict import Run

Word: TypeAlias = Literal["proved", "refuted", "not proved"]
Kind: TypeAlias = Literal["initial", "step", "defined", "consequence"]


@dataclass(frozen=True, slots=True)
class Obligation:
    """One thing to prove.

    `initial`: the lemma `goal` holds in every initial state. `step`: where all lemmas hold, `action` keeps the lemma
    `goal`, or the property of two states `goal` holds of its steps. `defined`: where all lemmas hold, no step of
    `action` breaks the model's types. `consequence`: the invariant `goal` holds wherever all lemmas do.
    """

    kind: Kind
    goal: str = ""
    action: str = ""


@dataclass(frozen=True, slots=True)
class Counterexample:
    """Why something is refuted, in a finite copy of the model: its own bounds are in `model`.

    `run` is one state where all lemmas hold and, for a `step`, the step from it; `reachable` when it begins in an
    initial state instead, so that the model itself is at fault. `message` is the error of a step or of a goal that
    breaks the model's types; then `run` ends before it, and `action` and `arguments` name the step.
    """

    model: Model
    run: Run
    reachable: bool = False
    message: str = ""
    action: str | None = None
    arguments: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Finding:
    """What one obligation came to. `reason` says why it is not proved; `cached` that an earlier run proved it."""

    obligation: Obligation
    word: Word
    seconds: float
    reason: str = ""
    counterexample: Counterexample | None = None
    cached: bool = False


@dataclass(frozen=True, slots=True)
class Unstated:
    """That a property cannot be said without bounds, and why: the place is in `file`, at `line`."""

    goal: str
    reason: str
    file: str
    line: int


@dataclass(frozen=True, slots=True)
class Fall:
    """A candidate lemma that was given up, in which round, and the finding that made it fall."""

    lemma: str
    round: int
    finding: Finding


@dataclass(frozen=True, slots=True)
class Proof:
    """The result of proving one bound model.

    `boundless` are the constants that the proof leaves without a bound; all others have the values in `constants`.
    `sizes` are the domains and how many members each has: nothing is proved for other numbers. `lemmas` are those that
    the proof rests on; `actions` those that were looked at, in source order; `goals` what was asked for: lemmas and
    properties by name, with what each says. `never` are actions whose guard contradicts the lemmas. `unstated` are
    properties that cannot be said without bounds. `symmetric` are the domains of which one choice of members stands for
    all. `witnesses` counts the reachable states, initial ones among them, in which plain Python found all lemmas true.
    `stopped` says why it ended early. `falls` are the candidates that were given up.
    """

    model: str
    constants: Mapping[str, Any]
    boundless: tuple[str, ...]
    sizes: Mapping[str, int]
    lemmas: tuple[str, ...]
    actions: tuple[str, ...]
    goals: Mapping[str, str]
    findings: tuple[Finding, ...]
    never: tuple[str, ...]
    unstated: tuple[Unstated, ...]
    symmetric: tuple[str, ...]
    witnesses: int
    seconds: float
    workers: int
    stopped: str = ""
    falls: tuple[Fall, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def word(self) -> Word:
        """The one word for all of it: refuted if anything is, proved if everything is."""
        words = {each.word for each in self.findings}
        if "refuted" in words:
            return "refuted"
        return "not proved" if "not proved" in words or self.stopped else "proved"

    def word_of(self, goal: str) -> Word:
        """The word for one lemma or property: that of its obligations. A property is only as good as the lemmas."""
        own = {each.word for each in self.findings if each.obligation.goal == goal}
        if "refuted" in own:
            return "refuted"
        assumed = {*self.lemmas, ""}
        rest = {each.word for each in self.findings if each.obligation.goal in assumed}
        return "proved" if own | rest == {"proved"} and not self.stopped else "not proved"
