"""Why a partition keeps what it acknowledged until somebody leads who lost a part of its log: lemmas that every step
preserves, for logs, epochs and runs of any length, without ELR and with it.

The story in short. An epoch has one leader, and the log of that leader is the log of that epoch: everybody else copies
it, and only it. A broker's own epoch is here the one that it *copied* last, not the one that it has heard of: until it
fetches from a new leader it has the log of an earlier one. The leader of an epoch counts for its high watermark the
ISR that it knows, and whom it has asked to let in. While its epoch is the newest, that is all of the registered ISR.
Once it is not, it lets nobody in any more; what it may still commit is what each of those it counts has fetched, or may
still fetch from it, and whoever may still do so has not learned of a later epoch. So whoever begins a later epoch, from
the registered ISR, has it, and everybody who copies that leader keeps it.

A broker that loses power is *damaged* if its log had more than the disk, until a leader asks to let it into the ISR
again. While it is down nothing is said of its log, though leaders count what it had fetched: it is fenced before it
runs again, which takes it out of the ISR unless it is the last there, and then nobody remembers what it had fetched.
So the damaged may be elected, but only as the last; once one of them leads (`damaged_led`), nothing is said any more.

With ELR the last in sync leaves the ISR, too, when it is fenced, and who left an ISR that became too small is eligible.
A leader whose ISR is too small commits nothing; one whose ISR was large enough counts everybody who may be elected
since. So whoever may be elected, from the ISR, from the ELR or as the last known leader, has what may be committed,
unless it is damaged. Who stopped uncleanly leaves both sets when it registers, so that a damaged one leads only as the
last known leader, once both are empty; and by then as many stopped uncleanly as min.insync.replicas says.

Every lemma is a predicate of one state. They hold at first, and where all hold each step keeps every one of them.
They are about `kafka_3_9` and `kafka_4_1` without disk losses, retries, reassignments and unclean elections, and with
`min_isr=2`; brokers lag, crash, lose power, are fenced while they run, shut down and moved as often as it comes. The
controller fences who crashed before it registers again, and the newest high watermark is on disk. Kafka 3.9 keeps
neither always:
with `register_unseen` (KAFKA-18106) `registered_leaders_may_lead` and `who_is_fenced_is_not_in_sync` are false, and
nothing is proved with it, with `fresh_checkpoint=false`, or of `kafka_3_9_zookeeper`.
"""

from __future__ import annotations

from ...language import lemma
from ...model.partition.state import *

# --- who leads in which epoch -----------------------------------------------------------------------------------------


@lemma
def nothing_is_switched_on(s: Partition) -> bool:
    """What this release does not have, or what does not go wrong here, is as at first."""
    return (
        (elr or (s.registered.last_known_leader is None and len(s.registered.elr) == 0))
        and (power_losses > 0 or not (s.damaged_led or any(broker in s.damaged for broker in Broker)))
        and s.assignment == Assignment(replicas=Set(Broker), adding=Set(), removing=Set())
        and not any(
            broker in s.gone
            or broker in s.relocated
            or broker in s.voters_down
            or broker in s.truncating
            or s.answer[broker] is not None
            for broker in Broker
        )
    )


@lemma
def registered_leaders_may_lead(s: Partition) -> bool:
    """Whom the controller has on record as leader is in the ISR, and not fenced; without ELR the ISR is never empty."""
    return (elr or any(broker in s.registered.isr for broker in Broker)) and all(
        broker in s.registered.isr and broker not in s.fenced for broker in Broker if s.registered.leader == broker
    )


@lemma
def who_is_fenced_is_not_in_sync(s: Partition) -> bool:
    """No fenced broker is in the ISR, unless it is the last one there, which without ELR stays."""
    return (len(s.registered.isr) == 1 and not elr) or not any(broker in s.registered.isr for broker in s.fenced)


