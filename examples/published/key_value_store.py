"""A store with transactions under snapshot isolation, after `KeyValueStore/KeyValueStore.tla`: a transaction works
on a snapshot, and is not closed where another has written what it wrote.

The constants of MCKVSSafetySmall.cfg: two keys, two values, three transactions.
"""

from tidegate.language import Domain, Map, Set, action, constant, initial, invariant, reachable, require, state

keys = constant(2, minimum=1, maximum=3, says="keys")
values = constant(2, minimum=1, maximum=3, says="values")
transactions = constant(2, minimum=1, maximum=4, says="transactions")


class Key(Domain, size=keys, symmetric=True):
    """A key."""


class Val(Domain, size=values, symmetric=True):
    """A value."""


class TxId(Domain, size=transactions, symmetric=True):
    """A transaction."""


@state
class Stores:
    """The store, and what each transaction has of it."""

    store: Map[Key, Val | None]  # what is stored
    tx: Set[TxId]  # open transactions
    snapshot: Map[TxId, Map[Key, Val | None]]  # what each transaction sees
    written: Map[TxId, Set[Key]]  # what each has written
    missed: Map[TxId, Set[Key]]  # what others have written since it was opened


@initial
def start() -> Stores:
    """Nothing is stored, and no transaction is open."""
    return Stores(
        store=Map({k: None for k in Key}),
        tx=Set(),
        snapshot=Map({t: Map({k: None for k in Key}) for t in TxId}),
        written=Map({t: Set() for t in TxId}),
        missed=Map({t: Set() for t in TxId}),
    )


@action
def open_tx(s: Stores, t: TxId) -> None:
    """{t} is opened."""
    require(t not in s.tx)
    s.tx.add(t)
    s.snapshot[t] = s.store


@action
def add(s: Stores, t: TxId, k: Key, v: Val) -> None:
    """{t} adds {v} under {k}."""
    require(t in s.tx and s.snapshot[t][k] is None)
    s.snapshot[t][k] = v
    s.written[t].add(k)


@action
def update(s: Stores, t: TxId, k: Key, v: Val) -> None:
    """{t} puts {v} in place of what is under {k}."""
    require(t in s.tx and s.snapshot[t][k] is not None and s.snapshot[t][k] != v)
    s.snapshot[t][k] = v
    s.written[t].add(k)


@action
def remove(s: Stores, t: TxId, k: Key) -> None:
    """{t} removes what is under {k}."""
    require(t in s.tx and s.snapshot[t][k] is not None)
    s.snapshot[t][k] = None
    s.written[t].add(k)


@action
def roll_back(s: Stores, t: TxId) -> None:
    """{t} is closed, and what it wrote is lost."""
    require(t in s.tx)
    dispose(s, t)


@action
def close_tx(s: Stores, t: TxId) -> None:
    """{t} is closed, and what it wrote is stored."""
    require(t in s.tx and not any(k in s.missed[t] for k in s.written[t]))
    for k in s.written[t]:
        s.store[k] = s.snapshot[t][k]
    for other in s.tx:
        s.missed[other] |= s.written[t]
    dispose(s, t)


def dispose(s: Stores, t: TxId) -> None:
    """Nothing of a transaction is left."""
    s.tx.remove(t)
    s.snapshot[t] = Map({k: None for k in Key})
    s.written[t] = Set()
    s.missed[t] = Set()


@invariant
def tx_lifecycle(s: Stores) -> bool:
    """What an open transaction sees otherwise than it is stored it has written or missed; of others nothing is left."""
    return all(
        s.store[k] == s.snapshot[t][k] or k in s.written[t] or k in s.missed[t] for t in s.tx for k in Key
    ) and all(
        t in s.tx or (all(s.snapshot[t][k] is None for k in Key) and len(s.written[t]) == 0 and len(s.missed[t]) == 0)
        for t in TxId
    )


@reachable
def two_conflict(s: Stores) -> bool:
    """A transaction has written what it has missed."""
    return any(k in s.missed[t] for t in s.tx for k in s.written[t])
