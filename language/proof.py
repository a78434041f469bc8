"""The verdicts of a proof by induction, and what they rest on.

*proved*: for the given number of replicas and whatever the other bounds are, and everything it rests on is proved in
the same result. *conditional*: proved from lemmas of which some were not to be proved, or are not. *vacuous*: proved of
nothing: there is no initial state, an action can never happen, or a property's antecedent is never true.
*refuted*: there is a counterexample, which plain Python has replayed. *not proved*: neither; the solver gave up, and no
finite copy has a counterexample.

Four more words say of a property that nothing is claimed: *not stated*, since it has no meaning without bounds;
*left out*, since it is about a feature that the constants switch off; *known false*, since a violation is recorded;
*not asked for*, since the options that select what to prove pass it over.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

from .immutable import immutable
from .model import Model
from .verdict import Run

Word: TypeAlias = Literal["proved", "conditional", "vacuous", "refuted", "not proved"]
Answer: TypeAlias = Literal["proved", "refuted", "not proved"]
"""The verdict on one obligation, on the assumption that all lemmas hold."""

Emptiness: TypeAlias = Literal["full", "empty", "barred", "limited"]
"""Whether something is said of nothing: `barred` if an action's guard is false in every state of the types, whatever
the lemmas say; `empty` if the lemmas contradict the guard, or all antecedents of a goal; `limited` if they contradict
what the limits and the types let through of an action's steps; else `full`."""

PropertyStanding: TypeAlias = Literal[Word, "known false", "left out", "not stated", "not asked for"]
"""What a result says of one property."""

Kind: TypeAlias = Literal["initial", "step", "defined", "consequence"]


@immutable
class Obligation:
    """One thing to prove.

    `initial`: the lemma `goal` holds in every initial state; of a refinement, the image of each is initial. `step`:
    where all lemmas hold, `action` keeps the lemma `goal`, or the property of two states `goal` holds of its steps.
    `defined`: where all lemmas hold, no step of `action` breaks the model's types, room in the fields of
    `Proof.roomless` apart. `consequence`: the invariant `goal` holds wherever all lemmas do.
    """

    kind: Kind
    goal: str = ""
    action: str = ""


@immutable
class Counterexample:
    """Why something is refuted, in a finite copy of the model: its own bounds are in `model`.

    `run` is one state where all lemmas hold and, for a `step`, the step from it; `reachable` when it begins in an
    initial state instead, so that the model itself is at fault. Where it does not, `reachability` says in a sentence
    what is known of that: whether a run leads there within the bounds of the copy. `message` is the error of a step or
    of a goal that breaks the model's types; then `run` ends before it, and `action` and `arguments` name the step.
    """

    model: Model
    run: Run
    reachable: bool = False
    message: str = ""
    action: str | None = None
    arguments: Mapping[str, Any] | None = None
    reachability: str = ""


@immutable
class ProofFinding:
    """What one obligation came to. `reason` says why it is not proved; `is_cached` that an earlier run proved it."""

    obligation: Obligation
    word: Answer
    seconds: float
    reason: str = ""
    counterexample: Counterexample | None = None
    is_cached: bool = False


@immutable
class UnstatedProperty:
    """That a property cannot be said without bounds, and why: the place is in `file`, at `line`."""

    goal: str
    reason: str
    file: str
    line: int


@immutable
class UnclaimedProperty:
    """A property about which nothing is claimed, and why, in a clause that follows its name and a colon."""

    goal: str
    reason: str


@immutable
class VacuousPart:
    """Something that makes a proof vacuous, in a clause: the property `goal` alone, or the result ("").

    Where it is the result, each property keeps the word of its own answer, unless it is `of_all`: without an initial
    state, and without an action, whatever is said is said of nothing.
    """

    goal: str
    reason: str
    of_all: bool = False


@immutable
class FallenCandidate:
    """A candidate lemma that was given up, in which round, and the finding that made it fall."""

    lemma: str
    round: int
    finding: ProofFinding


