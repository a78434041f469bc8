"""A cluster of which some brokers, or most controllers, do not answer: who is down is named, and the others tell."""

from __future__ import annotations

from typing import Any, cast

import pytest
from kafka.errors import KafkaTimeoutError, UnknownTopicOrPartitionError
from tidegate.audit.answers.outages import find_outages
from tidegate.audit.cluster.cluster import Cluster
from tidegate.audit.cluster.statements import UnreadableInputError
from tidegate.audit.questions.subjects import cluster_subjects
from tidegate.audit.readers.running.admin import Admin

from .test_live import of_answers


def ask_client(monkeypatch: pytest.MonkeyPatch, **others: Any) -> Cluster:
    return of_answers(monkeypatch, **others)[0]


def test_who_does_not_answer_is_down_and_in_no_file_is_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster, _ = of_answers(monkeypatch, silent={2: "nothing listens at its port"})
    assert cluster.answering is not None
    assert cluster.answering.to_sentence == (
        "brokers 2, 3 are down (nothing listens at its port; not registered as alive); 1 of 3 answered, and partitions "
        "are as broker 1 knows them"
    )
    mute, _ = of_answers(monkeypatch, silent={2: "no answer in time"})
    assert mute.answering is not None
    assert mute.answering.to_sentence == (
        "broker 3 is down (not registered as alive); broker 2 does not answer (no answer in time); 1 of 3 answered, "
        "and "
        "partitions are as broker 1 knows them"
    )
    assert all(not broker.settings for broker in cluster.brokers if broker.id != 1)
    (orders,) = (subject for subject in cluster_subjects(cluster) if subject.topics[0].name == "orders")
    assert [outage.to_sentence for outage in find_outages(orders, (2, 3))] == [
        "orders partition 0: no leader, so that nothing is written or read"
    ]


def test_brokers_that_wait_for_a_controller_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    kraft = {"describe_features": {"metadata.version": {"supported": (1, 21), "finalized": (21, 21)}}}
    cluster = ask_client(monkeypatch, quorum=KafkaTimeoutError("late"), **kraft)
    assert cluster.answering is not None and cluster.answering.headless
    assert cluster.answering.controllers.startswith("no controller answers the brokers: most controllers are down")
    voters = [
        {"replica_id": id_, "log_end_offset": 700, "last_fetch_timestamp": at}
        for id_, at in ((11, 60_000), (12, 59_900), (13, 25_000))
    ]
    quorum = {"leader_id": 11, "current_voters": voters, "observers": [], "high_watermark": 700}
    cluster = ask_client(monkeypatch, quorum=quorum, **kraft)
    assert cluster.answering is not None and not cluster.answering.headless
    assert cluster.answering.controllers == "controller 13 has not fetched for 35 s"
    cluster = ask_client(monkeypatch, quorum={**quorum, "leader_id": -1}, **kraft)
    assert cluster.answering is not None and cluster.answering.headless


def test_none_of_the_advertised_addresses_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    said = (
        r"a:9092 answers, and none of the brokers does at the address that it advertises \(broker 1: x, broker 2: x\)"
    )
    with pytest.raises(UnreadableInputError, match=said):
        ask_client(monkeypatch, silent={1: "x", 2: "x"})


def test_a_broker_that_is_listed_and_was_not_reached_did_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen of 4.1.0 without controllers: brokers that started meanwhile are listed, and the client knows no address."""
    cluster = ask_client(monkeypatch, probed=(1,))
    assert cluster.answering is not None and cluster.answering.answering_brokers == (1,)
    assert cluster.answering.down == ((2, "not registered as alive"), (3, "not registered as alive"))


class Older(Admin):
    """Brokers before 3.7, as kafka-python 3.0.12 takes their answers."""

    def __init__(self, **quorum: Any) -> None:
        self._manager = cast(Any, self)
        self.shown = quorum

    def run(self, asked: Any, *about: object) -> Any:
        if asked == self._get_cluster_metadata:
            return {"brokers": [{"node_id": 3}, {"node_id": 1}]}
        return self

    def send(self, request: object) -> None:
        raise AssertionError("run is asked")

    def to_dict(self) -> dict[str, Any]:
        return {"error_code": 0, "topics": [{"partitions": [self.shown]}]}

    def describe_cluster(self) -> Any:
        raise KeyError("endpoint_type")


def test_brokers_whose_answer_the_client_does_not_understand() -> None:
    assert Older().brokers() == [1, 3]
    assert Older(error_code=0, leader_id=7).describe_quorum()["leader_id"] == 7
    with pytest.raises(UnknownTopicOrPartitionError):
        Older(error_code=3).describe_quorum()
