"""What clients do: heartbeats, answers to them, and what perturbs a group."""

from __future__ import annotations

from ....language import Set, action, limit, replace, require
from .state import (
    Answer,
    Client,
    ClientState,
    Group,
    Heartbeat,
    Partition,
    Reconciliation,
    Status,
    Topic,
    is_converged,
    joining,
    perturbations,
)


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
