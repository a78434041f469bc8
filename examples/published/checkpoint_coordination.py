"""Who takes a checkpoint of a replicated log, after `CheckpointCoordination/CheckpointCoordination.tla`: a leader
leases that right to one node at a time, by a request in the log, and a lease that is not used times out.

A leader that may replace a lease of its own at once, as was once meant, lets two nodes take a checkpoint: its second
configuration, 11 steps. A checkpoint is the log up to where its node has executed it.
"""

from __future__ import annotations

from typing import Annotated

from tidegate.language import (
    Domain,
    Map,
    Range,
    action,
    bound,
    choose,
    constant,
    initial,
    invariant,
    reachable,
    record,
    require,
    state,
)

nodes = constant(2, minimum=2, maximum=3, says="nodes")
majority = constant(2, minimum=1, maximum=3, says="nodes that are a majority")
indices = constant(3, minimum=2, maximum=4, says="indices of the log")
replaces_own_lease = constant(False, says="a leader that holds the lease replaces it at once")


class Node(Domain, size=nodes, symmetric=True):
    """A node."""


Index = Annotated[int, Range(1, indices)]


@record
class Lease:
    """The right to take a checkpoint, and the index of the log that gave it."""

    node: Node
    index: Index


@state
class Cluster:
    """The network, the log, and who may take a checkpoint."""

    up: Map[Node, bool]
    path: Map[Node, Map[Node, bool]]  # whether messages of one node reach another
    leader: Node | None
    log: Map[Node, Map[Index, Node | None]]  # whom each request lets take a checkpoint
    executed: Map[Node, Index]  # which request each node executes next
    reported: Map[Node, Index]  # up to where each has told of a checkpoint
    lease: Map[Node, Lease | None]  # the lease that each knows of
    can_take: Map[Node, bool]
    takes: Map[Node, bool]
    timeout: Index  # the oldest lease that has not timed out
    saved: Map[Index, Node | None]  # the newest checkpoint
    saved_to: Index  # the first index that is not in it


@initial
def start() -> Cluster:
    """All is well, and the log is empty."""
    return Cluster(
        up=Map({n: True for n in Node}),
        path=Map({n: Map({m: True for m in Node}) for n in Node}),
        leader=None,
        log=Map({n: Map({i: None for i in range(1, indices + 1)}) for n in Node}),
        executed=Map({n: 1 for n in Node}),
        reported=Map({n: 1 for n in Node}),
        lease=Map({n: None for n in Node}),
        can_take=Map({n: False for n in Node}),
        takes=Map({n: False for n in Node}),
        timeout=1,
        saved=Map({i: None for i in range(1, indices + 1)}),
        saved_to=1,
    )


def is_open(s: Cluster, i: Index) -> bool:
    """Whether no node has a request at an index."""
    return all(s.log[n][i] is None for n in Node)


def hears(s: Cluster, dst: Node, src: Node) -> bool:
    """Whether a node receives what another sends."""
    return s.up[src] and s.up[dst] and s.path[src][dst]


def are_connected(s: Cluster, n: Node, m: Node) -> bool:
    """Whether two nodes can talk to each other."""
    return hears(s, n, m) and hears(s, m, n)


def has_quorum(s: Cluster, n: Node) -> bool:
    """Whether a node can talk to a majority."""
    return s.up[n] and sum(1 for m in Node if are_connected(s, n, m)) >= majority


def forget(s: Cluster, n: Node, executed: Index) -> None:
    """What a node had in memory is gone."""
    s.executed[n] = executed
    s.reported[n] = 1
    s.lease[n] = None
    s.can_take[n] = False
    s.takes[n] = False


@action
def fail(s: Cluster, n: Node) -> None:
    """{n} fails."""
    s.up[n] = False
    if s.leader == n:
        s.leader = None
    forget(s, n, 1)


@action
def recover(s: Cluster, n: Node) -> None:
    """{n} comes back, with the newest checkpoint and its log after that."""
    require(not s.up[n])
    s.up[n] = True
    s.log[n] = Map({i: s.saved[i] if i < s.saved_to else s.log[n][i] for i in range(1, indices + 1)})
    forget(s, n, s.saved_to)


@action
def cut(s: Cluster, src: Node, dst: Node) -> None:
    """{dst} no longer receives what {src} sends."""
    require(src != dst)
    s.path[src][dst] = False


@action
def mend(s: Cluster, src: Node, dst: Node) -> None:
    """{dst} receives again what {src} sends."""
    s.path[src][dst] = True


@action
def elect(s: Cluster, n: Node) -> None:
    """{n}, which has executed the whole log, is elected."""
    require(s.leader is None and not s.takes[n] and has_quorum(s, n))
    require(s.executed[n] == choose(i for i in range(1, indices + 1) if is_open(s, i)))
    s.leader = n
    s.can_take[n] = False


