"""What must hold of a controller on ZooKeeper, and what must be possible.

Z1 to Z6 and ZL2 are the numbers of the properties in docs/zookeeper.md.
"""

from __future__ import annotations

from ...language import Set, invariant, leads_to, limits_of, reachable, transition, weak
from ...model.parts.zookeeper import is_alive
from ...model.zk_controller import protocol
from ...model.zk_controller.protocol import follows
from ...model.zk_controller.state import Answer, Broker, Cluster, Metadata, leads, updates

impossible = {"kafka_3_9": ("isr_changes_before_the_failover_is_done",)}


@invariant
def type_ok(s: Cluster) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def unique_ephemeral(s: Cluster) -> bool:
    """Z1: whoever is registered, and the owner of /controller, has a session that the ensemble keeps."""
    return all(node not in s.registered or is_alive(s.session[node]) for node in Broker) and (
        s.controller is None or s.controller in s.registered
    )


@invariant
def controller_epoch_unique(s: Cluster) -> bool:
    """Z2: no two that believe to be the controller have the same epoch."""
    return all(one == other or s.held[one] == 0 or s.held[one] != s.held[other] for one in Broker for other in Broker)


@invariant
def controller_holds_the_newest_epoch(s: Cluster) -> bool:
    """Who has created /controller, and believes to be the controller, holds the newest epoch.

    Else brokers obey a zombie and refuse the controller, and so does ZooKeeper.
    """
    return all(s.controller != node or s.held[node] in {0, s.controller_epoch} for node in Broker)


@transition
def controller_epoch_monotone(before: Cluster, after: Cluster) -> bool:
    """Z3: whoever begins to believe holds the epoch before plus one, and else the epoch stays.

    So no two that ever acted as the controller had the same one.
    """
    begins = any(before.held[node] == 0 and after.held[node] > 0 for node in Broker)
    return after.controller_epoch == (before.controller_epoch + 1 if begins else before.controller_epoch) and all(
        after.held[node] in {0, before.held[node]} or after.held[node] == after.controller_epoch for node in Broker
    )


@transition
def no_zombie_effect(before: Cluster, after: Cluster) -> bool:
    """Z4: no broker obeys a lower controller epoch than before, and the newest controller alone writes the partition.

    That is all: a broker that has yet to hear of the newest controller obeys the one before until then.
    That is so of elections and of an ISR that a leader asks for. A leader that writes the ISR itself is no controller.
    """
    return all(
        after.seen[node] >= before.seen[node] and not is_moved_by_a_zombie(before, after, node) for node in Broker
    ) and (
        after.partition == before.partition
        or any(before.held[node] == before.controller_epoch and has_written(before, after, node) for node in Broker)
        or any(leader_has_written(before, after, node) for node in Broker)
    )


def is_moved_by_a_zombie(before: Cluster, after: Cluster, node: Broker) -> bool:
    """Whether a broker leads, follows, stops or answers otherwise by a request of a lower epoch than it has seen."""
    return (
        any(
            node in it.to
            and it.controller_epoch < before.seen[node]
            and it not in after.requests
            and after.known[node].leader_epoch == it.partition.leader_epoch
            and (after.known[node] != before.known[node] or after.running[node] != before.running[node])
            for it in before.requests
        )
        or any(
            node in it.to
            and it.controller_epoch < before.seen[node]
            and it not in after.stopping
            and before.running[node]
            and not after.running[node]
            for it in before.stopping
        )
        or any(
            node in it.to
            and it.controller_epoch < before.seen[node]
            and it not in after.updating
            and after.cached[node] != before.cached[node]
            and after.cached[node] == it.metadata
            for it in before.updating
        )
    )


def leader_has_written(before: Cluster, after: Cluster, leader: Broker) -> bool:
    """Whether it is this leader that has written the partition's znode itself in this step."""
    return (
        before.known[leader].leader == leader
        and before.known[leader] != after.known[leader]
        and after.known[leader] == after.partition
        and all(after.read[node] == before.read[node] for node in Broker)
    )


