"""Does the model do what Kafka's code does? Histories of random schedules on Kafka's own controllers, each followed in
the model, as `validate` follows those of real clusters.

What is followed is what is compared of runs of the model on Kafka's code: roles, epochs, leaders, votes, logs, and
leaders' high watermarks. A history that no run of the model shows is made shorter while that is so.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, partial
from typing import Any, Literal, TypeAlias

from ...explorer.cache import cache_directory
from ...explorer.native.kernels import Kernel, first_kernel
from ...explorer.native.observation_search import ObservationAnswer, ObservationSearch
from ...language import judge
from ...language.errors import UsageError
from ...language.immutable import immutable
from ...language.model import Model
from ...language.values import Map, Seq, State, replace
from ...traces.sentences import action_sentence, capitalize_first
from ..driving.controllers.driver import describe_differences, expected_observations, node_ids
from ..driving.controllers.plan import MODEL, model_of
from ..driving.fitting import DrivenTrace
from .compared import COMPARED, differing_fields
from .hosting import APIS, Host, HostedWorld
from .lanes import do_in_lanes
from .schedules import (
    Observation,
    ObservedMoment,
    ObservedRun,
    Operation,
    draw_observed_run,
    operation_words,
    repeat_operations,
)
from .shrinking import leave_out_many_steps

SCHEMA = "tidegate.history/1"
BOUNDS = {"max_epoch": 8, "max_records": 6, "crashes": 4, "wipes": 0, "peers_name_leader": True}
"""What histories are followed within; a schedule ends before it comes there. Any answer may name a leader, as Kafka's
do."""
MOST_STATES = 50_000
"""How many states are looked at for one history."""
VOTERS = 3
FIELDS = ("election.role", "election.epoch", "log")
"""What leads the search; the rest of what is observed is compared in plain Python."""
Result: TypeAlias = Literal["shown", "not_shown", "undecided"]


class FollowingModel:
    """The model of a release, compiled, in which histories are followed."""

    def __init__(self, kafka: str) -> None:
        self.kafka = kafka
        self.model: Model = model_of(DrivenTrace(BOUNDS, (), "", "", MODEL), kafka, ghosts=False)
        self.kernel: Kernel = first_kernel(self.model, (), cache_directory())

    def answer(self, moments: Sequence[ObservedMoment]) -> ObservationAnswer[None]:
        """How far a run of the model shows what was observed."""
        one = ObservationSearch([self.model], ObservedHistory(self.model, moments), [self.kernel])
        try:
            return one.answer(MOST_STATES, None)
        finally:
            one.close()


@cache
def following_model(kafka: str) -> FollowingModel:
    """The model of a release in which histories are followed; it is compiled once."""
    return FollowingModel(kafka)


class ObservedHistory:
    """What was observed of controllers, as observations of the model's states; see
    `explorer.native.observation_search.Observations`."""

    fields: Sequence[str] = FIELDS

    def __init__(self, model: Model, moments: Sequence[ObservedMoment]) -> None:
        self.model, self.moments = model, moments
        self.shape = judge.state_shape(model)
        self.start = next(judge.initial_states(model))
        self.restarts_left = self.shape.budgets["crashes"]
        self.members = {number: voter for voter, number in node_ids(self.start).items()}

    def __len__(self) -> int:
        """How many there are."""
        return len(self.moments)

    def starts(self) -> Iterator[tuple[State, None]]:
        """The state in which all begin, with as many restarts left as there were."""
        yield self.shape.replace(self.start, **{self.restarts_left: self.moments[-1].restarts}), None

    def state_showing(self, index: int, state: State, origin: None) -> State | None:
        """The state with roles, epochs and logs as they are observed; None where a log has what is no record of the
        model's."""
        del origin
        seen, named = self.moments[index].observation, self.model.namespace
        if any(number < 0 for one in seen.values() for _, number in one.log):
            return None
        election = {
            voter: replace(state.election[voter], role=named["Role"](seen[number].role), epoch=seen[number].epoch)
            for number, voter in self.members.items()
        }
        logs = {
            voter: Seq(named["Record"](epoch=epoch, number=record) for epoch, record in seen[number].log)
            for number, voter in self.members.items()
        }
        return self.shape.replace(state, election=Map(election), log=Map(logs))

    def which(self, index: int) -> Sequence[int]:
        """All are of one model."""
        del index
        return (0,)

    def is_of_a_step(self, index: int) -> bool:
        """A step may change a leader's high watermark alone."""
        del index
        return True

    def may_be_missed(self, index: int) -> bool:
        """What lies in the midst of an exchange may."""
        return self.moments[index].may_be_missed

    def admits(self, seen_number: int, index: int, before: State, after: State) -> bool:
        """Whether all that is observed is as the state has it, after no more restarts than there were."""
        del seen_number, before
        moment = self.moments[index]
        restarts = self.moments[-1].restarts - getattr(after, self.restarts_left)
        same = not describe_differences(expected_observations(after), moment.observation)
        return same and restarts <= moment.restarts

    def unlikely(self, index: int, before: State, after: State) -> int:
        """Nothing is."""
        del index, before, after
        return 0

    def renew_state(self, state: State, origin: None) -> tuple[State, None]:
        """The state as it is."""
        return state, origin


