"""A line on standard error that says, about once a second and only on a terminal, how far a search has come."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, TextIO, TypeVar

from ..explorer.search import Progress, Report
from ..reports.text_page import bytes_text, count_text, rate_text, seconds_text

_ERASE = "\r\x1b[K"
Reach = TypeVar("Reach")


class ProgressLine:
    """Call it with each `Progress`: it rewrites one line, at most once a second, which ends with what is left of a time
    limit of `seconds`, where there is one. As a context it erases it at the end.
    """

    def __init__(self, stream: TextIO, seconds: float | None = None) -> None:
        self._stream = stream
        self._last = time.monotonic()
        self._until = None if seconds is None else self._last + seconds
        self._shown = False

    def __call__(self, progress: Progress) -> None:
        now = time.monotonic()
        if now - self._last < 0.9 and not progress.is_due:
            return
        self._last = now
        self._shown = True
        left = "" if self._until is None else f", {seconds_text(max(0.0, self._until - now))} left"
        self._stream.write(_ERASE + progress_text(progress) + left)
        self._stream.flush()

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: object) -> None:
        if self._shown:
            self._stream.write(_ERASE)
            self._stream.flush()


def progress_text(progress: Progress) -> str:
    """What is known, and no guess of how long it will take."""
    memory = bytes_text(progress.memory_bytes)
    if progress.says:
        return f"{progress.says}, {memory}" if progress.memory_bytes else progress.says
    if progress.walks is not None:
        return (
            f"{count_text(progress.walks, 'walk')}, {count_text(round(progress.states_per_second))} steps/s, longest "
            f"{progress.depth}, about {count_text(progress.distinct, 'distinct state')}, "
            f"{seconds_text(progress.seconds)}"
        )
    return (
        f"{count_text(progress.distinct)} distinct, {count_text(progress.frontier)} to expand, depth {progress.depth}, "
        f"{rate_text(progress.states_per_second)}, {memory}, {seconds_text(progress.seconds)}"
    )


def report_for(line: ProgressLine) -> Report | None:
    """The line as an engine's report, or None where nobody would see it."""
    return line if sys.stderr.isatty() else None


def collect_findings(
    search: Callable[[Callable[..., None]], Iterator[Any]],
    reach_class: type[Reach],
    words: Callable[[Reach, int], str],
    limit: float | None,
) -> tuple[list[Any], Reach]:
    """What a search on Kafka's code yields, and how far it has looked in the end. It is given what it reports to: how
    far it has come is shown in `words`, with how many were found. `limit` are its seconds, None without one."""
    found, reached = list[Any](), list[Reach]()
    with ProgressLine(sys.stderr, limit) as line:
        report = report_for(line)

        def say(so_far: Reach, *_: object) -> None:
            if report is not None:
                report(Progress(0, 0, 0, 0.0, 0, 0.0, says=words(so_far, len(found))))

        for one in search(say):
            if isinstance(one, reach_class):
                reached.append(one)
            else:
                found.append(one)
    return found, reached[-1]
