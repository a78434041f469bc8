"""What the controller does: it answers leaders, fences brokers, registers them again, and elects."""

from __future__ import annotations

from ...language import Option, Set, action, limit, replace, require
from .broker import delete_log, forget, is_current, may_propose, note_lost_records, note_refused
from .state import *

# --- it answers a leader ----------------------------------------------------------------------------------------------


@action
def change_isr(s: Partition, leader: Broker) -> None:
    """The controller makes {asked_isr(s, leader)} the ISR, as {leader} has asked."""
    require(alter_partition)
    request = s.request[leader]
    require(request is not None and not request.answered)
    require(controllers_decide(s) and is_current(s, leader))
    assert request is not None
    require(not is_refused(s, request))
    isr = asked_isr(s, leader)
    target = replace(s.registered, isr=isr, elr=elr_asked_for(s, isr))
    changed = replace(target, leader_epoch=s.registered.leader_epoch + epochs_asked_for(s.registered, target))
    limit(changed.leader_epoch <= max_leader_epoch)
    s.registered = changed
    s.request[leader] = replace(request, answered=True)
    if request.change == IsrChange.SHRINK:
        s.left_isr.add(request.broker)


@action
def refuse_isr_change(s: Partition, leader: Broker) -> None:
    """The controller does not take {who_changes(s, leader)} into the ISR: INELIGIBLE_REPLICA."""
    require(alter_partition and (reject_fenced or reject_restarted))
    request = s.request[leader]
    require(request is not None and not request.answered)
    require(controllers_decide(s) and is_current(s, leader))
    assert request is not None
    require(is_refused(s, request))
    s.request[leader] = None


@action(kind="fault", budget="isr_shrinks")
def drop_followers(s: Partition, leader: Broker, followers: Set[Broker]) -> None:
    """{leader} finds that {followers} lag, and one change takes all of them out of the ISR.

    Asked for and made in one step: what may lie between changes neither the ISR nor who counts.
    """
    require(drop_together and isr_shrinks > 0)
    require(controllers_decide(s) and may_propose(s, leader))
    require(len(followers) > 1 and followers <= s.view[leader].isr - {leader})
    isr = s.registered.isr - followers
    target = replace(s.registered, isr=isr, elr=elr_asked_for(s, isr))
    epochs = epochs_asked_for(s.registered, target) if alter_partition else 0
    limit(s.registered.leader_epoch + epochs <= max_leader_epoch)
    s.registered = replace(target, leader_epoch=s.registered.leader_epoch + epochs)
    if not alter_partition:
        s.view[leader] = replace(s.view[leader], isr=isr)
    s.left_isr = s.left_isr | followers


def asked_isr(s: Partition, leader: Broker) -> Set[Broker]:
    """The ISR as it is once a leader has what it asks for."""
    request = s.request[leader]
    if request is None:
        return s.registered.isr
    if request.change == IsrChange.EXPAND:
        return s.registered.isr | {request.broker}
    return s.registered.isr - {request.broker}


def who_changes(s: Partition, leader: Broker) -> Option[Broker]:
    """The broker that a leader asks to add or remove."""
    request = s.request[leader]
    return None if request is None else request.broker


def is_refused(s: Partition, request: AlterPartition) -> bool:
    """Whether the broker may not join the ISR: it is fenced, or has registered anew since its leader asked."""
    return request.change == IsrChange.EXPAND and (
        (reject_fenced and request.broker in s.fenced) or (reject_restarted and request.restarted)
    )


# --- it elects --------------------------------------------------------------------------------------------------------


def next_elr(registered: Registration, isr: Set[Broker], barred: Set[Broker]) -> Set[Broker]:
    """The eligible leader replicas: while the ISR is below min.isr, those that left it, except after unclean stops."""
    if not elr or len(isr) >= effective_min_isr():
        return Set()
    return (registered.isr | registered.elr) - isr - barred