@immutable
class Proof:
    """The result of proving one bound model.

    `boundless` are the constants that the proof leaves without a bound; all others have the values in `constants`.
    `sizes` are the domains and how many members each has: nothing is proved for other numbers. `lemmas` are those that
    the proof rests on; `actions` those that were looked at, in source order; `goals` what was to be proved: lemmas and
    properties by name, with what each says. `empty` is what makes it vacuous, `never` among that: actions that can
    never happen, by the types, the lemmas or their limits. `spent` are actions that never happen since their budget is
    0: of them it is only proved that their guards can be evaluated. `unstated_properties` are properties that cannot be
    said without bounds, `left_out` those about a feature that is switched off, `known_false` those of which a violation
    is recorded, `not_asked` those that were not asked for: others were named, or they were excluded. `roomless` are the
    fields with a set or a bag whose capacity is without a bound: that they have room for what is added to them is not
    proved. `switched_off` are the actions that constant guards switch off: nothing of their text is looked at. `idle`
    are lemmas whose antecedent is never true. `symmetric` are the domains of which one choice of members stands for
    all. `witnesses` counts the reachable states, initial ones among them, in which plain Python found all lemmas true.
    `stop_reason` says why it ended early. `falls` are the candidates that were given up. `above_zero` are those of
    `boundless` that may be 0, of which nothing is proved: then there is no such thing, and it is another model.
    `elsewhere` says of properties that were looked at that a violation is recorded of them with other constants.
    """

    model: str
    constants: Mapping[str, Any]
    boundless: tuple[str, ...]
    sizes: Mapping[str, int]
    lemmas: tuple[str, ...]
    actions: tuple[str, ...]
    goals: Mapping[str, str]
    findings: tuple[ProofFinding, ...]
    never: tuple[str, ...]
    unstated_properties: tuple[UnstatedProperty, ...]
    symmetric: tuple[str, ...]
    witnesses: int
    seconds: float
    workers: int
    stop_reason: str = ""
    falls: tuple[FallenCandidate, ...] = ()
    notes: tuple[str, ...] = ()
    empty: tuple[VacuousPart, ...] = ()
    left_out: tuple[UnclaimedProperty, ...] = ()
    known_false: tuple[UnclaimedProperty, ...] = ()
    idle: tuple[str, ...] = ()
    above_zero: tuple[str, ...] = ()
    not_asked: tuple[str, ...] = ()
    roomless: tuple[str, ...] = ()
    spent: tuple[str, ...] = ()
    switched_off: tuple[str, ...] = ()
    elsewhere: tuple[UnclaimedProperty, ...] = ()

    @property
    def word(self) -> Word:
        """The one word for all of it: the worst of what it rests on, and of what was to be proved.

        What is vacuous comes before what is conditional, so that asking for fewer lemmas makes no result milder."""
        words = {finding.word for finding in self.findings}
        if "refuted" in words or any(claim.goal in self.goals for claim in self.known_false):
            return "refuted"
        if "not proved" in words or self.stop_reason:
            return "not proved"
        if self.empty:
            return "vacuous"
        return "conditional" if any(self.word_of(goal) == "conditional" for goal in self.goals) else "proved"

    def assumed_lemmas(self) -> tuple[str, ...]:
        """The lemmas that the proof rests on although it does not prove them: they were not to be proved, or not all
        of their obligations are."""
        open_ = {finding.obligation.goal for finding in self.findings if finding.word != "proved"}
        return tuple(lemma for lemma in self.lemmas if lemma not in self.goals or lemma in open_)

    def standing(self) -> Mapping[str, PropertyStanding]:
        """What was said of each property, witnesses, refinements and lemmas apart: of each one thing."""
        apart: dict[str, PropertyStanding] = {
            **dict.fromkeys(self.not_asked, "not asked for"),
            **dict.fromkeys((claim.goal for claim in self.unstated_properties), "not stated"),
            **dict.fromkeys((claim.goal for claim in self.left_out), "left out"),
            **dict.fromkeys((claim.goal for claim in self.known_false), "known false"),
        }
        return {**apart, **{goal: self.word_of(goal) for goal in self.goals if goal not in self.lemmas}}

    def breaking(self) -> tuple[str, ...]:
        """The actions of which it is not proved that they keep the model's types, which everything rests on."""
        return tuple(
            finding.obligation.action
            for finding in self.findings
            if finding.obligation.kind == "defined" and finding.word != "proved"
        )

    def word_of(self, goal: str) -> Word:
        """The word for one lemma or property: that of its obligations, and of what they assume."""
        own = {finding.word for finding in self.findings if finding.obligation.goal == goal}
        if "refuted" in own or any(claim.goal == goal for claim in self.known_false):
            return "refuted"
        if "not proved" in own or self.stop_reason:
            return "not proved"
        if any(empty.of_all or empty.goal == goal for empty in self.empty):
            return "vacuous"
        return "conditional" if self.breaking() or any(lemma != goal for lemma in self.assumed_lemmas()) else "proved"
