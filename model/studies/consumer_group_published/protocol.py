"""What clients and the coordinator do."""

from __future__ import annotations

from ....language import Map, Option, Set, action, limit, replace, require
from .state import *

# === What clients do: heartbeats, answers to them, and what perturbs a group ==========================================


def reports(client: ClientState) -> bool:
    """Whether the next heartbeat says what the client owns."""
    return client.last_sent is None or client.last_sent != client.owned or client.owned != client.target


def status_when_sent(client: ClientState) -> Status:
    """A client's status once it has sent a heartbeat."""
    if client.status == Status.UNSUBSCRIBED:
        return Status.JOINING
    if client.status == Status.ACKNOWLEDGING:
        return Status.STABLE if client.target == client.owned else Status.RECONCILING
    return Status.UNSUBSCRIBED if client.status == Status.LEAVING else client.status


@action(kind="client")
def send_heartbeat(s: Group, client: Client, to: Set[Topic]) -> None:
    """{client}, of epoch {s.clients[client].epoch}, sends a heartbeat; it subscribes to topics {to}."""
    old = s.clients[client]
    require(not old.waits and not is_converged(s))
    require(to == old.subscribed if s.perturbed == perturbations else len(to) > 0)
    if to != old.subscribed:
        s.perturbed += 1
    connection = s.connections_made + 1 if old.connection == 0 else old.connection
    s.connections_made = max(s.connections_made, connection)
    left = old.status == Status.LEAVING
    s.clients[client] = replace(
        old,
        status=status_when_sent(old),
        subscribed=to,
        last_sent=old.owned if reports(old) else old.last_sent,
        connection=connection,
        waits=True,
        member=0 if left else old.member,
        epoch=0 if left else old.epoch,
    )
    s.last_heartbeat, s.last_answer = None, None
    s.heartbeats.add(
        Heartbeat(
            source=client,
            connection=connection,
            member=old.member,
            epoch=old.epoch,
            subscribed=to,
            owned=old.owned if reports(old) else None,
        )
    )


@action(kind="client")
def complete_reconciliation(s: Group, client: Client) -> None:
    """{client} has given up and taken on what it should; but not if its epoch is another one by now."""
    old = s.clients[client]
    begun = old.reconciles
    require(begun is not None)
    assert begun is not None
    if old.status == Status.RECONCILING and begun.epoch == old.epoch:
        s.clients[client] = replace(old, status=Status.ACKNOWLEDGING, owned=begun.assignment, reconciles=None)
    else:
        s.clients[client] = replace(old, reconciles=None)


@action
def receive_refusal(s: Group, client: Client, answer: Answer) -> None:
    """{client}, of epoch {s.clients[client].epoch}, is refused: it forgets what it owned."""
    require(answer.to == client)
    old = s.clients[client]
    require(answer.error is not None and old.connection == answer.connection)
    s.answers.remove(answer)
    s.last_heartbeat, s.last_answer = None, answer
    if old.status == Status.UNSUBSCRIBED:
        s.clients[client] = replace(old, waits=False)
    else:
        s.clients[client] = replace(
            old,
            member=0,
            epoch=0,
            waits=False,
            owned=Set(),
            target=Set(),
            last_sent=None,
            status=Status.UNSUBSCRIBED if old.status in (Status.PREPARE_LEAVING, Status.LEAVING) else Status.JOINING,
        )


def reconciling(client: ClientState) -> ClientState:
    """A client that begins to move to its target, unless it is at it already."""
    if client.reconciles is not None:
        return client
    return replace(
        client,
        status=Status.RECONCILING,
        reconciles=Reconciliation(epoch=client.epoch, assignment=client.target),
    )


def unchanged_assignment(client: ClientState) -> ClientState:
    """A client whose assignment is as it was."""
    if client.target == client.owned:
        return replace(client, status=Status.STABLE)
    return reconciling(client) if client.status == Status.RECONCILING else client


def with_assignment(client: ClientState, assignment: Set[Partition]) -> ClientState:
    """A client whose assignment has changed."""
    if assignment != client.owned:
        return reconciling(replace(client, target=assignment))
    return replace(client, status=Status.STABLE) if client.status in (Status.JOINING, Status.RECONCILING) else client