def has_written(before: Cluster, after: Cluster, controller: Broker) -> bool:
    """Whether it is this controller that has written the partition's znode in this step."""
    return before.read[controller] != after.read[controller] and after.read[controller] == after.partition


@invariant
def at_most_one_believes_to_be_controller(s: Cluster) -> bool:
    """Z5: no two believe at once that they are the controller. Kafka does not keep this, nor does it need to.

    Sessions expire before their brokers know.
    """
    return len(Set(node for node in Broker if s.held[node] > 0)) <= 1


@transition
def ephemeral_semantics(before: Cluster, after: Cluster) -> bool:
    """Z6: a registration and /controller go only where their owner's session ends, or somebody deletes /controller."""
    return all(
        not is_alive(after.session[node])
        or (
            (node not in before.registered or node in after.registered)
            and (before.controller != node or after.controller == node or after.deleted > before.deleted)
        )
        for node in Broker
    )


@transition
def leader_epoch_never_decreases(before: Cluster, after: Cluster) -> bool:
    """The leader epoch in ZooKeeper never goes back."""
    return after.partition.leader_epoch >= before.partition.leader_epoch


@transition
def isr_change_is_kept(before: Cluster, after: Cluster) -> bool:
    """An election takes brokers out of the ISR, and brings none back that the leader has taken out."""
    return after.partition.leader_epoch <= before.partition.leader_epoch or after.partition.isr <= before.partition.isr


@transition
def only_a_lost_leader_is_replaced(before: Cluster, after: Cluster) -> bool:
    """A leader is replaced only by a controller that has read that it is gone; who else comes and goes moves nothing.

    Moving leaders back to the first of the assignment, as `auto.leader.rebalance.enable` has it, is not modelled.
    """
    old = before.partition.leader
    return (
        old is None
        or after.partition.leader == old
        or any(has_written(before, after, node) and old not in before.live[node] for node in Broker)
    )


@transition
def leader_is_elected_from_the_isr(before: Cluster, after: Cluster) -> bool:
    """Who begins to lead was in the ISR before, and is in it: without unclean elections nobody else has all records."""
    leader = after.partition.leader
    return (
        leader is None
        or leader == before.partition.leader
        or (leader in before.partition.isr and leader in after.partition.isr)
    )


@transition
def controller_removes_only_who_is_gone(before: Cluster, after: Cluster) -> bool:
    """An election takes only those out of the ISR who are gone, as far as the controller has read.

    Who lags is removed by the leader. A replica that is moved away leaves it, too."""
    return (
        after.partition.leader_epoch <= before.partition.leader_epoch
        or len(after.stopping) > len(before.stopping)
        or any(
            has_written(before, after, node)
            and len((before.partition.isr - after.partition.isr) & before.live[node]) == 0
            for node in Broker
        )
    )


@transition
def nobody_joins_who_is_gone(before: Cluster, after: Cluster) -> bool:
    """KAFKA-14140: nobody joins the ISR whom the controller has read to be gone.

    Else it is in sync by name: no controller would elect it, and its leader goes on waiting for it with acks=all.
    """
    return all(
        before.held[node] == 0
        or before.held[node] < before.controller_epoch
        or len(before.live[node]) == 0
        or after.partition.isr - before.partition.isr <= before.live[node]
        for node in Broker
    )


@transition
def brokers_never_go_back(before: Cluster, after: Cluster) -> bool:
    """What a broker knows of the partition is never replaced by something older."""
    return all(after.known[node].leader_epoch >= before.known[node].leader_epoch for node in Broker)


@invariant
def one_leader_an_epoch(s: Cluster) -> bool:
    """No two brokers believe to lead the partition with the same leader epoch."""
    return all(
        one == other
        or s.known[one].leader != one
        or s.known[other].leader != other
        or s.known[one].leader_epoch != s.known[other].leader_epoch
        for one in Broker
        for other in Broker
    )


@invariant
def leader_knows_once_all_is_quiet(s: Cluster) -> bool:
    """When the controller has read everything and nothing is under way, the leader knows what ZooKeeper has.

    Else it can never write the ISR again: "Cached zkVersion not equal to that in zookeeper" (KAFKA-2729).
    """
    leader = s.partition.leader
    return (
        leader is None
        or not is_quiet(s)
        or (s.known[leader] == s.partition and s.running[leader] and leader not in s.refused)
    )


