"""Why Raft keeps its promises, for terms, logs and histories of messages of any length: lemmas that every step keeps.

The story in short. A term has one leader, since a majority voted for it and nobody votes twice. The log of that leader
is the log of that term: whoever has an entry of the term copied it, and all before it, from there. Say that an entry of
a term is *choosable* while a majority of servers has acknowledged it in that term, or is not beyond the term yet and
may still do so. It never becomes choosable again. A choosable entry is on whoever acknowledged it, and in the log of
every later leader: among those that voted for that leader is one that acknowledged the entry, or never will, and it
voted for no log behind its own. What is committed was choosable. So later leaders have it, and servers that follow
them keep it.

Every lemma is a predicate of one state. They hold at first, and where all hold each step keeps every one of them. They
are about the paper's Raft, the profile `paper`: message by message, with crashes. Messages may be lost, and arrive
again and in any order. What must hold of the protocol follows from them, state by state.

Terms and indices are numbered as in the paper, from 1; `o` is an offset, an index less one.
"""

from __future__ import annotations

from ...language import Set, is_majority, lemma
from ...model.raft.cluster import Cluster, Kind, LogEnd, Role, Server, lossy_restart, max_term, send_fsync
from ...model.raft.protocol import end_of, last_term

# --- votes ------------------------------------------------------------------------------------------------------------


@lemma
def nothing_is_switched_on(s: Cluster) -> bool:
    """What is as at first: timers, reads, servers that are no members, snapshots."""
    return (
        s.first_members == Set(Server)
        and all(s.snapshot[server] == 0 for server in Server)
        and all(len(s.sent_snapshot[term]) == 0 for term in range(max_term + 1))
        and s.read is None
        and s.answer is None
        and not any(s.in_touch[server] for server in Server)
    )


@lemma
def votes_are_remembered(s: Cluster) -> bool:
    """A server's vote in its term is the one it has on its disk, and it has not voted in a later term."""
    return all(
        s.ballots[s.current_term[server]][server] == s.voted_for[server]
        and all(s.ballots[term][server] is None for term in range(s.current_term[server] + 1, max_term + 1))
        for server in Server
    )


@lemma
def votes_are_for_who_stood(s: Cluster) -> bool:
    """Nobody votes in term 0, and only for a server that asked for votes in that term."""
    return all(s.ballots[0][voter] is None for voter in Server) and all(
        s.asked[term][candidate] is not None
        for term in range(1, max_term + 1)
        for voter in Server
        for candidate in Server
        if s.ballots[term][voter] == candidate
    )


@lemma
def who_stood_is_in_that_term(s: Cluster) -> bool:
    """Who asked for votes in a term is in it or beyond it; in term 0 nobody did."""
    return all(
        term <= s.current_term[candidate] and term > 0
        for term in range(max_term + 1)
        for candidate in Server
        if s.asked[term][candidate] is not None
    )


@lemma
def candidates_count_their_votes(s: Cluster) -> bool:
    """A candidate votes for itself, counts only votes that it was given, and its log is as when it asked for them."""
    return all(
        s.current_term[candidate] > 0
        and s.asked[s.current_term[candidate]][candidate]
        == LogEnd(index=len(s.log[candidate]), term=last_term(s, candidate))
        and s.voted_for[candidate] == candidate
        and s.elected[s.current_term[candidate]] != candidate
        and all(s.ballots[s.current_term[candidate]][voter] == candidate for voter in s.votes_granted[candidate])
        for candidate in Server
        if s.role[candidate] == Role.CANDIDATE
    )


@lemma
def a_majority_is_the_first_one(s: Cluster) -> bool:
    """Where a candidate has a majority, nobody was elected for its term before."""
    return all(
        s.elected[s.current_term[candidate]] is None or not is_majority(s.votes_granted[candidate])
        for candidate in Server
        if s.role[candidate] == Role.CANDIDATE
    )


@lemma
def leaders_were_elected(s: Cluster) -> bool:
    """A leader was elected for its term."""
    return all(s.elected[s.current_term[leader]] == leader for leader in Server if s.role[leader] == Role.LEADER)


@lemma
def a_majority_elects(s: Cluster) -> bool:
    """Who was elected for a term has the votes of a majority in it, its own too."""
    return s.elected[0] is None and all(
        s.ballots[term][leader] == leader
        and is_majority(Set(voter for voter in Server if s.ballots[term][voter] == leader))
        for term in range(1, max_term + 1)
        for leader in Server
        if s.elected[term] == leader
    )


