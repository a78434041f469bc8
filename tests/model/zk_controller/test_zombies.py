"""What `no_zombie_effect` sees of a zombie's requests that a broker obeys, in steps that no action takes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tidegate.language.judge import holds, initial_states, state_shape
from tidegate.language.model import Model
from tidegate.language.values import Map, Set, State
from tidegate.model.zk_controller.state import Broker, LeaderAndIsr, Metadata, Partition, StopReplica, UpdateMetadata

from ...support.shipped import bind_shipped

A, B, C = (Broker(i) for i in range(3))


def test_what_a_zombies_request_changes_is_its_effect_whatever_epoch_is_remembered() -> None:
    model = bind_shipped("zk_controller:kafka_3_9", {"updates": 1})
    prop = next(prop for prop in model.properties if prop.name == "no_zombie_effect")
    steps = list(moved_by_a_zombie(model))
    assert len(steps) == 3
    for before, after in steps:
        assert holds(model, prop, before, before)
        assert not holds(model, prop, before, after)


def moved_by_a_zombie(model: Model) -> Iterator[tuple[State, State]]:
    """Brokers that obey an older controller, and go on to say that they have seen the newer one."""
    replaced, state = state_shape(model).replace, next(iter(initial_states(model)))
    to, seen = Set([B]), Map({A: 0, B: 2, C: 0})
    partition = Partition(leader=A, leader_epoch=1, isr=Set([A, B, C]), version=1)
    told = LeaderAndIsr(to=to, controller_epoch=1, partition=partition)
    before = replaced(state, seen=seen, requests=Set([told]))
    after = replaced(before, requests=Set(), known=with_b(before.known, partition))
    yield before, after
    before = replaced(state, seen=seen, stopping=Set([StopReplica(to=to, controller_epoch=1, leader_epoch=0)]))
    after = replaced(before, stopping=Set(), running=with_b(before.running, False))
    yield before, after
    metadata = Metadata(leader=A, leader_epoch=1)
    before = replaced(state, seen=seen, updating=Set([UpdateMetadata(to=to, controller_epoch=1, metadata=metadata)]))
    after = replaced(before, updating=Set(), cached=with_b(before.cached, metadata))
    yield before, after


def with_b(of_each: Any, value: object) -> Map[Any, Any]:
    """What each broker has, another value in the place of B's."""
    return Map({node: value if node == B else of_each[node] for node in (A, B, C)})