@immutable
class HistoryDifference:
    """A history of Kafka's code that no run of the model shows: on which release and held against the model of which,
    its schedule, what both have at last, what Kafka has next, the likest to it that the model has in its place, the
    model's steps to where both are the same, the fields that differ, and why. A defect of the host's own is named."""

    kafka: str
    held_against: str
    operations: tuple[Operation, ...]
    last_observation: Observation
    next: Observation
    instead: Observation
    steps: tuple[str, ...]
    fields: tuple[str, ...]
    why: str
    defect: str = ""

    @property
    def signature(self) -> str:
        """What differences of one kind have in common: the kind of the last operation and the fields that differ."""
        return f"{self.last_kind}: {', '.join(self.fields)}"

    @property
    def last_kind(self) -> str:
        """What the last operation is: `wait`, or the name of a request."""
        verb, *numbers = self.operations[-1] if self.operations else ("start",)
        return APIS[int(numbers[2])] if verb == "exchange" else str(verb)

    def document(self) -> dict[str, Any]:
        """As it is saved."""
        return {
            "schema": SCHEMA,
            "kafka": self.kafka,
            "held_against": self.held_against,
            "operations": [list(operation) for operation in self.operations],
            "operations_in_words": list(map(operation_words, self.operations)),
            "defect": self.defect,
            "fields": list(self.fields),
            "why": self.why,
        }


@immutable
class HistoryReach:
    """How far was looked from the code: histories, observations that the model followed, histories that a search did
    not decide, the kinds of operations with how the nodes stood that were taken, and histories in which a node ended
    by itself, in the way that is known."""

    histories: int = 0
    observations: int = 0
    undecided_histories: int = 0
    kinds: int = 0
    ended_histories: int = 0


class HistoryFollower:
    """Draws schedules on a release's code by a seed, and follows each in the model of a release."""

    def __init__(self, host: Host, seed: int, kafka: str, defect: str = "") -> None:
        self._host, self._drawn, self._defect = host, random.Random(seed), defect
        self._model = following_model(kafka)
        self._counted = Counter[tuple[str, ...]]()
        self._known = set[str]()
        self.reach = HistoryReach()

    def next_differences(self, count: int) -> Iterator[HistoryDifference]:
        """Takes so many other schedules at once; the differences of kinds that were not found yet, shrunk."""
        for run in self._next_runs(count):
            answer = self._model.answer(run.moments)
            found = history_difference(self._model, self._host.release.version, run, answer, self._defect)
            undecided = found is None and not answer.is_exhausted
            self.reach = HistoryReach(
                self.reach.histories + 1,
                self.reach.observations + answer.last_observation,
                self.reach.undecided_histories + undecided,
                len(self._counted),
                self.reach.ended_histories + run.is_known_end,
            )
            if found is not None and found.signature not in self._known:
                self._known.add(found.signature)
                yield shrink_history(self._host, self._model, found)

    def _next_runs(self, count: int) -> list[ObservedRun]:
        """The next schedules, each as if none of the others was being taken; a schedule draws by itself."""
        counts = [Counter(self._counted) for _ in range(count)]
        works = [
            partial(
                draw_observed_run,
                count=VOTERS,
                generator=random.Random(self._drawn.getrandbits(64)),
                counts=own,
                defect=self._defect,
            )
            for own in counts
        ]
        runs, before = do_in_lanes(self._host, works), Counter(self._counted)
        for own in counts:
            self._counted += own - before
        return runs