@lemma
def a_majority_is_in_a_term_that_was_led(s: Cluster) -> bool:
    """A majority is in each term that has had a leader, or beyond it."""
    return all(
        is_majority(Set(at for at in Server if s.current_term[at] >= term))
        for term in range(max_term + 1)
        if s.elected[term] is not None
    )


# --- the log of a term ------------------------------------------------------------------------------------------------


@lemma
def terms_without_a_leader_are_blank(s: Cluster) -> bool:
    """Of a term that nobody led, nothing is remembered."""
    return all(
        len(s.leader_log[term]) == 0 and s.counted[term] == 0 for term in range(max_term + 1) if s.elected[term] is None
    )


def is_of_term(s: Cluster, term: int, o: int) -> bool:
    """Whether the log of a term has at an offset an entry that was written in that term."""
    return o < len(s.leader_log[term]) and s.leader_log[term][o].term == term


@lemma
def entries_of_a_term_are_in_its_log(s: Cluster) -> bool:
    """An entry in a term's log is of that term or an earlier one, whose leader wrote it at the same index."""
    return all(
        1 <= s.leader_log[term][o].term <= term
        and s.elected[s.leader_log[term][o].term] is not None
        and o < len(s.leader_log[s.leader_log[term][o].term])
        and s.leader_log[term][o] == s.leader_log[s.leader_log[term][o].term][o]
        for term in range(max_term + 1)
        for o in range(len(s.leader_log[term]))
    )


@lemma
def no_entry_of_a_terms_log_is_of_a_later_term(s: Cluster) -> bool:
    """An entry in a term's log is of that term or an earlier one."""
    return all(
        s.leader_log[term][o].term <= term for term in range(max_term + 1) for o in range(len(s.leader_log[term]))
    )


@lemma
def terms_grow_along_a_terms_log(s: Cluster) -> bool:
    """A later entry of a term's log is of the same term, or of a later one."""
    return all(
        s.leader_log[term][before].term <= s.leader_log[term][o].term
        for term in range(max_term + 1)
        for o in range(len(s.leader_log[term]))
        for before in range(o)
    )


@lemma
def an_entry_of_a_term_comes_with_all_before_it(s: Cluster) -> bool:
    """Up to an entry, a term's log is that of the term in which the entry was written."""
    return all(
        before < len(s.leader_log[s.leader_log[term][o].term])
        and s.leader_log[term][before] == s.leader_log[s.leader_log[term][o].term][before]
        for term in range(max_term + 1)
        for o in range(len(s.leader_log[term]))
        for before in range(o + 1)
    )


@lemma
def terms_that_share_an_entry_share_all_before_it(s: Cluster) -> bool:
    """The logs of two terms, with an entry of the same term at the same index, are so up to there."""
    return all(
        s.leader_log[term][before].term == s.leader_log[other][before].term
        for term in range(max_term + 1)
        for other in range(max_term + 1)
        for o in range(min(len(s.leader_log[term]), len(s.leader_log[other])))
        if s.leader_log[term][o].term == s.leader_log[other][o].term
        for before in range(o + 1)
    )


@lemma
def entries_are_in_the_log_of_their_term(s: Cluster) -> bool:
    """An entry on a server is of its term or an earlier one, of an earlier one on a candidate, and was a leader's."""
    return all(
        1 <= s.log[server][o].term <= s.current_term[server]
        and (s.role[server] != Role.CANDIDATE or s.log[server][o].term < s.current_term[server])
        and s.elected[s.log[server][o].term] is not None
        and o < len(s.leader_log[s.log[server][o].term])
        and s.log[server][o] == s.leader_log[s.log[server][o].term][o]
        for server in Server
        for o in range(len(s.log[server]))
    )


@lemma
def terms_grow_along_a_log(s: Cluster) -> bool:
    """A later entry on a server is of the same term, or of a later one."""
    return all(
        s.log[server][before].term <= s.log[server][o].term
        for server in Server
        for o in range(len(s.log[server]))
        for before in range(o)
    )


@lemma
def an_entry_comes_with_all_before_it(s: Cluster) -> bool:
    """Up to an entry, a server's log is that of the term in which the entry was written."""
    return all(
        before < len(s.leader_log[s.log[server][o].term])
        and s.log[server][before] == s.leader_log[s.log[server][o].term][before]
        for server in Server
        for o in range(len(s.log[server]))
        for before in range(o + 1)
    )


