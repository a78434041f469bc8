"""Moments are alike by what a controller has on record, and a topic that was made anew has another history."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tidegate.real.history.moments import History, Moment

MOMENT = Moment(
    offset=7, time_ms=0, leader=1, leader_epoch=3, isr=frozenset({1, 2}), elr=frozenset(), last_known=frozenset(),
    fenced_brokers=frozenset(), restarted_brokers=frozenset(), stopping_brokers=frozenset(),
)  # fmt: skip


@pytest.mark.parametrize("change", [{"offset": 9}, {"time_ms": 5}, {"passing": True}, {"unclean": True}])
def test_when_and_how_it_was_recorded_makes_no_other_moment(change: dict[str, int | bool]) -> None:
    assert MOMENT.alike(replace(MOMENT, **change))


@pytest.mark.parametrize("name", ["leader", "leader_epoch", "isr", "elr", "last_known", "fenced_brokers"])
def test_what_the_controller_has_on_record_makes_another(name: str) -> None:
    other = None if name == "leader" else 4 if name == "leader_epoch" else frozenset({1})
    assert not MOMENT.alike(replace(MOMENT, **{name: other}))


def test_a_topic_that_was_made_anew_has_another_history() -> None:
    first = History("orders", 0, (1, 2), (MOMENT,), {}, whole=True, topic_id="a")
    assert first.key != replace(first, topic_id="b").key
    assert first.name == replace(first, topic_id="b").name == "orders-0"