def elr_asked_for(s: Partition, isr: Set[Broker]) -> Set[Broker]:
    """The eligible leader replicas once a leader has the ISR that it asks for. Where that completes a reassignment,
    they are those of the ISR that is left then, which in Kafka is on record at once."""
    left = isr - s.assignment.removing if may_complete(s, isr) else isr
    return next_elr(s.registered, left, Set()) - isr


def take_from_isr(registered: Registration, broker: Broker) -> Registration:
    """The partition with a broker out of the ISR. Without ELR, the last member stays."""
    isr = registered.isr - {broker}
    if len(isr) == 0 and not elr:
        return registered
    return replace(registered, isr=isr, elr=next_elr(registered, isr, Set()))


def stays(target: Registration, alive: Set[Broker]) -> bool:
    """Whether the leader stays the leader: it is in the ISR and not fenced."""
    return target.leader is not None and target.leader in (target.isr & alive)


def candidates(target: Registration, alive: Set[Broker]) -> Set[Broker]:
    """The brokers that the controller may elect: of the ISR, or else of the ELR, or else the last known leader, or
    else, uncleanly, any that is not fenced."""
    clean = (target.isr if len(target.isr) > 0 else target.elr) & alive
    if len(clean) > 0:
        return clean
    last = target.last_known_leader
    if elr and len(target.isr | target.elr) == 0 and last is not None and (last in alive or not check_last_leader):
        return Set({last})
    return alive if unclean and heed_unclean else Set()


def is_choice(target: Registration, alive: Set[Broker], broker: Broker, successor: Broker) -> bool:
    """Whether the controller may choose that successor. Where none can be elected, `broker` stands for none."""
    if stays(target, alive):
        return successor == target.leader
    choice = candidates(target, alive)
    return successor in choice if len(choice) > 0 else successor == broker


def elect_leader(before: Registration, target: Registration, alive: Set[Broker], successor: Broker) -> Registration:
    """The partition with its leader: the one it has, the successor, or none."""
    if stays(target, alive):
        return replace(target, leader_epoch=before.leader_epoch + epochs_for(before, target), last_known_leader=None)
    if len(candidates(target, alive)) == 0:
        return leaderless(before, target)
    in_sync = successor in target.isr
    return Registration(
        leader=successor,
        leader_epoch=before.leader_epoch + 1,
        isr=target.isr if in_sync else Set({successor}),
        elr=target.elr - {successor} if in_sync or successor in target.elr else Set(),
        last_known_leader=None,
    )


def settle(s: Partition, target: Registration, alive: Set[Broker], broker: Broker, successor: Broker) -> None:
    """The controller registers the partition with the leader that it has, the successor that it chooses, or none."""
    regarded = alive | leader_not_looked_at(s.registered, target, broker)
    require(is_choice(target, regarded, broker, successor))
    changed = elect_leader(s.registered, target, regarded, successor)
    limit(changed.leader_epoch <= max_leader_epoch)
    s.registered = changed


def leader_not_looked_at(before: Registration, target: Registration, broker: Broker) -> Set[Broker]:
    """A leader that the controller does not look at, since it looks at partitions with that broker in the ISR, and at
    those without a leader: one that is fenced leads on (KAFKA-19522)."""
    if before.leader is None or target != before or broker in before.isr:
        return Set()
    return Set({before.leader})


def take_out(s: Partition, broker: Broker, successor: Broker) -> None:
    """The controller fences a broker, removes it from the ISR, and elects a successor if it led."""
    settle(s, take_from_isr(s.registered, broker), unfenced_brokers(s) - {broker}, broker, successor)
    s.fenced.add(broker)
    s.left_isr.add(broker)


def leaderless(before: Registration, target: Registration) -> Registration:
    """The partition without a leader. Who led is recorded; before KAFKA-19522 once the ISR is empty alone."""
    is_noted = before.leader is not None and (check_last_leader or len(target.isr) == 0)
    last = before.leader if is_noted else before.last_known_leader
    return replace(
        target,
        leader=None,
        leader_epoch=before.leader_epoch + (1 if before.leader is not None else 0),
        last_known_leader=last if elr else None,
    )