@lemma
def logs_that_share_an_entry_share_all_before_it(s: Cluster) -> bool:
    """The log of a server and that of a term, with an entry of the same term at the same index, are so up to there."""
    return all(
        s.log[server][before].term == s.leader_log[term][before].term
        for server in Server
        for term in range(max_term + 1)
        for o in range(min(len(s.log[server]), len(s.leader_log[term])))
        if s.log[server][o].term == s.leader_log[term][o].term
        for before in range(o + 1)
    )


@lemma
def entries_are_commands(s: Cluster) -> bool:
    """No entry changes the members."""
    return all(entry.members == Set() for server in Server for entry in s.log[server]) and all(
        entry.members == Set() for term in range(max_term + 1) for entry in s.leader_log[term]
    )


@lemma
def leaders_have_the_log_of_their_term(s: Cluster) -> bool:
    """A leader's log is that of its term, and it acknowledges what is on its disk."""
    return all(
        length_on_disk(s, leader) == s.acknowledged[s.current_term[leader]][leader]
        and s.log[leader] == s.leader_log[s.current_term[leader]]
        for leader in Server
        if s.role[leader] == Role.LEADER
    )


# --- what was acknowledged --------------------------------------------------------------------------------------------


def length_on_disk(s: Cluster, server: Server) -> int:
    """Up to where a server's log survives a crash for certain: all of it, if restarts lose nothing."""
    return s.synced[server] if lossy_restart else len(s.log[server])


def is_sent_from_disk() -> bool:
    """Whether what a leader sends survives its crash: `send_fsync`, or restarts that lose nothing."""
    return send_fsync or not lossy_restart


@lemma
def acknowledgements_are_of_the_log(s: Cluster) -> bool:
    """A server acknowledges what is in the log of a term that it is in or beyond."""
    return all(
        s.acknowledged[term][server] <= len(s.leader_log[term])
        and (s.acknowledged[term][server] == 0 or term <= s.current_term[server])
        for term in range(max_term + 1)
        for server in Server
    )


@lemma
def only_leaders_know_of_others(s: Cluster) -> bool:
    """Who does not lead takes nobody to have anything, so that a new leader begins with nothing."""
    return all(
        s.match_index[server][other] == 0 for server in Server if s.role[server] != Role.LEADER for other in Server
    )


@lemma
def leaders_know_what_was_acknowledged(s: Cluster) -> bool:
    """A leader takes no follower to have more than it acknowledged; what it sends next is in its log, or the end."""
    return all(
        s.match_index[leader][follower] <= s.acknowledged[s.current_term[leader]][follower]
        and s.match_index[leader][follower] < s.next_index[leader][follower]
        and s.next_index[leader][follower] <= len(s.log[leader]) + 1
        for leader in Server
        if s.role[leader] == Role.LEADER
        for follower in Server
        if follower != leader
    )


@lemma
def leaders_have_on_disk_what_others_have(s: Cluster) -> bool:
    """What a leader knows a follower to have is on its own disk too, where it writes there what it sends."""
    return not is_sent_from_disk() or all(
        s.match_index[leader][follower] <= length_on_disk(s, leader)
        for leader in Server
        if s.role[leader] == Role.LEADER
        for follower in Server
        if follower != leader
    )


@lemma
def who_acknowledged_in_its_term_has_it(s: Cluster) -> bool:
    """What a server acknowledged in the term it is in, it has."""
    return all(
        o < len(s.log[server])
        and o < len(s.leader_log[s.current_term[server]])
        and s.log[server][o] == s.leader_log[s.current_term[server]][o]
        for server in Server
        for o in range(s.acknowledged[s.current_term[server]][server])
    )


@lemma
def logs_are_as_long_as_acknowledged(s: Cluster) -> bool:
    """What a server acknowledged in the term it is in survives a crash, and no more than its log does."""
    return all(
        s.acknowledged[s.current_term[server]][server] <= length_on_disk(s, server) <= len(s.log[server])
        for server in Server
    )


def is_choosable(s: Cluster, term: int, o: int) -> bool:
    """Whether a majority has acknowledged the log of a term up to an entry, or may still do so."""
    return is_majority(Set(at for at in Server if s.acknowledged[term][at] > o or s.current_term[at] <= term))


