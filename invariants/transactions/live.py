"""What must happen with transactions, once requests that are late have arrived or are lost: they end, readers of
committed records get on, and who asks for a producer id gets it. TL1 to TL4 are the numbers of a catalogue of Kafka's
properties.

Clients need not do anything: who has begun a transaction may stop, so that only the coordinator's timeout ends it.
What is fair is what Kafka does again and again: the coordinator commits its records, sends markers, writes that a
transaction is over and aborts one that takes too long. Clients that ask for an epoch are refused while an end is under
way, and ask again: that takes strong fairness, since it may be so each time.
"""

from __future__ import annotations

from ...language import always_possible, leads_to, limits_of, reachable, strong, weak
from ...model import transactions
from ...model.transactions import coordinator
from ...model.transactions.clients import add_partition, begin, is_fenced
from ...model.transactions.state import (
    Client,
    Cluster,
    Offset,
    Partition,
    Phase,
    TxnState,
    durable,
    first_open,
    is_over,
    is_prepared,
)

modules = (*transactions.modules, transactions)
profiles = transactions.profiles
view = transactions.view

_MARKERS = (weak(coordinator.write_marker, each="partition"),)
_COORDINATOR = (
    weak(coordinator.complete),
    weak(coordinator.log_commits),
    weak(coordinator.load),
    weak(coordinator.write_fence),
)
_TIMEOUT = (weak(coordinator.time_out),)
_ASKS = (strong(coordinator.init_producer, coordinator.fence, each="client"),)
_BEGINS = (limits_of(begin),)
_BUMPS = (strong(coordinator.bump_epoch, coordinator.bump_is_answered_again, each="client"),)


# --- TL1: transactions end --------------------------------------------------------------------------------------------


def is_decided(s: Cluster) -> bool:
    """Whether the log says how the transaction is to end, and not that it is over."""
    return is_prepared(durable(s))


def is_not_decided(s: Cluster) -> bool:
    """Whether it does not."""
    return not is_prepared(durable(s))


def is_done(s: Cluster) -> bool:
    """Whether the log says that there is no transaction."""
    return is_over(durable(s))


@leads_to(is_not_decided, *_MARKERS, *_COORDINATOR, *_BEGINS)
def decided_transactions_end(s: Cluster) -> bool:
    """TL1: what is decided is done: the log says in the end that the transaction is over."""
    return is_decided(s)


@leads_to(is_not_decided, *_COORDINATOR)
def decided_transactions_end_without_markers(s: Cluster) -> bool:
    """TL1 without what it needs: a partition gets no markers."""
    return is_decided(s)


@leads_to(is_done, *_MARKERS, *_COORDINATOR, *_TIMEOUT, *_BEGINS)
def open_transactions_end(s: Cluster) -> bool:
    """TL1: a transaction that is under way is over in the end, also if its producer does nothing more."""
    return durable(s).state == TxnState.ONGOING


@leads_to(is_done, *_MARKERS, *_COORDINATOR)
def open_transactions_end_without_a_timeout(s: Cluster) -> bool:
    """TL1 without what it needs: the coordinator waits for the producer for ever."""
    return durable(s).state == TxnState.ONGOING


# --- TL2: the last stable offset moves --------------------------------------------------------------------------------


def is_first_open(s: Cluster, partition: Partition, offset: Offset) -> bool:
    """Whether the last stable offset waits for the record at that offset."""
    return first_open(s, partition) == offset and offset < len(s.logs[partition])


def is_passed(s: Cluster, partition: Partition, offset: Offset) -> bool:
    """Whether it waits for it no longer."""
    return not is_first_open(s, partition, offset)


@leads_to(is_passed, *_MARKERS, *_COORDINATOR, *_TIMEOUT, *_BEGINS)
def last_stable_offset_moves(s: Cluster, partition: Partition, offset: Offset) -> bool:
    """TL2: each record for which the last stable offset waits is committed or aborted in the end."""
    return is_first_open(s, partition, offset)


@always_possible
def may_be_all_stable(s: Cluster, partition: Partition) -> bool:
    """Whatever has happened, some way leads to where the last stable offset waits for nothing.

    TL2 without any fairness."""
    return first_open(s, partition) == len(s.logs[partition])


@leads_to(is_passed, *_MARKERS, *_COORDINATOR)
def last_stable_offset_moves_without_a_timeout(s: Cluster, partition: Partition, offset: Offset) -> bool:
    """TL2 without what it needs: the coordinator waits for the producer for ever."""
    return is_first_open(s, partition, offset)


