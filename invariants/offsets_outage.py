"""What must hold of groups and the topic of their offsets. G13, G15 and GL3 are the numbers of a catalogue of Kafka's
properties; GL3, that commits succeed, is asked as a state shows it: the group's partition takes them.
"""

from __future__ import annotations

from ..language import invariant, position, reachable, terminal, transition
from ..model.offsets_outage import *

impossible = {
    "consumers_2_4": ("process", "commit"),
    "kafka_0_10": ("process", "commit"),
    "any_log": ("copy", "kill", "process", "commit", "move_leader", "restart", "begin_again"),
    "log_stops": ("copy", "kill"),
    "log_loses": ("copy", "kill", "process", "commit", "move_leader", "restart"),
}


@invariant
def type_ok(s: Cluster) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


def is_calm(s: Cluster) -> bool:
    """Whether there is the topic, and no more than one broker is killed, or has come back and is not in sync yet."""
    return s.made and sum(1 for broker in Broker if broker in s.killed or is_behind(s, broker)) <= 1


def is_behind(s: Cluster, broker: Broker) -> bool:
    """Whether a broker has a replica that is out of sync, and is not just being added."""
    return any(broker in s.replicas[home] - s.in_sync[home] - s.adding[home] for home in Home)


@invariant
def group_available(s: Cluster) -> bool:
    """GL3: with one broker killed, every group has a coordinator that takes its commits."""
    return not is_calm(s) or all(goes_on(s, group) for group in Group)


@invariant
def some_group_goes_on(s: Cluster) -> bool:
    """One broker that is killed does not stop every group."""
    return not is_calm(s) or any(goes_on(s, group) for group in Group)


@invariant
def rest_goes_on(s: Cluster) -> bool:
    """With one broker killed after every group had committed, and all others running, some group goes on."""
    reported = len(s.alive) == brokers - 1 and all(s.confirmed[group] > 0 for group in Group)
    return not (is_calm(s) and reported) or any(goes_on(s, group) for group in Group)


@invariant
def repaired_group_available(s: Cluster) -> bool:
    """GL3: with one broker killed, every group goes on whose partition has the replicas of the repair, all of them."""
    return not is_calm(s) or all(
        len(s.replicas[home]) < repaired or is_reassigned(s, home) or not is_home(s, group, home) or goes_on(s, group)
        for group in Group
        for home in Home
    )


@invariant
def consumers_read_on(s: Cluster) -> bool:
    """With one broker killed, every consumer that knows its position is given records."""
    return not is_calm(s) or all(
        is_given_records(s, group) for group in Group if s.position[group] > 0 and group not in s.waiting
    )


@invariant
def in_sync_has_all(s: Cluster) -> bool:
    """Each replica in sync has every offset that was confirmed."""
    return all(s.logs[home].acknowledged <= s.copies[home][broker] for home in Home for broker in s.in_sync[home])


@transition
def isr_grows_from_a_leader(before: Cluster, after: Cluster) -> bool:
    """A replica comes into sync only while somebody leads the partition, whom it has copied from."""
    return not before.made or all(leads(before, home) or after.in_sync[home] <= before.in_sync[home] for home in Home)


@transition
def who_waits_does_nothing(before: Cluster, after: Cluster) -> bool:
    """A consumer that waits for its coordinator neither processes nor commits."""
    return all(
        (after.position[group], after.confirmed[group]) == (before.position[group], before.confirmed[group])
        for group in before.waiting & after.waiting
    )


@transition
def who_joins_has_a_coordinator(before: Cluster, after: Cluster) -> bool:
    """A consumer begins again, or stops since it has no offset, only with a coordinator that takes it in."""
    return all(
        goes_on(before, group)
        or (
            not (group in before.waiting and group not in after.waiting)
            and not (group in after.stopped and group not in before.stopped)
            and before.position[group] <= after.position[group] <= before.position[group] + 1
        )
        for group in Group
    )


