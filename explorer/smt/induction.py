"""Proof by induction: every lemma holds at first, every step from a state where all hold keeps each, and what is
claimed follows.

    proof = prove(definition, model, Asked())

For each pair of an action and a lemma the unbounded question is asked first, since most are answered in a moment. Where
the answer is not yes, the smallest finite copy is searched for a counterexample to induction. What is still open then
waits until all others have come so far: larger copies are searched, and it is asked again, harder. So a mistake shows
at once, whatever else there is to prove.
"""

from __future__ import annotations

import itertools
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias, cast

from ...language.binding import Definition
from ...language.errors import UsageError, nearest
from ...language.model import Model, Property
from ...language.proof import Finding, Obligation, Proof, Unstated, Word
from ...language.types import Identity
from ..symmetry import symmetry_of
from ..verdicts import plain
from .copies import Copies, Searched, Sketch, judged, lemmas_of
from .crew import Lost, shared
from .effort import Effort
from .encoding import boundless_constants, unbounded
from .errors import NotUnbounded, Unsayable
from .hints import Hints
from .keeping import Shelf
from .questions import Questions
from .sampling import Sample, sampled
from .simulation import simulate
from .transition import is_off

_TOGETHER = 6
"""Obligations about one action that one process takes at a time."""

FEW = 4
"""With less than one new obligation to so many that are kept, little has changed since the last proof."""

Heard: TypeAlias = Callable[[Finding | Unstated], None]
"""Told of everything that is found out, as it comes."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What to prove and how. `lemmas` and `properties` name what to prove; empty is all of both.

    `effort` is for one query, `seconds` for everything (None: no limit); `folder` is where proofs are kept. `seed`
    draws the reachable states in which plain Python evaluates the lemmas. With `record`, everything is proved anew and
    `Induction.hints` notes from which lemmas.
    """

    lemmas: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    effort: Effort = field(default_factory=Effort)
    seconds: float | None = None
    workers: int = 2
    seed: int = 0
    folder: Path | None = None
    record: bool = False


@dataclass(frozen=True, slots=True)
class Never:
    """That the action's guard contradicts the lemmas."""

    action: str


@dataclass(frozen=True, slots=True)
class Found:
    """A finding as a process hands it back: what refutes it is a sketch, for the judge. `needed` are the lemmas that
    the proof needs, if they are to be recorded."""

    obligation: Obligation
    word: Word
    seconds: float = 0.0
    reason: str = ""
    sketch: Sketch | None = None
    needed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Open:
    """What is cheap does not tell, after that many seconds."""

    obligation: Obligation
    seconds: float


Result: TypeAlias = Found | Open | Never | Unstated


@dataclass(frozen=True, slots=True)
class Task:
    """What a process is asked for. What was tried before without an answer is tried `hard`. Where little has changed
    since the last proof, that is `suspect`: copies are searched first.
    """

    obligations: tuple[Obligation, ...]
    hard: bool = False
    suspect: bool = False