@lemma
def eligible_leaders_make_up_for_the_isr(s: Partition) -> bool:
    """Who is in the ELR is not in the ISR, which has fewer members than min.insync.replicas."""
    return (len(s.registered.isr) < effective_min_isr() or len(s.registered.elr) == 0) and not any(
        broker in s.registered.isr and broker in s.registered.elr for broker in Broker
    )


@lemma
def who_led_last_is_known_while_nobody_leads(s: Partition) -> bool:
    """With ELR the last leader is on record once the ISR is empty, and only while nobody leads."""
    return (s.registered.leader is None or s.registered.last_known_leader is None) and (
        not elr
        or (
            (s.registered.leader is None) == (s.registered.last_known_leader is not None)
            and (s.registered.leader is None) == (len(s.registered.isr) == 0)
        )
    )


@lemma
def views_are_of_the_past(s: Partition) -> bool:
    """What a broker knows was registered: no later epoch, in the newest one its leader. Who is down knows nobody."""
    return all(
        s.view[broker].leader_epoch <= s.registered.leader_epoch
        and (s.view[broker].leader is None or broker in s.up)
        and (
            s.view[broker].leader is None
            or s.view[broker].leader_epoch < s.registered.leader_epoch
            or s.view[broker].leader == s.registered.leader
        )
        for broker in Broker
    )


@lemma
def an_epoch_has_one_leader(s: Partition) -> bool:
    """Two brokers that know of a leader of one epoch know the same."""
    return all(
        s.view[one].leader == s.view[other].leader
        for one in Broker
        for other in Broker
        if s.view[one].leader is not None
        and s.view[other].leader is not None
        and s.view[one].leader_epoch == s.view[other].leader_epoch
    )


def has_begun(s: Partition, epoch: int) -> bool:
    """Whether the leader of an epoch ever led it: that of the first did from the start."""
    return epoch == 0 or s.began[epoch]


@lemma
def leaders_begin_their_epoch(s: Partition) -> bool:
    """Who leads has begun its epoch; who is registered as leader of one that began leads it, or is down."""
    return all(has_begun(s, s.view[broker].leader_epoch) for broker in Broker if leads(s, broker)) and all(
        broker not in s.up or is_true_leader(s, broker)
        for broker in Broker
        if s.registered.leader == broker and has_begun(s, s.registered.leader_epoch)
    )


@lemma
def epochs_to_come_are_blank(s: Partition) -> bool:
    """What is remembered of an epoch that has not begun is nothing; that is so of those that are not registered yet."""
    return all(
        has_begun(s, epoch) or (len(s.leader_log[epoch]) == 0 and s.leader_committed[epoch] == 0)
        for epoch in range(max_leader_epoch + 1)
    ) and all(not s.began[epoch] for epoch in range(s.registered.leader_epoch + 1, max_leader_epoch + 1))


# --- the log of an epoch ----------------------------------------------------------------------------------------------


@lemma
def brokers_copy_epochs_that_began(s: Partition) -> bool:
    """The epoch that a broker copied last began, and is not later than the one that it knows a leader of."""
    return all(
        s.copied[broker] <= s.registered.leader_epoch
        and has_begun(s, s.copied[broker])
        and (s.view[broker].leader is None or s.copied[broker] <= s.view[broker].leader_epoch)
        for broker in Broker
    )


def is_in(s: Partition, record: Record, offset: int, epoch: int) -> bool:
    """Whether the log of an epoch has the record at the offset."""
    return offset < len(s.leader_log[epoch]) and s.leader_log[epoch][offset] == record


@lemma
def logs_are_copies(s: Partition) -> bool:
    """A broker's log is a beginning of the log of the epoch that it copied last."""
    return all(
        is_in(s, s.log[broker][offset], offset, s.copied[broker])
        for broker in Broker
        for offset in range(len(s.log[broker]))
    )


