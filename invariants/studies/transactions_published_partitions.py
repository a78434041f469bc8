"""What must hold of the published module of AddPartitionsToTxn, under the module's names."""

from __future__ import annotations

from ...language import invariant, reachable
from ...model.studies.transactions_published_partitions import Broker, Client, Cluster, Phase, TxnState, partitions


@invariant
def type_ok(s: Cluster) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def clients_have_different_producer_epochs(s: Cluster) -> bool:
    """T2: no two clients have one producer id and one epoch."""
    return all(
        a == b or s.producer_id[a] == -1 or s.producer_id[a] != s.producer_id[b] or s.epoch[a] != s.epoch[b]
        for a in Client
        for b in Client
    )


@invariant
def coordinators_have_different_epochs(s: Cluster) -> bool:
    """No two brokers take themselves for leaders of one epoch."""
    return all(
        a == b or s.replica[a].leader != a or s.replica[b].leader != b or s.replica[a].epoch != s.replica[b].epoch
        for a in Broker
        for b in Broker
    )


@reachable
def partitions_are_added(s: Cluster) -> bool:
    """A client has added all partitions."""
    return any(s.phase[c] == Phase.BEGUN and len(s.added[c]) == partitions for c in Client)


@reachable
def somebody_is_terminated(s: Cluster) -> bool:
    """A client was refused for good."""
    return any(s.phase[c] == Phase.TERMINATED for c in Client)


@reachable
def is_being_aborted(s: Cluster) -> bool:
    """A transaction is being aborted, since another client asks for a producer id."""
    return any(is_aborting(s, b) for b in Broker)


def is_aborting(s: Cluster, broker: Broker) -> bool:
    """Whether a broker knows that a transaction is to be aborted."""
    known = s.known[broker]
    return known is not None and known.state == TxnState.PREPARE_ABORT
