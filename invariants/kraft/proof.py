"""Why KRaft keeps its promises, for epochs and logs of any length: lemmas that every step keeps.

The argument is Raft's, for a protocol that pulls. An epoch has one leader, since a majority voted for it and nobody
votes twice. The log of that leader is the log of that epoch: whoever has a record of the epoch copied it from there,
with all before it. A fetch acknowledges what is before its offset, if the leader finds it in its log. Say that a record
of an epoch is *choosable* while a majority of voters has acknowledged it in that epoch, or is not beyond the epoch yet
and may still do so. It never becomes choosable again. A choosable record is on whoever acknowledged it, and in the log
of every later leader: among those that voted for that leader is one that acknowledged the record, or never will, and it
voted for no log behind its own. What is below a leader's high watermark was choosable, because the high watermark is
past the start of its epoch. So later leaders have it, and a follower that truncates its log where its leader's
parts from it keeps it.

Every lemma is a predicate of one state. They hold at first, and where all hold each step keeps every one of them. They
are about KRaft with an exchange in one step, without snapshots and with disks that keep what they are given: the
profile `kip595`, and with pre-votes `kip996`: a prospective voter keeps its epoch, its leader and its vote meanwhile.
What must hold of the protocol follows from them, state by state.
"""

from __future__ import annotations

from ...language import Set, is_majority, lemma
from ...model.kraft.quorum import Broker, LogEnd, Quorum, Role, Voter, last_epoch, max_epoch, pre_vote

# --- votes ------------------------------------------------------------------------------------------------------------


def is_prospective(s: Quorum, voter: Voter) -> bool:
    """Whether a voter asks for pre-votes. It keeps its epoch, its leader and its vote meanwhile."""
    return pre_vote and s.election[voter].role == Role.PROSPECTIVE


def stands(s: Quorum, voter: Voter) -> bool:
    """Whether a voter is a candidate in its epoch, or was when it began to ask for pre-votes for the next one."""
    return s.election[voter].role == Role.CANDIDATE or (
        is_prospective(s, voter) and s.election[voter].leader is None and s.election[voter].voted_for == voter
    )


def has_voted(s: Quorum, voter: Voter) -> bool:
    """Whether a voter has voted for another in its epoch; it may ask for pre-votes for the next one meanwhile."""
    return s.election[voter].role == Role.VOTED or (
        is_prospective(s, voter)
        and s.election[voter].leader is None
        and s.election[voter].voted_for is not None
        and s.election[voter].voted_for != voter
    )


@lemma
def roles_know_what_befits_them(s: Quorum) -> bool:
    """Who stands has voted for itself and knows no leader; a follower knows one, and a leader that it is the one."""
    return all(
        (pre_vote or s.election[voter].role != Role.PROSPECTIVE)
        and s.election[voter].role != Role.ILLEGAL
        and (s.election[voter].role == Role.CANDIDATE or is_prospective(s, voter) or len(s.election[voter].votes) == 0)
        and (not is_prospective(s, voter) or voter in s.election[voter].votes)
        and (
            s.election[voter].role != Role.CANDIDATE
            or (s.election[voter].leader is None and s.election[voter].voted_for == voter)
        )
        and (s.election[voter].role != Role.FOLLOWER or s.election[voter].leader is not None)
        and (s.election[voter].role != Role.LEADER or s.election[voter].leader == voter)
        and (s.election[voter].role != Role.RESIGNED or s.election[voter].leader == voter)
        and (s.election[voter].leader is None or s.election[voter].voted_for is None)
        and (s.election[voter].role != Role.UNATTACHED or s.election[voter].leader is None)
        and (s.election[voter].role != Role.VOTED or s.election[voter].leader is None)
        and (s.election[voter].role != Role.UNATTACHED or s.election[voter].voted_for is None)
        for voter in Voter
    )


@lemma
def who_voted_for_itself_stands(s: Quorum) -> bool:
    """Who knows no leader, and has voted, voted for another, or stands."""
    return all(
        s.election[voter].leader is not None or s.election[voter].voted_for != voter or stands(s, voter)
        for voter in Voter
    )


