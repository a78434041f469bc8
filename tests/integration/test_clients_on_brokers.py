"""What the matrices of producers and consumers say, seen on real brokers with the Python client: each cell that goes
wrong, and beside it one that does not.

The followers of the first topic fetch when the test lets them, so that what only the leader has is known. A member of a
group is a process, which is killed or stands still.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, suppress
from typing import Any

import kafka
import pytest
from tidegate.real.driving.nodes import wire
from tidegate.real.driving.nodes.gates import Gate
from tidegate.real.driving.nodes.releases import fetch_release
from tidegate.real.driving.nodes.running import wait_for

from ..docs.test_client_matrices import MARK, page
from ..support.client_matrices import MATRICES
from ..support.real_clients import FOLLOWER, LEADER, PRODUCER, SECONDS, Clients

pytestmark = pytest.mark.brokers
VERSION = "3.9.1"
TOPIC_ALREADY_EXISTS = 36


def words(matrix: str, row: str, column: str) -> set[str]:
    """What a cell of a matrix says that goes wrong."""
    cell = MATRICES[matrix].cells_of_text(page(matrix).read_text(encoding="utf-8").partition(MARK)[2])[row, column]
    return {part.split("**")[1] for part in cell.split("; ") if "**" in part}


@pytest.fixture
def fresh() -> Iterator[Clients]:
    """Two brokers of which one will be killed."""
    cluster = Clients(fetch_release(VERSION))
    with cluster:
        cluster.start_all()
        yield cluster


@pytest.fixture(scope="module")
def cluster() -> Iterator[Clients]:
    """Two brokers that stay up; each test has topics of its own."""
    made = Clients(fetch_release(VERSION))
    with made:
        made.start_all()
        yield made


# --- producers --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("acks", "row", "found"), [(1, "acks=1", []), ("all", "acks=all, two in flight", [0])])
def test_another_leader(fresh: Clients, acks: int | str, row: str, found: list[int]) -> None:
    """The leader dies before the other broker has the record: with acks=1 it was acknowledged, and is gone."""
    assert ("lost" in words("producer-matrix", row, "another leader")) is (found == [])
    producer = fresh.producer(acks=acks, enable_idempotence=False, request_timeout_ms=30_000)
    answer = producer.send("orders", b"0")
    assert wait_for(lambda: fresh.observe().logs[LEADER] or None, SECONDS), "the leader does not have it"
    if acks == 1:
        answer.get(timeout=SECONDS)
    else:
        assert not answer.is_done
    fresh.kill(LEADER)
    fresh.leader_is(FOLLOWER)
    answer.get(timeout=SECONDS)
    assert fresh.read_all(FOLLOWER, len(found)) == found


@pytest.mark.parametrize(("idempotent", "row"), [(False, "acks=all, two in flight"), (True, "idempotent")])
def test_a_connection_is_lost(cluster: Clients, idempotent: bool, row: str) -> None:
    """The answer is lost with its connection: without idempotence the retry is there, too."""
    twice = "twice" in words("producer-matrix", row, "a connection is lost")
    assert twice is not idempotent
    topic = f"cut-{idempotent}"
    cluster.topic(topic, FOLLOWER)
    producer = cluster.producer(acks="all", enable_idempotence=idempotent)
    before = cluster.lines.cut
    cluster.lines.lose(Gate(PRODUCER, FOLLOWER, wire.PRODUCE), "answer")
    producer.send(topic, b"0").get(timeout=SECONDS)
    assert cluster.lines.cut == before + 1
    assert values(cluster, topic) == ([0, 0] if twice else [0])


def test_the_application_dies(cluster: Clients) -> None:
    """An application that starts again and sends what was not acknowledged: another producer id, and no copy is found,
    though both are idempotent. With an answer that it had, it sends nothing again."""
    assert "twice" in words("producer-matrix", "idempotent", "the application dies")
    assert "no error" in words("producer-matrix", "idempotent, forgets when it dies", "the application dies")
    again = cluster.producer(acks="all")
    for number, (topic, what) in enumerate((("dies", "answer"), ("forgets", "request")), 1):
        cluster.topic(topic, FOLLOWER)
        first = cluster.producer(acks="all", client_id=str(PRODUCER + number))
        first.partitions_for(topic)
        before = cluster.lines.cut
        cluster.lines.lose(Gate(PRODUCER + number, FOLLOWER, wire.PRODUCE), what, then_shut=True)
        answer = first.send(topic, b"0")
        assert wait_for(lambda then=before: cluster.lines.cut > then or None, SECONDS)
        assert not answer.is_done and values(cluster, topic) == ([0] if what == "answer" else [])
        with suppress(Exception):
            first.close(timeout=0)
    again.send("dies", b"0").get(timeout=SECONDS)
    again.send("forgets", b"1").get(timeout=SECONDS)
    assert (values(cluster, "dies"), values(cluster, "forgets")) == ([0, 0], [1])


def values(cluster: Clients, topic: str) -> list[int]:
    """What a consumer reads of a topic that one broker has."""
    with closing(wire.Connection(cluster.ports[FOLLOWER])) as connection:
        return [int(value) for value in wire.read_values(connection, topic)[1]]


@pytest.mark.parametrize(("idempotent", "row"), [(False, "acks=all, two in flight"), (True, "idempotent")])
def test_two_requests_are_lost_with_their_connection(cluster: Clients, idempotent: bool, row: str) -> None:
    """Both go back to the front, one after the other: without sequences the second one is sent first."""
    turned = "order" in words("producer-matrix", row, "a connection is lost")
    assert turned is not idempotent
    topic, gate = f"order-{idempotent}", Gate(PRODUCER, FOLLOWER, wire.PRODUCE)
    cluster.topic(topic, FOLLOWER)
    producer = cluster.producer(acks="all", enable_idempotence=idempotent, linger_ms=0)
    producer.partitions_for(topic)
    before = cluster.lines.cut
    cluster.lines.shut(gate)
    answers = [producer.send(topic, b"0")]
    assert wait_for(lambda: cluster.lines.waiting_request(gate), SECONDS)
    answers.append(producer.send(topic, b"1"))
    assert not wait_for(lambda: answers[1].is_done or None, 1.0)  # its request is behind the first on the connection
    cluster.lines.lose(gate, "request")
    cluster.lines.open(gate)
    for answer in answers:
        answer.get(timeout=SECONDS)
    assert cluster.lines.cut == before + 1
    assert values(cluster, topic) == ([1, 0] if turned else [0, 1])


# --- consumers --------------------------------------------------------------------------------------------------------


def produce_records(cluster: Clients, topic: str, *records: int) -> None:
    """Records in a topic, which is made where it is not there."""
    assert wait_for(lambda: is_there(cluster, topic) or None, SECONDS), f"no topic {topic}"
    producer = cluster.producer(acks="all")
    for record in records:
        producer.send(topic, str(record).encode()).get(timeout=SECONDS)
    producer.close()


def is_there(cluster: Clients, topic: str) -> bool:
    """Whether there is a topic, which is made if not; a broker that is fenced for a while takes none."""
    try:
        cluster.topic(topic, FOLLOWER)
    except wire.BrokerError as refused:
        return refused.code == TOPIC_ALREADY_EXISTS
    return True


@pytest.mark.parametrize(
    ("row", "steps", "again"),
    [
        ("before processing", ["poll", "commit"], []),
        ("after processing", ["poll", "process"], [0]),
        ("automatic", ["poll"], [0]),
        ("automatic, another thread processes", ["poll", "look"], []),
    ],
)
def test_a_crash(cluster: Clients, row: str, steps: list[str], again: list[int]) -> None:
    """A member dies with a record that it has polled: processed or not, committed or not. Whoever has the partition
    next is given it again, or it is lost."""
    wrong = words("consumer-matrix", row, "a crash")
    processed = "process" in steps
    if not again:
        assert "lost" in wrong and not processed
    else:
        assert "lost" not in wrong and ("twice" in wrong or not processed)
    topic, automatic = f"crash-{row.replace(' ', '-').replace(',', '')}", row.startswith("automatic")
    produce_records(cluster, topic, 0)
    first = cluster.member("m1", topic, topic, automatic=automatic)
    assert first.does(*steps)[0] == "0"
    first.kill()
    produce_records(cluster, topic, 1)
    second = cluster.member("m2", topic, topic, automatic=automatic)
    assert second.does("poll") == [str(([*again, 1])[0])]


@pytest.mark.parametrize(
    ("row", "automatic", "given"),
    [("automatic", True, "1"), ("after processing", False, "0")],
)
def test_an_exception_and_close(cluster: Clients, row: str, automatic: bool, given: str) -> None:
    """close() commits the position where commits are automatic, though the record was not processed."""
    lost = "lost" in words("consumer-matrix", row, "an exception, and close()")
    assert lost is automatic
    topic = f"close-{automatic}"
    produce_records(cluster, topic, 0, 1)
    assert cluster.member("m1", topic, topic, automatic=automatic).does("poll", "close") == ["0", "closed"]
    assert cluster.member("m2", topic, topic, automatic=automatic).does("poll") == [given]


@pytest.mark.parametrize(
    ("reset", "given"),
    [("latest", ["nothing", "3"]), ("earliest", ["0", "1"]), ("none", ["NoOffsetForPartitionError"])],
)
def test_the_offset_is_lost(cluster: Clients, reset: str, given: list[str]) -> None:
    """The group's offset is gone, and records have come: `latest` leaves them out, `earliest` begins anew, and `none`
    stops."""
    if reset != "none":
        wrong = words("consumer-matrix", "after processing", f"{reset}, the offset is lost")
        assert ("skipped" in wrong) is (reset == "latest")
    topic = f"offset-{reset}"
    produce_records(cluster, topic, 0)
    first = cluster.member("m1", topic, topic, automatic=False)
    assert first.does("poll", "process", "commit", "close") == ["0", "0", "committed", "closed"]
    produce_records(cluster, topic, 1, 2)
    untyped: Any = kafka
    admin = untyped.KafkaAdminClient(bootstrap_servers=f"127.0.0.1:{cluster.ports[FOLLOWER]}")
    admin.delete_groups([topic])
    admin.close()
    second = cluster.member("m2", topic, topic, automatic=False, reset=reset)
    answers = second.does("look")
    if reset == "latest":
        produce_records(cluster, topic, 3)
    if reset != "none":
        answers += second.does("poll")
    assert answers == given


@pytest.mark.parametrize(("row", "taken"), [("after processing", "0"), ("before processing", "1")])
def test_a_pause(cluster: Clients, row: str, taken: str) -> None:
    """A member stands still with a record in hand, is thrown out, and goes on: it processes what another one has
    processed, or a record after its successor; and its commit is refused."""
    wrong = words("consumer-matrix", row, "a pause")
    assert ("twice" in wrong) is (row == "after processing") and ("order" in wrong) is (row == "before processing")
    topic, before = f"pause-{taken}", row == "before processing"
    produce_records(cluster, topic, 0, 1)
    first = cluster.member("m1", topic, topic, automatic=False)
    assert first.does("poll", *(["commit"] if before else []))[0] == "0"
    first.pause()
    second = cluster.member("m2", topic, topic, automatic=False)
    assert second.does("poll", "process", "commit") == [taken, taken, "committed"]
    first.go_on()
    assert first.does("process", "commit") == ["0", "CommitFailedError"]
    second.kill()
    produce_records(cluster, topic, 2)
    assert cluster.member("m3", topic, topic, automatic=False).does("poll") == [{"0": "1", "1": "2"}[taken]]