@lemma
def leaders_have_the_log_of_their_epoch(s: Partition) -> bool:
    """Who leads an epoch has all of its log."""
    return all(
        s.copied[broker] == s.view[broker].leader_epoch and len(s.log[broker]) == len(s.leader_log[s.copied[broker]])
        for broker in Broker
        if leads(s, broker)
    )


@lemma
def records_come_from_epochs_that_began(s: Partition) -> bool:
    """A record in the log of an epoch was written in that epoch or before, in one that began, at the same offset."""
    return all(
        s.leader_log[epoch][offset].epoch <= epoch
        and has_begun(s, s.leader_log[epoch][offset].epoch)
        and offset < len(s.leader_log[s.leader_log[epoch][offset].epoch])
        for epoch in range(max_leader_epoch + 1)
        for offset in range(len(s.leader_log[epoch]))
    )


@lemma
def epochs_grow_along_a_log(s: Partition) -> bool:
    """A later record is of the same epoch, or of a later one."""
    return all(
        s.leader_log[epoch][before].epoch <= s.leader_log[epoch][offset].epoch
        for epoch in range(max_leader_epoch + 1)
        for offset in range(len(s.leader_log[epoch]))
        for before in range(offset)
    )


@lemma
def a_record_comes_with_what_was_before_it(s: Partition) -> bool:
    """Logs of two epochs with a record of the same epoch at the same offset are the same up to there."""
    return all(
        s.leader_log[one][before] == s.leader_log[other][before]
        for one in range(max_leader_epoch + 1)
        for other in range(one)
        for offset in range(min(len(s.leader_log[one]), len(s.leader_log[other])))
        if s.leader_log[one][offset].epoch == s.leader_log[other][offset].epoch
        for before in range(offset + 1)
    )


@lemma
def records_are_where_they_were_written(s: Partition) -> bool:
    """A record was sent, and stands in every log at the offset and in the epoch in which it was written."""
    return all(
        s.leader_log[epoch][offset].id < s.sent
        and s.written_at[s.leader_log[epoch][offset].id] == offset
        and s.written_in[s.leader_log[epoch][offset].id] == s.leader_log[epoch][offset].epoch
        for epoch in range(max_leader_epoch + 1)
        for offset in range(len(s.leader_log[epoch]))
    )


@lemma
def records_are_in_the_order_of_their_numbers(s: Partition) -> bool:
    """A later record in the log of an epoch was sent later."""
    return all(
        s.leader_log[epoch][before].id < s.leader_log[epoch][offset].id
        for epoch in range(max_leader_epoch + 1)
        for offset in range(len(s.leader_log[epoch]))
        for before in range(offset)
    )


# --- who has lost a part of its log -----------------------------------------------------------------------------------


def is_cut(s: Partition, broker: Broker) -> bool:
    """Whether a broker is down, and has lost a part of its log."""
    return broker in s.damaged and broker not in s.up


@lemma
def who_leads_is_whole(s: Partition) -> bool:
    """Nobody leads who has lost a part of its log and has not caught up since, unless that is known."""
    return all(broker not in s.damaged for broker in Broker if leads(s, broker) and not s.damaged_led)


@lemma
def who_is_damaged_lost_something(s: Partition) -> bool:
    """Who has lost a part of its log and has not caught up since ever lost a part of it."""
    return all(broker in s.lossy for broker in s.damaged)


@lemma
def who_is_damaged_stopped_uncleanly(s: Partition) -> bool:
    """Who has lost a part of its log ever stopped uncleanly, and so did who is down and not fenced.

    With ELR it is the last time, if it is down and in the ISR or the ELR, until too many stopped so."""
    return all(
        broker in s.ever_unclean
        and (
            broker in s.up
            or broker in s.unclean
            or not (broker in s.registered.isr or broker in s.registered.elr)
            or not elr
            or len(s.ever_unclean) >= effective_min_isr()
        )
        for broker in s.damaged
    ) and all(
        (broker in s.up or broker in s.fenced or broker in s.unclean)
        and (broker not in s.unclean or (broker in s.ever_unclean and broker not in s.up))
        for broker in Broker
    )