def epochs_for(before: Registration, target: Registration) -> int:
    """Before KAFKA-15021, and on ZooKeeper, a smaller ISR is a new leader epoch, with the same leader."""
    return 0 if (keep_epoch and not epochs_by_zookeeper) or before.isr <= target.isr else 1


def epochs_asked_for(before: Registration, target: Registration) -> int:
    """The same where a leader asks for the ISR: on ZooKeeper that makes no new leader epoch."""
    return 0 if epochs_by_zookeeper else epochs_for(before, target)


@action(kind="fault", budget="preferred_elections")
def elect_preferred(s: Partition, broker: Broker) -> None:
    """The controller moves leadership from {s.registered.leader} to {broker}, which is in sync."""
    require(preferred_elections > 0)
    require(controllers_decide(s))
    require(s.registered.leader is not None and s.registered.leader != broker)
    require(broker in s.registered.isr & unfenced_brokers(s))
    limit(s.registered.leader_epoch < max_leader_epoch)
    s.registered = replace(s.registered, leader=broker, leader_epoch=s.registered.leader_epoch + 1)


@action(kind="fault")
def clear_elr(s: Partition) -> None:
    """An operator sets min.insync.replicas: the controller forgets the eligible leader replicas and the last leader.

    It does so at any setting of it, also to the value that it has (CLEAR_ELR_RECORD).
    """
    require(min_isr_is_set and elr)
    require(len(s.registered.elr) > 0)
    require(controllers_decide(s))
    s.registered = replace(s.registered, elr=Set(), last_known_leader=None)


@action(kind="fault", budget="unclean_elections")
def elect_uncleanly(s: Partition, broker: Broker) -> None:
    """An operator has the controller elect {broker}, which is not in sync."""
    require(unclean_elections > 0)
    require(controllers_decide(s))
    require(s.registered.leader is None and broker in unfenced_brokers(s))
    limit(s.registered.leader_epoch < max_leader_epoch)
    s.registered = Registration(
        leader=broker,
        leader_epoch=s.registered.leader_epoch + 1,
        isr=Set({broker}),
        elr=Set(),
        last_known_leader=None,
    )


# --- it fences --------------------------------------------------------------------------------------------------------


@action
def fence(s: Partition, broker: Broker, successor: Broker) -> None:
    """The controller notices that {broker} is down.

    In KRaft it gets no heartbeats of it, and fences it; on ZooKeeper the broker's session expires.
    """
    require(crashes + power_losses + disk_losses + directory_losses + host_losses > 0)
    require(broker not in s.up and broker not in s.fenced)
    require(controllers_decide(s))
    take_out(s, broker, successor)


@action
def unseat(s: Partition, broker: Broker) -> None:
    """The controller finds that {broker}, which leads, is fenced: for now nobody leads (KAFKA-19522)."""
    require(stop_fenced and elr and not check_last_leader)
    require(s.registered.leader == broker and broker in s.fenced)
    require(controllers_decide(s))
    limit(s.registered.leader_epoch < max_leader_epoch)
    s.registered = leaderless(s.registered, s.registered)


@action
def fence_again(s: Partition, broker: Broker) -> None:
    """The controller fences {broker}, which was shut down as the last in sync: nobody leads, in a new leader epoch.

    Before KAFKA-15021 an ISR without it counts as a smaller one, though it stays there
    (PartitionChangeBuilder.triggerLeaderEpochBumpIfNeeded).
    """
    require(stop_fenced and not (keep_epoch or epochs_by_zookeeper or elr))
    require(broker not in s.up and broker in s.fenced)
    require(s.registered.leader is None and s.registered.isr == Set({broker}))
    require(controllers_decide(s))
    limit(s.registered.leader_epoch < max_leader_epoch)
    s.registered = replace(s.registered, leader_epoch=s.registered.leader_epoch + 1)


