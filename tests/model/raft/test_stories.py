"""Raft as stories: figure 8 of the paper step by step, and what each rule of the protocol is for.

The steps are taken by the judge, in plain Python. What was recorded of Raft is counted again at the end.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tidegate.explorer import ENGINES
from tidegate.explorer.search import Search
from tidegate.gates.records import CheckRecord, read_record_file
from tidegate.invariants.catalogue import find
from tidegate.language.judge import holds, initial_states, replay
from tidegate.language.steptext import StepError
from tidegate.language.values import State
from tidegate.language.verdict import Verdict
from tidegate.model.raft.cluster import Kind, Role, Server

from ...conftest import ROOT
from ...support.shipped import bind_shipped, tier_parameters

S1, S2, S3, S4, S5 = (Server(i) for i in range(5))
COMMANDS = "xyzw"


class Story:
    """Servers S1, S2, ... and what happens to them. Commands are called x, y, z in the order in which they are sent."""

    def __init__(self, profile: str = "raft", *, servers: int = 3, **constants: Any) -> None:
        sizes = {"servers": servers, "max_term": 6, "log_size": 4, "client_values": 4, "crashes": 4}
        self.model = bind_shipped(f"raft:{profile}", {**sizes, **constants}, called=profile)
        self.state: State = next(iter(initial_states(self.model)))

    def step(self, action: str, **arguments: Any) -> Story:
        """Takes one step; StepError when it is disabled."""
        self.state = replay(self.model, self.state, [(action, arguments)]).steps[-1].state_after
        return self

    def hear(self, server: Server, term: int) -> Story:
        """News of a term reach a server, and it steps down."""
        return self.step("learn_of_term", server=server, term=term)

    def campaign(self, candidate: Server, term: int) -> Story:
        """A server's election timer runs out until it is a candidate in that term."""
        while self.state.current_term[candidate] < term:
            self.step("time_out", server=candidate)
        return self

    def vote(self, voter: Server, candidate: Server) -> Story:
        """A candidate asks for a vote and gets it. Its term is news to the voter."""
        term = self.state.current_term[candidate]
        if self.state.current_term[voter] < term:
            self.hear(voter, term)
        return self.step("request_vote", candidate=candidate, voter=voter)

    def elect(self, leader: Server, term: int, *voters: Server) -> Story:
        """A server is elected for a term with these votes."""
        self.campaign(leader, term)
        for voter in voters:
            self.vote(voter, leader)
        return self.step("become_leader", candidate=leader)

    def write(self, leader: Server) -> Story:
        return self.step("write", leader=leader)

    def send(self, leader: Server, follower: Server) -> Story:
        """One AppendEntries request, and its reply."""
        term = self.state.current_term[leader]
        if self.state.current_term[follower] < term:
            self.hear(follower, term)
        return self.step("append_entries", leader=leader, follower=follower)

    def replicate(self, leader: Server, *followers: Server) -> Story:
        """As many requests as it takes for each of them to have the leader's log."""
        for follower in followers:
            self.send(leader, follower)
            while self.state.match_index[leader][follower] < len(self.state.log[leader]):
                self.send(leader, follower)
        return self

    def commit(self, leader: Server) -> Story:
        return self.step("advance_commit_index", leader=leader)

    def crash(self, server: Server) -> Story:
        """A server goes down; it is up again when it next does something."""
        kept = len(self.state.log[server]) if self.model.values["keep_disk"] else 0
        return self.step("restart", server=server, kept=kept)

    def log(self, server: Server) -> str:
        """A server's log, a letter and a term an entry: `x1 y2`; `-` where it is not a command."""
        return " ".join(
            f"{'-' if entry.command is None else COMMANDS[entry.command]}{entry.term}"
            for entry in self.state.log[server]
        )

    def leaders(self) -> set[Server]:
        return {server for server in (S1, S2, S3, S4, S5)[: len(self.state.role)] if self.leads(server)}

    def leads(self, server: Server) -> bool:
        return self.state.role[server] == Role.LEADER

    def false(self) -> set[str]:
        """The invariants that are false now."""
        properties = [prop for prop in self.model.properties if prop.kind == "invariant"]
        return {prop.name for prop in properties if not holds(self.model, prop, self.state)}


# --- how it should be -------------------------------------------------------------------------------------------------


