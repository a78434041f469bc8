"""A replicated log as whoever stands on it sees it: entries are appended, they are committed in one order of which
every reader sees a prefix, writers hear which of theirs are safe, and what is acknowledged stays.

It has no brokers. What becomes of an entry without an acknowledgement is open: it may be committed later, and nothing
is said of it until then. Each thing that a cluster which is set up badly does instead is a switch, and a profile:
`acknowledges_uncommitted`, `loses_acknowledged`, `readers_diverge`, and `unavailable_while_down`, which takes away that
writes go on without a broker. A model that is checked to refine this one (docs/refinement.md) keeps what the switches
leave.

The log is a component, in `model/parts/replicated_logs.py`: a record, and functions from a log to a log. A
coordinator's model holds one log or several (`examples/coordinator.py`). The actions here are these functions over one
log alone.

Left out: how many brokers there are, offsets that hold no entry, deletion and compaction, and time. The properties are
in `invariants/log.py`.
"""

from __future__ import annotations

from typing import Annotated

from ..language import Map, Option, Range, Seq, Set, action, constant, initial, require, state, terminal
from .parts.replicated_logs import *

readers = constant(2, minimum=1, maximum=3, says="readers of the log")
failures = constant(1, minimum=0, maximum=1, says="whether brokers go down, and come back")

profiles = {
    "kept": {},
    "acknowledges_uncommitted": {"acknowledges_uncommitted": True},
    "loses_acknowledged": {"loses_acknowledged": True},
    "readers_diverge": {"readers_diverge": True},
    "unavailable_while_down": {"unavailable_while_down": True},
}

Reader = Annotated[int, Range(0, readers - 1)]


@state
class OneLog:
    """A log, and what its readers have seen."""

    log: Log  # what there is of it
    seen: Map[Reader, Order]  # what each reader has read last, from the beginning


@initial
def start() -> OneLog:
    """Nothing was written."""
    return OneLog(log=empty(), seen=Map({reader: Seq() for reader in range(readers)}))


def unread(
    written: int,
    committed: Order,
    acknowledged: Set[Entry],
    lost: Set[Entry],
    down: bool = False,
    available: bool = True,
) -> OneLog:
    """A log with its first `written` entries appended, of which nobody has read anything yet: what a reader would see
    is `commit_entries`. Models that refine this one, whose brokers do not know who has read what, say with it what they
    are."""
    return OneLog(
        log=Log(
            appended=Set(entry for entry in range(entries) if entry < written),
            committed=committed,
            acknowledged=acknowledged,
            lost=lost,
            down=down,
            available=available,
        ),
        seen=Map({reader: Seq() for reader in range(readers)}),
    )


def mislead_readers(image: OneLog, seen: Order) -> OneLog:
    """The same log, of which each reader has seen these entries: what is not there any more, or never was for others.
    Empty where nobody has: whoever has seen only what is there may read it again."""
    return OneLog(log=image.log, seen=Map({reader: seen for reader in range(readers)}))


@action(kind="client")
def append(s: OneLog, entry: Entry, confirmed: bool, shown: bool) -> None:
    """Entry {entry} is appended{', acknowledged' if confirmed else ''}{', found by readers' if shown else ''}."""
    require(may_append(s.log, entry, confirmed))
    s.log = append_entry(s.log, entry, confirmed, shown)


@action
def commit(s: OneLog, batch: Set[Entry], confirmed: Set[Entry]) -> None:
    """The entries {batch} are committed, and the writers of {confirmed} learn that theirs are safe."""
    require(may_commit(s.log, batch, confirmed))
    s.log = commit_entries(s.log, batch, confirmed)


@action(kind="client")
def read(s: OneLog, reader: Reader, end: Annotated[int, Range(0, entries)]) -> None:
    """Reader {reader} reads the first {end} entries."""
    require(end <= len(s.log.committed))
    s.seen[reader] = s.log.committed[:end]


@action(kind="fault")
def lose(s: OneLog, confirmed: Set[Entry], gone: Set[Entry], available: bool) -> None:
    """Of what is acknowledged, {gone if len(gone) > 0 else 'nothing'} is missing.

    What is acknowledged only now is `confirmed`; `available` says whether the log may then be written to.
    """
    require(may_lose(s.log, confirmed, gone, available))
    s.log = with_losses(s.log, confirmed, gone, available)


@action(kind="fault")
def rewrite(
    s: OneLog,
    found: Set[Entry],
    reader: Reader,
    end: Annotated[int, Range(0, entries - 1)],
    other: Option[Entry],
    confirmed: Set[Entry],
    gone: Set[Entry],
    available: bool,
) -> None:
    """Readers find {found if len(found) > 0 else 'nothing'}{'' if other is None else '; one has seen another log'}.

    Where a reader has seen what others do not find, it has seen `other` after the first `end` of these entries. What is
    acknowledged only now is `confirmed`, what of all that is missing is `gone`; `available` says whether the log may
    then be written to.
    """
    seen: Set[Entry] = Set() if other is None else Set({other})
    require(may_rewrite(s.log, found, seen, confirmed, gone, available))
    require(end <= len(found) and (other is not None or end == 0))
    s.log = rewrite_log(s.log, found, seen, confirmed, gone, available)
    s.seen[reader] = s.log.committed[:end] + Seq([other]) if other is not None else Seq()


@action(kind="fault")
def change(s: OneLog, down: bool, available: bool) -> None:
    """{'A broker is down' if down else 'No broker is down'}; entries {'may' if available else 'cannot'} be appended."""
    require(failures > 0)
    require(may_change(s.log, down, available))
    s.log = change_availability(s.log, down, available)


@terminal
def all_written(s: OneLog) -> bool:
    """Every entry is acknowledged: nobody has more to write."""
    return len(s.log.acknowledged) == entries