@action
def take_over(s: Partition, broker: Broker) -> None:
    """A controller that takes over finds {broker}, which led, down: for now nobody leads.

    It looks at replicas before it elects (ReplicaStateMachine.startup, PartitionStateMachine.startup).
    """
    require(by_zookeeper and not elr)
    require(broker not in s.up and broker not in s.fenced)
    require(s.registered.leader == broker and controllers_decide(s))
    limit(s.registered.leader_epoch < max_leader_epoch)
    s.registered = leaderless(s.registered, take_from_isr(s.registered, broker))
    s.fenced.add(broker)
    s.left_isr.add(broker)


@action
def elect_offline(s: Partition, successor: Broker) -> None:
    """The controller elects {successor} for the partition that nobody leads."""
    require(by_zookeeper and s.registered.leader is None)
    require(successor in candidates(s.registered, unfenced_brokers(s)) and controllers_decide(s))
    settle(s, s.registered, unfenced_brokers(s), successor, successor)


@action
def fence_both(s: Partition, broker: Broker, other: Broker, successor: Broker) -> None:
    """The controller notices at once that {broker}, which leads, and {other} are down, and elects once for both."""
    require(by_zookeeper and not elr)
    require(broker != other and s.registered.leader == broker and other in s.registered.isr)
    require(broker not in s.up and other not in s.up and len(Set({broker, other}) & s.fenced) == 0)
    require(controllers_decide(s))
    target = take_from_isr(take_from_isr(s.registered, other), broker)
    settle(s, target, unfenced_brokers(s) - {broker, other}, broker, successor)
    for one in Set({broker, other}):
        s.fenced.add(one)
        s.left_isr.add(one)


@action(kind="fault", budget="fences")
def fence_alive(s: Partition, broker: Broker, successor: Broker) -> None:
    """The controller takes {broker} for down, which is up: it is cut off, or pauses.

    In KRaft it gets no heartbeats of it, and fences it; on ZooKeeper the broker's session expires.
    """
    require(fences > 0)
    require(broker in s.up and broker not in s.fenced)
    require(controllers_decide(s))
    take_out(s, broker, successor)


def unfenced_brokers(s: Partition) -> Set[Broker]:
    """Brokers with a copy that the controller regards as alive, in a directory that it knows of."""
    return s.assignment.replicas - s.fenced - s.relocated


# --- and lets brokers back --------------------------------------------------------------------------------------------


@action
def unfence(s: Partition, broker: Broker, successor: Broker) -> None:
    """The controller notices that {broker}, which has been up all the time, is there again.

    In KRaft it receives heartbeats of it; on ZooKeeper the broker registers under a new session.
    """
    require(fences > 0)
    require(broker in s.up and broker in s.fenced)
    require(controllers_decide(s))
    alive = s.assignment.replicas - (s.fenced - {broker}) - s.relocated
    settle(s, s.registered, alive, broker, successor)
    s.fenced.remove(broker)


@action
def register(s: Partition, broker: Broker, successor: Broker) -> None:
    """{broker} starts and registers: after its unclean stop it leaves the ISR and the ELR, and is fenced for now.

    It may not have been fenced before: its session has ended, and the controller has not come to it yet.
    """
    require(register_apart and elr)
    require(broker not in s.up and broker not in s.gone and broker in s.unclean)
    require(broker in (s.registered.isr | s.registered.elr))
    require(controllers_decide(s))
    target = register_after_unclean_stop(s.registered, Set({broker}))
    settle(s, target, unfenced_brokers(s) - {broker}, broker, successor)
    s.fenced.add(broker)
    s.left_isr.add(broker)
    s.unclean.remove(broker)


@action
def register_before_fenced(s: Partition, broker: Broker) -> None:
    """{broker} starts and registers, and nobody had noticed that it was down: it is fenced for now, and stays in sync.

    Its session has ended, and the controller has not come to it. After all nodes were down, a new controller looks at
    sessions once a first broker has registered or is heard (QuorumController.rescheduleMaybeFenceStaleBrokers).
    """
    require(register_unseen and not elr)
    require(broker not in s.up and broker not in s.gone and broker not in s.fenced)
    require(controllers_decide(s))
    s.fenced.add(broker)


