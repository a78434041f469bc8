"""What must hold of a partition, what must never happen in one step, and what must be possible.

Kafka's promise is conditional, and so are these. A record is *acknowledged* once its producer may count on it, and
*committed* once it was below the high watermark of a broker that led, so that a consumer may have read it. With
`acks=all` and clean elections both are kept while fewer than `min.insync.replicas` brokers lose a part of their log,
if unclean stops are distinguished (ELR). Bounds beyond that break them, which is not a bug: see `spec/partition.toml`.

What Kafka does not promise stands below as something that must be *possible*: a leader whose own high watermark is
behind what was committed, and an error for a record that is committed all the same.

The names are those of Jason Gustafson's and Jack Vanlightly's specifications. Wherever brokers may lose parts of their
logs, "all members of the ISR" means those that have not; a broker that deletes its copy in a reassignment has lost it.
"""

from __future__ import annotations

from ...language import invariant, reachable, transition
from ...model.partition.broker import counted_brokers, epoch_start, is_current
from ...model.partition.state import *

# --- in every state: records ----------------------------------------------------------------------------------------


@invariant
def acknowledged_kept(s: Partition) -> bool:
    """Whatever the producer waited for: the leader holds every record that was acknowledged."""
    return all(
        any(record.id == id for record in s.log[leader])
        for leader in Broker
        if is_true_leader(s, leader)
        for id in s.acknowledged
    )


@invariant
def leader_completeness(s: Partition) -> bool:
    """With acks=all: the leader holds every record that was acknowledged."""
    return acks != Acks.ALL or all(
        any(record.id == id for record in s.log[leader])
        for leader in Broker
        if is_true_leader(s, leader)
        for id in s.acknowledged
    )


@invariant
def complete_unless_the_damaged_lead(s: Partition) -> bool:
    """With acks=all the leader holds what was acknowledged, unless somebody led with a part of its log lost.

    Lost, and not caught up with a leader since: the last replica in sync, or the last known leader."""
    return acks != Acks.ALL or all(
        any(record.id == id for record in s.log[leader])
        for leader in Broker
        if is_true_leader(s, leader) and not s.damaged_led
        for id in s.acknowledged
    )


@invariant
def complete_unless_too_many_stop_uncleanly(s: Partition) -> bool:
    """With ELR the leader holds what was acknowledged while fewer than min.insync.replicas stopped uncleanly.

    KIP-966."""
    return not (elr and acks == Acks.ALL) or all(
        any(record.id == id for record in s.log[leader])
        for leader in Broker
        if is_true_leader(s, leader) and len(s.ever_unclean) < effective_min_isr()
        for id in s.acknowledged
    )


@invariant
def reads_stay_unless_the_damaged_lead(s: Partition) -> bool:
    """And then it holds what consumers may have read, where they have read it."""
    return all(
        offset < len(s.log[leader]) and s.log[leader][offset].id == id
        for leader in Broker
        if is_true_leader(s, leader) and not s.damaged_led
        for offset in range(log_size)
        for id in s.read[offset]
    )


@invariant
def candidates_are_complete_unless_the_damaged_lead(s: Partition) -> bool:
    """And then whoever may be elected cleanly, and lost nothing since it caught up, has all that was committed.

    Whether it runs or not."""
    return all(
        has_all_committed(s, broker) for broker in may_be_elected(s) if broker not in s.damaged and not s.damaged_led
    )


@invariant
def acked_durable(s: Partition) -> bool:
    """Every record that was acknowledged is in the log of some broker."""
    return all(any(record.id == id for broker in Broker for record in s.log[broker]) for id in s.acknowledged)


@invariant
def consistent_read(s: Partition) -> bool:
    """The leader holds what consumers may have read, where they have read it."""
    return all(
        offset < len(s.log[leader]) and s.log[leader][offset].id == id
        for leader in Broker
        if is_true_leader(s, leader)
        for offset in range(log_size)
        for id in s.read[offset]
    )


@invariant
def reads_below_high_watermark(s: Partition) -> bool:
    """No record is read before it is committed."""
    return all(
        offset < len(s.committed) and s.committed[offset] == id for offset in range(log_size) for id in s.read[offset]
    )


