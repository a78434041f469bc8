"""Lines of requests and answers that wait in their order.

Also of: `running`.
"""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import closing

import pytest
from tidegate.real.driving.nodes import wire
from tidegate.real.driving.nodes.lines import CLIENT, ClientGates, error_of
from tidegate.real.driving.nodes.running import wait_for


def wire_text(value: str) -> bytes:
    return struct.pack(">h", len(value)) + value.encode()


def produce_frame(number: int, client: str = str(CLIENT)) -> bytes:
    """A Produce request (7) as far as a line reads it."""
    body = struct.pack(">hhi", wire.PRODUCE, 7, number) + wire_text(client)
    return struct.pack(">i", len(body)) + body


def answer_frame(number: int, code: int) -> bytes:
    """An answer to it."""
    body = struct.pack(">ii", number, 1) + wire_text("orders") + struct.pack(">iihqqqi", 1, 0, code, 0, -1, 0, 0)
    return struct.pack(">i", len(body)) + body


class Broker:
    """A broker that answers each Produce request with a code, and keeps their numbers."""

    def __init__(self, code: int = 0) -> None:
        self.got, self.code = list[int](), code
        self.server = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        connection, _ = self.server.accept()
        with connection, connection.makefile("rb") as file:
            while head := file.read(4):
                number = struct.unpack_from(">i", file.read(struct.unpack(">i", head)[0]), 4)[0]
                self.got.append(number)
                connection.sendall(answer_frame(number, self.code))


def test_requests_and_answers_of_a_client_wait_in_their_order() -> None:
    broker, lines = Broker(20), ClientGates()
    with (
        closing(broker.server),
        socket.create_connection(("127.0.0.1", lines.listen(1, broker.server.getsockname()[1]))) as client,
    ):
        client.sendall(produce_frame(1) + produce_frame(2))
        assert wait_for(lambda: 1 in lines.by_broker and lines.by_broker[1].queued_count() == 2, 20)
        line = lines.by_broker[1]
        assert (broker.got, line.answer()) == ([], None)
        line.let_request()
        assert wait_for(lambda: line.answer() is not None, 20)
        assert (broker.got, line.queued_count(), line.answer()) == ([1], 1, 20)
        client.setblocking(False)
        with pytest.raises(BlockingIOError):
            client.recv(1)
        line.let_answer()
        client.settimeout(20)
        assert client.recv(100) == answer_frame(1, 20)
    lines.end()


@pytest.mark.parametrize("keep", [True, False])
def test_of_a_connection_that_is_lost_one_request_may_arrive(keep: bool) -> None:
    broker, lines = Broker(), ClientGates()
    with (
        closing(broker.server),
        socket.create_connection(("127.0.0.1", lines.listen(1, broker.server.getsockname()[1]))) as client,
    ):
        client.sendall(produce_frame(1) + produce_frame(2))
        assert wait_for(lambda: 1 in lines.by_broker and lines.by_broker[1].queued_count() == 2, 20)
        line = lines.by_broker[1]
        line.cut(keep=keep)
        client.settimeout(20)
        assert client.recv(1) == b""
        assert line.queued_count() == int(keep)
        if keep:
            line.let_request()
            assert wait_for(lambda: line.answer() == 0, 20)
        assert broker.got == [1][: int(keep)]
    lines.end()


def test_what_a_client_has_sent_stays_on_its_way_when_it_dies() -> None:
    broker, lines = Broker(), ClientGates()
    with closing(broker.server):
        client = socket.create_connection(("127.0.0.1", lines.listen(1, broker.server.getsockname()[1])))
        client.sendall(produce_frame(1))
        assert wait_for(lambda: 1 in lines.by_broker and lines.by_broker[1].queued_count(), 20)
        client.close()
        line = lines.by_broker[1]
        assert wait_for(line.is_closed, 20)
        line.let_request()
        assert wait_for(lambda: broker.got == [1], 20)
    lines.end()


@pytest.mark.parametrize("version", [7, 9, 12, 13])
def test_the_error_of_an_answer(version: int) -> None:
    if version < 9:
        body, end = struct.pack(">i", 1) + wire_text("orders") + struct.pack(">i", 1), b""
    else:
        body, end = b"\0\2" + (b"\7orders" if version < 13 else bytes(16)) + b"\2", b"\1\0\0\0"
    body += struct.pack(">ihqqq", 0, 45, 7, -1, 0) + end + struct.pack(">i", 0) + (b"\0" if end else b"")
    assert error_of(struct.pack(">i", 5) + body, version) == 45
