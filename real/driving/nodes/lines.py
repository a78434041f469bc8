"""Connections of a client, on which its Produce requests wait, and so do their answers.

A gate holds what comes next on a connection. Of a client more is to be seen: how many requests wait, which of them has
reached the broker, and whether it is answered. Everything on a connection passes in its order.
"""

from __future__ import annotations

import contextlib
import socket
import struct
import threading

from kafka.protocol.producer.produce import ProduceResponse

from .gates import Gate, GatedRequest, Gates, ProxiedConnection, read_request
from .wire import PRODUCE

CLIENT = 900
"""The client id by which a client that is driven is known."""


class ClientGates(Gates):
    """Gates, and for each broker the line to it: the connection on which the client sends its Produce requests."""

    def __init__(self) -> None:
        super().__init__()
        self.by_broker: dict[int, ClientConnection] = {}

    def make_connection(self, receiver: int, near: socket.socket, far: socket.socket) -> ProxiedConnection:
        return ClientConnection(self, receiver, near, far)


class ClientConnection(ProxiedConnection):
    """A connection. Where it is the client's, Produce requests and their answers wait until they are let through."""

    def __init__(self, gates: ClientGates, receiver: int, near: socket.socket, far: socket.socket) -> None:
        super().__init__(gates, receiver, near, far)
        self._lines = gates
        self._lock = threading.RLock()
        self._waiting = list[GatedRequest]()
        self._answers = list[tuple[Gate | None, bytes]]()
        self._versions: dict[int, int] = {}
        self._let = self._let_back = 0
        self.is_clients = False

    # --- for the driver -----------------------------------------------------------------------------------------------

    def queued_count(self) -> int:
        """How many Produce requests wait."""
        with self._lock:
            return sum(one.gate is not None for one in self._waiting)

    def let_request(self) -> None:
        """Lets the first Produce request that waits go to the broker."""
        with self._lock:
            self._let += 1
            self._push()

    def answer(self) -> int | None:
        """The error code of the first answer that waits, 0 for none; None where no answer waits."""
        with self._lock:
            frame = next((frame for gate, frame in self._answers if gate is not None), None)
            return None if frame is None else error_of(frame, self._versions[struct.unpack_from(">i", frame)[0]])

    def let_answer(self) -> None:
        """Lets the first answer that waits go to the client."""
        with self._lock:
            self._let_back += 1
            self._push_back()

    def cut(self, *, keep: bool) -> None:
        """The client's side ends. What waits is lost, but for the first request where that is kept, which `let_request`
        sends all the same."""
        with self._lock:
            first = [one for one in self._waiting if one.gate is not None][: int(keep)]
            self._waiting = first
            self._answers.clear()
            self.over = True
            with contextlib.suppress(OSError):
                self.near.shutdown(socket.SHUT_RDWR)
            if not keep:
                self.end()

    # --- what the threads do ------------------------------------------------------------------------------------------

    def end_side(self, source: socket.socket) -> None:
        """A client that is gone takes back nothing that it has sent."""
        if source is self.near and self.is_clients:
            self.over = True
            self.near.close()
        else:
            super().end_side(source)

    def _request(self, frame: bytes) -> None:
        request = read_request(frame, self.receiver)
        mine = request.gate is not None and request.gate.sender == CLIENT and request.gate.api == PRODUCE
        with self._lock:
            if not mine and not self._waiting:
                passes = True
            else:
                passes = False
                self.asked[request.number] = request.gate
                self._versions[request.number] = struct.unpack_from(">h", frame, 2)[0]
                self._waiting.append(request)
                if mine and not self.is_clients:
                    self.is_clients = True
                    self._lines.by_broker[self.receiver] = self
                self._push()
        if passes:
            super()._request(frame)

    def _push(self) -> None:
        while self._waiting and (self._waiting[0].gate is None or self._let):
            request = self._waiting.pop(0)
            self._let -= request.gate is not None
            self.far.sendall(struct.pack(">i", len(request.frame)) + request.frame)

    def _answer(self, frame: bytes) -> None:
        if not self.is_clients:
            super()._answer(frame)
            return
        with self._lock:
            self._answers.append((self.asked.pop(struct.unpack_from(">i", frame)[0], None), frame))
            self._push_back()

    def _push_back(self) -> None:
        while self._answers and (self._answers[0][0] is None or self._let_back):
            gate, frame = self._answers.pop(0)
            self._let_back -= gate is not None
            with contextlib.suppress(OSError):  # the client is gone
                self.near.sendall(struct.pack(">i", len(frame)) + frame)


def error_of(frame: bytes, version: int) -> int:
    """The error code in the answer to a Produce request of one partition (versions 3 to 13)."""
    (topic,) = ProduceResponse.decode(frame, version=version, header=True).responses
    return topic.partition_responses[0].error_code
