"""Several things at once in one process: what comes of each is what comes of it alone, whatever the others do; what is
raised, and that nothing hangs where the process ends."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

import pytest
from tidegate.real.driving.nodes.releases import Release
from tidegate.real.inprocess.hosting import Host, HostedWorld, Settings
from tidegate.real.inprocess.lanes import do_in_lanes
from tidegate.real.inprocess.program import HostError
from tidegate.real.inprocess.schedules import draw_observed_run

from ...support.hosting import hosted_release


class CountingHost:
    """Answers each world with how often it has asked, and ends after so many messages."""

    release = cast("Release", None)

    def __init__(self, messages: int = 1_000) -> None:
        self.asked, self.left = Counter[int](), messages
        self.sent = list[list[int]]()

    def send(self, commands: Sequence[Mapping[str, Any]]) -> None:
        """Notes which worlds ask."""
        assert commands and len(self.sent) - self.received < 1, "two messages are on their way"
        self.sent.append([command["world"] for command in commands])

    received = 0

    def receive(self) -> list[dict[str, Any]]:
        """The next answers."""
        self.left -= 1
        if self.left < 0:
            raise HostError("it ended")
        worlds, self.received = self.sent[self.received], self.received + 1
        self.asked.update(worlds)
        return [{"number": self.asked[world]} for world in worlds]


def count(host: CountingHost, *works: Any) -> list[Any]:
    """What comes of works."""
    return do_in_lanes(cast("Host", host), works)


def asks(times: int, pause: float = 0.0) -> Any:
    """Something that asks so often, and says what it was answered."""

    def work(world: HostedWorld) -> list[int]:
        answers = list[int]()
        for _ in range(times):
            time.sleep(pause)
            answers.append(world.ask({"do": "count"})["number"])
        return answers

    return work


@pytest.mark.parametrize("times", [(), (0,), (3,), (2, 5), (1, 0, 4, 2, 7)])
def test_each_has_its_own_answers_and_they_come_in_order(times: tuple[int, ...]) -> None:
    assert count(CountingHost(), *map(asks, times)) == [list(range(1, number + 1)) for number in times]


def test_what_is_asked_together_does_not_depend_on_who_is_quicker() -> None:
    sent = list[list[list[int]]]()
    for pauses in ((0.0, 0.002, 0.0), (0.002, 0.0, 0.001)):
        host = CountingHost()
        count(host, *(asks(number, pause) for number, pause in zip((3, 2, 4), pauses, strict=True)))
        sent.append(host.sent)
    assert sent[0] == sent[1] == [[1, 3], [2], [1, 3], [2], [1, 3], [3]]


def fails(world: HostedWorld) -> None:
    """Asks, and raises something."""
    world.ask({"do": "count"})
    raise KeyError("it is wrong")


def test_what_the_first_raises_is_raised_once_all_are_done() -> None:
    host = CountingHost()
    with pytest.raises(KeyError, match="it is wrong"):
        count(host, asks(5), fails, asks(1))
    assert host.asked == {1: 5, 2: 1, 3: 1}


def test_where_the_process_ends_all_end_and_it_is_said() -> None:
    before = threading.active_count()
    with pytest.raises(HostError, match=r"^it ended$"):
        count(CountingHost(3), asks(9), asks(9), asks(1))
    assert threading.active_count() == before


# --- Kafka's own code -----------------------------------------------------------------------------------------------


@pytest.mark.long
def test_histories_at_once_are_those_that_one_takes_alone() -> None:
    def works() -> list[Any]:
        return [
            partial(draw_observed_run, count=3, generator=random.Random(seed), counts=Counter()) for seed in range(5)
        ]

    with Host(hosted_release(), brief=True) as host:
        together = do_in_lanes(host, works())
        alone = [work(host) for work in works()]
    assert together == alone and all(len(run.moments) > 3 for run in together)


@pytest.mark.long
def test_a_command_that_fails_is_that_of_its_world_alone() -> None:
    def wrong(world: HostedWorld) -> None:
        world.open(Settings(), 1)
        world.take([("jump", 1)])

    def right(world: HostedWorld) -> int:
        world.open(Settings(), 1)
        return len(world.take([("tick", 1)]).states[-1])

    with Host(hosted_release(), brief=True) as host:
        assert do_in_lanes(host, [right, right]) == [3, 3]
        with pytest.raises(HostError, match="JUMP"):
            do_in_lanes(host, [right, wrong, right])
        assert do_in_lanes(host, [right]) == [3]
