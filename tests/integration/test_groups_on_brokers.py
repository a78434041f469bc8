"""Two members of one partition, on real brokers with Kafka's own clients: what docs/groups.md says of requests and
answers that are late or lost, by steps that the models have.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import kafka
import pytest
from tidegate.real.driving.nodes import wire
from tidegate.real.driving.nodes.gates import Gate
from tidegate.real.driving.nodes.releases import fetch_release
from tidegate.real.driving.nodes.running import wait_for

from ..support.real_clients import FOLLOWER, SECONDS, Clients, Member

pytestmark = pytest.mark.brokers
A, B, C = 903, 902, 901
"""Client ids; a member id begins with its client's, and assignors go by the order of member ids."""


@pytest.fixture(scope="module", params=["4.1.0"])
def cluster(request: pytest.FixtureRequest) -> Iterator[Clients]:
    """Brokers of which one is the coordinator; members beat twice a second, and each test has a topic of its own."""
    groups = {"group.consumer.min.heartbeat.interval.ms": 500, "group.consumer.heartbeat.interval.ms": 500}
    made = Clients(fetch_release(request.param), **groups)
    with made:
        made.start_all()
        with closing(wire.Connection(made.ports[FOLLOWER])) as connection:
            wire.create_topic(connection, "__consumer_offsets", [FOLLOWER], {"cleanup.policy": "compact"})
        yield made


def topic_of_two(cluster: Clients, name: str) -> None:
    """A topic with two partitions."""
    untyped: Any = kafka
    with closing(untyped.KafkaAdminClient(bootstrap_servers=f"127.0.0.1:{cluster.ports[FOLLOWER]}")) as admin:
        admin.create_topics([untyped.admin.NewTopic(name, 2, 1)])


def produce(cluster: Clients, topic: str, partition: int, record: int) -> None:
    """A record in a partition."""
    with closing(cluster.producer(acks="all")) as producer:
        producer.send(topic, str(record).encode(), partition=partition).get(timeout=SECONDS)


def poll(member: Member) -> tuple[str, str]:
    """The partitions that a member has after a poll, and the records that it was given."""
    owned, _, given = member.does("poll")[0].partition("|")
    return owned, given


def polls_until(member: Member, owns: Callable[[str], bool], *others: Member) -> str:
    """Polls, and with it the others, until a member's partitions are so; what they are."""

    def poll_once() -> str | None:
        for other in others:
            poll(other)
        owned = poll(member)[0]
        return owned if owns(owned) else None

    found = wait_for(poll_once, SECONDS)
    assert found is not None
    return found


def next_record(member: Member) -> str:
    """The next record that a member is given."""
    found = wait_for(lambda: poll(member)[1] or None, SECONDS)
    assert found is not None
    return found


def test_two_members_of_kip_848_own_one_partition_after_a_lost_answer_and_one_consumes_it(cluster: Clients) -> None:
    """`modern_group:kafka_4_1`, bounds `lost_answer`: A is to have both partitions, and its application does not poll.
    B joins. The answer that leaves A one partition is lost; the heartbeat that A sends again says that it owns nothing,
    and what it is to give up is given to B. Then A polls, and takes on both. It is given no record until it hears from
    the coordinator: its epoch is an older one, with which it learns no committed offset."""
    topic, gate, lines = "lost-answer", Gate(A, FOLLOWER, wire.CONSUMER_GROUP_HEARTBEAT), cluster.lines
    topic_of_two(cluster, topic)
    lines.shut(gate)
    a, b = (cluster.java_member(one, topic, group_protocol="consumer") for one in (A, B))
    assert poll(a) == ("", "")
    assert lines.pass_one(gate, SECONDS), "A's first heartbeat is not answered"
    join = Gate(B, FOLLOWER, wire.CONSUMER_GROUP_HEARTBEAT)
    lines.shut(join)
    poll(b)
    assert lines.pass_one(join, SECONDS), "B's first heartbeat is not answered"
    lines.open(join)
    before = lines.cut
    lines.lose(gate, "answer")
    lines.keep_answers(gate, True)
    lines.open(gate)
    assert wait_for(lambda: lines.cut > before or None, SECONDS), "no answer was lost"
    shared = polls_until(b, lambda owned: owned != "")
    assert polls_until(a, lambda owned: owned != "") == "0,1"
    produce(cluster, topic, int(shared), 7)
    assert next_record(b) == "7"
    assert [poll(a) for _ in range(10)] == [("0,1", "")] * 10
    lines.keep_answers(gate, False)
    polls_until(a, lambda owned: owned == str(1 - int(shared)))
    assert poll(b) == (shared, "")


def test_two_cooperative_members_consume_one_partition_after_a_late_join_group(cluster: Clients) -> None:
    """`classic_group:cooperative`, bounds `late`: A's JoinGroup, in which it owns nothing, does not arrive, and A sends
    another. It arrives when A has a partition, and C joins: the generation begins without A, which goes on."""
    topic, gate, lines = "late-join", Gate(A, FOLLOWER, wire.JOIN_GROUP), cluster.lines
    topic_of_two(cluster, topic)
    settings = {
        "group_protocol": "classic",
        "partition_assignment_strategy": "org.apache.kafka.clients.consumer.CooperativeStickyAssignor",
        "heartbeat_interval_ms": "500",
    }
    b = cluster.java_member(B, topic, **settings)
    assert polls_until(b, lambda owned: owned != "") == "0,1"
    a = cluster.java_member(A, topic, **settings)
    kept = polls_until(b, lambda owned: len(owned) == 1, a)
    lines.lose(gate, "request")
    before = lines.cut
    moved = polls_until(a, lambda owned: owned != "", b)
    assert (lines.cut, moved) == (before + 1, str(1 - int(kept)))
    lines.shut(Gate(A, FOLLOWER, wire.MEMBER_HEARTBEAT))
    c = cluster.java_member(C, topic, **settings)
    poll(c)
    arrives(cluster, lines.lost[gate])
    assert polls_until(c, lambda owned: owned != "", b) == moved
    produce(cluster, topic, int(moved), 7)
    assert (next_record(a), next_record(c)) == ("7", "7")
    assert poll(a)[0] == moved
    lines.open(Gate(A, FOLLOWER, wire.MEMBER_HEARTBEAT))
    polls_until(a, lambda owned: owned == "", b, c)


def arrives(cluster: Clients, frame: bytes) -> None:
    """A request that was lost with its connection arrives at the broker nevertheless."""
    with socket.create_connection(("127.0.0.1", cluster.ports[FOLLOWER])) as late:
        late.sendall(struct.pack(">i", len(frame)) + frame)
        late.shutdown(socket.SHUT_WR)
        late.recv(1)
