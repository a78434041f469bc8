"""A connection without a broker: its requests are put into bytes and read again, and its answers are given."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from kafka.protocol.api_message import ApiMessage
from tidegate.real.driving.nodes.wire import CLIENT, Connection

answer = SimpleNamespace
"""An answer of a broker, or a part of one."""


class GivenConnection(Connection):
    """Answers with what it was given, in this order; `asked` are the requests as a broker reads them."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.asked = list(answers), list[Any]()

    def ask(self, request: ApiMessage, of: type[Any]) -> Any:
        request.with_header(1, CLIENT)
        frame = request.encode(header=True)
        self.asked.append(type(request).decode(frame, version=request.API_VERSION, header=True))
        return self.answers.pop(0)

    def ask_raw(self, api: int, version: int, body: bytes) -> bytes:
        self.asked.append((api, version, body))
        return self.answers.pop(0)

    def exchange(self, frame: bytes) -> bytes:
        self.asked.append(frame)
        return self.answers.pop(0)


def partitions_answer(name: str, codes: Sequence[int], **more: Any) -> SimpleNamespace:
    """A topic of an answer, with the error code of each of its partitions."""
    partitions = [answer(partition_index=at, error_code=code, **more) for at, code in enumerate(codes)]
    return answer(name=name, partitions=partitions)
