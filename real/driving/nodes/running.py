"""Nodes of one release from their start to their end, in a folder of their own, with gates between them."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self, TypeVar

from . import wire
from .gates import Gates
from .processes import Nodes, NodesFolder
from .releases import Release

START_SECONDS = 180.0
POLL_SECONDS = 0.05
"""Seconds between two looks."""
ATTEMPTS = 3
T = TypeVar("T")
R = TypeVar("R", bound="RunningNodes")


class NodesError(Exception):
    """The nodes themselves did not do what they must: one did not start, or died by itself."""


class Patience:
    """How time passes for somebody who waits: by the machine's clock."""

    def now(self) -> float:
        """Seconds, from any beginning."""
        return time.monotonic()

    def pause(self) -> None:
        """Lets time pass until the next look."""
        time.sleep(POLL_SECONDS)


class CountedPatience(Patience):
    """By the number of looks, where nothing comes by itself: how busy the machine is then changes nothing."""

    def __init__(self) -> None:
        self._now = 0.0

    def now(self) -> float:
        return self._now

    def pause(self) -> None:
        self._now += POLL_SECONDS


BY_THE_CLOCK = Patience()


def wait_for(what: Callable[[], T | None], seconds: float, patience: Patience = BY_THE_CLOCK) -> T | None:
    """What comes within a time; None where nothing does."""
    until = patience.now() + seconds
    while True:
        found = what()
        if found or patience.now() > until:
            return found
        patience.pause()


class RunningNodes:
    """What runs. Ends with `with`; whoever makes one says in `_start` how it starts."""

    what: ClassVar[str] = "the cluster"

    def __init__(self, release: Release, kept_folder: Path | None = None) -> None:
        self.release = release
        self.folder = NodesFolder(kept_folder)
        self.nodes = Nodes(release, self.folder.path)
        self.gates = Gates()
        self.ports: dict[int, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.end()

    def end(self) -> None:
        """Kills everything, closes everything, takes the folder away."""
        self.nodes.end()
        self.gates.end()
        self.folder.close()

    def start_all(self) -> None:
        """Starts all of it; ends what it started where that fails. NodesError where it does."""
        try:
            self._start()
        except (OSError, RuntimeError, wire.BrokerError) as error:
            self.end()
            raise NodesError(f"{self.what} did not start: {error}") from None
        except BaseException:
            self.end()
            raise

    def _start(self) -> None:
        raise NotImplementedError

    def check(self) -> None:
        """NodesError where a node has died by itself."""
        if died := self.nodes.died_nodes():
            raise NodesError(f"node {died[0]} ended by itself: {self.nodes.last_words(died[0])}")

    def wait_until(self, what: str, happens: Callable[[], bool], seconds: float = START_SECONDS) -> None:
        """Waits until something happens; NodesError, with the last words of all nodes, where it does not, or one
        dies."""

        def check_nodes() -> bool:
            self.check()
            return happens()

        if not wait_for(check_nodes, seconds):
            words = (f"node {node}: {self.nodes.last_words(node)}" for node in self.nodes.running)
            raise NodesError("; ".join([f"{what} within {seconds:g} s", *words]))


def start_nodes(make: Callable[[], R], kept_folder: Path | None = None) -> R:
    """Nodes that have started. Where another process has taken one of their ports meanwhile, it is tried again with
    others; not in a folder that is `kept_folder`. NodesError where they do not start."""
    for attempt in range(1, ATTEMPTS + 1):
        nodes = make()
        try:
            nodes.start_all()
            return nodes
        except NodesError as error:
            if "already in use" not in str(error) or kept_folder is not None or attempt == ATTEMPTS:
                raise
    raise AssertionError("the last attempt returns or raises")
