"""Raft, claimed to be a log that keeps what it acknowledges, whichever servers fail.

The entries are the commands of clients. One is committed, and its client hears of it, once a leader calls it committed,
which the ghost `committed_commands` remembers; it is lost while the leader of the newest term, or every server, does
not have it. It is a log whether an exchange is one step (`raft`) or messages are in flight (`paper`).

Whoever asks a server reads the commands that it has applied. A server that has applied what is not committed, or has
applied it in another order, is a reader who has seen what others do not find: `readers_diverge`, which is off.
"""

from __future__ import annotations

from ...language import Seq, Set, refines
from ...model import log, raft
from ...model.raft.cluster import Cluster, Command, Role, Server, client_values

modules = raft.modules
profiles = raft.profiles
view = raft.view


@refines(log, entries=client_values, readers=1)
def as_log(s: Cluster) -> log.OneLog:
    """To a client, the cluster is a log, and what servers apply is its beginning."""
    return log.mislead_readers(
        log.unread(
            written=s.next_command,
            committed=committed_commands(s),
            acknowledged=Set(id for id in range(client_values) if id in committed_commands(s)),
            lost=Set(id for id in range(client_values) if id in committed_commands(s) and is_lost(s, id)),
        ),
        order_applied_astray(s),
    )


def committed_commands(s: Cluster) -> log.Order:
    """The commands that are committed, without what else is in the log."""
    order: log.Order = Seq()
    for record in s.committed:
        command = record.entry.command
        if command is not None:
            order = order + Seq([command])
    return order


def applied_commands(s: Cluster, server: Server) -> log.Order:
    """What a server has applied, in this order."""
    order: log.Order = Seq()
    for entry in s.log[server][: s.commit_index[server]]:
        command = entry.command
        if command is not None:
            order = order + Seq([command])
    return order


def order_applied_astray(s: Cluster) -> log.Order:
    """What some server has applied, up to the first command that is not committed there; empty where all is."""
    order = committed_commands(s)
    seen: log.Order = Seq()
    for offset in range(client_values):
        astray = Set(id for id in range(client_values) if is_applied_astray(s, order, offset, id))
        if len(seen) == 0 and len(astray) > 0:
            seen = order[:offset] + Seq([min(astray)])
    return seen


def is_applied_astray(s: Cluster, order: log.Order, offset: int, command: Command) -> bool:
    """Whether some server has applied a command at a place where another one is committed, or none."""
    return not is_at(order, offset, command) and any(
        is_at(applied_commands(s, server), offset, command) for server in Server
    )


def is_at(order: log.Order, offset: int, command: Command) -> bool:
    """Whether a command is at this place of an order."""
    return offset < len(order) and order[offset] == command


def is_lost(s: Cluster, command: Command) -> bool:
    """Whether the leader of the newest term does not have a command, or nobody has it."""
    return any(leads_newest(s, leader) and not has(s, leader, command) for leader in Server) or not any(
        has(s, server, command) for server in Server
    )


def leads_newest(s: Cluster, server: Server) -> bool:
    """Whether it leads a term after which no server knows another."""
    return s.role[server] == Role.LEADER and all(s.current_term[other] <= s.current_term[server] for other in Server)


def has(s: Cluster, server: Server, command: Command) -> bool:
    """Whether a server's log has a command."""
    return any(entry.command == command for entry in s.log[server])
