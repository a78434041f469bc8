"""The logs of the brokers of a cluster with ZooKeeper: what its controllers did."""

from __future__ import annotations

import datetime
import heapq
import lzma
from collections.abc import Iterable, Sequence
from pathlib import Path

from ...language.errors import UsageError
from ..logs.broker_files import is_log, is_packed, open_log, time_of_line
from ..logs.metadata_log import MetadataLog
from ..logs.zookeeper_lines import BrokerFact, PartitionChange, broker_events, controller_events, controller_of_line
from .moments import RecordedCluster, ZooKeeper
from .zookeeper import TimedEvent, build_histories, order_events

PROTOCOL = "inter.broker.protocol.version"
CONTROLLER = "controller"


def has_zookeeper_controller_logs(path: Path) -> bool:
    """Whether a path is of brokers' logs in which one of them is the controller, as it is with ZooKeeper."""
    return any(_has_controller(file) for file in _log_files(path))


def _log_files(path: Path) -> list[Path]:
    files = [path] if path.is_file() else sorted(one for one in path.rglob("*") if one.is_file())
    return [one for one in files if is_log(one)]


def _has_controller(path: Path) -> bool:
    if is_packed(path):
        return False
    try:
        with open_log(path) as lines:
            return any(controller_of_line(text) is not None for text in lines)
    except (OSError, EOFError, lzma.LZMAError):
        return False


def read_zookeeper(path: Path) -> tuple[MetadataLog, RecordedCluster]:
    """What the brokers' logs at or below a path say: the files that say something, and the cluster.

    Raises UsageError where a file cannot be read, where files are of two clusters, or where no partition is in them.
    """
    read = _FilesReading()
    for file in _log_files(path):
        if is_packed(file):
            read.notes.append(f"{file}: it is packed in a way that is not read here, and left out; unpack it")
            continue
        try:
            read.file(file)
        except (OSError, EOFError, lzma.LZMAError) as error:
            raise UsageError(f"{file}: it cannot be read: {error}") from None
    cluster = read.cluster(path)
    return read.log(), cluster


class _FilesReading:
    def __init__(self) -> None:
        self.paths: list[Path] = []
        self.notes: list[str] = []
        self.streams: dict[int, list[list[TimedEvent]]] = {}
        self.leaders: list[TimedEvent] = []
        self.clusters: dict[str, str] = {}
        self.said: list[tuple[int, BrokerFact]] = []
        self.settings: dict[str, dict[str, str]] = {}
        self.changed: set[str] = set()

    def file(self, path: Path) -> None:
        """Reads a file. Lines of a controller are put in order with those of its other files, by their times; a line
        without one, as of a setting, has that of the line before."""
        of_file, at, found = dict[int, list[TimedEvent]](), 0, False
        with open_log(path) as lines:
            for number, text in enumerate(lines, 1):
                at = max(at, _line_time_ms(text))
                who = controller_of_line(text)
                told = [
                    TimedEvent(at, event, f"{path}:{number}")
                    for event in (controller_events(text) if who else broker_events(text))
                ]
                found = found or bool(told)
                if who is not None:
                    of_file.setdefault(who[0], []).extend(told)
                else:
                    self._take_broker_events(told)
        for broker, events in of_file.items():
            self.streams.setdefault(broker, []).append(events)
        if found:
            self.paths.append(path)

    def _take_broker_events(self, events: Iterable[TimedEvent]) -> None:
        for told in events:
            if isinstance(told.event, PartitionChange):
                self.leaders.append(told)
            elif isinstance(told.event, BrokerFact):
                self.said.append((told.time_ms, told.event))
                if told.event.name == "cluster":
                    self.clusters.setdefault(told.event.value, told.where)

    def log(self) -> MetadataLog:
        """The files, and what could not be read."""
        return MetadataLog(tuple(self.paths), (), tuple(self.notes))

    def cluster(self, path: Path) -> RecordedCluster:
        """What they say. UsageError where they are of two clusters, or say nothing."""
        if len(self.clusters) > 1:
            names = "; ".join(f"{cluster}: see {where}" for cluster, where in self.clusters.items())
            raise UsageError(f"{path}: its files are of several clusters, and one is checked at a time ({names})")
        zookeeper = ZooKeeper(*self._releases_and_protocols(), next(iter(self.clusters.items()), None))
        events, notes = order_events(
            {broker: _merge_events(files) for broker, files in self.streams.items()}, self.leaders
        )
        self.notes += notes
        histories = build_histories(events, self.settings)
        if not histories:
            raise UsageError(
                f"{path}: no file in it says anything of a partition: give controller.log, state-change.log and "
                "server.log of each broker, at the levels that Kafka ships"
            )
        return RecordedCluster(tuple(histories), {}, (), frozenset(self.changed), zookeeper)

    def _releases_and_protocols(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The releases and protocols, the last to start at the end; settings are taken down."""
        releases, protocols = dict[str, None](), dict[str, None]()
        for _, about in sorted(self.said, key=lambda one: one[0]):
            if about.name in ("release", PROTOCOL):
                of = releases if about.name == "release" else protocols
                of.pop(about.value, None)
                of[about.value] = None
            elif about.name != "cluster":
                settings = self.settings.setdefault(about.topic or "", {})
                if settings.get(about.name, about.value) != about.value:
                    self.changed.add(about.name)
                settings[about.name] = about.value
        return tuple(releases), tuple(protocols)


def _merge_events(files: Sequence[Sequence[TimedEvent]]) -> list[TimedEvent]:
    """The events of one controller in their order. At the same time, what is in controller.log comes first: it says
    what the controller is about to do."""
    first = sorted(files, key=lambda events: not any(CONTROLLER in Path(told.where).name for told in events[:1]))
    return list(heapq.merge(*first, key=lambda told: told.time_ms))


def _line_time_ms(text: str) -> int:
    """The time of a line in ms since 1970, as the machine's clock shows it; 0 where it has none."""
    found = time_of_line(text[:40])
    if found is None:
        return 0
    *whole, ms = map(int, found)
    try:
        moment = datetime.datetime(*whole, tzinfo=datetime.UTC)  # pyright: ignore[reportArgumentType]
    except ValueError:
        return 0
    return int(moment.timestamp()) * 1000 + ms
