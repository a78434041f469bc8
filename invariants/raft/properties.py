"""What must hold of Raft: the five guarantees of figure 3 of the paper under their names, and what they rest on.

`leader_completeness` and `state_machine_safety` need a ghost: what was called committed first at each index, and in
which term. `applied_commands_agree` says of the servers as they are now what state machine safety says of all time.
Two properties are about servers that hear their leader, and about changes of the membership: where `check_quorum`, or
`membership_changes`, is off, nothing can break them.
"""

from __future__ import annotations

from ...language import Set, invariant, reachable, transition
from ...model.raft.cluster import (
    Cluster,
    Kind,
    Role,
    Server,
    directory_ids,
    is_known,
    is_quorum,
    keep_disk,
    members,
    membership_changes,
    messages,
    snapshots,
)
from ...model.raft.protocol import followers_in_touch

# --- in every state ---------------------------------------------------------------------------------------------------


@invariant
def type_ok(s: Cluster) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def election_safety(s: Cluster) -> bool:
    """Two leaders lead in different terms."""
    return all(
        s.current_term[one] != s.current_term[other]
        for one in Server
        for other in Server
        if one != other and s.role[one] == Role.LEADER and s.role[other] == Role.LEADER
    )


@invariant
def log_matching(s: Cluster) -> bool:
    """Two logs with an entry of the same term at the same index are the same up to there."""
    return all(
        s.log[one][before] == s.log[other][before]
        for one in Server
        for other in Server
        for o in range(min(len(s.log[one]), len(s.log[other])))
        if s.log[one][o].term == s.log[other][o].term
        for before in range(o + 1)
    )


@invariant
def leader_completeness(s: Cluster) -> bool:
    """A leader holds every entry that was committed in an earlier term."""
    return all(
        o < len(s.log[leader]) and s.log[leader][o] == s.committed[o].entry
        for leader in Server
        if s.role[leader] == Role.LEADER
        for o in range(len(s.committed))
        if s.committed[o].term < s.current_term[leader]
    )


@invariant
def state_machine_safety(s: Cluster) -> bool:
    """No two servers ever apply different entries at the same index."""
    return all(
        o < len(s.log[server]) and o < len(s.committed) and s.log[server][o] == s.committed[o].entry
        for server in Server
        for o in range(s.commit_index[server])
    )


@invariant
def applied_commands_agree(s: Cluster) -> bool:
    """Two servers that have applied up to the same index have applied the same: their state machines are equal."""
    return all(
        have_same_beginning(s, one, other, min(s.commit_index[one], s.commit_index[other]))
        for one in Server
        for other in Server
    )


@invariant
def committed_entries_reach_majority(s: Cluster) -> bool:
    """What a server knows to be committed is in the logs of a majority; while members change, no majority lacks it."""
    return all(
        is_quorum(holders(s, server, o), members(s, server))
        if membership_changes == 0
        else not is_quorum(others_that_vote(s, server, o), members(s, server))
        for server in Server
        for o in range(min(s.commit_index[server], len(s.log[server])))
    )


def others_that_vote(s: Cluster, server: Server, o: int) -> Set[Server]:
    """The servers whose log lacks that server's entry, and who are whom the others take them for."""
    return Set(other for other in Server if is_known(s, other)) - holders(s, server, o)


def holders(s: Cluster, server: Server, o: int) -> Set[Server]:
    """The servers whose log has that server's entry."""
    return Set(other for other in Server if o < len(s.log[other]) and s.log[other][o] == s.log[server][o])


@invariant
def next_index_sound(s: Cluster) -> bool:
    """What a leader knows of a follower in its term is so: the logs agree up to there, and it sends what follows."""
    return all(
        s.next_index[leader][follower] > s.match_index[leader][follower]
        and have_same_beginning(s, leader, follower, s.match_index[leader][follower])
        for leader in Server
        if s.role[leader] == Role.LEADER
        for follower in Server
        if follower != leader and s.current_term[follower] == s.current_term[leader] and is_known(s, follower)
    )


