"""The ledgers of the Nano currency, after `NanoBlockchain/Nano.tla` and `MCNano.tla`: every node has an account, whose
blocks form a chain, and checks the blocks that it receives before they go into its own ledger.

A block's hash is the first that is free, and the same for the same block. When every hash is used, nothing happens any
more. TLC's `VIEW` leaves out which hash stands for which block and which was calculated last; with `--projection
ledgers_and_mail` there are its 3,003 states, with four hashes its 530,587.
"""

from __future__ import annotations

from typing import Annotated

from tidegate.language import (
    Domain,
    Map,
    Option,
    Range,
    action,
    choose,
    constant,
    initial,
    invariant,
    projection,
    record,
    recursive,
    require,
    state,
    terminal,
)

nodes = constant(2, minimum=1, maximum=3, says="nodes, each with an account and its keys")
hashes = constant(3, minimum=1, maximum=5, says="hashes, which the protocol does not bound")
coins = constant(3, minimum=0, maximum=4, says="coins that the first block has")


class Node(Domain, size=nodes):
    """A node, and its account."""


class Hash(Domain, size=hashes, ordered=True):
    """The hash of a block."""


Coins = Annotated[int, Range(0, coins)]


@record
class Genesis:
    """The first block: an account has all coins."""

    account: Node


@record
class Send:
    """An account keeps a balance, and sends what it had beyond it."""

    previous: Hash
    balance: Coins
    destination: Node


@record
class Open:
    """An account's first block: it takes what was sent to it."""

    account: Node
    source: Hash
    representative: Node


@record
class Receive:
    """An account that is open takes what was sent to it."""

    previous: Hash
    source: Hash


@record
class Change:
    """An account has another representative."""

    previous: Hash
    representative: Node


Block = Genesis | Send | Open | Receive | Change


@record
class Signed:
    """A block, its hash, and who signed it."""

    block: Block
    hash: Hash
    by: Node


Ledger = Map[Hash, Option[Signed]]


@state
class Nano:
    """What every node knows, and the hashes that were calculated."""

    block_of: Map[Hash, Option[Block]]
    last: Option[Hash]  # the hash that was calculated last
    ledger: Map[Node, Ledger]
    received: Map[Node, Ledger]  # what is not yet checked: no two accounts sign blocks of one hash


@initial
def start() -> Nano:
    """There is no block."""
    return Nano(
        block_of=Map({h: None for h in Hash}),
        last=None,
        ledger=Map({n: Map({h: None for h in Hash}) for n in Node}),
        received=Map({n: Map({h: None for h in Hash}) for n in Node}),
    )


def a_hash_is_left(s: Nano) -> bool:
    """Whether a block that is new can have a hash."""
    return any(s.block_of[h] is None for h in Hash)


def hash_of(s: Nano, block: Block) -> Hash:
    """The block's own hash, or the first that is free."""
    if any(s.block_of[h] == block for h in Hash):
        return choose(h for h in Hash if s.block_of[h] == block)
    return choose(h for h in Hash if s.block_of[h] is None)


def signed_at(ledger: Ledger, at: Hash) -> Signed:
    """The block of a hash that the ledger has."""
    found = ledger[at]
    assert found is not None
    return found


@recursive(depth=hashes)
def account_of(ledger: Ledger, at: Hash) -> Node:
    """Whose chain a block is in."""
    block = signed_at(ledger, at).block
    match block:
        case Genesis() | Open():
            return block.account
        case _:
            return account_of(ledger, block.previous)


@recursive(depth=hashes)
def balance_at(ledger: Ledger, at: Hash) -> int:
    """What an account has after a block."""
    block = signed_at(ledger, at).block
    match block:
        case Genesis():
            return coins
        case Send():
            return block.balance
        case _:
            had = 0 if isinstance(block, Open) else balance_at(ledger, block.previous)
            if isinstance(block, Change):
                return had
            match signed_at(ledger, block.source).block:
                case Send(previous=before, balance=rest):
                    return had + balance_at(ledger, before) - rest
                case _:
                    return had


def is_open(ledger: Ledger, account: Node) -> bool:
    """Whether an account has its first block."""
    return any(_opens(ledger, h, account) for h in Hash)


def _opens(ledger: Ledger, at: Hash, account: Node) -> bool:
    found = ledger[at]
    if found is None:
        return False
    block = found.block
    match block:
        case Genesis() | Open():
            return block.account == account
        case _:
            return False


def is_taken(ledger: Ledger, source: Hash) -> bool:
    """Whether an account took what a block sent."""
    return any(_takes(ledger, h, source) for h in Hash)


def _takes(ledger: Ledger, at: Hash, source: Hash) -> bool:
    found = ledger[at]
    if found is None:
        return False
    block = found.block
    match block:
        case Open() | Receive():
            return block.source == source
        case _:
            return False