@lemma
def ballots_are_remembered(s: Quorum) -> bool:
    """Nobody voted in a later epoch than it is in; while it knows no leader, its ballot is whom it voted for."""
    return all(
        (
            s.election[voter].leader is not None
            or s.ballots[s.election[voter].epoch][voter] is None
            or s.ballots[s.election[voter].epoch][voter] == s.election[voter].voted_for
        )
        and (not has_voted(s, voter) or s.ballots[s.election[voter].epoch][voter] == s.election[voter].voted_for)
        and all(s.ballots[epoch][voter] is None for epoch in range(s.election[voter].epoch + 1, max_epoch + 1))
        for voter in Voter
    )


@lemma
def votes_are_for_who_asked(s: Quorum) -> bool:
    """Nobody votes in epoch 0, and only for one whose log it was shown."""
    return all(s.ballots[0][voter] is None for voter in Voter) and all(
        s.asked[epoch][candidate] is not None
        for epoch in range(1, max_epoch + 1)
        for voter in Voter
        for candidate in Voter
        if s.ballots[epoch][voter] == candidate
    )


@lemma
def who_asked_is_in_that_epoch(s: Quorum) -> bool:
    """Who was given a vote in an epoch is in it or beyond it; in epoch 0 nobody was."""
    return all(
        0 < epoch <= s.election[candidate].epoch
        for epoch in range(max_epoch + 1)
        for candidate in Voter
        if s.asked[epoch][candidate] is not None
    )


@lemma
def candidates_count_their_votes(s: Quorum) -> bool:
    """A candidate counts itself and votes that it was given, and its log is as when it asked for them."""
    return all(
        s.election[candidate].epoch > 0
        and last_epoch(s, candidate) < s.election[candidate].epoch
        and (
            s.asked[s.election[candidate].epoch][candidate] is None
            or s.asked[s.election[candidate].epoch][candidate]
            == LogEnd(end=len(s.log[candidate]), epoch=last_epoch(s, candidate))
        )
        and (
            is_prospective(s, candidate)
            or all(
                voter == candidate or s.ballots[s.election[candidate].epoch][voter] == candidate
                for voter in s.election[candidate].votes
            )
        )
        for candidate in Voter
        if stands(s, candidate)
    )


@lemma
def a_majority_elects(s: Quorum) -> bool:
    """Who led an epoch has the votes of a majority in it, its own too."""
    return s.elected[0] is None and all(
        s.ballots[epoch][leader] == leader
        and is_majority(Set(voter for voter in Voter if s.ballots[epoch][voter] == leader))
        for epoch in range(1, max_epoch + 1)
        for leader in Voter
        if s.elected[epoch] == leader
    )


@lemma
def an_epoch_is_won_once(s: Quorum) -> bool:
    """Where somebody leads, or led, those that voted for another or may still do so are no majority."""
    return all(
        not is_majority(
            Set(voter for voter in Voter if s.ballots[epoch][voter] is None or s.ballots[epoch][voter] == other)
        )
        for epoch in range(1, max_epoch + 1)
        for other in Voter
        if s.elected[epoch] is not None and s.elected[epoch] != other
    )


@lemma
def a_majority_is_in_the_epoch_of_a_leader(s: Quorum) -> bool:
    """Where somebody leads, or led, a majority is in that epoch or beyond it."""
    return all(
        is_majority(Set(voter for voter in Voter if s.election[voter].epoch >= epoch))
        for epoch in range(1, max_epoch + 1)
        if s.elected[epoch] is not None
    )


@lemma
def leaders_know_that_they_were_elected(s: Quorum) -> bool:
    """Who was elected for an epoch is in it, and knows that it leads or led it, or is beyond it."""
    return all(
        s.election[leader].epoch > epoch or (s.election[leader].epoch == epoch and s.election[leader].leader == leader)
        for epoch in range(max_epoch + 1)
        for leader in Voter
        if s.elected[epoch] == leader
    )


@lemma
def everybody_knows_the_leader_of_its_epoch(s: Quorum) -> bool:
    """Whom a voter takes for the leader of its epoch was elected for it."""
    return all(
        s.elected[s.election[voter].epoch] == leader
        for voter in Voter
        for leader in Voter
        if s.election[voter].leader == leader
    )