# --- TL3: whoever asks gets an epoch; TL4: and adds its partitions ----------------------------------------------------


def has_no_epoch(s: Cluster, client: Client) -> bool:
    """Whether a client is to have its first epoch."""
    return s.epoch[client] == 0 and s.phase[client] in (Phase.OUT, Phase.INITIALIZING)


def has_an_epoch(s: Cluster, client: Client) -> bool:
    """Whether a client has had an epoch."""
    return not has_no_epoch(s, client)


@leads_to(has_an_epoch, *_ASKS, *_MARKERS, *_COORDINATOR, *_BEGINS)
def gets_an_epoch(s: Cluster, client: Client) -> bool:
    """TL3: a client that asks for a producer id gets one, and an epoch."""
    return has_no_epoch(s, client)


@leads_to(has_an_epoch, *_ASKS, *_COORDINATOR)
def gets_an_epoch_without_markers(s: Cluster, client: Client) -> bool:
    """TL3 without what it needs: a transaction before it is never over."""
    return has_no_epoch(s, client)


def is_to_go_on(s: Cluster, client: Client) -> bool:
    """Whether a client that has an epoch is to have the next one, since it does not know what became of a write."""
    return s.phase[client] == Phase.BUMPING or (s.phase[client] == Phase.INITIALIZING and s.epoch[client] > 0)


def goes_on(s: Cluster, client: Client) -> bool:
    """Whether it has the next one, or has learnt that it is fenced."""
    return not is_to_go_on(s, client)


@leads_to(goes_on, *_BUMPS, weak(is_fenced, each="client"), *_MARKERS, *_COORDINATOR, *_BEGINS)
def gets_a_new_epoch(s: Cluster, client: Client) -> bool:
    """TL3 with KIP-360: a client that asks for its next epoch gets it, or learns that it is fenced."""
    return is_to_go_on(s, client)


@leads_to(goes_on, *_BUMPS, *_MARKERS, *_COORDINATOR)
def gets_a_new_epoch_though_none_is_refused(s: Cluster, client: Client) -> bool:
    """The same without what it needs: a client that is fenced does not learn of it."""
    return is_to_go_on(s, client)


def lacks_a_partition(s: Cluster, client: Client) -> bool:
    """Whether a client has a transaction to which not all partitions are added."""
    return s.phase[client] in (Phase.OPEN, Phase.ADDING) and any(p not in s.added[client] for p in Partition)


def lacks_none(s: Cluster, client: Client) -> bool:
    """Whether it lacks none, or has no transaction any more."""
    return not lacks_a_partition(s, client)


@leads_to(
    lacks_none,
    strong(add_partition, each="client"),
    weak(is_fenced, each="client"),
    *_MARKERS,
    *_COORDINATOR,
    *_BEGINS,
)
def adds_all_partitions(s: Cluster, client: Client) -> bool:
    """TL4: a client adds every partition to its transaction, asks for its end, or learns that it is fenced."""
    return lacks_a_partition(s, client)


@leads_to(lacks_none, strong(add_partition, each="client"), *_MARKERS, *_COORDINATOR)
def adds_all_partitions_though_none_is_refused(s: Cluster, client: Client) -> bool:
    """TL4 without what it needs: a client that is fenced does not learn of it."""
    return lacks_a_partition(s, client)


# --- what the claims begin with ---------------------------------------------------------------------------------------


@reachable
def is_decided_and_open(s: Cluster) -> bool:
    """The end is decided, and a partition waits for its marker."""
    return is_prepared(durable(s)) and any(first_open(s, p) < len(s.logs[p]) for p in Partition)


@reachable
def all_partitions_wait(s: Cluster) -> bool:
    """Every partition has a record that is neither committed nor aborted."""
    return all(first_open(s, p) < len(s.logs[p]) for p in Partition)


@reachable
def client_waits_for_another(s: Cluster) -> bool:
    """A client is to have its first epoch, while the transaction of another is under way."""
    return any(has_no_epoch(s, c) for c in Client) and durable(s).state == TxnState.ONGOING


@reachable
def waits_for_a_new_epoch(s: Cluster) -> bool:
    """What `gets_a_new_epoch` begins with: a client that has an epoch is to have the next one."""
    return any(is_to_go_on(s, client) for client in Client)


@reachable
def open_and_fenced(s: Cluster) -> bool:
    """A client adds partitions to a transaction, and another client has a newer epoch."""
    return any(lacks_a_partition(s, a) and s.epoch[b] > s.epoch[a] for a in Client for b in Client)