def is_quiet(s: Cluster) -> bool:
    """Whether all brokers are registered, the controller has nothing to do, and no request of it is under way."""
    return (
        s.registered == Set(Broker)
        and any(
            s.controller == node
            and s.held[node] == s.controller_epoch
            and s.live[node] == s.registered
            and s.read[node] == s.partition
            and len(s.owed[node]) == 0
            and len(s.back[node]) == 0
            for node in Broker
        )
        and all(node.controller_epoch < s.controller_epoch for node in s.requests)
        and all(
            node.controller_epoch < s.controller_epoch or node.leader_epoch < s.partition.leader_epoch
            for node in s.stopping
        )
    )


@invariant
def refused_for_good_only_if_behind(s: Cluster) -> bool:
    """KAFKA-14154: a leader whose change of the ISR was refused for good knows less than ZooKeeper has.

    Then a LeaderAndIsr is on its way. Else it waits for ever, and can neither take a follower out of the ISR nor in.
    """
    return all(s.known[node].version < s.partition.version for node in s.refused)


@invariant
def replicas_run_once_all_is_quiet(s: Cluster) -> bool:
    """KIP-570: when the controller has given each replica back and nothing newer is under way, all replicas run."""
    return not is_quiet(s) or all(s.running[node] for node in Broker)


@transition
def metadata_never_goes_back(before: Cluster, after: Cluster) -> bool:
    """No broker answers clients with an older leader epoch than it has answered before."""
    return all(after.cached[node].leader_epoch >= before.cached[node].leader_epoch for node in Broker)


@invariant
def metadata_is_right_once_all_is_quiet(s: Cluster) -> bool:
    """When the controller has read everything and nothing is under way, all brokers answer clients who leads.

    Else a client may ask them for ever and never hear of the leader. It says nothing where bounds send no metadata.
    """
    right = Metadata(leader=s.partition.leader, leader_epoch=s.partition.leader_epoch)
    return (
        updates == 0
        or s.controller_epoch == 0
        or not is_quiet(s)
        or any(request.controller_epoch == s.controller_epoch for request in s.updating)
        or all(s.cached[node] == right for node in Broker)
    )


@transition
def client_never_goes_back(before: Cluster, after: Cluster) -> bool:
    """KAFKA-7738: a client that asks a broker that is behind does not take an older leader for a newer one."""
    return after.client.leader_epoch >= before.client.leader_epoch


@transition
def acknowledged_by_all_in_sync(before: Cluster, after: Cluster) -> bool:
    """What is acknowledged is with all who may be elected: a leader that was replaced acknowledges nothing by itself.

    Whoever is in the ISR in ZooKeeper follows, in the same leader epoch, the broker that acknowledges.
    """
    leader = after.client.leader
    return (
        before.answer == after.answer
        or after.answer != Answer.ACKNOWLEDGED
        or (
            leader is not None
            and all(
                after.known[node].leader_epoch == after.known[leader].leader_epoch and after.running[node]
                for node in after.partition.isr
            )
        )
    )


@transition
def acknowledged_is_with_the_leader(before: Cluster, after: Cluster) -> bool:
    """Stale metadata lead the client to nobody who acknowledges what the leader in ZooKeeper does not have."""
    asked, leader = after.client.leader, after.partition.leader
    return (
        before.answer == after.answer
        or after.answer != Answer.ACKNOWLEDGED
        or leader is None
        or (asked is not None and after.known[leader].leader_epoch == after.known[asked].leader_epoch)
    )


@transition
def nothing_written_without_majority(before: Cluster, after: Cluster) -> bool:
    """ZL2: without a majority of the ensemble there is no new controller, no registration, and no write of the ISR."""
    return before.majority or (
        after.controller == before.controller
        and after.controller_epoch == before.controller_epoch
        and after.registered == before.registered
        and after.partition == before.partition
    )