class Induction:
    """One model's proof: what there is to prove, and what was found so far. `model` has the values of the constants;
    if it is bound with its lemmas, they among its properties, it is not bound again. `without` are lemmas to leave
    out."""

    def __init__(self, definition: Definition, model: Model, asked: Asked, without: Collection[str] = ()) -> None:
        self.definition, self.given, self.asked = definition, model, asked
        self.boundless = boundless_constants(definition, model)
        open_ = definition.bind(model.name, constants=model.values, open=self.boundless, ghosts=True, lemmas=True)
        self.model = replace(open_, lemmas=tuple(each for each in open_.lemmas if each.name not in without))
        self.lemmas = lemmas_of(self.model)
        self.copies = Copies(definition, self.model, self.boundless)
        self.encoding = unbounded(self.model)
        self.symmetric = _symmetric(self.model)
        self.shelf = Shelf(asked.folder, self.model)
        self.hints = Hints(self.lemmas)
        self.findings = list[Finding]()
        self.never = list[str]()
        self.unstated = dict[str, Unstated]()
        self.spent = dict[Obligation, float]()
        self.witnesses = 0
        self.possible = frozenset[str]()

    # --- what there is to prove --------------------------------------------------------------------------------------

    def actions(self) -> tuple[str, ...]:
        """The actions that the constants leave on, whatever those without a bound are."""
        return tuple(each.name for each in self.model.actions if not is_off(self.encoding, each.form.body))

    def goals(self) -> tuple[Property, ...]:
        """The lemmas and properties to prove, witnesses apart. UsageError for a name that there is not."""
        known = {each.name: each for each in self.model.lemmas}
        claims = {each.name: each for each in self.model.properties if each.kind != "reachable"}
        for name in self.asked.lemmas:
            if name not in known:
                raise UsageError(f"{self.model.name} has no lemma {name}; {nearest(name, known)}")
        for name in self.asked.properties:
            if name not in claims and name not in known:
                raise UsageError(f"no property {name} to prove; {nearest(name, [*claims, *known])}")
        named = {*self.asked.lemmas, *self.asked.properties}
        return tuple(each for each in {**known, **claims}.values() if not named or each.name in named)

    def obligations(self) -> tuple[Obligation, ...]:
        """Everything to prove, action by action."""
        goals = self.goals()
        own = {each.name for each in self.lemmas}
        made = [Obligation("initial", each.name) for each in goals if each.name in own]
        kept = [each.name for each in goals if each.name in own or each.kind == "transition"]
        for action in self.actions():
            made.append(Obligation("defined", "", action))
            made += [Obligation("step", name, action) for name in kept]
        made += [Obligation("consequence", each.name) for each in goals if each.name not in own | set(kept)]
        return tuple(made)

    def sample(self) -> Sample:
        """What plain Python sees in reachable states, within the bounds that were given."""
        model, wanted = self.given, {*self.copies.names}
        if not (model.ghosts and model.lemmas and wanted.issubset(each.name for each in model.properties)):
            model = self.definition.bind(
                model.name, constants=model.values, ghosts=True, properties=self.copies.names, lemmas=True
            )
        names = {each.name for each in self.goals()}
        return sampled(model, [each for each in model.properties if each.name in names], self.asked.seed)

    # --- proving -----------------------------------------------------------------------------------------------------

    def prove(self, heard: Heard) -> Proof:
        """Proves what is asked for.

        NotUnbounded when a lemma or an action has no meaning without bounds, Unsayable when a property that was asked
        for by name has none; Disagreement when the solver and plain Python do.
        """
        began = time.monotonic()
        stopped = self._run(heard)
        return self._proof(stopped, time.monotonic() - began)

    def _run(self, heard: Heard) -> str:
        """Answers why it ended early, or ""."""
        deadline = None if self.asked.seconds is None else time.monotonic() + self.asked.seconds
        sample = self.sample()
        self.witnesses, self.possible = sample.states, sample.possible
        for each in sample.findings:
            self._note(each, heard)
        simulate(self.model, sample.steps)
        for each in self.goals():
            known = self.shelf.unstated(each.name)
            if known is not None:
                self._set_apart(known, heard)
        sampled_already = {each.obligation for each in self.findings}
        fresh, kept = list[Obligation](), 0
        for each in self.obligations():
            if each in sampled_already or each.goal in self.unstated:
                continue
            if not self.asked.record and self.shelf.has(each):
                self._note(Finding(each, "proved", 0.0, cached=True), heard)
                kept += 1
            else:
                fresh.append(each)
        waiting = dict.fromkeys(fresh)
        few = len(fresh) * FEW < kept
        stopped, tasks = "", deque((Task((each,), suspect=True) for each in fresh) if few else _tasks(fresh))
        try:
            for result in shared(self._worker, tasks, self.asked.workers, deadline):
                if isinstance(result, Open):
                    self.spent[result.obligation] = result.seconds
                    tasks.append(Task((result.obligation,), hard=True))
                for each in self._taken(result):
                    waiting.pop(each.obligation, None)
                    self._note(each, heard)
                if isinstance(result, Unstated):
                    waiting = {each: None for each in waiting if each.goal != result.goal}
                    self._set_apart(result, heard)
        except KeyboardInterrupt:
            stopped = "it was interrupted"
        if waiting and not stopped:
            stopped = f"the time was up after {self.asked.seconds:g} s"
        for each in waiting:
            self._note(Finding(each, "not proved", 0.0, stopped), heard)
        return stopped

    def _proof(self, stopped: str, seconds: float) -> Proof:
        """What came of it."""
        model = self.model
        return Proof(
            model=model.name,
            constants={name: plain(value) for name, value in model.values.items()},
            boundless=tuple(name for name in model.constants if name in self.boundless),
            sizes={each.name: _size(model, each) for each in model.domains},
            lemmas=tuple(each.name for each in self.lemmas),
            actions=self.actions(),
            goals={each.name: each.says for each in self.goals() if each.name not in self.unstated},
            findings=tuple(self.findings),
            never=tuple(each for each in self.actions() if each in self.never),
            unstated=tuple(self.unstated.values()),
            symmetric=tuple(sorted(self.symmetric)),
            witnesses=self.witnesses,
            seconds=seconds,
            workers=self.asked.workers,
            stopped=stopped,
            notes=(*self.shelf.notes, *self.hints.notes),
        )

    def _note(self, finding: Finding, heard: Heard) -> None:
        if finding.word == "proved" and not finding.cached:
            self.shelf.keep(finding.obligation, finding.seconds)
        self.findings.append(finding)
        heard(finding)

    def _taken(self, result: Any) -> Iterator[Finding]:
        match result:
            case Never(action=action):
                self.never.append(action)
            case Unstated() | Open():
                pass
            case Lost(task=task, reason=reason):
                lost = cast(Task, task)
                known = {each.obligation for each in self.findings}.union(() if lost.hard else self.spent)
                for each in lost.obligations:
                    if each not in known:
                        yield Finding(each, "not proved", 0.0, reason)
            case _:
                yield self._judged(cast(Found, result))

    def _set_apart(self, news: Unstated, heard: Heard) -> None:
        """Notes a property that cannot be said without bounds. Unsayable when just that was asked for."""
        if news.goal in self.asked.properties:
            raise Unsayable(news.goal, news.reason, news.file, news.line)
        if news.goal not in self.unstated:
            self.shelf.keep_unstated(news)
            self.unstated[news.goal] = news
            heard(news)

    def _judged(self, found: Found) -> Finding:
        """A finding of a process, its counterexample as plain Python has it."""
        if found.word == "proved" and self.asked.record and found.obligation.kind != "initial":
            self.hints.note(found.obligation, found.needed)
        against = None if found.sketch is None else judged(self.copies, found.obligation, found.sketch)
        seconds = found.seconds + self.spent.get(found.obligation, 0.0)
        return Finding(found.obligation, found.word, seconds, found.reason, against)

    def _worker(self) -> Callable[[Task], Iterator[Result]]:
        """What one process proves with."""
        return Prover(self.copies, self.model, self.symmetric, self.asked, self.hints, self.possible).prove


