"""Servers whose logs are copies of one another and never more than a lag apart, after
`FiniteMonotonic/DistributedReplicatedLog.tla`, with one value: of a log only its length is kept.

Logs grow without end. With `--projection beyond_what_all_have`, TLC's `VIEW` there, one state is kept for each of the
37 ways in which three logs are at most three entries apart. That every log grows, and that they need not ever be the
same, is a matter of liveness, which is not stated here.
"""

from typing import Annotated

from tidegate.language import (
    Domain,
    Map,
    Range,
    action,
    constant,
    initial,
    invariant,
    limit,
    projection,
    require,
    state,
)

servers = constant(3, minimum=2, maximum=4, says="servers")
lag = constant(3, minimum=1, maximum=4, says="how many entries logs may be apart")
room = constant(12, minimum=4, maximum=40, says="entries of a log, which TLA+ does not bound")


class Server(Domain, size=servers, symmetric=True):
    """A server."""


Length = Annotated[int, Range(0, room)]
Some = Annotated[int, Range(0, lag)]


@state
class Logs:
    """How long each log is."""

    length: Map[Server, Length]


@initial
def start() -> Logs:
    """All logs are empty."""
    return Logs(length=Map({s: 0 for s in Server}))


@action
def copy(s: Logs, server: Server, source: Server, some: Some) -> None:
    """{server} copies {some} entries of {source}: all that it lacks, or all but one."""
    missing = s.length[source] - s.length[server]
    require(missing > 0)
    require(some in (missing - 1, missing))
    s.length[server] += some


@action
def extend(s: Logs, server: Server, some: Some) -> None:
    """{server}, whose log is a longest one, adds {some} entries."""
    require(all(s.length[other] <= s.length[server] for other in Server))
    require(all(s.length[server] + some - s.length[other] <= lag for other in Server))
    limit(s.length[server] + some <= room)
    s.length[server] += some


@invariant
def bounded_lag(s: Logs) -> bool:
    """No two logs are further apart than the lag."""
    return all(s.length[one] - s.length[other] <= lag for one in Server for other in Server)


@projection
def beyond_what_all_have(s: Logs) -> Map[Server, Length]:
    """How many entries each log has beyond the shortest one."""
    return Map({one: s.length[one] - min(s.length[other] for other in Server) for one in Server})
