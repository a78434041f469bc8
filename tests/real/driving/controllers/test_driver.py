"""Traces of controllers: which release takes them, what is compared, and with the mark `brokers` that Kafka does it.

Also of: `family`, `world`.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Hashable, Iterable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tidegate.real.driving.controllers.driver import (
    ControllersDriver,
    describe_controller,
    expected_observations,
    normalize_observation,
)
from tidegate.real.driving.controllers.family import FAMILY
from tidegate.real.driving.controllers.plan import ControllersPlan
from tidegate.real.driving.controllers.world import MAX_AHEAD, ControllerObservation
from tidegate.real.driving.nodes import wire
from tidegate.real.driving.nodes.gates import Gate, Gates
from tidegate.real.driving.nodes.running import wait_for
from tidegate.real.driving.stages import Stage
from tidegate.reports.confirm import comparison_section, confirm_text
from tidegate.reports.text_page import TextFormat

from ....conftest import Run
from ....support.confirming import came_of, result_of
from ....support.controllers import BOTH_LEAD, COMMITTED, EMPTY_DISK, WIPED, document, plan_steps
from ..nodes.test_gates import echo, frame

DEPOSED_BY_PRE_VOTE = (
    "election_timeout(A); ask_for_pre_vote(voter=A, peer=B); vote(candidate=A, voter=B); begin_quorum_epoch(leader=A, "
    "voter=B); begin_quorum_epoch(leader=A, voter=C); fetch_timeout(C); ask_for_pre_vote(voter=C, peer=B)"
)


KIP_996: dict[str, Any] = {
    "directory_ids": True,
    "pre_vote": True,
    "grants_until_fetch": True,
    "max_epoch": 2,
    "max_records": 0,
    "crashes": 0,
}


# --- what is compared -------------------------------------------------------------------------------------------------
class Fake:
    """Controllers that do as the plan says, but at some step go on as they are."""

    def __init__(self, plan: ControllersPlan, stays_at: int = 0) -> None:
        self.state, self.stays_at, self.asked = plan.run.start, stays_at, list[str]()

    def next(self, stage: Stage) -> None:
        if stage.first != self.stays_at:
            self.state = stage.state_after

    def observe(self) -> dict[int, ControllerObservation | None]:
        roles = {"voted": "unattached"}
        found = expected_observations(self.state)
        return {voter: replace(one, role=roles.get(one.role, one.role).title()) for voter, one in found.items()}

    def check_clock(self, voter: int) -> bool:
        return True

    def advance_clock(self, voter: int, seconds: int = MAX_AHEAD) -> None:
        self.asked.append(f"time {voter}")

    def restart(self, voter: int) -> None:
        self.asked.append(f"restart {voter}")

    def replace_disk(self, voter: int) -> None:
        self.asked.append(f"disk {voter}")

    def write_record(self, voter: int, number: int) -> None:
        self.asked.append(f"write {voter} {number}")

    def pass_request(
        self, sender: int, receiver: int, apis: Iterable[int], seconds: float, *, is_answered: bool = True
    ) -> bool:
        self.asked.append(f"{sorted(apis)} {sender} {receiver}{'' if is_answered else ' lost'}")
        return True

    def pending_requests(self, voter: int) -> frozenset[Hashable]:
        return frozenset()

    def drop_requests(self, requests: Iterable[Hashable]) -> None:
        assert not list(requests)


def test_a_plan_is_driven_and_compared_after_each_stage() -> None:
    plan = plan_steps(EMPTY_DISK, "leader_completeness", **WIPED)
    fake = Fake(plan)
    found = result_of(FAMILY, plan, ControllersDriver(plan, fake, 0.1), fake.next)
    assert fake.asked == [
        "time 1", "[52] 1 2", "time 2", "[52] 2 3", "disk 3", "[53] 1 3", "[1] 3 1", "[1] 3 1 lost",
    ]  # fmt: skip
    assert (found["result"], found["why"]) == ("confirmed", "every step came about: leader_completeness fails")
    assert found["steps"][-1]["seen"]["controllers"]["2"] == "leader in epoch 2, log 2L, committed 0"
    assert "1: leader in epoch 1, log 1L, committed 1" in confirm_text([found], TextFormat(200), steps=True)
    assert "leader in epoch 2" in comparison_section([found])


@pytest.mark.parametrize("step", range(1, 7))
def test_a_step_that_does_not_come_about_is_not_confirmed(step: int) -> None:
    plan = plan_steps(EMPTY_DISK, "leader_completeness", **WIPED)
    fake = Fake(plan, step)
    found = result_of(FAMILY, plan, ControllersDriver(plan, fake, 0.0), fake.next)
    assert (found["result"], found["step"], len(found["steps"])) == ("not_confirmed", step, step)
    assert found["not_taken"] == list(range(step + 1, 9))
    assert "in place of" in found["steps"][-1]["otherwise"]


def test_records_are_written_as_the_model_has_them() -> None:
    plan = plan_steps(COMMITTED, "record_is_committed")
    fake = Fake(plan)
    taken = ControllersDriver(plan, fake, 1.0).drive(fake.next)
    assert ("write 1 1" in fake.asked, taken[-1].divergence) == (True, None)
    assert describe_controller(taken[-1].observation[1]) == "leader in epoch 1, log 1L 1#1, committed 2"
    assert describe_controller(None) == "between two roles"


def test_of_who_asks_for_pre_votes_the_leader_that_it_followed_is_compared() -> None:
    """Whether a pre-vote counts is decided by that: who knows no leader follows the one that an answer names."""
    seen = ControllerObservation("Prospective", 1, 3, 2, ())
    assert normalize_observation(seen) == ControllerObservation("prospective", 1, 3, None, ())
    assert describe_controller(normalize_observation(seen)) == "prospective in epoch 1 after 3, log empty"
    plan = plan_steps(DEPOSED_BY_PRE_VOTE, "no_disruption", "4.1", **KIP_996)
    asks = expected_observations(plan.run.states()[-2])[3]
    assert asks == ControllerObservation("prospective", 1, 1, None, ())
    asks = expected_observations(plan.run.states()[1])[1]
    assert asks == ControllerObservation("prospective", 0, None, None, ())


# --- gates and clocks -------------------------------------------------------------------------------------------------
def test_a_gate_loses_an_answer_or_what_waits_with_the_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=echo, args=(server,), daemon=True).start()
        gates, gate = Gates(), Gate(2, 7, wire.VOTE)
        port = gates.listen(7, server.getsockname()[1])
        gates.shut(gate)
        for lose in (lambda: gates.pass_without_response(gate, 20), lambda: gates.drop(gate)):
            with socket.create_connection(("127.0.0.1", port), timeout=20) as held:
                held.sendall(frame(wire.VOTE, 41, "raft-client-2"))
                until = time.monotonic() + 20
                while not gates.is_holding(gate) and time.monotonic() < until:
                    time.sleep(0.01)
                lose()
                assert held.recv(8) == b""
                assert not gates.is_holding(gate)
        gates.end()


def slow_echo(listener: socket.socket, asked: threading.Semaphore, may_answer: threading.Event) -> None:
    """Answers the request of each connection with its number, once it may."""

    def serve(near: socket.socket) -> None:
        size = struct.unpack(">i", near.recv(4))[0]
        number = near.recv(size)[4:8]
        asked.release()
        may_answer.wait(20)
        near.sendall(struct.pack(">i", 4) + number)

    with suppress(OSError):  # the listener is closed
        while True:
            threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()


def test_a_permit_is_for_an_answer_that_arrives() -> None:
    """An answer that waits on a connection that is gone takes no permit from the next one."""
    asked, may_answer = threading.Semaphore(0), threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=slow_echo, args=(server, asked, may_answer), daemon=True).start()
        gates, gate = Gates(), Gate(2, 7, wire.FETCH)
        port = gates.listen(7, server.getsockname()[1])
        first = socket.create_connection(("127.0.0.1", port), timeout=20)
        first.sendall(frame(wire.FETCH, 41, "broker-2-fetcher-0"))
        assert asked.acquire(timeout=20)
        gates.shut(gate)
        may_answer.set()
        assert wait_for(lambda: gates.is_holding(gate), 20)  # the answer to the first
        may_answer.clear()
        with socket.create_connection(("127.0.0.1", port), timeout=20) as second:
            second.sendall(frame(wire.FETCH, 42, "broker-2-fetcher-0"))
            assert wait_for(lambda: gates.waiting_request(gate), 20)
            first.close()
            let = list[bool]()
            letting = threading.Thread(target=lambda: let.append(gates.pass_one(gate, 5)))
            letting.start()
            assert asked.acquire(timeout=20)  # the second request has passed, by the permit
            may_answer.set()
            letting.join()
            assert let == [True]
            assert second.recv(8)[4:] == struct.pack(">i", 42)
        gates.end()


# --- real controllers -------------------------------------------------------------------------------------------------
@pytest.mark.brokers
@pytest.mark.parametrize(
    ("steps", "property_", "constants", "kafka", "more", "result"),
    [
        (EMPTY_DISK, "leader_completeness", WIPED, "3.9.1", (), "confirmed"),
        (BOTH_LEAD, "old_leader_resigns", {"check_quorum": "missing"}, "3.6.2", (), "confirmed"),
        (BOTH_LEAD, "old_leader_resigns", {"check_quorum": "missing"}, "3.9.1", ("--anyway",), "not_confirmed"),
        (COMMITTED, "record_is_committed", {}, "3.4.1", (), "confirmed"),
        (DEPOSED_BY_PRE_VOTE, "no_disruption", KIP_996, "4.1.0", (), "confirmed"),
    ],
)
def test_real_controllers(
    tidegate: Run,
    tmp_path: Path,
    steps: str,
    property_: str,
    constants: dict[str, Any],
    kafka: str,
    more: tuple[str, ...],
    result: str,
) -> None:
    found = came_of(tidegate, tmp_path, document(steps, property_, **constants), kafka, *more, seconds=20)
    assert found["result"] == result, json.dumps(found, indent=1)
