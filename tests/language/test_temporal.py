"""Decorators of properties of whole runs: the marks that they leave, and what they refuse."""

from __future__ import annotations

import pytest
from tidegate.language import (
    action,
    always_eventually,
    always_possible,
    eventually_always,
    leads_to,
    limits_of,
    refines,
    strong,
    temporal,
    weak,
)
from tidegate.language.declare import STUTTERS, DecoratorError, Fairness, mark_of


@action
def fetch(s: object) -> None:
    """An action."""


def answered(s: object) -> bool:
    return bool(s)


def test_fairness_names_its_actions() -> None:
    assert weak(fetch) == Fairness(("fetch",), False)
    assert strong("take", fetch, each="client").text() == "strong(take, fetch, each=client)"
    assert weak(fetch, each=("client", "door")).text() == "weak(fetch, each=(client, door))"
    assert weak(fetch, each="client", where=answered).text() == "weak(fetch, each=client, where=answered)"


def test_marks_say_what_is_claimed() -> None:
    @leads_to(answered, weak(fetch))
    def asked(s: object) -> bool:
        return bool(s)

    mark = mark_of(asked)
    assert mark is not None
    assert (mark.role, mark.then, mark.fairness) == ("leads_to", (answered,), (weak(fetch),))

    @always_possible
    def idle(s: object) -> bool:
        return bool(s)

    @always_eventually(strong(fetch))
    def again(s: object) -> bool:
        return bool(s)

    @eventually_always
    def settled(s: object) -> bool:
        return bool(s)

    roles = [(mark.role, mark.fairness) for mark in map(mark_of, (idle, again, settled)) if mark]
    assert roles == [("always_possible", ()), ("always_eventually", (strong(fetch),)), ("eventually_always", ())]


def test_what_is_no_fairness_or_no_predicate_is_refused() -> None:
    with pytest.raises(DecoratorError, match="takes fairness"):
        always_eventually(3)  # type: ignore[call-overload]
    with pytest.raises(DecoratorError, match="and is given the action fetch"):
        always_eventually(fetch)
    with pytest.raises(DecoratorError, match="takes what comes then as a function"):
        leads_to(weak)  # type: ignore[arg-type]
    with pytest.raises(DecoratorError, match="names one parameter"):
        weak(fetch, each=3)  # type: ignore[arg-type]
    with pytest.raises(DecoratorError, match="or several in a tuple"):
        weak(fetch, each=("client", "client"))
    with pytest.raises(DecoratorError, match="where of strong says of which steps, and is given"):
        strong(fetch, where=3)  # type: ignore[arg-type]


def _image(s: object) -> object:
    return s


def test_a_refinement_takes_fairness_beside_its_steps() -> None:
    mark = mark_of(refines(temporal, {fetch: STUTTERS}, weak(fetch), limits_of("stop"))(_image))
    assert mark is not None
    assert (mark.may_be, mark.fairness, mark.respected_limits) == ((("fetch", (STUTTERS,)),), (weak(fetch),), ("stop",))
    with pytest.raises(TypeError, match="one dict of steps, and fairness without where="):
        refines(temporal, {}, {})
    with pytest.raises(TypeError, match="one dict of steps, and fairness without where="):
        refines(temporal, weak(fetch, where=answered))
