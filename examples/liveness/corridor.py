"""Two people meet in a corridor, and each steps aside for the other.

    tidegate check examples/liveness/corridor.py --keep-going

They can always pass, if one of them steps aside and the other does not. Yet no fairness of these steps makes them pass:
a run in which both step aside together again and again is strongly fair. That something is always possible is another
claim than that it happens, and needs no fairness.
"""

from __future__ import annotations

from tidegate.language import (
    Domain,
    Map,
    action,
    always_possible,
    eventually_always,
    initial,
    require,
    state,
    strong,
    terminal,
)


class Person(Domain, size=2):
    """Somebody in the corridor."""


@state
class Corridor:
    """Where each stands, and whether they have passed."""

    left: Map[Person, bool]  # whether a person stands on the left, as both see it from one end
    passed: bool  # whether they have passed each other


@initial
def meeting() -> Corridor:
    """Both are on the left."""
    return Corridor(left=Map({person: True for person in Person}), passed=False)


@action
def step_aside(s: Corridor, person: Person) -> None:
    """{person} steps to the other side."""
    require(not s.passed)
    s.left[person] = not s.left[person]


@action
def both_step_aside(s: Corridor) -> None:
    """Both step to the other side at once."""
    require(not s.passed)
    for person in Person:
        s.left[person] = not s.left[person]


@action
def go_past(s: Corridor) -> None:
    """They pass each other."""
    require(not s.passed and any(s.left[one] != s.left[other] for one in Person for other in Person))
    s.passed = True


@terminal
def gone(s: Corridor) -> bool:
    """They have passed, and nobody is left."""
    return s.passed


@always_possible
def may_pass(s: Corridor) -> bool:
    """They can always pass in the end."""
    return s.passed


@eventually_always(strong(both_step_aside), strong(go_past))
def they_pass(s: Corridor) -> bool:
    """In the end they have passed."""
    return s.passed