class Prover:
    """Proves obligations one after the other: the lemmas are made into formulas once, an action when it is another.

    `possible` are actions that are known to happen.
    """

    def __init__(
        self,
        copies: Copies,
        model: Model,
        symmetric: frozenset[str],
        asked: Asked,
        hints: Hints,
        possible: frozenset[str],
    ) -> None:
        self.copies, self.symmetric, self.lemmas = copies, symmetric, {each.name for each in model.lemmas}
        self.asked, self.possible = asked, possible
        self.questions = Questions(model, symmetric, asked.effort, hints)
        self._searched = list[Searched]()

    def prove(self, task: Task) -> Iterator[Result]:
        """What each obligation came to."""
        for each in task.obligations:
            began = time.perf_counter()
            self.questions.prepare(each.action)
            try:
                found = self._hard(each) if task.hard else self._quick(each, 2 if task.suspect else 0)
            except NotUnbounded as error:
                if not each.goal or each.goal in self.lemmas:
                    raise
                yield Unstated(each.goal, f"{error.message}; {error.remedy}", error.where.file, error.where.line)
                continue
            seconds = time.perf_counter() - began
            if found is None:
                yield Open(each, seconds)
            elif self.asked.record and found.word == "proved":
                yield replace(found, seconds=seconds, needed=self.questions.needed(each))
            else:
                yield replace(found, seconds=seconds)
            if each.kind == "defined" and not task.hard and self._never_happens(each.action):
                yield Never(each.action)

    def _never_happens(self, action: str) -> bool:
        return action not in self.possible and self.questions.can_never_happen(action)

    def _quick(self, obligation: Obligation, copies: int) -> Found | None:
        """Most lemmas are proved at once, and most mistakes show in the smallest copy; so many are searched before."""
        sketch, _ = self._sketched(obligation, itertools.islice(self._all_copies(), copies))
        if sketch is None and self.questions.ask(obligation, hard=False, once=True).proved:
            return Found(obligation, "proved")
        if sketch is None and not copies:
            sketch, _ = self._sketched(obligation, itertools.islice(self._all_copies(), 1))
        return None if sketch is None else Found(obligation, "refuted", sketch=sketch)

    def _hard(self, obligation: Obligation) -> Found:
        """The cheap before the dear: all copies are searched in less time than one question is asked again."""
        sketch, searched = self._sketched(obligation, self._all_copies())
        if sketch is not None:
            return Found(obligation, "refuted", sketch=sketch)
        if self.questions.ask(obligation, hard=self.asked.record).proved:
            return Found(obligation, "proved")
        answer = self.questions.ask(obligation, hard=True)
        if answer.proved:
            return Found(obligation, "proved")
        return Found(obligation, "not proved", reason=f"{answer.reason}; {searched}")

    def _sketched(self, obligation: Obligation, some: Iterable[Searched]) -> tuple[Sketch | None, str]:
        """A counterexample to induction from some finite copies, or how far they went that have none."""
        searched = "no finite copy could be searched in time"
        for copy in some:
            found = copy.sketch(obligation)
            if isinstance(found, Sketch):
                return found, ""
            if found:
                searched = f"there is no counterexample within {self.copies.sizes(copy.number)}"
        return None, searched

    def _all_copies(self) -> Iterator[Searched]:
        yield from self._searched
        for number in range(len(self._searched), len(self.copies)):
            self._searched.append(Searched(self.copies, number, self.symmetric))
            yield self._searched[-1]


def _tasks(obligations: Sequence[Obligation]) -> Iterator[Task]:
    """A few obligations at a time, all about one action."""
    for _, each in itertools.groupby(obligations, lambda obligation: obligation.action):
        while some := tuple(itertools.islice(each, _TOGETHER)):
            yield Task(some)


def _size(model: Model, domain: Identity) -> int:
    return domain.size if domain.size_open is None else domain.size_open.value(model.values)


def _symmetric(model: Model) -> frozenset[str]:
    """The domains whose members neither an action nor a lemma nor a property can tell apart."""
    whole = replace(model, properties=(*model.properties, *model.lemmas))
    return frozenset(each.name for each in symmetry_of(whole).domains)
