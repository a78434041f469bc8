"""What drives brokers stands on: segments as brokers write them, gates between brokers, processes that end with us."""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import uuid
from pathlib import Path

import pytest
from kafka.record.memory_records import MemoryRecordsBuilder
from tidegate.real.driving.nodes import disks, wire
from tidegate.real.driving.nodes.gates import Gate, Gates, read_request
from tidegate.real.driving.nodes.processes import bound_command, cluster_id

# --- what brokers write -----------------------------------------------------------------------------------------------


def batch(offset: int, epoch: int, value: bytes) -> bytes:
    """A batch of one record as it stands in a segment."""
    builder = MemoryRecordsBuilder(magic=2, compression_type=0, batch_size=1 << 16)
    builder.append(timestamp=1, key=None, value=value)
    builder.close()
    made = bytes(builder.buffer())
    return struct.pack(">q", offset) + made[8:12] + struct.pack(">i", epoch) + made[16:]


def test_a_power_loss_cuts_what_is_not_flushed_and_no_bait_counts(tmp_path: Path) -> None:
    segment = tmp_path / "orders-0" / disks.SEGMENT
    segment.parent.mkdir()
    pieces = [batch(0, 0, b"0"), batch(1, 0, disks.FILLER), batch(2, 3, b"1")]
    segment.write_bytes(b"".join(pieces) + b"half a batch")
    assert [(one.offset, one.epoch, one.value) for one in disks.read_log(segment)] == [
        (0, 0, b"0"), (1, 0, b"bait"), (2, 3, b"1"),
    ]  # fmt: skip
    assert disks.count_unflushed(tmp_path, "orders") == (0, 2)
    assert disks.cut_log(tmp_path, "orders", 1) == (2, len(pieces[0] + pieces[1]))
    (tmp_path / "recovery-point-offset-checkpoint").write_text("0\n1\norders 0 1\n", encoding="utf-8")
    assert disks.count_unflushed(tmp_path, "orders") == (1, 1)
    with pytest.raises(ValueError, match="its recovery point is 1, so that offset 0 is on the disk"):
        disks.cut_log(tmp_path, "orders", 0)
    assert disks.read_log(tmp_path / "none") == []
    assert disks.read_checkpoint(tmp_path / "recovery-point-offset-checkpoint", "other") == 0


# --- gates ------------------------------------------------------------------------------------------------------------


def frame(api: int, number: int, client: str, body: bytes = b"") -> bytes:
    head = struct.pack(">hhih", api, 3, number, len(client)) + client.encode()
    return struct.pack(">i", len(head + body)) + head + body


def echo(listener: socket.socket) -> None:
    """Answers each request with its number."""
    while True:
        try:
            near, _ = listener.accept()
        except OSError:
            return
        threading.Thread(target=answer, args=(near,), daemon=True).start()


def answer(near: socket.socket) -> None:
    while head := near.recv(4):
        data = near.recv(struct.unpack(">i", head)[0])
        near.sendall(struct.pack(">i", 4) + data[4:8])


def test_a_gate_holds_one_kind_of_request_of_one_sender() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=echo, args=(server,), daemon=True).start()
        gates, gate = Gates(), Gate(2, 7, wire.FETCH)
        port = gates.listen(7, server.getsockname()[1])
        gates.shut(gate)
        with (
            socket.create_connection(("127.0.0.1", port), timeout=20) as held,
            socket.create_connection(("127.0.0.1", port), timeout=20) as free,
        ):
            held.sendall(frame(wire.FETCH, 41, "broker-2-fetcher-0"))
            free.sendall(frame(wire.FETCH, 42, "broker-3-fetcher-0") + frame(wire.METADATA, 43, "2"))
            assert [free.recv(8)[4:] for _ in range(2)] == [struct.pack(">i", 42), struct.pack(">i", 43)]
            until = time.monotonic() + 20
            while gates.waiting_request(gate) is None and time.monotonic() < until:
                time.sleep(0.01)
            assert gates.pass_one(gate, 20)
            assert held.recv(8)[4:] == struct.pack(">i", 41)
            assert not gates.pass_one(gate, 0.05)  # nothing waits, and the permit is taken back
            gates.open(gate)
            held.sendall(frame(wire.FETCH, 44, "broker-2-fetcher-0"))
            assert held.recv(8)[4:] == struct.pack(">i", 44)
        gates.end()


def test_a_gate_reads_the_isr_that_a_leader_asks_for() -> None:
    member = struct.pack(">iq", 1, 5) + b"\0"
    partition = struct.pack(">ii", 0, 4) + b"\2" + member + struct.pack(">bi", 0, 9) + b"\0"
    body = b"\0" + struct.pack(">iq", 1, 5) + b"\2" + uuid.UUID(int=1).bytes + b"\2" + partition + b"\0\0"
    request = read_request(frame(wire.ALTER_PARTITION, 3, "1", body)[4:], 100)
    assert (request.gate, request.asks) == (Gate(1, 100, wire.ALTER_PARTITION), frozenset({1}))
    assert read_request(frame(wire.FETCH, 3, "consumer-1")[4:], 1).gate is None


# --- nothing is left behind -------------------------------------------------------------------------------------------


def test_a_cluster_id_is_no_option_of_a_tool() -> None:
    assert cluster_id(uuid.UUID(int=62 << 122)).startswith("A")
    assert len(cluster_id(uuid.uuid4())) == 22


def test_what_a_killed_command_started_is_killed_by_the_kernel() -> None:
    code = (
        "import subprocess, sys; from tidegate.real.driving.nodes.processes import bound_command\n"
        "child = subprocess.Popen(bound_command(['/bin/sleep', '600']), start_new_session=True)\n"
        "print(child.pid, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        os.kill(child, 0)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        until = time.monotonic() + 30
        while is_running(child) and time.monotonic() < until:
            time.sleep(0.02)
        assert not is_running(child)
    late = [one if one != str(os.getpid()) else "1" for one in bound_command(["/bin/echo", "begun"])]
    assert subprocess.run(late, capture_output=True, check=False).stdout == b""  # its parent is another one


def is_running(process: int) -> bool:
    """Whether there is such a process that is no zombie."""
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"