def test_a_command_is_written_replicated_committed_and_applied() -> None:
    story = Story().elect(S1, 1, S2).write(S1)
    # It is not committed while the leader alone has it.
    with pytest.raises(StepError, match=r"index > s\.commit_index"):
        story.commit(S1)
    story.replicate(S1, S2).commit(S1)
    assert (story.state.commit_index[S1], story.log(S2)) == (1, "x1")
    # The follower has the entry, but does not know that it is committed until the leader sends again.
    assert story.state.commit_index[S2] == 0
    story.send(S1, S2)
    assert story.state.commit_index[S2] == 1
    assert story.false() == set()


def test_who_is_first_becomes_a_candidate_and_no_leader() -> None:
    # Two timers run out at once, each candidate has its own vote, and the third server votes once.
    story = Story().campaign(S1, 1).campaign(S2, 1).vote(S3, S1)
    with pytest.raises(StepError, match="grants"):
        story.vote(S3, S2)
    with pytest.raises(StepError, match="is_quorum"):
        story.step("become_leader", candidate=S2)
    story.step("become_leader", candidate=S1)
    assert story.leaders() == {S1}


def test_nobody_votes_for_a_log_behind_its_own() -> None:
    story = Story().elect(S1, 1, S2).write(S1).replicate(S1, S2)
    # S3 has heard of nothing, and S2 has x.
    with pytest.raises(StepError, match="grants"):
        story.campaign(S3, 2).vote(S2, S3)


def test_an_old_leader_does_not_know_that_it_is_one() -> None:
    story = Story().elect(S1, 1, S3).write(S1).elect(S2, 2, S3)
    assert story.leaders() == {S1, S2}
    # It takes commands, and cannot commit them: nobody of its term is left to hold them.
    with pytest.raises(StepError, match=r"index > s\.commit_index"):
        story.write(S1).commit(S1)
    assert story.false() == set()


def test_a_new_leader_goes_back_entry_by_entry_and_overwrites() -> None:
    story = Story().elect(S1, 1, S2).write(S1).write(S1).write(S1).elect(S3, 2, S2).write(S3).crash(S1)
    assert (story.log(S1), story.log(S3)) == ("x1 y1 z1", "w2")
    # S1 leads again, and takes S3 for a follower with a log as long as its own.
    story.elect(S1, 3, S2)
    tried: list[int] = []
    while story.log(S3) != story.log(S1):
        tried.append(story.state.next_index[S1][S3])
        story.send(S1, S3)
    assert tried == [4, 3, 2, 1, 2, 3]
    assert story.log(S3) == "x1 y1 z1"
    assert story.false() == set()


# --- figure 8 ---------------------------------------------------------------------------------------------------------


def figure_8(profile: str) -> Story:
    """Up to (c): the entry y of term 2 is on S1, S2 and S3, a majority, and S1 leads term 4."""
    # All five begin with x. (a) S1 leads term 2, and has brought y to S2 when it crashes.
    story = Story(profile, servers=5).elect(S1, 1, S2, S3).write(S1).replicate(S1, S2, S3, S4, S5).crash(S1)
    story.elect(S1, 2, S2, S3).write(S1).replicate(S1, S2).crash(S1)
    assert [story.log(server) for server in (S1, S2, S3, S4, S5)] == ["x1 y2", "x1 y2", "x1", "x1", "x1"]
    # (b) S5 is elected for term 3 by S3, S4 and itself, takes z, and crashes.
    story.elect(S5, 3, S3, S4).write(S5).crash(S5)
    assert story.log(S5) == "x1 z3"
    # (c) S1 is back, is elected for term 4, and goes on to bring y to S3.
    story.elect(S1, 4, S2, S3).replicate(S1, S2, S3)
    assert [story.log(server) for server in (S1, S2, S3)] == ["x1 y2"] * 3
    assert story.false() == set()
    return story


def test_figure_8_counting_copies_loses_what_a_majority_has() -> None:
    # S1 counts three copies of y, calls it committed and applies it.
    story = figure_8("count_replicas").commit(S1)
    assert story.state.commit_index[S1] == 2
    # (d) S5 is elected for term 5: its last term is 3, and that of S2, S3 and S4 is older.
    story.elect(S5, 5, S2, S3, S4)
    assert story.false() == {"leader_completeness"}
    # It overwrites y with z on all that had it, and calls z committed: S1 and S5 have applied different commands.
    story.replicate(S5, S2, S3, S4).commit(S5)
    assert {"state_machine_safety", "applied_commands_agree", "committed_entries_reach_majority"} <= story.false()