def may_be_replaced(s: Cluster, leader: Node, lease: Lease) -> bool:
    """Whether a lease has timed out, or its node has told the leader of its checkpoint."""
    return (
        lease.index < s.timeout
        or (are_connected(s, leader, lease.node) and lease.index < s.reported[lease.node])
        or (replaces_own_lease and lease.node == leader)
    )


@action
def send_request(s: Cluster, prospect: Node) -> None:
    """{s.leader} gives {prospect} the lease."""
    leader = s.leader
    require(leader is not None and leader != prospect)
    assert leader is not None
    require(has_quorum(s, leader) and are_connected(s, leader, prospect))
    lease = s.lease[leader]
    require(lease is None or may_be_replaced(s, leader, lease))
    index = choose(i for i in range(1, indices + 1) if is_open(s, i))
    for n in Node:
        if hears(s, n, leader):
            s.log[n][index] = prospect
    s.lease[leader] = Lease(node=prospect, index=index)


@action
def propagate(s: Cluster, src: Node, dst: Node) -> None:
    """{dst} receives from {src} the requests that it has missed."""
    require(hears(s, dst, src))
    s.log[dst] = Map({i: s.log[src][i] if s.log[dst][i] is None else s.log[dst][i] for i in range(1, indices + 1)})


@action
def execute(s: Cluster, n: Node) -> None:
    """{n} executes the request at {s.executed[n]}."""
    index = s.executed[n]
    node = s.log[n][index]
    require(s.up[n] and not s.takes[n] and node is not None)
    assert node is not None
    s.can_take[n] = s.leader != n and node == n and index >= s.timeout
    if s.leader != n:
        s.lease[n] = Lease(node=node, index=index) if index >= s.timeout else None
    s.executed[n] += 1


@action
def start_checkpoint(s: Cluster, n: Node) -> None:
    """{n} begins a checkpoint."""
    require(s.can_take[n])
    s.takes[n] = True


@action
def finish_checkpoint(s: Cluster, n: Node) -> None:
    """{n} has taken a checkpoint."""
    require(s.takes[n])
    s.reported[n] = s.executed[n]
    s.lease[n] = None
    s.can_take[n] = False
    s.takes[n] = False
    s.saved = Map({i: s.log[n][i] if i < s.executed[n] else None for i in range(1, indices + 1)})
    s.saved_to = s.executed[n]


def is_valid(lease: Lease | None, since: Index) -> bool:
    """Whether a lease is of an index or a later one."""
    return lease is not None and lease.index >= since


@action
def time_out(s: Cluster) -> None:
    """The lease of index {s.timeout} times out."""
    require(not is_open(s, s.timeout))
    for n in Node:
        s.can_take[n] = s.can_take[n] and is_valid(s.lease[n], s.timeout + 1)
        s.takes[n] = s.takes[n] and is_valid(s.lease[n], s.timeout + 1)
    s.timeout += 1


@bound
def an_index_is_open(s: Cluster) -> bool:
    """The log is not full."""
    return any(is_open(s, i) for i in range(1, indices + 1))


def is_of(lease: Lease | None, n: Node) -> bool:
    """Whether there is a lease, and it is a node's."""
    return lease is not None and lease.node == n


@invariant
def only_who_has_the_lease(s: Cluster) -> bool:
    """Only the node of the lease that the leader knows of can take a checkpoint, and never the leader."""
    return s.leader is None or all(
        n != s.leader and is_of(s.lease[s.leader], n) for n in Node if s.can_take[n] or s.takes[n]
    )


@invariant
def one_at_a_time(s: Cluster) -> bool:
    """At most one node can take a checkpoint, and at most one does."""
    return all(
        n == m or not ((s.can_take[n] and s.can_take[m]) or (s.takes[n] and s.takes[m])) for n in Node for m in Node
    )


@invariant
def who_can_has_a_lease(s: Cluster) -> bool:
    """Who takes a checkpoint can, and who can has a lease that has not timed out."""
    return all(s.can_take[n] or not s.takes[n] for n in Node) and all(
        is_of(s.lease[n], n) and is_valid(s.lease[n], s.timeout) for n in Node if s.can_take[n]
    )


@invariant
def logs_agree(s: Cluster) -> bool:
    """No two nodes have different requests at one index."""
    return all(
        s.log[n][i] is None or s.log[m][i] is None or s.log[n][i] == s.log[m][i]
        for i in range(1, indices + 1)
        for n in Node
        for m in Node
    )


@reachable
def a_checkpoint_is_taken(s: Cluster) -> bool:
    """A checkpoint is taken."""
    return s.saved_to > 1
