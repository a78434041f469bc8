"""A replicated log as whoever writes to it sees it: entries are appended, some are acknowledged, and what is
acknowledged stays.

It has no brokers. What becomes of an entry without an acknowledgement is open: it may be acknowledged later, and
nothing is said of it until then. `loses_acknowledged` is what a cluster that is set up badly does instead. A model that
is checked to refine this one (docs/refinement.md) keeps that promise.

Left out: the order of entries and their offsets, what readers see, and whether the log can be written to.
"""

from __future__ import annotations

from typing import Annotated

from ..language import Range, Set, action, constant, initial, invariant, reachable, require, state, terminal

entries = constant(2, minimum=1, maximum=16, says="entries that writers append in all")
loses_acknowledged = constant(False, says="an entry that was acknowledged may be lost")

Entry = Annotated[int, Range(0, entries - 1)]


@state
class Log:
    """One log. An entry is appended first, then acknowledged, and lost if it is gone after that."""

    appended: Set[Entry]  # written, and not acknowledged
    acknowledged: Set[Entry]  # their writers know that they are safe
    lost: Set[Entry]  # acknowledged, and no longer there


@initial
def empty() -> Log:
    """Nothing was written."""
    return Log(appended=Set(), acknowledged=Set(), lost=Set())


@action(kind="client")
def append(s: Log, entry: Entry) -> None:
    """A writer appends entry {entry}."""
    require(entry not in s.appended and entry not in s.acknowledged)
    s.appended.add(entry)


@action
def acknowledge(s: Log, entry: Entry) -> None:
    """The writer of entry {entry} learns that it is safe."""
    require(entry in s.appended)
    s.appended.remove(entry)
    s.acknowledged.add(entry)


@action(kind="fault")
def lose(s: Log, entry: Entry) -> None:
    """Entry {entry}, which was acknowledged, is lost."""
    require(loses_acknowledged)
    require(entry in s.acknowledged and entry not in s.lost)
    s.lost.add(entry)


@invariant
def acknowledged_entries_stay(s: Log) -> bool:
    """What was acknowledged is there."""
    return loses_acknowledged or len(s.lost) == 0


@reachable
def all_acknowledged(s: Log) -> bool:
    """Everything that can be written is acknowledged."""
    return len(s.acknowledged) == entries


@terminal
def written(s: Log) -> bool:
    """Everything is acknowledged: nobody has more to write."""
    return len(s.acknowledged) == entries
