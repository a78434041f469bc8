"""The cluster of a partition's traces: three brokers and a controller, whose partition is looked at after each step."""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections.abc import Iterable, Sequence

from ...history.assignments import Assignment
from ..nodes import disks, wire
from ..nodes.cluster import TOPIC, DrivenCluster
from ..nodes.gates import Gate
from ..nodes.processes import CONTROLLER
from ..nodes.running import POLL_SECONDS, NodesError, wait_for
from .world import PartitionObservation


class PartitionCluster(DrivenCluster):
    """A cluster that is driven through traces of a partition."""

    # --- what is seen -------------------------------------------------------------------------------------------------

    def observe(self) -> PartitionObservation:
        """The partition as it is now. NodesError where a node has died by itself."""
        now = self.registered_state()
        logs = {broker: self._stored_log(broker) for broker in self.needs.brokers}
        return PartitionObservation(now.leader, now.leader_epoch, now.isr, now.elr, now.fenced_brokers, logs)

    def _stored_log(self, broker: int) -> tuple[tuple[int, int], ...]:
        written = disks.read_log(self.nodes.data(broker) / f"{TOPIC}-0" / disks.SEGMENT)
        return tuple((int(one.value), one.epoch) for one in written if one.value != disks.FILLER)

    def high_watermark(self, broker: int) -> int:
        """What a broker's checkpoint says of it; it is written every 200 ms."""
        return disks.read_checkpoint(self.nodes.data(broker) / "replication-offset-checkpoint", TOPIC)

    def read_records(self, broker: int) -> list[int] | None:
        """The records that a consumer reads from a broker from the beginning, once all of its log may be read; None
        where it cannot be read yet."""
        written = disks.read_log(self.nodes.data(broker) / f"{TOPIC}-0" / disks.SEGMENT)
        end = written[-1].offset + 1 if written else 0
        try:
            with contextlib.closing(wire.Connection(self.ports[broker])) as connection:
                high_watermark, values = wire.read_values(connection, TOPIC)
        except (OSError, wire.BrokerError):
            return None
        return [int(value) for value in values if value != disks.FILLER] if high_watermark >= end else None

    # --- records ------------------------------------------------------------------------------------------------------

    def produce_record(self, broker: int, record: int, acks: int, seconds: float) -> int:
        """Sends a record to a broker, until its log has it; the error with which the broker refuses it, 0 for none.
        Its answer may come later: `answers` has it."""
        until = time.monotonic() + seconds
        while True:
            self.answers.pop(record, None)
            self.send_record(broker, record, acks)
            has = wait_for(lambda: self._has_record(broker, record) or record in self.answers, seconds)
            code = self.answers.get(record, 0)
            if (has and code not in (wire.NOT_LEADER, -1)) or time.monotonic() > until:
                return code
            time.sleep(POLL_SECONDS)

    def send_record(self, broker: int, record: int, acks: int) -> None:
        """Sends a record once, and waits for nothing."""
        arguments = broker, str(record).encode(), acks, record
        threading.Thread(target=self._send, args=arguments, daemon=True).start()

    def _has_record(self, broker: int, record: int) -> bool:
        return record in [one for one, _ in self._stored_log(broker)]

    def acknowledged_records(self) -> frozenset[int]:
        """The records that the producer has an answer for that says they are safe."""
        return frozenset(record for record, code in self.answers.items() if code == 0)

    # --- reassignments ------------------------------------------------------------------------------------------------

    def reassign(self, brokers: Iterable[int], first: int | None) -> None:
        """Reassigns the partition to some brokers, in the order of assignment, but for the first. wire.BrokerError
        where the controller does not."""
        kept = [one for one in self.order if one in set(brokers)]
        self.order = sorted(kept, key=lambda one: one != first)
        self._assign()

    def set_assignment(self, brokers: Sequence[int]) -> Sequence[int]:
        """Reassigns the partition to these brokers, in this order. wire.BrokerError where the controller does not."""
        before, self.order = self.order, list(brokers)
        try:
            self._assign()
        except (wire.BrokerError, OSError):
            self.order = before
            raise
        return self.order

    def cancel_reassignment(self) -> Sequence[int]:
        """Cancels the reassignment that is under way; the brokers that have a copy then. wire.BrokerError where the
        controller does not."""
        held = self._assignment_on_record()
        with self._connect_to_any_broker() as connection:
            wire.reassign_replicas(connection, TOPIC, None)
        self.order = self.order if held is None else sorted(held.replicas - held.adding)
        return self.order

    def is_reassigned(self) -> bool:
        """Whether a reassignment is under way."""
        held = self._assignment_on_record()
        return held is not None and held.is_under_way

    def _assignment_on_record(self) -> Assignment | None:
        """Who has a copy, once the partition was reassigned."""
        found = disks.read_history(self.nodes.data(CONTROLLER), TOPIC)
        return None if found is None else found.moments[-1].assignment

    def rewrite_assignment(self) -> None:
        """Has the controller write the partition anew, the order of assignment changed and changed back: requests that
        leaders made before are stale."""
        for _ in range(2):
            self.order[-2:] = reversed(self.order[-2:])
            self._assign()

    # --- faults -------------------------------------------------------------------------------------------------------

    def lose_power(self, broker: int, kept_records: int) -> str:
        """Its host loses power, and so many records were on the disk; what was cut, in words."""
        self.kill(broker)
        try:
            had, size = disks.cut_log(self.nodes.data(broker), TOPIC, kept_records)
        except ValueError as error:
            raise NodesError(f"broker {broker} cannot lose what is on its disk: {error}") from None
        return f"killed, and its log cut to {size} bytes: {kept_records} of {had} records are left"

    def lose_random_power(self, broker: int, chance: random.Random) -> str:
        """Its host loses power, and any number of records that may be lost are; what was cut, in words."""
        self.kill(broker)
        least, had = disks.count_unflushed(self.nodes.data(broker), TOPIC)
        return self.lose_power(broker, chance.randint(least, had))

    def shut_down(self, broker: int, seconds: float) -> bool:
        """A controlled shutdown; whether it ended in time."""
        return self.nodes.terminate(broker, seconds)

    def set_controller_running(self, is_running: bool) -> None:
        """Whether the controller's process runs: SIGKILL, or a start, where it does not yet."""
        if is_running and CONTROLLER not in self.nodes.running:
            self.nodes.start(CONTROLLER)
        elif not is_running:
            self.kill(CONTROLLER)

    def stopped_brokers(self) -> Sequence[int]:
        """The brokers whose process does not run."""
        return [broker for broker in self.needs.brokers if broker not in self.nodes.running]

    # --- what is let through ------------------------------------------------------------------------------------------

    def pass_fetch(self, follower: int, leader: int, seconds: float) -> bool:
        """Lets one fetch and its answer through; whether that happened."""
        return self.gates.pass_one(Gate(follower, leader, wire.FETCH), seconds)

    def gate_alter_partition(self, leader: int, is_open: bool) -> None:
        """Lets a leader's AlterPartition through as it likes, or holds it."""
        gate = Gate(leader, CONTROLLER, wire.ALTER_PARTITION)
        self.gates.open(gate) if is_open else self.gates.shut(gate)
