"""Random schedules of exchanges on Kafka's own controllers, and what is observed of each of them.

An operation is what happens at one time: an exchange of a request and its answer, a timeout, a record, a restart. Those
that were taken seldom where the two nodes stand as they do come first. A request that was sent before its sender came
to another role, epoch or leader never arrives, and of answers only those to a Fetch are lost: in the model, too, an
exchange is one step.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TypeAlias

from ...language.immutable import immutable
from ..driving.controllers.driver import normalize_observation
from ..driving.controllers.plan import AWAITS_EPOCH_START
from ..driving.controllers.world import ControllerObservation
from ..driving.nodes.wire import FETCH, VOTE
from .controllers import HostedControllers, NodeEndedError
from .hosting import APIS, HostedWorld

Operation: TypeAlias = tuple[str | int, ...]
"""`("exchange", from, to, api, whether the answer arrives)`, `("wait", node)`, `("append", node)` or
`("restart", node)`."""
Observation: TypeAlias = Mapping[int, ControllerObservation]
LENGTH = 60
"""The most operations of a schedule."""
MOST_EPOCHS, MOST_RECORDS, MOST_RESTARTS = 7, 5, 4
"""Where a schedule ends, or does no more of a kind."""
_WEIGHTS = {"exchange": 1, "wait": 6, "append": 2, "restart": 12}
"""How many times more seldom than an exchange a kind is taken."""


@immutable
class ObservedMoment:
    """What is observed of all controllers once it has changed: by which operation of the schedule, and how many
    restarts there were until then. One that `may_be_missed` was not observed: an exchange is two things in one, and
    between them the controllers may stand so."""

    operation: int
    observation: Observation
    restarts: int
    may_be_missed: bool = False


@immutable
class ObservedRun:
    """A schedule as it was taken, and what was observed, from the start on. `why_ended` is what Kafka's code threw, if
    it ended a node; it is a known end where a candidate has records of the epoch that it stands in."""

    operations: tuple[Operation, ...]
    moments: tuple[ObservedMoment, ...]
    why_ended: str = ""
    is_known_end: bool = False


def operation_words(operation: Operation) -> str:
    """`exchange(1, 3, Vote)`: an operation in words."""
    verb, *numbers = operation
    if verb != "exchange":
        return f"{verb}({', '.join(map(str, numbers))})"
    source, to, api, answered = numbers
    lost = "" if answered else ", its answer is lost"
    return f"exchange({source}, {to}, {APIS.get(int(api), str(api))}{lost})"


class ScheduledControllers:
    """Hosted controllers that take operations one by one, and what was observed of them so far."""

    def __init__(self, host: HostedWorld, count: int, defect: str = "") -> None:
        self._awaits = host.release.parts[:2] >= AWAITS_EPOCH_START
        self._controllers = HostedControllers(host, count, batches=1, defect=defect)
        self._taken = list[Operation]()
        self._restarts = 0
        self.written = 0
        self.moments = [ObservedMoment(0, _normalize(self._look()), 0)]
        self._let_all_send()

    def run(self, reason: str = "") -> ObservedRun:
        """What was taken, and what was observed."""
        return ObservedRun(tuple(self._taken), tuple(self.moments), reason, bool(reason) and self._is_known_end())

    @property
    def last_observation(self) -> Observation:
        """What was observed last."""
        return self.moments[-1].observation

    def possible_operations(self) -> list[Operation]:
        """What may be done next."""
        found: list[Operation] = [("wait", voter) for voter in self._controllers.voters]
        for request in self._controllers.requests():
            if self._is_unheard(request.api, request.source, request.to):
                continue
            for answered in (1, 0) if request.api == FETCH else (1,):
                found.append(("exchange", request.source, request.to, request.api, answered))
        if self.written < MOST_RECORDS:
            found += [("append", voter) for voter, seen in self.last_observation.items() if self._may_append(seen)]
        if sum(one[0] == "restart" for one in self._taken) < MOST_RESTARTS:
            found += [("restart", voter) for voter in self._controllers.voters]
        return list(dict.fromkeys(found))

    def _is_invalid(self, api: int, source: int) -> bool:
        """Whether a candidate asks in an epoch of which it has records, which from 4.0 on is refused as invalid."""
        asks = self.last_observation[source]
        return api == VOTE and asks.role == "candidate" and bool(asks.log) and asks.log[-1][0] == asks.epoch

    def _is_unheard(self, api: int, source: int, to: int) -> bool:
        """Whether such a candidate asks who is in an earlier epoch: that one does not look at the epoch, as the model
        has it, and what it answers is passed over."""
        return self._is_invalid(api, source) and self.last_observation[to].epoch < self.last_observation[source].epoch

    def _is_known_end(self) -> bool:
        """Whether the last operation is such a question to who knows no leader of that epoch: the answer ends who
        asks, as docs/kafka-findings.md says. The model has no such end."""
        verb, source, *more = self._taken[-1]
        if verb != "exchange" or not self._is_invalid(int(more[1]), int(source)):
            return False
        asks, asked = (self.last_observation[int(one)] for one in (source, more[0]))
        return asked.epoch == asks.epoch and asked.leader is None

    def _may_append(self, observation: ControllerObservation) -> bool:
        """Whether a controller leads; where it hears of that too early (KAFKA-15345), the model has it of a log that
        was empty alone."""
        if observation.role != "leader" or self._awaits:
            return observation.role == "leader"
        start = next(offset for offset, (epoch, _) in enumerate(observation.log) if epoch == observation.epoch)
        return start == 0 or (observation.high_watermark or 0) > start

    def take(self, operation: Operation) -> None:
        """Takes an operation and looks after it. NodeEndedError where Kafka's code throws something."""
        self._taken.append(operation)
        controllers = self._controllers
        match operation:
            case ("exchange", int(source), int(to), int(api), answered):
                self._do(lambda: self._exchange(source, to, api, bool(answered)), source, to)
            case ("wait", int(voter)):
                self._do(lambda: controllers.put_ahead(voter))
            case ("append", int(voter)):
                self._do(lambda: controllers.write_record(voter, self.written + 1))
            case ("restart", int(voter)):
                self._restarts += 1
                self._do(lambda: controllers.restart(voter))
            case _:
                raise ValueError(f"no such operation: {operation}")
        self._let_all_send()

    def _do(self, what: Callable[[], object], *parties: int) -> None:
        """Does something and notes what is observed; `parties` are the two of an exchange."""
        before, stale = self.last_observation, self._pending()
        what()
        self._note(self._controllers.observe(), *parties)
        self._drop_stale(before, stale)

    def _let_all_send(self) -> None:
        """So little time passes at each that it sends again what it has not sent."""
        before, stale = self.last_observation, self._pending()
        for seen in self._controllers.check_clocks():
            self._note(seen)
        self._drop_stale(before, stale)

    def _pending(self) -> dict[int, frozenset[Hashable]]:
        return {voter: self._controllers.pending_requests(voter) for voter in self._controllers.voters}

    def _drop_stale(self, former: Observation, stale: Mapping[int, frozenset[Hashable]]) -> None:
        """What was on its way of those that came to another role, epoch or leader is lost."""
        for voter, seen in self.last_observation.items():
            was = former[voter]
            if (seen.role, seen.epoch, seen.leader) != (was.role, was.epoch, was.leader):
                self._controllers.drop_requests(stale[voter])

    def _exchange(self, source: int, to: int, api: int, is_answered: bool) -> None:
        """One exchange; where a follower truncates, as many as it takes until it has nothing that its leader has not:
        in the model that is one step."""
        while any((one.source, one.to, one.api) == (source, to, api) for one in self._controllers.requests()):
            before = self._look()[source].log
            self._controllers.pass_request(source, to, (api,), 0.0, is_answered=is_answered)
            seen = self._look()
            log, leaders = seen[source].log, seen[to].log
            if len(log) >= len(before) or log == leaders[: len(log)]:
                return

    def _look(self) -> dict[int, ControllerObservation]:
        return _running(self._controllers.observe())

    def _note(self, observations: Mapping[int, ControllerObservation | None], *parties: int) -> None:
        """Notes what is observed, if it has changed; `parties` are the two of an exchange."""
        seen = _running(observations)
        self.written = max([self.written, *(number for one in seen.values() for _, number in one.log)])
        before, shown = self.last_observation, _normalize(seen)
        if shown != before and parties:
            for between in _midway_observations(before, shown, *parties):
                if between not in (before, shown):
                    self._add(between, may_be_missed=True)
        self._add(shown)

    def _add(self, observation: Observation, *, may_be_missed: bool = False) -> None:
        if observation != self.moments[-1].observation:
            self.moments.append(ObservedMoment(len(self._taken), observation, self._restarts, may_be_missed))


