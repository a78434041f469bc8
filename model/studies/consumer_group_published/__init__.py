"""Kafka's group protocol of KIP-848: members have epochs, and the coordinator moves each to its target by heartbeats.

A member sends heartbeats; the coordinator answers with what the member may own. Whenever a member comes, goes or
subscribes to something else, the *group's epoch* rises and the coordinator computes a *target assignment* for that
epoch. Each member is then moved by itself: first it gives up what it owns beyond its target, and says so in a
heartbeat; only then has its *member epoch* risen to the target's, and it is given what others have given up. A
partition that a member owns, or has yet to give up, has a *partition epoch*; one without may be given away. No
member waits for another that has nothing it needs.

A request with another epoch than the coordinator has for that member, or of one who is no member, is refused: the
member is *fenced*, forgets what it owned, and joins with a new id.

The profile `published` is, state for state, the TLA+ module `consumer_group_protocol_kip_848_v2` with its `network`,
by Jack Vanlightly (Vanlightly/kafka-tlaplus at 823615e): TLC counts the same distinct states and the same depth
(spec/consumer_group_published.toml). `kafka_16147` keeps the partitions' epochs as Kafka did up to 3.7, and as an
earlier text of that module does, which it still has beside the other: of two sets of partitions, those that a
member owns and those that it has yet to give up, each is compared and written by itself. Where one partition moves
from the second to the first, its epoch is written, and then removed.

What the module leaves open, or does in another way than Kafka 4: any assignment is a target that gives each partition
to a subscriber, and a request waits while there is none; a client sends no heartbeats while all has converged; a
member's metadata and its assignment are not in a log, and no coordinator fails over; the epoch that a member had
before is not accepted, as Kafka does for a lost answer; there are no static members, no offsets and no regular
expressions. The module writes an illegal change of a client's status into the state, and its TypeOK fails; here it
cannot be written, and `legal_status_changes` says which there are.

The text is in two files: `state.py` says what there is, `protocol.py` what clients and the coordinator do.

Sources: KIP-848; the module; ConsumerGroup and CurrentAssignmentBuilder of Kafka 3.7 and 3.8; KAFKA-16147. Properties
are in `invariants/studies/consumer_group_published/properties.py`, with the module's names.
"""

from __future__ import annotations

from ....language import GroupLanes, terminal
from . import protocol, state
from .protocol import epoch_after, subscribes
from .state import Client, Group, ids, is_converged, topics

modules = (state, protocol)  # in the order of the story

view = GroupLanes(
    lane=Client,
    state="s.clients[lane].status",
    generation="s.clients[lane].epoch",
    badges={"owns": "s.clients[lane].owned", "member": "s.clients[lane].member"},
    board={"group": "status", "group's epoch": "epoch", "target's epoch": "target_epoch"},
)

profiles = {
    "published": {},
    "kafka_16147": {"partition_epochs_by_member": False},
}


@terminal
def has_converged(s: Group) -> bool:
    """All have converged: the module's clients send no more heartbeats."""
    return is_converged(s)


@terminal
def topic_without_subscriber(s: Group) -> bool:
    """A heartbeat calls for a target, and nobody subscribes to some topic: the module computes none then."""
    return any(
        epoch_after(s, heartbeat) > s.target_epoch
        and any(all(not subscribes(s, heartbeat, m, topic) for m in range(1, ids + 1)) for topic in range(topics))
        for heartbeat in s.heartbeats
    )
