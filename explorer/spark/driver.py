"""The search: levels, one job after the other, until nothing is new; what was found on the way; the manifest.

prefix in this process -> level files -> jobs of one level or a few -> sums checked -> manifest -> `verdict`. Who runs
the tasks is a `JobRunner`: Spark, or a loop in a test.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any, Protocol

from ...language.errors import UsageError
from ...language.immutable import immutable
from ...language.model import Model
from ...language.paths import local_path
from ...language.verdict import Verdict
from ..native.compiler import Target, compile_text, read_object, write_object
from ..native.kernel import CONTEXT
from ..native.kernels import digest_of_meaning, engine_digest, kernel_of, kernel_text
from ..native.layout import Layout
from ..native.outcome import conclude
from ..native.search import kernel_number
from ..search import InterruptReason, Progress, Report, Search, SparkCluster, time_limit_text
from ..symmetry import Symmetry, symmetry_of
from .interrupts import interrupts_noted
from .job import DamagedRunError, Job
from .levels import Facts
from .prefix import Prefix, first_finds
from .rundir import CompletedLevel, Manifest, RunDirectory
from .shipping import ship_kernel
from .step import RecountTask, ShardTask
from .verdict import EndedSearch, verdict_of_search

CHAIN = 4
"""Small levels that are explored by one job."""
CHAIN_STATES = 50_000
"""A level of more states has a job of its own, and is committed by itself."""
ALONE_STATES = 200_000
"""Of so many states all are counted again, and written as tables, by this process."""
COLLISIONS_MAX = 1e-2
"""With more expected collisions an exhausted search is inconclusive."""


@immutable
class JobAnswer:
    """What the tasks of a job reported, and how many bytes it shuffled."""

    facts: Sequence[Facts]
    shuffle_bytes: int


class SearchStoppedError(Exception):
    """The search was ended before it was done: `why`, an InterruptReason where it was interrupted."""

    def __init__(self, why: str = "") -> None:
        super().__init__(why)
        self.why = why


class TimeLimitError(SearchStoppedError):
    """The seconds that a job was given are over."""


class JobRunner(Protocol):
    """Runs tasks."""

    @property
    def core_count(self) -> int:
        """How many shards to have where the user does not say."""
        ...

    @property
    def target(self) -> Target:
        """What the tasks' code is to be compiled for."""
        ...

    def run(self, job: Job, level: int, chain: int, seconds: float | None) -> JobAnswer:
        """Expand `level` and `chain` - 1 levels after it. TimeLimitError after so many seconds; SearchStoppedError at
        Ctrl-C."""
        ...

    def run_shards(self, job: Job, task: ShardTask, says: str) -> Sequence[Facts]:
        """Run the task of each shard; what each reports, in any order. SearchStoppedError at Ctrl-C."""
        ...

    def close(self, job: Job | None) -> None:
        """End; what is in the machines' scratch directories goes."""
        ...


def explore(model: Model, search: Search, start: Callable[[], JobRunner], report: Report | None) -> Verdict:
    """Explore every reachable state of a bound model and check its properties. `start` is called when there is
    something to run."""
    cluster = search.cluster or SparkCluster()
    for place in filter(None, (cluster.run_dir, cluster.scratch, cluster.states_out)):
        local_path(place)
    temporary = cluster.run_dir is None
    folder = Path(tempfile.mkdtemp(prefix="tidegate-run-")) if cluster.run_dir is None else cluster.run_dir.resolve()
    directory = RunDirectory(folder)
    try:
        return SparkSearch(model, search, cluster, directory, start, report).verdict()
    except SearchStoppedError as stopped:  # before there was a run to go on with
        raise UsageError(f"{stopped}; the same command begins again") from stopped
    except OSError as error:
        raise UsageError(
            f"{error.filename or folder}: {error.strerror or error}; once that is mended the same command with the "
            "same --run-dir goes on from the last complete level"
        ) from error
    finally:
        directory.close()
        if temporary:
            shutil.rmtree(folder, ignore_errors=True)