@transition
def commits_go_to_the_coordinator(before: Cluster, after: Cluster) -> bool:
    """What is confirmed to a group anew, its coordinator took and knows: G15 and G13 of each commit."""
    return all(
        before.confirmed[group] == after.confirmed[group]
        or (goes_on(before, group) and offset_of(after, group) == after.confirmed[group])
        for group in Group
    )


@invariant
def somebody_is_in_sync(s: Cluster) -> bool:
    """Each partition of the topic has a replica in sync, be it down: the last one does not leave the ISR."""
    return not s.made or not on_brokers or all(len(s.in_sync[home]) > 0 for home in Home)


@invariant
def who_has_a_coordinator_is_sure(s: Cluster) -> bool:
    """A consumer that has a coordinator has validated its position, so that it is given records."""
    return all(not has_coordinator(s, group) for group in s.unsure)


@invariant
def offset_durable(s: Cluster) -> bool:
    """G13: a coordinator that takes commits knows every offset that was confirmed."""
    return all(not goes_on(s, group) or offset_of(s, group) >= s.confirmed[group] for group in Group)


@invariant
def nothing_skipped(s: Cluster) -> bool:
    """No group begins after records that it has not processed."""
    return len(s.skipped) == 0


@invariant
def nothing_read_again(s: Cluster) -> bool:
    """No group begins before a record that it has processed."""
    return len(s.repeated) == 0


@invariant
def nothing_confirmed_read_again(s: Cluster) -> bool:
    """No group begins before an offset that was confirmed to it."""
    return len(s.went_back) == 0


@invariant
def nobody_stops_for_good(s: Cluster) -> bool:
    """No group stops since its coordinator knows no offset of it."""
    return len(s.stopped) == 0


@invariant
def coordinator_mapping(s: Cluster) -> bool:
    """G15: a group's partition is its number, which stands for the hash of its id, modulo the topic's partitions."""
    return all(
        is_home(s, group, home) == (position(group) % homes == position(home)) for group in Group for home in Home
    )


# --- what must be possible --------------------------------------------------------------------------------------------


@reachable
def one_stops_another_goes_on(s: Cluster) -> bool:
    """A group stops with the broker that was killed, and another goes on."""
    return (
        len(s.killed) > 0
        and any(s.confirmed[group] > 0 and not goes_on(s, group) for group in Group)
        and any(goes_on(s, group) for group in Group)
    )


@reachable
def consumes_while_a_broker_is_down(s: Cluster) -> bool:
    """Every group has committed, and goes on while a broker is down."""
    return any(s.logs[home].down for home in Home) and all(
        s.confirmed[group] > 0 and goes_on(s, group) for group in Group
    )


@reachable
def goes_on_after_the_repair(s: Cluster) -> bool:
    """With more replicas on a group's partition, it goes on without one of them, and its offset is there."""
    return any(
        is_home(s, group, home)
        and len(s.replicas[home]) == repaired
        and not is_reassigned(s, home)
        and any(broker in s.killed and broker in s.replicas[home] for broker in Broker)
        and goes_on(s, group)
        and s.confirmed[group] > 0
        and offset_of(s, group) == s.confirmed[group]
        for group in Group
        for home in Home
    )


@reachable
def repair_waits(s: Cluster) -> bool:
    """A reassignment is under way of a partition that nobody leads."""
    return any(is_reassigned(s, home) and not leads(s, home) for home in Home)


@reachable
def processes_without_coordinator(s: Cluster) -> bool:
    """A group without a coordinator has processed what it has not committed."""
    return any(0 < s.confirmed[group] < s.position[group] and not has_coordinator(s, group) for group in Group)


@reachable
def waits_for_coordinator(s: Cluster) -> bool:
    """A consumer was started again, and has no coordinator."""
    return any(not has_coordinator(s, group) for group in s.waiting)


@reachable
def is_made_anew(s: Cluster) -> bool:
    """The topic is made anew after its logs were deleted, and a group commits again."""
    return s.deleted and s.made and any(offset_of(s, group) > 0 for group in Group)


@terminal
def all_is_processed(s: Cluster) -> bool:
    """Every broker runs, and every group has processed what there is, or has stopped for good."""
    return all(s.position[group] == s.end or group in s.stopped for group in Group)
