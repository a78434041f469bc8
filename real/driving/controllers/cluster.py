"""A small real quorum of controllers: what is done to it, and what is seen of it.

All of them begin with the same log, in which one of them, alone, has written what a cluster begins with; no timeout of
theirs ends by itself within the time of a run. What is then appended is compared with the model.
"""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import struct
import threading
import time
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any

from ....language.immutable import immutable
from ...logs.metadata_log import TOPIC
from ...logs.metadata_records import decode_record
from ..nodes import wire
from ..nodes.clocks import NodeClocks
from ..nodes.disks import SEGMENT, read_batches
from ..nodes.gates import OF_QUORUM, Gate, GatedRequest
from ..nodes.processes import free_port
from ..nodes.releases import Release
from ..nodes.running import POLL_SECONDS, RunningNodes
from .world import HOUR, MAX_AHEAD, ControllerObservation

TIMEOUTS = {
    "controller.quorum.election.timeout.ms": 1_000 * HOUR,
    "controller.quorum.fetch.timeout.ms": 1_000 * HOUR,
    "controller.quorum.request.timeout.ms": 500_000 * HOUR,
    "metadata.max.idle.interval.ms": 0,
    "metadata.log.max.snapshot.interval.ms": 0,
}
"""An election starts after one to two hours, a follower gives up after one, check-quorum after one and a half."""
SLICE = 2.0
"""Seconds for which a gate is opened at a time: its connection may end meanwhile, and what is waited for come by
another one."""
WRITTEN = "tidegate.record"
"""The setting whose value is the number of a record that the model has as metadata."""
_LEADER_CHANGE, _CONFIG_RECORD = 2, "CONFIG_RECORD"
_ROLE = re.compile(r"Completed transition to (\w+?)(?:State)?\(.*?\bepoch=(\d+)")


@immutable
class InitialDisk:
    """What all controllers begin with: a folder of one's disk, where its log ends, and its epoch."""

    disk: Path
    size: int
    end: int
    epoch: int


