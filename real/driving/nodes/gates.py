"""Gates between nodes: a proxy before each listener that can hold one kind of request of one sender.

It reads of a request its size, api key, version, number and client id, and of an answer its size and number; nothing
else, but for the ISR that an AlterPartition asks for. A request that is held is a slow network: nothing that a model of
Kafka does not have. Threads carry the bytes; they end with their connections, and with the process.
"""

from __future__ import annotations

import contextlib
import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable

from ....language.immutable import immutable
from ...logs.encoding import Reader
from .wire import (
    ALTER_PARTITION,
    BEGIN_QUORUM_EPOCH,
    CONSUMER_GROUP_HEARTBEAT,
    CONTROLLER_REGISTRATION,
    END_QUORUM_EPOCH,
    FETCH,
    HEARTBEAT,
    JOIN_GROUP,
    MEMBER_HEARTBEAT,
    METADATA,
    OFFSET_COMMIT,
    OFFSETS_FOR_LEADER_EPOCH,
    PRODUCE,
    VOTE,
    WRITE_TXN_MARKERS,
    asked_isr,
)

_SENDERS = tuple(
    map(re.compile, (r"broker-(\d+)-fetcher-\d+", r"broker-(\d+)-txn-marker-sender", r"raft-client-(\d+)", r"(\d+)"))
)
OF_QUORUM = frozenset({FETCH, VOTE, BEGIN_QUORUM_EPOCH, END_QUORUM_EPOCH})
"""What controllers that vote ask each other."""
HELD = OF_QUORUM | frozenset(
    {
        PRODUCE,
        ALTER_PARTITION,
        HEARTBEAT,
        JOIN_GROUP,
        MEMBER_HEARTBEAT,
        METADATA,
        OFFSET_COMMIT,
        OFFSETS_FOR_LEADER_EPOCH,
        CONSUMER_GROUP_HEARTBEAT,
        CONTROLLER_REGISTRATION,
        WRITE_TXN_MARKERS,
    }
)


@immutable
class Gate:
    """Requests of one kind from a node to a node."""

    sender: int
    receiver: int
    api: int


@immutable
class GatedRequest:
    """A request as a gate sees it; `frame` are its bytes, without the size before them."""

    gate: Gate | None
    number: int
    asks: frozenset[int] | None
    frame: bytes


class Gates:
    """All gates. `shut` ones hold what comes, requests and answers; each `pass_one` lets one request and its answer
    through."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._shut = set[Gate]()
        self._permits = Counter[Gate]()
        self._passed = Counter[Gate]()
        self._wanted = Counter[Gate]()
        self._waiting: dict[Gate, GatedRequest] = {}
        self._held: dict[Gate, ProxiedConnection] = {}
        self._losing = set[Gate]()
        self._listeners = list[socket.socket]()
        self._ended = False

    # --- for the driver -----------------------------------------------------------------------------------------------

    def shut(self, gate: Gate) -> None:
        """Holds it from now on: what has not passed waits, an answer that is on its way too."""
        with self._changed:
            self._shut.add(gate)
            self._permits.pop(gate, None)

    def open(self, gate: Gate) -> None:
        """Lets all through."""
        with self._changed:
            self._shut.discard(gate)
            self._changed.notify_all()

    def pass_one(self, gate: Gate, seconds: float) -> bool:
        """Lets one request and its answer through, or an answer that was held; whether that happened in `seconds`
        seconds. The permit is taken back if not."""
        until = time.monotonic() + seconds
        with self._changed:
            before = self._passed[gate]
            self._permits[gate] = 1
            self._wanted[gate] += 1
            self._changed.notify_all()
            while self._passed[gate] == before and time.monotonic() < until and not self._ended:
                self._changed.wait(until - time.monotonic())
            self._permits.pop(gate, None)
            self._wanted[gate] -= 1
            return self._passed[gate] > before

    def pass_without_response(self, gate: Gate, seconds: float) -> bool:
        """Lets one request through, and its answer is lost with the connection; whether that happened."""
        with self._changed:
            self._losing.add(gate)
        try:
            return self.pass_one(gate, seconds)
        finally:
            with self._changed:
                self._losing.discard(gate)

    def drop(self, gate: Gate) -> None:
        """Ends the connection on which a request or an answer waits: it is lost."""
        with self._changed:
            make_connection = self._held.pop(gate, None)
            self._waiting.pop(gate, None)
            if make_connection is not None:
                make_connection.end()
                self._changed.notify_all()

    def is_holding(self, gate: Gate) -> bool:
        """Whether a request or an answer waits at a gate, on a connection that stands."""
        with self._changed:
            return gate in self._held and not self._held[gate].is_closed()

    def waiting_request(self, gate: Gate) -> GatedRequest | None:
        """The request that waits at a gate."""
        with self._changed:
            return self._waiting.get(gate)

    def end(self) -> None:
        """Closes all listeners, and lets everybody go."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()
        for one in self._listeners:
            with contextlib.suppress(OSError):
                one.close()

    def listen(self, receiver: int, port: int) -> int:
        """A port of 127.0.0.1 that leads to a node's own port."""
        listener = socket.create_server(("127.0.0.1", 0))
        self._listeners.append(listener)
        _start_thread(lambda: self._accept(listener, receiver, port))
        return listener.getsockname()[1]

    # --- what the threads do ------------------------------------------------------------------------------------------

    def make_connection(self, receiver: int, near: socket.socket, far: socket.socket) -> ProxiedConnection:
        """What carries a connection to a node."""
        return ProxiedConnection(self, receiver, near, far)

    def _accept(self, listener: socket.socket, receiver: int, port: int) -> None:
        while not self._ended:
            try:
                near, _ = listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", port), timeout=10)
                far.settimeout(None)
            except OSError:
                near.close()
                continue
            pair = self.make_connection(receiver, near, far)
            _start_thread(pair.requests)
            _start_thread(pair.answers)

    def wait_for_request(self, request: GatedRequest, pair: ProxiedConnection) -> bool:
        """Waits until a request may pass; False where its connection is gone first. A permit for it stays until its
        answer has passed."""
        gate = request.gate
        if gate is None:
            return True
        with self._changed:
            while gate in self._shut and not self._permits[gate] and not self._ended and not pair.is_closed():
                self._waiting[gate] = request
                self._held[gate] = pair
                self._changed.wait(0.2)
            if self._waiting.get(gate) is request:
                del self._waiting[gate]
            self._let_go(gate, pair)
            return not pair.is_closed()

    def wait_for_response(self, gate: Gate | None, pair: ProxiedConnection) -> bool:
        """Waits until an answer may pass; False where it is to be lost, and ends its connection."""
        if gate is None:
            return True
        with self._changed:
            while gate in self._shut and not self._permits[gate] and not self._ended and not pair.is_closed():
                self._held[gate] = pair
                self._changed.wait(0.2)
            self._let_go(gate, pair)
            if pair.is_closed():  # a permit is for one that arrives
                return False
            self._permits.pop(gate, None)
            if gate in self._losing:
                pair.end()
                self._passed[gate] += 1
                self._changed.notify_all()
                return False
            return True

    def _let_go(self, gate: Gate, pair: ProxiedConnection) -> None:
        if self._held.get(gate) is pair:
            del self._held[gate]

    def restore_permit(self, gate: Gate | None) -> None:
        """An answer was let through, and its connection is gone: the permit is for the next one."""
        if gate is not None:
            with self._changed:
                if self._wanted[gate]:
                    self._permits[gate] = 1
                    self._changed.notify_all()

    def count_passed(self, gate: Gate | None) -> None:
        """Counts an answer that was sent on."""
        if gate is not None:
            with self._changed:
                self._passed[gate] += 1
                self._changed.notify_all()


