"""A clerk serves whoever is there, and each who was served comes again.

    tidegate check examples/liveness/counter.py --keep-going

Fairness of `serve` as a whole is met by serving the same customer for ever. Fairness of each customer's own turn is
another claim: `weak(serve, each="customer")`.
"""

from __future__ import annotations

from tidegate.language import Domain, Map, action, always_eventually, initial, require, state, weak


class Customer(Domain, size=2):
    """Somebody who comes again and again."""


@state
class Counter:
    """Who is waiting."""

    waits: Map[Customer, bool]  # whether a customer waits


@initial
def opening() -> Counter:
    """Everybody waits."""
    return Counter(waits=Map({customer: True for customer in Customer}))


@action
def serve(s: Counter, customer: Customer) -> None:
    """The clerk serves {customer}."""
    require(s.waits[customer])
    s.waits[customer] = False


@action(kind="client")
def come(s: Counter, customer: Customer) -> None:
    """{customer} comes again."""
    require(not s.waits[customer])
    s.waits[customer] = True


@always_eventually(weak(serve), weak(come, each="customer"))
def is_served(s: Counter, customer: Customer) -> bool:
    """Each customer is served again and again, by a clerk who serves somebody."""
    return not s.waits[customer]


@always_eventually(weak(serve, each="customer"), weak(come, each="customer"))
def is_served_in_turn(s: Counter, customer: Customer) -> bool:
    """Each customer is served again and again, by a clerk who lets nobody wait for ever."""
    return not s.waits[customer]