# --- the log of an epoch ----------------------------------------------------------------------------------------------


@lemma
def epochs_without_a_leader_are_blank(s: Quorum) -> bool:
    """Of an epoch that nobody led, nothing is remembered."""
    return all(
        len(s.leader_log[epoch]) == 0 and s.counted[epoch] == 0
        for epoch in range(max_epoch + 1)
        if s.elected[epoch] is None
    )


def is_of_epoch(s: Quorum, epoch: int, o: int) -> bool:
    """Whether the log of an epoch has at an offset a record that was written in that epoch."""
    return o < len(s.leader_log[epoch]) and s.leader_log[epoch][o].epoch == epoch


@lemma
def records_of_an_epoch_are_in_its_log(s: Quorum) -> bool:
    """A record in an epoch's log is of that epoch or an earlier one, whose leader wrote it at the same offset."""
    return all(
        1 <= s.leader_log[epoch][o].epoch <= epoch
        and s.elected[s.leader_log[epoch][o].epoch] is not None
        and is_of_epoch(s, s.leader_log[epoch][o].epoch, o)
        for epoch in range(max_epoch + 1)
        for o in range(len(s.leader_log[epoch]))
    )


@lemma
def epochs_grow_along_an_epochs_log(s: Quorum) -> bool:
    """A later record of an epoch's log is of the same epoch, or of a later one."""
    return all(
        s.leader_log[epoch][before].epoch <= s.leader_log[epoch][o].epoch
        for epoch in range(max_epoch + 1)
        for o in range(len(s.leader_log[epoch]))
        for before in range(o)
    )


@lemma
def a_record_of_an_epoch_comes_with_all_before_it(s: Quorum) -> bool:
    """Up to a record, an epoch's log is that of the epoch in which the record was written."""
    return all(
        before < len(s.leader_log[s.leader_log[epoch][o].epoch])
        and s.leader_log[epoch][before] == s.leader_log[s.leader_log[epoch][o].epoch][before]
        for epoch in range(max_epoch + 1)
        for o in range(len(s.leader_log[epoch]))
        for before in range(o + 1)
    )


@lemma
def records_are_in_the_log_of_their_epoch(s: Quorum) -> bool:
    """A voter's record is of its epoch or an earlier one, of an earlier one on a candidate, and was a leader's."""
    return all(
        1 <= s.log[voter][o].epoch <= s.election[voter].epoch
        and (not stands(s, voter) or s.log[voter][o].epoch < s.election[voter].epoch)
        and s.elected[s.log[voter][o].epoch] is not None
        and is_of_epoch(s, s.log[voter][o].epoch, o)
        for voter in Voter
        for o in range(len(s.log[voter]))
    )


@lemma
def epochs_grow_along_a_log(s: Quorum) -> bool:
    """A voter's later record is of the same epoch, or of a later one."""
    return all(
        s.log[voter][before].epoch <= s.log[voter][o].epoch
        for voter in Voter
        for o in range(len(s.log[voter]))
        for before in range(o)
    )


@lemma
def a_record_comes_with_all_before_it(s: Quorum) -> bool:
    """Up to a record, a voter's log is that of the epoch in which the record was written."""
    return all(
        before < len(s.leader_log[s.log[voter][o].epoch])
        and s.log[voter][before] == s.leader_log[s.log[voter][o].epoch][before]
        for voter in Voter
        for o in range(len(s.log[voter]))
        for before in range(o + 1)
    )


@lemma
def leaders_have_the_log_of_their_epoch(s: Quorum) -> bool:
    """A leader's log is that of its epoch, which it began; it acknowledges all of it."""
    return all(
        len(s.log[leader]) == len(s.leader_log[s.election[leader].epoch])
        and len(s.log[leader]) == s.acknowledged[s.election[leader].epoch][leader]
        and all(
            o < len(s.leader_log[s.election[leader].epoch])
            and s.log[leader][o] == s.leader_log[s.election[leader].epoch][o]
            for o in range(len(s.log[leader]))
        )
        for leader in Voter
        if s.election[leader].role == Role.LEADER
    )