class ControllersCluster(RunningNodes):
    """Controllers 1 to `count`, unattached and with equal logs when they have started. Ends with `with`."""

    what = "the controllers"

    def __init__(self, release: Release, count: int, kept_folder: Path | None = None) -> None:
        super().__init__(release, kept_folder)
        self.voters = tuple(range(1, count + 1))
        self.clocks = NodeClocks(self.folder.path)
        self._printed: dict[int, int] = {}
        self._base: InitialDisk | None = None

    # --- its start ----------------------------------------------------------------------------------------------------

    def _start(self) -> None:
        self.clocks.build()
        self._base = self._written_alone()
        self._write()
        for voter in self.voters:
            self.replace_disk(voter)
        for voter in self.voters:
            self._await_voter(voter)

    def _written_alone(self) -> InitialDisk:
        """What a cluster begins with, written by the first one while there is no other."""
        first, port = self.voters[0], free_port()
        self.ports = {first: port}
        self.nodes.write(first, self._controller_settings(first, port, {first: port}) | {_ELECTION: 500, _FETCH: 2_000})
        self.nodes.format_controller({}, first)
        self.nodes.start(first)
        self.wait_until("the first controller writes nothing", lambda: self._has_written(first, 0))
        self.nodes.kill(first)
        disk = self.folder.path / "base"
        shutil.move(self.nodes.data(first), disk)
        log = disk / TOPIC
        (log / "quorum-state").unlink()
        offset, epoch, _ = _read_records(log / SEGMENT)[-1]
        return InitialDisk(disk, (log / SEGMENT).stat().st_size, offset + 1, epoch)

    def _has_written(self, voter: int, number: int) -> bool:
        """Whether a controller answers that a record of the model's is committed."""
        try:
            with contextlib.closing(wire.Connection(self.ports[voter])) as connection:
                return _write_number(connection, number) == 0
        except OSError:
            return False

    def _write(self) -> None:
        self.ports = {voter: free_port() for voter in self.voters}
        near = {voter: self.gates.listen(voter, port) for voter, port in self.ports.items()}
        for voter in self.voters:
            self.nodes.write(voter, self._controller_settings(voter, near[voter], near))
            for other in self.voters:
                self.gates.shut(Gate(voter, other, wire.CONTROLLER_REGISTRATION))
                for api in OF_QUORUM:
                    self.gates.shut(Gate(voter, other, api))

    def _controller_settings(self, voter: int, voters_near: int, all_of_them: dict[int, int]) -> dict[str, object]:
        quorum = ",".join(f"{one}@127.0.0.1:{port}" for one, port in all_of_them.items())
        found: dict[str, object] = {
            "process.roles": "controller",
            "node.id": voter,
            "listeners": f"CONTROLLER://127.0.0.1:{self.ports[voter]}",
            "controller.quorum.voters": quorum,
            **TIMEOUTS,
        }
        if self.release.parts >= (3, 9):
            found["advertised.listeners"] = f"CONTROLLER://127.0.0.1:{voters_near}"
        return found

    def _await_voter(self, voter: int) -> None:
        self.wait_until(
            f"controller {voter} did not start",
            lambda: self._role_and_epoch(voter) is not None and self.check_clock(voter),
        )

    # --- what is seen -------------------------------------------------------------------------------------------------

    def observe(self) -> dict[int, ControllerObservation | None]:
        """Each controller; None of one that is between two roles. NodesError where one has died by itself."""
        self.check()
        return {voter: self._observe_voter(voter) for voter in self.voters}

    def _observe_voter(self, voter: int) -> ControllerObservation | None:
        assert self._base is not None
        role, stored = self._role_and_epoch(voter), self._stored_state(voter)
        if role is None or stored is None:
            return None
        name, epoch = role
        if epoch != stored["leaderEpoch"] and stored["leaderEpoch"] >= 0:
            return None
        leader, voted_for = stored["leaderId"], stored["votedId"]
        reached = self._committed_offset(voter) if name == "Leader" else None
        return ControllerObservation(
            name,
            epoch - self._base.epoch,
            None if leader < 0 else leader,
            None if voted_for < 0 else voted_for,
            tuple((of - self._base.epoch, number) for of, number in self._stored_records(voter)),
            None if reached is None else max(0, reached - self._base.end),
        )

    def _role_and_epoch(self, voter: int) -> tuple[str, int] | None:
        """The role that a controller has said last since it was started, and its epoch."""
        with (self.folder.path / f"{voter}.log").open("rb") as file:
            file.seek(self._printed[voter])
            found = _ROLE.findall(file.read().decode("utf-8", "replace"))
        return (found[-1][0], int(found[-1][1])) if found else None

    def _stored_state(self, voter: int) -> dict[str, Any] | None:
        """What its file quorum-state has; of none, that it knows nothing."""
        path = self.nodes.data(voter) / TOPIC / "quorum-state"
        try:
            return json.loads(path.read_text("utf-8"))
        except FileNotFoundError:
            return {"leaderEpoch": -1, "leaderId": -1, "votedId": -1}
        except ValueError:
            return None

    def _stored_records(self, voter: int) -> list[tuple[int, int]]:
        assert self._base is not None
        segment = self.nodes.data(voter) / TOPIC / SEGMENT
        return [(epoch, number) for _, epoch, number in _read_records(segment, self._base.size)]

    def _committed_offset(self, voter: int) -> int | None:
        """Up to where a leader says that its log is committed, -1 where it does not know; None where it does not
        lead."""
        try:
            with contextlib.closing(wire.Connection(self.ports[voter], 5.0)) as connection:
                return wire.quorum_high_watermark(connection, TOPIC.rpartition("-")[0])
        except OSError:
            return None

    def check_clock(self, voter: int) -> bool:
        """Has a controller look at its clock: it waits for requests for as long as it thinks that there is time."""
        try:
            with contextlib.closing(wire.Connection(self.ports[voter], 5.0)) as connection:
                wire.quorum_high_watermark(connection, TOPIC.rpartition("-")[0])
                return True
        except OSError:
            return False

    # --- what is done -------------------------------------------------------------------------------------------------

    def advance_clock(self, voter: int, seconds: int = MAX_AHEAD) -> None:
        """Puts a controller's clock forward, and has it look."""
        self.clocks.advance(voter, seconds)
        self.check_clock(voter)

    def kill(self, voter: int) -> None:
        """Its process dies."""
        if voter in self.nodes.running:
            self.nodes.kill(voter)

    def start(self, voter: int) -> None:
        """Starts one that is down, and waits until it answers."""
        printed = self.folder.path / f"{voter}.log"
        self._printed[voter] = printed.stat().st_size if printed.exists() else 0
        self.nodes.start(voter, self.clocks.environment(voter))

    def restart(self, voter: int) -> None:
        """SIGKILL, and a start."""
        self.kill(voter)
        self.start(voter)
        self._await_voter(voter)

    def replace_disk(self, voter: int) -> None:
        """It stops, and starts with a disk that has what all began with."""
        assert self._base is not None
        self.kill(voter)
        data = self.nodes.data(voter)
        shutil.rmtree(data, ignore_errors=True)
        shutil.copytree(self._base.disk, data)
        (data / "meta.properties").write_text(
            f"version=1\nnode.id={voter}\ncluster.id={self.nodes.cluster}\n", encoding="utf-8"
        )
        self.start(voter)

    def write_record(self, voter: int, number: int) -> None:
        """Asks a controller to write a record, until it is in its log or another one answers; waits for no majority."""
        threading.Thread(target=self._has_written, args=(voter, number), daemon=True).start()

    def pass_request(
        self, sender: int, receiver: int, apis: Iterable[int], seconds: float, *, is_answered: bool = True
    ) -> bool:
        """Lets one request of one of these kinds and its answer through, or loses the answer. What stands before it is
        lost: a controller has one request on its way to another at a time, and one Fetch, which may be on its way to
        somebody who does not lead."""
        until, wanted = time.monotonic() + seconds, frozenset(apis)
        while time.monotonic() < until:
            holding = [api for api in OF_QUORUM if self.gates.is_holding(Gate(sender, receiver, api))]
            if chosen := [api for api in holding if api in wanted]:
                pass_on = self.gates.pass_one if is_answered else self.gates.pass_without_response
                if pass_on(Gate(sender, receiver, chosen[0]), min(SLICE, seconds)):
                    return True
                continue
            for api in holding:
                self.gates.drop(Gate(sender, receiver, api))
            for other in set(self.voters) - {receiver} if wire.FETCH in wanted else ():
                self.gates.drop(Gate(sender, other, wire.FETCH))
            self.check_clock(sender)
            time.sleep(POLL_SECONDS)
        return False

    def pending_requests(self, voter: int) -> frozenset[GatedRequest]:
        """What a controller has on its way."""
        found = (self.gates.waiting_request(Gate(voter, other, api)) for other in self.voters for api in OF_QUORUM)
        return frozenset(one for one in found if one is not None)

    def drop_requests(self, requests: Iterable[Hashable]) -> None:
        """Loses those of some requests that are still on their way."""
        lost = frozenset(requests)
        for sender in self.voters if lost else ():
            for one in self.pending_requests(sender) & lost:
                assert one.gate is not None
                self.gates.drop(one.gate)


_ELECTION, _FETCH = "controller.quorum.election.timeout.ms", "controller.quorum.fetch.timeout.ms"


def _write_number(connection: wire.Connection, number: int) -> int:
    return wire.set_broker_default(connection, WRITTEN, str(number))


def _read_records(segment: Path, position: int = 0) -> list[tuple[int, int, int]]:
    """The offset, the epoch and the number of each record from a byte on."""
    return [
        (one.offset, epoch, _record_number(batch.is_control_batch, one))
        for _, epoch, batch in read_batches(segment, position)
        for one in batch
    ]


def _record_number(control: bool, one: Any) -> int:
    """0 of a LeaderChange, that of a record that the model has, -1 of any other."""
    if control:
        return 0 if struct.unpack_from(">hh", one.key)[1] == _LEADER_CHANGE else -1
    record = decode_record(bytes(one.value or b""))
    mine = record is not None and record.kind == _CONFIG_RECORD and record.fields["name"] == WRITTEN
    return int(record.fields["value"]) if record is not None and mine else -1