def replay_history(
    host: HostedWorld, operations: Sequence[Operation], kafka: str, defect: str = ""
) -> HistoryDifference | Result:
    """A schedule once more on a release's code, followed in the model of a release `kafka`: what differs, or that the
    model shows all of it, or that it was not decided."""
    model = following_model(kafka)
    run = repeat_operations(host, VOTERS, operations, defect)
    answer = model.answer(run.moments)
    found = history_difference(model, host.release.version, run, answer, defect)
    return found or ("shown" if answer.is_exhausted else "undecided")


def history_difference(
    model: FollowingModel, kafka: str, run: ObservedRun, answer: ObservationAnswer[None], defect: str = ""
) -> HistoryDifference | None:
    """The difference that a history ends with; None where the model shows all of it, or nothing is decided."""
    at = answer.last_observation
    seen = run.moments[at].observation
    steps = _steps(model.model, answer)
    if at == len(run.moments) - 1:
        ended = HistoryDifference(
            kafka, model.kafka, run.operations, seen, seen, seen, steps, ("a node ends",), run.why_ended, defect
        )
        return ended if run.why_ended and not run.is_known_end else None
    if not answer.is_exhausted:
        return None
    after = next(moment for moment in run.moments[at + 1 :] if not moment.may_be_missed)
    others = [seen, *(expected_observations(state) for state, _ in answer.instead)]
    likest = min(others, key=lambda one: (_distance(one, after.observation), str(one)))
    fields = differing_fields(after.observation, likest)
    why = describe_differences(likest, after.observation)
    operations = run.operations[: after.operation]
    return HistoryDifference(
        kafka, model.kafka, operations, seen, after.observation, likest, steps, fields, why, defect
    )


def _distance(one: Observation, other: Observation) -> int:
    return sum(
        getattr(one[voter], field) != getattr(seen, field) for voter, seen in other.items() for field in COMPARED
    )


def _steps(model: Model, answer: ObservationAnswer[None]) -> tuple[str, ...]:
    """The model's steps to the last observation that it shows, in words."""
    actions = {action.name: action for action in model.actions}
    return tuple(
        capitalize_first(action_sentence(model, actions[step.action], before, step.arguments))
        for leg in answer.legs
        for before, step in zip(leg.run.states(), leg.run.steps, strict=False)
    )


def shrink_history(host: HostedWorld, model: FollowingModel, difference: HistoryDifference) -> HistoryDifference:
    """The difference with a schedule out of which no operation can be left."""

    def found_without(found: HistoryDifference, first: int, end: int) -> HistoryDifference | None:
        left = found.operations[:first] + found.operations[end:]
        run = repeat_operations(host, VOTERS, left, found.defect)
        again = history_difference(model, found.kafka, run, model.answer(run.moments), found.defect)
        is_shorter = again is not None and len(again.operations) < len(found.operations)
        return again if again is not None and is_shorter and again.signature == found.signature else None

    return leave_out_many_steps(difference, lambda found: len(found.operations), found_without)


@immutable
class SavedHistory:
    """A schedule that was saved: on which release, held against the model of which, and with which defect of the host's
    own."""

    kafka: str
    held_against: str
    operations: tuple[Operation, ...]
    defect: str


def saved_history(document: Mapping[str, Any]) -> SavedHistory:
    """A history that was saved. UsageError where it is none."""
    try:
        if document["schema"] != SCHEMA:
            raise UsageError(f"its schema is {document['schema']}, and not {SCHEMA}")
        operations = tuple(tuple(operation) for operation in document["operations"])
        for verb, *numbers in operations:
            wanted = {"exchange": 4, "wait": 1, "append": 1, "restart": 1}[verb]
            if len(numbers) != wanted or not all(isinstance(number, int) for number in numbers):
                raise ValueError(f"{verb} takes {wanted} numbers")
            if not all(1 <= number <= VOTERS for number in numbers[: 2 if verb == "exchange" else 1]):
                raise ValueError(f"{verb} is of nodes 1 to {VOTERS}")
        return SavedHistory(
            str(document["kafka"]), str(document["held_against"]), operations, str(document.get("defect", ""))
        )
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"it is no history that `conform` has saved: {error!r}") from None
