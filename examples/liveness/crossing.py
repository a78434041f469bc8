"""A pedestrian waits at a light that changes for ever: it is green again and again, and red again and again.

    tidegate check examples/liveness/crossing.py --keep-going

To cross is possible only while the light is green. A run in which it turns red each time before the pedestrian walks
is weakly fair, since there is no time from which on crossing stays possible. Strong fairness leaves that run out.
"""

from __future__ import annotations

from tidegate.language import action, eventually_always, initial, require, state, strong, weak


@state
class Street:
    """A light and a pedestrian."""

    green: bool  # what the light shows
    crossed: bool  # whether the pedestrian is on the other side


@initial
def waiting() -> Street:
    """The light is red, and the pedestrian waits."""
    return Street(green=False, crossed=False)


@action
def change(s: Street) -> None:
    """The light changes."""
    s.green = not s.green


@action
def cross(s: Street) -> None:
    """The pedestrian crosses."""
    require(s.green and not s.crossed)
    s.crossed = True


@eventually_always(weak(change), weak(cross))
def crosses_if_weakly_fair(s: Street) -> bool:
    """In the end the pedestrian is on the other side, whose chance may pass each time."""
    return s.crossed


@eventually_always(weak(change), strong(cross))
def crosses_if_strongly_fair(s: Street) -> bool:
    """In the end the pedestrian is on the other side, who takes one of the chances that come again and again."""
    return s.crossed
