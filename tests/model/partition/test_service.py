"""Whether writes and reads are always possible again: what single states say is what the graph of all states says."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from typing import Any

import pytest
from tidegate.explorer.graph import StateGraph, state_graph
from tidegate.invariants.catalogue import find
from tidegate.language.judge import holds
from tidegate.language.model import Model

from ...support.shipped import tier_parameters

SERVICE = ("writes_resume", "reads_resume")
CALM = {"isr_shrinks": 0, "fences": 0, "power_losses": 0}
REPAIRS = ("restore_controller", "start_controller")
"""What somebody does, and not the cluster."""


def bind_model(profile: str, **values: Any) -> Model:
    definition, _ = find("partition")
    return definition.bind(profile, {**CALM, "replicas": 2, **values}, profile, properties=(*SERVICE, "settles"))


def steps_without_help(model: Model, graph: StateGraph) -> Mapping[int, set[int]]:
    """The steps that happen without a fault and without a repair, backwards: from each state those that lead to it."""
    kinds = {action.name: action.kind for action in model.actions}
    found: dict[int, set[int]] = {}
    for edge in graph.edges:
        if kinds[edge.action] not in ("fault", "client") and edge.action not in REPAIRS:
            found.setdefault(edge.target, set()).add(edge.source)
    return found


def leading_to(goal: Iterable[int], before: Mapping[int, set[int]]) -> set[int]:
    """Every state from which the goal can be reached."""
    reached, open_ = set(goal), list(goal)
    while open_:
        for source in before.get(open_.pop(), ()):
            if source not in reached:
                reached.add(source)
                open_.append(source)
    return reached


CASES = [
    {"profile": profile, "acks": acks, "min_isr": least, **faults}
    for profile, acks, least in itertools.product(
        ("kafka_2_1", "kafka_2_8", "kafka_3_5", "kafka_3_9", "kafka_4_1"), ("all", "leader"), (1, 2)
    )
    for faults in (
        {"host_losses": 1},
        {"host_losses": 1, "isr_shrinks": 1},
        {"host_losses": 2},
        {"controller_losses": 2, "host_losses": 1},
        {"host_losses": 1, "co_located": True},
        {"shutdowns": 1, "controller_losses": 2},
    )
]


STRIDE = 7
"""Of these each run looks at one of so many: neither of the numbers that they are made of is a multiple of it."""


@pytest.mark.parametrize(
    "case",
    tier_parameters(
        CASES[::STRIDE],
        lambda case: case["acks"] == "leader" or case["profile"] == "kafka_3_5",
        lambda case: " ".join(map(str, case.values())),
    ),
)
def test_settled_states_say_what_is_always_possible_again(case: Mapping[str, Any]) -> None:
    """A settled state can be reached from every state, and a property fails in a settled state just if there is a state
    from which service never comes back by itself."""
    values = dict(case)
    model = bind_model(values.pop("profile"), **values)
    graph = state_graph(model, 20_000)
    namespace = {prop.name: prop for prop in model.properties}
    before = steps_without_help(model, graph)
    settled = {at for at, state in enumerate(graph.states) if holds(model, namespace["settles"], state)}
    assert leading_to(settled, before) == set(range(len(graph.states)))
    for name in SERVICE:
        broken = {at for at, state in enumerate(graph.states) if not holds(model, namespace[name], state)}
        serves = {at for at in range(len(graph.states)) if at in settled - broken}
        never = set(range(len(graph.states))) - leading_to(serves, before)
        assert bool(broken) == bool(never), name
