"""A replicated log as a component: what a coordinator stands on, without brokers.

Its state is the record `Log`, and each thing that may happen to it is a function from a log to a log, beside one that
says when: `require(may_append(s.offsets, entry))` and `s.offsets = appended(s.offsets, entry)`. A model holds one log
or several. `model/log.py` is one alone, with what it promises.
"""

from __future__ import annotations

from typing import Annotated

from ...language import Capacity, Range, Seq, Set, constant, record, replace

entries = constant(2, minimum=1, maximum=6, says="entries that writers append in all")
acknowledges_uncommitted = constant(False, says="a writer takes an entry for safe when it appends it: acks=0, acks=1")
loses_acknowledged = constant(False, says="an entry that was acknowledged may be lost")
readers_diverge = constant(False, says="what readers may have seen at an offset is replaced, or goes")
unavailable_while_down = constant(False, says="nothing is appended while a broker is down")


Entry = Annotated[int, Range(0, entries - 1)]
Order = Annotated[Seq[Entry], Capacity(entries)]


@record
class Log:
    """One log. An entry is appended first; then it is committed, and its writer learns that it is safe."""

    appended: Set[Entry]  # written at any time so far
    committed: Order  # what readers may see, in this order
    acknowledged: Set[Entry]  # their writers take them for safe
    lost: Set[Entry]  # acknowledged, and not there now
    down: bool  # a broker is down
    available: bool  # entries may be appended


def empty() -> Log:
    """Nothing was written, and all is well."""
    return Log(appended=Set(), committed=Seq(), acknowledged=Set(), lost=Set(), down=False, available=True)


# --- what may happen to a log, and when -------------------------------------------------------------------------------


def may_append(log: Log, entry: Entry, confirmed: bool = False) -> bool:
    """Whether a writer may append a new entry; with `confirmed` it takes the entry for safe at once."""
    return log.available and entry not in log.appended and (acknowledges_uncommitted or not confirmed)


def appended(log: Log, entry: Entry, confirmed: bool = False) -> Log:
    """A writer appends an entry, and waits or takes it for safe at once."""
    taken: Set[Entry] = log.acknowledged | {entry} if confirmed else log.acknowledged
    return replace(log, appended=log.appended | {entry}, acknowledged=taken)


def may_commit(log: Log, batch: Set[Entry], confirmed: Set[Entry]) -> bool:
    """Whether entries may be committed at once, and the writers of some learn of it: each is appended first, and
    committed once, and only writers of committed entries learn that they are safe."""
    order = committed_with(log, batch)
    return (
        batch <= log.appended
        and all(entry not in batch for entry in log.committed)
        and all(entry in order for entry in confirmed)
    )


def committed(log: Log, batch: Set[Entry], confirmed: Set[Entry]) -> Log:
    """Entries are committed in the order of their numbers, and some writers learn that theirs are safe."""
    return replace(log, committed=committed_with(log, batch), acknowledged=log.acknowledged | confirmed)


def committed_with(log: Log, batch: Set[Entry]) -> Order:
    """What is committed once these entries are, too."""
    order: Order = log.committed
    for entry in range(entries):
        if entry in batch and entry not in order:
            order = order + Seq([entry])
    return order


def may_lose(log: Log, confirmed: Set[Entry], gone: Set[Entry], available: bool) -> bool:
    """Whether exactly these of the acknowledged entries may be missing from now on, some just appended by writers that
    do not wait, and whether the log may then be written to. What was missing may also be there again."""
    return (
        loses_acknowledged
        and gone <= log.acknowledged | confirmed
        and (acknowledges_uncommitted or confirmed <= log.acknowledged)
        and (not unavailable_while_down or not log.down or not available)
    )


def with_losses(log: Log, confirmed: Set[Entry], gone: Set[Entry], available: bool) -> Log:
    """Of all entries that are acknowledged, some of them just now, these are missing."""
    return replace(
        log,
        appended=log.appended | confirmed,
        acknowledged=log.acknowledged | confirmed,
        lost=gone,
        available=available,
    )


def may_rewrite(log: Log, offset: int, entry: Entry) -> bool:
    """Whether an entry may stand where readers may have seen another. What goes and was acknowledged is lost."""
    return (
        readers_diverge
        and offset < len(log.committed)
        and entry in log.appended
        and entry not in log.committed[: offset + 1]
        and (loses_acknowledged or all(gone not in log.acknowledged for gone in log.committed[offset:]))
    )


def rewritten(log: Log, offset: int, entry: Entry) -> Log:
    """Another entry stands at an offset, and what came after it is gone."""
    gone = Set(lost_entry for lost_entry in log.acknowledged if lost_entry in log.committed[offset:])
    return replace(log, committed=log.committed[:offset] + Seq([entry]), lost=(log.lost | gone) - {entry})


def may_change(log: Log, down: bool, available: bool) -> bool:
    """Whether it may come to this: a broker is down, and entries may be appended."""
    return (down, available) != (log.down, log.available) and not (unavailable_while_down and down and available)


def changed(log: Log, down: bool, available: bool) -> Log:
    """A broker goes down or comes back, or the log can be written to or cannot."""
    return replace(log, down=down, available=available)