@lemma
def enough_may_be_elected_or_stopped_uncleanly(s: Partition) -> bool:
    """With ELR, ISR, ELR and those that ever stopped uncleanly are as many as min.insync.replicas."""
    return not elr or (
        sum(
            1
            for broker in Broker
            if broker in s.registered.isr or broker in s.registered.elr or broker in s.ever_unclean
        )
        >= effective_min_isr()
    )


@lemma
def the_damaged_lead_once_too_many_stopped_uncleanly(s: Partition) -> bool:
    """With ELR, who has lost a part of its log and runs is in neither set, until so many stopped uncleanly."""
    return (
        not elr
        or len(s.ever_unclean) >= effective_min_isr()
        or not (
            s.damaged_led
            or any(
                broker in s.damaged
                and broker in s.up
                and (broker in s.registered.isr or broker in s.registered.elr or s.registered.leader == broker)
                for broker in Broker
            )
        )
    )


# --- who has fetched what ---------------------------------------------------------------------------------------------


@lemma
def leaders_know_what_was_fetched(s: Partition) -> bool:
    """Who has fetched from a leader has copied its epoch, or a later one; if no later one, it has what it fetched."""
    return all(
        s.fetch_offset[leader][follower] <= len(s.log[leader])
        for leader in Broker
        if leads(s, leader)
        for follower in Broker
    ) and all(
        is_cut(s, follower)
        or s.copied[follower] > s.view[leader].leader_epoch
        or (
            s.copied[follower] == s.view[leader].leader_epoch
            and offset < len(s.log[follower])
            and is_in(s, s.log[follower][offset], offset, s.copied[follower])
        )
        for leader in Broker
        if leads(s, leader)
        for follower in Broker
        if follower != leader
        for offset in range(s.fetch_offset[leader][follower])
    )


def asks_about(s: Partition, leader: Broker, broker: Broker) -> bool:
    """Whether a leader has asked for a change of the ISR that is about the broker."""
    request = s.request[leader]
    return request is not None and request.broker == broker


@lemma
def leaders_ask_about_others(s: Partition) -> bool:
    """No leader asks to be let in, or to be taken out."""
    return all(not asks_about(s, leader, leader) for leader in Broker)


def may_be_elected(s: Partition, broker: Broker) -> bool:
    """Whether the controller may elect a broker, now or later: it is in the ISR, in the ELR, or led last."""
    return broker in s.registered.isr or broker in s.registered.elr or s.registered.last_known_leader == broker


def has_enough(s: Partition, leader: Broker) -> bool:
    """Whether a leader knows of an ISR that is large enough for its high watermark to move."""
    return len(s.view[leader].isr) >= effective_min_isr()


@lemma
def who_is_let_in_caught_up(s: Partition) -> bool:
    """Whom a leader asks to let in has all of its log, or stopped uncleanly and is down, or has registered anew."""
    return all(
        broker not in s.damaged or broker in s.unclean
        for leader in Broker
        for broker in Broker
        if is_let_in(s, leader, broker)
    )


@lemma
def leaders_count_the_isr(s: Partition) -> bool:
    """Who leads the newest epoch, and moves its high watermark, counts everybody for it who may be elected."""
    return all(
        broker in maximal(s, leader) or broker == leader
        for leader in Broker
        if is_true_leader(s, leader) and has_enough(s, leader)
        for broker in Broker
        if may_be_elected(s, broker)
    )


def is_let_in(s: Partition, leader: Broker, broker: Broker) -> bool:
    """Whether a leader has asked to let the broker into the ISR, which has not registered anew since."""
    request = s.request[leader]
    return (
        request is not None
        and request.change == IsrChange.EXPAND
        and request.broker == broker
        and not request.restarted
    )


