"""A consumer in a process of its own, which does what the lines of its input say, so that a test can kill it or have it
pause: `python tests/support/real_member.py PORT TOPIC GROUP MEMBER AUTOMATIC RESET`. Each line is answered by one."""

from __future__ import annotations

import sys
from typing import Any

import kafka
from kafka.errors import KafkaError

SECONDS = 120
"""How long a poll that is to find something may take."""


class Member:
    """A member of a group, with what it has polled and not processed."""

    def __init__(self, port: str, topic: str, group: str, member: str, automatic: str, reset: str) -> None:
        self.in_hand = list[int]()
        untyped: Any = kafka
        self.consumer: Any = untyped.KafkaConsumer(
            topic,
            bootstrap_servers=f"127.0.0.1:{port}",
            client_id=member,
            group_id=group,
            enable_auto_commit=automatic == "True",
            auto_commit_interval_ms=100,
            auto_offset_reset=reset,
            session_timeout_ms=3000,
            heartbeat_interval_ms=500,
            max_poll_records=1,
        )

    def poll(self) -> str:
        """One record, or none where there is none in a while; their values."""
        return self._poll(SECONDS)

    def look(self) -> str:
        """A poll that is to find nothing more."""
        return self._poll(2)

    def _poll(self, seconds: float) -> str:
        found = list[int]()
        for _ in range(int(seconds * 5)):
            for records in self.consumer.poll(timeout_ms=200).values():
                found += [int(record.value) for record in records]
            if found:
                break
        self.in_hand += found
        return " ".join(map(str, found)) or "nothing"

    def join(self) -> str:
        """Polls until it has its partitions and a position in them."""
        for _ in range(SECONDS * 5):
            for records in self.consumer.poll(timeout_ms=200, max_records=1).values():
                self.in_hand += [int(record.value) for record in records]
            if self.consumer.assignment() and not self.in_hand:
                where = [self.consumer.position(one, timeout_ms=20_000) for one in self.consumer.assignment()]
                return f"at {where[0]}"
            if self.in_hand:
                return f"has {self.in_hand[0]}"
        return "nothing"

    def process(self) -> str:
        """The first record in hand."""
        return str(self.in_hand.pop(0))

    def commit(self) -> str:
        """Its positions."""
        self.consumer.commit()
        return "committed"

    def close(self) -> str:
        """Closes the consumer, which commits by its settings, and leaves."""
        self.consumer.close()
        return "closed"


def main() -> None:
    """Answers line by line."""
    member = Member(*sys.argv[1:7])
    for line in sys.stdin:
        try:
            answer = {
                "poll": member.poll,
                "look": member.look,
                "join": member.join,
                "process": member.process,
                "commit": member.commit,
                "close": member.close,
            }[line.strip()]()
        except KafkaError as error:
            answer = type(error).__name__
        print(answer, flush=True)


if __name__ == "__main__":
    main()