@action
def receive_answer(s: Group, client: Client, answer: Answer) -> None:
    """{client} receives its epoch, {answer.epoch}, and what it may own: {answer.assignment}."""
    require(answer.to == client)
    old = s.clients[client]
    require(answer.error is None and old.connection == answer.connection)
    s.answers.remove(answer)
    s.last_heartbeat, s.last_answer = None, answer
    known = replace(old, member=answer.member, epoch=answer.epoch, waits=False)
    assignment = answer.assignment
    if old.status in (Status.UNSUBSCRIBED, Status.PREPARE_LEAVING, Status.LEAVING):
        s.clients[client] = replace(old, waits=False)
    elif assignment is None:
        s.clients[client] = unchanged_assignment(known)
    else:
        s.clients[client] = with_assignment(known, assignment)


# --- what perturbs a group --------------------------------------------------------------------------------------------


@action(kind="client")
def start_to_leave(s: Group, client: Client) -> None:
    """{client} begins to leave."""
    old = s.clients[client]
    require(old.epoch > 0 and old.status not in (Status.UNSUBSCRIBED, Status.PREPARE_LEAVING, Status.LEAVING))
    limit(s.perturbed < perturbations)
    s.clients[client] = replace(old, status=Status.PREPARE_LEAVING, leaves=old.owned)
    s.perturbed += 1


@action(kind="client")
def complete_leave(s: Group, client: Client) -> None:
    """{client} has given up what it owned, and is about to say that it leaves."""
    old = s.clients[client]
    require(old.leaves is not None)
    if old.status == Status.PREPARE_LEAVING:
        s.clients[client] = replace(
            old,
            status=Status.LEAVING,
            epoch=-1,
            subscribed=Set(),
            owned=Set(),
            target=Set(),
            last_sent=None,
            leaves=None,
        )
    else:
        s.clients[client] = replace(old, leaves=None)


@action(kind="fault")
def crash(s: Group, client: Client) -> None:
    """{client} crashes, and starts again."""
    require(s.clients[client].epoch > 0)
    limit(s.perturbed < perturbations)
    s.clients[client] = joining()
    s.perturbed += 1


# === What the coordinator does: it fences members, computes targets, and moves each member to its own =================


def remove(s: Group, member: Id) -> None:
    """The coordinator removes a member: the group's epoch rises, and what the member had may be given away."""
    old = s.members[member]
    assert old is not None
    s.epoch += 1
    s.members[member] = None
    s.status = (
        GroupStatus.EMPTY
        if all(s.members[m] is None for m in range(1, ids + 1))
        else GroupStatus.ASSIGNING
        if s.epoch > s.target_epoch
        else GroupStatus.RECONCILING
    )
    for p in range(all_partitions):
        if p in old.assigned or p in old.to_revoke:
            s.partition_epoch[p] = 0


def reply(s: Group, heartbeat: Heartbeat, answer: Answer) -> None:
    """The coordinator answers, if the client still has the connection on which it asked."""
    s.heartbeats.remove(heartbeat)
    s.last_heartbeat, s.last_answer = heartbeat, None
    if s.clients[heartbeat.source].connection == heartbeat.connection:
        s.answers.add(answer)


def refusal(heartbeat: Heartbeat, error: Error) -> Answer:
    """The answer that refuses a heartbeat."""
    return Answer(to=heartbeat.source, connection=heartbeat.connection, member=0, epoch=0, assignment=None, error=error)


@action
def refuse_unknown(s: Group, client: Client, heartbeat: Heartbeat) -> None:
    """The coordinator refuses {client}'s heartbeat: member {heartbeat.member} is not in the group."""
    require(heartbeat.source == client)
    require(heartbeat.member != 0 and member_of(s, heartbeat.member) is None)
    reply(s, heartbeat, refusal(heartbeat, Error.UNKNOWN_MEMBER_ID))


def is_fenced(s: Group, heartbeat: Heartbeat) -> bool:
    """Whether a member asks with another epoch than the coordinator has for it."""
    member = member_of(s, heartbeat.member)
    return member is not None and heartbeat.epoch != -1 and member.epoch != heartbeat.epoch


@action
def fence(s: Group, client: Client, heartbeat: Heartbeat) -> None:
    """The coordinator fences member {heartbeat.member}, which asks with epoch {heartbeat.epoch}."""
    require(heartbeat.source == client)
    require(is_fenced(s, heartbeat))
    remove(s, heartbeat.member)
    reply(s, heartbeat, refusal(heartbeat, Error.FENCED_MEMBER_EPOCH))


