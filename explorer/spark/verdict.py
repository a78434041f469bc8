"""From level files to a verdict: counterexamples read along parents and replayed by the judge, a sample of states
checked again, coverage counted."""

from __future__ import annotations

import random
from collections.abc import Sequence

from ...language.immutable import immutable
from ...language.model import Model
from ...language.verdict import Failure, Level, Run, Verdict
from ..native.frontier import Frontier
from ..native.kernel import NO_PARENT
from ..native.kernels import Kernel
from ..native.outcome import Confirmation, coverage_of
from ..search import Search
from ..symmetry import Symmetry
from ..verdicts import Ending, notes_of, verdict_of
from .job import Job
from .levels import Facts, LevelFile, StateLocation
from .rundir import Manifest

Words = tuple[int, ...]


@immutable
class EndedSearch:
    """A search that has ended. `has_failed` says that something was found that ended it."""

    model: Model
    search: Search
    kernel: Kernel
    symmetry: Symmetry
    job: Job
    manifest: Manifest
    is_exhausted: bool
    collisions: float
    stop_reason: str | None
    has_failed: bool


def words_on_path(job: Job, place: StateLocation) -> list[Words]:
    """The states from an initial one to the one at `place`."""
    at: StateLocation | None = place
    found = list[Words]()
    while at is not None:
        file = LevelFile(job, at.level, at.shard, sum=False)
        found.append(file.state(at.index))
        at = file.parent(at.index)
        file.close()
    return found[::-1]


def verdict_of_search(ended_search: EndedSearch) -> Verdict:
    """The verdict, with every run in it confirmed."""
    manifest = ended_search.manifest
    depth = len(manifest.levels)
    words = ended_search.job.words
    frontier = Frontier(ended_search.kernel.program, ended_search.kernel.code, (depth + 1100) * (8 * words + 4 + 10))
    try:
        return _Paths(ended_search, frontier).verdict()
    finally:
        frontier.close()


class _Paths:
    """Turns what was found into runs. The frontier holds one path at a time, as a search's store holds all."""

    def __init__(self, ended_search: EndedSearch, frontier: Frontier) -> None:
        self.ended, self.frontier = ended_search, frontier
        self.confirm = Confirmation(ended_search.model, frontier)
        for cell, value in ended_search.job.opens:
            frontier.context[cell] = value & (1 << 64) - 1
        frontier["WATCH"] = ended_search.job.watch

    def verdict(self) -> Verdict:
        """The verdict."""
        ended, manifest = self.ended, self.ended.manifest
        runs, failure = self._runs_of_finds(), self._failure()
        rechecked = self._recheck_sample() if ended.is_exhausted else 0
        job = ended.job
        for at, value in enumerate(manifest.counters):
            self.frontier.context[job.counters + at] = value
        self.frontier["NEXT"] = manifest.expanded_states
        levels = tuple(Level(at, sum(done.states), done.seconds) for at, done in enumerate(manifest.levels, 1))
        ending = Ending(
            engine="spark", is_exhausted=ended.is_exhausted, stop_reason=ended.stop_reason, failure=failure,
            deadlock=failure is not None and not self._finds_of("error") and not self._finds_of("property_error"),
            runs=runs, distinct=manifest.distinct, seconds=manifest.seconds, compile_seconds=ended.kernel.seconds,
            bytes_per_state=8.0 * job.words + 8, symmetry=tuple(domain.name for domain in ended.symmetry.domains),
            actions=coverage_of(ended.model, ended.kernel, self.frontier), levels=levels, rechecked_states=rechecked,
            notes=(*ended.symmetry.refusals, *notes_of(ended.search), *self._notes()), collisions=ended.collisions,
            held_states=self.frontier.counter(self.frontier.program.held_states),
            states_beyond=sum(map(self.frontier.counter, self.frontier.program.states_beyond)),
        )  # fmt: skip
        return verdict_of(ended.model, ending)

    def _notes(self) -> list[str]:
        manifest = self.ended.manifest
        sent = sum(level.sent_states for level in manifest.levels)
        notes = [
            f"{manifest.shards} shards, {64 * self.ended.job.finger}-bit fingerprints; this process explored the first "
            f"{manifest.handed_over} levels alone; {sent:,} states sent between shards, "
            f"{sum(level.shuffle_bytes for level in manifest.levels) / 2**20:,.1f} MiB shuffled"
        ]
        if self.ended.stop_reason is not None and not manifest.is_finished:
            notes.append("the same command with the same --run-dir goes on from the last complete level")
        return notes

    def _finds_of(self, kind: str) -> list[Facts]:
        return [find for find in self.ended.manifest.finds if find["kind"] == kind]

    def _load_path_to(self, find: Facts) -> int:
        """Put the path to a find into the frontier's store; the index of its end."""
        return self._put_path(words_on_path(self.ended.job, StateLocation(find["level"], find["shard"], find["index"])))

    def _put_path(self, path: Sequence[Words]) -> int:
        for index, words in enumerate(path):
            self.frontier.states.write(8 * self.frontier.words * index, words)
            self.frontier.parents.set_half(index, index - 1 if index else NO_PARENT)
        return len(path) - 1

    def _runs_of_finds(self) -> dict[str, Run]:
        program, runs = self.ended.kernel.program, dict[str, Run]()
        for find in self._finds_of("invariants"):
            invariant = program.invariants[int(find["bit"])]
            runs[invariant.name] = self.confirm.confirm_invariant(invariant, self._load_path_to(find))
        for find in self._finds_of("transitions"):
            bit = int(find["bit"])
            transition = program.transitions[bit]
            source = self._load_path_to(find)
            self.frontier.edges.write(8 * (self.frontier.words + 1) * bit, (source, *find["words"]))
            runs[transition.name] = self.confirm.confirm_transition(transition, bit)
        for find in self._finds_of("witnesses"):
            witness = program.witnesses[int(find["bit"])]
            runs[witness.name] = self.confirm.confirm_witness(witness, self._load_path_to(find))
        return runs

    def _failure(self) -> Failure | None:
        for kind, confirmed in (
            ("error", self.confirm.model_error),
            ("property_error", self.confirm.property_error),
            ("deadlock", self.confirm.confirm_deadlock),
        ):
            for find in self._finds_of(kind):
                return confirmed(self._load_path_to(find))
        return None

    def _recheck_sample(self) -> int:
        """Re-check a seeded sample of all states; how many."""
        manifest, search = self.ended.manifest, self.ended.search
        total = manifest.distinct
        chosen = sorted(random.Random(search.seed).sample(range(total), min(search.recheck, total)))
        for place in _places_of(manifest, chosen):
            file = LevelFile(self.ended.job, place.level, place.shard, sum=False)
            self.confirm.recheck_state(self._put_path([file.state(place.index)]))
            file.close()
        return len(chosen)


def _places_of(manifest: Manifest, state_numbers: Sequence[int]) -> list[StateLocation]:
    """The places of the states of these numbers, all states being numbered level by level and shard by shard;
    ascending."""
    found, first, waiting = list[StateLocation](), 0, list(state_numbers)[::-1]
    for level, done in enumerate(manifest.levels, 1):
        for shard, count in enumerate(done.states):
            while waiting and waiting[-1] < first + count:
                found.append(StateLocation(level, shard, waiting.pop() - first))
            first += count
    return found