@invariant
def listed_end_complete(s: Partition) -> bool:
    """A leader that gives consumers the end of the log (ListOffsets) names no offset below what was committed."""
    return all(
        s.high_watermark[leader] >= len(s.committed)
        for leader in Broker
        if is_true_leader(s, leader)
        if not await_high_watermark or s.high_watermark[leader] >= epoch_start(s, leader)
    )


@invariant
def offset_in_range(s: Partition) -> bool:
    """No broker that a consumer trusts answers that an offset it has read is out of range, so that it begins anew."""
    return all(
        offset < len(s.log[broker])
        for broker in Broker
        if is_true_leader(s, broker) or (follower_reads and not reset_at_leader and follows_true_leader(s, broker))
        for offset in range(log_size)
        for _ in s.read[offset]
    )


def follows_true_leader(s: Partition, broker: Broker) -> bool:
    """Whether it runs, and follows the leader of the newest epoch."""
    leader = s.view[broker].leader
    newest = s.view[broker].leader_epoch == s.registered.leader_epoch
    return broker in s.up and newest and leader is not None and leader != broker


@invariant
def preferred_replica_complete(s: Partition) -> bool:
    """Whomever a leader sends consumers to (KIP-392) has all that was committed: with what lags, they would stay."""
    return not follower_reads or all(
        has_all_committed(s, broker)
        for leader in Broker
        if is_current(s, leader)
        for broker in s.up
        if broker != leader and broker in (s.view[leader].isr if prefer_in_sync else s.assignment.replicas)
    )


@invariant
def no_duplicate(s: Partition) -> bool:
    """No log has a producer's record twice."""
    return all(
        s.log[broker][offset].id != s.log[broker][before].id
        for broker in Broker
        for offset in range(len(s.log[broker]))
        for before in range(offset)
    )


@invariant
def producer_order(s: Partition) -> bool:
    """Records stand in the order in which they were sent (a record that is there twice has an order, too)."""
    return all(
        s.log[broker][before].id <= s.log[broker][offset].id
        for broker in Broker
        for offset in range(len(s.log[broker]))
        for before in range(offset)
    )


# --- in every state: logs -------------------------------------------------------------------------------------------


@invariant
def committed_log_matching(s: Partition) -> bool:
    """Two logs are the same below both high watermarks."""
    return all(
        s.log[one][offset] == s.log[other][offset]
        for one in Broker
        for other in Broker
        for offset in range(min(s.high_watermark[one], s.high_watermark[other]))
    )


@invariant
def log_matching(s: Partition) -> bool:
    """Two logs with a record of the same epoch at the same offset are the same up to there."""
    return all(
        s.log[one][before] == s.log[other][before]
        for one in Broker
        for other in Broker
        for offset in range(min(len(s.log[one]), len(s.log[other])))
        if s.log[one][offset].epoch == s.log[other][offset].epoch
        for before in range(offset + 1)
    )


@invariant
def weak_isr(s: Partition) -> bool:
    """Every member of the ISR that a leader knows holds the leader's records below its high watermark."""
    return all(
        has_same_record(s, leader, broker, offset)
        for leader in Broker
        if leads(s, leader)
        for broker in s.view[leader].isr
        if broker not in s.lossy
        for offset in range(s.high_watermark[leader])
    )


@invariant
def strong_isr(s: Partition) -> bool:
    """Every member of the registered ISR holds the records of each leader below its high watermark."""
    return all(
        has_same_record(s, leader, broker, offset)
        for leader in Broker
        if leads(s, leader)
        for broker in s.registered.isr
        if broker not in s.lossy
        for offset in range(s.high_watermark[leader])
    )


def has_same_record(s: Partition, leader: Broker, broker: Broker, offset: int) -> bool:
    """Whether a broker has the leader's record at the offset."""
    return offset < len(s.log[broker]) and s.log[leader][offset] == s.log[broker][offset]


@invariant
def counted_log_matches(s: Partition) -> bool:
    """A follower of the newest epoch that has truncated, and is counted for offsets, has no other records there."""
    return all(
        s.log[leader][offset] == s.log[follower][offset]
        for leader in Broker
        if is_true_leader(s, leader)
        for follower in s.up
        if follower not in s.truncating and follows_true_leader(s, follower)
        for offset in range(min(s.fetch_offset[leader][follower], len(s.log[leader]), len(s.log[follower])))
    )