def test_figure_8_an_entry_of_an_older_term_is_not_counted() -> None:
    # S1 has the same three copies of y, and may not call it committed: it is of term 2, and this is term 4.
    story = figure_8("raft")
    assert story.state.match_index[S1][S2] == story.state.match_index[S1][S3] == 2
    with pytest.raises(StepError, match=r"index > s\.commit_index"):
        story.commit(S1)
    # (d) So S5 overwrites y, which is allowed: nobody was ever informed that it is committed.
    story.elect(S5, 5, S2, S3, S4).replicate(S5, S1, S2, S3, S4)
    assert [story.log(server) for server in (S1, S2, S3, S4, S5)] == ["x1 z3"] * 5
    assert story.false() == set()


def test_figure_8_an_entry_of_the_leaders_own_term_takes_the_older_ones_with_it() -> None:
    # (e) S1 brings an entry of term 4 to a majority before it crashes: y is committed with it.
    story = figure_8("raft").write(S1).replicate(S1, S2, S3).commit(S1).crash(S1)
    assert [committed.entry.command for committed in story.state.committed] == [0, 1, 3]
    # Now S5 cannot win: S2 and S3 have a newer last term.
    story.campaign(S5, 5).vote(S4, S5)
    for voter in (S2, S3):
        with pytest.raises(StepError, match="grants"):
            story.vote(voter, S5)
    assert story.false() == set()


def test_three_servers_are_enough_and_a_no_op_does_not_help() -> None:
    # Nobody sends a command here: the no-ops at the beginning of each term are overwritten themselves.
    story = Story("count_replicas_no_op").elect(S1, 1, S3).elect(S2, 2, S3).hear(S1, 2).elect(S1, 3, S3)
    assert [story.log(server) for server in (S1, S2, S3)] == ["-1 -3", "-2", ""]
    story.send(S1, S3).send(S1, S3).commit(S1)
    assert (story.log(S3), story.state.commit_index[S1]) == ("-1", 1)
    story.hear(S2, 3).campaign(S2, 4)
    assert story.vote(S3, S2).step("become_leader", candidate=S2).false() == {"leader_completeness"}


# --- what implementations forget --------------------------------------------------------------------------------------


def test_a_forgotten_vote_elects_two_leaders_in_one_term() -> None:
    story = Story("forgotten_votes").campaign(S1, 1).campaign(S2, 1).vote(S3, S1).crash(S3).vote(S3, S2)
    story.step("become_leader", candidate=S1).step("become_leader", candidate=S2)
    assert story.false() == {"election_safety"}


def test_an_acknowledged_entry_that_is_not_on_disk_is_lost() -> None:
    story = Story("no_fsync").elect(S1, 1, S2).write(S1).replicate(S1, S2).commit(S1)
    # S2 loses power before its disk has x, and elects S3, which never had it.
    story.step("restart", server=S2, kept=0).elect(S3, 2, S2)
    assert "leader_completeness" in story.false()


def test_either_of_the_leaders_fsyncs_is_enough() -> None:
    for profile, kept in (("no_send_fsync", 1), ("no_count_fsync", 1), ("no_leader_fsync", 0)):
        story = Story(profile).elect(S1, 1, S2).write(S1).replicate(S1, S2).commit(S1)
        # S1 loses power; its own copy of x was counted. What it may lose is what no switch has demanded of its disk.
        if kept == 1:
            with pytest.raises(StepError, match="may_keep"):
                story.step("restart", server=S1, kept=0)
        else:
            story.step("restart", server=S1, kept=0).elect(S3, 2, S1)
            assert "leader_completeness" in story.false()


def test_a_follower_has_on_disk_all_that_it_acknowledges() -> None:
    # S1 has y of term 1 in memory; as a follower of S2 it cuts it off for z, which it acknowledges.
    story = Story("lossy_restart").elect(S1, 1, S2).write(S1).elect(S2, 2, S3).write(S2)
    assert story.state.synced[S1] == 0
    story.replicate(S2, S1)
    assert (story.log(S1), story.state.synced[S1]) == ("y2", 1)
    with pytest.raises(StepError, match="may_keep"):
        story.step("restart", server=S1, kept=0)


