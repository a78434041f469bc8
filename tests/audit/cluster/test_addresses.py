"""Addresses: hosts in one spelling, and lists of servers."""

from __future__ import annotations

import pytest
from tidegate.audit.cluster.addresses import LOOPBACK, host_of_address, plain_host, servers_and_path


@pytest.mark.parametrize(
    ("host", "spelt"),
    [
        ("Broker-1.Example", "broker-1.example"),
        ("127.0.0.1", LOOPBACK),
        ("127.0.0.3", LOOPBACK),
        ("::1", LOOPBACK),
        ("localhost", LOOPBACK),
        ("0.0.0.0", ""),
        ("", ""),
        ("10.0.0.1", "10.0.0.1"),
    ],
)
def test_a_host_has_one_spelling(host: str, spelt: str) -> None:
    assert plain_host(host) == spelt


def test_a_list_of_servers_with_a_path() -> None:
    servers, path = servers_and_path("zk1:2181,zk2,zk1:2181/kafka", 2181)
    assert servers == ("zk1:2181", "zk2:2181") and path.strip("/") == "kafka"
    assert host_of_address(servers[0]) == "zk1"
