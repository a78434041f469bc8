"""Traces in which controllers are lost: one node is the controllers, and is killed while no majority of them is up."""

from __future__ import annotations

import pytest
from tidegate.real.driving.fitting import UndrivableError

from ....support.partitions import Model, driven, plan, trace

CONTROLLERS_LOST = (
    "produce(A); lose_controller; lose_controller; crash(A); restore_controller; fence(broker=A, successor=B); learn(B)"
)


def test_the_controller_is_killed_while_no_majority_of_controllers_is_up() -> None:
    made = plan(trace(CONTROLLERS_LOST, acks="leader", controller_losses=2, crashes=1))
    world = Model(made)
    found = driven(made, world)
    assert world.did == [
        "produce_record(1, 0, 1, 0.2)", "set_controller_running(False,)", "kill(1,)", "set_controller_running(True,)",
        "gate_metadata(2, True)", "open_gates()", "set_controller_running(True,)",
    ]  # fmt: skip
    assert [taken.did for taken in found.stages[1:3]] == [
        "a majority is left",
        "no majority is left; the controller is killed",
    ]


def test_hosts_that_hold_controllers_as_well_take_their_majority_with_them() -> None:
    steps = "produce(A); crash(A); crash(B)"
    tail = "fence(broker=A, successor=C); learn(C)"
    together = trace(f"{steps}; start_controller(B); {tail}", acks="leader", co_located=True, crashes=2)
    with pytest.raises(UndrivableError, match="A and B are down when controllers are back, and are fenced together"):
        plan(together)
    one = "produce(A); crash(A); fence(broker=A, successor=B); learn(B); crash(C); start_controller(A)"
    made = plan(trace(one, acks="leader", co_located=True, crashes=2))
    world = Model(made)
    driven(made, world)
    assert world.did[1:6] == [
        "kill(1,)", "gate_metadata(2, True)", "kill(3,)", "set_controller_running(False,)",
        "set_controller_running(True,)",
    ]  # fmt: skip
