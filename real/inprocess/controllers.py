"""Controllers in one process, as the driver of traces of `kraft` asks of them.

What the driver does to real controllers it does to these: requests wait until one is let through, and a timeout of
hours ends when somebody says so. All begin with an empty log.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from ..driving.controllers.world import HOUR, MAX_AHEAD, ControllerObservation
from ..driving.nodes.running import NodesError
from ..driving.nodes.wire import FETCH
from .hosting import Flying, Host, Settings, Step, StepResults

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
    `defect`, the host has one that is planted."""

    def __init__(self, host: Host, count: int, *, batches: int = 2**31 - 1, defect: str = "") -> None:
        self.voters = tuple(range(1, count + 1))
        self._host = host
        settings = Settings(
            voters=count,
            batches_a_read=batches,
            election_ms=TIMEOUT_MS,
            fetch_ms=TIMEOUT_MS,
            request_ms=500 * TIMEOUT_MS,
            defect=defect,
        )
        self._host.open(settings, 1)
        self._last = self._host.take(())

    def _take(self, *steps: Step) -> StepResults:
        """Takes steps. NodeEndedError where a node's code throws something."""
        self._last = self._host.take(steps)
        for found in self._last.findings:
            if found.property == "no_exception":
                raise NodeEndedError(f"controller {found.node} ended by itself: {found.why}")
        return self._last

    # --- what is seen -------------------------------------------------------------------------------------------------

    def observe(self) -> dict[int, ControllerObservation | None]:
        """Each controller."""
        return {voter: _observation(self._last.states[-1][voter - 1]) for voter in self.voters}

    def check_clock(self, voter: int) -> bool:
        """Lets so little time pass at a controller that only what is sent again is."""
        return self._take(("ahead", voter, BACKOFF_MS)).steps_taken[0]

    def pending_requests(self, voter: int) -> frozenset[Hashable]:
        """What a controller has on its way."""
        return frozenset(message for message in self._last.flying if not message.answer and message.source == voter)

    # --- what is done -------------------------------------------------------------------------------------------------

    def advance_clock(self, voter: int, seconds: int = MAX_AHEAD) -> None:
        """Puts a controller's clock forward."""
        self._take(("ahead", voter, seconds * 1_000))
        self.check_clock(voter)

    def restart(self, voter: int) -> None:
        """Its process dies and is started; what was written is on the disk."""
        self._take(("crash", voter, 2**31 - 1))
        self._start(voter)

    def replace_disk(self, voter: int) -> None:
        """It stops, and starts with an empty disk."""
        self._take(("replace_disk", voter))
        self._start(voter)

    def _start(self, voter: int) -> None:
        """Starts one that is down; what it had on its way is gone with its connections."""
        for one in [one for one in self._last.flying if voter == (one.to if one.answer else one.source)]:
            self._take(self._step("lose", one))
        self._take(("start", voter))

    def write_record(self, voter: int, number: int) -> None:
        """Its controller appends a record, if it is the active one."""
        self._take(("append", voter, 1, number))

    def pass_request(
        self, sender: int, receiver: int, apis: Iterable[int], within: float, *, answered: bool = True
    ) -> bool:
        """Lets one request of one of these kinds and its answer through, or loses the answer. What stands before it is
        lost, as on real controllers."""
        wanted = frozenset(apis)
        for _ in range(TRIES):
            held = [one for one in self._last.flying if not one.answer and one.source == sender]
            chosen = next((one for one in held if one.to == receiver and one.api in wanted), None)
            if chosen is not None:
                return self._let_one(chosen, answered)
            self.drop_requests(one for one in held if one.to == receiver or (FETCH in wanted and one.api == FETCH))
            self.check_clock(sender)
        return False

    def _let_one(self, request: Flying, answered: bool) -> bool:
        self._take(self._step("deliver", request))
        answer = self._answer_to(request)
        if answer is None and request.api == FETCH:
            self._take(("ahead", request.to, LONG_POLL_MS))
            answer = self._answer_to(request)
        if answer is None:
            return False
        self._take(self._step("deliver" if answered else "cut", answer))
        return True

    def _answer_to(self, request: Flying) -> Flying | None:
        return next((one for one in self._last.flying if one.answer and one.number == request.number), None)

    def drop_requests(self, requests: Iterable[Hashable]) -> None:
        """Loses those of some requests that are still on their way: their connections break."""
        for request in list(requests):
            if isinstance(request, Flying) and request in self._last.flying:
                self._take(self._step("cut", request))

    def _step(self, verb: str, message: Flying) -> Step:
        """A step with a message: which of those alike it is counts from the oldest."""
        alike = [one for one in self._last.flying if one[:4] == message[:4]]
        return (verb, *message[:4], alike.index(message))


def _observation(seen: dict[str, Any] | Any) -> ControllerObservation | None:
    if not seen["up"]:
        return None
    return ControllerObservation(
        seen["role"],
        seen["epoch"],
        None if seen["leader"] < 0 else seen["leader"],
        None if seen["voted"] < 0 else seen["voted"],
        tuple((epoch, max(-1, number)) for epoch, number in seen["log"]),
        None if seen["role"] != "Leader" else max(0, seen["high_watermark"]),
    )
