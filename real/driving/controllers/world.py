"""What the driver of `kraft` asks of controllers, and what is to be seen of each."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Protocol

from ....language.immutable import immutable

HOUR = 3_600

MAX_AHEAD = 2 * HOUR + 60
"""By how much a clock is put forward: an election timeout is one to two hours, that of a follower's fetches one, and
that of a leader without a majority one and a half."""
ANNOUNCEMENT_SECONDS = HOUR // 2 + 60
"""By how much that of a leader is, so that it sends BeginQuorumEpoch again: from 3.9 on it does each half timeout."""


@immutable
class ControllerObservation:
    """A controller as it is seen: its role, the epoch, leader and vote that its file has, the `(epoch, number)` of each
    record behind what all began with, 0 for LeaderChange and -1 for one that the model has not, and, where it leads,
    up to where that is committed; None where nobody looks."""

    role: str
    epoch: int
    leader: int | None
    voted_for: int | None
    log: tuple[tuple[int, int], ...]
    high_watermark: int | None = None


class ControllersWorld(Protocol):
    """What the driver needs of controllers; `cluster.ControllersCluster` says what each of these does."""

    def observe(self) -> dict[int, ControllerObservation | None]: ...
    def check_clock(self, voter: int) -> bool: ...
    def advance_clock(self, voter: int, seconds: int = MAX_AHEAD) -> None: ...
    def restart(self, voter: int) -> None: ...
    def replace_disk(self, voter: int) -> None: ...
    def write_record(self, voter: int, number: int) -> None: ...
    def pass_request(
        self, sender: int, receiver: int, apis: Iterable[int], seconds: float, *, is_answered: bool = True
    ) -> bool: ...
    def pending_requests(self, voter: int) -> frozenset[Hashable]: ...
    def drop_requests(self, requests: Iterable[Hashable]) -> None: ...
