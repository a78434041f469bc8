"""Several things at once in one process, each in a world of its own: what they ask goes in one message.

What a thing asks next depends on what it was answered, so that one alone waits for each answer. Many wait for one
answer together, and while the process works for one half of them the other half goes on. What comes of a thing does not
depend on the others, nor on which is quicker.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from queue import SimpleQueue
from typing import Any, Generic, TypeVar

from ..driving.nodes.releases import Release
from .hosting import Host, HostedWorld, check_answer
from .program import HostError

T = TypeVar("T")
LANES = 16
"""How many things are done at once."""


class _Lane(HostedWorld, Generic[T]):
    """One thing that is done, in a thread of its own, and its world."""

    def __init__(self, release: Release, number: int, work: Callable[[HostedWorld], T]) -> None:
        self.release, self._number, self._work = release, number, work
        self._commands = SimpleQueue[Mapping[str, Any] | None]()
        self._answers = SimpleQueue[dict[str, Any] | None]()
        self._made: list[T] = []
        self._error: BaseException | None = None
        self._is_done = False
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._made.append(self._work(self))
        except BaseException as error:  # `result` raises it
            self._error = error
        self._commands.put(None)

    def ask(self, command: Mapping[str, Any]) -> dict[str, Any]:
        self._commands.put({**command, "world": self._number})
        answer = self._answers.get()
        if answer is None:
            raise HostError("it was ended before it was done")
        return check_answer(self.release, answer)

    def next_command(self) -> Mapping[str, Any] | None:
        """What it asks next, once it does; None where it is done."""
        if self._is_done:
            return None
        command = self._commands.get()
        self._is_done = command is None
        return command

    def answer(self, answer: dict[str, Any] | None) -> None:
        """It goes on with an answer; with None it ends at once, or where it asks next."""
        self._answers.put(answer)

    def join(self) -> None:
        """Waits until it has ended."""
        self._thread.join()

    def result(self) -> T:
        """What came of it. Raises what it raised."""
        if self._error is not None:
            raise self._error
        return self._made[0]


def do_in_lanes(host: Host, works: Sequence[Callable[[HostedWorld], T]]) -> list[T]:
    """What comes of several things, each of which is given a world; in their order. Raises what the first of them
    raised that did, once all are done. HostError where the process ends."""
    lanes = [_Lane(host.release, number, work) for number, work in enumerate(works, 1)]
    sent = list[_Lane[T]]()
    try:
        while True:
            is_done = True
            for half in (lanes[::2], lanes[1::2]):
                asked = {lane: command for lane in half if (command := lane.next_command()) is not None}
                answers = host.receive() if sent else []
                if asked:
                    host.send(list(asked.values()))
                for lane, answer in zip(sent, answers, strict=True):
                    lane.answer(answer)
                is_done = is_done and not asked and not sent
                sent = list(asked)
            if is_done:
                break
    finally:
        for lane in lanes:
            lane.answer(None)
        for lane in lanes:
            lane.join()
    return [lane.result() for lane in lanes]