class ProxiedConnection:
    """A connection from a node, and the one that goes on to another."""

    def __init__(self, gates: Gates, receiver: int, near: socket.socket, far: socket.socket) -> None:
        self.gates, self.receiver, self.near, self.far = gates, receiver, near, far
        self.asked: dict[int, Gate | None] = {}
        self.over = False

    def is_closed(self) -> bool:
        """Whether one side has closed it."""
        if not self.over:
            try:
                self.over = self.near.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
            except BlockingIOError:
                pass
            except (OSError, ValueError):  # it was reset, or closed here
                self.over = True
        return self.over

    def requests(self) -> None:
        """Carries requests until one side ends."""
        self._carry_frames(self.near, self._request)

    def answers(self) -> None:
        """Carries answers until one side ends."""
        self._carry_frames(self.far, self._answer)

    def _carry_frames(self, source: socket.socket, pass_on: Callable[[bytes], None]) -> None:
        try:
            while (frame := _receive_frame(source)) is not None:
                pass_on(frame)
        except (OSError, ValueError):
            pass
        self.end_side(source)

    def end_side(self, source: socket.socket) -> None:
        """One side has ended, and nothing more comes from it."""
        del source
        self.end()
        for one in (self.near, self.far):
            one.close()

    def end(self) -> None:
        """Ends both sides: what is on its way is lost."""
        self.over = True
        for one in (self.near, self.far):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _request(self, frame: bytes) -> None:
        request = read_request(frame, self.receiver)
        self.asked[request.number] = request.gate
        if self.gates.wait_for_request(request, self):
            self.far.sendall(struct.pack(">i", len(frame)) + frame)

    def _answer(self, frame: bytes) -> None:
        gate = self.asked.pop(struct.unpack_from(">i", frame)[0], None)
        if self.gates.wait_for_response(gate, self):
            try:
                self.near.sendall(struct.pack(">i", len(frame)) + frame)
            except OSError:
                self.gates.restore_permit(gate)
                raise
            self.gates.count_passed(gate)


def read_request(frame: bytes, receiver: int) -> GatedRequest:
    """What a gate reads of a request: of which gate it is, None where no gate holds such requests, and its number."""
    api, version, number, size = struct.unpack_from(">hhih", frame)
    client = frame[10 : 10 + size].decode("utf-8", "replace") if size > 0 else ""
    sender = next((int(found[1]) for one in _SENDERS if (found := one.fullmatch(client))), None)
    if sender is None or api not in HELD:
        return GatedRequest(None, number, None, frame)
    asks = None
    if api == ALTER_PARTITION:
        body = Reader(frame[10 + max(size, 0) :])
        body.take(1)  # its header has no tagged fields
        asks = asked_isr(version, body)
    return GatedRequest(Gate(sender, receiver, api), number, asks, frame)


def _receive_frame(source: socket.socket) -> bytes | None:
    head = _receive_exactly(source, 4)
    return None if head is None else _receive_exactly(source, struct.unpack(">i", head)[0])


def _receive_exactly(source: socket.socket, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        more = source.recv(size - len(data))
        if not more:
            return None
        data += more
    return bytes(data)


def _start_thread(what: Callable[[], None]) -> None:
    threading.Thread(target=what, daemon=True).start()