def test_a_request_that_arrives_late_cuts_nothing_that_agrees() -> None:
    for profile, left in (("raft", "x1 y1"), ("always_truncate", "x1")):
        story = Story(profile, messages=4, duplicates=1)
        story.campaign(S1, 1).step("send_vote_request", candidate=S1, voter=S2)
        story.hear(S2, 1)
        deliver(story, Kind.VOTE_REQUEST)
        deliver(story, Kind.VOTE_REPLY)
        story.step("become_leader", candidate=S1).write(S1).write(S1)
        # The request with x is in the network twice. The first copy arrives, then the request with y.
        story.step("send_append_entries", leader=S1, follower=S2)
        story.step("duplicate", message=next(iter(story.state.network)))
        deliver(story, Kind.APPEND_REQUEST)
        deliver(story, Kind.APPEND_REPLY)
        story.step("send_append_entries", leader=S1, follower=S2)
        deliver(story, Kind.APPEND_REQUEST, index=1)
        deliver(story, Kind.APPEND_REPLY)
        story.commit(S1)
        assert story.state.commit_index[S1] == 2
        # Then the second copy does.
        deliver(story, Kind.APPEND_REQUEST, index=0)
        assert story.log(S2) == left
        assert ("committed_entries_reach_majority" in story.false()) == (profile == "always_truncate")


def deliver(story: Story, kind: Kind, index: int | None = None) -> Story:
    """The message of that kind arrives."""
    message = next(
        candidate for candidate in story.state.network if candidate.kind == kind and index in (None, candidate.index)
    )
    actions = {Kind.APPEND_REQUEST: "receive_append_entries", Kind.SNAPSHOT_REQUEST: "receive_snapshot"}
    action = actions.get(kind, f"receive_{kind.value}")
    return story.step(action, **{"reply" if kind.value.endswith("reply") else "request": message})


def test_a_server_that_hears_nobody_deposes_nobody_with_pre_votes() -> None:
    for profile in ("check_quorum", "pre_vote"):
        story = Story(profile, servers=3).elect(S1, 1, S2).send(S1, S2)
        # S1 is heard by a majority, itself and S2. S3 is cut off, and its election timer runs out.
        if profile == "pre_vote":
            with pytest.raises(StepError, match="pre_vote"):
                story.campaign(S3, 2)
        else:
            story.campaign(S3, 1).campaign(S3, 2).hear(S1, 2)
            assert story.leaders() == set()


# --- the members change -----------------------------------------------------------------------------------------------


def change(story: Story, leader: Server, server: Server) -> Story:
    return story.step("change_membership", leader=leader, server=server)


def test_a_leader_commits_an_entry_of_its_term_before_it_changes_the_members() -> None:
    # Four servers. S1 removes S2, and nobody hears of it; S2 is elected, and removes S1. (raft-dev, 10 July 2015)
    story = Story("membership_2014", servers=4)
    story.elect(S1, 1, S3, S4).elect(S2, 2, S3, S4)
    change(story, S1, S2)
    change(story, S2, S1)
    # S1, S3 and S4 are S1's members, S2, S3 and S4 those of S2: each finds a majority without the other's.
    story.crash(S1).elect(S1, 3, S3).crash(S2)
    with pytest.raises(StepError, match="grants"):
        story.campaign(S2, 3).vote(S3, S2)
    story.vote(S4, S2).step("become_leader", candidate=S2)
    assert story.false() >= {"election_safety"}
    # With the rule, S1 has to commit its no-op first, and a majority has to hold it.
    mended = Story("membership", servers=4).elect(S1, 1, S3, S4)
    with pytest.raises(StepError, match="commit_before_change"):
        change(mended, S1, S2)
    mended.replicate(S1, S3, S4).commit(S1)
    change(mended, S1, S2)
    assert mended.false() == set()


def removed_twice(profile: str) -> Story:
    """Five servers; S1 removes S3, then S5. Neither S3 nor S4 has heard of any of it; S5 voted for it and is out."""
    story = Story(profile, servers=5, log_size=6).elect(S1, 1, S2, S5)
    story.replicate(S1, S2, S5).commit(S1)
    change(story, S1, S3).replicate(S1, S2, S5).commit(S1)
    change(story, S1, S5).replicate(S1, S2).commit(S1)
    assert story.state.commit_index[S1] == 3
    return story