def sends_to(ledger: Ledger, at: Hash, account: Node) -> bool:
    """Whether the ledger has a block that sends coins to an account."""
    found = ledger[at]
    if found is None:
        return False
    match found.block:
        case Send(destination=destination):
            return destination == account
        case _:
            return False


def is_own(ledger: Ledger, at: Hash, account: Node) -> bool:
    """Whether the ledger has a block, in the chain of an account."""
    return ledger[at] is not None and account_of(ledger, at) == account


def is_valid(ledger: Ledger, block: Block) -> bool:
    """Whether a block fits what the ledger has."""
    match block:
        case Genesis():
            return False
        case Open(account=account, source=source):
            return sends_to(ledger, source, account)
        case Send(previous=previous, balance=balance):
            return ledger[previous] is not None and balance <= balance_at(ledger, previous)
        case Receive(previous=previous, source=source):
            return ledger[previous] is not None and sends_to(ledger, source, account_of(ledger, previous))
        case Change(previous=previous):
            return ledger[previous] is not None


def is_first(ledger: Ledger, block: Block) -> bool:
    """Whether a block neither opens an account again nor takes again what was sent."""
    match block:
        case Open(account=account):
            return not is_open(ledger, account)
        case Receive(source=source):
            return not is_taken(ledger, source)
        case _:
            return True


def signer_of(ledger: Ledger, block: Block) -> Node:
    """Whose signature a valid block needs."""
    match block:
        case Genesis() | Open():
            return block.account
        case _:
            return account_of(ledger, block.previous)


def publish(s: Nano, node: Node, block: Block) -> None:
    """The node signs a block that it finds valid, and every node receives it."""
    require(a_hash_is_left(s))
    require(is_valid(s.ledger[node], block))
    at = hash_of(s, block)
    s.block_of[at] = block
    s.last = at
    for receiver in Node:
        s.received[receiver][at] = Signed(block=block, hash=at, by=node)


@action
def create_genesis(s: Nano, node: Node) -> None:
    """{node} creates the first block, which all nodes know at once."""
    require(s.last is None)
    block = Genesis(account=node)
    at = hash_of(s, block)
    s.block_of[at] = block
    s.last = at
    for holder in Node:
        s.ledger[holder][at] = Signed(block=block, hash=at, by=node)


@action
def create_open(s: Nano, node: Node, representative: Node, source: Hash) -> None:
    """{node} opens its account with what {source} sent."""
    publish(s, node, Open(account=node, source=source, representative=representative))


@action
def create_send(s: Nano, node: Node, previous: Hash, recipient: Node, balance: Coins) -> None:
    """{node} keeps {balance} of what it had at {previous} and sends the rest to {recipient}."""
    require(is_own(s.ledger[node], previous, node))
    publish(s, node, Send(previous=previous, balance=balance, destination=recipient))


@action
def create_receive(s: Nano, node: Node, previous: Hash, source: Hash) -> None:
    """{node} takes what {source} sent, after {previous}."""
    require(is_own(s.ledger[node], previous, node))
    publish(s, node, Receive(previous=previous, source=source))


@action
def create_change(s: Nano, node: Node, previous: Hash, representative: Node) -> None:
    """{node} has another representative, {representative}, after {previous}."""
    require(is_own(s.ledger[node], previous, node))
    publish(s, node, Change(previous=previous, representative=representative))


@action
def process(s: Nano, node: Node, at: Hash) -> None:
    """{node} finds the block of {at} valid."""
    require(a_hash_is_left(s))
    require(s.received[node][at] is not None)
    ledger = s.ledger[node]
    signed = signed_at(s.received[node], at)
    require(is_valid(ledger, signed.block) and is_first(ledger, signed.block))
    require(at == hash_of(s, signed.block) and signed.by == signer_of(ledger, signed.block))
    s.last = at
    s.ledger[node][at] = signed
    s.received[node][at] = None


@terminal
def no_hash_is_left(s: Nano) -> bool:
    """Every hash stands for a block."""
    return not a_hash_is_left(s)


@invariant
def blocks_are_signed_by_their_accounts(s: Nano) -> bool:
    """Every block of a ledger is signed by the account in whose chain it is, for the hash that it has."""
    return all(_is_signed(s.ledger[n], h) for n in Node for h in Hash)


def _is_signed(ledger: Ledger, at: Hash) -> bool:
    found = ledger[at]
    return found is None or (found.hash == at and found.by == account_of(ledger, at))


@projection
def ledgers_and_mail(s: Nano) -> tuple[Map[Node, Ledger], Map[Node, Ledger]]:
    """What every node knows, without the hashes that were calculated."""
    return s.ledger, s.received
