"""What must hold of static members (KIP-345). G1, G2 and G5 are the numbers of a catalogue of Kafka's properties."""

from __future__ import annotations

from ..language import invariant, reachable, terminal, transition
from ..model.static_members import Client, Cluster, GroupState, Instance, Phase, is_current


@invariant
def type_ok(s: Cluster) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def no_double_client_assignment(s: Cluster) -> bool:
    """G1: no two clients that the coordinator takes for one instance consume its partition."""
    return all(
        a == b
        or s.instance[a] != s.instance[b]
        or s.phase[a] != Phase.RUNNING
        or s.phase[b] != Phase.RUNNING
        or not (is_current(s, a) and is_current(s, b))
        for a in Client
        for b in Client
    )


@invariant
def legal_assignment(s: Cluster) -> bool:
    """G2: in a stable group each instance's partition is assigned to the member id that the instance has."""
    return (
        s.group_state != GroupState.STABLE or s.pending is not None or all(s.assigned[i] == s.ids[i] for i in Instance)
    )


@invariant
def confirmed_id_is_known(s: Cluster) -> bool:
    """KAFKA-10284: the coordinator knows the member id that it confirmed to an instance, until that is replaced."""
    return s.group_state == GroupState.LOADING or all(s.confirmed[i] in (0, s.ids[i]) for i in Instance)


@transition
def members_are_not_fenced(before: Cluster, after: Cluster) -> bool:
    """Who is fenced has another member id than its instance, and than was confirmed to that last (KAFKA-10284)."""
    return all(
        before.phase[client] == Phase.FENCED
        or after.phase[client] != Phase.FENCED
        or not (is_current(before, client) or is_confirmed(before, client))
        for client in Client
    )


def is_confirmed(s: Cluster, client: Client) -> bool:
    """Whether a client's member id was confirmed to its instance, and not replaced since."""
    instance = s.instance[client]
    return instance is not None and s.member[client] > 0 and s.confirmed[instance] == s.member[client]


@transition
def only_the_instances_member_begins(before: Cluster, after: Cluster) -> bool:
    """Who begins to consume has the member id of its instance: another client of that instance is fenced."""
    return all(
        before.phase[client] == Phase.RUNNING or after.phase[client] != Phase.RUNNING or is_current(after, client)
        for client in Client
    )


@transition
def restart_begins_no_rebalance(before: Cluster, after: Cluster) -> bool:
    """KIP-345: a stable group rebalances only when an instance comes or goes."""
    return (
        before.group_state != GroupState.STABLE
        or after.group_state != GroupState.PREPARING_REBALANCE
        or any((before.ids[i] == 0) != (after.ids[i] == 0) for i in Instance)
    )


@transition
def generations_never_go_back(before: Cluster, after: Cluster) -> bool:
    """G5: the group's generation only rises, but where a coordinator loads what is in the log."""
    return after.generation >= before.generation or before.group_state == GroupState.LOADING


# --- what must be possible --------------------------------------------------------------------------------------------


@reachable
def restarts_with_its_assignment(s: Cluster) -> bool:
    """A client has taken its instance's place in the only generation that there was, and consumes."""
    return s.generation == 1 and s.failed_over == 0 and has_replaced(s)


def has_replaced(s: Cluster) -> bool:
    """Whether a client consumes that has taken another's place in a stable group: the log holds more records than there
    were generations, and nobody but the client with the newest member id can have written the last one."""
    return len(s.log.committed) > s.generation and any(
        s.phase[client] == Phase.RUNNING and is_current(s, client) and s.member[client] == s.given for client in Client
    )


@reachable
def duplicate_is_fenced(s: Cluster) -> bool:
    """Of two clients that were started as one instance, one is fenced and the other consumes."""
    return any(
        s.phase[a] == Phase.FENCED
        and s.phase[b] == Phase.RUNNING
        and s.instance[a] == s.instance[b]
        and is_current(s, b)
        for a in Client
        for b in Client
    )


@reachable
def everybody_has_something(s: Cluster) -> bool:
    """Each instance has a client that consumes."""
    return all(
        any(s.instance[client] == i and s.phase[client] == Phase.RUNNING and is_current(s, client) for client in Client)
        for i in Instance
    )


@reachable
def replacement_is_loaded(s: Cluster) -> bool:
    """A client that has taken another's place goes on at a coordinator that has loaded its member id."""
    return s.failed_over > 0 and s.group_state == GroupState.STABLE and has_replaced(s)


@terminal
def all_run_or_are_fenced(s: Cluster) -> bool:
    """The group is stable, and every client consumes or is fenced."""
    return s.group_state == GroupState.STABLE and all(s.phase[c] in (Phase.RUNNING, Phase.FENCED) for c in Client)
