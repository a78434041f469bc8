"""What must hold of the published module of InitProducerId, under the module's names."""

from __future__ import annotations

from ....language import invariant, reachable
from ....model.studies.transactions_published import Client, Cluster, Phase


@invariant
def type_ok(s: Cluster) -> bool:
    """Every field holds a value of its type (checked at every store, so that nothing is left to say here)."""
    return True


@invariant
def clients_have_different_producer_epochs(s: Cluster) -> bool:
    """T2: no two clients have one producer id and one epoch."""
    return all(
        a == b
        or s.phase[a] != Phase.HAS_ID
        or s.phase[b] != Phase.HAS_ID
        or s.producer_id[a] != s.producer_id[b]
        or s.epoch[a] != s.epoch[b]
        for a in Client
        for b in Client
    )


@reachable
def all_clients_get_an_id(s: Cluster) -> bool:
    """Every client has a producer id."""
    return all(s.phase[c] == Phase.HAS_ID for c in Client)
