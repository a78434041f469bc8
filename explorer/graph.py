"""The state graph, for drawing: states and the steps between them, enumerated in plain Python."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator

from ..language.immutable import immutable
from ..language.judge import initial_states, steps
from ..language.model import Model
from ..language.steptext import format_step
from ..language.values import State

PROGRESS_INTERVAL = 1_000
"""States between two reports of how many there are."""
Report = Callable[[int], object]


@immutable
class Edge:
    """A step: the numbers of the states that it leads from and to, its action, and its text."""

    source: int
    target: int
    action: str
    step: str


@immutable
class StateGraph:
    """States, numbered as they were met, breadth first, and the steps between them."""

    states: tuple[State, ...]
    edges: tuple[Edge, ...]


class TooLargeError(Exception):
    """There are more states than were asked for; `most` is how many that were."""

    def __init__(self, most: int) -> None:
        super().__init__(f"more than {most:,} states")
        self.most = most


def state_graph(model: Model, most: int, report: Report | None = None) -> StateGraph:
    """Every reachable state. `report` gets the number of states every `PROGRESS_INTERVAL` states. Raises
    `TooLargeError` beyond `most` states, ModelError when a step breaks the model."""
    return _explore(model, initial_states(model), most, None, report)


def neighbourhood(model: Model, centres: Iterable[State], radius: int, most: int) -> StateGraph:
    """The centres and what they reach in at most `radius` steps, with every step among these states."""
    return _explore(model, centres, most, radius)


def _explore(
    model: Model, starts: Iterable[State], most: int, radius: int | None, report: Report | None = None
) -> StateGraph:
    numbers: dict[State, int] = {}
    distance: list[int] = []
    queue: deque[State] = deque()

    def add_state(state: State, far: int) -> None:
        if state not in numbers:
            if len(numbers) >= most:
                raise TooLargeError(most)
            numbers[state] = len(numbers)
            if report is not None and len(numbers) % PROGRESS_INTERVAL == 0:
                report(len(numbers))
            distance.append(far)
            queue.append(state)

    for state in starts:
        add_state(state, 0)
    edges: list[Edge] = []
    rim: list[State] = []
    while queue:
        state = queue.popleft()
        at = numbers[state]
        if radius is not None and distance[at] >= radius:
            rim.append(state)
            continue
        for step in steps(model, state):
            add_state(step.state_after, distance[at] + 1)
            edges.append(Edge(at, numbers[step.state_after], step.action, format_step(step.action, step.arguments)))
    edges += _steps_back(model, rim, numbers)
    return StateGraph(tuple(numbers), tuple(edges))


def _steps_back(model: Model, rim: Iterable[State], numbers: dict[State, int]) -> Iterator[Edge]:
    """The steps from the outermost states that lead back to states that are in the graph."""
    for state in rim:
        for step in steps(model, state):
            if step.state_after in numbers:
                source, target = numbers[state], numbers[step.state_after]
                yield Edge(source, target, step.action, format_step(step.action, step.arguments))