class SparkSearch:
    """One search, or the rest of one."""

    def __init__(
        self, model: Model, search: Search, cluster: SparkCluster, directory: RunDirectory,
        start: Callable[[], JobRunner], report: Report | None,
    ) -> None:  # fmt: skip
        self.model, self.search, self.cluster, self.directory = model, search, cluster, directory
        self.symmetry = symmetry_of(model) if search.symmetry else Symmetry((), ())
        self.kernel = kernel_of(model, self.symmetry.domains, search.cache, fingerprint=cluster.fingerprint)
        self.start, self.report = start, report
        self.started = time.perf_counter()
        self.stopped: str | None = None
        self.runner: JobRunner | None = None
        self.prefix: Prefix | None = None
        self.before = 0.0
        self.manifest: Manifest

    def verdict(self) -> Verdict:
        """Explore, and say how it ended."""
        try:
            with interrupts_noted() as self.interrupted:
                return self._verdict()
        finally:
            if self.prefix is not None:
                self.prefix.close()
            if self.runner is not None:
                self.runner.close(self._job_now())

    def _verdict(self) -> Verdict:
        alone = self._explore_alone()
        if alone is not None:
            return self._verdict_of_prefix(alone)
        manifest = self.manifest
        self._recount_levels()
        collisions = manifest.distinct**2 / 2.0 ** (self.cluster.fingerprint + 1)
        exhausted = manifest.is_finished and self.stopped is None
        if exhausted and collisions > COLLISIONS_MAX:
            exhausted, self.stopped = False, (
                f"{manifest.distinct:,} states make {collisions:.1e} expected collisions of "
                f"{self.cluster.fingerprint}-bit fingerprints, more than 1e-02; --fingerprint 128 makes fewer"
            )  # fmt: skip
        found = verdict_of_search(
            EndedSearch(
                self.model, self.search, self.kernel, self.symmetry, self._job_now(), manifest, exhausted, collisions,
                self.stopped, self._has_failed(),
            )
        )  # fmt: skip
        return self._write_reached_states(found)

    # --- the beginning ------------------------------------------------------------------------------------------------

    @cached_property
    def question_identity(self) -> dict[str, Any]:
        """Everything that the question depends on."""
        own = sha256(b"".join(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py")))).hexdigest()
        opens = {name: kernel_number(self.model.values[name]) for name in sorted(self.model.open)}
        text = "\0".join((engine_digest(), own, digest_of_meaning(self.model, self.symmetry.domains), str(opens)))
        return {
            "model": self.model.name,
            "question": sha256(text.encode()).hexdigest(),
            "fingerprint": self.cluster.fingerprint,
            "keep_going": self.search.keep_going,
        }

    def _check_same_question(self, manifest: Manifest) -> None:
        mine, shards = self.question_identity, self.cluster.shards
        theirs = manifest.identity
        if mine != theirs:
            what = next(name for name in mine if mine[name] != theirs.get(name))
            raise UsageError(
                f"--run-dir {self.directory.folder} holds a run of {theirs.get('model')} that asks something else: its "
                f"{'text, constants or engine' if what == 'question' else what} differ; name another directory"
            )
        if shards is not None and shards != manifest.shards:
            raise UsageError(
                f"--run-dir {self.directory.folder} holds a run of {manifest.shards} shards; leave --shards out to go "
                "on"
            )

    def _explore_alone(self) -> Prefix | None:
        """Explore until it ends. What this process explored, where that was everything: then no file has it."""
        manifest = self.directory.read()
        if manifest is not None:
            self._check_same_question(manifest)
        if manifest is None or not manifest.levels:
            self.prefix = Prefix(self.model, self.search, self.kernel, self.cluster.hand_over, self.report)
            if not self.prefix.search_levels(self.interrupted):
                return self.prefix
            manifest = self._hand_over(self.prefix, manifest)
        self.manifest, self.before = manifest, manifest.seconds
        if not manifest.is_finished and not self._has_failed():
            self._search()
        return None

    def _hand_over(self, prefix: Prefix, manifest: Manifest | None) -> Manifest:
        """The manifest of the levels that this process explored, which are files now."""
        if manifest is None:
            shards = self.cluster.shards or self._started_runner().core_count
            manifest = Manifest(self.question_identity, shards)
        self.manifest = manifest
        self.directory.write(manifest)
        self._ship_kernel(Target.host())
        prefix.write_levels(self._job_now(), manifest)
        manifest.seconds = self._elapsed_seconds()
        self.directory.write(manifest)
        prefix.close()
        self.prefix = None
        return manifest

    def _verdict_of_prefix(self, prefix: Prefix) -> Verdict:
        found = prefix.driver.findings
        if self.cluster.states_out is not None:
            self.manifest = Manifest(self.question_identity, 1)
            self._ship_kernel(Target.host())
            prefix.write_levels(self._job_now(), self.manifest)
        found.symmetry = tuple(domain.name for domain in self.symmetry.domains)
        found.notes += self.symmetry.refusals
        if found.stop_reason is None:
            found.notes.append("this process explored it alone, with its exact store: no level was worth handing over")
        ended = conclude(self.model, self.search, self.kernel, prefix.frontier, found)
        return self._write_reached_states(replace(ended, engine="spark"))

    def _ship_kernel(self, target: Target) -> None:
        kernel, name = self.kernel, self._kernel_name()
        finger = self.cluster.fingerprint
        text = kernel_text(self.model, kernel.program, self.symmetry.domains, self.search.cache, fingerprint=finger)
        binary = kernel.binary
        if target != Target.host():
            kept = None if self.search.cache is None else self.search.cache / f"{name}-{target.cache_key}.o"
            binary = read_object(kept) or compile_text(text, target)
            write_object(kept, binary)
        ship_kernel(self.directory.folder, name, text, target, binary)

    def _kernel_name(self) -> str:
        return f"{self.question_identity['question'][:32]}-{self.cluster.fingerprint}"

    def _job_now(self) -> Job:
        """What the tasks must know now."""
        program, manifest = self.kernel.program, self.manifest
        found = {
            kind: _property_mask(manifest.finds, kind)
            for kind in ("invariants", "witnesses", "transitions", "deadlock")
        }
        return Job(
            folder=self.directory.folder, run=manifest.run,
            scratch=self.cluster.scratch or Path(tempfile.gettempdir()), kernel=self._kernel_name(),
            shards=manifest.shards, words=program.layout.words, finger=self.cluster.fingerprint // 64,
            cells=program.context_cells, counters=len(CONTEXT) + len(program.opens), slots=program.buffer_slots,
            opens=tuple((cell, kernel_number(self.model.values[name])) for name, cell in program.opens.items()),
            transitions=len(program.transitions),
            check=((1 << len(program.invariants)) - 1) & ~found["invariants"],
            seek=((1 << len(program.witnesses)) - 1) & ~found["witnesses"],
            watch=((1 << len(program.transitions)) - 1) & ~found["transitions"],
            deadlocks=self.search.deadlocks and not found["deadlock"],
        )  # fmt: skip

    # --- the levels ---------------------------------------------------------------------------------------------------

    def _elapsed_seconds(self) -> float:
        return time.perf_counter() - self.started

    def _has_failed(self) -> bool:
        """Whether something was found that ends the search."""
        ending = {"error", "property_error"}
        if not self.search.keep_going:
            ending |= {"invariants", "transitions", "deadlock"}
        return any(find["kind"] in ending for find in self.manifest.finds)

    def _search(self) -> None:
        try:
            self._heed_interrupts()  # Spark takes seconds to start
            runner = self._started_runner()
            self._ship_kernel(runner.target)
            while not self.manifest.is_finished and not self._has_failed():
                self._heed_interrupts()
                self._run_job(runner)
        except TimeLimitError:
            self.stopped = time_limit_text(self.search.seconds or 0.0)
        except SearchStoppedError as stopped:
            self.stopped = stopped.why

    def _heed_interrupts(self) -> None:
        if self.interrupted.is_set():
            raise SearchStoppedError(self.interrupted.says)

    def _started_runner(self) -> JobRunner:
        self.runner = self.runner or self.start()
        return self.runner

    def _run_job(self, runner: JobRunner) -> None:
        """One job."""
        manifest, began = self.manifest, time.perf_counter()
        limit = self.search.seconds
        left = None if limit is None else limit - self._elapsed_seconds()
        if left is not None and left <= 0:
            raise TimeLimitError
        last = manifest.levels[-1]
        level, chain = len(manifest.levels), 1 if sum(last.states) > CHAIN_STATES else CHAIN
        answer = runner.run(self._job_now(), level, chain, left)
        seconds = (time.perf_counter() - began) / chain
        for number in range(level, level + chain):
            self._take_in_reports(answer, number, seconds, answer.shuffle_bytes // chain)
            if manifest.is_finished or self._has_failed():
                break
        manifest.seconds = self.before + self._elapsed_seconds()
        self.directory.write(manifest)
        self._report_progress()

    def _take_in_reports(self, answer: JobAnswer, level: int, seconds: float, shuffle_bytes: int) -> None:
        """Take in the reports of expanding a level and receiving the next."""
        manifest = self.manifest
        spreads = self._answers_of_shards(answer, "spread", level)
        receives = self._answers_of_shards(answer, "receive", level + 1)
        sent, received = sum(spread["sent"] for spread in spreads), sum(receive["received"] for receive in receives)
        if sent != received:  # each shard has compared what came from each other with what that says it sent
            raise DamagedRunError(
                f"level {level}: its shards sent {sent} states, and {received} arrived; this run's counts cannot be "
                "trusted: begin a new one"
            )
        expanded = [spread["expanded"] for spread in spreads]
        if expanded != manifest.levels[level - 1].states:
            raise DamagedRunError(
                f"level {level}: the manifest has {manifest.levels[level - 1].states}, expanded {expanded}"
            )
        manifest.expanded_states += sum(expanded)
        manifest.counters = [
            sum(counts) for counts in zip(manifest.counters, *(spread["counters"] for spread in spreads), strict=True)
        ]
        finds = [
            {**find, "level": receive["level"], "shard": receive["shard"]}
            for receive in (*spreads, *receives)
            for find in receive["finds"]
        ]
        manifest.finds = first_finds((*manifest.finds, *finds))
        new = [receive["new"] for receive in receives]
        if sum(new):
            manifest.levels.append(CompletedLevel(new, seconds, sent, shuffle_bytes))
        elif not self._has_failed():
            manifest.is_finished = True

    def _write_reached_states(self, verdict: Verdict) -> Verdict:
        """Write the reached states, if that was asked for. What came of the search does not depend on it: a verdict
        says so where Ctrl-C came first."""
        if self.cluster.states_out is None:
            return verdict
        from .columns import StatesWriter  # needs pyarrow, and nothing else here does

        layout = Layout(self.model.fields, self.model.values)  # a new one, since what it keeps is not to be sent
        writer = StatesWriter(self.cluster.states_out.resolve(), layout, self._states_by_level())
        try:
            self._run_shards(writer, "writing the reached states")
        except SearchStoppedError as stopped:
            return replace(verdict, notes=(*verdict.notes, f"--states-out has not all states: {stopped}"))
        return verdict

    def _recount_levels(self) -> None:
        """Of a finished search every level file is there and whole, and no state is in two of them."""
        if not self.manifest.is_finished or len(self.manifest.levels) == self.manifest.handed_over:
            return
        try:
            self._run_shards(RecountTask(self._states_by_level()), "counting all states again")
        except SearchStoppedError as stopped:
            why = f"{stopped}, while all states were counted again"
            self.stopped = InterruptReason(why) if isinstance(stopped.why, InterruptReason) else why

    def _states_by_level(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(level.states) for level in self.manifest.levels)

    def _run_shards(self, task: ShardTask, says: str) -> None:
        """Run the task of each shard: in this process where there is little to do, else by the runner."""
        job = self._job_now()
        is_little = self.manifest.distinct <= max(self.cluster.hand_over, ALONE_STATES)
        if self.prefix is None and not is_little:
            done = [fact["shard"] for fact in self._started_runner().run_shards(job, task, says)]
        else:
            done = list[int]()
            for shard in range(job.shards):
                self._heed_interrupts()
                done.append(task(job, shard)["shard"])
        if sorted(done) != list(range(job.shards)):
            raise DamagedRunError(f"{says}: of {job.shards} shards only {sorted(done)} reported; begin a new run")

    def _answers_of_shards(self, answer: JobAnswer, phase: str, level: int) -> list[Mapping[str, Any]]:
        """What every shard reported of a phase, in the order of shards."""
        facts = {fact["shard"]: fact for fact in answer.facts if (fact["phase"], fact["level"]) == (phase, level)}
        missing = [shard for shard in range(self.manifest.shards) if shard not in facts]
        if missing:
            raise DamagedRunError(
                f"level {level}: shards {missing} reported nothing; this run's counts cannot be trusted"
            )
        return [facts[shard] for shard in range(self.manifest.shards)]

    def _report_progress(self) -> None:
        if self.report is None:
            return
        manifest = self.manifest
        last, seconds = manifest.levels[-1], self._elapsed_seconds()
        new = sum(last.states)
        self.report(
            Progress(
                manifest.distinct, new, len(manifest.levels), new / max(last.seconds, 1e-9), 0, seconds,
                says=f"{manifest.distinct:,} distinct, level {len(manifest.levels)}: {new:,} new, "
                f"{new / max(last.seconds, 1e-9):,.0f} states/s, {last.shuffle_bytes / 2**20:,.1f} MiB shuffled, "
                f"{seconds:,.0f} s",
            )
        )  # fmt: skip


def _property_mask(finds: Sequence[Facts], kind: str) -> int:
    return sum(1 << find["bit"] for find in finds if find["kind"] == kind)
