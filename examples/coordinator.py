"""A group's coordinator over two replicated logs: one has the group's offsets, the other who coordinates it.

A member commits how far it has come; the coordinator appends that to the log of offsets, and answers once it is
acknowledged. When the coordinator fails, another takes over: it is appended to the log of coordinators, and once that
is committed it loads the offsets that are committed. What was confirmed to a member is then known to whoever
coordinates, as long as the log of offsets keeps what it acknowledges. With `offsets_lost`, what
docs/partition-matrix.md says of a cluster that is set up badly, it is not.

The logs are those of `tidegate.model.log`, twice. Kafka's partition is checked to be such a log (docs/refinement.md),
so no broker is needed here.
"""

from __future__ import annotations

from typing import Annotated

from tidegate.language import Range, Set, action, initial, invariant, reachable, require, state, terminal
from tidegate.model.parts.replicated_logs import (
    Entry,
    Log,
    Order,
    append_entry,
    commit_entries,
    empty,
    entries,
    may_append,
    may_commit,
    may_lose,
    with_losses,
)

Generation = Annotated[int, Range(-1, entries - 1)]


@state
class Group:
    """The coordinator that answers, what it has in memory, and the two logs."""

    offsets: Log  # entry n: the group has come as far as n
    coordinators: Log  # entry n: the n-th takeover
    generation: Generation  # the takeover by which the present coordinator answers; -1 for the first one
    known: Order  # the offsets that it has in memory
    confirmed: Set[Entry]  # offsets that the coordinator confirmed to a member


@initial
def start() -> Group:
    """Nothing was committed, and the first coordinator answers."""
    return Group(offsets=empty(), coordinators=empty(), generation=-1, known=empty().committed, confirmed=Set())


@action(kind="client")
def commit_offset(s: Group, offset: Entry) -> None:
    """A member commits offset {offset}: the coordinator appends it to its log."""
    require(may_append(s.offsets, offset))
    s.offsets = append_entry(s.offsets, offset)


@action
def offsets_are_committed(s: Group, batch: Set[Entry]) -> None:
    """The brokers commit the offsets {batch}, and the coordinator hears of it."""
    require(len(batch) > 0 and may_commit(s.offsets, batch, batch))
    s.offsets = commit_entries(s.offsets, batch, batch)
    s.known = s.offsets.committed


@action
def answer(s: Group, offset: Entry) -> None:
    """The coordinator confirms to the member that offset {offset} is committed."""
    require(offset in s.offsets.acknowledged and offset not in s.confirmed)
    require(offset in s.known)
    s.confirmed.add(offset)


@action(kind="fault")
def take_over(s: Group, takeover: Entry) -> None:
    """Another coordinator is elected, for the time after takeover {takeover}."""
    require(may_append(s.coordinators, takeover) and takeover == len(s.coordinators.appended))
    s.coordinators = append_entry(s.coordinators, takeover)


@action
def load(s: Group, takeover: Entry) -> None:
    """Takeover {takeover} is committed: its coordinator loads the offsets that are in the log."""
    require(may_commit(s.coordinators, Set({takeover}), Set({takeover})))
    s.coordinators = commit_entries(s.coordinators, Set({takeover}), Set({takeover}))
    s.generation = takeover
    s.known = committed_entries(s.offsets)


def committed_entries(log: Log) -> Order:
    """What a reader finds: all that is committed, up to the first entry that is lost."""
    found: Order = empty().committed
    for offset in range(len(log.committed)):
        if all(log.committed[before] not in log.lost for before in range(offset + 1)):
            found = log.committed[: offset + 1]
    return found


@action(kind="fault")
def lose(s: Group, gone: Set[Entry]) -> None:
    """Of the log of offsets, {gone if len(gone) > 0 else 'nothing'} that was acknowledged is missing."""
    require(may_lose(s.offsets, Set(), gone, True))
    s.offsets = with_losses(s.offsets, Set(), gone, True)


@invariant
def confirmed_is_known(s: Group) -> bool:
    """Whoever coordinates knows every offset that was confirmed to a member."""
    return all(offset in s.known for offset in s.confirmed)


@reachable
def second_coordinator_answers(s: Group) -> bool:
    """A coordinator that took over answers for what was committed before."""
    return s.generation >= 0 and len(s.confirmed) == entries


@terminal
def all_is_done(s: Group) -> bool:
    """Every offset was committed and answered, or is lost and will never be confirmed."""
    return len(s.offsets.committed) == entries and all(
        offset in s.confirmed or offset not in s.known for offset in s.offsets.committed
    )


profiles = {"kept": {}, "offsets_lost": {"loses_acknowledged": True}}
