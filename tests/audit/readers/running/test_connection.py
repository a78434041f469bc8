"""A refused password is tried once: what the client's log says ends the attempt. No broker is needed."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from kafka.errors import KafkaConnectionError, SaslAuthenticationFailedError
from tidegate.audit.readers.running import live


def test_a_refused_password_ends_the_attempt_where_the_next_would_begin() -> None:
    """The client's log says of one refusal first that the connection failed: to end there would not end the attempt."""
    heard: Any = vars(live)["_Heard"](True)
    error: Any = SaslAuthenticationFailedError()

    def say(text: str, error: Exception = error) -> None:
        heard.emit(logging.LogRecord("kafka.net.manager", logging.ERROR, "", 0, text, ("a", error), None))

    say("Connection failed: %s %s")
    assert heard.refused
    for _ in range(2):
        with pytest.raises(SaslAuthenticationFailedError):
            say("Bootstrap connection to %s failed: %s")
    with pytest.raises(KafkaConnectionError):  # the answer was lost against the close
        say("Bootstrap connection to %s failed: %s", KafkaConnectionError("socket disconnected"))
    nobody: Any = vars(live)["_Heard"](False)
    record = ("a", KafkaConnectionError("socket disconnected"))
    nobody.emit(logging.LogRecord("kafka", logging.ERROR, "", 0, "Bootstrap connection to %s failed: %s", record, None))
    assert "socket disconnected" in nobody.reason, "without a user, trying again locks no account"
