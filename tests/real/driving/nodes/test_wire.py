"""What a small cluster is asked: the requests that it gets, and what is made of its answers."""

from __future__ import annotations

import pytest
from tidegate.real.driving.nodes.wire import (
    BROKER_CONFIG,
    TOPIC_CONFIG,
    BrokerError,
    PartitionMetadata,
    create_topic,
    elect_leader,
    produce,
    produce_request,
    quorum_high_watermark,
    read_metadata,
    reassign_replicas,
    record_batch,
    set_broker_default,
    set_topic_config,
)

from ....support.wire import GivenConnection, answer


def test_a_partition_is_as_the_broker_that_is_asked_knows_it() -> None:
    partition = answer(leader_id=-1, leader_epoch=3, isr_nodes=[2, 1])
    to = GivenConnection(answer(topics=[answer(error_code=0, partitions=[partition])]))
    assert read_metadata(to, "orders") == PartitionMetadata(-1, 3, frozenset({1, 2}))
    assert to.asked[0].allow_auto_topic_creation is False, "asking makes no topic"
    assert read_metadata(GivenConnection(answer(topics=[answer(error_code=3, partitions=[])])), "orders") is None


def test_a_topic_is_created_where_its_replicas_are_to_be() -> None:
    to = GivenConnection(answer(topics=[answer(error_code=0)]))
    create_topic(to, "orders", [2, 1], {"min.insync.replicas": "1"}, partitions=2)
    (topic,) = to.asked[0].topics
    assert [list(one.broker_ids) for one in topic.assignments] == [[2, 1], [2, 1]]
    assert [(one.name, one.value) for one in topic.configs] == [("min.insync.replicas", "1")]
    assert (topic.num_partitions, topic.replication_factor) == (-1, -1), "the assignment says both"
    with pytest.raises(BrokerError, match="creating orders: REQUEST_TIMED_OUT") as refused:
        create_topic(GivenConnection(answer(topics=[answer(error_code=7)])), "orders", [1], {})
    assert refused.value.code == 7


def test_an_election_fails_if_any_of_its_answers_does() -> None:
    def elected(all_: int, one: int) -> GivenConnection:
        result = answer(partition_result=[answer(error_code=one)])
        return GivenConnection(answer(error_code=all_, replica_election_results=[result]))

    elect_leader(elected(0, 0), "orders", 1)
    for all_, one, says in ((84, 0, "ELECTION_NOT_NEEDED"), (0, 83, "ELIGIBLE_LEADERS_NOT_AVAILABLE"), (0, 99, "99")):
        with pytest.raises(BrokerError, match=says):
            elect_leader(elected(all_, one), "orders", 1)


def test_a_reassignment_without_brokers_cancels_the_one_under_way() -> None:
    for replicas in ([3, 1], None):
        to = GivenConnection(answer(error_code=0))
        reassign_replicas(to, "orders", replicas)
        found = to.asked[0].topics[0].partitions[0].replicas
        assert (found if found is None else list(found)) == replicas


def test_only_a_controller_that_leads_knows_what_is_committed() -> None:
    def said(code: int, of_partition: int) -> GivenConnection:
        partition = answer(error_code=of_partition, high_watermark=7)
        return GivenConnection(answer(error_code=code, topics=[answer(partitions=[partition])]))

    assert quorum_high_watermark(said(0, 0), "__cluster_metadata") == 7
    assert quorum_high_watermark(said(0, 6), "__cluster_metadata") is None
    assert quorum_high_watermark(said(41, 0), "__cluster_metadata") is None


def test_a_setting_is_set_for_all_brokers_or_of_a_topic() -> None:
    def refusing() -> GivenConnection:
        return GivenConnection(answer(responses=[answer(error_code=41)]))

    of_all, of_one = refusing(), refusing()
    assert set_broker_default(of_all, "a", "1") == 41, "its error is the caller's to judge"
    assert set_topic_config(of_one, "orders", "a", "1") == 41
    asked = [to.asked[0].resources[0] for to in (of_all, of_one)]
    assert [(one.resource_type, one.resource_name) for one in asked] == [(BROKER_CONFIG, ""), (TOPIC_CONFIG, "orders")]


def test_a_record_says_how_old_it_is_and_a_request_with_acks_0_is_not_answered() -> None:
    young, old = (int.from_bytes(record_batch(b"x", age)[27:35], "big") for age in (0, 3600))
    assert 3_599_000 < young - old < 3_601_000
    refused = answer(responses=[answer(partition_responses=[answer(error_code=19)])])
    assert produce(GivenConnection(refused), produce_request("orders", record_batch(b"x"), -1)) == 19