@reachable
def leader_serves_without_majority(s: Cluster) -> bool:
    """ZL2: the ensemble has no majority, and a partition leader acknowledges what is written, since its ISR follows it.

    It was elected by a controller whose epoch it obeyed: nobody is elected meanwhile.
    """
    return not s.majority and any(
        leads(s, node) and s.known[node].leader_epoch > 0 and all(follows(s, it, node) for it in s.known[node].isr)
        for node in Broker
    )


@reachable
def controller_is_deleted(s: Cluster) -> bool:
    """A controller's session goes on, and another one is the controller, since somebody has deleted /controller."""
    return any(
        is_alive(s.session[node]) and node in s.registered and 0 < s.held[node] < s.controller_epoch for node in Broker
    )


@reachable
def zombie_is_refused(s: Cluster) -> bool:
    """A request of a controller that was replaced reaches a broker that has obeyed the new one."""
    return any(
        request.controller_epoch < s.seen[node] and node in request.to for request in s.requests for node in Broker
    )


@reachable
def zombie_has_yet_to_send(s: Cluster) -> bool:
    """A controller that was replaced has yet to send what it read, and is a zombie until then."""
    return any(0 < s.held[node] < s.controller_epoch and len(s.owed[node]) > 0 for node in Broker)


@reachable
def zombie_may_be_obeyed(s: Cluster) -> bool:
    """A request of a controller that was replaced is under way to a broker that has not obeyed the new one yet."""
    return any(
        node in request.to and s.seen[node] <= request.controller_epoch < s.controller_epoch
        for request in s.requests
        for node in Broker
    )


@reachable
def isr_changes_before_the_failover_is_done(s: Cluster) -> bool:
    """A second controller has read the partition, and its leader has changed the ISR since."""
    return any(s.held[node] == 2 and s.controller == node and is_behind(s, node) for node in Broker)


def is_behind(s: Cluster, broker: Broker) -> bool:
    """Whether what a controller has read of the partition is no longer so, the leader epoch being the same."""
    read = s.read[broker]
    return read is not None and read.version < s.partition.version and read.leader_epoch == s.partition.leader_epoch


@reachable
def broker_is_gone_unnoticed(s: Cluster) -> bool:
    """A controller has not read yet that a broker is no longer registered."""
    return any(s.held[node] > 0 and not s.live[node] <= s.registered for node in Broker)


@reachable
def two_leaders_believe(s: Cluster) -> bool:
    """Two brokers believe to lead the partition, with different leader epochs."""
    return len(Set(node for node in Broker if s.known[node].leader == node)) > 1


@reachable
def client_is_turned_away(s: Cluster) -> bool:
    """NOT_LEADER: the broker that the client's metadata names does not lead, while another one does."""
    return s.answer == Answer.NOT_LEADER and any(
        node != s.client.leader and s.known[node].leader == node for node in Broker
    )


@reachable
def metadata_is_stale(s: Cluster) -> bool:
    """A broker leads, and the one that led before still answers clients that it leads."""
    return any(
        s.partition.leader == one and s.known[one].leader == one and s.cached[other].leader == other and one != other
        for one in Broker
        for other in Broker
    )


@reachable
def controller_leads_a_partition(s: Cluster) -> bool:
    """The controller leads the partition: it is a broker as any other. What it sends reaches itself, too."""
    return any(s.controller == node and s.partition.leader == node and s.seen[node] == s.held[node] for node in Broker)


def has_controller(s: Cluster) -> bool:
    """Whether somebody has created /controller."""
    return s.controller is not None


@leads_to(
    has_controller,
    weak(protocol.become_controller),
    weak(protocol.create_controller),
    weak(protocol.resign, each="broker"),
    weak(protocol.connect_again, each="broker"),
    weak(protocol.learn, each="broker"),
    weak(protocol.register, each="broker"),
    weak(protocol.regain_majority),
    limits_of(protocol.elect, protocol.elect_nobody, protocol.move_away_and_back),
    limits_of(protocol.announce, protocol.ask_to_shrink, protocol.ask_to_expand),
)
def eventually_a_controller(s: Cluster) -> bool:
    """ZL1: where there is no controller, there is one in the end.

    The ensemble has its majority again, and who is cut off reaches it again, in time or too late.
    """
    return s.controller is None