@action
def receive_leave(s: Group, client: Client, heartbeat: Heartbeat) -> None:
    """The coordinator receives the leave of member {heartbeat.member}."""
    require(heartbeat.source == client)
    require(heartbeat.epoch == -1 and member_of(s, heartbeat.member) is not None)
    remove(s, heartbeat.member)
    reply(
        s,
        heartbeat,
        Answer(
            to=heartbeat.source,
            connection=heartbeat.connection,
            member=heartbeat.member,
            epoch=-1,
            assignment=None,
            error=None,
        ),
    )


def member_after_heartbeat(heartbeat: Heartbeat, old: Option[Member]) -> Member:
    """A member with what its heartbeat says: a new one, if there is none."""
    if old is None:
        return Member(
            host=heartbeat.source,
            epoch=0,
            target_epoch=0,
            subscribed=heartbeat.subscribed,
            status=MemberStatus.STABLE,
            assigned=Set(),
            to_revoke=Set(),
            to_assign=Set(),
            reported=None,
        )
    return replace(
        old,
        subscribed=heartbeat.subscribed,
        reported=old.reported if heartbeat.owned is None else heartbeat.owned,
    )


def id_for(s: Group, heartbeat: Heartbeat) -> Id:
    """The id of who asks: the next one, if it has none."""
    return s.ids_given + 1 if heartbeat.member == 0 else heartbeat.member


def epoch_after(s: Group, heartbeat: Heartbeat) -> Epoch:
    """The group's epoch after a heartbeat: it rises with a new member, and with a new subscription."""
    old = member_of(s, heartbeat.member)
    return s.epoch + 1 if old is None or old.subscribed != heartbeat.subscribed else s.epoch


def status_of(to_revoke: Set[Partition], to_assign: Set[Partition]) -> MemberStatus:
    """A member's status, by what it has yet to give up and to be given."""
    if len(to_revoke) > 0:
        return MemberStatus.REVOKING
    return MemberStatus.ASSIGNING if len(to_assign) > 0 else MemberStatus.STABLE


def give_free(member: Member, free: Set[Partition], epoch: Epoch) -> Member:
    """A member with nothing left to give up, which is given what is free of what it waits for."""
    to_assign = member.to_assign - free
    return replace(
        member,
        status=status_of(Set(), to_assign),
        epoch=epoch,
        target_epoch=epoch,
        assigned=member.assigned | (member.to_assign & free),
        to_revoke=Set(),
        to_assign=to_assign,
    )


def move_to_target(member: Member, free: Set[Partition], epoch: Epoch, target: Set[Partition]) -> Member:
    """A member on its way to the target of an epoch, as far as it can go now."""
    if member.target_epoch != epoch:
        had = member.assigned | member.to_revoke
        begun = replace(member, assigned=had & target, to_revoke=had - target, to_assign=target - had)
        if len(begun.to_revoke) > 0:
            return replace(begun, status=MemberStatus.REVOKING, target_epoch=epoch)
        return give_free(begun, free, epoch)
    if member.status == MemberStatus.REVOKING:
        done = len(member.to_revoke) == 0 or (member.reported is not None and member.reported == member.assigned)
        return give_free(member, free, epoch) if done else member
    if member.status == MemberStatus.ASSIGNING and len(member.to_assign & free) > 0:
        return give_free(member, free, epoch)
    return member


def had_part(old: Option[Member], p: Partition, revoked: bool) -> bool:
    """Whether a member owned a partition; or, {revoked}, had yet to give it up."""
    return old is not None and (p in old.to_revoke if revoked else p in old.assigned)


def part_changed(old: Option[Member], new: Member, revoked: bool) -> bool:
    """Whether what a member owns has changed; or, {revoked}, what it has yet to give up."""
    if old is None:
        return True
    return old.to_revoke != new.to_revoke if revoked else old.assigned != new.assigned


def epoch_by_part(old: Option[Member], new: Member, p: Partition, before: Epoch, revoked: bool) -> Epoch:
    """KAFKA-16147: a partition's epoch, when one of a member's two sets is compared and written by itself."""
    if not part_changed(old, new, revoked):
        return before
    if p in (new.to_revoke if revoked else new.assigned):
        return new.epoch
    return 0 if had_part(old, p, revoked) else before