def wipe(story: Story, server: Server) -> Story:
    return story.step("return_with_empty_disk", server=server)


def test_a_removed_server_that_returns_with_an_empty_disk_splits_the_cluster() -> None:
    # With its disk, S5 does not vote for S4: it knows entries that S4 does not have.
    story = removed_twice("same_name").campaign(S4, 2).vote(S3, S4)
    with pytest.raises(StepError, match="grants"):
        story.vote(S5, S4)
    # With an empty one it does, though it was removed: S4 still counts it as a member.
    story = wipe(removed_twice("same_name"), S5).elect(S4, 2, S3, S5)
    assert "leader_completeness" in story.false()
    assert story.leaders() == {S1, S4}
    # Both go on to commit: S1 with S2, and S4 with S3 and S5.
    story.write(S1).replicate(S1, S2).commit(S1).replicate(S4, S3, S5).commit(S4)
    assert "applied_commands_agree" in story.false()


def test_a_server_with_another_disk_is_another_server() -> None:
    story = wipe(removed_twice("directory_ids"), S5).campaign(S4, 2).vote(S3, S4)
    # S5 is no more whom S4 takes it for: it gives no vote, asks for none, and holds no entry for anybody.
    story.hear(S5, 2)
    with pytest.raises(StepError, match="is_known"):
        story.step("request_vote", candidate=S4, voter=S5)
    with pytest.raises(StepError, match="is_known"):
        story.campaign(S5, 3)
    with pytest.raises(StepError, match="is_quorum"):
        story.step("become_leader", candidate=S4)
    assert story.false() == set()


def test_only_a_server_whose_removal_is_committed_comes_back_empty() -> None:
    story = Story("same_name", servers=4, log_size=6).elect(S1, 1, S2, S3).replicate(S1, S2, S3).commit(S1)
    change(story, S1, S4).replicate(S1, S2)
    with pytest.raises(StepError, match="is_removed"):
        wipe(story, S4)
    wipe(story.commit(S1), S4)


# --- clients read -----------------------------------------------------------------------------------------------------


def ask(story: Story, leader: Server) -> Story:
    return story.step("read", leader=leader)


def answer(story: Story, leader: Server) -> Story:
    return story.step("answer_read", leader=leader)


def state_with_deposed_leader(profile: str) -> Story:
    """S1 leads term 1, and does not know that S2 leads term 2, which has committed x."""
    return Story(profile, reads=2).elect(S1, 1, S2).elect(S2, 2, S3).write(S2).replicate(S2, S3)


def test_a_leader_that_is_one_no_more_answers_with_what_is_no_longer_so() -> None:
    story = answer(ask(state_with_deposed_leader("own_word").commit(S2), S1), S1)
    assert story.state.answer == 0
    assert story.false() == {"linearizable_reads"}


def test_a_read_that_began_before_is_none_of_it() -> None:
    # The client asks before x is committed, and hears after it that there is nothing: that is in order.
    story = answer(ask(state_with_deposed_leader("own_word"), S1).commit(S2), S1)
    assert story.state.answer == 0
    assert story.false() == set()


def test_a_leader_that_asks_a_majority_first_finds_out() -> None:
    story = ask(state_with_deposed_leader("confirmed").commit(S2), S1)
    with pytest.raises(StepError, match="is_confirmed"):
        answer(story, S1)
    # S2 and S3 are beyond term 1: there is nobody left to confirm it.
    for other in (S2, S3):
        with pytest.raises(StepError, match="current_term"):
            story.step("append_entries", leader=S1, follower=other)
    # S2 is confirmed by S3, and answers with what it has committed.
    story = answer(ask(story, S2).send(S2, S3), S2)
    assert (story.state.answer, story.false()) == (1, set())


def test_a_new_leader_does_not_know_yet_what_was_committed_before_its_term() -> None:
    for profile, known in (("confirmed", 0), ("read_index", None)):
        story = Story(profile, no_op=False).elect(S1, 1, S2).write(S1).replicate(S1, S2).commit(S1)
        # S2 has x, and has not heard that it is committed. It is elected, and S3 confirms that it leads.
        story = ask(story.elect(S2, 2, S3), S2).send(S2, S3)
        if known is None:
            with pytest.raises(StepError, match="has_committed_in_its_term"):
                answer(story, S2)
            answer(story.write(S2).replicate(S2, S3).commit(S2), S2)
            assert (story.state.answer, story.false()) == (2, set())
        else:
            assert (answer(story, S2).state.answer, story.false()) == (known, {"linearizable_reads"})


