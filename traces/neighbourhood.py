"""What could be chosen instead, along a run and from there on: states around it with every step from each of them, so
that a page can take other steps without a model. All reachable states where they are few.

    {"values": [...], "fields": ["log"], "nodes": [{"state": [0], "lanes": {"A": 1}, "board": 2, "truth": "10-",
     "next": [{"to": 3, "step": "fetch(B)", ...}]}, ...],
     "path": [0, 1, 2], "watched": {"len(log[A])": ["0", "1", ...]},
     "properties": ["strong_isr", ...], "complete": false, "replay": "tidegate replay ..."}

`values` holds once what many states and steps share: in a node and in a step stands its number. A `state` has the
numbers of its `fields` in their order.

`path` are the nodes of the run's states; `calls` are its steps as the model is given them, where `words` say them
otherwise, and then a step from a node has its `call`, too. `watched` has for each expression its value in the state of
each node. A node whose `next` is null is at the rim: what could happen there is not in the document. `truth` has a
character for each property of states, as the trace document has; that of a step is with the step.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from typing import Any, Protocol

from ..language.judge import format_run
from ..language.model import Model
from ..language.steptext import format_step
from ..language.values import State
from ..language.verdict import Run, Step
from ..language.watch import WatchedExpression
from .branch import PossibleStep, possible_steps
from .differences import state_changes, to_json
from .document import lanes_of, step_document, step_without_reads, truth_of_run
from .heading import replay_command
from .picture import Picture, UndrawableError, lane_marks
from .view_image import ViewImage, view_picture
from .wording import RecordNames

Document = dict[str, Any]

MAX_STATES = 2_000
"""States that a page holds beside its trace."""
MAX_BYTES = 1_400_000
"""What they may take: a page stays under 2 MB with its trace, its style and its script."""
SHARED_STEP_PARTS = ("call", "args", "where", "statement", "reads", "writes", "changed", "marks", "truth", "sentence")
"""The parts of a step of which the number among the shared values stands in it."""
STEPS = "@STEPS@"
"""Where the steps of a run stand in the command that replays it."""


class NeighbourhoodWords(Protocol):
    """How a page says what the model has names for: an audit's speaks of a cluster, and not of what steps read."""

    def name_brokers(self, value: Any) -> Any:
        """A state, or another value of JSON, with the names that its members have."""
        ...

    def frame_in_words(self, frame: Document) -> Document:
        """What is drawn of a state: its `lanes` and its `board`."""
        ...

    def step_in_words(self, document: Document, state: State, step: Step) -> Document:
        """A step from a state."""
        ...

    def value_in_words(self, text: str) -> str:
        """A value that is watched."""
        ...


def neighbourhood_document(
    model: Model,
    run: Run,
    *,
    most: int = MAX_STATES,
    size: int = MAX_BYTES,
    watches: Sequence[WatchedExpression] = (),
    words: NeighbourhoodWords | None = None,
) -> Document:
    """The states around a run, those nearest to it first, until there are `most` or they take `size` bytes; with a
    `size` of 0, the steps from each state of the run and no others. Said in `words` where the page does not speak as
    the model."""
    made = Neighbourhood(model, watches, words)
    path = [made.number_of(state) for state in run.states()]
    if size == 0:
        for node in path:
            made.expand_node(node)
    made.explore_states(most, size)
    return made.document(run, path)