@lemma
def who_is_let_in_has_what_was_before(s: Partition) -> bool:
    """Whom the leader of the newest epoch asks to let in has all from before its epoch, and all that it committed."""
    return all(
        s.copied[broker] == s.registered.leader_epoch and offset < len(s.log[broker])
        for leader in Broker
        if is_true_leader(s, leader)
        for broker in Broker
        if is_let_in(s, leader, broker) and not is_cut(s, broker)
        for offset in range(len(s.log[leader]))
        if s.log[leader][offset].epoch < s.registered.leader_epoch
        or offset < s.leader_committed[s.registered.leader_epoch]
    )


# --- what is committed ------------------------------------------------------------------------------------------------


@lemma
def leaders_know_what_they_committed(s: Partition) -> bool:
    """What was committed in an epoch is in its log, and below the high watermark of who leads it."""
    return all(s.leader_committed[epoch] <= len(s.leader_log[epoch]) for epoch in range(max_leader_epoch + 1)) and all(
        s.leader_committed[s.view[leader].leader_epoch] <= s.high_watermark[leader]
        for leader in Broker
        if leads(s, leader)
    )


def may_fetch_on(s: Partition, leader: Broker, follower: Broker) -> bool:
    """Whether a broker follows that leader in that leader's epoch."""
    return s.view[follower].leader == leader and s.view[follower].leader_epoch == s.view[leader].leader_epoch


@lemma
def nobody_has_moved_on_in_vain(s: Partition) -> bool:
    """While enough follow a leader, all that it counts, no later epoch began, and it counts who may be elected."""
    return all(
        any(
            follower in maximal(s, leader) and follower != leader and not may_fetch_on(s, leader, follower)
            for follower in Broker
        )
        or (
            all(broker in maximal(s, leader) or broker == leader for broker in Broker if may_be_elected(s, broker))
            and all(not s.began[epoch] for epoch in range(s.view[leader].leader_epoch + 1, max_leader_epoch + 1))
        )
        for leader in Broker
        if leads(s, leader) and has_enough(s, leader)
    )


def may_commit(s: Partition, leader: Broker, offset: int) -> bool:
    """Whether all that a leader counts have fetched the record at the offset, or may still do so, and are enough."""
    return has_enough(s, leader) and all(
        follower == leader or s.fetch_offset[leader][follower] > offset or may_fetch_on(s, leader, follower)
        for follower in maximal(s, leader)
    )


def has_copy(s: Partition, broker: Broker, offset: int, epoch: int) -> bool:
    """Whether a broker has copied that epoch or a later one, and has the record of that epoch at the offset."""
    return s.copied[broker] >= epoch and offset < len(s.log[broker]) and is_in(s, s.log[broker][offset], offset, epoch)


def is_in_sync(s: Partition, broker: Broker, epoch: int) -> bool:
    """Whether a broker may be elected, or is in the ISR of somebody who leads a later epoch."""
    return may_be_elected(s, broker) or any(
        leads(s, leader) and s.view[leader].leader_epoch > epoch and broker in s.view[leader].isr for leader in Broker
    )


@lemma
def what_may_be_committed_is_kept(s: Partition) -> bool:
    """Who has fetched what its leader may still commit has it, and so has who is in sync and not counted for it."""
    return all(
        has_copy(s, broker, offset, s.view[leader].leader_epoch)
        for leader in Broker
        if leads(s, leader) and not s.damaged_led
        for broker in Broker
        if broker != leader
        for offset in range(len(s.log[leader]))
        if may_commit(s, leader, offset)
        and (
            s.fetch_offset[leader][broker] > offset and not is_cut(s, broker)
            if broker in maximal(s, leader)
            else is_in_sync(s, broker, s.view[leader].leader_epoch) and broker not in s.damaged
        )
    )