@invariant
def leader_candidate_completeness(s: Partition) -> bool:
    """Every running broker that may be elected cleanly holds every record that was committed."""
    return all(has_all_committed(s, broker) for broker in may_be_elected(s) & s.up)


def may_be_elected(s: Partition) -> Set[Broker]:
    """The brokers of the ISR and the ELR that hold a copy, or are to hold one: no other is elected from there."""
    return (s.registered.isr | s.registered.elr) & s.assignment.replicas


def has_all_committed(s: Partition, broker: Broker) -> bool:
    """Whether its log begins with all that was ever committed."""
    return all(
        offset < len(s.log[broker]) and s.log[broker][offset].id == s.committed[offset]
        for offset in range(len(s.committed))
    )


@invariant
def min_isr_copies(s: Partition) -> bool:
    """Of every committed record min.insync.replicas brokers have a copy, or have lost it."""
    return all(
        sum(
            1
            for broker in Broker
            if broker in s.lossy or (offset < len(s.log[broker]) and s.log[broker][offset].id == s.committed[offset])
        )
        >= effective_min_isr()
        for offset in range(len(s.committed))
    )


@invariant
def unclean_exclusion(s: Partition) -> bool:
    """A broker that runs again without all it had is in neither the ISR nor the ELR."""
    return all(has_all_committed(s, broker) for broker in may_be_elected(s) & s.up if broker in s.lossy)


# --- in every state: the ISR, the ELR, and who leads ----------------------------------------------------------------


@invariant
def type_ok(s: Partition) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def leader_in_isr(s: Partition) -> bool:
    """The registered leader, if any, is in the ISR."""
    return s.registered.leader is None or s.registered.leader in s.registered.isr


@invariant
def replication_quorum_superset(s: Partition) -> bool:
    """Every broker that may be elected counts for the high watermark of the leader of the newest epoch."""
    return all(
        s.registered.isr | s.registered.elr <= counted_brokers(s, leader)
        and (
            s.request[leader] is not None or not is_current(s, leader) or counted_brokers(s, leader) == s.registered.isr
        )
        for leader in Broker
        if is_true_leader(s, leader) and len(s.registered.isr) >= effective_min_isr() and not passes(s)
    )


@invariant
def valid_high_watermark(s: Partition) -> bool:
    """No member of the registered ISR is behind the high watermark of the leader of the newest epoch."""
    return all(
        offset < len(s.log[broker])
        for leader in Broker
        if is_true_leader(s, leader)
        for broker in s.registered.isr
        if broker not in s.lossy
        for offset in range(s.high_watermark[leader])
    )


@invariant
def recovery_knows_whom(s: Partition) -> bool:
    """With ELR, and once no broker may be elected cleanly, the last known leader is recorded."""
    return not elr or len(s.registered.isr | s.registered.elr) > 0 or s.registered.last_known_leader is not None


@invariant
def valid_isr_and_elr(s: Partition) -> bool:
    """No broker is in both the ISR and the ELR, and the ELR is empty while the ISR has min.isr members."""
    return len(s.registered.isr & s.registered.elr) == 0 and (
        len(s.registered.isr) < effective_min_isr() or len(s.registered.elr) == 0 or passes(s)
    )


@invariant
def isr_unfenced(s: Partition) -> bool:
    """No fenced broker is in the ISR, unless it is the only member."""
    return len(s.registered.isr) == 1 or len(s.registered.isr & s.fenced) == 0


@invariant
def leader_unfenced(s: Partition) -> bool:
    """The registered leader is not fenced."""
    return s.registered.leader is None or s.registered.leader not in s.fenced


@invariant
def one_leader_per_epoch(s: Partition) -> bool:
    """No two brokers lead in the same epoch."""
    return all(
        one == other or s.view[one].leader_epoch != s.view[other].leader_epoch
        for one in Broker
        if leads(s, one)
        for other in Broker
        if leads(s, other)
    )