@lemma
def who_acknowledged_has_what_is_choosable(s: Cluster) -> bool:
    """A choosable entry is in the log of every server that acknowledged it, where it survives a crash."""
    return all(
        o < min(length_on_disk(s, server), len(s.log[server])) and s.log[server][o].term == term
        for term in range(max_term + 1)
        for server in Server
        for o in range(s.acknowledged[term][server])
        if is_of_term(s, term, o) and is_choosable(s, term, o)
    )


@lemma
def later_terms_have_what_is_choosable(s: Cluster) -> bool:
    """A choosable entry is in the log of every later term that has a leader."""
    return all(
        o < len(s.leader_log[later]) and s.leader_log[later][o].term == term
        for later in range(max_term + 1)
        if s.elected[later] is not None
        for term in range(later)
        for o in range(len(s.leader_log[term]))
        if is_of_term(s, term, o) and is_choosable(s, term, o)
    )


@lemma
def logs_of_later_terms_have_what_is_choosable(s: Cluster) -> bool:
    """A choosable entry is in every log that ends in a later term."""
    return all(
        o < len(s.log[server]) and s.log[server][o].term == term
        for server in Server
        for term in range(last_term(s, server))
        for o in range(len(s.leader_log[term]))
        if is_of_term(s, term, o) and is_choosable(s, term, o)
    )


def stood_with(s: Cluster, later: int, candidate: Server, term: int, o: int) -> bool:
    """Whether the log with which a server stood for a term was not behind one that ends with that entry."""
    end = s.asked[later][candidate]
    return end is not None and (end.term > term or (end.term == term and end.index > o))


@lemma
def votes_are_for_logs_with_what_is_choosable(s: Cluster) -> bool:
    """Who acknowledged a choosable entry votes later only for a log that is not behind it."""
    return all(
        stood_with(s, later, candidate, term, o)
        for later in range(max_term + 1)
        for candidate in Server
        for voter in Server
        if s.ballots[later][voter] == candidate
        for term in range(later)
        for o in range(s.acknowledged[term][voter])
        if is_of_term(s, term, o) and is_choosable(s, term, o)
    )


# --- messages ---------------------------------------------------------------------------------------------------------


@lemma
def vote_requests_say_how_the_log_ended(s: Cluster) -> bool:
    """A request for a vote says where its candidate's log ended when it stood."""
    return all(
        s.asked[m.term][m.source] == LogEnd(index=m.index, term=m.log_term)
        for m in s.network
        if m.kind == Kind.VOTE_REQUEST
    )


@lemma
def granted_votes_were_given(s: Cluster) -> bool:
    """A reply that grants a vote is from a server that gave it."""
    return all(s.ballots[m.term][m.source] == m.to for m in s.network if m.kind == Kind.VOTE_REPLY and m.success)


@lemma
def append_requests_are_of_the_log(s: Cluster) -> bool:
    """What a leader sends is in the log of its term, and committed as far as it says."""
    return all(
        m.term > 0
        and s.elected[m.term] == m.source
        and m.index <= len(s.leader_log[m.term])
        and (m.index == 0 or s.leader_log[m.term][m.index - 1].term == m.log_term)
        and m.commit_index <= s.leader_commit[m.term]
        and (
            m.commit_index <= m.index
            if m.entry is None
            else m.index < len(s.leader_log[m.term])
            and s.leader_log[m.term][m.index] == m.entry
            and m.commit_index <= m.index + 1
        )
        for m in s.network
        if m.kind == Kind.APPEND_REQUEST
    )


@lemma
def append_replies_were_given(s: Cluster) -> bool:
    """A reply that the logs agree up to an index is from a server that acknowledged as much in that term."""
    return all(
        m.index <= s.acknowledged[m.term][m.source] for m in s.network if m.kind == Kind.APPEND_REPLY and m.success
    )


@lemma
def messages_are_of_what_their_leader_acknowledged(s: Cluster) -> bool:
    """A leader acknowledged what it sends, and what others report to have, where it writes that to its disk."""
    return not is_sent_from_disk() or (
        all(end_of(m) <= s.acknowledged[m.term][m.source] for m in s.network if m.kind == Kind.APPEND_REQUEST)
        and all(m.index <= s.acknowledged[m.term][m.to] for m in s.network if m.kind == Kind.APPEND_REPLY and m.success)
    )


# --- what is committed ------------------------------------------------------------------------------------------------


@lemma
def a_majority_acknowledged_what_was_counted(s: Cluster) -> bool:
    """What a leader counted ends with an entry of its term, and a majority acknowledged it."""
    return all(
        is_of_term(s, term, s.counted[term] - 1)
        and is_majority(Set(at for at in Server if s.acknowledged[term][at] >= s.counted[term]))
        for term in range(max_term + 1)
        if s.counted[term] > 0
    )