def register_after_unclean_stop(registered: Registration, stopped: Set[Broker]) -> Registration:
    """The partition once brokers that stopped uncleanly have registered anew: with ELR, they are in neither set."""
    isr = registered.isr - stopped if elr else registered.isr
    return replace(registered, isr=isr, elr=next_elr(registered, isr, stopped))


@action
def restart(s: Partition, broker: Broker, successor: Broker) -> None:
    """{broker} starts and registers, and the controller may elect it again.

    In KRaft it catches up with the metadata before, and is unfenced; on ZooKeeper it creates its znode.
    """
    require(shutdowns + crashes + power_losses + disk_losses + directory_losses > 0)
    require(broker not in s.up and broker not in s.gone and broker in s.fenced)
    require(controllers_decide(s))
    alive = s.assignment.replicas - (s.fenced - {broker}) - s.relocated
    settle(s, register_after_unclean_stop(s.registered, s.unclean & {broker}), alive, broker, successor)
    s.fenced.remove(broker)
    s.up.add(broker)
    s.unclean.discard(broker)
    for leader in Broker:
        request = s.request[leader]
        if request is not None and request.broker == broker:
            s.request[leader] = replace(request, restarted=True)
        if reject_restarted and one_snapshot:
            s.fetch_offset[leader][broker] = 0


@action
def assign_directory(s: Partition, broker: Broker) -> None:
    """{broker} reports the directory of its copy to the controller (AssignReplicasToDirs); nobody is elected by that.

    It may do so before it is unfenced, and is then elected at once: `assign_unregistered`, as brokers of 4.1.0, 4.1.1
    and 4.3.0 were seen to do. This order has that one's outcome once the next broker is unfenced.
    """
    require(assign_directories and disk_losses + directory_losses > 0)
    require(broker in s.relocated and (broker in s.up or (assign_unregistered and broker in s.fenced)))
    require(controllers_decide(s))
    s.relocated.remove(broker)
    s.registered = register_assignment(s.registered)


def register_assignment(registered: Registration) -> Registration:
    """The partition once a replica has been assigned to another directory."""
    return registered if assignment_keeps_elr else replace(registered, elr=Set())


def waits_for_election(s: Partition) -> bool:
    """Whether nobody leads though somebody can: its directory became known, by which nobody is elected."""
    return s.registered.leader is None and len(candidates(s.registered, unfenced_brokers(s))) > 0


@action
def elect_waiting(s: Partition, broker: Broker) -> None:
    """The controller elects {broker}, which can lead since its directory is known.

    It does so for all partitions without a leader once any broker of the cluster is unfenced (handleBrokerUnfenced),
    and with auto.leader.rebalance.enable every leader.imbalance.check.interval.seconds, 300 by default.
    """
    require(assign_directories and disk_losses + directory_losses > 0)
    require(waits_for_election(s) and controllers_decide(s))
    require(broker in candidates(s.registered, unfenced_brokers(s)))
    settle(s, s.registered, unfenced_brokers(s), broker, broker)


@action
def restart_unnoticed(s: Partition, broker: Broker) -> None:
    """{broker} starts before the controller notices that it was down.

    On ZooKeeper, up to 2.1: its session has ended, without which it could not register, and it has registered anew
    before a controller reads who is registered. A controller that was there sends it nothing (BrokerChange of 2.1.1
    compares ids). One that takes over, as where the host was the controller's, sends it a LeaderAndIsr in the leader
    epoch that it had (ReplicaStateMachine.startup): that it arrives is the step `learn`, and that it is sent is none.
    """
    require(not detect_restart and crashes + power_losses + disk_losses + directory_losses > 0)
    require(broker not in s.up and broker not in s.gone and broker not in s.fenced)
    require(controllers_decide(s))
    s.up.add(broker)
    s.unclean.discard(broker)


