"""`check`: every reachable state within the bounds, or as much as another engine looks at."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

from ..explorer import ENGINES
from ..explorer.cache import cache_directory
from ..explorer.search import Report, Search
from ..language.constants import Value
from ..language.errors import UsageError, suggest_name
from ..language.immutable import immutable
from ..language.model import Model
from ..language.verdict import Verdict
from ..reports.check.terminal import check_headline, verdict_page
from ..reports.document import Document, check_document
from ..reports.exits import Exit, exit_of_verdict
from ..reports.verdicts import reason_text
from ..traces.document import trace_document
from . import arguments
from .exploring import MAX_ROWS, MAX_STATES, Exploration, explore, reachable_table
from .models import load, merge_constants
from .results import NOTEBOOK_FORMAT, Trace, preformatted_html, table_html


@immutable
class CheckResult:
    """What a check came to. `verdict` has everything that the engine said; the rest is there for convenience."""

    model: Model
    verdict: Verdict

    @property
    def holds(self) -> bool:
        """Whether everything that was asked for holds: an inconclusive or a vacuous result does not."""
        return self.exit is Exit.HOLDS

    @property
    def exit(self) -> Exit:
        """What `tidegate check` would end with."""
        return exit_of_verdict(self.verdict)

    @property
    def properties(self) -> Mapping[str, str]:
        """Each property's verdict by name: `holds`, `violated`, `reached`, ..."""
        return {prop.name: prop.verdict for prop in self.verdict.properties}

    @property
    def traces(self) -> Mapping[str, Trace]:
        """The trace of each property that has one, and under "" of a failure that is not a property's."""
        return {name: Trace(document) for name, document in trace_documents(self.model, self.verdict).items()}

    def trace(self, name: str | None = None) -> Trace:
        """The trace of one property; without a name, of the first that is violated, or of the failure. UsageError when
        there is none."""
        traces = self.traces
        violated = [prop.name for prop in self.verdict.properties if prop.verdict == "violated"]
        chosen = (
            next((candidate for candidate in [*violated, ""] if candidate in traces), None) if name is None else name
        )
        if chosen is None or chosen not in traces:
            what = "nothing failed" if name is None else f"{name} has no trace; {suggest_name(name, traces)}"
            raise UsageError(f"{self.verdict.model}: {what}")
        return traces[chosen]

    def document(self) -> Document:
        """The result as `tidegate check --json` prints it."""
        return check_document(self.verdict, trace_documents(self.model, self.verdict), {})

    def explore(self, most: int = MAX_STATES) -> Exploration:
        """Every reachable state and step, enumerated by plain Python. UsageError beyond `most` states."""
        return explore(self.model, most=most)

    def states(self, most: int = MAX_ROWS) -> Any:
        """The reachable states as an Arrow table, a column for each field, explored natively and numbered breadth
        first. For a table and a graph with the same numbers, see `explore`. UsageError beyond `most` states."""
        arguments.check_whole_number("most", most, 1)
        return reachable_table(self.model, most)

    def graph(self, most: int = MAX_STATES) -> Any:
        """The state graph as a networkx.MultiDiGraph: `explore().graph()`."""
        return self.explore(most).graph()

    def __repr__(self) -> str:
        """One line, for a prompt; `print` shows everything."""
        return f"<CheckResult: {check_headline(self.verdict)}>"

    def __str__(self) -> str:
        return verdict_page(self.verdict, NOTEBOOK_FORMAT).text()

    def _repr_html_(self) -> str:
        rows = [
            (prop.name, prop.kind, prop.verdict, " ".join([prop.says, reason_text(prop.verdict, prop.why)]).strip())
            for prop in self.verdict.properties
        ]
        failed = self.verdict.failure is not None or any(prop.verdict == "violated" for prop in self.verdict.properties)
        shown = self.trace()._repr_html_() if failed else ""  # pyright: ignore[reportPrivateUsage]  # IPython's name
        return (
            preformatted_html(check_headline(self.verdict))
            + table_html(rows, ("property", "kind", "verdict", "says"))
            + shown
        )


def check(
    model: str | Path | Model,
    *,
    engine: str = "native",
    bounds: str | None = None,
    properties: str | Iterable[str] = (),
    without: str | Iterable[str] = (),
    ghosts: bool | None = None,
    open: str | Iterable[str] = (),
    search: Search | None = None,
    symmetry: bool | None = None,
    workers: int = 1,
    memory: int | None = None,
    time: float | None = None,
    seed: int = 0,
    keep_going: bool = False,
    no_deadlock: bool = False,
    projection: str | None = None,
    cache: bool = True,
    constants: Mapping[str, Value | str] | None = None,
    **more_constants: Value | str,
) -> CheckResult:
    """Checks a model: `check("replication:kip101", properties=["strong_isr"], replicas=2).trace()`.

    `engine` is native, python, walk or spark. `memory`, in bytes, and `time`, in seconds, end the search as
    inconclusive. `keep_going` finds the shortest counterexample of every property instead of ending at the first.
    `no_deadlock` says that a state in which nothing can happen is no failure. `without` leaves properties out.
    `symmetry` counts states that differ by a renaming once; False keeps them all; None has a long search keep one of
    them and count all. `projection` keeps one state for each value of that `@projection`. `cache=False` compiles anew.
    `search` has everything else that an engine takes (walks, a Spark cluster), and replaces the options from `symmetry`
    on. For the model and its constants see `load`. Raises UsageError, ModelErrors, ModelError for an initial state that
    breaks the model, and DisagreementError when engine and plain Python differ."""
    if engine not in ENGINES:
        raise UsageError(f"there is no engine {engine}; {suggest_name(str(engine), ENGINES)}")
    for name, given, least in (("memory", memory, 1), ("workers", workers, 1), ("seed", seed, 0)):
        arguments.check_whole_number(name, given, least)
    arguments.check_seconds("time", time)
    arguments.check_truth("no_deadlock", no_deadlock)
    arguments.check_truth("keep_going", keep_going)
    bound = load(
        model,
        bounds=bounds,
        properties=properties,
        without=without,
        ghosts=ghosts,
        open=open,
        constants=merge_constants(constants, more_constants),
    )
    asked = search or Search(
        symmetry=symmetry,
        memory_bytes=memory,
        seconds=time,
        workers=workers,
        seed=seed,
        keep_going=keep_going,
        deadlocks=not no_deadlock,
        projection=projection,
        cache=cache_directory() if cache else None,
    )
    return check_model(bound, engine, asked)


def check_model(model: Model, engine: str, search: Search, report: Report | None = None) -> CheckResult:
    """A bound model checked by the engine of that name; `report` is called while it works."""
    return CheckResult(model, ENGINES[engine](model, search, report))


def trace_documents(model: Model, verdict: Verdict, names: Collection[str] | None = None) -> Mapping[str, Document]:
    """A trace document for each property that has a run, and under "" for a failure that is not a property's; of these
    only `names`, where they are given: a document takes longer to make than a run to find."""
    failures = {} if verdict.failure is None else {"": verdict.failure}
    runs = {prop.name: prop for prop in verdict.properties if prop.run is not None} | failures
    return {
        name: trace_document(model, found, engine=verdict.engine)
        for name, found in runs.items()
        if names is None or name in names
    }
