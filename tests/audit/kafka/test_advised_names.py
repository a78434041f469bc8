"""What is advised where a setting has no effect."""

from __future__ import annotations

import pytest
from tidegate.audit.kafka.advised_names import REMOVE, advise_name


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("unclean.leader.election.enable", "TRUE"),
        ("acks", "0"),
        ("acks", "1"),
        ("request.required.acks", "1"),
        ("enable.idempotence", "false"),
        ("min.insync.replicas", "1"),
        ("transaction.state.log.min.isr", "1"),
        ("default.replication.factor", "1"),
        ("offsets.topic.replication.factor", " 1"),
    ],
)
def test_what_would_lose_records_is_not_advised(key: str, value: str) -> None:
    assert advise_name(key, key, value) == REMOVE


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("unclean.leader.election.enable", "false"),
        ("acks", "all"),
        ("min.insync.replicas", "2"),
        ("default.replication.factor", "3"),
        ("num.io.threads", "1"),
    ],
)
def test_a_name_that_counts_is_advised_where_it_does_no_harm(key: str, value: str) -> None:
    assert advise_name("its.name", key, value) == "remove it, or, if it is meant, write `its.name`"


@pytest.mark.parametrize("value", ["***", "", "${ACKS}"])
def test_of_a_value_that_is_not_known_a_safe_one_is_asked_for(value: str) -> None:
    assert advise_name("acks", "acks", value).endswith("write `acks` with a value that keeps what is acknowledged")