# === The copies move to other brokers: the new ones fetch first, and then the old ones go =============================
#
# Somebody asks for it (kafka-reassign-partitions.sh), the controller has it on record until it is complete, and a
# broker that holds no copy any more deletes what it had. As KRaft does it: adding replicas makes no new leader epoch,
# removing some does. What is put together: it completes in a step of its own, not in that in which the last one joins
# the ISR; no second one is asked for meanwhile, though one may be cancelled; and none asks for fewer copies than
# `min.insync.replicas`.


@action(kind="fault", budget="reassignments")
def reassign(s: Partition, target: Set[Broker]) -> None:
    """An operator reassigns the partition from {s.assignment.replicas} to {target}.

    With the ISR empty the controller fails to add an eligible leader that runs and holds no copy: it looks for its
    directory, to elect it (LeaderAcceptor.test, PartitionRegistration.directory).
    """
    require(reassignments > 0)
    require(controllers_decide(s))
    require(not is_reassigned(s))
    require(len(target) >= effective_min_isr() and target != s.assignment.replicas)
    require(len(s.registered.isr) > 0 or (s.registered.elr & target) - s.fenced <= s.assignment.replicas)
    held = s.assignment.replicas
    s.assignment = Assignment(replicas=held | target, adding=target - held, removing=held - target)


@action
def complete_reassignment(s: Partition, successor: Broker) -> None:
    """The reassignment is complete: {s.assignment.removing} leave."""
    require(reassignments > 0)
    require(controllers_decide(s))
    require(may_complete(s, s.registered.isr))
    leave(s, s.assignment.removing, successor)


@action(kind="fault", budget="cancellations")
def cancel_reassignment(s: Partition, successor: Broker) -> None:
    """An operator cancels the reassignment: {s.assignment.adding} leave again.

    The controller refuses that where it leaves nobody in sync (PartitionReassignmentRevert, KIP-455), and one that may
    complete has done so.
    """
    require(reassignments > 0 and cancellations > 0)
    require(controllers_decide(s))
    require(is_reassigned(s) and not may_complete(s, s.registered.isr))
    require(len(s.registered.isr - s.assignment.adding) > 0)
    leave(s, s.assignment.adding, successor)


def leave(s: Partition, leaving: Set[Broker], successor: Broker) -> None:
    """The reassignment is over, and some brokers are replicas no longer, which makes a new leader epoch. A leader that
    is among them has a successor, if anybody can lead."""
    alive, target = unfenced_brokers(s) - leaving, left_by(s.registered, leaving)
    require(is_choice(target, alive, successor, successor))
    changed = elect_leader(s.registered, target, alive, successor)
    if len(leaving) > 0:
        changed = replace(changed, leader_epoch=s.registered.leader_epoch + 1)
    limit(changed.leader_epoch <= max_leader_epoch)
    s.left_isr = s.left_isr | (s.registered.isr & leaving)
    s.registered = changed
    s.assignment = Assignment(replicas=s.assignment.replicas - leaving, adding=Set(), removing=Set())
    s.relocated = s.relocated - leaving


def left_by(registered: Registration, leaving: Set[Broker]) -> Registration:
    """The partition with brokers out of the ISR that are to hold no copy. Out of the ELR Kafka takes none of them, and
    below min.isr those who were in the ISR come into it (PartitionChangeBuilder.maybePopulateTargetElr)."""
    isr = registered.isr - leaving
    return replace(registered, isr=isr, elr=next_elr(registered, isr, leaving if leave_elr else Set()))


@action
def delete_replica(s: Partition, broker: Broker) -> None:
    """{broker} learns that it is no longer a replica, and deletes its {len(s.log[broker])} records."""
    require(reassignments > 0)
    require(broker in s.up and broker not in s.assignment.replicas)
    require(s.view[broker].leader is not None or len(s.log[broker]) > 0)
    note_lost_records(s, broker, 0)
    note_refused(s, broker)
    delete_log(s, broker)
    s.view[broker] = nobody_known(s.view[broker].leader_epoch)
    forget(s, broker)
