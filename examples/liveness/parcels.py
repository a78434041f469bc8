"""Parcels go from anyone to anyone, and one desk is open at a time.

    tidegate check examples/liveness/parcels.py --keep-going

Fairness of delivery as a whole is met by delivering one pair's parcels for ever. It is said of each pair of sender and
receiver (`each=("sender", "receiver")`), or of the deliveries to whoever is at the open desk (`where=is_at_open_desk`),
as `WF_vars(Deliver(sender, desk))` is in TLA+: enough for a desk that stays open, and not for one that may close.
"""

from __future__ import annotations

from tidegate.language import Domain, Map, action, initial, leads_to, require, state, strong, weak


class Person(Domain, size=2):
    """Somebody."""


@state
class Office:
    """Parcels under way."""

    under_way: Map[Person, Map[Person, bool]]  # by sender and receiver
    desk: Person  # whose desk is open


@initial
def start() -> Office:
    """Nothing is under way."""
    return Office(under_way=Map({a: Map({b: False for b in Person}) for a in Person}), desk=Person(0))


@action(kind="client")
def send(s: Office, sender: Person, receiver: Person) -> None:
    """{sender} sends a parcel to {receiver}."""
    require(not s.under_way[sender][receiver])
    s.under_way[sender][receiver] = True


@action
def deliver(s: Office, sender: Person, receiver: Person) -> None:
    """The parcel of {sender} to {receiver} arrives."""
    require(s.under_way[sender][receiver])
    s.under_way[sender][receiver] = False


@action(kind="client")
def open_desk(s: Office, receiver: Person) -> None:
    """{receiver}'s desk is open, and no other."""
    require(receiver != s.desk)
    s.desk = receiver


def has_arrived(s: Office, sender: Person, receiver: Person) -> bool:
    """Whether nothing is under way between two."""
    return not s.under_way[sender][receiver]


def is_at_open_desk(s: Office, receiver: Person) -> bool:
    """Whether a receiver's desk is open."""
    return receiver == s.desk


@leads_to(has_arrived, weak(deliver, each=("sender", "receiver")))
def arrives_if_fair_to_each_pair(s: Office, sender: Person, receiver: Person) -> bool:
    """What is sent arrives."""
    return s.under_way[sender][receiver]


@leads_to(has_arrived, weak(deliver, each="receiver"))
def arrives_if_fair_to_each_receiver(s: Office, sender: Person, receiver: Person) -> bool:
    """What is sent arrives."""
    return s.under_way[sender][receiver]


@leads_to(
    has_arrived,
    strong(deliver, each=("sender", "receiver"), where=is_at_open_desk),
    strong(open_desk, each="receiver"),
)
def arrives_if_desks_open_again_and_again(s: Office, sender: Person, receiver: Person) -> bool:
    """What is sent arrives."""
    return s.under_way[sender][receiver]


@leads_to(has_arrived, weak(deliver, each=("sender", "receiver"), where=is_at_open_desk))
def arrives_if_fair_to_open_desks(s: Office, sender: Person, receiver: Person) -> bool:
    """What is sent arrives."""
    return s.under_way[sender][receiver]