# --- what was acknowledged --------------------------------------------------------------------------------------------


@lemma
def acknowledgements_are_of_the_log(s: Quorum) -> bool:
    """A voter acknowledges what is in the log of an epoch that it is in or beyond."""
    return all(
        s.acknowledged[epoch][voter] <= len(s.leader_log[epoch])
        and (s.acknowledged[epoch][voter] == 0 or epoch <= s.election[voter].epoch)
        for epoch in range(max_epoch + 1)
        for voter in Voter
    )


@lemma
def leaders_know_what_was_acknowledged(s: Quorum) -> bool:
    """A leader takes no follower to have fetched more than it acknowledged, and who does not lead knows of none."""
    return all(
        s.election[leader].fetched_to[voter] <= s.acknowledged[s.election[leader].epoch][voter]
        if s.election[leader].role == Role.LEADER
        else s.election[leader].fetched_to[voter] == 0
        for leader in Voter
        for voter in Voter
    )


@lemma
def who_acknowledged_in_its_epoch_has_it(s: Quorum) -> bool:
    """What a voter acknowledged in the epoch it is in, it has."""
    return all(
        o < len(s.log[voter])
        and o < len(s.leader_log[s.election[voter].epoch])
        and s.log[voter][o] == s.leader_log[s.election[voter].epoch][o]
        for voter in Voter
        for o in range(s.acknowledged[s.election[voter].epoch][voter])
    )


def is_choosable(s: Quorum, epoch: int, o: int) -> bool:
    """Whether a majority has acknowledged the log of an epoch up to a record, or may still do so."""
    return is_majority(Set(at for at in Voter if s.acknowledged[epoch][at] > o or s.election[at].epoch <= epoch))


@lemma
def who_acknowledged_has_what_is_choosable(s: Quorum) -> bool:
    """A choosable record is in the log of every voter that acknowledged it."""
    return all(
        o < len(s.log[voter]) and s.log[voter][o].epoch == epoch
        for epoch in range(max_epoch + 1)
        for voter in Voter
        for o in range(s.acknowledged[epoch][voter])
        if is_of_epoch(s, epoch, o) and is_choosable(s, epoch, o)
    )


@lemma
def later_epochs_have_what_is_choosable(s: Quorum) -> bool:
    """A choosable record is in the log of every later epoch that has a leader."""
    return all(
        o < len(s.leader_log[later]) and s.leader_log[later][o].epoch == epoch
        for later in range(max_epoch + 1)
        if s.elected[later] is not None
        for epoch in range(later)
        for o in range(len(s.leader_log[epoch]))
        if is_of_epoch(s, epoch, o) and is_choosable(s, epoch, o)
    )


@lemma
def a_log_that_is_not_behind_has_what_is_choosable(s: Quorum) -> bool:
    """Whose log is not behind one that ends with a choosable record has that record."""
    return all(
        o < len(s.log[voter]) and s.log[voter][o].epoch == epoch
        for voter in Voter
        for epoch in range(max_epoch + 1)
        for o in range(len(s.leader_log[epoch]))
        if is_of_epoch(s, epoch, o) and is_choosable(s, epoch, o)
        if last_epoch(s, voter) > epoch or (last_epoch(s, voter) == epoch and len(s.log[voter]) > o)
    )


def asked_with(s: Quorum, later: int, candidate: Voter, epoch: int, o: int) -> bool:
    """Whether the log with which a voter asked for votes was not behind one that ends with that record."""
    end = s.asked[later][candidate]
    return end is not None and (end.epoch > epoch or (end.epoch == epoch and end.end > o))


@lemma
def votes_are_for_logs_with_what_is_choosable(s: Quorum) -> bool:
    """Who acknowledged a choosable record votes later only for a log that is not behind it."""
    return all(
        asked_with(s, later, candidate, epoch, o)
        for later in range(max_epoch + 1)
        for candidate in Voter
        for voter in Voter
        if s.ballots[later][voter] == candidate
        for epoch in range(later)
        for o in range(s.acknowledged[epoch][voter])
        if is_of_epoch(s, epoch, o) and is_choosable(s, epoch, o)
    )