@lemma
def later_epochs_have_what_may_be_committed(s: Partition) -> bool:
    """The log of a later epoch that began has what a leader of an earlier one may still commit."""
    return all(
        is_in(s, s.log[leader][offset], offset, epoch)
        for leader in Broker
        if leads(s, leader) and not s.damaged_led
        for epoch in range(s.view[leader].leader_epoch + 1, max_leader_epoch + 1)
        if s.began[epoch]
        for offset in range(len(s.log[leader]))
        if may_commit(s, leader, offset)
    )


@lemma
def an_isr_has_what_is_committed(s: Partition) -> bool:
    """Who may be elected has what was committed in every epoch; who is in a leader's ISR, up to that one's own."""
    return all(
        has_copy(s, broker, offset, epoch)
        for broker in Broker
        if may_be_elected(s, broker) and broker not in s.damaged and not s.damaged_led
        for epoch in range(max_leader_epoch + 1)
        for offset in range(s.leader_committed[epoch])
    ) and all(
        has_copy(s, broker, offset, epoch)
        for leader in Broker
        if leads(s, leader) and not s.damaged_led
        for broker in s.view[leader].isr
        if broker not in s.damaged
        for epoch in range(s.view[leader].leader_epoch + 1)
        for offset in range(s.leader_committed[epoch])
    )


@lemma
def enough_brokers_have_what_is_committed(s: Partition) -> bool:
    """As many brokers as min.insync.replicas says have what was committed in an epoch."""
    return all(
        sum(1 for broker in Broker if broker in s.lossy or has_copy(s, broker, offset, epoch)) >= effective_min_isr()
        for epoch in range(max_leader_epoch + 1)
        if not s.damaged_led
        for offset in range(s.leader_committed[epoch])
    )


@lemma
def later_epochs_have_what_is_committed(s: Partition) -> bool:
    """The log of a later epoch that began has everything that was committed in an earlier one."""
    return all(
        offset < len(s.leader_log[epoch]) and is_in(s, s.leader_log[epoch][offset], offset, earlier)
        for epoch in range(max_leader_epoch + 1)
        if s.began[epoch] and not s.damaged_led
        for earlier in range(epoch)
        for offset in range(s.leader_committed[earlier])
    )


@lemma
def what_is_acknowledged_is_committed(s: Partition) -> bool:
    """Every acknowledged record was committed in the epoch in which it was written."""
    return all(
        s.written_at[id] < s.leader_committed[s.written_in[id]]
        and s.leader_log[s.written_in[id]][s.written_at[id]].id == id
        for id in s.acknowledged
    )


@lemma
def high_watermarks_are_committed(s: Partition) -> bool:
    """A broker has what is below its high watermark, and that was committed in no later epoch than it copied."""
    return all(
        s.high_watermark[broker] <= len(s.log[broker])
        and s.committed_by[broker] <= s.copied[broker]
        and (s.view[broker].leader is None or s.committed_by[broker] <= s.view[broker].leader_epoch)
        for broker in Broker
    ) and all(
        offset < s.leader_committed[s.committed_by[broker]]
        and offset < len(s.log[broker])
        and is_in(s, s.log[broker][offset], offset, s.committed_by[broker])
        for broker in Broker
        for offset in range(s.high_watermark[broker])
    )


@lemma
def what_was_ever_committed_was_so_in_an_epoch(s: Partition) -> bool:
    """All that was ever committed is in the log of the epoch in which the last of it was."""
    return all(
        offset < s.leader_committed[s.committed_in]
        and offset < len(s.leader_log[s.committed_in])
        and s.leader_log[s.committed_in][offset].id == s.committed[offset]
        for offset in range(len(s.committed))
        if not s.damaged_led
    ) and all(s.high_watermark[broker] <= len(s.committed) for broker in Broker)


@lemma
def what_was_read_is_committed(s: Partition) -> bool:
    """Consumers read what was committed, where it was."""
    return all(
        offset < len(s.committed) and s.committed[offset] == id
        for offset in range(log_size + 1)
        if not s.damaged_led
        for id in s.read[offset]
    )