def have_same_beginning(s: Cluster, one: Server, other: Server, length: int) -> bool:
    """Whether two logs agree up to an index."""
    return length <= min(len(s.log[one]), len(s.log[other])) and s.log[one][:length] == s.log[other][:length]


@invariant
def linearizable_reads(s: Cluster) -> bool:
    """A read returns everything that was committed before it began."""
    return s.answer is None or s.answer >= s.committed_before


@invariant
def one_change_at_a_time(s: Cluster) -> bool:
    """A leader's log has at most one configuration entry that is not committed."""
    return all(
        sum(1 for entry in s.log[leader][s.commit_index[leader] :] if entry.members != Set()) <= 1
        for leader in Server
        if s.role[leader] == Role.LEADER and s.commit_index[leader] > 0
    )


@invariant
def snapshots_are_committed(s: Cluster) -> bool:
    """A snapshot holds what was committed, and nothing else."""
    return all(
        o < len(s.committed) and s.log[server][o] == s.committed[o].entry
        for server in Server
        for o in range(s.snapshot[server])
    )


# --- in every step ----------------------------------------------------------------------------------------------------


@transition
def leader_append_only(before: Cluster, after: Cluster) -> bool:
    """A leader never overwrites or cuts its log: it only appends."""
    return all(
        len(after.log[leader]) >= len(before.log[leader])
        and after.log[leader][: len(before.log[leader])] == before.log[leader]
        for leader in Server
        if before.role[leader] == Role.LEADER and after.role[leader] == Role.LEADER
    )


@transition
def terms_never_decrease(before: Cluster, after: Cluster) -> bool:
    """No server forgets a term."""
    return all(
        after.current_term[server] >= before.current_term[server] for server in Server if is_same(before, after, server)
    )


def is_same(before: Cluster, after: Cluster, server: Server) -> bool:
    """Whether a server is the one it was; with `directory_ids`, one that gets another disk is not."""
    return not directory_ids or (server in before.wiped) == (server in after.wiped)


@transition
def one_vote_a_term(before: Cluster, after: Cluster) -> bool:
    """A server that has voted in a term neither changes nor forgets its vote."""
    return all(
        after.voted_for[server] == before.voted_for[server]
        for server in Server
        if before.voted_for[server] is not None and after.current_term[server] == before.current_term[server]
        if is_same(before, after, server)
    )


@transition
def commit_index_never_decreases(before: Cluster, after: Cluster) -> bool:
    """No server takes back that an entry is committed; one that restarts begins anew, or with its snapshot."""
    return all(
        after.commit_index[server] >= before.commit_index[server]
        or after.commit_index[server] == 0
        or after.commit_index[server] == after.snapshot[server] == before.snapshot[server]
        for server in Server
    )


@transition
def committed_entries_stay(before: Cluster, after: Cluster) -> bool:
    """No server cuts or overwrites what it knows to be committed."""
    return all(
        have_same_past(before, after, server, before.commit_index[server])
        for server in Server
        if is_same(before, after, server)
    )


def have_same_past(before: Cluster, after: Cluster, server: Server, length: int) -> bool:
    """Whether a log is up to an index what it was before the step."""
    return length <= len(after.log[server]) and after.log[server][:length] == before.log[server][:length]


@transition
def snapshot_replaces_what_differs(before: Cluster, after: Cluster) -> bool:
    """A server that gets a snapshot keeps what follows its last entry if it has that, and else discards its log."""
    return all(
        after.log[server] == before.log[server]
        if has_entry_of(before, after, server, after.snapshot[server])
        else len(after.log[server]) == after.snapshot[server]
        for server in Server
        if after.snapshot[server] > before.snapshot[server]
    )


def has_entry_of(before: Cluster, after: Cluster, server: Server, index: int) -> bool:
    """Whether a log has before the step the entry that it has at an index after it."""
    return index <= len(before.log[server]) and before.log[server][index - 1] == after.log[server][index - 1]


