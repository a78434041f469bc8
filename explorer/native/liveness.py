"""Properties of whole runs over an explored store: its steps are written down by compiled code, and searched."""

from __future__ import annotations

import ctypes
import time
from bisect import bisect_left
from collections.abc import Callable, Mapping

from ...language.judge import holds
from ...language.model import Model
from ...language.values import ModelError
from ...language.verdict import DisagreementError, Failure
from ..liveness.answers import PropertyAnswer, Replayer, answer_questions, answers_where_bounds_end_runs
from ..liveness.graph import Heed, IncompleteGraphError, heed_nothing
from ..liveness.questions import LivenessQuestions, divide_actions, questions_of
from ..search import Progress, Report, Search
from .edges_kernel import ENDINGS
from .effort import FULL_EFFORT, QUICK_EFFORT
from .frontier import CELLS, Frontier
from .kernels import Kernel, kernel_of
from .masks import protocol_masks
from .memory import NoMemoryError, Region
from .network import Network, bytes_needed

LARGE_GRAPH = 1_000_000
"""States from which on it is worth to compile well."""
SLICE = 200_000
"""States whose steps are written down between two reports."""


class Sweep:
    """A second pass over an explored store, by a kernel of its own with its own context."""

    def __init__(self, kernel: Kernel, frontier: Frontier, network: Network, model: Model, predicates: int) -> None:
        program = kernel.program
        self.kernel, self.network = kernel, network
        self.buffer = Region(8 * (program.layout.words + 2) * program.buffer_slots)
        self.context = (ctypes.c_uint64 * program.context_cells)()
        for cell in ("STATES", "PARENTS", "TABLE", "SIZE", "COUNT"):
            self.context[CELLS[cell]] = frontier[cell]
        self.context[CELLS["BUFFER"]] = self.buffer.address
        for name, cell in program.opens.items():
            self.context[cell] = frontier.context[frontier.program.opens[name]]
        masks = protocol_masks(model)
        self.masks = (ctypes.c_uint64 * len(masks))(*masks)
        network["PROTOCOL"] = ctypes.addressof(self.masks)
        network["BOUNDS"] = ((1 << len(model.bounds)) - 1) << predicates
        network["ASKED"] = (1 << predicates) - 1 | network["BOUNDS"]
        self.function = kernel.code.function("sweep", 3)

    def run(self, stop: int) -> str:
        """Goes on up to a state; why it ended."""
        return ENDINGS[self.function(ctypes.addressof(self.context), self.network.address, stop)]

    def close(self) -> None:
        """Give all memory back."""
        self.buffer.close()


def judge_liveness(
    model: Model,
    search: Search,
    frontier: Frontier,
    replayer: Replayer,
    folded_domains: tuple[str, ...],
    limit: int,
    transitions: int,
    note_compiled: Callable[[float], None],
    report: Report | None = None,
    heed: Heed = heed_nothing,
) -> Mapping[str, PropertyAnswer] | Failure:
    """What is so of the model's properties of whole runs, once every state is in the store; or the failure of one that
    cannot be evaluated. `folded_domains` are the domains whose renamings are folded, `transitions` how many steps there
    are; `note_compiled` gets the seconds that it took to compile. `heed` is called between two pieces of work. Raises
    Incomplete where the steps do not fit into `limit` bytes, or `heed` does."""
    questions = questions_of(model)
    count = frontier["COUNT"]
    needed = frontier.bytes_used() + bytes_needed(count, transitions)
    if needed > limit:
        raise IncompleteGraphError(
            f"the memory limit was reached: {count:,} states with {transitions:,} steps between them take "
            f"{needed / 2**20:,.0f} MiB"
        )
    made, groups = divide_actions(model, questions)
    symmetric = tuple(domain for domain in model.domains if domain.name in folded_domains)
    kernel = kernel_of(
        made, symmetric, search.cache, effort=FULL_EFFORT if count >= LARGE_GRAPH else QUICK_EFFORT, edges=True
    )
    places = {action.name: at for at, action in enumerate(made.actions)}
    numbered = tuple(groups[places[plan.form.name]] for plan in kernel.program.plans)
    names = tuple(plan.form.name.partition(".")[0] for plan in kernel.program.plans)
    started = time.perf_counter()
    try:
        initials = bisect_left(range(count), True, key=lambda index: frontier.parent_of(index) is not None)
        network = Network(count, transitions, numbered, names, initials, search.cache, heed)
    except NoMemoryError as error:
        raise IncompleteGraphError(str(error)) from None
    note_compiled(kernel.seconds + time.perf_counter() - started)

    def report_phase(says: str) -> None:
        if report is not None:
            report(Progress(count, 0, 0, 0.0, needed, 0.0, says=f"liveness: {says}"))

    sweep = Sweep(kernel, frontier, network, model, len(questions.predicates))
    try:
        for stop in range(SLICE, count + SLICE, SLICE):
            heed()
            ending = sweep.run(min(stop, count))
            if ending != "DONE":
                return _predicate_failure(model, questions, replayer, network["AT"], ending)
            report_phase(f"the steps of {min(stop, count):,} of {count:,} states are written down")
        found = answer_questions(model, questions, network, replayer, heed, report_phase)
        return answers_where_bounds_end_runs(found) if search.bounds_end_runs else found
    finally:
        sweep.close()
        network.close()


def _predicate_failure(
    model: Model, questions: LivenessQuestions, replayer: Replayer, index: int, ending: str
) -> Failure:
    """The failure of a predicate that cannot be evaluated in a state."""
    run = replayer.run_to(index)
    for predicate in questions.predicates if ending == "UNDEFINED" else ():
        try:
            holds(model, predicate, run.states()[-1])
        except ModelError as error:
            return Failure(f"{predicate.name}: {error.message}", f"{error.file}:{error.line}", run)
    raise DisagreementError(f"the pass over the steps ended ({ending}) at {run.states()[-1]}, where the search went on")
