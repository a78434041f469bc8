"""Controllers in one process, as the driver of traces of `kraft` asks of them.

What the driver does to real controllers it does to these: requests wait until one is let through, and a timeout of
hours ends when somebody says so. All begin with an empty log.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

from ..driving.controllers.world import HOUR, MAX_AHEAD, ControllerObservation
from ..driving.nodes.running import NodesError
from ..driving.nodes.wire import FETCH
from .hosting import HostedWorld, MessageInFlight, Settings, Step, StepResults

TIMEOUT_MS = HOUR * 1_000
BACKOFF_MS = 1_100
"""How long a node waits, at most, until it sends a request again whose connection broke, or begins an election that it
has put off."""
LONG_POLL_MS = 500
"""How long a leader keeps a Fetch that has nothing to bring."""
TRIES = 4


class NodeEndedError(NodesError):
    """Kafka's code threw something that ends a node."""


class HostedControllers:
    """Controllers 1 to `count` in a process, all unattached and with empty logs. A fetch brings `batches` at most. With
    `defect`, the host has one that is planted. `dynamic`: the voters may change (KIP-853)."""

    def __init__(
        self, host: HostedWorld, count: int, *, batches: int = 2**31 - 1, defect: str = "", dynamic: bool = False
    ) -> None:
        self.voters = tuple(range(1, count + 1))
        self._host = host
        settings = Settings(
            voters=count,
            dynamic=dynamic,
            batches_a_read=batches,
            election_ms=TIMEOUT_MS,
            fetch_ms=TIMEOUT_MS,
            request_ms=500 * TIMEOUT_MS,
            defect=defect,
        )
        self._host.open(settings, 1)
        self._last = self._host.take(())

    def _take(self, *steps: Step, look_at_each: bool = False) -> StepResults:
        """Takes steps. NodeEndedError where a node's code throws something."""
        self._last = self._host.take(steps, look_at_each=look_at_each)
        for found in self._last.findings:
            if found.property == "no_exception":
                raise NodeEndedError(f"controller {found.node} ended by itself: {found.why}")
        return self._last

    # --- what is seen -------------------------------------------------------------------------------------------------

    def observe(self) -> dict[int, ControllerObservation | None]:
        """Each controller."""
        return self._observations_of(self._last.states[-1])

    def _observations_of(self, state: Sequence[Mapping[str, Any]]) -> dict[int, ControllerObservation | None]:
        return {voter: self.observation_of(state[voter - 1]) for voter in self.voters}

    def observation_of(self, answer: Mapping[str, Any]) -> ControllerObservation | None:
        """A controller as it is seen, of what the host says of it; None of one that does not run."""
        if not answer["up"]:
            return None
        return ControllerObservation(
            answer["role"],
            answer["epoch"],
            None if answer["leader"] < 0 else answer["leader"],
            None if answer["voted"] < 0 else answer["voted"],
            tuple((epoch, max(-1, number)) for epoch, number in answer["log"]),
            None if answer["role"] != "Leader" else max(0, answer["high_watermark"]),
        )

    def check_clock(self, voter: int) -> bool:
        """Lets so little time pass at a controller that only what is sent again is."""
        return self._take(("ahead", voter, BACKOFF_MS)).steps_taken[0]

    def check_clocks(self) -> tuple[dict[int, ControllerObservation | None], ...]:
        """The same at each, one after the other: what is seen after each."""
        self._take(*(("ahead", voter, BACKOFF_MS) for voter in self.voters), look_at_each=True)
        return tuple(self._observations_of(state) for state in self._last.states)

    def pending_requests(self, voter: int) -> frozenset[Hashable]:
        """What a controller has on its way."""
        return frozenset(message for message in self._last.flying if not message.answer and message.source == voter)

    def requests(self) -> tuple[MessageInFlight, ...]:
        """All requests that are on their way."""
        return tuple(message for message in self._last.flying if not message.answer)

    # --- what is done -------------------------------------------------------------------------------------------------

    def advance_clock(self, voter: int, seconds: int = MAX_AHEAD) -> None:
        """Puts a controller's clock forward, and lets it send what it then has to send."""
        self._take(("ahead", voter, seconds * 1_000), ("ahead", voter, BACKOFF_MS))

    def put_ahead(self, voter: int, seconds: int = MAX_AHEAD) -> None:
        """Puts a controller's clock forward, and no more."""
        self._take(("ahead", voter, seconds * 1_000))

    def restart(self, voter: int) -> None:
        """Its process dies and is started; what was written is on the disk."""
        self._start_after(("crash", voter, 2**31 - 1), voter)

    def replace_disk(self, voter: int) -> None:
        """It stops, and starts with an empty disk."""
        self._start_after(("replace_disk", voter), voter)

    def _start_after(self, ends: Step, voter: int) -> None:
        """Ends a node and starts it; what it had on its way is gone with its connections."""
        gone = [one for one in self._last.flying if voter == (one.to if one.answer else one.source)]
        self._take(ends, *self._steps("lose", gone), ("start", voter))

    def write_record(self, voter: int, number: int) -> None:
        """Its controller appends a record, if it is the active one."""
        self._take(("append", voter, 1, number))

    def pass_request(
        self, sender: int, receiver: int, apis: Iterable[int], seconds: float, *, is_answered: bool = True
    ) -> bool:
        """Lets one request of one of these kinds and its answer through, or loses the answer. What stands before it is
        lost, as on real controllers."""
        wanted = frozenset(apis)
        for _ in range(TRIES):
            held = [one for one in self._last.flying if not one.answer and one.source == sender]
            chosen = next((one for one in held if one.to == receiver and one.api in wanted), None)
            if chosen is not None:
                return self._let_one(chosen, is_answered)
            self.drop_requests(one for one in held if one.to == receiver or (FETCH in wanted and one.api == FETCH))
            self.check_clock(sender)
        return False

    def _let_one(self, request: MessageInFlight, is_answered: bool) -> bool:
        alike = [one for one in self._last.flying if one[:4] == request[:4]]
        waits = LONG_POLL_MS if request.api == FETCH else 0
        step = ("exchange", *request[:3], int(is_answered), alike.index(request), waits)
        return self._take(step).steps_taken[0]

    def drop_requests(self, requests: Iterable[Hashable]) -> None:
        """Loses those of some requests that are still on their way: their connections break."""
        held = [one for one in requests if isinstance(one, MessageInFlight) and one in self._last.flying]
        if held:
            self._take(*self._steps("cut", held))

    def _steps(self, verb: str, messages: Iterable[MessageInFlight]) -> list[Step]:
        """A step with each message, one after the other; which of those alike it is counts from the oldest left."""
        left, steps = list(self._last.flying), list[Step]()
        for message in messages:
            alike = [one for one in left if one[:4] == message[:4]]
            steps.append((verb, *message[:4], alike.index(message)))
            left.remove(message)
        return steps