def partition_epoch_after(old: Option[Member], new: Member, p: Partition, before: Epoch) -> Epoch:
    """A partition's epoch, when a member's assignment changes."""
    if not partition_epochs_by_member:
        return epoch_by_part(old, new, p, epoch_by_part(old, new, p, before, False), True)
    if p in new.assigned or p in new.to_revoke:
        return new.epoch
    return 0 if had_part(old, p, False) or had_part(old, p, True) else before


def move(s: Group, heartbeat: Heartbeat, target: Set[Partition]) -> None:
    """The coordinator moves a member to its target, as far as it can, and answers."""
    require(heartbeat.epoch != -1 and not is_fenced(s, heartbeat))
    require(heartbeat.member == 0 or member_of(s, heartbeat.member) is not None)
    member = id_for(s, heartbeat)
    epoch = epoch_after(s, heartbeat)
    old = member_of(s, heartbeat.member)
    known = member_after_heartbeat(heartbeat, old)
    new = move_to_target(known, Set(p for p in range(all_partitions) if s.partition_epoch[p] == 0), epoch, target)
    s.epoch = epoch
    s.ids_given = max(s.ids_given, member)
    s.members[member] = new
    s.status = status_of_group(s, epoch)
    for p in range(all_partitions):
        s.partition_epoch[p] = partition_epoch_after(old, new, p, s.partition_epoch[p])
    reply(
        s,
        heartbeat,
        Answer(
            to=heartbeat.source,
            connection=heartbeat.connection,
            member=member,
            epoch=new.epoch,
            assignment=new.assigned if heartbeat.owned is not None or heartbeat.epoch == 0 or new != known else None,
            error=None,
        ),
    )


def status_of_group(s: Group, epoch: Epoch) -> GroupStatus:
    """Whether every member has come to the target of an epoch."""
    return (
        GroupStatus.STABLE if all(has_come(s.members[m], epoch) for m in range(1, ids + 1)) else GroupStatus.RECONCILING
    )


def has_come(member: Option[Member], epoch: Epoch) -> bool:
    """Whether a member has come to the target of an epoch."""
    return member is None or (member.status == MemberStatus.STABLE and member.target_epoch == epoch)


def subscribes(s: Group, heartbeat: Heartbeat, member: Id, topic: Topic) -> bool:
    """Whether a member subscribes to a topic, once a heartbeat is received."""
    if member == id_for(s, heartbeat):
        return topic in heartbeat.subscribed
    known = s.members[member]
    return known is not None and topic in known.subscribed


@action
def receive_heartbeat(s: Group, client: Client, heartbeat: Heartbeat) -> None:
    """The coordinator receives member {heartbeat.member}'s heartbeat, of epoch {heartbeat.epoch}; the target stays."""
    require(heartbeat.source == client)
    require(heartbeat.member != 0 and epoch_after(s, heartbeat) == s.target_epoch)
    target = s.target[heartbeat.member]
    require(target is not None)
    assert target is not None
    move(s, heartbeat, target)


@action
def receive_heartbeat_and_assign(s: Group, client: Client, heartbeat: Heartbeat, owners: Map[Partition, Id]) -> None:
    """The coordinator receives {client}'s heartbeat, of epoch {heartbeat.epoch}; the target is {owners}."""
    require(heartbeat.source == client)
    require(epoch_after(s, heartbeat) > s.target_epoch)
    require(all(subscribes(s, heartbeat, owners[p], p // partitions) for p in range(all_partitions)))
    member = id_for(s, heartbeat)
    epoch = epoch_after(s, heartbeat)
    move(s, heartbeat, Set(p for p in range(all_partitions) if owners[p] == member))
    s.target_epoch = epoch
    for m in range(1, ids + 1):
        if s.members[m] is None:
            s.target[m] = None
        else:
            s.target[m] = Set(p for p in range(all_partitions) if owners[p] == m)


@action(kind="fault")
def live_member_expires(s: Group, member: Id) -> None:
    """The session of member {member} ends, whose client may well go on."""
    require(s.members[member] is not None)
    limit(s.perturbed < perturbations)
    remove(s, member)
    s.perturbed += 1


@action
def dead_member_expires(s: Group, member: Id) -> None:
    """The session of member {member} ends, whose client is another member by now."""
    old = s.members[member]
    require(old is not None)
    assert old is not None
    client = s.clients[old.host]
    require(client.member != member and client.member != 0 and client.status != Status.JOINING)
    remove(s, member)