@transition
def snapshots_never_shrink(before: Cluster, after: Cluster) -> bool:
    """No server goes back to an older snapshot, as long as its disk is kept."""
    return not keep_disk or all(
        after.snapshot[server] >= before.snapshot[server]
        for server in Server
        if (server in before.wiped) == (server in after.wiped)
    )


@transition
def no_disruption(before: Cluster, after: Cluster) -> bool:
    """While a majority hears a leader, nobody begins a new term."""
    return not any(is_heard_by_majority(before, leader) for leader in Server) or all(
        any(before.current_term[other] >= after.current_term[server] for other in Server) for server in Server
    )


def is_heard_by_majority(s: Cluster, leader: Server) -> bool:
    """Whether a server leads, and a majority has heard it lately."""
    return (
        s.role[leader] == Role.LEADER
        and is_quorum(followers_in_touch(s, leader), members(s, leader))
        and len(followers_in_touch(s, leader)) > 1
    )


# --- what must be possible --------------------------------------------------------------------------------------------


@reachable
def every_role_is_taken(s: Cluster) -> bool:
    """There are a leader, a candidate and a follower at once."""
    return all(any(s.role[server] == role for server in Server) for role in Role)


@reachable
def command_is_applied(s: Cluster) -> bool:
    """A server other than the leader has applied a command."""
    return any(s.commit_index[server] > 0 and s.role[server] != Role.LEADER for server in Server)


@reachable
def log_was_truncated(s: Cluster) -> bool:
    """A command that a leader appended is in no log any more: it was cut off, and never committed."""
    return any(
        all(s.log[server][o].command != command for server in Server for o in range(len(s.log[server])))
        for command in range(s.next_command)
    )


@reachable
def leader_inherits_uncommitted_entries(s: Cluster) -> bool:
    """A leader has an entry of an earlier term that nobody knows to be committed."""
    return any(
        s.log[leader][o].term < s.current_term[leader]
        for leader in Server
        if s.role[leader] == Role.LEADER
        for o in range(max(s.commit_index[server] for server in Server), len(s.log[leader]))
    )


@reachable
def two_leaders(s: Cluster) -> bool:
    """Two servers lead at once, each in a term of its own."""
    return any(
        s.role[one] == Role.LEADER and s.role[other] == Role.LEADER and s.current_term[one] < s.current_term[other]
        for one in Server
        for other in Server
    )


@reachable
def old_leader_is_behind(s: Cluster) -> bool:
    """A leader has not applied what a newer leader has: whoever reads from it reads what is no longer so."""
    return any(
        s.role[old] == Role.LEADER
        and s.role[new] == Role.LEADER
        and s.current_term[old] < s.current_term[new]
        and s.commit_index[old] < s.commit_index[new]
        for old in Server
        for new in Server
    )


@reachable
def snapshot_is_needed(s: Cluster) -> bool:
    """A leader has only in its snapshot what it has to send next to a server, which lacks it."""
    return snapshots == 0 or any(
        s.role[leader] == Role.LEADER
        and s.next_index[leader][follower] <= s.snapshot[leader]
        and len(s.log[follower]) < s.snapshot[leader]
        for leader in Server
        for follower in Server
        if follower != leader
    )


@reachable
def snapshot_is_installed(s: Cluster) -> bool:
    """More servers have a snapshot than snapshots are taken: one was sent."""
    return snapshots == 0 or sum(1 for server in Server if s.snapshot[server] > 0) > snapshots


@reachable
def snapshot_comes_late(s: Cluster) -> bool:
    """A snapshot arrives at a server that has a newer one already, where messages are in flight."""
    return (
        snapshots < 2
        or messages == 0
        or any(
            message.kind == Kind.SNAPSHOT_REQUEST
            and message.term == s.current_term[message.to]
            and 0 < message.index < s.snapshot[message.to]
            for message in s.network
        )
    )