# --- what is committed ------------------------------------------------------------------------------------------------


@lemma
def a_majority_acknowledged_what_was_counted(s: Quorum) -> bool:
    """What is below a leader's high watermark ends with a record of its epoch, and a majority acknowledged it."""
    return all(
        is_of_epoch(s, epoch, s.counted[epoch] - 1)
        and is_majority(Set(at for at in Voter if s.acknowledged[epoch][at] >= s.counted[epoch]))
        for epoch in range(max_epoch + 1)
        if s.counted[epoch] > 0
    )


@lemma
def later_epochs_have_what_was_counted(s: Quorum) -> bool:
    """What was counted in an epoch is in the log of every later one that has a leader."""
    return all(
        o < len(s.leader_log[epoch])
        and o < len(s.leader_log[later])
        and s.leader_log[later][o] == s.leader_log[epoch][o]
        for later in range(max_epoch + 1)
        if s.elected[later] is not None
        for epoch in range(later)
        for o in range(s.counted[epoch])
    )


@lemma
def a_leaders_high_watermark_is_what_it_counted(s: Quorum) -> bool:
    """A leader's high watermark is what is remembered of its epoch."""
    return all(
        s.high_watermark[leader] == s.counted[s.election[leader].epoch]
        for leader in Voter
        if s.election[leader].role == Role.LEADER
    )


@lemma
def high_watermarks_were_counted(s: Quorum) -> bool:
    """A voter's high watermark is within its log, and was counted in its epoch or an earlier one."""
    return all(
        s.counted_in[voter] <= s.election[voter].epoch
        and s.high_watermark[voter] <= len(s.log[voter])
        and s.high_watermark[voter] <= s.counted[s.counted_in[voter]]
        for voter in Voter
    )


@lemma
def who_has_a_high_watermark_has_what_was_counted(s: Quorum) -> bool:
    """What is below a voter's high watermark is as in the log of the epoch that counted it."""
    return all(
        o < len(s.log[voter])
        and o < len(s.leader_log[s.counted_in[voter]])
        and s.log[voter][o] == s.leader_log[s.counted_in[voter]][o]
        for voter in Voter
        for o in range(s.high_watermark[voter])
    )


@lemma
def committed_records_were_counted(s: Quorum) -> bool:
    """What is committed is what was counted in the epoch that counted most, and what it has in its log."""
    return (
        all(s.counted[epoch] <= len(s.committed) for epoch in range(max_epoch + 1))
        and len(s.committed) == s.counted[s.committed_in]
        and all(
            o < len(s.leader_log[s.committed_in]) and s.committed[o] == s.leader_log[s.committed_in][o]
            for o in range(len(s.committed))
        )
    )


@lemma
def there_is_nothing_else(s: Quorum) -> bool:
    """Nobody takes snapshots, no disk is replaced, there is no clock, and brokers are not looked at."""
    return (
        all(s.snapshot[voter] == 0 and s.log_start[voter] == 0 and s.led_for[voter] == 0 for voter in Voter)
        and all(s.disk[voter] == 1 for voter in Voter)
        and all(len(s.applied[broker]) == 0 for broker in Broker)
    )


@lemma
def logs_have_room(s: Quorum) -> bool:
    """A log has no more records than clients wrote and epochs have begun."""
    return all(len(s.log[voter]) <= s.written + s.election[voter].epoch for voter in Voter) and all(
        len(s.leader_log[epoch]) <= s.written + epoch for epoch in range(max_epoch + 1)
    )


# --- in every step ----------------------------------------------------------------------------------------------------


@lemma
def a_high_watermark_never_goes_back(before: Quorum, after: Quorum) -> bool:
    """What an epoch's leader has counted stays; a voter's high watermark never goes back, but to unknown."""
    return all(before.counted[epoch] <= after.counted[epoch] for epoch in range(max_epoch + 1)) and all(
        after.high_watermark[voter] >= before.high_watermark[voter] or after.high_watermark[voter] == 0
        for voter in Voter
    )