@lemma
def later_terms_have_what_was_counted(s: Cluster) -> bool:
    """What was counted in a term is in the log of every later one that has a leader."""
    return all(
        o < len(s.leader_log[term]) and o < len(s.leader_log[later]) and s.leader_log[later][o] == s.leader_log[term][o]
        for later in range(max_term + 1)
        if s.elected[later] is not None
        for term in range(later)
        for o in range(s.counted[term])
    )


@lemma
def leaders_commit_what_was_counted(s: Cluster) -> bool:
    """What a leader of a term takes for committed was counted, by it or in an earlier term, and is in its log."""
    return all(
        s.leader_commit_term[term] <= term and s.leader_commit[term] <= s.counted[s.leader_commit_term[term]]
        for term in range(max_term + 1)
    ) and all(
        o < len(s.leader_log[term])
        and o < len(s.leader_log[earlier])
        and s.leader_log[term][o] == s.leader_log[earlier][o]
        for term in range(max_term + 1)
        for earlier in range(term)
        if s.leader_commit_term[term] == earlier
        for o in range(s.leader_commit[term])
    )


@lemma
def leaders_commit_what_is_in_their_log(s: Cluster) -> bool:
    """What a leader of a term takes for committed is in its log."""
    return all(s.leader_commit[term] <= len(s.leader_log[term]) for term in range(max_term + 1))


@lemma
def leaders_are_as_committed_as_their_term(s: Cluster) -> bool:
    """A leader's commit index is what is remembered of its term, and not below what it counted."""
    return all(
        s.commit_index[leader] == s.leader_commit[s.current_term[leader]]
        and s.commit_index[leader] >= s.counted[s.current_term[leader]]
        for leader in Server
        if s.role[leader] == Role.LEADER
    )


@lemma
def servers_commit_what_was_counted(s: Cluster) -> bool:
    """What a server takes for committed was counted in its term or an earlier one."""
    return all(
        s.commit_term[server] <= s.current_term[server] and s.commit_index[server] <= s.counted[s.commit_term[server]]
        for server in Server
    )


@lemma
def logs_of_led_terms_have_what_servers_take_for_committed(s: Cluster) -> bool:
    """What a server takes for committed is in the log of its term, if that was led, as it is in its own."""
    return all(
        o < len(s.log[server])
        and o < len(s.leader_log[s.current_term[server]])
        and s.log[server][o].term == s.leader_log[s.current_term[server]][o].term
        for server in Server
        if s.elected[s.current_term[server]] is not None
        for o in range(s.commit_index[server])
    )


@lemma
def logs_of_led_terms_have_what_was_counted_for_servers(s: Cluster) -> bool:
    """What a server takes for committed is in the log of its term, if that was led, as where it was counted.

    That is the log of the term that counted it."""
    return all(
        o < len(s.leader_log[s.current_term[server]])
        and o < len(s.leader_log[s.commit_term[server]])
        and s.leader_log[s.current_term[server]][o].term == s.leader_log[s.commit_term[server]][o].term
        for server in Server
        if s.elected[s.current_term[server]] is not None
        for o in range(s.commit_index[server])
    )


@lemma
def servers_have_what_they_take_for_committed(s: Cluster) -> bool:
    """What a server takes for committed is in its log, on its disk too.

    While nobody has led its term, it is so in the log of the term that counted it. Of a term that was led the two
    lemmas before say so."""
    return all(s.commit_index[server] <= length_on_disk(s, server) <= len(s.log[server]) for server in Server) and all(
        o < len(s.log[server])
        and o < len(s.leader_log[s.commit_term[server]])
        and s.log[server][o] == s.leader_log[s.commit_term[server]][o]
        for server in Server
        if s.elected[s.current_term[server]] is None
        for o in range(s.commit_index[server])
    )


@lemma
def committed_entries_were_counted(s: Cluster) -> bool:
    """What was called committed first at an index is in the log of the term that counted it there, and all is."""
    return all(s.counted[term] <= len(s.committed) for term in range(max_term + 1)) and all(
        o < s.counted[s.committed[o].term]
        and o < len(s.leader_log[s.committed[o].term])
        and s.committed[o].entry == s.leader_log[s.committed[o].term][o]
        for o in range(len(s.committed))
    )