class Neighbourhood:
    """States as they are met, and the steps between them."""

    def __init__(
        self, model: Model, watches: Sequence[WatchedExpression] = (), words: NeighbourhoodWords | None = None
    ) -> None:
        self.model, self.names, self.words = model, RecordNames(model), words
        self.watches = list(watches)
        self.picture = _picture_of_states(model)
        self.known: dict[State, int] = {}
        self.nodes: list[Document] = []
        self.frames: list[Document | None] = []
        self.states: list[State] = []
        self.shown: dict[str, list[str]] = {}
        self.values: list[Any] = []
        self.places: dict[str, int] = {}
        self.held: dict[tuple[int, Any], int] = {}
        self.waiting: deque[State] = deque()
        self.size = 0

    def number_of(self, state: State) -> int:
        """The node of a state, made if it is new."""
        if state not in self.known:
            self.known[state] = len(self.nodes)
            frame = self._shared_frame(state)
            node = {
                "state": self._value_numbers(state),
                "lanes": None if frame is None else self._shared_parts(frame["lanes"]),
                "board": None if frame is None else self._shared_number(frame["board"]),
                "truth": self._truth_characters(state),
            }
            self.frames.append(frame)
            self.states.append(state)
            self.nodes.append(node | {"next": None})
            self.waiting.append(state)
            self.size += _json_length(node)
        return self.known[state]

    def document(self, run: Run, path: list[int]) -> Document:
        """All that is known, around a run whose states are the nodes of `path`."""
        beginning = format_run(self.model, Run(run.start, ()))
        return {
            "values": self.values,
            "fields": list(run.start.__match_args__),
            "nodes": self.nodes,
            "path": path,
            "calls": None if self.words is None else [format_step(one.action, one.arguments) for one in run.steps],
            "watched": {watch.text: self.values_of(watch) for watch in self.watches},
            "properties": [prop.name for prop in self.model.properties],
            "complete": all(node["next"] is not None for node in self.nodes),
            "replay": replay_command(self.model, "; ".join(part for part in (beginning, STEPS) if part)),
        }

    def values_of(self, watch: WatchedExpression, since: int = 0) -> list[str]:
        """What is watched, in words, in the state of each node from `since` on."""
        known = self.shown.setdefault(watch.text, [])
        values = watch.shown_in(self.states[len(known) :])
        known += values if self.words is None else map(self.words.value_in_words, values)
        return known[since:]

    def explore_states(self, most: int, size: int) -> None:
        """Adds what can happen, state by state."""
        while self.waiting and len(self.nodes) < most and self.size < size:
            self.expand_node(self.known[self.waiting.popleft()])

    def expand_node(self, number: int) -> list[Document]:
        """What can happen in the state of a node, found once. IndexError where there is no such node."""
        node = self.nodes[number]
        if node["next"] is None:
            state = self.states[number]
            node["next"] = [self._step_document(state, step) for step in possible_steps(self.model, state)]
            self.size += _json_length(node["next"])
        return node["next"]

    def _shared_number(self, value: Any) -> int:
        """The number of a value among those that are shared."""
        text = json.dumps(value, separators=(",", ":"))
        if text not in self.places:
            self.places[text] = len(self.values)
            self.values.append(value)
            self.size += len(text) + 1
        return self.places[text]

    def _value_numbers(self, state: State) -> list[int]:
        """The numbers of a state's values. Most have stood in the same field before, and are not made again."""
        numbers: list[int] = []
        for at, (value, of) in enumerate(zip(state, state.__types__, strict=True)):
            number = self.held.get((at, value))
            if number is None:
                said = to_json(value, of)
                number = self.held[at, value] = self._shared_number(
                    said if self.words is None else self.words.name_brokers(said)
                )
            numbers.append(number)
        return numbers

    def _shared_parts(self, document: Document) -> Document:
        return {name: self._shared_number(value) for name, value in document.items()}

    def _shared_frame(self, state: State) -> Document | None:
        if self.picture is None:
            return None
        try:
            frame = {"lanes": self.picture.lanes(state), "board": self.picture.board(state)}
        except UndrawableError:
            return None
        return frame if self.words is None else self.words.frame_in_words(frame)

    def _truth_characters(self, state: State) -> str:
        """A character for each property; `-` of those of steps."""
        run = Run(state, ())
        return "".join(truth_of_run(self.model, prop, run, anywhere=True)[0] for prop in self.model.properties)

    def _step_document(self, state: State, possible_step: PossibleStep) -> Document:
        """A step from a state: as trace documents have it, where it leads, and what it marks in the picture."""
        if possible_step.step is None:
            return {
                "to": None,
                "step": possible_step.text,
                "sentence": possible_step.sentence,
                "kind": possible_step.kind,
                "breaks": possible_step.breaks,
            }
        run = Run(state, (possible_step.step,))
        changed = state_changes(self.model.fields, state, possible_step.step.state_after)
        (lane,) = lanes_of(self.model, run)
        said = step_document if self.words is None else step_without_reads
        document = said(self.model, 1, state, possible_step.step, changed, lane, self.names)
        to = self.number_of(possible_step.step.state_after)
        before, after = self.frames[self.known[state]], self.frames[to]
        drawn = {} if before is None or after is None else _marks_by_lane(before["lanes"], after["lanes"])
        steps = [prop for prop in self.model.properties if prop.kind == "transition"]
        truth = {prop.name: truth_of_run(self.model, prop, run, anywhere=True)[1] for prop in steps}
        document |= {"marks": drawn, "truth": truth}
        if self.words is not None:
            document = self.words.step_in_words(document | {"call": document["step"]}, state, possible_step.step)
        return (
            document
            | self._shared_parts({name: document[name] for name in SHARED_STEP_PARTS if name in document})
            | {"to": to}
        )


def _picture_of_states(model: Model) -> Picture | ViewImage | None:
    """What draws the states; nothing where the trace is not drawn either, and says why."""
    try:
        return view_picture(model)
    except UndrawableError:
        return None


def _json_length(value: Any) -> int:
    return len(json.dumps(value, separators=(",", ":")))


def _marks_by_lane(before: Document, after: Document) -> Document:
    """What a step changed, lane by lane."""
    return {name: lane_marks(before[name], lane) for name, lane in after.items() if lane != before[name]}
