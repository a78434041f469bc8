"""A replicated log as a component: what a coordinator stands on, without brokers.

Its state is the record `Log`, and each thing that may happen to it is a function from a log to a log, beside one that
says when: `require(may_append(s.offsets, entry))` and `s.offsets = append_entry(s.offsets, entry)`. A model holds one
log or several. `model/log.py` is one alone, with what it promises.
"""

from __future__ import annotations

from typing import Annotated

from ...language import Capacity, Range, Seq, Set, constant, record, replace

entries = constant(2, minimum=1, maximum=12, says="entries that writers append in all")
acknowledges_uncommitted = constant(False, says="a writer takes an entry for safe when it appends it: acks=0, acks=1")
loses_acknowledged = constant(False, says="an entry that was acknowledged may be lost")
readers_diverge = constant(False, says="what readers have seen at an offset is replaced, or goes")
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


def append_entry(log: Log, entry: Entry, confirmed: bool = False, shown: bool = False) -> Log:
    """A writer appends an entry, and waits or takes it for safe at once. With `shown` it is committed in the same
    step, as it would be by `commit_entries` after it."""
    taken: Set[Entry] = log.acknowledged | {entry} if confirmed else log.acknowledged
    order: Order = log.committed + Seq([entry]) if shown else log.committed
    return replace(log, appended=log.appended | {entry}, acknowledged=taken, committed=order)


def may_commit(log: Log, batch: Set[Entry], confirmed: Set[Entry]) -> bool:
    """Whether entries may be committed at once, and the writers of some learn of it: each is appended first, and
    committed once, and only writers of committed entries learn that they are safe."""
    order = committed_with(log, batch)
    return (
        batch <= log.appended
        and all(entry not in batch for entry in log.committed)
        and all(entry in order for entry in confirmed)
    )


def commit_entries(log: Log, batch: Set[Entry], confirmed: Set[Entry]) -> Log:
    """Entries are committed in the order of their numbers, and some writers learn that theirs are safe."""
    return replace(log, committed=committed_with(log, batch), acknowledged=log.acknowledged | confirmed)


def committed_with(log: Log, batch: Set[Entry]) -> Order:
    """What is committed once these entries are, too."""
    order: Order = log.committed
    for entry in range(entries):
        if entry in batch and entry not in order:
            order = order + Seq([entry])
    return order


def compact_log(log: Log, newest: Entry) -> Log:
    """Of a log whose entries are all about one key, the newest is kept, and is entry 0 from now on. What was appended
    after it, and was not committed, is cut off. For those who read the newest entry alone, nothing changes."""
    kept: Set[Entry] = Set({0}) if newest in log.acknowledged else Set()
    gone: Set[Entry] = Set({0}) if newest in log.lost else Set()
    return replace(log, appended=Set({0}), committed=Seq([0]), acknowledged=kept, lost=gone)


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


def may_rewrite(
    log: Log, found: Set[Entry], seen: Set[Entry], confirmed: Set[Entry], gone: Set[Entry], available: bool
) -> bool:
    """Whether readers may find these entries from now on, and no others, whatever they have found before, while some
    reader has seen others. The other switches say as ever who takes what for safe, what may be missing, and whether the
    log may be written to."""
    return (
        readers_diverge
        and (log.available or found | seen | confirmed <= log.appended)
        and (loses_acknowledged or len(gone) == 0)
        and gone <= log.acknowledged | confirmed
        and (acknowledges_uncommitted or log.acknowledged | confirmed <= found | gone)
        and (not unavailable_while_down or not log.down or not available)
    )


def rewrite_log(
    log: Log, found: Set[Entry], seen: Set[Entry], confirmed: Set[Entry], gone: Set[Entry], available: bool
) -> Log:
    """Readers find other entries, in the order of their numbers; some of them were appended just now, some were
    acknowledged just now, and of all that are acknowledged some are missing."""
    return replace(
        log,
        appended=log.appended | found | seen | confirmed,
        committed=sort_entries(found),
        acknowledged=log.acknowledged | confirmed,
        lost=gone,
        available=available,
    )


def sort_entries(found: Set[Entry]) -> Order:
    """These entries in the order of their numbers."""
    order: Order = Seq()
    for entry in range(entries):
        if entry in found:
            order = order + Seq([entry])
    return order


def may_change(log: Log, down: bool, available: bool) -> bool:
    """Whether it may come to this: a broker is down, and entries may be appended."""
    return (down, available) != (log.down, log.available) and not (unavailable_while_down and down and available)


def change_availability(log: Log, down: bool, available: bool) -> Log:
    """A broker goes down or comes back, or the log can be written to or cannot."""
    return replace(log, down=down, available=available)