@invariant
def metadata_is_of_the_past(s: Partition) -> bool:
    """What a broker knows was registered once: no later epoch, and in the newest one its leader."""
    return all(
        s.view[broker].leader_epoch < s.registered.leader_epoch
        or (s.view[broker].leader_epoch == s.registered.leader_epoch and s.view[broker].leader == s.registered.leader)
        for broker in Broker
        if s.view[broker].leader is not None
    )


# --- in every step --------------------------------------------------------------------------------------------------


@transition
def true_high_watermark_never_decreases(before: Partition, after: Partition) -> bool:
    """A running broker that is elected holds all that was committed."""
    return after.registered.leader_epoch == before.registered.leader_epoch or all(
        has_all_committed(after, leader) for leader in after.up if after.registered.leader == leader
    )


@transition
def joins_with_all_committed(before: Partition, after: Partition) -> bool:
    """A running broker that joins the ISR holds all that was committed, even if the leader's own mark lags."""
    return after.registered.leader_epoch != before.registered.leader_epoch or all(
        has_all_committed(after, broker) for broker in (after.registered.isr - before.registered.isr) & after.up
    )


@transition
def no_truncation_below_true_high_watermark(before: Partition, after: Partition) -> bool:
    """No broker that may be elected truncates a committed record."""
    return all(
        offset < len(after.log[broker])
        for broker in may_be_elected(before) & before.up & after.up
        for offset in range(min(len(before.log[broker]), len(before.committed)))
    )


@transition
def epochs_never_decrease(before: Partition, after: Partition) -> bool:
    """No leader epoch goes back, neither the registered one nor what a running broker knows."""
    return after.registered.leader_epoch >= before.registered.leader_epoch and all(
        after.view[broker].leader_epoch >= before.view[broker].leader_epoch for broker in before.up & after.up
    )


@transition
def isr_grows_by_true_leader(before: Partition, after: Partition) -> bool:
    """Only its leader, knowing the ISR as it is, lets anybody join it; elections may make one its only member."""
    return (
        after.registered.isr <= before.registered.isr
        or after.registered.leader != before.registered.leader
        or any(is_current(before, leader) for leader in Broker if before.registered.leader == leader)
    )


@transition
def reassignment_keeps_min_isr(before: Partition, after: Partition) -> bool:
    """With a reassignment complete, all who shall have a copy are in the ISR, and it is no less than min.isr."""
    return (
        not is_reassigned(before)
        or is_reassigned(after)
        or (len(after.registered.isr) >= effective_min_isr() and after.assignment.replicas <= after.registered.isr)
    )


@transition
def controllers_decide_by_majority(before: Partition, after: Partition) -> bool:
    """Without a majority of the controllers nobody is elected, the ISR stays as it is, and so do the copies."""
    return controllers_decide(before) or (
        after.registered == before.registered and after.assignment == before.assignment
    )


# --- what must be possible ------------------------------------------------------------------------------------------


@reachable
def record_is_acknowledged(s: Partition) -> bool:
    """A record is acknowledged."""
    return len(s.acknowledged) > 0


@reachable
def isr_shrinks_and_grows_back(s: Partition) -> bool:
    """A broker that has left the ISR is in it again."""
    return any(broker in s.registered.isr for broker in s.left_isr)


@reachable
def two_brokers_lead(s: Partition) -> bool:
    """Two brokers believe at once that they lead."""
    return any(one != other and leads(s, one) and leads(s, other) for one in Broker for other in Broker)


@reachable
def leader_is_behind(s: Partition) -> bool:
    """Not promised: the high watermark of the leader of the newest epoch is behind what was committed."""
    return any(is_true_leader(s, leader) and s.high_watermark[leader] < len(s.committed) for leader in Broker)


@reachable
def refused_record_is_committed(s: Partition) -> bool:
    """Not promised: a record that was reported to its producer as failed is committed."""
    return any(id in s.refused for id in s.committed)


@reachable
def partition_waits(s: Partition) -> bool:
    """The partition has no leader."""
    return s.registered.leader is None


@reachable
def writes_go_on(s: Partition) -> bool:
    """As many hosts are lost for good as may be, and a leader who knows has followers enough for acks=all."""
    return len(s.gone & s.fenced) == host_losses and any(
        is_current(s, leader) and len(s.view[leader].isr) >= effective_min_isr() for leader in s.up
    )