def test_a_reply_to_what_was_sent_before_the_read_came_confirms_nothing() -> None:
    story = Story("read_index", messages=4, no_op=False, reads=2)
    story.campaign(S1, 1).step("send_vote_request", candidate=S1, voter=S2).hear(S2, 1)
    deliver(story, Kind.VOTE_REQUEST)
    deliver(story, Kind.VOTE_REPLY)
    story.step("become_leader", candidate=S1).step("send_append_entries", leader=S1, follower=S2)
    deliver(story, Kind.APPEND_REQUEST)
    # The reply is on its way when the read comes.
    ask(story, S1)
    deliver(story, Kind.APPEND_REPLY)
    assert story.state.read.confirmed_by == {S1}
    # One to what was sent since does confirm.
    story.step("send_append_entries", leader=S1, follower=S2)
    deliver(story, Kind.APPEND_REQUEST)
    deliver(story, Kind.APPEND_REPLY)
    assert story.state.read.confirmed_by == {S1, S2}


# --- snapshots --------------------------------------------------------------------------------------------------------


def take(story: Story, server: Server, end: int) -> Story:
    """A server takes a snapshot up to an index."""
    return story.step("take_snapshot", server=server, end=end)


def test_who_lacks_what_a_leader_discarded_is_sent_the_snapshot_in_place_of_its_log() -> None:
    # S3 leads term 1 and has two commands that nobody else has; S1 leads term 2.
    story = Story("snapshots").elect(S3, 1, S2).write(S3).write(S3).elect(S1, 2, S2).write(S1).replicate(S1, S2)
    with pytest.raises(StepError, match=r"s\.commit_index"):
        take(story, S1, 1)  # not yet committed
    take(story.commit(S1), S1, 1).hear(S3, 2)
    assert (story.log(S3), story.log(S1)) == ("x1 y1", "z2")
    with pytest.raises(StepError, match=r"s\.next_index\[leader\]\[follower\] > s\.snapshot\[leader\]"):
        story.send(S1, S3)
    story.step("install_snapshot", leader=S1, follower=S3)
    assert (story.log(S3), story.state.snapshot[S3], story.state.commit_index[S3]) == ("z2", 1, 1)
    # It goes on from there, also when it crashes.
    story.crash(S3).write(S1).send(S1, S3)
    assert (story.log(S3), story.state.commit_index[S3], story.false()) == ("z2 w2", 1, set())


def late_snapshot(profile: str) -> Story:
    """A snapshot of x is on its way to S3 when S3 has got x and y from the leader, message by message."""
    story = Story(profile, snapshots=2, messages=3).campaign(S1, 1)
    story.step("send_vote_request", candidate=S1, voter=S2).hear(S2, 1)
    deliver(deliver(story, Kind.VOTE_REQUEST), Kind.VOTE_REPLY).step("become_leader", candidate=S1).write(S1)
    append(story, S2).commit(S1)
    # S3 has x, too, but its answer is late: the leader takes it for a server that needs the snapshot.
    story.step("send_append_entries", leader=S1, follower=S3).hear(S3, 1)
    deliver(story, Kind.APPEND_REQUEST)
    take(story, S1, 1).step("send_snapshot", leader=S1, follower=S3)
    deliver(story, Kind.APPEND_REPLY)
    return append(story.write(S1), S3).commit(S1)


def append(story: Story, follower: Server) -> Story:
    """An AppendEntries request and its reply, each a message."""
    sent = story.state.next_index[S1][follower] - 1
    story.step("send_append_entries", leader=S1, follower=follower)
    return deliver(deliver(story, Kind.APPEND_REQUEST, index=sent), Kind.APPEND_REPLY)


def test_what_follows_a_snapshots_last_entry_is_kept() -> None:
    story = deliver(late_snapshot("snapshots_by_message"), Kind.SNAPSHOT_REQUEST)
    assert (story.log(S3), story.state.snapshot[S3], story.false()) == ("x1 y1", 1, set())
    wrong = deliver(late_snapshot("snapshot_discards_log"), Kind.SNAPSHOT_REQUEST)
    assert (wrong.log(S3), wrong.state.commit_index[S1]) == ("x1", 2)
    assert "committed_entries_reach_majority" in wrong.false()