def _midway_observations(before: Observation, after: Observation, source: int, to: int) -> Iterator[Observation]:
    """How controllers may stand in the midst of an exchange: who is asked has learned of the epoch, or of the leader,
    and has not done anything yet; so has who asks; one of them has done all that it does."""
    for learns, known in ((to, before[source]), (source, after[to])):
        log, later = before[learns].log, known.epoch > before[learns].epoch
        if later:
            yield {**before, learns: ControllerObservation("unattached", known.epoch, None, None, log)}
        if later or (known.epoch == before[learns].epoch and before[learns].leader is None):
            leader = known.leader if known.role in ("follower", "leader", "resigned") else None
            if leader not in (None, learns):
                yield {**before, learns: ControllerObservation("follower", known.epoch, leader, None, log)}
    yield {**after, source: before[source]}
    yield {**after, to: before[to]}


def _running(observations: Mapping[int, ControllerObservation | None]) -> dict[int, ControllerObservation]:
    return {voter: seen for voter, seen in observations.items() if seen is not None}


def _normalize(raw: Mapping[int, ControllerObservation]) -> Observation:
    return {voter: normalize_observation(seen) for voter, seen in raw.items()}


def draw_observed_run(
    host: HostedWorld, count: int, generator: random.Random, counts: Counter[tuple[str, ...]], defect: str = ""
) -> ObservedRun:
    """A schedule of operations that were taken seldom where the nodes stood as they did, and what is observed."""
    world, length = ScheduledControllers(host, count, defect), generator.randrange(LENGTH // 3, LENGTH + 1)
    try:
        for _ in range(length):
            if max(seen.epoch for seen in world.last_observation.values()) >= MOST_EPOCHS:
                break
            possible = {
                operation: _kind(operation, world.last_observation) for operation in world.possible_operations()
            }
            weight = {one: counts[kind] * _WEIGHTS[kind[0]] for one, kind in possible.items()}
            least = min(weight.values())
            chosen = generator.choice([one for one in possible if weight[one] <= least + generator.randrange(8)])
            counts[possible[chosen]] += 1
            world.take(chosen)
    except NodeEndedError as error:
        return world.run(str(error))
    return world.run()


def _kind(operation: Operation, observation: Observation) -> tuple[str, ...]:
    """What operations have in common that are alike: the kind, the roles, and how epochs and logs compare."""
    verb, node, *more = operation
    one = observation[int(node)]
    if verb != "exchange":
        return str(verb), one.role, str(bool(one.log))
    other = observation[int(more[0])]
    epochs = (one.epoch > other.epoch) - (one.epoch < other.epoch)
    logs = "same" if one.log == other.log else "longer" if len(one.log) > len(other.log) else "other"
    return str(verb), str(more[1]), str(more[2]), one.role, other.role, str(epochs), logs


def repeat_operations(host: HostedWorld, count: int, operations: Sequence[Operation], defect: str = "") -> ObservedRun:
    """What is observed of a schedule when it is taken on new controllers."""
    world = ScheduledControllers(host, count, defect)
    try:
        for operation in operations:
            world.take(operation)
    except NodeEndedError as error:
        return world.run(str(error))
    return world.run()