def test_a_snapshot_older_than_the_followers_own_changes_nothing() -> None:
    story = append(late_snapshot("snapshots_by_message"), S3)
    deliver(take(story, S3, 2), Kind.SNAPSHOT_REQUEST)
    assert (story.log(S3), story.state.snapshot[S3], story.false()) == ("x1 y1", 2, set())
    wrong = append(late_snapshot("old_snapshot"), S3)
    deliver(take(wrong, S3, 2), Kind.SNAPSHOT_REQUEST)
    assert (wrong.log(S3), wrong.state.snapshot[S3]) == ("x1", 1)


def test_a_request_for_what_a_snapshot_holds_is_agreed_to() -> None:
    # The request for x arrives once more, when S2 has discarded x.
    story = Story("snapshots_by_message", messages=3, duplicates=1).campaign(S1, 1)
    story.step("send_vote_request", candidate=S1, voter=S2).hear(S2, 1)
    deliver(deliver(story, Kind.VOTE_REQUEST), Kind.VOTE_REPLY).step("become_leader", candidate=S1).write(S1)
    story.step("send_append_entries", leader=S1, follower=S2)
    (request,) = story.state.network
    story.step("duplicate", message=request)
    deliver(deliver(story, Kind.APPEND_REQUEST), Kind.APPEND_REPLY).commit(S1).write(S1)
    take(append(append(story, S2).commit(S1), S2), S2, 2)
    deliver(story, Kind.APPEND_REQUEST)
    assert (story.log(S2), story.state.snapshot[S2]) == ("x1 y1", 2)
    assert [(reply.success, reply.index) for reply in story.state.network] == [(True, 1)]


# --- what is recorded -------------------------------------------------------------------------------------------------

CHECKS = [check for check in read_record_file(ROOT / "spec" / "raft.toml").checks if check.tier == "commit"]
SMALL = [check for check in CHECKS if check.counts and check.counts["distinct_states"] <= 2000]


def run(check: CheckRecord, engine: str, cache: Path | None) -> Verdict:
    definition, profile = find(check.target)
    texts = {name: str(value) for name, value in check.constants.items()}
    model = definition.bind(check.target, texts, profile, ghosts=check.ghosts, properties=tuple(check.properties))
    return ENGINES[engine](model, Search(symmetry=check.symmetry, cache=cache), None)


def verdict_summary(verdict: Verdict) -> tuple[str, dict[str, tuple[str, int | None]]]:
    return verdict.outcome, {
        prop.name: (prop.verdict, len(prop.run.steps) if prop.run is not None and prop.verdict == "violated" else None)
        for prop in verdict.properties
    }


@pytest.mark.parametrize("check", SMALL, ids=lambda check: check.name)
def test_small_recorded_checks_come_out(check: CheckRecord, cache: Path) -> None:
    """Here the small ones, by which the engines are compared; `tidegate gate` checks everything that is recorded."""
    verdict = run(check, "native", cache)
    expected = {name: (prop.verdict, prop.steps) for name, prop in check.properties.items()}
    assert verdict_summary(verdict) == (check.outcome, expected)
    assert {name: getattr(verdict, name) for name in check.counts} == dict(check.counts)


@pytest.mark.parametrize(
    "check", tier_parameters(SMALL, lambda record: "one_term" in record.name, lambda record: record.name)
)
def test_plain_python_counts_the_same(check: CheckRecord) -> None:
    verdict = run(check, "python", None)
    assert {name: getattr(verdict, name) for name in check.counts} == dict(check.counts)


def test_figure_8_needs_four_terms_and_two_commands() -> None:
    """The smallest bounds are those that were computed on a port of the published specification."""
    wrong = [check for check in CHECKS if check.profile == "count_replicas"]
    broken = {record.bounds for record in wrong if record.outcome == "safety" and not record.own}
    kept = {tuple(record.own.items()) for record in wrong if record.outcome == "none"}
    assert broken == {"figure_8", "four_terms", "one_message"}
    assert kept == {(("max_term", 3),), (("client_values", 1),)}
